# SPDX-License-Identifier: GPL-3.0-or-later
"""Ways around obstacles: far enough from all, no longer than they have to be, and as they were elsewhere."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from inertia_addon.errors import InertiaError
from inertia_addon.motion.arrays import Array
from inertia_addon.motion.matching import detours
from inertia_addon.motion.matching.detours import Outline

AWAY = 0.4


def outline(x: float, y: float, radius: float, corners: int, turn: float = 0.0) -> Outline:
    """A regular outline; of one corner a point, of two a wall."""
    angles = turn + 2.0 * math.pi * np.arange(corners) / corners
    around = radius * np.column_stack([np.cos(angles), np.sin(angles)])
    return Outline("Post", np.array([[x, y]]) + (around if corners > 1 else 0.0))


def length(line: Array) -> float:
    return float(np.linalg.norm(np.diff(line, axis=0), axis=1).sum())


POSTS = st.builds(
    outline,
    st.floats(2.0, 18.0),
    st.floats(-2.0, 2.0),
    st.floats(0.1, 1.0),
    st.integers(1, 8),
    st.floats(0.0, 6.0),
)


@given(st.lists(POSTS, min_size=1, max_size=4), st.integers(2, 20))
def test_a_line_keeps_away_from_all_and_elsewhere_stays_as_it_was(posts: list[Outline], count: int) -> None:
    points = np.column_stack([np.linspace(0.0, 20.0, count), 0.3 * np.sin(np.linspace(0.0, 9.0, count))])
    try:
        line, at = detours.around(points, posts, AWAY)
    except InertiaError:
        assume(False)
    assert min(post.distances(line).min() for post in posts) >= AWAY
    assert (line[[0, -1]] == points[[0, -1]]).all()
    assert (at[[0, -1]] == (0.0, count - 1.0)).all()
    assert (np.diff(at) >= 0.0).all()
    known = np.arange(count)
    drawn = np.column_stack([np.interp(at, known, points[:, k]) for k in range(2)])
    # what is evened out reaches three standard deviations, twice
    reach = AWAY + detours.SPARE + detours.LEAD + 6.0 * max(detours.EVEN) + 0.1
    far = np.min([post.distances(drawn) for post in posts], axis=0) > reach
    assert line[far] == pytest.approx(drawn[far], abs=1e-9)


def test_a_line_that_is_far_enough_away_is_the_very_same() -> None:
    points = np.array([[0.0, 0.0], [10.0, 0.0]])
    line, at = detours.around(points, [outline(5.0, 3.0, 1.0, 6)], AWAY)
    assert line is points
    assert at.tolist() == [0.0, 1.0]


def test_the_way_around_a_post_is_the_shortest_there_is() -> None:
    # two tangents and an arc, known in closed form; a little longer by the corners, shorter by evening them
    radius, ahead = AWAY + detours.SPARE, detours.LEAD
    line, _ = detours.around(np.array([[0.0, 0.0], [10.0, 0.0]]), [outline(5.0, 0.0, 0.0, 1)], AWAY)
    leave = radius + ahead
    tangent = math.sqrt(leave**2 - radius**2)
    arc = 2.0 * (math.pi / 2.0 - math.acos(radius / leave)) * radius
    assert length(line) == pytest.approx(10.0 - 2.0 * leave + 2.0 * tangent + arc, rel=0.02)


def test_a_detour_goes_through_a_wide_gap_and_around_a_narrow_one() -> None:
    points = np.array([[0.0, 0.0], [12.0, 0.0]])
    for gap, through in ((1.6, True), (1.0, False)):
        walls = [
            Outline("Wall", np.array([[6.0, y], [6.2, y], [6.2, z], [6.0, z]]))
            for y, z in ((0.3, 3.0), (-3.0, 0.3 - gap))
        ]
        line, _ = detours.around(points, walls, AWAY)
        assert (np.abs(line[:, 1]).max() < 1.0) == through
        assert min(wall.distances(line).min() for wall in walls) >= AWAY


def test_a_wall_that_can_not_be_gone_around_is_told() -> None:
    points = np.array([[0.0, 0.0], [10.0, 0.0]])
    for x, said in ((0.3, "begins within 70 cm of"), (9.9, "ends within 70 cm of")):
        with pytest.raises(InertiaError, match=said):
            detours.around(points, [outline(x, 0.0, 0.2, 5)], AWAY)
    fence = [
        outline(10.0 + 1.5 * math.cos(a), 1.5 * math.sin(a), 0.3, 6) for a in np.arange(12) * math.pi / 6
    ]
    with pytest.raises(InertiaError, match="No way leads past the obstacles"):
        detours.around(points, fence, AWAY)


@given(st.lists(st.tuples(st.floats(-3.0, 3.0), st.floats(-3.0, 3.0)), min_size=1, max_size=20))
def test_distances_are_those_to_the_nearest_place_of_an_outline(points: list[tuple[float, float]]) -> None:
    post = outline(0.2, -0.1, 1.0, 5, 0.4)
    ends = np.roll(post.corners, -1, axis=0)
    sides = np.concatenate(
        [a + s * (b - a) for a, b in zip(post.corners, ends, strict=True) for s in np.linspace(0, 1, 400)]
    ).reshape(-1, 2)
    found = post.distances(np.array(points))
    near = np.linalg.norm(np.array(points)[:, None] - sides, axis=-1).min(axis=1)
    assert found[found > 0.0] == pytest.approx(near[found > 0.0], abs=0.01)
