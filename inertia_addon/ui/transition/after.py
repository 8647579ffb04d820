# SPDX-License-Identifier: GPL-3.0-or-later
"""What follows a bake in the window: the result is looked at, and may be made anew."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import bpy

from ...blender.data import compat, recipe, scene
from ...blender.nla import tracks
from ...blender.transition.report import BakeReport

Span = tuple[float, float]

AROUND_SECONDS = 1.0
"""How much is played before and after the window."""


def show(context: Any, report: BakeReport) -> None:
    """Have the playback go through the transition, and a marker name the cut, which follows a new bake."""
    differs = report.window[0], report.until
    show_window(context, report.result, differs, report.frame_range if report.settings["strips"] else None)


def show_window(context: Any, result: str, window: Span, span: Span | None = None) -> None:
    """Have the playback go through a result's window, from the cut on. span: of what plays, if no action."""
    shown = context.scene
    show_between(shown, *around(window, span or bpy.data.actions[result].frame_range))
    marker = shown.timeline_markers.get(result) or shown.timeline_markers.new(result)
    marker.frame = round(window[0])


def around(window: Sequence[float], span: Sequence[float]) -> tuple[int, int]:
    """The whole frames that are played around a window. span: from the first to the last key frame."""
    seconds = AROUND_SECONDS * scene.fps()
    start = max(math.floor(window[0] - seconds), math.floor(span[0]))
    return start, min(math.ceil(window[1] + seconds), math.ceil(span[1]))


def show_between(shown: Any, start: int, end: int) -> None:
    """Have a scene play a result from a frame to another one, and its playhead be among them."""
    play_between(shown, start, end)
    if not start <= shown.frame_current <= end:
        shown.frame_set(start)


def play_between(shown: Any, start: int, end: int) -> None:
    """Have a scene play from a frame to another one."""
    shown.use_preview_range = True
    for _ in range(2):  # neither takes a frame on the other side of what the other one was
        shown.frame_preview_start, shown.frame_preview_end = start, end


def replaceable(armature: Any, source: Any, destination: Any, result: str, strips: bool) -> Any | None:
    """The earlier result of two actions whose place a new one can take: that which plays, or is named so.

    result: the name that was asked for, if any; what bears another one is to stay then. strips: what it is to
    be.
    """
    named = bpy.data.actions.get(result or f"{source.name} to {destination.name}")
    playing = (compat.assigned(armature)[0], *tracks.results(armature))
    for action in (named,) if result else (*playing, named):
        if action is not None and recipe.made_from(action) == (source, destination):
            is_such = recipe.is_baked(action, recipe.RECIPE) and recipe.is_strips(action) == strips
            if is_such and action.is_editable and not recipe.is_smoothed(action):
                return action
    return None
