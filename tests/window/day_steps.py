# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside of a Blender with a window: what else an animator presses; see test_day.py."""

from __future__ import annotations

from typing import Any

import bpy
import driver
from characters import make_walker, rig
from driver import (
    BUTTON,
    LATER,
    SOON,
    Steps,
    buttons_at,
    click,
    find_button,
    hover,
    inertia,
    inside,
    key,
    only_open,
    open_tab,
    press,
    push,
    region,
    remember,
    state,
    until,
    window,
)

places: dict[str, tuple[int, int]] = {}
"""Where the buttons are that the mouse was over."""
OPEN = ("_options", "_library", "_pops")
"""The panels that are open, so that all of it fits in without scrolling."""


def make_characters() -> None:
    """Two walkers; besides the cycles there are an action of one bone, a camera's, and one that jumps."""
    make_walker()
    other = rig().copy()
    other.name = "Other"
    bpy.context.scene.collection.objects.link(other)
    other.location.x = 1.0
    camera = bpy.data.objects.new("Camera", None)
    make_action("A Camera", camera)
    bpy.data.objects.remove(camera)
    jump = make_action("Jump", rig())
    compat = inertia("blender.data.compat")
    for curve in compat.curves(jump, compat.slots(jump)[0].identifier):
        for frame, value in ((30, 0.0), (31, 0.5)):
            curve.keyframe_points.insert(frame, value).interpolation = "CONSTANT"
    assign("Walk")
    own = rig().inertia
    own.property_unset("destination")
    own.blend_frames = 6.0
    remember("Characters")


def make_action(name: str, thing: Any) -> Any:
    """An action that keys a place of an object and, of an armature, of its hips."""
    thing.animation_data_create().action = made = bpy.data.actions.new(name)
    made.use_fake_user = True
    keyed = thing.pose.bones["hips"] if thing.type == "ARMATURE" else thing
    for frame in (1, 61):
        keyed.keyframe_insert("location", frame=frame)
    return made


def assign(name: str) -> None:
    """Have the armature play an action, as the Action Editor's picker would."""
    compat, action = inertia("blender.data.compat"), bpy.data.actions[name]
    compat.assign(rig(), action, compat.slots(action)[0].identifier)


def note(name: str) -> None:
    """What there is now, by value."""
    own, animation = rig().inertia, rig().animation_data
    pairs = rig().inertia_library.pairs
    state[name] = {
        "actions": sorted(bpy.data.actions.keys()),
        "assigned": animation.action.name,
        "other": bpy.data.objects["Other"].animation_data.action.name,
        "ends": [getattr(own.source, "name", ""), getattr(own.destination, "name", "")],
        "cut": own.cut,
        "frame": bpy.context.scene.frame_current_final,
        "go on": own.go_on,
        "listed": [[pair.source.name, pair.destination.name] for pair in pairs],
        "results": [getattr(pair.result, "name", "") for pair in pairs],
        "windows": [pair.first for pair in pairs],
        "last": animation.action.frame_range[1],
    }


