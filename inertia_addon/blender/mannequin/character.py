# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole mannequin: armature, body and its four clips."""

from __future__ import annotations

from typing import Any

from ...records import record
from . import gaits, standing
from .body import build_body
from .rig import add_action, assign_action, build_armature

FPS = 30
CLIPS = {
    "Idle": (standing.idle, True),
    "Walk": (gaits.walk, True),
    "Run": (gaits.run, True),
    "Turn": (standing.turn, False),
}
"""What makes each clip, and whether its last pose leads into its first."""


@record(frozen=True)
class Mannequin:
    """The armature object, and its actions by the names of their clips, which Blender may have numbered."""

    rig: Any
    actions: dict[str, Any]


def build_mannequin(scene: Any) -> Mannequin:
    """Add the armature "Mannequin", its body and its actions to a scene; Idle is assigned.

    Actions are for 30 frames a second and start at frame 1. Nothing else in the file is changed; where it has
    a "Mannequin" already, Blender numbers the new names.
    """
    rig = build_armature(scene)
    build_body(scene, rig)
    actions = {name: add_action(rig, name, clip(), cyclic=cyclic) for name, (clip, cyclic) in CLIPS.items()}
    assign_action(rig, actions["Idle"])
    return Mannequin(rig, actions)
