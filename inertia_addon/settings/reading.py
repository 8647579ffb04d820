# SPDX-License-Identifier: GPL-3.0-or-later
"""How files are read."""

from __future__ import annotations

import dataclasses

from . import ranges
from .ranges import Range

SCALE = Range(1e-6, 1_000_000)
RATE = Range(0.1, 1000, "frames a second")


@dataclasses.dataclass(frozen=True)
class Reading:
    """How files are read; raises InertiaError for numbers that can't be.

    scale: multiplies the lengths in .bvh and .fbx files, None for as they are. fps: frames a second of a
    .glb or .gltf file's keys, None to have it found.
    """

    scale: float | None = ranges.number(SCALE, None)
    fps: float | None = ranges.number(RATE, None, "frame rate")

    def __post_init__(self) -> None:
        ranges.check(self)
