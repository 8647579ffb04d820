# SPDX-License-Identifier: GPL-3.0-or-later
"""What an armature remembers of its model: its file, and how it is trained."""

from __future__ import annotations

from typing import Any

import bpy

from ...settings.learned import LearnSettings
from ..matching.properties import names_of, redraw
from ..shared import made_of
from ..shared.made_of import a_file


@made_of.properties(LearnSettings, update=redraw)
class LearnFields:
    """The settings of a training, by their names in LearnSettings."""


SETTINGS = made_of.names(LearnSettings)


class LearnedProperties(LearnFields, bpy.types.PropertyGroup):
    """The model that the armature's actions become, and how it is trained."""

    model: a_file(
        "Model", "The .npz file of the model: an existing one, or a new one to train", update=redraw
    )


def settings_from(armature: Any) -> LearnSettings:
    """How a model of the path's actions is trained. Raises InertiaError for an empty list of actions."""
    return LearnSettings(
        actions=names_of(armature),
        mirror=armature.inertia_path.mirror,
        root=armature.inertia.root,
        **made_of.values_of(armature.inertia_learned, LearnSettings, SETTINGS),
    )


CLASSES = (LearnedProperties,)
