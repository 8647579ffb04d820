# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures root motion, hands its half-lives on, and edits the list of actions that are measured."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import EnumProperty, StringProperty

from ...blender.data import clip_store, compat, scene
from ...blender.root_motion import histograms, measure, modes
from ...errors import InertiaError
from ...motion.decay import dead_blending, decay
from ...storage import safe_write
from .. import translations
from ..shared import tool, words
from ..shared.long_work import LongWork, SavesFile
from ..shared.made_of import plain
from ..shared.tool import Tool
from ..translations import translated
from . import histogram
from . import measured as root_motion
from .properties import KIND_ITEMS

if TYPE_CHECKING:
    from ...motion.steps import Steps

FORMATS = (
    ("JSON", "JSON", "All that was measured, for each action"),
    ("CSV", "CSV", "A row for each ramp and turn, for spreadsheets"),
)


POLL_MEASURED = (tool.poll_armature, tool.need(lambda context: root_motion.read_view(context.object)))
"""What all that is about the root motion that is shown needs: a tooltip says why it is not known."""


class INERTIA_OT_measure_actions(LongWork, bpy.types.Operator):
    bl_idname = "inertia.measure_actions"
    bl_label = "Measure Actions"
    bl_description = (
        "Measure the root motion of all chosen actions. Rigs with constraints or drivers are played once, "
        "frame by frame. ESC stops it; the scene stays as it is"
    )
    # what it finds is kept beside the file, so there is nothing to undo
    bl_options = {"REGISTER"}
    needs = (tool.poll_armature,)

    def work(self, context: Any) -> Steps[None]:
        self.stands_on(*root_motion.actions_of(context.object))
        yield from root_motion.measure_steps(context.object)
        number = len(root_motion.recall_views(context.object))
        self.say("The root motion of {count} is measured.", count=words.count(number, "action"))


class INERTIA_OT_use_half_life(Tool, bpy.types.Operator):
    bl_idname = "inertia.use_half_life"
    bl_label = "Use Fitted Half-Life"
    needs = (
        *(tool.poll_settings, *POLL_MEASURED),
        tool.need(
            lambda context: suggestion(context),
            "The root motion that is shown has neither a ramp of its speed nor a turn",
        ),
    )

    @classmethod
    def description(cls, context: Any, _properties: Any) -> str:
        text = translations.tip(
            "Set the transition's time from the half-life that was fitted to the root's speed: a spring gets "
            "it as it is, other methods the blend time that displaces as much"
        )
        suggested = suggestion(context)
        return text if suggested is None else translated("{0}. Now {1}", text, suggested[1])

    def act(self, context: Any) -> None:
        suggested = suggestion(context)
        assert suggested is not None
        transition = context.object.inertia
        if transition.method == "SPRING":
            transition.half_life = suggested[0]
        else:
            transition.blend_frames = scene.to_frames(suggested[0])
        self.say("Set to {setting}.", setting=suggested[1])


def suggestion(context: Any) -> tuple[float, str] | None:
    """Return (seconds, text): how long a transition of the active armature should blend to suit the root
    motion that is shown, and that in words, in Blender's language.

    The half-life is :meth:`RootMotionView.best_guess`, the chosen estimator's or, where its fit says little,
    the closed form's, of the ramp of the speed that changes most; without any, of the turn that goes
    furthest. It does not matter whether these are like a spring. With the method SPRING, seconds are that
    half-life, and the text is "a half-life of 0.2 s, from Walk". With any other they are the blend time that
    displaces as much from rest, and the text is "8.5 frames, as the half-life of Walk is 0.2 s"; frames at
    the scene's rate.

    None if there is no ramp or turn, or if the root motion can't be had without an operator (an InertiaError,
    NotMeasured among them). A quick action is measured. The context's object must be an armature.
    """
    try:
        shown = root_motion.read_view(context.object)
    except InertiaError:
        return None  # the panel says why
    ramp = shown.measured.main_ramp or shown.measured.main_turn
    if ramp is None:
        return None
    half_life = shown.best_guess(ramp)
    transition = context.object.inertia
    named = {"QUINTIC": transition.quintic_start, "DEAD_BLENDING": dead_blending.FADE.name}
    method = decay.Method[named.get(transition.method, transition.method)]
    seconds = decay.blend_seconds_like(method, half_life)
    frames = words.number(scene.to_frames(seconds))
    if transition.method == "SPRING":
        return seconds, translated("a half-life of {0} s, from {1}", f"{seconds:.3g}", shown.action)
    text = "{0} frames, as the half-life of {1} is {2} s"
    return seconds, translated(text, frames, shown.action, f"{half_life:.3g}")


class INERTIA_OT_copy_root_motion(Tool, bpy.types.Operator):
    bl_idname = "inertia.copy_root_motion"
    bl_label = "Copy Root Motion"
    bl_description = "Copy what was measured of all chosen actions to the clipboard"
    bl_options = {"REGISTER"}
    needs = POLL_MEASURED

    kind: EnumProperty(name="Format", description="The format of the file", items=FORMATS, default="CSV")

    def act(self, context: Any) -> None:
        measured = root_motion.recall_views(context.object)
        context.window_manager.clipboard = as_text(measured, self.kind)
        self.say("Copied the root motion of {count}.", count=words.count(len(measured), "action"))


