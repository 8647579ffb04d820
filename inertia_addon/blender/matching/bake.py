# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes a way along a path: its joins as transitions, each on top of what the former has made.

The clips are moved as the search has moved them. At the end the whole is put where the path is and warped
towards it, which changes the channels of the root alone, and what lies before and behind it is cut off.

As strips of the NLA it is the same action that plays, cut where clips take over. The clips' own strips would
be covered nearly everywhere, by the warped root, locked feet and mirror images, and could not be moved or
replaced one by one, as what lies on top of them would stay.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import bpy
import numpy as np

from ...errors import InertiaError
from ...motion import quaternion
from ...motion.arrays import Array
from ...motion.curves import keys as keylib
from ...motion.curves import representation as curvelib
from ...motion.curves.keys import Keys
from ...motion.feet.contacts import Spans
from ...motion.matching.clip_sequence import Join, Route
from ...motion.skeleton import character_space
from ...motion.steering.feet import TakenFeet
from ...motion.steps import Steps, finish, part
from ...records import record
from ...settings.transition import TransitionSettings
from ..data import (
    actions,
    clip_store,
    compat,
    markers,
    recipe,
    rewriting,
    rig,
    scene,
    shaped,
    unkeyed,
)
from ..data.actions import Address, Clip
from ..data.channels import transform
from ..data.report import Report
from ..data.rewriting import ChannelStretch, Rewritten
from ..data.rig import not_assignable
from ..evaluation.character import Character, read_character
from ..feet import contacts
from ..nla import tracks
from ..nla.tracks import Strip, TrackPlan
from ..transition import alignment, bake
from ..transition.alignment import RootedRig
from ..transition.chain import Chain, by_value
from ..transition.meeting import PlanOptions
from . import plants, recipes, surroundings, variants
from .action_set import Stock
from .search import PathPlan

BAKED = 0.8
"""So much of the work is the joins."""
PART = "Path on the Way"


@record(frozen=True, kw_only=True)
class PathReport(Report):
    """What baking a way has made. cut_frames: the scene's at which clips take over. followed: what was baked,
    a way through clips or one that a model plays, of which JSON says nothing.
    """

    cut_frames: tuple[float, ...]
    warnings: tuple[str, ...] = ()
    followed: Any = dataclasses.field(default=None, repr=False, compare=False)

    def as_dict(self) -> dict[str, Any]:
        """Return the report as plain JSON values."""
        values = dataclasses.asdict(dataclasses.replace(self, followed=None))
        del values["followed"]
        return values


def bake_way_steps(armature: Any, plan: PathPlan, into: Any | None = None) -> Steps[PathReport]:
    """Bake a way as one new action, and return a report; yield the part that is done, 0 to 1.

    Each join is a transition; then the whole is moved to the path, and feet are locked as settings ask. into:
    an earlier baked path to make anew in place, None for a new action. Raise InertiaError, with the file as
    it was then and whenever the work is given up.
    """
    character = read_character(armature)
    rig.check_armature(armature)
    if plan.settings.strips:
        tracks.check(armature)
    standing = unkeyed.of_bones(armature)
    temporary: list[Any] = []
    warned: list[str] = []
    joins = plan.way.joins
    kept = [(clip.action, clip.action.use_fake_user) for clip in plan.stock.clips]
    try:
        entered = read_entered(character, plan, temporary)
        stood, whole = character.rig, entered[0].clip
        begin = plan.entered[0][1]
        temporary.append(bpy.data.actions.new(PART))
        chain = Chain(temporary[-1])
        for i, join in enumerate(joins[1:]):
            cut = begin + join.frame * plan.stock.step
            source = dataclasses.replace(chain.clip(cut), unkeyed=standing) if i else whole
            settings = _settings_of(plan, join, cut, source, entered[i + 1])
            motion = np.linalg.inv(entered[0].motion) @ entered[i + 1].motion
            options = PlanOptions(motion=motion, rig=stood)
            steps = bake.plan_clips_steps(character, settings, source, entered[i + 1].clip, options)
            transition = finish(steps)
            chain.take(transition)
            # what is said of what lies between is said to nobody
            warned += [warning for warning in transition.warnings if PART not in warning]
            yield BAKED * (i + 1) / len(joins)
        if chain.slots:
            chain.write()
            whole = clip_store.read(armature, chain.action, chain.slots[0].slot.identifier)
            whole = dataclasses.replace(whole, markers=chain.markers)
            for kept_action in (*(entry.clip.action for entry in entered), compat.assigned(armature)[0]):
                recipe.keep(kept_action)
            unkeyed.keep(armature)
        feet = yield from part(plants.lead_feet_steps(character, plan), BAKED, 0.95)
        result, placed = _finished(character, plan, JoinedClips(whole, begin, entered), temporary, feet)
        warned += placed
    except BaseException:
        # a bake keeps what it is made of, and there is none now
        for action, was_kept in kept:
            # the work may be given up just because it is gone
            with contextlib.suppress(ReferenceError):
                if action.use_fake_user != was_kept:
                    action.use_fake_user = was_kept
        raise
    finally:
        # what lies between is nothing that anybody asked for
        actions.remove_all(temporary)
    below: dict[Any, Any | None] = {}
    if into is not None:
        below = tracks.take_away(into)
        rewriting.take_place(result, into)
    identifier = actions.choose_slot(result, armature).identifier
    reason = _assign_path(armature, plan, result, identifier, standing, below)
    return PathReport.of_result(
        result,
        armature,
        identifier,
        assigned=plan.settings.transition.assign and not reason,
        not_assigned_because=reason,
        settings=plan.settings.as_dict(),
        cut_frames=plan.begins[1:],
        warnings=tuple(dict.fromkeys(warned)),
        followed=plan,
    )


