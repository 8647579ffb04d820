# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes transitions: of one character, or of all armatures that are selected, and over a jump within an
action."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, StringProperty

from ...blender.data import actions, compat
from ...blender.nla import strips
from ...blender.transition import bake
from ...errors import InertiaError
from ...motion.steps import Steps, part
from ...settings import fields as record
from ...settings.transition import NO_WARP, TransitionSettings
from .. import translations
from ..shared import character, drawing, forms, made_of, tool, words
from ..shared.long_work import LongWork
from ..shared.made_of import OPTIONS, keywords, limits_of, plain
from ..shared.tool import Tool
from . import fields, outlook, pickers, previewing, properties, results, warp
from .fields import TransitionFields
from .operators import poll_assigned
from .properties import settings_from, values_from

if TYPE_CHECKING:
    from ...blender.transition.bake import Plan
    from ...blender.transition.report import BakeReport

BELONGING = {
    "source": ("source_library", "source_slot", "source_cycle", "source_scale"),
    "destination": (
        *("destination_library", "destination_slot", "destination_frame"),
        *("destination_cycle", "destination_scale", "go_on", "go_on_cycles"),
    ),
}
"""What belongs to an action: a script that names another one does not mean the object's."""
SEARCHED: dict[str, Any] = {"search": pickers.search_names, "search_options": set()}
"""What shows the actions in their order."""
READING = 0.4
"""About what part of a bake it is to read the clips."""
ENDS = ("source", "source_library", "destination", "destination_library")
OWN = (*ENDS, "bones", "blend_scales")
"""The settings whose properties are of another kind here than on an object."""
SETTINGS = record.settings(TransitionSettings)
FIRST = (
    *("go_on", "go_on_cycles", "method", "blend_frames", "half_life", "extrapolation_half_life"),
    *("alignment", "feet"),
)
"""The settings that are changed most often after a bake, in the order of the redo panel."""
MORE = (
    *("quintic_start", *fields.OFFSET, *fields.LOCKING, "source_cycle", "destination_cycle", "source_scale"),
    *("destination_scale", "match_lengths", "align_height", "align_bone", "root", "bones", "blend_scales"),
    *("warp_object", "warp_to"),
)
"""Those that are rarely changed."""
WHOSE_ITEMS = (
    ("ACTIVE", "Same for All", "Bake all selected armatures with the active one's actions, cut and settings"),
    ("OWN", "Each Its Own", "Bake all selected armatures, each with its own actions, cut and settings"),
)
SELECTED_PART = 0.58
"""The part of its row that the button takes which bakes all selected armatures with the same settings."""
REPLACE = ("In Its Place", "Update the earlier result of the same two actions, instead of adding another")