class INERTIA_OT_save_root_motion(SavesFile, bpy.types.Operator):
    bl_idname = "inertia.save_root_motion"
    bl_label = "Save Root Motion"
    bl_description = "Measure all chosen actions, and write what was found into a file"
    bl_options = {"REGISTER"}
    needs = (tool.poll_armature,)

    filepath: plain(StringProperty, "File", "The file to write", subtype="FILE_PATH")
    filter_glob: StringProperty(default="*.json;*.csv", options={"HIDDEN"})
    kind: EnumProperty(name="Format", description="The format of the file", items=FORMATS, default="JSON")

    def offered(self, context: Any) -> tuple[str, str]:
        return f"{context.object.name} root motion", f".{self.kind.lower()}"

    def work(self, context: Any) -> Steps[None]:
        path = self.path(self.offered(context)[1])
        self.stands_on(*root_motion.actions_of(context.object))
        yield from root_motion.measure_steps(context.object)
        measured = root_motion.recall_views(context.object)
        with safe_write.replace_safely(path) as written:
            written.write_text(as_text(measured, self.kind), encoding="utf-8")
        count = words.count(len(measured), "action")
        self.say("The root motion of {count} is written to {path}.", count=count, path=path)


def as_text(measured: list[root_motion.RootMotionView], kind: str) -> str:
    """Return what was measured of actions as text, in English; it ends with a line feed.

    kind "CSV": the heading :data:`measure.COLUMNS`, then for each action, in order, a row for each ramp of
    the speed, then for each turn. Any other kind: JSON, indented by 2, non-ASCII letters as they are, with
    "actions", a list of each view's ``values``; "by_mode", a list of dicts of :func:`modes_of`; and
    "histograms", a dict. Without actions the CSV is the heading alone, and "actions" and "by_mode" are [].
    """
    values = [shown.values for shown in measured]
    if kind == "CSV":
        return measure.as_csv(values)
    texts = {
        "actions": values,
        "by_mode": modes.values(root_motion.modes_of(measured)),
        "histograms": histograms.values(histogram.histograms_of(measured)),
    }
    return json.dumps(texts, indent=2, ensure_ascii=False) + "\n"


class INERTIA_OT_reset_ramps(Tool, bpy.types.Operator):
    bl_idname = "inertia.reset_ramps"
    bl_label = "Find Ramps Again"
    bl_description = "Discard the ranges set by hand in this action, and find them from the motion again"
    needs = (tool.poll_settings, root_motion.poll_shown_action)

    kind: EnumProperty(name="Kind", description="Which ranges", items=KIND_ITEMS, default="speed")

    def act(self, context: Any) -> None:
        root_motion.put_ranges(context.object, root_motion.choose_action(context.object), self.kind, ())


class INERTIA_OT_list_actions(Tool, bpy.types.Operator):
    bl_idname = "inertia.list_actions"
    bl_label = "List Actions"
    bl_description = "Edit the list of actions whose root motion is measured"
    told_by = "change"

    change: plain(
        EnumProperty,
        "Change",
        "What to do with the list",
        items=(
            ("ALL", "Add All", "Add every action of the file that moves this armature"),
            ("SELECTED", "Add Selected", "Add the actions that are selected in an Outliner"),
            ("ACTION", "Add Assigned", "Add the armature's assigned action"),
            ("REMOVE", "Remove", "Remove the chosen action from the list"),
            ("CLEAR", "Clear", "Remove all actions from the list"),
        ),
        default="ALL",
    )

    def act(self, context: Any) -> set[str] | None:
        root = context.object.inertia_root
        if self.change in ("REMOVE", "CLEAR"):
            chosen = range(len(root.listed)) if self.change == "CLEAR" else (root.active_listed,)
            for i in reversed([i for i in chosen if 0 <= i < len(root.listed)]):
                root.listed.remove(i)
            root.active_listed = min(root.active_listed, len(root.listed) - 1)
            return None
        listed = {item.action for item in root.listed}
        new = [action for action in self._wanted(context) if action not in listed]
        if not new:
            self.say("All such actions are on the list already.", "WARNING")
            return {"CANCELLED"}
        for action in new:
            root.listed.add().action = action
        root.active_listed = len(root.listed) - 1
        return None

    def _wanted(self, context: Any) -> list[Any]:
        usable = clip_store.find_fitting(context.object)
        if self.change == "ALL":
            return usable
        if self.change == "ACTION":
            data = context.object.animation_data
            wanted = {data.action if data is not None else None}
        else:
            wanted = set()
            for window in context.window_manager.windows:
                for area in window.screen.areas:
                    if area.type != "OUTLINER":
                        continue
                    region = next(region for region in area.regions if region.type == "WINDOW")
                    with context.temp_override(window=window, area=area, region=region):
                        wanted.update(compat.selected_ids(bpy.context))
        return [action for action in usable if action in wanted]
