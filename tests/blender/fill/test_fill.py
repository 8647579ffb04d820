# SPDX-License-Identifier: GPL-3.0-or-later
"""Filled gaps: both actions play exactly on their sides, and nothing jumps between them."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping
from typing import Any

import bpy
import numpy as np
import pytest

from inertia_addon.blender.data import recipe, recipe_reader
from inertia_addon.blender.fill import bake, choosing, planted, search
from inertia_addon.blender.fill.bake import FillReport
from inertia_addon.blender.judging import verdict
from inertia_addon.blender.results import update
from inertia_addon.errors import InertiaError
from inertia_addon.motion.arrays import Array
from inertia_addon.motion.fill.search import TooFar
from inertia_addon.motion.judging.faults import POP, Judgement, SeenFault
from inertia_addon.motion.steps import finish
from inertia_addon.settings.fill import FillSettings
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import builders, clips, stepper, wanderer

CUT, ENTRY = 20.0, 30.0
SHOWN = np.arange(CUT, CUT + 25.0)
WEIGHTS = {"hips": 1.0, "toe.L": 1.0, "toe.R": 1.0}


def settings(source: str = "Walk", destination: str = "Walk", **values: Any) -> FillSettings:
    own = {"assign": False, "feet": "OFF"} | {
        name: values.pop(name) for name in ("assign", "feet", "blend_frames", "result") if name in values
    }
    blend = TransitionSettings(source, destination, CUT, destination_frame=ENTRY, **own)
    return FillSettings(blend, **values)


def filled(armature: Any, asked: FillSettings, weights: Mapping[str, float] = WEIGHTS) -> FillReport:
    """weights: by few joints it is searched in less time."""
    found = finish(search.search_fill_steps(armature, asked, weights)) if asked.use_library else None
    return finish(bake.fill_gap_steps(armature, asked, found, weights=weights))


def led_through(armature: Any, asked: FillSettings) -> tuple[search.GapFill, FillReport]:
    """Search and bake."""
    found = finish(search.search_fill_steps(armature, asked, WEIGHTS))
    return found, finish(bake.fill_gap_steps(armature, asked, found))


def changes(poses: Array) -> Array:
    """How the velocity of each joint changes from frame to frame, metres a frame. poses: matrices."""
    return np.asarray(np.linalg.norm(np.diff(poses[..., :3, 3], 2, axis=0), axis=-1))


CASES: dict[str, dict[str, Any]] = {
    "walk on": {"gap_frames": 15.0},
    "a turn": {"destination": "Turn", "gap_frames": 24.0, "at": "0.1,-1.1,-80"},
    "longer than a clip": {"gap_frames": 75.0, "at": "0.1,-2.0,-80"},
    "from standing": {"source": "Stand", "gap_frames": 30.0, "at": "0,-0.3,-90"},
    "without clips": {"gap_frames": 20.0, "use_library": False},
    "without clips, a turn": {"destination": "Turn", "gap_frames": 30.0, "use_library": False},
}


@pytest.fixture
def armature() -> Any:
    return wanderer.with_clips()


@pytest.mark.variants(2)
@pytest.mark.parametrize("case", CASES)
def test_a_fill_is_exact_on_both_sides_and_does_not_jump(armature: Any, case: str) -> None:
    asked = settings(**CASES[case])
    report = filled(armature, asked, {bone.name: 1.0 for bone in armature.pose.bones})
    made, own = bpy.data.actions[report.result], asked.transition
    source, destination = (bpy.data.actions[name] for name in (own.source, own.destination))
    # what is moved elsewhere has keys of its own, on whole frames
    before, behind = np.arange(1.0, CUT + 0.01, 0.5), np.arange(0.0, 61.0 - ENTRY, 1.0 if asked.at else 0.5)
    assert builders.played(armature, made, before) == pytest.approx(
        builders.played(armature, source, before), abs=1e-5
    )
    shown = builders.played(armature, made, asked.arrival + behind)
    wanted = builders.played(armature, destination, ENTRY + behind)
    # where it is arrived at it is moved as one
    rigid = shown[0, 0] @ np.linalg.inv(wanted[0, 0])
    assert shown == pytest.approx(rigid @ wanted, abs=1e-4)
    assert asked.at or rigid == pytest.approx(np.eye(4), abs=1e-4)
    # velocities change no more than they do in the clips, with something left for another one's step
    clips = [bpy.data.actions[name] for name in wanderer.CLIPS]
    whole = np.arange(1.0, 62.0)
    usual = max(changes(builders.played(armature, clip, whole)).max() for clip in clips)
    around = np.arange(CUT - 6.0, asked.arrival + 7.0)
    assert changes(builders.played(armature, made, around)).max() < 1.4 * usual


def posed(armature: Any, name: str, *poses: tuple[float, str, float]) -> Any:
    """An action with nothing but keys of poses: the frame, and the action and frame that a pose is of."""
    made = bpy.data.actions.new(name)
    for frame, action, own in poses:
        builders.played(armature, bpy.data.actions[action], [own])
        armature.animation_data.action = made
        for bone in armature.pose.bones:
            bone.keyframe_insert("location", frame=frame)
            bone.keyframe_insert("rotation_quaternion", frame=frame)
    return made


@pytest.mark.parametrize("apart", [False, True], ids=["of one action", "of two actions"])
def test_a_fill_between_two_poses_plays_clips_and_not_what_lies_between(
    armature: Any, *, apart: bool
) -> None:
    first, last = (CUT, "Walk", 12.0), (ENTRY + 14.0, "Walk", 36.0)
    names = ["First", "Last"] if apart else ["Poses", "Poses"]
    for name, poses in zip(names, ([first], [last]) if apart else ([first, last],), strict=False):
        posed(armature, name, *poses)
    blend = TransitionSettings(*names, CUT, destination_frame=last[0], feet="OFF", assign=False)
    asked = FillSettings(blend, gap_frames=24.0)
    found = finish(search.search_fill_steps(armature, asked, WEIGHTS))
    played = {found.stock.database.place(flat)[0].name for flat in found.way.flat[1:].tolist()}
    assert played
    assert played <= set(wanderer.CLIPS)
    made = bpy.data.actions[finish(bake.fill_gap_steps(armature, asked, found)).result]
    shown = builders.played(armature, made, [CUT, asked.arrival, asked.arrival + 5.0])
    wanted = builders.played(armature, bpy.data.actions["Walk"], [12.0, 36.0, 36.0])
    assert shown == pytest.approx(wanted, abs=1e-4)


def played_frames(found: search.GapFill) -> set[tuple[str, float]]:
    """The frames of actions that a fill plays, beside those of what it comes from."""
    base, own = found.stock.database, found.way.flat[1:].tolist()
    return {(source.name, frame) for source, frame in map(base.place, own)}


def test_clips_that_pop_are_not_played_where_others_arrive(armature: Any) -> None:
    asked = settings(destination="Turn", gap_frames=24.0, at="0.1,-1.1,-80")
    before = played_frames(finish(search.search_fill_steps(armature, asked, WEIGHTS)))
    name, frame = sorted(before)[len(before) // 2]
    # no joint of those that count knows of it
    armature.animation_data_create().action = bpy.data.actions[name]
    chest = armature.pose.bones["chest"]
    for at, turn in ((frame - 1.0, 0.0), (frame, 1.0), (frame + 1.0, 0.0)):
        chest.rotation_quaternion = (math.cos(turn), math.sin(turn), 0.0, 0.0)
        chest.keyframe_insert("rotation_quaternion", frame=at)
    after = played_frames(finish(search.search_fill_steps(armature, asked, WEIGHTS)))
    assert (name, frame) not in after


def test_a_pose_is_held_up_to_the_cut(armature: Any) -> None:
    posed(armature, "First", (3.0, "Walk", 12.0))
    blend = TransitionSettings("First", "Walk", CUT, destination_frame=36.0, feet="OFF", assign=False)
    made = bpy.data.actions[filled(armature, FillSettings(blend, gap_frames=24.0)).result]
    shown = builders.played(armature, made, [3.0, 11.0, CUT])
    assert shown == pytest.approx(builders.played(armature, bpy.data.actions["Walk"], [12.0] * 3), abs=1e-5)


def test_a_destination_that_tells_a_rotation_by_other_numbers_leaves_the_source_as_it_is(
    armature: Any,
) -> None:
    walk, turn = (bpy.data.actions[name] for name in ("Walk", "Turn"))
    twisted = walk.copy()
    twisted.name = "Twisted"
    path = builders.bone_path("thigh.L", "rotation_quaternion")
    # in the clips between these are zero, which is the same by either sign
    for action, sign, twist in ((twisted, 1.0, 0.2), (turn, -1.0, 0.0)):
        for curve in (each for curves in wanderer.bags(action) for each in curves if each.data_path == path):
            for key in curve.keyframe_points:
                key.co[1] = twist if curve.array_index == 2 and twist else sign * key.co[1]
            curve.update()
    asked = settings("Twisted", "Turn", gap_frames=36.0, at="0.1,-1.1,-80", actions=tuple(wanderer.CLIPS))
    before = np.arange(1.0, CUT + 0.1, 0.5)
    made = bpy.data.actions[filled(armature, asked).result]
    wanted = builders.played(armature, twisted, before)
    assert builders.played(armature, made, before) == pytest.approx(wanted, abs=1e-4)


@pytest.mark.parametrize("side", ["source", "destination"])
def test_a_frame_that_an_end_lacks_is_named(armature: Any, side: str) -> None:
    asked = settings(gap_frames=20.0, use_library=False)
    frames = {"cut": 61.5} if side == "source" else {"destination_frame": 61.5}
    own = dataclasses.replace(asked.transition, **frames)  # type: ignore[arg-type]  # both are numbers
    with pytest.raises(InertiaError, match=r'"Walk" has no frame 61\.5'):
        filled(armature, dataclasses.replace(asked, transition=own))


def test_the_destination_is_arrived_at_where_it_is_asked_for(armature: Any) -> None:
    asked = settings(destination="Turn", gap_frames=24.0, at="0.1,-1.1,-80")
    found = finish(search.search_fill_steps(armature, asked, WEIGHTS))
    report = finish(bake.fill_gap_steps(armature, asked, found))
    made = bpy.data.actions[report.result]
    there = builders.played(armature, made, [asked.arrival])[0]
    own = builders.played(armature, bpy.data.actions["Turn"], [ENTRY])[0]
    ground, heading = found.gap.arrival(found.stock.database)
    assert ground == pytest.approx((0.1, -1.1))
    assert math.degrees(heading) == pytest.approx(-80.0)
    turn = there[0] @ np.linalg.inv(own[0])
    assert math.atan2(turn[1, 0], turn[0, 0]) == pytest.approx(found.gap.angle, abs=1e-4)
    # no verdict on a join sees how feet skate as the root is drawn
    drawn = float(np.linalg.norm(found.chain.away)) > planted.FELT * found.stock.database.size
    assert drawn == any("Feet skate between the joins" in said for said in report.warnings)


def ends_of(armature: Any, asked: FillSettings) -> tuple[Array, Array]:
    """The hips' matrices at the cut and at the arrival of a filled gap."""
    found = finish(search.search_fill_steps(armature, asked, WEIGHTS)) if asked.use_library else None
    report = finish(bake.fill_gap_steps(armature, asked, found))
    shown = builders.played(armature, bpy.data.actions[report.result], [CUT, asked.arrival])
    return shown[0, 0], shown[1, 0]


