# SPDX-License-Identifier: GPL-3.0-or-later
"""From a spec's text to jobs, without Blender: what is merged, what is said, what a job is known by."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from inertia_addon.batch.jobs import requests
from inertia_addon.batch.jobs.job import Job
from inertia_addon.batch.jobs.outlines import UNREADABLE
from inertia_addon.batch.jobs.section import Request
from inertia_addon.errors import InertiaError
from inertia_addon.settings.hops import HopSettings
from inertia_addon.settings.transition import TransitionSettings
from inertia_addon.tasks.hops import HopTask, TablesTask

ROOT = Path(__file__).resolve().parents[3]
WALK = {"source": "Walk", "destination": "Run", "cut": 7}


def action(name: str, start: float = 1.0, end: float = 40.0, **more: Any) -> dict[str, Any]:
    return {
        "name": name,
        "slot": "OBRig",
        "start": start,
        "end": end,
        "is_result": False,
        "problem": "",
        **more,
    }


OUTLINE = {
    "armatures": [
        {
            "name": "Rig",
            "bones": ["Hips", "Spine", "Head"],
            "actions": [action("Walk"), action("Run", end=30.0), action("Old", is_result=True)],
        }
    ],
    "actions": ["Old", "Run", "Walk"],
    "contents": {},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("rig.blend", "a.bvh", "b.bvh", "c.glb"):
        (tmp_path / name).write_text("")
    return tmp_path


def asked_of(folder: Path, values: dict[str, Any]) -> list[Request]:
    path = folder / "spec.json"
    path.write_text(json.dumps(values, indent=1), encoding="utf-8")
    return requests.requests_of(requests.read_spec(path))


def jobs(folder: Path, values: dict[str, Any], outline: dict[str, Any] = OUTLINE) -> list[Job]:
    asked = asked_of(folder, {"files": ["rig.blend"], **values})
    expanded = requests.expand(asked, {request.inputs: outline for request in asked})
    if expanded.problems:
        raise requests.SpecError(requests.read_spec(folder / "spec.json"), expanded.problems)
    return expanded.jobs


def test_no_part_of_blender_is_needed_for_it() -> None:
    # what makes jobs imports its own when it does
    code = "import inertia_addon.batch.jobs.requests, sys; "
    code += "assert not {'bpy', 'numpy'} & set(sys.modules), sorted(sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_transition_stands_on_the_defaults(folder: Path) -> None:
    values = {
        "defaults": {"blend_frames": 20, "guard": "OFF", "keep_frames": 3},
        "formats": ["glb"],
        "transitions": [
            WALK,
            {**WALK, "cut": 9, "guard": "STRICT", "formats": ["blend", "bvh"], "name": "other"},
        ],
    }
    first, second = jobs(folder, values)
    assert (first.settings.cut, first.settings.blend_frames, first.settings.guard) == (7.0, 20.0, "OFF")
    assert (second.settings.cut, second.settings.blend_frames, second.settings.guard) == (9.0, 20.0, "STRICT")
    assert first.task.searched is None
    assert first.outputs == ("Walk_to_Run.glb",)
    assert second.outputs == ("other.blend", "other.bvh")


@pytest.mark.parametrize(
    ("defaults", "own", "method"),
    [
        ({}, {"half_life": 0.2}, "SPRING"),
        ({"method": "CUBIC"}, {"half_life": 0.2}, "SPRING"),
        ({"half_life": 0.2}, {"method": "CUBIC"}, "CUBIC"),
        ({"half_life": 0.2}, {}, "SPRING"),
        ({"method": "CUBIC"}, {"half_life": 0.2, "method": "SPRING"}, "SPRING"),
        ({"method": "cubic"}, {"half_life": 0.2, "method": "Spring"}, "SPRING"),
    ],
)
def test_a_half_life_means_the_spring(folder: Path, defaults: Any, own: Any, method: str) -> None:
    (job,) = jobs(folder, {"defaults": defaults, "transitions": [{**WALK, **own}]})
    assert job.settings.method == method


@pytest.mark.parametrize("word", ["dead-blending", "dead_blending", "DEAD-BLENDING", "Dead_Blending"])
def test_a_choice_is_the_same_job_in_whatever_form_it_is_written(folder: Path, word: str) -> None:
    usual, other = (
        jobs(
            folder,
            {"formats": [kind], "joints": joints, "transitions": [{**WALK, "cut": best, "method": one}]},
        )
        for kind, joints, best, one in (("glb", "all", "best", "DEAD_BLENDING"), ("GLB", "All", "Best", word))
    )
    assert usual == other


def test_a_transition_that_names_no_frame_is_entered_where_it_looks_best(folder: Path) -> None:
    specs: dict[str, Any] = {
        "usual": {},
        "first": {"enter_at": "first"},
        "named": {"destination_frame": 3},
        "searched": {"cut": "best"},
    }
    found = jobs(folder, {"transitions": [{**WALK, **own, "name": name} for name, own in specs.items()]})
    settings = dict(zip(specs, (job.settings for job in found), strict=True))
    assert {name: each.enter_at for name, each in settings.items()} == {
        "usual": "AUTO",
        **dict.fromkeys(("first", "named", "searched"), "FIRST"),
    }
    assert {each.go_on for each in settings.values()} == {"WHOLE_CYCLE"}
    # what earlier versions were told is what they did, and is the same job
    assert "enter_at" not in settings["named"].as_dict()
    earlier = TransitionSettings.from_dict({"source": "Walk", "destination": "Run", "cut": 7.0})
    assert earlier.enter_at == "FIRST"
    searched = found[-1].task.searched
    assert searched is not None
    assert (searched.before_seconds, searched.behind_seconds) == (0.4, 0.4)


def test_the_best_cut_and_frame_are_searched(folder: Path) -> None:
    cut = {**WALK, "cut": "best", "range": [5, 20], "keep_frames": 4, "name": "a"}
    found = jobs(
        folder,
        {
            "transitions": [
                cut,
                {**cut, "destination_frame": 3, "name": "b"},
                {**WALK, "destination_frame": "best", "name": "c"},
            ]
        },
    )
    searched = [job.task.searched for job in found]
    assert [(s.cut, s.destination_frame) for s in searched if s] == [
        (True, True),
        (True, False),
        (False, True),
    ]
    assert searched[0] is not None
    assert (searched[0].first, searched[0].last, searched[0].keep_frames) == (5, 20, 4.0)
    assert found[1].settings.destination_frame == 3.0
    assert found[2].settings.cut == 7.0


def test_the_skate_weighs_in_a_search(folder: Path) -> None:
    cut = {**WALK, "cut": "best"}
    (usual, weighed) = jobs(
        folder, {"transitions": [{**cut, "name": "a"}, {**cut, "skate_weight": 2, "name": "b"}]}
    )
    assert (usual.task.searched.skate_weight, weighed.task.searched.skate_weight) == (0.0, 2.0)
    # what counts nothing is not named, so that what was baked before is known again
    assert "skate_weight" not in usual.as_dict()["searched"]
    assert [Job.from_dict(job.as_dict()) for job in (usual, weighed)] == [usual, weighed]


def test_a_field_may_have_its_former_name(folder: Path) -> None:
    cut = {**WALK, "cut": "best"}
    former, now = (
        jobs(folder, {"transitions": [{**cut, name: 2}], "defaults": {name: 3}})
        for name in ("slide_weight", "skate_weight")
    )
    assert former == now
    assert [job.task.searched.skate_weight for job in now] == [2.0]
    with pytest.raises(requests.SpecError, match="slide_weight"):
        jobs(folder, {"transitions": [{**cut, "slide_weight": 1, "skate_weight": 2}]})


def test_a_clip_that_is_said_to_be_a_cycle_may_be_cut_in_a_later_repetition(folder: Path) -> None:
    own = {**WALK, "cut": 95, "source_cycle": "ON", "go_on": "CYCLES", "go_on_cycles": 3}
    (job,) = jobs(folder, {"transitions": [own]})
    assert (job.settings.cut, job.settings.go_on_cycles) == (95.0, 3)


def test_a_scaled_clip_has_its_own_frames(folder: Path) -> None:
    (job,) = jobs(folder, {"transitions": [{**WALK, "cut": 55, "source_scale": 1.5}]})
    assert (job.settings.cut, job.settings.source_scale) == (55.0, 1.5)


def test_a_state_machine_has_all_edges_or_those_it_names(folder: Path) -> None:
    machine = {"clips": "all", "blend_frames": 8}
    found = jobs(folder, {"state_machines": [machine]})
    # a result is no clip
    assert [job.outputs for job in found] == [("Walk_to_Run.blend",), ("Run_to_Walk.blend",)]
    assert all(
        job.task.searched and job.task.searched.cut and job.settings.blend_frames == 8.0 for job in found
    )
    edges = [["Run", "Walk"], {"source": "Walk", "destination": "Run", "blend_frames": 3}]
    found = jobs(folder, {"state_machines": [{"clips": ["Walk", "Run"], "edges": edges}]})
    assert [job.settings.source for job in found] == ["Run", "Walk"]
    assert [job.settings.blend_frames for job in found] == [None, 3.0]


HOP = {"source": "Walk", "destination": "Run", "trigger": 7}


def test_a_hop_is_a_job_for_each_trigger(folder: Path) -> None:
    values = {
        "defaults": {"blend_frames": 20, "guard": "OFF", "cycles": ["Walk"], "destination_frame": "best"},
        "formats": ["glb"],
        "name": "of transitions",
        "hops": [
            {**HOP, "trigger": [7, 9], "distance": "DISPLACEMENT"},
            {**HOP, "half_life": 0.2, "rank": 2, "name": "{file}_{trigger}_{rank}"},
            {**HOP, "half_life": 0.2, "blend_frames": [8, 20], "name": "both", "destination_frame": 3},
        ],
    }
    first, second, spring, both = jobs(folder, values)
    assert all(isinstance(job.task, HopTask) for job in (first, second, spring, both))
    assert [job.outputs for job in (first, second, spring)] == [
        ("Walk_to_Run_hop_7.glb",),
        ("Walk_to_Run_hop_9.glb",),
        ("rig_7_2.glb",),
    ]
    assert first.settings == HopSettings(
        TransitionSettings("Walk", "Run", 7.0, blend_frames=20.0, guard="OFF"),
        cycles=("Walk",),
        blends=(20,),
        distance="DISPLACEMENT",
    )
    assert (spring.settings.transition.method, spring.settings.blends, spring.task.rank) == ("SPRING", (), 2)
    assert (both.settings.blends, both.settings.transition.destination_frame) == ((8, 20), 3.0)


def test_an_end_that_is_linked_may_be_a_cycle(folder: Path) -> None:
    hop = {**HOP, "source_library": "//lib.blend", "clips": ["Old"], "cycles": ["Walk"]}
    (job,) = jobs(folder, {"hops": [hop]})
    assert job.settings.cycles == ("Walk",)


def test_a_table_is_of_a_pair_or_of_all_pairs(folder: Path) -> None:
    values = {
        "formats": ["glb"],
        "defaults": {"guard": "OFF"},
        "hop_tables": [
            {"source": "Walk", "destination": "Run", "longest_stay": 5},
            {"all_pairs": "all", "formats": ["json", "npz"]},
            {"all_pairs": ["Run", "Walk"], "name": "mine"},
        ],
    }
    pair, everything, some = jobs(folder, values)
    assert all(isinstance(job.task, TablesTask) for job in (pair, everything, some))
    assert [job.outputs for job in (pair, everything, some)] == [
        ("Walk_to_Run_hops.npz",),
        ("hops.json", "hops.npz"),
        ("mine.npz",),
    ]
    assert (pair.settings.longest_stay, pair.task.all_pairs) == (5, ())
    # a result is no clip; and how a hop would be baked is nothing to a table
    assert everything.task.all_pairs == ("Walk", "Run")
    assert some.task.all_pairs == ("Run", "Walk")
    assert pair.settings.transition.guard == TransitionSettings("a", "b", 0.0).guard


@pytest.mark.parametrize(
    "values",
    [
        {"hops": [{**HOP, "clips": ["Walk"], "blend_frames": [3, 4], "weights": {"Hips": 2}, "rank": 3}]},
        {"hop_tables": [{"all_pairs": ["Walk", "Run"], "cycles": ["Run"], "wait_weight": 0}]},
        {"hop_tables": [{"source": "Walk", "destination": "Run", "seed": 4}]},
    ],
)
def test_jobs_of_hops_survive_as_json(folder: Path, values: dict[str, Any]) -> None:
    (job,) = jobs(folder, values)
    again = Job.from_dict(json.loads(json.dumps(job.as_dict())))
    assert again == job
    assert again.identity("x") == job.identity("x")


def test_patterns_and_each_file(folder: Path) -> None:
    (together,) = asked_of(folder, {"files": ["*.bvh"], "transitions": [WALK]})
    assert [Path(file).name for file in together.inputs.files] == ["a.bvh", "b.bvh"]
    single = asked_of(folder, {"files": ["?.bvh", "c.glb"], "each_file": True, "transitions": [WALK]})
    assert [request.inputs.name for request in single] == ["a", "b", "c"]
    expanded = requests.expand(single, {request.inputs: OUTLINE for request in single})
    assert [job.outputs[0] for job in expanded.jobs] == [f"{name}_Walk_to_Run.blend" for name in "abc"]


def test_a_job_survives_as_json(folder: Path) -> None:
    (job,) = jobs(
        folder, {"transitions": [{**WALK, "cut": "best", "weights": {"Hips": 2}, "bones": ["Head"]}]}
    )
    again = Job.from_dict(json.loads(json.dumps(job.as_dict())))
    assert again == job
    assert again.identity("x") == job.identity("x")


def test_a_job_is_known_by_recipe_and_contents_and_not_by_place(folder: Path) -> None:
    values = {"transitions": [WALK]}
    (job,) = jobs(folder, values)
    (folder / "sub").mkdir()
    (folder / "sub" / "rig.blend").write_text("")
    (moved,) = jobs(folder, {"transitions": [{**WALK, "files": ["sub/rig.blend"]}]})
    (other,) = jobs(folder, {"transitions": [{**WALK, "guard_angle": 21}]})
    # the same said otherwise
    (same,) = jobs(
        folder, {"defaults": {"cut": 7.0}, "transitions": [{"destination": "Run", "source": "Walk"}]}
    )
    assert job.identity("x") == moved.identity("x") == same.identity("x")
    assert len({job.identity("x"), job.identity("y"), other.identity("x")}) == 3


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({}, "transitions: found nothing; allowed: at least one transition, state machine, hop, table"),
        (
            {"files": ["rg.blend"]},
            'files[0]: found "rg.blend"; allowed: files that exist, from the spec\'s folder. '
            'Did you mean "rig.blend"?',
        ),
        ({"files": ["*.fbx"]}, 'files[0]: found "*.fbx"'),
        ({"files": ["spec.json"]}, "files of .blend, .bvh"),
        (
            {"files": ["a.bvh", "c.glb"]},
            "files: found 2 files; allowed: one file, several files of one skeleton",
        ),
        ({"scale": 2}, "scale: found 2; allowed: it for .bvh and .fbx files only"),
        (
            {"fps": 24},
            "fps: found 24; allowed: it for .glb, .gltf, .vrm, .vrma, .usd, .usda, .usdc and .usdz files "
            "only",
        ),
        (
            {"transitions": [{"source": "Walk", "destination": "Run"}]},
            'transitions[0].cut: found nothing; allowed: a frame, or "best"',
        ),
        (
            {"transitions": [{**WALK, "source": "Wlk"}]},
            'transitions[0].source: found "Wlk"; allowed: the actions "Walk", "Run", "Old". '
            'Did you mean "Walk"?',
        ),
        (
            {"transitions": [{**WALK, "armature": "Rg"}]},
            'transitions[0].armature: found "Rg"; allowed: the armatures "Rig". Did you mean "Rig"?',
        ),
        (
            {"transitions": [{**WALK, "cut": 41}]},
            'transitions[0].cut: found 41; allowed: a frame of "Walk", 1 to 40, or extrapolate = true',
        ),
        (
            {"transitions": [{**WALK, "destination_frame": 0}]},
            'transitions[0].destination_frame: found 0; allowed: a frame of "Run", 1 to 30',
        ),
        (
            {"transitions": [{**WALK, "cut": "best", "range": [50, 60]}]},
            "transitions[0].range: found 50 to 60",
        ),
        ({"transitions": [{**WALK, "range": [9, 3]}]}, "the first frame before the last"),
        (
            {"transitions": [{**WALK, "root": "Hip"}]},
            'transitions[0].root: found "Hip"; allowed: the bones "Hips"',
        ),
        ({"transitions": [{**WALK, "bones": ["Hed"]}]}, 'Did you mean "Head"?'),
        (
            {"paths": [{"curve": "Street", "strips": True, "formats": ["blend", "glb"]}]},
            "Only a .blend file holds strips of the NLA",
        ),
        ({"transitions": [{**WALK, "blend_scales": {"Hed": 1}}]}, 'transitions[0].blend_scales: found "Hed"'),
        ({"transitions": [{**WALK, "weights": {"Hed": 1}}]}, 'transitions[0].weights: found "Hed"'),
        ({"transitions": [{**WALK, "weights": {"Head": 0}}]}, "at least one weight above zero"),
        (
            {"transitions": [{**WALK, "half_life": 1, "method": "CUBIC"}]},
            "transitions[0].half_life: found it with cubic; allowed: half_life with spring",
        ),
        (
            {"transitions": [{**WALK, "half_life": 1, "blend_frames": 3}]},
            "transitions[0].blend_frames: found it with spring",
        ),
        (
            {"transitions": [{**WALK, "method": "spring", "blend_frames": 3}]},
            "transitions[0].blend_frames: found it with spring",
        ),
        (
            {"transitions": [WALK, WALK]},
            'transitions[1].name: found "Walk_to_Run.blend", which transitions[0]',
        ),
        (
            {"transitions": [{**WALK, "name": "A"}, {**WALK, "name": "a"}]},
            'transitions[1].name: found "a.blend"',
        ),
        (
            {"transitions": [{**WALK, "name": "{frame}"}]},
            "a name with no braces but {file}, {source}, {destination}, {cut}",
        ),
        ({"transitions": [{**WALK, "name": "a/b"}]}, "a file name without folders"),
        (
            {"hops": [{**HOP, "trigger": [7, 41]}]},
            'hops[0].trigger: found 41; allowed: a frame of "Walk", 1 to 40',
        ),
        ({"hops": [{**HOP, "destination_frame": 0}]}, "hops[0].destination_frame: found 0; allowed: a frame"),
        ({"hops": [{**HOP, "source": "Wlk"}]}, 'hops[0].source: found "Wlk"'),
        ({"hops": [{**HOP, "clips": ["Wlk"]}]}, 'hops[0].clips: found "Wlk"'),
        ({"hops": [{**HOP, "cycles": ["Wlk"]}]}, 'hops[0].cycles: found "Wlk"'),
        (
            {"hops": [{**HOP, "clips": ["Run"], "cycles": ["Old"]}]},
            'hops[0].cycles: found "Old"; allowed: the clips "Run", "Walk"',
        ),
        ({"hops": [{**HOP, "weights": {"Hed": 1}}]}, 'hops[0].weights: found "Hed"'),
        ({"hops": [{**HOP, "root": "Hip"}]}, 'hops[0].root: found "Hip"'),
        ({"hops": [{**HOP, "half_life": 1, "method": "CUBIC"}]}, "hops[0].half_life: found it with cubic"),
        ({"hops": [{**HOP, "name": "{cut}"}]}, "{trigger}, {rank}"),
        ({"hops": [HOP, {**HOP, "rank": 2}]}, 'hops[1].name: found "Walk_to_Run_hop_7.blend"'),
        (
            {"defaults": {"blend_frames": 12.5}, "hops": [HOP]},
            "hops[0].blend_frames: found 12.5; allowed: whole numbers of frames for hops",
        ),
        ({"hop_tables": [{"source": "Walk"}]}, "hop_tables[0].destination: found nothing; allowed: a dest"),
        ({"hop_tables": [{"all_pairs": "all", "source": "Walk"}]}, "hop_tables[0].source: found it with all"),
        ({"hop_tables": [{"all_pairs": ["Walk", "Rn"]}]}, 'hop_tables[0].all_pairs: found "Rn"'),
        (
            {"hop_tables": [{"all_pairs": "all", "name": "{source}"}]},
            'hop_tables[0].name: found "{source}"; allowed: a name with no braces but {file}',
        ),
        (
            {"state_machines": [{"clips": ["Walk", "Rn"]}]},
            'found "Rn"; allowed: the actions "Run", "Walk", "Old". Did you mean "Run"?',
        ),
        (
            {"state_machines": [{"clips": ["Walk", "Run"], "edges": [["Walk", "Old"]]}]},
            'state_machines[0].edges[0]: found "Old"; allowed: the machine\'s clips',
        ),
    ],
)
def test_a_spec_that_does_not_fit_says_so(folder: Path, values: dict[str, Any], said: str) -> None:
    whole = (
        values if set(requests.SECTIONS) & set(values) or not values else {**values, "transitions": [WALK]}
    )
    with pytest.raises(requests.SpecError) as caught:
        jobs(folder, whole)
    assert said in str(caught.value)


def test_a_spec_with_many_faults_says_the_first(folder: Path) -> None:
    for each in (
        {**WALK, "cut": "bst", "gaurd": "OFF"},
        {**WALK, "files": ["none.blend"]},
        {**WALK, "source": "Wlk"},
    ):
        with pytest.raises(requests.SpecError) as caught:
            jobs(folder, {"files": ["rig.blend"], "transitions": [each] * (3 * requests.MOST_FAULTS)})
        assert caught.value.may_have_more
        assert len(caught.value.sentences) == requests.MOST_FAULTS
        assert caught.value.sentences[0].startswith("spec.json: transitions[0].")


def test_a_name_that_no_disk_takes_is_a_fault(folder: Path) -> None:
    for name, count in (("n" * 250, 256), ("ü" * 130, 266)):
        with pytest.raises(requests.SpecError) as caught:
            jobs(folder, {"files": ["rig.blend"], "transitions": [{**WALK, "name": name}]})
        assert f"of {count} bytes; allowed: 255 bytes at most" in str(caught.value)
    assert len(jobs(folder, {"files": ["rig.blend"], "transitions": [{**WALK, "name": "n" * 249}]})) == 1


def test_a_file_of_points_is_known_by_what_it_holds_and_not_by_where_it_is(folder: Path) -> None:
    spec = {"files": ["rig.blend"], "paths": [{"points": "street.csv", "actions": ["Walk"]}]}
    with pytest.raises(requests.SpecError, match=r"street\.csv"):
        jobs(folder, spec)
    known = []
    for place, text in (("", "0,0\n1,0\n"), ("", "0,0\n2,0\n"), ("beside", "0,0\n1,0\n")):
        (folder / place).mkdir(exist_ok=True)
        (folder / place / "street.csv").write_text(text)
        spec["paths"][0]["points"] = str(Path(place) / "street.csv")
        (job,) = jobs(folder, spec)
        assert Path(job.settings.points).is_absolute()
        assert job.outputs == ("along_street.blend",)
        known.append(job.identity("0"))
    assert known[0] == known[2] != known[1]


def test_faults_come_in_the_spec_s_order_and_with_their_paths(folder: Path) -> None:
    wrong = {
        "state_machines": [{"clips": ["Walk", "Run"], "edges": [["Old", "Run"]], "bones": ["Hed"]}],
        "transitions": [
            {**WALK, "root": "Hip", "source": "Wlk"},
            {"source": "Walk", "destination": "Run", "name": "b"},
            {**WALK, "cut": 99, "name": "c"},
        ],
    }
    with pytest.raises(requests.SpecError) as caught:
        jobs(folder, wrong)
    paths = [
        *("state_machines[0].edges[0]", "state_machines[0].edges[0].bones"),
        *("transitions[0].source", "transitions[0].root", "transitions[1].cut", "transitions[2].cut"),
    ]
    assert [detail["path"] for detail in caught.value.details] == paths
    for path, sentence in zip(paths, caught.value.sentences, strict=True):
        assert sentence.startswith(f"spec.json: {path}: found ")


def test_tables_of_a_toml_text_come_in_its_order(folder: Path) -> None:
    text = """
