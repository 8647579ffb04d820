# SPDX-License-Identifier: GPL-3.0-or-later
"""A filled gap as an armature plays it: later than its source is keyed, as its action or as NLA strips.

As strips it is the same action that plays, cut where clips take over, as a path is.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

from ...motion.curves import keys as keylib
from ...settings.fill import FillSettings
from ..data import actions, compat, recipe, rewriting, unkeyed
from ..data.actions import Address, Clip, Curve, Repeated
from ..judging.verdict import Verdict
from ..nla import tracks
from ..nla.tracks import Strip, Track
from ..transition.compose import SlotPlan
from .search import Found


def later(result: Any, frames: float) -> None:
    """Have an action play so many frames later."""
    for slot in compat.slots(result) if frames else ():
        curves = actions.read(result, slot).curves
        for fcurve in compat.curves(result, slot.identifier):
            keys = curves[fcurve.data_path, fcurve.array_index].keys
            actions.fill(fcurve, keylib.moved(keys, frames))


def unshifted(clip: Clip, frames: float) -> Clip:
    """A clip that plays so many frames later, as it was before."""
    if not frames:
        return clip
    curves: dict[Address, Curve] = {
        at: Repeated(None, keylib.moved(curve.keys, -frames), "", curve.group)
        for at, curve in clip.curves.items()
    }
    return dataclasses.replace(
        clip, curves=curves, start=clip.start - frames, end=clip.end - frames, cycle=None
    )


def told_later(seen: Verdict, frames: float) -> Verdict:
    """A verdict on what plays so many frames later."""
    faults = tuple(dataclasses.replace(fault, frame=fault.frame + frames) for fault in seen.faults)
    return dataclasses.replace(seen, faults=faults, until=seen.until + frames)


def assigned(
    armature: Any,
    settings: FillSettings,
    found: Found | None,
    result: Any,
    standing: Mapping[Address, float],
    slots: Sequence[SlotPlan],
    below: Mapping[Any, Any | None],
) -> bool:
    """Let the armature, and what belongs to it, play a result, if they shall and may; returns whether the
    armature does.

    standing: what it shows without keys. slots: of the result. below: above which tracks its strips belong.
    """
    plays = settings.transition.assign and (settings.strips or not rewriting.not_assignable(armature))
    if plays:
        unkeyed.keep(armature)
        unkeyed.settle(armature, standing, set(slots[0].curves))
    for slot in slots:
        owner, identifier = (armature if slot is slots[0] else slot.owner), slot.slot.identifier
        if settings.strips:
            track = _track(result, identifier, _clips(settings, found))
            tracks.put(owner, result, [track], below.get(owner), mute=not plays)
        elif plays and not rewriting.not_assignable(owner):
            recipe.keep(compat.assigned(owner)[0])
            compat.assign(owner, result, identifier)
    return plays


def _clips(settings: FillSettings, found: Found | None) -> list[tuple[str, float]]:
    """What is played, one after the other: what each is called, and the frame at which it takes over."""
    own = settings.transition
    between = [(f"{own.source} to {own.destination}", own.cut)]
    if found is not None:
        between = []
        for join in found.way.joins[1:]:
            source, _ = found.stock.database.place(join.entered)
            name = f"{source.name} (mirrored)" if source.mirrored else source.name
            between.append((name, own.cut + join.frame * found.stock.step))
    clips = [(own.source, -math.inf), *between, (own.destination, settings.arrival)]
    return [(name, begin + own.shift) for name, begin in clips]


def _track(result: Any, slot: str, clips: Sequence[tuple[str, float]]) -> Track:
    """A strip for each clip, each of which plays its part of the result; they are there to be moved."""
    first, last = result.frame_range
    begins = [max(begin, first) for _, begin in clips]
    strips = [
        Strip(result, slot, begin, end, begin, "HOLD_FORWARD" if i else "HOLD", name=name)
        for i, ((name, _), begin, end) in enumerate(zip(clips, begins, [*begins[1:], last], strict=True))
        if end > begin
    ]
    return Track(result.name, tuple(strips), locked=False)
