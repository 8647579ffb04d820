# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside of a Blender with a window: looks, in Blender's workspace for animation, for what an animator
needs first; see test_sight.py."""

from __future__ import annotations

import bpy
from characters import make_walker
from driver import (
    LATER,
    Steps,
    hover,
    inertia,
    middle,
    open_tab,
    picture,
    remember,
    state,
    sweep,
    until,
    window,
)


def steps() -> Steps:
    """What happens."""
    make_walker()
    # a verdict with a fault, and so with a button beside it
    rig = bpy.context.object
    rig.inertia.blend_time, rig.inertia.use_destination_frame = 2.0, True
    remember("Two clips")
    before, window().workspace = window().workspace, bpy.data.workspaces["Animation"]
    yield LATER
    try:
        yield from look()
    finally:
        window().workspace = before


def look() -> Steps:
    """What the mouse meets in the sidebar, without scrolling it."""
    yield from open_tab()
    hover(*middle())
    current = inertia("ui.judging.live").current
    yield from until(lambda: current(bpy.context.object).is_current)
    yield LATER
    hovered: list[str] = []
    yield from sweep("inertia.bake_transition", right=False, at=0.4, hovered=hovered)
    state["hovered"] = hovered
    beside: list[str] = []
    yield from sweep("inertia.go_to_fault", right=True, at=0.5, hovered=beside)
    state["beside"] = beside
    picture("sight")
