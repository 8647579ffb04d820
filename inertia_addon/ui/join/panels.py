# SPDX-License-Identifier: GPL-3.0-or-later
"""The panels that an animator sees first: the switch of modes with the character behind it, and Join, which
shows what a transition needs, what will be seen of it, and the button that bakes it.

All else of Join is folded: *Options* (transition/panels.py), *Look*, and *Go Through Other Clips*.
"""

from __future__ import annotations

from typing import Any

import bpy

from ..cost import joint_list
from ..cost import panels as cost
from ..feet import panels as feet
from ..fill import panels as fill
from ..hops import panels as hops
from ..shared import character, drawing, labels, long_work, tab, words
from ..shared.drawing import PairPanel, PanelPart, split
from ..transition import assigned_source, bake_operators, outlook, rebaking
from ..transition import character as found
from ..transition import panels as transition
from ..translations import translated

LISTS = {tab.JOINTS: joint_list.draw_joints, tab.LIMBS: found.draw_limbs, tab.LEGS: feet.draw_legs}
"""What draws each of the character's lists."""


class VIEW3D_PT_inertia_character(drawing.Popover, bpy.types.Panel):
    """What was found on the character, in a popover; what is wrong there is put right here, for all modes."""

    bl_label = "Character"
    bl_ui_units_x = 15

    def draw(self, context: Any) -> None:
        context = character.read_meant(context)
        with labels.in_popover(VIEW3D_PT_inertia_character.bl_ui_units_x):
            draw_character(self.layout, context)


def draw_character(layout: Any, context: Any) -> None:
    """Draw what was found on the active armature, and the one of its lists that the workspace has chosen,
    with that choice; without an armature, why there is nothing.
    """
    obstacle = character.explain_no_armature(context.object)
    if obstacle is not None:
        drawing.sentence(layout, context, obstacle)
        return
    found.draw_found(layout, context)
    if getattr(context, "workspace", None) is not None:
        layout.row(align=True).prop(context.workspace, tab.LISTED, expand=True)
    LISTS[tab.chosen(context, tab.LISTED)](layout, context)


class ModePanel(PanelPart):
    """Chooses which panels show: those to join two clips, clean one, travel with many, or measure."""

    bl_label = "Mode"
    bl_options = {"HIDE_HEADER"}
    order = -10

    @classmethod
    def poll(cls, context: Any) -> bool:
        # Join has the switch in its own panel, which saves the space between the two
        return getattr(context, "workspace", None) is not None and not tab.shows(context, tab.JOIN)

    def draw(self, context: Any) -> None:
        draw_modes(self.layout, context)


def draw_modes(layout: Any, context: Any) -> None:
    """Draw the switch of the tab's modes, and behind it the popover of the character; nothing without a
    workspace.

    While work goes on that no press can change, how much of it is done stands in their place.
    """
    if getattr(context, "workspace", None) is not None:
        row = layout.row(align=True)
        if (going := long_work.find_going()) is not None:
            label, done = going
            text = translated("{0}: {1}", translated(label), long_work.describe_part(done))
            row.progress(factor=done, text=text)
            return
        row.prop(context.workspace, tab.PROPERTY, expand=True)
        row.popover(panel=VIEW3D_PT_inertia_character.__name__, text="", icon="ARMATURE_DATA")


class TransitionPanel(PanelPart):
    """Has the switch of modes, chooses two actions and where they meet, says what will be seen, and bakes."""

    bl_label = "Transition"
    bl_options = {"HIDE_HEADER"}
    mode = tab.JOIN
    order = 0

    def draw(self, context: Any) -> None:
        draw_modes(self.layout, context)
        layout = split(self.layout)
        obstacle = character.explain_no_armature(context.object)
        if obstacle is not None:
            drawing.sentence(layout, context, obstacle)
            return
        armature = context.object
        assigned_source.offer(armature)
        column = layout.column(align=True)
        transition.draw_actions(column, armature)
        transition.draw_meeting(column, armature)
        cost.draw_best(column)
        if text := transition.describe_missing_actions(armature.inertia):
            drawing.sentence(layout, context, words.PanelLine(text))
            return
        known = outlook.preflight(armature)
        cost.draw_outlook(layout, context, armature)
        column = layout.column(align=True)
        transition.draw_length(column, armature.inertia, suggests=True)
        transition.draw_buttons(column, context)
        for line in known.warnings:
            drawing.sentence(layout, context, line)
        transition.draw_misplaced(layout, known)
        bake_operators.draw_selected(layout, context)


class LookPanel(PairPanel):
    """Shows the whole verdict, the costs, and where other pairs of frames lie."""

    bl_label = "Look"
    mode = tab.JOIN
    order = 20

    def draw_header_preset(self, context: Any) -> None:
        cost.draw_cost(self.layout, context)

    def draw(self, context: Any) -> None:
        layout = split(self.layout)
        cost.draw_costs(layout, context)
        cost.draw_pairs(layout, context)


class ThroughPanel(PairPanel):
    """Leads from one clip to the other through further ones: in a gap, or by a hop through a third clip."""

    bl_label = "Go Through Other Clips"
    mode = tab.JOIN
    order = 30

    def draw(self, context: Any) -> None:
        if getattr(context, "workspace", None) is not None:
            self.layout.row(align=True).prop(context.workspace, tab.THROUGH, expand=True)
        if tab.chosen(context, tab.THROUGH) == tab.GAP:
            fill.draw_fill(self.layout, context)
        else:
            hops.draw_hops(self.layout, context)


PARTS = (ModePanel, TransitionPanel, rebaking.JoinedPanel, LookPanel, ThroughPanel)
CLASSES = (VIEW3D_PT_inertia_character,)
