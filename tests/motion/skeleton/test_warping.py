# SPDX-License-Identifier: GPL-3.0-or-later
"""Warps lead a root where it is asked to be, and follow the way that it goes."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from inertia_addon.motion.skeleton import warping

FRAMES = np.arange(0.0, 41.0)


def way(turn: float, speed: float = 0.05) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """A way over the ground that turns by so much from beginning to end."""
    heading = turn * FRAMES / FRAMES[-1]
    steps = speed * np.column_stack([np.cos(heading), np.sin(heading)])[:-1]
    return np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)])


@given(
    st.floats(-2.0, 2.0),
    st.floats(-3.0, 3.0),
    st.floats(-3.0, 3.0),
    st.floats(-3.1, 3.1),
    st.integers(0, 20),
    st.integers(2, 20),
)
def test_a_warp_arrives_and_is_rigid_beside_the_span(
    bend: float, x: float, y: float, turn: float, first: int, length: int
) -> None:
    ground, last = way(bend), first + length
    share = warping.shares(FRAMES, ground, (float(first), float(last)), 1.0)
    assert share[0] == 0.0
    assert np.all(np.diff(share) >= 0.0)
    warp = warping.lead_to(ground, share, last, np.array([x, y]), turn)
    matrices = warp.matrices()
    np.testing.assert_allclose((ground + warp.shift)[last], (x, y), atol=1e-12)
    np.testing.assert_allclose(matrices[: first + 1], np.eye(4) + np.zeros((first + 1, 1, 1)), atol=1e-12)
    # one motion of the world, not of each frame its own
    np.testing.assert_allclose(matrices[last:], matrices[last] + np.zeros((41 - last, 1, 1)), atol=1e-12)
    np.testing.assert_allclose(warp.turn[last], turn, atol=1e-12)


def test_a_root_that_rests_is_not_warped() -> None:
    ground = np.concatenate([way(0.0)[:16], np.repeat(way(0.0)[15:16], 10, axis=0), way(0.0)[16:31]])
    share = warping.shares(FRAMES, ground, (0.0, 40.0), 1.0)
    assert np.ptp(share[15:26]) == 0.0
    assert 0.0 < share[15] < 1.0


def test_a_root_that_goes_nowhere_is_warped_over_time() -> None:
    share = warping.shares(FRAMES, np.zeros((41, 2)), (10.0, 30.0), 1.0)
    np.testing.assert_allclose(share[[10, 15, 20, 25, 30]], [0.0, 5.0 / 32.0, 0.5, 27.0 / 32.0, 1.0])


def test_a_root_that_turns_still_walks_ahead() -> None:
    """A straight way with a turn alone is bent like one that was walked so: steps lead where it faces."""
    ground = way(0.0)
    share = warping.shares(FRAMES, ground, (0.0, 40.0), 1.0)
    turned = warping.lead_to(ground, share, 40, np.zeros(2), 1.2)
    bent = ground + turned.shift - share[:, None] * (np.zeros(2) - _bent_end(ground, share, 1.2))
    steps = np.diff(bent, axis=0)
    faced = 0.5 * (turned.turn[1:] + turned.turn[:-1])
    np.testing.assert_allclose(np.arctan2(steps[:, 1], steps[:, 0]), faced, atol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(steps, axis=1), 0.05)


def _bent_end(
    ground: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
    share: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
    turn: float,
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    middle = 0.5 * turn * (share[1:] + share[:-1])
    return ground[0] + 0.05 * np.array([np.cos(middle).sum(), np.sin(middle).sum()])


def test_a_warp_tells_how_long_a_way_becomes() -> None:
    ground = way(0.0)
    np.testing.assert_allclose(warping.stretches(ground, 0.5 * ground), (2.0, 3.0))
