# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits the list of transitions, bakes it, and writes it as a spec."""

from __future__ import annotations

import dataclasses
import itertools
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import EnumProperty, StringProperty

from ...blender.cost import candidates, costing
from ...blender.data import clip_store, recipe
from ...blender.evaluation import character as characters
from ...blender.transition import bake
from ...errors import InertiaError
from ...motion.steps import Steps, part
from ...records import record
from ...settings import fields, methods
from ...settings.cost import Search
from ...settings.transition import TransitionSettings
from ...storage import safe_write
from .. import translations
from ..cost import costs
from ..cost.joint_list import weights_from
from ..cost.search import search_of
from ..shared import tool, words
from ..shared.long_work import LongWork, SavesFile
from ..shared.made_of import plain
from ..shared.tool import Tool
from ..transition import previewing
from ..transition.fields import ENTER_AT
from ..transition.properties import settings_from

if TYPE_CHECKING:
    from ...blender.transition.bake import Plan

OF_A_PAIR = (
    *("source", "source_library", "source_slot", "destination", "destination_library", "destination_slot"),
    *("cut", "destination_frame", "enter_at", "source_scale", "destination_scale", "result", "strips"),
)
"""The settings in which a list's transitions differ."""


@record(frozen=True)
class ListedPair:
    """A row of the list by value: whoever changes the list kills its rows."""

    source: Any | None
    destination: Any | None
    cut: float
    destination_frame: float
    searched: bool


def rows_of(armature: Any) -> tuple[ListedPair, ...]:
    names = [field.name for field in dataclasses.fields(ListedPair)]
    pairs = armature.inertia_library.pairs
    return tuple(ListedPair(**{name: getattr(pair, name) for name in names}) for pair in pairs)


def settings_of(armature: Any, pair: ListedPair) -> TransitionSettings:
    """Return the panel's settings with a pair's actions and frames, unwarped, at their own speed and without
    slots; the result has no name, is not assigned, and is no strips.

    enter_at has its default. Raise InertiaError where the pair lacks an action, and for settings that are out
    of range or don't go together.
    """
    if pair.source is None or pair.destination is None:
        raise InertiaError("Choose a source and a destination action.")
    values: dict[str, Any] = {"cut": pair.cut, "destination_frame": pair.destination_frame}
    for side, action in (("source", pair.source), ("destination", pair.destination)):
        library = action.library.filepath if action.library is not None else ""
        # a list pairs actions as they are keyed
        values |= {side: action.name, f"{side}_library": library, f"{side}_slot": "", f"{side}_scale": 1.0}
    values["enter_at"] = ENTER_AT.default
    settings = settings_from(armature).without_warp()
    return dataclasses.replace(settings, **values, result="", assign=False, strips=False)


def plan_steps(armature: Any, pair: ListedPair) -> Steps[tuple[Plan, float]]:
    """Plan a pair's transition; return the plan and its cost there in metre seconds; yield the part that is
    done.

    A pair that is searched meets where the search finds it best, by the armature's search settings; any other
    at its own frames. Nothing is written. Raise InertiaError for clips that can't be used, or where no
    meeting is found.
    """
    character = characters.read_character(armature)
    settings = settings_of(armature, pair)
    read = yield from part(costing.read_pair_steps(armature, settings), 0.0, 0.1)
    motions = yield from part(costing.motions(armature, read, costs.evaluate_motion_steps), 0.1, 0.5)
    weight = armature.inertia_search.skate_weight
    plants = yield from part(
        costing.plants_of(characters.read_character(armature), read.destination, weight), 0.5, 0.6
    )
    weights = weights_from(armature)
    compared = costing.compare_pair(read, settings, weights, motions, costing.WeighedSkate(plants, weight))
    cut, entry = settings.cut, settings.destination_frame
    if pair.searched:
        search = search_of(armature)
        steps = candidates.best(character, settings, read.clips, compared, search)
        (best,) = yield from part(steps, 0.6, 0.9)
        cut, entry = best.cut, best.destination_frame
    assert entry is not None
    settings = dataclasses.replace(settings, cut=cut, destination_frame=entry)
    plan = bake.plan_clips(character, settings, read.source, read.destination)
    return plan, compared.at(cut, entry)


