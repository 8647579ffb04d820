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
from collections.abc import Generator, Mapping, Sequence
from typing import Any, Protocol

import bpy
import numpy as np

from ...errors import InertiaError
from ...motion import quaternion
from ...motion.arrays import Array
from ...motion.curves import keys as keylib
from ...motion.curves import stretches as curvelib
from ...motion.curves.keys import Keys
from ...motion.feet.contacts import Spans
from ...motion.matching.ways import Join, Way
from ...motion.skeleton import character
from ...motion.skeleton.posing import Rig
from ...motion.steering.feet import TakenFeet
from ...motion.steps import finish, part
from ...records import record
from ..data import actions, clip_store, compat, recipe, rewriting, rig, rigs, scene, unkeyed
from ..data.actions import Address, Clip
from ..data.channels import transform
from ..data.rewriting import Rewritten, Stretch
from ..nla import tracks
from ..nla.tracks import Strip, Track
from ..transition import alignment, bake
from ..transition.bake import Plan
from ..transition.chain import Chain, by_value
from . import plants, recipes, surroundings, variants
from .plants import Placed
from .search import Found
from .stock import Stock

BAKED = 0.8
"""So much of the work is the joins."""
PART = "Path on the Way"


@record(frozen=True)
class PathReport:
    """What baking a way has made.

    result: its action. frame_range: its first and last frame. cuts: the scene frames at which clips take
    over. keys: how many the result has. assigned: whether the armature plays it, as its action or as strips.
    """

    result: str
    slot: str
    frame_range: tuple[float, float]
    cut_frames: tuple[float, ...]
    keys: int
    assigned: bool
    warnings: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """The report as plain JSON values."""
        return dataclasses.asdict(self)


def baking(armature: Any, found: Found, into: Any | None = None) -> Generator[float, None, PathReport]:
    """Bake a way as one new action; yields the part that is done, 0 to 1.

    into: an earlier baked path to make anew in place. Raises InertiaError, with the file as it was then and
    whenever the work is given up.
    """
    rig.check_armature(armature)
    if found.settings.strips:
        tracks.check(armature)
    standing = unkeyed.of_bones(armature)
    made: list[Any] = []
    warned: list[str] = []
    joins = found.way.joins
    kept = [(clip.action, clip.action.use_fake_user) for clip in found.stock.clips]
    try:
        entered = played(armature, found, made)
        stood, whole = rigs.read(armature), entered[0].clip
        begin = found.stock.database.place(joins[0].entered)[1]
        made.append(bpy.data.actions.new(PART))
        chain = Chain(made[-1])
        for i, join in enumerate(joins[1:]):
            cut = begin + join.frame * found.stock.step
            source = dataclasses.replace(chain.clip(cut), unkeyed=standing) if i else whole
            plan = _joined(armature, found, join, cut, source, entered[i + 1], entered[0].motion, stood)
            chain.take(plan)
            # what is said of what lies between is said to nobody
            warned += [said for said in plan.warnings if PART not in said]
            yield BAKED * (i + 1) / len(joins)
        if chain.slots:
            chain.write()
            whole = clip_store.read(armature, chain.action, chain.slots[0].slot.identifier)
            for kept_action in (*(one.clip.action for one in entered), compat.assigned(armature)[0]):
                recipe.keep(kept_action)
            unkeyed.keep(armature)
        feet = yield from part(plants.leading(armature, found), BAKED, 0.95)
        result, placed = _finished(armature, found, whole, begin, entered, made, feet)
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
        actions.remove_all(made)
    below: dict[Any, Any | None] = {}
    if into is not None:
        below = tracks.take_away(into)
        rewriting.take_place(result, into)
    identifier = actions.choose_slot(result, armature).identifier
    assigned = _assigned(armature, found, result, identifier, standing, below)
    cuts = _begins(found)[1:]
    first, last = result.frame_range
    keys = actions.key_count(result)
    return PathReport(
        result.name, identifier, (first, last), cuts, keys, assigned, tuple(dict.fromkeys(warned))
    )


class Searched(Protocol):
    """A way through a set, whatever it was searched for."""

    @property
    def stock(self) -> Stock:
        """The set."""

    @property
    def way(self) -> Way:
        """The way."""


@record(frozen=True, eq=False)
class Played:
    """What a join enters: a clip, and how it is moved (4, 4), in world units."""

    clip: Clip
    motion: Array


