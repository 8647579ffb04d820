# SPDX-License-Identifier: GPL-3.0-or-later
"""Drags contacts over the keys of a Dope Sheet: whole bars, their edges, and new ones; Ctrl removes one."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import bpy

from ...blender.feet import contacts
from ...errors import InertiaError
from ...motion.feet import contacts as foot_contacts
from ..overlay import build, layout
from ..overlay.mouse import TIME_EDITOR, Grabbed, Lit
from ..shared import character, tool
from ..shared.tool import Drags
from ..translations import translated
from . import bars, plots
from . import shown as feet

if TYPE_CHECKING:
    from ...motion.feet.contacts import Span
    from ...plots.shapes import Rect
    from .bars import ContactBars, ContactGrip

    Found = tuple[ContactGrip, ContactBars, Rect, tuple[float, float]]
    """What the mouse is on, in which bars, which lie where, over which frames."""

STEP, FINE = 1.0, 0.1
"""Frames are whole, or tenths while Shift is held."""


class INERTIA_OT_drag_contact(Drags, bpy.types.Operator):
    bl_idname = "inertia.drag_contact"
    bl_label = "Drag Contact"
    bl_description = (
        "Set when a foot is planted: drag a bar or one of its edges, or drag in an empty row to add a bar. "
        "Ctrl-click removes a bar, Shift goes by tenths of frames. ESC puts it back"
    )
    needs = (tool.poll_settings, feet.poll_shown)

    def invoke(self, context: Any, event: Any) -> set[str]:
        grabbed = grab(context, event.mouse_region_x, event.mouse_region_y)
        if grabbed is None:
            return {"PASS_THROUGH"}
        handle, self._model, _, _ = grabbed
        self._handle, self._now = handle, handle.span
        self._began = self._frame(context, event.mouse_region_x)
        self._action = feet.chosen(context.object)
        try:
            self._before = contacts.stored(self._action)
            # says so at once where the action can't be edited
            contacts.store(self._action, self._before)
            if event.ctrl:
                if handle.span is None:
                    return {"CANCELLED"}
                feet.put(context.object, handle.foot, handle.span, None)
                return {"FINISHED"}
        except InertiaError as error:
            return self.refuse(error)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def _frame(self, context: Any, x: float) -> float:
        info = layout.RegionInfo.from_context(context)
        low, high = build.frames_in_sight(info, layout.TimeAxis.from_context(context))
        return low + (high - low) * (x - info.free[0]) / info.free[2]

    def follow(self, context: Any, event: Any) -> None:
        frame = self._frame(context, event.mouse_region_x)
        new = move_span(self._model, self._handle, self._began, frame, FINE if event.shift else STEP)
        if new is None or new == self._now:
            return
        try:
            feet.put(context.object, self._handle.foot, self._now, new)
        except InertiaError:
            return  # where it may not be it does not go
        self._now = new
        part = "end" if self._handle.part == bars.NEW else self._handle.part
        bars.put_dragged(context.region, dataclasses.replace(self._handle, span=new, part=part))
        text = translated("Frames {0} to {1}. ESC puts them back.", f"{new.start:g}", f"{new.end:g}")
        context.area.header_text_set(text)

    def is_moved(self) -> bool:
        return self._now != self._handle.span

    def put_back(self, context: Any) -> None:
        contacts.store(self._action, self._before)

    def let_go(self, context: Any) -> None:
        bars.put_dragged(context.region, None)
        super().let_go(context)


def move_span(model: ContactBars, grip: ContactGrip, began: float, frame: float, step: float) -> Span | None:
    """Return where a grabbed span goes by a drag, or the span that a drag in an empty row makes; None while
    the latter has no length, or no room where it was pressed. Nothing is stored.

    began, frame: where the mouse was pressed, and is, scene frames. step: above 0, in frames. A dragged edge,
    or the start of a body, lies on a multiple of it (to four decimals), unless it stops before.

    The span stays within :func:`room` around its start, or around `began` for a new one: STEP frames apart
    from the row's other spans, on a cycle also from their repetitions, and in the clip, save that on a cycle
    an end may lie beyond the clip's last frame.

    By the grip's part: "start" and "end" move that edge, which stops at the other one, so that a span may get
    no length. NEW goes from `began` to `frame`, whichever is first, both on multiples of step. Any other
    moves the whole by about frame - began, as step allows: its length stays as it is, and its start in the
    clip. Raise StopIteration if the grip's foot has no row.
    """

    def on(value: float) -> float:
        return round(round(value / step) * step, 4)

    row = next(row for row in model.rows if row.foot == grip.foot)
    if grip.part == bars.NEW:
        first, last = sorted((on(began), on(frame)))
        low, high = room(model, row.spans, began)
        start, end = max(first, low), min(last, high)
        return foot_contacts.Span(start, end) if end > start else None
    assert grip.span is not None
    low, high = room(model, [span for span in row.spans if span != grip.span], grip.span.start)
    by = frame - began
    start, end = grip.span.start, grip.span.end
    if grip.part == "start":
        return foot_contacts.Span(min(max(on(start + by), low), end), end)
    if grip.part == "end":
        return foot_contacts.Span(start, max(min(on(end + by), high), start))
    by = min(max(on(start + by) - start, low - start), high - end, model.clip[1] - start)
    return foot_contacts.Span(start + by, end + by)


def room(model: ContactBars, neighbours: Sequence[Span], frame: float) -> tuple[float, float]:
    """Return the first and the last frame between which a span that holds a frame may lie.

    It lies in the clip and STEP frames apart from the neighbours. Round a cycle neighbours count in the
    repetitions before and behind, too, and the end may lie beyond the clip: as far as the next neighbour or,
    without one, one period behind the frame. neighbours: the row's other spans. They must not hold the frame.
    """
    first, last = model.clip
    # round a cycle: as far as the neighbours, or once round
    period = model.period or 0.0
    ends = [span.end + turn * period for span in neighbours for turn in (-1, 0)]
    starts = [span.start + turn * period for span in neighbours for turn in (0, 1)]
    low = max((end + STEP for end in ends if end < frame), default=first)
    high = min(
        (start - STEP for start in starts if start > frame), default=frame + period if period else last
    )
    return max(low, first), high


def grab(context: Any, x: float, y: float) -> Found | None:
    """Return (grip, bars, rect, frames): what the mouse is on at a place (pixels) of a time editor's region,
    the bars it belongs to, their band, and the frames at the band's left and right edge.

    None for nothing of the bars, or where they are not shown.
    """
    overlay = build.time_overlay(context)
    if overlay is None:
        return None
    theme, info = layout.theme_of(context), layout.RegionInfo.from_context(context)
    frames = build.frames_in_sight(info, layout.TimeAxis.from_context(context))
    for each, _, cells in build.time_cells(overlay, info):
        for shown, place in cells if each.name == plots.FootTimeline.name else ():
            handle = bars.handle_at(shown, place, frames, theme, x, y)
            if handle is not None:
                return handle, shown, place, frames
    return None


class INERTIA_GT_contact(Lit, bpy.types.Gizmo):
    @staticmethod
    def under(context: Any, x: float, y: float) -> ContactGrip | None:
        grabbed = grab(context, x, y)
        return grabbed[0] if grabbed is not None else None

    @staticmethod
    def note_lit(region: Any, under: ContactGrip | None) -> None:
        bars.put_lit(region, under)


class INERTIA_GGT_contacts(Grabbed, bpy.types.GizmoGroup):
    bl_label = "Inertia Contacts"
    bl_space_type = TIME_EDITOR
    made_of = INERTIA_GT_contact
    operator = INERTIA_OT_drag_contact.bl_idname

    @classmethod
    def poll(cls, context: Any) -> bool:
        return bool(context.scene.inertia_overlay.foot_contacts and character.holder_of(context))


GIZMOS = (INERTIA_GT_contact, INERTIA_GGT_contacts)
