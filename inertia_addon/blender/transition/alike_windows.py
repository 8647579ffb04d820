# SPDX-License-Identifier: GPL-3.0-or-later
"""Curves of channels with a window, joined as one array where they are keyed alike.

Rigs with thousands of bones have such curves: all of a clip that was baked or captured. The result is the
very curves that :mod:`curve_parts` puts together one by one.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence

import numpy as np

from ...motion.arrays import Array
from ...motion.curves import blocks
from ...motion.curves.keys import Keys
from ..data.actions import Address
from .offset_windows import WindowOutput
from .passage import Passage
from .pieces import Keyed


def join_alike(
    passages: Sequence[Passage],
    outputs: Mapping[int, WindowOutput],
    keyed: Sequence[Keyed],
    interpolation: int,
) -> Iterator[dict[int, list[Keys]]]:
    """Yield the joined curves of passages, some at a time, by their index.

    Those are left out whose curves have their keys on other frames than those of most, more than keys, or no
    key on which they can be cut, and those that are aligned or jump.

    outputs: what passages show in their windows, by index. keyed: of each passage the destination's curves,
    with a key where its window ends. interpolation: between the keys of windows.
    """
    for rows in _find_alike(passages, outputs, keyed):
        some, frames = [passages[row] for row in rows], outputs[rows[0]].frames
        values = np.stack([outputs[row].values for row in rows])
        joined = _join_rows(some, WindowOutput(frames, values), keyed[rows[0]], interpolation)
        yield dict(zip(rows, joined, strict=True)) if joined else {}


def _find_alike(
    passages: Sequence[Passage], outputs: Mapping[int, WindowOutput], keyed: Sequence[Keyed]
) -> Iterator[list[int]]:
    """Yield the indices of passages that can be joined together, with windows on the same frames and alike
    curves, as many at once as memory allows; passages that can't be with any are left out.
    """
    alike: dict[Hashable, list[int]] = {}
    for row, output in sorted(outputs.items()):
        passage = passages[row]
        destination = passage.channels.destination
        is_own = passage.channels.source.addresses == destination.addresses and not passage.is_restated
        if not is_own or passage.aligned.carrier is not None or len(output.frames) < 2:
            continue
        names = {_name_alike(passage, keyed[row], address) for address in destination.addresses}
        if len(names) == 1 and None not in names:
            name = destination.mode, output.frames.tobytes(), names.pop()
            alike.setdefault(name, []).append(row)
    for rows in alike.values():
        addresses = passages[rows[0]].channels.destination.addresses
        longest = len(passages[rows[0]].heads[addresses[0]]) + len(keyed[rows[0]][addresses[0]])
        most = max(1, blocks.MOST_KEYS // (len(addresses) * longest))
        yield from (rows[first : first + most] for first in range(0, len(rows), most))


def _name_alike(passage: Passage, keyed: Keyed, address: Address) -> Hashable | None:
    """Return what a channel's curves have in common with those that can be joined together with them; None
    where there are none.

    keyed: the destination's curves, with a key where the window ends.
    """
    clips = passage.channels.source.clip, passage.channels.destination.clip
    curves = [clip.curves.get(address) for clip in clips]
    if any(curve is None or curve.obstacle for curve in curves):
        return None
    before, after = blocks.name_of(passage.heads[address]), blocks.name_of(keyed[address])
    if before is None or after is None or before[1] != after[1]:
        return None
    return before, after


def _join_rows(
    passages: Sequence[Passage], output: WindowOutput, keyed: Keyed, interpolation: int
) -> list[list[Keys]]:
    """Return the joined curves of each of some passages; [] where they have no key on which they can be cut.

    output: of all, with values (passages, n, channels of each). keyed, interpolation: see
    :func:`join_alike`.
    """
    joining, frames, values = passages[0].joining, output.frames, output.values
    count = values.shape[2]
    addresses = [address for passage in passages for address in passage.channels.destination.addresses]
    heads = joining.once(
        ("head block", tuple(addresses)),
        lambda: blocks.stack_heads([passages[0].heads[address] for address in addresses], joining.cut),
    )
    tails = blocks.stack_tails([keyed[address] for address in addresses], float(frames[-1]) - joining.later)
    if heads is None or tails is None:
        return []
    tails = blocks.move_block(tails, joining.later)
    start = tails.first_values.reshape(-1, count)
    sign, shift = _restate_rows(passages, start, values[:, -1])
    # the last frame has the tails' own value, or else rounding would make a step of one frame there
    values[:, -1] = start * sign + shift
    middle = blocks.sample_block(frames, values.transpose(1, 0, 2).reshape(len(frames), -1), interpolation)
    tails = blocks.restate_block(tails, sign.ravel(), shift.ravel())
    curves = blocks.join_blocks(heads, middle, tails).unstack()
    return [curves[first : first + count] for first in range(0, len(curves), count)]


def _restate_rows(passages: Sequence[Passage], start: Array, wanted: Array) -> tuple[Array, Array]:
    """Return how the tails of passages of one mode must be restated, see :meth:`Passage.restate_start`: signs
    and shifts (passages, channels of each), as start and wanted are."""
    channels = passages[0].channels
    if channels.kind == "rotation" and channels.destination.mode == "QUATERNION":
        flips = np.where(np.einsum("ij,ij->i", start, wanted) < 0.0, -1.0, 1.0)
        return np.repeat(flips[:, None], start.shape[1], axis=1), np.zeros(start.shape)
    restated = [
        passage.restate_start(begun, asked)
        for passage, begun, asked in zip(passages, start, wanted, strict=True)
    ]
    return np.stack([each.sign for each in restated]), np.stack([each.shift for each in restated])
