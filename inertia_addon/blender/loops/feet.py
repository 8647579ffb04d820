# SPDX-License-Identifier: GPL-3.0-or-later
"""The feet of a loop: planted as they are in the stretch that it is made of, and over the seam."""

from __future__ import annotations

import dataclasses
from collections.abc import Generator, Sequence
from typing import Any

import numpy as np

from ...motion.arrays import Array
from ...motion.curves.keys import Keys
from ...motion.feet import contacts as contactlib
from ...motion.feet import report
from ...motion.feet.contacts import Span, Spans
from ...motion.steps import finish
from ...settings.feet import Locking
from ..data import scene
from ..data.actions import Address, Clip, Curve, Repeated
from ..data.stretches import Rewritten
from ..feet import bake as feet_bake
from ..feet import contacts, legs, marks
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
    """The same of the loop, in its frames. known: of its clip."""
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


def planted_speeds(armature: Any, found: Stretch, known: Contacts, loop: Clip) -> tuple[float, float] | None:
    """How fast planted feet move in the clip and in the loop, metres a second; None where none is planted.

    The median of each foot, and of these the highest.
    """
    count = int(np.ceil(found.cycle.period - OUTSIDE))
    own: Array = found.cycle.start + np.arange(float(count)) * (found.cycle.period / count)
    made: Array = found.first + np.arange(2.0 * count + 1.0) * (found.cycle.period / count)
    placed = [(leg.point, leg.offset) for leg in known.legs]
    loop = dataclasses.replace(loop, cycle=found.moved)
    speeds = [
        _speed(known, _points(armature, found.clip, placed, own), own, known.spans, None),
        _speed(
            known,
            _points(armature, loop, placed, made),
            made,
            of_loop(found, known).spans,
            found.cycle.period,
        ),
    ]
    return None if None in speeds else (float(speeds[0] or 0.0), float(speeds[1] or 0.0))


def _points(armature: Any, clip: Clip, placed: Sequence[Any], frames: Array) -> Array:
    return finish(marks.steps(armature, clip, placed, frames))


def _speed(
    known: Contacts, points: Array, frames: Array, spans: Sequence[Spans], period: float | None
) -> float | None:
    figures = []
    for k in range(len(known.legs)):
        own = spans[k]
        if period is not None:
            own = contactlib.repeated(own, period, float(frames[0]), float(frames[-1]))
        speeds = report.planted_speeds(points[:, k], frames, scene.fps(), own, known.ground)
        if len(speeds):
            figures.append(float(np.median(speeds)))
    return max(figures, default=None)
