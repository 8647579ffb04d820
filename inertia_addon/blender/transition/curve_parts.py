# SPDX-License-Identifier: GPL-3.0-or-later
"""The curves of channels, put together of the source's head, the window and the destination's tail."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ...motion.arrays import Array
from ...motion.curves import keys as keylib
from ...motion.curves.keys import Keys
from ...records import record
from ..data.actions import Address
from ..data.report import BakedCurve
from . import pieces
from .passage import Passage, Tails
from .pieces import CutFrame
from .slot_plan import SlotPlan


@record(frozen=True, eq=False)
class CurveParts:
    """What one curve is made of, see :func:`keylib.join`.

    head: up to the cut; without one the tail is all of it. window: what is between, None for nothing.
    """

    head: Keys | None
    window: Keys | None
    tail: Keys


@record(frozen=True, eq=False)
class PassageParts:
    """What the curves of a passage are made of.

    curves: what is to be joined. heads: curves that only the source has, which end at the cut. joined: all
    curves, of a passage whose curves both clips have, where they are joined already.
    """

    passage: Passage
    curves: Mapping[Address, CurveParts]
    heads: Mapping[Address, Keys]
    joined: Sequence[Keys] = ()


def collect_windowless(
    passage: Passage, at_cut: Array | None, baked: list[BakedCurve], *, jumps: bool
) -> PassageParts:
    """Collect the parts of channels without a window, which go over into the destination at the cut.

    at_cut: the source's raw values (channels,) there, which rotations go on from; None for none. baked: what
    could not be cut is added to it. jumps: whether they jump there.
    """
    joining, channels = passage.joining, passage.channels
    goes_on = channels.source.mode == channels.destination.mode and not jumps
    start = at_cut if goes_on else None
    curves = passage.aligned.tails(joining.destination_frame, joining.later, baked, start)
    return collect_parts(passage, None, passage.restate_tails(curves, start), baked, jumps=jumps)


def collect_parts(
    passage: Passage,
    window: Sequence[Keys] | None,
    restated_tails: Tails,
    baked: list[BakedCurve],
    *,
    jumps: bool,
) -> PassageParts:
    """Collect what the curves of channels are made of.

    window: the keys of each in the window, None for no window. restated_tails: what
    follows, in numbers that go on from there. baked: what could not be cut is added to it. jumps: whether the
    channels jump at the cut.
    """
    source, destination = passage.channels.source, passage.channels.destination
    # a jump takes no time: the head ends just before the cut, where its own curves have no key yet
    cut = CutFrame(passage.joining.cut, keyed=passage.heads)
    if jumps:
        cut = CutFrame(passage.joining.cut - keylib.STEP_FRAMES)
    heads = {
        address: pieces.piece(keylib.head, source, column, cut, baked)
        for column, address in enumerate(source.addresses)
    }
    curves: dict[Address, CurveParts] = {}
    for column, address in enumerate(destination.addresses):
        tail = restated_tails.curves[column]
        middle = None if window is None else window[column]
        # a mode that only the destination reads has no head of its own
        head = heads.pop(address, None if middle is None else middle.take(slice(0, 1)))
        if jumps and middle is not None:
            tail = keylib.join(middle.take(slice(0, 1)), middle, tail)
        if jumps and head is not None:
            tail, head = keylib.step(head, tail), None
        curves[address] = CurveParts(head, middle, tail)
    return PassageParts(passage, curves, heads)


def keep_curves(passage_parts: Iterable[PassageParts], result: SlotPlan) -> None:
    """Join the curves of channels, and keep them in a slot, but those that neither clip has and that say no
    more than the default.
    """
    passage_parts = list(passage_parts)
    # joined at once, as they are thousands
    joined = iter(
        keylib.joined_together(
            [
                (curve.head, curve.window, curve.tail)
                for parts in passage_parts
                for curve in parts.curves.values()
                if curve.head is not None
            ]
        )
    )
    for parts in passage_parts:
        passage = parts.passage
        if parts.joined:
            result.composed |= zip(passage.channels.destination.addresses, parts.joined, strict=True)
            continue
        defaults = passage.channels.destination.defaults
        for (address, curve), default in zip(parts.curves.items(), defaults, strict=True):
            keys = curve.tail if curve.head is None else next(joined)
            if passage.needs_curve(address, default, keys):
                result.composed[address] = keys
        # where the rotation mode changes at the cut, the source's own channels end there
        result.composed |= parts.heads
