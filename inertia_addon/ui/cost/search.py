# SPDX-License-Identifier: GPL-3.0-or-later
"""Where to search for the best meeting, and what was found: a list to step through."""

from __future__ import annotations

import dataclasses
import json
import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import BoolProperty, FloatProperty, IntProperty, StringProperty

from ...blender.cost import meetings
from ...blender.data import compat, recipe
from ...blender.evaluation import character as characters
from ...blender.judging import verdict
from ...blender.transition import bake
from ...errors import InertiaError
from ...settings.cost import OF_A_COST, Search
from ..shared import cache, made_of, words
from ..shared.drawing import RATINGS, ListRows, at_end
from ..shared.made_of import a_frame, list_of, make_property, plain
from ..transition import previewing
from ..transition.properties import settings_from
from ..translations import OWN_CONTEXT, sentence, translated
from .joint_list import weights_from

if TYPE_CHECKING:
    from ...blender.cost.candidates import Candidate
    from ...blender.cost.meetings import CostedMeeting


class MeetingProperties(bpy.types.PropertyGroup):
    """A cut with a destination frame, and its cost when it was found."""

    cut: a_frame("Cut", "Scene frame of the cut", translation_context=OWN_CONTEXT)
    destination_frame: a_frame("Destination Frame", "The destination's frame shown at the cut")
    cost: make_property(
        FloatProperty,
        "Cost",
        "What a transition there costs, in metre seconds: a hand that is held 0.1 m away for 0.2 s costs "
        "0.02",
    )
    verdict: make_property(
        StringProperty, "Verdict", "The rating of a transition there with its worst fault, as JSON"
    )


def pair_chosen(listed: Any, _context: Any) -> None:
    """Put the armature's cut and destination frame at the chosen pair of the list, and bake it if the list's
    rebake is on; nothing without a chosen pair.

    It is an update function: Blender only prints what is raised here, so that the sentence of an InertiaError
    becomes the list's problem; else that becomes "".
    """
    if not 0 <= listed.active_pair < len(listed.pairs):
        return
    pair = listed.pairs[listed.active_pair]
    listed.problem = ""
    try:
        put(listed.id_data, meetings.CostedMeeting(pair.cut, pair.destination_frame, pair.cost))
    except InertiaError as error:
        listed.problem = sentence(error.sentence)


@made_of.properties(Search)
class SearchProperties(bpy.types.PropertyGroup):
    """Where the armature's best pairs of frames are searched, and those that were found."""

    use_range: make_property(BoolProperty, "Range of Cuts", "Search cuts in a part of the source only")
    rebake: make_property(
        BoolProperty,
        "Bake While Stepping",
        "Bake each pair as it is chosen, always into the same action, to see it played",
    )
    problem: plain(StringProperty, "Problem", "Why the chosen pair could not be baked")
    found_by: plain(
        StringProperty, "Found By", "A checksum of all that the pairs depend on, from when they were found"
    )
    pairs: list_of(
        MeetingProperties, "Best Pairs", "The cuts with destination frames that were found, the best first"
    )
    active_pair: make_property(
        IntProperty, "Pair", "The pair of frames that is tried", default=-1, update=pair_chosen
    )


class INERTIA_UL_pairs(ListRows, bpy.types.UIList):
    def draw_row(self, row: Any, _data: Any, item: Any, index: int) -> None:
        frames = translated("{0} to {1}", words.number(item.cut), words.number(item.destination_frame))
        rating, _ = verdict_of(item)
        row.label(text=f"{index + 1}.  {frames}", icon=RATINGS.get(rating, "NONE"), translate=False)
        at_end(row, words.cost_text(item.cost))


def verdict_of(item: Any) -> tuple[str, str]:
    """Return the rating of a listed pair, such as "good", and a sentence on it in Blender's language: the
    rating with the worst fault.

    Both are "" where the pair was not judged, or its stored verdict can't be read, as files may hold
    anything.
    """
    try:
        judged = json.loads(item.verdict)
        worst = None if judged["fault"] is None else verdict.Fault(**judged["fault"])
        return judged["rating"], sentence(verdict.headline(judged["rating"], worst))
    except (ValueError, TypeError, LookupError, RecursionError):
        return "", ""


