# SPDX-License-Identifier: GPL-3.0-or-later
"""Locks the feet of the assigned action in a new one."""

from __future__ import annotations

import contextlib
from typing import Any

import bpy
from bpy.props import EnumProperty, FloatProperty

from ...blender.data import compat
from ...blender.feet import bake, contacts
from ...blender.feet.bake import LockReport
from ...errors import InertiaError
from ...settings import fields
from ...settings.feet import LockSettings
from ..shared import common, drawing
from ..shared.common import Tool
from ..shared.made_of import keywords
from ..transition import previewing, results
from ..transition.operators import poll_assigned
from .properties import ground_object

SETTINGS = fields.settings(LockSettings)
GROUND = ("ground", "ground_height", "ground_object")
"""The settings that the object remembers."""
SHOWN = ("foot_release", "hips_drop", *GROUND)
"""The settings that the redo panel has."""
NEEDS = (common.poll_settings, common.poll_armature, poll_assigned)


class INERTIA_OT_lock_feet(Tool, bpy.types.Operator):
    bl_idname = "inertia.lock_feet"
    bl_label = "Lock Feet"
    bl_description = (
        "Make a new action from the assigned one, in which each foot stands still while it is planted. "
        "Only legs and hips change, and only where feet skate; the action itself stays unchanged"
    )
    needs = NEEDS

    foot_release: FloatProperty(**keywords(SETTINGS["foot_release"]))
    hips_drop: FloatProperty(**keywords(SETTINGS["hips_drop"]))
    ground: EnumProperty(**keywords(SETTINGS["ground"]))
    ground_height: FloatProperty(**keywords(SETTINGS["ground_height"]))
    ground_object: ground_object()

    def act(self, context: Any) -> None:
        previewing.end(stay=True)
        action, slot = compat.assigned(context.object)
        assert action is not None
        values = {name: getattr(self, name) for name in SHOWN}
        more: dict[str, Any] = {
            name: round(value, 6) if isinstance(value, float) else value for name, value in values.items()
        }
        tell(self, bake.lock_action(context.object, LockSettings(action.name, slot, **more)))

    def draw(self, _context: Any) -> None:
        layout = drawing.split(self.layout)
        layout.prop(self, "foot_release")
        layout.prop(self, "hips_drop")
        draw_ground(layout, self)


def draw_ground(layout: Any, own: Any) -> None:
    """What feet stand on, as an operator or an object has it."""
    layout.prop(own, "ground")
    if own.ground == "PLANE":
        layout.prop(own, "ground_height")
    elif own.ground == "OBJECT":
        layout.prop(own, "ground_object", icon="MESH_DATA")


def tell(operator: Tool, report: LockReport) -> None:
    """Report what was made."""
    reason = report.not_assigned_because
    before, after = (100.0 * sum(foot.skate_m for foot in feet) for feet in (report.before, report.after))
    operator.say(
        'Feet skate {after:.1f} cm in "{result}", {before:.1f} cm before.',
        "WARNING" if reason else "INFO",
        after=after,
        result=report.result,
        before=before,
    )
    for note in report.notes:
        operator.say(note)
    if reason:
        operator.say(reason, "WARNING")


def changed(_armature: Any, action: Any) -> str:
    """Whether contacts of an action are others than those by which its feet are held, in a sentence."""
    with contextlib.suppress(InertiaError):  # the panel on feet says why
        if contacts.known(action) != contacts.held(action):
            return "Contacts were edited since it was baked."
    return ""


REMAKE = results.remaking(bake.KIND, LockSettings, bake.locking_action, tell)

results.add(bake.KIND, results.Kind("Locked Feet", REMAKE, changed=changed))
