# SPDX-License-Identifier: GPL-3.0-or-later
"""Foresees which entries of a destination look good on a rig that Blender has to play.

To judge an entry on such a rig may take a second. So both clips are played once for all entries, and only
the entries that promise most are judged. The frames are kept as footage, so that the judge need not play them
again. How feet skate is foreseen where none is locked.
"""

from __future__ import annotations

import math

import numpy as np

from ...motion import quaternion
from ...motion.arrays import Array, Integers
from ...motion.cost.foresight import AlignedClip, Foresight, skates
from ...motion.judging.evidence import LOW, MARGIN_SECONDS
from ...motion.judging.faults import SKATE_WAY
from ...motion.skeleton import character_space, naming
from ...motion.steps import Steps, part
from ...settings import methods
from ...settings.transition import TransitionSettings
from ..data.actions import Clip
from ..data.roots import Root
from ..evaluation import joints
from ..evaluation.character import Character
from ..judging import verdict
from ..judging.played import Footage, within
from . import preflight


def foresee(
    character: Character,
    settings: TransitionSettings,
    clips: tuple[Clip, Clip],
    entries: Array,
    footage: Footage,
) -> Steps[Array]:
    """Return about what would be seen of a transition with each entry (n,), see :attr:`Judgement.total`; the
    less, the better; yield the part that is done.

    clips: as long as the settings scale them, cycles where they are. entries: the destination's frames,
    rising, whole frames apart. footage: of the two clips; what is played is added. Raise InertiaError for a
    rig that Blender would not play.
    """
    rig, fps = character.rig, character.fps
    root, kind = preflight.carried(rig, settings, clips)
    root = preflight.reference(rig, settings, root)
    seconds = settings.seconds(fps)
    blend, around = math.ceil(methods.blend_seconds(settings.decay, seconds) * fps - 1e-6), _around(fps)
    source = settings.cut + np.arange(-around, blend + around + 1.0)
    first, last = float(entries[0]), float(entries[-1]) + blend + around + 1.0
    destination = np.arange(first, max(within(clips[1], 0.0, first, last)[1], first) + 1e-6)
    shown = []
    for side, frames in enumerate((source, destination)):
        steps = footage.played(side, character, clips[side], frames, frames)
        shown.append((yield from part(steps, 0.5 * side, 0.5 * side + 0.4)))
    roles = character.find_once(joints.default_joints)
    names = character.armature.data.bones.keys()
    places = [1 + names.index(joint.bone) for joint in roles]
    hips = next((i for i, joint in enumerate(roles) if joint.role == naming.HIPS), None)
    ways = _ways(character, shown, places, _row(root, names), kind)
    if settings.velocity == "SOURCE":
        ways[1].velocities[:] = 0.0
    size = rig.size * character.metres
    foresight = Foresight(
        ways[0],
        ways[1],
        settings.decay,
        seconds,
        settings.extrapolation_half_life,
        frames=blend,
        fps=fps,
        size=size,
        hips=hips,
    )
    at = np.minimum(np.round(entries - first).astype(np.int64), len(destination) - 1)
    legs = verdict.legs_of(character, footage)
    feet = [1 + (leg.foot if leg.ball is None else leg.ball) for leg in legs]
    seen = _ways(character, shown, feet, _row(root, names), kind)
    totals = []
    for some in np.array_split(at, math.ceil(len(at) / foresight.count)):
        totals.append(foresight.totals(np.full(len(some), around), some))
        yield 0.95
    return np.concatenate(totals) + _rate_skating(character, settings, (seen[0], seen[1]), around, at)


def _rate_skating(
    character: Character,
    settings: TransitionSettings,
    feet: tuple[AlignedClip, AlignedClip],
    cut: int,
    entries: Integers,
) -> Array:
    """Return the squared severities (n,) of feet that skate while they are low in the destination, summed.

    feet: of the source and the destination. cut, entries: places of their frames. Nothing is foreseen of
    feet that may be locked, and of dead blending.
    """
    totals, method = np.zeros(len(entries)), settings.decay
    if method is None or settings.feet != "OFF":
        return totals
    fps, size = character.fps, character.size
    seconds = settings.seconds(fps)
    lasts = methods.blend_seconds(method, seconds)
    left, entered = (
        character_space.to_character_space(way.positions, way.velocities, way.places, way.headings)
        for way in feet
    )
    for foot in range(feet[0].positions.shape[1]):
        heights, worst = feet[1].positions[:, foot, 2], np.zeros(len(entries))
        is_low = np.concatenate([[False], heights <= heights.min() + LOW * size, [False]])
        changes = np.flatnonzero(is_low[1:] != is_low[:-1])
        for lands, lifts in zip(changes[::2], changes[1::2] - 1, strict=True):
            times = [np.clip((place - entries) / fps, 0.0, lasts) for place in (lands, lifts)]
            source = left[0][cut, foot][None], left[1][cut, foot][None]
            destination = entered[0][entries, foot], entered[1][entries, foot]
            ways = skates(source, destination, (times[0], times[1]), method, seconds)[0]
            worst = np.maximum(worst, ways / (SKATE_WAY * size))
        totals += worst**2
    return totals


def _around(fps: float) -> int:
    """Return how many frames before the cut and behind the blend say how the clips move by themselves."""
    return round(MARGIN_SECONDS * fps) + 1


def _row(root: Root, names: list[str]) -> int:
    """Return the row of the root in the matrices of an armature's object and its bones."""
    return 0 if root.is_object else 1 + names.index(root.name)


def _ways(
    character: Character, clip_matrices: list[Array], joint_rows: list[int], root_row: int, kind: str
) -> list[AlignedClip]:
    """Return both clips as they are foreseen: the joints that count, metres, their velocities, a second, and
    the root's places and headings as far as the alignment moves them; 0 else.

    clip_matrices: the matrices (frames, rows, 4, 4) of each, world units. joint_rows: the joints that count.
    root_row: what the destination is aligned by. kind: how, see :class:`Alignment`.
    """
    metres, fps = character.metres, character.fps
    aligned = np.array([kind not in ("NONE", "HEIGHT")] * 2 + ["HEIGHT" in kind])
    axes = [matrices[:, root_row, :3, :3] for matrices in clip_matrices]
    # an axis that is scaled to nothing has no length to be divided by
    lengths = [np.linalg.norm(each, axis=1, keepdims=True) for each in axes]
    turns = [
        quaternion.from_matrix(each / np.where(length > 0.0, length, 1.0))
        for each, length in zip(axes, lengths, strict=True)
    ]
    upright, ways = character_space.upright(turns), []
    for matrices, rotations in zip(clip_matrices, turns, strict=True):
        positions = matrices[:, joint_rows][..., :3, 3] * metres
        velocities = np.zeros_like(positions)
        if len(positions) > 1:
            velocities = np.gradient(positions, axis=0) * fps
        headings = np.zeros(len(matrices))
        if "HEADING" in kind:
            headings = character_space.headings(rotations, upright)
        ways.append(
            AlignedClip(positions, velocities, matrices[:, root_row, :3, 3] * metres * aligned, headings)
        )
    return ways
