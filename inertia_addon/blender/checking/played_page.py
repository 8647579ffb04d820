# SPDX-License-Identifier: GPL-3.0-or-later
"""What a page plays of an action that was checked: where its bones are on each frame, and where the clips
that it was made of have them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...errors import InertiaError, Sentence
from ...motion.arrays import Array, Integers
from ...motion.judging.fault_ids import FAULT_IDS
from ...motion.matching import mirror
from ...motion.skeleton import naming
from ...motion.skeleton.posing import Mark
from ...motion.steps import Steps, part
from ...pages.judged import DrawnSkeleton, JudgedPage
from ...pages.tracks import PointTrack
from ...records import record
from ...settings.transition import OBJECT_ROOT
from ..data.actions import Clip
from ..data.recipe_reader import is_strips
from ..data.roots import Root
from ..evaluation import joint_motion
from ..evaluation.character import Character, read_character
from ..judging import verdict
from ..judging.played import Footage
from . import own_clips
from .own_clips import OwnClip

SHORT = 0.03
"""What is shorter than this part of the size is left out of a coarse picture."""
MOST_NUMBERS = 6_000_000
"""So many coordinates, at most, are written of a clip: of longer ones some frames are left out."""


@record(frozen=True, eq=False)
class DrawnBones:
    """The bones of an armature that are drawn.

    bones: their indices, in Blender's order, whose heads are the first points. ends: those of them of which
    the tail is a point, too, behind the heads, and marks are these tails. skeleton: what is drawn.
    """

    bones: tuple[int, ...]
    ends: tuple[int, ...]
    marks: tuple[Mark, ...]
    skeleton: DrawnSkeleton


def choose_bones(armature: Any, *, is_coarse: bool = False) -> DrawnBones:
    """Return the bones of an armature that are drawn: those that move something to see, or all if none does,
    each as lines from its head to those of the drawn bones below it, or to its own tail where there are none.

    Lines from what stands between a root on the ground and the hips are left out. Points are the heads of the
    drawn bones, then the tails of those at ends. Each line has the name of the bone that moves it, and the
    side that this says. is_coarse: whether bones shorter than SHORT of the character's size, such as fingers,
    are left out, except the hips; all stay if none is left.
    """
    character = read_character(armature)
    rig, footage = character.rig, Footage()
    names = tuple(rig.bones.names)
    drawn = verdict.find_seen_bones(character, footage) or tuple(range(len(names)))
    _, parents, hips, _, _ = verdict.joints_of(character, verdict.legs_of(character, footage))
    lengths = [bone.length for bone in armature.data.bones]
    if is_coarse:
        drawn = tuple(bone for bone in drawn if lengths[bone] >= SHORT * rig.size or bone == hips) or drawn
    above = _find_above(parents, drawn)
    point = {bone: i for i, bone in enumerate(drawn)}
    roots = _find_ancestors(parents, hips)
    followed = {above[bone] for bone in drawn}
    ends = tuple(bone for bone in drawn if bone not in followed)
    lines = [(above[bone], point[bone]) for bone in drawn if above[bone] >= 0 and above[bone] not in roots]
    pairs = [(point[bone], i) for bone, i in lines]
    pairs += [(point[bone], len(drawn) + i) for i, bone in enumerate(ends)]
    movers = [names[bone] for bone, _ in lines] + [names[bone] for bone in ends]
    marks = tuple((bone, (0.0, lengths[bone], 0.0)) for bone in ends)
    skeleton = DrawnSkeleton(
        len(drawn) + len(ends),
        tuple(pairs),
        tuple(movers),
        tuple(naming.label(name).side for name in movers),
        {names[bone]: i for bone, i in point.items()},
        point.get(hips, 0),
    )
    return DrawnBones(drawn, ends, marks, skeleton)


def _find_images(names: Sequence[str], drawn: DrawnBones) -> Integers:
    """Return which point each point (points,) is of the image in a mirror, itself where that is not drawn.

    names: of all bones. Raise InertiaError where they don't say left and right.
    """
    images = mirror.partners(names)
    heads = {bone: i for i, bone in enumerate(drawn.bones)}
    tails = {bone: len(heads) + i for i, bone in enumerate(drawn.ends)}
    return np.array(
        [places.get(int(images[bone]), places[bone]) for places in (heads, tails) for bone in places]
    )


def _find_ancestors(parents: Sequence[int], bone: int) -> set[int]:
    """Return the indices of all bones above a bone, without itself. parents: of each bone, -1 for none."""
    above, parent = set(), parents[bone]
    while parent >= 0:
        above.add(parent)
        parent = parents[parent]
    return above


def _find_above(parents: Sequence[int], drawn: Sequence[int]) -> dict[int, int]:
    """Return, by the index of each drawn bone, the index of the next one above it that is drawn, -1 for none.
    parents: of each bone, -1 for none.
    """
    wanted, above = set(drawn), {}
    for bone in drawn:
        parent = parents[bone]
        while parent >= 0 and parent not in wanted:
            parent = parents[parent]
        above[bone] = parent
    return above


@record(frozen=True, eq=False)
class PageClips:
    """Which clips a page plays.

    clip: the one that was checked, at `frames` (n,). own: the clips that it was made of. notes: what is not
    shown, and why.
    """

    clip: Clip
    frames: Array
    own: tuple[OwnClip, ...]
    notes: tuple[str, ...]

    @property
    def looks(self) -> list[tuple[Clip, Array]]:
        """Each clip, that which was checked first, with its own frames that are played."""
        own = [(each.clip, _frames_of(each, self.frames) - each.later) for each in self.own]
        return [(self.clip, self.frames), *own]


def choose_clips_steps(armature: Any, clip: Clip, drawn: DrawnBones) -> Steps[PageClips]:
    """Choose what a page plays of a clip that was checked: the whole frames at which it is looked at, and the
    clips that it was made of, as far as these frames show them; yield the part that is done, 0 to 1.

    Of clips with so many frames and points that a page would hold more than MOST_NUMBERS numbers, one frame
    in several is played, and a note says so. Another one says why the clips that a result was made of are not
    shown, where these can't be read; of what is no result there are none. Raise InertiaError for a result
    that plays as strips.
    """
    if is_strips(clip.action):
        raise InertiaError(
            '"{action}" plays as strips, which a page does not show; bake it without strips.',
            action=clip.action.name,
        )
    frames = joint_motion.grid(clip)
    frames = frames[:: max(1, math.ceil(3 * drawn.skeleton.points * len(frames) / MOST_NUMBERS))]
    notes = joint_motion.describe_sampling(clip.action.name, frames)
    own: tuple[OwnClip, ...] = ()
    try:
        for finder in own_clips.list_finders(clip):
            own += yield from finder(armature, clip)
    except InertiaError as error:
        notes.append(Sentence("The clips that it was made of are not shown: {reason}", reason=error.sentence))
    own = tuple(each for each in own if len(_frames_of(each, frames)))
    return PageClips(clip, frames, own, tuple(notes))


def read_points_steps(
    armature: Any, looks: Sequence[tuple[Clip, Array]], drawn: DrawnBones
) -> Steps[list[Array]]:
    """Return where the points that are drawn are in each of some clips at frames (n,): (n, points, 3), metres
    in the world, the heads first, then the tails of ends; yield the part that is done, 0 to 1.

    looks: clips, each with its own frames. Nothing in the file changes. Raise InertiaError for keys that are
    no numbers, and a rig that Blender would not play.
    """
    joints = {armature.data.bones.keys()[bone] for bone in drawn.bones}
    root = Root(OBJECT_ROOT, moves=False)
    read: list[Array] = []
    for i, (clip, frames) in enumerate(looks):
        steps = joint_motion.with_points(read_character(armature), clip, frames, root, drawn.marks, joints)
        motion, tails = yield from part(steps, i / len(looks), (i + 1) / len(looks))
        read.append(np.concatenate([motion.positions, tails], axis=1))
    return read


def make_page(
    character: Character,
    page_clips: PageClips,
    drawn: DrawnBones,
    read: Sequence[Array],
    values: Mapping[str, Any],
) -> JudgedPage:
    """Return the page that plays a checked clip, and with it each clip that it was made of, as
    :func:`_place_own` moves it, by its points, at the scene's frame rate.

    read: the points of each of them, the checked one first, see :func:`read_points_steps`. values: of the
    check, as JSON values, with its faults. Raise InertiaError where a clip is shown in a mirror and the
    bones' names don't say left and right.
    """
    name, frames = page_clips.clip.action.name, page_clips.frames
    gap = float(frames[1] - frames[0]) if len(frames) > 1 else 1.0
    whole = PointTrack(name, float(frames[0]), gap, read[0])
    own = [
        _place_own(character.armature, each, points, whole, drawn)
        for each, points in zip(page_clips.own, read[1:], strict=True)
    ]
    return JudgedPage(
        character.armature.name,
        character.fps,
        drawn.skeleton,
        whole,
        tuple(own),
        values,
        {each.name: each.as_dict() for each in FAULT_IDS},
        page_clips.notes,
    )


def _frames_of(own_clip: OwnClip, frames: Array) -> Array:
    """Return those of a result's frames (n,) that show a clip."""
    return frames[(frames >= own_clip.first - 1e-6) & (frames <= own_clip.last + 1e-6)]