class INERTIA_OT_bake_transition(LongWork, TransitionFields, bpy.types.Operator):
    """The properties are TransitionSettings' fields."""

    bl_idname = "inertia.bake_transition"
    bl_label = "Bake Transition"
    bl_description = (
        "Make a new action that plays the source up to the cut and flows into the destination from there. "
        "Both actions stay unchanged"
    )
    needs = (tool.poll_armature,)

    # what the blend time was left at: nobody has set it while it still is
    left_blend_frames: FloatProperty(
        **{**fields.BLEND_FRAMES, "default": 0.01, "options": {*OPTIONS, "HIDDEN"}}
    )
    source: plain(StringProperty, *fields.SOURCE, **SEARCHED)
    source_library: plain(
        StringProperty, "Source's File", "The file that the source is linked from, if it is"
    )
    destination: plain(StringProperty, *fields.DESTINATION, **SEARCHED)
    destination_library: plain(
        StringProperty, "Destination's File", "The file that the destination is linked from, if it is"
    )
    bones: plain(
        StringProperty,
        "Bones",
        "The bones and channels that take part, separated by commas; empty for all. The others go on playing "
        "the source",
    )
    blend_scales: plain(
        StringProperty,
        "Blend Scales",
        "Multipliers of blend times, instead of the pose bones' own: hand.L=0.5, mood=0",
    )
    replace: plain(BoolProperty, *REPLACE)
    from_strips: plain(
        BoolProperty,
        "From Strips",
        "Take source, destination, cut and destination frame from the two selected strips",
    )

    def work(self, context: Any) -> Steps[None]:
        armature = context.object
        previewing.end(stay=True)
        if self.from_strips and not self.options.is_repeat:
            fields.put_meeting(self, strips.find_meeting(armature))
        self._take_from(armature)
        # only to read clips takes so long that ESC has to wait for less
        settings = self._settings()
        ends = [actions.find(*end[:2]) for end in settings.ends()]
        self.stands_on(*ends, bpy.data.objects.get(settings.warp_object))
        plan = yield from part(plan_with_entry(armature, settings), 0.0, READING)
        report = write(plan, replace=self.replace)
        results.show(context, report)
        if (self.options.is_repeat or self.from_strips) and armature.is_editable:
            self._keep(armature, settings, ends)
        results.tell(self, report, "Baked")

    def _keep(self, armature: Any, settings: TransitionSettings, ends: list[Any]) -> None:
        """Write the baked settings into the armature's properties, armature.inertia, so that the next bake
        starts from what the redo panel was changed to.

        ends: the source and the destination action, which become the chosen ones. If settings.bones are those
        that the properties ask for now, `bones` and `bone_list` stay; else `bones` becomes "LISTED" with
        their names as the text `bone_list`, or "ALL" with "". Blend scales go to the pose bones, and to
        `channel_scales` where no bone has the name.

        Raise InertiaError, before anything is written, if the properties choose bones and there are none; and
        for a number out of range, with what came before it written.
        """
        props = armature.inertia
        unchanged = settings.bones == values_from(armature)["bones"]
        bones, bone_list = props.bones, props.bone_list
        source, destination = ends
        properties.put_settings(armature, settings, source, destination)
        if unchanged:
            props.bones, props.bone_list = bones, bone_list

    def _take_from(self, armature: Any) -> None:
        """Fill the operator's properties that were not given with the armature's, so that a redo starts from
        all of them.

        Where source or destination was given, its library, slot, cycle and scale, and for the destination its
        frame, go_on and go_on_cycles, are not taken from the armature, but keep the operator's values.
        use_destination_frame, unless given itself, becomes True if a destination frame is given, and False if
        only the destination is. Raise InertiaError if bones are to be taken from the armature and it chooses
        none, or its text of channel scales is malformed.
        """
        names = [*fields.SHARED, "use_destination_frame", *OWN]
        given = {name for name in names if self.properties.is_property_set(name)}
        for action in BELONGING.keys() & given:
            given.update(BELONGING[action])
        if "destination_frame" in given and "use_destination_frame" not in given:
            self.use_destination_frame = self.properties.is_property_set("destination_frame")
        values = values_from(armature, with_bones="bones" not in given)
        fields.put(self, values, [name for name in fields.SHARED if name not in given])
        for name in ENDS:
            if name not in given:
                setattr(self, name, values[name])
        if "bones" not in given:
            self.bones = made_of.names_to_text(values["bones"])
        if "blend_scales" not in given:
            self.blend_scales = made_of.scales_to_text(values["blend_scales"])

    def _settings(self) -> TransitionSettings:
        return TransitionSettings(
            **{name: getattr(self, name) for name in ENDS},
            bones=made_of.text_to_names(self.bones),
            blend_scales=made_of.text_to_scales(self.blend_scales),
            **fields.values_of(self),
        )

    def draw(self, context: Any) -> None:
        layout = drawing.split(self.layout)
        column = layout.column()
        column.prop(self, "source", icon="ACTION")
        column.prop(self, "destination", icon="ACTION")
        column.prop(self, "cut")
        row = column.row(heading="Enter at")
        row.prop(self, "use_destination_frame", text="")
        row.prop(self, "destination_frame" if self.use_destination_frame else "enter_at", text="")
        forms.draw(column, self, TransitionSettings, FIRST)
        column.prop(self, "result", text="Result", placeholder=f"{self.source} to {self.destination}")
        header, body = layout.panel("INERTIA_redo_more", default_closed=True)
        header.label(text="More")
        if body is not None:
            self._draw_more(body, context.object)

    def _draw_more(self, layout: Any, armature: Any) -> None:
        """Draw, in the redo panel, the settings that are rarely changed after a bake: MORE, those of a warp
        where there is one, the slots of source and destination, from Blender 4.4 on, and what becomes of the
        result.

        armature: the one whose slots are shown. Raise InertiaError as fields.draw_slot does, with what comes
        before drawn.
        """
        forms.draw(layout, self, TransitionSettings, MORE)
        if warp.chosen(self):
            forms.draw(layout, self, TransitionSettings, warp.SETTINGS)
        for side in ("source", "destination") if compat.has_slots() else ():
            fields.draw_slot(layout, self, side, armature)
        forms.draw(layout, self, TransitionSettings, ("strips", "shift", "key_tolerance", "assign"))
        fields.draw_assign_others(layout, self)
        for name in ("replace", "extrapolate"):
            layout.prop(self, name)


