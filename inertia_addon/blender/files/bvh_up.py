# SPDX-License-Identifier: GPL-3.0-or-later
"""Which axis of a BVH file points up: Y, as in most files, or Z, as several programs write.

The skeleton says so, whose hips, head, hands and feet are found the more surely the better it stands, and how
the figure stands in the motion: one that was built with Z up may well be turned by its root, to stand in a
world with Y up.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ...motion.arrays import Array
from ...motion.skeleton import extremities
from ...motion.skeleton.extremities import Extremity
from ...motion.skeleton.naming import FOOT, HAND, HEAD, HIPS, LEG, label
from ...records import record
from . import bvh_text
from .bvh_text import BvhText

Y, Z = "Y", "Z"
AUTO = "AUTO"
"""The axis that points up in a file, or that it is to be found."""
KEPT = "inertia_bvh_up"
"""Where an armature holds the axis that was up in its file, unless it was Y."""
SURER = 0.1
"""A skeleton is one with Z up where the least sure of its joints is surer so by this much, ..."""
FLOOR = 0.1
"""... and in the motion its feet are no further above its lowest joint than this part of its size, along that
axis alone, ..."""
STANDS = 0.7
"""... or the way from its feet to its hips goes up by so much of its length, on average, ..."""
LEANS = 0.5
"""... or, of one that flies, by so much and by twice as much as along the other axis."""
CLEARLY = 0.85
"""Names alone say it where, at rest, the way from lower joints to upper ones goes so straight along an axis.

An animal's goes ahead as well."""
FRAMES = 12
"""At so many frames it is looked at how a figure stands."""
FILES = 64


@record(frozen=True, eq=False)
class BvhSkeleton:
    """A BVH file's joints.

    names, parents: (n,), -1 for none. offsets: (n, 3), from the parent. ends: (n, 3), from a joint to where
    it ends. channels: of each joint, such as ``("xposition", "zrotation")``.
    """

    names: tuple[str, ...]
    parents: tuple[int, ...]
    offsets: Array
    ends: Array
    channels: tuple[tuple[str, ...], ...]


def find_up(paths: Sequence[Path]) -> str:
    """Return the axis that points up in BVH files that are read together: "Y" or "Z".

    It is Z where the figure of a file stands so, and that of none stands with Y up. Raise InertiaError for
    what is no BVH file.
    """
    said = {_find_axis_up(path, path.stat().st_mtime_ns)[0] for path in paths}
    return Z if Z in said and Y not in said else Y


def is_unsure(paths: Sequence[Path]) -> bool:
    """Tell whether BVH files have feet, and no skeleton says by names or by shape which axis points up."""
    return not any(_find_axis_up(path, path.stat().st_mtime_ns)[1] for path in paths)


@functools.lru_cache(maxsize=FILES)
def _find_axis_up(path: Path, changed: int) -> tuple[str, bool]:
    """Return (the axis that points up where a figure stands, "Y" or "Z", "" where its motion shows it upright
    by neither; whether its skeleton says so). The second is False only where it has feet, but neither names
    nor shape tell whether it was built with Y or Z up.

    changed: the file's time, so that a file that was written again is read again; answers are cached. A
    damaged file gives ("Y", True). Raise InertiaError for a file that is no BVH file or is cut off.
    """
    text = bvh_text.read(path)
    try:
        return _axis_of(text)
    except (ValueError, IndexError):
        return Y, True  # it is damaged, as Blender's importer will say


def _axis_of(bvh: BvhText) -> tuple[str, bool]:
    """Return (the axis that points up in a BVH file, "Y", "Z" or ""; whether its skeleton says so), as
    :func:`_find_axis_up` does.

    The rest pose decides, by names of head and feet where the way from lower joints to upper ones goes along
    Z or Y by at least CLEARLY of its length. Else it decides by how surely hips and feet are found with each
    axis up: Z where the least sure of them is surer so by SURER or more, else Y, which is usual. The second
    value is False only then, where neither axis is surer by SURER and there are feet with one of them.

    Only for a skeleton built with Z up the motion is looked at, at FRAMES frames spread over all:
    :func:`_find_posed` says "Z", "Y" or "". Without hips or feet for that it is "Y". Raise the errors of
    :func:`read_skeleton` and :func:`pose_joints`, and ValueError for rows that are no numbers.
    """
    skeleton = read_skeleton(bvh)
    top, ground = _ends_by_name(skeleton)
    at_rest, is_sure = "", True
    if top and ground:
        at_rest = _axis(_find_upward(_at_rest(skeleton)[None], top, ground), CLEARLY)
    if not at_rest:
        # names do not say it: hips and feet are found the more surely the better a skeleton stands
        joints = {axis: _find_joints(skeleton, axis) for axis in (Y, Z)}
        sureness = {axis: _sureness(each) for axis, each in joints.items()}
        at_rest = Z if sureness[Z] >= sureness[Y] + SURER else Y
        # of what has no feet either way it is not asked
        is_sure = abs(sureness[Z] - sureness[Y]) >= SURER or not any(sureness.values())
        top = [[joint.index for joint in joints[Z] if joint.role == HIPS]]
        ground = [[joint.index for joint in joints[Z] if joint.role == FOOT]]
    if at_rest == Y or not (all(top) and all(ground)):
        return Y, is_sure
    rows = [bvh.rows[i] for i in np.linspace(0, bvh.frames - 1, FRAMES).astype(int)]
    places = pose_joints(skeleton, np.array([row.split() for row in rows], float))
    return _find_posed(places, top, ground), is_sure


