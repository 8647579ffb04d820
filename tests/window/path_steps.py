# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside of a Blender with a window: follows a curve that is drawn, asks for other clips on it, and
bakes. See test_paths."""

from __future__ import annotations

import math
from typing import Any

import bpy
from bpy_extras.view3d_utils import location_3d_to_region_2d
from characters import make_led, make_walker, rig
from driver import (
    LATER,
    SOON,
    Steps,
    box,
    click,
    close_popover,
    find_entry,
    hover,
    inertia,
    inside,
    key,
    only_open,
    open_tab,
    picture,
    press,
    push_through,
    region,
    remember,
    state,
    view,
    window,
    worked,
)

OPEN = ("_path", "_joins", "_asked")
"""The panels that are open, so that all of them fits in."""
LENGTH = 3.5
"""The street goes further than one walk, in metres."""


def make_character() -> None:
    """The walker, with a third action in which it walks a bend: all ways of straight clips are alike.

    Its walk and run end within a step, as cycles they would come to the street's end without a join.
    """
    make_walker()
    end_at("Walk", 53)
    end_at("Run", 26)
    bend = bpy.data.actions["Walk"].copy()
    bend.name = "Bend"
    rig().animation_data.action = bend
    hips = rig().pose.bones["hips"]
    hips.rotation_mode = "XYZ"
    x, z = 0.0, 0.0
    for frame in range(1, 62):
        heading = 0.02 * frame
        x, z = x + 0.04 * math.sin(heading), z + 0.04 * math.cos(heading)
        hips.rotation_euler, hips.location = (0.0, heading, 0.0), (x, 0.0, z)
        for prop in ("rotation_euler", "location"):
            hips.keyframe_insert(prop, frame=frame)
    for action in bpy.data.actions:
        action.use_fake_user = True


def end_at(name: str, last: int) -> None:
    """Leave out an action's keys behind a frame."""
    compat, action = inertia("blender.data.compat"), bpy.data.actions[name]
    for curve in compat.curves(action, compat.slots(action)[0].identifier):
        while len(curve.keyframe_points) and curve.keyframe_points[-1].co.x > last:
            curve.keyframe_points.remove(curve.keyframe_points[-1])


def draw_curve() -> None:
    """A straight Bezier curve along which the walker walks, as the menu Add makes one."""
    with inside("WINDOW"):
        bpy.ops.object.mode_set(mode="OBJECT")
        bpy.ops.curve.primitive_bezier_curve_add(location=(0.0, 0.0, 0.0))
    street = bpy.context.object
    street.name = "Street"
    first, last = street.data.splines[0].bezier_points
    for point, y in ((first, 0.0), (last, -LENGTH)):
        point.handle_left_type = point.handle_right_type = "VECTOR"
        point.co = (0.0, y, 0.0)
    street.select_set(False)
    bpy.context.view_layer.objects.active = rig()
    remember("Street")


def note(name: str) -> None:
    """What there is now, by value."""
    own, action = rig().inertia_path, rig().animation_data.action
    shown = inertia("ui.matching.searching").recall_view(rig())
    state[name] = {
        "actions": sorted(bpy.data.actions.keys()),
        "assigned": action.name if action else "",
        "markers": [marker.name for marker in action.pose_markers] if action else [],
        "faithful": round(own.faithful, 3),
        "pins": [[pin.action.name, pin.frame, pin.mirrored, round(pin.at, 2)] for pin in own.pins],
        "bans": [ban.action.name for ban in own.bans],
        "fixed": [[pin.action.name, pin.frame, pin.mirrored, round(pin.at, 2)] for pin in own.fixed],
        "looked_at": round(own.joined_at, 3),
        "length": round(shown.length, 2) if shown else 0.0,
        "joins": [join_of(join) for join in shown.joins] if shown else [],
        "next_best": shown.joins[shown.index_at(own.joined_at)]["next_best"][:1]
        if shown and shown.joins
        else [],
    }


def join_of(join: dict[str, Any]) -> list[Any]:
    return [join["seconds"], join["place"], join["to"], join["cost"]]


def steps() -> Steps:
    """What happens, with only the panels on paths open."""
    with only_open(*OPEN, mode="TRAVEL"):
        yield from follow()


