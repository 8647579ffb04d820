# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside of a Blender with a window: lists what a take needs, leaves some of it, mends the rest and
takes that back; see test_finish.py."""

from __future__ import annotations

from typing import Any

import bpy
from driver import (
    LATER,
    SOON,
    Steps,
    choose,
    click,
    close_popover,
    enter,
    find_button,
    find_entry,
    inertia,
    lines_drawn,
    only_open,
    open_tab,
    picture,
    press,
    push_through,
    remember,
    state,
    until,
    worked,
)
from pops_steps import make_character, rig

TICK = 0.125
"""Where the ticks of the list are, a part of the sidebar's width."""


def note(name: str) -> None:
    """What there is now, by value."""
    own, action = rig().inertia_finish, rig().animation_data.action
    selected = inertia("blender.data.compat").selected_bones(rig())
    state[name] = {
        "actions": sorted(bpy.data.actions.keys()),
        "assigned": action.name,
        "found": [[item.kind, item.bone, item.first, item.chosen] for item in own.found],
        "frame": bpy.context.scene.frame_current,
        "selected": [bone.name for bone in selected],
    }


def steps() -> Steps:
    """What happens, with only the panel on finishing open, so that all of it fits in."""
    with only_open("_finish", mode="CLEAN"), lines_drawn() as lines:
        yield from look_and_mend(lines)


def look_and_mend(lines: list[str]) -> Steps:
    """List findings, go to the first, tick it off, mend the others, and take that back."""
    bpy.context.preferences.view.ui_scale = 0.6
    make_character()
    yield from open_tab()
    note("before")
    yield from push_through("inertia.find_faults")
    yield from until(lambda: len(rig().inertia_finish.found) > 0)
    yield LATER
    note("found")
    picture("found")
    yield from find_button("found[0].chosen", at=TICK)
    x, y = state["button"]
    yield from click(x, y)
    yield from until(lambda: not rig().inertia_finish.found[0].chosen)
    note("ticked off")
    enter(x + 60, y)
    yield SOON
    yield from click(x + 60, y)
    yield from until(lambda: rig().inertia_finish.active == 0)
    yield LATER
    note("gone to")
    state["sentence"] = drawn(lines)
    picture("listed")
    lines.clear()
    yield from push_through("inertia.finish_take")
    yield from until(lambda: any("mended, " in line for line in lines))
    yield LATER
    note("mended")
    state["result"] = drawn(lines)
    picture("mended")
    yield from press("Z", ctrl=True)
    yield from until(lambda: rig().animation_data.action.name == "Take")
    yield LATER
    note("undone")
    yield from put_into_another_action()


def put_into_another_action() -> Steps:
    """Put the take into another action, by the popover at the end of the panel, and take that back."""
    own, other = rig().inertia_finish, bpy.data.actions["Take"].copy()
    other.name, other.use_fake_user = "Other", True
    own.into, own.use_at, own.at = other, True, 30
    remember("Another action")
    yield LATER
    yield from find_entry("VIEW3D_PT_inertia_inserttake", "inertia.insert_take")
    picture("popover")
    yield from close_popover()
    yield from choose("VIEW3D_PT_inertia_inserttake", "inertia.insert_take")
    yield from worked()
    yield LATER
    note("inserted")
    yield from close_popover()
    yield from press("Z", ctrl=True)
    yield from until(lambda: rig().animation_data.action.name == "Take")
    yield LATER
    note("taken out")


def drawn(lines: list[str]) -> list[Any]:
    """The lines of the panels, as they were drawn last."""
    return list(dict.fromkeys(lines))
