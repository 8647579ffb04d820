# SPDX-License-Identifier: GPL-3.0-or-later
"""The pairs of actions that an armature lists, with the outcome of each, and their panel."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import BoolProperty, FloatProperty, IntProperty, StringProperty

from ...blender.data import actions, clip_store, compat, rewriting
from ...errors import InertiaError
from ..shared import drawing, labels, row_list, tab, words
from ..shared.drawing import HolderPanel, ListRows, at_end, split
from ..shared.made_of import a_frame, an_action, list_of, make_property
from ..shared.row_list import Button
from ..transition import pickers, results
from ..transition.pickers import picker
from ..transition.properties import animates_objects
from ..translations import OWN_CONTEXT, sentence, translated


class PairProperties(bpy.types.PropertyGroup):
    """Two actions, where they meet, and the result.

    first, last: the result's window. problem: why it could not be baked, "" where it could.
    """

    source: an_action("Source", "The action that plays up to the cut", poll=animates_objects)
    destination: an_action("Destination", "The action that takes over at the cut", poll=animates_objects)
    source_name: picker("source", "Source", "The action that plays up to the cut")
    destination_name: picker("destination", "Destination", "The action that takes over at the cut")
    searched: make_property(
        BoolProperty,
        "Best Pair",
        "Bake where the two cost least; otherwise at the frames below",
        default=True,
    )
    cut: a_frame("Cut", "Scene frame of the cut", translation_context=OWN_CONTEXT, default=1.0)
    destination_frame: a_frame("Destination Frame", "The destination's frame shown at the cut", default=1.0)
    result: an_action("Result", "The transition that was baked from the two")
    cost: make_property(
        FloatProperty,
        "Cost",
        "What a transition there costs, in metre seconds: a hand that is held 0.1 m away for 0.2 s costs "
        "0.02",
    )
    first: make_property(FloatProperty, "Start", "The first frame of the transition's window")
    last: make_property(FloatProperty, "End", "The last frame of the transition's window")
    problem: make_property(StringProperty, "Problem", "Why the pair could not be baked")


def chosen(library: Any, context: Any) -> None:
    """Show the result of the row that was clicked."""
    if (
        0 <= library.active_pair < len(library.pairs)
        and library.pairs[library.active_pair].result is not None
    ):
        show(context, library.id_data, library.pairs[library.active_pair])


class LibraryProperties(bpy.types.PropertyGroup):
    """The armature's list of transitions, with the outcome of each."""

    pairs: list_of(
        PairProperties, "Listed Transitions", ("Pairs of actions to bake, with the outcome of each")
    )
    active_pair: make_property(
        IntProperty, "Transition", "The transition of the list that is shown", update=chosen
    )


class INERTIA_UL_library(ListRows, bpy.types.UIList):
    def draw_row(self, row: Any, data: Any, item: Any, _index: int) -> None:
        icon = "ERROR" if item.problem else "CHECKMARK" if item.result is not None else "DOT"
        ends = [
            labels.action(data.id_data, action.name) if action is not None else "?"
            for action in (item.source, item.destination)
        ]
        row.label(text=translated("{0} to {1}", *ends), icon=icon, translate=False)
        if item.result is not None:
            at_end(row, words.cost_text(item.cost))
        else:
            at_end(row, translated("best") if item.searched else words.number(item.cut), active=False)


def show(context: Any, armature: Any, pair: Any) -> None:
    """Assign the result of a pair, which must have one, to an armature, and its slots to the objects that
    carry the armature, as far as the result animates them.

    If the armature's show_result is on, the scene's preview range goes from AROUND_SECONDS (of the module
    `results`) before the pair's window, `first` to `last`, to as much behind it, within the result's keys; a
    marker with the result's name is made at the window's first frame, or moved there; and a playhead outside
    of the range goes to its start. If its follow_cut is on, the playhead goes to the window's first frame
    after that.

    No InertiaError is raised: where something fails, the pair's `problem` becomes the error's sentence and
    the rest is left out; the armature may have the action by then. If all goes well `problem` stays as it
    was.
    """
    try:
        slot = actions.choose_slot(pair.result, armature)
        compat.assign(armature, pair.result, slot.identifier)
        clip = clip_store.with_holders(armature, actions.read(pair.result, slot))
        rewriting.assign_holders(pair.result, clip.holders)
    except InertiaError as error:
        pair.problem = sentence(error.sentence)
        return
    if armature.inertia.show_result:
        results.show_window(context, pair.result.name, (pair.first, pair.last))
    if armature.inertia.follow_cut:
        context.scene.frame_float = pair.first


CLASSES = (PairProperties, LibraryProperties, INERTIA_UL_library)


BESIDE = (
    Button("library_pairs", "ADD", values={"change": "ADD"}),
    Button("library_pairs", "REMOVE", values={"change": "REMOVE"}),
)
BELOW = (
    Button("library_pairs", text="Add All Pairs", values={"change": "ALL"}),
    Button("library_pairs", "TRASH", "Clear", {"change": "CLEAR"}),
)
"""The buttons beside the list of transitions, and below it."""


class LibraryPanel(HolderPanel):
    """Lists many transitions of one armature, to be baked one after the other."""

    bl_label = "List of Transitions"
    mode = tab.JOIN
    order = 40
    is_pipeline = True

    def draw(self, context: Any) -> None:
        layout = self.layout
        library = context.object.inertia_library
        names = ("INERTIA_UL_library", "pairs", "active_pair")
        row_list.draw_rows(
            layout, library, names, BESIDE, BELOW, lambda below, pair: draw_pair(below, context, pair)
        )
        row = layout.row(align=True)
        row.scale_y = 1.5
        row.operator("inertia.bake_library", icon="IPO_EASE_IN_OUT")
        layout.operator("inertia.save_library", text="Save as Spec", icon="EXPORT")


def draw_pair(layout: Any, context: Any, pair: Any) -> None:
    column = split(layout.column())
    pickers.draw(column, pair, "source")
    pickers.draw(column, pair, "destination")
    column.prop(pair, "searched")
    if not pair.searched:
        column.prop(pair, "cut")
        column.prop(pair, "destination_frame")
    if pair.problem:
        drawing.sentence(layout, context, words.PanelLine(pair.problem, "ERROR", alert=True))


PARTS = (LibraryPanel,)
