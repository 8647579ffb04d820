# SPDX-License-Identifier: GPL-3.0-or-later
"""What transitions cost: the same however a clip stands in the world, and borne out by what is baked."""

from __future__ import annotations

import dataclasses
import random
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize
from scipy.spatial.transform import Rotation

from inertia_addon.blender.cost import costing, meetings
from inertia_addon.blender.cost.costing import Compared
from inertia_addon.blender.cost.sides import ComparedSide
from inertia_addon.blender.data import compat, scene
from inertia_addon.blender.transition import bake
from inertia_addon.errors import InertiaError
from inertia_addon.motion.cycles.cycle import Cycle
from inertia_addon.motion.decay import decay
from inertia_addon.motion.steps import finish
from inertia_addon.settings.cost import Search
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import builders, clips

FIVE_FRAMES = ComparedSide(np.arange(1.0, 6.0), np.zeros((5, 0, 3)), np.zeros((5, 0, 3)))

# in brief those that are imported and baked in less time
pytestmark = pytest.mark.brief(rig=("Fox", "RobotExpressive"), name=("Knight",))


def compared(armature: Any, settings: TransitionSettings, bones: list[str] | None = None) -> Compared:
    pair = costing.read_pair(armature, settings)
    weights = dict.fromkeys(bones or armature.data.bones.keys(), 1.0)
    motions = finish(costing.motions(armature, pair))
    return costing.compare(settings, pair.alignment, weights, motions, scene.fps())


@pytest.fixture(scope="module", params=["Fox", "RobotExpressive", "Knight", "pab"])
def rig(request: pytest.FixtureRequest, data_dir: Path) -> tuple[Any, list[str]]:
    armature, names = clips.load(request.param, data_dir)
    long = [name for name in names if np.ptp(bpy.data.actions[name].frame_range) > 16]
    return armature, long


ONCE = {"source_cycle": "OFF", "destination_cycle": "OFF"}


def settings_of(names: list[str], seed: int, **values: Any) -> TransitionSettings:
    source, destination = random.Random(seed).sample(names, 2)
    # cycles have tests of their own
    return TransitionSettings(source, destination, 0.0, **{**ONCE, **values})


@pytest.mark.data
@pytest.mark.variants(1)
@pytest.mark.parametrize("method", builders.OF_OFFSETS)
def test_curves_and_maps_are_the_displacement_of_the_offsets(rig: tuple[Any, list[str]], method: str) -> None:
    armature, names = rig
    found = compared(armature, settings_of(names, 1, method=method))
    source, destination = found.source, found.destination
    i, j = len(source.frames) // 3, len(destination.frames) // 2
    x, v = found.offsets(source.frames[i], destination.frames[j])
    parts = decay.displacement(found.method, x, v, found.seconds).sum(axis=1)
    by_bone = found.by_bone(source.frames[i], destination.frames[j])
    assert list(by_bone) == list(found.names)
    np.testing.assert_allclose(list(by_bone.values()), parts, rtol=1e-4, atol=1e-6)
    costs, steps = meetings.start_map(found, "EXACT")
    finish(steps)
    np.testing.assert_allclose(costs.costs[i, j], parts.sum(), rtol=1e-4)
    np.testing.assert_allclose(found.over_destination(source.frames[i]), costs.costs[i], rtol=1e-4)
    np.testing.assert_allclose(found.over_cut(destination.frames[j]), costs.costs[:, j], rtol=1e-4)
    lower, steps = meetings.start_map(found, "FEATURE")
    finish(steps)
    if method != "QUINTIC":  # whose pull, which depends on both clips, features leave out
        assert np.all(lower.costs <= costs.costs * (1.0 + 1e-4) + 1e-6)
    assert np.corrcoef(lower.costs.ravel(), costs.costs.ravel())[0, 1] > 0.9