def played(armature: Any, found: Searched, made: list[Any]) -> list[Played]:
    """What a way's joins enter, each read once; mirror images are made, and noted as such."""
    stock = found.stock
    read: dict[tuple[str, bool, float], Clip] = {}
    entered: list[Played] = []
    for join in found.way.joins:
        source, _ = stock.database.place(join.entered)
        x, y = (value / scene.metres_per_unit() for value in join.place)
        name, motion = source.name, character.motion_of(join.angle, (x, y, 0.0))
        known = (name, source.mirrored, source.bend)
        if known not in read:
            action = actions.find(name)
            if source.mirrored or name in stock.repeated:
                shown = finish(
                    variants.bending(armature, stock.rig, stock.root, stock.clip(name), source.bend)
                )
                if source.mirrored:
                    assert stock.partners is not None
                    action = variants.mirrored(stock.rig, shown, stock.partners, f"{name} mirrored")
                else:
                    action = _repeated(shown)
                made.append(action)
            clip = by_value(clip_store.read(armature, action))
            (read[known],) = unkeyed.all_completed(armature, (clip,))
        if source.mirrored:
            assert stock.partners is not None
            motion = motion @ np.linalg.inv(
                variants.mirror_motion(stock.rig, stock.clip(name), stock.partners)
            )
        entered.append(Played(read[known], motion))
    return entered


def _repeated(clip: Clip) -> Any:
    """A cycle as an action that has all of its repetitions as keys."""
    kept = clip.action.use_fake_user
    curves = {at: curve.keys for at, curve in clip.curves.items()}
    shaped = frozenset(at for at in curves if _is_shaped(clip, at))
    made = rewriting.write_action([Rewritten(clip, curves, shaped=shaped)], f"{clip.action.name} repeated")
    # it is made on the way, which is no reason to keep what it is of
    if clip.action.use_fake_user != kept:
        clip.action.use_fake_user = kept
    return made


