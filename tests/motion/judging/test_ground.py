# SPDX-License-Identifier: GPL-3.0-or-later
"""The ground below walkers: it stands, passes, or nobody can say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inertia_addon.motion.arrays import Array
from inertia_addon.motion.judging import evidence
from inertia_addon.motion.judging.evidence import Track

FPS, SIZE, PERIOD = 30.0, 2.0, 20.0
FRAMES = np.arange(0.0, 41.0)


def walking(speed: float, *, travels: bool, slip: float = 0.0, turn: float = 0.0) -> Track:
    """Two feet and the hips of who walks so fast, metres a second, along a heading; in place, or not.

    slip: a planted foot goes along with its walker by this part of the speed.
    """
    positions = np.zeros((len(FRAMES), 3, 3))
    positions[:, 2, 2] = 1.0
    along = np.zeros((len(FRAMES), 3))
    for foot, late in enumerate((0.0, 0.5)):
        phase = (FRAMES / PERIOD + late) % 1.0
        planted = phase < 0.5
        stride = speed * (1.0 - slip) * 0.5 * PERIOD / FPS
        # back while it is planted, and forth in the air
        along[:, foot] = stride * np.where(planted, 0.5 - 2.0 * phase, 2.0 * phase - 1.5)
        positions[:, foot, 2] = np.where(planted, 0.0, 0.2 * np.sin(np.pi * (2.0 * phase - 1.0)))
    if travels:
        along += (speed * FRAMES / FPS)[:, None]
    positions[..., :2] = along[..., None] * np.array([np.sin(turn), np.cos(turn)])
    return Track(FRAMES, positions)


def passing(track: Track) -> Array | None:
    return evidence.measure_passing_ground(track, SIZE, evidence.LOW * SIZE, FPS)


@given(speed=st.floats(0.5, 6.0), turn=st.floats(-3.0, 3.0))
def test_the_ground_passes_below_who_walks_in_place(speed: float, turn: float) -> None:
    found = passing(walking(speed, travels=False, turn=turn))
    assert found == pytest.approx(-speed * np.array([np.sin(turn), np.cos(turn)]), abs=1e-6)


@given(speed=st.floats(0.5, 6.0), slip=st.floats(0.0, 0.25))
def test_the_ground_stands_below_a_traveller_though_low_feet_are_not_quite_still(
    speed: float, slip: float
) -> None:
    found = passing(walking(speed, travels=True, slip=slip))
    assert found is not None
    assert not found.any()


@given(speed=st.floats(1.0, 6.0), slip=st.floats(0.4, 0.9))
def test_the_ground_of_a_character_that_skates_along_is_not_known(speed: float, slip: float) -> None:
    assert passing(walking(speed, travels=True, slip=slip)) is None


@given(seed=st.integers(0, 1000))
def test_the_ground_of_feet_that_go_hither_and_thither_is_not_known(seed: int) -> None:
    track = walking(1.0, travels=False)
    ways = np.random.default_rng(seed).normal(0.0, 1.0, (len(FRAMES), 2, 2)) / FPS
    positions = np.zeros_like(track.positions)
    positions[:, :2, :2] = np.cumsum(ways * 3.0, axis=0)
    assert passing(Track(FRAMES, positions)) is None


def test_the_ground_stands_below_a_character_without_feet_or_that_never_comes_down() -> None:
    track = walking(2.0, travels=False)
    assert passing(Track(FRAMES, track.positions[:, 2:])) == pytest.approx([0.0, 0.0])
