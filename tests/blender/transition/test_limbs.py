# SPDX-License-Identifier: GPL-3.0-or-later
"""FK and IK over the whole window, on a rig whose names nobody knows: as smooth as a plain skeleton."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Quaternion

from inertia_addon.blender.data import clip_store, compat
from inertia_addon.blender.data.rig import split_path
from inertia_addon.blender.evaluation import limbs
from inertia_addon.blender.evaluation.controls import open_stage
from inertia_addon.blender.judging.played import Footage
from inertia_addon.blender.transition import bake, switch_crossing
from inertia_addon.blender.transition.meeting import PlanOptions
from inertia_addon.motion.arrays import Array
from inertia_addon.motion.steps import finish
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import builders
from tests.blender.made_up_limbs import (
    CUT,
    END,
    SEEN,
    START,
    SWING,
    SWITCH,
    clip,
    led,
    made_up,
    matrices,
    turned_itself,
)

pytestmark = pytest.mark.usefixtures("fresh_file")


def twin(rig: Any, seen: tuple[str, ...] = SEEN) -> Any:
    """A plain skeleton of what is seen."""
    plain = builders.rig(dict(zip(seen, (None, *seen), strict=False)), "Plain")
    bpy.ops.object.mode_set(mode="EDIT")
    for name in seen:
        plain.data.edit_bones[name].matrix = rig.data.bones[name].matrix_local
        plain.data.edit_bones[name].length = rig.data.bones[name].length
    bpy.ops.object.mode_set(mode="OBJECT")
    return plain


def copied(rig: Any, plain: Any, action: Any, seen: tuple[str, ...] = SEEN) -> Any:
    """A clip of the rig on the plain skeleton."""
    frames = np.arange(1, END + 1)
    shown = matrices(rig, action, frames, seen)
    plain.animation_data_create().action = made = bpy.data.actions.new("Plain " + action.name)
    for frame, poses in zip(frames, shown, strict=True):
        for name, matrix in zip(seen, poses, strict=True):
            plain.pose.bones[name].matrix = Matrix(matrix)
            bpy.context.view_layer.update()
            for channel in ("location", "rotation_quaternion"):
                plain.pose.bones[name].keyframe_insert(channel, frame=int(frame))
    for curve in builders.by_address(made).values():
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"
    return made


def jerkiness(places: Array) -> float:
    """The highest change of joint velocity from frame to frame (frames, joints, 3)."""
    return float(np.linalg.norm(np.diff(places, 2, axis=0), axis=-1).max())


STEP = {1: 0.0, 16: 0.0, 17: 1.0}
CASES: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "FK to IK": (
        lambda rig: clip(rig, "Source", {1: 0}, at_rest={"grab": END}),
        lambda rig: clip(rig, "Destination", {1: 1}, 2.0, {"swing": END}),
    ),
    "IK to FK": (
        lambda rig: clip(rig, "Source", {1: 1}, at_rest={"swing": END}),
        lambda rig: clip(rig, "Destination", {1: 0}, 2.0, {"grab": END}),
    ),
    "FK, the hidden side at rest": (
        lambda rig: clip(rig, "Source", {1: 0}, at_rest={"grab": END}),
        lambda rig: clip(rig, "Destination", {1: 0}, 2.0),
    ),
    "IK, the hidden side at rest": (
        lambda rig: clip(rig, "Source", {1: 1}),
        lambda rig: clip(rig, "Destination", {1: 1}, 2.0, {"swing": END}),
    ),
    "FK into what goes over to IK": (
        lambda rig: clip(rig, "Source", {1: 0}, at_rest={"grab": END}),
        lambda rig: clip(rig, "Destination", STEP, 2.0, {"grab": 15}),
    ),
    "IK into what goes over to IK": (
        lambda rig: clip(rig, "Source", {1: 1}, at_rest={"swing": END}),
        lambda rig: clip(rig, "Destination", STEP, 2.0, {"grab": 15}),
    ),
    "FK into what glides to IK": (
        lambda rig: clip(rig, "Source", {1: 0}, at_rest={"grab": END}),
        lambda rig: clip(rig, "Destination", {1: 0, 10: 0, 24: 1}, 2.0),
    ),
    "FK into half of each": (
        lambda rig: clip(rig, "Source", {1: 0}, at_rest={"grab": END}),
        lambda rig: clip(rig, "Destination", {1: 0.5}, 2.0),
    ),
    "half of each into IK": (
        lambda rig: clip(rig, "Source", {1: 0.5}),
        lambda rig: clip(rig, "Destination", {1: 1}, 2.0, {"swing": END}),
    ),
}


BLEND, LONG = 9.6, 24.0
"""So long a blend takes the hand further than the arm reaches, where its goal is blended."""


@pytest.mark.variants(3)
@pytest.mark.parametrize(
    ("case", "kind", "blend"),
    [
        *((case, float, BLEND) for case in CASES),
        ("FK to IK", bool, BLEND),
        ("FK into what goes over to IK", int, BLEND),
        ("FK to IK", float, LONG),
        ("IK to FK", float, LONG),
    ],
)
def test_a_window_is_as_smooth_as_on_a_plain_skeleton(case: str, kind: Any, blend: float) -> None:
    rig = made_up(kind)
    source, destination = (made(rig) for made in CASES[case])
    plain = twin(rig)
    ends = [copied(rig, plain, action) for action in (source, destination)]
    _, wanted = builders.transition(plain, *ends, CUT, START, blend_frames=blend)
    report, result = builders.transition(rig, source, destination, CUT, START, blend_frames=blend)
    frames = np.arange(CUT - 3.0, report.window[1] + 3.0)
    found, same = (
        matrices(one, action, frames)[..., :3, 3] for one, action in ((rig, result), (plain, wanted))
    )
    assert jerkiness(found) <= 1.05 * jerkiness(same)
    before, at = (
        matrices(rig, action, np.array([CUT - 0.02, CUT]))[..., :3, 3] for action in (source, result)
    )
    assert np.abs(at - before).max() < 2e-4
    last = np.array([report.window[1], report.window[1] + 0.5, report.window[1] + 4.0])
    after, own = (
        matrices(rig, action, last - later) for action, later in ((result, 0.0), (destination, CUT - START))
    )
    np.testing.assert_allclose(after, own, atol=1e-5)


HIDES: dict[str, Callable[[Any], None]] = {
    "the eye": lambda rig: rig.hide_set(True),
    "its collection": lambda rig: setattr(bpy.context.view_layer.layer_collection, "hide_viewport", True),
}


@pytest.mark.variants(1)
@pytest.mark.parametrize("case", ["FK to IK", "IK to FK"])
@pytest.mark.parametrize("by", HIDES)
def test_a_hidden_rig_goes_between_fk_and_ik_as_a_shown_one(case: str, by: str) -> None:
    rig = made_up()
    source, destination = (made(rig) for made in CASES[case])
    report, result = builders.transition(rig, source, destination, CUT, START)
    HIDES[by](rig)
    _, again = builders.transition(rig, source, destination, CUT, START)
    bpy.context.view_layer.layer_collection.hide_viewport = False
    rig.hide_set(False)
    frames = np.arange(CUT - 3.0, report.window[1] + 3.0)
    shown, hidden = (matrices(rig, action, frames) for action in (result, again))
    np.testing.assert_allclose(hidden, shown, atol=1e-5)


def test_a_limb_on_a_rig_that_blender_does_not_play_is_told() -> None:
    rig = made_up()
    source, destination = (made(rig) for made in CASES["FK to IK"])
    rig.hide_viewport = True
    report, _ = builders.transition(rig, source, destination, CUT, START)
    assert any('"Rig" is disabled in viewports' in text for text in report.warnings)


@pytest.mark.variants(1)
@pytest.mark.parametrize("case", ["FK to IK", "IK to FK", "FK into what goes over to IK"])
def test_a_chain_that_ik_turns_itself(case: str) -> None:
    """Nothing is copied: IK turns the bones that FK poses, and the hand takes the goal's turn."""
    rig, seen = turned_itself(), ("body", *SWING)
    with open_stage(rig) as stage:
        (limb,) = limbs.find(stage, {*SWING, "grab"})
    assert (limb.fk_value, limb.ik_value, limb.fk, limb.ik) == (0.0, 1.0, SWING, ("grab",))
    source, destination = (made(rig) for made in CASES[case])
    plain = twin(rig, seen)
    ends = [copied(rig, plain, action, seen) for action in (source, destination)]
    _, wanted = builders.transition(plain, *ends, CUT, START, blend_frames=BLEND)
    report, result = builders.transition(rig, source, destination, CUT, START, blend_frames=BLEND)
    frames = np.arange(CUT - 3.0, report.window[1] + 3.0)
    found, same = (
        matrices(one, action, frames, seen)[..., :3, 3] for one, action in ((rig, result), (plain, wanted))
    )
    assert jerkiness(found) <= 1.05 * jerkiness(same)


