# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes what a model plays as a new action of an armature, with its planted feet locked.

Bones are turned and moved as the model has them, a key on every frame; the object itself stays where it is.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Generator, Iterator
from typing import Any

import bpy
import numpy as np

from ...errors import InertiaError
from ...motion import quaternion
from ...motion.arrays import Array, Flags
from ...motion.curves import keys as keylib
from ...motion.curves import stretches as curvelib
from ...motion.curves.keys import Keys
from ...motion.feet.contacts import Span, Spans
from ...motion.learned.follow import Followed
from ...motion.matching import ways
from ...motion.matching.engine import FPS
from ...motion.skeleton.posing import Rig
from ...motion.steering import feet as steered_feet
from ...motion.steps import part
from ...motion.transforms import default_of, rotation_property
from ...records import record
from ...settings.feet import Locking
from ..data import actions, clip_store, compat, recipe, rewriting, rig, rigs, scene, unkeyed
from ..data.actions import Address
from ..data.compat import Slot
from ..evaluation.influence import why_not_plain
from ..feet import bake as locking
from ..feet import contacts
from ..matching import plants
from ..matching.bake import PathReport
from . import posing, recipes
from .clips import check_fits
from .follow import Learned
from .posing import Channels, Poser

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


def baking(
    armature: Any, found: Learned, into: Any | None = None, plays: bool = True
) -> Generator[float, None, PathReport]:
    """Bake what follows a path as a new action; yields the part that is done, 0 to 1.

    into: an earlier result to make anew in its place. plays: whether the armature plays it at once, where its
    settings ask for that. Raises InertiaError, with the file as it was, for a
    model of another skeleton, a rig that constraints move, and legs that can't be locked where they must be.
    """
    rig.check_armature(armature)
    check_fits(found.model, armature)
    check_plain(armature)
    own = found.settings
    standing, read = unkeyed.of(armature), rigs.read(armature)
    shown = sampled(found.own, own.first_frame, scene.fps())
    followed = own.curve or own.target or "points"
    name = own.transition.result or ("Steered" if own.wishes else f"{armature.name} along {followed}")
    slot = Slot("OB" + armature.name, "OBJECT") if compat.has_slots() else Slot("", "OBJECT")
    yield 0.1
    made = bpy.data.actions.new(DRAFT)
    warned: list[str] = []
    try:
        bag = compat.new_bag(made, slot)
        for bone, curves in channels(read, shown, found.model.size):
            group = bag.groups.new(bone)
            for address, keys in curves.items():
                actions.write(bag, address, keys, group)
        yield 0.4
        if own.transition.feet != "OFF":
            made = yield from part(_locked(armature, found, shown, made, warned), 0.4, 1.0)
    except BaseException:
        actions.remove_all([made])
        raise
    if into is not None:
        name = into.name
        into.user_remap(made)
        bpy.data.actions.remove(into)
    made.name = name
    _mark(made, found, shown)
    cuts = tuple(own.first_frame + frame * scene.fps() / FPS for frame in found.own.projected.tolist())
    recipes.note(made, armature, found, cuts)
    identifier = actions.choose_slot(made, armature).identifier
    assigned = plays and own.transition.assign and assign(armature, made, standing)
    first, last = made.frame_range
    count = actions.key_count(made)
    return PathReport(made.name, identifier, (first, last), cuts, count, assigned, tuple(warned))


def check_plain(armature: Any) -> None:
    """Raise InertiaError for a rig that constraints move, which a model can't play."""
    if reason := why_not_plain(armature, ()):
        raise InertiaError(
            'A model can only move plain rigs, but {reason}; use a copy of "{armature}" without that.',
            reason=reason,
            armature=armature.name,
        )


def sampled(own: Followed, first: float, fps: float) -> Sampled:
    """What is played 60 times a second on the frames of a scene, from ``first`` on."""
    count = len(own.heading)
    last = int(np.floor((count - 1) * fps / FPS + 1e-6))
    frames = np.arange(last + 1, dtype=float)
    at = frames * FPS / fps
    below = np.minimum(at.astype(np.int64), count - 1)
    above = np.minimum(below + 1, count - 1)
    p = at - below

    def between(values: Array) -> Array:
        weight = p.reshape(-1, *[1] * (values.ndim - 1))
        return values[below] + (values[above] - values[below]) * weight

    signs = np.where(np.sum(own.rotations[1:] * own.rotations[:-1], axis=-1) < 0.0, -1.0, 1.0)
    rotations = own.rotations.copy()
    rotations[1:] *= np.cumprod(signs, axis=0)[..., None]
    return Sampled(
        first + frames,
        between(own.positions),
        quaternion.normalise(between(rotations)),
        between(own.ground),
        between(own.heading),
        own.contacts[np.minimum(np.round(at).astype(np.int64), count - 1)],
    )


