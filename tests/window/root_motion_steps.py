# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside of a Blender with a window: shows root motion, and drags ramps; see test_root_motion.py."""

from __future__ import annotations

import math
from typing import Any

import bpy
from characters import make_rig, rig
from driver import (
    LATER,
    SOON,
    Steps,
    bands,
    box,
    close_other_editors,
    hover,
    inertia,
    inside,
    key,
    middle,
    only_open,
    open_tab,
    panels,
    picture,
    prepare_view,
    push,
    region_of,
    remember,
    spots,
    state,
    switches,
    view,
    window,
    within,
)

BONES = (
    ("root", None, (0.0, 0.0, 0.0), (0.0, 0.3, 0.0)),
    ("hips", "root", (0.0, 0.0, 1.0), (0.0, 0.0, 1.2)),
    ("head", "hips", (0.0, 0.0, 1.6), (0.0, 0.0, 1.85)),
)
FPS = 30
ACTIONS = {
    "Start and Stop": (((1.0, 2.0, 0.25), (3.4, -2.0, 0.15)), ((2.2, 1.6, 0.2),)),
    "Walk": (((0.2, 1.4, 0.05),), ()),
    "Run": (((0.2, 3.6, 0.05),), ()),
}
"""For each action its springs of speed, and of facing: when, by how much, and the half-life in seconds."""
TIME_EDITORS = ("DOPESHEET_EDITOR", "GRAPH_EDITOR")


def response(seconds: float, half_life: float) -> float:
    """How far a spring has come."""
    z = 2.0 * math.log(2.0) / half_life * max(seconds, 0.0)
    return 1.0 - (1.0 + z) * math.exp(-z)


def moved(seconds: float, springs: Any) -> float:
    """What springs add up to."""
    return sum(by * response(seconds - at, half_life) for at, by, half_life in springs)


def make_character() -> Any:
    """A rig with a root and hips, and actions whose root speeds up, slows down and turns like springs."""
    bpy.context.scene.render.fps = FPS
    rig = make_rig(BONES)
    for name, (speeds, turns) in reversed(ACTIONS.items()):
        rig.animation_data.action = bpy.data.actions.new(name)
        animate(rig.pose.bones["root"], speeds, turns)
    bpy.context.scene.frame_end = 5 * FPS
    bpy.context.scene.frame_set(60)
    remember("Character")
    return rig


def animate(root: Any, speeds: Any, turns: Any) -> None:
    """Five seconds of root motion, a key a frame, with two strides a second."""
    root.rotation_mode = "XYZ"
    way, steps = 0.0, 20
    for frame in range(1, 5 * FPS + 1):
        stride = 0.015 * math.sin(2.0 * math.pi * 2.0 * frame / FPS)
        root.location = (0.0, -way - stride, 0.0)
        root.rotation_euler = (0.0, 0.0, moved((frame - 1) / FPS, turns))
        root.keyframe_insert("location", frame=frame)
        root.keyframe_insert("rotation_euler", frame=frame)
        for part in range(steps):
            way += moved((frame - 1 + (part + 0.5) / steps) / FPS, speeds) / (steps * FPS)


def note(name: str) -> None:
    """The half-life that is shown of the first ramp, and whether its range was set by hand."""
    shown = inertia("ui.root_motion.measured").read_view(rig())
    (ramp, *_) = shown.measured.speeds
    state[name] = [shown.best_guess(ramp), round(ramp.end * FPS, 3), shown.own_speed]


def edge_of(area: Any, kind: str, edge: str) -> tuple[int, int]:
    """Where on the screen an edge of the first ramp of a kind can be grabbed."""
    grab, main = inertia("ui.root_motion.drag_ramp").grab, region_of(area)
    with within(area):
        rects = panels().values() if area.type == "VIEW_3D" else bands()
        for x, y in spots(rects, (3, 24)):
            found = grab(bpy.context, x, y)
            if found is not None and (found[0].kind, found[0].index, found[0].edge) == (kind, 0, edge):
                return main.x + x, main.y + y
    raise AssertionError(f"the {edge} of no {kind} ramp can be grabbed in the {area.type}")


def leftwards() -> int:
    """A way to drag something, in pixels."""
    return -round(90 * bpy.context.preferences.view.ui_scale)


