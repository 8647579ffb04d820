# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds hops, bakes one, saves their table, and lists the clips that they may lead through."""

from __future__ import annotations

import contextlib
import dataclasses
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import BoolProperty, IntProperty, StringProperty

from ...blender.data import clip_store, recipe, recipe_reader, result_kinds
from ...blender.evaluation import character as characters
from ...blender.hops import bake as hop_bake
from ...blender.hops import hop_gain
from ...blender.hops import search as hops
from ...blender.hops import table as hop_table
from ...errors import InertiaError
from ...motion.steps import Steps, finish, part
from ...settings import fields
from ..shared import tool, words
from ..shared.long_work import LongWork, SavesFile
from ..shared.made_of import limits_of, plain
from ..shared.tool import Tool
from ..transition import pickers, previewing, results
from ..transition.pickers import ChangesClips
from . import finding
from . import properties as hop_properties

if TYPE_CHECKING:
    from ...settings.hops import HopSettings


class INERTIA_OT_find_hops(LongWork, bpy.types.Operator):
    bl_idname = "inertia.find_hops"
    bl_label = "Find Hops"
    bl_description = (
        "For every cut, find the best ways from the source through a third clip to the destination, and "
        "list those of the chosen cut. Actions stay unchanged; ESC stops it"
    )
    needs = tool.POLL_PAIR

    count: plain(IntProperty, "Hops", "How many to list", default=8, **limits_of(fields.LISTED))
    every: plain(BoolProperty, "All Hops", "List them even where the direct transition is as good")

    def work(self, context: Any) -> Steps[None]:
        armature = context.object
        self.stands_on(*hop_properties.stands_on(armature))
        searched = yield from part(finding.search_steps(armature), 0.0, 0.7)
        steps = hops.ranked(searched.prepared, self.count, each_first=True)
        ways, direct = yield from part(steps, 0.7, 0.8)
        if not ways:
            raise InertiaError(
                "No hop leads from here to the destination: every blend would run past a clip's end; choose "
                "an earlier cut, longer clips or a shorter blend time, or mark clips that are cycles."
            )
        if not self.every:
            settings = searched.prepared.settings
            judging = hop_gain.judge_worth_steps(
                characters.read_character(armature),
                settings,
                ways,
                direct,
                judged=_is_quick(armature, settings),
            )
            judged = yield from part(judging, 0.8, 1.0)
            ways = [way for way, is_worth in zip(ways, judged.is_worth, strict=True) if is_worth]
        hop_properties.keep(armature, ways, direct)
        finding.remember(armature, searched)
        if not ways:
            self.say(hop_gain.STRAIGHT)
            return
        count = words.count(len(ways), "hop")
        self.say("{count}; the best costs {cost:.3g}.", count=count, cost=ways[0].cost)


def _is_quick(armature: Any, settings: HopSettings) -> bool:
    """Tell whether hops can be judged without holding up a window: True without a window, and if Blender need
    not play the source and destination. Raise InertiaError for clips that can't be read.
    """
    if bpy.app.background:
        return True
    clips = finish(clip_store.read_named_steps(armature, settings.transition.ends()))
    return not characters.read_character(armature).find_poser(clips).has_to_play


class INERTIA_OT_choose_hop(Tool, bpy.types.Operator):
    bl_idname = "inertia.choose_hop"
    bl_label = "Choose Hop"
    bl_description = "Take this way: the button below bakes it"
    bl_options = {"UNDO", "INTERNAL"}
    needs = (
        tool.poll_settings,
        tool.need(lambda context: len(context.object.inertia_hops.ways), "Find hops first"),
    )

    index: plain(IntProperty, "Hop", "The place among the hops that were found, from 0")

    def act(self, context: Any) -> None:
        context.object.inertia_hops.active_way = self.index


class INERTIA_OT_bake_hop(Tool, bpy.types.Operator):
    bl_idname = "inertia.bake_hop"
    bl_label = "Bake Hop"
    bl_description = (
        "Make a new action that plays the source, hops through the chosen clip and arrives in the "
        "destination. The actions themselves stay unchanged"
    )
    needs = (
        *(tool.poll_armature, tool.poll_actions),
        tool.need(lambda context: len(context.object.inertia_hops.ways), "Find hops first"),
    )

    replace: plain(
        BoolProperty,
        "In Its Place",
        "Update the earlier hop between the same two actions, instead of adding another",
    )

    def act(self, context: Any) -> None:
        armature = context.object
        previewing.end(stay=True)
        settings = hop_properties.hop_settings_from(armature)
        earlier = _replaceable(armature) if self.replace else None
        report = hop_bake.bake_hop(armature, settings, hop_properties.chosen(armature), earlier)
        tell(self, context, report, "Baked")


