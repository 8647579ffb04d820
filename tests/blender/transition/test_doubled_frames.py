# SPDX-License-Identifier: GPL-3.0-or-later
"""A cut beside a frame that is there twice keeps the speed of the clips, as Blender plays the result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np
import pytest

from inertia_addon.blender.data import clip_store
from inertia_addon.blender.transition import doubled_frames
from tests.blender import builders

STEP = 0.1
"""How far a moving frame goes."""
FRAMES = np.arange(1.0, 61.0)


@pytest.fixture
def armature(fresh_file: None) -> Any:
    return builders.rig({"Hips": None, "Head": "Hips"})


def clip(name: str, places: Sequence[float], turns: Sequence[float]) -> Any:
    """Hips that go along x, and a head that turns."""
    made = builders.action(name)
    for bone, prop, values in (("Hips", "location", places), ("Head", "rotation_euler", turns)):
        points = [*zip(FRAMES.tolist(), np.asarray(values, float).tolist(), strict=True)]
        builders.curve(made, builders.bone_path(bone, prop), 0, points, "LINEAR")
    bpy.data.objects["Rig"].pose.bones["Head"].rotation_mode = "XYZ"
    return made


def doubled(name: str, every: int = 5) -> Any:
    """A take that goes evenly, with each fifth frame there twice: 6 is 5 again, and so on."""
    taken = np.arange(len(FRAMES)) - np.arange(len(FRAMES)) // every
    return clip(name, STEP * taken, 0.02 * taken)


def even(name: str) -> Any:
    return clip(name, STEP * FRAMES, 0.02 * FRAMES)


@pytest.mark.parametrize("difference", ["CENTRAL", "BACKWARD"])
@pytest.mark.parametrize("cut", [25.0, 26.0, 27.0, 28.0])
@pytest.mark.parametrize("method", ["QUINTIC", "CUBIC"])
def test_clips_of_one_speed_keep_it(armature: Any, method: str, cut: float, difference: str) -> None:
    """Whichever of both is doubled: a source as it is left, a destination as it is entered."""
    for source, destination, start in (
        (doubled("Walk"), even("Run"), 20.0),
        (even("Jog"), doubled("Dash"), cut),
    ):
        how = {"difference": difference, "blend_frames": 10.0, "method": method}
        _, result = builders.transition(armature, source, destination, cut, start, **how)
        window = cut + np.arange(11.0)
        shown = builders.evaluated(result, builders.bone_path("Hips", "location"), 0, window)
        goes = builders.evaluated(
            destination, builders.bone_path("Hips", "location"), 0, start + np.arange(11.0)
        )
        # of equal speeds no rate is left: the offset only fades, towards the destination
        offset = shown - goes
        assert np.abs(np.diff(offset)).max() <= 2.5 * abs(offset[0]) / 10.0 + 1e-5
        assert (np.diff(np.abs(offset)) <= 1e-5).all()


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        (np.where(FRAMES > 25.0, FRAMES - 1.0, FRAMES), True),
        (np.abs(FRAMES - 25.5), False),
        (np.minimum(FRAMES, 25.0), False),
        (np.where(FRAMES > 25.0, FRAMES - 0.9, FRAMES), False),
        (np.zeros(60), False),
    ],
    ids=["doubled", "it turns around", "it comes to rest", "it goes on slowly", "it stands"],
)
def test_a_frame_that_is_there_twice_is_doubled(armature: Any, values: Any, *, wanted: bool) -> None:
    read = clip_store.read(armature, clip("Walk", values, values))
    assert doubled_frames.is_doubled(read, 25.0) is wanted
    assert not doubled_frames.is_doubled(read, 24.0)
    assert not doubled_frames.is_doubled(read, 1.0)
    assert not doubled_frames.is_doubled(read, 60.0)


def test_a_doubled_frame_is_none_where_anything_moves(armature: Any) -> None:
    still = np.where(FRAMES > 25.0, FRAMES - 1.0, FRAMES)
    assert not doubled_frames.is_doubled(clip_store.read(armature, clip("Walk", still, FRAMES)), 25.0)
