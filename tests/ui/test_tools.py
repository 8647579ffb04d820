# SPDX-License-Identifier: GPL-3.0-or-later
"""The small operators, and those about a result."""

from __future__ import annotations

from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import compat, recipe, recipe_reader
from inertia_addon.ui import rooms
from inertia_addon.ui.shared import cache
from inertia_addon.ui.transition import properties, rebaking
from tests.ui.rigs import keys_of, take_snapshot

ops = bpy.ops.inertia


def curve_of(name: str) -> Any:
    action = bpy.data.actions[name]
    return compat.curves(action, compat.slots(action)[0].identifier)[0]


def test_cut_at_the_playhead(rig: Any) -> None:
    bpy.context.scene.frame_set(17, subframe=0.25)
    assert ops.use_current_frame() == {"FINISHED"}
    assert rig.inertia.cut == 17.25


def test_swap_changes_source_and_destination(rig: Any) -> None:
    ops.swap_actions()
    assert (rig.inertia.source.name, rig.inertia.destination.name) == ("Run", "Walk")


def test_swap_takes_the_slots_along(rig: Any) -> None:
    own = rig.inertia
    slots = [compat.slots(action)[0].identifier for action in (own.source, own.destination)]
    own.source_slot, own.destination_slot = slots
    ops.swap_actions()
    assert [own.source_slot, own.destination_slot] == slots[::-1]


def test_the_assigned_action_as_either_side(rig: Any) -> None:
    ops.use_assigned_action()
    ops.use_assigned_action(side="DESTINATION")
    assert (rig.inertia.source.name, rig.inertia.destination.name) == ("Idle", "Idle")
    rig.animation_data.action = None
    with pytest.raises(RuntimeError, match="has no action assigned"):
        ops.use_assigned_action()


@pytest.mark.parametrize("side", ["SOURCE", "DESTINATION"])
def test_the_only_other_action_becomes_the_empty_side(rig: Any, side: str) -> None:
    own = rig.inertia
    bpy.data.actions.remove(bpy.data.actions["Run"])
    own.source = own.destination = None
    ops.use_assigned_action(side=side)
    chosen = (own.source.name, own.destination.name)
    assert chosen == (("Idle", "Walk") if side == "SOURCE" else ("Walk", "Idle"))


def test_a_choice_among_several_stays_the_animators(rig: Any) -> None:
    own = rig.inertia
    own.source = own.destination = None
    ops.use_assigned_action()
    assert own.destination is None
    own.destination = bpy.data.actions["Walk"]
    bpy.data.actions.remove(bpy.data.actions["Run"])
    own.source, own.destination = None, own.source
    ops.use_assigned_action()
    assert (own.source.name, own.destination.name) == ("Idle", "Idle")


def test_rebake_follows_a_changed_source(rig: Any) -> None:
    ops.bake_transition()
    result = compat.assigned(rig)[0]
    before = keys_of(result)
    assert not rebaking.sources_changed(rig, result)
    curve = curve_of("Run")
    curve.keyframe_points[4].co.y += 0.5
    curve.update()
    bpy.context.view_layer.update()
    cache.forget()
    assert rebaking.sources_changed(rig, result)
    assert ops.rebake() == {"FINISHED"}
    assert compat.assigned(rig)[0] == result
    assert keys_of(result) != before
    assert len(bpy.data.actions) == 4
    cache.forget()
    assert not rebaking.sources_changed(rig, result)


def test_rebake_is_undone(rig: Any) -> None:
    ops.bake_transition()
    curve_of("Run").keyframe_points[4].co.y += 0.5
    bpy.ops.ed.undo_push(message="before")
    before = take_snapshot()
    ops.rebake("EXEC_DEFAULT", True)
    assert take_snapshot() != before
    bpy.ops.ed.undo()
    assert take_snapshot() == before


def test_rebaking_by_name_leaves_the_assignment_alone(rig: Any) -> None:
    ops.bake_transition(assign=False)
    assert ops.rebake(action="Walk to Run") == {"FINISHED"}
    assert compat.assigned(rig)[0].name == "Idle"


def test_rebake_refuses_what_is_no_result(rig: Any) -> None:
    with pytest.raises(RuntimeError, match="No action of this file was baked"):
        ops.rebake()
    ops.bake_transition(assign=False)
    for arguments in ({}, {"action": "Walk"}, {"action": "Nothing"}):
        before = take_snapshot()
        with pytest.raises(RuntimeError, match=r'"Idle" was not|"Walk" was not|no action "Nothing"'):
            ops.rebake(**arguments)
        assert take_snapshot() == before