def spec_of(armature: Any, blend: Path, folder: Path) -> dict[str, Any]:
    """Return the armature's list as a spec of the command ``batch``, a dict of JSON values; nothing is
    written.

    - "files": a list of one, the file that the clips are in, `blend`, named relative to
      `folder`, the spec's, with forward slashes; in full on another drive of Windows.
    - "armature": its name.
    - "defaults": the panel's settings, unwarped, by name, without those that are at their
      defaults, not of the method, or of single pairs (OF_A_PAIR), with choices as specs write
      them. Of the search there are always "keep_frames", "by", "before_seconds" and
      "behind_seconds", "skate_weight" if it is above 0, and "range", [first, last], if
      use_range is on.
    - "transitions": for each row, in order, a dict of "source" and "destination", the actions'
      names, and "cut": "best" if the row is searched, else its frame, with "destination_frame"
      beside it.

    Raise InertiaError for an empty list, a row without an action, an action that is linked, as a batch would
    not find it in that file, and settings that can't be.
    """
    pairs = armature.inertia_library.pairs
    if not len(pairs):
        raise InertiaError("The list of transitions is empty; add pairs of actions first.")
    settings, defaults_ = (
        settings_from(armature).without_warp().as_dict(),
        TransitionSettings("", "", 0.0).as_dict(),
    )
    foreign = {*methods.foreign(settings, settings["method"]), *OF_A_PAIR}
    # what came later is in a record's values only where it is not at its default
    usual = {name: each.default for name, each in fields.settings(TransitionSettings).items()}
    defaults = {
        name: value
        for name, value in settings.items()
        if name not in foreign and value != defaults_.get(name, usual[name])
    }
    search = search_of(armature)
    defaults = fields.worded(TransitionSettings, defaults)
    defaults["keep_frames"], defaults["by"] = search.keep_frames, fields.spoken(search.by)
    defaults |= {name: getattr(search, name) for name in fields.list_requests(Search)}
    if search.skate_weight > 0.0:
        defaults["skate_weight"] = search.skate_weight
    if search.first is not None and search.last is not None:
        defaults["range"] = [search.first, search.last]
    return {
        "files": [_path_from(folder, blend)],
        "armature": armature.name,
        "defaults": defaults,
        "transitions": [_entry(pair) for pair in pairs],
    }


def _path_from(folder: Path, file: Path) -> str:
    """Return how a spec in a folder names a file: relative to it, with forward slashes; in full on another
    drive.
    """
    try:
        return Path(os.path.relpath(file, folder)).as_posix()
    except ValueError:
        return file.as_posix()


def _entry(pair: Any) -> dict[str, Any]:
    for action in (pair.source, pair.destination):
        if action is None:
            raise InertiaError("Choose a source and a destination action.")
        if action.library is not None:
            raise InertiaError(
                '"{action}" is linked from another file; make it local to write a spec.', action=action.name
            )
    entry = {"source": pair.source.name, "destination": pair.destination.name}
    if pair.searched:
        return {**entry, "cut": "best"}
    return {**entry, "cut": pair.cut, "destination_frame": pair.destination_frame}


