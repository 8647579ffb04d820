# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes what a model plays as a new action of an armature, with planted feet locked, and judges its joins.

Bones are turned and moved as the model has them, a key on every frame; the object itself stays where it is.
A model has no clips: each join is judged against what is played before and behind it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any

import bpy
import numpy as np

from ...errors import InertiaError
from ...motion import quaternion
from ...motion.arrays import Array, Flags
from ...motion.curves import keys as keylib
from ...motion.curves import representation as curvelib
from ...motion.curves.keys import Keys
from ...motion.feet.contacts import Span, Spans
from ...motion.judging.evidence import MARGIN_SECONDS
from ...motion.learned.follow import FollowedPath
from ...motion.matching import clip_sequence
from ...motion.matching.engine import FPS
from ...motion.quaternion import default_of, rotation_property
from ...motion.skeleton.posing import Rig
from ...motion.steering import feet as steered_feet
from ...motion.steps import Steps, part
from ...records import record
from ...settings.feet import Locking
from ...settings.matching import PathSettings
from ..data import actions, clip_store, compat, recipe, rewriting, rig, unkeyed
from ..data.actions import Address, Clip
from ..data.compat import Slot
from ..data.recipe_reader import read_noted
from ..data.rig import not_assignable
from ..evaluation import joint_motion
from ..evaluation.character import Character, read_character
from ..feet import bake as locking
from ..feet import contacts
from ..judging import verdict
from ..judging.sides import Side
from ..judging.verdict import Verdict, Verdicts
from ..matching import plants
from ..matching.bake import PathReport
from ..matching.quality import end_of_join, judge_join_steps
from . import posing, recipes
from .clips import check_fits
from .follow import LearnedPath
from .posing import ModelPoser, PoseChannels

MOVES = 1e-4
"""A bone that is never further from its rest place than this part of the character's size does not move."""
DRAFT = "Model on the Way"


@record(frozen=True, eq=False)
class Sampled:
    """What is played, on frames of the scene (n,): positions (n, bones, 3) metres and rotations
    (n, bones, 4) in parents' spaces, ground (n, 2), heading (n,), contacts (n, feet)."""

    frames: Array
    positions: Array
    rotations: Array
    ground: Array
    heading: Array
    contacts: Flags


def bake_path_steps(
    armature: Any, learned: LearnedPath, into: Any | None = None, *, plays: bool = True
) -> Steps[PathReport]:
    """Bake what follows a path as a new action, and return a report; yield the part that is done, 0 to 1.

    into: an earlier result to make anew in its place, None for a new action. plays: whether the armature
    plays it at once, where its settings ask for that. Feet are locked unless the settings have them OFF, and
    joins are marked. Raise InertiaError, with the file as it was, for a model of another skeleton, a rig that
    constraints move, and legs that can't be locked where they must be.
    """
    character = read_character(armature)
    rig.check_armature(armature)
    check_fits(learned.model, character)
    check_plain(character)
    settings = learned.settings
    standing, read = unkeyed.of_bones(armature), character.rig
    shown = sampled(learned.played, settings.first_frame, character.fps)
    followed = settings.curve or settings.target or "points"
    name = "Steered" if settings.wishes else f"{armature.name} along {followed}"
    slot = Slot("OB" + armature.name, "OBJECT") if compat.has_slots() else Slot("", "OBJECT")
    yield 0.1
    result = bpy.data.actions.new(DRAFT)
    warnings: list[str] = []
    try:
        bag = compat.new_bag(result, slot)
        for bone, curves in channels(read, shown, learned.model.size):
            group = bag.groups.new(bone)
            for address, keys in curves.items():
                actions.write(bag, address, keys, group)
        yield 0.4
        if settings.transition.feet != "OFF":
            result = yield from part(_locked(character, learned, shown, result, warnings), 0.4, 1.0)
    except BaseException:
        # an interrupt, too, leaves the file as it was
        actions.remove_all([result])
        raise
    if into is not None:
        name = into.name
        into.user_remap(result)
        bpy.data.actions.remove(into)
        result.name = name
    else:
        result.name = settings.transition.result or name
    projected, fps = learned.played.projected.tolist(), character.fps
    cuts = tuple(settings.first_frame + frame * fps / FPS for frame in projected)
    for cut in cuts:
        result.pose_markers.new("projected").frame = round(cut)
    recipes.note(result, armature, learned, cuts)
    identifier = actions.choose_slot(result, armature).identifier
    asked = plays and settings.transition.assign
    reason = assign(armature, result, standing) if asked else ""
    return PathReport.of_result(
        result,
        armature,
        identifier,
        assigned=asked and not reason,
        not_assigned_because=reason,
        settings=settings.as_dict(),
        cut_frames=cuts,
        warnings=tuple(warnings),
        followed=learned,
    )


