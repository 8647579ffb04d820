# SPDX-License-Identifier: GPL-3.0-or-later
"""The Bake operator: from scripts, again and again, undone, and refused with the file as it was."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import compat, recipe, recipe_reader
from inertia_addon.blender.transition.bake import plan_transition
from inertia_addon.ui.judging import live
from inertia_addon.ui.transition import outlook, rebaking
from tests.ui.rigs import keys_of, make_action, make_rig, store, take_snapshot

bake = bpy.ops.inertia.bake_transition
UNDOABLE = ("EXEC_DEFAULT", True)
"""A script's operators are steps of the undo history only when they are told so."""


def assigned() -> Any:
    return compat.assigned(bpy.context.object)[0]


def test_a_bake_is_what_the_panel_says(rig: Any) -> None:
    rig.inertia.blend_frames = 9.0
    assert bake() == {"FINISHED"}
    assert assigned().name == "Walk to Run"
    settings = recipe_reader.read_recipe(assigned(), recipe.RECIPE).settings
    assert (settings.cut, settings.blend_frames) == (20.0, 9.0)


def test_automatic_enters_where_the_panel_says_and_as_the_result_tells(rig: Any) -> None:
    rig.inertia.use_destination_frame = False
    live.forget()
    judged = live.current(rig).verdict
    assert judged is not None
    frame = outlook.entry_of(rig)
    bake()
    settings = recipe_reader.read_recipe(assigned(), recipe.RECIPE).settings
    assert (settings.enter_at, settings.destination_frame) == ("AUTO", frame)
    assert rebaking.is_as_asked(rig, assigned())
    # its own recipe and a frame that is chosen keep it
    bpy.ops.inertia.rebake(action=assigned().name)
    assert recipe_reader.read_recipe(assigned(), recipe.RECIPE).settings.destination_frame == frame
    rig.inertia.use_destination_frame, rig.inertia.destination_frame = True, 9.0
    assert not rebaking.is_as_asked(rig, assigned())
    bake()
    assert recipe_reader.read_recipe(assigned(), recipe.RECIPE).settings.destination_frame == 9.0
    rig.inertia.use_destination_frame, rig.inertia.enter_at = False, "FIRST"
    assert outlook.entry_of(rig) == 5.0
    bake()
    assert recipe_reader.read_recipe(assigned(), recipe.RECIPE).settings.destination_frame == 5.0


def test_the_sources_are_not_touched(rig: Any) -> None:
    before = {name: keys_of(bpy.data.actions[name]) for name in ("Walk", "Run", "Idle")}
    bake()
    assert {name: keys_of(bpy.data.actions[name]) for name in before} == before


def test_a_script_s_arguments_win_and_the_rest_is_the_object_s(rig: Any) -> None:
    rig.inertia.method, rig.inertia.blend_frames = "CUBIC", 7.0
    assert bake(source="Idle", destination="Walk", cut=24, blend_frames=5.0) == {"FINISHED"}
    settings = recipe_reader.read_recipe(assigned(), recipe.RECIPE).settings
    assert (settings.source, settings.destination, settings.cut) == ("Idle", "Walk", 24.0)
    assert (settings.method, settings.blend_frames) == ("CUBIC", 5.0)
    assert (rig.inertia.source.name, rig.inertia.cut, rig.inertia.blend_frames) == ("Walk", 20.0, 7.0)


def test_every_argument_arrives(rig: Any) -> None:
    bake(
        source="Walk",
        destination="Run",
        cut=18.5,
        destination_frame=9.0,
        method="SPRING",
        quintic_start="ZERO_JERK",
        half_life=0.2,
        decomposition="AXIS_ANGLE",
        velocity="SOURCE",
        guard="STRICT",
        guard_angle=0.5,
        guard_length=0.25,
        alignment="POSITION",
        root="hips",
        bones="hips, spine",
        blend_scales="spine=0.5",
        result="Mine",
        assign=False,
        assign_others=True,
        extrapolate=True,
    )
    settings = recipe_reader.read_recipe(bpy.data.actions["Mine"], recipe.RECIPE).settings
    assert (settings.cut, settings.destination_frame) == (18.5, 9.0)
    assert (settings.method, settings.half_life, settings.quintic_start) == ("SPRING", 0.2, "ZERO_JERK")
    assert (settings.decomposition, settings.velocity, settings.guard) == ("AXIS_ANGLE", "SOURCE", "STRICT")
    assert settings.guard_angle == pytest.approx(28.64789, abs=1e-4)
    assert (settings.guard_length, settings.alignment, settings.root) == (0.25, "POSITION", "hips")
    assert (settings.bones, settings.blend_scales) == (("hips", "spine"), (("spine", 0.5),))
    assert (settings.assign, settings.extrapolate) == (False, True)
    assert assigned().name == "Idle"


