# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside of a Blender with a window: two strips become a transition; see test_nla.py."""

from __future__ import annotations

from typing import Any

import bpy
import driver
from characters import make_walker, rig
from driver import (
    LATER,
    SOON,
    Steps,
    click,
    hover,
    inertia,
    key,
    open_tab,
    picture,
    presses,
    push,
    region,
    remember,
    state,
    window,
)


def note(name: str) -> None:
    """What plays, by value."""
    animation = rig().animation_data
    state[name] = {
        "actions": sorted(bpy.data.actions.keys()),
        "assigned": "" if animation.action is None else animation.action.name,
        "tracks": [[strip.name for strip in track.strips] for track in animation.nla_tracks],
        "settings": inertia("ui.transition.properties").values_from(rig()),
    }


def make_strips() -> None:
    """Walk as it is keyed, and Run, which begins later with a frame of its middle."""
    make_walker()
    own, animation = rig().inertia, rig().animation_data
    own.property_unset("source")
    own.property_unset("destination")
    animation.action = None
    for name, start, first in (("Walk", 11, 1.0), ("Run", 51, 15.0)):
        action = bpy.data.actions[name]
        strip = animation.nla_tracks.new().strips.new(name, start, action)
        if inertia("blender.data.compat").has_slots():
            strip.action_slot = action.slots[0]
        strip.action_frame_start = first
        strip.select = False
    with driver.inside("WINDOW"):
        bpy.ops.object.mode_set(mode="OBJECT")
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 100


def middle_of(name: str) -> Steps:
    """Where a strip is: Blender does not say how high, so clicks that do not count look for it."""
    strip = next(s for track in rig().animation_data.nla_tracks for s in track.strips if s.name == name)
    main = region("WINDOW")
    x, _ = main.view2d.view_to_region(strip.frame_end - 5.0, 0.0, clip=False)
    for y in range(main.height - 40, 20, -8):
        yield from click(main.x + x, main.y + y)
        if strip.select:
            state[name] = [main.x + x, main.y + y - 4]
            return
    raise AssertionError(f"no strip {name} in the NLA Editor")


def choose(name: str, *, extend: bool = False) -> Steps:
    """Click a strip."""
    x, y = state[name]
    hover(x, y)
    yield SOON
    presses.append(f"strip {name}")
    for value in ("PRESS", "RELEASE"):
        window().event_simulate(type="LEFTMOUSE", value=value, x=x, y=y, shift=extend)
        yield SOON
    yield LATER


def steps() -> Steps:
    """The 3D View becomes an NLA Editor, in which all is done."""
    make_strips()
    area, view = driver.view(), driver.view
    area.type = "NLA_EDITOR"
    driver.view = lambda: area
    yield LATER
    try:
        yield from in_nla_editor()
    finally:
        driver.view = view


def in_nla_editor() -> Steps:
    yield from open_tab()
    with driver.inside("WINDOW"):
        bpy.ops.nla.view_all()
    yield LATER
    for name in ("Walk", "Run"):
        yield from middle_of(name)
    remember("Strips")
    picture("nothing")
    presses.clear()
    yield from choose("Walk")
    yield from choose("Run", extend=True)
    picture("chosen")
    yield from push("from_strips=True")
    state["presses"] = list(presses)
    note("baked")
    yield from undo()
    note("undone")
    yield from push("inertia.strips")
    yield from push("from_strips=True")
    note("strips")
    with driver.inside("WINDOW"):
        bpy.ops.nla.view_all()
    yield LATER
    picture("strips")
    yield from push("inertia.remove_strips", right=True)
    note("removed")


def undo() -> Steps:
    main: Any = region("WINDOW")
    x, y = main.x + main.width // 2, main.y + 40
    hover(x, y)
    yield SOON
    yield from key("Z", x, y, ctrl=True)
    for name in ("Walk", "Run"):
        strip = next(s for track in rig().animation_data.nla_tracks for s in track.strips if s.name == name)
        strip.select = True
