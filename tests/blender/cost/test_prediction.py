# SPDX-License-Identifier: GPL-3.0-or-later
"""What planted feet skate counts in costs where it has a weight, and changes nothing where it has none."""

from __future__ import annotations

import dataclasses
import itertools
from typing import Any

import bpy
import numpy as np
import pytest

from inertia_addon.blender.cost import costing, library, meetings
from inertia_addon.blender.cost.costing import Compared, WeighedSkate
from inertia_addon.blender.evaluation import joints
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.feet import contacts
from inertia_addon.blender.transition import bake
from inertia_addon.errors import InertiaError
from inertia_addon.motion.cost import foresight
from inertia_addon.motion.steps import finish
from inertia_addon.settings.cost import Search
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import stepper

SETTINGS = TransitionSettings(
    "Walk", "Late", 1.0, blend_frames=8.0, source_cycle="OFF", destination_cycle="OFF"
)


@pytest.fixture
def walker(fresh_file: None) -> Any:
    armature = stepper.biped()
    stepper.walk(armature, "Walk")
    stepper.walk(armature, "Late", late=0.25)
    return armature


def compared(armature: Any, weight: float, **how: Any) -> Compared:
    settings = dataclasses.replace(SETTINGS, **how)
    pair = costing.read_pair(armature, settings)
    motions = finish(costing.motions(armature, pair))
    weights = joints.named_weights(armature, "found")
    plants = finish(costing.plants_of(read_character(armature), pair.destination, weight))
    return costing.compare(
        settings, pair.alignment, weights, motions, stepper.FPS, WeighedSkate(plants, weight)
    )


def by_joints(found: Compared) -> Compared:
    """The same without what feet skate."""
    return dataclasses.replace(found, prediction=None)


def mapped(found: Compared, *, exact: bool = True) -> np.ndarray:
    made, steps = meetings.start_map(found, "EXACT" if exact else "FEATURE")
    finish(steps)
    return made.costs


def skate_of(armature: Any, found: Compared, cut: float, frame: float) -> float:
    """How far both feet skate in one transition, each by itself, by the contacts of the destination."""
    assert found.prediction is not None
    assert found.method is not None
    plants = found.prediction.plants
    here, there = (
        found.prediction.source.at(cut, found.fps),
        found.prediction.destination.at(frame, found.fps),
    )
    skated = 0.0
    for k in range(len(plants.feet)):
        for span in plants.contacts.at(k, frame, frame + 8.0):
            times = np.clip((np.array([[span.start], [span.end]]) - frame) / found.fps, 0.0, found.seconds)
            foot = [(side.positions[:, k], side.velocities[:, k]) for side in (here, there)]
            moved = foresight.skates(foot[0], foot[1], (times[0], times[1]), found.method, found.seconds)
            skated += float(moved[0, 0])
    return skated


def test_a_prediction_without_a_weight_changes_no_cost(walker: Any) -> None:
    found = compared(walker, 0.0)
    assert found.prediction is None
    weighed = compared(walker, 1.0)
    for exact in (True, False):
        np.testing.assert_array_equal(mapped(found, exact=exact), mapped(by_joints(weighed), exact=exact))
        assert np.any(mapped(weighed, exact=exact) > mapped(found, exact=exact))