@pytest.mark.variants(1)
@pytest.mark.parametrize("kind", ["COPY_TRANSFORMS", "COPY_LOCATION", "TRANSFORM"])
def test_a_goal_that_is_led_by_constraints_is_moved_to_where_the_hand_was(kind: str) -> None:
    """Whatever lies between the control and what IK reaches for, the arm stays where FK has it."""
    rig, seen = led(turned_itself(), kind), ("body", *SWING)
    source, destination = (made(rig) for made in CASES["FK to IK"])
    report, result = builders.transition(rig, source, destination, CUT, START)
    around = np.array([CUT - 1.0, CUT - 0.02, CUT, CUT + 1.0])
    before, at = (matrices(rig, action, around, seen) for action in (source, result))
    assert np.abs(at - before)[:3].max() < 2e-4
    # a frame later the arm goes on as it went
    assert np.abs((at - before)[3, ..., :3, 3]).max() < jerkiness(before[..., :3, 3]) + 0.02
    last = np.array([report.window[1], report.window[1] + 0.5])
    after, own = (
        matrices(rig, action, last - later, seen)
        for action, later in ((result, 0.0), (destination, CUT - START))
    )
    np.testing.assert_allclose(after, own, atol=1e-5)
    assert not [warning for warning in report.warnings if "switch" in warning]


