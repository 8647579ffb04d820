# SPDX-License-Identifier: GPL-3.0-or-later
"""How a transition blends, kept by name: the presets of the panel's header, which Blender itself stores."""

from __future__ import annotations

from pathlib import Path

import bpy
from bl_operators.presets import AddPresetBase
from bl_ui.utils import PresetPanel

from ...settings import fields
from ...settings.transition import TransitionSettings
from ..room import Part
from ..shared import tool

FOLDER = "inertia/transition"
"""Where presets lie below a folder of presets."""
BUNDLED = str(Path(__file__).parents[1])
"""The folder that has the folder of those that come with the extension."""
OWN = {"blend_frames": "blend_time"}
"""Settings whose property shows another one, which is set as it stands."""


class INERTIA_PT_presets(PresetPanel, bpy.types.Panel):
    """The list, in a popover."""

    bl_label = "Transition Presets"
    preset_subdir = FOLDER
    preset_operator = "script.execute_preset"
    preset_add_operator = "inertia.add_preset"


class INERTIA_OT_add_preset(AddPresetBase, bpy.types.Operator):
    bl_idname = "inertia.add_preset"
    bl_label = "Add Transition Preset"
    bl_description = "Save the blend settings under a name, for this and other files, or remove a preset"
    preset_menu = "INERTIA_PT_presets"
    preset_subdir = FOLDER
    preset_defines = ["own = bpy.context.object.inertia"]
    preset_values = [
        f"own.{OWN.get(name, name)}"
        for name, setting in fields.settings(TransitionSettings).items()
        if setting.group == "how it blends" and setting.name
    ]

    @classmethod
    def poll(cls, context: object) -> bool:
        return tool.poll_settings(cls, context)


CLASSES = (INERTIA_PT_presets, INERTIA_OT_add_preset)

PATHS = Part(
    lambda: bpy.utils.register_preset_path(BUNDLED), lambda: bpy.utils.unregister_preset_path(BUNDLED)
)
"""Has Blender find the presets of the extension."""
