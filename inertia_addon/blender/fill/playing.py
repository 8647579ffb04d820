# SPDX-License-Identifier: GPL-3.0-or-later
"""A filled gap as an armature plays it: later than its source is keyed, as its action or as NLA strips.

As strips it is the same action that plays, cut where clips take over, as a path is.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence, Set
from typing import Any

from ...motion.curves import keys as keylib
from ...settings.fill import FillSettings
from ..data import actions, clip_store, compat, recipe, rewriting, unkeyed
from ..data.actions import Address, Clip, Curve, Repeated
from ..judging.verdict import Verdict
from ..nla import tracks
from ..nla.tracks import Strip, Track
from .search import Found


def later(armature: Any, result: Any, slot: str, frames: float) -> None:
    """Have an action play so many frames later."""
    if not frames:
        return
    curves = clip_store.read(armature, result, slot).curves
    for fcurve in compat.curves(result, slot):
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
    slot: str,
    standing: Mapping[Address, float],
    curves: Set[Address],
    below: Mapping[Any, Any | None],
) -> bool:
    """Let the armature play a result, if it shall and may.

    standing: what it shows without keys. curves: those of the result. below: above which track its strips
    belong.
    """
    plays = settings.transition.assign and (settings.strips or not rewriting.not_assignable(armature))
    if settings.strips:
        track = _track(result, slot, _clips(settings, found))
        tracks.put(armature, result, [track], below.get(armature), mute=not plays)
    if not plays:
        return False
    unkeyed.keep(armature)
    unkeyed.settle(armature, standing, set(curves))
    if not settings.strips:
        recipe.keep(compat.assigned(armature)[0])
        compat.assign(armature, result, slot)
    return True


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
