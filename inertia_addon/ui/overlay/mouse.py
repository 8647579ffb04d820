# SPDX-License-Identifier: GPL-3.0-or-later
"""Lets the mouse grab the plots, by an invisible gizmo over them, and move and size their panels.

Graph Editors have no gizmos. The scene remembers where each panel is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import FloatVectorProperty

from ...plots import shapes
from ..shared import cache, tool
from ..shared.tool import Drags, Tool
from . import build, layout

if TYPE_CHECKING:
    from ...plots.shapes import Rect, Shape
    from ...plots.theme import Theme

CORNER = 14.0
"""So near to a corner it is dragged by that; pixels at a scale of 1."""

_lit: dict[int, Rect | None] = {}
"""For each region, the panel that was under the mouse when its gizmos were drawn last."""


class MovedProperties(bpy.types.PropertyGroup):
    """Where a plot was put; see layout.Moved. Its name is the panel's."""

    place: FloatVectorProperty(
        name="Place",
        description="The plot's middle, as parts of the view, and its width and height in pixels",
        size=4,
    )


def light(region: Any, rect: Rect | None) -> None:
    """Note the panel that would be dragged: gizmos know it, and what is drawn over the plots shows it."""
    _lit[region.as_pointer()] = rect


def lit(region: Any, theme: Theme) -> list[Shape]:
    """Return the shapes of a thin frame around a panel, with strong lines at its corners; [] if none is lit
    in the region.

    Lit is the panel that was under the mouse when the region's gizmos were drawn last, or that is being
    moved.
    """
    place = _lit.get(region.as_pointer())
    if place is None:
        return []
    left, bottom, width, height = place
    right, top, reach = left + width, bottom + height, CORNER * theme.scale
    frame = [(left, bottom), (right, bottom), (right, top), (left, top), (left, bottom)]
    lines: list[Shape] = [shapes.line(frame, theme.faint, 1.0 * theme.scale)]
    for x, across in ((left, reach), (right, -reach)):
        for y, up in ((bottom, reach), (top, -reach)):
            ends = [(x + across, y), (x, y), (x, y + up)]
            lines.append(shapes.line(ends, theme.text, 2.6 * theme.scale))
    return lines


def corner_of(rect: Rect, x: float, y: float, reach: float) -> tuple[int, int]:
    """Return which corner of a panel is within reach of a place: (-1 or 1, -1 or 1), left and lower being -1;
    (0, 0) for none.

    All are in pixels; reach counts along x and y each, both ends included. A place outside of the panel
    counts as within reach of the edge beyond which it lies, however far; in a narrow panel left and lower
    come first.
    """
    left, bottom, width, height = rect
    across = -1 if x - left <= reach else 1 if left + width - x <= reach else 0
    up = -1 if y - bottom <= reach else 1 if bottom + height - y <= reach else 0
    return (across, up) if across and up else (0, 0)


def dragged(rect: Rect, corner: tuple[int, int], by: Sequence[float], least: Sequence[float]) -> Rect:
    """Return the place of a panel that was dragged by so many pixels.

    rect: its place before. corner: (0, 0) moves it as a whole; else the corner, -1 for left and lower, 1 for
    right and upper, that is dragged while the opposite one stays. by: along x and y. least: width and height;
    it gets no smaller by a corner, but becomes that large if it was smaller.
    """
    (left, bottom, width, height), (across, up) = rect, corner
    if corner == (0, 0):
        return left + by[0], bottom + by[1], width, height
    wide, tall = max(width + across * by[0], least[0]), max(height + up * by[1], least[1])
    if across < 0:
        left = left + width - wide
    if up < 0:
        bottom = bottom + height - tall
    return left, bottom, wide, tall


class INERTIA_OT_move_plot(Drags, bpy.types.Operator):
    bl_idname = "inertia.move_plot"
    bl_label = "Move Plot"
    bl_description = (
        "Drag a plot to another place, or drag one of its corners to make it larger or smaller. The scene "
        "remembers it; ESC puts it back, and Reset Places in the popover of the overlays puts all of them "
        "back"
    )
    needs = (tool.poll_settings,)

    def invoke(self, context: Any, event: Any) -> set[str]:
        self._from = (event.mouse_region_x, event.mouse_region_y)
        panel = build.panel_at(context, *self._from)
        if panel is None:
            return {"PASS_THROUGH"}
        self._name, self._place = panel
        moved = context.scene.inertia_overlay.moved.get(self._name)
        self._before = None if moved is None else tuple(moved.place)
        scale = context.preferences.system.ui_scale
        self._corner = corner_of(self._place, *self._from, CORNER * scale)
        self._least = (layout.LEAST_MOVED[0] * scale, layout.LEAST_MOVED[1] * scale)
        context.window.cursor_modal_set("CROSSHAIR" if any(self._corner) else "SCROLL_XY")
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def follow(self, context: Any, event: Any) -> None:
        by = (event.mouse_region_x - self._from[0], event.mouse_region_y - self._from[1])
        put(context, self._name, dragged(self._place, self._corner, by, self._least))

    def is_moved(self) -> bool:
        return True

    def put_back(self, context: Any) -> None:
        moved = context.scene.inertia_overlay.moved
        if self._before is not None:
            moved[self._name].place = self._before
        elif self._name in moved:
            moved.remove(moved.find(self._name))

    def let_go(self, context: Any) -> None:
        context.window.cursor_modal_restore()
        super().let_go(context)


