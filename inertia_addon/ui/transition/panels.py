# SPDX-License-Identifier: GPL-3.0-or-later
"""The panels on the transition itself."""

from __future__ import annotations

import math
from typing import Any

import bpy

from ...blender.data import recipe, scene
from ...blender.nla import tracks
from ..shared import character, drawing, labels, tab, words
from ..shared.drawing import Complete, OfHolder, Part, split
from ..translations import translated
from . import fields, pickers, presets, preview, preview_operators, previewing, summary
from .crowd import draw_crowd
from .limb_list import Limbs


class Transition(Part):
    """Chooses the two actions of a transition, and where they meet."""

    bl_label = "Transition"
    bl_options: set[str] = set()
    is_top = True
    mode = tab.JOIN
    order = 0

    def draw_header_preset(self, context: Any) -> None:
        if character.armature_of(context) is not None:
            presets.INERTIA_PT_presets.draw_panel_header(self.layout)

    def draw(self, context: Any) -> None:
        layout = split(self.layout)
        obstacle = character.missing_armature(context.object)
        if obstacle is not None:
            drawing.sentence(layout, context, obstacle)
            return
        armature = context.object
        own = armature.inertia
        draw_actions(layout, armature)
        draw_meeting(layout, armature)
        draw_searches(layout)
        obstacle = summary.missing_actions(own, len(bpy.data.actions))
        if obstacle is not None:
            drawing.sentence(layout, context, obstacle)


class Bake(Complete):
    """Chooses how the transition blends, previews it and bakes it."""

    bl_label = "Bake"
    bl_options: set[str] = set()
    order = 5

    def draw(self, context: Any) -> None:
        layout = split(self.layout)
        armature = context.object
        own = armature.inertia
        draw_fade(layout, own)
        draw_buttons(layout, context)
        draw_crowd(layout, context)
        for line in preview.preflight(armature).warnings:
            drawing.sentence(layout, context, line)


def own_box(layout: Any, context: Any, kind: str) -> Any | None:
    """A box for what there is to say of a result that plays and is of a kind; None where there is none."""
    those = tracks.playing(context.object)
    return layout.box().column() if any(recipe.kind(action) == kind for action in those) else None


def draw_buttons(layout: Any, context: Any) -> None:
    """What bakes another action, and what shows it before."""
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
        drawing.sentence(layout, context, words.Line(fault.sentence, "ERROR", alert=True))


def draw_actions(layout: Any, armature: Any) -> None:
    """The two actions, with what they span: in as many rows before they are chosen."""
    own = armature.inertia
    for side in ("source", "destination"):
        column = layout.column(align=True)
        row = column.row(align=True)
        pickers.draw(row, own, side)
        row.operator("inertia.use_assigned_action", text="", icon="ARMATURE_DATA").side = side.upper()
        action = getattr(own, side)
        if action is not None:
            if len(fields.object_slots(action)) > 1:
                fields.draw_slot(column, own, side, armature, "Slot")
            if getattr(own, f"{side}_scale") != 1.0:
                column.prop(own, f"{side}_scale")
        span = None if action is None else preview.clip_range(armature, side)
        is_cycle = preview.is_cycle(armature, side)
        text = words.frames_text(*span) if span else translated("No keys for this armature")
        if span and is_cycle:
            text = translated("{0} to {1}, a cycle", *map(words.number, span))
        left, row = drawing.under(column)
        # below the picker, which has no room to spare for a name
        drawing.label(row, "" if action is None else text, alert=action is not None and not span)
        row = row.row()
        row.enabled = action is not None
        icon = "FILE_REFRESH" if is_cycle else "FORWARD"
        row.prop_menu_enum(own, f"{side}_cycle", text="", icon=icon)
        if side == "source":
            left.operator("inertia.use_pose", text="", icon="POSE_HLT", emboss=False)
            left.operator("inertia.swap_actions", text="", icon="ARROW_LEFTRIGHT", emboss=False)


def draw_meeting(layout: Any, armature: Any) -> None:
    """The cut, and where the destination is entered."""
    own = armature.inertia
    spans = [getattr(own, side) and preview.clip_range(armature, side) for side in ("source", "destination")]
    column = layout.column(align=True)
    row = column.row(align=True)
    span = spans[0]
    if span is not None and preview.is_cycle(armature, "source"):
        span = (span[0], math.inf)
    row.alert = words.outside(own.cut, span) and not own.extrapolate
    row.prop(own, "cut")
    row.operator("inertia.use_current_frame", text="", icon="TIME")
    follows = row.row(align=True)
    follows.active = not previewing.is_slow(armature)
    follows.prop(own, "follow_cut", text="", icon="LINKED" if own.follow_cut else "UNLINKED")
    span = spans[1]
    first = translated("Frame {0}, its first", words.number(span[0])) if span else "Its first frame"
    outside = words.outside(own.destination_frame, span) and not own.extrapolate
    drawing.choice(layout, own, "destination_frame", first, heading="Enter at", alert=outside)
    draw_go_on(layout, own, preview.is_cycle(armature, "destination"))


def draw_go_on(layout: Any, own: Any, is_cycle: bool) -> None:
    """How long a destination that is a cycle goes on; grey where it is none."""
    row = layout.row(align=True)
    row.active = is_cycle
    row.prop(own, "go_on")
    if own.go_on == "CYCLES":
        row.prop(own, "go_on_cycles", text="")


def draw_searches(layout: Any) -> None:
    """The buttons that find better places."""
    row = layout.row(align=True)
    row.operator("inertia.find_meeting", text="Best Pair").goal = "PAIR"
    row.operator("inertia.find_meeting", text="Best Entry").goal = "DESTINATION"
    row.operator("inertia.find_meeting", text="Best Cut").goal = "CUT"


