# SPDX-License-Identifier: GPL-3.0-or-later
"""Travel: an action in place in, a new one out that goes the way that its feet tell; and In Place, its
inverse.

Everything is read, checked and computed before anything is written, so that a failure leaves the file as it
was.
"""

from __future__ import annotations

import math
from collections.abc import Generator
from typing import Any

from ...motion.steps import finish, part
from ...records import record
from ...settings.transition import OBJECT_ROOT
from ...settings.travel import TravelSettings
from ..data import clip_store, compat, rewriting, rigs, roots, scene
from ..data.rewriting import Report, Rewritten
from ..data.rig import split_path
from ..evaluation import cycles, influence
from . import carrying, noting, reading
from .reading import Travel

KIND = "travel"
"""What the recipe of an action that was given travel, or from which it was taken, is called."""


@record(frozen=True, kw_only=True)
class TravelReport(Report):
    """What :func:`travel` made.

    root: who carries the travel, "" for the object. told_by: FEET, SETTING, ROOT or NOTED. speed: metres a
    second on average, and turn: degrees a second, counter-clockwise. way: how far it goes from its first
    frame to its last, metres, and heading: how far it turns, degrees. skate_before, skate_after: how far its
    feet skate, metres; None where nothing tells. notes: sentences.
    """

    action: str
    in_place: bool
    root: str
    told_by: str
    speed: float
    turn: float
    way: float
    heading: float
    skate_before: float | None
    skate_after: float | None
    notes: tuple[str, ...]


@record(frozen=True, eq=False)
class Plan:
    """An action with other travel, computed and not yet written. notes: sentences."""

    armature: Any
    settings: TravelSettings
    travel: Travel
    curves: Rewritten
    notes: tuple[str, ...]


def travel(armature: Any, settings: TravelSettings, into: Any | None = None) -> TravelReport:
    """Make an action of another one that travels, or stays in place; see :func:`travelling`."""
    return finish(travelling(armature, settings, into))


def travelling(
    armature: Any, settings: TravelSettings, into: Any | None = None
) -> Generator[float, None, TravelReport]:
    """Make one; yields the part that is done, and changes the file behind its last yield only.

    into: an earlier result to make anew in place; None for a new action. Raises InertiaError with the file as
    it was: where feet tell of no way and no speed is given, where there is no travel to take out, and where
    nothing can carry it.
    """
    plan = yield from planning(armature, settings)
    return write(plan, into)


def planning(armature: Any, settings: TravelSettings) -> Generator[float, None, Plan]:
    """Compute one without changing anything; see :func:`travelling`."""
    named = (settings.action, settings.library, settings.slot)
    (clip,) = yield from part(clip_store.reading_named(armature, [named]), 0.0, 0.3)
    clip_store.check_skeleton(armature, clip)
    rig = rigs.read(armature)
    if settings.in_place:
        found = reading.there(armature, rig, clip, settings)
    else:
        found = yield from part(reading.finding(armature, rig, clip, settings), 0.3, 0.9)
    why_not = influence.why_not_plain(armature, (clip,))
    known = found.way.backwards() if settings.in_place else found.way
    motions = known.matrices()
    curves = carrying.carried(armature, rig, found.root, clip, known.frames, motions, bool(why_not))
    return Plan(armature, settings, found, curves, ())


def write(plan: Plan, into: Any | None = None) -> TravelReport:
    """Write a planned action, and assign it if asked."""
    settings, found = plan.settings, plan.travel

    def completed(made: Any) -> None:
        _repeat(made, plan)
        noting.note(made, found.way, found.root.name, settings.in_place)

    suffix = "in place" if settings.in_place else "travel"
    made = rewriting.write(plan.armature, KIND, settings, [plan.curves], suffix, into, completed)
    gone = found.way.places[-1]
    before, after = found.skate or (None, None)
    return TravelReport(
        **vars(made),
        action=settings.action,
        in_place=settings.in_place,
        root="" if found.root.name == OBJECT_ROOT else found.root.name,
        told_by=found.told_by,
        speed=found.speed,
        turn=found.turn,
        way=math.hypot(*gone.tolist()) * scene.metres_per_unit(),
        heading=math.degrees(float(found.way.turns[-1])),
        skate_before=before,
        skate_after=after,
        notes=plan.notes,
    )


def _repeat(made: Any, plan: Plan) -> None:
    """Let the curves of who carries the travel repeat as all others do, going on from where they were."""
    clip = plan.travel.clip
    rig = rigs.read(plan.armature)
    said = cycles.said(rig, roots.find_root(rig, (clip,)), clip)
    if said is None or said.known_by != "MODIFIERS":
        return
    for fcurve in compat.curves(made, clip.slot.identifier):
        address = (fcurve.data_path, fcurve.array_index)
        if address not in plan.curves.curves:
            continue
        for modifier in [*fcurve.modifiers]:
            fcurve.modifiers.remove(modifier)
        modifier = fcurve.modifiers.new("CYCLES")
        goes_on = split_path(address[0])[1] == "location" and not plan.settings.in_place
        modifier.mode_before = modifier.mode_after = "REPEAT_OFFSET" if goes_on else "REPEAT"