def channels(read: Rig, shown: Sampled, size: float) -> Iterator[tuple[str, dict[Address, Keys]]]:
    """The curves of each bone that pose it as it is played. size: the character's."""
    bones, own = read.bones, Channels.of(read)
    moved, turned = own.shown(shown.positions, shown.rotations, shown.ground, shown.heading)
    far = np.abs(moved).max(axis=(0, 2)) * own.metres
    for i, (name, parent) in enumerate(zip(bones.names, bones.parents, strict=True)):
        curves: dict[Address, Keys] = {}
        if parent < 0 or (name not in bones.connected and far[i] > MOVES * size):
            curves |= _curves(read.paths[i], "location", "", shown.frames, moved[:, i])
        yield name, curves | _curves(read.paths[i], "rotation", read.modes[i], shown.frames, turned[:, i])


def _curves(path: str, prop: str, mode: str, frames: Array, values: Array) -> dict[Address, Keys]:
    """Curves of a property of a bone with a key on every frame."""
    name, count = rotation_property(mode) if mode else (prop, 3)
    plain = [keylib.constant(float(frames[0]), default_of(name, i)) for i in range(count)]
    if mode:
        made, _ = curvelib.rotations(plain, mode, frames, values)
    else:
        made, _ = curvelib.vectors(plain, frames, values)
    return {(path + name, i): keys for i, keys in enumerate(made)}


def _locked(
    armature: Any, found: Learned, shown: Sampled, draft: Any, warned: list[str]
) -> Generator[float, None, Any]:
    """The draft with locked feet in its place, or the draft itself where there are none to lock."""
    own, feet = found.settings, None
    if found.moments is not None:
        feet = posing.feet(armature, found.model, own, Poser(armature))
    if feet is None:
        result, holds = yield from _standing(armature, found, shown, draft, warned)
    else:
        legs = posing.legs_of(armature, found.model)
        taken = yield from part(steered_feet.taken(feet, found.moments or ()), 0.0, 0.8)
        changed, holds = plants.as_shown(
            armature,
            draft,
            Locking.of(own.transition),
            legs,
            taken,
            lambda frames: (frames - own.first_frame) * FPS / scene.fps(),
        )
        result = rewriting.write_action([changed], DRAFT)
    if result is not draft:
        bpy.data.actions.remove(draft)
        contacts.store(result, holds, contacts.HELD)
    return result


def _standing(
    armature: Any, found: Learned, shown: Sampled, draft: Any, warned: list[str]
) -> Generator[float, None, tuple[Any, dict[str, Spans]]]:
    """The draft of a path with the feet locked that the model has planted, and when each stands still; the
    draft itself where there are none to lock."""
    feet = {name: k for k, name in enumerate(found.model.skeleton.feet)}
    names = tuple(bone.name for bone in armature.data.bones)
    legs = posing.legs_of(armature, found.model)
    if not legs:
        return draft, {}
    clip = clip_store.read(armature, draft)
    points = yield from part(
        contacts.tracking(armature, clip, [(leg.point, leg.offset) for leg in legs], shown.frames), 0.0, 0.3
    )
    known = yield from part(contacts.reading(armature, clip, legs), 0.3, 0.6)
    joins = np.round(found.own.projected * scene.fps() / FPS).astype(int).tolist()
    spans: tuple[Spans, ...] = tuple(
        tuple(
            Span(float(shown.frames[first]), float(shown.frames[last]))
            for first, last in ways.stands(
                shown.contacts[:, feet[names[leg.foot]]],
                joins,
                points[:, k],
                float(known.lengths[k]),
                scene.fps(),
            )
        )
        for k, leg in enumerate(legs)
    )
    known = dataclasses.replace(known, spans=spans, ground=np.zeros(2), period=None)
    try:
        changed = locking.lock_clip(armature, clip, known, Locking.of(found.settings.transition)).curves
    except InertiaError as error:
        if found.settings.transition.feet == "LOCK":
            raise
        warned.append(error.sentence)
        return draft, {}
    holds = {leg.name: each for leg, each in zip(legs, spans, strict=True)}
    return rewriting.write_action([changed], DRAFT), holds


def _mark(made: Any, found: Learned, shown: Sampled) -> None:
    """A marker where the character is projected."""
    for frame in found.own.projected.tolist():
        marker = made.pose_markers.new("projected")
        marker.frame = round(float(shown.frames[0]) + frame * scene.fps() / FPS)


def assign(armature: Any, made: Any, standing: Any) -> bool:
    """Let the armature play a result, if it may. standing: its values before, by :mod:`unkeyed`."""
    if rewriting.not_assignable(armature):
        return False
    slot = actions.choose_slot(made, armature).identifier
    recipe.keep(compat.assigned(armature)[0])
    unkeyed.keep(armature)
    clip = clip_store.read(armature, made, slot)
    unkeyed.settle(armature, standing, set(clip.curves))
    compat.assign(armature, made, slot)
    return True
