# SPDX-License-Identifier: GPL-3.0-or-later
"""Stances are found where feet skate, and how far they do; those that swing are none."""

from __future__ import annotations

import numpy as np
import pytest

from inertia_addon.motion.arrays import Array
from inertia_addon.motion.feet import contacts
from inertia_addon.motion.feet.contacts import Span
from inertia_addon.motion.finish import skating
from inertia_addon.motion.finish.skating import SkatingFoot
from inertia_addon.settings.feet import ContactSettings

RATE = 30.0
FRAMES = np.arange(91.0)


def walking(skate: float) -> tuple[Array, Array]:
    """A foot's point and the hips (n, 3) in leg lengths: it stands for half of each second.

    skate: how fast it goes on meanwhile.
    """
    turn, part = np.divmod(FRAMES / RATE, 1.0)
    u = np.clip(2.0 * part - 1.0, 0.0, 1.0)
    x = 1.4 * (turn + u * u * (3.0 - 2.0 * u)) + skate * FRAMES / RATE
    z = 0.15 * 16.0 * (u * (1.0 - u)) ** 2
    hips = np.column_stack([(1.4 + skate) * FRAMES / RATE, 0.0 * x, 1.0 + 0.0 * x])
    return np.column_stack([x, 0.0 * x, z]), hips


@pytest.mark.parametrize("skate", [0.0, 0.3, 0.5, 0.7])
def test_stances_are_found_however_fast_the_foot_slides(skate: float) -> None:
    points, hips = walking(skate)
    known = contacts.find(points, FRAMES, RATE, 1.0)
    spans = skating.find_standing(SkatingFoot(FRAMES, points, hips, RATE), known, ContactSettings())
    assert len(spans) in (3, 4)
    for turn in range(3):
        # but for where it lands and lifts
        middle = 30.0 * turn + 7.0
        (span,) = (each for each in spans if each.holds(middle))
        assert span.frames >= 9.0
        assert not any(each.holds(30.0 * turn + 23.0) for each in spans)


def test_a_foot_that_drags_as_fast_as_the_body_goes_swings() -> None:
    points = np.column_stack([1.2 * FRAMES / RATE, 0.0 * FRAMES, 0.0 * FRAMES])
    hips = points + np.array([0.0, 0.0, 1.0])
    assert skating.find_standing(SkatingFoot(FRAMES, points, hips, RATE), (), ContactSettings()) == ()


@pytest.mark.parametrize("speed", [0.0, 0.1, 0.4])
def test_a_slide_is_measured_over_the_whole_stance(speed: float) -> None:
    t = np.arange(20) / RATE
    points = np.column_stack([0.6 * speed * t, 0.8 * speed * t, 0.0 * t])
    assert skating.measure_skate(points) == pytest.approx(speed * t[-1], abs=1e-9)


def test_a_slide_is_not_noise_nor_what_a_foot_does_where_it_lands_and_lifts() -> None:
    points = 0.005 * np.random.default_rng(3).normal(size=(30, 3))
    points[:4, 0] -= 0.2
    points[-4:, 0] += 0.2
    assert skating.measure_skate(points) < 0.02


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_slide_of_few_frames_is_finite(count: int) -> None:
    assert np.isfinite(skating.measure_skate(np.ones((count, 3))))


@pytest.mark.parametrize("spacing", [0.5, 1.0])
def test_stances_with_no_more_than_a_short_gap_between_them_are_one(spacing: float) -> None:
    settings, rate = ContactSettings(), RATE / spacing
    frames = spacing * FRAMES
    # it goes as fast as the body, so that no other stance is found
    points = np.column_stack([1.2 * FRAMES / rate, 0.0 * FRAMES, 0.0 * FRAMES])
    foot = SkatingFoot(frames, points, points + np.array([0.0, 0.0, 1.0]), rate)
    between = np.arange(1.0, 12.0)
    for apart in between:
        known = (Span(0.0, 10.0 * spacing), Span((11.0 + apart) * spacing, 40.0 * spacing))
        found = skating.find_standing(foot, known, settings)
        if apart <= settings.gap_seconds * rate:
            assert found == (Span(0.0, 40.0 * spacing),)
        else:
            assert found == known
    assert between[0] < settings.gap_seconds * rate < between[-1]