@pytest.mark.data
@pytest.mark.variants(1)
def test_a_map_of_distances_is_that_of_poses_laid_over_each_other(rig: tuple[Any, list[str]]) -> None:
    """The least mean square that any turn about the vertical and any move leaves (Kovar)."""
    armature, names = rig
    found = compared(armature, settings_of(names, 1))
    made, steps = meetings.start_map(found, "POINT_CLOUD")
    finish(steps)
    assert made.unit == "m²"
    blend = round(found.blend_frames)
    ends = [len(motion.frames) - blend for motion in found.motions]
    assert np.isfinite(made.costs[: ends[0], : ends[1]]).all()
    assert np.isnan(made.costs[ends[0] + 1 :]).all()
    i, j = ends[0] // 3, ends[1] // 2
    counting = [found.motions[0].names.index(name) for name in found.names]
    weights = np.tile(found.weights / found.weights.sum() / blend, blend)
    a, b = (
        motion.positions[at : at + blend, counting].reshape(-1, 3)
        for motion, at in zip(found.motions, (i, j), strict=True)
    )

    def left(turn: float) -> float:
        away = a - b @ Rotation.from_euler("z", turn).as_matrix().T
        away[:, :2] -= weights @ away[:, :2]
        return float(weights @ np.sum(away**2, axis=1))

    near = min(np.linspace(-np.pi, np.pi, 73), key=left)
    best = optimize.minimize_scalar(left, bracket=(near - 0.1, near + 0.1)).fun
    assert made.costs[i, j] == pytest.approx(best, rel=1e-3, abs=1e-6)


@pytest.mark.data
@pytest.mark.variants(1)
def test_a_clip_costs_nothing_where_it_meets_itself(rig: tuple[Any, list[str]]) -> None:
    armature, names = rig
    found = compared(armature, TransitionSettings(names[0], names[0], 0.0))
    costs, steps = meetings.start_map(found, "EXACT")
    finish(steps)
    assert np.abs(np.diagonal(costs.costs)).max() < 1e-4 * costs.costs.max()


@pytest.mark.data
@pytest.mark.variants(1)
def test_costs_go_on_smoothly_between_frames(rig: tuple[Any, list[str]]) -> None:
    armature, names = rig
    found = compared(armature, settings_of(names, 2))
    cut, frame = float(found.source.frames[6]), float(found.destination.frames[5])
    at, near = found.at(cut, frame), found.at(cut + 1e-4, frame - 1e-4)
    assert near == pytest.approx(at, rel=1e-2)


@pytest.mark.data
@pytest.mark.variants(1)
def test_the_best_are_the_best_of_all(rig: tuple[Any, list[str]]) -> None:
    armature, names = rig
    found = compared(armature, settings_of(names, 3))
    costs, steps = meetings.start_map(found, "EXACT")
    finish(steps)
    search = Search(first=float(found.source.frames[2]), keep_frames=5.0)
    allowed = costs.costs[2:, : max(1, len(found.destination.frames) - 5)]
    pairs = finish(meetings.best_pairs(found, 10, search))
    assert pairs[0].cost == pytest.approx(float(allowed.min()), rel=1e-4)
    assert [pair.cost for pair in pairs] == sorted(pair.cost for pair in pairs)
    for a in pairs:
        for b in pairs:
            apart = max(abs(a.cut - b.cut), abs(a.destination_frame - b.destination_frame))
            assert a is b or apart >= search.apart_frames
    cut = float(found.source.frames[4])
    (best,) = meetings.best_destinations(found, cut, search, 1)
    assert best.cost == pytest.approx(float(allowed[2].min()), rel=1e-4)
    frame = float(found.destination.frames[1])
    (best,) = meetings.best_cuts(found, frame, search, 1)
    assert best.cost == pytest.approx(float(allowed[:, 1].min()), rel=1e-4)