def check_plain(character: Character) -> None:
    """Raise InertiaError for a rig that constraints move, which a model can't play."""
    if reason := character.find_poser(()).why_played:
        raise InertiaError(
            'A model can only move plain rigs, but {reason}; use a copy of "{armature}" without that.',
            reason=reason,
            armature=character.armature.name,
        )


def sampled(played: FollowedPath, first: float, fps: float) -> Sampled:
    """Return what is played 60 times a second at the frames of a scene, of rate `fps`, from frame `first` on
    as far as it lasts; interpolated, but for contacts, which are the nearest's.
    """
    count = len(played.heading)
    last = int(np.floor((count - 1) * fps / FPS + 1e-6))
    frames = np.arange(last + 1, dtype=float)
    at = frames * FPS / fps
    below = np.minimum(at.astype(np.int64), count - 1)
    above = np.minimum(below + 1, count - 1)
    p = at - below

    def between(values: Array) -> Array:
        weight = p.reshape(-1, *[1] * (values.ndim - 1))
        return values[below] + (values[above] - values[below]) * weight

    rotations = played.rotations.copy()
    signs = np.where(np.sum(rotations[1:] * rotations[:-1], axis=-1) < 0.0, -1.0, 1.0)
    rotations[1:] *= np.cumprod(signs, axis=0)[..., None]
    return Sampled(
        first + frames,
        between(played.positions),
        quaternion.normalise(between(rotations)),
        between(played.ground),
        between(played.heading),
        played.contacts[np.minimum(np.round(at).astype(np.int64), count - 1)],
    )


def channels(read: Rig, sampled: Sampled, size: float) -> Iterator[tuple[str, dict[Address, Keys]]]:
    """Yield each bone's name with the curves, by address, that pose it as it is played: a rotation, and a
    location for topmost bones and those that move.

    size: the character's, as a part of a person's.
    """
    bones, posed = read.bones, PoseChannels.of_rig(read)
    moved, turned = posed.to_channels(sampled.positions, sampled.rotations, sampled.ground, sampled.heading)
    far = np.abs(moved).max(axis=(0, 2)) * posed.metres
    for i, (name, parent) in enumerate(zip(bones.names, bones.parents, strict=True)):
        curves: dict[Address, Keys] = {}
        if parent < 0 or (name not in bones.connected and far[i] > MOVES * size):
            curves |= _curves(read.paths[i], "", sampled.frames, moved[:, i])
        yield name, curves | _curves(read.paths[i], read.modes[i], sampled.frames, turned[:, i])


def _curves(path: str, mode: str, frames: Array, values: Array) -> dict[Address, Keys]:
    """Return the curves, by address, of a bone's rotation in a mode, or with "" of its location, with a key
    on every frame, more where angles stray. values: unit quaternions (n, 4), or places (n, 3).
    """
    name, count = rotation_property(mode) if mode else ("location", 3)
    plain = [keylib.constant(float(frames[0]), default_of(name, i)) for i in range(count)]
    if mode:
        curves, _ = curvelib.rotations(plain, mode, frames, values)
    else:
        curves, _ = curvelib.vectors(plain, frames, values)
    return {(path + name, i): keys for i, keys in enumerate(curves)}


def _locked(
    character: Character, learned: LearnedPath, sampled: Sampled, draft: Any, warnings: list[str]
) -> Steps[Any]:
    """Return the draft with locked feet, an action in its place, whose holds are stored; the draft itself if
    there are none to lock. warnings: gets why feet are not locked; yield the part that is done.
    """
    settings, feet = learned.settings, None
    if learned.moments is not None:
        feet = posing.feet(character, learned.model, settings, ModelPoser(character))
    if feet is None:
        result, holds = yield from _lock_standing_steps(character, learned, sampled, draft, warnings)
    else:
        legs = posing.legs_of(character, learned.model)
        taken = yield from part(steered_feet.taken(feet, learned.moments or ()), 0.0, 0.8)
        changed, holds = plants.as_shown(
            character,
            draft,
            Locking.of(settings.transition),
            legs,
            taken,
            lambda frames: (frames - settings.first_frame) * FPS / character.fps,
        )
        result = rewriting.write_action([changed], DRAFT)
    if result is not draft:
        bpy.data.actions.remove(draft)
        contacts.store(result, holds, contacts.HELD)
    return result


