# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses a character while it is steered: its clips by value, and what it shows in its channels."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...errors import InertiaError
from ...motion import quaternion
from ...motion.arrays import Array, Floats
from ...motion.curves import representation
from ...motion.curves.representation import whole_frames
from ...motion.decay.offset import Decomposition, Guard, Velocity
from ...motion.feet import going
from ...motion.feet.legs import Leg
from ...motion.matching.database import ClipSource
from ...motion.skeleton import character_space
from ...motion.skeleton.posing import Rig
from ...motion.steering import feet as steered_feet
from ...motion.steering.feet import PosedMoments, SteeredFeet
from ...motion.steering.posing import Carriers, ChannelPose, ClipPoser, JoinBlend, Sheet
from ...motion.steering.steering import Moment
from ...motion.steps import Steps
from ...records import record
from ...settings.matching import PathSettings
from ..data import rig as rig_data
from ..data import unkeyed
from ..data.actions import Clip
from ..data.channels import ClipChannels, decode_all, raw_of, transform
from ..evaluation.character import Character
from ..evaluation.posed import TRANSFORMS
from ..feet import leg_choice
from ..transition import alignment, bake, parts, passage
from ..transition.alignment import RootedRig
from . import action_set, surroundings, variants
from .action_set import Stock

PROPS = ("rotation", "location", "scale")
PROBES = tuple((angle, x, y) for angle, x, y in ((0, 0, 0), (0.5, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)))
"""Motions of half turns, and of the character's size along x and y, that say how any other is carried."""

SAID = 60
"""So many poses of the clips say how knees bend, and how far legs stretch."""


def read_poser_steps(character: Character, analysed: Stock, settings: PathSettings) -> Steps[ClipPoser]:
    """Return what poses the clips of a set at any of its frames, with all clips read by value; yields the
    part that is done, 0 to 1.

    Nothing in the file changes. settings: how joins blend. Raise InertiaError for the method dead blending,
    for a stored bone multiplier that is out of range, where the root can't be moved, keys that are not
    finite, and where Blender has to play the rig and would not.
    """
    base, rig = analysed.database, analysed.rig
    clips = unkeyed.all_completed(character.armature, analysed.clips)
    by_name = {clip.action.name: clip for clip in clips}
    sheets: list[Sheet] = []
    for i, source in enumerate(base.sources):
        clip = yield from variants.bend_clip_steps(
            character, rig, analysed.root, by_name[source.name], source.bend
        )
        sheets.append(_sheet(analysed, clip, by_name[source.name], source))
        yield (i + 1) / len(base.sources)

    def sheet(flat: int) -> tuple[Sheet, int]:
        part = int(base.part[flat])
        return sheets[part], (flat - int(base.starts[part])) * analysed.step

    carriers = _carriers(character, analysed, clips)
    blend = _blend(character, rig, clips[0], settings)
    return ClipPoser(sheet, carriers, blend, analysed.step, 1.0 / character.metres)


def feet_of(
    character: Character,
    settings: PathSettings,
    legs: Sequence[Leg],
    moments: PosedMoments[steered_feet.Moment],
) -> SteeredFeet[steered_feet.Moment] | None:
    """Return what locks planted feet in the moments of a take; None if they stay as they are: with feet OFF
    in the settings, without legs, or where the legs can't be locked and the settings don't ask for LOCK.

    The hips are never let down for it. legs: those that may be locked. moments: who poses them, and which
    feet are planted at a moment, in the order of `legs`. Raise InertiaError if feet can't be locked and the
    settings ask for LOCK.
    """
    if settings.transition.feet == "OFF" or not legs:
        return None
    asked, rig = surroundings.choose_locking(settings), character.rig
    try:
        body_legs = leg_choice.find_body(
            character,
            rig,
            dataclasses.replace(asked, hips_drop=0.0),
            None,
            (),
            leg_choice.LegKnowledge(tuple(legs)),
        ).legs
    except InertiaError:
        if settings.transition.feet == "LOCK":
            raise
        return None
    names = [leg.name for leg in legs]
    which = [names.index(leg.name) for leg in body_legs.legs]
    bones = np.array([rig.bones.names.index(name) for name in body_legs.rig.bones.names])
    limits = leg_choice.read_limits(asked, settings.transition.step_height)
    of_body = dataclasses.replace(moments, planted=lambda now: moments.planted(now)[which])
    return SteeredFeet(of_body, body_legs, bones, limits)


def locks_feet(analysed: Stock, settings: PathSettings) -> bool:
    """Tell whether feet are to be locked while clips are steered; on a control rig they are not."""
    return analysed.database.contacts is not None and analysed.plain and settings.transition.feet != "OFF"


