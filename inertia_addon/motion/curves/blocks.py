# SPDX-License-Identifier: GPL-3.0-or-later
"""Many curves with their keys on the same frames, which are cut, moved and joined as one array.

Rigs with thousands of bones have such curves: all of a clip that was baked or captured. What is done with a
block gives the very keys that :mod:`keys` gives for one curve after the other.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...records import record
from ..arrays import Array, Flags, Floats
from . import keys as keylib
from .keys import FREE, SAME_FRAME, VECTOR, Codes, Keys

MOST_KEYS = 500_000
"""Who has many curves takes so many keys at once, at most, as more would fill the memory."""


@record(frozen=True, eq=False)
class Block:
    """Curves with keys on the same frames, without easings, that hold beyond their ends.

    points: (k, n, 3, 2) and codes: (k, n, 5), as of :class:`Keys`. continuous_acceleration: as there, of all.
    """

    points: Floats
    codes: Codes
    continuous_acceleration: bool = True

    @property
    def first_values(self) -> Array:
        """The values of the first keys (k,)."""
        return np.asarray(self.points[:, 0, 0, 1].astype(float))

    @property
    def last_values(self) -> Array:
        """The values of the last keys (k,)."""
        return np.asarray(self.points[:, -1, 0, 1].astype(float))

    def unstack(self) -> list[Keys]:
        """Return the curves one by one, as views."""
        is_continuous = self.continuous_acceleration
        return [
            Keys(points, codes, None, linear_extrapolation=False, continuous_acceleration=is_continuous)
            for points, codes in zip(self.points, self.codes, strict=True)
        ]

    def take_rows(self, rows: Flags) -> Block:
        """Return the block of some of the curves (k,)."""
        return Block(self.points[rows], self.codes[rows], self.continuous_acceleration)


def name_of(keys: Keys) -> tuple[bytes, bool] | None:
    """Return what curves have in common that may be stacked; None for one that can't be in a block."""
    if keys.shapes is not None or keys.linear_extrapolation:
        return None
    return keys.pattern[0], keys.continuous_acceleration


def stack_curves(curves: Sequence[Keys], span: slice = slice(None)) -> Block:
    """Return the block of curves, at least one, of the same name, see :func:`name_of`. span: which keys."""
    return Block(
        np.array([keys.points[span] for keys in curves]),
        np.array([keys.codes[span] for keys in curves]),
        curves[0].continuous_acceleration,
    )


def stack_heads(curves: Sequence[Keys], frame: float) -> Block | None:
    """Return the block of :func:`stack_curves` up to a frame; None where they have no key on it."""
    place = _find_key(curves[0].co[:, 0], frame)
    return None if place is None else stack_curves(curves, slice(0, place + 1))


def stack_tails(curves: Sequence[Keys], frame: float) -> Block | None:
    """Return the block of :func:`stack_curves` from a frame on; None where they have no key on it."""
    place = _find_key(curves[0].co[:, 0], frame)
    return None if place is None else stack_curves(curves, slice(place, None))


def cut_heads(block: Block, frame: float) -> Block | None:
    """Return the curves up to a frame as :func:`keylib.head` does; None where they have no key on it."""
    place = _find_key(block.points[0, :, 0, 0], frame)
    return None if place is None else _take_keys(block, slice(0, place + 1))


def cut_tails(block: Block, frame: float) -> Block | None:
    """Return the curves from a frame on as :func:`keylib.tail` does; None where they have no key on it."""
    place = _find_key(block.points[0, :, 0, 0], frame)
    return None if place is None else _take_keys(block, slice(place, None))


def move_block(block: Block, frames: float) -> Block:
    """Return the curves so many frames later, with their handles; for 0.0 the block itself.

    Otherwise it is a new block, which shares the codes; frames are rounded to 32-bit floats.
    """
    if frames == 0.0:
        return block
    if float(np.float32(frames)) == frames:
        points = block.points + np.array([frames, 0.0], np.float32)
    else:
        points = (block.points.astype(float) + np.array([frames, 0.0])).astype(np.float32)
    return Block(points, block.codes, block.continuous_acceleration)


def restate_block(block: Block, sign: Array, shift: Array) -> Block:
    """Return the curves with values sign * value + shift, of keys and handles alike; frames stay. It is the
    block itself if that changes nothing.

    sign, shift: (k,), one of each for a curve. Otherwise it is a new block, which shares the codes; values
    that change are rounded to 32-bit floats.
    """
    rows = np.flatnonzero((sign != 1.0) | (shift != 0.0))
    if not len(rows):
        return block
    points = block.points.copy()
    some = points[rows].astype(float)
    some[..., 1] = some[..., 1] * sign[rows, None, None] + shift[rows, None, None]
    points[rows] = some.astype(np.float32)
    return Block(points, block.codes, block.continuous_acceleration)


