# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes what fills a gap: an action that is the source up to the cut and the destination from the arrival on.

The clips between are moved to where they are played, so that they lead there, and joined as ever.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import math
from collections.abc import Generator, Mapping
from typing import Any

import bpy
import numpy as np

from ...errors import InertiaError
from ...motion.curves import stretches as curvelib
from ...motion.skeleton import character
from ...motion.steps import part
from ...records import record
from ...settings.fill import FillSettings
from ...settings.transition import TransitionSettings
from ..data import actions, clip_store, recipe, rewriting, rig, rigs, roots, scene, unkeyed
from ..data.actions import Clip
from ..judging import verdict
from ..judging.verdict import Verdict
from ..matching import stock as stocks
from ..matching import surroundings
from ..nla import tracks
from ..transition import bake, writing
from ..transition.bake import Plan
from ..transition.chain import Chain, by_value
from ..transition.compose import SlotPlan
from . import arriving, pieces, planted, playing, posture
from .pieces import Piece
from .search import Found, check, no_frame

PART = "Fill on the Way"
"""What is made on the way is called so."""
BAKED = 0.7
"""So much of the work are the joins."""


@record(frozen=True)
class FillReport:
    """What filling a gap has made.

    result: its action. frame_range: its first and last frame. cuts: the frames at which clips take over.
    arrival: at which the destination does. verdicts: on each join, the arrival last.
    """

    result: str
    slot: str
    frame_range: tuple[float, float]
    cuts: tuple[float, ...]
    arrival: float
    keys: int
    assigned: bool
    warnings: tuple[str, ...]
    verdicts: tuple[Verdict, ...]

    def as_dict(self) -> dict[str, Any]:
        """The report as plain JSON values."""
        return {**dataclasses.asdict(self), **verdict.told(self.verdicts)}


@record(frozen=True, eq=False)
class _Filled:
    """A gap, filled. played: the clips between. plans: its joins, the arrival last. slots: all curves, the
    character's own first. verdicts: on the joins. said: what there is to say of feet. result: the action,
    None where none was asked for."""

    played: list[Piece]
    plans: list[Plan]
    slots: list[SlotPlan]
    verdicts: list[Verdict]
    said: list[str]
    result: Any | None


def baking(
    armature: Any,
    settings: FillSettings,
    found: Found | None,
    into: Any | None = None,
    weights: Mapping[str, float] | None = None,
) -> Generator[float, None, FillReport]:
    """Bake what fills a gap as a new action; yields the part that is done.

    found: the clips; None to go without. into: an earlier result to make anew in place. weights: what each
    joint counts, which a recipe keeps. Raises InertiaError with the file as it was.
    """
    if settings.strips:
        tracks.check(armature)
    own, standing = settings.transition, unkeyed.of(armature)
    name = own.result or f"{own.source} to {own.destination}"
    filled = yield from _filling(armature, settings, found, name)
    result = filled.result
    assert result is not None
    used = [actions.find(each) for each in _used(settings, found)]
    _note(result, armature, settings, used, weights or {})
    below: dict[Any, Any | None] = {}
    if into is not None:
        below = tracks.take_away(into)
        rewriting.take_place(result, into)
    playing.later(result, own.shift)
    verdicts = [playing.told_later(seen, own.shift) for seen in filled.verdicts]
    assigned = playing.assigned(armature, settings, found, result, standing, filled.slots, below)
    first, last = result.frame_range
    return FillReport(
        result.name,
        filled.slots[0].slot.identifier,
        (first, last),
        tuple(piece.cut for piece in filled.played),
        settings.arrival,
        actions.key_count(result),
        assigned,
        (
            *dict.fromkeys(told for plan in filled.plans for told in plan.warnings if PART not in told),
            *filled.said,
        ),
        tuple(verdicts),
    )


def judging(
    armature: Any, settings: FillSettings, found: Found | None, shown: Clip | None = None
) -> Generator[float, None, tuple[Verdict, ...]]:
    """The verdicts on the joins of a gap as it would be filled, the arrival last, with the file as it was;
    yields the part that is done.

    shown: what was made of it, which is judged in its place. Raises InertiaError as :func:`baking` does.
    """
    if shown is not None:
        shown = playing.unshifted(shown, settings.transition.shift)
    filled = yield from _filling(armature, settings, found, "", shown)
    return tuple(playing.told_later(seen, settings.transition.shift) for seen in filled.verdicts)


