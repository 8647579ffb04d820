# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside of a Blender with a window: lists the limbs of a Rigify human; see test_limbs.py."""

from __future__ import annotations

from typing import Any

import bpy
from control_steps import RIG, forget_rigify, make_human
from driver import (
    LATER,
    SOON,
    Steps,
    hover,
    key,
    only_open,
    open_tab,
    picture,
    push,
    region,
    remember,
    state,
)


def note(name: str) -> None:
    """What is listed, and how the rig is switched and posed."""
    rig: Any = bpy.data.objects[RIG]
    state[name] = {
        "listed": [[item.name, item.bone, item.switch, item.ik_end] for item in rig.inertia_limbs.items],
        "switch": rig.pose.bones["thigh_parent.L"]["IK_FK"],
        "posed": round(rig.pose.bones["chest"].location.x, 4),
    }


def steps() -> Steps:
    """What happens, with only the panel of limbs open below the first."""
    scale = bpy.context.preferences.view.ui_scale
    with only_open("_character", "_limbs"):
        try:
            yield from list_limbs()
        finally:
            bpy.context.preferences.view.ui_scale = scale


def list_limbs() -> Steps:
    """Press Find, and undo."""
    bpy.context.preferences.view.ui_scale = 0.7
    rig = make_human()
    rig.pose.bones["chest"].location.x = 0.1  # posed, and not keyed
    yield LATER
    remember("Posed")
    yield from open_tab()
    note("before")
    yield from push("inertia.find_limbs", at=0.3)
    yield LATER
    note("found")
    picture("found")
    main = region("WINDOW")
    hover(main.x + 300, main.y + main.height // 2)
    yield SOON
    yield from key("Z", main.x + 300, main.y + main.height // 2, ctrl=True)
    note("undone")
    yield from forget_rigify()
