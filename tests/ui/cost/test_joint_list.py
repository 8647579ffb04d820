# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of joints is edited, undone, saved and overridden, and says what counts."""

from __future__ import annotations

import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import compat
from inertia_addon.blender.evaluation import joints
from inertia_addon.errors import InertiaError
from inertia_addon.ui.cost import joint_list
from inertia_addon.ui.cost.joint_list import ghosts_from, weights_from
from inertia_addon.ui.room import Room
from tests.blender import skeletons
from tests.ui.recorder import Recorder, context
from tests.ui.rigs import BONES, make_rig

ops = bpy.ops.inertia

OPERATORS = [cls.bl_idname.partition(".")[2] for cls in Room(modules=(joint_list,)).operators]


@pytest.fixture(scope="module", autouse=True)
def operators_registered(registered: None) -> Iterator[None]:
    """The operators, where the extension does not register them by itself."""
    missing = [cls for cls in Room(modules=(joint_list,)).operators if not cls.is_registered]
    for cls in missing:
        bpy.utils.register_class(cls)
    yield
    for cls in reversed(missing):
        bpy.utils.unregister_class(cls)


def select(rig: Any, *names: str) -> None:
    for bone in rig.pose.bones:
        compat.select_bone(bone, state=bone.name in names)


def listed(rig: Any) -> list[tuple[str, float, bool]]:
    return [(item.bone, round(item.weight, 4), item.ghost) for item in rig.inertia_cost.items]


def test_joints_are_found_until_they_are_listed(rig: Any) -> None:
    assert rig.inertia_cost.joints == "FOUND"
    assert weights_from(rig) == dict.fromkeys(BONES, 1.0)
    rig.inertia_cost.joints = "ALL"
    assert weights_from(rig) == dict.fromkeys(BONES, 1.0)
    assert ghosts_from(rig) == BONES


def test_an_empty_list_is_said(rig: Any) -> None:
    rig.inertia_cost.joints = "LISTED"
    with pytest.raises(InertiaError, match="list of joints is empty"):
        weights_from(rig)
    assert ghosts_from(rig) == ()


def test_filling_lists_what_is_found(rig: Any) -> None:
    assert ops.fill_joints() == {"FINISHED"}
    assert rig.inertia_cost.joints == "LISTED"
    assert [name for name, _, _ in listed(rig)] == [joint.bone for joint in joints.default_joints(rig)]
    assert weights_from(rig) == {joint.bone: joint.weight for joint in joints.default_joints(rig)}
    rig.inertia_cost.items[1].weight = 3.0
    ops.fill_joints()
    assert weights_from(rig) == dict.fromkeys(BONES, 1.0)
    assert len(rig.inertia_cost.items) == 3


def test_weights_and_ghosts_are_the_lists(rig: Any) -> None:
    ops.fill_joints()
    first, second, third = rig.inertia_cost.items
    first.weight, second.weight, third.weight = 0.5, 0.0, 2.0
    first.ghost, second.ghost, third.ghost = False, True, True
    assert weights_from(rig) == {"hips": 0.5, "hand.L": 2.0}
    assert ghosts_from(rig) == ("spine", "hand.L")


def test_a_bone_that_is_gone_is_said_and_not_drawn(rig: Any) -> None:
    ops.fill_joints()
    for item in rig.inertia_cost.items:
        item.ghost = True
    rig.data.bones["spine"].name = "back"
    with pytest.raises(InertiaError, match='"Rig" has no bone "spine"'):
        weights_from(rig)
    assert ghosts_from(rig) == ("hips", "hand.L")
    rig.inertia_cost.items[1].bone = "back"
    assert set(weights_from(rig)) == {"hips", "back", "hand.L"}


def test_selected_bones_are_added_once(rig: Any) -> None:
    select(rig, "spine")
    ops.add_joints()
    rig.inertia_cost.items[0].weight = 0.25
    select(rig, "spine", "hand.L")
    ops.add_joints()
    assert listed(rig) == [("spine", 0.25, True), ("hand.L", 1.0, True)]
    assert rig.inertia_cost.joints == "LISTED"
    assert rig.inertia_cost.active_index == 1
    select(rig)
    with pytest.raises(RuntimeError, match="Select pose bones first"):
        ops.add_joints()


