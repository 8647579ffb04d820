# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside of a Blender with a window: clicks what no other steps click: a search's buttons, entries
of the menu and a file browser. See test_buttons.py."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import bpy
import driver
from characters import make_walker, rig
from driver import (
    LATER,
    SOON,
    Steps,
    Wait,
    choose,
    close_other_editors,
    find_button,
    find_entry,
    inertia,
    only_open,
    open_tab,
    picture,
    prepare_view,
    press,
    push,
    push_through,
    remember,
    state,
    until,
    window,
    worked,
)


def steps() -> Steps:
    """What happens."""
    bpy.context.preferences.view.ui_scale = 0.6
    make_walker()
    yield from close_other_editors()
    yield from prepare_view()
    with only_open("_options", "_library"):
        yield from open_tab()
        yield from search()
        yield from complete()
        yield from reset_places()
        yield from save_list()
        yield from choose_velocity()
    with only_open("_path", mode="TRAVEL"):
        yield from open_tab()
        yield from turn_features()


def choose_velocity() -> Steps:
    """Bake with either value of Velocity From."""
    state["baked"] = [(yield from baked_poses())]
    yield from turn("inertia", "difference")
    state["baked"].append((yield from baked_poses()))


def turn_features() -> Steps:
    """Choose other features in the options of paths: the menu stands above the first weight."""
    own = rig().inertia_path
    setattr(own, inertia("settings.matching").WEIGHTS[0], 0.8125)
    remember("A value to know it by")
    yield from find_entry("VIEW3D_PT_inertia_path_options", "0.8125")
    x, y = state["button"]
    row = round(1.2 * driver.BUTTON * bpy.context.preferences.view.ui_scale)
    yield from turn_wheel("inertia_path", "features", x, y + row)


def turn(group: str, name: str) -> Steps:
    """Choose the next value of a menu of the sidebar with Ctrl and the wheel, and note it."""
    yield from find_button(f"{group}.{name}", at=0.7)
    yield from turn_wheel(group, name, *state["button"])


def turn_wheel(group: str, name: str, x: int, y: int) -> Steps:
    """Turn the wheel over a menu with Ctrl held, and note what it changes."""
    before = getattr(getattr(rig(), group), name)
    driver.hover(x, y)
    yield SOON
    window().event_simulate(type="WHEELDOWNMOUSE", value="PRESS", ctrl=True, x=x, y=y)
    yield LATER
    state[name] = [before, getattr(getattr(rig(), group), name)]


def baked_poses() -> Generator[Wait, None, list[list[list[float]]]]:
    """Bake, and return how the bones are turned at the cut, and one and three frames behind it."""
    yield from push_through("inertia.bake_transition")
    poses = []
    for behind in (0, 1, 3):
        bpy.context.scene.frame_set(round(rig().inertia.cut) + behind)
        poses.append([list(bone.matrix.to_quaternion()) for bone in rig().pose.bones])
    return poses


def frames() -> list[float | None]:
    """The cut, and the entry where one is chosen."""
    own = rig().inertia
    return [own.cut, own.destination_frame if own.use_destination_frame else None]


def search() -> Steps:
    """Best Entry and Best Cut, each taken back."""
    state["before the search"] = frames()
    for name, goal in (("best entry", "DESTINATION"), ("best cut", "CUT")):
        yield from choose("INERTIA_MT_best", f"inertia.find_meeting(goal='{goal}')")
        yield from worked()
        state[name] = frames()
        costs = inertia("ui.cost.costs").costs_of(rig())
        curve = inertia("ui.cost.curve_plot").cost_curve(rig(), costs, goal)
        state[f"{name}, costs"] = [curve.frames.tolist(), curve.costs.tolist()]
        yield from press("Z", ctrl=True)
        state[f"{name}, undone"] = frames()


def channels(name: str) -> list[str]:
    """What an action keys."""
    compat, action = inertia("blender.data.compat"), bpy.data.actions[name]
    curves = compat.curves(action, compat.slots(action)[0].identifier)
    return sorted(f"{curve.data_path} {curve.array_index}" for curve in curves)


def complete() -> Steps:
    """Complete Clips, in the menu, where one clip leaves the head unkeyed; and take it back."""
    compat, action = inertia("blender.data.compat"), bpy.data.actions["Run"]
    curves = compat.curves(action, compat.slots(action)[0].identifier)
    for curve in [curve for curve in curves if "head" in curve.data_path]:
        curves.remove(curve)
    remember("Leave the head unkeyed")
    state["keyed"] = {name: channels(name) for name in ("Walk", "Run")}
    yield from choose("INERTIA_MT_transition", "inertia.complete_clips")
    state["completed"] = {name: channels(name) for name in ("Walk", "Run")}
    yield from press("Z", ctrl=True)
    state["uncompleted"] = {name: channels(name) for name in ("Walk", "Run")}


def reset_places() -> Steps:
    """Reset Places, in the menu, of a map that was moved."""
    overlay: Any = bpy.context.scene.inertia_overlay
    overlay.map = True
    moved = overlay.moved.add()
    moved.name, moved.place = "map 0", (40.0, 40.0, 200.0, 160.0)
    remember("Move the map")
    yield LATER
    yield from choose("INERTIA_MT_transition", "inertia.reset_plots")
    state["moved"] = [each.name for each in bpy.context.scene.inertia_overlay.moved]
    yield from press("Z", ctrl=True)
    state["moved again"] = [each.name for each in bpy.context.scene.inertia_overlay.moved]
    bpy.context.scene.inertia_overlay.map = False


def save_list() -> Steps:
    """List the two clips, and save the list by the file browser."""
    with bpy.context.temp_override(window=window()):
        bpy.ops.wm.save_as_mainfile(filepath=str(driver.folder / "clips.blend"))
    yield LATER
    yield from push("change='ADD'", right=True)
    yield from push("inertia.save_library")
    yield from until(lambda: any(browsers()))
    browser, area = next(browsers())
    area.spaces.active.params.directory = str(driver.folder).encode()
    area.spaces.active.params.filename = "night.json"
    yield LATER
    picture("browser")
    x, y = area.x + area.width // 2, area.y + area.height // 2
    for value in ("PRESS", "RELEASE"):
        browser.event_simulate(type="RET", value=value, x=x, y=y)
        yield SOON
    yield from until((driver.folder / "night.json").is_file)
    yield LATER


def browsers() -> Any:
    """The file browsers, each with its window."""
    for each in bpy.context.window_manager.windows:
        for area in each.screen.areas:
            if area.type == "FILE_BROWSER" and area.spaces.active.params is not None:
                yield each, area