def sample_block(frames: Array, values: Array, interpolation: int) -> Block:
    """Return the curves of values (n, k) on frames (n,), as :func:`keylib.sampled_together` does."""
    points, codes = keylib.sample_points(frames, values, interpolation)
    return Block(points, np.broadcast_to(codes, (len(points), *codes.shape)))


def join_blocks(before: Block, middle: Block, after: Block) -> Block:
    """Return each curve's head, keys between and tail joined to one curve, as :func:`keylib.joined_together`
    joins them one by one.

    The middle runs from the heads' last frame to the tails' first, and its end keys replace theirs. Where
    parts meet, the key keeps the head's handle inwards, moved along, and its kind, or the tail's handle
    outwards, interpolation and easing; handles there become FREE, or stay VECTOR if that part has several
    keys.

    before, middle, after: blocks of as many curves each, the middle with two keys at least; heads and tails
    have automatic handles computed alike. The given blocks are not changed.
    """
    points = np.concatenate([before.points[:, :-1], middle.points, after.points[:, 1:]], axis=1)
    codes = np.concatenate([before.codes[:, :-1], middle.codes, after.codes[:, 1:]], axis=1)
    first = before.points.shape[1] - 1
    last = first + middle.points.shape[1] - 1
    points[:, first, 1] = before.points[:, -1, 1] + (middle.points[:, 0, 0] - before.points[:, -1, 0])
    codes[:, first, 1] = _free_handles(before, before.codes[:, -1, 1])
    codes[:, first, 4] = before.codes[:, -1, 4]
    points[:, last, 2] = after.points[:, 0, 2] + (middle.points[:, -1, 0] - after.points[:, 0, 0])
    codes[:, last, 2] = _free_handles(after, after.codes[:, 0, 2])
    codes[:, last, 0], codes[:, last, 3] = after.codes[:, 0, 0], after.codes[:, 0, 3]
    codes[:, first, 2] = codes[:, last, 1] = FREE
    is_continuous = (
        before.continuous_acceleration and middle.continuous_acceleration and after.continuous_acceleration
    )
    return Block(points, codes, is_continuous)


def chain_blocks(blocks: Sequence[Block]) -> Block:
    """Return the curves of blocks, one after the other, each of which begins where the one before ends, in
    time and in value; that they do is not checked.

    On each seam one key stands, with the later block's value, and the earlier one's handle inwards, moved
    along; its handles become FREE, or stay VECTOR if their part has several keys. blocks: at least one, of as
    many curves each; a single one is returned itself. They are not changed.
    """
    if len(blocks) == 1:
        return blocks[0]
    bodies = [_take_keys(part, slice(0, -1)) for part in blocks[:-1]]
    points = np.concatenate([*(body.points for body in bodies), blocks[-1].points], axis=1)
    codes = np.concatenate([*(body.codes for body in bodies), blocks[-1].codes], axis=1)
    at = 0
    for before, after in itertools.pairwise(blocks):
        at += before.points.shape[1] - 1
        points[:, at, 1] = before.points[:, -1, 1] + (after.points[:, 0, 0] - before.points[:, -1, 0])
        codes[:, at, 1] = _free_handles(before, before.codes[:, -1, 1])
        codes[:, at, 2] = _free_handles(after, after.codes[:, 0, 2])
    return Block(points, codes, all(part.continuous_acceleration for part in blocks))


def _take_keys(block: Block, span: slice) -> Block:
    return Block(block.points[:, span], block.codes[:, span], block.continuous_acceleration)


def _find_key(frames: Floats, frame: float) -> int | None:
    """Return the index of the key on a frame, within 0.001 frames (SAME_FRAME); None without any there.

    frames: of the keys (n,), rising.
    """
    frame = float(np.float32(frame))
    place = int(frames.searchsorted(np.float32(frame - SAME_FRAME)))
    if place < len(frames) and abs(float(frames[place]) - frame) <= SAME_FRAME:
        return place
    return None


def _free_handles(block: Block, codes: Any) -> Any:
    """Return the types of handles (k,) where two parts meet, as :func:`keylib.side_of` does."""
    return np.where((codes == VECTOR) & (block.points.shape[1] > 1), np.uint8(VECTOR), np.uint8(FREE))
