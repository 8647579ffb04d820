# SPDX-License-Identifier: GPL-3.0-or-later
"""Travel: an action in place in, a new one out that goes the way that its feet tell; and In Place, its
inverse.

Everything is read, checked and computed before anything is written, so that a failure leaves the file as it
was.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Generator
from typing import Any

from ...errors import InertiaError
from ...motion.steps import finish, part
from ...settings.transition import OBJECT_ROOT
from ...settings.travel import TravelSettings
from ..data import actions, clip_store, compat, recipe, rigs, roots, scene, stretches, unkeyed
from ..data.rig import split_path
from ..data.stretches import BakedCurve, Rewritten
from ..evaluation import cycles, joint_motion
from ..transition import preflight
from . import carrying, noting, reading
from .reading import Travel

KIND = "travel"
"""What the recipe of an action that was given travel, or from which it was taken, is called."""


@dataclasses.dataclass(frozen=True)
class TravelReport:
    """What :func:`travel` made.

    root: who carries the travel, "" for the object. told_by: FEET, SETTING, ROOT or NOTED. speed: metres a
    second on average, and turn: degrees a second, counter-clockwise. way: how far it goes from its first
    frame to its last, metres, and heading: how far it turns, degrees. skate_before, skate_after: how far its
    feet skate, metres; None where nothing tells. notes: sentences.
    """

    result: str
    action: str
    armature: str
    slot: str
    assigned: bool
    not_assigned_because: str
    in_place: bool
    root: str
    told_by: str
    speed: float
    turn: float
    way: float
    heading: float
    skate_before: float | None
    skate_after: float | None
    fps: float
    frame_range: tuple[float, float]
    keys: int
    baked_curves: tuple[BakedCurve, ...]
    notes: tuple[str, ...]
    settings: dict[str, Any]

    def as_dict(self) -> dict[str, Any]:
        """The report as plain JSON values."""
        return dataclasses.asdict(self)


@dataclasses.dataclass(frozen=True, eq=False)
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
    rig = rigs.read(armature)
    if settings.in_place:
        found = reading.there(armature, rig, clip, settings)
    else:
        found = yield from part(reading.finding(armature, rig, clip, settings), 0.3, 0.9)
    why_not = joint_motion.why_not_plain(armature, (clip,))
    known = found.way.backwards() if settings.in_place else found.way
    motions = known.matrices()
    curves = carrying.carried(armature, rig, found.root, clip, known.frames, motions, bool(why_not))
    return Plan(armature, settings, found, curves, ())


def write(plan: Plan, into: Any | None = None) -> TravelReport:
    """Write a planned action, and assign it if asked."""
    armature, settings, found = plan.armature, plan.settings, plan.travel
    clip = found.clip
    if into is not None and not into.is_editable:
        raise InertiaError(
            '"{action}" is linked from another file and cannot be made anew; make a new one.',
            action=into.name,
        )
    if into is not None and into == clip.action:
        raise InertiaError('"{action}" cannot be its own source; make a new one.', action=into.name)
    standing = unkeyed.of(armature) if settings.assign else {}
    before = compat.assigned(armature)[0]
    if before != into:
        recipe.keep(before)
    suffix = "in place" if settings.in_place else "travel"
    made = stretches.write([plan.curves], settings.result or f"{clip.action.name} {suffix}", into)
    _repeat(made, plan)
    root = found.root.name
    noting.note(made, found.way, root, settings.in_place)
    digest = recipe.rewriting_digest(clip)
    recipe.note_rewriting(made, KIND, settings.as_dict(), armature, clip.action, digest)
    reason = preflight.not_assignable(armature) if settings.assign else ""
    if settings.assign and not reason:
        unkeyed.keep(armature)
        unkeyed.settle(armature, standing, {*clip.curves, *plan.curves.curves})
        compat.assign(armature, made, clip.slot.identifier)
    return _report(plan, made, reason)


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


def _report(plan: Plan, made: Any, reason: str) -> TravelReport:
    found, settings, clip = plan.travel, plan.settings, plan.travel.clip
    gone = found.way.places[-1]
    before, after = found.skate or (None, None)
    return TravelReport(
        result=made.name,
        action=settings.action,
        armature=plan.armature.name,
        slot=clip.slot.identifier,
        assigned=settings.assign and not reason,
        not_assigned_because=reason,
        in_place=settings.in_place,
        root="" if found.root.name == OBJECT_ROOT else found.root.name,
        told_by=found.told_by,
        speed=found.speed,
        turn=found.turn,
        way=math.hypot(*gone.tolist()) * scene.metres_per_unit(),
        heading=math.degrees(float(found.way.turns[-1])),
        skate_before=before,
        skate_after=after,
        fps=scene.fps(),
        frame_range=(clip.start, clip.end),
        keys=actions.key_count(made),
        baked_curves=plan.curves.baked,
        notes=plan.notes,
        settings=settings.as_dict(),
    )


def recipe_of(action: Any) -> TravelSettings:
    """The settings that an action was made with, its source by its present name; raises InertiaError."""
    source, values = recipe.rewriting(action, KIND)
    library = source.library.filepath if source.library else ""
    with recipe.reading(action):
        named = {"action": source.name, "library": library, "result": action.name}
        return TravelSettings.from_dict({**values, **named})


def remake(armature: Any, action: Any) -> TravelReport:
    """Make an action anew in its place, from its recipe; raises InertiaError where that is gone."""
    return travel(armature, recipe_of(action), action)
