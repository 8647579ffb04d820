# SPDX-License-Identifier: GPL-3.0-or-later
"""Mends what was found in a take, one thing after the other, by value: each takes the former's curves.

The order matters. A pose in front would be a pop, and left-over channels move all that follows. Noise hides
pops, and pops jerk feet. Feet are last, as all else moves them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ...errors import InertiaError, Sentence
from ...motion.arrays import Array
from ...motion.curves import keys as keylib
from ...motion.curves.keys import Keys
from ...motion.feet.contacts import Span, Spans
from ...motion.finish import jitter, stalls, turns
from ...motion.pops import finding as pop_finding
from ...motion.pops import mending
from ...motion.steps import finish
from ...records import record
from ...settings import finish as kinds
from ...settings.feet import Locking
from ...settings.finish import FinishSettings
from ...settings.pops import PopSettings
from ..data import rewriting, rig
from ..data.actions import Address, Clip, with_curves
from ..data.channels import match
from ..data.report import BakedCurve
from ..data.rewriting import ChannelStretch, Rewritten
from ..evaluation.character import Character
from ..feet import bake as feet_bake
from ..pops import bake as pop_bake
from ..pops import search
from . import cornering, grounding, levelling, look, stances
from .findings import Finding, chosen, is_left

STILL_JITTERS = 0.5
"""A bone that has less than this part of the noise from which a body jitters is left alone."""


@record(eq=False)
class Mending:
    """A take while it is mended.

    clip: as it is now, by value. curves: those that are other ones now. baked, shaped: see
    :class:`Rewritten`.
    held: in which spans feet are held, by their names. notes: sentences on what could not be done.
    """

    character: Character
    settings: FinishSettings
    clip: Clip
    curves: dict[Address, Keys] = dataclasses.field(default_factory=dict)
    baked: list[BakedCurve] = dataclasses.field(default_factory=list)
    shaped: set[Address] = dataclasses.field(default_factory=set)
    held: dict[str, Spans] = dataclasses.field(default_factory=dict)
    notes: list[Sentence] = dataclasses.field(default_factory=list)

    @property
    def armature(self) -> Any:
        """The armature object itself."""
        return self.character.armature

    def take_over(self, rewritten: Rewritten) -> None:
        """Go on with other curves, as an addition to those that have changed already: they replace these,
        channel by channel, in ``curves`` and in ``clip``, and their notes of baking are added.

        Nothing is written.
        """
        self.curves.update(rewritten.curves)
        self.baked += rewritten.baked
        self.shaped |= rewritten.shaped
        if rewritten.curves:
            # what a clip does not key is what it was told to be at first
            self.clip = with_curves(self.clip, rewritten.curves)

    def rewrite(self, stretches: Iterable[ChannelStretch]) -> None:
        """Go on with other values in stretches."""
        self.take_over(rewriting.rewritten(self.clip, stretches))


Repair = Callable[[Mending, Sequence[Finding]], None]
"""Mends findings of one kind in a take. Raises InertiaError where that can't be done."""


def list_repairs(settings: FinishSettings, findings: Iterable[Finding]) -> list[tuple[Repair, list[Finding]]]:
    """Return what has to be done so that the findings that settings choose are mended, in the order in which
    it is done, each a function with the findings it is for; what has none is left out.

    The order is: a first pose, channels that others key, jitter, pops, a tilted floor, seams, feet off the
    floor (SINK and FLOAT together), and feet that skate, which are among these only if the settings have feet
    "LOCK".
    """
    repairs: list[tuple[tuple[str, ...], Repair]] = [
        ((kinds.POSE,), _cut_first_pose),
        ((kinds.CHANNELS,), _key_left_channels),
        ((kinds.JITTER,), _smooth_jitter),
        ((kinds.POP,), _smooth_pops),
        ((kinds.FLOOR,), _level_floor),
        ((kinds.SEAM,), _join_seams),
        ((kinds.SINK, kinds.FLOAT), _ground_feet),
        *[((kinds.SKATE,), _lock_feet)] * (settings.feet == "LOCK"),
    ]
    wanted = chosen(settings, findings)
    found = [([each for each in wanted if each.kind in some], repair) for some, repair in repairs]
    return [(repair, each) for each, repair in found if each]