[defaults]
gaurd = "OFF"
[[transitions]]
source = "Walk"
blend_scales.Hand = -1
cut = "bst"
[[transitions]]
source = '''
cut = 1
'''
destination = ""
[[state_machines]]
clips = "al"
[[state_machines.edges]]
source = "A"
"""
    (folder / "spec.toml").write_text(text)
    with pytest.raises(requests.SpecError) as caught:
        requests.requests_of(requests.read_spec(folder / "spec.toml"))
    assert [detail["path"] for detail in caught.value.details] == [
        "defaults.gaurd",
        *("transitions[0].destination", "transitions[0].blend_scales.Hand", "transitions[0].cut"),
        *("transitions[1].destination", "state_machines[0].clips", "state_machines[0].edges[0].destination"),
    ]


def test_a_file_that_cannot_be_read_is_no_fault_of_the_spec(folder: Path) -> None:
    damaged = {UNREADABLE: "It is damaged."}
    assert len(jobs(folder, {"transitions": [WALK]}, damaged)) == 1
    values = {"state_machines": [{"clips": "all"}], "hop_tables": [{"all_pairs": "all"}], "hops": [HOP]}
    asked = asked_of(folder, {"files": ["rig.blend"], **values})
    expanded = requests.expand(asked, {request.inputs: damaged for request in asked})
    # nobody knows which jobs these would be
    assert [request.path for request in expanded.lost] == [("state_machines", 0), ("hop_tables", 0)]
    assert [job.where for job in expanded.jobs] == ["hops[0]"]
    assert expanded.problems == []


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("spec.yaml", "", "is no kind of spec"),
        ("spec.toml", "files = [", "spec.toml: this is no TOML: "),
        ("spec.toml", "a = 1\na = 2\n", "line 2"),
        ("spec.json", '{\n"files": [}', "spec.json, line 2: this is no JSON"),
        ("spec.json", '{"files": 1, "files": 2}', 'the field "files" twice'),
        ("spec.json", "[]", "a spec is a table of fields"),
        ("spec.json", "[" * 100_000, "too deep"),
        ("spec.toml", ".".join(["a"] * 200_000) + " = 1", "too deep"),
        ("spec.toml", "[" + " . ".join(["a"] * 200_000) + "]", "too deep"),
        ("spec.toml", '{"a\\"]=,"' + '."]=,"' * 200_000 + " = 1}", "too deep"),
        ("spec.toml", "a = { " + "'\"'." * 200_000 + "b = 1 }", "too deep"),
        ("spec.toml", '"\\"' * 200_000, "this is no TOML"),
        ("spec.json", b"\xff\xfe\x00", "not written in UTF-8"),
    ],
)
def test_a_text_that_is_no_spec_is_said(tmp_path: Path, name: str, text: str | bytes, said: str) -> None:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InertiaError) as caught:
        requests.read_spec(path)
    assert said in str(caught.value)


def test_dots_of_texts_and_numbers_are_no_parts_of_names(tmp_path: Path) -> None:
    dots = "." * 500
    # of five quotes at the end two belong to the text
    long = '"""' + dots + '\n\\"' + dots + '"""""'
    text = f"# {dots}\nfiles = [\"{dots}\", '{dots}', {long}] # {dots}\nnumbers = [{'0.5, ' * 500}]\n"
    (tmp_path / "spec.toml").write_text(text)
    assert len(requests.read_spec(tmp_path / "spec.toml").values["files"]) == 3
