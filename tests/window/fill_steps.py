# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside of a Blender with a window: looks for what fills a gap, fills it, and takes that back. See
test_fill."""

from __future__ import annotations

import bpy
import driver
from bpy_extras import view3d_utils
from characters import rig
from driver import (
    LATER,
    Steps,
    box,
    inertia,
    key,
    only_open,
    open_tab,
    picture,
    push_through,
    region,
    remember,
    state,
    view,
)
from path_steps import make_character

CUT, GAP = 20.0, 24.0
KEYS = 21, 33


def steps(case: str = "clips") -> Steps:
    """What happens, with only the panel on the gap open, or the one on keys. case: what is tried."""
    run = {"clips": fill, "keys": fill_between_keys, "wishes": drag_wishes}[case]
    with only_open("DOPESHEET_PT_inertia_keys" if case == "keys" else "_through"):
        yield from run()


def note(name: str) -> None:
    """What there is now, by value."""
    own, action = rig().inertia_fill, rig().animation_data.action
    found = inertia("ui.fill.finding").recall_fills(rig())
    fault = getattr(found, "fault", "")
    fills = () if fault or found is None else found
    state[name] = {
        "actions": sorted(bpy.data.actions.keys()),
        "assigned": action.name if action else "",
        "gap": own.gap_frames,
        "ends": (rig().inertia.cut, rig().inertia.destination_frame),
        "fault": fault,
        "choice": own.choice,
        "clips": [[clip["action"] for clip in each.clips] for each in fills],
        "ghosts": [len(each.ghosts) for each in fills],
    }


def step(name: str, **held: bool) -> Steps:
    """Take the last step back, or with Shift make it again."""
    main = region("WINDOW")
    yield from key("Z", main.x + main.width // 3, main.y + main.height // 2, ctrl=True, **held)
    yield LATER
    note(name)


def fill_between_keys() -> Steps:
    """Select two columns of keys in a Dope Sheet, fill between them, and take that back."""
    bpy.context.preferences.view.ui_scale = 0.6
    make_character()
    walk = bpy.data.actions["Walk"]
    slot = inertia("blender.data.actions").choose_slot(walk, rig()).identifier
    inertia("blender.data.compat").assign(rig(), walk, slot)
    sheet, view_before = view(), driver.view
    sheet.type = "DOPESHEET_EDITOR"
    sheet.spaces.active.mode = "ACTION"
    driver.view = lambda: sheet
    yield LATER
    try:
        with driver.inside("WINDOW"):
            bpy.ops.action.view_all()
            bpy.ops.action.select_all(action="DESELECT")
        for frame in KEYS:
            bpy.context.scene.frame_set(frame)
            with driver.inside("WINDOW"):
                bpy.ops.action.select_column(mode="CFRA")
        remember("Keys")
        yield from open_tab()
        state["view"] = box(sheet)
        picture("keys")
        yield from push_through("inertia.bake_fill")
        note("filled")
        picture("keys filled")
        yield from step("undone")
    finally:
        driver.view = view_before


def fill() -> Steps:
    """Ask for what is too far away, take the time that would do, look, fill the gap, and take it back."""
    bpy.context.preferences.view.ui_scale = 0.6
    make_character()
    own, gap = rig().inertia, rig().inertia_fill
    own.source, own.destination, own.cut = bpy.data.actions["Walk"], bpy.data.actions["Bend"], CUT
    own.use_destination_frame, own.destination_frame = True, 30.0
    gap.gap_frames, gap.use_place = GAP, True
    gap.place, gap.facing = (0.4, -2.9), -1.5708
    bpy.context.scene.inertia_overlay.fill = True
    remember("Gap")
    yield from open_tab()
    state["view"] = box(view())
    picture("asked")
    yield from push_through("inertia.find_fill")
    note("refused")
    picture("refused")
    yield from push_through("inertia.use_fill_time")
    note("given")
    yield from push_through("inertia.find_fill")
    note("found")
    picture("found")
    yield from push_through("inertia.choose_fill(choice=2)")
    note("chosen")
    picture("chosen")
    yield from push_through("inertia.bake_fill")
    note("filled")
    picture("filled")
    yield from step("undone")
    yield from step("redone", shift=True)


def note_wishes(name: str) -> None:
    """What is asked for on the way."""
    gap = rig().inertia_fill
    state[name] = {"waypoints": gap.waypoints, "touches": gap.touches}


def place_of(joint: str, frame: float) -> tuple[int, int]:
    """Where on the screen the found fill has a joint of the ghost nearest to a frame; "" for the way."""
    found = inertia("ui.fill.finding").recall_fills(rig())
    shown, main = found[0], region("WINDOW")
    if joint:
        row = abs(shown.moments - frame).argmin()
        point = shown.points[row, shown.joints.index(joint)]
    else:
        point = shown.way[abs(shown.frames - frame).argmin()]
    at = view3d_utils.location_3d_to_region_2d(main, view().spaces.active.region_3d, point.tolist())
    return main.x + round(at.x), main.y + round(at.y)


def drag_wishes() -> Steps:
    """Find a fill, drag its way and a joint of a ghost, take one back, and bake."""
    bpy.context.preferences.view.ui_scale = 0.6
    make_character()
    own, gap = rig().inertia, rig().inertia_fill
    own.source, own.destination, own.cut = bpy.data.actions["Walk"], bpy.data.actions["Walk"], CUT
    own.use_destination_frame, own.destination_frame = True, 50.0
    gap.gap_frames = 30.0
    remember("Gap")
    yield from open_tab()
    state["view"] = box(view())
    eye = view().spaces.active.region_3d
    eye.view_perspective, eye.view_distance, eye.view_location = "ORTHO", 4.0, (0.0, -1.5, 0.6)
    yield LATER
    yield from push_through("inertia.find_fill")
    picture("found")
    for name, joint, frame, by, ending in (
        ("left", "", 35.0, (-30, 12), "ESC"),
        ("way", "", 35.0, (-30, 12), "RELEASE"),
        ("joint", "foot.L", 40.0, (0, 12), "RELEASE"),
    ):
        if joint:
            with driver.inside("WINDOW"):
                bpy.ops.view3d.view_axis(type="RIGHT")
            yield LATER
        x, y = place_of(joint, frame)
        yield from driver.drag((x, y), (x + by[0], y + by[1]), ending)
        yield from driver.until_worked("find_fill")
        note_wishes(name)
        picture(f"{name} dragged")
    yield from push_through("inertia.use_nearest_touch")
    note_wishes("nearest")
    yield from push_through("inertia.bake_fill")
    note("filled")
    picture("filled")
    yield from step("undone")
