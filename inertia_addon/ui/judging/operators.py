# SPDX-License-Identifier: GPL-3.0-or-later
"""Judges a transition that takes a while to be judged, and goes to what is wrong with one."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import bpy
from bpy.props import FloatProperty, StringProperty

from ...blender.judging import verdict
from ...blender.transition import bake
from ...errors import InertiaError
from ...motion.steps import part
from ...settings import limits
from ..shared import common
from ..shared.common import Tool
from ..shared.long_work import LongWork
from ..shared.made_of import limits_of, plain
from ..transition.properties import settings_from
from . import live

PLANNING = 0.6
"""About what part of judging it is to plan."""


class INERTIA_OT_judge(LongWork, bpy.types.Operator):
    bl_idname = "inertia.judge"
    bl_label = "Judge"
    bl_description = "Look at the coming transition as Blender would play it, and say what is wrong with it"
    bl_options = {"REGISTER"}
    needs = (common.poll_settings,)

    def work(self, context: Any) -> Generator[float, None, None]:
        armature = context.object
        self.stands_on(armature.inertia.source, armature.inertia.destination)
        settings = settings_from(armature)
        steps = bake.planning(armature, settings, footage=live.footage(armature, settings))
        plan = yield from part(steps, 0.0, PLANNING)
        found = yield from part(verdict.of_played(plan.played), PLANNING, 1.0)
        live.keep(armature, found)


class INERTIA_OT_go_to_fault(Tool, bpy.types.Operator):
    bl_idname = "inertia.go_to_fault"
    bl_label = "Go to Fault"
    bl_description = "Go to the frame where this is worst, and select its control"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}
    needs = (common.poll_armature,)

    bone: plain(StringProperty, "Bone", "The bone that is at fault")
    frame: plain(FloatProperty, "Frame", "The frame where it is worst", **limits_of(limits.FRAME))

    def act(self, context: Any) -> None:
        armature = context.object
        if self.bone not in armature.pose.bones:
            # what an operator within another one refuses comes as an error that nobody foresaw
            raise InertiaError('"{armature}" has no bone "{bone}".', armature=armature.name, bone=self.bone)
        bpy.ops.inertia.select_bone(bone=self.bone)
        context.scene.frame_set(int(self.frame // 1.0), subframe=self.frame % 1.0)


CLASSES = common.tools(globals())
