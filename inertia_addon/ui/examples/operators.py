# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes an example of the guide: a new scene with a character, which a window shows."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import EnumProperty

from ...blender.mannequin import example
from ..shared import tab
from ..shared.tool import Tool
from ..transition import previewing

MODES = {
    "TRANSITION": tab.JOIN,
    "LOOP": tab.CLEAN,
    "FEET": tab.CLEAN,
    "POPS": tab.CLEAN,
    "PATH": tab.TRAVEL,
    "STEER": tab.TRAVEL,
}
"""The mode of the tab in which an example's page begins."""
ITEMS = (
    ("TRANSITION", "Transition", "A character with Idle, Walk, Run and Turn, in a new scene"),
    (
        "LOOP",
        "Loop",
        "A character with a recorded walk whose end does not match its beginning, in a new scene",
    ),
    ("FEET", "Feet", "A character whose feet skate as it walks, in a new scene"),
    ("POPS", "Pops", "A character whose thigh jumps aside as it walks, in a new scene"),
    ("PATH", "Path", "A character with four clips, and a curve to follow, in a new scene"),
    ("STEER", "Steer", "A character with four clips to be steered with, in a new scene"),
)


class INERTIA_OT_make_example(Tool, bpy.types.Operator):
    bl_idname = "inertia.make_example"
    bl_label = "Make Example"
    bl_description = "Make a character with clips in a new scene, to follow the guide with"
    needs = ()
    told_by = "example"

    example: EnumProperty(
        name="Example", description="What to make: each is what a page of the guide begins with", items=ITEMS
    )

    def act(self, context: Any) -> None:
        previewing.end()
        scene = example.add_scene()
        if context.window is not None:
            context.window.scene = scene
        mannequin = example.fill_scene(scene, example.EXAMPLES[self.example])
        mode = MODES[self.example]
        if mode == tab.TRAVEL:
            choose_clips(mannequin.rig, mannequin.actions.values())
        tab.show(context, mode)
        frame_selected(context)
        self.say('Made "{armature}" in the scene "{scene}"', armature=mannequin.rig.name, scene=scene.name)


def choose_clips(armature: Any, actions: Any) -> None:
    """Switch on `inertia_path.choose_clips` of an armature, so that it travels with listed clips alone, and
    add actions to the end of that list; rows that it has stay.
    """
    path = armature.inertia_path
    path.choose_clips = True
    for action in actions:
        path.clips.add().action = action


def frame_selected(context: Any) -> None:
    """Have each 3D View of the context's window look at what is selected; nothing in the background, without
    a window, and where nothing is selected.
    """
    if bpy.app.background or context.window is None:
        return
    for area in context.window.screen.areas:
        for region in area.regions:
            if area.type == "VIEW_3D" and region.type == "WINDOW":
                with context.temp_override(area=area, region=region):
                    if bpy.ops.view3d.view_selected.poll():
                        bpy.ops.view3d.view_selected()
