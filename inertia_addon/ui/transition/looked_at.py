# SPDX-License-Identifier: GPL-3.0-or-later
"""What was looked at of the two clips of an armature's settings: kept while these, and the rig, stay."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from ...blender.judging.played import Footage
from ...settings.transition import TransitionSettings
from ..shared import cache

OF_CLIPS = (
    *(side + name for side in ("source", "destination") for name in ("", "_library", "_slot")),
    *("source_cycle", "destination_cycle", "source_scale", "destination_scale", "root", "extrapolate"),
)
"""The settings that say which the two clips are."""

_kept: dict[int, tuple[Hashable, Footage]] = {}
"""By session_uid of the armature: what the footage depends on, and it."""


def footage(armature: Any, settings: TransitionSettings) -> Footage:
    """What was looked at so far of the two clips of an armature's settings."""
    pair = (tuple(getattr(settings, name) for name in OF_CLIPS), standing(armature))
    kept = _kept.get(armature.session_uid)
    if kept is None or kept[0] != pair:
        kept = _kept[armature.session_uid] = (pair, Footage())
    return kept[1]


def standing(armature: Any) -> Hashable:
    """What a transition's looks depend on besides its settings."""
    lists = tuple(str(armature.get(group, "")) for group in ("inertia_feet", "inertia_limbs"))
    return (lists, cache.scene_state(), cache.rig_key(armature), cache.action_states(armature))


def forget() -> None:
    """Look at everything anew."""
    _kept.clear()