@pytest.mark.data
@pytest.mark.variants(1)
def test_a_coarse_search_ends_near_the_best(rig: tuple[Any, list[str]]) -> None:
    armature, names = rig
    found = compared(armature, settings_of(names, 4))
    best = finish(meetings.best_pairs(found, 1, Search()))[0]
    coarse = finish(meetings.best_pairs(found, 1, Search(), cells=max(8, len(found.source.frames) // 3)))[0]
    assert best.cost <= coarse.cost <= 1.5 * best.cost + 1e-3
    assert coarse.cost == pytest.approx(found.at(coarse.cut, coarse.destination_frame), rel=1e-4)


def played(armature: Any, name: str, frames: np.ndarray) -> np.ndarray:
    clips.play(armature, bpy.data.actions[name])
    return clips.poses(armature, frames)[..., :3, 3]


def measured(armature: Any, settings: TransitionSettings) -> float:
    """What a baked transition displaces, as Blender plays it: over joints and the world's axes."""
    report = bake.bake_transition(armature, settings)
    frames = np.linspace(settings.cut, settings.cut + settings.blend_frames, 13)
    result = played(armature, report.result, frames)
    assert settings.destination_frame is not None
    alone = played(armature, settings.destination, frames - settings.cut + settings.destination_frame)
    turn, shift = report.heading_degrees, np.array(report.translation)
    c, s = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    aligned = alone @ np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]]) + shift
    compat.assign(armature, None)
    bpy.data.actions.remove(bpy.data.actions[report.result])
    offset = np.abs(result - aligned).sum(axis=(1, 2))
    return (
        float(np.trapezoid(offset, frames)) if hasattr(np, "trapezoid") else float(np.trapz(offset, frames))
    )


@pytest.mark.data
@pytest.mark.variants(1)
def test_the_cheapest_pair_displaces_less_than_most(rig: tuple[Any, list[str]]) -> None:
    armature, names = rig
    settings = settings_of(names, 5, blend_frames=10.0, assign=False, feet="OFF")
    found = compared(armature, settings)
    search = Search(keep_frames=11.0, before_seconds=0.0, behind_seconds=0.0)
    best = finish(meetings.best_pairs(found, 1, search))[0]
    chance = random.Random(6)
    there = found.destination.frames[meetings.entries(search, found.destination)]
    here = found.source.frames[meetings.cuts(search, found.source)]

    def at(cut: float, frame: float) -> float:
        return measured(
            armature, dataclasses.replace(settings, cut=float(cut), destination_frame=float(frame))
        )

    others = [at(chance.choice(list(here)), chance.choice(list(there))) for _ in range(4)]
    assert at(best.cut, best.destination_frame) < np.quantile(others, 0.3)


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.variant_of(
    "tests/blender/cost/test_moved_rigs.py::test_a_transition_costs_the_same_wherever_its_rig_is"
)
@pytest.mark.parametrize("name", ["cmu127", "Knight"])
def test_costs_do_not_depend_on_where_a_clip_stands_and_faces(name: str, data_dir: Path) -> None:
    armature, names = clips.load(name, data_dir)
    settings = TransitionSettings(names[0], names[1], 0.0, alignment="POSITION_HEADING")
    before = compared(armature, settings)
    armature.location, armature.rotation_mode = (2.0, -3.0, 0.0), "XYZ"
    armature.rotation_euler = (0.0, 0.0, 1.1)
    if any(path == "location" for path, _ in costing.read_pair(armature, settings).source.curves):
        pytest.skip("the clips key the object itself")
    after = compared(armature, settings)
    i, j = float(before.source.frames[9]), float(before.destination.frames[7])
    assert after.at(i, j) == pytest.approx(before.at(i, j), rel=0.2)


@pytest.mark.data
def test_a_bone_that_a_clip_is_aligned_by_costs_nothing(data_dir: Path) -> None:
    """Its distance is zero at every meeting where its place and its height are aligned by it."""
    armature, names = clips.load("Knight", data_dir)
    bone = armature.data.bones[-1].name
    settings = TransitionSettings(
        names[0], names[1], 0.0, alignment="POSITION_HEADING", align_height=True, align_bone=bone
    )
    pair = costing.read_pair(armature, settings)
    both = finish(costing.motions(armature, pair))
    found = costing.compare(settings, pair.alignment, {bone: 1.0}, both, 30.0)
    x, _ = found.offsets(float(found.source.frames[9]), float(found.destination.frames[7]))
    np.testing.assert_allclose(x, 0.0, atol=1e-6)


def test_no_weight_is_said(fresh_file: None, data_dir: Path) -> None:
    armature, names = clips.load("Fox", data_dir)
    settings = TransitionSettings(names[0], names[1], 0.0)
    pair = costing.read_pair(armature, settings)
    motions = finish(costing.motions(armature, pair))
    with pytest.raises(InertiaError, match="weight above zero"):
        costing.compare(settings, pair.alignment, {}, motions, 24.0)