def _place_own(
    armature: Any, own_clip: OwnClip, points: Array, result: PointTrack, drawn: DrawnBones
) -> PointTrack:
    """Return the track of what a clip does by itself on the result's frames that show it, moved as a whole
    over the ground to where the result has it, see :func:`fit_over_ground`.

    points: (n, points, 3) of the clip at the frames of the result that show it. result: the result's own
    track. The track is called by the clip's action, and begins on the first of the result's frames at or
    behind own_clip.first, with the same step. A clip that is shown in a mirror is mirrored, and ", mirrored"
    stands behind its name.
    """
    label = own_clip.clip.action.name
    if own_clip.mirrored:
        points = points[:, _find_images(armature.data.bones.keys(), drawn)] * (1.0, -1.0, 1.0)
        label = f"{label}, mirrored"
    begin = max(0, math.ceil((own_clip.first - result.first) / result.step - 1e-6))
    moved = fit_over_ground(points, result.points[begin : begin + len(points)])
    return PointTrack(label, result.first + begin * result.step, result.step, moved)


def fit_over_ground(points: Array, wanted: Array) -> Array:
    """Return points (n, points, 3), turned about the vertical and shifted over the ground as a whole so that
    they lie nearest, by least squares, to those that are wanted, on the half of the frames (rounded up) that
    lay nearest in a first fit; the half is chosen twice.

    wanted: as the points. So a clip lies on a result where that does what the clip does, and not where it is
    blended. Heights stay.
    """
    some = np.arange(len(points))
    for _ in range(3):
        flat, goal = points[some][..., :2], wanted[some][..., :2]
        middle, aim = flat.mean(axis=(0, 1)), goal.mean(axis=(0, 1))
        a, b = flat - middle, goal - aim
        angle = math.atan2(float((a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]).sum()), float((a * b).sum()))
        turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
        moved = points.copy()
        moved[..., :2] = (points[..., :2] - middle) @ turn.T + aim
        apart = np.linalg.norm(moved - wanted, axis=-1).mean(axis=1)
        some = np.sort(np.argsort(apart, kind="stable")[: max(1, (len(apart) + 1) // 2)])
    return np.asarray(moved)
