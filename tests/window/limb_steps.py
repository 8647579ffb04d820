# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside of a Blender with a window: lists the limbs of a Rigify human; see test_limbs.py."""

from __future__ import annotations

from typing import Any

import bpy
from control_steps import RIG, forget_rigify, make_human
from driver import (
    LATER,
    Steps,
    choose,
    close_popover,
    key,
    open_tab,
    picture,
    region,
    remember,
    state,
    window,
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
    """What happens, in the popover of the character."""
    scale = bpy.context.preferences.view.ui_scale
    window().workspace.inertia_listed = "LIMBS"
    try:
        yield from list_limbs()
    finally:
        window().workspace.inertia_listed = "JOINTS"
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
    yield from choose("VIEW3D_PT_inertia_character", "inertia.find_limbs")
    yield LATER
    note("found")
    picture("found")
    main = region("WINDOW")
    yield from close_popover()
    yield from key("Z", main.x + 8, main.y + 8, ctrl=True)
    note("undone")
    yield from forget_rigify()
