# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside of a Blender with a window: previews a transition, and bakes it; see test_preview.py."""

from __future__ import annotations

from typing import Any

import bpy
import driver
from characters import make_walker, rig
from driver import (
    LATER,
    SOON,
    Steps,
    close_other_editors,
    find_button,
    frames_around,
    inertia,
    only_open,
    open_tab,
    picture,
    prepare_view,
    press,
    push,
    remember,
    state,
    until,
    view,
    window,
)


def numbers() -> list[float]:
    """The pose, as Blender shows it."""
    shown = rig().evaluated_get(bpy.context.evaluated_depsgraph_get())
    return [round(value, 4) for bone in shown.pose.bones for row in bone.matrix for value in row]


def note(name: str) -> None:
    """All that a preview may touch, by value."""
    scene, action = bpy.context.scene, rig().animation_data.action
    state[name] = {
        "pose": numbers(),
        "posed": [round(value, 4) for value in rig().pose.bones["head"].rotation_euler],
        "frame": scene.frame_current_final,
        "range": [scene.use_preview_range, scene.frame_preview_start, scene.frame_preview_end],
        "noted": [name for name in scene.keys() if name.startswith("inertia_preview")],
        "actions": sorted(bpy.data.actions.keys()),
        "assigned": action.name,
        "dirty": bpy.data.is_dirty,
        "playing": window().screen.is_animation_playing,
        "running": inertia("ui.transition.previewing").is_running(),
    }


def mouse(value: str, x: int, y: int) -> Steps:
    window().event_simulate(type="LEFTMOUSE", value=value, x=x, y=y)
    yield SOON
    yield LATER


def go_to(frame: int) -> Steps:
    bpy.context.scene.frame_set(frame)
    yield LATER


def settings_followed() -> Steps:
    """Wait until the preview has seen a change, and the entry is found."""
    previewing, entry_search = inertia("ui.transition.previewing"), inertia("ui.transition.entry_search")

    def is_followed() -> bool:
        if entry_search.is_running(rig()):
            return False
        shown = previewing._preview
        return shown is not None and shown.take is not None and shown.key == previewing._key(shown, rig())

    yield from until(is_followed)
    yield LATER


def save() -> None:
    with bpy.context.temp_override(window=window()):
        bpy.ops.wm.save_as_mainfile(filepath=str(driver.folder / "preview.blend"))


def note_while_saving(*_arguments: Any) -> None:
    note("while saving")


def steps() -> Steps:
    """What happens, with the panel open that compares."""
    with only_open("_look"):
        yield from preview()


def preview() -> Steps:
    """Preview, stop, change, compare, end; then bake, and compare again."""
    make_walker()
    bpy.context.scene.frame_set(12)
    rig().pose.bones["head"].rotation_euler = (0.5, 0.0, 0.0)  # posed, and not keyed
    remember("Posed")
    yield from close_other_editors()
    yield from prepare_view()
    yield from open_tab()
    save()
    yield LATER
    note("before")
    yield from push("inertia.preview", at=0.8)
    note("begun")
    seen = yield from frames_around(rig().inertia.cut, behind=12)
    state["seen"] = [min(seen), max(seen), len(seen)]
    picture("playing")
    yield from press("SPACE")
    note("stopped")
    yield from go_to(34)
    yield from settings_followed()
    note("shown")
    rig().inertia.blend_frames = 3.0
    yield from settings_followed()
    note("renewed")
    rig().inertia.blend_frames = 12.0
    yield from settings_followed()
    note("again")
    yield from hold_button("cut")
    note("let go")
    saving = bpy.app.handlers.save_pre
    saving.append(note_while_saving)  # behind the extension's own, so that it sees what the file gets
    save()
    saving.remove(note_while_saving)
    yield from settings_followed()
    note("after saving")
    yield from press("ESC")
    note("ended")
    yield from undo_during_a_preview()
    yield from push("inertia.bake_transition")
    yield from go_to(34)
    note("baked")
    yield from hold_button("cut of the result")
    note("result again")
    yield from follow_the_cut()


def hold_button(name: str) -> Steps:
    """Hold the button down, look, and let it go."""
    yield from find_button("inertia_compare", at=0.72)
    x, y = state["button"]
    shown = numbers()
    yield from mouse("PRESS", x, y)
    yield from until(lambda: numbers() != shown)
    note(name)
    picture(name)
    yield from mouse("RELEASE", x, y)
    yield from until(lambda: numbers() == shown)


def undo_during_a_preview() -> Steps:
    """Change a setting with an undo step while it is previewed, undo that, and end it."""
    rig().inertia.blend_frames = 6.0
    remember("Six")
    note("six")
    yield from push("inertia.preview", at=0.8)
    yield from press("SPACE")
    rig().inertia.blend_frames = 12.0
    remember("Twelve")
    yield from settings_followed()
    yield from press("Z", ctrl=True)
    yield from settings_followed()
    state["blend after undo"] = rig().inertia.blend_frames
    note("undone")
    yield from press("ESC")
    note("ended after undo")
    yield from press("Z", ctrl=True, shift=True)
    note("redone")


def follow_the_cut() -> Steps:
    """Turn the wheel over the cut: the character follows it; then scrub, save, and close the tab."""
    rig().animation_data.action = bpy.data.actions["Run"]
    yield LATER
    note("without following")
    inertia("ui.transition.previewing").QUICK_SECONDS = float("inf")  # however busy the machine is
    yield from find_button("inertia.cut")
    x, y = state["button"]
    window().event_simulate(type="WHEELUPMOUSE", value="PRESS", ctrl=True, x=x, y=y)
    yield from until(lambda: bool(inertia("ui.transition.previewing").is_running()))
    # the verdict finds the entry once the cut has come to rest
    yield from until(lambda: inertia("ui.transition.outlook").entry_of(rig()) is not None)
    yield from settings_followed()
    yield from go_to(34)
    note("following")
    saving = bpy.app.handlers.save_pre
    saving.append(note_followed_while_saving)
    save()
    saving.remove(note_followed_while_saving)
    yield from settings_followed()
    note("following after saving")
    view().spaces.active.show_region_ui = False
    yield from until(lambda: not inertia("ui.transition.previewing").is_running())
    note("followed")
    yield from open_tab()
    yield from push("inertia.bake_transition")
    yield from go_to(34)
    note("baked where it was followed")


def note_followed_while_saving(*_arguments: Any) -> None:
    note("while saving what follows")
