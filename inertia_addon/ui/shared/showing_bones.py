# SPDX-License-Identifier: GPL-3.0-or-later
"""Shows in the window what a row of a list is about: a bone at a frame."""

from __future__ import annotations

from typing import Any

from ...blender.data import compat, scene


def show_bone(context: Any, armature: Any, bone: str, frame: float) -> None:
    """Have the scene show a frame of actions, and select a bone alone, which becomes the active one.

    frame: of an action; the scene goes to where it shows that, between whole frames if need be. Where the
    armature has no bone of that name, the selection stays.
    """
    scene.show_action_frame(context.scene, frame)
    shown = armature.pose.bones.get(bone)
    if shown is None:
        return
    for other in compat.selected_bones(armature):
        compat.select_bone(other, state=False)
    compat.select_bone(shown, state=True)
    armature.data.bones.active = shown.bone