def test_an_action_does_not_inherit_the_object_s_slot_or_frame(rig: Any) -> None:
    own = rig.inertia
    own.use_destination_frame, own.destination_frame, own.source_slot = True, 33.0, "OBNone"
    bake(source="Run", destination="Walk", cut=24)
    assert recipe_reader.read_recipe(assigned(), recipe.RECIPE).settings.destination_frame == 1.0


def test_selected_bones_take_part(rig: Any) -> None:
    rig.inertia.bones = "SELECTED"
    for bone in rig.pose.bones:
        compat.select_bone(bone, state=bone.name == "spine")
    bake()
    assert recipe_reader.read_recipe(assigned(), recipe.RECIPE).settings.bones == ("spine",)
    plan = plan_transition(rig, recipe_reader.read_recipe(assigned(), recipe.RECIPE).settings)
    assert plan.bones == 1


def test_undo_takes_everything_back_and_redo_brings_it(rig: Any) -> None:
    before = take_snapshot()
    bpy.ops.ed.undo_push(message="before")
    assert bake(*UNDOABLE) == {"FINISHED"}
    after = take_snapshot()
    assert after != before
    for _ in range(2):
        bpy.ops.ed.undo()
        assert take_snapshot() == before
        bpy.ops.ed.redo()
        assert take_snapshot() == after


def test_changing_a_value_afterwards_leaves_no_extra_action(rig: Any) -> None:
    # What F9 does: undo, then the same operator with another value.
    bpy.ops.ed.undo_push(message="before")
    count = len(bpy.data.actions)
    for blend in (12.0, 6.0, 3.0):
        bake(*UNDOABLE, blend_frames=blend)
        assert len(bpy.data.actions) == count + 1
        assert assigned().name == "Walk to Run"
        assert recipe_reader.read_recipe(assigned(), recipe.RECIPE).settings.blend_frames == blend
        bpy.ops.ed.undo()
    assert len(bpy.data.actions) == count


def test_a_blend_time_that_was_never_set_is_shown_as_it_stands(rig: Any) -> None:
    rig.inertia.property_unset("blend_frames")
    bpy.context.scene.render.fps = 60
    assert bake() == {"FINISHED"}
    assert recipe_reader.read_recipe(assigned(), recipe.RECIPE).settings.blend_frames is None
    assert bpy.context.object.inertia.blend_time == pytest.approx(24.0)
    assert bake(blend_frames=14.0) == {"FINISHED"}
    assert recipe_reader.read_recipe(assigned(), recipe.RECIPE).settings.blend_frames == 14.0


def test_a_bake_twice_makes_two(rig: Any) -> None:
    bake()
    bake()
    assert assigned().name == "Walk to Run.001"


def test_actions_of_a_bake_do_not_vanish_with_saving(rig: Any, tmp_path: Path) -> None:
    bake()
    for _ in range(2):
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "a.blend"))
        bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "a.blend"))
    assert sorted(bpy.data.actions.keys()) == ["Idle", "Run", "Walk", "Walk to Run"]
    assert assigned().name == "Walk to Run"


def no_armature() -> dict[str, Any]:
    bpy.context.view_layer.objects.active = None
    return {}


def a_mesh() -> dict[str, Any]:
    mesh = bpy.data.objects.new("Body", bpy.data.meshes.new("Body"))
    bpy.context.scene.collection.objects.link(mesh)
    bpy.context.view_layer.objects.active = mesh
    return {}


def edit_mode() -> dict[str, Any]:
    bpy.ops.object.mode_set(mode="EDIT")
    return {}


def no_source() -> dict[str, Any]:
    bpy.context.object.inertia.source = None
    return {}


def empty_action() -> dict[str, Any]:
    action = bpy.data.actions.new("Empty")
    if compat.has_slots():
        action.slots.new("OBJECT", "Rig")
    return {"source": "Empty"}


def no_slot_at_all() -> dict[str, Any]:
    bpy.data.actions.new("Bare")
    return {"destination": "Bare"}


def another_rig_s_action() -> dict[str, Any]:
    rig = bpy.context.object
    other = make_rig("Other", ("tail1", "tail2"))
    make_action(other, "Wag", 0.3)
    other.select_set(False)
    bpy.context.view_layer.objects.active = rig
    return {"source": "Wag"}