def draw_fade(layout: Any, own: Any) -> None:
    """How the offset fades, and what is held meanwhile."""
    column = draw_blend(layout, own, suggests=True)
    column.prop(own, "alignment")
    column.prop(own, "feet")


def draw_blend(layout: Any, own: Any, suggests: bool = False) -> Any:
    """How the offset fades; returns the column. suggests: whether there is one transition to be judged."""
    column = layout.column()
    column.prop(own, "method")
    if own.method == "DEAD_BLENDING":
        column.prop(own, "extrapolation_half_life")
    row = column.row(align=True)
    if own.method == "SPRING":
        row.prop(own, "half_life")
    else:
        row.prop(own, "blend_time")
        seconds = row.row(align=True)
        seconds.active = False
        seconds.label(text=f"{words.number(own.blend_time / scene.fps())} s")
    row.operator("inertia.use_half_life", text="", icon="CURVE_DATA")
    if suggests:
        row.operator("inertia.suggest_blend_time", text="", icon="VIEWZOOM")
    return column


def draw_bone_choice(layout: Any, own: Any) -> None:
    """What the choice of bones needs besides."""
    if own.bones == "COLLECTION":
        layout.prop_search(own, "bone_collection", own.id_data.data, "collections_all", icon="GROUP_BONE")
    elif own.bones == "LISTED":
        row = layout.row(align=True)
        row.prop(own, "bone_list", text="List")
        row.operator("inertia.list_bones", text="", icon="RESTRICT_SELECT_OFF")


class Offset(Complete):
    """Chooses how the difference between the two poses fades, and how planted feet are locked."""

    bl_label = "Offset and Feet"
    order = 60

    def draw(self, context: Any) -> None:
        own = context.object.inertia
        offset = self.layout.column()
        # dead blending has no offset
        offset.active = own.method != "DEAD_BLENDING"
        column = split(offset.column()).column()
        if own.method == "QUINTIC":
            column.prop(own, "quintic_start")
        column.prop(own, "decomposition")
        column.prop(own, "velocity")
        column = offset.column()
        column.prop(own, "guard")
        if own.guard != "STRICT":
            column.prop(own, "guard_angle")
            column.prop(own, "guard_length")
        feet = split(self.layout.column()).column()
        feet.active = own.feet != "OFF"
        for name in fields.LOCKING:
            feet.prop(own, name)


class Bones(Complete):
    """Chooses which bones take part, and how long single ones blend."""

    bl_label = "Bones"
    order = 60

    def draw(self, context: Any) -> None:
        layout = split(self.layout)
        armature = context.object
        column = layout.column()
        column.prop(armature.inertia, "bones")
        draw_bone_choice(column, armature.inertia)
        bone = character.active_bone(armature)
        if bone is not None:
            column = layout.column(align=True)
            drawing.facts(column, context, [(translated("Active"), labels.bone(armature, bone.name))])
            column.prop(bone.inertia, "blend_scale")
            draw_scale_buttons(layout, armature, recipe.shown_scale(bone))
        scaled = summary.scaled_bones(armature)
        if scaled:
            drawing.facts(layout, context, scaled)
            reset = layout.operator("inertia.set_blend_scale", text="Reset All", icon="LOOP_BACK")
            reset.target, reset.value = "ALL", 1.0
        elif bone is None:
            drawing.sentence(layout, context, words.Line("Select a bone to scale its blend time."))


def draw_scale_buttons(layout: Any, armature: Any, value: float) -> None:
    """Give the active bone's blend scale to others."""
    layout.label(text="Copy to")
    row = layout.row(align=True)
    selected = row.operator("inertia.set_blend_scale", text="Selected")
    selected.target, selected.value = "SELECTED", value
    row.menu("INERTIA_MT_scale_collection", text="Collection")


class Jumps(OfHolder):
    """Smooths a jump of the action that plays at the playhead."""

    bl_label = "Jumps"
    is_top = True
    mode = tab.CLEAN

    def draw(self, context: Any) -> None:
        frame = words.number(context.scene.frame_current_final)
        drawing.facts(self.layout, context, [(translated("Frame"), frame)])
        self.layout.operator("inertia.smooth_jump", icon="SMOOTHCURVE")


class Result(Complete):
    """Names the result, and chooses what becomes of it."""

    bl_label = "Result"
    order = 60

    def draw(self, context: Any) -> None:
        draw_preflight(split(self.layout), context)
        own = context.object.inertia
        column = split(self.layout).column()
        usual = f"{own.source.name} to {own.destination.name}"
        column.prop(own, "result", text="Name", placeholder=usual)
        column.prop(own, "strips")
        column.prop(own, "shift")
        sub = column.column()
        sub.active = not own.strips
        sub.prop(own, "key_tolerance")
        sub = column.column()
        # strips refuse it, so that it has to be switched off here
        sub.active = own.match_lengths or not own.strips
        sub.prop(own, "match_lengths")
        column = self.layout.column(heading="Bake")
        column.prop(own, "assign")
        fields.draw_assign_others(column, own)
        column.prop(own, "show_result")
        column.prop(own, "extrapolate")


def draw_preflight(layout: Any, context: Any) -> None:
    """What the settings would bake."""
    found = preview.preflight(context.object)
    if found.facts:
        drawing.facts(layout, context, found.facts)
    for line in found.remarks:
        drawing.sentence(layout, context, line)
    if found.ready and not found.lines and not found.swings:
        drawing.sentence(layout, context, words.Line("Nothing to watch out for.", "CHECKMARK"))


PARTS = (Transition, Bake, Offset, Bones, Limbs, Jumps, Result)
