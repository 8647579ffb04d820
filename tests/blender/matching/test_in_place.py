# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths of clips that walk in place, by the travel that their feet tell of; sets in which nobody walks."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from inertia_addon.blender.data import actions, clip_store
from inertia_addon.blender.evaluation import joint_motion, joints
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.judging import sides
from inertia_addon.blender.judging.sides import Side
from inertia_addon.blender.matching import action_set, bake, followed, quality, recipes, search
from inertia_addon.blender.travel import reading
from inertia_addon.errors import InertiaError
from inertia_addon.motion.steps import finish
from inertia_addon.settings.matching import PathSettings, joined_by
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import builders, clips, stepper, wanderer


def asked(tmp_path: Path, *names: str) -> PathSettings:
    """A path of two metres along -Y, for some actions."""
    file = tmp_path / "line.csv"
    file.write_text("x,y\n" + "".join(f"0,{-y}\n" for y in range(3)), encoding="utf-8")
    own = TransitionSettings(**joined_by({}))
    return PathSettings(own, names, points=str(file), facing="FREE", width=4)


def standing(armature: Any) -> Any:
    """An action in which the character breathes."""
    made = builders.action("Stand", slot=armature.name)
    path = builders.bone_path("chest", "location")
    builders.curves(
        made,
        path,
        [(float(f), (0.0, 0.01 * np.sin(f), 0.0)) for f in range(1, 50)],
        slot="OB" + armature.name,
    )
    return made


def test_a_walk_in_place_follows_a_path(fresh_file: None, tmp_path: Path) -> None:
    armature = stepper.biped()
    walk = stepper.walk(armature, "Walk", frames=73, skate=-stepper.STRIDE)
    standing(armature)
    before = clips.contents(walk)
    settings = asked(tmp_path, "Walk", "Stand")
    weights = {joint.bone: joint.weight for joint in joints.default_joints(armature)}
    made = finish(action_set.analyse_steps(read_character(armature), settings, weights))
    assert made.travels == {"Walk": pytest.approx(stepper.STRIDE, rel=0.03)}
    found = finish(search.search_path_steps(made, settings, followed.course(settings)))
    assert '"Walk": 0.60 m/s, from its feet.' in found.warnings
    assert found.way.reached
    report = finish(bake.bake_way_steps(armature, found))
    assert clips.contents(walk) == before
    assert sorted(action.name for action in bpy.data.actions) == sorted(["Walk", "Stand", report.result])
    frames = np.arange(*report.frame_range)
    shown = builders.played(armature, actions.find(report.result), frames)
    hips = shown[:, armature.pose.bones.find("hips"), :2, 3]
    assert np.linalg.norm(hips[-1] - hips[0]) > 1.6
    assert np.abs(hips[:, 0]).max() < 0.2


def test_a_few_steps_in_place_that_are_no_cycle_follow_a_path(fresh_file: None, tmp_path: Path) -> None:
    armature = stepper.biped()
    stepper.walk(armature, "Walk", frames=31, skate=-stepper.STRIDE)
    settings = dataclasses.replace(asked(tmp_path, "Walk"), find_cycles=False)
    made = finish(action_set.analyse_steps(read_character(armature), settings, {"hips": 1.0, "head": 1.0}))
    assert made.travels == {"Walk": pytest.approx(stepper.STRIDE, rel=0.05)}


def test_a_clip_that_hangs_goes_straight_ahead_at_the_speed_that_is_named(
    fresh_file: None, tmp_path: Path
) -> None:
    """As what flies, swims, or has no legs; it is refused without one."""
    armature = stepper.biped()
    made = standing(armature)
    nods = [(float(f), (1.0, 0.3 * math.sin(0.4 * f), 0.2 * math.cos(0.4 * f), 0.0)) for f in range(1, 50)]
    path = builders.bone_path("chest", "rotation_quaternion")
    builders.curves(made, path, nods, slot="OB" + armature.name)
    settings = asked(tmp_path, "Stand")
    weights = {"chest": 1.0, "head": 1.0}
    with pytest.raises(InertiaError, match="stay in place"):
        finish(action_set.analyse_steps(read_character(armature), settings, weights))
    settings = dataclasses.replace(settings, speeds=("Stand=1.5",))
    analysed = finish(action_set.analyse_steps(read_character(armature), settings, weights))
    assert analysed.travels == {"Stand": 1.5}
    found = finish(search.search_path_steps(analysed, settings, followed.course(settings)))
    assert '"Stand": 1.50 m/s, as given.' in found.warnings
    report = finish(bake.bake_way_steps(armature, found))
    frames = np.arange(*report.frame_range)
    hips = builders.played(armature, actions.find(report.result), frames)[:, 0, :2, 3]
    speeds = np.linalg.norm(np.diff(hips, axis=0), axis=1) * stepper.FPS
    assert np.median(speeds) == pytest.approx(1.5, rel=0.05)