def not_a_number() -> dict[str, Any]:
    action = bpy.data.actions["Run"]
    curve = compat.curves(action, compat.slots(action)[0].identifier)[0]
    curve.keyframe_points[2].co.y = float("nan")
    return {}


def no_bone_selected() -> dict[str, Any]:
    bpy.context.object.inertia.bones = "SELECTED"
    for bone in bpy.context.object.pose.bones:
        compat.select_bone(bone, state=False)
    return {}


def no_blend_time() -> dict[str, Any]:
    store(bpy.context.object, "blend_frames", 0.0)
    return {}


def no_half_life() -> dict[str, Any]:
    store(bpy.context.object, "half_life", 0.0)
    return {}


BAD = {
    "no armature": (no_armature, {}, "no armature"),
    "a mesh": (a_mesh, {}, '"Body" is not an armature'),
    "edit mode": (edit_mode, {}, "is in Edit Mode"),
    "no source": (no_source, {}, "No action is chosen"),
    "an unknown action": (dict, {"source": "Fly"}, 'no action "Fly"'),
    "an action without keys": (empty_action, {}, '"Empty"'),
    "an action without anything": (no_slot_at_all, {}, '"Bare"'),
    "another armature's action": (another_rig_s_action, {}, '"Wag" has no channel of "Rig"'),
    "a cut outside": (dict, {"cut": 90.0}, "outside"),
    "an infinite cut": (dict, {"cut": float("inf")}, "outside|finite"),
    "a destination frame outside": (dict, {"destination_frame": 1.0}, "outside"),
    "not a blend time": (no_blend_time, {}, "The blend time is 0; give a number of frames from"),
    "no half-life": (no_half_life, {"method": "SPRING"}, "The half-life is 0; give a number of seconds from"),
    "a key that is no number": (not_a_number, {}, "not a finite number"),
    "no bone selected": (no_bone_selected, {}, "No bone is selected"),
    "a bone that is not there": (dict, {"bones": "hips, wing"}, 'no bone "wing"'),
    "a root that is not there": (dict, {"root": "wing"}, 'no bone "wing"'),
    "a scale that is none": (dict, {"blend_scales": "hips"}, "write bone=number"),
    "a scale of a bone that is not there": (dict, {"blend_scales": "wing=2"}, 'no bone "wing"'),
    "a slot that is not there": (dict, {"source_slot": "OBGone"}, 'no slot "OBGone"'),
}


@pytest.mark.parametrize("case", BAD)
def test_a_refusal_says_why_and_changes_nothing(rig: Any, case: str) -> None:
    prepare, arguments, sentence = BAD[case]
    arguments = {**prepare(), **arguments}
    bpy.context.scene.frame_set(7, subframe=0.5)
    before = take_snapshot()
    with pytest.raises(RuntimeError, match=sentence) as caught:
        bake(**arguments)
    (line,) = str(caught.value).strip().splitlines()
    assert line.startswith(("Error: ", "Operator bpy.ops.inertia.bake_transition.poll() "))
    assert take_snapshot() == before


def test_pose_mode_and_the_frame_stay(rig: Any) -> None:
    bpy.ops.object.mode_set(mode="POSE")
    bpy.context.scene.frame_set(7, subframe=0.5)
    bake()
    assert (rig.mode, bpy.context.scene.frame_current_final) == ("POSE", 7.5)


def link(folder: Path, kind: str, name: str) -> Any:
    with bpy.data.libraries.load(str(folder / "library.blend"), link=True) as (_, wanted):
        setattr(wanted, kind, [name])
    return getattr(wanted, kind)[0]


def test_linked_actions_are_baked_and_remembered_with_their_file(rig: Any, tmp_path: Path) -> None:
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"), copy=True)
    linked = link(tmp_path, "actions", "Run")
    rig.inertia.destination = linked
    assert bake() == {"FINISHED"}
    assert (
        recipe_reader.read_recipe(assigned(), recipe.RECIPE).settings.destination_library
        == linked.library.filepath
    )


def test_a_linked_armature_gets_its_result_but_not_assigned(rig: Any, tmp_path: Path) -> None:
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    linked = link(tmp_path, "objects", "Rig")
    bpy.context.scene.collection.objects.link(linked)
    bpy.context.view_layer.objects.active = linked
    assert bake(source="Walk", destination="Run", cut=20) == {"FINISHED"}
    assert assigned().name == "Idle"
    assert recipe.is_baked(bpy.data.actions["Walk to Run"], recipe.RECIPE)
