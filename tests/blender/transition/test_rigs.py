# SPDX-License-Identifier: GPL-3.0-or-later
"""Transitions on real rigs are right in every frame outside of their window: ``make rigs``, in brief."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from bench import rigs

pytestmark = pytest.mark.data

TRIED = ("Trex FORTUNE", "Wasp", "RobotExpressive", "godot_player TEMPERANCE", "cmu131_metres")
PAIRS = 2


@pytest.mark.variants(1)
@pytest.mark.parametrize("name", TRIED)
def test_rigs_are_as_their_files_have_them(name: str, data_dir: Path, some: Callable[[int], int]) -> None:
    """Nothing is off by more than a part of the character's size, by a reader that knows no Blender."""
    (rig,) = [rig for rig in rigs.rigs(data_dir, rigs.HEURISTICS) if rig.name == name]
    pairs = some(PAIRS)
    row = rigs.examine(rig, pairs, 1)
    assert row.baked == pairs
    assert row.right, row.line()
