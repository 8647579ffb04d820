# SPDX-License-Identifier: GPL-3.0-or-later
"""Speeds and facings of made-up ways over the ground."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from inertia_addon.errors import InertiaError
from inertia_addon.motion.root_motion import half_life, ramps
from inertia_addon.motion.root_motion import measure as root_motion
from inertia_addon.settings.root_motion import Settings
from tests.motion import springs

FORWARD = np.array([0.0, -1.0, 0.0])


def read(
    seconds: float = 6.0,
    fps: float = 60.0,
    speed: float = 3.0,
    half: float = 0.3,
    turn: float = 0.0,
    turn_half: float = 0.25,
    noise: float = 0.0,
    forward: np.ndarray = FORWARD,
    lean: float = 0.0,
    first: float = 1.0,
) -> root_motion.RootMotion:
    """A root that starts to run after a second, along where it faces, and turns after three."""
    random = np.random.default_rng(8)
    frames = first + np.arange(int(seconds * fps))
    fine = np.arange(int(seconds * fps) * 16) / (16.0 * fps)
    heading = turn * springs.exact(turn_half, fine, 3.0)
    pace = speed * springs.exact(half, fine, 1.0)
    velocity = pace[:, None] * np.column_stack([np.sin(heading), -np.cos(heading)])
    way = np.vstack([np.zeros(2), np.cumsum(velocity[:-1] + velocity[1:], axis=0) / (32.0 * fps)])[::16]
    positions = np.column_stack([way, 1.0 + 0.02 * np.sin(20.0 * fine[::16])])
    positions += random.normal(0.0, noise, positions.shape) if noise else 0.0
    upright = Rotation.align_vectors([[0.0, -1.0, 0.0]], [forward])[0]
    turned = Rotation.from_euler("z", heading[::16, None]) * Rotation.from_euler("x", lean) * upright
    return root_motion.read(frames, positions, turned.as_quat(scalar_first=True), forward, fps)


@settings(max_examples=8, deadline=None)
@given(
    st.floats(0.5, 8.0),
    st.floats(0.1, 0.6),
    st.sampled_from([24.0, 29.97, 60.0, 120.0]),
    st.floats(-500.0, 500.0),
)
def test_the_half_life_of_a_start(speed: float, half: float, fps: float, first: float) -> None:
    motion = read(fps=fps, speed=speed, half=half, seconds=7.0, first=first)
    found = root_motion.measure(motion, Settings())
    assert found.travels
    assert found.maximum_speed == pytest.approx(speed, rel=0.02)
    (ramp,) = found.speeds
    assert ramp.fit.half_life == pytest.approx(half, rel=0.03)
    assert ramp.closed_form == pytest.approx(half, rel=0.15)
    assert found.peak_acceleration == pytest.approx(half_life.from_peak(speed, half), rel=0.15)
    assert found.main_ramp is ramp
    # scene frames are what seconds count
    assert ramp.fit.begin * fps == pytest.approx(first + fps, abs=0.05 * half * fps + 0.5)


@pytest.mark.slow
@settings(max_examples=8, deadline=None)
@given(
    st.floats(25.0, 700.0),
    st.sampled_from([-1.0, 1.0]),
    st.floats(0.1, 0.4),
    st.floats(-0.4, 0.4),
    st.sampled_from(
        [FORWARD, np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0]), np.array([0.6, 0.0, -0.8])]
    ),
)
def test_the_half_life_of_a_turn(
    degrees: float, side: float, half: float, lean: float, forward: np.ndarray
) -> None:
    turn = side * math.radians(degrees)
    motion = read(turn=turn, turn_half=half, seconds=5.0, lean=lean, forward=forward)
    found = root_motion.measure(motion, Settings())
    # beyond half a turn it goes on, whatever axis faces forward
    assert found.total_turn == pytest.approx(turn, rel=0.02)
    (ramp,) = found.turns
    assert ramp.fit.half_life == pytest.approx(half, rel=0.03)
    assert found.peak_turn_rate == pytest.approx(half_life.from_peak(turn, half), rel=0.15)


def test_noise_adds_nothing_to_the_speed() -> None:
    still = read(fps=120.0)
    quiet = root_motion.measure(still, Settings())
    noisy = root_motion.measure(read(fps=120.0, noise=0.001), Settings())
    standing = still.speed.seconds < 0.8
    assert np.abs(noisy.curves.speed[standing]).mean() < 0.05
    assert noisy.maximum_speed == pytest.approx(quiet.maximum_speed, rel=0.02)
    assert noisy.speeds[0].fit.half_life == pytest.approx(0.3, rel=0.1)


def test_swaying_hips_are_no_turn_and_are_said() -> None:
    frames = np.arange(300.0)
    sway = np.radians(12.0) * np.sin(2.0 * np.pi * 1.4 * frames / 60.0)
    rotations = Rotation.from_euler("z", (sway + np.radians(179.0))[:, None]).as_quat(scalar_first=True)
    positions = np.column_stack([0.02 * frames, 0.0 * frames, 0.0 * frames])
    motion = root_motion.read(frames, positions, rotations, FORWARD, 60.0)
    found = root_motion.measure(motion, Settings())
    assert found.turns == ()
    assert abs(found.total_turn) < np.radians(24.0)  # both ends may be anywhere in the sway
    longer = root_motion.measure(motion, Settings(smoothing_seconds=1.4))
    # the longer the window, the more is taken out, up to all of it; what was taken out is said
    assert found.curves.sway < longer.curves.sway
    assert np.degrees(longer.curves.sway) == pytest.approx(12.0 / math.sqrt(2.0), rel=0.25)


def test_jumps_are_left_out_and_named() -> None:
    clean = read()
    frames = clean.frames
    way = np.column_stack([0.05 * np.arange(len(frames)), np.zeros(len(frames)), np.zeros(len(frames))])
    way[100, 1] += 0.8
    rotations = np.tile([1.0, 0.0, 0.0, 0.0], (len(frames), 1))
    rotations[200] = Rotation.from_euler("z", 90.0, degrees=True).as_quat(scalar_first=True)
    motion = root_motion.read(frames, way, rotations, FORWARD, 60.0)
    assert motion.jumps == (frames[100], frames[200])
    np.testing.assert_allclose(motion.speed.values, 3.0, atol=1e-6)
    np.testing.assert_allclose(motion.facing.values, 0.0, atol=1e-9)


def test_a_clip_that_does_not_move_has_no_numbers() -> None:
    frames = np.arange(120.0)
    still = 0.01 * np.random.default_rng(2).normal(size=(120, 3))
    rotations = np.tile([1.0, 0.0, 0.0, 0.0], (120, 1))
    motion = root_motion.read(frames, still, rotations, FORWARD, 30.0)
    found = root_motion.measure(motion, Settings(least_travel=0.2))
    assert not found.travels
    assert not found.turns_at_all
    assert (found.maximum_speed, found.peak_acceleration, found.peak_turn_rate) == (None, None, None)
    assert (found.main_ramp, found.main_turn) == (None, None)


@pytest.mark.parametrize("count", range(1, 8))
def test_clips_of_few_frames(count: int) -> None:
    frames = np.arange(float(count))
    positions = np.column_stack([frames, frames, frames])
    rotations = np.tile([1.0, 0.0, 0.0, 0.0], (count, 1))
    found = root_motion.measure(root_motion.read(frames, positions, rotations, FORWARD, 30.0), Settings())
    assert found.speeds == ()
    assert found.turns == ()


def test_the_maximum_is_sustained() -> None:
    motion = read(speed=2.0)
    burst = motion.speed.values.copy()
    at = (motion.speed.seconds > 4.0) & (motion.speed.seconds < 4.3)
    burst[at] = 6.0
    spiky = root_motion.RootMotion(
        motion.fps,
        motion.frames,
        root_motion.Series(motion.speed.seconds, burst, 1 / 60),
        motion.facing,
        9.0,
        (),
    )
    quick = Settings(smoothing_seconds=0.05)
    assert root_motion.measure(spiky, quick).maximum_speed < 2.2
    short = Settings(smoothing_seconds=0.05, sustained_seconds=0.2)
    assert root_motion.measure(spiky, short).maximum_speed == pytest.approx(6.0, rel=0.05)


def test_ranges_that_are_given_are_measured() -> None:
    motion = read()
    found = root_motion.measure(motion, Settings(), speed_ranges=[(0.5, 2.0), (2.5, 2.51)], turn_ranges=[])
    assert [(round(ramp.start, 2), round(ramp.end, 2)) for ramp in found.speeds] == [(0.51, 1.99)]


@given(st.floats(-math.pi, math.pi))
def test_the_axis_that_travels(angle: float) -> None:
    frames = np.arange(60)
    way = np.column_stack([np.cos(angle) * frames, np.sin(angle) * frames, np.sin(frames)])
    turned = Rotation.from_euler("z", 0.7)
    rotations = np.tile(turned.as_quat(scalar_first=True), (60, 1))
    axis = root_motion.forward_of_travel(way, rotations)
    np.testing.assert_allclose(turned.apply(axis), [np.cos(angle), np.sin(angle), 0.0], atol=1e-9)
    assert root_motion.forward_of_travel(np.zeros((60, 3)), rotations) is None


@pytest.mark.parametrize("field", ["sustained_seconds", "smoothing_seconds", "peak_seconds", "least_turn"])
def test_settings_that_can_not_be(field: str) -> None:
    for value in (-1.0, math.nan, math.inf):
        with pytest.raises(InertiaError, match="; give a number of"):
            Settings(**{field: value})


def shuttle(angle: float, half: float, fps: float, rest: float = 0.0) -> root_motion.RootMotion:
    """A root that runs at 2 m/s, and turns back after 1.5 s, or stands for so long before it does; it faces
    ahead."""
    fine = np.arange(int((5.0 + rest) * fps) * 16) / (16.0 * fps)
    pace = 2.0 - 2.0 * springs.exact(half, fine, 1.5) - 2.0 * springs.exact(half, fine, 1.5 + rest)
    way = np.concatenate([[0.0], np.cumsum(pace[:-1] + pace[1:]) / (32.0 * fps)])[::16]
    positions = way[:, None] * np.array([math.sin(angle), math.cos(angle), 0.0])
    positions += np.random.default_rng(2).normal(0.0, 5e-4, positions.shape)
    rotations = np.tile([1.0, 0.0, 0.0, 0.0], (len(way), 1))
    return root_motion.read(np.arange(len(way)), positions, rotations, FORWARD, fps)


@settings(max_examples=8, deadline=None)
@given(st.floats(-math.pi, math.pi), st.floats(0.1, 0.5), st.sampled_from([30.0, 60.0, 120.0]))
def test_a_root_that_plants_and_turns_back_is_one_ramp_through_zero(
    angle: float, half: float, fps: float
) -> None:
    found = root_motion.measure(shuttle(angle, half, fps), Settings())
    (ramp,) = found.speeds
    assert ramp.fit is not None
    assert ramp.is_spring
    assert (ramp.fit.before, ramp.fit.after) == pytest.approx((2.0, -2.0), abs=0.05)
    assert ramp.fit.half_life == pytest.approx(half, rel=0.05)
    assert found.maximum_speed == pytest.approx(2.0, abs=0.05)


def test_a_root_that_stands_before_turning_back_goes_ahead_again() -> None:
    stop, start = root_motion.measure(shuttle(0.7, 0.2, 60.0, rest=3.0), Settings()).speeds
    assert (stop.before, stop.after) == pytest.approx((2.0, 0.0), abs=0.1)
    assert (start.before, start.after) == pytest.approx((0.0, 2.0), abs=0.1)


def test_a_ramp_that_strides_divide_is_one() -> None:
    random = np.random.default_rng(1)
    divided = 0
    while divided < 3:
        case = springs.strided(random)
        found = ramps.find(case.series, 0.7)
        if len(found) < 2:
            continue
        divided += 1
        (span,) = root_motion.joined_strides(case.series, found, 0.0)
        ramp = ramps.measure_ramp(case.series, *span)
        assert ramp is not None
        assert ramp.change == pytest.approx(case.change, rel=0.25)
        assert ramp.fit is not None
        assert ramp.fit.half_life == pytest.approx(case.half_life, rel=0.05)


@pytest.mark.parametrize("second", [-1.4, 2.6])
def test_two_ramps_stay_two_beside_strides(second: float) -> None:
    at = (np.arange(480) + 0.5) / 60.0
    speed = 1.4 * springs.integrated(at - 1.0, 0.2, 1.0 / 60.0)
    speed += second * springs.integrated(at - 4.0, 0.25, 1.0 / 60.0)
    strides = 1.0 + 0.06 * np.sin(2.0 * np.pi * 1.9 * at) + 0.02 * np.sin(2.0 * np.pi * 0.95 * at)
    series = ramps.Series(at, speed * strides, 1.0 / 60.0)
    found = ramps.find(series, 0.7)
    assert len(found) == 2
    assert root_motion.joined_strides(series, found, 0.0) == found
