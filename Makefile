# SPDX-License-Identifier: GPL-3.0-or-later
# `make help` lists the targets. Only Python 3.13 or 3.11 with pip is needed; each target makes the virtual
# environment that it runs in (.venv/<Blender version>).

# The Blender (4.2, 4.5, 5.0 or 5.2) to run under, as a Python module; empty: the newest that a Python here can run.
BLENDER ?=
# What pytest is given.
PYTEST_ARGS ?= -n auto --maxprocesses 4 --dist worksteal
# Anything: fewer random examples, clips and springs.
BRIEF ?=
# Anything: all variants of each test, not one at least of each.
ALL ?=
# The demo's own: a .blend file or motion file, its two actions and the cut; empty: what the demo ships.
FILE ?=
SOURCE ?=
DESTINATION ?=
CUT ?=
# A Blender that can open a window, for `make pictures`.
APP ?= blender
# The folder of real motion that `make bench`, `methods`, `displacements`, `half-lives`, `hops`, `loops`, `pops`, `finish` and `rigs` read.
DATA ?= $(or $(INERTIA_DATA),../shared/data)

export PYTHON
# Tests start many processes; each would compile everything anew where this forbids to keep what is compiled.
unexport PYTHONDONTWRITEBYTECODE
SHELL := /bin/bash
in_venv = venv=$$(tools/venv.sh $(BLENDER)) && PYTHONPATH=. $$venv/bin/python
in_lint = venv=$$(tools/venv.sh lint) && $$venv/bin

.PHONY: help test fuzz slips translations demo bench methods judged displacements half-lives hops loops travel bends pops finish fewer-keys rigs feet paths steering fill inbetween obstacles arrivals crowds learned panels documented scripts lint format build zip wheel reference site release papers rivals pictures clean mutants
.DEFAULT_GOAL := help

help: ## Show this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(firstword $(MAKEFILE_LIST)) | while IFS=$$'\t' read -r target what; do \
	  printf '  make %-13s %s\n' "$$target" "$$what"; done

test: ## Run the tests; BLENDER=4.2 picks a version, PYTEST_ARGS="-k guard" some, ALL=1 runs every variant, BRIEF=1 shortens
	@$(in_venv) -m pytest $(PYTEST_ARGS) $(if $(ALL),--all-variants) $(if $(BRIEF),--brief)

demo: ## Make a transition and its picture in build/demo; FILE= SOURCE= DESTINATION= CUT= choose your own
	@mkdir -p build/demo
	@$(in_venv) examples/demo/make_demo.py --output build/demo \
	  $(if $(FILE),--file "$(FILE)") $(if $(SOURCE),--source "$(SOURCE)") \
	  $(if $(DESTINATION),--destination "$(DESTINATION)") $(if $(CUT),--cut "$(CUT)")

bench: ## Measure how long things take, with a table of goals; BENCH_ARGS="--only costs batch" picks some
	@$(in_venv) bench/every.py --data "$(DATA)" $(BENCH_ARGS)

panels: ## Count what each mode of the tab shows, folded and unfolded; exits with 1 where that is too much
	@$(in_venv) bench/panels.py

methods: ## Compare all methods on real motion; DATA= is the folder, METHODS_ARGS=--brief shortens the table
	@$(in_venv) bench/methods.py --data "$(DATA)" $(METHODS_ARGS)

judged: ## Compare what is said of transitions with what Blender plays of them, on real motion; DATA= is the folder, JUDGED_ARGS="--cuts 30" shortens
	@$(in_venv) bench/judged.py --data "$(DATA)" $(JUDGED_ARGS)

displacements: ## Compare predicted costs with what baked transitions displace, on real motion; DATA= is the folder
	@$(in_venv) bench/displacements.py --data "$(DATA)" $(DISPLACEMENTS_ARGS)

half-lives: ## Fit springs to made-up and real root motion, and say how well; DATA= is the folder
	@$(in_venv) bench/half_lives.py --data "$(DATA)" $(HALF_LIVES_ARGS)

fuzz: ## Spoil inputs and drive the interface at random; FUZZ="--seed 2 --inputs 100 --steps 500 --seconds 600"
	@$(in_venv) -m tests.fuzz $(FUZZ)

slips: ## Say what each command says to each slip: docs/reference/slips.md
	@printf '%s\n' '# Slips' '' 'What each command says when you slip, and its exit code. Your files stay as they were. `make slips` writes this table' \
	  'from the tests that check it.' '' '| command | slip | exit code | sentence |' '| --- | --- | --- | --- |' > docs/reference/slips.md
	@export INERTIA_SLIPS="$(CURDIR)/docs/reference/slips.md"; $(in_venv) -m pytest -q --all-variants tests/cli/test_read_files.py tests/cli/test_slips.py -k "not table_of_slips"

