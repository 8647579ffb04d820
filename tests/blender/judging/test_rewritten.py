# SPDX-License-Identifier: GPL-3.0-or-later
"""The verdict on an action with locked feet, or without pops, is what Blender shows of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from bench import seen as by_eye
from inertia_addon.blender.data import clip_store, compat, scene
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.feet import bake as feet
from inertia_addon.blender.feet.bake import LockReport
from inertia_addon.blender.judging import locked_feet, rewritten
from inertia_addon.blender.judging.rewritten import LockedOn
from inertia_addon.blender.judging.verdict import Verdict
from inertia_addon.blender.pops import bake as pops
from inertia_addon.motion.judging import faults
from inertia_addon.motion.steps import finish
from inertia_addon.settings.feet import LockSettings
from inertia_addon.settings.pops import PopSettings
from tests.blender import builders, clips, stepper


def locked(armature: Any, settings: LockSettings) -> tuple[LockReport, Verdict]:
    """Lock feet, and judge that."""
    report = finish(feet.lock_action_steps(armature, settings))
    seen = locked_feet.judge_report(armature, report)
    assert seen is not None
    return report, seen


JUMPS = (24, 27)
"""Frames on which a thigh is elsewhere."""


@pytest.fixture
def armature(fresh_file: None) -> Any:
    return stepper.biped()


def test_feet_that_a_lock_has_stand_still_are_seen_to_stand(armature: Any) -> None:
    stepper.walk(armature, "Skating", frames=55, skate=0.2)
    _, seen = locked(armature, LockSettings("Skating"))
    assert seen.skate is not None
    assert seen.skate < faults.SKATE_WAY * 1.8
    assert faults.SKATE not in [fault.kind for fault in seen.faults]


def test_feet_that_go_on_skating_are_poor_however_far_the_clip_skates(armature: Any) -> None:
    """A clip's own skating excuses a transition, but no lock, which is there to end it."""
    skating = stepper.walk(armature, "Skating", frames=55, skate=0.2)
    unchanged = skating.copy()
    (seen,) = finish(
        locked_feet.judge_locked_steps(
            read_character(armature),
            LockSettings("Skating"),
            unchanged,
            compat.slots(unchanged)[0].identifier,
        )
    )
    assert (seen.rating, seen.faults[0].kind) == (faults.POOR, faults.SKATE)
    assert seen.faults[0].size == pytest.approx(seen.faults[0].own, rel=0.5)


@pytest.mark.parametrize("height", [0.3, -0.3])
def test_a_ground_that_was_asked_for_is_no_fault(armature: Any, height: float) -> None:
    stepper.walk(armature, "Skating", frames=55, skate=0.2)
    settings = LockSettings("Skating", ground="PLANE", ground_height=height)
    _, seen = locked(armature, settings)
    heights = {faults.LIFT, faults.FLOAT, faults.SINK, faults.SKATE}
    assert heights.isdisjoint(fault.kind for fault in seen.faults)


def jumping(armature: Any) -> Any:
    """A walk in which a thigh jumps aside and back again."""
    made = stepper.walk(armature, "Popping", frames=55)
    curve = builders.by_address(made)[builders.bone_path("thigh.L", "rotation_quaternion"), 1]
    for key in curve.keyframe_points:
        if JUMPS[0] <= round(key.co[0]) <= JUMPS[1]:
            key.co[1] += 0.2
    curve.update()
    return made


def test_a_jump_that_is_smoothed_is_seen_no_more_and_one_that_is_left_is_named(armature: Any) -> None:
    made = jumping(armature)
    report = finish(pops.smooth_pops_steps(armature, PopSettings("Popping")))
    assert report.left == 0
    assert report.verdict is not None
    assert report.verdict.rating == faults.GOOD
    settings, slot = PopSettings("Popping"), report.slot
    (left,) = finish(pops.judge_smoothed_action_steps(read_character(armature), settings, made, slot))
    assert left.rating == faults.POOR
    worst = left.faults[0]
    assert worst.bone.endswith(".L")
    assert JUMPS[0] - 2 <= worst.frame <= JUMPS[1] + 2
    result = bpy.data.actions[report.result]
    assert finish(pops.judge_smoothed_action_steps(read_character(armature), settings, result, slot)) == (
        report.verdict,
    )


@pytest.mark.data
@pytest.mark.variants(1)
@pytest.mark.parametrize(
    ("name", "action"),
    [("pab", "Hips|walk|walk:BaseAnimation"), ("RobotExpressive", "Walking"), ("cmu02", "01")],
)
def test_the_verdict_on_locked_feet_is_what_blender_plays(data_dir: Path, name: str, action: str) -> None:
    """How far feet skate where they stand, and how hard joints change speed, by formulas of their own."""
    armature, names = clips.load(name, data_dir)
    (source,) = [each for each in names if action in each][:1]
    report, _ = locked(armature, LockSettings(source))
    clip = clip_store.read(armature, bpy.data.actions[source])
    result = clip_store.read(armature, bpy.data.actions[report.result], report.slot)
    stretches = rewritten.cut_into_stretches(clip, scene.fps())
    stretch = stretches[len(stretches) // 2]
    (judged,) = finish(
        rewritten.judge_stretches_steps(
            read_character(armature), clip, result, [stretch], LockedOn(np.array(report.ground))
        )
    )
    skate, change = look(by_eye.Stage(armature), clip, result, stretch)
    assert judged.highest.size == pytest.approx(change, rel=0.02, abs=0.01)
    assert judged.skate == pytest.approx(skate, rel=0.05, abs=0.002)


def look(stage: by_eye.Stage, clip: Any, result: Any, stretch: rewritten.Stretch) -> tuple[float, float]:
    """Have Blender play a stretch of a clip and of a result; return how far the foot that skates most does so
    over the ground where it has to stand, metres, and the highest change of velocity, m/s."""
    fps = scene.fps()

    def halves(first: float, last: float) -> Any:
        first, last = max(first, clip.start), min(last, clip.end)
        return first + 0.5 * np.arange(2.0 * (last - first) + 0.5)

    here, shown = halves(*stretch.before), halves(stretch.first - 2.0, stretch.last + 2.0)
    own = stage.play(clip.action.name, clip.slot.identifier, here)
    made = stage.play(result.action.name, result.slot.identifier, shown)
    around = halves(stretch.first - 2.0 * fps, stretch.last + 2.0 * fps)
    walked = stage.play(result.action.name, result.slot.identifier, around)
    below = by_eye.passing_below(stage, walked, around, fps)
    below = np.zeros(2) if below is None else below
    stands = by_eye.planted(own, stage.feet, here, below, [own], stage.size, fps)
    stands = stands[np.searchsorted(here, shown - 1e-6)]
    also = by_eye.planted(made, stage.feet, shown, below, [own], stage.size, fps)
    stands = np.where(np.isnan(also), stands, also)
    floor = by_eye.lowest_near(made[:, stage.feet, 2], shown, shown, 0.6 * fps)
    ground = np.where(np.isnan(stands), 0.0, 1.0), stands, floor
    passing = np.tile(below, (len(shown), 1))
    ways = by_eye.skated(made, stage.feet, shown, passing, ground, 0.01 * stage.size, fps)
    inside = (shown[1:] > stretch.first + 1e-6) & (shown[1:] <= stretch.last + 1e-6)
    changes, at = by_eye.jumps(made[:, stage.moving], fps), shown[2:-2]
    near = (at >= stretch.first - 1.0 - 1e-6) & (at <= stretch.last + 1.0 + 1e-6)
    return float(ways[inside].sum(axis=0).max()), float(changes[near].max())