class SearchedWay(Protocol):
    """A way through a set, whatever it was searched for."""

    @property
    def stock(self) -> Stock:
        """The set."""

    @property
    def way(self) -> Route:
        """The way."""


@record(frozen=True, eq=False)
class EnteredClip:
    """What a join enters: a clip, and how it is moved (4, 4), in world units."""

    clip: Clip
    motion: Array


def read_entered(character: Character, plan: SearchedWay, temporary: list[Any]) -> list[EnteredClip]:
    """Return what a way's joins enter, in order, by value, with the motion (4, 4) of the world, world units,
    that takes each to where it plays; each clip is read once.

    temporary: gets the actions that are made for mirror images, bent clips and repetitions.
    """
    stock = plan.stock
    read: dict[tuple[str, bool, float], Clip] = {}
    entered: list[EnteredClip] = []
    for join in plan.way.joins:
        source, _ = stock.database.place(join.entered)
        x, y = (value / character.metres for value in join.place)
        name, motion = source.name, character_space.motion_of(join.angle, (x, y, 0.0))
        key = (name, source.mirrored, source.bend)
        if key not in read:
            action = actions.find(name)
            if source.mirrored or source.bend or name in stock.repeated:
                shown = finish(
                    variants.bend_clip_steps(character, stock.rig, stock.root, stock.clip(name), source.bend)
                )
                if source.mirrored:
                    assert stock.partners is not None
                    action = variants.mirrored(stock.rig, shown, stock.partners, f"{name} mirrored")
                else:
                    action = variants.make_repeated(shown)
                temporary.append(action)
            clip = by_value(clip_store.read(character.armature, action))
            (read[key],) = unkeyed.all_completed(character.armature, (clip,))
        if source.mirrored:
            assert stock.partners is not None
            motion = motion @ np.linalg.inv(
                variants.mirror_motion(stock.rig, stock.clip(name), stock.partners)
            )
        entered.append(EnteredClip(read[key], motion))
    return entered


def _settings_of(
    plan: PathPlan, join: Join, cut: float, source: Clip, entered_clip: EnteredClip
) -> TransitionSettings:
    """Return the settings of one join at frame `cut` of the result: the path's transition, aligned by
    position and heading, without locked feet. source: what the joins before have made.
    """
    stock = plan.stock
    _, frame = stock.database.place(join.entered)
    return dataclasses.replace(
        plan.settings.transition,
        source=source.action.name,
        source_slot=source.slot.identifier,
        source_cycle="OFF",
        destination=entered_clip.clip.action.name,
        destination_cycle="OFF",
        cut=cut,
        destination_frame=frame,
        alignment="POSITION_HEADING",
        # they are locked at the end, when they are where the path is
        feet="OFF",
        root=stock.root.name,
        result=PART,
        assign=False,
    )


