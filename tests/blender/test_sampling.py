# SPDX-License-Identifier: GPL-3.0-or-later
"""Forward kinematics by numpy agrees with Blender's own evaluation on plain rigs."""

from __future__ import annotations

from pathlib import Path

import bpy
import clips
import numpy as np
import pytest

from inertia_addon.blender import actions, sampling


@pytest.mark.parametrize("name", ["Fox", "RobotExpressive", "Knight", "pab", "cmu131"])
def test_joint_positions_are_blenders(name: str, data_dir: Path) -> None:
    armature, names = clips.load(name, data_dir)
    bones = sampling.skeleton_of(armature)
    chance = np.random.default_rng(5)
    for action in (bpy.data.actions[n] for n in names[:3]):
        clip = actions.read(action, actions.choose_slot(action, armature))
        frames = chance.uniform(clip.start, clip.end, 4)
        clips.play(armature, action)
        expected = clips.poses(armature, frames)[..., :3, 3]
        found = sampling.joint_positions(armature, bones, clip, frames)
        size = np.ptp(expected, axis=(0, 1)).max()
        assert np.abs(found - expected).max() < 1e-5 * max(size, 1.0)
