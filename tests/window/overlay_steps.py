# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside of a Blender with a window: shows each overlay, and uses them by mouse; see test_overlay.py."""

from __future__ import annotations

import bpy
import driver
from characters import make_walker, rig
from driver import (
    LATER,
    SOON,
    Steps,
    box,
    click,
    close_other_editors,
    hover,
    inertia,
    inside,
    key,
    open_tab,
    panels,
    picture,
    prepare_view,
    region,
    remember,
    spots,
    state,
    switches,
    until_worked,
    view,
    window,
)

SWITCHES = ("curves", "map", "offsets", "ghosts", "tint")


def note(name: str) -> None:
    """Where the settings are."""
    own = rig().inertia
    state[name] = [own.cut, own.destination_frame if own.use_destination_frame else None]
    state[f"{name}, playhead"] = bpy.context.scene.frame_float


def places(kind: str) -> list[tuple[int, int, list[float]]]:
    """Places of the 3D View's panels, on the screen, where an overlay of a kind can be grabbed."""
    main = region("WINDOW")
    build = inertia("ui.overlay.build")
    found = []
    with inside("WINDOW"):
        for x, y in spots(panels().values(), (20, 20)):
            hit = build.hit_in(bpy.context, x, y)
            if hit is not None and hit[0] == kind:
                found.append((main.x + x, main.y + y, list(hit[1])))
    return found


def make_time_editors() -> Steps:
    """A Dope Sheet and a Graph Editor side by side below the 3D View."""
    low = next(a for a in window().screen.areas if a.type == "DOPESHEET_EDITOR")
    low.type = "VIEW_3D"
    with inside("WINDOW"):
        bpy.ops.screen.area_split(direction="HORIZONTAL", factor=0.4)
    yield LATER
    lower = sorted((a for a in window().screen.areas if a.type == "VIEW_3D"), key=lambda a: a.y)
    sheet = lower[1] if lower[0].height < 80 else lower[0]
    with bpy.context.temp_override(window=window(), screen=window().screen, area=sheet):
        bpy.ops.screen.area_split(direction="VERTICAL", factor=0.5)
    yield LATER
    row = [a for a in window().screen.areas if a.type == "VIEW_3D" and abs(a.y - sheet.y) < 4]
    for area, kind in zip(sorted(row, key=lambda a: a.x), ("DOPESHEET_EDITOR", "GRAPH_EDITOR"), strict=True):
        area.type = kind
        area.spaces.active.show_region_ui = False
        if kind == "DOPESHEET_EDITOR":
            area.spaces.active.mode = "ACTION"
    yield LATER


def steps() -> Steps:
    """What happens."""
    yield from close_other_editors()
    make_walker()
    yield from prepare_view()
    state["view"] = box(view())
    picture("off")
    for name in SWITCHES:
        setattr(switches(), name, True)
        yield LATER
        yield LATER
        picture(name)
        setattr(switches(), name, False)
        yield SOON
    yield LATER
    picture("off again")
    switches().map = switches().curves = True
    remember("Overlays")
    yield LATER
    yield from use_map()
    yield from move_map()
    yield from use_curve()
    yield from step_pairs()
    for name in SWITCHES:
        setattr(switches(), name, True)
    yield LATER
    picture("all")
    yield from time_editors()
    yield from stop_long_work()


