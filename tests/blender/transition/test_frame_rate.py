# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether keys between frames mean that the scene has another frame rate than its clips."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender import files
from inertia_addon.blender.data import recipe, rig
from inertia_addon.blender.transition import preflight
from inertia_addon.blender.transition.bake import bake_transition
from inertia_addon.settings.transition import TransitionSettings

BVH = """HIERARCHY
ROOT Hips
{
OFFSET 0 0 0
CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
End Site
{
OFFSET 0 1 0
}
}
MOTION
Frames: 40
"""


def noted(source: str, destination: str) -> bool:
    """Whether a transition between two actions is said to have keys between frames."""
    (armature,) = rig.armatures()
    report = bake_transition(armature, TransitionSettings(source, destination, 5.0, blend_frames=4.0))
    return any("keys between frames" in note for note in report.warnings)


def test_keys_that_were_brought_to_the_scene_s_rate_are_no_slip(tmp_path: Path, fresh_file: None) -> None:
    paths = [tmp_path / f"{name}.bvh" for name in ("slow", "quick")]
    for path, rate in zip(paths, (25, 30), strict=True):
        rows = (f"0 1 {0.01 * i * i} {i % 7} {0.5 * i} 0" for i in range(40))
        path.write_text(BVH + f"Frame Time: {1 / rate:.6f}\n" + "\n".join(rows) + "\n")
    files.load(paths)
    assert preflight.has_other_rate(np.arange(1.0, 30.0, 25 / 30))
    assert not noted("slow", "quick")
    (result,) = (action.name for action in bpy.data.actions if recipe.kind(action))
    assert not noted(result, "slow")
    # a scene of another rate is one that the clips were not brought to
    bpy.context.scene.render.fps = 24
    assert noted("slow", "quick")


RATES = st.sampled_from((23.976, 24.0, 25.0, 29.97, 30.0, 48.0, 50.0, 60.0, 100.0, 120.0))


@given(RATES, RATES, st.integers(-20, 20), st.integers(12, 200), st.integers(0, 2**32 - 1))
def test_keys_of_another_rate_are_known_also_where_some_are_missing(
    made: float, fps: float, start: int, count: int, seed: int
) -> None:
    step = fps / made
    assume(abs(step - round(step)) > 0.02 * step)
    kept = np.random.default_rng(seed).random(count) < 0.9
    frames = np.float32(start + step * np.arange(count))[kept]
    assert preflight.has_other_rate(np.tile(frames, 3))


@given(
    st.integers(1, 4), st.floats(0.0, 1.0), st.integers(8, 200), st.lists(st.floats(1.0, 60.0), max_size=4)
)
def test_keys_on_every_so_many_frames_are_of_the_scene_wherever_they_begin_and_some_others_lie(
    step: int, start: float, count: int, others: list[float]
) -> None:
    frames = start + step * np.arange(count)
    # of four keys, each parts one step in two
    assume(len(others) * 4 < count)
    assert not preflight.has_other_rate(np.concatenate([np.float32(frames), others]))


@given(st.integers(0, 2**32 - 1), st.integers(20, 300))
def test_keys_where_curves_bend_have_no_rate(seed: int, count: int) -> None:
    # as importers leave them: on whole frames, and between any
    chance = np.random.default_rng(seed)
    between = chance.uniform(1, 100, count)
    frames = np.where(chance.random(count) < 0.5, np.round(between), between)
    assert not preflight.has_other_rate(frames)