def search_of(armature: Any) -> Search:
    """Return the armature's settings of a search for pairs; first and last are None if use_range is off, so
    that all of the source is searched.

    Raise InertiaError for a number out of range.
    """
    values = made_of.values_of(armature.inertia_search, Search, made_of.names(Search))
    if not armature.inertia_search.use_range:
        values |= {"first": None, "last": None}
    return Search(**values)


def put(armature: Any, meeting: CostedMeeting) -> None:
    """Set the armature's cut and destination frame to a meeting, switch use_destination_frame on and, if
    inertia_search.rebake is on, bake the transition.

    It is baked into the assigned action if that is a result of the same two actions, editable and no smoothed
    jump; else a new action is made. A preview ends before a bake, and the scene stays on its frame. The
    meeting's cost is not used. Raise InertiaError if it can't be baked; cut and frame are set all the same.
    """
    pair = armature.inertia
    pair.cut, pair.destination_frame = meeting.cut, meeting.destination_frame
    pair.use_destination_frame = True
    if armature.inertia_search.rebake:
        previewing.end(stay=True)
        # into the assigned result, if it is one of the same two actions and may be made anew
        action, _ = compat.assigned(armature)
        is_former = (
            action is not None
            and recipe.is_baked(action, recipe.RECIPE)
            and not recipe.is_smoothed(action)
            and action.is_editable
            and recipe.find_source_pair(action) == (pair.source, pair.destination)
        )
        settings = settings_from(armature)
        bake.bake_transition(armature, settings, into=action if is_former else None)


def keep(armature: Any, pairs: Sequence[Candidate]) -> None:
    """List pairs that were found in `inertia_search.pairs`, in their order and in place of those before, and
    choose the first.

    Each item gets the pair's cut, destination_frame and cost. Its `verdict` becomes JSON, an object of
    "rating" and "fault" (the worst one's fields, null for none); it stays "" for a pair that was not judged.
    The list's `found_by` becomes the checksum of :func:`_state`.

    To set `active_pair` to 0 calls :func:`pair_chosen`: the armature's cut and destination frame are set, the
    transition is baked if `rebake` is on, and what goes wrong there becomes the list's problem. Without pairs
    `active_pair` is -1, and cut, frame and problem stay. Raise InertiaError, with the list as it was, if the
    armature's settings or joints can't be used.
    """
    listed = armature.inertia_search
    listed.found_by = _state(armature)
    listed.pairs.clear()
    for pair in pairs:
        item = listed.pairs.add()
        item.cut, item.destination_frame, item.cost = pair.cut, pair.destination_frame, pair.cost
        if (judged := pair.verdict) is not None:
            worst = dataclasses.asdict(judged.faults[0]) if judged.faults else None
            item.verdict = json.dumps({"rating": judged.rating, "fault": worst})
    listed.active_pair = 0 if pairs else -1


def is_out_of_date(armature: Any) -> bool:
    """Tell whether the listed pairs depend on anything that has changed since they were found."""
    try:
        # lists of former versions don't know
        return armature.inertia_search.found_by not in ("", _state(armature))
    except InertiaError:
        return False  # what is wrong with the settings is said where they are


def _state(armature: Any) -> str:
    """Return a checksum, eight hexadecimal digits, of all that best pairs depend on: the two actions'
    contents, the settings that a cost depends on, joints, search settings and frame rate.

    Raise InertiaError for settings or joints that can't be used.
    """
    settings, pair = settings_from(armature), armature.inertia
    fps = characters.read_character(armature).fps
    values = settings.as_dict() | {"blend_frames": round(settings.frames(fps), 4)}
    keys = [cache.contents(action) for action in (pair.source, pair.destination)]
    rest = (search_of(armature).as_dict(), weights_from(armature), fps)
    state = [*(values[name] for name in sorted(OF_A_COST)), *keys, *rest]
    return f"{zlib.crc32(repr(state).encode()):08x}"


CLASSES = (MeetingProperties, SearchProperties, INERTIA_UL_pairs)
