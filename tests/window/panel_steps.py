# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside of a Blender with a window: finds the Bake button, presses it, undoes; see test_panel.py."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import traceback
from collections.abc import Iterator
from typing import Any

import bpy

FOLDER = sys.argv[sys.argv.index("--") + 1]
FIRST_DRAW = 1.5
SOON = 0.05
LATER = 0.6

state: dict[str, Any] = {"hovered": []}


def window() -> Any:
    return bpy.context.window_manager.windows[0]


def view() -> Any:
    return max((a for a in window().screen.areas if a.type == "VIEW_3D"), key=lambda a: a.width * a.height)


def region(kind: str) -> Any:
    return next(r for r in view().regions if r.type == kind)


def inside(kind: str) -> Any:
    return bpy.context.temp_override(
        window=window(), screen=window().screen, area=view(), region=region(kind)
    )


def make_character() -> None:
    """A rig of three bones with the actions Walk and Run."""
    for thing in list(bpy.data.objects):
        bpy.data.objects.remove(thing)
    with inside("WINDOW"):
        bpy.ops.object.armature_add(enter_editmode=True)
        for _ in range(2):
            bpy.ops.armature.extrude_move(TRANSFORM_OT_translate={"value": (0.0, 0.3, 0.7)})
        bpy.ops.object.mode_set(mode="POSE")
    rig = bpy.data.objects["Armature"]
    for name, turn in (("Walk", 0.3), ("Run", 0.8)):
        rig.animation_data_create().action = bpy.data.actions.new(name)
        for frame in range(1, 41, 3):
            for bone in rig.pose.bones:
                bone.rotation_mode = "XYZ"
                bone.rotation_euler = (turn * (frame % 12) / 12.0, turn, 0.0)
                bone.keyframe_insert("rotation_euler", frame=frame)
    rig.inertia.source, rig.inertia.destination = bpy.data.actions["Walk"], bpy.data.actions["Run"]
    rig.inertia.cut = 20.0
    bpy.ops.ed.undo_push(message="Character")


def picture(name: str) -> None:
    """The whole screen as a PNG in the folder, where ImageMagick is there to take it."""
    if not shutil.which("import"):
        return
    with inside("WINDOW"):
        bpy.ops.wm.redraw_timer(type="DRAW_WIN_SWAP", iterations=1)
    subprocess.run(["import", "-window", "root", f"{FOLDER}/{name}.png"], check=True)


def note(name: str) -> None:
    """What there is now, by value."""
    rig = bpy.data.objects["Armature"]
    action = rig.animation_data.action
    state[name] = {
        "actions": sorted(bpy.data.actions.keys()),
        "assigned": action.name if action else "",
        "mode": rig.mode,
        "cut": json.loads(baked_with())["settings"]["cut"] if "inertia_recipe" in action else None,
    }


def hover(x: int, y: int) -> None:
    window().event_simulate(type="MOUSEMOVE", value="NOTHING", x=x, y=y)


def command_under_mouse() -> str:
    """The operator of the button under the mouse, as Blender itself would copy it."""
    bpy.context.window_manager.clipboard = ""
    with inside("UI"):
        if bpy.ops.ui.copy_python_command_button.poll():
            bpy.ops.ui.copy_python_command_button()
    return str(bpy.context.window_manager.clipboard)


def find_button(wanted: str) -> Iterator[float]:
    """Move the mouse down the sidebar until it is over a button of the wanted operator."""
    sidebar = region("UI")
    x = sidebar.x + sidebar.width // 2
    for y in range(sidebar.y + sidebar.height - 10, sidebar.y + 10, -6):
        hover(x, y)
        yield SOON
        command = command_under_mouse()
        state["hovered"].append(command)
        if wanted in command:
            state["button"] = [x, y]
            return
    raise AssertionError(f"no button of {wanted} in the sidebar: {set(state['hovered'])}")


def click(x: int, y: int) -> Iterator[float]:
    """Press and release the left button."""
    for value in ("PRESS", "RELEASE"):
        window().event_simulate(type="LEFTMOUSE", value=value, x=x, y=y)
        yield SOON
    yield LATER


def adjust() -> Iterator[float]:
    """Open the panel of the last operation, and turn the wheel over its fields until one takes it."""
    redo = region("HUD")
    hover(redo.x + 60, redo.y + redo.height - 14)
    yield SOON
    yield from click(redo.x + 60, redo.y + redo.height - 14)
    before = baked_with()
    x = redo.x + redo.width * 3 // 4
    for y in range(redo.y + redo.height - 30, redo.y + 10, -10):
        hover(x, y)
        yield SOON
        window().event_simulate(type="WHEELUPMOUSE", value="PRESS", ctrl=True, x=x, y=y)
        yield LATER
        if baked_with() != before:
            return
    raise AssertionError("no field of the redo panel changed the bake")


def baked_with() -> str:
    """The recipe of the assigned action."""
    action = bpy.data.objects["Armature"].animation_data.action
    return str(action.get("inertia_recipe"))


def steps() -> Iterator[float]:
    """What happens, with the seconds to wait after each step."""
    make_character()
    view().spaces.active.show_region_ui = True
    yield LATER
    region("UI").active_panel_category = "Inertia"
    yield LATER
    note("before")
    picture("before")
    yield from find_button("inertia.bake_transition")
    x, y = state["button"]
    yield from click(x, y)
    note("pressed")
    picture("pressed")
    yield from adjust()
    note("adjusted")
    picture("adjusted")
    hover(view().x + view().width // 2, view().y + view().height // 2)
    yield SOON
    for value in ("PRESS", "RELEASE"):
        window().event_simulate(type="Z", value=value, ctrl=True, x=view().x + 300, y=view().y + 300)
        yield SOON
    yield LATER
    note("undone")
    picture("undone")


def run() -> float | None:
    """Take one step; at the end, or after an error, write what was seen and quit."""
    try:
        return next(remaining)
    except StopIteration:
        pass
    except BaseException:
        traceback.print_exc()
    print("REPORT " + json.dumps(state), flush=True)
    bpy.ops.wm.quit_blender()
    return None


bpy.context.preferences.view.show_splash = False
remaining = steps()
bpy.app.timers.register(run, first_interval=FIRST_DRAW)