def _replaceable(armature: Any) -> Any | None:
    ends = armature.inertia
    return hop_bake.replaceable(armature, ends.source, ends.destination, ends.result)


def tell(operator: Tool, context: Any, report: hop_bake.HopReport, verb: str = "Rebaked") -> None:
    """Report a hop, and have the playback go through it, from the first blend to the last."""
    whole = dataclasses.replace(report.last, window=(report.cuts[0], report.last.window[1]))
    results.show(context, whole)
    results.tell(operator, report.last, verb)


def anew(armature: Any, action: Any) -> str:
    """Return "bake_hop", the operator that bakes a hop anew in place, without "inertia.", if the panel asks
    for another hop than the action is, else "".

    Another one is asked for if another hop is chosen in the list, or the fade differs, or any setting of the
    transition but those in NOT_COMPARED (the result's name, assign, assign_others, enter_at, and which ends
    are cycles). Settings of the search, such as the distance, don't count.

    It is "" as well without both actions or listed hops, if the action is not the hop that a new bake would
    replace, or where settings, the recipe or the chosen hop can't be read, or that hop is for another cut.
    """
    ends, listed = armature.inertia, armature.inertia_hops
    if None in (ends.source, ends.destination) or not len(listed.ways) or _replaceable(armature) != action:
        return ""
    with contextlib.suppress(InertiaError):  # what can't be asked for or read its own panel says
        known = recipe_reader.read_recipe(action, recipe.HOP)
        stored, way = known.settings, hop_bake.read_way(known)
        chosen = hop_properties.chosen(armature)
        asked = hop_properties.hop_settings_from(armature).transition.as_dict()
        is_another = way != chosen or stored.fade != listed.fade
        if is_another or results.differ(asked, stored.transition.as_dict(), NOT_COMPARED):
            return "bake_hop"
    return ""


NOT_COMPARED = results.NOT_COMPARED | {"source_cycle", "destination_cycle"}
"""Settings that say nothing of what a hop is like: it notes which of its clips were taken as cycles."""

results.add(result_kinds.HOP, results.ResultKind("Hop", tell, anew=anew))


class INERTIA_OT_save_hops(SavesFile, bpy.types.Operator):
    bl_idname = "inertia.save_hops"
    bl_label = "Save Table of Hops"
    bl_description = (
        "Write what to do at each frame when the destination is called for: four whole numbers per frame, "
        "for a game engine"
    )
    bl_options = {"REGISTER"}
    needs = tool.POLL_PAIR

    filepath: plain(StringProperty, "File", "The .npz or .json file to write", subtype="FILE_PATH")
    filter_glob: StringProperty(default="*.npz;*.json", options={"HIDDEN"})

    def offered(self, context: Any) -> tuple[str, str]:
        ends = context.object.inertia
        return f"{ends.source.name} to {ends.destination.name}", ".npz"

    def work(self, context: Any) -> Steps[None]:
        path = self.path()
        hop_table.check(path)
        self.stands_on(*hop_properties.stands_on(context.object))
        searched = yield from finding.search_steps(context.object)
        ends = searched.prepared.settings.transition
        contents = hop_table.contents(searched.prepared, [(ends.source, ends.destination, searched.table)])
        hop_table.save(path, contents)
        self.say("The table is written to {path}.", path=path)


class INERTIA_OT_hop_clips(ChangesClips, bpy.types.Operator):
    bl_idname = "inertia.hop_clips"
    bl_label = "Change the List of Clips"
    bl_description = "Change which actions hops may lead through"
    group = "inertia_hops"

    @staticmethod
    def list_fitting(armature: Any) -> list[Any]:
        ends = (armature.inertia.source, armature.inertia.destination)
        return [clip.action for clip in clip_store.library(armature)[0] if clip.action not in ends]


class INERTIA_OT_take_as_cycle(Tool, bpy.types.Operator):
    bl_idname = "inertia.take_as_cycle"
    bl_label = "Mark as a Cycle"
    bl_description = (
        "Play this action over and over, so that blends may run past its end: a walk of one step that is "
        "too short for a hop, for example. Press Find Hops again then"
    )
    bl_options = {"UNDO", "INTERNAL"}
    needs = tool.POLL_PAIR

    action: plain(StringProperty, "Action", "The action that is too short")

    def act(self, context: Any) -> None:
        armature = context.object
        transition, listed = armature.inertia, armature.inertia_hops
        sides = [side for side in ("source", "destination") if getattr(transition, side).name == self.action]
        for side in sides:
            setattr(transition, f"{side}_cycle", "ON")
        if sides:
            return
        if not listed.choose_clips:
            # only a list says of its actions what they are
            pickers.list_clips(listed, INERTIA_OT_hop_clips.list_fitting(armature))
            listed.choose_clips = True
        for item in listed.clips:
            if item.action is not None and item.action.name == self.action:
                item.cyclic = True
