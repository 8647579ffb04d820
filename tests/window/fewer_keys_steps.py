# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside of a Blender with a window: has an action told by fewer keys, and takes that back; see
test_fewer_keys.py."""

from __future__ import annotations

import bpy
from characters import rig
from driver import (
    Steps,
    inertia,
    lines_drawn,
    only_open,
    open_tab,
    picture,
    press,
    push_through,
    state,
    until,
)
from feet_steps import make_character


def note(name: str) -> None:
    """What there is now, by value."""
    compat = inertia("blender.data.compat")
    counts = {
        action.name: sum(
            len(curve.keyframe_points)
            for slot in compat.slots(action)
            for curve in compat.curves(action, slot.identifier)
        )
        for action in bpy.data.actions
    }
    state[name] = {"keys": counts, "assigned": rig().animation_data.action.name}


def steps() -> Steps:
    """What happens, with only the panel on keys open, so that all of it fits in."""
    with only_open("_fewerkeys", mode="CLEAN"), lines_drawn() as lines:
        yield from tell_by_fewer(lines)


def tell_by_fewer(lines: list[str]) -> Steps:
    """Make the action of fewer keys, read the line that says how many, and take it back."""
    bpy.context.preferences.view.ui_scale = 0.6
    make_character()
    rig().animation_data.action.use_fake_user = True
    yield from open_tab()
    note("before")
    state["lines before"] = list(dict.fromkeys(lines))
    lines.clear()
    yield from push_through("inertia.fewer_keys")
    yield from until(lambda: any(" keys, " in line for line in lines))
    note("made")
    picture("made")
    state["lines"] = list(dict.fromkeys(lines))
    yield from press("Z", ctrl=True)
    yield from until(lambda: rig().animation_data.action.name == "Walk")
    note("undone")
