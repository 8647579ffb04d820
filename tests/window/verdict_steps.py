# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside of a Blender with a window: changes settings, watches the verdict, and does what helps; see
test_verdict.py."""

from __future__ import annotations

from typing import Any

import bpy
from characters import make_walker, rig
from driver import (
    LATER,
    SOON,
    Steps,
    click,
    find_button,
    hover,
    inertia,
    middle,
    open_tab,
    picture,
    press,
    push,
    remember,
    state,
    sweep,
    until,
    window,
)

BLEND, ENTRY = 24.0, 12.0
"""Of a transition that is not good."""


def told() -> Any:
    return inertia("ui.judging.live").current(rig())


def note(name: str) -> None:
    """The settings, and what is told of them, by value."""
    found, bone = told(), rig().data.bones.active
    state[name] = {
        "settings": inertia("ui.transition.properties").values_from(rig()),
        "current": found.is_current,
        "rating": found.verdict and found.verdict.rating,
        "total": found.verdict and found.verdict.total,
        "faults": [[fault.bone, fault.frame] for fault in (found.verdict.faults if found.verdict else ())],
        "helps": [
            {"change": one.change, "rating": one.verdict.rating, "total": one.verdict.total}
            for one in found.helps or ()
        ],
        "frame": bpy.context.scene.frame_current_final,
        "bone": bone.name if bone else "",
        "running": inertia("ui.transition.previewing").is_running(),
    }


def judged() -> bool:
    found = told()
    return found.is_current and found.helps is not None


def rest() -> Steps:
    """Wait for the verdict and what helps, with the mouse elsewhere."""
    hover(*middle())
    yield from until(judged)
    yield LATER


def field_below(name: str) -> Steps:
    """Note where the first field below the verdict is."""
    hovered: list[str] = []
    yield from sweep("inertia.blend_time", right=False, at=0.5, hovered=hovered)
    state.setdefault("places", {})[name] = state["button"]
    hover(*middle())
    yield LATER


def drag_blend_time() -> Steps:
    """Drag the field of the blend time, and stop on the way, with the button held."""
    yield from find_button("inertia.blend_time", at=0.55)
    x, y = state["button"]
    window().event_simulate(type="LEFTMOUSE", value="PRESS", x=x, y=y)
    yield SOON
    before = rig().inertia.blend_time
    state["dragged"] = []
    for way in range(4, 44, 4):
        hover(x - way, y)
        yield SOON
        if rig().inertia.blend_time != before:
            found = told()
            state["dragged"].append([rig().inertia.blend_time, found.is_current, found.verdict.total])
    picture("grey")
    yield from until(lambda: told().is_current)
    state["held"] = [rig().inertia.blend_time, told().verdict.total]
    window().event_simulate(type="LEFTMOUSE", value="RELEASE", x=x - 40, y=y)
    yield LATER


def steps() -> Steps:
    """From a transition that is not good to one that is."""
    make_walker()
    own = rig().inertia
    own.blend_time, own.destination_frame, own.use_destination_frame = BLEND, ENTRY, True
    remember("Settings")
    yield from open_tab()
    yield from rest()
    note("before")
    picture("before")
    yield from field_below("before")
    yield from push("inertia.go_to_fault", right=True)
    note("went")
    yield from drag_blend_time()
    yield from rest()
    note("dragged to")
    yield from field_below("dragged to")
    yield from press("Z", ctrl=True)
    yield from rest()
    note("undone")
    yield from find_button("inertia.use_remedy")
    picture("over what helps")
    yield from click(*state["button"])
    yield from rest()
    note("helped")
    picture("helped")
    yield from field_below("helped")
    yield from press("Z", ctrl=True)
    yield from rest()
    note("undone again")
    yield from push("inertia.suggest_blend_time", right=True)
    while inertia("ui.shared.long_work")._going:
        yield SOON
    yield from rest()
    note("suggested")
    picture("suggested")