# --- the whole, put in its place


@record(frozen=True, eq=False)
class JoinedClips:
    """Clips joined one after the other. whole: all of it, on the ground of the first one. begin: its frame at
    which the path begins. entered: the clips as they are entered."""

    whole: Clip
    begin: float
    entered: Sequence[EnteredClip]


def _finished(
    character: Character,
    plan: PathPlan,
    joined: JoinedClips,
    temporary: list[Any],
    feet: TakenFeet | None,
) -> tuple[Any, list[str]]:
    """Write the result: what was joined, moved to where the path is, with locked feet and markers of the
    clips; return (the action, its warnings).

    temporary: gets the draft on which feet are locked. feet: how those of a take are led, None if that is not
    known yet. Raise InertiaError for legs that can't be locked, with feet LOCK alone; else a warning says so.
    """
    settings, stock = plan.settings, plan.stock
    whole, begin, entered = joined.whole, joined.begin, joined.entered
    last = begin + (plan.way.frames - 1) * stock.step
    curves = _placed(character.armature, plan, whole, (begin, last), entered[0].motion)
    followed = settings.curve or settings.target or "points"
    name = settings.transition.result or ("Steered" if settings.wishes else f"Along {followed}")
    later = settings.first_frame - begin
    parts = [_cut_out(whole, curves, begin, last, later)]
    parts += [_cut_out(clip, {}, begin, last, later) for clip in actions.other_slots(whole)]
    holds: dict[str, Spans] = {}
    warned: list[str] = []
    if settings.transition.feet != "OFF" and stock.database.contacts is not None:
        draft = rewriting.write_action(parts, PART)
        temporary.append(draft)
        try:
            if feet is None:
                plays = [
                    plants.Placed(frame, each.clip, float(place), each.motion)
                    for frame, each, (_, place) in zip(plan.begins, entered, plan.entered, strict=True)
                ]
                part, holds = plants.locked(
                    character, plan, draft, plays, lambda frames: _warps(plan, frames - later, begin)
                )
            else:
                asked = surroundings.choose_locking(settings)
                part, holds = plants.as_shown(
                    character,
                    draft,
                    asked,
                    stock.legs,
                    feet,
                    lambda frames: (frames - settings.first_frame) / stock.step,
                )
            parts = [part]
        except InertiaError as error:
            if settings.transition.feet == "LOCK":
                raise
            warned.append(error.sentence)
    result = rewriting.write_action(parts, name)
    # it may be a copy of its only clip, which goes round
    result.use_frame_range = result.use_cyclic = False
    if holds:
        contacts.store(result, holds, contacts.HELD)
    markers.replace(result, markers.shift(markers.find_shown(whole, begin, last + 0.5), later))
    for clip_name, frame in zip(_list_played_names(plan), plan.begins, strict=True):
        result.pose_markers.new(clip_name).frame = round(frame)
    recipes.note(result, character.armature, plan)
    return result, warned


def _cut_out(
    clip: Clip, changed: Mapping[Address, Keys], first: float, last: float, later: float
) -> Rewritten:
    """Return all curves of a clip, cut between two frames and moved `later` frames, with its modifiers in its
    keys.

    changed: curves in place of its own, at its own frames, or in addition.
    """
    curves = {}
    for address in {**clip.curves, **changed}:
        keys = changed.get(address)
        if keys is None:
            curve = clip.curves[address]
            keys = shaped.tell_by_keys(curve, first, last)[0] if curve.obstacle else curve.keys
        for cut, frame in ((keylib.head, last), (keylib.tail, first)):
            keys, _ = curvelib.parted(cut, keys, frame)
        curves[address] = keylib.move(dataclasses.replace(keys, linear_extrapolation=False), later)
    return Rewritten(clip, curves, shaped=variants.shaped(clip, curves))


