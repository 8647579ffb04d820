# SPDX-License-Identifier: GPL-3.0-or-later
"""What each foot of an armature does in a clip, in figures."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...motion.feet import report
from ...motion.feet.report import FootFigures
from ...motion.judging import ground
from ..data import rigs, scene
from .contacts import Contacts


def of(armature: Any, known: Contacts) -> tuple[FootFigures, ...]:
    """What each foot does in a clip; of a cycle in one repetition, to which the steps around it belong."""
    first, last = known.clip
    low = ground.LOW * rigs.read(armature).size * scene.metres_per_unit()
    if known.period is not None:
        last = max([last, *(span.end for spans in known.spans for span in spans)])
    within = (known.frames >= first - 1e-3) & (known.frames <= last + 1e-3)
    frames = known.frames[within]
    found = []
    for k, leg in enumerate(known.legs):
        reach = np.linalg.norm(known.ankles[within, k] - known.hips[within, k], axis=1).max()
        figure = report.of_foot(
            leg.name,
            known.points[within, k],
            frames,
            scene.fps(),
            known.spans[k],
            low,
            known.ground,
            float(reach / known.lengths[k]),
        )
        found.append(figure)
    return tuple(found)
