# SPDX-License-Identifier: GPL-3.0-or-later
"""A clip a file: every command takes several files of other kinds wherever it takes several .bvh files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender import files
from inertia_addon.blender.data import compat
from tests.batch.library_files import Batch, write_spec
from tests.batch.small_rig import Run, make_rig

Inertia = Callable[..., Run]

ENDS = ("--source", "walk", "--destination", "run")


@pytest.fixture(params=[".glb", ".fbx"])
def two(request: pytest.FixtureRequest, tmp_path: Path, fresh_file: None) -> list[Path]:
    """The clips of the small rig, each in a file of its own with its character."""
    armature = make_rig()
    skin = bpy.data.objects.new("Skin", bpy.data.meshes.new("Skin"))
    skin.data.from_pydata([(0, 0, 1), (1, 0, 1), (0, 0, 2)], [], [(0, 1, 2)])
    bpy.context.collection.objects.link(skin)
    skin.parent = armature
    skin.modifiers.new("Armature", "ARMATURE").object = armature
    skin.vertex_groups.new(name="Hips").add([0, 1, 2], 1.0, "REPLACE")
    paths = [tmp_path / f"{name}{request.param}" for name in ("walk", "run")]
    for path in paths:
        action = bpy.data.actions[path.stem.title()]
        files.save(path, armature, action.name, next((s.identifier for s in compat.slots(action)), ""))
    return paths


@pytest.mark.usefixtures("plain_letters")
@pytest.mark.variants(1)
def test_every_command_takes_several_files(
    inertia: Inertia, two: list[Path], tmp_path: Path, batch: Batch
) -> None:
    listed = inertia("info", *two, "--json")
    assert listed.code == 0, listed.err
    (armature,) = listed.json["armatures"]
    assert {action["name"] for action in armature["actions"]} == {"run", "walk"}
    out = tmp_path / "out.blend"
    baked = inertia("bake", *two, *ENDS, "--cut", 20, "--enter-at", "first", "-o", out, "--json")
    assert (baked.code, out.is_file()) == (0, True), baked.err
    cost = inertia("cost", *two, *ENDS, "--cut", 20, "--by", "cost", "--json")
    assert cost.code == 0, cost.err
    assert cost.json["source"]["action"] == "walk"
    assert inertia("fit", *two, "--json").code == 0
    assert inertia("hop", *two, *ENDS, "--trigger", 10, "--json").code == 0
    matrix, spec = tmp_path / "matrix", tmp_path / "edges.json"
    made = inertia("matrix", *two, "--by", "cost", "-o", matrix, "--spec", spec)
    assert made.code == 0, made.err
    assert {edge["source"] for edge in json.loads((matrix / "matrix.json").read_text())["edges"]} == {
        *("walk", "run")
    }
    # an edge from one file to another is one that batch bakes
    assert batch(spec, tmp_path / "library").code == 0
    assert len(list((tmp_path / "library").glob("*.blend"))) == 2


@pytest.mark.variants(1)
def test_a_spec_takes_several_files(two: list[Path], tmp_path: Path, batch: Batch) -> None:
    values = {"files": [path.name for path in two], "state_machines": [{"clips": "all"}]}
    assert batch(write_spec(tmp_path, values), tmp_path / "out").code == 0
    written = sorted(path.name for path in (tmp_path / "out").glob("*.blend"))
    assert written == ["run_to_walk.blend", "walk_to_run.blend"]
    (tmp_path / "odd.bvh").touch()
    mixed = write_spec(tmp_path, {**values, "files": [two[0].name, "odd.bvh"]})
    said = batch(mixed, tmp_path / "out")
    assert said.code == 2
    assert "several files of one skeleton (all .bvh, all .fbx, all .glb or .gltf, or all .usd)" in said.err


@pytest.mark.usefixtures("plain_letters")
def test_downloads_with_prefixes_of_their_own_are_one_character(
    inertia: Inertia, tmp_path: Path, batch: Batch, fresh_file: None
) -> None:
    """For a command with several files, a matrix of files that are read one by one, and a batch."""
    paths = []
    for name, prefix in (("walk", "x:"), ("run", "x1:"), ("hop", "")):
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        armature = make_rig(clips=((name, 40, 0.05),))
        for bone in armature.data.bones:
            bone.name = prefix + bone.name
        paths.append(tmp_path / f"{name}.glb")
        action = bpy.data.actions[name]
        files.save(paths[-1], armature, name, next((s.identifier for s in compat.slots(action)), ""))
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / f"{name}.blend"))
    listed = inertia("info", *paths, "--json")
    assert listed.code == 0, listed.err
    (armature,) = listed.json["armatures"]
    assert [action["name"] for action in armature["actions"]] == ["hop", "run", "walk"]
    assert 'has other names for 3 bones than "walk.glb", such as "x1:Hips" for "x:Hips"' in listed.err
    out = tmp_path / "out.blend"
    baked = inertia("bake", *paths, *ENDS, "--cut", 20, "--enter-at", "first", "-o", out, "--json")
    assert (baked.code, len(baked.json["warnings"])) == (0, 2), baked.err
    matrix = tmp_path / "matrix"
    made = inertia("matrix", *[path.with_suffix(".blend") for path in paths], "--by", "cost", "-o", matrix)
    assert made.code == 0, made.err
    assert len(json.loads((matrix / "matrix.json").read_text())["edges"]) == 6
    pair = {
        "source": "walk",
        "destination": "run",
        "cut": 20,
        "bones": ["!*.scale"],
        "blend_scales": {"x:Sp*": 0},
    }
    spec = write_spec(tmp_path, {"files": [str(path) for path in paths], "transitions": [pair]})
    done = batch(spec, tmp_path / "batch")
    assert done.code == 0, done.err
