# SPDX-License-Identifier: GPL-3.0-or-later
"""Drags what a found fill shows in the 3D View: its way, which asks for a waypoint, and a joint of a ghost,
which asks that this bone touch a point."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import bpy

from ...blender.data import scene
from ...errors import InertiaError
from ...lazy_modules import np
from ...records import record
from ...settings.fill_wishes import Touch, Waypoint
from ..overlay import build, in_view, mouse
from ..shared import cache, character, tool
from ..shared.tool import Drags
from ..translations import translated
from . import finding, properties

if TYPE_CHECKING:
    from .finding import FillView

REACH = 12.0
"""So near to a grip it is grabbed; pixels at a scale of 1."""


@record(frozen=True)
class WishGrip:
    """What can be dragged of a fill: the way at a frame of the scene, or a joint of the ghost there.

    joint: "" for the way. point: (3,) of the world, in its units.
    """

    frame: float
    joint: str
    point: tuple[float, float, float]


lit: dict[int, WishGrip | None] = {}
"""For each region, by its address, the grip under the mouse when its gizmos were drawn last."""
dragged: dict[int, tuple[WishGrip, tuple[float, float, float]]] = {}
"""For the region in which one is dragged, the grip and where it is now."""


def grab(context: Any, x: float, y: float) -> WishGrip | None:
    """Return what can be dragged within reach of a place (pixels of the context's region), the nearest; None
    for nothing, and where no fill is shown.

    Of joints and the way at the same place the joint is taken. Neither end of the gap can be dragged.
    """
    view = read_shown_fill(context)
    if view is None:
        return None
    nearest, grip = REACH * context.preferences.system.ui_scale, None
    inner = [i for i, frame in enumerate(view.moments) if view.frames[0] < frame < view.frames[-1]]
    joints = view.points[inner].reshape(-1, 3)
    way = view.way[1:-1]
    for points, is_joint in ((joints, True), (way, False)):
        if not len(points):
            continue
        at, ahead = in_view.project(context, points)
        away = np.where(ahead, np.hypot(*(at - (x, y)).T), np.inf)
        i = int(np.argmin(away))
        if away[i] >= nearest:
            continue
        nearest = float(away[i])
        row, joint = divmod(i, len(view.joints)) if is_joint else (i, 0)
        frame = view.moments[inner[row]] if is_joint else view.frames[1:-1][row]
        px, py, pz = points[i].tolist()
        grip = WishGrip(float(frame), view.joints[joint] if is_joint else "", (px, py, pz))
    return grip


def read_shown_fill(context: Any) -> FillView | None:
    """Return the chosen fill that a 3D View shows; None for none."""
    armature = character.armature_of(context)
    plots = build.switched_on(context, in_time=False)
    if armature is None or not any(each.name == "fill" for each in plots):
        return None
    try:
        fills = finding.recall_fills(armature)
    except InertiaError:  # the panel says what is wrong with its settings
        return None
    return fills[finding.chosen(armature, fills)] if isinstance(fills, tuple) else None


class INERTIA_OT_drag_wish(Drags, bpy.types.Operator):
    bl_idname = "inertia.drag_wish"
    bl_label = "Drag the Fill"
    bl_description = (
        "Drag the way of a fill to have the character pass there, or a joint of a ghost to have that bone "
        "touch a point, on the frame that is shown; the fill is then found again. Ctrl takes that back, and "
        "ESC leaves it as it is"
    )
    needs = tool.POLL_PAIR

    def invoke(self, context: Any, event: Any) -> set[str]:
        grip = grab(context, event.mouse_region_x, event.mouse_region_y)
        if grip is None:
            return {"PASS_THROUGH"}
        if event.ctrl:
            put_wish(context.object, grip, None)
            bpy.ops.inertia.find_fill("INVOKE_DEFAULT")
            return {"FINISHED"}
        self._grip, self._region = grip, context.region.as_pointer()
        self._from, self._moved = (event.mouse_region_x, event.mouse_region_y), False
        dragged[self._region] = grip, grip.point
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: Any, event: Any) -> set[str]:
        _, point = dragged.get(self._region, (None, self._grip.point))
        done = super().modal(context, event)
        if done == {"FINISHED"}:
            put_wish(context.object, self._grip, point)
            bpy.ops.inertia.find_fill("INVOKE_DEFAULT")
        return done

    def follow(self, context: Any, event: Any) -> None:
        at = event.mouse_region_x, event.mouse_region_y
        self._moved = self._moved or at != self._from
        point = _find_point(context, self._grip, at)
        if point is None:
            return
        dragged[self._region] = self._grip, point
        x, y, z = (scene.length_text(value * scene.metres_per_unit()) for value in point)
        frame, joint = f"{self._grip.frame:g}", self._grip.joint
        if joint:
            text = translated(
                "On frame {0}, {1} touches {2}. ESC leaves it as it is.", frame, joint, f"{x}, {y}, {z}"
            )
        else:
            text = translated("On frame {0} it passes {1}. ESC leaves it as it is.", frame, f"{x}, {y}")
        context.area.header_text_set(text)
        cache.redraw()

    def is_moved(self) -> bool:
        return self._moved

    def put_back(self, context: Any) -> None:
        pass  # nothing is asked for until it is let go

    def let_go(self, context: Any) -> None:
        dragged.pop(self._region, None)
        super().let_go(context)


def _find_point(
    context: Any, grabbed: WishGrip, at: tuple[float, float]
) -> tuple[float, float, float] | None:
    """Return where what was grabbed goes at a place (pixels of the context's region): the way stays at
    its height, a joint as far from the eye. None where the view's line does not come there.
    """
    region, view, height = context.region, context.region_data, grabbed.point[2]
    if grabbed.joint:
        from bpy_extras import view3d_utils

        point = view3d_utils.region_2d_to_location_3d(region, view, at, grabbed.point)
        return point.x, point.y, point.z
    place = in_view.find_level_point(region, view, at, height)
    return None if place is None else (*place.tolist(), height)


def put_wish(armature: Any, grabbed: WishGrip, point: Iterable[float] | None) -> None:
    """Have an armature's gap ask that the way, or a joint, be at a point (3,) of the world on its
    frame; None takes back what is asked for there.

    An earlier wish of the same kind for that frame, of a joint for the same one, goes.
    """
    gap, metres = armature.inertia_fill, scene.metres_per_unit()
    place = None if point is None else [round(value * metres, 4) for value in point]
    if grabbed.joint and place is not None:
        x, y, z = place
        properties.put_touch(gap, Touch(grabbed.frame, grabbed.joint, (x, y, z)))
    elif grabbed.joint:
        touches = map(Touch.of, properties.text_to_wishes(gap.touches))
        kept = [each for each in touches if (each.bone, each.frame) != (grabbed.joint, grabbed.frame)]
        gap.touches = properties.wishes_to_text(kept)
    else:
        waypoints = map(Waypoint.of, properties.text_to_wishes(gap.waypoints))
        asked = [each for each in waypoints if each.frame != grabbed.frame]
        if place is not None:
            asked.append(Waypoint(grabbed.frame, (place[0], place[1]), None))
        gap.waypoints = properties.wishes_to_text(asked)


class INERTIA_GT_wish(mouse.Lit, bpy.types.Gizmo):
    @staticmethod
    def under(context: Any, x: float, y: float) -> WishGrip | None:
        return grab(context, x, y)

    @staticmethod
    def note_lit(region: Any, under: WishGrip | None) -> None:
        lit[region.as_pointer()] = under


class INERTIA_GGT_wishes(mouse.Grabbed, bpy.types.GizmoGroup):
    bl_label = "Inertia Fill"
    made_of = INERTIA_GT_wish
    operator = "inertia.drag_wish"

    @classmethod
    def poll(cls, context: Any) -> bool:
        return read_shown_fill(context) is not None


GIZMOS = (INERTIA_GT_wish, INERTIA_GGT_wishes)
