# SPDX-License-Identifier: GPL-3.0-or-later
"""What clips become in a set: mirror images, as actions of their own, and bends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from ...motion import quaternion
from ...motion.arrays import Array, Integers, smooth
from ...motion.curves import representation as curvelib
from ...motion.matching import database, mirror
from ...motion.matching.ways import Warp
from ...motion.skeleton import kinematics
from ...motion.skeleton.posing import Rig
from ...motion.steps import Steps
from ..data import rewriting, roots, scene
from ..data.actions import Address, Clip
from ..data.channels import ClipChannels, transform
from ..data.rewriting import Rewritten, Stretch
from ..evaluation import joint_motion
from . import stock


def mirrored(rig: Rig, clip: Clip, partners: Integers, name: str) -> Any:
    """A new action that is the mirror image of a clip, with a key on every frame. partners: for each bone the
    one on the other side. What no bone's own channels say stays as it was."""
    frames = curvelib.whole_frames(clip.start, clip.end)
    stretches = [Stretch(*channel) for channel in mirrored_channels(rig, clip, partners, frames)]
    return _written(rewriting.rewritten(clip, stretches), name)


def repeated(clip: Clip) -> Any:
    """A cycle as an action that has all of its repetitions as keys."""
    curves = {at: curve.keys for at, curve in clip.curves.items()}
    return _written(Rewritten(clip, curves, shaped=shaped(clip, curves)), f"{clip.action.name} repeated")


def shaped(clip: Clip, addresses: Iterable[Address]) -> frozenset[Address]:
    """Those curves of a clip that modifiers shape."""
    return frozenset(at for at in addresses if at in clip.curves and clip.curves[at].obstacle)


def _written(clip: Rewritten, name: str) -> Any:
    """A new action, which is made on the way: no reason to keep what it is of."""
    source = clip.clip.action
    kept = source.use_fake_user
    action = rewriting.write_action([clip], name)
    if source.use_fake_user != kept:
        source.use_fake_user = kept
    return action


def mirrored_channels(
    rig: Rig, clip: Clip, partners: Integers, frames: Array
) -> Iterator[tuple[ClipChannels, Array, Array]]:
    """What of a clip is otherwise in its mirror image: channels, frames, and quaternions or vectors there."""
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
            values = source.shown(source.raw(frames))
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
    """The channels of the object itself, in a mirror that stands upright along its own middle."""
    channels = _object_channels(rig, clip)
    if not any(at in clip.curves for channel in channels for at in channel.addresses):
        return
    world = roots.object_matrices(rig, clip, frames)
    axis = mirror.side_axis(rig.bones.rest[:, :3, 3], mirror.partners(rig.bones.names))
    plane = _plane(rig, clip, axis)
    inner = np.eye(4)
    inner[:3, :3] = mirror.reflection(axis)
    local = np.linalg.inv(rig.frame.basis) @ (plane @ world @ inner)
    turns = kinematics.orientations(np.ascontiguousarray(local[:, :3, :3].transpose(1, 2, 0)))
    yield channels[0], frames, local[:, :3, 3] - rig.frame.offset
    yield channels[1], frames, quaternion.multiply(quaternion.conjugate(rig.frame.turn), turns)


def _object_channels(rig: Rig, clip: Clip) -> tuple[ClipChannels, ClipChannels]:
    return (
        transform(clip, "", "location", standing=rig.standing),
        transform(clip, "", "rotation", rig.mode, rig.standing),
    )


def _plane(rig: Rig, clip: Clip, axis: int) -> Array:
    """The reflection of the world (4, 4) at the clip's beginning: upright, along the character's middle."""
    side = roots.object_matrices(rig, clip, np.array([clip.start]))[0, :3, axis] * (1.0, 1.0, 0.0)
    side /= max(float(np.linalg.norm(side)), 1e-12)
    plane = np.eye(4)
    plane[:3, :3] -= 2.0 * np.outer(side, side)
    return plane


def mirror_motion(rig: Rig, clip: Clip, partners: Integers) -> Array:
    """The motion of the world (4, 4) from a database's mirror image of a clip to that of :func:`mirrored`.
    The former stands in a mirror along the world's x axis, the latter in one along the armature's middle."""
    axis = mirror.side_axis(rig.bones.rest[:, :3, 3], partners)
    if any(at in clip.curves for channel in _object_channels(rig, clip) for at in channel.addresses):
        image = _plane(rig, clip, axis)
    else:
        inner = np.eye(4)
        inner[:3, :3] = mirror.reflection(axis)
        image = rig.world @ inner @ np.linalg.inv(rig.world)
    return np.asarray(image @ np.diag([1.0, -1.0, 1.0, 1.0]))


# --- bends: clips whose root is moved so, as a database knows them


def bending(armature: Any, rig: Rig, root: roots.Root, straight: Clip, bend: float) -> Steps[Clip]:
    """A straight clip, bent to the left by so much, radians a second; yields the part that is done."""
    if not bend:
        return straight
    step, metres = stock.step_of(scene.fps()), scene.metres_per_unit()
    samples = joint_motion.grid(straight)[::step]
    motion = yield from joint_motion.steps(armature, straight, samples, root)
    rate = scene.fps() / step
    ground = smooth(motion.root_position[:, :2], database.SMOOTH_SECONDS * rate)
    turn, after = database.bend_ground(ground, rate, bend)
    frames = curvelib.whole_frames(straight.start, straight.end)
    x, y, to_x, to_y, angle = (np.interp(frames, samples, values) for values in (*ground.T, *after.T, turn))
    before, shift = np.stack([x, y], axis=1), np.stack([to_x - x, to_y - y], axis=1)
    motions = Warp(before / metres, angle, shift / metres).matrices()
    return stock.moved(armature, rig, root, straight, frames, motions)
