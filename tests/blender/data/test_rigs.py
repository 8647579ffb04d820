# SPDX-License-Identifier: GPL-3.0-or-later
"""What is read of an armature."""

from __future__ import annotations

import numpy as np
import pytest

from inertia_addon.blender.data import rigs
from tests.blender import stepper
from tests.blender.placing import PLACES, put


@pytest.mark.parametrize("place", PLACES)
def test_a_character_is_as_large_wherever_it_looks(fresh_file: None, place: str) -> None:
    armature = stepper.biped()
    before = rigs.read(armature).size
    assert before == pytest.approx(np.linalg.norm((0.2, stepper.BALL + 0.07, 1.75 - 0.02)), rel=0.02)
    there = put(armature, place)
    assert rigs.read(armature).size == pytest.approx(before * np.cbrt(np.linalg.det(there[:3, :3])), rel=1e-5)
