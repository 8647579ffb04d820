# SPDX-License-Identifier: GPL-3.0-or-later
"""The root carries shifts of any direction and turns about the vertical, however its armature stands."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from inertia_addon.blender.data import clip_store, rewriting, rigs, roots
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.transition.alignment import RootedRig
from inertia_addon.blender.travel import carrying
from inertia_addon.motion.curves.representation import whole_frames
from inertia_addon.motion.skeleton import character_space
from tests.blender import builders, wanderer


@pytest.mark.variants(3)
@pytest.mark.parametrize("scale", [0.01, 1.0])
@pytest.mark.parametrize("turned", [(0.0, 0.0, 0.0), (0.0, 0.0, 2.0), (1.2, 0.3, -0.7)])
@pytest.mark.parametrize("ends", [(10.0, 40.0), (10.5, 40.5)], ids=["whole frames", "half frames"])
def test_a_carried_clip_is_moved_as_it_shall_be(
    scale: float, turned: tuple[float, float, float], ends: tuple[float, float]
) -> None:
    armature = wanderer.with_clips()
    armature.scale = (scale,) * 3
    armature.rotation_euler = turned
    armature.location = (3.0, -2.0, 0.5)
    bpy.context.view_layer.update()
    walk = bpy.data.actions["Walk"]
    clip = clip_store.read(armature, walk)
    rig = rigs.read(armature)
    root = roots.find_root(rig, (clip,))
    frames = whole_frames(*ends)
    s = (frames - frames[0]) / (frames[-1] - frames[0])
    # nothing at both ends, as what is around stays where it is
    bump = np.sin(np.pi * s) ** 2
    shift = scale * np.column_stack([0.2 * bump, -0.3 * bump, 0.15 * bump])
    motions = np.stack([character_space.motion_of(0.6 * b, at) for b, at in zip(bump, shift, strict=True)])
    before = builders.played(armature, walk, frames)
    rooted = RootedRig(read_character(armature), rig, root, is_played=False)
    made = carrying.carried(rooted, clip, frames, motions)
    after = builders.played(armature, rewriting.write_action([made], "Moved"), frames)
    np.testing.assert_allclose(after, motions[:, None] @ before, atol=2e-4 * scale, rtol=2e-4)
