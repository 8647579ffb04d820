# SPDX-License-Identifier: GPL-3.0-or-later
"""What an animator asks for on the path: another clip at a join, a clip at a place, or one not there.

Each of them becomes a pin or a forbidden clip of the armature, and the rest is searched again around it.
Another clip at a join fixes what comes before it, so that only what comes after it is searched again.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import EnumProperty, IntProperty

from ...blender.data import scene
from ...blender.matching import followed, recipes, search
from ...errors import InertiaError
from ...lazy_modules import np
from ...motion.matching import goals
from .. import translations
from ..shared import cache, tool
from ..shared.made_of import plain
from . import searching
from . import shown as path_view
from .properties import FARTHEST, add, settings_from

if TYPE_CHECKING:
    from .shown import PathView

NEAR = 0.02
"""A ban begins so much before its join, in metres or seconds: the search may come there a little earlier."""


def _require_view(context: Any) -> PathView:
    """Return what was found last along the active armature's path. Raise InertiaError if nothing was found,
    or a way without joins.
    """
    shown = searching.recall_view(context.object)
    if shown is None or not shown.joins:
        raise InertiaError("Find a path that has joins first.")
    return shown


def active_join(armature: Any, view: PathView) -> int:
    """Return the index of the join that is looked at, -1 where there are none."""
    return view.index_at(armature.inertia_path.joined_at)


SAME = 0.02
"""Times that are nearer to each other, in seconds, are the same join's."""
NEEDS = (tool.poll_settings, tool.need(_require_view))


class INERTIA_OT_choose_join(tool.Tool, bpy.types.Operator):
    bl_idname = "inertia.choose_join"
    bl_label = "Look at Join"
    bl_description = (
        "Show the details of this join, and mark it in the 3D View. Where the path is baked and assigned, "
        "go to its frame, too"
    )
    bl_options = {"UNDO", "INTERNAL"}
    needs = NEEDS

    index: plain(
        IntProperty, "Join", "How many joins come before it", translation_context=translations.OWN_CONTEXT
    )

    @classmethod
    def description(cls, context: Any, properties: Any) -> str:
        """Return the tooltip: the numbers of the search at the join of the operator's index, a row each, then
        what the operator does; only the latter where there is no such join.
        """
        shown = searching.recall_view(context.object) if context.object is not None else None
        tip = translations.tip(cls.bl_description)
        if shown is None or not 0 <= properties.index < len(shown.joins):
            return tip
        return f"{path_view.numbers(context.object, shown.joins[properties.index])}\n{tip}"

    def act(self, context: Any) -> None:
        armature, shown = context.object, _require_view(context)
        join = shown.joins[min(max(self.index, 0), len(shown.joins) - 1)]
        armature.inertia_path.joined_at = join["seconds"]
        if recipes.find_playing(armature) is not None:
            context.scene.frame_float = join["frame"]


class INERTIA_OT_take_clip(tool.Tool, bpy.types.Operator):
    bl_idname = "inertia.take_clip"
    bl_label = "Take This Clip"
    bl_description = (
        "Play this clip from the join on. What comes before it stays as it is, and what comes after it is "
        "searched again"
    )
    needs = NEEDS

    index: plain(IntProperty, "Choice", "The place among the next best clips, from 0")

    def act(self, context: Any) -> None:
        armature, shown = context.object, _require_view(context)
        active = active_join(armature, shown)
        join = shown.joins[active]
        if not 0 <= self.index < len(join["next_best"]):
            raise InertiaError("There is no such choice; choose one from the list.")
        chosen = join["next_best"][self.index]
        path = armature.inertia_path
        path.fixed.clear()
        before = [(before["to"], before["seconds"]) for before in shown.joins[:active]]
        for place, seconds in ((shown.begins, 0.0), *before, (chosen, join["seconds"])):
            _add_pin(path.fixed, place, seconds)
        # the join that is looked at stays the one that was changed
        path.joined_at = join["seconds"]
        cache.redraw()


def _free_from(path: Any, seconds: float) -> None:
    """Remove a path's fixed clips from a time (seconds) on, so that the search chooses them again; those that
    are less than SAME before it count, too.

    path: with fixed, rows that are changed. If only one is left then, which says no more than how the path
    begins, it is removed as well.
    """
    for i in reversed(range(len(path.fixed))):
        if path.fixed[i].at > seconds - SAME:
            path.fixed.remove(i)
    if len(path.fixed) == 1:
        # which says no more than how it begins
        path.fixed.clear()


class INERTIA_OT_forbid_clip(tool.Tool, bpy.types.Operator):
    bl_idname = "inertia.forbid_clip"
    bl_label = "Forbid Here"
    bl_description = (
        "Forbid the clip that this join enters, and its mirror image, on this part of the path; the rest "
        "is searched again around it"
    )
    needs = NEEDS

    def act(self, context: Any) -> None:
        armature, shown = context.object, _require_view(context)
        index = active_join(armature, shown)
        join = shown.joins[index]
        is_last = index + 1 == len(shown.joins)
        last = FARTHEST if is_last else shown.joins[index + 1]["place"]
        path = armature.inertia_path
        add(path.bans, join["to"]["action"], first=max(0.0, join["place"] - NEAR), last=last)
        path.active_ban = len(path.bans) - 1
        _free_from(path, join["seconds"])
        cache.redraw()


