# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside of a Blender with a window: shows where a walk in place would go, and has it go there; see
test_travel.py."""

from __future__ import annotations

import math
from typing import Any

import bpy
from characters import rig
from driver import (
    LATER,
    SOON,
    Steps,
    box,
    close_other_editors,
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
from feet_steps import make_character


def hold_in_place() -> None:
    """Take the travel out of the walk of the biped, whose hips alone carry it."""
    curve = next(
        curve
        for curve in inertia("blender.data.compat").curves(rig().animation_data.action, "OBRig")
        if curve.data_path.endswith('["hips"].location') and _spread(curve) > 0.5
    )
    first = curve.keyframe_points[0].co[1]
    for point in curve.keyframe_points:
        point.co[1] = point.handle_left[1] = point.handle_right[1] = first
    curve.update()
    rig().animation_data.action.use_fake_user = True
    remember("In Place")


def _spread(curve: Any) -> float:
    values = [point.co[1] for point in curve.keyframe_points]
    return max(values) - min(values)


def steps() -> Steps:
    """What happens, with only the panel on travel open."""
    with only_open("_travel", mode="TRAVEL"):
        yield from show_and_make()


def note(name: str) -> None:
    """What there is now, by value."""
    looking = inertia("ui.travel.way_plot")
    job = next(iter(looking._jobs.values()), None)
    shown = None if job is None else job.shown
    state[name] = {
        "fault": "" if job is None else job.fault,
        "assigned": rig().animation_data.action.name,
        "speed": None if shown is None else round(shown.speed, 2),
        "gone": None if shown is None else round(math.dist(shown.points[0], shown.points[-1]), 2),
    }


def show_and_make() -> Steps:
    """Switch the overlay on, look at it in this mode and in another, and have the walk travel."""
    bpy.context.preferences.view.ui_scale = 0.6
    bpy.context.scene.inertia_overlay.travel = False
    make_character()
    hold_in_place()
    yield from close_other_editors()
    with inside("WINDOW"):
        bpy.ops.view3d.view_axis(type="LEFT")
        bpy.ops.view3d.view_all()
        bpy.ops.view3d.zoom(delta=-2)
    yield from open_tab()
    state["view"] = box(view())
    main = region("WINDOW")
    x, y = main.x + main.width // 4, main.y + main.height // 4
    hover(x, y)
    yield LATER
    note("off")
    picture("off")
    bpy.context.scene.inertia_overlay.travel = True
    remember("Overlay")
    yield LATER
    yield LATER
    note("on")
    picture("on")
    bpy.context.workspace.inertia_mode = "JOIN"
    yield LATER
    picture("elsewhere")
    bpy.context.workspace.inertia_mode = "TRAVEL"
    yield LATER
    for button, at, done in (("inertia.travel", 0.25, "made"), ("inertia.in_place", 0.75, "in place")):
        yield from push(button, at=at)
        yield LATER
        note(done)
    for _ in range(2):
        hover(x, y)
        yield SOON
        yield from key("Z", x, y, ctrl=True)
        yield SOON
        yield LATER
    note("undone")
    bpy.context.scene.inertia_overlay.travel = False
    remember("Off")
    yield LATER
    picture("off again")
