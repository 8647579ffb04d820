# SPDX-License-Identifier: GPL-3.0-or-later
"""Has Blender play both clips, where only it can say where the joints are."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import bpy

from ...shared import common
from ...shared.long_work import LongWork
from .. import costs


class INERTIA_OT_evaluate_clips(LongWork, bpy.types.Operator):
    bl_idname = "inertia.evaluate_clips"
    bl_label = "Evaluate Clips"
    bl_description = (
        "Play both clips once, frame by frame, to know where the joints are: needed for rigs with "
        "constraints, drivers or unusual inheritance, and again after a change. ESC stops it; "
        "the scene stays as it is"
    )
    # what it finds is kept beside the file, so there is nothing to undo
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        return common.poll_settings(cls, context) and common.poll_actions(cls, context)

    def work(self, context: Any) -> Generator[float, None, None]:
        yield from costs.evaluating(context.object)
        common.say(self, "INFO", "Both clips are evaluated; costs follow the settings now.")
        for note in costs.notes(costs.of(context.object, to_show=False).evaluated):
            common.say(self, "INFO", note)
