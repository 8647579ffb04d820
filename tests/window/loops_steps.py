# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside of a Blender with a window: finds loops, picks one in the map, makes it. See test_loops."""

from __future__ import annotations

from typing import Any

import bpy
from characters import make_walker, rig
from driver import (
    LATER,
    SOON,
    Steps,
    box,
    click,
    find_button,
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
    view,
)
from overlay_steps import places


def make_character() -> None:
    """A walker whose walk leans ever more, so that it closes nowhere; what stands may be found, too."""
    make_walker()
    walk = bpy.data.actions["Walk"]
    rig().animation_data.action = walk
    compat = inertia("blender.data.compat")
    for curve in compat.curves(walk, compat.slots(walk)[0].identifier):
        if "chest" in curve.data_path:
            for point in curve.keyframe_points:
                point.co[1] += 0.004 * point.co[0]
            curve.update()
    rig().inertia_loops.by_feet = False
    remember("Character")


def note(name: str) -> None:
    """What there is now, by value."""
    own, action = rig().inertia_loops, rig().animation_data.action
    state[name] = {
        "actions": sorted(bpy.data.actions.keys()),
        "assigned": action.name if action else "",
        "found": [[item.start, item.end] for item in own.loops],
        "chosen": [round(own.loop_start, 2), round(own.loop_end, 2)],
    }


def steps() -> Steps:
    """What happens, with only the panel on loops open below the first, so that all of it fits in."""
    with only_open("_loop", mode="CLEAN"):
        yield from find_and_make()


def hints() -> Steps:
    """Forget the loops, with the panel unfolded, behind a closed sidebar, and folded."""
    inertia("ui.shared.cache").forget()
    state["hints"] = [hint()]
    for shows in (False, True):
        view().spaces.active.show_region_ui = shows
        yield LATER
        state["hints"].append(hint())
    yield from find_button("inertia.find_loop")
    yield from key("A", *state["button"])  # folds the panel under the mouse
    yield LATER
    state["hints"].append(hint())


def hint() -> str:
    """What the 3D View says is missing."""
    with inside("WINDOW"):
        said: str = inertia("ui.overlay.build").view3d_overlay(bpy.context).note
    return said


def find_and_make() -> Steps:
    """Find loops, take another one from the map, make it, and take that back."""
    bpy.context.preferences.view.ui_scale = 0.6
    make_character()
    bpy.context.scene.inertia_overlay.loops = False
    yield from open_tab()
    state["view"] = box(view())
    note("before")
    yield from push("inertia.find_loop")
    yield LATER
    note("found")
    main = region("WINDOW")
    hover(main.x + 300, main.y + main.height // 2)
    yield LATER
    picture("off")
    bpy.context.scene.inertia_overlay.loops = True
    remember("Overlay")
    yield LATER
    picture("on")
    cells = places("LOOP")
    x, y, values = cells[len(cells) // 2]
    state["cell"] = values
    hover(x, y)
    yield SOON
    yield from click(x, y)
    note("picked")
    yield from push("inertia.make_loop")
    yield LATER
    note("made")
    made: Any = bpy.data.actions.get("Walk loop")
    state["cyclic"] = [made.use_cyclic, made.frame_start, made.frame_end] if made else []
    picture("made")
    hover(main.x + 300, main.y + main.height // 2)
    yield SOON
    yield from key("Z", main.x + 300, main.y + main.height // 2, ctrl=True)
    note("undone")
    yield from hints()
