# SPDX-License-Identifier: GPL-3.0-or-later
"""The command ``bake``: exit codes, messages, what is written and what is not."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.batch.library_files import cut_bvh
from tests.batch.small_rig import Run, make_rig

Inertia = Callable[..., Run]
WALK_TO_RUN = ("--source", "Walk", "--destination", "Run", "--cut", 20, "--enter-at", "first")
"""Where it is entered is no matter here, and takes as long as all else to find."""
KINDS = (".blend", ".glb", ".gltf", ".fbx", ".bvh")


def leftovers(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("kind", KINDS)
def test_bake_writes_every_kind_of_file(inertia: Inertia, rig_file: Path, tmp_path: Path, kind: str) -> None:
    done = inertia("bake", rig_file, *WALK_TO_RUN, "-o", tmp_path / f"out{kind}")
    assert (done.code, done.out) == (0, "")
    baked, judged = done.err.splitlines()
    assert baked.startswith('inertia: "Walk to Run" runs from frame 1 to 4')
    assert judged.partition(": ")[2].startswith(("Good: ", "Fair: ", "Poor: "))
    companions = ["out.bin"] if kind == ".gltf" else []
    assert leftovers(tmp_path) == sorted([*companions, f"out{kind}", "rig.blend"])
    shown = inertia("info", tmp_path / f"out{kind}", "--json")
    assert shown.code == 0
    assert shown.json["armatures"][0]["bones"] == 3


def test_a_blend_keeps_everything(inertia: Inertia, rig_file: Path, tmp_path: Path) -> None:
    before = rig_file.read_bytes()
    assert inertia("bake", rig_file, *WALK_TO_RUN, "-o", tmp_path / "out.blend").code == 0
    assert rig_file.read_bytes() == before
    (armature,) = inertia("info", tmp_path / "out.blend", "--json").json["armatures"]
    assert [(a["name"], a["assigned"]) for a in armature["actions"]] == [
        ("Run", False),
        ("Walk", False),
        ("Walk to Run", True),
    ]


def test_strips_are_kept_in_a_blend_alone(inertia: Inertia, rig_file: Path, tmp_path: Path) -> None:
    words = ("bake", rig_file, *WALK_TO_RUN, "--strips", "-o")
    refused = inertia(*words, tmp_path / "out.glb")
    assert refused.code == 2
    assert "Only a .blend file holds strips" in refused.err
    assert inertia(*words, tmp_path / "out.blend").code == 0
    (armature,) = inertia("info", tmp_path / "out.blend", "--json").json["armatures"]
    assert not any(action["assigned"] for action in armature["actions"])


def test_the_input_may_be_the_output(inertia: Inertia, rig_file: Path, tmp_path: Path) -> None:
    assert inertia("bake", rig_file, *WALK_TO_RUN, "-o", rig_file).code == 0
    assert leftovers(tmp_path) == ["rig.blend"]
    (armature,) = inertia("info", rig_file, "--json").json["armatures"]
    assert len(armature["actions"]) == 3


def test_json_and_report_say_the_same(inertia: Inertia, rig_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.glb"
    done = inertia("bake", rig_file, *WALK_TO_RUN, "-o", out, "--report", tmp_path / "report.json", "--json")
    assert done.code == 0
    values = done.json
    assert values == json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert values["output"] == str(out)
    assert values["result"] == "Walk to Run"
    # 0.4 s at 24 frames a second, to the next whole frame
    assert values["window"] == [20.0, 30.0]
    assert values["settings"]["source"] == "Walk"


def test_settings_of_the_command_arrive_in_the_recipe(
    inertia: Inertia, rig_file: Path, tmp_path: Path
) -> None:
    words = ("--half-life", 0.2, "--bones", "Spine", "Head", "--blend-scale", "Head=2", "--result", "New")
    done = inertia(
        "bake", rig_file, *WALK_TO_RUN, *words, "--no-assign", "-o", tmp_path / "o.blend", "--json"
    )
    values = done.json
    assert (values["result"], values["assigned"]) == ("New", False)
    assert values["settings"]["method"] == "SPRING"
    assert values["settings"]["bones"] == ["Spine", "Head"]
    assert values["settings"]["blend_scales"] == {"Head": 2.0}


def test_a_result_that_is_not_assigned_is_exported(inertia: Inertia, rig_file: Path, tmp_path: Path) -> None:
    for name, more in (("a.bvh", ()), ("b.bvh", ("--no-assign",))):
        assert inertia("bake", rig_file, *WALK_TO_RUN, *more, "-o", tmp_path / name).code == 0
    assert (tmp_path / "a.bvh").read_text() == (tmp_path / "b.bvh").read_text()


def test_names_may_differ_in_case(inertia: Inertia, rig_file: Path, tmp_path: Path) -> None:
    words = ("--source", "WALK", "--destination", "run", "--cut", 20, "--armature", "rig")
    done = inertia("bake", rig_file, *words, "-o", tmp_path / "out.blend", "--json")
    assert (done.json["settings"]["source"], done.json["settings"]["destination"]) == ("Walk", "Run")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"--source": "Wolk"}, 'There is no action "Wolk"; the file has "Walk", "Run".'),
        ({"--armature": "Nobody"}, 'There is no armature "Nobody"; the file has "Rig".'),
        ({"--cut": "99"}, "The cut 99 lies outside"),
        ({"--bones": "Tail"}, 'has no bone "Tail"'),
        ({"--blend-scale": "Tail=2"}, 'has no bone "Tail"'),
        ({"--root": "Tail"}, 'has no bone "Tail"'),
    ],
)
def test_bake_that_cannot_be_done_is_one_sentence(
    inertia: Inertia, rig_file: Path, tmp_path: Path, change: dict[str, str], said: str
) -> None:
    words = {"--source": "Walk", "--destination": "Run", "--cut": "20", **change}
    flat = [word for pair in words.items() for word in pair]
    done = inertia("bake", rig_file, *flat, "-o", tmp_path / "out.blend", "--json")
    assert done.code == 1
    assert said in done.err
    assert done.err.startswith("inertia: ")
    assert done.err.count("\n") == 1
    assert done.err == f"inertia: {done.json['error']}\n"
    assert leftovers(tmp_path) == ["rig.blend"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["bake"], "required: --destination"),
        (["bake", "x.blend", "--destination", "Run", "-o", "out.blend"], "required: --source, --cut"),
        (["mix"], "invalid choice: 'mix'"),
        ([], "required: COMMAND"),
        (["bake", "x.blend", *map(str, WALK_TO_RUN), "-o", "out.txt"], "-o takes a name that ends in .blend"),
        (["bake", *map(str, WALK_TO_RUN), "-o", "out.blend"], "Give a FILE to read."),
    ],
)
def test_bake_ends_with_2_for_wrong_usage(
    inertia: Inertia, fresh_file: None, words: list[str], said: str
) -> None:
    done = inertia(*words)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert done.err.startswith("inertia: ")
    assert done.err.count("\n") == 1


@pytest.mark.parametrize("words", [["--help"], ["bake", "--help"], ["info", "-h"]])
def test_help_is_0(inertia: Inertia, words: list[str]) -> None:
    done = inertia(*words)
    assert done.code == 0
    assert done.out.startswith("usage: inertia")


def test_the_open_file_is_used_when_none_is_given(inertia: Inertia, rig_file: Path, tmp_path: Path) -> None:
    import bpy

    bpy.ops.wm.open_mainfile(filepath=str(rig_file))
    done = inertia("bake", *WALK_TO_RUN, "-o", tmp_path / "out.blend", "--json")
    assert done.code == 0
    assert done.json["file"] == str(rig_file)


def test_armatures_need_a_name_where_there_are_several(
    inertia: Inertia, fresh_file: None, tmp_path: Path
) -> None:
    import bpy

    make_rig("A")
    make_rig("B")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "two.blend"))
    done = inertia("bake", tmp_path / "two.blend", *WALK_TO_RUN, "-o", tmp_path / "out.blend")
    assert (done.code, done.err) == (
        1,
        'inertia: The file has several armatures; choose one with --armature: "A", "B".\n',
    )


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("none.blend", None, "There is no file"),
        ("bad.blend", b"no blend", '"bad.blend" could not be opened: '),
        ("bad.bvh", b"no bvh", "does not begin with HIERARCHY"),
        ("cut.bvh", b"HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\n", "has no motion"),
        ("bad.glb", b"no glb", "is not a glTF file, or it is damaged"),
        ("bad.gltf", b'{"asset": 3', "is not a glTF file, or it is damaged"),
        ("short.glb", b"glTF\2\0\0\0\xff\0\0\0", "is cut off"),
        ("bad.fbx", b"no fbx", "is not an FBX file"),
        ("text.fbx", b"; FBX 7.3.0 project file", "the text kind"),
        ("half.fbx", b"Kaydara FBX Binary  \0\x1a\0\xe8\x1c\0\0", '"half.fbx" could not be read: '),
        ("some.txt", b"text", "is not a kind of file that Inertia reads"),
    ],
)
def test_a_file_that_cannot_be_read(
    inertia: Inertia, fresh_file: None, tmp_path: Path, name: str, content: bytes | None, said: str
) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    for words in (["info", path], ["bake", path, *WALK_TO_RUN, "-o", tmp_path / "out.blend"]):
        done = inertia(*words)
        assert (done.code, done.out) == (1, "")
        assert said in done.err
        assert done.err.count("\n") == 1
    assert leftovers(tmp_path) == ([name] if content is not None else [])


def test_an_output_that_cannot_be_written(
    inertia: Inertia, rig_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "folder.glb").mkdir()
    for out, said in (
        (tmp_path / "folder.glb", "is a folder"),
        (tmp_path / "nowhere" / "out.glb", "There is no folder"),
        (rig_file / "out.glb", "There is no folder"),
    ):
        done = inertia("bake", rig_file, *WALK_TO_RUN, "-o", out)
        assert done.code == 1
        assert said in done.err
        done = inertia("bake", rig_file, *WALK_TO_RUN, "-o", tmp_path / "o.glb", "--report", out)
        assert done.code == 1
        assert said in done.err
    monkeypatch.setattr(os, "access", lambda *_: False)
    done = inertia("bake", rig_file, *WALK_TO_RUN, "-o", tmp_path / "o.glb")
    assert done.code == 1
    assert "choose another" in done.err
    assert leftovers(tmp_path) == ["folder.glb", "rig.blend"]


@pytest.mark.variants(3)
@pytest.mark.parametrize("kind", KINDS)
def test_a_failing_export_leaves_the_old_file(
    inertia: Inertia, rig_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    from inertia_addon.blender.files import exporting
    from inertia_addon.errors import InertiaError

    def fail(path: Path) -> None:
        path.write_bytes(b"half a file")
        raise InertiaError("The disk is full.")

    monkeypatch.setattr(exporting, "call", lambda _operator, path, _verb, **_: fail(path))
    monkeypatch.setattr(exporting.bvh, "write", lambda path, *_: fail(path))
    out = tmp_path / f"out{kind}"
    out.write_bytes(b"old")
    done = inertia("bake", rig_file, *WALK_TO_RUN, "-o", out, "--report", tmp_path / "report.json")
    assert (done.code, done.err) == (1, "inertia: The disk is full.\n")
    assert out.read_bytes() == b"old"
    assert leftovers(tmp_path) == sorted([out.name, "rig.blend"])


@pytest.mark.data
@pytest.mark.variants(1)
@pytest.mark.parametrize("kind", [".blend", ".bvh"])
def test_bvh_files_become_one_armature(
    inertia: Inertia, fresh_file: None, data_dir: Path, tmp_path: Path, kind: str
) -> None:
    takes = [data_dir / "bvh" / "cmu127" / f"cmu127_{name}.bvh" for name in ("03_run", "06_run", "07_run")]
    takes = [cut_bvh(take, tmp_path, frames=40) for take in takes]
    words = ("--source", "cmu127_03_run", "--destination", "cmu127_07_run", "--cut", 20, "--scale", 0.01)
    # where it is entered is no matter here
    words += ("--enter-at", "first")
    done = inertia("bake", *takes, *words, "-o", tmp_path / f"out{kind}", "--json")
    assert done.code == 0, done.err
    values = done.json
    assert values["fps"] == 120.0
    assert values["alignment"] == "POSITION_HEADING"
    assert values["files"] == [str(path) for path in takes]
    found = inertia("info", tmp_path / f"out{kind}", "--json").json
    assert found["fps"] == 120.0
    (armature,) = found["armatures"]
    assert armature["bones"] == 31
    names = [action["name"] for action in armature["actions"]]
    expected = [*(path.stem for path in takes), values["result"]] if kind == ".blend" else ["out"]
    assert sorted(names) == sorted(expected)
    slots = {slot["identifier"] for action in armature["actions"] for slot in action["slots"]}
    assert slots <= {"", "OBcmu127_03_run", "OBSlot", "OBout"}


@pytest.mark.variants(1)
@pytest.mark.parametrize("kind", KINDS)
def test_a_linked_character(
    inertia: Inertia, fresh_file: None, rig_file: Path, tmp_path: Path, kind: str
) -> None:
    import bpy

    with bpy.data.libraries.load(str(rig_file), link=True) as (_, wanted):
        wanted.objects, wanted.actions = ["Rig"], ["Walk", "Run"]
    scene = bpy.context.scene
    scene.collection.objects.link(bpy.data.objects["Rig"])
    # a linked action is saved only where something uses it
    scene["walk"], scene["run"] = bpy.data.actions["Walk"], bpy.data.actions["Run"]
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"), relative_remap=True)
    (tmp_path / "out").mkdir()
    out = tmp_path / "out" / f"out{kind}"
    done = inertia("bake", tmp_path / "scene.blend", *WALK_TO_RUN, "-o", out)
    assert done.code == 0
    assert 'note: "Rig" is linked from another file, so the result was not assigned' in done.err
    (armature,) = inertia("info", out, "--json").json["armatures"]
    # the .blend in another folder still finds what it is linked from
    assert len(armature["actions"]) == (3 if kind == ".blend" else 1)


def test_a_jump_is_smoothed_from_a_shell(inertia: Inertia, rig_file: Path, tmp_path: Path) -> None:
    import bpy

    from inertia_addon.blender.data import compat

    bpy.ops.wm.open_mainfile(filepath=str(rig_file))
    walk = bpy.data.actions["Walk"]
    for curve in compat.curves(walk, compat.slots(walk)[0].identifier):
        for frame in range(1, 41):
            curve.keyframe_points.insert(frame, curve.evaluate(frame))
        for point in curve.keyframe_points:
            point.co.y += 0.7 * (point.co.x >= 15.0)
        curve.update()
    path = tmp_path / "jumps.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    words = ("--source", "Walk", "--destination", "Walk", "--smooth-jump", "--cut")
    done = inertia("bake", path, *words, 15, "-o", tmp_path / "out.blend", "--json")
    assert done.code == 0, done.err
    assert (done.json["result"], done.json["window"][0]) == ("Walk smoothed", 14.0)
    done = inertia("bake", path, *words, 8, "-o", tmp_path / "none.blend")
    assert (done.code, (tmp_path / "none.blend").exists()) == (1, False)
    assert 'Nothing in "Walk" jumps at frame 8' in done.err


def test_a_pose_is_the_source(inertia: Inertia, rig_file: Path, tmp_path: Path) -> None:
    words = ("--destination", "Run", "-o", tmp_path / "out.blend", "--json")
    done = inertia("bake", rig_file, "--from-pose", "motion", "--cut", 12, *words)
    assert done.code == 0, done.err
    assert (done.json["settings"]["source"], done.json["settings"]["cut"]) == ("Rig Pose", 12.0)
    assert done.json["frame_range"][0] == 11.0
    done = inertia("bake", rig_file, "--from-pose", "rest", *words)
    assert done.code == 0, done.err
    for wrong in (("--from-pose", "rest", "--source", "Walk"), ("--cut", 3)):
        assert inertia("bake", rig_file, *wrong, *words).code == 2


@pytest.mark.data
def test_takes_of_other_people_are_refused_and_of_other_rates_taken(
    inertia: Inertia, fresh_file: None, data_dir: Path, tmp_path: Path
) -> None:
    folder = data_dir / "bvh"
    one, other = (
        cut_bvh(folder / name, tmp_path, frames=30)
        for name in ("cmu127/cmu127_06_run.bvh", "cmu02/cmu02_01_walk.bvh")
    )
    done = inertia("info", one, other)
    assert done.code == 1
    assert '"cmu02_01_walk.bvh" has another skeleton than "cmu127_06_run.bvh": bones ' in done.err
    assert "have another rest pose" in done.err
    slow = tmp_path / "slow.bvh"
    text = one.read_text()
    (line,) = [line for line in text.splitlines() if line.startswith("Frame Time:")]
    slow.write_text(text.replace(line, "Frame Time: 0.0333333"))
    done = inertia("info", one, slow, "--json")
    assert done.code == 0
    (armature,) = done.json["armatures"]
    seconds = {action["name"]: action["seconds"] for action in armature["actions"]}
    assert done.json["fps"] == pytest.approx(120.0, rel=1e-4)
    assert seconds["slow"] == pytest.approx(4.0 * seconds["cmu127_06_run"], rel=1e-4)


@pytest.mark.data
@pytest.mark.variants(1)
@pytest.mark.parametrize(
    ("file", "source", "destination", "cut", "fps"),
    [
        ("glb/Fox.glb", "Walk", "Run", 10, 24.0),
        ("glb/RobotExpressive.glb", "Walking", "running", 10, 24.0),
        ("fbx/pab_locomotions.fbx", "walk", "run", 20, 30.0),
    ],
)
def test_real_characters_are_baked(
    inertia: Inertia,
    fresh_file: None,
    data_dir: Path,
    tmp_path: Path,
    file: str,
    source: str,
    destination: str,
    cut: float,
    fps: float,
) -> None:
    words = ("--source", source, "--destination", destination, "--cut", cut, "--enter-at", "first", "--json")
    done = inertia("bake", data_dir / file, *words, "-o", tmp_path / "out.blend")
    assert done.code == 0, done.err
    values = done.json
    assert values["fps"] == fps
    assert source in values["settings"]["source"]
    (armature,) = inertia("info", tmp_path / "out.blend", "--json").json["armatures"]
    assert [a["name"] for a in armature["actions"] if a["assigned"]] == [values["result"]]


def test_a_cycle_goes_on_and_is_cut_in_a_later_repetition(
    inertia: Inertia, rig_file: Path, tmp_path: Path
) -> None:
    words = ("bake", rig_file, "--source", "Walk", "--destination", "Run", "--cut", 50, "--json")
    refused = inertia(*words, "-o", tmp_path / "out.blend")
    assert refused.code == 1
    cycles = ("--source-cycle", "on", "--destination-cycle", "on", "--go-on", "cycles", "--go-on-cycles", 2)
    cycles = (*cycles, "--enter-at", "first")
    done = inertia(*words, *cycles, "-o", tmp_path / "out.blend")
    assert done.code == 0
    # the walk repeats from 40 on; the run, entered at 1, ends with its third repetition
    assert done.json["frame_range"] == [1.0, 50.0 + 3 * 27.0]
    assert done.json["settings"]["go_on_cycles"] == 2


def test_a_clip_is_named_once_where_it_leads_into_itself(
    inertia: Inertia, rig_file: Path, tmp_path: Path
) -> None:
    import bpy

    from inertia_addon.blender.data import compat

    bpy.ops.wm.open_mainfile(filepath=str(rig_file))
    run = bpy.data.actions["Run"]
    for curve in compat.curves(run, compat.slots(run)[0].identifier):
        # as if it was made for 30 frames a second
        for point in curve.keyframe_points:
            point.co.x = 1.0 + 0.8 * (point.co.x - 1.0)
        curve.update()
    bpy.ops.wm.save_mainfile()
    words = ("--source", "Run", "--destination", "Run", "--cut", 20)
    done = inertia("bake", rig_file, *words, "-o", tmp_path / "out.blend")
    assert done.code == 0
    assert 'note: "Run" has keys between frames' in done.err


def test_the_way_is_warped_to_a_place(inertia: Inertia, rig_file: Path, tmp_path: Path) -> None:
    """The report says so, and warns; what is no place fails with a sentence, and writes nothing."""
    words = ("bake", rig_file, *WALK_TO_RUN, "--json", "-o", tmp_path / "out.blend")
    done = inertia(*words, "--warp-to=-4,2,90", "--warp-from", 25, "--no-warp-heading")
    assert done.code == 0
    assert done.json["settings"]["warp_to"] == "-4,2,90"
    assert not done.json["settings"]["warp_heading"]
    assert any("The warp makes the travel" in warning for warning in done.json["warnings"])
    failed = inertia(*words[:-1], tmp_path / "other.blend", "--warp-to", "there")
    assert failed.code == 1
    assert '"there" is not a place to warp to; write x and y in metres' in failed.err
    assert leftovers(tmp_path) == ["out.blend", "rig.blend"]
