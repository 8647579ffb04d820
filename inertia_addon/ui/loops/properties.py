# SPDX-License-Identifier: GPL-3.0-or-later
"""What an armature remembers of its loops: where to look, what was found, and how the next one is made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import FloatProperty, IntProperty, StringProperty

from ...blender.data import compat, scene
from ...errors import InertiaError
from ...settings import fields
from ...settings.loops import LoopSearch, LoopSettings
from ..shared import cache, made_of, words
from ..shared.drawing import ListRows, at_end
from ..shared.made_of import a_frame, an_action, limits_of, list_of, make_property, plain
from ..transition.fields import search_root
from ..transition.pickers import picker
from ..transition.properties import animates_objects
from ..translations import OWN_CONTEXT, translated

if TYPE_CHECKING:
    from ...motion.loops.search import FoundLoop

FRAME: dict[str, Any] = {**limits_of(fields.FRAME), **fields.SHOWN_FRAME}


class LoopProperties(bpy.types.PropertyGroup):
    """A stretch that was found."""

    start: a_frame("Start", "The first frame of it")
    end: a_frame("End", "The last frame of it")
    cost: make_property(
        FloatProperty, "Cost", "How far joints are apart at its two ends, on average, in metres"
    )
    landings: make_property(IntProperty, "Landings", "How many times each foot lands in it")


def first_frame(**more: Any) -> Any:
    """Return a property for a loop's first frame."""
    return plain(FloatProperty, "First Frame", "The loop's first frame", **FRAME, **more)


def last_frame(**more: Any) -> Any:
    """Return a property for a loop's last frame."""
    tip = "The loop's last frame, on which the next cycle begins"
    return plain(FloatProperty, "Last Frame", tip, **FRAME, **more)


def loop_chosen(loops: Any, _context: Any) -> None:
    """Take the stretch that is chosen in the list."""
    if 0 <= loops.active_loop < len(loops.loops):
        chosen = loops.loops[loops.active_loop]
        loops.loop_start, loops.loop_end = chosen.start, chosen.end


def _frames(loops: Any) -> tuple[float, float]:
    """Return the first and the last frame of the loop, see :func:`loop_frames_of`: of the chosen action, else
    of the assigned one."""
    return loop_frames_of(loops, loops.action or compat.assigned(loops.id_data)[0])


def loop_frames_of(loops: Any, action: Any | None) -> tuple[float, float]:
    """Return the first and the last frame of the loop that an action shall become.

    loops: an armature's inertia_loops. They are the stored ones, `start` and `end`, in three cases:
    `chosen_of` is the action's full name; `chosen_of` is "" and at least one of the two is set, as in files
    of earlier versions; or the action is None. Else they are the first and last of the action's own frame
    range, whole or not.
    """
    # earlier versions chose them for whatever action
    of_any = not loops.chosen_of and (loops.is_property_set("start") or loops.is_property_set("end"))
    if action is None or of_any or loops.chosen_of == action.name_full:
        return loops.start, loops.end
    first, last = action.frame_range
    return float(first), float(last)


def _choose_frames(loops: Any, start: float, end: float) -> None:
    action = loops.action or compat.assigned(loops.id_data)[0]
    loops.start, loops.end = start, end
    loops.chosen_of = "" if action is None else action.name_full
    cache.redraw()


START: dict[str, Any] = {
    "get": lambda loops: _frames(loops)[0],
    "set": lambda loops, frame: _choose_frames(loops, frame, _frames(loops)[1]),
}
END: dict[str, Any] = {
    "get": lambda loops: _frames(loops)[1],
    "set": lambda loops, frame: _choose_frames(loops, _frames(loops)[0], frame),
}


@made_of.properties(LoopSearch)
@made_of.properties(LoopSettings, {"root": {"search": search_root}})
class LoopsProperties(bpy.types.PropertyGroup):
    """Where the armature's loops are looked for, and those that were found."""

    action: an_action(
        "Action", "The action that should loop; empty for the assigned one", poll=animates_objects
    )
    action_name: picker("action", "Action", "The action that should loop; empty for the assigned one")
    loop_start: first_frame(**START)
    loop_end: last_frame(**END)
    start: a_frame("Start", "The first frame of it", default=1.0)
    end: a_frame("End", "The last frame of it", default=25.0)
    chosen_of: make_property(StringProperty, "Action", "The action that should loop")
    loops: list_of(LoopProperties, "Loops", "The stretches that were found, the best first")
    active_loop: make_property(
        IntProperty,
        "Loop",
        "The stretch that was chosen",
        default=-1,
        update=loop_chosen,
        translation_context=OWN_CONTEXT,
    )
    found_in: make_property(StringProperty, "Found In", "The action that the stretches were found in")


class INERTIA_UL_loops(ListRows, bpy.types.UIList):
    def draw_row(self, row: Any, _data: Any, item: Any, index: int) -> None:
        frames = translated("{0} to {1}", words.number(item.start), words.number(item.end))
        row.label(text=f"{index + 1}.  {frames}", translate=False)
        landed = words.count(item.landings, "cycle") if item.landings else ""
        at_end(row, landed or words.count(round(item.end - item.start), "frame"), active=False)
        at_end(row, translated("mean {0}", scene.length_text(item.cost)))


def action_of(armature: Any) -> Any:
    """Return the action that shall loop: the chosen one, else the assigned one. Raise InertiaError where
    there is none.
    """
    action = armature.inertia_loops.action or compat.assigned(armature)[0]
    if action is None:
        raise InertiaError("Choose the action that should loop, or assign one to the armature.")
    return action


def search_of(armature: Any) -> LoopSearch:
    """Return the settings of which loops may be found, from an armature's inertia_loops.

    by_feet and sub_frames are its own. first and last, frames of the action, are both None if use_first is
    off; shortest_frames and longest_frames are both None if use_shortest_frames is. Numbers are rounded to
    their decimals; what the group does not have is the default. Raise InertiaError for a number out of range,
    or where the first frame or the shortest loop is more than its counterpart; equal ones are allowed.
    """
    loops = armature.inertia_loops
    values = made_of.values_of(loops, LoopSearch, made_of.names(LoopSearch))
    # one switch is for both
    for first, other in (("first", "last"), ("shortest_frames", "longest_frames")):
        if values[first] is None:
            values[other] = None
    return LoopSearch(**values)


def library_of(action: Any) -> str:
    """Return the file that an action is linked from, "" for this one."""
    return str(action.library.filepath) if action.library else ""


def keep(armature: Any, action: Any, stretches: Sequence[FoundLoop]) -> None:
    """List stretches in `inertia_loops.loops`, in place of those before, and make the first the chosen one
    (`active_loop` 0); by the update of that its frames become the loop's.

    `action` becomes the given one, which shall loop, in place of what was chosen, and `found_in` its full
    name, as the one in which they were found. Without stretches the list is empty, and active_loop is 0 all
    the same.
    """
    loops = armature.inertia_loops
    loops.action, loops.found_in = action, action.name_full
    loops.loops.clear()
    for loop in stretches:
        item = loops.loops.add()
        item.start, item.end, item.cost, item.landings = loop.start, loop.end, loop.cost, loop.landings
    loops.active_loop = 0


CLASSES = (LoopProperties, LoopsProperties, INERTIA_UL_loops)
