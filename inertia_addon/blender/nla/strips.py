# SPDX-License-Identifier: GPL-3.0-or-later
"""Two strips of an armature as what a transition is made from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...errors import InertiaError, Sentence
from ...records import record
from ...settings import fields
from ..data import actions, compat, rig
from ..data.actions import ClipScale
from . import tracks

CLOSE = 1e-3
"""Frames nearer than this are the same."""


@record(frozen=True)
class StripMeeting:
    """Where two strips meet, or two keys of one action as if they were strips: their actions and slots, and
    frames as settings have them.

    cut, entry: the source's and the destination's own frame that are shown where the destination's strip
    begins, of clips that are scaled those of these. shift: by how many frames the source's strip plays it
    later than it is keyed. repeats: how often each strip plays its action, as a cycle; 1 for once. scales:
    how many times as long each takes. notes: what a transition does not take over. gap: the frames that lie
    between the strips, of which the source's ends at the cut; 0 where they touch or overlap.
    """

    source: Any
    source_slot: str
    destination: Any
    destination_slot: str
    cut: float
    entry: float
    shift: float
    repeats: tuple[float, float]
    scales: tuple[float, float]
    notes: tuple[Sentence, ...]
    gap: float = 0.0


def selected(armature: Any) -> list[Any]:
    """Return the selected strips of an armature, the earlier ones first, and of two at once the lower one."""
    chosen = [strip for track in rig.nla_tracks(armature) for strip in track.strips if strip.select]
    return sorted(chosen, key=lambda strip: strip.frame_start)


def find_meeting(armature: Any) -> StripMeeting:
    """Return where the two selected strips meet, as :func:`either` does: where the later one, the
    destination, begins, also where they overlap. ``gap`` is 0.

    Raise InertiaError if frames lie between the strips, if not exactly two are selected, for a strip that
    plays no action, backwards, by animated time, at a scale out of range or blended other than by Replace,
    for an action without a slot for the armature, and for an armature that can't be given strips.
    """
    meeting = either(armature)
    if meeting.gap:
        source, destination = selected(armature)
        raise InertiaError(
            '{gap:g} frames lie between "{source}" and "{destination}"; move them together until they touch '
            "or overlap, or fill the gap.",
            gap=meeting.gap,
            source=source.name,
            destination=destination.name,
        )
    return meeting


def apart(armature: Any) -> StripMeeting:
    """Return the gap between the two selected strips, as a meeting whose ``gap`` is not 0.

    Raise InertiaError where they touch or overlap, where a strip is scaled or repeats, if not exactly two are
    selected, for a strip that plays no action, backwards, by animated time, or blended other than by Replace,
    for an action without a slot for the armature, and for an armature that can't be given strips.
    """
    meeting = either(armature)
    if not meeting.gap:
        source, destination = selected(armature)
        raise InertiaError(
            'No gap lies between "{source}" and "{destination}"; move them apart, or bake a transition.',
            source=source.name,
            destination=destination.name,
        )
    return meeting


def either(armature: Any) -> StripMeeting:
    """Return where the two selected strips of an armature meet, or the gap between them; the earlier one is
    the source.

    They meet where the later one begins, also where they overlap; strips 0.001 frames apart or less touch.
    ``cut`` and ``entry`` are the source's and the destination's own frame shown there (with a ``gap``, in
    frames, where the source's strip ends), of clips scaled by ``scales``; ``shift`` is how many frames later
    than keyed the source plays, ``repeats`` how often each plays its whole action. Raise InertiaError where
    not exactly two are selected, a strip plays no action, backwards, by animated time, at a scale out of
    range or blended other than by Replace, a strip beside a gap is scaled or repeats, an action has no slot
    for the armature, or the armature is in Edit Mode, is linked or has a strip in tweak mode.
    """
    rig.check_armature(armature)
    tracks.check(armature)
    strips = selected(armature)
    if len(strips) != 2:
        raise InertiaError(
            'Select two strips of "{name}", one after the other; {count} are selected.',
            name=armature.name,
            count=len(strips),
        )
    for strip in strips:
        _check_strip(strip)
    source, destination = strips
    gap = round(float(destination.frame_start - source.frame_end), 4)
    gap = gap if gap > CLOSE else 0.0
    repeats = (_repeats(armature, source), _repeats(armature, destination))
    scales = _scale(source), _scale(destination)
    for strip, times, scale in zip(strips, repeats, scales, strict=True) if gap else ():
        if (times, scale) != (1.0, 1.0):
            raise InertiaError(
                'A gap beside "{strip}" can\'t be filled, as it is scaled or repeats; bake it to an action '
                "of its own first.",
                strip=strip.name,
            )
    met = source.frame_end if gap else destination.frame_start
    since = _since(source, met, repeats[0])
    cut = round(_begins(armature, source, scales[0]) + since, 4)
    entry = round(_begins(armature, destination, scales[1]), 4)
    ends = (*compat.strip_assigned(source), *compat.strip_assigned(destination))
    shift = round(met - cut, 4)
    notes = tuple(_notes(strips, repeats))
    return StripMeeting(*ends, cut, entry, shift, repeats, scales, notes, gap)


def _repeats(armature: Any, strip: Any) -> float:
    """Return how often a strip plays all of its action, as a cycle does."""
    span, played = _span(armature, strip), (strip.action_frame_start, strip.action_frame_end)
    return float(strip.repeat) if span is not None and np.allclose(span, played, atol=CLOSE) else 1.0


def _check_strip(strip: Any) -> None:
    """Raise InertiaError for a strip that a transition can't be made from.

    That is one that plays no action, plays backwards or by animated time, has a scale out of range, or is
    blended with what is below it in another way than Replace.
    """
    if strip.type != "CLIP" or strip.action is None:
        raise InertiaError('"{strip}" plays no action; select two that do.', strip=strip.name)
    if strip.use_reverse:
        raise InertiaError(
            '"{strip}" plays backwards; bake it to an action of its own first.', strip=strip.name
        )
    if strip.use_animated_time:
        raise InertiaError(
            '"{strip}" has animated strip time; bake it to an action of its own first.', strip=strip.name
        )
    fields.TIME_SCALE.check(Sentence('scale of "{name}"', name=strip.name), _scale(strip))
    if strip.blend_type != "REPLACE":
        raise InertiaError(
            '"{strip}" is blended with what is below it; set its blending to Replace.', strip=strip.name
        )


def _scale(strip: Any) -> float:
    """Return how many times as long as it is keyed a strip plays its action."""
    return 1.0 if abs(strip.scale - 1.0) < 1e-6 else round(float(strip.scale), fields.TIME_SCALE.decimals)


def _span(armature: Any, strip: Any) -> tuple[float, float] | None:
    """Return the first and the last key frame of a strip's action, in its own frames, of the strip's slot;
    None without keys.
    """
    action, identifier = compat.strip_assigned(strip)
    return actions.span(action, actions.choose_slot(action, armature, identifier))


def _begins(armature: Any, strip: Any, scale: float) -> float:
    """Return the frame with which a strip begins, of its action as it is scaled."""
    span = _span(armature, strip)
    first = float(strip.action_frame_start)
    return first if span is None else float(ClipScale(span[0], scale).times(first))


def _since(strip: Any, frame: float, repeats: float) -> float:
    """Return how many scene frames lie between the beginning of a strip and a scene frame, counted anew with
    each repetition that is no cycle's.

    repeats: how often the strip plays the whole action as a cycle. Where it is 1 and the strip repeats all
    the same, the rest by the scaled length of the strip's part of the action is returned; its end itself
    counts as the full length.
    """
    length = (strip.action_frame_end - strip.action_frame_start) * strip.scale
    since = frame - strip.frame_start
    if repeats == 1.0 and strip.repeat > 1.0 and since > length + CLOSE:
        since %= length
    return float(since)


def _notes(strips: list[Any], repeats: tuple[float, float]) -> Iterator[Sentence]:
    for strip, times in zip(strips, repeats, strict=True):
        if strip.mute:
            yield Sentence('"{strip}" is muted; it is used as if it played.', strip=strip.name)
        if strip.repeat > 1.0 and times == 1.0:
            yield Sentence(
                '"{strip}" repeats a part of its action; only one repetition is used.', strip=strip.name
            )
        if strip.use_animated_influence:
            yield Sentence('"{strip}" is used at full influence.', strip=strip.name)
    if strips[0].blend_out or strips[1].blend_in:
        yield Sentence("The strips' own blending in and out gives way to the transition's blend time.")
