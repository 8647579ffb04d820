# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside of a Blender with a window: takes the steps of several parts, each in a new file.

Behind "--" come the folder, the look with its theme and UI scale, and the parts: ``panel`` is ``steps()`` of
panel_steps.py, and ``trouble.playing`` is ``steps("playing")`` of trouble_steps.py. What a part prints stands
between a line that names it and a line with what it has seen.
"""

from __future__ import annotations

import importlib
import json
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).parent))

import driver
from driver import LATER, Steps, Wait

FOLDER, LOOK, THEME, SCALE, *PARTS = sys.argv[sys.argv.index("--") + 1 :]


def set_preferences() -> None:
    """The theme and the UI scale; what would slow software drawing down, or be kept, is off."""
    bpy.context.preferences.use_preferences_save = False
    bpy.context.preferences.view.show_splash = False
    bpy.context.preferences.system.viewport_aa = "8" if LOOK == "page" else "OFF"
    bpy.context.preferences.system.use_overlay_smooth_wire = False
    if THEME == "light":
        folder = next(Path(p) for p in bpy.utils.preset_paths("interface_theme") if Path(p).is_dir())
        with driver.inside("WINDOW"):
            bpy.ops.script.execute_preset(
                filepath=str(folder / "Blender_Light.xml"), menu_idname="USERPREF_MT_interface_theme_presets"
            )


@bpy.app.handlers.persistent
def draw_less(*_: object) -> None:
    """Without the floor, outlines, the light of solid things and the film's colours.

    That halves what software takes to draw a view. Pictures of pages show all of it.

    The screens of each file that is loaded have their own switches.
    """
    if LOOK == "page":
        return
    views = [a.spaces.active for screen in bpy.data.screens for a in screen.areas if a.type == "VIEW_3D"]
    for space in views:
        space.overlay.show_floor = space.overlay.show_axis_x = space.overlay.show_axis_y = False
        space.shading.light = "FLAT"
        space.overlay.show_outline_selected = space.shading.show_object_outline = False
    for scene in bpy.data.scenes:
        scene.view_settings.view_transform = "Raw"


def new_file() -> Steps:
    """The file that Blender starts with, and its editors.

    With use_factory_startup Blender keeps those there are once a file was opened without its own; the user
    folder has no startup file that could differ.
    """
    bpy.context.preferences.view.ui_scale = float(SCALE)
    with bpy.context.temp_override(window=driver.window()):
        bpy.ops.wm.read_homefile()
    yield LATER


def steps_of(part: str) -> Steps:
    """What happens in a part."""
    name, *case = part.split(".")
    steps: Steps = importlib.import_module(f"{name}_steps").steps(*case)
    return steps


def take(part: str) -> Steps:
    """Take the steps of a part; whatever goes wrong, a test reads it, and the next part comes."""
    driver.state.clear()
    driver.presses.clear()
    driver.folder = Path(FOLDER) / f"{LOOK} {part}"
    driver.folder.mkdir()
    print(f"PART {part}", flush=True)
    try:
        yield from new_file()
        yield from steps_of(part)
    except Exception:
        traceback.print_exc()
        driver.picture("failed")
    print("REPORT " + json.dumps(driver.state), flush=True)


def all_steps() -> Steps:
    set_preferences()
    for part in PARTS:
        yield from take(part)


def settled() -> bool:
    """Whether nothing of the extension waits to be done."""
    timers = [driver.inertia("ui.shared.cache").redraw, driver.inertia("ui.overlay.handlers").sync]
    for module in ("ui.cost.map_plot", "ui.matching.searching", "ui.travel.way_plot"):
        timers.append(driver.inertia(module)._jobs.timer)
    return not any(map(bpy.app.timers.is_registered, timers))


def run(steps: Iterator[Wait]) -> Iterator[None]:
    """Take steps, and wait after each."""
    for wait in steps:
        for _ in range(wait.value):
            yield
        while wait is LATER and not settled():
            yield


bpy.app.handlers.load_post.append(draw_less)
turns = run(all_steps())


def go_on() -> float | None:
    """Another turn of Blender's loop; a timer's function.

    Blender drops one that raises, and would then wait for ever.
    """
    try:
        next(turns)
        return 0.0
    except StopIteration:
        pass
    except Exception:
        traceback.print_exc()
    with bpy.context.temp_override(window=driver.window()):
        bpy.ops.wm.quit_blender()
    return None


bpy.app.timers.register(go_on, first_interval=0.0, persistent=True)