def _filling(
    armature: Any, settings: FillSettings, found: Found | None, name: str, shown: Clip | None = None
) -> Generator[float, None, _Filled]:
    """Fill a gap, as an action of a name; without one nothing is left in the file.

    shown: what is judged in its place.
    """
    rig.check_armature(armature)
    check(settings)
    own = settings.transition
    both = yield from part(clip_store.reading_named(armature, own.ends()), 0.0, 0.1)
    source, destination = (
        arriving.alone(armature, by_value(clip)) for clip in unkeyed.all_completed(armature, both)
    )
    if source.start == source.end < own.cut:
        source = dataclasses.replace(source, end=own.cut)  # a pose is held
    assert own.destination_frame is not None
    for clip, frame in ((source, own.cut), (destination, own.destination_frame)):
        if not clip.start - 1e-3 <= frame <= clip.end + 1e-3:
            raise no_frame(clip.action.name, frame)
    made: list[Any] = []
    kept, result = [(clip.action, clip.action.use_fake_user) for clip in both], None
    try:
        made += [bpy.data.actions.new(PART) for _ in range(3)]
        placed = _placed(armature, settings, destination, found)
        played = (
            pieces.across(armature, settings, source, placed)
            if found is None
            else pieces.between(armature, found, made)
        )
        plans, chain, whole = list[Plan](), Chain(made[0]), source
        for i, piece in enumerate(played):
            moved = _moved(armature, piece)
            asked = _joined(settings, whole, moved, piece.cut, piece.entered)
            steps = bake.planning_clips(armature, asked, whole, moved, motion=np.eye(4))
            plans.append((yield from part(steps, *(0.1 + 0.5 * k / len(played) for k in (i, i + 1)))))
            chain.take(plans[-1])
            (whole,) = unkeyed.all_completed(armature, (chain.clip(-math.inf),))
        before, after = arriving.ends(settings, placed, whole, made[1:])
        asked = _joined(settings, before, after, -settings.arrival, -settings.arrival)
        steps = bake.planning_clips(armature, asked, before, after, motion=np.eye(4))
        plans.append((yield from part(steps, 0.6, 0.8)))
        slots = arriving.arrived(plans[-1], settings, whole, placed)
        if found is not None:
            composed = slots[0].composed
            composed |= posture.kept(armature, found, (source, placed), played, composed, whole)
        made.append(bpy.data.actions.new(PART))
        writing.write_slots(made[-1], slots)
        if shown is not None:
            verdicts = yield from part(planted.judged(plans, shown, made[2]), 0.8, 1.0)
            return _Filled(played, plans, slots, verdicts, [], None)
        (free,) = unkeyed.all_completed(armature, (clip_store.read(armature, made[-1]),))
        choosing = planted.choosing(armature, found, source, played, plans, free, made[2])
        parts, verdicts, said = yield from part(choosing, 0.8, 1.0)
        if name:
            result = rewriting.write_action([parts], name)
        return _Filled(played, plans, slots, verdicts, said, result)
    finally:
        # what lies between is nothing that anybody asked for
        actions.remove_all(made)
        for action, was_kept in kept if result is None else ():
            with contextlib.suppress(ReferenceError):  # somebody else may have removed it
                action.use_fake_user = was_kept


def _placed(armature: Any, settings: FillSettings, destination: Clip, found: Found | None) -> Clip:
    """The destination where it is arrived at."""
    if settings.place is None:
        return destination
    if found is None:
        raise InertiaError("Without clips the destination is arrived at where its own keys stand.")
    x, y = (value / scene.metres_per_unit() for value in found.gap.place)
    motion = character.motion_of(found.gap.angle, (x, y, 0.0))
    frames = curvelib.whole_frames(destination.start, destination.end)
    motions = np.broadcast_to(motion, (len(frames), 4, 4))
    return stocks.moved(armature, rigs.read(armature), found.stock.root, destination, frames, motions)