def write(plan: Plan, *, replace: bool) -> BakeReport:
    """Write a planned transition as an action and return the report; the file is changed.

    replace: put it in the place of an earlier result of the same two actions. If the settings name a result,
    that can only be the action of that name; else it is the first that fits of the assigned action, those
    that play in strips, and the one called "SOURCE to DESTINATION". It must be editable, no smoothed jump,
    and strips or not as the plan is. Without such a result, or without replace, a new action is made, with
    the result's name of the settings, else "SOURCE to DESTINATION", or Blender's next free variant of it.

    The action is assigned, or its strips play, if settings.assign is on; the report's `assigned` tells
    whether it is, and its `result` the name. Raise InertiaError if an end's action is gone with replace, or
    if it can't be written; a failure in writing the curves of a new action leaves the file as it was.
    """
    settings, earlier = plan.settings, None
    if replace:
        source, destination = (actions.find(*end[:2]) for end in settings.ends())
        earlier = results.replaceable(
            plan.armature, source, destination, settings.result, strips=settings.strips
        )
    return bake.write_plan(plan, earlier)


def plan_with_entry(armature: Any, settings: TransitionSettings) -> Steps[Plan]:
    """Plan a transition, with the destination's frame found where that is left open, in steps."""
    settings = yield from part(outlook.find_entry(armature, settings), 0.0, 0.5)
    return (yield from part(bake.plan_transition_steps(armature, settings), 0.5, 1.0))


def selected_armatures(context: Any) -> list[Any]:
    """Return the selected armatures that can hold settings, the active one first."""
    armatures = [thing for thing in context.selected_objects if character.explain_no_armature(thing) is None]
    return sorted(armatures, key=lambda armature: (armature != context.object, armature.name))


def settings_for(armature: Any, active: Any, origin: str) -> TransitionSettings:
    """Return the settings to bake a selected armature with.

    origin: "OWN" for armature's own settings, which are returned as they are; any other word takes those of
    active. The latter are changed for another armature than active: the result is called by the result's
    name, or "SOURCE to DESTINATION" if that is "", with ", NAME" of the armature behind it, and both slots
    are "".

    Raise InertiaError where the settings can't be, such as chosen bones of which there are none or a number
    out of range. No property is changed.
    """
    settings = settings_from(armature if origin == "OWN" else active)
    if armature == active or origin == "OWN":
        return settings
    usual = settings.result or f"{settings.source} to {settings.destination}"
    result = f"{usual}, {armature.name}"
    return dataclasses.replace(settings, result=result, source_slot="", destination_slot="")


class INERTIA_OT_bake_selected(LongWork, bpy.types.Operator):
    bl_idname = "inertia.bake_selected"
    bl_label = "Bake Selected Armatures"
    bl_description = "Bake the transitions of all selected armatures; ESC stops it and changes nothing"
    needs = (
        tool.poll_armature,
        tool.need(lambda context: len(selected_armatures(context)) > 1, "Select several armatures first"),
    )
    told_by = "whose"

    whose: plain(EnumProperty, "Settings", "Whose settings each is baked with", items=WHOSE_ITEMS)
    replace: plain(BoolProperty, *REPLACE, default=True)

    def work(self, context: Any) -> Steps[None]:
        previewing.end(stay=True)
        armatures = selected_armatures(context)
        for armature in armatures:
            self.stands_on(armature, armature.inertia.source, armature.inertia.destination)
        plans: list[Plan] = []
        failures: list[tuple[Any, InertiaError]] = []
        for i, armature in enumerate(armatures):
            try:
                settings = settings_for(armature, context.object, self.whose)
                steps = plan_with_entry(armature, settings)
                plans.append((yield from part(steps, i / len(armatures), (i + 1) / len(armatures))))
            except InertiaError as error:
                failures.append((armature, error))
        if not plans:
            raise failures[0][1]
        # all of them are planned now: from here on the file changes, and nothing can stop it half-way
        for plan in plans:
            report = write(plan, replace=self.replace)
            if plan.armature == context.object:
                results.show(context, report)
            for text in results.bake_warnings(report):
                self.say(text, "WARNING")
        for armature, failure in failures:
            why = translations.sentence(failure.sentence, translations.report)
            self.say('"{armature}" was not changed: {why}', "WARNING", armature=armature.name, why=why)
        self.say("The transitions of {count} are baked.", count=words.count(len(plans), "armature"))


