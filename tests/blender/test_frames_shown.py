# SPDX-License-Identifier: GPL-3.0-or-later
"""How many frames Blender has to show of a rig that only it can play, which takes most of the time there."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest

from inertia_addon.blender.cost import costing
from inertia_addon.blender.hops import search as hops
from inertia_addon.blender.transition import bake
from inertia_addon.motion.steps import finish
from inertia_addon.settings.hops import HopSettings
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import builders

CLIPS = {"Walk": 24, "Turn": 30, "Jump": 18, "Run": 20}
"""Their last frames; the first is 1."""
SETTINGS = TransitionSettings("Walk", "Run", cut=10.0, destination_frame=4.0, assign=False)
STOOD = 3.0


@pytest.fixture
def armature(fresh_file: None) -> Any:
    """A rig with a constraint, and its clips; the scene stands at a frame of its own."""
    armature = builders.rig({"Root": None, "Hip": "Root", "Foot": "Hip"})
    constraint = armature.pose.bones["Foot"].constraints.new("COPY_ROTATION")
    constraint.target, constraint.subtarget = armature, "Root"
    for number, (name, last) in enumerate(CLIPS.items()):
        action = builders.action(name)
        builders.wave(action, builders.bone_path("Root", "location"), 0, 1.0 + number, 1.0, float(last))
        builders.wave(action, builders.bone_path("Hip", "rotation_euler"), 1, 0.5, 1.0, float(last))
        armature.pose.bones["Hip"].rotation_mode = "XYZ"
    bpy.context.scene.frame_set(int(STOOD))
    return armature


def frames_of(*names: str) -> list[float]:
    """All frames of clips, and that at which the scene stood once for each."""
    return sorted(np.concatenate([[STOOD, *range(1, CLIPS[name] + 1)] for name in names]).tolist())


def test_a_bake_looks_at_the_meeting_alone(armature: Any) -> None:
    with builders.frames_shown() as shown:
        bake.bake_transition(armature, SETTINGS)
    assert shown == [10.0, 4.0, STOOD]


def test_two_clips_are_stepped_through_once_to_be_compared(armature: Any) -> None:
    with builders.frames_shown() as shown:
        pair = costing.read_pair(armature, SETTINGS)
        finish(costing.motions(armature, pair))
    assert sorted(shown) == frames_of("Walk", "Run")


def test_a_search_for_hops_plays_each_clip_once(armature: Any) -> None:
    settings = HopSettings(SETTINGS, blends=(3,), longest_stay=4)
    with builders.frames_shown() as shown:
        prepared = finish(hops.prepare(armature, settings, {"Foot": 1.0}))
        found = finish(hops.table(finish(hops.weighed(prepared))))
    assert sorted(shown) == frames_of(*CLIPS)
    assert np.isfinite(found.cost).any()