def look() -> Steps:
    """Move the mouse down the sidebar once, and note where its buttons are, until rows come or go."""
    sidebar, step = region("UI"), row() - 2
    places.clear()
    rows = range(sidebar.y + sidebar.height - step // 2, sidebar.y + step, -step)
    columns = (sidebar.x + round(0.41 * sidebar.width), sidebar.x + sidebar.width - round(2.5 * step))
    wheres = [(x, y) for y in rows for x in columns]
    for where, button in zip(wheres, (yield from buttons_at(wheres)), strict=True):
        places.setdefault(button, where)


def place(wanted: str) -> tuple[int, int]:
    """Where the uppermost button of an operator or a property is."""
    found = [where for button, where in places.items() if wanted in button]
    assert found, f"no button of {wanted} in the sidebar: {set(places)}"
    return found[0]


def press_button(wanted: str) -> Steps:
    """Press a button where it is now: what is said above it comes and goes."""
    yield from look()
    yield from press_at(*place(wanted))


def press_at(x: int, y: int) -> Steps:
    hover(x, y + 1)  # enters the sidebar, or leaves another button
    yield SOON
    hover(x, y)
    yield LATER
    yield from click(x, y)


def row() -> int:
    """How far a button of the sidebar is from the next below it."""
    return round(0.9 * BUTTON * bpy.context.preferences.view.ui_scale) + 2


def undo() -> Steps:
    yield from press("Z", ctrl=True)


def steps() -> Steps:
    """What happens."""
    with only_open(*OPEN):
        yield from day()


def day() -> Steps:
    bpy.context.preferences.view.ui_scale = 0.66
    make_characters()
    # another test looks at where it would be entered
    rig().inertia.enter_at = "FIRST"
    yield from open_tab()
    note("begun")
    yield from pick()
    yield from follow()
    yield from say_what_is_a_cycle()
    yield from go_on()
    yield from use_pose()
    yield from smooth()
    yield from list_of_transitions()
    yield from crowd()


def pick() -> Steps:
    """Take the first of what the destination's field offers."""
    yield from look()
    x, y = place("inertia.destination_name")
    yield from press_at(x, y)
    yield from key("DOWN_ARROW", x, y)
    yield from key("RET", x, y)
    note("picked")
    yield from look()


def follow() -> Steps:
    """Turn the wheel over the cut, with the playhead following it and without."""
    yield from turn_wheel(*place("inertia.cut"))
    note("cut followed")
    yield from press_button("inertia.follow_cut")
    yield from turn_wheel(*place("inertia.cut"))
    note("cut alone")
    yield from press_button("inertia.follow_cut")


def turn_wheel(x: int, y: int) -> Steps:
    hover(x, y + 1)
    hover(x, y)
    yield SOON
    window().event_simulate(type="WHEELUPMOUSE", value="PRESS", ctrl=True, x=x, y=y)
    yield LATER


def go_on() -> Steps:
    """Have the destination, which is found to be a cycle, go on for another one, and bake."""
    yield from look()
    yield from choose(*place("inertia.go_on"), "TWO")
    yield from press_button("inertia.bake_transition")
    note("gone on")
    yield from undo()
    note("not gone on")


def say_what_is_a_cycle() -> Steps:
    """Take the destination for no cycle by its menu, and have it found again."""
    for way, name, wanted in (("UP_ARROW", "no cycle", "OFF"), ("DOWN_ARROW", "a cycle again", "AUTO")):
        yield from look()
        x, y = place("inertia.destination_cycle")
        yield from press_at(x, y)
        yield from key(way, x, y)
        yield from key("RET", x, y)
        # a slow machine closes the menu some turns later
        yield from until(lambda wanted=wanted: rig().inertia.destination_cycle == wanted)
        state[name] = rig().inertia.destination_cycle
    yield from look()


def choose(x: int, y: int, number: str) -> Steps:
    """Open a menu, and press the number of an item."""
    yield from press_at(x, y)
    yield from key(number, x, y)


def use_pose() -> Steps:
    """Pose the head, take that for the source, and take it back."""
    bpy.context.scene.frame_set(20)
    rig().pose.bones["head"].rotation_euler = (0.5, 0.0, 0.0)
    remember("Posed")
    yield LATER
    note("posed")
    yield from driver.choose("INERTIA_MT_source", "inertia.use_pose")
    note("pose used")
    compat, made = inertia("blender.data.compat"), rig().inertia.source
    curves = compat.curves(made, compat.slots(made)[0].identifier)
    (turn,) = [one for one in curves if "head" in one.data_path and one.array_index == 0]
    state["kept turn"] = turn.evaluate(20.0)
    yield from undo()
    note("pose taken back")


def smooth() -> Steps:
    """Smooth the jump at the playhead, and take it back."""
    window().workspace.inertia_mode = "CLEAN"
    assign("Jump")
    bpy.context.scene.frame_set(30)
    remember("Jump")
    yield LATER
    note("jumping")
    state["jump"] = heights()
    yield from push("inertia.smooth_jump")
    note("smoothed")
    state["smooth"] = heights()
    yield from undo()
    note("jumping again")
    window().workspace.inertia_mode = "JOIN"
    yield LATER


def heights() -> list[float]:
    """One curve of the assigned action, around the jump."""
    compat, (action, slot) = inertia("blender.data.compat"), inertia("blender.data.compat").assigned(rig())
    curve = compat.curves(action, slot)[1]
    return [round(curve.evaluate(frame), 4) for frame in range(20, 61)]


def list_of_transitions() -> Steps:
    """List a pair and all others, bake the list, look at the second result, and take all back."""
    bpy.data.actions.remove(bpy.data.actions["Jump"])
    assign("Walk")
    remember("Without the jump")
    yield from press_button("change='ADD'")
    yield from push("change='ALL'", at=0.3)
    note("listed")
    yield from push("inertia.bake_library")
    while inertia("ui.shared.long_work")._going:
        yield SOON
    yield LATER
    note("list baked")
    yield from find_button("inertia_library.active_pair", at=0.3)
    x, y = state["button"]
    # a list's edge may be what was met, above its first row
    yield from press_at(x, y - round(1.1 * row()))
    note("second shown")
    yield from undo()
    note("first shown again")
    yield from undo()
    note("list taken back")


def crowd() -> Steps:
    """Select both characters with a key, bake them, and take it back."""
    with inside("WINDOW"):
        bpy.ops.object.mode_set(mode="OBJECT")
    remember("Object Mode")
    yield from press("A")
    note("selected")
    yield from look()
    yield from press_button("whose='ACTIVE'")
    note("both baked")
    yield from undo()
    note("neither baked")
