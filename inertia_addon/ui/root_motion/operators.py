# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures root motion, hands its half-lives on, and edits the list of actions that are measured."""

from __future__ import annotations

import json
from collections.abc import Generator
from typing import Any

import bpy
from bpy.props import EnumProperty, StringProperty

from ...blender.data import clip_store, compat, scene
from ...blender.files import safe_write
from ...blender.root_motion import values as root_motion_values
from ...errors import InertiaError
from ...motion.decay import dead_blending, displacement
from ...motion.decay.decay import Method
from .. import translations
from ..shared import common, words
from ..shared.long_work import LongWork, SavesFile
from ..translations import translated
from . import measured as root_motion
from .properties import KIND_ITEMS

FORMATS = (
    ("JSON", "JSON", "All that was measured, for each action"),
    ("CSV", "CSV", "A row for each ramp and turn, for spreadsheets"),
)


def poll_measured(cls: Any, context: Any) -> bool:
    """Whether the active armature's root motion is known; a tooltip says why not."""
    if not common.poll_armature(cls, context):
        return False
    try:
        root_motion.of(context.object)
    except InertiaError as error:
        return common.unavailable(cls, error.sentence)
    return True


class INERTIA_OT_measure_actions(LongWork, bpy.types.Operator):
    bl_idname = "inertia.measure_actions"
    bl_label = "Measure Actions"
    bl_description = (
        "Measure the root motion of all chosen actions. Rigs with constraints or drivers are played once, "
        "frame by frame. ESC stops it; the scene stays as it is"
    )
    # what it finds is kept beside the file, so there is nothing to undo
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        return common.poll_armature(cls, context)

    def work(self, context: Any) -> Generator[float, None, None]:
        yield from root_motion.measuring(context.object)
        number = len(root_motion.known(context.object))
        common.say(
            self, "INFO", "The root motion of {count} is measured.", count=words.count(number, "action")
        )


class INERTIA_OT_use_half_life(bpy.types.Operator):
    bl_idname = "inertia.use_half_life"
    bl_label = "Use Fitted Half-Life"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def description(cls, context: Any, _properties: Any) -> str:
        text = translations.tip(
            "Set the transition's time from the half-life that was fitted to the root's speed: a spring gets "
            "it as it is, other methods the blend time that displaces as much"
        )
        found = suggestion(context)
        return text if found is None else translated("{0}. Now {1}", text, found[1])

    @classmethod
    def poll(cls, context: Any) -> bool:
        if not (common.poll_settings(cls, context) and poll_measured(cls, context)):
            return False
        if suggestion(context) is None:
            return common.unavailable(
                cls, "The root motion that is shown has no ramp of its speed, nor a turn"
            )
        return True

    def execute(self, context: Any) -> set[str]:
        found = suggestion(context)
        if found is None:
            return {"CANCELLED"}
        own = context.object.inertia
        if own.method == "SPRING":
            own.half_life = found[0]
        else:
            own.blend_frames = found[0] * scene.fps()
        common.say(self, "INFO", "Set to {setting}.", setting=found[1])
        return {"FINISHED"}


def suggestion(context: Any) -> tuple[float, str] | None:
    """The blend time, or a spring's half-life, in seconds, that suits the root motion shown; and in words."""
    try:
        shown = root_motion.of(context.object)
    except InertiaError:
        return None  # the panel says why
    ramp = shown.measured.main_ramp or shown.measured.main_turn
    if ramp is None:
        return None
    half_life = shown.best_guess(ramp)
    own = context.object.inertia
    named = {"QUINTIC": own.quintic_start, "DEAD_BLENDING": dead_blending.FADE.name}
    seconds = displacement.blend_seconds_like(Method[named.get(own.method, own.method)], half_life)
    frames = words.number(seconds * scene.fps())
    if own.method == "SPRING":
        return seconds, translated("a half-life of {0} s, from {1}", f"{seconds:.3g}", shown.action)
    text = "{0} frames, as the half-life of {1} is {2} s"
    return seconds, translated(text, frames, shown.action, f"{half_life:.3g}")


class INERTIA_OT_copy_root_motion(bpy.types.Operator):
    bl_idname = "inertia.copy_root_motion"
    bl_label = "Copy Root Motion"
    bl_description = "Copy what was measured of all chosen actions to the clipboard"
    bl_options = {"REGISTER"}

    kind: EnumProperty(name="Format", description="How it is written", items=FORMATS, default="CSV")

    @classmethod
    def poll(cls, context: Any) -> bool:
        return poll_measured(cls, context)

    def execute(self, context: Any) -> set[str]:
        found = root_motion.known(context.object)
        context.window_manager.clipboard = as_text(found, self.kind)
        common.say(
            self, "INFO", "Copied the root motion of {count}.", count=words.count(len(found), "action")
        )
        return {"FINISHED"}