@pytest.mark.parametrize("use_library", [True, False], ids=["clips", "no clips"])
def test_a_walk_leads_on_though_both_clips_begin_at_the_origin(armature: Any, *, use_library: bool) -> None:
    bpy.data.actions["Walk"].copy().name = "Again"
    blend = TransitionSettings("Walk", "Again", CUT, destination_frame=1.0, feet="OFF", assign=False)
    asked = FillSettings(blend, 24.0, goal="AUTO", use_library=use_library)
    assert asked.chosen_goal == "LEAD"
    left, met = ends_of(armature, asked)
    # it sets out along -Y
    assert met[:2, 3] - left[:2, 3] == pytest.approx([0.0, -wanderer.SPEED], abs=0.05)
    assert met[:3, :3] == pytest.approx(left[:3, :3], abs=0.05)


def test_the_goal_of_who_stands_is_there_and_of_a_later_frame_where_it_is(armature: Any) -> None:
    bpy.data.actions["Stand"].copy().name = "Again"
    blend = TransitionSettings("Stand", "Again", CUT, destination_frame=40.0, feet="OFF", assign=False)
    left, met = ends_of(armature, FillSettings(blend, 24.0, goal="AUTO"))
    assert met[:2, 3] == pytest.approx(left[:2, 3], abs=0.02)
    within = settings(goal="AUTO")
    assert within.chosen_goal == "OWN"
    assert dataclasses.replace(within, goal="LEAD").chosen_goal == "LEAD"
    before = dataclasses.replace(within.transition, destination_frame=5.0)
    assert dataclasses.replace(within, transition=before).chosen_goal == "LEAD"
    assert dataclasses.replace(within, at="0,0,0", goal="OWN").chosen_goal == "PLACE"


