# SPDX-License-Identifier: GPL-3.0-or-later
"""Dead blending: the source goes on from the cut as it was going, ever more slowly, and fades out."""

from __future__ import annotations

import dataclasses
from typing import Any

import bpy
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from inertia_addon.blender.cost import costing, meetings
from inertia_addon.blender.evaluation import joint_motion
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.hops import search as hops
from inertia_addon.blender.transition import bake
from inertia_addon.errors import InertiaError
from inertia_addon.motion.steps import finish
from inertia_addon.settings.hops import HopSettings
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import builders

CUT, START, BLEND, FPS = 15.0, 12.0, 12.0, 30.0
SLIDE, TURN = builders.bone_path("A", "location"), builders.bone_path("B", "rotation_quaternion")
FRAMES = range(1, 62)

pytestmark = pytest.mark.usefixtures("fresh_file")


@pytest.fixture
def armature(fresh_file: None) -> Any:
    bpy.context.scene.render.fps = int(FPS)
    return builders.rig({"A": None, "B": "A", "C": "B"})


def slid(name: str, places: list[tuple[float, float, float]]) -> Any:
    made = builders.action(name)
    builders.curves(made, SLIDE, list(zip(FRAMES, places, strict=True)), interpolation="LINEAR")
    return made


def clips_of_slides() -> tuple[Any, Any]:
    """A source that slides fast, and a destination that swings to and fro."""
    source = slid("Source", [(0.05 * f, 0.3, -0.02 * f) for f in FRAMES])
    destination = slid("Destination", [(0.4 * np.sin(0.2 * f), 0.1, 0.01 * f) for f in FRAMES])
    return source, destination


def baked(armature: Any, source: Any, destination: Any, **how: Any) -> tuple[Any, Any]:
    how = {"method": "DEAD_BLENDING", "blend_frames": BLEND, "alignment": "NONE", **how}
    return builders.transition(armature, source, destination, CUT, START, **how)


def values(made: Any, path: str, count: int, frames: np.ndarray) -> np.ndarray:
    return np.stack([builders.evaluated(made, path, i, frames) for i in range(count)], axis=1)


def eased(since: np.ndarray) -> np.ndarray:
    s = since / (BLEND / FPS)
    return (1.0 - (3.0 * s**2 - 2.0 * s**3))[:, None]


@pytest.mark.parametrize("half_life", [0.1, 0.25, 2.0])
def test_a_location_goes_on_with_a_velocity_that_halves(armature: Any, half_life: float) -> None:
    source, destination = clips_of_slides()
    report, result = baked(armature, source, destination, extrapolation_half_life=half_life)
    assert report.window == (CUT, CUT + BLEND)
    frames = np.arange(CUT, CUT + BLEND + 1.0)
    since = (frames - CUT) / FPS
    now, rate = values(source, SLIDE, 3, frames[:1])[0], FPS * np.array([0.05, 0.0, -0.02])
    # the sum of a velocity that has been halved again and again, in small steps
    small = np.linspace(0.0, since[-1], 100_001)
    speed = 0.5 ** (small / half_life)
    steps = np.concatenate([[0.0], np.cumsum(0.5 * (speed[1:] + speed[:-1]))])
    gone = np.interp(since, small, steps * small[1])
    goal = values(destination, SLIDE, 3, frames - CUT + START)
    expected = goal + eased(since) * (now + gone[:, None] * rate - goal)
    np.testing.assert_allclose(values(result, SLIDE, 3, frames), expected, atol=1e-5)
    builders.assert_outside(armature, source, destination, report, result)


def turned(name: str, rate: np.ndarray, first: np.ndarray) -> Any:
    """Bone B turns about a fixed axis, at so many radians a second."""
    made = builders.action(name)
    turns = Rotation.from_rotvec(np.outer([f / FPS for f in FRAMES], rate))
    q = (turns * Rotation.from_rotvec(first)).as_quat()
    rows = [(f, (w, x, y, z)) for f, (x, y, z, w) in zip(FRAMES, q, strict=True)]
    builders.curves(made, TURN, rows)
    return made


@pytest.mark.parametrize(("speed", "kept"), [(4.0, 4.0), (30.0, 4.0 * np.pi)])
def test_a_rotation_goes_on_and_none_faster_than_two_turns_a_second(
    armature: Any, speed: float, kept: float
) -> None:
    axis = np.array([0.6, 0.0, 0.8])
    source = turned("Source", speed * axis, np.array([0.1, 0.4, 0.0]))
    destination = turned("Destination", np.array([0.0, 0.5, 0.0]), np.array([0.2, 0.0, 0.1]))
    _, result = baked(armature, source, destination)
    frames = np.arange(CUT, CUT + BLEND + 1.0)
    since = (frames - CUT) / FPS

    def rotations(made: Any, at: np.ndarray) -> Rotation:
        return Rotation.from_quat(np.roll(values(made, TURN, 4, at), -1, axis=1))

    y = np.log(2.0) / 0.25
    gone = (1.0 - np.exp(-y * since)) / y
    reached = Rotation.from_rotvec(gone[:, None] * kept * axis) * rotations(source, frames[:1])
    goal = rotations(destination, frames - CUT + START)
    away = (reached * goal.inv()).as_rotvec()
    expected = Rotation.from_rotvec(eased(since) * away) * goal
    # as far as it has not come a half turn away, from where on scipy gives the other way round
    near = np.logical_and.accumulate(np.linalg.norm(away, axis=1) < 2.8)
    error = (rotations(result, frames) * expected.inv()).magnitude()
    assert near[0]
    assert error[near].max() < 2e-3


