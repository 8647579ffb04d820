# SPDX-License-Identifier: GPL-3.0-or-later
"""Which panels of the tab are unfolded.

Blender doesn't say, but it draws the headers of all panels that show, and the contents of unfolded ones."""

from __future__ import annotations

import bpy

from . import cache, modes
from .parts import forgetting

Place = tuple[str, str]
"""The type of an editor, and what a panel is called."""

_above: dict[Place, str] = {}
"""Of each panel that was unfolded when it was last drawn, below which other one it stands, "" for none."""
_settled: dict[Place, str] = {}
"""What of this the overlays were last drawn by."""


def header_drawn(space: str, panel: str) -> None:
    """A panel's header is drawn, or it doesn't show: it is folded unless :func:`contents_drawn` follows."""
    _above.pop((space, panel), None)
    if not bpy.app.background and not bpy.app.timers.is_registered(_settle):
        bpy.app.timers.register(_settle, first_interval=0.0)


def contents_drawn(space: str, panel: str, above: str) -> None:
    """What is in a panel is drawn; it stands below another one, or "" for none."""
    _above[space, panel] = above


def is_seen(panel: str) -> bool:
    """Whether a panel and those above it are unfolded in a sidebar that shows the tab."""
    spaces = {space for space, name in _above if name == panel and _is_open(space, name)}
    return bool(spaces) and any(
        area.type in spaces and modes.is_tab_of(area)
        for window in bpy.context.window_manager.windows
        for area in window.screen.areas
    )


def _is_open(space: str, panel: str) -> bool:
    above = _above.get((space, panel))
    return above is not None and (not above or _is_open(space, above))


def _settle() -> None:
    """Have the overlays drawn again where panels were folded or unfolded; a timer's function."""
    global _settled
    if _settled != _above:
        _settled = dict(_above)
        cache.redraw()


def _stop() -> None:
    if bpy.app.timers.is_registered(_settle):
        bpy.app.timers.unregister(_settle)
    _above.clear()
    _settled.clear()


PART = forgetting(_stop)