def test_removing_moving_and_clearing(rig: Any) -> None:
    ops.fill_joints()
    own = rig.inertia_cost
    own.active_index = 0
    ops.move_joint(direction="DOWN")
    ops.move_joint(direction="DOWN")
    assert [name for name, _, _ in listed(rig)] == ["spine", "hand.L", "hips"]
    assert ops.move_joint(direction="DOWN") == {"CANCELLED"}
    ops.move_joint(direction="UP")
    assert (own.active_index, own.items[1].bone) == (1, "hips")
    ops.remove_joint()
    assert [name for name, _, _ in listed(rig)] == ["spine", "hand.L"]
    own.active_index = 1
    ops.remove_joint()
    assert own.active_index == 0
    ops.clear_joints()
    assert listed(rig) == []


@pytest.mark.parametrize("name", ["remove_joint", "move_joint", "clear_joints"])
def test_an_empty_list_has_nothing_to_edit(rig: Any, name: str) -> None:
    with pytest.raises(RuntimeError, match="list of joints is empty"):
        getattr(ops, name)()


@pytest.mark.parametrize("name", OPERATORS)
def test_joint_operators_say_that_there_is_no_armature(fresh_file: None, name: str) -> None:
    with pytest.raises(RuntimeError, match="armature"):
        getattr(ops, name)()


@pytest.mark.parametrize("name", OPERATORS)
def test_joint_operators_are_undone(rig: Any, name: str) -> None:
    ops.fill_joints()
    rig.inertia_cost.active_index = 2
    rig.inertia_cost.items[0].weight = 0.5
    rig.inertia_cost.items.remove(1)
    rig.inertia_cost.active_index = 1
    select(rig, "spine")
    bpy.ops.ed.undo_push(message="before")
    before = listed(rig)
    getattr(ops, name)("EXEC_DEFAULT", True)
    assert listed(bpy.data.objects["Rig"]) != before
    bpy.ops.ed.undo()
    assert listed(bpy.data.objects["Rig"]) == before


def test_a_linked_rig_is_refused(rig: Any, tmp_path: Path) -> None:
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(str(tmp_path / "library.blend"), link=True) as (_, wanted):
        wanted.objects = ["Rig"]
    bpy.context.scene.collection.objects.link(wanted.objects[0])
    bpy.context.view_layer.objects.active = wanted.objects[0]
    with pytest.raises(RuntimeError, match="is linked"):
        ops.fill_joints()


def test_the_list_survives_saving_and_is_read_without_the_extension(rig: Any, tmp_path: Path) -> None:
    ops.fill_joints()
    own = rig.inertia_cost
    own.items[0].weight, own.items[2].weight, own.items[1].ghost = 0.25, 2.0, True
    before, weights = listed(rig), weights_from(rig)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "a.blend"))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "a.blend"))
    rig = bpy.data.objects["Rig"]
    assert listed(rig) == before
    assert weights_from(rig) == weights == joints.stored_weights(rig)


@pytest.mark.parametrize("choice", joints.CHOICES)
def test_the_choice_is_stored(rig: Any, choice: str) -> None:
    ops.fill_joints()
    rig.inertia_cost.items[0].weight = 0.25
    rig.inertia_cost.joints = choice
    stored = joints.stored_weights(rig)
    assert stored == (None if choice == "FOUND" else weights_from(rig))


def test_items_name_the_choices_in_their_order() -> None:
    assert tuple(item[0] for item in joint_list.JOINTS_ITEMS) == joints.CHOICES


def link_and_override(folder: Path) -> Any:
    """The library's rig, overridden and active."""
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "library.blend"))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(str(folder / "library.blend"), link=True) as (_, wanted):
        wanted.objects = ["Rig"]
    bpy.context.scene.collection.objects.link(wanted.objects[0])
    override = wanted.objects[0].override_create(remap_local_usages=True)
    bpy.context.view_layer.objects.active = override
    return override


