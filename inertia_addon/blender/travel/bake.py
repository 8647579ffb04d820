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
from ..data import clip_store, compat, result_kinds, rewriting, roots
from ..data.actions import Clip
from ..data.report import Report
from ..data.rewriting import RewritingKind, Rewritten
from ..data.rig import split_path
from ..data.roots import Root
from ..evaluation import cycles
from ..evaluation.character import Character, read_character
from ..transition.alignment import RootedRig
from . import carrying, moving, reading
from .reading import Travel

KIND = result_kinds.TRAVEL
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
    """Make a new action of one in place that travels, or, if settings say ``in_place``, one in place of one
    that travels; return a report; yields the part that is done, 0 to 1.

    The :class:`TravelReport` has, beside what every report has, who carries the travel (``root``, "" for the
    object), what told of it (``told_by``: FEET or SETTING for one that was given, NOTED or ROOT for one that
    was there), the average ``speed`` (m/s) and ``turn`` (degrees a second, counter-clockwise), and how far it
    goes from the first frame to the last (``way``, metres, and ``heading``, degrees); with ``in_place`` all
    that is of the travel that was taken out. ``skate_before`` and ``skate_after`` are how far the feet skate
    without travel and with it, metres; None where no feet were looked at.

    An action that travels already, without ``in_place`` and without a speed, has its travel moved to the
    carrier that is asked for, and ``moved_from`` is who carried it, "" for the object; else that is None.

    into: an earlier result to make anew in place; None for a new action, called as ``settings.result`` says,
    else by the source's name and " travel" or " in place". The file changes behind the last yield only; the
    result is assigned if the settings say so. Raise InertiaError with the file as it was: for an action or
    slot that does not exist or can't be read, or is another skeleton's, for a single pose, where feet tell of
    no way and no speed is given, for a speed where it travels already, for no travel to take out, for no
    carrier, or one that carries it already, where the travel can't be moved, and for an `into` that is linked
    or the source.
    """
    character = read_character(armature)
    named = (settings.action, settings.library, settings.slot)
    (clip,) = yield from part(clip_store.read_named_steps(armature, [named]), 0.0, 0.3)
    clip_store.check_skeleton(armature, clip)
    rig = character.rig
    if settings.in_place:
        travel = reading.travel_of(character, rig, clip, settings)
    else:
        try:
            travel = yield from part(reading.find_travel_steps(character, rig, clip, settings), 0.3, 0.6)
        except reading.AlreadyTravels:
            travel, curves = yield from part(_move_travel_steps(character, rig, clip, settings), 0.6, 0.9)
            return _write_travel(character, settings, travel, curves, into)
    course = travel.way.backwards() if settings.in_place else travel.way
    motions = course.matrices()
    rooted = RootedRig.in_clips(character, rig, travel.root, (clip,))
    curves = carrying.carried(rooted, clip, course.frames, motions)
    return _write_travel(character, settings, travel, curves, into)


def _move_travel_steps(
    character: Character, rig: Rig, clip: Clip, settings: TravelSettings
) -> Steps[tuple[Travel, Rewritten]]:
    """Return (the travel of an action as another carrier has it, the curves that move it there); yields the
    part that is done, 0 to 1. Nothing is written.

    In the :class:`Travel` ``root`` is the new carrier and ``moved_from`` the old one, each a Root, and
    ``way`` is in world units; the speed is in m/s, the turn in degrees a second, counter-clockwise. ``skate``
    is None. The travel is the one that Travel has noted with the action (``told_by`` NOTED), unless that was
    taken out; else that of the root that is found (ROOT). The settings' ``on`` says who is to carry it,
    ``turns`` how that turns.

    Raise InertiaError as :func:`moving.find_carrier` and :func:`moving.move_travel_steps` do: for no such
    carrier or one that carries it already, for a connected bone that would have to stay, where no channels
    carry it, where the pose would change, and where Blender would not play the rig.
    """
    noted = reading.noted_way(clip.action)
    if noted is not None and noted.taken:
        noted = None
    source = roots.find_root(rig, (clip,)) if noted is None else Root(noted.root, moves=True)
    pair = moving.pair_of(character, rig, clip, source, settings.on)
    course = None if noted is None else noted.way
    moved = yield from moving.move_travel_steps(character, rig, clip, pair, settings.turns, course)
    told_by = reading.ROOT if noted is None else reading.NOTED
    paces = reading.pace(character, moved.way, reading.place_of(rig, clip, source.name))
    travel = Travel(clip, pair.carrier, moved.way, told_by, *paces, moved_from=source)
    return travel, moved.curves


def _write_travel(
    character: Character, settings: TravelSettings, travel: Travel, curves: Rewritten, into: Any | None
) -> TravelReport:
    """Write a new action with other travel, note the way with it, let cycles repeat as they did, and assign
    it unless the settings say not to; return the :class:`TravelReport`.

    A new action is called ``settings.result``, else by the source's name and " travel", or " in place" with
    ``settings.in_place``. In the report ``way`` is how far its carrier, or with ``moved_from`` who carried
    it, is taken from where it stands at the first frame, in metres, and ``heading`` the last of the way's
    turns, degrees; ``root`` and ``moved_from`` are "" for the object.

    travel: the way that is given, moved or taken out. curves: what changes. into: an earlier result to
    replace, None for none. Raise InertiaError, with the file as it was, if `into` is linked or is the source
    itself, and for keys of any slot that are not finite.
    """
    carrier = travel.root.name

    def completed(action: Any) -> None:
        _repeat(action, character, travel.clip, curves, in_place=settings.in_place)
        reading.note_way(action, travel.way, carrier, is_taken_out=settings.in_place)

    place = reading.place_of(character.rig, travel.clip, (travel.moved_from or travel.root).name)
    gone = travel.way.about(place).places[-1]
    suffix = "in place" if settings.in_place else "travel"
    report = rewriting.write(
        character.armature, RewritingKind(KIND, suffix, completed), settings, [curves], into
    )
    before, after = travel.skate or (None, None)
    return TravelReport(
        **vars(report),
        action=settings.action,
        in_place=settings.in_place,
        root=_bone(travel.root),
        told_by=travel.told_by,
        speed=travel.speed,
        turn=travel.turn,
        way=math.hypot(*gone.tolist()) * character.metres,
        heading=math.degrees(float(travel.way.turns[-1])),
        moved_from=None if travel.moved_from is None else _bone(travel.moved_from),
        skate_before=before,
        skate_after=after,
    )


def _bone(root: Root) -> str:
    """Return the bone that a root is, "" for the object."""
    return "" if root.is_object else root.name


def _repeat(action: Any, character: Character, clip: Clip, curves: Rewritten, *, in_place: bool) -> None:
    """Let the curves of who carries the travel repeat by a Cycles modifier, in place, as all others of the
    action do; their other modifiers are removed.

    They are the curves of `curves` in the new action. Locations repeat with offset, unless `in_place`; all
    else without. Nothing is done unless the Cycles modifiers of all curves of `clip` say that it repeats.
    """
    rig = character.rig
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
