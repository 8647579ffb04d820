# SPDX-License-Identifier: GPL-3.0-or-later
"""The verdict on an action whose feet were locked."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np

from ...errors import InertiaError
from ...motion.arrays import Array
from ...motion.steps import finish
from ...settings.feet import LockSettings
from ..data import actions, clip_store
from ..data.recipe_reader import read_recipe
from ..evaluation.character import Character, read_character
from ..feet import bake, contacts
from ..feet.bake import LockReport
from . import rewritten
from .rewritten import LockedOn
from .verdict import Verdict, Verdicts

OWN_GROUND = LockSettings.ground
"""What feet are locked on unless something else is asked for."""


def judge_report(armature: Any, report: LockReport) -> Verdict | None:
    """Judge what locking feet has made; return its first verdict, None where there is none or it can't be
    judged, as where Blender would not play the rig. Raise InertiaError where the result is gone or its
    settings can't be read.
    """
    action = actions.find(report.result)
    settings = read_recipe(action, bake.KIND).settings
    with contextlib.suppress(InertiaError):
        seen = finish(
            judge_locked_steps(
                read_character(armature), settings, action, report.slot, np.array(report.ground)
            )
        )
        return seen[0] if seen else None
    return None


def judge_locked_steps(
    character: Character, settings: LockSettings, action: Any, slot: str, ground: Array | None = None
) -> Verdicts:
    """Read an action whose feet were locked, as it is now; return the steps that judge all of it.

    settings: those it was made by, whose action is looked at, too. slot: of the action that was made. ground:
    how fast that passes below the feet (2,), metres a second; None to find it by the source. The steps return
    the worst verdict. Raise InertiaError where an action can't be read, or Blender would not play it.
    """
    source = actions.find(settings.action)
    clip = finish(
        clip_store.read_stored_steps(character.armature, source, settings.slot, actions.read_lazily_steps)
    )
    result = clip_store.read(character.armature, action, slot)
    if ground is None:
        ground = finish(contacts.read_contacts_steps(character, clip)).ground
    # what goes round has no ends; on an object no repetition is like another one
    if settings.ground != "OBJECT":
        clip, result = (contacts.as_cycle(character, each) for each in (clip, result))
    stretches = rewritten.cut_into_stretches(result, character.fps)
    lock = LockedOn(ground, is_other=settings.ground != OWN_GROUND)
    return rewritten.judge_stretches_steps(character, clip, result, stretches, lock)