def put(context: Any, name: str, rect: Rect) -> None:
    """Store in the scene where a panel of the context's region is, have it be lit, and redraw.

    name: the panel's; its row of `scene.inertia_overlay.moved` is changed, or added if there is none. rect:
    left, bottom, width, height, pixels. It is stored in the row's `place` as the panel's middle, in parts of
    the region's free part, and its size at a scale of 1, so that it holds for any 3D View of the scene.
    """
    at, moved = (
        layout.remember_place(build.region_of(context), name, rect),
        context.scene.inertia_overlay.moved,
    )
    panel = moved.get(name) or moved.add()
    panel.name, panel.place = name, (at.x, at.y, at.width, at.height)
    light(context.region, rect)
    cache.redraw()


class INERTIA_OT_reset_plots(Tool, bpy.types.Operator):
    bl_idname = "inertia.reset_plots"
    bl_label = "Reset Places"
    bl_description = "Put all plots back to their default places and sizes"
    needs = (
        tool.poll_settings,
        tool.need(lambda context: len(context.scene.inertia_overlay.moved), "No plot has been moved"),
    )

    def act(self, context: Any) -> None:
        context.scene.inertia_overlay.moved.clear()
        cache.redraw()


TIME_EDITOR = "DOPESHEET_EDITOR"
"""The time editor that has gizmos."""


class INERTIA_GT_plot(bpy.types.Gizmo):
    def setup(self) -> None:
        pass

    def draw(self, _context: Any) -> None:
        pass  # the plots are drawn below it

    def test_select(self, context: Any, location: Any) -> int:
        x, y = location
        return 0 if build.hit_in(context, x, y) is not None else -1


class Lit:
    """A gizmo over what can be grabbed, each of which is lit while the mouse is on it."""

    note_lit: Callable[[Any, Any], None]
    is_highlight: bool

    @staticmethod
    def under(context: Any, x: float, y: float) -> Any:
        """Return what is under the mouse, None for nothing."""
        raise NotImplementedError

    def setup(self) -> None:
        self._under: Any = None

    def draw(self, context: Any) -> None:
        """Say what is lit: it is drawn after the gizmo, and over it."""
        self.note_lit(context.region, self._under if self.is_highlight else None)

    def test_select(self, context: Any, location: Any) -> int:
        x, y = location
        under = self.under(context, x, y)
        if under != self._under:
            self._under = under
            context.region.tag_redraw()
        return 0 if under is not None else -1


class Grabbed:
    """A group of one gizmo. made_of: its class; operator: what it begins."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "WINDOW"
    bl_options = {"PERSISTENT"}
    gizmos: Any
    made_of: type
    operator: str

    def setup(self, _context: Any) -> None:
        gizmo = self.gizmos.new(self.made_of.__name__)
        gizmo.target_set_operator(self.operator)
        gizmo.use_draw_modal = True


class Picked(Grabbed):
    """What the mouse picks frames in. in_time: whether in a time editor."""

    made_of = INERTIA_GT_plot
    operator = "inertia.pick_meeting"
    in_time = False

    @classmethod
    def poll(cls, context: Any) -> bool:
        shown = build.switched_on(context, in_time=cls.in_time)
        return any(each.is_clicked and each.armature(context) is not None for each in shown)


class INERTIA_GGT_plots(Picked, bpy.types.GizmoGroup):
    bl_label = "Inertia Plots"


class INERTIA_GGT_plots_in_time(Picked, bpy.types.GizmoGroup):
    bl_label = "Inertia Plots in Time"
    bl_space_type = TIME_EDITOR
    in_time = True


class INERTIA_GT_panel(Lit, bpy.types.Gizmo):
    @staticmethod
    def under(context: Any, x: float, y: float) -> Rect | None:
        panel = build.panel_at(context, x, y)
        return None if panel is None else panel[1]

    note_lit = staticmethod(light)


class INERTIA_GGT_panels(Grabbed, bpy.types.GizmoGroup):
    bl_label = "Inertia Panels"
    made_of = INERTIA_GT_panel
    operator = "inertia.move_plot"

    @classmethod
    def poll(cls, context: Any) -> bool:
        shown = build.switched_on(context, in_time=False)
        return any(each.armature(context) is not None for each in shown)


CLASSES = (
    *(INERTIA_GT_plot, INERTIA_GGT_plots, INERTIA_GGT_plots_in_time),
    *(INERTIA_GT_panel, INERTIA_GGT_panels),
)
