# SPDX-License-Identifier: GPL-3.0-or-later
"""Curves that more than their keys shape, by modifiers or as samples, told by keys alone.

Wherever a modifier leaves a curve as it is keyed, its keys stay; what one repeats are these keys again.
Elsewhere keys follow what Blender shows, between frames too.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
from typing import Any

import numpy as np

from ...motion.arrays import Array, Flags
from ...motion.curves import following
from ...motion.curves import keys as keylib
from ...motion.curves.evaluation import evaluate
from ...motion.curves.keys import SAME_FRAME, STEP_FRAMES, Keys, NotCuttable
from ...motion.curves.representation import whole_frames
from ...motion.cycles.cycle import chained
from .actions import ActionCurve

MOST = 2000
"""Of what is repeated more often the keys are not sought."""
KNOWN = 16
"""So many answers are kept of a curve: a search for an entry asks for the same ones again and again."""
SAME = 2e-6
"""Values that differ by no more than this part of the largest are the same: float32 has no more digits."""
INSIDE = 0.382
"""Where between two frames it is looked whether keys say what is shown: at no regular place."""

Span = tuple[float, float]


def tell_by_keys(curve: ActionCurve, first: float, last: float) -> tuple[Keys, Span | None]:
    """Return keys that tell what Blender shows of a curve in some frames, and the span of those that are not
    the curve's own.

    The first key lies on `first`, the last on `last`; if `last` is not behind `first`, there is one key, on
    `first`. The span is (first, last) from the earliest to the latest frame on which keys had to be made; it
    is the two frames as given for a curve without keys or with `last` not behind `first`. It is None where
    the curve's own keys, repeated or cut, tell all.

    The answer is kept in ``curve.told``, so the same two frames give the same object; don't change it.
    """
    known = curve.told
    if (first, last) not in known:
        if len(known) >= KNOWN:
            known.clear()
        known[first, last] = _tell(curve, first, last)
    return known[first, last]


def _tell(curve: ActionCurve, first: float, last: float) -> tuple[Keys, Span | None]:
    """Return what :func:`tell_by_keys` says, found anew and kept nowhere: the keys, and the first and last
    frame between which some were made, None if all are the curve's own.

    Where the curve's own keys, repeated as its only Cycles modifier does, show the same as Blender, whole
    segments of them are kept, cut at the ends. All else is followed by keys on whole frames, on the curve's
    own keys, and where modifiers change. That is also so where a cut would fall within an easing.
    """
    own = _repeat_keys(curve, first, last) or curve.keys
    inner = own.co[:, 0].astype(float)
    edges = np.concatenate([whole_frames(first, last), inner, _find_changes(curve)])
    edges = _drop_doubles(np.sort(edges[(edges >= first) & (edges <= last)]), first, last)
    if len(edges) < 2 or not len(own):
        return following.follow(curve.at, edges), (first, last)
    kept = _are_telling(curve, own, edges)
    # a segment of its keys is kept as a whole or not at all
    segment = np.searchsorted(inner, edges[:-1] + SAME_FRAME, side="right")
    kept = kept & (segment > 0) & (segment < len(inner))
    kept = np.array([kept[segment == which].all() for which in segment.tolist()])
    parts: list[Keys] = []
    made: list[float] = []
    for is_kept, group in itertools.groupby(range(len(kept)), key=kept.__getitem__):
        run = [*group]
        start, end = float(edges[run[0]]), float(edges[run[-1] + 1])
        if is_kept:
            try:
                parts.append(keylib.tail(keylib.head(_hold_ends(own), end), start))
                continue
            except NotCuttable:
                pass  # within an easing
        parts.append(following.follow(curve.at, edges[run[0] : run[-1] + 2]))
        made += [start, end]
    return chained(parts), (min(made), max(made)) if made else None


def _hold_ends(keys: Keys) -> Keys:
    """Return a curve that holds its ends: what goes on beyond them is told by other keys."""
    return dataclasses.replace(keys, linear_extrapolation=False)


def _drop_doubles(edges: Array, first: float, last: float) -> Array:
    """Return frames, sorted, with those left out that lie within SAME_FRAME of the one before, of `first` or
    of `last`. The result begins with `first` and ends with `last`, whether or not they are among the frames;
    it is [first] alone where `last` is not behind it.

    edges: (n,), sorted.
    """
    if last <= first:
        return np.array([first])
    inner = edges[(edges > first + SAME_FRAME) & (edges < last - SAME_FRAME)]
    return np.concatenate([[first], inner[np.diff(inner, prepend=first) > SAME_FRAME], [last]])


def _are_telling(curve: ActionCurve, keys: Keys, edges: Array) -> Flags:
    """Return for each interval between neighbouring frames (n - 1,) whether keys say what a curve shows
    there.

    edges: (n,), sorted. Both ends of an interval and one frame within it are compared; values are the same
    that differ by SAME of the largest that the curve shows in all intervals, or of 1 where that is less. An
    interval no longer than 1.5 STEP_FRAMES, as between the two sides of a jump, always counts as told.
    """
    widths = np.diff(edges)
    inside = edges[:-1] + INSIDE * widths
    looked = np.stack([edges[:-1], inside, edges[1:]])
    shown, said = (
        values(looked.ravel()).reshape(looked.shape)
        for values in (curve.at, functools.partial(evaluate, keys))
    )
    near = np.abs(shown - said) <= SAME * max(1.0, float(np.abs(shown).max()))
    # as short as a held value is what separates the two sides of a jump
    return np.asarray(near.all(axis=0) | (widths <= 1.5 * STEP_FRAMES))


def _repeat_keys(curve: ActionCurve, first: float, last: float) -> Keys | None:
    """Return a curve's keys as its Cycles modifier repeats them, to tell what it shows from `first` to
    `last`.

    They are one run of the curve's own keys, as many runs before it and behind it as :func:`_count_turns`
    says for each side, each run a whole period, first to last key, from the one before. In an offset mode
    each run is raised by the difference of the last and the first value, in a mirrored mode every other run
    is backwards. Where the values of two runs meet they share a key, else the former's last value holds up to
    the seam and the latter begins just behind it. Where a side has no repetitions, or fewer than are needed,
    the keys don't reach `first` or `last`.

    None where the acting modifiers are not one Cycles modifier alone, the curve has no F-curve or fewer than
    two keys, or runs have to be mirrored whose keys are held (constant) or have easings.
    """
    acting = [] if curve.fcurve is None else [each for each in curve.fcurve.modifiers if not each.mute]
    keys = curve.keys
    if len(acting) != 1 or acting[0].type != "CYCLES" or len(keys) < 2:
        return None
    (modifier,), start, end = acting, float(keys.co[0, 0]), float(keys.co[-1, 0])
    period, rise = end - start, float(keys.co[-1, 1]) - float(keys.co[0, 1])
    before = _count_turns(modifier.mode_before, modifier.cycles_before, (start - first) / period)
    after = _count_turns(modifier.mode_after, modifier.cycles_after, (last - end) / period)
    parts = []
    for turn in range(-before, after + 1):
        mode = "REPEAT" if not turn else modifier.mode_before if turn < 0 else modifier.mode_after
        part = _hold_ends(keys)
        if mode == "MIRROR" and turn % 2:
            if keys.shapes is not None or (keys.interpolation[:-1] == keylib.CONSTANT).any():
                return None
            part = keylib.move(keylib.backwards(part), start + end)
        shift = turn * rise if mode == "REPEAT_OFFSET" else 0.0
        parts.append(keylib.move(part, turn * period, shift=shift))
    return chained(parts)


def _count_turns(mode: str, most: int, wanted: float) -> int:
    """Return how many whole times a Cycles modifier is to repeat keys on one side: `wanted`, rounded up, but
    no more than `most`.

    most: the modifier's limit, 0 for ever. wanted: how many times would fill the frames that are asked for. 0
    where the mode is "NONE", `wanted` is 0 or less, or it is above MOST.
    """
    if mode == "NONE" or wanted <= 0.0 or wanted > MOST:
        return 0
    turns = int(np.ceil(wanted - 1e-6))
    return min(turns, int(most)) if most else turns


def _find_changes(curve: ActionCurve) -> Array:
    """Return the frames (n,) at which a curve's unmuted modifiers begin or end to act, or change how,
    unsorted, maybe several times: of a restricted range both ends and the ends of its blends, of an envelope
    its control points. Empty for a curve without an F-curve.
    """
    found: list[Any] = []
    for modifier in () if curve.fcurve is None else curve.fcurve.modifiers:
        if modifier.mute:
            continue
        if modifier.use_restricted_range:
            start, end = modifier.frame_start, modifier.frame_end
            found += [start, start + modifier.blend_in, end - modifier.blend_out, end]
        if modifier.type == "ENVELOPE":
            found += [point.frame for point in modifier.control_points]
    return np.array(found, float)
