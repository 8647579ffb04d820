# SPDX-License-Identifier: GPL-3.0-or-later
"""How large characters are that were just read: files of many kinds do not say what their units are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from ...storage.file_kinds import SCALED

GIANT = 10.0
"""No person is as large as this, in metres: a capture in centimetres is more than ten times as large."""

PERSON = (1.2, 1.7, 2.4)
"""How large a skeleton of a person is, in metres, from its joints: at least, as a rule, and at most."""

UNITS = (0.01, 0.0254, 0.1, 0.001)
"""What captures are measured in, in metres: they are tried in this order."""


def warnings(paths: Sequence[Path], scale: float) -> tuple[str, ...]:
    """A sentence for giants in what was just read, with the scale that would make them persons.

    scale: what their lengths were multiplied with. Kinds that cannot be scaled have metres for a unit.
    """
    if not paths or paths[0].suffix.lower() not in SCALED:
        return ()
    size = max((_extent(obj) for obj in bpy.data.objects if obj.type == "ARMATURE"), default=0.0)
    if not size > GIANT:
        return ()
    least, usual, most = PERSON
    fitting = (unit for unit in UNITS if least <= size * unit <= most)
    # two digits, as it is a guess
    factor = float(f"{scale * next(fitting, float(f'{usual / size:.1e}')):.3g}")
    return (
        f'"{paths[0].name}" holds a giant of {size:.3g} m at a scale of {scale:g}; '
        f"a scale of {factor:g} makes that {size * factor / scale:.2g} m.",
    )


def _extent(armature: Any) -> float:
    """The largest side of the box that a skeleton's joints fill at rest, in world units."""
    heads = [armature.matrix_world @ bone.head_local for bone in armature.data.bones]
    return float(np.ptp(np.array(heads, float), axis=0).max()) if heads else 0.0