def try_repair(mending_of: Mending, repair: Repair, wanted: Sequence[Finding]) -> None:
    """Mend findings; where that can't be done, note why, and leave them."""
    try:
        repair(mending_of, wanted)
    except InertiaError as error:
        mending_of.notes.append(error.sentence)


def _cut_first_pose(mending_of: Mending, wanted: Sequence[Finding]) -> None:
    clip, frame = mending_of.clip, wanted[0].last + 1.0
    curves = look.front_curves(clip, frame)
    mending_of.take_over(Rewritten(clip, curves))
    mending_of.clip = dataclasses.replace(mending_of.clip, start=frame)
    stays = [
        at for at, curve in clip.curves.items() if at not in curves and curve.keys.co[0, 0] < frame - 0.5
    ]
    if stays:
        mending_of.notes.append(
            Sentence(
                "{count} curves keep their first frames, as modifiers or easings lie there.",
                count=len(stays),
            )
        )


def _key_left_channels(mending_of: Mending, _wanted: Sequence[Finding]) -> None:
    """Key what other actions leave behind, with what the take is to show there, on its first frame."""
    clip = mending_of.clip
    curves = {
        address: keylib.constant(clip.start, clip.default_of(address, rig.split_path(address[0])[1]))
        for address in look.left_channels(mending_of.armature, clip)
    }
    mending_of.take_over(Rewritten(clip, curves))


def _smooth_jitter(mending_of: Mending, wanted: Sequence[Finding]) -> None:
    """Take the noise out of all rotations and locations that have some, in the spans of the findings; the
    rest of each stays.

    Noise is measured anew, as the median inside of these spans. What has less than STILL_JITTERS of
    look.NOISE stays; for locations less than a tenth of that, as a part of the character's size.
    """
    sampled = look.SampledTake.of(mending_of.character, mending_of.clip)
    frames = sampled.frames
    stretches: list[ChannelStretch] = []
    spans = [(each.first, each.last) for each in wanted]
    inside = np.zeros(len(frames), bool)
    for first, last in spans:
        inside |= (frames >= first) & (frames <= last)
    for motion in (*sampled.turns, *sampled.places):
        noise = _noise_of(motion, inside)
        least = look.NOISE if motion.is_rotation else look.NOISE * sampled.size / motion.metres
        if noise < STILL_JITTERS * least * (1.0 if motion.is_rotation else 0.1):
            continue
        smooth = jitter.smooth_rotations if motion.is_rotation else jitter.smooth_places
        values = smooth(motion.values, noise, inside)
        stretches += _changed(motion, values)
    mending_of.rewrite(stretches)


def _noise_of(motion: search.BoneChannels, inside: Array) -> float:
    """Return the median noise of channels, in radians or their own unit, over the windows of which more than
    half lie inside; 0.0 without one.

    inside: flags (n,), for each frame.
    """
    steps = pop_finding.steps_of(motion.values[:, None], is_rotation=motion.is_rotation)
    firsts, deviations = jitter.measure_noise(steps)
    within = [inside[first : first + jitter.WINDOW].mean() > 0.5 for first in firsts.tolist()]
    noise = deviations[np.array(within, bool), 0] if len(firsts) else np.zeros(0)
    return float(np.median(noise)) if len(noise) else 0.0


def _changed(motion: search.BoneChannels, values: Array) -> list[ChannelStretch]:
    """Return the stretches, in order, in which channels are to show other values than `motion` has, with the
    frames beside these that need keys too; `values` is of the same shape as its own.
    """
    return [
        ChannelStretch(motion.channels.source, motion.frames[first : last + 1], values[first : last + 1])
        for first, last in mending.find_changed_spans(motion.values, values)
        if last > first
    ]


def _smooth_pops(mending_of: Mending, _wanted: Sequence[Finding]) -> None:
    """Smooth all pops of the clip, found anew, as noise may have hidden some; those that the settings leave
    stay. The findings are not looked at.
    """
    settings = mending_of.settings
    asked = PopSettings("", strictness=settings.strictness)
    pops = finish(search.search_pops_steps(mending_of.character, mending_of.clip, asked))
    smoothed = [pop for pop in pops.pops if not is_left(settings, look.make_pop_finding(pop))]
    mending_of.rewrite(pop_bake.find_stretches(pops, smoothed, asked))