def saved(folder: Path) -> Any:
    """The override, after saving and opening the file."""
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "shot.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(folder / "shot.blend"))
    return bpy.data.objects[("Rig", None)]


def test_an_override_has_a_list_of_its_own(fresh_file: None, tmp_path: Path) -> None:
    make_rig()
    override = link_and_override(tmp_path)
    assert ops.fill_joints() == {"FINISHED"}
    override.inertia_cost.items[0].weight = 0.25
    override.inertia_cost.active_index = 1
    ops.remove_joint()
    before = listed(override)
    assert listed(saved(tmp_path)) == before == [("hips", 0.25, False), ("hand.L", 1.0, False)]


def test_a_joint_that_an_override_removes_stays_without_weight(rig: Any, tmp_path: Path) -> None:
    select(rig, "hips", "spine")
    ops.add_joints()
    override = link_and_override(tmp_path)
    select(override, "hand.L")
    ops.add_joints()
    override.inertia_cost.active_index = 0
    ops.remove_joint()
    assert weights_from(override) == {"spine": 1.0, "hand.L": 1.0}
    override = saved(tmp_path)
    assert weights_from(override) == {"spine": 1.0, "hand.L": 1.0}
    bpy.context.view_layer.objects.active = override
    with pytest.raises(RuntimeError, match="order of a library override's list"):
        ops.move_joint()
    ops.clear_joints()
    select(override, "hips")
    ops.add_joints()
    assert weights_from(override) == {"hips": 1.0}
    assert weights_from(saved(tmp_path)) == {"hips": 1.0}


def drawn() -> Recorder:
    recorder = Recorder()
    joint_list.draw_joints(recorder, context())
    return recorder


def test_the_panel_names_what_is_found(rig: Any) -> None:
    recorder = drawn()
    assert "hips, spine, hand.L" in recorder.text
    assert recorder.shown == ["joints"]
    assert list(recorder.pressed) == ["Edit as List"]


def test_the_panel_says_how_sure_it_is(fresh_file: None) -> None:
    skeletons.build("minetest")
    recorder = drawn()
    assert "Arm_Left, Arm_Right" in recorder.text
    assert "Confidence" in recorder.text
    assert "62%" in recorder.text
    bpy.data.objects.remove(bpy.data.objects["minetest"])
    skeletons.build("gorilla")
    assert 'Check these joints of "gorilla"' in drawn().text


def test_the_panel_counts_all(rig: Any) -> None:
    rig.inertia_cost.joints = "ALL"
    assert "3 bones" in drawn().text


def test_the_panel_shows_the_list_and_what_is_wrong(rig: Any) -> None:
    rig.inertia_cost.joints = "LISTED"
    assert "list of joints is empty" in drawn().text
    ops.fill_joints()
    recorder = drawn()
    assert recorder.shown == ["joints", "items", "active_index", "bone"]
    assert recorder.text == ""
    assert recorder.pressed["inertia.move_joint"].direction == "DOWN"
    rig.data.bones["spine"].name = "back"
    assert 'no bone "spine"' in drawn().text


def test_a_row_shows_weight_and_trajectory(rig: Any) -> None:
    ops.fill_joints()
    own = rig.inertia_cost
    own.items[1].bone, own.items[0].ghost = "gone", True
    rows = []
    for item in own.items:
        recorder = Recorder()
        joint_list.INERTIA_UL_joints.draw_row(types.SimpleNamespace(), recorder, own, item, 0)
        rows.append((recorder.text, recorder.shown))
    assert rows == [(name, ["weight", "ghost"]) for name in ("hips", "gone", "hand.L")]
    assert own.items[1].name == "gone"


def test_bones_are_searched(rig: Any) -> None:
    ops.fill_joints()
    assert joint_list.search_bone(rig.inertia_cost.items[0], None, "H") == ["hips", "hand.L"]
