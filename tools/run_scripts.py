# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs each script of bench/, examples/ and tools/ in its shortest form: what no command runs rots.

    python tools/run_scripts.py [--data DATA] [--only NAME ...] [--jobs 2] [--quick]

A script that is not listed here is a fault. What needs real motion is left out, and named, without it. Exits
with 1 where any script failed, with the end of what it said.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATA, OUT = "{data}", "{out}"
SHORTEST: dict[str, tuple[str, ...]] = {
    "bench/arrivals.py": ("--data", DATA, "--set", "cmu131", "--paths", "1"),
    "bench/baking.py": ("--cuts", "2"),
    "bench/batch.py": ("--count", "4", "--most", "2"),
    "bench/bench.py": ("--rounds", "1"),
    "bench/bends.py": ("--data", DATA, "--character", "Knight", "--radius", "2"),
    "bench/control_feet.py": ("--rig", "made by hand"),
    "bench/control_rig.py": ("--rounds", "1"),
    "bench/control_rigs.py": ("--rig", "basic_quadruped"),
    "bench/costs.py": ("--rounds", "1"),
    "bench/crowd.py": ("--data", DATA, "--minutes", "0.05", "--crowds", "1", "--count", "3"),
    "bench/displacements.py": ("--data", DATA, "--set", "RobotExpressive", "--meetings", "2"),
    "bench/evaluation.py": ("--rounds", "1"),
    "bench/every.py": ("--data", DATA, "--only", "starting", "redraw"),
    "bench/every_command.py": ("--data", DATA, "--rig", "greenman", "--command", "info", "check", "loop"),
    "bench/feet.py": ("--data", DATA, "--brief", "--set", "cmu131"),
    "bench/feet_contacts.py": ("--data", DATA),
    "bench/half_lives.py": ("--data", DATA, "--count", "2"),
    "bench/fill.py": ("--data", DATA, "--set", "cmu131", "--gaps", "1"),
    "bench/finish.py": ("--data", DATA, "--brief", "--takes", "1", "--kind", "skate", "jitter"),
    "bench/hop_gains.py": ("--data", DATA, "--triggers", "1"),
    "bench/hops.py": ("--triggers", "2"),
    "bench/inbetween.py": ("--data", DATA, "--set", "cmu131", "--windows", "1", "--frames", "15"),
    "bench/joins.py": ("--data", DATA, "--set", "cmu131", "--joins", "10", "--rounds", "1"),
    "bench/judged.py": ("--data", DATA, "--brief"),
    "bench/learned.py": ("--data", DATA, "--set", "cmu131", "--iterations", "20"),
    "bench/locking.py": ("--rounds", "1", "--frames", "100", "--bones", "20"),
    "bench/long_clips.py": ("--frames", "2000"),
    "bench/fewer_keys.py": ("--data", DATA, "--count", "1"),
    "bench/loops.py": ("--data", DATA, "--speed", "1"),
    "bench/many_bones.py": ("--bones", "250", "--rounds", "1", "--cuts", "1"),
    "bench/methods.py": ("--data", DATA, "--brief", "--cuts", "1"),
    "bench/moved_travel.py": ("--data", DATA, "--count", "1"),
    "bench/obstacles.py": ("--data", DATA, "--set", "cmu127", "--paths", "1"),
    "bench/panels.py": (),
    "bench/papers.py": ("--iterations", "20"),
    "bench/paths.py": ("--data", DATA, "--set", "cmu131", "--path", "line", "--baked", "1"),
    "bench/pops.py": ("--data", DATA, "--count", "2"),
    "bench/redraw.py": ("--rounds", "1"),
    "bench/rivals.py": ("--cuts", "1"),
    "bench/rigs.py": ("--data", DATA, "--rig", "greenman", "--pairs", "1"),
    "bench/scale.py": ("--data", DATA, "--frames", "3000", "--at-once", "6", "--blocks", "1"),
    "bench/slowest.py": ("--data", DATA, "tests/motion/cycles"),
    "bench/starting.py": ("--rounds", "1"),
    "bench/steering.py": ("--data", DATA, "--set", "cmu131", "--wished", "scripted", "--baked", "1"),
    "bench/verdict.py": ("--rounds", "1"),
    "bench/travel.py": ("--speed", "1"),
    "examples/batch/make_library.py": ("-o", OUT),
    "examples/cost/make_pictures.py": ("-o", OUT),
    "examples/demo/make_demo.py": ("--output", OUT),
    "examples/files/make_files.py": ("-o", OUT),
    "examples/hop/make_table.py": ("-o", OUT),
    "examples/humanoid/make_clips.py": ("--output", f"{OUT}/clips.blend", "--picture", f"{OUT}/poses.png"),
    "examples/large_library/make_parts.py": (f"{DATA}/bvh/cmu02", "-o", f"{OUT}/parts.json"),
    "examples/learned/make_pictures.py": ("-o", OUT),
    "examples/paths/make_paths.py": (OUT,),
    "tools/build_motion.py": ("--output", OUT),
    "tools/compare_outputs.py": ("--help",),
    "tools/make_reference.py": ("--check",),
    "tools/readability.py": (),
    "tools/reader_test.py": ("--seed", "1"),
}
"""What each script is told to be done soon."""
ELSEWHERE = {
    *("bench/goals.py", "bench/measures.py", "bench/seen.py", "examples/demo/picture.py", "tools/tables.py"),
    "examples/humanoid/picture.py",
    *("tools/build_extension.py", "tools/venv.py", "tools/run_scripts.py", "tools/run_documented.py"),
    *("tools/make_site.py", "tools/release.py", "tools/screenshots.py", "tools/screenshots_inside.py"),
    *("tools/texts.py", "tools/registered_rna.py", "tools/translations.py"),
    *("examples/hop/read_table.py", "examples/api/best_pairs.py", "examples/extend/gate.py"),
    "examples/extend/medley.py",
}
"""What others import, or other steps of the checks run."""
SLOW = {
    *(
        f"bench/{name}.py"
        for name in ("batch", "bench", "control_rig", "control_rigs", "costs", "displacements")
    ),
    *(
        f"bench/{name}.py"
        for name in (
            "every",
            "every_command",
            "feet",
            "fill",
            "feet_contacts",
            "half_lives",
            "hop_gains",
            "hops",
            "learned",
            "crowd",
        )
    ),
    *(
        f"bench/{name}.py"
        for name in (
            "joins",
            "long_clips",
            "loops",
            "many_bones",
            "methods",
            "paths",
            "pops",
            "rigs",
            "scale",
            "steering",
        )
    ),
    "examples/batch/make_library.py",
}
"""What takes long in its shortest form, too: with --quick these only say what they take."""
LONGEST_SECONDS = 900


