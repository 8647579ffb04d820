# SPDX-License-Identifier: GPL-3.0-or-later
"""The panels on the transition itself, and the presets of how it blends, which Blender itself stores."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import bpy
from bl_operators.presets import AddPresetBase
from bl_ui.utils import PresetPanel

from ...blender.data import recipe, scene
from ...blender.judging import remedies
from ...blender.nla import tracks
from ...settings import fields as record
from ...settings.transition import TransitionSettings
from .. import room, translations
from ..shared import character, drawing, labels, tab, tool, words
from ..shared.drawing import HolderPanel, PairPanel, PanelPart, split
from ..translations import translated
from . import entry_search, fields, outlook, pickers, preview_operators, previewing, warp
from .bake_operators import draw_selected
from .character import LimbsPanel

PRESETS = "inertia/transition"
"""Where presets lie below a folder of presets."""
BUNDLED = str(Path(__file__).parents[1])
"""The folder that has the folder of those that come with the extension."""
STORED = {"blend_frames": "blend_time"}
"""Settings whose property shows another one, which is set as it stands."""


class INERTIA_PT_presets(PresetPanel, bpy.types.Panel):
    """The list, in a popover."""

    bl_label = "Transition Presets"
    preset_subdir = PRESETS
    preset_operator = "script.execute_preset"
    preset_add_operator = "inertia.add_preset"


class INERTIA_OT_add_preset(AddPresetBase, bpy.types.Operator):
    bl_idname = "inertia.add_preset"
    bl_label = "Add Transition Preset"
    bl_description = "Save the blend settings under a name, for this and other files, or remove a preset"
    preset_menu = "INERTIA_PT_presets"
    preset_subdir = PRESETS
    preset_defines = ["own = bpy.context.object.inertia"]
    preset_values = [
        f"own.{STORED.get(name, name)}"
        for name, setting in record.settings(TransitionSettings).items()
        if setting.group == "how it blends" and setting.name
    ]

    @classmethod
    def poll(cls, context: object) -> bool:
        return tool.poll_settings(cls, context)


PRESET_PATHS = room.Registration(
    lambda: bpy.utils.register_preset_path(BUNDLED), lambda: bpy.utils.unregister_preset_path(BUNDLED)
)
"""Has Blender find the presets of the extension."""


class TransitionPanel(PanelPart):
    """Chooses the two actions of a transition, and where they meet."""

    bl_label = "Transition"
    bl_options: set[str] = set()
    is_top = True
    mode = tab.JOIN
    order = 0

    def draw_header_preset(self, context: Any) -> None:
        if character.armature_of(context) is not None:
            INERTIA_PT_presets.draw_panel_header(self.layout)

    def draw(self, context: Any) -> None:
        layout = split(self.layout)
        obstacle = character.explain_no_armature(context.object)
        if obstacle is not None:
            drawing.sentence(layout, context, obstacle)
            return
        armature = context.object
        draw_actions(layout, armature)
        draw_meeting(layout, armature)
        row = layout.row(align=True)
        for text, goal in (("Best Pair", "PAIR"), ("Best Entry", "DESTINATION"), ("Best Cut", "CUT")):
            row.operator("inertia.find_meeting", text=text).goal = goal
        if text := describe_missing_actions(armature.inertia):
            drawing.sentence(layout, context, words.PanelLine(text))


def describe_missing_actions(props: Any) -> str:
    """Return an English sentence that says which action is still to be chosen; "" if both are.

    props: with source and destination, actions or None. It is "Choose a source action.", "Choose a
    destination action." or, where both are missing, "Choose a source and a destination action.". If one is
    missing and the file has no action at all, it is "The file has no action of an object yet: animate the
    armature, or append actions."
    """
    missing = [side for side in ("source", "destination") if getattr(props, side) is None]
    if not missing:
        return ""
    if not bpy.data.actions:
        return "The file has no action of an object yet: animate the armature, or append actions."
    if len(missing) == 2:
        return "Choose a source and a destination action."
    return "Choose a source action." if missing == ["source"] else "Choose a destination action."


class BakePanel(PairPanel):
    """Chooses how the transition blends, previews it and bakes it."""

    bl_label = "Bake"
    bl_options: set[str] = set()
    order = 5

    def draw(self, context: Any) -> None:
        layout = split(self.layout)
        armature = context.object
        column = draw_blend(layout, armature.inertia, suggests=True)
        warp.draw(column, armature.inertia)
        column.prop(armature.inertia, "feet")
        draw_buttons(layout, context)
        draw_selected(layout, context)
        known = outlook.preflight(armature)
        for line in known.warnings:
            drawing.sentence(layout, context, line)
        draw_misplaced(layout, known)


def draw_misplaced(layout: Any, preflight: outlook.Preflight) -> None:
    """Draw a button for each of preflight.misplaced, a cut or an entry that a jump parts from the rest of its
    clip; nothing if there is none.

    Each is inertia.use_remedy with its `button` sentence as the text. The operator's kind is remedies.JUMP;
    its cut and destination_frame are those of preflight.pair, but for the one that `setting` names, which
    gets the better `frame`.
    """
    for each in preflight.misplaced:
        text = translations.sentence(each.button)
        use = layout.operator("inertia.use_remedy", text=text, icon="FRAME_NEXT", translate=False)
        use.kind = remedies.JUMP
        use.cut, use.destination_frame = preflight.pair
        setattr(use, each.setting, each.frame)


def own_box(layout: Any, context: Any, kind: str) -> Any | None:
    """Return a box for the result that plays, if it is of a kind; else None."""
    is_played = any(recipe.kind(action) == kind for action in tracks.find_playing(context.object))
    return layout.box().column() if is_played else None


def draw_buttons(layout: Any, context: Any) -> None:
    """Draw the buttons of the active armature's transition.

    First, in a tall row, inertia.bake_transition with replace False, so that another action is made. Below it
    inertia.preview, called "Stop Preview" while the preview that the button has begun plays, and beside it
    "OTHER" of the window manager's property preview_operators.HELD, which compares while it is held.

    If the last preview of the armature had to end, a red sentence below says why.
    """
    armature = context.object
    row = layout.row(align=True)
    row.scale_y = 1.5
    row.operator("inertia.bake_transition", icon="IPO_EASE_IN_OUT").replace = False
    row = layout.row(align=True)
    if previewing.is_played(armature):
        row.operator("inertia.preview", text="Stop Preview", icon="SNAP_FACE")
    else:
        row.operator("inertia.preview", icon="PLAY")
    row.use_property_split = False
    row.prop_enum(bpy.context.window_manager, preview_operators.HELD, "OTHER", icon="SPLIT_VERTICAL")
    fault = previewing.fault(armature)
    if fault is not None:
        drawing.sentence(layout, context, words.PanelLine(fault.sentence, "ERROR", alert=True))


def draw_actions(layout: Any, armature: Any) -> None:
    """Draw the two actions of a transition, the source above, each in two rows, with or without an action.

    The first row has the picker and inertia.use_assigned_action with `side` "SOURCE" or "DESTINATION". The
    second shows the range of keys, scaled, as "Frames 1 to 40", or "1 to 40, a cycle" for a cycle; in red "No
    keys for this armature"; and without an action no text. Beside it is a menu of SIDE_cycle, which can't be
    used without an action. The source's row has inertia.use_pose and inertia.swap_actions on its left, too.

    Between the two rows come, of a chosen action, SIDE_slot if several of its slots can animate objects, and
    SIDE_scale if it is not 1. Raise InertiaError if a slot is shown and none of the action's slots fits the
    armature; what stands above is drawn by then.
    """
    props = armature.inertia
    for side in ("source", "destination"):
        column = layout.column(align=True)
        row = column.row(align=True)
        pickers.draw(row, props, side)
        row.operator("inertia.use_assigned_action", text="", icon="ARMATURE_DATA").side = side.upper()
        action = getattr(props, side)
        if action is not None:
            if len(fields.object_slots(action)) > 1:
                fields.draw_slot(column, props, side, armature, "Slot")
            if getattr(props, f"{side}_scale") != 1.0:
                column.prop(props, f"{side}_scale")
        span = outlook.clip_range(armature, side)
        is_cycle = outlook.is_cycle(armature, side)
        text = words.frames_text(*span) if span else translated("No keys for this armature")
        if span and is_cycle:
            text = translated("{0} to {1}, a cycle", *map(words.number, span))
        left, row = drawing.under(column)
        # below the picker, which has no room to spare for a name
        drawing.label(row, "" if action is None else text, alert=action is not None and not span)
        row = row.row()
        row.enabled = action is not None
        icon = "FILE_REFRESH" if is_cycle else "FORWARD"
        row.prop_menu_enum(props, f"{side}_cycle", text="", icon=icon)
        if side == "source":
            left.operator("inertia.use_pose", text="", icon="POSE_HLT", emboss=False)
            left.operator("inertia.swap_actions", text="", icon="ARROW_LEFTRIGHT", emboss=False)


def draw_meeting(layout: Any, armature: Any) -> None:
    """Draw where the two clips of armature.inertia meet.

    First row: cut, inertia.use_current_frame, and follow_cut as an icon, greyed for an armature that is too
    slow to follow it. Second row, headed "Enter at": use_destination_frame and, if it is on,
    destination_frame; else enter_at, with the frame that this gives as a greyed number behind it if
    outlook.entry_of knows it. If it doesn't and the entry is being looked for, the text "First frame shown,
    looking for a better one" stands below. Third, only for a destination that is a cycle: go_on and, if that
    is CYCLES, go_on_cycles.

    The row of the cut, and the destination's frame, are red where the frame is more than 0.001 outside its
    clip's range, unless props.extrapolate is on; a cycle as source has no last frame, and a clip without a
    range makes nothing red.
    """
    props = armature.inertia
    span, entered = (outlook.clip_range(armature, side) for side in ("source", "destination"))
    row = layout.column(align=True).row(align=True)
    if span is not None and outlook.is_cycle(armature, "source"):
        span = (span[0], math.inf)
    row.alert = words.outside(props.cut, span) and not props.extrapolate
    row.prop(props, "cut")
    row.operator("inertia.use_current_frame", text="", icon="TIME")
    follows = row.row(align=True)
    follows.active = not previewing.is_slow(armature)
    follows.prop(props, "follow_cut", text="", icon="LINKED" if props.follow_cut else "UNLINKED")
    row = layout.row(heading="Enter at")
    row.prop(props, "use_destination_frame", text="")
    value = row.row()
    if props.use_destination_frame:
        value.alert = words.outside(props.destination_frame, entered) and not props.extrapolate
        value.prop(props, "destination_frame", text="")
    else:
        value.prop(props, "enter_at", text="")
        frame = outlook.entry_of(armature)
        if frame is not None:
            known = value.row()
            known.active = False
            known.label(text=words.number(frame), translate=False)
        elif entry_search.is_running(armature):
            layout.label(text="First frame shown, looking for a better one", icon="SORTTIME")
    if outlook.is_cycle(armature, "destination"):
        row = layout.row(align=True)
        row.prop(props, "go_on")
        if props.go_on == "CYCLES":
            row.prop(props, "go_on_cycles", text="")


def draw_blend(layout: Any, props: Any, *, suggests: bool = False) -> Any:
    """Draw how the offset fades, from the properties of `props`, and return the column, for more.

    It has method; extrapolation_half_life for DEAD_BLENDING only; and a row with half_life for SPRING or, for
    any other method, blend_time in frames with its seconds at the scene's rate, greyed, such as "0.4 s".
    Behind it stands inertia.use_half_life, which takes the half-life that was fitted to the root motion, for
    each method; and with suggests inertia.suggest_blend_time, which looks for a good blend time.
    """
    column = layout.column()
    column.prop(props, "method")
    if props.method == "DEAD_BLENDING":
        column.prop(props, "extrapolation_half_life")
    row = column.row(align=True)
    if props.method == "SPRING":
        row.prop(props, "half_life")
    else:
        row.prop(props, "blend_time")
        seconds = row.row(align=True)
        seconds.active = False
        seconds.label(text=f"{words.number(props.blend_time / scene.fps())} s")
    row.operator("inertia.use_half_life", text="", icon="CURVE_DATA")
    if suggests:
        row.operator("inertia.suggest_blend_time", text="", icon="VIEWZOOM")
    return column


class OffsetPanel(PairPanel):
    """Chooses how the difference between the two poses fades, and how planted feet are locked."""

    bl_label = "Offset and Feet"
    order = 60

    def draw(self, context: Any) -> None:
        props = context.object.inertia
        offset = self.layout.column()
        # dead blending has no offset
        offset.active = props.method != "DEAD_BLENDING"
        column = split(offset.column()).column()
        if props.method == "QUINTIC":
            column.prop(props, "quintic_start")
        column.prop(props, "decomposition")
        column.prop(props, "velocity")
        column.prop(props, "difference")
        column.prop(props, "step")
        column = split(offset.column()).column()
        column.prop(props, "guard")
        # without a guard they only say of what there is a note
        if props.guard == "LIMIT":
            column.prop(props, "guard_angle")
            column.prop(props, "guard_length")
        feet = split(self.layout.column()).column()
        feet.active = props.feet != "OFF"
        # who leaves the feet to be looked after is not asked how
        for name in fields.list_locking(props) if props.feet == "LOCK" else ("toes",):
            feet.prop(props, name)


class BonesPanel(PairPanel):
    """Chooses which bones take part, and how long single ones blend."""

    bl_label = "Bones"
    order = 60

    def draw(self, context: Any) -> None:
        layout = split(self.layout)
        armature = context.object
        props, column = armature.inertia, layout.column()
        column.prop(props, "bones")
        if props.bones == "COLLECTION":
            column.prop_search(props, "bone_collection", armature.data, "collections_all", icon="GROUP_BONE")
        elif props.bones == "LISTED":
            row = column.row(align=True)
            row.prop(props, "bone_list", text="List")
            row.operator("inertia.list_bones", text="", icon="RESTRICT_SELECT_OFF")
        column.prop(props, "channel_scales")
        bone = character.active_bone(armature)
        if bone is not None:
            column = layout.column(align=True)
            drawing.facts(column, context, [(translated("Active"), labels.bone(armature, bone.name))])
            column.prop(bone.inertia, "blend_scale")
            layout.label(text="Copy to")
            row = layout.row(align=True)
            selected = row.operator("inertia.set_blend_scale", text="Selected")
            selected.target, selected.value = "SELECTED", recipe.read_stored_scale(bone)
            row.menu("INERTIA_MT_scale_collection", text="Collection")
        scaled = scaled_bones(armature)
        if scaled:
            drawing.facts(layout, context, scaled)
            reset = layout.operator("inertia.set_blend_scale", text="Reset All", icon="LOOP_BACK")
            reset.target, reset.value = "ALL", 1.0
        elif bone is None:
            drawing.sentence(layout, context, words.PanelLine("Select a bone to scale its blend time."))


def scaled_bones(armature: Any, limit: int = 6) -> list[tuple[str, str]]:
    """Return pairs of label and text, such as ("hand.L", "0.5 times"), for the bones whose stored blend scale
    differs from 1 by more than 1e-6, in the armature's order; [] for none.

    The label is the bone's name without the prefix that the armature's bones share; the text is translated,
    its number rounded to two decimals. limit: if there are more bones than that, only the first so many have
    a pair, and one more pair ends the list, ("", "and N more"), for the N others.
    """
    scales = {bone.name: recipe.read_stored_scale(bone) for bone in armature.pose.bones}
    scaled = [(name, scale) for name, scale in scales.items() if abs(scale - 1.0) > 1e-6]
    pairs = [
        (labels.bone(armature, name), translated("{0} times", words.number(scale)))
        for name, scale in scaled[:limit]
    ]
    more = translated("and {0} more", len(scaled) - limit)
    return [*pairs, ("", more)] if len(scaled) > limit else pairs


class JumpsPanel(HolderPanel):
    """Smooths a jump of the action that plays at the playhead."""

    bl_label = "Jumps"
    is_top = True
    mode = tab.CLEAN

    def draw(self, context: Any) -> None:
        frame = words.number(context.scene.frame_current_final)
        drawing.facts(self.layout, context, [(translated("Frame"), frame)])
        self.layout.operator("inertia.smooth_jump", icon="SMOOTHCURVE")


class ResultPanel(PairPanel):
    """Names the result, and chooses what becomes of it."""

    bl_label = "Result"
    order = 60

    def draw(self, context: Any) -> None:
        layout, props = split(self.layout), context.object.inertia
        preflight = outlook.preflight(context.object)
        if preflight.facts:
            drawing.facts(layout, context, preflight.facts)
        for line in preflight.remarks:
            drawing.sentence(layout, context, line)
        if preflight.ready and not preflight.lines and not preflight.swings:
            drawing.sentence(layout, context, words.PanelLine("Nothing to watch out for.", "CHECKMARK"))
        column = layout.column()
        usual = f"{props.source.name} to {props.destination.name}"
        column.prop(props, "result", text="Name", placeholder=usual)
        column.prop(props, "strips")
        column.prop(props, "shift")
        sub = column.column()
        sub.active = not props.strips
        sub.prop(props, "key_tolerance")
        if props.match_lengths or outlook.is_cycle(context.object, "destination"):
            sub = column.column()
            # strips refuse it, so that it has to be switched off here
            sub.active = props.match_lengths or not props.strips
            sub.prop(props, "match_lengths")
        column = layout.column(heading="Bake")
        column.prop(props, "assign")
        fields.draw_assign_others(column, props)
        column.prop(props, "show_result")
        column.prop(props, "extrapolate")


PARTS = (TransitionPanel, BakePanel, OffsetPanel, BonesPanel, LimbsPanel, JumpsPanel, ResultPanel)
