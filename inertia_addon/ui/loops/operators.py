# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds loops and makes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import IntProperty, StringProperty

from ...blender.data import actions, clip_store, result_kinds, scene
from ...blender.evaluation import hindrances
from ...blender.loops import bake, search, stretch
from ...motion.steps import Steps, part
from ...settings import fields
from ...settings.loops import LoopSettings
from ..cost import costs
from ..cost.joint_list import weights_from
from ..shared import cache, drawing, forms, labels, tool, words
from ..shared.long_work import LongWork
from ..shared.made_of import limits_of, plain, properties, start_from, values_of
from ..shared.made_of import names as names_of
from ..transition import pickers, previewing, results
from . import map_plot as found_loops
from .properties import action_of, first_frame, keep, last_frame, library_of, loop_frames_of, search_of

if TYPE_CHECKING:
    from ...blender.judging.verdict import Verdict
    from ...blender.loops.judged import LoopReport
    from ..shared.tool import Tool

SETTINGS = names_of(LoopSettings)
HOW = tuple(name for name in SETTINGS if name != "result")
"""The settings that are drawn below each other; what the result is called stands apart."""
REPORT = "loop:report"
"""What the report of the loop that was made last is kept under."""
CLOSED = "loop:closed"
"""Which action was to be made a loop, and is one, is kept under."""


class INERTIA_OT_find_loop(LongWork, bpy.types.Operator):
    bl_idname = "inertia.find_loop"
    bl_label = "Find Loop"
    bl_description = (
        "Find the stretches of the action that loop best: their ends match in pose and velocity, and all "
        "feet land equally often. The action stays unchanged; ESC stops it"
    )
    needs = (tool.poll_settings, tool.poll_armature)

    count: plain(IntProperty, "Loops", "How many to list", default=8, **limits_of(fields.LISTED))

    def work(self, context: Any) -> Steps[None]:
        armature = context.object
        action, settings, weights = action_of(armature), search_of(armature), weights_from(armature)
        self.stands_on(action)
        cache.settle()
        clip = yield from part(clip_store.read_stored_steps(armature, action), 0.0, 0.1)
        root = armature.inertia_loops.root
        steps = search.search_loop_steps(armature, clip, settings, weights, root, costs.evaluate_motion_steps)
        try:
            searched = yield from part(steps, 0.1, 1.0)
        except stretch.AlreadyLoops as error:
            closed(self, action, error)
            return
        best = searched.best(self.count)
        for note in searched.notes:
            self.say(note)
        keep(armature, action, best)
        found_loops.remember(armature, action, settings, searched.costs)
        self.say(
            "{count}; the best is frame {start} to {end}, its ends are {length} apart.",
            count=words.count(len(best), "loop"),
            start=words.number(best[0].start),
            end=words.number(best[0].end),
            length=scene.length_text(best[0].cost),
        )


@properties(LoopSettings)
class LoopFields:
    """The settings of a loop, by their names in LoopSettings."""


class INERTIA_OT_make_loop(LongWork, LoopFields, bpy.types.Operator):
    bl_idname = "inertia.make_loop"
    bl_label = "Make Loop"
    bl_description = (
        "Make a new action from these frames whose end flows into its beginning, in pose and velocity. "
        "The action itself stays unchanged"
    )
    needs = (tool.poll_settings, tool.poll_armature)

    action: plain(
        StringProperty,
        "Action",
        "The action that should loop",
        search=pickers.search_names,
        search_options=set(),
    )
    library: plain(StringProperty, "Action's File", "The file that the action is linked from, if it is")
    start: first_frame()
    end: last_frame()

    def work(self, context: Any) -> Steps[None]:
        armature = context.object
        previewing.end(stay=True)
        self._take_from(armature)
        frames = {name: round(getattr(self, name), fields.FRAME.decimals) for name in ("start", "end")}
        settings = LoopSettings(
            self.action, library=self.library, **frames, **values_of(self, LoopSettings, SETTINGS)
        )
        source = actions.find(settings.action, settings.library)
        self.stands_on(source)
        # it stays chosen, as the result may be assigned
        armature.inertia_loops.action = source
        try:
            report = yield from bake.make_loop_steps(armature, settings)
        except stretch.AlreadyLoops as error:
            closed(self, source, error)
            return
        tell(self, context, report)

    def _take_from(self, armature: Any) -> None:
        """Fill the operator's properties that were not given from the armature's, so that a redo starts from
        all of them.

        The action is the one that shall loop there: the chosen one, else the assigned one; its library comes
        with it. Start and end are those that are chosen for the action, each by itself, else the action's own
        first and last frame. Raise InertiaError where the action was not given and there is none, for one
        that is not in the file, and for a stored number out of range.
        """
        loops = armature.inertia_loops
        if not self.properties.is_property_set("action"):
            action = action_of(armature)
            self.action, self.library = action.name, library_of(action)
        frames = loop_frames_of(loops, actions.find(self.action, self.library))
        for name, value in zip(("start", "end"), frames, strict=True):
            if not self.properties.is_property_set(name):
                setattr(self, name, value)
        start_from(self, loops, LoopSettings, SETTINGS)

    def draw(self, _context: Any) -> None:
        layout = drawing.split(self.layout)
        column = layout.column(align=True)
        column.prop(self, "start")
        column.prop(self, "end")
        forms.draw(layout, self, LoopSettings, HOW)


