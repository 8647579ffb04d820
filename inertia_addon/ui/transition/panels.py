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
from ..shared import character, drawing, forms, labels, tab, tool, words
from ..shared.drawing import PairPanel, split
from ..translations import translated
from . import entry_search, fields, outlook, pickers, previewing, warp

PRESETS = "inertia/transition"
"""Where presets lie below a folder of presets."""
BAKE_SCALE = 1.2
"""How much higher the button is that bakes, ..."""
BAKE_PART = 0.64
"""... and what part of its row it takes."""
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


def plays_kind(context: Any, kind: str) -> bool:
    """Return whether a result of a kind plays on the active armature."""
    return any(recipe.kind(action) == kind for action in tracks.find_playing(context.object))


def draw_buttons(layout: Any, context: Any) -> None:
    """Draw the buttons of the active armature's transition.

    They stand in one row: inertia.bake_transition with replace False, so that another action is made, and
    inertia.preview, called "Stop" while the preview that the button has begun plays. If the last preview of
    the armature had to end, a red sentence below says why.
    """
    armature = context.object
    row = layout.split(factor=BAKE_PART, align=True)
    row.scale_y = BAKE_SCALE
    row.operator("inertia.bake_transition", icon="IPO_EASE_IN_OUT").replace = False
    if previewing.is_previewed(armature):
        row.operator("inertia.preview", text=translated("Stop"), icon="SNAP_FACE", translate=False)
    else:
        row.operator("inertia.preview", icon="PLAY")
    fault = previewing.fault(armature)
    if fault is not None:
        drawing.sentence(layout, context, words.PanelLine(fault.sentence, "ERROR", alert=True))


def draw_actions(layout: Any, armature: Any) -> None:
    """Draw the two actions of a transition, the source above: a row each with the picker and a menu, in which
    the side's action is chosen in other ways.
    """
    for side, menu in (("source", "INERTIA_MT_source"), ("destination", "INERTIA_MT_destination")):
        row = layout.row(align=True)
        pickers.draw(row, armature.inertia, side)
        row.menu(menu, text="", icon="DOWNARROW_HLT")


def draw_meeting(layout: Any, armature: Any) -> None:
    """Draw where the two clips of armature.inertia meet: a row for the cut with a button that puts it at the
    playhead, and a row for the frame at which the destination is entered.

    The second has enter_at with the frame that this gives, greyed, as far as outlook.entry_of knows it, or a
    clock while it is looked for. With the pin at its end switched on, it has destination_frame instead.

    A frame is red where it is more than 0.001 outside its clip's range, unless props.extrapolate is on; a
    cycle as source has no last frame, and a clip without a range makes nothing red.
    """
    props = armature.inertia
    span, entered = (outlook.clip_range(armature, side) for side in ("source", "destination"))
    row = layout.row(align=True)
    if span is not None and outlook.is_cycle(armature, "source"):
        span = (span[0], math.inf)
    row.alert = words.outside(props.cut, span) and not props.extrapolate
    row.prop(props, "cut")
    here = row.row(align=True)
    here.scale_x = drawing.SHORT_WORD
    here.operator("inertia.use_current_frame", text=translated("Here"), translate=False)
    row = layout.row(align=True)
    if props.use_destination_frame:
        row.alert = words.outside(props.destination_frame, entered) and not props.extrapolate
        row.prop(props, "destination_frame", text="Enter at")
    else:
        row.prop(props, "enter_at", text="Enter at")
        known = drawing.add_note(row)
        frame = outlook.entry_of(armature)
        if frame is not None:
            # a phase of a cycle may lie between frames; more digits would be cut off
            known.label(text=words.number(round(frame, 1)), translate=False)
        elif entry_search.is_running(armature):
            known.label(text="", icon="SORTTIME")
    is_pinned = props.use_destination_frame
    row.prop(props, "use_destination_frame", text="", icon="PINNED" if is_pinned else "UNPINNED")


def draw_length(layout: Any, props: Any, *, suggests: bool = False) -> None:
    """Draw how long the offset fades, from the properties of `props`: half_life for SPRING or, for any other
    method, blend_time in frames with its seconds at the scene's rate, greyed, such as "0.4 s". With suggests,
    inertia.suggest_blend_time stands behind it, which looks for a good blend time.
    """
    row = layout.row(align=True)
    if props.method == "SPRING":
        forms.draw_setting(row, props, TransitionSettings, "half_life")
    else:
        row.prop(props, "blend_time")
        drawing.add_note(row).label(text=f"{words.number(scene.to_seconds(props.blend_time))} s")
    if suggests:
        row.operator("inertia.suggest_blend_time", text="", icon="VIEWZOOM")