def feet(
    character: Character, analysed: Stock, settings: PathSettings, poser: ClipPoser
) -> SteeredFeet[Moment] | None:
    """Return what locks planted feet while clips are steered; None if they stay as they are.

    They stay so if the settings have feet OFF, if the set has no contacts or no legs, or is of a rig that
    more than its own keys move, and if the legs can't be locked and the settings don't ask for LOCK. poser:
    of the same set. Raise InertiaError if feet can't be locked and the settings ask for LOCK.
    """
    base = analysed.database
    if base.contacts is None or not locks_feet(analysed, settings):
        return None
    planted = going.early(base.contacts, base.starts.tolist(), base.fps)
    some = np.unique(np.linspace(0, base.frames - 1, SAID).astype(np.int64)).tolist()
    poses = [sheet.poses.at(at) for sheet, at in map(poser.sheet, some)]
    return feet_of(
        character,
        settings,
        analysed.legs,
        PosedMoments(poser, lambda now: planted[now.flat], base.fps, poses),
    )


def make_poser(
    character: Character, analysed: Stock, settings: PathSettings, poser: ClipPoser
) -> Callable[[Moment], ChannelPose]:
    """Return a function that poses moments, with planted feet locked as far as they can and shall be; see
    :func:`feet_of`.
    """
    locked = feet(character, analysed, settings, poser)
    return poser.pose if locked is None else locked.pose


def _sheet(analysed: Stock, clip: Clip, straight: Clip, source: ClipSource) -> Sheet:
    """Return a clip of the database, by value, on its first frame, the whole frames behind it and its last;
    mirrored if `source` is.

    The sheet's ``poses`` have ``turns`` (frames, bones + 1, 4), unit quaternions, w first, and ``places`` and
    ``scales`` (frames, bones + 1, 3), in the rig's order, the object last. Its ``motion`` (3,), a turn about
    the vertical in radians and a shift along x and y in world units, leads from the image that the poses
    show, mirrored along the armature's middle, to the database's, mirrored along the world's x axis; zeros
    without mirroring.

    clip: as it is bent, of which the poses are; straight: before that, of which the motion is. Raise
    AssertionError for a mirrored source of a set without partners.
    """
    rig, frames = analysed.rig, whole_frames(clip.start, clip.end)
    channels: list[ClipChannels] = []
    for prefix, mode in (*zip(rig.paths, rig.modes, strict=True), ("", rig.mode)):
        standing = {} if prefix else rig.standing
        channels += [transform(clip, prefix, prop, mode * (prop == "rotation"), standing) for prop in PROPS]
    shown = decode_all(channels, raw_of(channels, frames))
    motion = np.zeros(3)
    if source.mirrored:
        assert analysed.partners is not None
        places = {channel.addresses: i for i, channel in enumerate(channels)}
        for mirrored_channels, _, values in variants.mirrored_channels(rig, clip, analysed.partners, frames):
            shown[places[mirrored_channels.addresses]] = values
        back = np.linalg.inv(variants.mirror_motion(rig, straight, analysed.partners))
        motion = np.array([np.arctan2(back[1, 0], back[0, 0]), *back[:2, 3]])
    turns, locations, scales = (np.stack(shown[i::3], axis=1) for i in range(3))
    return Sheet(ChannelPose(turns, locations, scales), motion)


def _carriers(character: Character, analysed: Stock, clips: tuple[Clip, ...]) -> Carriers:
    """Return how turns about the vertical and shifts over the ground read in the channels of those who carry
    the character, measured by five probes in the last clip's first frame.

    In the :class:`Carriers` ``which`` (carriers,) are indices of the rig's bones; the object has the index
    behind the last. ``constant``, ``cosine``, ``sine``, ``x`` and ``y`` (carriers, 3, 4) give the affine map
    of a carrier's location for a motion (angle, x, y), in radians and world units: constant + cos(angle)
    cosine + sin(angle) sine + x x + y y. ``axes`` (carriers, 3) are the axes about which the rotation turns
    by the angle.

    Nothing in the file changes. Raise InertiaError where the root can't be moved.
    """
    rig = analysed.rig
    motions = np.stack(
        [character_space.motion_of(np.pi * angle, rig.size * np.array([x, y, 0.0])) for angle, x, y in PROBES]
    )
    rooted = RootedRig(character, rig, analysed.root, not analysed.plain)
    carried = alignment.along_all(rooted, motions, clips, clips[-1].start)
    things = {name: i for i, name in enumerate((*rig.bones.names, None))}
    probed = np.stack(
        [np.concatenate([carrier.matrix, carrier.shift[..., None]], axis=-1) for carrier in carried.values()]
    )
    still, quarter, half, x, y = probed.swapaxes(0, 1)
    constant = 0.5 * (still + half)
    axes = np.stack([2.0 / np.pi * quaternion.log(carrier.turn[1]) for carrier in carried.values()])
    which, cosine, sine = (
        np.array([things[name] for name in carried]),
        0.5 * (still - half),
        quarter - constant,
    )
    return Carriers(which, constant, cosine, sine, (x - still) / rig.size, (y - still) / rig.size, axes)


