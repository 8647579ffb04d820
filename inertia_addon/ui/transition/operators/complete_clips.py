# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys what clips leave out."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import EnumProperty

from ....blender.transition import completing
from ....errors import InertiaError
from ...shared import common


class INERTIA_OT_complete_clips(bpy.types.Operator):
    bl_idname = "inertia.complete_clips"
    bl_label = "Complete Clips"
    bl_description = (
        "Give each clip one key on every bone's channel that another clip keys and it does not, of what the "
        "bone shows there: then they look the same whatever played before. This edits the actions themselves"
    )
    bl_options = {"REGISTER", "UNDO"}

    which: EnumProperty(
        name="Clips",
        description="Which actions are given keys",
        items=(
            ("PAIR", "Source and Destination", "The two that are chosen for the transition"),
            ("ALL", "All That Fit", "All actions of this armature that Inertia has not baked"),
        ),
        default="PAIR",
    )

    @classmethod
    def poll(cls, context: Any) -> bool:
        return common.poll_settings(cls, context) and common.poll_armature(cls, context)

    def execute(self, context: Any) -> set[str]:
        armature = context.object
        own = armature.inertia
        clips = [(action, "") for action in completing.library(armature)]
        try:
            if self.which == "PAIR":
                if own.source is None or own.destination is None:
                    raise InertiaError("Choose a source and a destination action.")
                clips = [(own.source, own.source_slot), (own.destination, own.destination_slot)]
            done = completing.complete(armature, clips)
        except InertiaError as error:
            return common.refuse(self, error)
        count = sum(one.channels for one in done)
        if not count:
            common.say(self, "INFO", "Nothing is missing: the clips key the same channels.")
            return {"CANCELLED"}
        common.say(self, "INFO", "Keys given in {clips} clips: {channels}.", clips=len(done), channels=count)
        return {"FINISHED"}
