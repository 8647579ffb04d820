# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits the list of transitions, bakes it, and writes it as a spec."""

from __future__ import annotations

import itertools
import json
from collections.abc import Generator
from pathlib import Path
from typing import Any

import bpy
from bpy.props import EnumProperty, StringProperty

from ...blender.data import clip_store, recipe
from ...blender.transition import bake
from ...blender.transition.bake import Plan
from ...errors import InertiaError
from ...motion.steps import part
from ...storage import safe_write
from .. import translations
from ..shared import common, words
from ..shared.common import Tool
from ..shared.long_work import LongWork, SavesFile
from ..shared.made_of import plain
from ..transition import previewing
from . import baking

CHANGES = (
    (
        "ADD",
        "Add",
        "Add the panel's source and destination to the list",
    ),
    ("REMOVE", "Remove", "Remove the chosen transition from the list; its baked result stays"),
    ("ALL", "Add All Pairs", "List every two actions of the armature, both ways, that Inertia has not baked"),
    ("CLEAR", "Clear", "Empty the list; what was baked stays"),
)
NEED_LIST = common.need(
    lambda context: len(context.object.inertia_library.pairs), "The list of transitions is empty"
)


class INERTIA_OT_library_pairs(Tool, bpy.types.Operator):
    bl_idname = "inertia.library_pairs"
    bl_label = "Change the List of Transitions"
    bl_description = "Change which transitions are listed"
    told_by = "change"

    change: plain(EnumProperty, "Change", "What to do", items=CHANGES, default="ADD")

    def act(self, context: Any) -> None:
        armature = context.object
        own = armature.inertia_library
        if self.change == "ADD":
            add(own, armature.inertia.source, armature.inertia.destination)
            own.active_pair = len(own.pairs) - 1
        elif self.change == "CLEAR":
            own.pairs.clear()
        elif self.change == "REMOVE" and 0 <= own.active_pair < len(own.pairs):
            own.pairs.remove(own.active_pair)
            own.active_pair = max(0, own.active_pair - 1)
        elif self.change == "ALL":
            known = {(pair.source, pair.destination) for pair in own.pairs}
            for ends in itertools.permutations(clip_store.unbaked(armature), 2):
                if ends not in known:
                    add(own, *ends)


def add(own: Any, source: Any, destination: Any) -> None:
    """Add a pair to a list, at the frames that the panel would bake it at, should it not be searched."""
    pair, panel = own.pairs.add(), own.id_data.inertia
    pair.source, pair.destination = source, destination
    pair.cut, pair.destination_frame = panel.cut, panel.destination_frame


class INERTIA_OT_bake_library(LongWork, bpy.types.Operator):
    bl_idname = "inertia.bake_library"
    bl_label = "Bake List"
    bl_description = (
        "Bake all listed transitions with the panel's settings, each into its own action; those baked "
        "before are updated. ESC stops it and changes nothing"
    )
    needs = (common.poll_settings, common.poll_armature, NEED_LIST)

    def work(self, context: Any) -> Generator[float, None, None]:
        armature = context.object
        previewing.end(stay=True)
        for pair in armature.inertia_library.pairs:
            self.stands_on(pair.source, pair.destination, pair.result)
        listed = baking.listed(armature)
        found: list[tuple[Plan, float] | InertiaError] = []
        for i, pair in enumerate(listed):
            steps = baking.planning(armature, pair)
            try:
                found.append((yield from part(steps, i / len(listed), (i + 1) / len(listed))))
            except InertiaError as error:
                found.append(error)
        if baking.listed(armature) != listed:
            raise InertiaError("The list was changed while it was planned; press Bake List again.")
        pairs = [*armature.inertia_library.pairs]
        # all of them are planned now: from here on the file changes, and nothing can stop it half-way
        for pair, planned in zip(pairs, found, strict=True):
            if isinstance(planned, InertiaError):
                pair.problem = translations.sentence(planned.sentence)
            else:
                write(pair, *planned)
        self._tell(context, pairs)

    def _tell(self, context: Any, pairs: list[Any]) -> None:
        failed = [pair for pair in pairs if pair.problem]
        if failed:
            count = words.count(len(failed), "transition")
            self.say("{count} could not be baked; the list says why.", "WARNING", count=count)
        done = [pair for pair in pairs if not pair.problem]
        if done:
            context.object.inertia_library.active_pair = pairs.index(done[0])  # which shows it
        self.say("The list is baked: {count}.", count=words.count(len(done), "transition"))


def write(pair: Any, plan: Plan, cost: float) -> None:
    """Write a planned transition, in the place of the pair's former result, and note it."""
    former = pair.result
    if former is not None and not (recipe.is_result(former) and former.is_editable):
        former = None
    report = bake.write_plan(plan, former)
    pair.result, pair.cost, pair.problem = bpy.data.actions[report.result], cost, ""
    pair.first, pair.last = report.window[0], report.until


class INERTIA_OT_save_library(SavesFile, bpy.types.Operator):
    bl_idname = "inertia.save_library"
    bl_label = "Save List as Spec"
    bl_description = (
        "Write the list and the panel's settings as a spec, which the command batch bakes from this file, "
        "such as at night: inertia batch SPEC -o FOLDER"
    )
    needs = (common.poll_settings, NEED_LIST)

    filepath: plain(StringProperty, "File", "The spec to write, a JSON file", subtype="FILE_PATH")
    filter_glob: StringProperty(default="*.json", options={"HIDDEN"})

    def offered(self, context: Any) -> tuple[str, str]:
        return f"{context.object.name} library", ".json"

    def work(self, context: Any) -> Generator[float, None, None]:
        path = self.path(".json")
        if not bpy.data.filepath:
            raise InertiaError("Save this file first: a spec names the file that its clips are in.")
        values = baking.spec(context.object, Path(bpy.data.filepath), path.parent)
        text = json.dumps(values, ensure_ascii=False, indent=2) + "\n"
        with safe_write.replacing(path) as draft:
            draft.write_text(text, encoding="utf-8")
        self.say("The list is written to {path}.", path=path)
        yield 1.0
