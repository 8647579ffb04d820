# SPDX-License-Identifier: GPL-3.0-or-later
"""The feet of a loop: planted as they are in the stretch that it is made of, and over the seam."""

from __future__ import annotations

import dataclasses
from collections.abc import Generator
from typing import Any

from ...motion.curves.keys import Keys
from ...motion.feet.contacts import Span, Spans
from ...settings.feet import Locking
from ..data import scene
from ..data.actions import Address, Curve, Repeated
from ..data.rewriting import Rewritten
from ..feet import bake as feet_bake
from ..feet import contacts, legs
from ..feet.contacts import Contacts
from .stretch import OUTSIDE, Stretch

AROUND_SECONDS = 1.0
"""So much of the clip before and behind a stretch says when feet are planted in it."""


def planted(armature: Any, found: Stretch) -> Generator[float, None, Contacts | None]:
    """When feet are planted around a stretch, in the clip's frames; None of a rig without legs."""
    own = legs.of(armature)
    if not own:
        return None
    around = AROUND_SECONDS * scene.fps()
    first, last = found.ends
    clip = dataclasses.replace(
        found.clip, start=max(found.clip.start, first - around), end=min(found.clip.end, last + around)
    )
    return (yield from contacts.steps(armature, clip, own))


def of_loop(found: Stretch, known: Contacts) -> Contacts:
    """When feet are planted in a loop, in its frames. known: when they are in its clip."""
    cycle, later = found.moved, found.first - found.cycle.start
    spans = tuple(_of_loop(known.at(leg, *found.ends), found, later) for leg in range(len(known.legs)))
    return dataclasses.replace(known, spans=spans, clip=(cycle.start, cycle.end), period=cycle.period)


def _of_loop(spans: Spans, found: Stretch, later: float) -> Spans:
    """The spans of a foot in a stretch, with one of those that its two ends cut."""
    start, end = found.ends
    cut = [Span(max(span.start, start), min(span.end, end)).moved(later) for span in spans]
    first, last = start + later, end + later
    if len(cut) > 1 and cut[0].start < first + OUTSIDE and cut[-1].end > last - OUTSIDE:
        cut = [*cut[1:-1], Span(cut[-1].start, cut[0].end + found.cycle.period)]
    return tuple(span for span in cut if span.end > span.start + OUTSIDE)


def locked(armature: Any, found: Stretch, slot: Rewritten, known: Contacts) -> dict[Address, Keys]:
    """The curves of a loop's slot with which planted feet stand still, over its seam, too.

    known: of its clip. Only those are returned that are other ones then.

    Raises InertiaError for legs that can't be locked.
    """
    curves: dict[Address, Curve] = {at: Repeated(None, keys, "", "") for at, keys in slot.curves.items()}
    cycle = found.moved
    loop = dataclasses.replace(slot.clip, curves=curves, start=cycle.start, end=cycle.end, cycle=cycle)
    made, _ = feet_bake.locked(armature, loop, of_loop(found, known), Locking())
    return dict(made.curves)