def draw_method(layout: Any, props: Any) -> None:
    """Draw how the offset fades, from the properties of `props`: the method, and below it what belongs to one
    method alone: extrapolation_half_life for DEAD_BLENDING, quintic_start for QUINTIC.
    """
    forms.draw(layout, props, TransitionSettings, ("method", "extrapolation_half_life", "quintic_start"))


class OptionsPanel(PairPanel):
    """Chooses how the transition blends, which way it goes on, and how planted feet are locked."""

    bl_label = "Options"
    mode = tab.JOIN
    order = 10

    def draw_header_preset(self, _context: Any) -> None:
        INERTIA_PT_presets.draw_panel_header(self.layout)

    def draw(self, context: Any) -> None:
        layout, armature = split(self.layout), context.object
        props = armature.inertia
        column = layout.column()
        draw_method(column, props)
        warp.draw(column, props)
        draw_clips(layout.column(), armature)
        draw_feet(layout.column(), props, outlook.preflight(armature))
        forms.draw(layout, props, TransitionSettings, fields.OFFSET)
        layout.prop(props, "follow_cut")


def draw_clips(layout: Any, armature: Any) -> None:
    """Draw what the two clips of armature.inertia are, the source first: its slot where several of its slots
    can animate objects, its scale where that is not 1, and whether it repeats, with its frames behind that,
    or that it is taken for a cycle where the choice is left to Inertia.

    Below that are, for a destination that is a cycle, how it goes on, and whether lengths are matched, which
    is also there if it is switched on. A clip without keys for the armature says so in red.
    """
    props = armature.inertia
    for side in ("source", "destination"):
        action = getattr(props, side)
        if len(fields.object_slots(action)) > 1:
            fields.draw_slot(layout, props, side, armature, "Slot")
        if getattr(props, f"{side}_scale") != 1.0:
            layout.prop(props, f"{side}_scale")
        row = layout.row(align=True)
        row.prop(props, f"{side}_cycle", text=side.capitalize())
        span = outlook.clip_range(armature, side)
        if span is None:
            drawing.beside(layout, translated("No keys for this armature"), alert=True)
        else:
            is_found = getattr(props, f"{side}_cycle") == "AUTO" and outlook.is_cycle(armature, side)
            frames = translated("{0} to {1}", *map(words.number, span))
            text = translated("Cycle") if is_found else frames
            drawing.add_note(row).label(text=text, translate=False)
    if outlook.is_cycle(armature, "destination"):
        forms.draw(layout, props, TransitionSettings, ("go_on", "go_on_cycles"))
    if props.match_lengths or outlook.is_cycle(armature, "destination"):
        row = layout.row()
        # strips refuse it, so that it has to be switched off here
        row.active = props.match_lengths or not props.strips
        row.prop(props, "match_lengths")


def draw_feet(layout: Any, props: Any, preflight: outlook.Preflight) -> None:
    """Draw how planted feet are looked after: `feet` and, below it, for "LOCK" the settings of
    :func:`fields.list_locking`, for "OFF" none, and for any other only `toes`.

    Behind "AUTO" stands what it chooses, "Locked" or "Free", as far as `preflight` knows that. props: has
    these properties.
    """
    row = layout.row(align=True)
    row.prop(props, "feet")
    if props.feet == "AUTO" and preflight.locks_feet is not None:
        text = translated("Locked") if preflight.locks_feet else translated("Free")
        drawing.add_note(row).label(text=text, translate=False)
    names = fields.LOCKING if props.feet == "LOCK" else ("toes",)
    forms.draw(layout, props, TransitionSettings, names)


class BonesPanel(PairPanel):
    """Chooses which bones take part, and how long single ones blend."""

    bl_label = "Bones"
    parent = OptionsPanel
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


class ResultPanel(PairPanel):
    """Names the result, and chooses what becomes of it."""

    bl_label = "Result"
    parent = OptionsPanel
    order = 61

    def draw(self, context: Any) -> None:
        layout, props = split(self.layout), context.object.inertia
        preflight = outlook.preflight(context.object)
        if preflight.facts:
            drawing.facts(layout, context, preflight.facts)
        for line in preflight.remarks:
            drawing.sentence(layout, context, line)
        column = layout.column()
        usual = f"{props.source.name} to {props.destination.name}"
        column.prop(props, "result", text="Name", placeholder=usual)
        column.prop(props, "strips")
        column.prop(props, "shift")
        sub = column.column()
        sub.active = not props.strips
        sub.prop(props, "key_tolerance")
        column = layout.column(heading="Bake")
        column.prop(props, "assign")
        fields.draw_assign_others(column, props)
        column.prop(props, "show_result")
        sub = column.column()
        sub.active = props.show_result
        sub.prop(props, "mark_cut")
        column.prop(props, "extrapolate")


PARTS = (OptionsPanel, BonesPanel, ResultPanel)