def _find_posed(places: Array, top: Sequence[Sequence[int]], ground: Sequence[Sequence[int]]) -> str:
    """Return the axis that points up in the motion of a skeleton that was built with Z up: "Z", "Y", or ""
    for neither.

    places: (frames, n, 3). top, ground: groups of indices of joints that are up and down in the figure, at
    least one each; the first of ground is the feet. It is Z where the feet are on the floor along Z, and not
    along Y, see :func:`_has_feet_on_floor`. Else the mean direction from ground to top decides, of unit
    vectors over the frames: Z if its z is at least LEANS and twice the size of its y, or at least STANDS;
    else Y if its y is at least STANDS; else "".
    """
    # first, as the feet of a spider may lie behind its hips rather than below
    feet = ground[0]
    if _has_feet_on_floor(places, feet, Z) and not _has_feet_on_floor(places, feet, Y):
        return Z
    upward = _find_upward(places, top, ground)
    leans = upward[2] >= LEANS and upward[2] >= 2.0 * abs(upward[1])
    return Z if leans else _axis(upward)


def _has_feet_on_floor(places: Array, feet: Sequence[int], up_axis: str) -> bool:
    """Return whether feet are near the floor: their mean height above the lowest joint of each frame, over
    all frames and feet, is at most FLOOR of the figure's size.

    places: (frames, n, 3). feet: indices of joints, at least one. up_axis: "X", "Y" or "Z". The size is the
    largest extent of the joints along any axis in any frame.
    """
    heights = places[:, :, "XYZ".index(up_axis)]
    size = float(np.ptp(places, axis=1).max())
    above = heights[:, list(feet)] - heights.min(axis=1, keepdims=True)
    return bool(above.mean() <= FLOOR * size)


def _axis(upward: Array, least: float = STANDS) -> str:
    """Return the axis along which a direction (3,) goes up by so much at least, "" for neither."""
    return Z if upward[2] >= least else Y if upward[1] >= least else ""


def _find_upward(places: Array, top: Sequence[Sequence[int]], ground: Sequence[Sequence[int]]) -> Array:
    """Return the mean direction (3,) from groups of joints up to others. places: (frames, n, 3)."""
    upward = _find_middle(places, top) - _find_middle(places, ground)
    return np.asarray((upward / np.maximum(np.linalg.norm(upward, axis=1), 1e-9)[:, None]).mean(axis=0))


def _find_middle(places: Array, groups: Sequence[Sequence[int]]) -> Array:
    """Return the middle (frames, 3) of groups of joints, of which each counts the same."""
    return np.asarray(np.mean([places[:, list(group)].mean(axis=1) for group in groups], axis=0))


def _ends_by_name(skeleton: BvhSkeleton) -> tuple[list[list[int]], list[list[int]]]:
    """Return (groups above, groups below): lists of indices of joints that are up and down in a figure, by
    their names. Groups without joints are left out.

    Above are the head, then the hips. Below are the feet, else the legs, else the hips, which are not above
    then; behind them the hands: an animal has its head far ahead of its feet, but the middle of its head and
    hips is over that of its paws. A person's hands hang as far on either side. Both lists are empty where no
    head, or nothing for feet, is named.
    """
    parts = [label(name).part for name in skeleton.names]
    of = {part: [i for i, each in enumerate(parts) if each == part] for part in (HEAD, FOOT, LEG, HAND, HIPS)}
    feet = of[FOOT] or of[LEG] or of[HIPS]
    if not (of[HEAD] and feet):
        return [], []
    hips = [] if feet == of[HIPS] else of[HIPS]
    return [group for group in (of[HEAD], hips) if group], [group for group in (feet, of[HAND]) if group]


def _sureness(joints: Sequence[Extremity]) -> float:
    """Return how sure the least sure hips, hands and feet are, 0 for a skeleton without feet."""
    sure = [joint.confidence for joint in joints if joint.role in extremities.ROLES]
    return min(sure) if any(joint.role == FOOT for joint in joints) else 0.0


def _at_rest(skeleton: BvhSkeleton) -> Array:
    """Return where joints are at rest (n, 3), in the file's axes and units: the sum of the offsets from the
    root to each.

    Parents come before their children in `skeleton`, as in a file.
    """
    heads = np.zeros((len(skeleton.names), 3))
    for i, parent in enumerate(skeleton.parents):
        heads[i] = skeleton.offsets[i] + (heads[parent] if parent >= 0 else 0.0)
    return heads


