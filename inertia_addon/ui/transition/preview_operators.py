# SPDX-License-Identifier: GPL-3.0-or-later
"""Plays the coming transition before it is baked, and shows it with and without its blend."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import EnumProperty

from ...blender.data import compat, recipe
from ..room import Registration
from ..shared import tool
from ..shared.tool import Tool
from ..translations import translated
from . import previewing


def poll_shown(cls: Any, context: Any) -> bool:
    """Tell whether there is a transition to show: two actions, or the assigned result."""
    if recipe.is_baked(compat.assigned(context.object)[0], recipe.RECIPE):
        return True
    return tool.poll_actions(cls, context)


class INERTIA_OT_preview(Tool, bpy.types.Operator):
    bl_idname = "inertia.preview"
    bl_label = "Preview"
    bl_description = (
        "Play the coming transition on the character without baking it. It follows the settings; Space plays "
        "and stops it; ESC, or this button again, ends it. Nothing of it stays in the file"
    )
    # nothing is left of it, so there is nothing to undo
    bl_options = {"REGISTER"}
    needs = (tool.poll_settings, tool.poll_armature, tool.poll_actions)

    def act(self, context: Any) -> None:
        """Begin, or end: of a script it is shown on the frame in use."""
        if previewing.is_previewed(context.object):
            previewing.end()
        else:
            previewing.begin(context.scene, context.object)

    def invoke(self, context: Any, _event: Any) -> set[str]:
        ends = previewing.is_previewed(context.object)
        previewing.stop_playing()
        if "CANCELLED" in self.execute(context) or ends:
            return {"CANCELLED"}
        context.scene.frame_set(context.scene.frame_preview_start)
        bpy.ops.screen.animation_play()
        context.window_manager.modal_handler_add(self)
        context.workspace.status_text_set(translated("Preview: Space plays and stops it, ESC ends it."))
        return {"RUNNING_MODAL"}

    def modal(self, context: Any, event: Any) -> set[str]:
        """Let events pass on until ESC is pressed or the preview has ended; return what Blender's modal does.

        A press of ESC stops what plays and ends the preview; it is not passed on, and the answer is
        CANCELLED. Where the preview has ended elsewhere it is CANCELLED, too, and the event passes on. For
        all other events it is PASS_THROUGH alone, so that the operator goes on.
        """
        if not previewing.is_running():
            self.cancel(context)
            return {"CANCELLED", "PASS_THROUGH"}
        if event.type == "ESC" and event.value == "PRESS":
            previewing.stop_playing()
            self.cancel(context)
            return {"CANCELLED"}
        return {"PASS_THROUGH"}

    def cancel(self, context: Any) -> None:
        """End the preview, as Blender does when it ends the operator."""
        previewing.end()
        context.workspace.status_text_set(None)


class INERTIA_OT_compare(Tool, bpy.types.Operator):
    bl_idname = "inertia.compare"
    bl_label = "Compare"
    bl_description = (
        "While the button or key is held down, show the transition with a hard cut, without its blend; where "
        "neither a preview nor a result is shown, show the coming transition"
    )
    bl_options = {"REGISTER"}
    needs = (tool.poll_settings, tool.poll_armature, poll_shown)

    def act(self, context: Any) -> None:
        """Hold it, or let it go."""
        if previewing.is_held():
            previewing.let_go()
        else:
            previewing.hold(context.scene, context.object)

    def invoke(self, context: Any, event: Any) -> set[str]:
        if "CANCELLED" in self.execute(context):
            return {"CANCELLED"}
        # a button is pressed by the mouse, of which nothing is heard where it was pressed a moment ago
        self._pressed = event.type if event.value == "PRESS" else "LEFTMOUSE"
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: Any, event: Any) -> set[str]:
        """Wait until the key or mouse button that began it is pressed or released, the left mouse button is,
        or ESC is; then show again what was shown before, and end with CANCELLED.

        All events pass on to others in any case, that one included: the button has to know, too, that it is
        let go. Until then the answer is PASS_THROUGH alone.
        """
        if event.type in (self._pressed, "LEFTMOUSE", "ESC") and event.value in ("RELEASE", "PRESS"):
            self.cancel(context)
            # the button has to know, too, that it is let go
            return {"CANCELLED", "PASS_THROUGH"}
        return {"PASS_THROUGH"}

    def cancel(self, _context: Any) -> None:
        """Show again what was shown before."""
        previewing.let_go()


HELD = "inertia_compare"
"""The property whose button is held: Blender takes the press of a choice, but of an operator the release, and
a switch keeps the release for itself."""
ITEMS = (
    ("SHOWN", "As It Is", "The character as it is shown"),
    ("OTHER", INERTIA_OT_compare.bl_label, INERTIA_OT_compare.bl_description),
)


def _press(_manager: Any, value: int) -> None:
    """Start Compare once Blender has done with the press of its button; nothing if it is let go, already held
    or can't run.

    It is a property's set function: else the button would hear alone that it is let go. value: 1 for pressed.
    """
    if not value or previewing.is_held() or not bpy.ops.inertia.compare.poll():
        return
    context = bpy.context
    where = {name: getattr(context, name) for name in ("window", "area", "region")}

    def hold() -> None:
        with bpy.context.temp_override(**where):
            bpy.ops.inertia.compare("INVOKE_DEFAULT")

    bpy.app.timers.register(hold, first_interval=0.0)


def _register() -> None:
    choice = EnumProperty(
        name=INERTIA_OT_compare.bl_label,
        description=INERTIA_OT_compare.bl_description,
        items=ITEMS,
        options={"SKIP_SAVE"},
        get=lambda _manager: int(previewing.is_held()),
        set=_press,
    )
    setattr(bpy.types.WindowManager, HELD, choice)


BUTTON = Registration(_register, lambda: delattr(bpy.types.WindowManager, HELD))
