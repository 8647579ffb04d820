# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside of a Blender with a window: a first-time animator's work; see test_workflow.py."""

from __future__ import annotations

import json
from typing import Any

import bpy
import driver
from characters import make_walker, rig
from driver import (
    BUTTON,
    LATER,
    SOON,
    Steps,
    click,
    frames_around,
    hover,
    inertia,
    key,
    middle,
    picture,
    press,
    presses,
    push,
    region,
    state,
    until,
    until_worked,
    view,
    window,
)

FILE = "two actions.blend"


def make_file() -> Steps:
    """A file with a character and two actions, and nothing of Inertia in it; then Blender's own."""
    make_walker()
    for name in ("source", "destination", "cut"):
        rig().inertia.property_unset(name)
    bpy.context.scene.frame_set(1)
    for action in bpy.data.actions:
        action.use_fake_user = True
    rig().animation_data.action = bpy.data.actions["Walk"]
    compat = inertia("blender.data.compat")
    compat.assign(rig(), bpy.data.actions["Walk"], compat.slots(bpy.data.actions["Walk"])[0].identifier)
    yield from save()


def save() -> Steps:
    with bpy.context.temp_override(window=window()):
        bpy.ops.wm.save_as_mainfile(filepath=str(driver.folder / FILE))
    yield LATER


def load() -> Steps:
    """Blender's own file, then ours again."""
    with bpy.context.temp_override(window=window()):
        bpy.ops.wm.read_homefile(use_factory_startup=True)
    yield LATER
    with bpy.context.temp_override(window=window()):
        bpy.ops.wm.open_mainfile(filepath=str(driver.folder / FILE))
    yield LATER


def note(name: str) -> None:
    """What there is now, by value."""
    action = rig().animation_data.action
    own = rig().inertia
    state[name] = {
        "actions": sorted(bpy.data.actions.keys()),
        "assigned": action.name,
        "settings": inertia("ui.transition.properties").values_from(rig()),
        "recipe": recipe() if "inertia_recipe" in action else None,
        "curves": own.id_data.users_scene[0].inertia_overlay.curves,
        "keys": keys(action),
    }


def keys(action: Any) -> list[float]:
    """Where all keys of an action are, and their values, in a few numbers."""
    compat = inertia("blender.data.compat")
    found = compat.curves(action, compat.slots(action)[0].identifier)
    points = [point.co for curve in found for point in curve.keyframe_points]
    return [len(points), round(sum(x for x, _ in points), 3), round(sum(y for _, y in points), 3)]


def slide_in() -> Steps:
    """Wait until the sidebar does not move any more."""
    places: list[tuple[int, int]] = []
    while len(places) < 20 or len(set(places[-20:])) > 1:
        places.append((region("UI").x, region("UI").width))
        yield SOON


def press_tab() -> Steps:
    """Click the Inertia tab. A person sees where it is; here clicks that do not count find it."""
    sidebar, counted = region("UI"), len(presses)
    first = sidebar.active_panel_category
    x, step = sidebar.x + sidebar.width - 8, 12
    for y in range(sidebar.y + sidebar.height - step, sidebar.y, -step):
        hover(x, y)
        yield SOON
        yield from click(x, y)
        if sidebar.active_panel_category == "Inertia":
            break
    else:
        raise AssertionError("the sidebar has no Inertia tab")
    sidebar.active_panel_category = first
    yield LATER
    del presses[counted:]
    yield from click(x, y)


def steps() -> Steps:
    """From an opened file to a playing transition, and on."""
    yield from make_file()
    yield from load()
    picture("opened")
    presses.clear()
    yield from press("N")
    yield from slide_in()
    yield from press_tab()
    picture("tab")
    yield from until(lambda: rig().inertia.source is not None)
    note("chosen")
    picture("chosen")
    yield from push("goal='PAIR'")
    yield from until_worked("find_meeting")
    note("best pair")
    state["costs"] = costs()
    yield from push("inertia.bake_transition")
    note("baked")
    hover(*middle())
    yield LATER
    picture("baked")
    yield from play()
    yield from go_back_and_forth()
    yield from change_blend_time()
    yield from show_curve()
    yield from rebake()
    yield from save_and_load()


