# SPDX-License-Identifier: GPL-3.0-or-later
"""Travel: an action in place in, a new one out that goes the way that its feet tell; and its inverse.

Everything is read, checked and computed before anything is written: a failure leaves the file as it was.
"""

from __future__ import annotations

import math
from typing import Any

from ...motion.skeleton.posing import Rig
from ...motion.steps import Steps, finish, part
from ...records import record
from ...settings.travel import TravelSettings
from ..data import clip_store, compat, rewriting, rigs, roots, scene
from ..data.actions import Clip
from ..data.rewriting import Report, RewritingKind, Rewritten
from ..data.rig import split_path
from ..data.roots import Root
from ..evaluation import cycles, influence
from ..transition.alignment import RootedRig
from . import carrying, moving, reading
from .reading import Travel

KIND = "travel"
"""What the recipe of an action that was given travel, or from which it was taken, is called."""


@record(frozen=True, kw_only=True)
class TravelReport(Report):
    """What :func:`travel` made.

    root: who carries the travel, "" for the object. told_by: FEET, SETTING, ROOT or NOTED. speed: metres a
    second on average, and turn: degrees a second, counter-clockwise. way: how far it goes from its first
    frame to its last, metres, and heading: how far it turns, degrees. moved_from: what carried the travel
    before, "" for the object, where it was only moved; else None. skate_before, skate_after: how far its
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
    moved_from: str | None
    skate_before: float | None
    skate_after: float | None
    notes: tuple[str, ...] = ()


def travel(armature: Any, settings: TravelSettings, into: Any | None = None) -> TravelReport:
    """Make an action of another one that travels, or stays in place; see :func:`make_travel_steps`."""
    return finish(make_travel_steps(armature, settings, into))


def make_travel_steps(
    armature: Any, settings: TravelSettings, into: Any | None = None
) -> Steps[TravelReport]:
    """Make a new action of one in place that travels, or, if settings say ``in_place``, the other way round;
    return a report.

    The report has the ``root`` ("" for the object), what told of the travel (``told_by``), the average
    ``speed`` (m/s) and ``turn`` (degrees a second, counter-clockwise), how far it goes (``way``, metres, and
    ``heading``, degrees), and how far feet skate before and after (``skate_before``, ``skate_after``, metres,
    None where feet told nothing). An action that travels already has its travel moved to the carrier that is
    asked for, and ``moved_from`` is who carried it, else None.

    into: an earlier result to make anew in place; None for a new action. The file changes behind the last
    yield only, which tells the part that is done; the result is assigned if the settings say so. Raise
    InertiaError with the file as it was: where feet tell of no way and no speed is given, for no travel to
    take out, and for no carrier, or one that carries it already.
    """
    named = (settings.action, settings.library, settings.slot)
    (clip,) = yield from part(clip_store.read_named_steps(armature, [named]), 0.0, 0.3)
    clip_store.check_skeleton(armature, clip)
    rig = rigs.read(armature)
    if settings.in_place:
        travel = reading.travel_of(armature, rig, clip, settings)
    else:
        try:
            travel = yield from part(reading.find_travel_steps(armature, rig, clip, settings), 0.3, 0.6)
        except reading.AlreadyTravels:
            travel, curves = yield from part(_move_travel_steps(armature, rig, clip, settings), 0.6, 0.9)
            return _write(armature, settings, travel, curves, into)
    play = bool(influence.why_not_plain(armature, (clip,)))
    course = travel.way.backwards() if settings.in_place else travel.way
    motions = course.matrices()
    rooted = RootedRig(armature, rig, travel.root, play)
    curves = carrying.carried(rooted, clip, course.frames, motions)
    return _write(armature, settings, travel, curves, into)


def _move_travel_steps(
    armature: Any, rig: Rig, clip: Clip, settings: TravelSettings
) -> Steps[tuple[Travel, Rewritten]]:
    """Return (the travel of an action as another carrier has it, the curves that move it there); yield the
    part that is done, 0 to 1. Nothing is written.

    The travel is the one that Travel has noted with the action (``told_by`` NOTED), unless that was taken
    out; else that of its root (ROOT). The settings' ``on`` says who is to carry it, ``turns`` how that turns;
    ``moved_from`` is who carried it. Raise InertiaError for no such carrier, one that carries it already, and
    where the pose would change.
    """
    noted = reading.noted_way(clip.action)
    if noted is not None and noted.taken:
        noted = None
    source = roots.find_root(rig, (clip,)) if noted is None else Root(noted.root, moves=True)
    pair = moving.pair_of(armature, rig, clip, source, settings.on)
    course = None if noted is None else noted.way
    moved = yield from moving.move_travel_steps(armature, rig, clip, pair, settings.turns, course)
    told_by = reading.ROOT if noted is None else reading.NOTED
    paces = reading.pace(moved.way, reading.place_of(rig, clip, source.name))
    travel = Travel(clip, pair.carrier, moved.way, told_by, *paces, moved_from=source)
    return travel, moved.curves


def _write(
    armature: Any, settings: TravelSettings, travel: Travel, curves: Rewritten, into: Any | None
) -> TravelReport:
    """Write a new action with other travel, note the way with it, let cycles repeat as they did, and assign
    it unless the settings say not to; return the report.

    curves: what changes. into: an earlier result to replace, None for none. Raise InertiaError, with the file
    as it was, if `into` is linked or is the source itself.
    """
    carrier = travel.root.name

    def completed(action: Any) -> None:
        _repeat(action, armature, travel.clip, curves, in_place=settings.in_place)
        reading.note_way(action, travel.way, carrier, is_taken_out=settings.in_place)

    place = reading.place_of(rigs.read(armature), travel.clip, (travel.moved_from or travel.root).name)
    gone = travel.way.about(place).places[-1]
    suffix = "in place" if settings.in_place else "travel"
    report = rewriting.write(armature, RewritingKind(KIND, suffix, completed), settings, [curves], into)
    before, after = travel.skate or (None, None)
    return TravelReport(
        **vars(report),
        action=settings.action,
        in_place=settings.in_place,
        root=_bone(travel.root),
        told_by=travel.told_by,
        speed=travel.speed,
        turn=travel.turn,
        way=math.hypot(*gone.tolist()) * scene.metres_per_unit(),
        heading=math.degrees(float(travel.way.turns[-1])),
        moved_from=None if travel.moved_from is None else _bone(travel.moved_from),
        skate_before=before,
        skate_after=after,
    )


def _bone(root: Root) -> str:
    """Return the bone that a root is, "" for the object."""
    return "" if root.is_object else root.name


def _repeat(action: Any, armature: Any, clip: Clip, curves: Rewritten, *, in_place: bool) -> None:
    """Let the curves of who carries the travel repeat by a Cycles modifier, in place, as all others of the
    action do; their other modifiers are removed.

    They are the curves of `curves` in the new action. Locations repeat with offset, unless `in_place`; all
    else without. Nothing is done unless the Cycles modifiers of all curves of `clip` say that it repeats.
    """
    rig = rigs.read(armature)
    cycle = cycles.declared(rig, roots.find_root(rig, (clip,)), clip)
    if cycle is None or cycle.known_by != "MODIFIERS":
        return
    slots = [(part.clip.slot.identifier, part.curves) for part in rewriting.apart(curves)]
    fcurves = [(fcurve, keys) for slot, keys in slots for fcurve in compat.curves(action, slot)]
    for fcurve, keys in fcurves:
        address = (fcurve.data_path, fcurve.array_index)
        if address not in keys:
            continue
        for modifier in [*fcurve.modifiers]:
            fcurve.modifiers.remove(modifier)
        modifier = fcurve.modifiers.new("CYCLES")
        goes_on = split_path(address[0])[1] in ("location", "delta_location") and not in_place
        modifier.mode_before = modifier.mode_after = "REPEAT_OFFSET" if goes_on else "REPEAT"
