# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside of a Blender with a window: finds, bakes and undoes hops, stops a search. See test_hops."""

from __future__ import annotations

import math
from typing import Any

import bpy
from characters import make_row_of_bones
from driver import (
    LATER,
    SOON,
    Steps,
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
    until,
    window,
)


def make_character() -> None:
    """A rig of three bones with four actions."""
    make_row_of_bones()
    for name, turn in (("Walk", 0.3), ("Jog", 0.5), ("Trot", 0.7), ("Run", 0.8)):
        rig().animation_data_create().action = bpy.data.actions.new(name)
        for frame in range(1, 61, 3):
            for bone in rig().pose.bones:
                bone.rotation_mode = "XYZ"
                bone.rotation_euler = (turn * math.sin(0.3 * frame), turn, 0.0)
                bone.keyframe_insert("rotation_euler", frame=frame)
    own = rig().inertia
    own.source, own.destination = bpy.data.actions["Walk"], bpy.data.actions["Run"]
    own.cut, own.blend_frames = 10.0, 6.0
    remember("Character")


def rig() -> Any:
    return bpy.data.objects["Armature"]


def steps() -> Steps:
    """What happens, with only the panel on hops open below the first, so that all of it fits in."""
    with only_open("_through"):
        window().workspace.inertia_through = "CLIP"
        yield from find_and_bake()
        window().workspace.inertia_through = "GAP"


def note(name: str) -> None:
    """What there is now, by value."""
    own = rig().inertia_hops
    action = rig().animation_data.action
    state[name] = {
        "actions": sorted(bpy.data.actions.keys()),
        "assigned": action.name if action else "",
        "costs": [item.cost for item in own.ways],
        "frame": bpy.context.scene.frame_current,
    }


def find_and_bake() -> Steps:
    """Find hops, see what they cost, bake one, and take it back."""
    bpy.context.preferences.view.ui_scale = 0.6
    make_character()
    yield from open_tab()
    main = region("WINDOW")
    top = window().height - main.y - main.height
    state["view"] = [main.x, top, main.x + main.width // 2, top + main.height]
    note("before")
    yield from push("inertia.find_hops")
    yield from until_found()
    note("found")
    hover(main.x + 300, main.y + main.height // 2)
    yield LATER
    picture("off")
    bpy.context.scene.inertia_overlay.hops = True
    remember("Overlay")
    yield LATER
    picture("on")
    yield from push("inertia.bake_hop")
    note("baked")
    picture("baked")
    hover(main.x + 300, main.y + main.height // 2)
    yield SOON
    yield from key("Z", main.x + 300, main.y + main.height // 2, ctrl=True)
    note("undone")
    yield from stop_a_search(main)


def until_found() -> Steps:
    """Wait until hops are listed, which are judged in slices."""
    yield LATER
    yield from until(lambda: len(rig().inertia_hops.ways) > 0)
    yield LATER


def stop_a_search(main: Any) -> Steps:
    """Search through clips that are long and take Blender itself to play, and stop it."""
    bones = rig().pose.bones
    bones[2].constraints.new("COPY_ROTATION").target = rig()
    bones[2].constraints[0].subtarget = bones[0].name
    compat = inertia("blender.data.compat")
    for name in ("Walk", "Run"):
        action = bpy.data.actions[name]
        slots = compat.slots(action)
        made = compat.curves(action, slots[0].identifier)[0]
        made.keyframe_points.insert(100_000, 0.0)
    bpy.context.scene.frame_set(30)
    note("before the search")
    yield LATER
    with inside("WINDOW"):
        state["started"] = list(bpy.ops.inertia.find_hops("INVOKE_DEFAULT"))
    yield LATER
    yield from key("ESC", main.x + 300, main.y + main.height // 2)
    note("stopped")
