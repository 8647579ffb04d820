# SPDX-License-Identifier: GPL-3.0-or-later
"""Where two selected strips meet, and how often each plays its whole action."""

from __future__ import annotations

from typing import Any

import bpy
import pytest

from inertia_addon.blender.nla import strips
from tests.blender import builders


@pytest.mark.parametrize(("repeat", "end"), [(1.0, 41.0), (2.0, 41.0), (2.0, 21.0)])
def test_a_strip_is_a_cycle_where_it_repeats_all_of_its_action(
    armature: Any, repeat: float, end: float
) -> None:
    armature.animation_data_create()
    tracks = [armature.animation_data.nla_tracks.new() for _ in range(2)]
    for name in ("Walk", "Run"):
        builders.wave(builders.action(name), builders.bone_path("A", "location"), 0, 1.0)
    walk = tracks[0].strips.new("Walk", 1, bpy.data.actions["Walk"])
    walk.action_frame_end = end
    walk.repeat = repeat
    run = tracks[1].strips.new("Run", int(walk.frame_end), bpy.data.actions["Run"])
    for strip in (walk, run):
        builders.set_strip_slot(strip, "OBRig")
        strip.select = True
    met = strips.either(armature)
    assert met.repeats == (repeat if end == 41.0 else 1.0, 1.0)
    assert met.gap == pytest.approx(0.0)
    assert met.entry == pytest.approx(1.0)
