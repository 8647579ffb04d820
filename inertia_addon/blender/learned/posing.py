# SPDX-License-Identifier: GPL-3.0-or-later
"""What a model plays in the channels of an armature, and where an armature stands as a model has it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import bpy
import numpy as np

from ...motion import quaternion
from ...motion.arrays import Array, Flags, Integers
from ...motion.feet.legs import Leg
from ...motion.learned.material import RowPoses as ModelPose
from ...motion.learned.material import posed
from ...motion.learned.model import Model
from ...motion.learned.steered import SteeredMoment
from ...motion.matching.engine import FPS, TO_Y_UP, TURNED
from ...motion.matching.features import turned
from ...motion.skeleton import character_space
from ...motion.skeleton.posing import Rig
from ...motion.steering.feet import PosedMoments, SteeredFeet
from ...motion.steering.posing import ChannelPose, Playing
from ...records import record
from ...settings.matching import PathSettings
from ..data import scene
from ..evaluation.character import Character
from ..feet import legs as leg_list
from ..matching.posing import PosedArmature, feet_of


@record(frozen=True, eq=False)
class PoseChannels:
    """How poses that a model plays read in the channels of an armature.

    Bones without a parent go with the character over the ground, seen from where the armature stands; all
    others are told in their parents' spaces. roots: (n,) bones without a parent. rests: (bones, 3, 4), past
    their parents' or the armature. turns: (bones, 4) of these, back. unturned: (bones,) whose locations act
    along their parents' axes. world: (4, 4) where the armature stands. units: a metre's in the world; metres:
    of a unit of the armature's space.
    """

    roots: Integers
    rests: Array
    turns: Array
    unturned: Flags
    world: Array
    units: float
    metres: float

    @classmethod
    def of_rig(cls, read: Rig) -> Self:
        """Return how poses of a model read in the channels of an armature, as it stood when `read` was read.

        ``roots`` has the indices of the bones without a parent. ``rests`` (bones, 3, 4) are the rest matrices
        in the parent's space, or the armature's without a parent; ``turns`` (bones, 4) the inverses of their
        rotations, quaternions, w first. ``unturned`` (bones,) tells whose locations act along the parent's
        axes. ``world`` (4, 4) is the armature's matrix. ``units`` is how many world units make a metre,
        ``metres`` how many metres make a unit of the armature's space, by its mean scale; both by the present
        scene's unit scale.

        Raise ValueError for a rig without bones.
        """
        bones, units = read.bones, 1.0 / scene.metres_per_unit()
        rests = np.stack(
            [
                rest if parent < 0 else np.linalg.inv(bones.rest[parent]) @ rest
                for rest, parent in zip(bones.rest, bones.parents, strict=True)
            ]
        )
        turns = quaternion.conjugate(np.stack([quaternion.from_matrix(rest[:3, :3]) for rest in rests]))
        scale = float(abs(np.linalg.det(read.world[:3, :3])) ** (1.0 / 3.0))
        unturned = np.array([name in bones.unturned for name in bones.names])
        roots = np.flatnonzero(np.array(bones.parents) < 0)
        return cls(roots, rests[:, :3], turns, unturned, read.world, units, scale / units)

    def to_channels(
        self, positions: Array, rotations: Array, ground: Array, heading: Array
    ) -> tuple[Array, Array]:
        """Return the locations (n, bones, 3) and rotations (n, bones, 4) of the channels by which bones show
        poses: what differs from their rest pose, as in a pose bone's basis.

        Locations are in units of the armature's space, along the bone's own axes at rest, or along its
        parent's for bones in ``unturned``. Rotations are unit quaternions, w first; their signs are not made
        continuous.

        positions (n, bones, 3), metres, and rotations (n, bones, 4): of all bones, in their parents' spaces;
        for bones without a parent in the character's space, Y up and Z ahead, which :func:`in_world` places.
        ground (n, 2), metres, and heading (n,), radians, 0 along x: where the character stands and faces in
        Blender's world. The arguments are not changed.
        """
        places, turns = positions / self.metres, rotations.copy()
        in_metres, faced = in_world(positions[:, self.roots], rotations[:, self.roots], ground, heading)
        inverse = np.linalg.inv(self.world)
        places[:, self.roots] = self.units * in_metres @ inverse[:3, :3].T + inverse[:3, 3]
        stands = quaternion.conjugate(quaternion.from_matrix(self.world[:3, :3]))
        turns[:, self.roots] = quaternion.multiply(stands, faced)
        moved = places - self.rests[..., 3]
        along_rest = np.einsum("nbi,bij->nbj", moved, self.rests[..., :3])
        moved = np.where(self.unturned[:, None], moved, along_rest)
        return moved, quaternion.multiply(self.turns, turns)


def in_world(positions: Array, rotations: Array, ground: Array, heading: Array) -> tuple[Array, Array]:
    """Return where bones without a parent are (n, bones, 3), metres, and how they are turned (n, bones, 4),
    unit quaternions, w first, in Blender's world, Z up.

    positions (n, bones, 3), metres, and rotations (n, bones, 4): of these bones, in the character's space,
    where Y is up, Z ahead and the character stands at the origin. ground: (n, 2) metres along the world's x
    and y, and heading: (n,) radians about the vertical, 0 for facing along x, where characters stand and
    face.
    """
    facing = quaternion.exp((heading[:, None] + 0.5 * np.pi) * (0.0, 1.0, 0.0))[:, None]
    origin = np.column_stack([ground[:, 0], 0.0 * heading, -ground[:, 1]])[:, None]
    places = (origin + quaternion.rotate(facing, positions)) @ TO_Y_UP
    turns = quaternion.multiply(quaternion.conjugate(TURNED), quaternion.multiply(facing, rotations))
    return places, turns


class ModelPoser:
    """Poses the moments of a take that a model plays. The object, and what a model does not move, stay as
    they stand."""

    def __init__(self, character: Character) -> None:
        armature, rig = character.armature, character.rig
        self._channels, self._scales = (
            PoseChannels.of_rig(rig),
            PosedArmature.of(armature, rig).last["scale"],
        )
        basis = armature.matrix_basis
        self._object = np.array(basis.to_quaternion()), np.array(armature.location), np.array(armature.scale)

    def pose(self, now: SteeredMoment) -> ChannelPose:
        """Return the pose that is shown at a moment."""
        return self._posed(now.shown.pose, now.ground, now.heading)

    def mean(self, model: Model) -> ChannelPose:
        """Return a model's mean pose."""
        return self._posed(mean_of(model), np.zeros(2), 0.0)

    def _posed(self, pose: ModelPose, ground: Array, heading: float) -> ChannelPose:
        turn, place, scale = self._object
        moved, turns = self._channels.to_channels(
            pose.positions, pose.rotations, ground[None], np.array([heading])
        )
        return ChannelPose(
            np.concatenate([turns[0], turn[None]]),
            np.concatenate([moved[0], place[None]]),
            np.concatenate([self._scales, scale[None]]),
        )

    def look_ahead(self, now: SteeredMoment, later: float) -> Playing:
        """Return what plays at a moment; a model has no clips, and nobody knows what it plays ``later``."""
        return Playing(self.pose(now))