def draw_selected(layout: Any, context: Any) -> None:
    """Draw two buttons of inertia.bake_selected in one row, for all selected armatures.

    The first, "Bake N Armatures", has `whose` "ACTIVE", for the active one's settings; the second, "Each Its
    Own", has `whose` "OWN", for each with its own. Nothing is drawn if fewer than two editable armatures are
    selected; other objects don't count.
    """
    count = len(selected_armatures(context))
    if count < 2:
        return
    row = layout.split(factor=SELECTED_PART, align=True)
    text = translations.translated("Bake {0} Armatures", count)
    row.operator("inertia.bake_selected", text=text, translate=False).whose = "ACTIVE"
    row.operator("inertia.bake_selected", text="Each Its Own").whose = "OWN"


class INERTIA_OT_smooth_jump(Tool, bpy.types.Operator):
    bl_idname = "inertia.smooth_jump"
    bl_label = "Smooth This Jump"
    bl_description = (
        "Make a new action from the assigned one, in which nothing jumps at this frame: the jump in pose "
        "or velocity fades within the blend time. The rest, and the action itself, stay unchanged"
    )
    needs = (tool.poll_settings, tool.poll_armature, poll_assigned)

    frame: plain(
        FloatProperty,
        "Frame",
        "The last frame before the jump, or the first one after it",
        **limits_of(record.FRAME),
    )
    method: EnumProperty(**keywords(SETTINGS["method"]))
    blend_frames: FloatProperty(**fields.BLEND_FRAMES)
    half_life: FloatProperty(**keywords(SETTINGS["half_life"]))

    def act(self, context: Any) -> None:
        armature = context.object
        previewing.end(stay=True)
        props = armature.inertia
        defaults = {"frame": context.scene.frame_current_final, "blend_frames": props.blend_time}
        defaults |= {"method": props.method, "half_life": props.half_life}
        for name, value in defaults.items():
            if not self.properties.is_property_set(name):
                setattr(self, name, value)
        report = bake.bake_transition(armature, self._settings(armature))
        results.show(context, report)
        results.tell(self, report, "Smoothed")

    def _settings(self, armature: Any) -> TransitionSettings:
        """Return the settings to smooth a jump: the armature's for transitions, with the assigned action and
        its slot as both source and destination, at its own speed.

        method, blend_frames and half_life are the operator's, and its `frame` becomes the cut. All bones take
        part. The result's name is "", the destination frame is left open, and alignment, warp, shift, strips
        and extrapolation are off; smooth_jump is True. An action must be assigned. Raise InertiaError for
        values that are out of range or don't go together.
        """
        action, slot = compat.assigned(armature)
        assert action is not None
        library = action.library.filepath if action.library is not None else ""
        ends = {
            f"{side}{name}": value
            for side in ("source", "destination")
            for name, value in (("", action.name), ("_library", library), ("_slot", slot), ("_scale", 1.0))
        }
        chosen = {name: getattr(self, name) for name in ("method", "blend_frames", "half_life")}
        rest = {"cut": self.frame, "destination_frame": None, "result": "", "bones": (), "alignment": "NONE"}
        rest |= NO_WARP
        rest["enter_at"] = fields.ENTER_AT.default
        apart = {"shift": 0.0, "strips": False, "extrapolate": False, "smooth_jump": True}
        values = values_from(armature, with_bones=False)
        return TransitionSettings(**{**values, **ends, **chosen, **rest, **apart})

    def draw(self, context: Any) -> None:
        layout = drawing.split(self.layout)
        layout.prop(self, "frame")
        forms.draw(layout, self, TransitionSettings, ("method", "blend_frames", "half_life"))
