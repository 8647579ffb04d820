# SPDX-License-Identifier: GPL-3.0-or-later
"""USD files: units, axes, rates and layers as they say them, and sentences where they can't be read."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender import files
from inertia_addon.blender.data import compat
from inertia_addon.blender.data.rig import armatures
from inertia_addon.blender.files import framerate, importing, usd
from inertia_addon.errors import InertiaError
from inertia_addon.storage import places
from tests.blender import builders
from tests.blender.files.test_joining import character, clip

if not bpy.app.build_options.usd:
    pytest.skip("this Blender was built without USD", allow_module_level=True)

SHOT = """#usda 1.0
(
    subLayers = [@./walk.usda@]
    upAxis = "Z"
    metersPerUnit = 1
)
"""
HALVES = builders.sub_frames(1.0, 21.0, 0.5)
SLOT = "OBRig"
FOREIGN = "bool generated = 1", "bool other = 1"
"""Blender turns and scales nothing below a root that it has made itself."""


def written(path: Path, rate: float = 24.0) -> Path:
    armature = character(skin=True)
    framerate.set_scene(bpy.context.scene, rate)
    files.save(path, armature, clip("Clip", 0.3).name, SLOT if compat.has_slots() else "")
    return path


def shown(frames: Any = HALVES) -> Any:
    """Where the bones are (frames, 2, 3), in metres, of the one armature that there is."""
    (armature,) = armatures()
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(int(frame), subframe=float(frame % 1.0))
        seen = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
        found.append([tuple(seen.matrix_world @ bone.tail) for bone in seen.pose.bones])
    return np.array(found)


def said_otherwise(path: Path, *words: tuple[str, str]) -> Path:
    """The same file, whose head says something else."""
    text = path.read_text(encoding="utf-8")
    for before, after in words:
        assert before in text
        text = text.replace(before, after, 1)
    other = path.with_name("other.usda")
    other.write_text(text, encoding="utf-8")
    return other


def test_an_armature_keeps_its_name_and_has_the_clip_of_the_file(tmp_path: Path) -> None:
    files.load([written(tmp_path / "walk.usda")])
    (armature,) = armatures()
    action, _ = compat.assigned(armature)
    assert (armature.name, action.name) == ("Rig", "walk")
    assert tuple(action.curve_frame_range) == (1.0, 21.0)


def test_lengths_are_metres_whatever_the_unit(tmp_path: Path) -> None:
    path = written(tmp_path / "walk.usda")
    files.load([path])
    metres = shown()
    files.load([said_otherwise(path, ("metersPerUnit = 1", "metersPerUnit = 0.01"), FOREIGN)])
    assert np.allclose(shown(), 0.01 * metres, atol=1e-6)


def test_up_is_up(tmp_path: Path) -> None:
    path = written(tmp_path / "walk.usda")
    files.load([path])
    upright = shown()
    files.load([said_otherwise(path, ('upAxis = "Z"', 'upAxis = "Y"'), FOREIGN)])
    # what was y is up, and what was up comes forward
    assert np.allclose(shown(), upright[..., [0, 2, 1]] * (1.0, -1.0, 1.0), atol=1e-5)


@pytest.mark.variants(3)
@pytest.mark.parametrize("rate", [24.0, 30.0, 120.0])
@pytest.mark.parametrize("kind", [".usda", ".usdc", ".usdz"])
def test_the_rate_is_the_file_s_own_or_said_to_be_unknown(tmp_path: Path, kind: str, rate: float) -> None:
    path = written(tmp_path / f"walk{kind}", rate)
    files.load([path])
    said = importing.warnings([path], 1.0)
    if said:
        assert kind != ".usda"
        assert bpy.app.version < (4, 4, 0)
        assert said == (
            f'The frame rate of "walk{kind}" can\'t be read in this Blender, and is taken as 24; give it '
            "with --fps.",
        )
        assert importing.warnings([path], 1.0, rate) == ()
        files.load([path], fps=rate)
    assert bpy.context.scene.render.fps / bpy.context.scene.render.fps_base == pytest.approx(rate)


def test_files_that_a_layer_names_are_read_with_it(tmp_path: Path) -> None:
    """So no output can take its place."""
    written(tmp_path / "walk.usda")
    shot = tmp_path / "shot.usda"
    shot.write_text(
        '#usda 1.0\n(\n    subLayers = [@./walk.usda@]\n    upAxis = "Z"\n    metersPerUnit = 1\n)\n'
    )
    assert [path.resolve() for path in files.with_companions(shot)] == [shot, tmp_path / "walk.usda"]
    files.load([shot])
    (armature,) = armatures()
    action, slot = compat.assigned(armature)
    with pytest.raises(InertiaError, match=re.escape("walk.usda")):
        places.check_apart(tmp_path / "walk.usda", files.beside([shot]))
    files.save(tmp_path / "again.usda", armature, action.name, slot)
    before = shown()
    files.load([tmp_path / "again.usda"])
    assert np.allclose(shown(), before, atol=1e-5)


@pytest.mark.parametrize("content", [b"", b"#usda 1.0\n(", b"PXR-USDC rubbish", b"#usda 1.0\n"])
def test_damage_is_a_sentence(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "walk.usd"
    path.write_bytes(content)
    with pytest.raises(InertiaError, match=re.escape('"walk.usd"')):
        files.load([path])


def test_a_blender_without_usd_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path / "walk.usda")

    def missing() -> None:
        raise InertiaError("This Blender was built without USD.")

    monkeypatch.setattr(usd, "check_there", missing)
    (armature,) = armatures()
    with pytest.raises(InertiaError, match="without USD"):
        files.save(tmp_path / "out.usda", armature, "Clip", SLOT)
    with pytest.raises(InertiaError, match="without USD"):
        files.load([path])
    assert not (tmp_path / "out.usda").exists()


def test_a_skeleton_that_stands_for_none_goes_with_its_modifiers_alone(fresh_file: None) -> None:
    real, stand_in = builders.rig({"A": None}), builders.rig({"A": None}, name="Stand-in")
    stand_in.location = (1.0, 2.0, 3.0)
    thing = bpy.data.objects.new("Thing", bpy.data.meshes.new("Thing"))
    bpy.context.collection.objects.link(thing)
    thing.parent = stand_in
    for other in (stand_in, real):
        thing.modifiers.new(other.name, "ARMATURE").object = other
    thing.modifiers.new("Bevel", "BEVEL")
    bpy.context.view_layer.update()
    usd._without(stand_in)
    assert [modifier.name for modifier in thing.modifiers] == [real.name, "Bevel"]
    assert thing.parent is None
    assert tuple(thing.matrix_world.translation) == pytest.approx((1.0, 2.0, 3.0))
    assert [each.name for each in bpy.data.objects if each.type == "ARMATURE"] == [real.name]