def _joined(
    armature: Any,
    found: Found,
    join: Join,
    cut: float,
    source: Clip,
    played: Played,
    first: Array,
    stood: Rig,
) -> Plan:
    """One join, of what the joins before have made; the ground of the first clip is where it all happens.

    source: what these have made. first: how the first clip is moved. stood: the armature, read.
    """
    stock = found.stock
    _, frame = stock.database.place(join.entered)
    settings = dataclasses.replace(
        found.settings.transition,
        source=source.action.name,
        source_slot=source.slot.identifier,
        source_cycle="OFF",
        destination=played.clip.action.name,
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
    motion = np.linalg.inv(first) @ played.motion
    return finish(bake.planning_clips(armature, settings, source, played.clip, motion=motion, rig=stood))


# --- the whole, put in its place


def _finished(
    armature: Any,
    found: Found,
    whole: Clip,
    begin: float,
    entered: Sequence[Played],
    made: list[Any],
    feet: TakenFeet | None,
) -> tuple[Any, list[str]]:
    """The result: what was joined from ``begin`` on, moved to where the path is; and what there is to say.
    feet: how those of a take are led, as far as that is known."""
    own, stock = found.settings, found.stock
    last = begin + (found.way.frames - 1) * stock.step
    curves = _placed(armature, found, whole, (begin, last), entered[0].motion)
    followed = own.curve or own.target or "points"
    name = own.transition.result or ("Steered" if own.wishes else f"Along {followed}")
    later = own.first_frame - begin
    parts = []
    for clip in (whole, *actions.other_slots(whole)):
        changed = curves if clip is whole else {}
        cut = {at: _cut(clip, at, changed.get(at), begin, last, later) for at in clip.curves}
        cut |= {
            at: keylib.moved(_part(keys, begin, last), later) for at, keys in changed.items() if at not in cut
        }
        parts.append(Rewritten(clip, cut, shaped=frozenset(at for at in cut if _is_shaped(clip, at))))
    holds: dict[str, Spans] = {}
    warned: list[str] = []
    if own.transition.feet != "OFF" and stock.database.contacts is not None:
        draft = rewriting.write_action(parts, PART)
        made.append(draft)
        try:
            part, holds = _with_feet(armature, found, draft, entered, begin, feet)
            parts = [part]
        except InertiaError as error:
            if own.transition.feet == "LOCK":
                raise
            warned.append(error.sentence)
    result = rewriting.write_action(parts, name)
    if holds:
        plants.note(result, holds)
    _mark(result, found)
    recipes.note(result, armature, found)
    return result, warned


def _with_feet(
    armature: Any, found: Found, draft: Any, entered: Sequence[Played], begin: float, feet: TakenFeet | None
) -> tuple[Rewritten, dict[str, Spans]]:
    """The curves of a draft with its feet locked, and when each stands still; see :func:`_finished`."""
    own, step = found.settings, found.stock.step
    if feet is None:
        later = own.first_frame - begin
        plays = _plays(found, entered)
        return plants.locked(
            armature, found, draft, plays, lambda frames: _warps(found, frames - later, begin)
        )
    legs, asked = found.stock.legs, surroundings.locking_on(own)
    return plants.as_shown(
        armature, draft, asked, legs, feet, lambda frames: (frames - own.first_frame) / step
    )


def _plays(found: Found, entered: Sequence[Played]) -> list[Placed]:
    """What the result plays, one after the other."""
    places = [found.stock.database.place(join.entered)[1] for join in found.way.joins]
    return [
        Placed(frame, each.clip, float(place), each.motion)
        for frame, each, place in zip(_begins(found), entered, places, strict=True)
    ]


def _is_shaped(clip: Clip, address: Address) -> bool:
    return address in clip.curves and bool(clip.curves[address].obstacle)


def _cut(clip: Clip, address: Address, changed: Keys | None, first: float, last: float, later: float) -> Keys:
    """A curve from one frame to another, so many frames later; with its modifiers in its keys, if it has
    any."""
    curve = clip.curves[address]
    if changed is None and curve.obstacle:
        frames = curvelib.whole_frames(first, last)
        changed = keylib.sampled(frames, curve.at(frames))
    return keylib.moved(_part(curve.keys if changed is None else changed, first, last), later)


def _part(keys: Keys, first: float, last: float) -> Keys:
    """Keys from one frame to another."""
    for cut, frame in ((keylib.head, last), (keylib.tail, first)):
        keys, _ = curvelib.parted(cut, keys, frame)
    return dataclasses.replace(keys, linear_extrapolation=False)


def _placed(
    armature: Any, found: Found, whole: Clip, span: tuple[float, float], first: Array
) -> dict[Address, Keys]:
    """The curves of what carries the character, moved by ``first`` to where the path is, warped towards it,
    and put on its ground, as far as it can be.
    """
    stock, begin = found.stock, span[0]
    frames = curvelib.whole_frames(*span)
    motions = _warps(found, frames, begin) @ first if stock.warps else first[None]
    parts: list[Stretch] = []
    carried = alignment.along_all(armature, stock.rig, stock.root, motions, (whole,), begin, not stock.plain)
    for bone, carrier in carried.items():
        prefix = "" if bone is None else rig.bone_path(bone, "")
        mode = rig.rotation_mode(armature, bone)
        standing = stock.rig.standing if bone is None else {}
        place = transform(whole, prefix, "location", standing=standing)
        matrices = np.broadcast_to(carrier.matrix, (len(frames), 3, 3))
        way = np.einsum("nij,nj->ni", matrices, place.raw(frames))
        parts.append(Stretch(place, frames, way + carrier.shift))
        turned = transform(whole, prefix, "rotation", mode, standing)
        shown = quaternion.multiply(carrier.turn, turned.shown(turned.raw(frames)))
        parts.append(Stretch(turned, frames, shown))
    return dict(rewriting.rewritten(whole, parts).curves)


def _warps(found: Found, frames: Array, begin: float) -> Array:
    """The motions of the world (n, 4, 4) by the warp and the ground, at frames of the joined clips, in world
    units."""
    warp, metres = found.warp, scene.metres_per_unit()
    at = (frames - begin) / found.stock.step
    known = np.arange(len(warp.turn))
    turn = np.interp(at, known, warp.turn)
    about, shift = (
        np.stack([np.interp(at, known, values[:, i]) for i in range(2)], axis=1) / metres
        for values in (warp.about, warp.shift)
    )
    motions = dataclasses.replace(warp, about=about, turn=turn, shift=shift).matrices()
    if found.rises is not None:
        motions[:, 2, 3] += np.interp(at, known, found.rises) / metres
    return motions


def _mark(result: Any, found: Found) -> None:
    """A marker in the result for each clip, where it begins."""
    for marker in list(result.pose_markers):
        result.pose_markers.remove(marker)
    for name, frame in zip(_names(found), _begins(found), strict=True):
        result.pose_markers.new(name).frame = round(frame)


def _begins(found: Found) -> tuple[float, ...]:
    """The scene frames at which clips begin."""
    return tuple(found.settings.first_frame + join.frame * found.stock.step for join in found.way.joins)


def _names(found: Found) -> list[str]:
    """What the clips are called, one after the other."""
    sources = [found.stock.database.place(join.entered)[0] for join in found.way.joins]
    return [f"{source.name} (mirrored)" if source.mirrored else source.name for source in sources]


def _assigned(
    armature: Any,
    found: Found,
    result: Any,
    slot: str,
    standing: Mapping[Address, float],
    below: Mapping[Any, Any | None],
) -> bool:
    """Let the armature play the result, if it shall and may. below: above which track its strips belong."""
    own = found.settings
    plays = own.transition.assign and (own.strips or not rewriting.not_assignable(armature))
    if own.strips:
        track = _track(found, result, slot)
        tracks.put(armature, result, [track], below.get(armature), mute=not plays)
    if not plays:
        return False
    unkeyed.keep(armature)
    unkeyed.settle(armature, standing, set(clip_store.read(armature, result, slot).curves))
    if not own.strips:
        recipe.keep(compat.assigned(armature)[0])
        compat.assign(armature, result, slot)
    return True


def _track(found: Found, result: Any, slot: str) -> Track:
    """A strip for each clip, each of which plays its part of the result; they are there to be moved."""
    begins = _begins(found)
    end = found.settings.first_frame + (found.way.frames - 1) * found.stock.step
    strips = [
        Strip(result, slot, first, last, first, "HOLD_FORWARD" if i else "HOLD", name=name)
        for i, (name, first, last) in enumerate(zip(_names(found), begins, (*begins[1:], end), strict=True))
        if last > first
    ]
    return Track(result.name, tuple(strips), locked=False)
