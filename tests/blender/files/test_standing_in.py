# SPDX-License-Identifier: GPL-3.0-or-later
"""Actions of very many keys are not evaluated for a file that is only saved, and the file is the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import compat
from inertia_addon.blender.files import exporting, standing_in
from inertia_addon.errors import InertiaError
from tests.blender import builders

FRAME = 7.0


@pytest.fixture
def armature(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A rig that plays an action which counts as one of many keys; its pose is from before that."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    monkeypatch.setattr(standing_in, "MANY_KEYS", 1)
    rig = builders.rig({"A": None, "B": "A"})
    action = builders.action("Walk", "Rig")
    for bone, height in (("A", 0.5), ("B", 2.0)):
        points = [(frame, (0.1 * frame, height, -0.3 * frame)) for frame in (1.0, FRAME, 20.0)]
        builders.curves(action, builders.bone_path(bone, "location"), points, slot="OBRig")
    muted = compat.curves(action, compat.slots(action)[0].identifier)[1]
    muted.mute = True
    bpy.context.scene.frame_set(int(FRAME))
    compat.assign(rig, action, compat.slots(action)[0].identifier)
    return rig


def evaluated_keys(scene: Any) -> int:
    """How many keys Blender's copies of actions have that it evaluates a scene with."""
    graph = scene.view_layers[0].depsgraph
    copies = [each for each in graph.ids if each.id_type == "ACTION"]
    return sum(
        len(curve.keyframe_points)
        for each in copies
        for slot in compat.slots(each)
        for curve in compat.curves(each, slot.identifier)
    )


def test_a_saved_file_has_the_action_and_the_pose_that_it_shows(armature: Any, tmp_path: Path) -> None:
    name, path = armature.name, tmp_path / "saved.blend"
    exporting.save_blend(path)
    bpy.ops.wm.open_mainfile(filepath=str(path))
    opened = bpy.data.objects[name]
    action, slot = compat.assigned(opened)
    assert [each.name for each in bpy.data.actions] == ["Walk"]
    assert (action.name, slot) == ("Walk", compat.slots(action)[0].identifier)
    assert len(compat.curves(action, slot)) == 6
    # as if the scene had been evaluated
    for bone, second in (("A", 0.0), ("B", 2.0)):
        expected = pytest.approx((0.1 * FRAME, second, -0.3 * FRAME))
        assert tuple(opened.pose.bones[bone].location) == expected


def test_an_action_of_many_keys_is_not_evaluated_while_a_file_is_saved(armature: Any, tmp_path: Path) -> None:
    most: list[int] = []
    look = lambda scene, _graph=None: most.append(evaluated_keys(scene))  # noqa: E731
    bpy.app.handlers.depsgraph_update_post.append(look)
    try:
        exporting.save_blend(tmp_path / "saved.blend")
    finally:
        bpy.app.handlers.depsgraph_update_post.remove(look)
    assert most
    assert max(most) < 15


@pytest.mark.parametrize("fails", [False, True])
def test_the_action_plays_on_when_the_file_is_saved_or_can_not_be(
    armature: Any, tmp_path: Path, *, fails: bool
) -> None:
    before = compat.assigned(armature)
    handlers = bpy.app.handlers
    listening = [*handlers.save_pre], [*handlers.save_post]
    if fails:
        with pytest.raises(InertiaError):
            exporting.save_blend(tmp_path / "missing" / "saved.blend")
    else:
        exporting.save_blend(tmp_path / "saved.blend")
    assert compat.assigned(armature) == before
    assert [each.name for each in bpy.data.actions] == ["Walk"]
    assert ([*handlers.save_pre], [*handlers.save_post]) == listening