def _find_joints(skeleton: BvhSkeleton, up_axis: str) -> tuple[Extremity, ...]:
    """Return the hips, head, hands, feet and other joints that say most of a skeleton's pose, as it stands at
    rest.

    up_axis: "Y" or "Z", the axis that points up in the file. For Y the places are turned to Z up, (x, y, z)
    to (x, -z, y), before they are looked at. Each has its index in the skeleton, a role and a confidence from
    0 to 1, as :func:`extremities.find` gives them: a skeleton of 3 joints or fewer, or one without a pair of
    limbs, comes whole as OTHER.
    """
    heads = _at_rest(skeleton)
    tails = heads + skeleton.ends
    if up_axis == Y:
        heads, tails = (places[:, [0, 2, 1]] * (1.0, -1.0, 1.0) for places in (heads, tails))
    return extremities.find(skeleton.names, skeleton.parents, heads, tails)


def read_skeleton(text: BvhText) -> BvhSkeleton:
    """Return the joints of a BVH file as a :class:`BvhSkeleton`, in the file's order, axes and units.

    ``names`` may hold blanks, each run as one; ``parents`` are indices, -1 for none; ``offsets`` (n, 3) are
    from the parent, zero for joints without an OFFSET. ``ends`` (n, 3) are vectors from each joint to its
    first child's OFFSET, or to its End Site; zero without either. ``channels`` has a tuple of names for each
    joint, in lower case and in the file's order, such as ("xposition", "zrotation"); () without any. An End
    Site is no joint. Raise ValueError or IndexError for most damage of the text.
    """
    names: list[str] = []
    parents: list[int] = []
    offsets: dict[int, list[float]] = {}
    ends: dict[int, list[float]] = {}
    channels: dict[int, tuple[str, ...]] = {}
    open_ones: list[int] = []
    at: int | None = None
    for line in text.skeleton:
        words = line.split()
        kind = words[0].upper() if words else ""
        if kind in ("ROOT", "JOINT"):
            names.append(" ".join(words[1:]))
            parents.append(open_ones[-1] if open_ones else -1)
            at = len(names) - 1
        elif kind == "END":
            at = -1
        elif kind == "{":
            if at is None:
                raise ValueError("a brace before the first joint")
            open_ones.append(at)
        elif kind == "}":
            open_ones.pop()
        elif kind == "OFFSET":
            offset = [float(number) for number in words[1:4]]
            if open_ones[-1] >= 0:
                offsets[open_ones[-1]] = offset
                if parents[open_ones[-1]] >= 0:
                    ends.setdefault(parents[open_ones[-1]], offset)
            else:
                ends.setdefault(open_ones[-2], offset)
        elif kind == "CHANNELS":
            channels[open_ones[-1]] = tuple(word.lower() for word in words[2:])
    zero = [0.0, 0.0, 0.0]
    count = range(len(names))
    return BvhSkeleton(
        tuple(names),
        tuple(parents),
        np.array([offsets.get(i, zero) for i in count], float),
        np.array([ends.get(i, zero) for i in count], float),
        tuple(channels.get(i, ()) for i in count),
    )


def pose_joints(skeleton: BvhSkeleton, channel_values: Array) -> Array:
    """Return where joints are (frames, n, 3), in the file's axes and units.

    channel_values: (frames, channels), as in the file's rows; angles in degrees, applied in the file's order.
    Position channels replace the joint's offset along their axis. Raise ValueError for a channel of another
    axis than x, y, z; IndexError for too few columns.
    """
    frames, count = len(channel_values), len(skeleton.names)
    places, turns = np.zeros((frames, count, 3)), np.empty((frames, count, 3, 3))
    column = 0
    for i, parent in enumerate(skeleton.parents):
        offset = np.tile(skeleton.offsets[i], (frames, 1))
        turn = np.tile(np.eye(3), (frames, 1, 1))
        for channel in skeleton.channels[i]:
            axis = "xyz".index(channel[0])
            if channel.endswith("position"):
                offset[:, axis] = channel_values[:, column]
            else:
                turn = turn @ _rotations(axis, np.radians(channel_values[:, column]))
            column += 1
        if parent >= 0:
            offset = places[:, parent] + np.einsum("fij,fj->fi", turns[:, parent], offset)
            turn = turns[:, parent] @ turn
        places[:, i], turns[:, i] = offset, turn
    return places


def _rotations(axis: int, angles: Array) -> Array:
    """Return rotations (n, 3, 3) about an axis, 0 to 2 for x to z, by angles (n,) in radians."""
    matrices = np.tile(np.eye(3), (len(angles), 1, 1))
    j, k = (axis + 1) % 3, (axis + 2) % 3
    matrices[:, j, j] = matrices[:, k, k] = np.cos(angles)
    matrices[:, k, j] = np.sin(angles)
    matrices[:, j, k] = -matrices[:, k, j]
    return matrices