def test_the_time_that_is_offered_does_where_the_goal_goes_along_with_it(armature: Any) -> None:
    asked = settings("Walk", "Stand", gap_frames=15.0, actions=("Turn",), goal="LEAD")
    with pytest.raises(TooFar) as refused:
        finish(search.search_fill_steps(armature, asked, WEIGHTS))
    nearest = refused.value.nearest_seconds
    assert nearest is not None
    frames = round(nearest * bpy.context.scene.render.fps)
    found = finish(
        search.search_fill_steps(armature, dataclasses.replace(asked, gap_frames=float(frames)), WEIGHTS)
    )
    assert found.way.frames == frames + 1


def test_a_fill_of_an_earlier_version_keeps_the_place_of_its_destination(armature: Any) -> None:
    asked = FillSettings.of(settings("Walk", "Turn").transition, {"gap_frames": 15.0})
    assert asked.chosen_goal == "LEAD"
    values = asked.as_dict()
    del values["goal"]
    assert FillSettings.from_dict(values).chosen_goal == "OWN"
    assert "goal" not in FillSettings.from_dict(values).as_dict()


def test_a_recipe_fills_it_anew_in_place(armature: Any) -> None:
    before = {action.name for action in bpy.data.actions}
    report = filled(armature, settings(gap_frames=15.0, assign=True, result="Filled"))
    made = bpy.data.actions["Filled"]
    assert {action.name for action in bpy.data.actions} == {*before, "Filled"}
    assert armature.animation_data.action == made
    assert recipe.kind(made) == recipe.FILL
    assert not recipe_reader.has_changed(made, armature)
    frames = np.arange(1.0, 60.0)
    shown = builders.played(armature, made, frames)
    bpy.data.actions["Walk"].name = "Walking"
    again = finish(update.update_steps(armature, made))
    assert again.result == "Filled"
    assert again.cuts == report.cuts
    assert builders.played(armature, bpy.data.actions["Filled"], frames) == pytest.approx(shown, abs=1e-6)


