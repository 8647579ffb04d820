# SPDX-License-Identifier: GPL-3.0-or-later
"""Contacts of made-up steps, and spans as an animator edits them."""

from __future__ import annotations

import numpy as np
import pytest

from inertia_addon.errors import InertiaError
from inertia_addon.motion.feet import contacts
from inertia_addon.motion.feet.contacts import LevelGround, Span
from inertia_addon.settings.feet import ContactSettings

FPS = 30.0


def steps(frames: np.ndarray, ground: float = 0.0) -> np.ndarray:
    """A foot that stands for half a second and swings for half a second: planted at 0, 30 and 60."""
    turn, part = np.divmod(frames / FPS, 1.0)
    u = np.clip((part - 0.5) / 0.5, 0.0, 1.0)
    smooth = u * u * (3.0 - 2.0 * u)
    way, high = turn + smooth, 0.2 * 16.0 * (u * (1.0 - u)) ** 2
    return np.column_stack([0.0 * way, -0.8 * way, high + ground * way])


@pytest.mark.parametrize("scale", [1.0, 0.01, 100.0])
@pytest.mark.parametrize("step", [1.0, 0.25])
def test_plants_are_found_at_any_scale_and_rate(scale: float, step: float) -> None:
    frames = 10.0 + np.arange(0.0, 91.0, step)
    found = contacts.find(scale * steps(frames - 10.0), frames, FPS, scale)
    np.testing.assert_allclose([s.start for s in found], [10, 40, 70], atol=2.0)
    np.testing.assert_allclose([s.end for s in found], [25, 55, 85], atol=2.0)


def test_ground_may_rise_and_up_may_be_any_axis() -> None:
    frames = np.arange(91.0)
    level, rising = steps(frames), steps(frames, 0.2)
    found = contacts.find(level, frames, FPS, 1.0)
    assert len(contacts.find(rising, frames, FPS, 1.0)) == len(found) == 3
    assert contacts.find(level[:, [2, 0, 1]], frames, FPS, 1.0, ground=LevelGround(up=0)) == found


def test_a_foot_that_hardly_moves_is_planted_and_one_that_hovers_is_not() -> None:
    frames = np.arange(61.0)
    still = np.tile([1.0, 2.0, 3.0], (61, 1))
    assert contacts.find(still, frames, FPS, 1.0) == (Span(0.0, 60.0),)
    gliding = np.column_stack([frames / FPS, 0 * frames, 0 * frames])
    assert contacts.find(gliding, frames, FPS, 1.0) == ()


def test_a_runner_is_planted_for_few_frames() -> None:
    # what it has still, or already, of speed on both sides of the three frames on which it stands
    speeds = np.concatenate([np.full(9, 8.0), [0.9, 0.1, 0.1, 0.9], np.full(9, 8.0)])
    points = np.column_stack([np.append(0.0, np.cumsum(speeds)) / FPS, np.zeros((23, 2))])
    assert contacts.find(points, np.arange(23.0), FPS, 1.0) == (Span(10.0, 12.0),)


def test_a_foot_that_runs_in_place_is_planted_from_one_frame_to_the_next() -> None:
    # past the ground, which passes along x; at no frame is it slow on both sides
    speeds = np.concatenate([np.full(9, -9.0), [-4.0, 0.2, -4.0], np.full(9, -9.0)])
    heights = np.concatenate([np.full(10, 0.3), [0.02, 0.0], np.full(10, 0.3)])
    way = np.append(0.0, np.cumsum(speeds + 4.0)) / FPS
    points = np.column_stack([way, 0.0 * way, heights])
    settings = ContactSettings(shortest_seconds=0.05)
    found = contacts.find(points, np.arange(22.0), FPS, 1.0, settings, LevelGround((4.0, 0.0)))
    assert found == (Span(10.0, 11.0),)


def test_gaps_are_closed_and_short_spans_dropped() -> None:
    # still, two quick frames, still, then on, with a rest of a frame
    speeds = np.concatenate([np.zeros(12), [1.0, 1.0], np.zeros(12), np.ones(8), [0.0, 0.0], np.ones(8)])
    points = np.column_stack([np.cumsum(speeds) / FPS, 0 * speeds, 0 * speeds])
    frames = np.arange(len(points)) + 1.0
    assert contacts.find(points, frames, FPS, 1.0, ContactSettings(shortest_seconds=0.12)) == (
        Span(1.0, 26.0),
    )
    apart = ContactSettings(gap_seconds=0.0, shortest_seconds=0.0)
    assert len(contacts.find(points, frames, FPS, 1.0, apart)) == 3