class INERTIA_OT_save_root_motion(SavesFile, bpy.types.Operator):
    bl_idname = "inertia.save_root_motion"
    bl_label = "Save Root Motion"
    bl_description = "Measure all chosen actions, and write what was found into a file"
    bl_options = {"REGISTER"}

    filepath: StringProperty(
        name="File", description="The file to write", subtype="FILE_PATH", options={"SKIP_SAVE"}
    )
    filter_glob: StringProperty(default="*.json;*.csv", options={"HIDDEN"})
    kind: EnumProperty(name="Format", description="How it is written", items=FORMATS, default="JSON")

    @classmethod
    def poll(cls, context: Any) -> bool:
        return common.poll_armature(cls, context)

    def offered(self, context: Any) -> tuple[str, str]:
        return f"{context.object.name} root motion", self._ending

    @property
    def _ending(self) -> str:
        return f".{self.kind.lower()}"

    def work(self, context: Any) -> Generator[float, None, None]:
        path = self.path(self._ending)
        yield from root_motion.measuring(context.object)
        found = root_motion.known(context.object)
        with safe_write.replacing(path) as written:
            written.write_text(as_text(found, self.kind), encoding="utf-8")
        common.say(
            self,
            "INFO",
            "The root motion of {count} is written to {path}.",
            count=words.count(len(found), "action"),
            path=path,
        )


def as_text(found: list[root_motion.Shown], kind: str) -> str:
    """Measured actions as JSON or CSV."""
    values = [shown.values for shown in found]
    if kind == "CSV":
        return root_motion_values.as_csv(values)
    return json.dumps({"actions": values}, indent=2, ensure_ascii=False) + "\n"


class INERTIA_OT_reset_ramps(bpy.types.Operator):
    bl_idname = "inertia.reset_ramps"
    bl_label = "Find Ramps Again"
    bl_description = "Forget the ranges that were set by hand in this action, and find them from the motion"
    bl_options = {"REGISTER", "UNDO"}

    kind: EnumProperty(name="Kind", description="Which ranges", items=KIND_ITEMS, default="speed")

    @classmethod
    def poll(cls, context: Any) -> bool:
        return common.poll_settings(cls, context) and root_motion.poll_shown_action(cls, context)

    def execute(self, context: Any) -> set[str]:
        root_motion.put_ranges(context.object, root_motion.shown_action(context.object), self.kind, ())
        return {"FINISHED"}


class INERTIA_OT_list_actions(bpy.types.Operator):
    bl_idname = "inertia.list_actions"
    bl_label = "List Actions"
    bl_description = "Edit the list of actions whose root motion is measured"
    bl_options = {"REGISTER", "UNDO"}

    change: EnumProperty(
        name="Change",
        description="What becomes of the list",
        items=(
            ("ALL", "Add All", "Add every action of the file that moves this armature"),
            (
                "SELECTED",
                "Add Selected",
                "Add the actions that are selected in an Outliner",
            ),
            ("ACTION", "Add Assigned", "Add the armature's assigned action"),
            ("REMOVE", "Remove", "Take the chosen action off the list"),
            ("CLEAR", "Clear", "Take all actions off the list"),
        ),
        default="ALL",
        options={"SKIP_SAVE"},
    )

    @classmethod
    def description(cls, _context: Any, properties: Any) -> str:
        items = cls.bl_rna.properties["change"].enum_items
        return translations.tip(items[properties.change].description)

    @classmethod
    def poll(cls, context: Any) -> bool:
        return common.poll_settings(cls, context)

    def execute(self, context: Any) -> set[str]:
        armature = context.object
        own = armature.inertia_root
        if self.change in ("REMOVE", "CLEAR"):
            chosen = range(len(own.listed)) if self.change == "CLEAR" else (own.active_listed,)
            for i in reversed([i for i in chosen if 0 <= i < len(own.listed)]):
                own.listed.remove(i)
            own.active_listed = min(own.active_listed, len(own.listed) - 1)
            return {"FINISHED"}
        there = {item.action for item in own.listed}
        new = [action for action in self._wanted(context) if action not in there]
        if not new:
            common.say(self, "WARNING", "There is no such action that is not on the list yet.")
            return {"CANCELLED"}
        for action in new:
            own.listed.add().action = action
        own.active_listed = len(own.listed) - 1
        return {"FINISHED"}

    def _wanted(self, context: Any) -> list[Any]:
        usable = clip_store.fitting(context.object)
        if self.change == "ALL":
            return usable
        if self.change == "ACTION":
            data = context.object.animation_data
            wanted = {data.action if data is not None else None}
        else:
            wanted = {
                item
                for window in context.window_manager.windows
                for area in window.screen.areas
                if area.type == "OUTLINER"
                for item in _selected_in(context, window, area)
            }
        return [action for action in usable if action in wanted]


def _selected_in(context: Any, window: Any, area: Any) -> list[Any]:
    """What is selected in an Outliner."""
    region = next(region for region in area.regions if region.type == "WINDOW")
    with context.temp_override(window=window, area=area, region=region):
        return compat.selected_ids(bpy.context)


CLASSES = (
    INERTIA_OT_measure_actions,
    INERTIA_OT_use_half_life,
    INERTIA_OT_copy_root_motion,
    INERTIA_OT_save_root_motion,
    INERTIA_OT_reset_ramps,
    INERTIA_OT_list_actions,
)
