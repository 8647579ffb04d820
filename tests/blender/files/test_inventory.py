# SPDX-License-Identifier: GPL-3.0-or-later
"""What the list of a file's actions says of each."""

from __future__ import annotations

import math

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.files import inventory
from tests.blender import builders


def test_the_way_of_an_action_is_over_the_ground_however_high_it_hops(fresh_file: None) -> None:
    builders.rig({"root": None, "hips": "root", "head": "hips"})
    made = builders.action("Hops")
    frames = range(1, 22)
    # to the right, and back by half of that, while it hops; a bone that stands has its Y upwards
    ways = [min(0.2 * (f - 1), 4.0 - 0.2 * (f - 1)) for f in frames[:16]] + [1.0] * 5
    hops = [abs(math.sin(0.9 * f)) for f in frames]
    rows = [(float(f), (x, y, 0.0)) for f, x, y in zip(frames, ways, hops, strict=True)]
    builders.curves(made, builders.bone_path("root", "location"), rows, interpolation="LINEAR")
    ((entry,),) = [held["actions"] for held in inventory.of_file()["armatures"]]
    assert entry["displacement"] == pytest.approx(1.0, abs=1e-3)
    assert entry["distance"] == pytest.approx(3.0, abs=1e-2)
