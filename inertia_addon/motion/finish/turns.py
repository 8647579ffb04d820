# SPDX-License-Identifier: GPL-3.0-or-later
"""Seams at which the way turns at once: the character goes on as quickly as before, another way, without the
moment that a body takes to turn.

What turns is joined anew by an offset that goes out from the seam to one side or to both: all that moves
keeps its way but for the corner, which becomes round.
"""

from __future__ import annotations

import numpy as np

from ...records import record
from ..arrays import Array
from ..decay import two_ended
from ..decay.offset import Offset
from ..decay.two_ended import TwoEndedCurve

BESIDE_SECONDS = 0.15
"""So much before and behind a place says which way the character goes there."""
AT_ONCE_SECONDS = 0.035
"""It turns at once that turns between two stretches as long as this."""
AT_ONCE = 0.8
"""So much of all that the velocity changes by, it changes by at once."""
SHARPEST = np.radians(50.0)
"""A way that turns by more than that at once is a seam."""
SLOWEST = 0.15
"""Slower than so many sizes a second on either side nothing is said of the way."""
ROUND_SECONDS = 0.25
"""A corner is made round over so much time on either side."""


@record(frozen=True)
class Turn:
    """A seam at which the way turns. at: the frame, by index. angle: by how much, radians."""

    at: int
    angle: float


def find_turns(positions: Array, fps: float, size: float) -> list[Turn]:
    """Return the places at which the way of a character over the ground turns at once, by more than 50
    degrees, in order: index and angle, radians, 0 to pi.

    The angle is that between the mean velocities in the 0.15 s before and behind; at once means that more
    than 0.8 of this change of velocity is there within 0.035 s on either side. positions: (n, joints, 3) of
    the joints in the world, Z up; their mean goes the way. size: of the character, in their unit; no turn is
    seen where it goes slower than 0.15 of that a second before or behind. Of turns within BESIDE_SECONDS only
    the sharpest counts.
    """
    far, near = (max(1, round(seconds * fps)) for seconds in (BESIDE_SECONDS, AT_ONCE_SECONDS))
    steps = np.diff(positions[:, :, :2].mean(axis=1), axis=0) * fps
    if len(steps) < 2 * far + 1:
        return []
    sums = np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)])
    at = np.arange(far, len(steps) - far + 1)
    before, behind = ((sums[at] - sums[at - far]) / far, (sums[at + far] - sums[at]) / far)
    change = np.linalg.norm(behind - before, axis=1)
    at_once = (sums[at + near] - sums[at]) / near - (sums[at] - sums[at - near]) / near
    speeds = [np.linalg.norm(each, axis=1) for each in (before, behind)]
    cosines = np.sum(before * behind, axis=1) / np.maximum(speeds[0] * speeds[1], 1e-12)
    angles = np.arccos(np.clip(cosines, -1.0, 1.0))
    is_turn = (angles > SHARPEST) & (np.minimum(speeds[0], speeds[1]) > SLOWEST * size)
    is_turn &= np.linalg.norm(at_once, axis=1) > AT_ONCE * change
    turns: list[Turn] = []
    for i in np.flatnonzero(is_turn).tolist():
        turn = Turn(int(at[i]), float(angles[i]))
        if turns and turn.at - turns[-1].at <= far:
            turn = max(turns.pop(), turn, key=lambda each: each.angle)
        turns.append(turn)
    return turns


def round_corner(rates: tuple[Array, Array], seconds: Array, reach: float, *, both_sides: bool) -> Array:
    """Return the offset (n, k) that takes a corner out of what goes at one rate before it and at another
    behind it: added to that, it lets no rate jump.

    With both sides the rate then changes evenly from `reach` before the corner to `reach` behind it, and the
    offset is a quarter of the change times `reach` at the corner. Otherwise it is 0 up to the corner, and the
    rate before goes over into that behind within `reach`.

    rates: (k,) each, before and behind, per second. seconds: (n,), from the corner on, negative before it.
    reach: how long the offset lasts on a side, seconds, above 0; beyond that it is 0. both_sides: whether it
    lasts so long before the corner, too; else what lies before stays, and all of the change comes behind.
    """
    before, behind = rates
    change = behind - before
    offsets = np.zeros((len(seconds), len(change)))
    none = Offset(np.zeros_like(change), np.zeros_like(change))
    curve = TwoEndedCurve(reach, reach)
    late = (seconds >= 0.0) & (seconds <= reach)
    if not both_sides:
        start = Offset(np.zeros_like(change), -change)
        offsets[late] = two_ended.evaluate_both_ends(start, none, curve, seconds[late])
        return offsets
    # half of the change on each side, at an even acceleration
    middle = 0.25 * reach * change
    early = (seconds >= -reach) & (seconds < 0.0)
    offsets[early] = two_ended.evaluate_both_ends(
        none, Offset(middle, 0.5 * change), curve, seconds[early] + reach
    )
    offsets[late] = two_ended.evaluate_both_ends(Offset(middle, -0.5 * change), none, curve, seconds[late])
    return offsets