def _lock_standing_steps(
    character: Character, learned: LearnedPath, sampled: Sampled, draft: Any, warnings: list[str]
) -> Steps[tuple[Any, dict[str, Spans]]]:
    """Return (the draft of a path with those feet locked that the model has planted, the spans in which each
    foot stands still, by its name); (the draft itself, {}) if there are none to lock.

    warnings: gets why they can't be. Raise that as InertiaError with feet LOCK.
    """
    names = tuple(bone.name for bone in character.armature.data.bones)
    legs = posing.legs_of(character, learned.model)
    if not legs:
        return draft, {}
    clip = clip_store.read(character.armature, draft)
    marked = [(leg.point, leg.offset) for leg in legs]
    points = yield from part(
        joint_motion.track_points_steps(character, clip, marked, sampled.frames), 0.0, 0.3
    )
    standing = yield from part(contacts.read_contacts_steps(character, clip, legs), 0.3, 0.6)
    joins = np.round(learned.played.projected * character.fps / FPS).astype(int).tolist()
    spans, frames = dict[str, Spans](), sampled.frames.tolist()
    for k, leg in enumerate(legs):
        planted = sampled.contacts[:, learned.model.skeleton.feet.index(names[leg.foot])]
        runs = clip_sequence.stands(planted, joins, points[:, k], float(standing.lengths[k]), character.fps)
        spans[leg.name] = tuple(Span(frames[first], frames[last]) for first, last in runs)
    standing = dataclasses.replace(standing, spans=tuple(spans.values()), ground=np.zeros(2), period=None)
    try:
        changed = locking.lock_clip(character, clip, standing, Locking.of(learned.settings.transition)).curves
    except InertiaError as error:
        if learned.settings.transition.feet == "LOCK":
            raise
        warnings.append(error.sentence)
        return draft, {}
    return rewriting.write_action([changed], DRAFT), spans


def assign(armature: Any, result: Any, standing: Any) -> str:
    """Let the armature play a result, if it may; return a sentence on why it may not, "" if it does.
    standing: its values before, by :mod:`unkeyed`.
    """
    if reason := not_assignable(armature):
        return reason
    slot = actions.choose_slot(result, armature).identifier
    recipe.keep(compat.assigned(armature)[0])
    unkeyed.keep(armature)
    clip = clip_store.read(armature, result, slot)
    unkeyed.settle(armature, standing, set(clip.curves))
    compat.assign(armature, result, slot)
    return ""


def _judge_joins_steps(
    character: Character, settings: PathSettings, joins: Sequence[float], played: Clip
) -> Verdicts:
    """Judge each join of an action that a model has played; yield the part that is done.

    joins: the frames at which the character is projected.
    """
    verdicts: list[Verdict] = []
    around = MARGIN_SECONDS * character.fps
    for i, (cut, following) in enumerate(zip(joins, [*joins[1:], played.end], strict=False)):
        end = end_of_join(character, settings.transition, cut, following)
        both = Side(played, 0.0, cut - around, cut), Side(played, 0.0, end, end + around)
        steps = judge_join_steps(character, settings.transition, both, played, (cut, end))
        verdicts.append((yield from part(steps, i / len(joins), (i + 1) / len(joins))))
    return tuple(verdicts)


def judge_report_steps(character: Character, settings: PathSettings, report: PathReport) -> Verdicts:
    """Judge each join of what a model has just played."""
    played = clip_store.read(character.armature, actions.find(report.result), report.slot)
    return _judge_joins_steps(character, settings, report.cut_frames, played)


def joins_told(report: PathReport, verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """Return the joins of what was baked as JSON values: "joins", each with "frame" and "verdict", and
    "verdict", the worst of them, None without any.
    """
    each = zip(report.cut_frames, verdicts, strict=True)
    joins = [{"frame": frame, "verdict": seen.as_dict()} for frame, seen in each]
    return {"joins": joins, "verdict": verdict.as_values(verdicts)["verdict"]}


def judge_result_steps(character: Character, action: Any, slot: str = "") -> Verdicts:
    """Judge the joins of what a model has played as its action shows it now, by its recipe; yield the
    part that is done. Raise InertiaError if the recipe can't be read, or was stored by an earlier version
    that did not note the joins.
    """
    with recipe.refuse_unreadable(action):
        noted = read_noted(action, recipe.LEARNED)
        settings, joins = PathSettings.from_dict(noted["settings"]), noted.get("joins")
        joins = None if joins is None else [*map(float, joins)]
    if joins is None:
        raise InertiaError(
            '"{action}" was baked by an earlier version, which did not store its joins; bake it again.',
            action=action.name,
        )
    played = dataclasses.replace(clip_store.read(character.armature, action, slot), cycle=None)
    return _judge_joins_steps(character, settings, joins, played)