def drag(area: Any, kind: str, edge: str, by: int, ending: str, name: str) -> Steps:
    """Drag an edge by so many pixels, and let go or press ESC."""
    x, y = edge_of(area, kind, edge)
    for step in (3, 2, 1, 0):
        hover(x, y + step)
        yield SOON
    yield LATER
    picture(f"{name} hover")
    window().event_simulate(type="LEFTMOUSE", value="PRESS", x=x, y=y)
    yield SOON
    for step in range(1, 6):
        hover(x + by * step // 5, y)
        yield SOON
    yield LATER
    picture(f"{name} drag")
    note(f"{name} drag")
    if ending == "ESC":
        yield from key("ESC", x + by, y)
    window().event_simulate(type="LEFTMOUSE", value="RELEASE", x=x + by, y=y)
    yield LATER
    note(name)


def steps() -> Steps:
    """What happens."""
    window().workspace.inertia_mode = "MEASURE"
    yield from close_other_editors()
    make_character()
    yield from prepare_view()
    state["view"] = box(view())
    picture("off")
    yield from show_each()
    switches().root_motion = True
    remember("Root Motion")
    yield LATER
    yield from drag_edges()
    yield from use_half_life()
    yield from time_editors()


def show_each() -> Steps:
    """Each overlay of the 3D View on its own."""
    for each in inertia("ui.overlay.switches").plot_switches():
        setattr(switches(), each.name, False)
    state["handles"] = [len(inertia("ui.overlay.handlers")._handles)]
    switches().root_histogram = True
    rig().inertia_root.scope = "ALL"
    with inside("WINDOW"):
        bpy.ops.inertia.measure_actions()
    yield LATER
    picture("root_histogram")
    switches().root_motion = True
    yield LATER
    picture("both")
    switches().root_histogram = False
    yield LATER
    picture("root_motion")
    yield from show_springs()
    yield from show_modes()
    state["handles"].append(len(inertia("ui.overlay.handlers")._handles))
    switches().root_motion = False
    rig().inertia_root.scope = "ACTION"
    yield LATER
    picture("off again")
    state["handles"].append(len(inertia("ui.overlay.handlers")._handles))


def show_springs() -> Steps:
    """Springs of several half-lives beside the fit, and alone."""
    switches().root_springs = True
    yield LATER
    picture("with springs")
    with within(view()):
        state["panels"] = {name: list(place) for name, place in panels().items()}
    switches().root_motion = False
    yield LATER
    picture("springs")
    switches().root_motion, switches().root_springs = True, False
    yield LATER


def show_modes() -> Steps:
    """What each mode takes, in the panel, of all actions that were measured."""
    picture("before modes")
    with only_open("_rootmotion", "_movementmodes", mode="MEASURE"):
        yield from open_tab()
        picture("modes")
    state["modes"] = {
        mode.name: [mode.top_speed, mode.speeds and mode.speeds.middle]
        for mode in inertia("ui.root_motion.measured").recall_modes(rig())
    }
    view().spaces.active.show_region_ui = False
    yield LATER


def drag_edges() -> Steps:
    """Drag the end of the first ramp: ESC puts it back, letting go keeps it, undo takes it back."""
    note("before")
    way = leftwards()
    yield from drag(view(), "speed", "end", way, "ESC", "stopped")
    yield from drag(view(), "speed", "end", way, "RELEASE", "dragged")
    yield from key("Z", view().x + 200, view().y + view().height // 2, ctrl=True)
    note("undone")
    state["undone ranges"] = len(rig().inertia_root.ranges)


def use_half_life() -> Steps:
    """Hand the half-life on to the transition, whose offset fades like a spring, and take it back."""
    rig().inertia.method = "SPRING"
    remember("Spring")
    shown = inertia("ui.root_motion.measured").read_view(rig())
    state["main half-life"] = shown.best_guess(shown.measured.main_ramp)
    state["half-lives"] = [rig().inertia.half_life]
    with only_open("_rootmotion", mode="MEASURE"):
        yield from open_tab()
        yield from push("inertia.use_half_life")
        state["half-lives"].append(rig().inertia.half_life)
        yield from key("Z", *middle(), ctrl=True)
        state["half-lives"].append(rig().inertia.half_life)
    view().spaces.active.show_region_ui = False
    yield LATER


def time_editors() -> Steps:
    """The same in a Dope Sheet, and in a Graph Editor where there is nothing to drag."""
    area = view()
    # a 3D View stays, in which pictures are taken
    next(a for a in window().screen.areas if a.type == "DOPESHEET_EDITOR").type = "VIEW_3D"
    switches().root_motion = False
    for kind in TIME_EDITORS:
        area.type = kind
        if kind == "DOPESHEET_EDITOR":
            area.spaces.active.mode = "ACTION"
        area.spaces.active.show_region_ui = False
        yield LATER
        switches().root_timelines = False
        yield LATER
        with within(area):
            (bpy.ops.action if kind == "DOPESHEET_EDITOR" else bpy.ops.graph).view_all()
        yield LATER
        yield LATER
        state[kind] = box(area)
        picture(f"{kind} off")
        switches().root_timelines = True
        yield LATER
        picture(f"{kind} on")
        if kind == "DOPESHEET_EDITOR":
            remember("Time Editors")
            yield from drag(
                area,
                "speed",
                "end",
                -round(90 * bpy.context.preferences.view.ui_scale),
                "RELEASE",
                "dragged in time",
            )
            # a click that went on to Blender would deselect them
            state["keys"] = [sum(key.select_control_point for key in keys()), len(keys())]


def keys() -> list[Any]:
    """All keys of the rig's action."""
    compat = inertia("blender.data.compat")
    action = rig().animation_data.action
    curves = compat.curves(action, compat.slots(action)[0].identifier)
    return [key for curve in curves for key in curve.keyframe_points]