class INERTIA_OT_pin_clip(tool.Tool, bpy.types.Operator):
    bl_idname = "inertia.pin_clip"
    bl_label = "Pin Clip"
    bl_description = (
        "Pin a clip to the place on the path that is nearest to the 3D cursor: what plays there now, until "
        "another action and frame are chosen below. The rest is searched again around it"
    )
    needs = (
        tool.poll_settings,
        tool.need(lambda context: searching.plan_of(context.object), "Find a path first"),
    )

    def act(self, context: Any) -> None:
        armature = context.object
        plan = searching.plan_of(armature)
        assert plan is not None
        cursor = np.array(context.scene.cursor.location[:2]) * scene.metres_per_unit()
        at = plan.nearest(cursor)
        path = armature.inertia_path
        away = np.linalg.norm(plan.errors[0] - plan.at(at), axis=1)
        frame = int(np.argmin(away))
        source, entered = plan.stock.database.place(int(plan.way.flat[frame]))
        _add_pin(path.pins, search.named(source.name, is_mirrored=source.mirrored, frame=entered), at)
        path.active_pin = len(path.pins) - 1
        _free_from(path, frame / plan.stock.database.fps)
        cache.redraw()


class INERTIA_OT_set_goal(tool.Tool, bpy.types.Operator):
    bl_idname = "inertia.set_goal"
    bl_label = "Be Here on This Frame"
    bl_description = (
        "Put the character, on the current frame, at the place on the path that is nearest to the 3D "
        "cursor. Set one place on two frames to make it wait there between them"
    )
    needs = (
        tool.poll_settings,
        tool.need(
            lambda context: getattr(context.object.inertia_path.followed, "type", "") == "CURVE",
            "Follow a curve first; an object has a timing of its own",
        ),
    )

    def act(self, context: Any) -> None:
        path, frame = context.object.inertia_path, context.scene.frame_float
        if frame < path.first_frame:
            raise InertiaError(
                "The path begins on frame {first:g}; go to that frame, or a later one.",
                first=path.first_frame,
            )
        cursor = np.array(context.scene.cursor.location[:2]) * scene.metres_per_unit()
        line = followed.course(dataclasses.replace(settings_from(context.object), goals=())).points
        at = goals.place_of(line, cursor)
        goal = next((item for item in path.goals if abs(item.frame - frame) < SAME), None) or path.goals.add()
        goal.at, goal.frame = at, frame
        path.active_goal = [*path.goals].index(goal)
        cache.redraw()


def _add_pin(items: Any, clip_frame: dict[str, Any], at: float) -> None:
    add(items, clip_frame["action"], frame=clip_frame["frame"], mirrored=clip_frame["mirrored"], at=at)


def count_wishes(path: Any) -> int:
    """Return how many wishes there are on a path."""
    return len(path.pins) + len(path.bans) + len(path.goals) + bool(len(path.fixed))


class INERTIA_OT_unpin_clip(tool.Tool, bpy.types.Operator):
    bl_idname = "inertia.unpin_clip"
    bl_label = "Remove Request"
    bl_description = "Remove this request from the path, and search again without it"
    told_by = "change"
    needs = (
        tool.poll_settings,
        tool.need(
            lambda context: count_wishes(context.object.inertia_path),
            "There is no goal, and no clip is pinned, fixed or forbidden",
        ),
    )

    change: plain(
        EnumProperty,
        "Change",
        "What to do",
        translation_context=translations.OWN_CONTEXT,
        items=(
            ("PIN", "Unpin", "Remove the chosen pin"),
            ("BAN", "Allow", "Allow the chosen clip again where it was forbidden"),
            ("GOAL", "Remove Goal", "Remove the chosen goal"),
            ("FIXED", "Search All Again", "Search the whole path again, and keep no fixed joins"),
            (
                "ALL",
                "Remove All",
                "Remove all goals and pins, allow all clips everywhere, and keep no fixed joins",
            ),
        ),
        default="PIN",
    )

    def act(self, context: Any) -> None:
        path = context.object.inertia_path
        if self.change == "ALL":
            for items in (path.pins, path.bans, path.goals, path.fixed):
                items.clear()
        elif self.change == "FIXED":
            path.fixed.clear()
        else:
            items, active = getattr(path, f"{self.change.lower()}s"), f"active_{self.change.lower()}"
            if 0 <= getattr(path, active) < len(items):
                items.remove(getattr(path, active))
                setattr(path, active, max(0, getattr(path, active) - 1))
        cache.redraw()
