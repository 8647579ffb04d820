# SPDX-License-Identifier: GPL-3.0-or-later
"""The controls of a rig that Blender plays: where their channels act, and how they are put somewhere."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix

from ...motion.arrays import Array
from ...records import record
from ..data import properties, rig
from ..data.actions import Clip
from . import influence, playback


@record(frozen=True, eq=False)
class Space:
    """Where a bone's channels act, in the armature's space.

    place: (4, 4), of its location. axes: (3, 3), of its rotation: others where it does not inherit that.
    """

    place: Array
    axes: Array


def taken_by(bone: Any, parent: Any | None, matrix: Any, *, invert: bool = False) -> Array:
    """Return where a bone's own transform takes it (4, 4), in the armature's space, as floats.

    bone: at rest (a data bone), whose inheritance settings count. parent: the posed matrix of its parent in
    the armature's space, None for none. matrix: the own transform. With `invert` it is a place in the
    armature's space, and what is returned is the own transform that leads there.
    """
    above = {}
    if parent is not None:
        above = {"parent_matrix": Matrix(parent), "parent_matrix_local": bone.parent.matrix_local}
    posed = bone.convert_local_to_pose(Matrix(matrix), bone.matrix_local, **above, invert=invert)
    return np.array(posed, float)


def space_of(bone: Any, parent: Any | None) -> Space:
    """Return the Space in which a bone's channels act, in the armature's space.

    Its ``place`` (4, 4) says where a location leads: the origin is where location (0, 0, 0) puts the bone's
    head, and its columns are how far one unit along each of the location's axes moves that. Its ``axes`` (3,
    3) are the bone's axes, as columns, without any rotation of its own; they differ from those of the place
    where, for instance, rotation is not inherited. Neither is normalised: both may hold a scale of the
    parent.

    bone: a data bone, whose inheritance settings count. parent: the posed matrix of its parent in the
    armature's space, None for a bone without one.
    """
    offsets = ((0.0, 0.0, 0.0), *np.eye(3))
    at, *ends = (taken_by(bone, parent, Matrix.Translation(offset)) for offset in offsets)
    place = at.copy()
    place[:3, :3] = np.stack([end[:3, 3] - at[:3, 3] for end in ends], axis=1)
    return Space(place, at[:3, :3])


class Stage:
    """An armature in a clip as Blender shows it, to be looked at and to be posed on top of that."""

    def __init__(self, armature: Any, show: Callable[[float], Any], view_layer: Any) -> None:
        self.armature, self._show, self._view_layer = armature, show, view_layer
        self._evaluated, self._is_behind = armature, False
        self._unseen: set[str] = set()
        self._known_movers: dict[str, frozenset[str]] = {}
        self.posed = 0

    def show(self, frame: float) -> None:
        """Show a frame of the clip."""
        self._evaluated, self._is_behind = self._show(frame), False
        self._unseen.clear()

    def update(self) -> None:
        """Have Blender evaluate what was posed or switched, so that all later readings show it. The frame
        stays.
        """
        self.armature.update_tag()
        self._view_layer.update()
        self._evaluated = self.armature.evaluated_get(self._view_layer.depsgraph)
        self._is_behind = False
        self._unseen.clear()

    def settle(self) -> None:
        """Have Blender follow what was posed or put back, if it has not."""
        if self._is_behind or self._unseen:
            self.update()

    @functools.cached_property
    def _read_bones(self) -> influence.Reads | None:
        """Which bones each bone reads; None where that is not known."""
        return influence.find_reads(self.armature)

    def _movers(self, bone: str) -> Collection[str]:
        """Return the bones whose posing may move a bone, itself among them; where that is not known, all
        bones that were posed since Blender evaluated last. bone: its name.
        """
        if self._read_bones is None:
            return self._unseen
        if bone not in self._known_movers:
            self._known_movers[bone] = influence.follow_reads(self._read_bones, [bone])
        return self._known_movers[bone]

    def _watch(self, bone: str) -> Any:
        """Return a bone as Blender shows it, once it has followed all that was posed and may move the
        bone.
        """
        # to evaluate takes longer than to show a frame, and what is posed of one limb moves no other
        if self._is_behind or (self._unseen and not self._unseen.isdisjoint(self._movers(bone))):
            self.update()
        return self._evaluated.pose.bones[bone]

    @property
    def evaluated(self) -> Any:
        """The armature as Blender shows it now."""
        self.settle()
        return self._evaluated

    @property
    def world(self) -> Array:
        """Where the armature's space is (4, 4)."""
        return np.array(self.evaluated.matrix_world, float)

    def matrix(self, bone: str) -> Array:
        """Return the matrix of a bone (4, 4), in the armature's space."""
        return np.array(self._watch(bone).matrix, float)

    def matrices(self) -> dict[str, Array]:
        """Return the posed matrices (4, 4) of all bones in the armature's space, by name, as Blender has
        evaluated them.
        """
        bones = self.evaluated.pose.bones
        return dict(zip(bones.keys(), rig.matrices(bones, "matrix"), strict=True))

    def space(self, bone: str) -> Space:
        """Return the space in which a bone's channels act now."""
        return space_of(*self._find_parent_matrix(bone))

    def _posed(self, bone: str, matrix: Any, *, invert: bool = False) -> Array:
        """Return where a bone's own transform takes it, (4, 4) in the armature's space; with `invert` the
        transform that takes it there.
        """
        return taken_by(*self._find_parent_matrix(bone), matrix, invert=invert)

    def _find_parent_matrix(self, bone: str) -> tuple[Any, Any]:
        """Return (the data of a bone, its posed parent's matrix in the armature's space, None for none)."""
        posed = self._watch(bone)
        return posed.bone, None if posed.parent is None else posed.parent.matrix

    def keyed(self, bone: str) -> Array:
        """Return where a bone's channels alone would take it (4, 4), without constraints of its own."""
        return self._posed(bone, self._watch(bone).matrix_basis)

    def basis(self, bone: str) -> Array:
        """Return a bone's own transform (4, 4), as its channels say."""
        return np.array(self.armature.pose.bones[bone].matrix_basis, float)

    def bases(self) -> dict[str, Array]:
        """Return the own transforms of all bones (4, 4), ``matrix_basis``, by name."""
        bones = self.armature.pose.bones
        return dict(zip(bones.keys(), rig.matrices(bones, "matrix_basis"), strict=True))

    def put(self, bone: str, matrix: Array) -> None:
        """Pose a bone so that its channels take it to a place in the armature's space."""
        self.pose(bone, self._posed(bone, Matrix(matrix), invert=True))

    def pose(self, bone: str, matrix: Array) -> None:
        """Give a bone an own transform."""
        self.pose_all({bone: matrix})

    def pose_all(self, matrices: Mapping[str, Array]) -> None:
        """Set the own transforms (``matrix_basis``, (4, 4)) of bones, by name; Blender evaluates that when
        something is read next that it may move.

        ``posed`` grows by the number of bones, at the start. Raise KeyError for a bone that does not exist:
        ``posed`` has grown by all of them then, and those before it are set.
        """
        self.posed += len(matrices)
        for bone, matrix in matrices.items():
            self.armature.pose.bones[bone].matrix_basis = Matrix(matrix)
            self._unseen.add(bone)

    @contextlib.contextmanager
    def switched(self, values: Mapping[str, Any]) -> Iterator[None]:
        """Give properties of the armature other values within a ``with``, and put them and the whole pose
        back afterwards.

        values: by data path. Blender evaluates that when the body begins; what was put back only when
        something is read next, or by :meth:`settle`. Raise LookupError for a property that does not exist;
        what was set before that is put back.
        """
        before = {path: properties.read(self.armature, path) for path in values}
        pose = playback.PoseSnapshot(self.armature)
        try:
            for path, value in values.items():
                properties.write(self.armature, path, value)
            self.update()
            yield
        finally:
            for path, value in before.items():
                properties.write(self.armature, path, value)
            pose.restore()
            self.armature.update_tag()
            self._is_behind = True