def _blend(character: Character, rig: Rig, clip: Clip, settings: PathSettings) -> JoinBlend:
    """Return how joins blend, as the settings' transition says, for each bone in the rig's order and, last,
    the object.

    ``seconds`` (things,) are blend times, or half-lives of SPRING, times each bone's multiplier, which the
    object has not. ``limits`` and ``tolerances`` (3, things) are those of rotation, in radians, location, in
    units of the channels, and scale. Limits are the guard's angle and length; scale has none (inf).
    ``method``, ``decomposition``, ``velocity``, ``guard`` and ``extrapolates`` are the transition's; ``fps``
    is the scene's.

    clip: at its first frame it says how long the units of the channels are. Raise InertiaError for dead
    blending, and for a stored bone multiplier that can't be one.
    """
    transition, fps = settings.transition, character.fps
    method, seconds = action_set.choose_decay(settings, fps)
    scales = bake.blend_scales(character, transition)
    metres, bone_metres = parts.lengths(rig, clip, clip.start)
    lengths = np.append(np.full(len(rig.bones.names), bone_metres), metres)
    same = np.ones(len(lengths))
    tolerances = passage.TOLERANCES
    return JoinBlend(
        method,
        np.array([seconds * scales.of_bone(name) for name in rig.bones.names] + [seconds]),
        Decomposition[transition.decomposition],
        Velocity[transition.velocity],
        Guard[transition.guard],
        np.stack(
            [same * np.radians(transition.guard_angle), transition.guard_length / lengths, same * np.inf]
        ),
        np.stack(
            [same * tolerances["rotation"], tolerances["location"] / lengths, same * tolerances["scale"]]
        ),
        fps,
        transition.extrapolate,
    )


# --- on the character itself


@record(eq=False)
class PosedArmature:
    """What a pose is written on: an armature's bones, in bulk, and its object.

    last: by property of the bones' transforms, their numbers (bones, numbers), as they were written last."""

    rig: Rig
    last: dict[str, Floats]

    @classmethod
    def of(cls, armature: Any, rig: Rig) -> PosedArmature:
        """Read the pose of an armature as it stands."""
        bones = armature.pose.bones
        return cls(rig, {prop: rig_data.gathered(bones, prop, count) for prop, count in TRANSFORMS.items()})

    def write(self, armature: Any, pose: ChannelPose) -> None:
        """Write a pose into the channels of all bones and of the object, over what Blender's own animation
        has put there.

        Rotations go into each one's own mode; axis and angle are as near to what was written last as they can
        be. The armature is tagged for evaluation. No key is made.
        """
        self.last["location"][:] = pose.places[:-1]
        self.last["scale"][:] = pose.scales[:-1]
        modes = np.array(self.rig.modes)
        for mode in sorted(set(self.rig.modes)):
            rows = np.flatnonzero(modes == mode)
            values = self.last[quaternion.rotation_property(mode)[0]]
            values[rows] = _raw(pose.turns[rows], mode, values[rows].astype(float))
        for prop, values in self.last.items():
            armature.pose.bones.foreach_set(prop, np.ascontiguousarray(values, np.float32).ravel())
        prop = quaternion.rotation_property(self.rig.mode)[0]
        turn = _raw(pose.turns[-1:], self.rig.mode, np.array([getattr(armature, prop)], float))[0]
        armature.location, armature.scale = pose.places[-1], pose.scales[-1]
        setattr(armature, prop, turn)
        armature.update_tag()


def _raw(turns: Array, mode: str, last: Array) -> Array:
    """Return unit quaternions (n, 4) as the numbers of a rotation mode: quaternions as they are, Euler angles
    (n, 3) in radians, axis and angle (n, 4).

    last: (n, 3 or 4), the numbers before, which count for AXIS_ANGLE alone: of all that show the same the
    nearest to these are returned.
    """
    if mode == "QUATERNION":
        return turns
    if mode != "AXIS_ANGLE":
        return quaternion.to_euler(turns, mode)
    pairs = zip(turns, last, strict=True)
    return np.stack([representation.nearest(turn, mode, np.asarray(to, float)) for turn, to in pairs])
