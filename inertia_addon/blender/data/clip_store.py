# SPDX-License-Identifier: GPL-3.0-or-later
"""The clips of an armature: which actions of the open file they are, and whether they say anything of it."""

from __future__ import annotations

from typing import Any

import bpy

from ...errors import InertiaError
from . import compat, rig
from .actions import Clip


def fitting(armature: Any) -> list[Any]:
    """The actions that fit an armature, by name."""
    return [action for action in bpy.data.actions if fits(action, armature)]


def fits(action: Any, armature: Any) -> bool:
    """Whether an action is the armature's: assigned to it, or with channels of its bones."""
    if compat.assigned(armature)[0] == action:
        return True
    for slot in compat.slots(action):
        if slot.id_type not in ("OBJECT", "UNSPECIFIED"):
            continue
        for fcurve in compat.curves(action, slot.identifier):
            bone, _ = rig.split_path(fcurve.data_path)
            if bone is not None and bone in armature.data.bones:
                return True
    return False


def check(armature: Any, clip: Clip) -> None:
    """Raise InertiaError unless a clip has something to say about the armature."""
    name = clip.action.name
    if not clip.curves:
        muted = " that is not muted" if clip.muted else ""
        raise InertiaError(
            'Action "{name}" has no keys{muted}; choose one that is keyed.', name=name, muted=muted
        )
    for path, _ in clip.curves:
        bone, _prop = rig.split_path(path)
        if bone is None or bone in armature.data.bones:
            return
    missing = rig.split_path(next(iter(clip.curves))[0])[0]
    raise InertiaError(
        'Action "{name}" has no channel of "{armature}": it animates "{missing}" and other bones that this '
        "armature lacks; choose an action of this armature.",
        name=name,
        armature=armature.name,
        missing=missing,
    )
