# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside of a Blender with a window: moves its mouse, presses its keys, takes pictures.

The scripts of the tests import it; a test copies both into the folder that Blender can see.
"""

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
"""What a script has seen; printed at the end."""


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
