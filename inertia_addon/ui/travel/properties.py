# SPDX-License-Identifier: GPL-3.0-or-later
"""How an armature's actions travel, saved with the object."""

from __future__ import annotations

from typing import Any

import bpy

from ...blender.data import compat
from ...settings.travel import TravelSettings
from ..shared import made_of

NAMES = made_of.names(TravelSettings)
"""The settings that the object remembers."""


@made_of.properties(TravelSettings)
class TravelProperties(bpy.types.PropertyGroup):
    """How actions that stay in place are made to travel."""


def settings_from(armature: Any, **more: Any) -> TravelSettings:
    """The settings that an armature's properties ask for, of the assigned action."""
    action, slot = compat.assigned(armature)
    assert action is not None
    library = action.library.filepath if action.library is not None else ""
    values = made_of.values_of(armature.inertia_travel, TravelSettings, NAMES)
    return TravelSettings(action.name, library, slot, **{**values, **more})


CLASSES = (TravelProperties,)
