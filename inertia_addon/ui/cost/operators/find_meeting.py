# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds where a transition costs least, and puts the settings there."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import bpy
from bpy.props import EnumProperty, IntProperty

from ....blender.cost import meetings
from ....blender.cost.meetings import Meeting
from ....settings import limits
from ....settings.cost import Search
from ... import translations
from ...shared import common, words
from ...shared.long_work import LongWork
from ...shared.made_of import limits_of
from .. import costs, search

GOAL_ITEMS = (
    ("DESTINATION", "Best Entry", "Find the destination's frame that costs least at the cut"),
    ("CUT", "Best Cut", "Find the cut that costs least with the destination frame, within the range"),
    ("PAIR", "Best Pair", "Find the cut and the destination frame that cost least together"),
    ("PAIRS", "Best Pairs", "Find the best pairs that are not neighbours, as a list to step through"),
)
TIPS = {identifier: text for identifier, _, text in GOAL_ITEMS}


class INERTIA_OT_find_meeting(LongWork, bpy.types.Operator):
    bl_idname = "inertia.find_meeting"
    bl_label = "Find Best Meeting"
    bl_description = "Find where a transition costs least, and put the cut and the destination frame there"
    bl_options = {"REGISTER", "UNDO"}

    goal: EnumProperty(
        name="Find",
        description="What is searched for",
        items=GOAL_ITEMS,
        default="PAIR",
        options={"SKIP_SAVE"},
    )
    count: IntProperty(
        name="Pairs",
        description="How many pairs to list",
        default=10,
        **limits_of(limits.LISTED),
        options={"SKIP_SAVE"},
    )

    @classmethod
    def description(cls, _context: Any, properties: Any) -> str:
        return translations.tip(TIPS[properties.goal])

    @classmethod
    def poll(cls, context: Any) -> bool:
        return common.poll_settings(cls, context) and common.poll_actions(cls, context)

    def work(self, context: Any) -> Generator[float, None, None]:
        armature = context.object
        yield from costs.evaluating(armature)
        # a search may start from anywhere: the settings' own meeting need not be possible
        found = costs.of(armature, to_show=False)
        limits = search.search_of(armature)
        if self.goal == "PAIRS":
            pairs = yield from meetings.best_pairs(found.compared, self.count, limits)
            search.keep(armature, pairs)
            best = pairs[0]
        else:
            best = yield from self._one(found, limits)
            search.put(armature, best)
        for note in costs.notes(found.evaluated, limits if self.goal in ("PAIR", "PAIRS") else None):
            common.say(self, "INFO", note)
        common.say(
            self,
            "INFO",
            "Cut {cut}, destination frame {destination_frame}: {cost}.",
            cut=words.number(best.cut),
            destination_frame=words.number(best.destination_frame),
            cost=words.cost_text(best.cost),
        )

    def _one(self, found: costs.Costs, limits: Search) -> Generator[float, None, Meeting]:
        """The one best meeting."""
        if self.goal == "DESTINATION":
            costs.check_cut(found)
            return meetings.best_destination(found.compared, found.cut, limits)
        if self.goal == "CUT":
            costs.check_destination(found)
            return meetings.best_cut(found.compared, found.destination_frame, limits)
        pairs = yield from meetings.best_pairs(found.compared, 1, limits)
        return pairs[0]
