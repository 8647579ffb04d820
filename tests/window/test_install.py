# SPDX-License-Identifier: GPL-3.0-or-later
"""The built extension installs into a real Blender, enables and disables there, and leaves nothing behind."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.window.launcher import MODULE, QUIT, RealBlender, report, reported

pytestmark = pytest.mark.window

STATE = f"""
import sys, bpy, addon_utils
state = {{
    "listed": {MODULE!r} in bpy.context.preferences.addons,
    "running": addon_utils.check({MODULE!r})[1],
    "version": list(bpy.app.version[:2]),
    "windows": len(bpy.context.window_manager.windows),
    "background": bpy.app.background,
}}
"""

AGAIN = f"""
import bpy, addon_utils
def known():
    ours = lambda thing: thing.__module__.startswith({MODULE!r})
    kinds = (bpy.types.Operator, bpy.types.Panel, bpy.types.PropertyGroup, bpy.types.AddonPreferences)
    children = [cls for kind in kinds for cls in kind.__subclasses__()]
    classes = [cls.__name__ for cls in children if ours(cls) and cls.is_registered]
    handlers = [
        function.__name__
        for name in dir(bpy.app.handlers)
        if isinstance(functions := getattr(bpy.app.handlers, name), list)
        for function in functions
        if ours(function)
    ]
    return sorted(classes + handlers)

state["before"] = known()
addon_utils.disable({MODULE!r})
state["off"] = known()
addon_utils.enable({MODULE!r})
state["after"] = known()
"""


def test_blender_itself_accepts_the_zip(blender: RealBlender, package: Path) -> None:
    shutil.copy(package, blender.folder)
    blender.extension("validate", blender.folder / package.name).check()


def test_the_extension_is_enabled_once_installed_and_disabling_leaves_nothing(
    installed_blender: RealBlender,
) -> None:
    state = reported(installed_blender.script(STATE + AGAIN + report("state")).check())
    assert state["listed"]
    assert state["running"]
    assert state["background"]
    assert state["before"] != []
    assert state["off"] == []
    assert state["after"] == state["before"]


def test_the_extension_enables_with_a_window(installed_blender: RealBlender) -> None:
    state = reported(installed_blender.script(STATE + report("state") + QUIT, window=True).check())
    assert state["running"]
    assert state["windows"] > 0
    assert not state["background"]


@pytest.mark.newest
def test_a_zip_that_is_none_is_noticed(blender: RealBlender, tmp_path: Path) -> None:
    # Blender's exit code is 0 here: install() must not be content with it.
    wrong = tmp_path / "wrong.zip"
    wrong.write_text("not a zip")
    with pytest.raises(AssertionError):
        blender.install(wrong)