def _moved(armature: Any, piece: Piece) -> Clip:
    """A clip as it is played."""
    read = rigs.read(armature)
    root = roots.find_root(read, (piece.clip,), "")
    (clip,) = unkeyed.all_completed(armature, (piece.clip,))
    moved = stocks.moved(armature, read, root, clip, piece.frames, piece.motions)
    return arriving.alone(armature, by_value(moved))


def _joined(
    settings: FillSettings, source: Clip, destination: Clip, cut: float, frame: float
) -> TransitionSettings:
    """How one join is planned."""
    own = settings.transition
    length = (
        settings.gap_frames if not settings.use_library else min(own.frames(scene.fps()), settings.gap_frames)
    )
    return dataclasses.replace(
        own,
        source=source.action.name,
        source_slot=source.slot.identifier,
        source_library="",
        source_cycle="OFF",
        destination=destination.action.name,
        destination_slot=destination.slot.identifier,
        destination_library="",
        destination_cycle="OFF",
        cut=cut,
        destination_frame=frame,
        alignment="POSITION_HEADING",
        blend_frames=length,
        suggest_blend_time=False,
        # they are locked at the end, between both
        feet="OFF",
        result=PART,
        assign=False,
        strips=False,
    )


# --- the result, and what it remembers


def _used(settings: FillSettings, found: Found | None) -> list[str]:
    """The actions that a result is made of: both ends, and the set."""
    own = settings.transition
    clips = [] if found is None else [clip.action.name for clip in found.stock.clips]
    return list(dict.fromkeys((own.source, own.destination, *clips)))


def _note(
    result: Any, armature: Any, settings: FillSettings, used: list[Any], weights: Mapping[str, float]
) -> None:
    """Write the recipe into a result: its settings, and pointers that survive renaming to its actions."""
    values = {"settings": settings.as_dict(), "armature": armature.name, "weights": dict(weights)}
    values |= {"used": [one.name for one in used], "digest": recipe.digest_of(used, armature)}
    values["things"] = recipe.note_things(result, surroundings.note_obstacles(result, settings.obstacles))
    result[recipe.FILL] = json.dumps(values)
    for i, one in enumerate(used):
        result[f"{recipe.HOP_ACTION}{i}"] = one
        recipe.keep(one)


def recipe_of(action: Any) -> tuple[FillSettings, dict[str, float]]:
    """The settings of a filled gap by the present names of its actions, and what each joint counts.

    Raises InertiaError when there is no recipe that can be read, or one of its actions is gone.
    """
    if recipe.kind(action) != recipe.FILL:
        raise InertiaError(
            '"{action}" was not baked by Inertia, so it has no recipe to be updated from.', action=action.name
        )
    with recipe.reading(action):
        values = json.loads(action[recipe.FILL])
        now = {}
        for name, one in zip(values["used"], recipe.ingredients(action), strict=True):
            if one is None:
                raise InertiaError(
                    '"{name}", which "{action}" was made from, is gone; choose other actions and bake again.',
                    name=name,
                    action=action.name,
                )
            now[name] = one.name
        stored = FillSettings.from_dict(values["settings"])
        own = stored.transition
        own = dataclasses.replace(
            own, source=now[own.source], destination=now[own.destination], result=action.name
        )
        renamed: dict[str, Any] = {
            name: tuple(now.get(one, one) for one in getattr(stored, name)) for name in ("actions", "cycles")
        }
        renamed["obstacles"] = surroundings.obstacles_now(action, stored.obstacles)
        weights = {str(name): float(weight) for name, weight in values["weights"].items()}
        return dataclasses.replace(stored, transition=own, **renamed), weights


def rebaking(armature: Any, action: Any) -> Generator[float, None, FillReport]:
    """Fill a gap anew in place, from the recipe. Raises InertiaError when that or an action is gone."""
    from . import search

    settings, weights = recipe_of(action)
    found = None
    if settings.use_library:
        found = yield from part(search.searching(armature, settings, weights), 0.0, 0.4)
    return (yield from part(baking(armature, settings, found, action, weights), 0.4, 1.0))