def use_map() -> Steps:
    """Click a cell, and take it back."""
    note("before the click")
    cells = places("MAP")
    x, y, values = cells[len(cells) // 3]
    state["cell"] = values
    hover(x, y)
    yield LATER
    yield from click(x, y)
    note("clicked")
    yield from key("Z", x, y, ctrl=True)
    note("undone")


def map_place() -> tuple[list[float], tuple[int, int]]:
    """Where the map's panel is in the 3D View, and a place of it, on the screen, by which it is dragged."""
    main, build = region("WINDOW"), inertia("ui.overlay.build")
    with inside("WINDOW"):
        left, bottom, width, height = panels()["map 0"]
        x = round(left + 0.5 * width)
        for y in range(round(bottom + height), round(bottom), -2):
            at = build.panel_at(bpy.context, x, y)
            if at is not None and at[0] == "map 0":
                return list(at[1]), (main.x + x, main.y + y - 2)
    raise AssertionError("the map can't be dragged")


def move_map() -> Steps:
    """Drag the map by its title, and take it back."""
    state["map"], (x, y) = map_place()
    hover(x, y)
    yield LATER
    window().event_simulate(type="LEFTMOUSE", value="PRESS", x=x, y=y)
    yield SOON
    for step in range(1, 6):
        hover(x - 40 * step, y - 12 * step)
        yield SOON
    picture("map dragged")
    window().event_simulate(type="LEFTMOUSE", value="RELEASE", x=x - 200, y=y - 60)
    yield LATER
    state["moved map"], _ = map_place()
    yield from key("Z", x - 200, y - 60, ctrl=True)
    state["map put back"], _ = map_place()


def use_curve() -> Steps:
    """Drag along a curve; ESC puts it back, and letting go keeps it."""
    grips = places("DESTINATION")
    row = [grip for grip in grips if grip[1] == grips[len(grips) // 2][1]]
    (x0, y, _), (x1, _, values) = row[len(row) // 4], row[3 * len(row) // 4]
    for ending in ("ESC", "LEFTMOUSE"):
        hover(x0, y)
        yield LATER
        window().event_simulate(type="LEFTMOUSE", value="PRESS", x=x0, y=y)
        yield SOON
        for step in range(1, 6):
            hover(x0 + (x1 - x0) * step // 5, y)
            yield SOON
        if ending == "ESC":
            yield from key("ESC", x1, y)
            window().event_simulate(type="LEFTMOUSE", value="RELEASE", x=x1, y=y)
            note("dragged and stopped")
        else:
            window().event_simulate(type="LEFTMOUSE", value="RELEASE", x=x1, y=y)
            yield LATER
            note("dragged")
            state["dragged to"] = values
        yield LATER


def step_pairs() -> Steps:
    """Find the best pairs and try the second, in the panel."""
    with inside("WINDOW"):
        bpy.ops.inertia.find_meeting("INVOKE_DEFAULT", goal="PAIRS")
    yield from until_worked("find_meeting")
    with inside("WINDOW"):
        bpy.ops.inertia.step_pair("INVOKE_DEFAULT")
    yield LATER
    state["pairs"] = [[pair.cut, pair.destination_frame] for pair in rig().inertia_search.pairs]
    note("second pair")
    yield from open_tab()
    picture("list")
    view().spaces.active.show_region_ui = False
    yield LATER


def time_editors() -> Steps:
    """The cost of each cut below the keys."""
    yield from make_time_editors()
    areas = {a.type: a for a in window().screen.areas}
    state["time editors"] = {kind: box(areas[kind]) for kind in ("DOPESHEET_EDITOR", "GRAPH_EDITOR")}
    picture("time off")
    switches().timelines = True
    yield LATER
    picture("time on")
    for kind in ("DOPESHEET_EDITOR", "GRAPH_EDITOR"):
        yield from drag_below_the_keys(kind)


def drag_below_the_keys(kind: str) -> Steps:
    """Drag along the cost of each cut in a time editor, whose keys are the source's."""
    compat = inertia("blender.data.compat")
    walk = bpy.data.actions["Walk"]
    compat.assign(rig(), walk, compat.slots(walk)[0].identifier)
    yield LATER
    area = next(a for a in window().screen.areas if a.type == kind)
    main, seen = driver.region_of(area), []
    y = main.y + 25
    for part, value in ((0.4, "PRESS"), (0.5, "NOTHING"), (0.6, "NOTHING"), (0.6, "RELEASE")):
        x = main.x + round(part * main.width)
        hover(x, y)
        yield SOON
        hover(x + 1, y)
        yield LATER
        if value != "NOTHING":
            window().event_simulate(type="LEFTMOUSE", value=value, x=x + 1, y=y)
            yield LATER
        seen.append([rig().inertia.cut, bpy.context.scene.frame_current_final])
    state[f"dragged in {kind}"] = seen


def stop_long_work() -> Steps:
    """Have Blender play a constrained rig's long clips, and stop it."""
    arm = rig()
    arm.pose.bones["foot.L"].constraints.new("COPY_ROTATION").target = arm
    arm.pose.bones["foot.L"].constraints[0].subtarget = "foot.R"
    for name in ("Walk", "Run"):
        arm.animation_data.action = bpy.data.actions[name]
        hips = arm.pose.bones["hips"]
        hips.keyframe_insert("location", frame=100_000)
    bpy.context.scene.frame_set(30)
    yield LATER
    action = arm.animation_data.action
    overlay = inertia("ui.overlay.build").view3d_overlay
    with inside("WINDOW"):
        state["before evaluation"] = overlay(bpy.context).note
        state["started"] = list(bpy.ops.inertia.evaluate_clips("INVOKE_DEFAULT"))
    yield LATER
    x, y = view().x + 200, view().y + 200
    yield from key("ESC", x, y)
    state["stopped"] = [bpy.context.scene.frame_current, arm.animation_data.action == action]
    with inside("WINDOW"):
        state["after stopping"] = overlay(bpy.context).note