@pytest.mark.variants(1)
@pytest.mark.parametrize("twist", [-0.8, 0.5])
def test_an_elbow_stays_where_it_is_when_a_pole_takes_over(twist: float) -> None:
    """FK has the arm turned about the line from shoulder to hand, which IK leaves to a control of its own."""
    rig = made_up()
    bpy.ops.object.mode_set(mode="EDIT")
    aim = rig.data.edit_bones.new("aim")
    aim.head, aim.tail = (0.0, -2.0, 1.5), (0.0, -2.0, 1.8)
    bpy.ops.object.mode_set(mode="OBJECT")
    (reach,) = rig.pose.bones["pull b"].constraints
    reach.pole_target, reach.pole_subtarget, reach.pole_angle = rig, "aim", -0.5 * np.pi
    actions = [clip(rig, "Source", {1: 0}), clip(rig, "Destination", {1: 1}, 2.0)]
    for action in actions:
        builders.curves(action, builders.bone_path("aim", "location"), [(1, (0, 0, 0)), (41, (0.1, 0, 0))])
    path = builders.bone_path("swing a", "rotation_quaternion")
    curves = [builders.by_address(actions[0])[path, i] for i in range(4)]
    for points in zip(*(curve.keyframe_points for curve in curves), strict=True):
        turned = Quaternion((0.0, 1.0, 0.0), twist) @ Quaternion([point.co.y for point in points])
        for point, value in zip(points, turned, strict=True):
            point.co.y = value
    report, result = builders.transition(rig, *actions, CUT, START)
    assert not report.warnings
    wanted, found = (matrices(rig, action, np.array([CUT]))[..., :3, 3] for action in (actions[0], result))
    np.testing.assert_allclose(found, wanted, atol=2e-4)


@pytest.mark.variants(1)
@pytest.mark.parametrize("case", [case for case in CASES if " into " in case and "of each into" not in case])
def test_a_hidden_limb_does_not_shine_through_where_a_switch_goes_over(case: str) -> None:
    """Between frames, too, the limb is where the plain skeleton has it until the window is over."""
    rig = made_up()
    source, destination = (made(rig) for made in CASES[case])
    plain = twin(rig)
    ends = [copied(rig, plain, action) for action in (source, destination)]
    _, wanted = builders.transition(plain, *ends, CUT, START)
    report, result = builders.transition(rig, source, destination, CUT, START)
    frames = np.arange(CUT, report.window[1] + 2.0, 0.25)
    found, same = (
        matrices(one, action, frames)[..., :3, 3] for one, action in ((rig, result), (plain, wanted))
    )
    assert np.abs(found - same).max() < 0.01


@pytest.mark.parametrize(
    ("grip", "expected"),
    [({1: 0}, []), ({1: 1}, [14, 15, 16, 17, 18]), (STEP, [17, 18]), ({1: 0, 16: 0, 17: 0.5}, [17, 18])],
)
def test_a_limb_is_known_to_show_more_than_fk(grip: dict[int, float], expected: list[int]) -> None:
    rig = made_up()
    action = clip(rig, "Clip", grip)
    with open_stage(rig) as stage:
        known = limbs.find(stage, {*SWING, "grab"})
    seen = switch_crossing.without_fk(clip_store.read(rig, action), known, np.arange(14.0, 19.0))
    assert seen.tolist() == expected


def test_fk_keeps_its_keys_where_ik_takes_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """FK tells of the limb until the window is over, so that nothing of the source has to be restated."""
    rig = made_up()
    source, destination = (made(rig) for made in CASES["FK to IK"])
    told: list[switch_crossing.Held] = []
    hold = switch_crossing.hold
    monkeypatch.setattr(switch_crossing, "hold", lambda *given: told.append(hold(*given)) or told[-1])
    builders.transition(rig, source, destination, CUT, START)
    (held,) = told
    assert (dict(held.transforms), held.lost, set(held.switches)) == ({}, (), {(SWITCH, 0)})
    assert held.destination is not None
    frames = np.arange(START, START + 5.0)
    np.testing.assert_array_equal(held.destination.curves[SWITCH, 0].at(frames), 0.0)