def scripts() -> list[str]:
    """The scripts that there are. Exits where one of them is not known here, or known and not there."""
    found = {
        str(path.relative_to(ROOT))
        for pattern in ("bench/*.py", "examples/*/*.py", "tools/*.py")
        for path in ROOT.glob(pattern)
    }
    if odd := found ^ {*SHORTEST, *ELSEWHERE}:
        sys.exit(f"tools/run_scripts.py does not know, or knows in vain: {', '.join(sorted(odd))}")
    return sorted(SHORTEST)


def run(name: str, data: Path, *, quick: bool) -> tuple[str, int, float, str]:
    """Run a script: its name, exit code, seconds, and the end of what it said."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="inertia-script-") as out:
        told = ("--help",) if quick and name in SLOW else SHORTEST[name]
        words = [word.replace(DATA, str(data)).replace(OUT, out) for word in told]
        environment = os.environ | {"PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"}
        try:
            done = subprocess.run(
                [sys.executable, str(ROOT / name), *words],
                cwd=out,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                text=True,
                timeout=LONGEST_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return name, 124, time.monotonic() - began, f"it took more than {LONGEST_SECONDS} s"
    return name, done.returncode, time.monotonic() - began, "\n".join(done.stdout.splitlines()[-15:])


def main() -> int:
    """Run them all; 1 where one failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("INERTIA_DATA") or "../shared/data"))
    parser.add_argument(
        "--only", nargs="+", default=None, metavar="NAME", help="scripts whose path holds this"
    )
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--quick", action="store_true", help="what takes long only says what it takes")
    given = parser.parse_args()
    names = [each for each in scripts() if given.only is None or any(word in each for word in given.only)]
    if not given.data.is_dir():
        without = [name for name in names if DATA in SHORTEST[name]]
        print(f"There is no real motion in {given.data}; left out: {', '.join(without)}")
        names = [name for name in names if name not in without]
    failed = 0
    with ThreadPoolExecutor(given.jobs) as threads:
        for name, code, seconds, said in threads.map(
            lambda each: run(each, given.data.resolve(), quick=given.quick), names
        ):
            print(f"{name:40} {'ok' if code == 0 else f'FAILED ({code})':12} {seconds:5.1f} s", flush=True)
            if code != 0:
                failed += 1
                print(said)
    print(f"{len(names) - failed} scripts ran, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
