# SPDX-License-Identifier: GPL-3.0-or-later
"""The switch at the top of the tab, and the panel at its end on what all modes know of the character."""

from __future__ import annotations

import contextlib
from typing import Any

from ...errors import InertiaError
from ..shared import character, drawing, labels, tab, words
from ..shared.drawing import OfHolder, Part
from ..translations import translated
from . import fields


class Mode(Part):
    """Chooses which panels show: those to join two clips, clean one, travel with many, or measure."""

    bl_label = "Mode"
    bl_options = {"HIDE_HEADER"}
    is_top = True
    order = -10

    @classmethod
    def poll(cls, context: Any) -> bool:
        return getattr(context, "workspace", None) is not None

    def draw(self, context: Any) -> None:
        self.layout.row(align=True).prop(context.workspace, tab.PROPERTY, expand=True)


class Character(OfHolder):
    """Tells what was found on the character; what is wrong there is put right here, for all modes."""

    bl_label = "Character"
    is_top = True
    order = 100

    def draw_header_preset(self, context: Any) -> None:
        with contextlib.suppress(InertiaError):  # the panel below says why
            drawing.label(self.layout, summary(context.object))

    def draw(self, context: Any) -> None:
        try:
            draw_seen(self.layout, context, context.object)
        except InertiaError as error:
            drawing.sentence(self.layout, context, words.Line(error.sentence, "INFO"))
        draw_root(drawing.split(self.layout), context)


def draw_seen(layout: Any, context: Any, armature: Any) -> None:
    """What was seen, a part a row. Raises InertiaError where it can't be looked at."""
    parts = {"Hips": character.hips_of(armature), "Legs": [leg.name for leg in character.legs_of(armature)]}
    for label, bones in parts.items():
        told = words.listed([labels.bone(armature, bone) for bone in bones]) if bones else translated("None")
        drawing.facts(layout, context, [(translated(label), told)])
    if said := character.unsure(armature):
        drawing.sentence(layout, context, words.Line(said, "ERROR"))


def draw_root(layout: Any, context: Any) -> None:
    """What carries the character over the ground, and by which bone two clips are aligned."""
    own = context.object.inertia
    column = layout.column()
    row = column.row(align=True)
    row.alert = bool(own.root) and own.root not in fields.search_root(own, context, "")
    row.prop(own, "root", text="Root", icon="BONE_DATA", placeholder="Automatic")
    row = column.row(align=True)
    row.alert = bool(own.align_bone) and own.align_bone not in fields.search_bone(own, context, "")
    row.prop(own, "align_bone", icon="BONE_DATA", placeholder="Root")
    column.prop(own, "align_height")


def summary(armature: Any) -> str:
    """What was seen, in a few words."""
    amount, hips = len(character.legs_of(armature)), character.hips_of(armature)
    told = words.count(amount, "leg") if amount else translated("No legs")
    return translated("{0}, {1}", told, labels.bone(armature, hips[0])) if hips else told


PARTS = (Mode, Character)