@contextlib.contextmanager
def staged(armature: Any, clip: Clip) -> Iterator[Stage]:
    """Have Blender show a few frames of a clip, see :func:`playback.play_alone`."""
    scene, view_layer = bpy.context.scene, bpy.context.view_layer
    with playback.play_alone(armature, clip, scene, view_layer, briefly=True) as show:
        yield Stage(armature, show, view_layer)


@contextlib.contextmanager
def open_stage(armature: Any) -> Iterator[Stage]:
    """Yield a Stage with an armature as it stands, to be looked at and posed, within a ``with``.

    The Stage works in the view layer in use, which Blender evaluates before the Stage is yielded. Its
    ``show`` takes any frame and changes none. In the end, also after an error, nothing is put back: what is
    posed stays, and Blender evaluates it if it has not yet.

    Raise InertiaError, with nothing changed, where Blender would not evaluate the armature in the scene in
    use: for None or no armature, in Edit Mode (also of another object with the same data), with a strip in
    tweak mode, in another scene, disabled in viewports, or only in collections that are excluded or disabled.
    An armature that is merely hidden (the eye) passes.
    """
    scene, view_layer = bpy.context.scene, bpy.context.view_layer
    playback.check(armature, scene, view_layer)
    stage = Stage(armature, lambda _: armature.evaluated_get(view_layer.depsgraph), view_layer)
    stage.update()
    try:
        yield stage
    finally:
        stage.settle()