def _level_floor(mending_of: Mending, _wanted: Sequence[Finding]) -> None:
    standing = stances.find_standing(mending_of.character, mending_of.clip)
    if standing.floor is not None:
        mending_of.take_over(levelling.level(mending_of.character, mending_of.clip, standing.floor))


def _join_seams(mending_of: Mending, wanted: Sequence[Finding]) -> None:
    """Join anew what stalls, and then have what turns at once make a round corner, within a frame of the
    findings' spans.
    """
    _pass_stalls(mending_of, wanted)
    sampled = look.SampledTake.of(mending_of.character, mending_of.clip)
    for turn in turns.find_turns(sampled.joint_places, mending_of.character.fps, sampled.size):
        frame = float(sampled.frames[turn.at])
        if any(each.first - 1.0 <= frame <= each.last + 1.0 for each in wanted):
            mending_of.rewrite(cornering.round_turn(sampled, turn))


def _pass_stalls(mending_of: Mending, wanted: Sequence[Finding]) -> None:
    """Pass stalls that overlap a finding at a steady speed: all keyed channels but discrete ones show the
    clip's own poses at other frames, from the begin to the end of what each stall takes along.

    Stalls are found anew.
    """
    character, clip = mending_of.character, mending_of.clip
    armature = character.armature
    sampled = look.SampledTake.of(character, clip)
    positions = sampled.joint_places
    channels = match(armature, clip, clip, clip.start, clip.start).channels
    stretches = []
    for stall in stalls.find_stalls(positions, character.fps, sampled.size):
        ends = float(sampled.frames[stall.first]), float(sampled.frames[stall.last])
        if not any(each.first <= ends[1] and ends[0] <= each.last for each in wanted):
            continue
        passed = stalls.pass_steadily(positions, stall, character.fps)
        shown = np.interp(passed, np.arange(len(sampled.frames)), sampled.frames)
        frames = sampled.frames[stall.begin : stall.end + 1]
        for each in channels:
            source = each.source
            if each.discrete or not any(address in clip.curves for address in source.addresses):
                continue
            raw = source.raw(shown)
            stretches.append(ChannelStretch(source, frames, source.decode(raw) if source.mode else raw))
    mending_of.rewrite(stretches)


def _ground_feet(mending_of: Mending, wanted: Sequence[Finding]) -> None:
    """Raise and lower feet to the floor, found anew, in the stances that findings mean, by as much as each
    stance is off it; nothing without a floor, or where none is meant.

    Raise InertiaError for legs that can't be moved.
    """
    standing = stances.find_standing(mending_of.character, mending_of.clip)
    if standing.floor is None:
        return
    rises: dict[int, list[tuple[Span, float]]] = {}
    for stance in standing.stances:
        if _is_meant(stance.foot, stance.span, wanted):
            off = float(standing.floor.heights(stance.place[None])[0] - stance.place[2])
            rises.setdefault(stance.leg, []).append((stance.span, off))
    if rises:
        mending_of.take_over(
            grounding.put_on_floor(
                mending_of.character,
                mending_of.clip,
                standing.planted,
                rises,
                Locking.of(mending_of.settings),
            )
        )


def _lock_feet(mending_of: Mending, wanted: Sequence[Finding]) -> None:
    """Have feet stand still in the spans that findings mean; nothing where they mean none. ``held`` then has
    all contacts of all legs, by foot, and the notes those of locking.

    Raise InertiaError for legs that can't be locked.
    """
    character, clip = mending_of.character, mending_of.clip
    planted = stances.find_standing(character, clip).planted
    spans = tuple(
        tuple(span for span in row if _is_meant(leg.name, span, wanted))
        for leg, row in zip(planted.legs, planted.spans, strict=True)
    )
    if not any(spans):
        return
    feet = tuple(leg.name for leg, row in zip(planted.legs, spans, strict=True) if row)
    asked = dataclasses.replace(Locking.of(mending_of.settings), locked_feet=feet)
    locked = feet_bake.lock_clip(character, clip, dataclasses.replace(planted, spans=spans), asked)
    mending_of.take_over(locked.curves)
    mending_of.held = {leg.name: row for leg, row in zip(planted.legs, planted.spans, strict=True)}
    mending_of.notes += [Sentence(note) for note in locked.notes]


def _is_meant(foot: str, span: Span, wanted: Sequence[Finding]) -> bool:
    return any(each.bone == foot and each.first <= span.end and span.start <= each.last for each in wanted)