def follow() -> Steps:
    """Draw, find, drag, take, pin, bake, and take it back."""
    bpy.context.preferences.view.ui_scale = 0.6
    make_character()
    draw_curve()
    own = rig().inertia_path
    own.followed, own.width = bpy.data.objects["Street"], 4
    bpy.context.scene.inertia_overlay.path = True
    remember("Followed")
    yield from open_tab()
    state["view"] = box(view())
    yield from push_through("inertia.find_path")
    note("found")
    picture("found")
    bpy.data.objects["Street"].location.x = 0.5
    remember("Moved")
    yield LATER
    picture("moved")
    yield from drag_slider()
    note("dragged")
    yield from pick_mark()
    note("picked")
    yield from push_through("inertia.take_clip")
    note("taken")
    yield from push_through("inertia.forbid_clip")
    note("forbidden")
    yield from press("Z", ctrl=True)
    yield from worked()
    while inertia("ui.matching.searching").of(rig()).done < 1.0:
        yield LATER
    note("allowed")
    bpy.context.scene.cursor.location = (0.5, -1.5, 0.0)
    yield from push_through("inertia.pin_clip")
    note("pinned")
    yield from push_through("inertia.bake_path")
    note("baked")
    picture("baked")
    main = region("WINDOW")
    x, y = main.x + main.width // 3, main.y + main.height // 2
    hover(x, y)
    yield SOON
    yield from key("Z", x, y, ctrl=True)
    note("undone")
    yield from key("Z", x, y, ctrl=True, shift=True)
    note("redone")
    yield from go_around()
    yield from be_there()
    yield from bake_led()


def be_there() -> Steps:
    """Say by the 3D cursor where to be on a frame, and where to wait."""
    own, scene = rig().inertia_path, bpy.context.scene
    own.pins.clear()
    scene.cursor.location = (0.5, -0.6, 0.0)
    for frame in (30, 54):
        scene.frame_set(frame)
        remember("There")
        yield LATER
        yield from push_through("inertia.set_goal")
    while inertia("ui.matching.searching").of(rig()).done < 1.0:
        yield LATER
    shown = inertia("ui.matching.searching").recall_view(rig())
    state["goals"] = {
        "set": [(goal.frame, goal.at) for goal in own.goals],
        "met": shown.figures["goals"],
        "pins": shown.pins.tolist(),
    }
    picture("there")
    own.goals.clear()
    remember("No Goals")
    yield LATER


def go_around() -> Steps:
    """Put a post into the way, and take it as an obstacle."""
    posts = bpy.data.collections.new("Posts")
    bpy.context.scene.collection.children.link(posts)
    post = bpy.data.objects.new("Post", None)
    post.location = (0.5, -1.7, 0.0)
    posts.objects.link(post)
    own = rig().inertia_path
    state["around"] = []
    for own.obstacles in ("", "Posts"):
        remember("Obstacles")
        yield LATER
        while inertia("ui.matching.searching").of(rig()).done < 1.0:
            yield LATER
        shown = inertia("ui.matching.searching").recall_view(rig())
        away = [((x - 0.5) ** 2 + (y + 1.7) ** 2) ** 0.5 for x, y, _ in shown.points.tolist()]
        state["around"].append(min(away))
        picture(f"around {len(state['around'])}")
    own.obstacles = ""
    remember("No Obstacles")
    yield LATER


def bake_led() -> Steps:
    """Bake a path with a rig that Blender has to play, and note what is said of its joins."""
    for action in list(bpy.data.actions):
        bpy.data.actions.remove(action)
    make_led()
    for name in ("Walk", "Late"):
        end_at(name, 53)
    draw_curve()
    own = rig().inertia_path
    own.followed, own.width = bpy.data.objects["Street"], 4
    # both of its clips go straight on
    own.facing_weight = 0.0
    remember("Led Followed")
    yield LATER
    with inside("WINDOW"):
        bpy.ops.inertia.bake_path("INVOKE_DEFAULT")
    yield from worked()
    note("led")
    seen = inertia("ui.matching.operators").verdicts_of(rig())
    state["led"]["rated"] = [seen[frame].rating for frame in sorted(seen)]
    state["led"]["cuts"] = len(inertia("blender.matching.recipes").plays_of(rig().animation_data.action)) - 1
    picture("led")


def drag_slider() -> Steps:
    """Drag the slider that says what is more faithful, to the left."""
    state["slid from"] = rig().inertia_path.faithful = 0.8125
    remember("A value to know it by")
    yield from find_entry("VIEW3D_PT_inertia_path_options", "0.8125")
    x, y = state["button"]
    window().event_simulate(type="LEFTMOUSE", value="PRESS", x=x, y=y)
    yield SOON
    for by in (-4, -8, -12, -16):
        hover(x + by, y)
        yield SOON
    window().event_simulate(type="LEFTMOUSE", value="RELEASE", x=x - 16, y=y)
    yield LATER
    yield from close_popover()


def pick_mark() -> Steps:
    """Click the mark of the last join in the 3D View."""
    shown, main = inertia("ui.matching.searching").recall_view(rig()), region("WINDOW")
    at = location_3d_to_region_2d(main, view().spaces.active.region_3d, shown.marks[-1])
    x, y = main.x + round(at.x), main.y + round(at.y)
    hover(x + 2, y + 3)
    yield SOON
    hover(x, y)
    yield LATER
    yield from click(x, y)
