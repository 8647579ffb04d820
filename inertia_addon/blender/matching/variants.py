# SPDX-License-Identifier: GPL-3.0-or-later
"""What clips become in a set: mirror images, as actions of their own, and bends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from ...motion import quaternion
from ...motion.arrays import Array, Integers, smooth
from ...motion.curves import representation as curvelib
from ...motion.matching import database, mirror
from ...motion.matching.clip_sequence import Warp
from ...motion.skeleton import kinematics
from ...motion.skeleton.posing import Rig
from ...motion.steps import Steps
from ..data import markers, rewriting, roots
from ..data.actions import Address, Clip, Marker
from ..data.channels import ClipChannels, transform
from ..data.rewriting import ChannelStretch, Rewritten
from ..evaluation import joint_motion
from ..evaluation.character import Character
from . import action_set


def mirrored(rig: Rig, clip: Clip, partners: Integers, name: str) -> Any:
    """Make a new action that is the mirror image of a clip, with a key on every frame.

    partners: for each bone the index of the one on the other side. What no bone's own channels say stays as
    it was.
    """
    frames = curvelib.whole_frames(clip.start, clip.end)
    stretches = [ChannelStretch(*channel) for channel in mirrored_channels(rig, clip, partners, frames)]
    return _written(rewriting.rewritten(clip, stretches), name, markers.flipped(markers.find_shown(clip)))


def make_repeated(clip: Clip) -> Any:
    """Make a new action that has all repetitions of a cycle as keys."""
    curves = {at: curve.keys for at, curve in clip.curves.items()}
    whole = Rewritten(clip, curves, shaped=shaped(clip, curves))
    return _written(whole, f"{clip.action.name} repeated", markers.find_shown(clip))


def shaped(clip: Clip, addresses: Iterable[Address]) -> frozenset[Address]:
    """Return those curves of a clip that modifiers shape."""
    return frozenset(at for at in addresses if at in clip.curves and clip.curves[at].obstacle)


def _written(clip: Rewritten, name: str, marked: Sequence[Marker]) -> Any:
    """Write a new action, a copy of the clip's action but for the clip's curves and markers, and return it.

    `marked` are its only markers. It has no recipe, and a fake user; Blender may number its name. It is meant
    to be temporary, and so the clip's own action keeps its fake user as it was, on or off. Who calls removes
    the new one.
    """
    source = clip.clip.action
    kept = source.use_fake_user
    action = rewriting.write_action([clip], name)
    markers.replace(action, marked)
    if source.use_fake_user != kept:
        source.use_fake_user = kept
    return action


def mirrored_channels(
    rig: Rig, clip: Clip, partners: Integers, frames: Array
) -> Iterator[tuple[ClipChannels, Array, Array]]:
    """Yield what of a clip is otherwise in its mirror image: channels, frames, and quaternions or vectors
    there.
    """
    yield from _of_bones(rig, clip, partners, frames)
    yield from _of_object(rig, clip, frames)


def _of_bones(
    rig: Rig, clip: Clip, partners: Integers, frames: Array
) -> Iterator[tuple[ClipChannels, Array, Array]]:
    bones = rig.bones
    rest = bones.rest[:, :3, :3]
    axis = mirror.side_axis(bones.rest[:, :3, 3], partners)
    maps = mirror.maps(rest, partners, axis)
    for i, k in enumerate(partners.tolist()):
        keyed = [at for at in clip.curves if at[0].startswith((rig.paths[i], rig.paths[k]))]
        if not keyed:
            continue
        for prop in ("location", "rotation", "scale"):
            target, source = (
                transform(clip, rig.paths[j], prop, rig.modes[j] if prop == "rotation" else "")
                for j in (i, k)
            )
            if not any(at in clip.curves for at in (*target.addresses, *source.addresses)):
                continue
            values = source.decode(source.raw(frames))
            if prop == "rotation":
                values = mirror.rotations(values, maps[i])
            elif prop == "location":
                unturned = bones.names[k] in bones.unturned
                values = values @ (mirror.reflection(axis) if unturned else maps[i]).T
                if bones.parents[i] < 0:
                    aside = mirror.reflection(axis) @ bones.rest[k, :3, 3] - bones.rest[i, :3, 3]
                    values = values + (aside if unturned else rest[i].T @ aside)
            else:
                values = values @ np.abs(maps[i]).T
            yield target, frames, values


def _of_object(rig: Rig, clip: Clip, frames: Array) -> Iterator[tuple[ClipChannels, Array, Array]]:
    """Yield (channels, frames, values) for the object's place, then for its rotation, in an upright mirror
    along its own middle.

    The values are channel values (n, 3) of the place, and unit quaternions (n, 4) of the rotation, at frames
    (n,). Nothing is yielded where the clip keys no transform of the object or of what carries it. Where an
    object moves that carries it, these are the channels of the topmost one that does; delta channels stand in
    where they are keyed.
    """
    if rig.of_object.isdisjoint(clip.curves):
        return
    place, turning = _object_channels(rig, clip)
    world = roots.object_matrices(rig, clip, frames)
    axis = mirror.side_axis(rig.bones.rest[:, :3, 3], mirror.partners(rig.bones.names))
    plane = _plane(rig, clip, axis)
    inner = np.eye(4)
    inner[:3, :3] = mirror.reflection(axis)
    # the topmost that moves takes all of it, and what hangs from that stays as it is
    holder = roots.topmost(rig, [clip])
    carrying = rig if holder is None else rig.holders[holder]
    own = rig.described(roots.raw_of_object(rig, clip, frames), rig.of_object & clip.curves.keys(), holder)
    basis = rig.frame.basis[None]
    if rig.holders:
        basis = np.stack([roots.object_basis(rig, clip, frame, holder) for frame in frames.tolist()])
    # a scale of 0 has no inverse, and hides whatever is below
    below = np.linalg.pinv(basis @ own) @ world
    local = np.linalg.pinv(basis) @ (plane @ world @ inner) @ np.linalg.pinv(below)
    turns = kinematics.orientations(np.ascontiguousarray(local[:, :3, :3].transpose(1, 2, 0)))
    prefix = "" if holder is None else rig.holders[holder].prefix
    if place.addresses[0][0] == f"{prefix}delta_location":
        yield place, frames, local[:, :3, 3] - _own(rig, clip, prefix, "location").raw(frames)
    else:
        yield place, frames, local[:, :3, 3] - carrying.frame.offset
    if turning.addresses[0][0].startswith(f"{prefix}delta_"):
        rotation = _own(rig, clip, prefix, "rotation", carrying.mode)
        turned = rotation.decode(rotation.raw(frames))
        yield turning, frames, quaternion.multiply(turns, quaternion.conjugate(turned))
    else:
        yield turning, frames, quaternion.multiply(quaternion.conjugate(carrying.frame.turn), turns)


def _object_channels(rig: Rig, clip: Clip) -> tuple[ClipChannels, ClipChannels]:
    """Return the channels of the location and of the rotation by which the topmost object that moves is moved
    in a clip.

    That is a holder if one moves, else the armature object. Delta channels stand for the location if a delta
    location is keyed, and for the rotation if a delta rotation is.
    """
    holder = roots.topmost(rig, [clip])
    carrying, prefix = (rig, "") if holder is None else (rig.holders[holder], rig.holders[holder].prefix)
    keyed = {path for path, _ in clip.curves}
    rotation = quaternion.rotation_property(carrying.mode)[0]
    is_turned = f"{prefix}delta_{rotation}" in keyed and carrying.mode != "AXIS_ANGLE"
    before = "delta_" if f"{prefix}delta_location" in keyed else ""
    return (
        _own(rig, clip, prefix + before, "location"),
        _own(rig, clip, prefix + ("delta_" if is_turned else ""), "rotation", carrying.mode),
    )


def _own(rig: Rig, clip: Clip, prefix: str, prop: str, mode: str = "") -> ClipChannels:
    """Return the channels of an object's location or rotation, by what their paths begin with."""
    return transform(clip, prefix, prop, mode, rig.all_standing)


