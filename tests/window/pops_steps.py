# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside of a Blender with a window: finds pops, looks at one, smooths them; see test_pops.py."""

from __future__ import annotations

import math
from typing import Any

import bpy
from characters import make_row_of_bones
from driver import (
    LATER,
    SOON,
    Steps,
    box,
    hover,
    inertia,
    inside,
    key,
    only_open,
    open_tab,
    picture,
    push,
    region,
    remember,
    state,
    window,
    within,
)


def rig() -> Any:
    return bpy.data.objects["Armature"]


def make_character() -> None:
    """A rig of three bones of which one twice turns aside for a frame."""
    make_row_of_bones()
    made = rig().animation_data_create().action = bpy.data.actions.new("Take")
    made.use_fake_user = True
    for frame in range(1, 61):
        for i, bone in enumerate(rig().pose.bones):
            bone.rotation_mode = "XYZ"
            aside = 0.8 if i == 1 and frame in (20, 45) else 0.0
            bone.rotation_euler = (0.3 * math.sin(0.2 * frame + i) + aside, 0.1 * i, 0.0)
            bone.keyframe_insert("rotation_euler", frame=frame)
    bpy.context.scene.frame_set(1)
    remember("Character")


def steps() -> Steps:
    """What happens, with only the panel on pops open, so that all of it fits in."""
    with only_open("_pops", mode="CLEAN"):
        yield from find_and_smooth()


def note(name: str) -> None:
    """What there is now, by value."""
    own, action = rig().inertia_pops, rig().animation_data.action
    compat = inertia("blender.data.compat")
    state[name] = {
        "actions": sorted(bpy.data.actions.keys()),
        "assigned": action.name,
        "found": [[item.bone, item.kind, item.first, item.chosen] for item in own.found],
        "frame": bpy.context.scene.frame_current,
        "selected": [bone.name for bone in compat.selected_bones(rig())],
    }


def find_and_smooth() -> Steps:
    """Find pops, click on the second, see them over the keys, smooth them, and take that back."""
    bpy.context.preferences.view.ui_scale = 0.6
    make_character()
    bpy.context.scene.inertia_overlay.pops = False
    with inside("WINDOW"):
        bpy.ops.screen.area_split(direction="HORIZONTAL", factor=0.3)
    yield LATER
    sheet = min((a for a in window().screen.areas if a.type == "VIEW_3D"), key=lambda a: a.height)
    sheet.type = "DOPESHEET_EDITOR"
    sheet.spaces.active.mode = "ACTION"
    yield LATER
    with within(sheet):
        bpy.ops.action.view_all()
    yield from open_tab()
    note("before")
    yield from push("inertia.find_pops")
    yield LATER
    note("found")
    main = region("WINDOW")
    hover(main.x + 300, main.y + main.height // 2)
    state["sheet"] = box(sheet)
    yield LATER
    picture("off")
    bpy.context.scene.inertia_overlay.pops = True
    remember("Overlay")
    yield LATER
    picture("on")
    rig().inertia_pops.active = 1
    remember("Look")
    yield LATER
    note("looked at")
    picture("looked at")
    yield from push("inertia.smooth_pops")
    yield LATER
    note("smoothed")
    picture("smoothed")
    hover(main.x + 300, main.y + main.height // 2)
    yield SOON
    yield from key("Z", main.x + 300, main.y + main.height // 2, ctrl=True)
    yield LATER
    note("undone")
