# SPDX-License-Identifier: GPL-3.0-or-later
"""How clear a jump of a motion is beside the other motions: what they do at once says what is open."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inertia_addon.motion.arrays import Array
from inertia_addon.motion.pops.expected import MOST, JumpShape, OtherMotions, Others

COUNT, AT = 80, 40
SHAPE = np.array([-0.3, 0.6, -1.0, 0.6, -0.3])
"""What is not foreseen of a jump of size 1, two steps before it to two behind."""


def alike(motions: int, own: float, seed: int = 1) -> Array:
    """Motions that all come of the same two, and so much of their own: (n, motions, 3)."""
    rng = np.random.default_rng(seed)
    both, weights = rng.normal(size=(COUNT, 2)), rng.normal(size=(2, motions, 3))
    return np.einsum("nk,kmi->nmi", both, weights) + own * rng.normal(size=(COUNT, motions, 3))


def times(moves: Array, size: float, motion: int = 0) -> float:
    """How clear a jump of a size in one of them is."""
    mine = moves[:, motion].copy()
    mine[AT - 2 : AT + 3] += SHAPE[:, None] * size / np.sqrt(3.0)
    jump = JumpShape(AT, AT - 2, SHAPE, 4, np.eye(3))
    return OtherMotions(Others(moves), motion, mine).times(jump)


def test_a_jump_is_the_clearer_the_more_the_others_tell_of_all_else() -> None:
    told = [times(alike(8, own), 3.0) for own in (0.05, 0.3, 3.0)]
    assert told[0] > 2.0 * told[1] > 4.0 * told[2]


def test_bones_that_have_nothing_to_do_with_it_do_not_change_a_jump() -> None:
    moves = np.random.default_rng(2).normal(size=(COUNT, 6, 3))
    assert times(moves, 4.0) == pytest.approx(times(moves[:, :1], 4.0), rel=0.1)


def test_a_jump_is_less_clear_where_the_others_move_at_once() -> None:
    moves = alike(8, 0.05)
    calm = times(moves, 3.0)
    moves[AT - 2 : AT + 3, 1:] *= 10.0
    assert times(moves, 3.0) < 0.5 * calm


@given(st.permutations(range(1, 8)))
def test_the_order_of_the_others_does_not_matter(order: list[int]) -> None:
    moves = alike(8, 0.3)
    assert times(moves[:, [0, *order]], 3.0) == pytest.approx(times(moves, 3.0), rel=1e-6)


def test_bones_that_go_along_are_asked_of_many_others() -> None:
    known = alike(8, 0.05)
    strange = np.random.default_rng(3).normal(size=(COUNT, 2 * MOST, 3))
    beside = times(np.concatenate([known[:, :1], strange, known[:, 1:]], axis=1), 3.0)
    assert beside > 2.0 * times(np.concatenate([known[:, :1], strange], axis=1), 3.0)