translations: ## Take new texts into every language's .po file, and compile these; ADD=fr_FR begins a language
	@$(in_venv) tools/translations.py $(if $(ADD),--add "$(ADD)")

mutants: ## Put small faults into motion/ and blender/, and say which no test notices; MUTANTS="--seed 1 --count 100"
	@$(in_venv) -m tests.mutants $(MUTANTS)

hops: ## Compare direct transitions with hops through a third clip, on real motion; DATA= is the folder
	@$(in_venv) bench/hop_gains.py --data "$(DATA)" $(HOPS_ARGS)

feet: ## Judge locked feet on real motion by goals, each passed or failed; DATA= is the folder, FEET_ARGS="--brief" shortens
	@$(in_venv) bench/feet.py --data "$(DATA)" $(FEET_ARGS)
	@$(in_venv) bench/feet_contacts.py --data "$(DATA)" $(filter --write,$(FEET_ARGS))
	@$(in_venv) bench/control_feet.py $(CONTROL_FEET_ARGS) $(filter --write,$(FEET_ARGS))

loops: ## Cut cycles and walks of real motion, loop them, and judge their seams; DATA= is the folder
	@$(in_venv) bench/loops.py --data "$(DATA)" $(LOOPS_ARGS)

travel: ## Take the travel of captured clips out and make it anew, give it to cycles in place, and move it to a root and back; DATA= is the folder
	@$(in_venv) bench/travel.py --data "$(DATA)" $(TRAVEL_ARGS)
	@$(in_venv) bench/moved_travel.py --data "$(DATA)" $(MOVED_TRAVEL_ARGS)

bends: ## Have characters whose walks stay in place follow circles; DATA= is the folder, BENDS_ARGS="--radius 2" shortens
	@$(in_venv) bench/bends.py --data "$(DATA)" $(BENDS_ARGS)

pops: ## Find and smooth pops that were put into real motion, and its own; DATA= is the folder
	@$(in_venv) bench/pops.py --data "$(DATA)" $(POPS_ARGS)

fewer-keys: ## Tell captured clips by fewer keys, and say how near Blender plays them; DATA= is the folder, FEWER_KEYS_ARGS="--count 2" shortens
	@$(in_venv) bench/fewer_keys.py --data "$(DATA)" $(FEWER_KEYS_ARGS)

finish: ## Put faults into captured takes, find them, and mend them; DATA= is the folder, FINISH_ARGS="--brief --takes 2" shortens
	@$(in_venv) bench/finish.py --data "$(DATA)" $(FINISH_ARGS)

rigs: ## Run every command on every rig, judge transitions by the files themselves, and control rigs by plain ones; DATA= is the folder, RIGS_ARGS="--rig Fox", PAIRS_ARGS="--pairs 5" and CONTROL_RIGS_ARGS="--rig cat" shorten
	@$(in_venv) bench/every_command.py --data "$(DATA)" $(RIGS_ARGS)
	@$(in_venv) bench/rigs.py --data "$(DATA)" $(PAIRS_ARGS)
	@$(in_venv) bench/control_rigs.py $(CONTROL_RIGS_ARGS)

paths: ## Follow paths with real motion, beside the search of games; DATA= is the folder, PATHS_ARGS="--set cmu131 --baked 2" shortens
	@export OPENBLAS_NUM_THREADS=1; $(in_venv) bench/paths.py --data "$(DATA)" $(PATHS_ARGS)

steering: ## Steer characters with real motion, and judge what comes of it by goals; DATA= is the folder, STEERING_ARGS="--set cmu131 --baked 1" shortens
	@export OPENBLAS_NUM_THREADS=1; $(in_venv) bench/steering.py --data "$(DATA)" $(STEERING_ARGS)

fill: ## Fill gaps that were cut out of real motion, and judge what comes of it by goals; DATA= is the folder, FILL_ARGS="--set cmu131 --gaps 3" shortens
	@export OPENBLAS_NUM_THREADS=1; $(in_venv) bench/fill.py --data "$(DATA)" $(FILL_ARGS)

inbetween: ## Fill windows of takes as learned methods are measured, each take by the others; DATA= is any folder of takes, INBETWEEN_ARGS="--windows 4 --frames 15" shortens
	@export OPENBLAS_NUM_THREADS=1; $(in_venv) bench/inbetween.py --data "$(DATA)" $(INBETWEEN_ARGS)