@pytest.mark.parametrize("method", ["QUINTIC", "SPRING"])
def test_the_map_the_curves_and_each_meeting_have_the_same_skates(walker: Any, method: str) -> None:
    length = {"half_life": 0.1} if method == "SPRING" else {}
    found = compared(walker, 2.0, method=method, **length)
    costs, plain = mapped(found), mapped(by_joints(found))
    cuts, entries = found.source.frames, found.destination.frames
    for i, j in ((3, 0), (10, 20), (30, 12), (48, 48)):
        at = found.at(cuts[i], entries[j])
        assert costs[i, j] == pytest.approx(at, rel=1e-4, abs=1e-6)
        np.testing.assert_allclose(found.over_destination(cuts[i])[j], at, rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(found.over_cut(entries[j])[i], at, rtol=1e-4, atol=1e-6)
        if method != "SPRING":
            skated = 2.0 * skate_of(walker, found, cuts[i], entries[j])
            assert costs[i, j] - plain[i, j] == pytest.approx(skated, rel=1e-3, abs=1e-5)
    best = finish(meetings.best_pairs(found, 1, Search(keep_frames=12.0)))[0]
    assert best.cost == pytest.approx(found.at(best.cut, best.destination_frame), rel=1e-4, abs=1e-6)


def baked_skate(armature: Any, cut: float, frame: float) -> float:
    """How far both feet go over the ground in a bake while the walk "Late" has them planted, metres."""
    settings = dataclasses.replace(SETTINGS, cut=cut, destination_frame=frame, feet="OFF", result="Result")
    bake.bake_transition(armature, settings)
    shown = np.arange(9.0)
    skated = 0.0
    for foot, lands in (("toe.L", 0.25), ("toe.R", 0.75)):
        places = []
        for k in shown:
            bpy.context.scene.frame_set(int(cut + k))
            places.append(armature.matrix_world @ armature.pose.bones[foot].head)
        seconds = (frame + shown - 1.0) / stepper.FPS - lands
        stands = seconds % 1.0 <= 0.5 + 1e-6
        steps = np.linalg.norm(np.diff(np.array(places)[:, :2], axis=0), axis=1)
        skated += float(steps[stands[1:] & stands[:-1]].sum())
    return skated


def test_a_predicted_skate_is_what_an_unlocked_bake_skates(walker: Any) -> None:
    found = compared(walker, 1.0)
    rows = []
    for cut, frame in ((5.0, 3.0), (10.0, 20.0), (18.0, 8.0), (24.0, 33.0), (30.0, 12.0), (37.0, 27.0)):
        said = found.at(cut, frame) - by_joints(found).at(cut, frame)
        rows.append((said, baked_skate(walker, cut, frame)))
    said, skated = np.array(rows).T
    assert skated.max() > 0.2
    np.testing.assert_allclose(said, skated, rtol=0.15, atol=0.03)


def test_a_pair_that_skates_ranks_lower(walker: Any) -> None:
    """Of two meetings that displace alike, the one whose feet stand comes behind that whose feet step."""
    found = compared(walker, 20.0)
    plain, skated = mapped(by_joints(found)), mapped(found) - mapped(by_joints(found))
    cells = np.argsort(plain, axis=None)
    near = [(a, b) for a, b in itertools.pairwise(cells) if skated.flat[a] > skated.flat[b] + 0.1]
    assert near
    costs = mapped(found)
    assert all(costs.flat[a] > costs.flat[b] for a, b in near if plain.flat[b] - plain.flat[a] < 0.1)


def test_contacts_that_were_edited_count(walker: Any) -> None:
    found = compared(walker, 1.0)
    action = costing.read_pair(walker, SETTINGS).destination.action
    contacts.store(action, {"foot.L": (), "foot.R": ()})
    np.testing.assert_array_equal(mapped(compared(walker, 1.0)), mapped(by_joints(found)))


def test_an_edge_of_a_library_skates_as_its_clips_do(walker: Any) -> None:
    how = {"blend_frames": 8.0, "alignment": "POSITION_HEADING"}
    whole = library.ClipLibrary(TransitionSettings("", "", 0.0, **how), skate_weight=1.0)
    # not even the joints of the feet count themselves
    finish(whole.add("file", walker, {"head": 1.0, "hips": 1.0}))
    walk, late = (whole.names().index(name) for name in ("Walk", "Late"))
    edge = whole.edge(walk, late, Search(), exact=True)
    clips = whole.compared(edge.source, edge.destination)
    assert edge.cost == pytest.approx(clips.at(edge.cut, edge.destination_frame), rel=1e-5)
    assert np.any(mapped(clips) > mapped(by_joints(clips)))


def test_dead_blending_is_refused(walker: Any) -> None:
    with pytest.raises(InertiaError, match="set the skate weight to 0"):
        compared(walker, 1.0, method="DEAD_BLENDING")
