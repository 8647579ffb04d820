# SPDX-License-Identifier: GPL-3.0-or-later
"""What a filled gap is to an animator: it is judged, told, and made anew."""

from __future__ import annotations

import contextlib
from collections.abc import Generator
from typing import Any

import bpy

from ...blender.data import recipe
from ...blender.fill import bake
from ...blender.fill.bake import FillReport
from ...blender.judging import verdict
from ...blender.judging.verdict import Verdict
from ...blender.nla import tracks
from ...errors import InertiaError
from ...settings.fill import FillSettings
from ..shared import cache, words
from ..shared.long_work import LongWork
from ..shared.tool import Tool
from ..transition import after, results
from . import properties

QUALITY = "fill:quality"
"""The verdicts on the fill that was baked last are kept under."""


def rebake(operator: LongWork, context: Any, action: Any) -> Generator[float, None, None]:
    """Fill a gap anew in place, with the settings that it was baked with."""
    uid, settings = action.session_uid, bake.recipe_of(action)[0]
    report = yield from bake.rebaking(context.object, action)
    operator.has_changed(uid)
    tell(operator, context, settings, report)


def tell(operator: Tool, context: Any, settings: FillSettings, report: FillReport) -> None:
    """Say what a filled gap is like, and have the playback go through it."""
    armature, own = context.object, settings.transition
    for text in dict.fromkeys(report.warnings):
        operator.say(text, "WARNING")
    cache.put(QUALITY, armature, report.result, report.verdicts)
    if report.assigned and armature.inertia.show_result:
        window = own.cut + own.shift, settings.arrival + own.shift
        after.show_window(context, report.result, window, report.frame_range)
    operator.say(
        '"{action}" fills the gap: {joins}, and the arrival on frame {frame}.',
        action=report.result,
        joins=words.count(len(report.cuts), "join"),
        frame=words.number(settings.arrival + own.shift),
    )


def replaceable(armature: Any, settings: FillSettings) -> Any | None:
    """The earlier fill of the same gap whose place a new one can take: that which plays, or is named so."""
    own, name = settings.transition, settings.transition.result
    named = bpy.data.actions.get(name or f"{own.source} to {own.destination}")
    for action in (named,) if name else (*tracks.playing(armature), named):
        if action is None or not recipe.is_baked(action, recipe.FILL) or not action.is_editable:
            continue
        with contextlib.suppress(InertiaError):  # what can't be read is another one
            stored = bake.recipe_of(action)[0]
            before = stored.transition
            is_such = (before.source, before.destination) == (own.source, own.destination)
            if is_such and stored.strips == settings.strips:
                return action
    return None


def anew(armature: Any, action: Any) -> str:
    """The operator that fills a gap anew with the panel's settings, where these are others than its own."""
    if None in (armature.inertia.source, armature.inertia.destination):
        return ""
    with contextlib.suppress(InertiaError):  # what can't be asked for or read its own panel says
        asked = properties.settings_from(armature)
        if replaceable(armature, asked) != action:
            return ""
        stored = bake.recipe_of(action)[0]
        own_differ = results.differ(asked.as_dict(), stored.as_dict(), frozenset({"transition"}))
        blends = asked.transition.as_dict(), stored.transition.as_dict()
        if own_differ or results.differ(*blends, results.NOT_COMPARED):
            return "bake_fill"
    return ""


def verdicts_of(armature: Any) -> tuple[Verdict, ...]:
    """The verdicts on the joins of the fill that plays, the arrival last, once it was judged."""
    for action in tracks.playing(armature):
        if recipe.is_baked(action, recipe.FILL):
            return cache.known(QUALITY, armature, action.name) or ()
    return ()


def worst(armature: Any, action: Any) -> Verdict | None:
    """The verdict on the worst join of a filled gap, once it was judged."""
    seen = cache.known(QUALITY, armature, action.name)
    return verdict.worst(seen) if seen else None


results.add(recipe.FILL, results.Kind("Fill", rebake, anew=anew, verdict=worst))
