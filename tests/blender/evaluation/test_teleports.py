# SPDX-License-Identifier: GPL-3.0-or-later
"""Real clips have no teleport, however hard they kick, and one wherever a bind pose is put into them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from inertia_addon.blender.data import actions, clip_store, rigs, scene
from inertia_addon.blender.evaluation import joint_motion
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.pops import search as pops
from inertia_addon.blender.transition import jumps
from inertia_addon.motion.pops import teleports
from inertia_addon.motion.steps import finish
from inertia_addon.settings.pops import PopSettings
from tests.blender import clips, jumping, stepper

TRAVELLER = "cmu02"
"""A captured man, whose bind pose is unlike what he does, and lies at the origin."""


@pytest.mark.data
@pytest.mark.variants(1)
@pytest.mark.brief(name=("pab",))
@pytest.mark.parametrize("name", ["Knight", "pab", "cmu02"])
def test_real_clips_jump_where_a_bind_pose_is_put(fresh_file: None, data_dir: Path, name: str) -> None:
    armature, names = clips.load(name, data_dir)
    rig, metres = rigs.read(armature), scene.metres_per_unit()
    size = rig.size * metres
    for action in names:
        clip = clip_store.read(armature, actions.find(action))
        assert joint_motion.with_teleports(read_character(armature), clip).teleports == (), action
        if name != TRAVELLER or clip.end - clip.start < 10.0:
            continue
        frames = joint_motion.grid(clip)[:LONGEST]
        shown = joint_motion.joint_positions(rig, clip.curves, frames, clip.unkeyed) * metres
        bind = joint_motion.joint_positions(rig, {}, frames[:1], None) * metres
        if np.ptp(shown[-AT_REST:], axis=0).max() < 1e-3 * size or _is_posed(shown, bind, size):
            continue
        middle = len(shown) // 2
        for at, wanted in ((0, [0]), (len(shown), [len(shown) - 1]), (middle, [middle - 1, middle])):
            put = np.concatenate([shown[:at], bind, shown[at:]])
            assert [step for step, _ in teleports.find(put, size)] == wanted, (action, at)


LONGEST, AT_REST = 300, 5


def _is_posed(shown: Any, bind: Any, size: float) -> bool:
    """Whether a clip has a pose like the bind pose itself, such as that of a calibration."""
    centred = [each - each.mean(axis=1, keepdims=True) for each in (shown, bind)]
    away = np.sqrt(np.mean(np.sum((centred[0] - centred[1]) ** 2, axis=-1), axis=-1))
    return float(away.min()) < 2.0 * teleports.LEAST * size


@pytest.mark.parametrize("frame", [0.0, 0.5])
@pytest.mark.parametrize("metres", [1.0, 0.01])
def test_a_teleport_lies_between_the_keys_that_jump(fresh_file: None, frame: float, metres: float) -> None:
    bpy.context.scene.unit_settings.scale_length = metres
    armature = stepper.biped()
    made = jumping.walk(armature, "Walk")
    jumping.add_bind_pose(made, frame)
    clip = joint_motion.with_teleports(read_character(armature), clip_store.read(armature, made))
    assert clip.jumps() == ((frame, 1.0),)
    assert clip.teleports
    assert clip.teleports[0].way == pytest.approx(3.0 * metres, rel=0.2 if frame else 0.1)


def test_the_seam_of_two_takes_is_the_pop_and_the_jump_that_can_be_smoothed(fresh_file: None) -> None:
    armature = stepper.biped()
    made = jumping.walk(armature, "Walk", frames=61)
    jumping.join(made, 30.0)
    clip = joint_motion.with_teleports(read_character(armature), clip_store.read(armature, made))
    assert clip.jumps() == ((30.0, 31.0),)
    found = finish(pops.search_pops_steps(read_character(armature), clip, PopSettings("Walk")))
    assert (30.0, 31.0) in {(pop.first, pop.last) for pop in found.pops}
    assert jumps.find(armature, clip, 30.0, 1.0, 1.0).frame == 30.0