def bones_of(armature: Any) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Return the names of an armature's bones, and the indices of their parents, -1 for none."""
    bones = armature.data.bones
    index = {bone.name: i for i, bone in enumerate(bones)}
    return tuple(index), tuple(-1 if bone.parent is None else index[bone.parent.name] for bone in bones)


def legs_of(character: Character, model: Model) -> tuple[Leg, ...]:
    """Return the legs whose feet a model has learned."""
    names, _ = bones_of(character.armature)
    return tuple(
        leg for leg in leg_list.of_armature(character.armature) if names[leg.foot] in model.skeleton.feet
    )


def feet(
    character: Character, model: Model, settings: PathSettings, poser: ModelPoser
) -> SteeredFeet[SteeredMoment] | None:
    """Return what locks planted feet while a model is steered; None if they stay as they are.

    Only legs whose feet the model has learned count. Feet stay as they are without such legs, with feet OFF
    in the settings, and where the legs can't be locked and the settings don't ask for LOCK. poser: of the
    same armature. Raise InertiaError if feet can't be locked and the settings ask for LOCK.
    """
    names, _ = bones_of(character.armature)
    legs = legs_of(character, model)
    which = [model.skeleton.feet.index(names[leg.foot]) for leg in legs]

    def planted(now: SteeredMoment) -> Flags:
        return now.shown.pose.contacts[0, which]

    return feet_of(character, settings, legs, PosedMoments(poser, planted, FPS, [poser.mean(model)]))


def make_poser(
    character: Character, model: Model, settings: PathSettings
) -> Callable[[SteeredMoment], ChannelPose]:
    """Return a function that poses moments, with planted feet locked as far as they can and shall be; see
    :func:`feet_of`.
    """
    poser = ModelPoser(character)
    locked = feet(character, model, settings, poser)
    return poser.pose if locked is None else locked.pose


def mean_of(model: Model) -> ModelPose:
    """Return a model's mean pose."""
    return posed(model.rows, model.network("decompressor").mean_out[None].astype(float))


def stands(model: Model, character: Character) -> tuple[Array, float]:
    """Return where a character is, (2,) metres on the ground, and which way it faces, radians, as Blender
    shows its armature now.

    It is told by one bone: the model's root, or, if the object carries the character, the topmost bone above
    its first foot. Where that is in the world is compared with the model's mean pose, which stands at the
    origin and faces 0. KeyError for a bone that the armature lacks.
    """
    skeleton, mean = model.skeleton, mean_of(model)
    names, first_foot = skeleton.names, skeleton.feet[0] if skeleton.feet else skeleton.names[0]
    chain = [names.index(skeleton.root or first_foot)]
    while skeleton.parents[chain[-1]] >= 0:
        chain.append(skeleton.parents[chain[-1]])
    if not skeleton.root:
        # an object that carries stays where it is, and the bone goes that all others hang from
        chain = chain[-1:]
    top = chain[-1:]
    places, turns = in_world(
        mean.positions[:, top], mean.rotations[:, top], ground=np.zeros((1, 2)), heading=np.zeros(1)
    )
    place, turn = places[0, 0], turns[0, 0]
    for bone in reversed(chain[:-1]):
        place = place + quaternion.rotate(turn, mean.positions[0, bone])
        turn = quaternion.multiply(turn, mean.rotations[0, bone])
    shown = character.armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
    now = np.array(shown.matrix_world) @ np.array(shown.pose.bones[names[chain[0]]].matrix)
    in_mean = np.eye(4)
    in_mean[:3, :3] = quaternion.to_matrix(turn)
    heading = character_space.turn_between(now, in_mean)
    ground = now[:2, 3] * character.metres - turned(place[:2], np.asarray(heading))
    return ground, heading
