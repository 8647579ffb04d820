# SPDX-License-Identifier: GPL-3.0-or-later
"""Two clips of an armature that are about to be joined: repeated, aligned, warped and matched.

:class:`Meeting` is all that planning knows before there is a curve. :class:`PlanOptions` are what a plan is
made for.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from typing import Any

from ...motion.arrays import Array
from ...motion.skeleton.posing import Rig
from ...records import record
from ...settings.transition import TransitionSettings
from ..data import clip_store, roots
from ..data.actions import ActionCurve, Address, Clip, as_curves
from ..data.channels import Matching
from ..data.report import BakedCurve
from ..evaluation import joint_motion, playback
from ..evaluation.character import Character, CharacterPoser
from ..feet.locking import TransitionFeet
from ..judging.played import Footage, Played, as_clip
from . import alignment as alignments
from . import parts, preflight, repeating, selecting, stepping, warping
from .alignment import Alignment, CutAndEntry, RootedRig
from .joining import Joining
from .selecting import Scales, TakingPart
from .slot_plan import SlotPlan
from .warping import Warping


@record(frozen=True, eq=False)
class PlanOptions:
    """How a transition is planned, beside what its settings say.

    cross_fade: mix the two poses in place of letting an offset decay, to compare. may_play: whether Blender
    may play the character, see :class:`Character`, where that is read for the plan. hard_cut: let nothing
    blend, to compare. motion: of the world (4, 4), to give to the destination in place of what aligns it;
    None to align it. footage: of the same two
    clips, from before, so that they are played only once. constants: of a plan that is only judged, see
    :mod:`clip_excerpts`; None for a plan that is to be baked. Where a plan is only judged no companions come
    along, no warnings are found, and feet get no curves on rigs that Blender plays. rig: the armature as it
    stands, None to read it.
    """

    cross_fade: bool = False
    may_play: bool = True
    hard_cut: bool = False
    motion: Array | None = None
    footage: Footage | None = None
    constants: Mapping[Address, float] | None = None
    rig: Rig | None = None

    @property
    def is_only_judged(self) -> bool:
        """Whether the plan is judged and never written."""
        return self.constants is not None


TO_BAKE = PlanOptions()
"""A plan that is baked, as its settings say."""


@record(frozen=True, eq=False)
class Meeting:
    """Two clips of an armature that are about to be joined.

    rig: the armature, read. root: of both clips. joining: how they are joined, the destination warped.
    matching: how their channels match. keyed: the clips without repetitions of cycles. taking_part: what
    blends, None for all. footage: what is known of the clips. poser: whether Blender shows what constraints
    do. warp_baked: notes on what the warp could not cut, at frames of the result.
    """

    character: Character
    rig: Rig
    root: roots.Root
    joining: Joining
    matching: Matching
    keyed: tuple[Clip, Clip]
    taking_part: TakingPart | None
    footage: Footage
    poser: CharacterPoser
    options: PlanOptions
    warp_baked: tuple[BakedCurve, ...] = ()

    @property
    def armature(self) -> Any:
        """The armature object itself."""
        return self.character.armature

    @property
    def rooted(self) -> RootedRig:
        """The armature, whose root is moved over the ground."""
        return RootedRig(self.character, self.rig, self.root, self.poser.is_playing)

    @property
    def bones(self) -> set[str] | None:
        """The bones that may have other keys, None for all."""
        return None if self.taking_part is None else {*self.taking_part.bones}

    def make_evidence(
        self,
        slot: SlotPlan,
        feet: TransitionFeet | None = None,
        curves: Mapping[Address, ActionCurve] | None = None,
    ) -> Played:
        """Return what a planned slot shows with locked feet, to be judged.

        feet: None for free ones. curves: the slot's own as those of a clip, see :func:`actions.as_curves`;
        None to make them.
        """
        curves = as_curves(slot.curves) if curves is None else curves
        feet = TransitionFeet() if feet is None else feet
        joining, until = self.joining, max(slot.last_frame, feet.last)
        played = Played(
            self.character,
            joining.clips,
            joining.settings,
            joining.fps,
            joining.alignment.motion,
            self.root,
            as_clip(joining.clips, {**curves, **feet.curves}, until),
            slot.last_frame,
            until,
            self.footage,
            is_planned=True,
        )
        return parts.with_warp(played, joining.warp)


def meet_clips(
    character: Character,
    settings: TransitionSettings,
    clips: tuple[Clip, Clip],
    scales: Scales,
    options: PlanOptions,
) -> Meeting:
    """Bring two clips of the store together: repeat cycles, align, warp and match; return the meeting.

    scales: multipliers of blend times. options: what was read before, and what is asked of the plan. Raise
    InertiaError where the clips can't meet as settings ask for.
    """
    footage = Footage(is_of_one=True) if options.footage is None else options.footage
    poser = footage.find_poser(character, clips)
    rig = options.rig or footage.plain_rig(character, clips) or character.rig
    selecting.check(character.armature, settings, clips)
    for clip in clips:
        joint_motion.with_teleports(character, clip, rig)
    keyed = clip_store.scaled_ends(settings, clips)
    ends = _MeetingEnds(character, rig, settings, keyed, options, footage, poser)
    with playback.together():
        clips = ends.repeat_clips(scales)
        ends = dataclasses.replace(ends, settings=preflight.resolved(settings, clips[0], clips[1]))
        return ends.meet(clips, scales)


@record(frozen=True, eq=False)
class _MeetingEnds:
    """Two clips of an armature, before they are brought together.

    rig: the armature, read. keyed: the clips without repetitions of cycles. footage: what is known of them.
    poser: of the clips, as it was when they were first looked at.
    """

    character: Character
    rig: Rig
    settings: TransitionSettings
    keyed: tuple[Clip, Clip]
    options: PlanOptions
    footage: Footage
    poser: CharacterPoser

    @property
    def armature(self) -> Any:
        """The armature object itself."""
        return self.character.armature

    def _find_poser(self, clips: tuple[Clip, Clip]) -> CharacterPoser:
        """Find what poses the character in clips, which Blender need not play on a plain rig."""
        return self.character.find_poser(clips) if self.poser.is_played else self.poser

    def repeat_clips(self, scales: Scales) -> tuple[Clip, Clip]:
        """Return the clips with as many repetitions of their cycles as the transition shows."""
        settings, options = self.settings, self.options
        view = repeating.CycleView(
            scales,
            cross_fade=options.cross_fade or settings.decay is None,
            play=self._find_poser(self.keyed).is_playing,
            constants=options.constants,
            footage=None if self.poser.is_played else self.footage,
        )
        return repeating.repeat_cycles(self.character, self.rig, settings, self.keyed, view)

    def meet(self, clips: tuple[Clip, Clip], scales: Scales) -> Meeting:
        """Align, warp and match the clips; return the meeting.

        clips: with their repetitions. The settings have the destination's frame by now.
        """
        # asked anew, as repetitions may be moved by what the keys alone are not
        poser = self._find_poser(clips)
        root, alignment = self._align(clips, poser)
        footage, warp_baked = self.footage, list[BakedCurve]()
        rooted = RootedRig(self.character, self.rig, root, poser.is_playing)
        warp = warping.plan(rooted, self.settings, clips, alignment)
        if warp is not None:
            destination, warp_baked = warp.warped(rooted, clips[1])
            clips = clips[0], destination
            # what was looked at of the destination is no longer what it shows
            footage = footage.of_warped()
        joining = self._make_joining(clips, alignment, warp, scales)
        taking_part = selecting.select_participants(self.rig.bones.names, self.settings)
        joining, matching = parts.matched(
            self.armature, joining, play=poser.is_playing, taking_part=taking_part, cache=footage.held
        )
        return Meeting(
            self.character,
            self.rig,
            root,
            joining,
            matching,
            self.keyed,
            taking_part,
            footage,
            poser,
            self.options,
            tuple(note.later_by(joining.later) for note in warp_baked),
        )

    def _make_joining(
        self, clips: tuple[Clip, Clip], alignment: Alignment, warp: Warping | None, scales: Scales
    ) -> Joining:
        """Return how two clips are joined, the destination warped. alignment: the destination's."""
        settings, options = self.settings, self.options
        metres, bone_metres = parts.lengths(self.rig, clips[0], settings.cut)
        return Joining(
            clips[0],
            clips[1],
            settings,
            self.character.fps,
            alignment,
            metres,
            bone_metres,
            scales,
            is_mixed=options.cross_fade,
            hard_cut=options.hard_cut,
            warp=warp,
            holds=stepping.of_clips(settings, clips[0], clips[1]),
            kept=self.footage.at_cut,
        )

    def _align(self, clips: tuple[Clip, Clip], poser: CharacterPoser) -> tuple[roots.Root, Alignment]:
        """Align two clips, with their repetitions; return (the root of both, how the destination is moved).
        With a motion among the options, that is how.
        """
        rig, settings, motion = self.rig, self.settings, self.options.motion
        assert settings.destination_frame is not None
        ends = CutAndEntry(clips[0], settings.cut, clips[1], settings.destination_frame)
        if poser.is_playing and (settings.alignment != "NONE" or settings.align_height):
            carried = functools.partial(preflight.carried, settings=settings, clips=self.keyed)
            referred = functools.partial(preflight.reference, rig, settings)
            return alignments.align_played(self.armature, rig, carried, referred, ends, motion)
        if not self.poser.is_played:
            # looked at once for all plans of the same clips
            root = self.footage.root(rig, self.keyed, settings.root)
            kind = preflight.kind_for(rig, settings, root)
        else:
            root, kind = preflight.carried(rig, settings, self.keyed)
        reference = preflight.reference(rig, settings, root)
        return root, alignments.align(rig, root, reference, kind, ends, motion)
