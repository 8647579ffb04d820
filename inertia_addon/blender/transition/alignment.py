# SPDX-License-Identifier: GPL-3.0-or-later
"""Root alignment: the rigid motion that lets the destination go on from where the source is."""

from __future__ import annotations

import dataclasses

import numpy as np

from ...errors import InertiaError, Sentence
from ...motion import quaternion
from ...motion.arrays import Array
from ...motion.skeleton import character
from ...motion.skeleton.kinematics import Skeleton
from ...motion.skeleton.posing import Rig
from ..data.actions import Clip
from ..data.rig import split_path
from ..data.roots import Root
from ..evaluation import root_path


@dataclasses.dataclass(frozen=True)
class Carrier:
    """How a rigid motion of the character reads in the channels of the object or of a bone.

    location' = matrix @ location + shift; rotation' = turn * rotation.
    """

    matrix: Array
    shift: Array
    turn: Array


@dataclasses.dataclass(frozen=True)
class Alignment:
    """The rigid motion given to the destination.

    kind: NONE, POSITION or POSITION_HEADING. heading: radians about the vertical. translation: (3,) world, of
    its origin. carriers: by bone name, None for the object. warnings: sentences for the animator.
    """

    kind: str
    heading: float = 0.0
    translation: Array = dataclasses.field(default_factory=lambda: np.zeros(3))
    carriers: dict[str | None, Carrier] = dataclasses.field(default_factory=dict)
    warnings: tuple[str, ...] = ()


def align(
    rig: Rig,
    root: Root,
    kind: str,
    source: Clip,
    cut: float,
    destination: Clip,
    destination_frame: float,
) -> Alignment:
    """The motion on the ground that puts the destination's root where the source's is at the cut.

    With POSITION_HEADING it is turned by the twist about the vertical of what turns one root into
    the other: whichever way a root's axes point, no forward axis is needed.
    """
    if kind == "NONE":
        return Alignment("NONE")
    here = root_path.root_matrix(rig, root, source, cut)
    there = root_path.root_matrix(rig, root, destination, destination_frame)
    heading = _heading(here, there) if kind == "POSITION_HEADING" else 0.0
    motion = np.eye(4)
    motion[:3, :3] = quaternion.to_matrix(quaternion.exp(heading * character.VERTICAL))
    motion[:3, 3] = here[:3, 3] - motion[:3, :3] @ there[:3, 3]
    motion[2, 3] = 0.0
    carriers = _carriers(rig, root, motion, source, destination, destination_frame)
    warnings = _moving_parents(rig, root, (source, destination))
    return Alignment(kind, heading, motion[:3, 3].copy(), carriers, warnings)


def apart(
    rig: Rig, root: Root, source: Clip, cut: float, destination: Clip, destination_frame: float
) -> tuple[float, float]:
    """How far from each other two roots are on the ground, in world units, and turned, in radians."""
    here = root_path.root_matrix(rig, root, source, cut)
    there = root_path.root_matrix(rig, root, destination, destination_frame)
    return float(np.linalg.norm(here[:2, 3] - there[:2, 3])), _heading(here, there)


def _heading(here: Array, there: Array) -> float:
    """The angle about the vertical from one root's matrix (4, 4) to another's."""
    turn = quaternion.multiply(
        quaternion.from_matrix(here[:3, :3]), quaternion.conjugate(quaternion.from_matrix(there[:3, :3]))
    )
    return float(quaternion.twist_angle(turn, character.VERTICAL))


def _carriers(
    rig: Rig, root: Root, motion: Array, source: Clip, destination: Clip, frame: float
) -> dict[str | None, Carrier]:
    """Who carries the motion: the root, and every keyed bone that does not hang from it."""
    if root.is_object:
        own = rig.frame
        return {None: _carrier(motion, own.basis, own.basis, own.offset, own.turn)}
    world = root_path.object_matrices(rig, destination, np.array([frame]))
    carriers: dict[str | None, Carrier] = {}
    for bone in _tops(rig.bones, root.name, (source, destination)):
        above = root_path.above(rig, destination, np.array([frame]), bone, world)[0]
        place = root_path.location_frame(rig, bone, above)
        axes = above @ rig.bones.rest_of(bone)
        carriers[bone] = _carrier(motion, place, axes, np.zeros(3), quaternion.IDENTITY)
    return carriers


def _carrier(motion: Array, place: Array, axes: Array, offset: Array, turn: Array) -> Carrier:
    """A motion of the world in channels: locations act in ``place`` behind ``offset``, turns in ``axes``."""
    if abs(np.linalg.det(place[:3, :3])) < np.finfo(np.float32).tiny:
        raise InertiaError(
            "The root, or what it hangs from, is scaled to nothing at the destination frame, so that it "
            "can't be moved to where the source is; scale it, or choose to align nothing."
        )
    inner = np.linalg.inv(place) @ motion @ place
    basis = quaternion.from_matrix(axes[:3, :3])
    world_turn = quaternion.from_matrix(motion[:3, :3])
    local = quaternion.multiply(quaternion.multiply(quaternion.conjugate(basis), world_turn), basis)
    local = quaternion.multiply(quaternion.multiply(quaternion.conjugate(turn), local), turn)
    matrix = inner[:3, :3].copy()
    # what is rounding noise of a matrix product would mix curves that need no mixing
    matrix[np.abs(matrix) < 1e-9] = 0.0
    matrix[np.abs(matrix - 1.0) < 1e-9] = 1.0
    return Carrier(matrix, inner[:3, :3] @ offset + inner[:3, 3] - offset, local)


def _tops(bones: Skeleton, root: str, clips: tuple[Clip, Clip]) -> list[str]:
    """The root and the topmost keyed bones beside it."""
    keyed = {split_path(path)[0] for clip in clips for path, _ in clip.curves}
    beside = {
        name
        for name in bones.names
        if name in keyed and name != root and root not in bones.above(name) and name not in bones.above(root)
    }
    return [root, *sorted(name for name in beside if beside.isdisjoint(bones.above(name)))]


def _moving_parents(rig: Rig, root: Root, clips: tuple[Clip, Clip]) -> tuple[str, ...]:
    """A warning when the root hangs from something that is keyed, which the alignment takes as still."""
    if root.is_object:
        return ()
    above = rig.bones.above(root.name)
    for clip in clips:
        for path, index in clip.curves:
            bone = split_path(path)[0]
            # what stays where it is may be keyed
            if bone in above and np.ptp(clip.curves[path, index].keys.co[:, 1]) >= 1e-5:
                return (
                    Sentence(
                        'The root "{root}" hangs from "{bone}", which moves too; choose "{bone}" as the '
                        "root if the feet slide after the cut.",
                        root=root.name,
                        bone=bone,
                    ),
                )
    return ()