CHANGES = (
    ("ADD", "Add", "Add the panel's source and destination to the list"),
    ("REMOVE", "Remove", "Remove the chosen transition from the list; its baked result stays"),
    (
        "ALL",
        "Add All Pairs",
        "List each pair of the armature's actions, both ways, without those that Inertia has baked",
    ),
    ("CLEAR", "Clear", "Empty the list; what was baked stays"),
)
NEED_LIST = tool.need(
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
        library = armature.inertia_library
        if self.change == "ADD":
            add(library, armature.inertia.source, armature.inertia.destination)
            library.active_pair = len(library.pairs) - 1
        elif self.change == "CLEAR":
            library.pairs.clear()
        elif self.change == "REMOVE" and 0 <= library.active_pair < len(library.pairs):
            library.pairs.remove(library.active_pair)
            library.active_pair = max(0, library.active_pair - 1)
        elif self.change == "ALL":
            listed = {(pair.source, pair.destination) for pair in library.pairs}
            for source, destination in itertools.permutations(clip_store.unbaked(armature), 2):
                if (source, destination) not in listed:
                    add(library, source, destination)


def add(library: Any, source: Any, destination: Any) -> None:
    """Add a pair to a list, at the frames that the panel would bake it at, should it not be searched."""
    pair, panel = library.pairs.add(), library.id_data.inertia
    pair.source, pair.destination = source, destination
    pair.cut, pair.destination_frame = panel.cut, panel.destination_frame


class INERTIA_OT_bake_library(LongWork, bpy.types.Operator):
    bl_idname = "inertia.bake_library"
    bl_label = "Bake List"
    bl_description = (
        "Bake all listed transitions with the panel's settings, each into its own action; those baked "
        "before are updated. ESC stops it and changes nothing"
    )
    needs = (tool.poll_settings, tool.poll_armature, NEED_LIST)

    def work(self, context: Any) -> Steps[None]:
        armature = context.object
        previewing.end(stay=True)
        for pair in armature.inertia_library.pairs:
            self.stands_on(pair.source, pair.destination, pair.result)
        listed = rows_of(armature)
        outcomes: list[tuple[Plan, float] | InertiaError] = []
        for i, pair in enumerate(listed):
            steps = plan_steps(armature, pair)
            try:
                outcomes.append((yield from part(steps, i / len(listed), (i + 1) / len(listed))))
            except InertiaError as error:
                outcomes.append(error)
        if rows_of(armature) != listed:
            raise InertiaError("The list was changed while it was planned; press Bake List again.")
        pairs = [*armature.inertia_library.pairs]
        # all of them are planned now: from here on the file changes, and nothing can stop it half-way
        for pair, planned in zip(pairs, outcomes, strict=True):
            if isinstance(planned, InertiaError):
                pair.problem = translations.sentence(planned.sentence)
            else:
                plan, cost = planned
                write(pair, plan, cost)
        self._tell(context, pairs)

    def _tell(self, context: Any, pairs: list[Any]) -> None:
        done = [i for i, pair in enumerate(pairs) if not pair.problem]
        if len(done) < len(pairs):
            count = words.count(len(pairs) - len(done), "transition")
            self.say("{count} could not be baked; the list says why.", "WARNING", count=count)
        if done:
            context.object.inertia_library.active_pair = done[0]  # which shows it
        self.say("The list is baked: {count}.", count=words.count(len(done), "transition"))


def write(pair: Any, plan: Plan, cost: float) -> None:
    """Bake a planned transition, and note `result`, `cost` and frames in the pair; its `problem` becomes "".

    The pair's `first` becomes the first frame of the longest offset's window, its `last` the one at which
    anything still differs from the destination. The result takes the place of the pair's former one if that
    is a transition that Inertia baked and editable; else a new action is made. Raise InertiaError if it can't
    be written; the pair is as it was then.
    """
    former = pair.result
    if former is not None and not (recipe.is_baked(former, recipe.RECIPE) and former.is_editable):
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
    needs = (tool.poll_settings, NEED_LIST)

    filepath: plain(StringProperty, "File", "The spec to write, a JSON file", subtype="FILE_PATH")
    filter_glob: StringProperty(default="*.json", options={"HIDDEN"})

    def offered(self, context: Any) -> tuple[str, str]:
        return f"{context.object.name} library", ".json"

    def work(self, context: Any) -> Steps[None]:
        path = self.path(".json")
        if not bpy.data.filepath:
            raise InertiaError("Save this file first: a spec names the file that its clips are in.")
        values = spec_of(context.object, Path(bpy.data.filepath), path.parent)
        text = json.dumps(values, ensure_ascii=False, indent=2) + "\n"
        with safe_write.replace_safely(path) as draft:
            draft.write_text(text, encoding="utf-8")
        self.say("The list is written to {path}.", path=path)
        yield 1.0