obstacles: ## Lead characters with real motion past obstacles, and measure how near they come; DATA= is the folder, OBSTACLES_ARGS="--set cmu131 --paths 1" shortens
	@export OPENBLAS_NUM_THREADS=1; $(in_venv) bench/obstacles.py --data "$(DATA)" $(OBSTACLES_ARGS)

arrivals: ## Lead characters with real motion to goals on their paths, and measure how near they come; DATA= is the folder, ARRIVALS_ARGS="--paths 1" shortens
	@export OPENBLAS_NUM_THREADS=1; $(in_venv) bench/arrivals.py --data "$(DATA)" $(ARRIVALS_ARGS)

crowds: ## Lead crowds of twenty across a place with a model, and measure how near any two come; DATA= is the folder
	@OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1; export OMP_NUM_THREADS OPENBLAS_NUM_THREADS; \
	  $(in_venv) bench/crowd.py --data "$(DATA)" $(CROWD_ARGS)

learned: ## Learn real motion, and judge the model by goals; DATA= is the folder, LEARNED_ARGS="--iterations 2000" shortens
	@OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1; export OMP_NUM_THREADS OPENBLAS_NUM_THREADS; \
	  $(in_venv) bench/learned.py --data "$(DATA)" $(LEARNED_ARGS)

papers: ## Print what the six sources print, beside what Inertia computes; PAPERS_ARGS=--write writes docs/papers.md
	@$(in_venv) bench/papers.py $(PAPERS_ARGS)

rivals: ## Compare with what one would use instead in Blender, on the humanoid; RIVALS_ARGS=--write writes docs/rivals.md
	@$(in_venv) bench/rivals.py $(RIVALS_ARGS)

documented: ## Run the commands of README, docs and the examples' pages as they are written; DOCUMENTED_ARGS="--only loops"
	@$(in_venv) tools/run_documented.py $(DOCUMENTED_ARGS)

scripts: ## Run each script of bench/, examples/ and tools/ in its shortest form; SCRIPTS_ARGS="--quick" or "--only feet"
	@$(in_venv) tools/run_scripts.py --data "$(DATA)" $(SCRIPTS_ARGS)

lint: ## Check style, format, types, workflows, the citation, and that the code reads no worse
	@$(in_lint)/ruff check .
	@$(in_lint)/ruff format --check .
	@$(in_lint)/mypy
	@$(in_lint)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	@$(in_lint)/check-jsonschema --builtin-schema vendor.citation-file-format CITATION.cff
	@$(in_lint)/python tools/readability.py

format: ## Put the sources into ruff's format
	@$(in_lint)/ruff check --fix-only --quiet . ; $$venv/bin/ruff format .

build: ## Build the extension's zip into build/ and validate it
	@$(in_venv) tools/build_extension.py

zip: ## Pack the extension's zip into build/ in seconds, by any Python from 3.11 on, for those who want nothing else
	@python3 tools/build_extension.py --plain

wheel: ## Build the maths alone into build/, as the package inertia-motion
	@python3 tools/build_motion.py

pictures: ## Take all pictures of the pages anew; APP= is the Blender with a window that poses for them
	@mkdir -p build; $(in_venv) tools/screenshots.py --blender "$(APP)" -o docs
	@export INERTIA_PICTURES=docs INERTIA_BLENDERS="$$(command -v "$(APP)")"; $(in_venv) -m pytest tests/window/test_guide.py
	@$(in_venv) examples/demo/make_demo.py --output build/demo && cp build/demo/demo.png docs/demo.png
	@$(in_venv) examples/humanoid/make_clips.py -o build/clips.blend --picture examples/humanoid/poses.png
	@$(in_venv) examples/cost/make_pictures.py -o examples/cost
	@$(in_venv) examples/learned/make_pictures.py -o examples/learned
	@$(in_venv) examples/hop/make_table.py -o build/hop && cp build/hop/hops.png examples/hop/hops.png
	@$(in_venv) examples/batch/make_library.py -o build/library && cp build/library/matrix/matrix.png examples/batch/matrix.png

reference: ## Write a page for each panel, as Blender tells of it, in docs/reference
	@$(in_venv) tools/make_reference.py

site: ## Make a site of README, docs and examples in build/site; a dead link ends it
	@venv=$$(tools/venv.sh site) && $$venv/bin/python tools/make_site.py $(SITE_ARGS)

release: site ## Make all that a release consists of in build/release; RELEASE_ARGS=--tag names the commit, too
	@$(in_venv) tools/release.py --site build/site $(RELEASE_ARGS)

clean: ## Remove what was built; the environments in .venv stay
	rm -rf build .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -path ./.venv -prune -o -name __pycache__ -type d -exec rm -rf {} +