def test_a_place_too_far_is_told_with_the_nearest_time(armature: Any) -> None:
    names = {action.name for action in bpy.data.actions}
    with pytest.raises(InertiaError, match=r"in 0.62 s; give them [1-4]\.\d s"):
        filled(armature, settings(gap_frames=15.0, at="0,-1.9,-90"))
    with pytest.raises(InertiaError, match="nor in any other time"):
        filled(armature, settings(gap_frames=15.0, at="0,-40,-90"))
    with pytest.raises(InertiaError, match=r"lasts for 0\.0417 s"):
        filled(armature, settings(gap_frames=1.0))
    assert {action.name for action in bpy.data.actions} == names


def test_locked_feet_stand_still_and_leave_both_sides_exact(armature: Any) -> None:
    asked = settings(gap_frames=24.0, at="0.15,-1.2,-100", feet="OFF", result="Free")
    locked = dataclasses.replace(
        asked, transition=dataclasses.replace(asked.transition, feet="LOCK", result="Locked")
    )
    shown = {}
    around = np.arange(CUT - 6.0, asked.arrival + 7.0)
    found = finish(search.search_fill_steps(armature, asked, WEIGHTS))
    for each in (asked, locked):
        report = finish(bake.fill_gap_steps(armature, each, dataclasses.replace(found, settings=each)))
        assert report.verdicts
        shown[each.transition.feet] = builders.played(armature, bpy.data.actions[report.result], around)
    outside = (around <= CUT) | (around >= asked.arrival)
    assert shown["LOCK"][outside] == pytest.approx(shown["OFF"][outside], abs=1e-4)
    assert skate(armature, shown["LOCK"]) < 0.6 * skate(armature, shown["OFF"])


