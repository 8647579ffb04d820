# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists of clips among which a search chooses: an object's group has them as its ``clips``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import bpy
from bpy.props import EnumProperty

from ...blender.matching import stock
from ...errors import InertiaError
from ..shared import cache
from ..shared.drawing import Rows
from ..shared.made_of import plain
from ..shared.tool import Tool
from ..translations import OWN_CONTEXT
from . import pickers


class ClipRows(Rows):
    """The rows of such a list."""

    def draw_row(self, row: Any, _data: Any, item: Any, _index: int) -> None:
        """Draw a row."""
        pickers.draw(row, item, "action", "")
        row.prop(item, "cyclic", text="", icon="FILE_REFRESH")


def names_of(armature: Any, props: Any) -> tuple[str, ...]:
    """The actions that an armature's group asks for: the listed ones, or all that fit. Raises InertiaError
    for an empty list."""
    if not props.choose_clips:
        # they are asked for in every redraw
        key = (tuple(bpy.data.actions.keys()), len(armature.data.bones))
        return cache.answer("fitting actions", armature, key, lambda: stock.fitting(armature), at_once=True)
    listed = [item.action.name for item in props.clips if item.action is not None]
    if not listed:
        raise InertiaError("The list of actions is empty; add some to it, or take all that fit.")
    return tuple(dict.fromkeys(listed))


class ChangesClips(Tool):
    """An operator that changes one. group: which object's group has it."""

    told_by = "change"
    group = ""

    change: plain(
        EnumProperty,
        "Change",
        "What to do",
        translation_context=OWN_CONTEXT,
        items=(
            ("ADD", "Add", "Add an action to the list"),
            ("REMOVE", "Remove", "Remove the chosen action from the list"),
            (
                "ALL",
                "Add All That Fit",
                "List all actions that fit the armature and were not baked by Inertia",
            ),
        ),
        default="ADD",
    )

    def fitting(self, armature: Any) -> Iterable[Any]:
        """The actions that may be listed."""
        raise NotImplementedError

    def act(self, context: Any) -> None:
        props = getattr(context.object, self.group)
        if self.change == "ADD":
            props.clips.add()
            props.active_clip = len(props.clips) - 1
        elif self.change == "ALL":
            list_all(props, self.fitting(context.object))
        elif 0 <= props.active_clip < len(props.clips):
            props.clips.remove(props.active_clip)
            props.active_clip = max(0, props.active_clip - 1)
        cache.redraw()


def list_all(props: Any, actions: Iterable[Any]) -> None:
    """List actions that are not listed yet, but for linked ones."""
    listed = {item.action for item in props.clips}
    for action in actions:
        if action.library is None and action not in listed:
            props.clips.add().action = action


def draw(layout: Any, props: Any, kind: str, text: str) -> None:
    """The list, where clips are chosen. text: of the switch.

    kind: what its rows' class and its operator are named after, such as "hop".
    """
    layout.prop(props, "choose_clips", text=text)
    if props.choose_clips:
        row = layout.row()
        row.template_list(
            f"INERTIA_UL_{kind}_clips", "", props, "clips", props, "active_clip", rows=3, maxrows=8
        )
        side = row.column(align=True)
        for change, icon in (("ADD", "ADD"), ("REMOVE", "REMOVE"), ("ALL", "PRESET_NEW")):
            side.operator(f"inertia.{kind}_clips", text="", icon=icon).change = change
    layout.prop(props, "find_cycles")
