# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside of a Blender with a window: judges a rig that Blender has to play, and does what helps; see
test_control_verdict.py."""

from __future__ import annotations

from typing import Any

import bpy
from characters import make_led, make_walker, rig
from driver import (
    LATER,
    SOON,
    Steps,
    hover,
    inertia,
    inside,
    middle,
    open_tab,
    picture,
    push,
    remember,
    state,
    until,
)
from verdict_steps import BLEND, ENTRY, note, told


def worked() -> bool:
    return not inertia("ui.shared.long_work")._going


def unjudged() -> Steps:
    """Wait until the panel offers to judge, with the mouse elsewhere."""
    hover(*middle())
    yield from until(lambda: told().needs_operator)
    yield LATER


def judge(name: str) -> Steps:
    """Press Judge, and note what is said once it has looked for what helps."""
    yield from push("inertia.judge")
    yield from until(lambda: told().is_current and told().verdict is not None)
    while not worked():
        yield SOON
    hover(*middle())
    yield LATER
    note(name)
    picture(name)


def count(name: str) -> Steps:
    """Press Judge, and note how many frames Blender shows until there is a verdict."""
    live, shown, counts = inertia("ui.judging.live"), [], state.setdefault("shown", {})
    keep = live.keep

    def note_shown(*_arguments: Any) -> None:
        shown.append(None)

    def kept(*arguments: Any) -> Any:
        counts.setdefault(name, []).append(len(shown))
        return keep(*arguments)

    yield from unjudged()
    bpy.app.handlers.frame_change_post.append(note_shown)
    live.keep = kept
    try:
        yield from push("inertia.judge")
        yield from until(lambda: told().is_current and told().verdict is not None)
        while not worked():
            yield SOON
    finally:
        live.keep = keep
        bpy.app.handlers.frame_change_post.remove(note_shown)


def counted() -> Steps:
    """Change settings of a rig whose feet IK leads, one after the other, and have each judged."""
    make_led()
    own = rig().inertia
    own.blend_time = 10.0
    with inside("WINDOW"):
        bpy.ops.inertia.evaluate_clips()
    for feet in ("OFF", "AUTO", "LOCK"):
        own.feet = feet
        yield from count("first" if feet == "OFF" else feet)
        for setting, change in (("blend_time", 2.0), ("blend_time", 6.0), ("cut", 1.0)):
            setattr(own, setting, getattr(own, setting) + change)
            yield from count(feet)


def steps() -> Steps:
    """From a transition that is not good to one that is, with a constraint that turns the head."""
    make_walker()
    turned = rig().pose.bones["head"].constraints.new("COPY_ROTATION")
    turned.target, turned.subtarget, turned.influence = rig(), "chest", 0.5
    own = rig().inertia
    own.blend_time, own.destination_frame, own.use_destination_frame, own.feet = BLEND, ENTRY, True, "OFF"
    with inside("WINDOW"):
        bpy.ops.inertia.evaluate_clips()
    remember("Settings")
    yield from open_tab()
    yield from unjudged()
    picture("unjudged")
    note("unjudged")
    yield from judge("before")
    own = rig().inertia
    own.blend_time = BLEND - 1.0
    for area in bpy.context.window_manager.windows[0].screen.areas:
        area.tag_redraw()
    note("grey")
    yield SOON
    picture("grey")
    own.blend_time = BLEND
    yield from unjudged()
    yield from judge("again")
    yield from push("inertia.use_remedy")
    yield from unjudged()
    yield from judge("helped")
    yield from counted()