def _placed(
    armature: Any, plan: PathPlan, whole: Clip, span: tuple[float, float], first: Array
) -> dict[Address, Keys]:
    """Return the curves, by address, of what carries the character, moved by `first` (4, 4) to where the path
    is, warped towards it, and put on its ground, as far as it can be: a root that can't be warped is only
    moved.

    span: the first and the last frame of `whole`.
    """
    stock, begin = plan.stock, span[0]
    frames = curvelib.whole_frames(*span)
    motions = _warps(plan, frames, begin) @ first if stock.warps else first[None]
    parts: list[ChannelStretch] = []
    rooted = RootedRig(read_character(armature), stock.rig, stock.root, not stock.plain)
    carried = alignment.along_all(rooted, motions, (whole,), begin)
    for bone, carrier in carried.items():
        prefix, mode = rig.carrier_prefix(bone), rig.rotation_mode(armature, bone)
        is_object = bone is None or bone == rig.DELTA or rig.is_holder(bone)
        standing = stock.rig.all_standing if is_object else {}
        place = transform(whole, prefix, "location", standing=standing)
        matrices = np.broadcast_to(carrier.matrix, (len(frames), 3, 3))
        way = np.einsum("nij,nj->ni", matrices, place.raw(frames))
        parts.append(ChannelStretch(place, frames, way + carrier.shift))
        if is_object and not np.abs(carrier.turn[..., 1:]).any():
            continue
        turned = transform(whole, prefix, "rotation", mode, standing)
        shown = quaternion.multiply(carrier.turn, turned.decode(turned.raw(frames)))
        parts.append(ChannelStretch(turned, frames, shown))
    return dict(rewriting.rewritten(whole, parts).curves)


def _warps(plan: PathPlan, frames: Array, begin: float) -> Array:
    """Return the motions of the world (n, 4, 4), in its units, by the warp and the ground, at frames (n,) of
    the clips; begin: the one at which the way begins.
    """
    warp, metres = plan.warp, scene.metres_per_unit()
    at = (frames - begin) / plan.stock.step
    times = np.arange(len(warp.turn))
    turn = np.interp(at, times, warp.turn)
    about, shift = (
        np.stack([np.interp(at, times, values[:, i]) for i in range(2)], axis=1) / metres
        for values in (warp.about, warp.shift)
    )
    motions = dataclasses.replace(warp, about=about, turn=turn, shift=shift).matrices()
    if plan.rises is not None:
        motions[:, 2, 3] += np.interp(at, times, plan.rises) / metres
    return motions


def _list_played_names(plan: PathPlan) -> list[str]:
    """Return the names of the clips in the order in which they are played."""
    return [f"{source.name} (mirrored)" if source.mirrored else source.name for source, _ in plan.entered]


def _assign_path(
    armature: Any,
    plan: PathPlan,
    result: Any,
    slot: str,
    standing: Mapping[Address, float],
    below: Mapping[Any, Any | None],
) -> str:
    """Let the armature, and what carries it, play the result, if it shall and may; return a sentence on why
    it may not, "" else.

    standing: what bones show without keys. below: by owner, above which track its strips belong. With strips
    its track is made in any case, muted if it does not play.
    """
    settings = plan.settings
    asked = settings.transition.assign
    reason = not_assignable(armature) if asked and not settings.strips else ""
    plays = asked and not reason
    if settings.strips:
        track = _track(plan, result, slot)
        tracks.put(armature, result, [track], below.get(armature), mute=not plays)
    if not plays:
        return reason
    unkeyed.keep(armature)
    clip = clip_store.read(armature, result, slot)
    unkeyed.settle(armature, standing, set(clip.curves))
    if not settings.strips:
        recipe.keep(compat.assigned(armature)[0])
        compat.assign(armature, result, slot)
        rewriting.assign_holders(result, clip.holders)
        return ""
    for prefix, held in clip.holders.items():
        holder = rig.holder_of(armature, prefix)
        if held is not None and holder is not None and not not_assignable(holder):
            track = _track(plan, result, held.identifier)
            tracks.put(holder, result, [track], below.get(holder), mute=False)
    return ""


def _track(plan: PathPlan, result: Any, slot: str) -> TrackPlan:
    """Return a track with a strip for each clip, each playing its part of the result; the strips can be
    moved.
    """
    begins = plan.begins
    end = plan.settings.first_frame + (plan.way.frames - 1) * plan.stock.step
    strips = [
        Strip(result, slot, first, last, first, "HOLD_FORWARD" if i else "HOLD", name=name)
        for i, (name, first, last) in enumerate(
            zip(_list_played_names(plan), begins, (*begins[1:], end), strict=True)
        )
        if last > first
    ]
    return TrackPlan(result.name, tuple(strips), locked=False)
