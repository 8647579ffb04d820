# SPDX-License-Identifier: GPL-3.0-or-later
"""Puts planted feet on the floor, by their height alone: they may go on skating as they do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ...motion.arrays import Array, eased
from ...motion.feet import locking
from ...motion.feet.contacts import Span
from ...motion.feet.crossing import Locked
from ...motion.feet.locking import HipsDrop, LegMotion
from ...settings.feet import Locking
from ..data.actions import Clip
from ..data.rewriting import Rewritten
from ..evaluation.character import Character
from ..feet import bake, leg_choice
from ..feet.bake import HoldOptions
from ..feet.contacts import Contacts


def put_on_floor(
    character: Character,
    clip: Clip,
    planted: Contacts,
    rises: Mapping[int, Sequence[tuple[Span, float]]],
    asked: Locking,
) -> Rewritten:
    """Return the curves of a clip in which feet stand higher or lower in some spans; nothing is written.

    planted: the clip's contacts. rises: by leg, as an index into its legs, the spans and by how much the foot
    is raised in each, metres, down below 0; a leg that is not in it stays as it is. asked: how long a foot
    takes to get there and back at most (foot_release, seconds), see :func:`raise_around`, and how far the
    hips may go down (hips_drop, as a part of the shortest leg). Raise InertiaError for legs that can't be
    moved.
    """
    body = leg_choice.find_body(
        character, character.rig, asked, None, (clip,), leg_choice.LegKnowledge(planted.legs)
    )
    names = [leg.name for leg in planted.legs]
    rows = [names.index(leg.name) for leg in body.legs.legs]
    fps, metres = character.fps, character.metres

    def raise_feet(frames: Array, motions: list[LegMotion]) -> Locked:
        paths = []
        for row, motion in zip(rows, motions, strict=True):
            path = motion.point_and_heading.copy()
            path[:, 2] += raise_around(frames, rises.get(row, ()), asked.foot_release * fps) / metres
            paths.append(path)
        lengths = [motion.length for motion in motions]
        drop = HipsDrop(asked.hips_drop * min(lengths), np.ones(len(frames)))
        drops, turned = locking.lock(frames / fps, motions, paths, drop)
        return Locked([[] for _ in motions], paths, drops, turned, [None] * len(motions))

    return bake.hold_clip(character, clip, body, raise_feet, HoldOptions(planted.ground)).curves


def raise_around(frames: Array, rises: Sequence[tuple[Span, float]], release: float) -> Array:
    """Return by how much a foot is raised at frames (n,), in the unit of the rises: in its spans by their
    rises, and eased to and from these; 0 further away, and half-way between two spans that are so near that
    the ways meet.

    rises: pairs of a span and its rise, in any order. release: how many frames it takes to and from a span at
    most.
    """
    raised: Array = np.zeros(len(frames))
    ordered = sorted(rises, key=lambda each: each[0])
    for i, (span, rise) in enumerate(ordered):
        before = span.start - ordered[i - 1][0].end if i else np.inf
        behind = ordered[i + 1][0].start - span.end if i + 1 < len(ordered) else np.inf
        comes = min(release, max(0.5 * before, 1e-6))
        goes = min(release, max(0.5 * behind, 1e-6))
        part = eased(frames - (span.start - comes), comes) * eased(span.end + goes - frames, goes)
        raised += rise * part
    return raised
