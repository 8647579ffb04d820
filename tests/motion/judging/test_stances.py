# SPDX-License-Identifier: GPL-3.0-or-later
"""The ground is each foot's own stance: planted feet have to stand there, feet in a swing do not skate."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inertia_addon.motion.arrays import Array
from inertia_addon.motion.judging import evidence, faults, stances
from inertia_addon.motion.judging.evidence import Evidence, Track

FPS, SIZE, CUT, END = 30.0, 2.5, 20.0, 32.0
FRAMES = np.arange(5.0, 47.25, 0.5)
NAMES, PARENTS = ("hips", "hip.L", "hip.R", "foot.L", "foot.R"), (-1, 0, 0, 1, 2)
REST = np.array([(0.0, 0.0, 1.0), (0.1, 0.0, 0.9), (-0.1, 0.0, 0.9), (0.1, 0.0, 0.0), (-0.1, 0.0, 0.0)])


def stepping(spans: list[tuple[float, float, float]], clearance: float = 0.1, stride: float = 0.8) -> Array:
    """The joints of who stands, but for the left foot: that stands over each span at a height, and steps on.

    spans: the first and the last frame, and the height, metres. clearance: how much higher than the higher
    one of two stances it goes between them.
    """
    positions = np.repeat(REST[None], len(FRAMES), axis=0)
    for (_, last, here), (first, _, there) in itertools.pairwise(spans):
        part = np.clip((FRAMES - last) / (first - last), 0.0, 1.0)
        positions[:, 3, 1] += stride * part * part * (3.0 - 2.0 * part)
        positions[last < FRAMES, 3, 2] = there
        inside = (last < FRAMES) & (first > FRAMES)
        # up at once, along, and down at the end
        arc = np.minimum(1.0, 4.0 * np.minimum(part, 1.0 - part))
        level = here + (max(here, there) - here) * np.minimum(1.0, 4.0 * part)
        down = (max(here, there) - there) * np.maximum(0.0, 4.0 * part - 3.0)
        positions[inside, 3, 2] = (level - down + clearance * arc)[inside]
    positions[spans[0][1] >= FRAMES, 3, 2] = spans[0][2]
    return positions


def seen(result: Array, source: Array, destination: Array, **changed: object) -> Evidence:
    values: dict[str, object] = {
        **{"fps": FPS, "names": NAMES, "parents": PARENTS, "hips": 0, "ends": (3, 4), "feet": (3, 4)},
        **{"size": SIZE, "cut": CUT, "end": END, "until": END, "result": Track(FRAMES, result)},
        **{"source": Track(FRAMES, source), "destination": Track(FRAMES, destination)},
    }
    return Evidence(**{**values, **changed})  # type: ignore[arg-type]


def found(positions: Array) -> Array:
    """How high the left foot stands in a clip, by frame."""
    given = seen(positions, positions, positions)
    return stances.find_stances(given.source, [3, 4], given, np.zeros(2))[:, 0]


def skates(given: Evidence) -> float:
    return faults.judge(given).severity_of(faults.SKATE)


HEIGHTS = st.floats(-0.25, 0.25)


@given(first=HEIGHTS, second=HEIGHTS, third=HEIGHTS)
def test_a_foot_stands_as_high_as_each_of_its_stances(first: float, second: float, third: float) -> None:
    spans = [(5.0, 12.0, first), (19.0, 28.0, second), (35.0, 47.0, third)]
    heights = found(stepping(spans))
    for begin, end, height in spans:
        inside = (begin + 1.0 <= FRAMES) & (end - 1.0 >= FRAMES)
        np.testing.assert_allclose(heights[inside], height, atol=2e-3)
    swings = (FRAMES > 13.5) & (FRAMES < 17.5) | (FRAMES > 29.5) & (FRAMES < 33.5)
    assert np.isnan(heights[swings]).all()


@given(height=st.floats(0.1, 0.8))
def test_a_foot_that_is_held_up_stands_nowhere(height: float) -> None:
    part = np.clip(np.minimum(FRAMES - 10.0, 40.0 - FRAMES) / 5.0, 0.0, 1.0)
    held = np.repeat(REST[None], len(FRAMES), axis=0)
    held[:, 3, 2] = height * part * part * (3.0 - 2.0 * part)
    heights = found(held)
    assert np.isnan(heights[(FRAMES > 16.0) & (FRAMES < 34.0)]).all()
    assert not np.isnan(heights[[0, -1]]).any()
    # nor does one that hangs in the air all the time, such as of who falls
    held[:, 3, 2] = height
    assert np.isnan(found(held)).all()


@given(above=st.floats(0.015, 0.2), way=st.floats(0.05, 0.6))
def test_a_planted_foot_that_slides_is_seen_however_high_it_stands(above: float, way: float) -> None:
    clip = stepping([(5.0, 34.0, above), (42.0, 47.0, 0.0)])
    result = clip.copy()
    result[:, 3, 0] += way * (1.0 - np.clip((FRAMES - CUT) / (END - CUT), 0.0, 1.0))
    judged = faults.judge(seen(result, clip, clip))
    assert judged.rating != faults.GOOD
    worst = next(fault for fault in judged.faults if fault.kind == faults.SKATE)
    assert (worst.size, worst.joint) == (pytest.approx(way, rel=0.02), 3)


@given(clearance=st.floats(0.006, 0.05), stride=st.floats(0.4, 1.5), aside=st.floats(-0.3, 0.3))
def test_a_foot_in_a_swing_does_not_skate(clearance: float, stride: float, aside: float) -> None:
    clip = stepping([(5.0, CUT - 1.0, 0.0), (END + 1.0, 47.0, 0.0)], clearance, stride)
    result = clip.copy()
    part = np.clip((FRAMES - CUT) / (END - CUT), 0.0, 1.0)
    result[:, 3, 0] += aside * 16.0 * (part * (1.0 - part)) ** 2
    assert skates(seen(result, clip, clip)) < 1.0


@given(depth=st.floats(0.03, 0.1), stride=st.floats(0.4, 1.5))
def test_a_foot_that_is_dragged_through_the_ground_skates_in_a_swing_too(depth: float, stride: float) -> None:
    clip = stepping([(5.0, CUT - 1.0, 0.0), (END + 1.0, 47.0, 0.0)], 0.05, stride)
    result, part = clip.copy(), np.clip((FRAMES - CUT) / (END - CUT), 0.0, 1.0)
    result[:, 3, 2] -= (0.05 + depth) * 16.0 * (part * (1.0 - part)) ** 2
    assert skates(seen(result, clip, clip)) > 2.0


@given(other=st.floats(-0.05, 0.05))
def test_a_foot_that_stands_still_does_not_skate_wherever_it_stands_next(other: float) -> None:
    clip = stepping([(5.0, 24.0, 0.0), (33.0, 47.0, other)])
    assert skates(seen(clip, clip, clip)) <= 1.0 / faults.SKATE_TIMES


@pytest.mark.parametrize(("lift", "is_seen"), [(0.0, True), (0.1, False)])
def test_a_foot_leaves_where_the_source_has_planted_it_by_lifting(lift: float, *, is_seen: bool) -> None:
    source = np.repeat(REST[None], len(FRAMES), axis=0)
    destination = stepping([(5.0, 10.0, 0.0), (38.0, 47.0, 0.0)])
    result, t = source.copy(), np.clip((FRAMES - CUT) / (END - CUT), 0.0, 1.0)
    result[:, 3, 1] += 1.0 * t * t
    result[:, 3, 2] += lift * np.minimum(1.0, 8.0 * t)
    weights = t**3 * (10.0 - 15.0 * t + 6.0 * t * t)
    assert (skates(seen(result, source, destination, weights=weights)) > 1.0) == is_seen


@given(higher=st.floats(0.03, 0.2), way=st.floats(0.1, 0.5))
def test_a_foot_slides_from_one_stance_to_a_higher_one(higher: float, way: float) -> None:
    source, destination = (np.repeat(REST[None], len(FRAMES), axis=0) for _ in range(2))
    destination[:, 3, 2] = higher
    t = np.clip((FRAMES - CUT) / (END - CUT), 0.0, 1.0)
    weights = t**3 * (10.0 - 15.0 * t + 6.0 * t * t)
    result = source + weights[:, None, None] * (destination - source)
    result[:, 3, 0] += way * weights
    # how high it stands says a step down to it, as nothing else is known to be the ground
    destination[FRAMES > 40.0, 3] = (0.1, 0.5, higher + 0.1)
    judged = faults.judge(seen(result, source, destination, weights=weights))
    assert judged.size_of(faults.SKATE) == pytest.approx(way, rel=0.05)


@given(way=st.floats(0.05, 0.5), still=st.floats(0.0, 0.3))
def test_a_clip_skates_as_far_as_in_the_worst_stretch_of_it(way: float, still: float) -> None:
    ways = np.zeros((80, 1))
    ways[20:40] = way / 20.0
    steps, goes = np.full(80, 0.5), np.ones(80, bool)
    assert stances.most_in(ways, steps, goes, 10.0) == pytest.approx(way)
    assert stances.most_in(ways, steps, goes, 5.0) == pytest.approx(0.5 * way)
    # a shorter clip goes on as it does in all, and what does not go on counts for nothing
    assert stances.most_in(ways, steps, goes, 80.0) == pytest.approx(2.0 * way)
    assert stances.most_in(ways, steps, np.arange(80) < 20, 10.0) == pytest.approx(0.0)


def test_a_step_counts_by_how_near_the_ground_it_is() -> None:
    heights = np.array([-0.1, 0.0, 0.5, 1.0, 2.0]) * evidence.LOW
    expected = [1.0, 1.0, 2.0 - np.sqrt(2.0), 0.0, 0.0]
    np.testing.assert_allclose(evidence.weights_above(heights, evidence.LOW), expected, atol=1e-12)


@pytest.mark.parametrize(("lasts", "stands"), [(0.5, False), (6.0, True)])
def test_a_stance_lasts_however_late_it_begins(lasts: float, *, stands: bool) -> None:
    high = found(stepping([(5.0, 12.0, 0.0), (34.0, 34.0 + lasts, 0.3), (44.0, 47.0, 0.0)]))
    inside = (FRAMES > 33.0) & (35.0 + lasts > FRAMES)
    assert np.isfinite(high[inside]).any() == stands


@given(speed=st.floats(0.8, 3.0), way=st.floats(-3.0, 3.0))
def test_a_foot_stands_where_it_goes_along_with_the_ground_and_nowhere_else(speed: float, way: float) -> None:
    passing = speed * np.array([np.cos(way), np.sin(way)])
    gliding = np.repeat(REST[None], len(FRAMES), axis=0)
    gliding[..., :2] += ((FRAMES - FRAMES[0]) / FPS)[:, None, None] * passing
    given = seen(gliding, gliding, gliding)
    on_ground = stances.find_stances(given.source, [3, 4], given, np.zeros(2))
    on_belt = stances.find_stances(given.source, [3, 4], given, passing)
    assert np.isnan(on_ground).all()
    np.testing.assert_allclose(on_belt, 0.0, atol=1e-12)