def test_frames_are_held_for_many_transitions_as_for_each() -> None:
    """What was found of a frame for one cut is what is found of it for another."""
    rig = made_up()
    source, destination = (made(rig).name for made in CASES["FK into what goes over to IK"])
    once = {"alignment": "NONE", "source_cycle": "OFF", "destination_cycle": "OFF", "feet": "OFF"}

    def planned(cut: float, footage: Footage) -> dict[Any, bytes]:
        settings = TransitionSettings(source, destination, cut, START, blend_frames=6.0, **once)
        curves = (
            finish(bake.plan_transition_steps(rig, settings, PlanOptions(footage=footage, constants={})))
            .slots[0]
            .composed
        )
        return {address: keys.points.tobytes() for address, keys in curves.items()}

    many = Footage()
    with many.of_many():
        together = [planned(cut, many) for cut in (CUT, CUT + 1.0)]
        assert many.held
    assert together == [planned(cut, Footage()) for cut in (CUT, CUT + 1.0)]


def test_a_hidden_side_of_a_limb_changes_nothing() -> None:
    """Where both clips show FK, it does not matter what either does with the other side."""
    shown = []
    for still in (0, END):
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        rig = made_up()
        source = clip(rig, "Source", {1: 0}, at_rest={"grab": still})
        destination = clip(rig, "Destination", {1: 0}, 2.0, {"grab": END - still})
        _, result = builders.transition(rig, source, destination, CUT, START)
        shown.append(matrices(rig, result, np.arange(CUT - 2.0, CUT + 14.0)))
    np.testing.assert_array_equal(*shown)


def without(action: Any, names: tuple[str, ...]) -> Any:
    """A clip in which some bones have no keys."""
    (slot,) = compat.slots(action)
    curves = compat.curves(action, slot.identifier)
    for curve in list(curves):
        if split_path(curve.data_path)[0] in names:
            curves.remove(curve)
    return action


def about(rig: Any, source: Any, destination: Any) -> str:
    """What a bake says of channels that only one clip keys."""
    report, _ = builders.transition(rig, source, destination, CUT, START)
    return " ".join(said for said in report.warnings if "key" in said)


@pytest.mark.variants(2)
@pytest.mark.parametrize("grip", [(0, 1), (1, 0), (0, 0), (1, 1)])
@pytest.mark.parametrize("stands", [False, True])
def test_controls_that_pose_nothing_in_a_clip_need_no_keys_there(
    grip: tuple[int, int], *, stands: bool
) -> None:
    """Each clip keys the side that it shows, or one both. stands: controls stand away from rest."""
    rig = made_up()
    sides = {0: ("grab",), 1: SWING}
    source = without(clip(rig, "Source", {1: grip[0]}), sides[grip[0]])
    destination = clip(rig, "Destination", {1: grip[1]}, 2.0)
    if grip[0] != grip[1]:
        without(destination, sides[grip[1]])
    for bone in ("grab", *SWING) if stands else ():
        rig.pose.bones[bone].location = (0.1, 0.0, 0.0)
    assert about(rig, source, destination) == ""


def test_controls_that_pose_a_limb_without_keys_are_told_of() -> None:
    """The destination shows IK, whose goal it does not key; FK is of no account there."""
    rig = made_up()
    source = clip(rig, "Source", {1: 0})
    destination = without(clip(rig, "Destination", {1: 1}, 2.0), ("grab", *SWING))
    said = about(rig, source, destination)
    assert '"grab"' in said
    assert "swing" not in said


def test_controls_are_told_of_where_a_clip_comes_to_show_them_later() -> None:
    rig = made_up()
    source = clip(rig, "Source", {1: 0})
    destination = without(clip(rig, "Destination", {1: 0, END - 1: 0, END: 1}, 2.0), ("grab",))
    assert '"grab"' in about(rig, source, destination)


def test_a_limb_is_found_by_what_its_switch_drives() -> None:
    rig = made_up()
    shape = bpy.data.objects.new("Shape", None)
    for name in (*SWING, "grab", "body"):
        rig.pose.bones[name].custom_shape = shape
    with open_stage(rig) as stage:
        (limb,) = limbs.find(stage)
        assert limbs.BoneRelations(rig, stage.evaluated).planted(limb) == ("grab",)
    assert (limb.switch, limb.fk_value, limb.ik_value) == (SWITCH, 0.0, 1.0)
    assert (limb.fk, limb.ik, limb.shown) == (SWING, ("grab",), SEEN[1:])
    assert rig.pose.bones["gear"]["grip"] == 0.0
