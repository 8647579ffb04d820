# SPDX-License-Identifier: GPL-3.0-or-later
"""Blocks of curves are cut, moved, restated, joined and chained bit for bit as each curve by itself."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from inertia_addon.motion.curves import blocks
from inertia_addon.motion.curves import keys as keylib
from inertia_addon.motion.curves.blocks import Block
from inertia_addon.motion.curves.keys import BEZIER, CONSTANT, LINEAR, Keys
from inertia_addon.motion.cycles import cycle
from tests.motion.reference_curve import curves

PLAIN = curves(codes=st.sampled_from([CONSTANT, LINEAR, BEZIER]))
FACTORS = 1.0, -0.4, 2.5


def alike(keys: Keys) -> list[Keys]:
    """Curves with their keys on the same frames, and other values."""
    made = [keys.copy() for _ in FACTORS]
    for each, factor in zip(made, FACTORS, strict=True):
        each.points[..., 1] = factor * each.points[..., 1] + np.float32(factor)
        each.linear_extrapolation = False
    return made


def assert_same_keys(block: Block | None, expected: Sequence[Keys]) -> None:
    assert block is not None
    for found, wanted in zip(block.unstack(), expected, strict=True):
        assert_array_equal(found.points, wanted.points)
        assert_array_equal(found.codes, wanted.codes)
        assert found.shapes is wanted.shapes is None
        assert found.linear_extrapolation is wanted.linear_extrapolation is False
        assert found.continuous_acceleration == wanted.continuous_acceleration


@given(st.data(), PLAIN, st.sampled_from([0.0, 7.0, -12.25, 0.1]))
def test_a_block_is_cut_and_moved_as_each_curve(data: st.DataObject, keys: Keys, later: float) -> None:
    some = alike(keys)
    assert len({blocks.name_of(each) for each in some}) == 1
    block, cut = blocks.stack_curves(some), float(data.draw(st.sampled_from(keys.co[:, 0].tolist())))
    head, tail = blocks.cut_heads(block, cut), blocks.cut_tails(block, cut)
    assert_same_keys(head, [keylib.head(each, cut) for each in some])
    assert_same_keys(tail, [keylib.tail(each, cut) for each in some])
    assert_same_keys(blocks.move_block(block, later), [keylib.move(each, later) for each in some])
    sign, shift = np.array([1.0, -1.0, 1.0]), np.array([0.0, 0.5, 0.1])
    restated = [
        keylib.move(each, sign=float(s), shift=float(t)) for each, s, t in zip(some, sign, shift, strict=True)
    ]
    assert_same_keys(blocks.restate_block(block, sign, shift), restated)


@given(PLAIN, PLAIN, st.integers(2, 5), st.sampled_from([CONSTANT, BEZIER]))
def test_a_block_is_joined_as_each_curve(before: Keys, after: Keys, count: int, code: int) -> None:
    assume(before.continuous_acceleration == after.continuous_acceleration)
    heads, tails = alike(before), alike(after)
    first = float(before.co[-1, 0])
    tails = [keylib.move(each, first + count - float(after.co[0, 0])) for each in tails]
    frames = np.linspace(first, float(tails[0].co[0, 0]), count)
    values = np.sin(np.arange(count * len(heads), dtype=float)).reshape(count, -1)
    middles = keylib.sampled_together(frames, values, code)
    joined = blocks.join_blocks(
        blocks.stack_curves(heads), blocks.sample_block(frames, values, code), blocks.stack_curves(tails)
    )
    assert_same_keys(joined, keylib.joined_together([*zip(heads, middles, tails, strict=True)]))


@given(PLAIN, st.integers(1, 3))
def test_a_block_is_chained_as_each_curve(keys: Keys, count: int) -> None:
    length = float(keys.co[-1, 0] - keys.co[0, 0])
    some = alike(keys)
    for each in some:
        each.points[-1, :, 1] += each.co[0, 1] - each.co[-1, 1]
    parts = [[keylib.move(each, i * length) for each in some] for i in range(count)]
    chained = blocks.chain_blocks([blocks.stack_curves(part) for part in parts])
    assert_same_keys(chained, [cycle.chained(column) for column in zip(*parts, strict=True)])


@given(PLAIN)
def test_keys_are_cut_only_where_there_are_some(keys: Keys) -> None:
    block = blocks.stack_curves(alike(keys))
    beyond = float(keys.co[-1, 0]) + 1.0
    assert blocks.cut_heads(block, beyond) is blocks.cut_tails(block, beyond) is None


@given(curves())
def test_curves_that_only_keys_by_themselves_can_tell_are_in_no_block(keys: Keys) -> None:
    is_plain = keys.shapes is None and not keys.linear_extrapolation
    assert (blocks.name_of(keys) is not None) == is_plain
