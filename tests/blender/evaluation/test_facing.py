# SPDX-License-Identifier: GPL-3.0-or-later
"""Which of a root's own axes points ahead."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from inertia_addon.blender.data.roots import Root
from inertia_addon.blender.evaluation import facing
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.motion.arrays import Array


def going(start: tuple[float, float], way: tuple[float, float], frames: int = 20) -> Array:
    """World matrices (frames, 4, 4) of a root that is not turned and goes so far on each frame."""
    matrices = np.tile(np.eye(4), (frames, 1, 1))
    matrices[:, :2, 3] = start + np.arange(frames)[:, None] * np.array(way)
    return matrices


@pytest.mark.parametrize("way", [(0.0, 0.1), (-0.1, 0.0), (0.06, -0.08)])
def test_the_axis_ahead_is_where_clips_go_from_anywhere(armature: Any, way: tuple[float, float]) -> None:
    clips = [going((0.0, 0.0), way), going((50.0, -30.0), way), going((-7.0, 80.0), way)]
    ahead = facing.forward_of(read_character(armature), Root("A", moves=True), clips)
    assert ahead == pytest.approx([10.0 * way[0], 10.0 * way[1], 0.0], abs=1e-6)