def box_beside_sidebar() -> list[int]:
    """The 3D View in the picture, without the sidebar."""
    left, top, right, bottom = driver.box(view())
    return [left, top, min(right, region("UI").x), bottom]


def costs() -> dict[str, Any]:
    """What each cut costs, as the curve shows it."""
    found = inertia("ui.cost.costs").costs_of(rig())
    curve = inertia("ui.cost.curve_plot").cost_curve(rig(), found, "CUT")
    return {"frames": curve.frames.tolist(), "costs": curve.costs.tolist(), "cut": curve.current}


def show_curve() -> Steps:
    """Have the cost curve drawn."""
    hover(*corner())
    yield LATER
    picture("without curve")
    yield from push("inertia_overlay.curves", right=True)
    hover(*corner())
    yield LATER
    picture("curve")
    state["view"] = box_beside_sidebar()


def play() -> Steps:
    """Play until what is before and after the window was seen, and stop."""
    yield from press("SPACE")
    state["presses"] = list(presses)
    state["playing"] = window().screen.is_animation_playing
    seen = yield from frames_around(rig().inertia.cut, behind=12)
    state["played"] = [min(seen), max(seen), len(seen)]
    yield from press("ESC")
    state["stopped"] = not window().screen.is_animation_playing


def go_back_and_forth() -> Steps:
    """Undo and redo the bake. Blender then has forgotten the last operation: bake again, to change it."""
    yield from press("Z", ctrl=True)
    note("undone")
    yield from press("Z", ctrl=True, shift=True)
    note("redone")
    yield from press("Z", ctrl=True)
    yield from push("inertia.bake_transition")
    note("baked again")


def recipe() -> dict[str, Any]:
    """The settings of the assigned result."""
    return json.loads(rig().animation_data.action["inertia_recipe"])["settings"]


def change_blend_time() -> Steps:
    """Turn the wheel over the fields of the last operation's panel, back over those that are not meant.

    From below: above the blend time stands the method, which decides what fields there are.
    """
    yield from press("F9")
    yield LATER
    picture("redo panel")
    unit = BUTTON * bpy.context.preferences.view.ui_scale
    x, top = middle()[0] + round(11 * unit), middle()[1]
    for row in range(25, 0, -1):
        y, before = top - round(0.5 * row * unit), recipe()
        hover(x, y)
        yield SOON
        yield from turn_wheel("WHEELUPMOUSE", x, y)
        changed = [name for name, value in recipe().items() if value != before[name]]
        if changed == ["blend_frames"]:
            break
        if changed:
            yield from turn_wheel("WHEELDOWNMOUSE", x, y)
    yield from key("ESC", x, top)  # which closes it
    note("adjusted")


def turn_wheel(way: str, x: int, y: int) -> Steps:
    window().event_simulate(type=way, value="PRESS", ctrl=True, x=x, y=y)
    yield LATER


def corner() -> tuple[int, int]:
    """A place over the 3D View that is far from all panels."""
    main = region("WINDOW")
    return main.x + main.width // 3, main.y + main.height - 60


def rebake() -> Steps:
    """Change the source, and have Blender's search find the entry that bakes anew."""
    compat = inertia("blender.data.compat")
    walk = bpy.data.actions["Walk"]
    compat.curves(walk, compat.slots(walk)[0].identifier)[0].keyframe_points[0].co.y += 0.5
    driver.remember("Change Walk")
    yield from press("F3")
    for letter in "Update Result":
        x, y = middle()
        kind = {" ": "SPACE"}.get(letter, letter.upper())
        window().event_simulate(type=kind, value="PRESS", unicode=letter, x=x, y=y)
        yield SOON
        window().event_simulate(type=kind, value="RELEASE", x=x, y=y)
        yield SOON
    yield LATER
    picture("search")
    yield from key("RET", *middle())
    note("rebaked")


def save_and_load() -> Steps:
    """The sidebar and the overlay are as they were, too, once the last operation's panel is gone with it."""
    yield from press("Z", ctrl=True)
    yield from press("Z", ctrl=True, shift=True)
    hover(*corner())
    yield LATER
    note("saved")
    picture("saved")
    yield from save()
    yield from load()
    note("loaded")
    hover(*corner())
    yield LATER
    picture("loaded")
