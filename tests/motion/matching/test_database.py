# SPDX-License-Identifier: GPL-3.0-or-later
"""What is known of a set of clips: places, headings and poses, and those of their mirror images."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inertia_addon.errors import InertiaError
from inertia_addon.motion import quaternion
from inertia_addon.motion.matching import database
from inertia_addon.motion.matching.database import ROUNDED
from tests.motion.made_up_walks import FPS, JOINTS, PAIRS, some, walk

EVEN = (1.0, 1.0, 1.0)


def test_flat_frames_know_their_clip_and_its_own_frame() -> None:
    base = some()
    assert base.frames == 2 * (61 + 4 * 91)
    assert base.stops[-1] == base.frames
    source, frame = base.place(int(base.starts[2]) + 7)
    assert (source.name, source.mirrored, frame) == ("left", False, 8.0)
    source, frame = base.place(int(base.starts[7]))
    assert (source.name, source.mirrored, frame) == ("left", True, 1.0)


def test_smoothing_leaves_a_straight_motion_as_it_is() -> None:
    base = some(tracks=[walk("walk", 1.4, 0.0, facing=0.7)], mirror=False)
    way = np.arange(base.frames) * 1.4 / FPS
    straight = np.stack([way * np.cos(0.7), way * np.sin(0.7)], axis=1)
    np.testing.assert_allclose(base.ground, straight, atol=2 * ROUNDED)
    np.testing.assert_allclose(base.heading, 0.7, atol=2 * ROUNDED)


def test_the_front_is_where_clips_go_whatever_a_roots_axes_are() -> None:
    turned = quaternion.exp(np.array([0.3, -0.2, 2.0]))
    tracks = [walk("walk", facing=0.4), walk("left", turn=0.8)]
    odd = [
        dataclasses.replace(track, root_rotation=quaternion.multiply(track.root_rotation, turned))
        for track in tracks
    ]
    plain, other = (some(tracks=each, mirror=False) for each in (tracks, odd))
    np.testing.assert_allclose(plain.heading[0], 0.4, atol=0.05)
    np.testing.assert_allclose(other.heading, plain.heading, atol=0.02)


def test_a_mirror_image_turns_the_other_way_with_left_and_right_exchanged() -> None:
    base = some(tracks=[walk("left", turn=0.8)])
    own, other = (slice(base.starts[i], base.stops[i]) for i in range(2))
    np.testing.assert_array_equal(base.heading[other], -base.heading[own])
    np.testing.assert_array_equal(base.ground[other], base.ground[own] * (1.0, -1.0))
    np.testing.assert_array_equal(
        base.positions[other][:, 1], base.positions[own][:, 2] * np.float32([1.0, -1.0, 1.0])
    )


def test_contacts_of_a_mirror_image_are_those_of_the_other_foot() -> None:
    planted = np.zeros((91, 2), bool)
    planted[:30, 0] = True
    track = dataclasses.replace(walk("walk"), contacts=planted)
    base = database.build([track], JOINTS, EVEN, FPS, PAIRS)
    assert base.contacts is not None
    np.testing.assert_array_equal(base.contacts[91:], planted[:, ::-1])


def test_a_clip_goes_on_behind_its_end_as_it_went() -> None:
    base = some(tracks=[walk("walk", 1.4, 0.0)], mirror=False)
    ground, heading = base.trajectory(np.array([80]), np.array([5, 40]))
    np.testing.assert_allclose(ground[0, :, 0], np.array([85, 120]) * 1.4 / FPS, atol=1e-3)
    np.testing.assert_allclose(heading, 0.0, atol=1e-3)


def test_a_set_that_stays_in_place_or_is_too_short_is_refused() -> None:
    with pytest.raises(InertiaError, match="stay in place"):
        some(tracks=[walk("stand", 0.0)])
    with pytest.raises(InertiaError, match=r"shorter than 0\.5 s"):
        some(tracks=[walk("walk", seconds=0.1)])


# --- bends: the same steps along an arc

RATES = st.floats(-1.5, 1.5).filter(lambda rate: abs(rate) > 0.1)


@settings(max_examples=8, deadline=None)
@given(RATES, st.floats(0.5, 5.0), st.sampled_from([24.0, 30.0, 60.0]))
def test_a_straight_way_becomes_an_arc_of_its_speed_over_its_turning(
    rate: float, speed: float, fps: float
) -> None:
    seconds = np.arange(round(3.0 * fps)) / fps
    ground = np.stack([speed * seconds, np.full_like(seconds, 2.0)], axis=1)
    turn, places = database.bend_ground(ground, fps, rate)
    centre = ground[0] + (0.0, speed / rate)
    away = np.linalg.norm(places - centre, axis=1)
    np.testing.assert_allclose(away, abs(speed / rate), rtol=2e-3)
    np.testing.assert_allclose(turn, rate * seconds)
    np.testing.assert_array_equal(places[0], ground[0])


@settings(max_examples=10, deadline=None)
@given(st.floats(0.1, 6.0), st.sampled_from([24.0, 30.0, 60.0]), st.floats(0.0, 0.3))
def test_a_clip_that_sets_out_or_stops_does_not_go_steadily(speed: float, fps: float, sway: float) -> None:
    seconds = np.arange(round(3.0 * fps)) / fps
    along = speed * (seconds + sway / (4.0 * np.pi) * np.sin(4.0 * np.pi * seconds))
    ground = np.stack([along, np.zeros_like(along)], axis=1)
    assert database.goes_steadily(ground, fps)
    still = np.repeat(ground[-1:], round(fps), axis=0)
    for other in (np.concatenate([ground, still]), np.concatenate([0.0 * still, ground]), still, ground[:1]):
        assert not database.goes_steadily(other, fps)


@settings(max_examples=8, deadline=None)
@given(RATES, st.integers(0, 2**31))
def test_steps_are_as_long_as_they_were(rate: float, seed: int) -> None:
    ground = np.cumsum(np.random.default_rng(seed).normal(size=(40, 2)), axis=0)
    _, places = database.bend_ground(ground, 30.0, rate)
    lengths = [np.linalg.norm(np.diff(way, axis=0), axis=1) for way in (ground, places)]
    np.testing.assert_allclose(*lengths)


def test_clips_can_be_bent_later_as_if_they_had_been_from_the_beginning() -> None:
    rates = (-0.5, 0.5)
    tracks = [walk("walk"), walk("left", 1.3, 0.8)]
    bent = [dataclasses.replace(tracks[0], bends=rates), tracks[1]]
    at_once, later = some(tracks=bent), database.with_bends(some(tracks=tracks), {"walk"}, rates)
    assert set(later.sources) == set(at_once.sources)
    for source, part in zip(later.sources, later.slices, strict=True):
        other = at_once.slices[at_once.sources.index(source)]
        np.testing.assert_allclose(later.ground[part], at_once.ground[other], atol=1e-3)
        np.testing.assert_allclose(later.heading[part], at_once.heading[other], atol=1e-3)
        np.testing.assert_allclose(later.positions[part], at_once.positions[other], atol=2e-3)
        np.testing.assert_allclose(later.velocities[part], at_once.velocities[other], atol=5e-3)


def test_clips_of_a_database_are_a_set_of_their_own() -> None:
    base = some()
    few, flat = base.only({"left", "run"})
    assert {source.name for source in few.sources} == {"left", "run"}
    np.testing.assert_array_equal(few.positions, base.positions[flat])
    for frame in (0, 100, few.frames - 1):
        assert few.place(frame) == base.place(int(flat[frame]))


def test_rates_are_central_differences_and_one_sided_at_ends() -> None:
    base = some(tracks=[walk("left", turn=0.8), walk("walk")], mirror=False)
    stop = int(base.stops[0])
    moved, turned = base.rates(np.array([0, 5, stop - 1, stop]))
    for i, (before, after) in enumerate([(0, 1), (4, 6), (stop - 2, stop - 1), (stop, stop + 1)]):
        each = FPS / (after - before)
        assert moved[i] == pytest.approx((base.ground[after] - base.ground[before]) * each)
        assert turned[i] == pytest.approx((base.heading[after] - base.heading[before]) * each)
