# SPDX-License-Identifier: GPL-3.0-or-later
"""The curves that lock the feet of a planned transition."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Iterable, Mapping

import numpy as np

from ...motion.arrays import Array
from ...motion.curves import keys as keylib
from ...motion.curves import representation
from ...motion.curves.keys import Keys
from ...motion.feet.chains import Changed, RigLegs
from ...motion.quaternion import rotation_property
from ...motion.steps import Steps, part
from ...records import record
from ...settings.transition import TransitionSettings
from ..data.actions import ActionCurve, Address, Clip, with_curves
from .body import Body
from .clip_meeting import ClipMeeting
from .crossing_feet import cross_feet_steps


@record(frozen=True)
class TransitionFeet:
    """What was done about the feet of a transition.

    curves: those that lock them, in place of what was planned. holds: of each foot that is locked the first
    and the last frame of the spans in which it stands still. last: the last frame at which any is another
    one. pinned: the controls that feet are pinned by. notes: sentences.
    """

    curves: Mapping[Address, Keys] = dataclasses.field(default_factory=dict)
    holds: Mapping[str, tuple[tuple[float, float], ...]] = dataclasses.field(default_factory=dict)
    last: float = -math.inf
    pinned: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def lock_transition_steps(
    body: Body, meeting: ClipMeeting, settings: TransitionSettings
) -> Steps[TransitionFeet]:
    """Lock the feet of a transition, as far as they can be; yield the part that is done, 0 to 1.

    Return the curves of what changes, by address, when each foot stands, the last frame at which anything
    goes elsewhere, the pinned controls and notes; an empty TransitionFeet if nothing changes. Nothing is
    written.
    """
    crossed = yield from part(cross_feet_steps(body, meeting, settings), 0.0, 0.7)
    legs, frames, locked = body.legs, crossed.frames, crossed.locked
    # a foot that comes to rest first goes where it is held from the first frame on
    stands = [
        [(0 if hold.speed is not None else hold.first, hold.last) for hold in held] for held in locked.holds
    ]
    shown = functools.partial(with_changes, legs, meeting, crossed.clip, frames)
    changed = body.changed(crossed.find_feet_paths(stands), shown)
    yield 0.9
    if not changed:
        return TransitionFeet()
    last = max(change.spans[-1][1] for change in changed)
    curves = _all_rewritten(legs, changed, frames, meeting)
    return TransitionFeet(curves, crossed.find_stands(body), float(frames[last]), body.pinned, body.notes)


def with_changes(
    legs: RigLegs, meeting: ClipMeeting, clip: Clip, frames: Array, changed: Iterable[Changed]
) -> Clip:
    """Return a planned transition in which channels have changed at frames (n,)."""
    return with_curves(clip, {**meeting.curves, **_all_rewritten(legs, changed, frames, meeting)})


def _all_rewritten(
    legs: RigLegs, changed: Iterable[Changed], frames: Array, meeting: ClipMeeting
) -> dict[Address, Keys]:
    """Return the curves of bones with other values, by address, from the cut to the last frame on which each
    differs.

    changed: each with values from the cut on. frames: (n,), those of the values. Bones of one rotation mode
    that differ until the same frame, with the same kinks, are rewritten together.
    """
    # as they come, by place
    rewritten: dict[int, Mapping[Address, Keys]] = {}
    alike: dict[tuple[str, int, tuple[int, ...]], list[tuple[int, Changed]]] = {}
    for place, change in enumerate(changed):
        last = change.spans[-1][1]
        kinks = tuple(kink for kink in change.kinks if 0 < kink < last)
        alike.setdefault((change.mode, last, kinks), []).append((place, change))
    for (mode, last, kinks), some in alike.items():
        prop, count = rotation_property(mode) if mode else ("location", 3)
        addresses = [[(legs.rig.paths[each.bone] + prop, i) for i in range(count)] for _, each in some]
        keys = [[_keys(meeting, at, prop) for at in each] for each in addresses]
        span = slice(0, last + 1)
        values = [each.values[span] for _, each in some]
        if mode:
            made = representation.rotations_together(keys, mode, frames[span], np.stack(values), kinks)
        else:
            made = [
                representation.vectors(group, frames[span], shown, kinks)
                for group, shown in zip(keys, values, strict=True)
            ]
        for (place, _), each, (curves, _) in zip(some, addresses, made, strict=True):
            rewritten[place] = dict(zip(each, curves, strict=True))
    return {at: keys for place in sorted(rewritten) for at, keys in rewritten[place].items()}


def _keys(meeting: ClipMeeting, address: Address, prop: str) -> Keys:
    """Return the keys of a planned curve; one key where there is none."""
    curve = meeting.curves.get(address)
    if curve is None:
        return keylib.constant(meeting.source.start, meeting.destination.default_of(address, prop))
    return curve.keys if isinstance(curve, ActionCurve) else curve