def test_a_leg_without_a_length_has_no_contacts() -> None:
    with pytest.raises(InertiaError, match="without a length"):
        contacts.find(np.zeros((5, 3)), np.arange(5.0), FPS, 0.0)


def test_the_lowest_around_is_that_of_the_window() -> None:
    heights = np.random.default_rng(3).normal(size=50)
    for samples in (0, 1, 4, 7):
        wanted = [heights[max(0, i - samples) : i + samples + 1].min() for i in range(50)]
        np.testing.assert_array_equal(contacts.lowest_around(heights, samples), wanted)


def test_the_medians_of_a_few_frames_are_numpys() -> None:
    values = np.random.default_rng(3).normal(size=(30, 3))
    parts = [(first, first + more) for first in (0, 7, 22) for more in (0, 1, 4, 7)]
    for some in (values, values[:, 0]):
        wanted = [np.median(some[first : last + 1], axis=0) for first, last in parts]
        np.testing.assert_array_equal(contacts.medians(some, parts), wanted)
    assert contacts.medians(values, []).shape == (0, 3)


def test_a_cycles_spans_may_go_on_at_its_beginning() -> None:
    spans = (Span(5.0, 8.0), Span(20.0, 27.0))
    played = contacts.repeated(spans, 24.0, -40.0, 90.0)
    assert contacts.of_period(played, 1.0, 24.0) == spans
    frames = np.array([1.0, 3.0, 4.0, 6.0, 9.0, 21.0, 25.0])
    held = contacts.planted(contacts.repeated(spans, 24.0, 1.0, 25.0), frames)
    assert held.tolist() == [True, True, False, True, False, True, True]
    always = contacts.of_period((Span(-20.0, 70.0),), 1.0, 24.0)
    assert always == (Span(1.0, 25.0),)
    assert contacts.repeated(always, 24.0, 1.0, 60.0) == (Span(-23.0, 73.0),)


def test_spans_are_edited_within_the_clip_and_apart() -> None:
    clip, spans = (1.0, 40.0), (Span(5.0, 8.0), Span(20.0, 27.0))
    assert contacts.replaced(spans, None, Span(10.0, 12.5), clip, None) == (
        Span(5.0, 8.0),
        Span(10.0, 12.5),
        Span(20.0, 27.0),
    )
    assert contacts.replaced(spans, spans[0], None, clip, None) == spans[1:]
    assert contacts.replaced(spans, spans[0], Span(30.0, 40.0), clip, None)[1] == Span(30.0, 40.0)
    for old, new, said in (
        (None, Span(38.0, 41.0), "goes beyond the clip, which lasts from frame 1 to 40"),
        (None, Span(0.0, 2.0), "goes beyond the clip"),
        (None, Span(12.0, 11.0), "ends before it starts"),
        (None, Span(float("nan"), 11.0), "ends before it starts"),
        (None, Span(8.0, 10.0), "from frame 5 to 8 and from frame 8 to 10 overlap"),
        (spans[1], Span(7.0, 27.0), "overlap"),
    ):
        with pytest.raises(InertiaError, match=said):
            contacts.replaced(spans, old, new, clip, None)


def test_a_span_of_a_cycle_may_end_behind_the_last_frame() -> None:
    cycle = (1.0, 25.0)
    spans = (Span(5.0, 8.0), Span(20.0, 27.0))
    assert contacts.check(spans, cycle, 24.0) == spans
    assert contacts.check([Span(3.0, 27.0)], cycle, 24.0)
    with pytest.raises(InertiaError, match="overlap"):
        contacts.check([Span(5.0, 8.0), Span(20.0, 29.5)], cycle, 24.0)
    with pytest.raises(InertiaError, match="beyond"):
        contacts.check([Span(5.0, 30.0)], cycle, 24.0)


def test_a_foot_is_planted_to_within_a_hair_of_its_spans_ends() -> None:
    frames = [2.0 - 2e-4, 2.0 - 1e-4, 2.0, 3.5, 5.0, 5.0 + 1e-4, 5.0 + 2e-4, 7.0]
    flags = contacts.planted([Span(2.0, 5.0), Span(7.0, 7.0)], frames)
    assert flags.tolist() == [False, True, True, True, True, True, False, True]
