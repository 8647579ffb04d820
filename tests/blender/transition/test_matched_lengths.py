# SPDX-License-Identifier: GPL-3.0-or-later
"""Two cycles of different lengths: the destination begins as long as the source, and ends as itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from inertia_addon.blender.data import compat
from inertia_addon.errors import InertiaError
from inertia_addon.motion.cycles.cycle import Clock
from tests.blender import builders, clips

X = builders.bone_path("A", "location")
Y = builders.bone_path("B", "location")
SWITCH = builders.bone_path("B", "lock_scale")


def cycle(name: str, period: float) -> Any:
    """A stride of one metre for each cycle, a swing, and a switch that is on for its second half."""
    made = builders.action(name)
    builders.curve(made, X, 0, [(0.0, 0.0), (period, 1.0)], interpolation="LINEAR")
    frames = np.arange(period + 1.0)
    swing = np.sin(2.0 * np.pi * frames / period)
    builders.curve(made, Y, 0, list(zip(frames, swing, strict=True)), handles="AUTO")
    builders.curve(made, SWITCH, 0, [(0.0, 0.0), (period / 2.0, 1.0), (period, 0.0)], "CONSTANT")
    return made


def matched(armature: Any, source: Any, destination: Any, cut: float, entry: float, **how: Any) -> Any:
    on = {"source_cycle": "ON", "destination_cycle": "ON", "match_lengths": True, "blend_frames": 12.0}
    return builders.transition(armature, source, destination, cut, entry, **{**on, **how})


def test_the_destination_begins_with_the_sources_length_and_ends_with_its_own(fresh_file: None) -> None:
    armature = builders.rig({"A": None, "B": "A"})
    walk, run = cycle("Walk", 40.0), cycle("Run", 20.0)
    report, result = matched(armature, walk, run, 50.0, 5.0, root="A", alignment="POSITION", go_on="CYCLES")
    # the same stride at the same length: nothing is left to blend but the sampling's own error
    clock = Clock(5.0, 0.5, 12.0)
    assert clock.gained == -3.0
    assert report.window == (50.0, 62.0)
    frames = np.arange(50.0, report.frame_range[1])
    shown = clock.frames_at(frames - 45.0)
    phase = 2.0 * np.pi / 20.0
    np.testing.assert_allclose(builders.evaluated(result, Y, 0, frames), np.sin(phase * shown), atol=5e-3)
    travelled = builders.evaluated(result, X, 0, frames)
    np.testing.assert_allclose(travelled - travelled[0], (shown - 5.0) / 20.0, atol=5e-4)
    # without a jump of speed at the cut or where the blend ends
    steps = np.diff(builders.evaluated(result, X, 0, np.arange(40.0, report.frame_range[1])))
    assert np.abs(np.diff(steps)).max() < 0.006
    switched = builders.evaluated(result, SWITCH, 0, frames)
    np.testing.assert_array_equal(switched, (shown % 20.0) >= 10.0)
    # from there on the destination's own keys, as many frames later as were lost
    keys = [key.co[0] for key in builders.by_address(result)[SWITCH, 0].keyframe_points if key.co[0] > 62.0]
    assert keys == pytest.approx([68.0, 78.0, 88.0])
    tail = builders.by_address(result)[Y, 0].keyframe_points
    assert all(abs(key.co[0] - round(key.co[0])) < 1e-4 for key in tail)


@pytest.mark.skipif(not compat.has_slots(), reason="slots came with Blender 4.4")
def test_companions_keep_step_with_matched_lengths(fresh_file: None) -> None:
    armature = builders.rig({"A": None, "B": "A"})
    ball = bpy.data.objects.new("Ball", None)
    bpy.context.scene.collection.objects.link(ball)
    walk, run = cycle("Walk", 40.0), cycle("Run", 20.0)
    for made, period in ((walk, 40.0), (run, 20.0)):
        frames = np.arange(period + 1.0)
        bounce = np.cos(2.0 * np.pi * frames / period)
        builders.curve(made, "location", 2, list(zip(frames, bounce, strict=True)), slot="OBBall")
    report, result = matched(armature, walk, run, 50.0, 5.0, root="A", alignment="POSITION", go_on="CYCLES")
    frames = np.arange(50.0, report.frame_range[1])
    shown = Clock(5.0, 0.5, 12.0).frames_at(frames - 45.0)
    bounced = builders.by_address(result, "OBBall")["location", 2]
    found = [bounced.evaluate(frame) for frame in frames]
    np.testing.assert_allclose(found, np.cos(2.0 * np.pi * shown / 20.0), atol=5e-3)


def test_lengths_that_cannot_be_matched_are_told(fresh_file: None) -> None:
    armature = builders.rig({"A": None, "B": "A"})
    walk, run = cycle("Walk", 40.0), cycle("Run", 20.0)
    report, _ = matched(armature, walk, run, 20.0, 0.0, source_cycle="OFF")
    assert '"Walk" is not a cycle, so there are no lengths to match; mark it as a cycle.' in report.warnings
    plain, _ = matched(armature, walk, run, 20.0, 0.0, source_cycle="OFF", match_lengths=False)
    assert (report.window, report.keys) == (plain.window, plain.keys)
    with pytest.raises(InertiaError, match="Match Lengths"):
        matched(armature, walk, run, 20.0, 0.0, strips=True)


@pytest.mark.data
def test_a_real_walk_becomes_a_run_without_a_pop(fresh_file: None, data_dir: Path) -> None:
    armature, names = clips.load("Fox", data_dir)
    walk, run = (bpy.data.actions[next(name for name in names if kind in name)] for kind in ("Walk", "Run"))
    report, result = matched(armature, walk, run, 9.0, 4.0, go_on="CYCLES", alignment="AUTO")
    (_, end), last = report.window, report.frame_range[1]
    (a, b), (c, d) = walk.frame_range, run.frame_range
    clock = Clock(4.0, (d - c) / (b - a), 12.0)
    assert end >= 21.0
    frames = np.arange(end, last - 1.0)
    shown = c + (clock.frames_at(frames - 5.0) - c) % (d - c)
    own = builders.by_address(run)
    rotations = [at for at in own if at[0].endswith("rotation_quaternion")]
    here, there = (
        np.array([builders.evaluated(made, *at, when) for at in rotations]).reshape(-1, 4, len(frames))
        for made, when in ((result, frames), (run, shown))
    )
    turns = np.abs(np.sum(here * there, axis=1))
    assert np.min(turns / np.linalg.norm(here, axis=1) / np.linalg.norm(there, axis=1)) > 1.0 - 1e-6
    # no faster anywhere than the two clips are
    fastest = max(builders.largest_step(walk, a, b), builders.largest_step(run, c, d))
    assert builders.largest_step(result, report.frame_range[0], last) < 1.15 * fastest
