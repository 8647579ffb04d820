# SPDX-License-Identifier: GPL-3.0-or-later
"""What an armature remembers of how it is steered."""

from __future__ import annotations

from typing import Any

import bpy

from ...settings.matching import NOT_OF_TAKES, OF_MODELS, PathSettings
from ...settings.steering import Hand, SteerSettings
from ..matching import properties as paths
from ..shared import made_of

NAMES = made_of.names(Hand)
ANSWERS = made_of.names(SteerSettings)
SETTINGS = tuple(name for name in paths.SETTINGS if name not in NOT_OF_TAKES)
"""The settings of a path that takes have, too."""


@made_of.properties(SteerSettings)
@made_of.properties(Hand)
class SteerProperties(bpy.types.PropertyGroup):
    """How you steer the armature."""


def hand_of(armature: Any) -> Hand:
    """Return how an armature is steered."""
    return Hand(**made_of.values_of(armature.inertia_steer, Hand, NAMES))


def answers_of(armature: Any) -> SteerSettings:
    """Return how wishes are answered, as an armature's properties ask for it."""
    return SteerSettings(**made_of.values_of(armature.inertia_steer, SteerSettings, ANSWERS))


def settings_from(
    armature: Any, wishes: tuple[str, ...], start: tuple[float, float, float], source: Any = None, **more: Any
) -> PathSettings:
    """Return the settings of a take; raise InertiaError for those that can't be.

    source: an operator that has SETTINGS in place of the armature; None for the armature's own.
    """
    path = armature.inertia_path
    values = made_of.values_of(path if source is None else source, PathSettings, SETTINGS)
    return PathSettings(
        paths.joins_from(armature),
        paths.names_of(armature),
        cycles=paths.marked(path, "cyclic"),
        moves=paths.marked(path, "is_move"),
        wishes=wishes,
        start=start,
        steer=answers_of(armature),
        **{**values, **more},
    )


def of_model(
    armature: Any, wishes: tuple[str, ...], start: tuple[float, float, float], source: Any
) -> PathSettings:
    """Return the settings of a take that a model plays; the PathSettings name no actions.

    Of the path settings only those that takes have and a model uses are read: warp, first_frame and ground.
    The others keep their defaults. source: an operator to read these from; None for the armature's
    inertia_path. The settings of the joins and how wishes are answered, `steer`, are the armature's in any
    case.

    wishes: rows as text, one each. start: x and y in metres, and the facing in degrees. Raise InertiaError
    for values that are out of range or don't go together. Nothing is changed.
    """
    names = [name for name in SETTINGS if name in OF_MODELS]
    path = armature.inertia_path if source is None else source
    values = made_of.values_of(path, PathSettings, names)
    return PathSettings(
        paths.joins_from(armature), wishes=wishes, start=start, steer=answers_of(armature), **values
    )


CLASSES = (SteerProperties,)
