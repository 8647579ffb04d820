# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside of a Blender with a window: looks for what fills a gap, fills it, and takes that back. See
test_fill."""

from __future__ import annotations

import bpy
import driver
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
    """What happens, with only the panel on the gap open, or the one on keys."""
    with only_open("DOPESHEET_PT_inertia_keys" if case == "keys" else "_through"):
        yield from (fill_between_keys() if case == "keys" else fill())


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