@pytest.mark.data
@pytest.mark.variants(2)
@pytest.mark.parametrize("exact", [True, False])
def test_a_pair_plays_some_of_the_source(rig: tuple[Any, list[str]], *, exact: bool) -> None:
    armature, names = rig
    for seed in range(2):
        found = compared(armature, settings_of(names, seed))
        frames = found.source.frames
        least = frames[0] + min(12, len(frames) // 2)
        assert all(pair.cut >= least for pair in finish(meetings.best_pairs(found, 5, Search(), exact=exact)))
        assert meetings.best_cuts(found, float(found.destination.frames[0]), Search(), 1)[0].cut >= least
        # who says where the cut may lie has said it
        first = Search(first=float(frames[0]), last=float(frames[0]))
        assert finish(meetings.best_pairs(found, 1, first, exact=exact))[0].cut == frames[0]


@pytest.mark.data
@pytest.mark.variants(1)
@pytest.mark.parametrize("blend", [{"blend_frames": 5.0}, {"method": "SPRING", "half_life": 0.05}])
def test_a_clip_meets_itself_a_blend_apart(rig: tuple[Any, list[str]], blend: dict[str, Any]) -> None:
    armature, names = rig
    found = compared(armature, TransitionSettings(names[0], names[0], 0.0, **ONCE, **blend))
    least = blend.get("blend_frames", 6.0 * 0.05 * found.fps) - 1e-6
    search = Search(keep_frames=0.0, apart_frames=1.0)
    for cells in (8, 2000):
        pairs = finish(meetings.best_pairs(found, 5, search, cells=cells))
        assert pairs
        assert all(abs(pair.cut - pair.destination_frame) >= least for pair in pairs)
    middle = float(found.source.frames[len(found.source.frames) // 2])
    looks = meetings.best_destinations, meetings.best_cuts
    best = [pair for look in looks for pair in look(found, middle, search, 1)]
    assert len(best) == len(looks)
    assert all(abs(pair.cut - pair.destination_frame) >= least for pair in best)
    whole = dataclasses.replace(found, seconds=1e3)
    for look in looks:
        with pytest.raises(InertiaError, match="too short to meet itself a blend time away"):
            look(whole, middle, search, 1)
    with pytest.raises(InertiaError, match="too short to meet itself a blend time away"):
        finish(meetings.best_pairs(whole, 1, search))


def test_a_range_without_frames_is_said() -> None:
    with pytest.raises(InertiaError, match="has frames 1 to 5"):
        meetings.cuts(Search(first=7.0, last=9.0), FIVE_FRAMES)


def test_the_first_frame_of_a_short_destination_may_be_entered() -> None:
    np.testing.assert_array_equal(meetings.entries(Search(keep_frames=50.0), FIVE_FRAMES), [0])


@given(
    length=st.integers(20, 120),
    before=st.floats(0.0, 1.0),
    behind=st.floats(0.0, 1.0),
    is_source_cycle=st.booleans(),
    is_destination_cycle=st.booleans(),
)
def test_a_pair_shows_some_of_both_clips(
    length: int, before: float, behind: float, *, is_source_cycle: bool, is_destination_cycle: bool
) -> None:
    search = Search(keep_frames=0.0, before_seconds=before, behind_seconds=behind)
    fps, blend, frames = scene.fps(), 10.0, np.arange(1.0, length + 1.0)
    cycle = Cycle(1.0, float(length))
    source = dataclasses.replace(FIVE_FRAMES, frames=frames, cycle=cycle if is_source_cycle else None)
    cuts = [meetings.cut_of(search, source, frame) for frame in frames[meetings.cuts(search, source)]]
    led = np.ceil(before * fps - 1e-6)
    assert min(cuts) - 1.0 >= (led if is_source_cycle else min(led, length // 2))
    if is_source_cycle:
        # each of its frames may still be cut, some of them in its next repetition
        assert {(cut - 1.0) % (length - 1.0) for cut in cuts} == {*np.arange(length - 1.0)}
    destination = dataclasses.replace(source, cycle=cycle if is_destination_cycle else None)
    entries = frames[meetings.entries(search, destination, blend)]
    assert entries[0] == frames[0]
    if is_destination_cycle:
        assert len(entries) == length
    elif behind > 0.0:
        assert all(length - entry >= blend + behind * fps - 1e-6 for entry in entries[1:])