def test_a_rotation_does_not_change_sides_on_its_way(armature: Any) -> None:
    """Beyond a half turn from the destination the other way round is nearer: no frame jumps over to it."""
    source = turned("Source", np.array([0.0, 0.0, 1.6]), np.array([0.0, 0.0, 2.6 - 1.6 * CUT / FPS]))
    destination = turned("Destination", np.zeros(3), np.zeros(3))
    _, result = baked(armature, source, destination, blend_frames=24.0, extrapolation_half_life=1.0)
    found = values(result, TURN, 4, np.arange(CUT, CUT + 25.0))
    steps = 2.0 * np.arccos(np.clip(np.abs(np.sum(found[1:] * found[:-1], axis=1)), 0.0, 1.0))
    # the way back is some 3.5 radians in 24 frames, its fastest step 1.5 times the mean
    assert steps.max() < 0.25


def test_a_channel_that_differs_nowhere_keeps_its_own_keys(armature: Any) -> None:
    source, destination = clips_of_slides()
    for made in (source, destination):
        builders.curves(made, builders.bone_path("C", "scale"), [(1, (1.0, 2.0, 1.0)), (61, (1.0, 2.0, 1.0))])
    report, result = baked(armature, source, destination)
    assert report.offsets == 1
    kept = builders.by_address(result)[builders.bone_path("C", "scale"), 1]
    assert len(kept.keyframe_points) < 6


def test_the_characters_own_travel_is_neither_braked_nor_clamped(armature: Any) -> None:
    """Two runs at the same speed: the character goes on at it, where the source would slow down."""
    speed = 0.4  # 12 m/s
    source = slid("Source", [(speed * f, 0.0, 0.0) for f in FRAMES])
    destination = slid("Destination", [(speed * f + 7.0, 0.0, 0.0) for f in FRAMES])
    _, result = baked(armature, source, destination, alignment="POSITION", root="A")
    steps = np.diff(builders.evaluated(result, SLIDE, 0, np.arange(CUT - 3, CUT + BLEND + 3)))
    np.testing.assert_allclose(steps, speed, atol=1e-4)


def compared(armature: Any, **how: Any) -> costing.Compared:
    how = {"method": "DEAD_BLENDING", "blend_frames": BLEND, "alignment": "NONE", **how}
    settings = TransitionSettings("Source", "Destination", CUT, START, **how)
    pair = costing.read_pair(armature, settings)
    motions = finish(costing.motions(armature, pair))
    return costing.compare(settings, pair.alignment, {"A": 1.0}, motions, FPS)


@pytest.mark.variants(2)
@pytest.mark.parametrize("blend", [5.0, 12.0, 12.5, 30.0])
def test_the_cost_is_what_the_bake_displaces(armature: Any, blend: float) -> None:
    source, destination = clips_of_slides()
    found = compared(armature, blend_frames=blend)
    cost = found.at(CUT, START)
    _, result = baked(armature, source, destination, blend_frames=blend)
    frames = np.linspace(CUT, CUT + blend, 301)
    there = builders.played(armature, result, frames)[:, 0, :3, 3]
    goal = builders.played(armature, destination, frames - CUT + START)[:, 0, :3, 3]
    offset = np.abs(there - goal).sum(axis=1)
    measured = float(np.sum(0.5 * (offset[1:] + offset[:-1]))) * blend / 300.0 / FPS
    assert cost == pytest.approx(measured, rel=0.03)


def test_maps_curves_and_features_agree_with_the_cost(armature: Any) -> None:
    clips_of_slides()
    found = compared(armature)
    exact, steps = meetings.start_map(found, "EXACT")
    finish(steps)
    assert exact.costs[14, 11] == pytest.approx(found.at(CUT, START), rel=1e-4)
    np.testing.assert_allclose(found.over_destination(CUT), exact.costs[14], rtol=1e-3, atol=1e-5)
    np.testing.assert_allclose(found.over_cut(START), exact.costs[:, 11], rtol=1e-3, atol=1e-5)
    lower, steps = meetings.start_map(found, "FEATURE")
    finish(steps)
    assert np.all(lower.costs <= exact.costs * (1.0 + 1e-4) + 1e-5)
    between = found.at(CUT + 0.5, START + 0.5)
    assert min(exact.costs[14:16, 11:13].ravel()) <= between * 1.05
    assert between <= 1.05 * max(exact.costs[14:16, 11:13].ravel())


def test_hops_are_not_compared_by_a_displacement_that_is_none(armature: Any) -> None:
    clips_of_slides()
    settings = HopSettings(
        TransitionSettings("Source", "Destination", CUT, method="DEAD_BLENDING"), distance="DISPLACEMENT"
    )
    stock = hops.read(read_character(armature), settings)
    motions = finish(joint_motion.of_all(read_character(armature), stock.clips, stock.root))
    with pytest.raises(InertiaError, match="compare them by point clouds"):
        hops.compare(settings, stock, motions, {"A": 1.0}, FPS)
    clouds = dataclasses.replace(settings, distance="POINT_CLOUD")
    assert hops.compare(clouds, stock, motions, {"A": 1.0}, FPS)


def test_a_recipe_gives_the_half_life_back(armature: Any) -> None:
    source, destination = clips_of_slides()
    report, _ = baked(armature, source, destination, extrapolation_half_life=0.6)
    assert TransitionSettings.from_dict(report.settings).extrapolation_half_life == 0.6
    assert (
        bake.bake_transition(armature, TransitionSettings.from_dict(report.settings)).window == report.window
    )
