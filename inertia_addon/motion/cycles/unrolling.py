# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys of a cycle repeated: each repetition has the cycle's own keys, handles and interpolation."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence

from ..curves import keys as keylib
from ..curves.keys import SAME_FRAME, STEP_FRAMES, Keys, NotCuttable

MEETING = 1e-5
"""Values nearer than this, or this part of them, are one key's."""


def period_of(keys: Keys, start: float, end: float) -> Keys:
    """One period of a curve, with a key on its first and on its last frame.

    Raises NotCuttable where one of them lies within an easing.
    """
    keys = dataclasses.replace(keys, linear_extrapolation=False) if keys.linear_extrapolation else keys
    return keylib.tail(keylib.head(keys, end), start)


def chained(parts: Sequence[Keys]) -> Keys:
    """One curve of parts, each of which begins on the frame on which the one before ends.

    Where they don't meet, the former's last value is held for as short a time as there may be between keys.
    """
    if len(parts) == 1:
        return parts[0]
    meets = [_meets(before, after) for before, after in itertools.pairwise(parts)]
    begun = [parts[0], *(part if met else _later(part) for met, part in zip(meets, parts[1:], strict=True))]
    bodies = [part.take(slice(0, -1)) if met else part for met, part in zip(meets, begun[:-1], strict=True)]
    whole = keylib.concatenate([*bodies, begun[-1]])
    at = 0
    for body, met, before, after in zip(bodies, meets, begun[:-1], begun[1:], strict=True):
        at += len(body)
        if met:
            whole.left[at] = before.left[-1] + (after.co[0] - before.co[-1])
            whole.left_type[at] = keylib.side_of(before, -1)
            whole.right_type[at] = keylib.side_of(after, 0)
        else:
            whole.interpolation[at - 1] = keylib.CONSTANT
            whole.left_type[at - 1] = keylib.side_of(before, -1)
            whole.right_type[at] = keylib.side_of(after, 0)
    return whole


def preceded(before: Keys, keys: Keys) -> Keys:
    """A curve with a part before it that ends on its first frame, where the curve's own value is shown."""
    if _meets(before, keys):
        return chained([before, keys])
    last = float(keys.co[0, 0]) - STEP_FRAMES
    try:
        return keylib.step(keylib.head(before, last), keys)
    except NotCuttable:
        before = before.copy()
        before.co[-1, 0] = last
        return keylib.step(before, keys)


def _meets(before: Keys, after: Keys) -> bool:
    value, other = float(before.co[-1, 1]), float(after.co[0, 1])
    return abs(value - other) <= MEETING * max(1.0, abs(value))


def _later(part: Keys) -> Keys:
    """A part that begins a little later, where the one before is held on its own first frame."""
    first = float(part.co[0, 0]) + STEP_FRAMES
    if len(part) > 1 and float(part.co[1, 0]) <= first + SAME_FRAME:
        return part.take(slice(1, None))
    try:
        return keylib.tail(part, first)
    except NotCuttable:
        part = part.copy()
        part.co[0, 0] = first
        return part
