# SPDX-License-Identifier: GPL-3.0-or-later
"""What lies in a 3D View's world: marks and labels that are as large from near and far, figures on a way that
is not baked yet, and the character itself, for which plots make way."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...blender.data import scene
from ...motion.matching.features import turned
from ...plots import plot, shapes
from ...plots.shapes import Colour, Rect, Shape, Text
from ..shared import character

if TYPE_CHECKING:
    from ...motion.arrays import Array, Flags, Integers
    from ...motion.matching.database import Database
    from ...motion.skeleton.kinematics import Skeleton
    from ...plots.theme import Theme

EDGE: Colour = (0.0, 0.0, 0.0, 0.55)
"""Of lines and marks, which lie before anything."""
LEVEL = 1e-6
"""A view's line that sinks or rises by no more than this part of its length is level."""


def projected(points: Array, matrix: Array, size: tuple[float, float]) -> tuple[Array, Flags]:
    """Return where points (n, 3) are in a region, pixels (n, 2) from its lower left corner, and whether they
    are before the eye (n,).

    matrix: (4, 4), from the points' space to the view's, whose sides are at -1 and 1. size: of the region.
    Places of points behind the eye mean nothing.
    """
    seen = np.column_stack([points, np.ones(len(points))]) @ matrix.T
    depth = seen[:, 3]
    ahead = depth > 1e-6
    at = (0.5 + 0.5 * seen[:, :2] / np.where(ahead, depth, 1.0)[:, None]) * np.array(size)
    return at, ahead


def project(context: Any, points: Array) -> tuple[Array, Flags]:
    """Return where points (n, 3) of the world are in the region in use, and whether they are before the eye.

    Places are pixels (n, 2).
    """
    region = context.region
    return projected(points, np.array(context.region_data.perspective_matrix), (region.width, region.height))


def find_level_point(region: Any, region_view: Any, at: tuple[float, float], height: float) -> Array | None:
    """Return the place (2,), x and y of the world, at a place of a 3D View's region on the level plane of a
    height, all in scene units.

    region: the region, and region_view: its region_3d. at: pixels from the region's lower left corner. None
    where the view's line there is level or meets that plane only behind the eye.
    """
    from bpy_extras import view3d_utils

    origin = np.array(view3d_utils.region_2d_to_origin_3d(region, region_view, at))
    way = np.array(view3d_utils.region_2d_to_vector_3d(region, region_view, at))
    if abs(way[2]) < LEVEL or (height - origin[2]) / way[2] < 0.0:
        return None
    return np.asarray((origin + way * (height - origin[2]) / way[2])[:2])


def dot(x: float, y: float, size: float, colour: Colour, theme: Theme) -> list[Shape]:
    """Return a disc with an edge. size: its radius, pixels."""
    return [shapes.disc(x, y, size + 1.5 * theme.scale, EDGE), shapes.disc(x, y, size, colour)]


def label(text: str, x: float, y: float, theme: Theme) -> list[Shape]:
    """Return the shapes of a text on a panel of its own, beside a mark at x, y (pixels of the region): 14
    pixels times the scale to its right, at its height.
    """
    s, font = theme.scale, theme.font
    left, height = x + 14.0 * s, 1.9 * font
    width = plot.width_of(text, font) + 2.0 * plot.PADDING * s
    return [
        plot.panel((left, y - 0.5 * height, width, height), theme),
        Text(left + plot.PADDING * s, y - 0.35 * font, text, font, theme.text),
    ]


def joint_places(base: Database, flat: Integers, ground: Array, heading: Array, floor: float) -> Array:
    """Return where joints are in the world (frames, joints, 3), in scene units, on some frames of a set of
    clips.

    base: the set; its positions are in character space, in metres, with the smoothed root at the origin of
    the ground. flat: (frames,), indices of the set's frames; only their positions count. They are turned by
    heading (frames,), radians counterclockwise seen from above, moved to ground (frames, 2), metres, and
    lifted by floor, the height of the ground in the world, in scene units; above the floor, heights are the
    pose's own. Joints are in the order of base.joints.
    """
    positions = base.positions[flat].astype(float)
    count = positions.shape[1]
    places = turned(positions[..., :2].reshape(-1, 2), np.repeat(heading, count)) + np.repeat(
        ground, count, axis=0
    )
    world = np.concatenate([places.reshape(-1, count, 2), positions[..., 2:]], axis=-1)
    return np.asarray(world / scene.metres_per_unit() + (0.0, 0.0, floor))


def joined_pairs(bones: Skeleton, joints: Sequence[str]) -> Integers:
    """Return which joints are drawn as joined: integers (m, 2), indices into joints.

    Each row is (upper, lower): a joint, and before it the nearest above it in the skeleton that is among
    joints, too. Rows come in the order of the lower joints. Joints with none above are left out, as are those
    that are no bones of the skeleton. The shape is (0, 2) without pairs.
    """
    pairs = []
    for i, name in enumerate(joints):
        above = bones.parents[bones.names.index(name)] if name in bones.names else -1
        while above >= 0 and bones.names[above] not in joints:
            above = bones.parents[above]
        if above >= 0:
            pairs.append((joints.index(bones.names[above]), i))
    return np.array(pairs, int).reshape(-1, 2)


_seen: dict[int, tuple[Hashable, Rect | None]] = {}
"""For each region, the view that the character was seen in, and where it was."""


def character_box(context: Any) -> Rect | None:
    """Return the part of the context's region that the active armature's bones take: (left, bottom, width,
    height), pixels.

    It holds heads and tails of all bones, posed as they are at the moment, as far as they lie before the eye,
    and may reach beyond the region. None without an active armature that can hold settings, or where all of
    them lie behind the eye.

    The answer is kept for each region until its view, its size or the armature becomes another; it does not
    follow the pose, nor an armature that is moved as an object.
    """
    armature = character.holder_of(context)
    if armature is None:
        return None
    region, view = context.region, np.array(context.region_data.perspective_matrix)
    key = (armature.session_uid, region.width, region.height, view.round(4).tobytes())
    seen_last = _seen.get(region.as_pointer())
    if seen_last is None or seen_last[0] != key:
        ends = [end for bone in armature.pose.bones for end in (bone.head, bone.tail)]
        points = np.array(ends, float).reshape(-1, 3)
        box = box_of(points, view @ np.array(armature.matrix_world), (region.width, region.height))
        seen_last = _seen[region.as_pointer()] = (key, box)
    return seen_last[1]


def box_of(points: Array, matrix: Array, size: tuple[float, float]) -> Rect | None:
    """Return what points (n, 3) take of a region: (left, bottom, width, height), pixels; None where none lies
    before the eye.

    Points behind the eye are left out. matrix: (4, 4), from the points' space to the view's, whose sides are
    at -1 and 1. size: the region's width and height, pixels. The box may reach beyond the region.
    """
    at, ahead = projected(points, matrix, size)
    if not ahead.any():
        return None
    at = at[ahead]
    (left, bottom), (right, top) = at.min(axis=0).tolist(), at.max(axis=0).tolist()
    return left, bottom, right - left, top - bottom


def forget_character() -> None:
    _seen.clear()
