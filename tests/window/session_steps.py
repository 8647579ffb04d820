# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside of a Blender with a window: what one part leaves to the next; see test_session.py."""

from __future__ import annotations

import bpy
import driver
from driver import LATER, Steps, state


def steps(case: str) -> Steps:
    if case == "left":
        yield from leave()
    state["editors"] = sorted(area.type for area in driver.window().screen.areas)


def leave() -> Steps:
    """Open a file without its editors, have no 3D View, and take a picture of that."""
    path = str(driver.folder / "left.blend")
    with bpy.context.temp_override(window=driver.window()):
        bpy.ops.wm.save_as_mainfile(filepath=path)
        bpy.ops.wm.open_mainfile(filepath=path, load_ui=False)
    yield LATER
    driver.view().type = "NLA_EDITOR"
    yield LATER
    driver.picture("left")
