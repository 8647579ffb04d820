# SPDX-License-Identifier: GPL-3.0-or-later
"""Root alignment: the rigid motion that lets the destination go on from where the source is."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...errors import InertiaError, Sentence
from ...motion import quaternion
from ...motion.arrays import Array
from ...motion.skeleton import character_space
from ...motion.skeleton.kinematics import Skeleton
from ...motion.skeleton.posing import Following, Rig
from ...records import record
from ..data import rigs as follow
from ..data import roots
from ..data.actions import Clip
from ..data.rig import DELTA, split_path
from ..data.roots import Root
from ..evaluation import playback
from ..evaluation.character import Character
from ..evaluation.controls import Stage, staged

COMPUTED = 1e-9
"""Rounding noise of what is computed here ..."""
STAGED = 1e-6
"""... and of what Blender shows, in single precision."""
COMES_ALONG = 1e-5
"""A bone comes along, or stays, when no number of its matrix differs by more."""
SKEWED = 1e-4
"""A matrix that is further from a rotation than this is none."""


@record(frozen=True)
class Carrier:
    """How a rigid motion of the character reads in the channels of the object or of a bone.

    location' = matrix @ location + shift; rotation' = turn * rotation. matrix: (3, 3). shift: (3,).
    turn: (4,). Of many motions (n, 3, 3), (n, 3) and (n, 4).
    """

    matrix: Array
    shift: Array
    turn: Array

    def times(self, count: int) -> Carrier:
        """Return the motion repeated `count` times; a negative count runs it the other way."""
        if count < 0:
            back = np.array(np.linalg.inv(self.matrix), float)
            return Carrier(back, -back @ self.shift, quaternion.conjugate(self.turn)).times(-count)
        whole = np.eye(4)
        whole[:3, :3], whole[:3, 3] = self.matrix, self.shift
        whole = np.array(np.linalg.matrix_power(whole, count), float)
        return Carrier(whole[:3, :3], whole[:3, 3], quaternion.exp(count * quaternion.log(self.turn)))


@record(frozen=True)
class Alignment:
    """The rigid motion given to the destination.

    kind: NONE, or what of POSITION, HEADING and HEIGHT is aligned, joined by "_". heading: radians about the
    vertical. translation: (3,) world, of its origin. carriers: by bone name, None for the object. warnings:
    sentences for the animator.
    """

    kind: str
    heading: float = 0.0
    translation: Array = dataclasses.field(default_factory=lambda: np.zeros(3))
    carriers: dict[str | None, Carrier] = dataclasses.field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    @property
    def motion(self) -> Array:
        """The motion of the world (4, 4)."""
        return character_space.motion_of(self.heading, self.translation)

    @property
    def moves(self) -> bool:
        """Whether that is any motion."""
        return bool(np.abs(self.motion - np.eye(4)).max() > COMPUTED)


@record(frozen=True, eq=False)
class CutAndEntry:
    """Where two clips meet: the source is left at its frame ``cut``, the destination is entered at its own
    frame ``entry``.
    """

    source: Clip
    cut: float
    destination: Clip
    entry: float

    @property
    def clips(self) -> tuple[Clip, Clip]:
        """Both clips."""
        return self.source, self.destination

    def root_matrices(self, rig: Rig, root: Root) -> tuple[Array, Array]:
        """Return the world matrices (4, 4) of a root: (the source's at the cut, the destination's at the
        entry).
        """
        return (
            roots.root_matrix(rig, root, self.source, self.cut),
            roots.root_matrix(rig, root, self.destination, self.entry),
        )


def align(
    rig: Rig,
    root: Root,
    reference: Root,
    kind: str,
    cut_and_entry: CutAndEntry,
    given_motion: Array | None = None,
) -> Alignment:
    """Find the motion of the world that puts what the destination is aligned by where the source has it
    at the cut.

    root: who carries the motion. reference: what is aligned: the root, or another bone. With HEADING it is
    turned by the twist about the vertical of what turns one reference into the other: whichever way its axes
    point, no forward axis is needed. Takes a rig as plain; what constraints do to one that is not, only
    :func:`align_played` knows. given_motion: the motion of the world (4, 4) to take instead, a turn about the
    vertical and a translation.
    """
    if kind == "NONE":
        return Alignment("NONE")
    if given_motion is None:
        heading, motion = _rigid(kind, *cut_and_entry.root_matrices(rig, reference))
    else:
        heading, motion = _heading(given_motion), given_motion
    carriers = _carriers(rig, root, motion, cut_and_entry.clips, cut_and_entry.entry)
    warnings = _warn_of_moving_parents(rig, root, cut_and_entry.clips)
    return Alignment(kind, heading, motion[:3, 3].copy(), carriers, warnings)


@playback.together()
def align_played(
    armature: Any,
    rig: Rig,
    carried: Callable[[Rig], tuple[Root, str]],
    referred: Callable[[Root], Root],
    cut_and_entry: CutAndEntry,
    given_motion: Array | None = None,
) -> tuple[Root, Alignment]:
    """Align the clips as :func:`align` does, but as Blender shows both, for a rig that is not plain.

    carried: finds the root, and how it is aligned, while bones follow each other as the destination has it,
    which is moved, whatever was played last. referred: finds what it is aligned by. Raise InertiaError if
    Blender would not play it.
    """
    with staged(armature, cut_and_entry.source) as stage:
        stage.show(cut_and_entry.cut)
        world, bones = stage.world, stage.matrices()
    with staged(armature, cut_and_entry.destination) as stage:
        stage.show(cut_and_entry.entry)
        following = follow.read_following(stage.evaluated)
        root, kind = carried(dataclasses.replace(rig, following=following))
        if kind == "NONE":
            return root, Alignment("NONE")
        reference = referred(root)
        at_cut = world if reference.is_object else world @ bones[reference.name]
        entered = stage.world if reference.is_object else stage.world @ stage.matrix(reference.name)
        heading, motion = (
            _rigid(kind, at_cut, entered) if given_motion is None else (_heading(given_motion), given_motion)
        )
        if root.is_object:
            carriers = _carriers(rig, root, motion, cut_and_entry.clips, cut_and_entry.entry)
        else:
            carriers = _staged_carriers(stage, root.name, motion, cut_and_entry.clips, following)
    warnings = _warn_of_moving_parents(rig, root, cut_and_entry.clips)
    return root, Alignment(kind, heading, motion[:3, 3].copy(), carriers, warnings)


@record(frozen=True, eq=False)
class RootedRig:
    """A character, or another object, whose root is moved over the ground.

    rig: it, read. is_played: whether Blender has to show who carries its root, as of a rig that is not plain.
    """

    character: Character
    rig: Rig
    root: Root
    is_played: bool

    @classmethod
    def in_clips(cls, character: Character, rig: Rig, root: Root, clips: Sequence[Clip]) -> RootedRig:
        """Return a character with its root, whose carriers Blender shows where it has to play the clips."""
        return cls(character, rig, root, character.find_poser(clips).has_to_play)

    @property
    def obj(self) -> Any:
        """The object itself."""
        return self.character.armature


def along(rooted: RootedRig, leading: Alignment, clips: Sequence[Clip], frame: float) -> Alignment:
    """Return the motion of another one's alignment, as an object or armature carries it.

    clips: its own, the destination last. frame: of the destination. Raise InertiaError where no channels
    carry the motion.
    """
    carriers = along_all(rooted, leading.motion, clips, frame)
    warnings = _warn_of_moving_parents(rooted.rig, rooted.root, clips)
    return dataclasses.replace(leading, carriers=carriers, warnings=warnings)


def along_all(
    rooted: RootedRig, motions: Array, clips: Sequence[Clip], frame: float
) -> dict[str | None, Carrier]:
    """Return who carries motions of the world (..., 4, 4), see :func:`along`, by the name of the bone, None
    for the object.

    Raise InertiaError where one bone's part of a motion depends on where another one has been taken, too.
    """
    root = rooted.root
    if not rooted.is_played or root.is_object:
        return _carriers(rooted.rig, root, motions, clips, frame)
    with staged(rooted.obj, clips[-1]) as stage:
        stage.show(frame)
        return _staged_carriers(stage, root.name, motions, clips, follow.read_following(stage.evaluated))


def carries_any(character: Character, rig: Rig, root: Root, clips: Sequence[Clip], frame: float) -> bool:
    """Tell whether Blender carries any motion of the world as it carries any other, see :func:`along_all`."""
    probes = np.stack(
        [character_space.motion_of(turn, rig.size * np.array([0.3, turn, 0.0])) for turn in (0.2, 0.5)]
    )
    try:
        along_all(RootedRig(character, rig, root, is_played=True), probes, clips, frame)
    except InertiaError:
        return False
    return True


def _rigid(kind: str, at_cut: Array, entered: Array) -> tuple[float, Array]:
    """Return (the heading, radians, the motion of the world (4, 4)) that takes one matrix over another's, as
    far as the kind says: HEADING, POSITION, over the ground, and HEIGHT; what it does not say stays.
    """
    heading = character_space.turn_between(at_cut, entered) if "HEADING" in kind else 0.0
    motion = character_space.motion_of(heading, np.zeros(3))
    # without POSITION it turns about where it stands
    place = at_cut if "POSITION" in kind else entered
    motion[:2, 3] = (place[:3, 3] - motion[:3, :3] @ entered[:3, 3])[:2]
    motion[2, 3] = at_cut[2, 3] - entered[2, 3] if "HEIGHT" in kind else 0.0
    return heading, motion


def _heading(motion: Array) -> float:
    """Return how far a motion of the world (4, 4) turns about the vertical, in radians."""
    return float(np.arctan2(motion[1, 0], motion[0, 0]))


def _staged_carriers(
    stage: Stage, root: str, motions: Array, clips: Sequence[Clip], following: Following
) -> dict[str | None, Carrier]:
    """Return who carries motions of the world (..., 4, 4): the root, and each control that does not come
    along.

    One after the other is moved as it must be by the last motion, and what then has not come along is moved
    by itself. For each other motion the same are moved. Raise InertiaError where they then are elsewhere.
    """
    world = stage.world
    _check_scale(world)
    moved = np.linalg.inv(world) @ motions @ world
    local = moved.reshape(-1, 4, 4)[-1]
    keyed = {split_path(path)[0] for clip in clips for path, _ in clip.curves}
    # what does not inherit rotation has to be turned, keyed or not
    keyed |= {bone.name for bone in stage.armature.data.bones if not bone.use_inherit_rotation}
    # first who takes most along: what has come along need not be moved by itself
    order = sorted(_candidates(stage, keyed, following, root), key=lambda name: -following.count(name))
    before, spaces = stage.matrices(), {name: stage.space(name) for name in (root, *order)}
    carriers: dict[str | None, Carrier] = {}

    def carry(name: str) -> None:
        now = stage.space(name)
        place, axes = spaces[name].place, spaces[name].axes
        _check_scale(now.place)
        if motions.ndim > 2 and np.abs(now.place - place).max() > COMES_ALONG:
            raise InertiaError(
                'Part of what moves "{bone}" follows the root already, so the bone can\'t be moved along '
                "with it.",
                bone=name,
            )
        inner = _rounded(np.linalg.inv(now.place) @ moved @ place, STAGED)
        turn = _turn(np.linalg.inv(now.axes) @ moved[..., :3, :3] @ axes, STAGED)
        carriers[name] = Carrier(inner[..., :3, :3], inner[..., :3, 3], turn)
        if order:
            stage.put(name, local @ before[name])

    carry(root)
    for name in order:
        stays = np.abs(stage.space(name).place - spaces[name].place).max() <= COMES_ALONG
        if stays and not any(following.follows(name, str(top)) for top in carriers):
            carry(name)
    for name in order:
        along = np.abs(stage.matrix(name) - local @ before[name]).max() <= COMES_ALONG
        if name in keyed and name not in carriers and not along:
            carry(name)  # in place, and not in turn, or otherwise in part
    return carriers


def _candidates(stage: Stage, keyed: set[str | None], following: Following, root: str) -> list[str]:
    """Return, in Blender's order, the keyed bones and the free controls, with a shape and without a
    constraint that acts, that neither come along with the root nor carry it.
    """
    return [
        bone.name
        for bone in stage.evaluated.pose.bones
        if bone.name in keyed or (bone.custom_shape is not None and all(c.mute for c in bone.constraints))
        if not following.follows(bone.name, root) and not following.follows(root, bone.name)
    ]


def apart(
    rig: Rig, root: Root, cut_and_entry: CutAndEntry, motion: Array | None = None
) -> tuple[float, float]:
    """Return (how far from each other the roots at the cut and at the entry are on the ground, world units,
    how far one is turned from the other, radians).

    motion: (4, 4), of the world, by which the destination is moved first; None for where it is by itself.
    """
    at_cut, entered = cut_and_entry.root_matrices(rig, root)
    entered = entered if motion is None else motion @ entered
    return float(np.linalg.norm(at_cut[:2, 3] - entered[:2, 3])), character_space.turn_between(
        at_cut, entered
    )


def _carriers(
    rig: Rig, root: Root, motions: Array, clips: Sequence[Clip], frame: float
) -> dict[str | None, Carrier]:
    """Return who carries motions (..., 4, 4): the root, and every keyed bone that does not hang from it, by
    name; of an object see :func:`_object_carriers`.

    clips: the destination last. frame: its frame, at which parents stand.
    """
    if root.is_object:
        return _object_carriers(rig, motions, clips, frame)
    world = roots.object_matrices(rig, clips[-1], np.array([frame]))
    carriers: dict[str | None, Carrier] = {}
    for bone in _tops(rig.bones, root.name, clips):
        above = roots.above(rig, clips[-1], np.array([frame]), bone, world)[0]
        place = roots.location_frame(rig, bone, above)
        axes = above @ rig.bones.rest_of(bone)
        carriers[bone] = _carrier(motions, place, axes, np.zeros(3), quaternion.IDENTITY)
    return carriers


def _object_carriers(
    rig: Rig, motions: Array, clips: Sequence[Clip], frame: float
) -> dict[str | None, Carrier]:
    """Find who carries motions (..., 4, 4) of the object: the topmost of those above it that moves, or
    the object itself.

    Deltas that are keyed carry it, too, as they add up with the object's own location and rotation.
    """
    holder = roots.topmost(rig, clips)
    if holder is None:
        prefix, mode, standing, axes = "", rig.mode, rig.standing, rig.frame
        if rig.holders:
            basis = roots.object_basis(rig, clips[-1], frame)
            axes = dataclasses.replace(axes, basis=basis)
    else:
        carrying = rig.holders[holder]
        prefix, mode, standing = carrying.prefix, carrying.mode, carrying.standing
        axes = dataclasses.replace(carrying.frame, basis=roots.object_basis(rig, clips[-1], frame, holder))
    carrier = _carrier(motions, axes.basis, axes.basis, axes.offset, axes.turn)
    own, delta = prefix or None, f"{prefix}delta_" if prefix else DELTA
    keyed = {path for clip in clips for path, _ in clip.curves}
    is_moved, rotation = f"{prefix}delta_location" in keyed, quaternion.rotation_property(mode)[0]
    is_turned = f"{prefix}delta_{rotation}" in keyed and mode != "AXIS_ANGLE"
    if not is_moved and not is_turned:
        return {own: carrier}
    matrix, none = carrier.matrix, np.zeros_like(carrier.shift)
    local = _carrier(motions, axes.basis, axes.basis, np.zeros(3), quaternion.IDENTITY)
    still = np.zeros(3)
    if f"{prefix}location" not in keyed:
        still = np.array([standing[f"{prefix}location", i] for i in range(3)])
    unmoved = Carrier(np.broadcast_to(np.eye(3), matrix.shape), none, _unturned(carrier.turn))
    first, second = carrier, unmoved
    if is_moved:
        # the sum of both is moved: the delta's share of the shift is all of it
        shift = local.shift + matrix @ still - still
        first = dataclasses.replace(first, matrix=matrix, shift=none)
        if f"{prefix}location" not in keyed:
            first = dataclasses.replace(first, matrix=unmoved.matrix)
        second = dataclasses.replace(second, matrix=matrix, shift=shift)
    if is_turned:
        first = dataclasses.replace(first, turn=unmoved.turn)
        second = dataclasses.replace(second, turn=local.turn)
    return {own: first, delta: second}


def _unturned(turns: Array) -> Array:
    """Return as many rotations (..., 4) that turn nothing."""
    return np.broadcast_to(quaternion.IDENTITY, turns.shape)


def _carrier(motions: Array, point: Array, axes: Array, offset: Array, turn: Array) -> Carrier:
    """Return how motions of the world (..., 4, 4) read in channels: locations act in ``point`` behind
    ``offset``, turns in ``axes`` behind ``turn``.
    """
    _check_scale(point)
    inner = np.linalg.inv(point) @ motions @ point
    local = _turn(np.linalg.inv(axes[:3, :3]) @ motions[..., :3, :3] @ axes[:3, :3], COMPUTED)
    local = quaternion.multiply(quaternion.multiply(quaternion.conjugate(turn), local), turn)
    matrix = inner[..., :3, :3]
    return Carrier(_rounded(matrix, COMPUTED), matrix @ offset + inner[..., :3, 3] - offset, local)


def _check_scale(point: Array) -> None:
    # single precision tells no less from nothing
    if abs(np.linalg.det(point[:3, :3])) < np.finfo(np.float32).tiny:
        raise InertiaError(
            "The root, or a parent of it, is scaled to zero at the destination frame, so it can't be moved "
            "to where the source is; change its scale, or set Align Root to None."
        )


def _turn(matrices: Array, noise: float) -> Array:
    """Return the rotations (..., 4) of matrices (..., 3, 3). Raise InertiaError where one is no rotation."""
    skew = np.abs(np.swapaxes(matrices, -1, -2) @ matrices - np.eye(3)).max()
    if skew > SKEWED or np.linalg.det(matrices).min() < 0.0:
        raise InertiaError(
            "The armature, or a parent of its root, is scaled unevenly, so rotating the root would distort "
            "the character; apply the scale, or align the position only."
        )
    none = np.abs(matrices - np.eye(3)).max(axis=(-1, -2)) < noise
    return np.where(none[..., None], quaternion.IDENTITY, quaternion.from_matrix(matrices))


def _rounded(values: Array, noise: float) -> Array:
    """Return a copy of values in which those within `noise` of 0 or 1 are just that: the rounding noise of
    matrix products would mix curves that need no mixing.
    """
    values = values.copy()
    for whole in (0.0, 1.0):
        values[np.abs(values - whole) < noise] = whole
    return values


def _tops(bones: Skeleton, root: str, clips: Sequence[Clip]) -> list[str]:
    """Return the root, then the topmost keyed bones beside it, sorted by name: those that neither hang from
    it nor carry it, nor hang from another of them.
    """
    keyed = {split_path(path)[0] for clip in clips for path, _ in clip.curves}
    beside = {
        name
        for name in bones.names
        if name in keyed and name != root and root not in bones.above(name) and name not in bones.above(root)
    }
    return [root, *sorted(name for name in beside if beside.isdisjoint(bones.above(name)))]


def _warn_of_moving_parents(rig: Rig, root: Root, clips: Sequence[Clip]) -> tuple[str, ...]:
    """Return one warning, in a tuple, when the root hangs from a bone whose keys vary, which the alignment
    takes as still; () otherwise.
    """
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
                        'The root "{root}" is a child of "{bone}", which moves too; choose "{bone}" as the '
                        "root if the feet skate after the cut.",
                        root=root.name,
                        bone=bone,
                    ),
                )
    return ()