def test_rebake_says_when_a_source_is_gone(rig: Any) -> None:
    ops.bake_transition()
    bpy.data.actions.remove(bpy.data.actions["Run"])
    with pytest.raises(RuntimeError, match='"Run", which "Walk to Run" was made from, is gone'):
        ops.rebake()


def test_settings_come_back_from_a_result(rig: Any) -> None:
    own = rig.inertia
    own.use_destination_frame = False
    own.method, own.half_life, own.cut = "SPRING", 0.3, 22.0
    own.bones, own.bone_list = "LISTED", "hips, spine"
    settings = properties.settings_from(rig)
    ops.bake_transition(blend_scales="spine=0.5")
    own.source, own.destination, own.method, own.cut, own.bones = own.destination, None, "CUBIC", 3.0, "ALL"
    assert ops.load_recipe() == {"FINISHED"}
    again = properties.settings_from(rig)
    # The recipe knows the frame that was found.
    assert (again.destination_frame, settings.destination_frame) == (5.0, None)
    own.use_destination_frame = False
    assert properties.settings_from(rig) == settings
    assert rig.pose.bones["spine"].inertia.blend_scale == 0.5


def test_a_result_of_one_s_own_name_keeps_it(rig: Any) -> None:
    ops.bake_transition(result="Mine")
    ops.load_recipe()
    assert rig.inertia.result == "Mine"


def scales(rig: Any) -> list[float]:
    return [bone.inertia.blend_scale for bone in rig.pose.bones]


def test_blend_scales_are_set_on_bones_and_collections(rig: Any) -> None:
    for bone in rig.pose.bones:
        compat.select_bone(bone, state=bone.name != "hips")
    ops.set_blend_scale(target="SELECTED", value=0.5)
    assert scales(rig) == [1.0, 0.5, 0.5]
    rig.data.bones.active = rig.data.bones["hips"]
    ops.set_blend_scale(target="ACTIVE", value=2.0)
    assert scales(rig) == [2.0, 0.5, 0.5]
    rig.data.collections.new("Hands").assign(rig.data.bones["hand.L"])
    ops.set_blend_scale(target="COLLECTION", collection="Hands", value=0.0)
    assert scales(rig) == [2.0, 0.5, 0.0]
    ops.set_blend_scale(target="ALL")
    assert scales(rig) == [1.0, 1.0, 1.0]
    with pytest.raises(RuntimeError, match='no bone collection "Feet"'):
        ops.set_blend_scale(target="COLLECTION", collection="Feet")


def test_a_bone_of_scale_zero_cuts_at_once(rig: Any) -> None:
    rig.pose.bones["spine"].inertia.blend_scale = 0.0
    ops.bake_transition()
    action = compat.assigned(rig)[0]
    curves = compat.curves(action, compat.slots(action)[0].identifier)
    inside = {
        curve.data_path: sum(20.5 < point.co.x < 31.5 for point in curve.keyframe_points)
        for curve in curves
        if "rotation_euler" in curve.data_path and curve.array_index == 0
    }
    assert inside['pose.bones["spine"].rotation_euler'] < inside['pose.bones["hips"].rotation_euler']


def test_blend_scales_of_nothing_selected(rig: Any) -> None:
    for bone in rig.pose.bones:
        compat.select_bone(bone, state=False)
    with pytest.raises(RuntimeError, match="No bone is selected"):
        ops.set_blend_scale(target="SELECTED", value=0.5)
    with pytest.raises(RuntimeError, match="No bone is selected"):
        ops.list_bones()


def test_store_the_selection(rig: Any) -> None:
    for bone in rig.pose.bones:
        compat.select_bone(bone, state=bone.name != "hips")
    ops.list_bones()
    assert properties.bones_from(rig) == ("spine", "hand.L")


def test_a_result_as_the_next_source(rig: Any) -> None:
    ops.bake_transition()
    ops.use_assigned_action()
    rig.inertia.destination, rig.inertia.cut = bpy.data.actions["Idle"], 26.0
    assert ops.bake_transition() == {"FINISHED"}
    assert recipe_reader.read_recipe(compat.assigned(rig)[0], recipe.RECIPE).settings.source == "Walk to Run"


@pytest.mark.variants(30)
@pytest.mark.parametrize(
    "name",
    # an example brings its own
    [cls.bl_idname.partition(".")[2] for cls in rooms.OPERATORS if cls.bl_idname != "inertia.make_example"],
)
def test_tools_say_that_there_is_no_armature(fresh_file: None, name: str) -> None:
    with pytest.raises(RuntimeError, match="armature"):
        getattr(ops, name)()
