# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside of a Blender with a window: finds the Bake button, presses it, undoes; see test_panel.py."""

from __future__ import annotations

import json

import bpy
from characters import make_row_of_bones
from driver import (
    LATER,
    SOON,
    Steps,
    click,
    hover,
    key,
    open_tab,
    picture,
    region,
    remember,
    state,
    sweep,
    view,
    window,
)


def make_character() -> None:
    """A rig of three bones with the actions Walk and Run."""
    rig = make_row_of_bones()
    for name, turn in (("Walk", 0.3), ("Run", 0.8)):
        rig.animation_data_create().action = bpy.data.actions.new(name)
        for frame in range(1, 41, 3):
            for bone in rig.pose.bones:
                bone.rotation_mode = "XYZ"
                bone.rotation_euler = (turn * (frame % 12) / 12.0, turn, 0.0)
                bone.keyframe_insert("rotation_euler", frame=frame)
    rig.inertia.source, rig.inertia.destination = bpy.data.actions["Walk"], bpy.data.actions["Run"]
    rig.inertia.cut = 20.0
    remember("Character")


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


def adjust() -> Steps:
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


def steps() -> Steps:
    """What happens."""
    make_character()
    yield from open_tab()
    note("before")
    picture("before")
    hovered: list[str] = []
    yield from sweep("inertia.bake_transition", right=False, at=0.5, hovered=hovered)
    state["in sight"] = [region("UI").height, hovered]
    x, y = state["button"]
    yield from click(x, y)
    note("pressed")
    hover(view().x + view().width // 3, view().y + view().height // 2)
    yield LATER
    hovered = []
    yield from sweep("inertia.bake_transition", right=False, at=0.3, hovered=hovered)
    state["in sight of a result"] = hovered
    picture("pressed")
    yield from adjust()
    note("adjusted")
    picture("adjusted")
    hover(view().x + view().width // 2, view().y + view().height // 2)
    yield SOON
    yield from key("Z", view().x + 300, view().y + 300, ctrl=True)
    note("undone")
    picture("undone")
