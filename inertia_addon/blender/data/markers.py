# SPDX-License-Identifier: GPL-3.0-or-later
"""Pose markers, such as footsteps and events of a game: those that a result has of its clips.

A clip has the markers of its action, in its own time. A result has each where it shows that frame.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Sequence
from typing import Any

import bpy
import numpy as np

from ...motion.cycles.cycle import ON_FRAME
from .actions import Clip, Marker

WRITTEN = "inertia_markers"
"""The property of a result that holds the markers which it was given: those of an animator stay."""


def find_shown(clip: Clip, first: float = -np.inf, last: float = np.inf) -> tuple[Marker, ...]:
    """Return the markers that a clip shows from frame `first` on until before `last`, sorted by frame.

    Frames are the clip's own, within 1e-4; with a clock, its times. Markers of a cycle's part of the clip
    come once for each repetition until the clip's end: "Step" is "Step.001" in the first that follows; those
    outside of that part come once, also behind the clip's end. Of several of one name on the same hundredth
    of a frame the first is kept.
    """
    frames = list(_frames(clip, last))
    if clip.clock is not None and frames:
        times = clip.clock.time([marker.frame for marker in frames]).tolist()
        frames = [Marker(each.name, time) for each, time in zip(frames, times, strict=True)]
    kept = [each for each in frames if first - ON_FRAME <= each.frame < last - ON_FRAME]
    once = {(each.name, round(each.frame, 2)): each for each in reversed(kept)}
    return tuple(sorted(once.values(), key=lambda each: each.frame))


def _frames(clip: Clip, last: float) -> Iterable[Marker]:
    cycle = clip.cycle
    if cycle is None:
        yield from clip.markers
        return
    until = min(last, clip.end)
    if clip.clock is not None:
        until = float(clip.clock.frames_at([until])[0])
    turns = cycle.turns_until(until - ON_FRAME)
    for marker in clip.markers:
        is_repeated = cycle.start - ON_FRAME <= marker.frame <= cycle.end + ON_FRAME
        for turn in range(turns + 1 if is_repeated else 1):
            frame = marker.frame + turn * cycle.period
            if frame <= until + ON_FRAME or not is_repeated:
                yield again(marker, turn, turn * cycle.period)


def again(marker: Marker, turn: int, frames: float) -> Marker:
    """Return a marker as a repetition shows it so many frames later, by a name of its own.

    turn: the number of the repetition, 0 for the first time.
    """
    return Marker(f"{marker.name}.{turn:03d}" if turn else marker.name, marker.frame + frames)


def joined(source: Clip, cut: float, destination: Clip, entered: float) -> tuple[Marker, ...]:
    """Return the markers of a source before the cut, and of a destination from there on.

    entered: the destination's frame that is shown at the cut.
    """
    return find_shown(source, last=cut) + shift(find_shown(destination, entered), cut - entered)


def shift(markers: Iterable[Marker], frames: float) -> tuple[Marker, ...]:
    """Return markers so many frames later."""
    return tuple(dataclasses.replace(each, frame=each.frame + frames) for each in markers)


def flipped(markers: Iterable[Marker]) -> tuple[Marker, ...]:
    """Return the markers of a mirror image: "Step.L" is "Step.R" there."""
    return tuple(dataclasses.replace(each, name=bpy.utils.flip_name(each.name)) for each in markers)


def write(action: Any, markers: Sequence[Marker]) -> None:
    """Replace the markers that an action was given before by these, rounded to the nearest whole frames.

    Those given before are known by the custom property "inertia_markers" of the action, a JSON list of [name,
    frame], which is replaced; they are removed only where they still have their name and frame, so that an
    animator's own markers stay. A marker that is there already, and one that has the name and whole frame of
    an earlier one of `markers`, is not added twice; it counts as given from then on. No markers removes the
    property.
    """
    own = list(dict.fromkeys((each.name, round(each.frame)) for each in markers))
    present = [(each.name, each.frame) for each in action.pose_markers]
    given = _given(action)
    for name, frame in given:
        if (name, frame) in present:
            at = present.index((name, frame))
            action.pose_markers.remove(action.pose_markers[at])
            del present[at]
    for name, frame in own:
        if (name, frame) not in present:
            action.pose_markers.new(name).frame = frame
    if own:
        action[WRITTEN] = json.dumps(own)
    elif WRITTEN in action:
        del action[WRITTEN]


def replace(action: Any, markers: Sequence[Marker]) -> None:
    """Give a copy of an action these markers and no others."""
    for marker in list(action.pose_markers):
        action.pose_markers.remove(marker)
    write(action, markers)


def _given(action: Any) -> list[tuple[str, int]]:
    """Return the markers that an action was given; none where its note can't be read."""
    try:
        return [(str(name), int(frame)) for name, frame in json.loads(action.get(WRITTEN, "[]"))]
    except (TypeError, ValueError):
        return []


def as_values(markers: Iterable[Marker]) -> list[dict[str, Any]]:
    """Return markers as JSON values: names, and frames to a hundredth."""
    return [{"name": each.name, "frame": round(each.frame, 2)} for each in markers]