def test_whether_a_clip_walks_in_place_is_found_once_until_it_changes(
    fresh_file: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    armature = stepper.biped()
    walk = stepper.walk(armature, "Walk", frames=73, skate=-stepper.STRIDE)
    standing(armature)
    settings = asked(tmp_path, "Walk", "Stand")
    looked, walking = list[str](), reading.find_walk_steps

    def counted(*told: Any) -> Any:
        looked.append(told[2].action.name)
        return walking(*told)

    monkeypatch.setattr(reading, "find_walk_steps", counted)
    action_set.forget()
    first, second = (
        finish(action_set.read_clips_steps(read_character(armature), settings)) for _ in range(2)
    )
    assert looked == ["Walk", "Stand"]
    assert second[1] == first[1]
    assert [clip.action for clip in second[0]] == [clip.action for clip in first[0]]
    (curve, *_) = wanderer.bags(walk)[0]
    curve.keyframe_points[3].co[1] += 0.01
    curve.update()
    finish(action_set.read_clips_steps(read_character(armature), settings))
    assert looked == ["Walk", "Stand", "Walk"]


def arc(radius: float, angle: float) -> np.ndarray:
    """A path (n, 2) that sets out along -Y and turns to the left."""
    at = np.linspace(0.0, angle, 40)
    return radius * np.column_stack([1.0 - np.cos(at), -np.sin(at)])


@pytest.mark.variants(1)
@pytest.mark.parametrize("skate", [-stepper.STRIDE, 0.0], ids=["in place", "travels"])
def test_a_straight_walk_follows_a_curve_by_its_bends(skate: float, fresh_file: None, tmp_path: Path) -> None:
    armature = stepper.biped()
    # the one that travels ends half way through its cycle, so that it is none
    stepper.walk(armature, "Walk", frames=73 if skate else 61, skate=skate)
    file = tmp_path / "arc.csv"
    rows = (f"{x},{y}\n" for x, y in arc(1.2, 1.2).tolist())
    file.write_text("x,y\n" + "".join(rows), encoding="utf-8")
    weights = {joint.bone: joint.weight for joint in joints.default_joints(armature)}
    facing = {}
    for most in (0.0, 45.0):
        settings = dataclasses.replace(asked(tmp_path, "Walk"), points=str(file), facing="ALONG", bends=most)
        made = finish(action_set.analyse_steps(read_character(armature), settings, weights))
        found = finish(search.search_path_steps(made, settings, followed.course(settings)))
        facing[most] = np.degrees(np.abs(np.ptp(found.way.heading)))
    assert found.way.reached
    assert facing[0.0] < 1.0
    assert facing[45.0] == pytest.approx(np.degrees(1.2), abs=12.0)
    bent = [made.database.place(join.entered)[0].bend for join in found.way.joins]
    assert any(bend > 0.0 for bend in bent)
    # what is baked goes where the search had it, but for the blends
    report = finish(bake.bake_way_steps(armature, found))
    seen = finish(quality.measure_path_steps(armature, found, report))
    assert seen.apart_rms_m < 0.03
    assert sorted(action.name for action in bpy.data.actions) == sorted(["Walk", report.result])


@pytest.mark.variants(2)
@pytest.mark.parametrize(
    ("radius", "bends", "said"), [(0.4, 45.0, True), (2.0, 45.0, False), (0.4, 90.0, False)]
)
def test_a_path_too_tight_for_the_clips_is_said_with_the_least_radius(
    radius: float, bends: float, *, said: bool, fresh_file: None, tmp_path: Path
) -> None:
    armature = stepper.biped()
    stepper.walk(armature, "Walk", frames=73, skate=-stepper.STRIDE)
    file = tmp_path / "arc.csv"
    rows = (f"{x},{y}\n" for x, y in arc(radius, 3.0).tolist())
    file.write_text("x,y\n" + "".join(rows), encoding="utf-8")
    asks = dataclasses.replace(asked(tmp_path, "Walk"), points=str(file), facing="ALONG", bends=bends)
    weights = {joint.bone: joint.weight for joint in joints.default_joints(armature)}
    made = finish(action_set.analyse_steps(read_character(armature), asks, weights))
    found = finish(search.search_path_steps(made, asks, followed.course(asks)))
    told = [text for text in found.warnings if "too tight" in text]
    least = stepper.STRIDE / np.radians(bends)
    assert told == (
        [
            f"The path turns in {radius:.1f} m, which is too tight for these clips: at their speed they "
            f"turn in {least:.1f} m, or feet skate. Widen the path, or raise Bends."
        ]
        if said
        else []
    )


def test_bent_joins_are_judged_beside_bent_clips(
    fresh_file: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    armature = stepper.biped()
    stepper.walk(armature, "Walk", frames=73, skate=-stepper.STRIDE)
    file = tmp_path / "arc.csv"
    rows = (f"{x},{y}\n" for x, y in arc(2.0, 1.2).tolist())
    file.write_text("x,y\n" + "".join(rows), encoding="utf-8")
    asks = dataclasses.replace(asked(tmp_path, "Walk"), points=str(file), facing="ALONG", warp=False)
    own = dataclasses.replace(asks.transition, feet="OFF", blend_frames=4)
    asks = dataclasses.replace(asks, transition=own)
    weights = {joint.bone: joint.weight for joint in joints.default_joints(armature)}
    made = finish(action_set.analyse_steps(read_character(armature), asks, weights))
    found = finish(search.search_path_steps(made, asks, followed.course(asks)))
    played = recipes.plays_along(found)
    assert len(played) > 1
    assert any(one.bend > 0.0 for one in played)
    report = finish(bake.bake_way_steps(armature, found))
    result = clip_store.read(armature, actions.find(report.result), report.slot)
    beside: list[Side] = []
    judging = sides.judge_sides_steps

    def noting(armature: Any, both: tuple[Side, Side], *more: Any) -> Any:
        beside.append(both[1])
        return judging(armature, both, *more)

    monkeypatch.setattr(sides, "judge_sides_steps", noting)
    later = finish(
        quality.judge_result_steps(read_character(armature), actions.find(report.result), report.slot)
    )
    assert len(beside) == len(played) - 1
    # behind a blend it is what the path plays
    ends = [*(one.frame for one in played[2:]), report.frame_range[1]]
    for side, one, end in zip(beside, played[1:], ends, strict=True):
        frames = np.arange(np.ceil(one.frame) + 6.0, end)
        placed = finish(joint_motion.positions(read_character(armature), side.clip, frames - side.later))
        assert side.motion is not None
        placed = placed @ side.motion[:3, :3].T + side.motion[:3, 3]
        np.testing.assert_allclose(
            finish(joint_motion.positions(read_character(armature), result, frames)), placed, atol=0.01
        )
    now = finish(quality.measure_path_steps(armature, found, report)).verdicts
    assert [one.as_dict() for one in later] == [one.as_dict() for one in now]


def test_a_speed_in_place_can_be_given(fresh_file: None, tmp_path: Path) -> None:
    armature = stepper.biped()
    stepper.walk(armature, "Walk", frames=73, skate=-stepper.STRIDE)
    weights = {joint.bone: joint.weight for joint in joints.default_joints(armature)}
    settings = dataclasses.replace(asked(tmp_path, "Walk"), speeds=("Walk=0.9",), bends=0.0)
    made = finish(action_set.analyse_steps(read_character(armature), settings, weights))
    assert made.travels == {"Walk": 0.9}
    assert np.median(made.database.speeds) == pytest.approx(0.9, rel=0.05)
    assert action_set.speed_sentences(made, settings) == ['"Walk": 0.90 m/s, as given.']
    strange = dataclasses.replace(settings, speeds=("Run=2",))
    with pytest.raises(InertiaError, match='"Run", which is not one of the clips: Walk'):
        finish(action_set.analyse_steps(read_character(armature), strange, weights))


@pytest.mark.parametrize("text", ["Walk", "=1.3", "Walk=0", "Walk=fast", "Walk=nan"])
def test_a_text_that_is_no_speed_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(InertiaError, match="is not a clip's speed"):
        dataclasses.replace(asked(tmp_path, "Walk"), speeds=(text,))


def test_clips_that_only_stand_and_fall_are_refused(fresh_file: None, tmp_path: Path) -> None:
    armature = stepper.biped()
    standing(armature)
    falls = builders.action("Death", slot=armature.name)
    rest = np.array(armature.data.bones["hips"].matrix_local.to_3x3())
    at = np.arange(1.0, 40.0)
    u = np.clip((at - 5.0) / 20.0, 0.0, 1.0)
    # forwards, and down on the ground
    places = np.column_stack([0.0 * u, -0.9 * u**2, -0.85 * u**2]) @ rest
    path = builders.bone_path("hips", "location")
    builders.curves(falls, path, [*zip(at.tolist(), places.tolist(), strict=True)], slot="OB" + armature.name)
    turn = np.column_stack([np.cos(0.75 * u), np.sin(0.75 * u), 0.0 * u, 0.0 * u])
    path = builders.bone_path("hips", "rotation_quaternion")
    builders.curves(falls, path, [*zip(at.tolist(), turn.tolist(), strict=True)], slot="OB" + armature.name)
    settings = asked(tmp_path, "Death", "Stand")
    weights = {joint.bone: joint.weight for joint in joints.default_joints(armature)}
    with pytest.raises(InertiaError, match="their feet show none"):
        finish(action_set.analyse_steps(read_character(armature), settings, weights))