def closed(operator: Tool, action: Any, error: stretch.AlreadyLoops) -> None:
    """Say that an action is as it was asked for, to be used as it is."""
    cache.put(CLOSED, bpy.context.object, (action.name, cache.action_state(action)), value=True)
    operator.say(error.sentence)


def tell(operator: Tool, context: Any, report: LoopReport) -> None:
    """Report what a loop is like through an operator, and keep the report for the panel.

    It works on the context's active object, which must be the armature. Warnings come first, each once: the
    report's, then what hinders the rig; then, a warning too, why the loop was not assigned. An INFO comes
    last: the seam, before and now, and the bone that was moved most, by how much and at which frame; where
    quality is None, only that the loop is made.

    If it is assigned and the armature's show_result is on, the preview range becomes one cycle without its
    last frame, but at least two frames, in scene frames, and a playhead outside of it goes to its start. The
    report is kept by the result's name, until another loop is made for this armature or a file is opened.
    """
    quality = report.quality
    armature = context.object
    for warning in dict.fromkeys((*report.warnings, *hindrances.describe(armature))):
        operator.say(warning, "WARNING")
    if report.not_assigned_because:
        operator.say(report.not_assigned_because, "WARNING")
    if report.assigned and armature.inertia.show_result:
        first, last = report.frame_range
        # the last frame is the first one again
        results.show_between(context.scene, round(first), max(round(last) - 1, round(first) + 1))
    cache.put(REPORT, armature, report.result, report)
    if quality is None:
        operator.say('"{action}" is made.', action=report.result)
        return
    operator.say(
        '"{action}" is made: the seam is {seam} of the clip\'s own (it was {before}), and {bone} was moved '
        "most, by {length} at frame {frame}.",
        action=report.result,
        seam=f"{quality.seam:.2f}",
        before=f"{quality.seam_before:.2f}",
        bone=labels.bone(armature, quality.bone),
        length=scene.length_text(quality.moved),
        frame=words.number(quality.frame),
    )


def report_of(armature: Any, action: Any | None) -> LoopReport | None:
    """Return the report of a loop, where it was made since the file was opened."""
    return None if action is None else cache.recall(REPORT, armature, action.name)


def verdict_of(armature: Any, action: Any) -> Verdict | None:
    """Return the verdict on a loop, where it is known."""
    report = report_of(armature, action)
    return None if report is None else report.verdict


USE = results.NextStep("As Destination", "inertia.use_assigned_action", "FORWARD", {"side": "DESTINATION"})


def closed_as_it_is(armature: Any, action: Any) -> results.Unbaked | None:
    """Return what to say of an action that was to be made a loop, and was found to be one already; None of
    any other, and once it has changed.
    """
    key = (action.name, cache.action_state(action))
    return results.Unbaked("Already loops", (USE,)) if cache.recall(CLOSED, armature, key) else None


results.tell_of_unbaked(closed_as_it_is)

results.add(
    result_kinds.LOOP,
    results.ResultKind("Loop", tell, verdict=verdict_of, steps=lambda _armature, _action: (USE,)),
)
