# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside of a Blender with a window: has a walk arrive at an empty, bakes that, moves the empty, updates
the result, and takes it back. See test_warp.py."""

from __future__ import annotations

import math

import bpy
from characters import rig
from driver import (
    LATER,
    Steps,
    find_button,
    key,
    only_open,
    open_tab,
    picture,
    push_through,
    region,
    remember,
    state,
)
from path_steps import make_character

CUT, AT = 20.0, 50.0
PLACE = (0.4, -1.3, 0.0)


def steps() -> Steps:
    """What happens, with only the panels on the result, the two actions and the bake open."""
    with only_open("_options"):
        yield from warp()


def note(name: str) -> None:
    """What there is now, by value."""
    own, action = rig().inertia, rig().animation_data.action
    mark = bpy.data.objects.get(own.warp_object)
    hips = rig().evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones["hips"].matrix
    state[name] = {
        "assigned": action.name if action else "",
        "warp": own.warp_object,
        "mark": mark and [*mark.location],
        "hips": [*(rig().matrix_world @ hips).translation],
    }


def show_arrival() -> Steps:
    """Go to the frame at which the destination arrives."""
    bpy.context.scene.frame_set(round(AT + CUT - 1.0))
    yield LATER


def warp() -> Steps:
    """Choose where to arrive, bake, move the place, update, and take back."""
    bpy.context.preferences.view.ui_scale = 0.6
    make_character()
    own = rig().inertia
    own.source, own.destination, own.cut = bpy.data.actions["Walk"], bpy.data.actions["Bend"], CUT
    own.use_destination_frame, own.destination_frame = True, 1.0
    own.show_result = own.follow_cut = False
    bpy.context.scene.cursor.location = PLACE
    remember("Pair")
    yield from open_tab()
    note("before")
    yield from push_through("inertia.warp_to", right=True)
    yield LATER
    note("chosen")
    yield from find_button("warp_heading")
    picture("chosen")
    own = rig().inertia
    own.use_warp_at, own.warp_at = True, AT
    remember("Arrival")
    yield from push_through("inertia.bake_transition")
    yield from show_arrival()
    note("baked")
    picture("baked")
    mark = bpy.data.objects[rig().inertia.warp_object]
    mark.location.x, mark.rotation_euler.z = PLACE[0] + 0.3, math.radians(-60.0)
    remember("Moved")
    yield LATER
    yield from push_through("inertia.rebake")
    yield from show_arrival()
    note("updated")
    main = region("WINDOW")
    x, y = main.x + main.width // 3, main.y + main.height // 2
    yield from key("Z", x, y, ctrl=True)
    yield LATER
    yield from show_arrival()
    note("undone")
    yield from push_through("inertia.warp_nowhere", right=True)
    note("nowhere")
    picture("nowhere")
