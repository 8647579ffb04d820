# SPDX-License-Identifier: GPL-3.0-or-later
"""Judges transitions by few of their bones, where a rig has many.

Who looks for an entry or a pair of frames plans one transition after the other, only to have it judged. The
judge looks at the large joints, at feet, and at what moves something to see. Where that is a small part of a
rig, all other bones are left out, and its verdict is the same. Where it is most of a rig, as of one with hair
and cloth, the large joints and the feet say how good a transition is at best: what else there is to see adds
faults and takes none away.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Mapping, Sequence

from ...motion.skeleton import posing
from ...motion.skeleton.posing import Rig
from ...motion.steps import Steps, part
from ...records import record
from ...settings import methods
from ...settings.transition import TransitionSettings
from ..data.actions import Address, Clip
from ..evaluation.character import Character
from ..judging import verdict
from ..judging.played import Footage
from ..judging.verdict import Verdict
from . import bake, clip_excerpts, stepping
from .meeting import PlanOptions

PART = 0.25
"""It pays where no more than this part of all bones is looked at, ..."""
LEAST = 200
"""... of so many bones at least."""
PLANNING = 0.7
"""About what part of judging a transition it is to plan it."""


@record(frozen=True, eq=False)
class Glance:
    """How transitions between two clips are judged by some of their bones.

    footage, constants: see :class:`PlanOptions`; the channels of other bones are among those left out.
    is_whole: whether the verdict is that on all bones; else no verdict on all of them is better, see
    :attr:`Verdict.order`.
    """

    footage: Footage
    constants: Mapping[Address, float]
    is_whole: bool


def glance_steps(
    character: Character,
    settings: TransitionSettings,
    clips: tuple[Clip, Clip],
    options: PlanOptions,
    glance: Glance | None = None,
) -> Steps[tuple[Verdict, bool]]:
    """Judge a transition between clips, or parts of them; yield how much is done.

    options: with which it is planned where all bones are looked at. glance: how few bones say it, where they
    do; None to look at all. Return the verdict, and whether it is that on all bones, see :class:`Glance`.
    Raise InertiaError for a transition that can't be planned.
    """
    for few in (glance, None):
        asked, how = settings, options
        if few is not None:
            if options.footage is not None:
                few.footage.together = options.footage.together
            how = dataclasses.replace(options, footage=few.footage, constants=few.constants)
            # poses are held by all channels or by none
            asked = dataclasses.replace(settings, step=1)
        steps = bake.plan_clips_steps(character, asked, clips[0], clips[1], how)
        plan = yield from part(steps, 0.0 if few is glance else PLANNING, PLANNING)
        # a blend may last longer in other bones
        if few is None or plan.slots[0].last_frame >= _find_end(settings, character.fps) - 1e-3:
            break
    judged = yield from part(verdict.of_played(plan.evidence), PLANNING, 1.0)
    return judged, few is None or few.is_whole


def _find_end(settings: TransitionSettings, fps: float) -> float:
    """Return the last frame of the longest blend, which begins at the cut."""
    return max(math.ceil(settings.cut + settings.seconds(fps) * fps - 1e-4), settings.cut + 1.0)


def find_glance(
    character: Character,
    settings: TransitionSettings,
    clips: tuple[Clip, Clip],
    footage: Footage,
    constants: Mapping[Address, float],
) -> Glance | None:
    """Return how transitions between clips of a plain rig are judged by few of its bones.

    settings: with any cut and destination frame. footage: of the clips, to which what is found is added.
    constants: channels that are left out anyway. Return None where it can't be, or does not pay.
    """
    find = functools.partial(_find_bones, character, settings, clips, footage)
    found = footage.once(("glance", settings.method, settings.step, settings.blend_scales), find)
    if found is None or settings.match_lengths or settings.warps or settings.bones:
        return None
    rig, bones, is_whole = found
    seen = footage.at_a_glance(rig, bones, is_whole=is_whole)
    assert seen.glance is not None
    others = clip_excerpts.of_others(clips, frozenset(seen.glance[0].bones.names))
    return Glance(seen, {**constants, **others}, is_whole)


def _find_bones(
    character: Character, settings: TransitionSettings, clips: Sequence[Clip], footage: Footage
) -> tuple[Rig, frozenset[int], bool] | None:
    """Return (the rig, the bones to look at, by number, whether they tell all that is judged); None where all
    bones have to be looked at: a rig that is played or small, blends of several lengths, held poses, or bones
    of which these would be too many.
    """
    rig = footage.plain_rig(character, clips)
    if rig is None or len(rig.bones.names) < LEAST:
        return None
    scales = bake.blend_scales(character, settings, footage)
    if scales.entries or set(scales.bones.values()) - {1.0} or methods.length(settings.method) == "half_life":
        # then a blend lasts as long as its longest part
        return None
    if any(stepping.holds_poses(settings, clip) for clip in clips):
        return None
    judged, large = verdict.find_judged_bones(character, footage)
    seen = verdict.find_seen_bones(character, footage)
    for bones, is_whole in ((judged, True), (large, False)):
        looked_at = posing.part(rig, bones)[1]
        # of bones that nobody sees nothing is said
        says_something = not seen or not looked_at.keys().isdisjoint(seen)
        if says_something and len(looked_at) <= PART * len(rig.bones.names):
            return rig, bones, is_whole
    return None
