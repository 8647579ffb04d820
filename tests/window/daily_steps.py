# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside of a Blender with a window: clicks through the daily path by places that were measured at the
start; see test_daily.py."""

from __future__ import annotations

from typing import Any

import bpy
from characters import make_walker, rig
from driver import (
    BUTTON,
    SOON,
    Steps,
    buttons_at,
    click,
    close_other_editors,
    enter,
    hover,
    open_tab,
    prepare_view,
    presses,
    region,
    state,
    until,
    until_worked,
    window,
)

WANTED = {
    "best pair": "goal='PAIR'",
    "bake": "inertia.bake_transition(replace=False)",
    "play": "screen.animation_play",
    "cut": "inertia.cut",
    "entry": "inertia.use_destination_frame",
}
"""What is clicked, and what else must stay where it was."""


def look() -> Any:
    """Where the buttons are: the uppermost place of each."""
    sidebar = region("UI")
    scale = bpy.context.preferences.view.ui_scale
    step = round(0.5 * BUTTON * scale)
    rows = range(sidebar.y + sidebar.height - step // 2, sidebar.y + step, -step)
    end = sidebar.x + sidebar.width - round(2.2 * BUTTON * scale)
    columns = (sidebar.x + round(0.15 * sidebar.width), sidebar.x + round(0.45 * sidebar.width), end)
    wheres = [(x, y) for y in rows for x in columns]
    # away from what was clicked, which the first place is taken for else
    enter(sidebar.x + sidebar.width // 2, sidebar.y + step)
    yield SOON
    found = yield from buttons_at(wheres)
    return {
        name: next((list(at) for at, button in zip(wheres, found, strict=True) if wanted in button), None)
        for name, wanted in WANTED.items()
    }


def press(name: str, since: str = "start") -> Steps:
    """Click where a button was at a moment."""
    x, y = state["places"][since][name]
    hover(x, y + 1)
    yield SOON
    hover(x, y)
    yield SOON
    yield from click(x, y)


def note(name: str) -> Steps:
    """Where the buttons are now, and what there is."""
    state["places"][name] = yield from look()
    action = rig().animation_data.action
    state[name] = {
        "cut": rig().inertia.cut,
        "assigned": action.name,
        "playing": window().screen.is_animation_playing,
    }


def steps() -> Steps:
    """Two clips, Best Pair, Bake, Play."""
    make_walker()
    rig().inertia.cut = 12.0
    state["places"] = {}
    yield from close_other_editors()
    yield from prepare_view()
    yield from open_tab()
    yield from note("start")
    presses.clear()
    yield from press("best pair")
    yield from until_worked("find_meeting")
    yield from note("paired")
    yield from press("bake")
    yield from until(lambda: "Walk to Run" in bpy.data.actions)
    yield from note("baked")
    yield from press("play", since="baked")
    yield from until(lambda: window().screen.is_animation_playing)
    state["presses"] = list(presses)
    state["played"] = {"playing": True, "verdict": verdict()}


def verdict() -> str | None:
    """What is seen of what plays, in a word."""
    from driver import inertia

    told = inertia("ui.judging.live").verdict_on_result(rig(), rig().animation_data.action)
    return None if told is None else str(told.rating)