def test_feet_of_a_fill_are_locked_where_the_gap_looks_better(
    armature: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = settings(gap_frames=24.0, feet="AUTO")
    found, report = led_through(armature, settings(gap_frames=24.0))
    free = builders.played(armature, bpy.data.actions[report.result], SHOWN)
    for severities, is_left in (((300.0, 0.1), False), ((0.1, 300.0), True)):
        # how hard a joint moves between the joins: first without locked feet, then with them
        left = iter(severities)

        def popping(*_: object, left: Iterator[float] = left) -> tuple[SeenFault, ...]:
            return (SeenFault(POP, 1.0, 1.0, next(left), 0, CUT),)

        monkeypatch.setattr(planted, "_find_pop", popping)
        report = finish(bake.fill_gap_steps(armature, asked, dataclasses.replace(found, settings=asked)))
        shown = builders.played(armature, bpy.data.actions[report.result], SHOWN)
        assert np.allclose(shown, free, atol=1e-6) == is_left


def test_feet_of_a_gap_without_clips_stand_and_step_over_once(armature: Any) -> None:
    """Between two poses of a walk, a step apart."""
    posed(armature, "Poses", (CUT, "Walk", 13.0), (CUT + 30.0, "Walk", 25.0))
    blend = TransitionSettings("Poses", "Poses", CUT, destination_frame=CUT + 30.0, assign=False)
    shown = {}
    for feet in ("OFF", "LOCK"):
        own = dataclasses.replace(blend, feet=feet)
        report = filled(armature, FillSettings(own, 30.0, use_library=False))
        shown[feet] = builders.played(armature, bpy.data.actions[report.result], CUT + np.arange(31.0))
    assert shown["LOCK"][[0, -1]] == pytest.approx(shown["OFF"][[0, -1]], abs=1e-4)
    assert skate(armature, shown["LOCK"]) < 0.5 * skate(armature, shown["OFF"])
    toes = shown["LOCK"][:, [armature.pose.bones.find(name) for name in ("toe.L", "toe.R")], :2, 3]
    speeds = np.linalg.norm(np.diff(toes, axis=0), axis=-1)
    moving = speeds > 0.1 * speeds.max()
    # each foot sets out once
    assert np.diff(moving.astype(int), axis=0, prepend=0).clip(0).sum(axis=0).max() == 1


def test_the_velocities_of_both_ends_are_kept_without_clips(armature: Any) -> None:
    report = filled(armature, settings(gap_frames=20.0, use_library=False))
    made = bpy.data.actions[report.result]
    for frame, action, own in ((CUT, "Walk", CUT), (CUT + 20.0, "Walk", ENTRY)):
        around = np.array([-1.0, 0.0, 1.0])
        change = changes(builders.played(armature, made, frame + around)).max()
        usual = changes(builders.played(armature, bpy.data.actions[action], np.arange(1.0, 61.0))).max()
        assert change < 1.1 * usual, (frame, own)


def test_a_walk_that_goes_on_without_a_step_is_a_fault_that_clips_do_not_have(
    armature: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen, judge = list[Judgement](), planted.judge_whole

    def judging(*given: Any) -> Judgement:
        seen.append(judge(*given))
        return seen[-1]

    monkeypatch.setattr(planted, "judge_whole", judging)
    blend = TransitionSettings("Walk", "Walk", CUT, destination_frame=12.0, feet="OFF", assign=False)
    asked = FillSettings(blend, 48.0, goal="LEAD", use_library=False)
    words = []
    for each in (
        asked,
        dataclasses.replace(asked, gap_frames=8.0),
        dataclasses.replace(asked, use_library=True),
    ):
        words.append(filled(armature, each).rating)
    long, short, clips = (each.severity_of(planted.GLIDE) for each in seen)
    assert long > 2.0
    assert words[0] == "POOR"
    assert short < 1.0
    assert clips == 0.0


@pytest.mark.parametrize("is_better", [True, False], ids=["no clips", "clips"])
def test_the_judge_takes_clips_or_none(
    armature: Any, monkeypatch: pytest.MonkeyPatch, *, is_better: bool
) -> None:
    asked = settings(gap_frames=24.0, choose_by="JUDGE", result="Filled")
    candidates = finish(search.search_candidates_steps(armature, asked, WEIGHTS))
    assert [each is not None and each.chain is not None for each in candidates.fills] == [True, False]
    severe = iter([9.0, 0.1] * 2 if is_better else [0.1, 9.0] * 2)

    def popping(*_: object) -> tuple[SeenFault, ...]:
        return (SeenFault(POP, 1.0, 1.0, 1000.0 * next(severe), 0, CUT),)

    monkeypatch.setattr(planted, "_find_pop", popping)
    monkeypatch.setattr(verdict.Verdict, "order", property(lambda _: (0, 0.0)))
    names = {action.name for action in bpy.data.actions}
    report = finish(bake.fill_gap_steps(armature, asked, candidates))
    assert {action.name for action in bpy.data.actions} == {*names, "Filled"}
    assert report.has_clips != is_better
    made = bpy.data.actions[report.result]
    assert bake.is_without_clips(made) == is_better
    assert recipe_reader.read_recipe(made, recipe.FILL).settings == asked
    # the other one is the second choice
    second = dataclasses.replace(asked, choice=2)
    others = finish(search.search_candidates_steps(armature, second, WEIGHTS))
    assert finish(bake.fill_gap_steps(armature, second, others)).has_clips == is_better


def test_choices_are_judged_and_the_third_plays_other_clips(armature: Any) -> None:
    weights = {bone.name: 1.0 for bone in armature.pose.bones}
    asked = settings("Walk", "Stand", gap_frames=48.0, at="0,-1,-90", choose_by="JUDGE")
    names = {action.name for action in bpy.data.actions}
    found = finish(choosing.find_choices_steps(armature, asked, weights))
    assert {action.name for action in bpy.data.actions} == names
    assert [each.fill.chain is None for each in found].count(True) == 1
    assert found[0].merit <= found[1].merit
    (unaided,) = (each for each in found if each.fill.chain is None)
    assert unaided.motion is not None
    arrival, _ = unaided.fill.gap.arrival(unaided.fill.stock.database)
    # the root, as it is, and not as it is smoothed
    assert unaided.motion.root_position[-1, :2] == pytest.approx(arrival, abs=0.05)
    third = dataclasses.replace(asked, choice=3)
    (taken,) = finish(search.search_candidates_steps(armature, third, weights)).fills
    assert taken is not None
    assert search.figures(taken)["clips"] == search.figures(found[2].fill)["clips"]
    with pytest.raises(InertiaError, match="There is no choice 3: 2 of three"):
        search.chosen((found[0].fill,), third)


def test_a_character_that_stoops_on_both_sides_of_a_gap_stoops_in_it(armature: Any) -> None:
    stooping = bpy.data.actions["Walk"].copy()
    stooping.name = "Stoop"
    armature.animation_data_create().action = stooping
    chest = armature.pose.bones["chest"]
    chest.rotation_quaternion = (math.cos(0.4), math.sin(0.4), 0.0, 0.0)
    for frame in (1.0, 61.0):
        chest.keyframe_insert("rotation_quaternion", frame=frame)
    asked = settings("Stoop", "Stoop", gap_frames=36.0, actions=tuple(wanderer.CLIPS))
    # the chest counts, too
    report = filled(armature, asked, {bone.name: 1.0 for bone in armature.pose.bones})
    shown = builders.played(armature, bpy.data.actions[report.result], CUT + np.arange(37.0))
    names = armature.pose.bones.keys()
    parent = names.index(chest.parent.name)
    lean = np.linalg.inv(shown[:, parent]) @ shown[:, names.index("chest")]
    rest = np.linalg.inv(armature.data.bones[chest.parent.name].matrix_local) @ chest.bone.matrix_local
    turned = np.linalg.inv(np.array(rest)) @ lean
    angle = np.arctan2(turned[:, 2, 1], turned[:, 1, 1])
    assert angle[[0, -1]] == pytest.approx(0.8, abs=1e-4)
    assert angle.min() > 0.4


def skate(armature: Any, poses: Array) -> float:
    """How far both feet go along the ground, metres, while they are within 2 cm of their lowest."""
    feet = poses[:, [armature.pose.bones.find(name) for name in ("toe.L", "toe.R")]][..., :3, 3]
    low = feet[1:, :, 2] < feet[:, :, 2].min(axis=0) + 0.02
    return float((np.linalg.norm(np.diff(feet[..., :2], axis=0), axis=-1) * low).sum())


def posts(*places: tuple[float, float]) -> Any:
    """A collection of posts, 20 cm thick."""
    made = bpy.data.collections.new("Posts")
    bpy.context.scene.collection.children.link(made)
    for x, y in places:
        bpy.ops.mesh.primitive_cylinder_add(vertices=6, radius=0.1, depth=2.0, location=(x, y, 0.0))
        thing = bpy.context.object
        bpy.context.collection.objects.unlink(thing)
        made.objects.link(thing)
    return made


def test_the_way_between_two_ends_goes_around_what_stands_there(armature: Any) -> None:
    """As Blender shows the hips, on half frames too; and by the recipe, whatever the collection is called."""
    own: dict[str, Any] = {"gap_frames": 70.0, "at": "0.1,-1.8,-80", "mirror": True}
    hips = [bone.name for bone in armature.pose.bones].index("hips")
    straight = led_through(armature, settings(**own))[1]
    frames = np.arange(CUT, CUT + own["gap_frames"], 0.5)
    way = builders.played(armature, bpy.data.actions[straight.result], frames)[:, hips, :2, 3]
    x, y = way[len(way) // 2]
    made = posts((x + 0.1, y))
    walls = search.surroundings.obstacles("Posts")
    assert search.surroundings.nearest_obstacle(walls, way) < 0.05
    asked = settings(**own, obstacles="Posts", keep_away=0.2)
    found, report = led_through(armature, asked)
    around = bpy.data.actions[report.result]
    led = builders.played(armature, around, frames)[:, hips, :2, 3]
    assert search.surroundings.nearest_obstacle(walls, led) > 0.12
    assert search.figures(found)["obstacle_m"] > 0.12
    made.name = "Columns"
    assert recipe_reader.read_recipe(around, recipe.FILL).settings.obstacles == "Columns"
    assert not recipe.has_moved(around)
    made.objects[0].location.x += 1.0
    assert recipe.has_moved(around)
    short = settings(**own | {"gap_frames": 56.0}, obstacles="Columns", keep_away=0.2)
    with pytest.raises(InertiaError, match="get around the obstacles within") as blocked:
        finish(search.search_fill_steps(armature, short, WEIGHTS))
    # and the time that would do is the one that did
    frames = blocked.value.facts["nearest_seconds"] * bpy.context.scene.render.fps
    assert round(frames) == own["gap_frames"]
    with pytest.raises(InertiaError, match="Only clips lead around obstacles"):
        settings(**own, obstacles="Columns", use_library=False)
    with pytest.raises(InertiaError, match='no collection "Gone" of obstacles'):
        finish(search.search_fill_steps(armature, settings(**own, obstacles="Gone"), WEIGHTS))


def test_walks_in_place_go_before_the_gap_and_behind_it(fresh_file: None) -> None:
    """By their feet, as the clips between: at one speed all the way, and both actions stay as they are."""
    armature = stepper.biped()
    ends = [
        stepper.walk(armature, name, frames, skate=-stepper.STRIDE, late=late)
        for name, frames, late in (("Walk", 49, 0.0), ("Late", 61, 0.25))
    ]
    before = [clips.contents(action) for action in ends]
    asked = settings("Walk", "Late", gap_frames=17.0, goal="LEAD")
    report = filled(armature, asked)
    assert [clips.contents(action) for action in ends] == before
    poses = builders.played(armature, bpy.data.actions[report.result], np.arange(1.0, report.frame_range[1]))
    hips = poses[:, armature.pose.bones.find("hips"), :2, 3]
    speeds = np.linalg.norm(np.diff(hips, axis=0), axis=1) * stepper.FPS
    np.testing.assert_allclose(speeds, stepper.STRIDE, atol=0.06)
    gone = hips[-1] - hips[0]
    assert gone == pytest.approx((0.0, -stepper.STRIDE * (len(hips) - 1) / stepper.FPS), abs=0.05)
    # anew in place, also under other names
    ends[0].name = "Other"
    again = finish(update.update_steps(armature, bpy.data.actions[report.result]))
    assert again.result == report.result
    with pytest.raises(InertiaError, match="as a strip it stands nowhere"):
        filled(armature, settings("Other", "Late", gap_frames=17.0, goal="LEAD", strips=True))
