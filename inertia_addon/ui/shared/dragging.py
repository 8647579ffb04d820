# SPDX-License-Identifier: GPL-3.0-or-later
"""What follows the mouse while its button is held."""

from __future__ import annotations

from typing import Any

from . import cache
from .common import Tool


class Drags(Tool):
    """An operator that moves what the mouse has grabbed; ESC, or a window that closes, puts that back."""

    bl_options = {"UNDO", "BLOCKING", "INTERNAL"}

    def modal(self, context: Any, event: Any) -> set[str]:
        """Follow the mouse."""
        if event.type in ("ESC", "RIGHTMOUSE") and event.value == "PRESS":
            self.cancel(context)
            return {"CANCELLED"}
        if event.type == "LEFTMOUSE" and event.value == "RELEASE":
            self.let_go(context)
            return {"FINISHED"} if self.is_moved() else {"CANCELLED"}
        if event.type == "MOUSEMOVE":
            self.follow(context, event)
        return {"RUNNING_MODAL"}

    def cancel(self, context: Any) -> None:
        """Put it back; Blender calls that, too, where it ends the operator itself."""
        if self.is_moved():
            self.put_back(context)
        self.let_go(context)

    def follow(self, context: Any, event: Any) -> None:
        """Move what was grabbed to where the mouse is."""
        raise NotImplementedError

    def is_moved(self) -> bool:
        """Whether it is elsewhere than it was."""
        raise NotImplementedError

    def put_back(self, context: Any) -> None:
        """Bring it to where it was."""
        raise NotImplementedError

    def let_go(self, context: Any) -> None:
        """Show no more what the mouse does."""
        context.area.header_text_set(None)
        cache.redraw()
