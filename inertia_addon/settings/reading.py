# SPDX-License-Identifier: GPL-3.0-or-later
"""How files are read."""

from __future__ import annotations

from ..records import record
from .fields import Range, Record, setting

ARMATURE = "the armature object (default: the only one)"


UPS = (
    ("AUTO", "Found", "As the figure stands"),
    ("Y", "Y", "Y points up, as in most files"),
    ("Z", "Z", "Z points up"),
)
"""Which axis of a file points up."""


@record(frozen=True)
class Reading(Record):
    """How files are read. scale: None for 1. fps: None to have it found."""

    scale: float | None = setting(
        None,
        Range(1e-6, 1_000_000),
        "multiply the lengths in .bvh and .fbx files (default: 1)",
        metavar="FACTOR",
    )
    fps: float | None = setting(
        None,
        Range(0.1, 1000, "frames a second"),
        "frames per second of a .glb, .gltf or .usd file's keys (default: found)",
        metavar="RATE",
        label="frame rate",
    )
    up: str = setting(
        "AUTO",
        UPS,
        "which axis points up in .bvh files: y, z, or auto, as the figure stands",
        label="axis that points up",
    )
