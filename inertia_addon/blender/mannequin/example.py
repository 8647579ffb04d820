# SPDX-License-Identifier: GPL-3.0-or-later
"""What a page of the guide begins with: the mannequin in a scene of its own, with what the page is about."""

from __future__ import annotations

from typing import Any

import bpy

from ...records import record
from .character import FPS, Mannequin, build_mannequin
from .recordings import add_recordings
from .rig import NAME, assign_action
from .street import add_street


@record(frozen=True)
class Example:
    """What a scene holds beside the mannequin and its clips.

    clip: the name of the action that is assigned. last_frame: with which the scene ends. is_recorded: whether
    the clips are as if they were recorded. has_street: whether there is a curve to follow.
    """

    clip: str
    last_frame: int
    is_recorded: bool = False
    has_street: bool = False


EXAMPLES = {
    "TRANSITION": Example("Walk", 190),
    "LOOP": Example("Walk", 97, is_recorded=True),
    "FEET": Example("Skating", 97, is_recorded=True),
    "POPS": Example("Popping", 97, is_recorded=True),
    "PATH": Example("Idle", 300, has_street=True),
    "STEER": Example("Idle", 300),
}
"""What each page's story begins with. A scene ends where a result ends that its page leads to, or later."""


def add_scene() -> Any:
    """Add an empty scene with the rate of the mannequin's clips to the file, and return it."""
    scene = bpy.data.scenes.new(NAME)
    scene.render.fps, scene.render.fps_base = FPS, 1.0
    return scene


def fill_scene(scene: Any, example: Example) -> Mannequin:
    """Add what an example holds to a scene, and return the mannequin; it is active, selected, in Object Mode
    and at the first frame of the assigned action.

    The scene's range becomes frame 1 to example.last_frame; nothing else that is in the file is changed.
    Blender numbers names that are taken.
    """
    mannequin = build_mannequin(scene)
    actions = dict(mannequin.actions)
    if example.is_recorded:
        actions |= add_recordings(mannequin)
    if example.has_street:
        add_street(scene)
    assign_action(mannequin.rig, actions[example.clip])
    layer = scene.view_layers[0]
    layer.objects.active = mannequin.rig
    mannequin.rig.select_set(state=True, view_layer=layer)
    scene.frame_start, scene.frame_end = 1, example.last_frame
    scene.frame_set(1)
    return Mannequin(mannequin.rig, actions)
