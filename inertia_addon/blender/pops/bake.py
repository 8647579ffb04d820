# SPDX-License-Identifier: GPL-3.0-or-later
"""Smooths pops: an action in, a new action out in which they are gone and all else is as it was.

All is read, checked and computed before anything is written, so that a failure leaves the file as it was.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
from collections.abc import Iterable, Iterator
from typing import Any

from ...errors import InertiaError
from ...motion.pops import mending
from ...motion.pops.mending import Mend
from ...motion.steps import Steps, finish, part
from ...records import record
from ...settings.pops import PopSettings
from ..data import actions, clip_store, result_kinds, rewriting
from ..data.report import Report
from ..data.rewriting import ChannelStretch, RewritingKind
from ..evaluation.character import Character, read_character
from ..judging.verdict import Verdict, Verdicts
from . import judged, search
from .search import BoneChannels, FoundPop, FoundPops

KIND = result_kinds.POPS
"""What the recipe of an action without pops is called."""


@record(frozen=True, kw_only=True)
class PopReport(Report):
    """What :func:`smooth_pops_steps` made.

    pops: those that were smoothed. left: how many the result has all the same, with those not chosen.
    verdict: on what it shows where they were; None where nothing was smoothed, or Blender would not play the
    rig.
    """

    pops: tuple[dict[str, Any], ...] = ()
    left: int = 0
    verdict: Verdict | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the report as plain JSON values."""
        return {**super().as_dict(), "verdict": None if self.verdict is None else self.verdict.as_dict()}


def find_pops_steps(armature: Any, settings: PopSettings) -> Steps[FoundPops]:
    """Find the pops of the action that is named."""
    named = (settings.action, settings.library, settings.slot)
    (clip,) = yield from part(clip_store.read_named_steps(armature, [named]), 0.0, 0.4)
    return (yield from part(search.search_pops_steps(read_character(armature), clip, settings), 0.4, 1.0))


def smooth_pops_steps(armature: Any, settings: PopSettings, into: Any | None = None) -> Steps[PopReport]:
    """Smooth the chosen pops, all by default; the file changes after the last yield.

    into: an earlier result to make anew in place, None for a new action. Raise InertiaError, as for no pop.
    """
    pops = yield from find_pops_steps(armature, settings)
    return smooth_found(armature, settings, pops, into)


def smooth_found(armature: Any, settings: PopSettings, pops: FoundPops, into: Any | None = None) -> PopReport:
    """Smooth pops that were found, as :func:`smooth_pops_steps` does; return the report with how many pops
    are left and the verdict, None where Blender would not play it.
    """
    character = read_character(armature)
    report, stretches = write(armature, settings, pops, into)
    clip = clip_store.read(armature, actions.find(report.result), report.slot)
    again = finish(search.search_pops_steps(character, clip, settings))
    seen: tuple[Verdict, ...] = ()
    with contextlib.suppress(InertiaError):  # Blender would not play it
        seen = finish(judged.judge_smoothed_steps(character, pops, _spans_of(stretches), clip))
    return dataclasses.replace(report, left=len(again.pops), verdict=seen[0] if seen else None)


def judge_smoothed_action_steps(
    character: Character, settings: PopSettings, action: Any, slot: str
) -> Verdicts:
    """Find the pops that some settings have smoothed in an action; return the steps that judge it as it is
    now, as :func:`judged.judge_smoothed_steps` does.

    Raise InertiaError where it, or the action that it was made of, can't be read.
    """
    pops = finish(find_pops_steps(character.armature, settings))
    spans = _spans_of([*find_stretches(pops, pops.chosen(settings.pops), settings)])
    result = clip_store.read(character.armature, action, slot)
    return judged.judge_smoothed_steps(character, pops, spans, result)


def _spans_of(stretches: Iterable[ChannelStretch]) -> list[tuple[float, float]]:
    """Return the first and the last frame of stretches."""
    return [(float(each.frames[0]), float(each.frames[-1])) for each in stretches]


def report_unchanged(pops: FoundPops) -> PopReport:
    """Return the report of an action in which nothing pops, which is its own result."""
    return PopReport.of_unchanged(pops.clip, pops.rate)


def write(
    armature: Any, settings: PopSettings, pops: FoundPops, into: Any | None = None
) -> tuple[PopReport, list[ChannelStretch]]:
    """Write an action without the chosen pops, and assign it if asked; return (the report, the stretches in
    which channels show something else). Raise InertiaError where nothing pops, and for a name that no pop
    has.

    into: an earlier result to make anew in place, None for a new action.
    """
    clip = pops.clip
    if not pops.pops:
        raise InertiaError(
            'Nothing pops in "{action}"; lower the strictness to find more.', action=clip.action.name
        )
    rewriting.check_into(into, clip.action)
    chosen = pops.chosen(settings.pops)
    stretches = [*find_stretches(pops, chosen, settings)]
    slot = rewriting.rewritten(clip, stretches)
    written = rewriting.write(armature, RewritingKind(KIND, "smoothed"), settings, [slot], into)
    return PopReport(**vars(written), pops=tuple(pop.as_dict() for pop in chosen)), stretches


def find_stretches(
    all_pops: FoundPops, chosen: Iterable[FoundPop], settings: PopSettings
) -> Iterator[ChannelStretch]:
    """Yield the stretches in which the channels of chosen pops show something else without these, mended as
    settings say, those of one bone's channels in order.
    """
    how = Mend(settings.side, settings.decay, settings.fade_seconds)
    of_motion: dict[int, tuple[BoneChannels, list[FoundPop]]] = {}
    for pop in itertools.chain.from_iterable(pop.each for pop in chosen):
        of_motion.setdefault(id(pop.motion), (pop.motion, []))[1].append(pop)
    for motion, listed in of_motion.values():
        pops = [pop.pop for pop in listed]
        values = mending.mended(
            motion.values, is_rotation=motion.is_rotation, pops=pops, fps=all_pops.rate, mend=how
        )
        for first, last in mending.find_changed_spans(motion.values, values):
            span = slice(first, last + 1)
            yield ChannelStretch(motion.channels.source, motion.frames[span], values[span])
