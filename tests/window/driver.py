# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside of a Blender with a window: moves its mouse, presses its keys, takes pictures.

The scripts of the tests import it; a test copies both into the folder that Blender can see.
"""

from __future__ import annotations

import importlib
import json
import shutil
import subprocess
import sys
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import bpy

INERTIA = "bl_ext.user_default.inertia.inertia_addon"
FOLDER = sys.argv[sys.argv.index("--") + 1]
FIRST_DRAW = 1.5
SOON = 0.05
LATER = 0.6

state: dict[str, Any] = {"hovered": []}
"""What a script has seen; printed at the end."""


def window() -> Any:
    return bpy.context.window_manager.windows[0]


def view() -> Any:
    return max((a for a in window().screen.areas if a.type == "VIEW_3D"), key=lambda a: a.width * a.height)


def region(kind: str) -> Any:
    return region_of(view(), kind)


def region_of(area: Any, kind: str = "WINDOW") -> Any:
    return next(r for r in area.regions if r.type == kind)


def inside(kind: str) -> Any:
    """A context in which operators find a region of the 3D View; timers come with none."""
    return within(view(), kind)


def within(area: Any, kind: str = "WINDOW") -> Any:
    """Likewise of any area."""
    return bpy.context.temp_override(
        window=window(), screen=window().screen, area=area, region=region_of(area, kind)
    )


def box(area: Any) -> list[int]:
    """An area's main region in a picture: left, top, right, bottom."""
    main = region_of(area)
    top = window().height - main.y - main.height
    return [main.x, top, main.x + main.width, top + main.height]


def inertia(module: str) -> Any:
    """A module of the installed extension."""
    return importlib.import_module(f"{INERTIA}.{module}")


def remember(message: str) -> None:
    """Make an undo step, as pressing a button would."""
    with bpy.context.temp_override(window=window()):
        bpy.ops.ed.undo_push(message=message)


def remove_objects() -> None:
    """Empty the scene of the factory settings."""
    for thing in list(bpy.data.objects):
        bpy.data.objects.remove(thing)


def make_row_of_bones() -> Any:
    """An armature of three bones in a row, in Pose Mode."""
    remove_objects()
    with inside("WINDOW"):
        bpy.ops.object.armature_add(enter_editmode=True)
        for _ in range(2):
            bpy.ops.armature.extrude_move(TRANSFORM_OT_translate={"value": (0.0, 0.3, 0.7)})
        bpy.ops.object.mode_set(mode="POSE")
    return bpy.context.view_layer.objects.active


Bone = tuple[str, str | None, tuple[float, float, float], tuple[float, float, float]]
"""A bone's name, its parent's, its head and its tail."""


def make_rig(bones: Sequence[Bone]) -> Any:
    """An armature named Rig, drawn as sticks, in Pose Mode."""
    remove_objects()
    data = bpy.data.armatures.new("Rig")
    rig = bpy.data.objects.new("Rig", data)
    bpy.context.scene.collection.objects.link(rig)
    with inside("WINDOW"):
        bpy.context.view_layer.objects.active = rig
        bpy.ops.object.mode_set(mode="EDIT")
        for name, parent, head, tail in bones:
            bone = data.edit_bones.new(name)
            bone.head, bone.tail = head, tail
            bone.parent = data.edit_bones[parent] if parent else None
        bpy.ops.object.mode_set(mode="POSE")
    data.display_type = "STICK"
    rig.animation_data_create()
    return rig


def set_look(theme: str, scale: float) -> None:
    """The theme and the UI scale; only the 3D View stays, over the editor below it."""
    if theme == "light":
        folder = next(Path(p) for p in bpy.utils.preset_paths("interface_theme") if Path(p).is_dir())
        with inside("WINDOW"):
            bpy.ops.script.execute_preset(
                filepath=str(folder / "Blender_Light.xml"), menu_idname="USERPREF_MT_interface_theme_presets"
            )
    bpy.context.preferences.view.ui_scale = scale
    for kind in ("OUTLINER", "PROPERTIES"):
        area = next(a for a in window().screen.areas if a.type == kind)
        with bpy.context.temp_override(window=window(), screen=window().screen, area=area):
            bpy.ops.screen.area_close()


def prepare_view() -> Iterator[float]:
    """Look at everything from the left, with nothing around it that changes by itself."""
    space = view().spaces.active
    space.show_region_ui = False
    space.overlay.show_cursor = False
    with inside("WINDOW"):
        bpy.ops.view3d.view_axis(type="LEFT")
        bpy.ops.view3d.view_all()
    yield LATER
    hover(view().x + 5, view().y + 5)
    yield LATER


def open_tab() -> Iterator[float]:
    """Show the sidebar with the Inertia tab."""
    view().spaces.active.show_region_ui = True
    yield LATER  # it must be drawn once before
    region("UI").active_panel_category = "Inertia"
    yield LATER


def picture(name: str) -> None:
    """The whole screen as a PNG in the folder, where ImageMagick is there to take it."""
    if not shutil.which("import"):
        return
    with inside("WINDOW"):
        bpy.ops.wm.redraw_timer(type="DRAW_WIN_SWAP", iterations=1)
    subprocess.run(["import", "-window", "root", f"{FOLDER}/{name}.png"], check=True)


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


def key(kind: str, x: int, y: int, **held: bool) -> Iterator[float]:
    """Press and release a key with the mouse at a place."""
    for value in ("PRESS", "RELEASE"):
        window().event_simulate(type=kind, value=value, x=x, y=y, **held)
        yield SOON
    yield LATER


def start(steps: Iterator[float]) -> None:
    """Take steps, each with the seconds to wait after it; then print what was seen, and quit."""
    bpy.context.preferences.view.show_splash = False

    def go_on() -> float | None:
        try:
            return next(steps)
        except StopIteration:
            pass
        except BaseException:
            # whatever went wrong, the test reads it in the log of a Blender that has quit
            traceback.print_exc()
        print("REPORT " + json.dumps(state), flush=True)
        bpy.ops.wm.quit_blender()
        return None

    bpy.app.timers.register(go_on, first_interval=FIRST_DRAW)