def _plane(rig: Rig, clip: Clip, axis: int) -> Array:
    """Return the reflection of the world (4, 4), about the origin, in an upright plane along the character's
    middle at the clip's beginning.

    axis: the armature's axis that points to a side, 0 to 2.
    """
    side = roots.object_matrices(rig, clip, np.array([clip.start]))[0, :3, axis] * (1.0, 1.0, 0.0)
    side /= max(float(np.linalg.norm(side)), 1e-12)
    plane = np.eye(4)
    plane[:3, :3] -= 2.0 * np.outer(side, side)
    return plane


def mirror_motion(rig: Rig, clip: Clip, partners: Integers) -> Array:
    """Return the motion of the world (4, 4) from a database's mirror image of a clip to that of
    :func:`mirrored`.

    partners: the other side's bone of each, by index. The former stands in a mirror along the world's x axis,
    the latter in one along the armature's middle.
    """
    axis = mirror.side_axis(rig.bones.rest[:, :3, 3], partners)
    if any(at in clip.curves for channel in _object_channels(rig, clip) for at in channel.addresses):
        image = _plane(rig, clip, axis)
    else:
        inner = np.eye(4)
        inner[:3, :3] = mirror.reflection(axis)
        image = rig.world @ inner @ np.linalg.inv(rig.world)
    return np.asarray(image @ np.diag([1.0, -1.0, 1.0, 1.0]))


# --- bends: clips whose root is moved so, as a database knows them


def bend_clip_steps(
    character: Character, rig: Rig, root: roots.Root, straight: Clip, bend: float
) -> Steps[Clip]:
    """Return a straight clip with its root led around a bend, to the left by `bend` radians a second; yields
    the part that is done.

    A bend of 0 returns the clip itself; negative ones go to the right. Nothing is written. Raise InertiaError
    where the root can't be moved so, or Blender would not play the rig.
    """
    if not bend:
        return straight
    step, metres = action_set.step_of(character.fps), character.metres
    samples = joint_motion.grid(straight)[::step]
    motion = yield from joint_motion.steps(character, straight, samples, root)
    rate = character.fps / step
    ground = smooth(motion.root_position[:, :2], database.SMOOTH_SECONDS * rate)
    turn, after = database.bend_ground(ground, rate, bend)
    frames = curvelib.whole_frames(straight.start, straight.end)
    x, y, to_x, to_y, angle = (np.interp(frames, samples, values) for values in (*ground.T, *after.T, turn))
    before, shift = np.stack([x, y], axis=1), np.stack([to_x - x, to_y - y], axis=1)
    motions = Warp(before / metres, angle, shift / metres).matrices()
    return action_set.move_root(character, rig, root, straight, frames, motions)
