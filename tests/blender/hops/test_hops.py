# SPDX-License-Identifier: GPL-3.0-or-later
"""Hops of real characters: the best of all, as the published search finds them, and baked as they say."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Generator, Iterator, Mapping
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from inertia_addon.blender.data import clip_store
from inertia_addon.blender.data.actions import Clip
from inertia_addon.blender.data.roots import Root
from inertia_addon.blender.evaluation import joint_motion, joints
from inertia_addon.blender.evaluation.character import Character
from inertia_addon.blender.hops import bake as hop_bake
from inertia_addon.blender.hops import search as hops
from inertia_addon.blender.hops.search import FoundHop, PreparedHops
from inertia_addon.errors import InertiaError
from inertia_addon.motion.steps import finish
from inertia_addon.settings.hops import HopSettings
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import clips
from tests.motion.pruned_search import Tables

PAIRS = {
    "cmu127": ("cmu127_03_run", "cmu127_09_run_right"),
    "Knight": ("Walking_A", "Jump_Full_Long"),
}
FADES = {"cmu127": "CROSS_FADE", "Knight": "INERTIALIZED"}

# in brief the one that is imported in less time
pytestmark = pytest.mark.brief(character=("Knight",))


def settings_of(name: str, **values: Any) -> HopSettings:
    source, destination = PAIRS[name]
    own = {key: values.pop(key) for key in list(values) if key in ("cut", "destination_frame", "result")}
    known = [a.name for a in bpy.data.actions]
    found = [next(k for k in known if k.split("_Rig")[0] == wanted) for wanted in (source, destination)]
    once = {"source_cycle": "OFF", "destination_cycle": "OFF"}
    transition = TransitionSettings(*found, **{"cut": 1.0, "feet": "OFF", "assign": False, **once, **own})
    return HopSettings(transition, **{"find_cycles": False, **values})


def weights_of(armature: Any) -> Mapping[str, float]:
    return {joint.bone: joint.weight for joint in joints.default_joints(armature)}


Key = tuple[Any, ...]
_motions: dict[Key, joint_motion.JointMotion] = {}
_distances: dict[Key, dict[Key, np.ndarray]] = {}
"""What these tests ask for again and again, by what it is of."""


def where(armature: Any) -> Key:
    """An armature, and where it stands."""
    return (armature.name, *itertools.chain(*armature.matrix_world))


def evaluate_once(
    character: Character, clip: Clip, root: Root
) -> Generator[float, None, joint_motion.JointMotion]:
    """A clip where the armature stands."""
    key = (*where(character.armature), clip.action.name)
    if key not in _motions:
        _motions[key] = yield from joint_motion.whole(character, clip, root)
    return _motions[key]


def made(armature: Any, settings: HopSettings) -> PreparedHops:
    prepared = finish(hops.prepare(armature, settings, weights_of(armature), evaluate=evaluate_once))
    known = _distances.setdefault((*where(armature), prepared.names, settings.distance), {})

    def distances(a: int, b: int, blend: int, rows: slice, columns: slice) -> np.ndarray:
        key = (a, b, blend, rows.start, rows.stop, columns.start, columns.stop)
        if key not in known:
            known[key] = prepared.distances(a, b, blend, rows, columns)
            known[key].setflags(write=False)
        return known[key]

    return finish(hops.weighed(dataclasses.replace(prepared, distances=distances)))


@pytest.fixture(scope="module", params=["cmu127", "Knight"])
def character(
    request: pytest.FixtureRequest, data_dir: Path, some: Callable[[int], int]
) -> Iterator[tuple[Any, str, list[str]]]:
    armature, _ = clips.load(request.param, data_dir)
    read, _ = clip_store.library(armature)
    fitting = [clip.action.name for clip in read if np.ptp(clip.action.frame_range) > 20]
    yield armature, request.param, fitting[: some(3)]
    _motions.clear()
    _distances.clear()


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.variant_of("tests/motion/hops/test_search.py::test_the_published_search_finds_the_same")
@pytest.mark.parametrize("distance", ["POINT_CLOUD", "DISPLACEMENT"])
def test_real_triggers_are_as_the_published_search_finds_them(
    character: tuple[Any, str, list[str]], distance: str
) -> None:
    armature, name, fitting = character
    # each with each character, and with each distance
    alongside = (name == "Knight") == (distance == "POINT_CLOUD")
    settings = settings_of(name, clips=tuple(fitting), distance=distance, alongside=alongside)
    prepared = made(armature, settings)
    problem, objective = prepared.own_problem(), prepared.objective
    found = finish(hops.table(prepared))
    (blend,) = objective.blends

    def whole(a: int, b: int) -> np.ndarray:
        sizes = [slice(0, problem.strips[k].frames) for k in (a, b)]
        return problem.distances(a, b, blend, *sizes)

    source, destination = problem.source, problem.destination
    search = Tables(
        [whole(source, clip) for clip in problem.candidates],
        [whole(clip, destination) for clip in problem.candidates],
        whole(source, destination),
        blend,
        objective.longest_stay,
        objective.weight,
    )
    possible = np.flatnonzero(np.isfinite(found.cost))
    assert len(possible) >= 10
    for row in np.linspace(0, len(possible) - 1, 5).astype(int):
        trigger = int(possible[row])
        expected = search.find(trigger, trigger if alongside else 0)
        assert found.cost[trigger] == pytest.approx(expected.cost, rel=1e-5)
        assert found.cost[trigger] <= found.direct[trigger]


@pytest.mark.data
@pytest.mark.variants(1)
def test_a_baked_hop_plays_all_three_clips_and_goes_on(character: tuple[Any, str, list[str]]) -> None:
    armature, name, fitting = character
    fade = FADES[name]
    settings = settings_of(name, cut=8.0, clips=tuple(fitting), longest_stay=6, fade=fade, blends=(6,))
    prepared = made(armature, settings)
    ranked, direct = finish(hops.ranked(prepared, 3))
    assert direct > 0.0
    assert ranked
    assert [way.cost for way in ranked] == sorted(way.cost for way in ranked)
    way = ranked[0]
    assert way.cost == pytest.approx(sum(way.parts) + way.waiting)
    assert way.waiting == pytest.approx(prepared.objective.weight * sum(way.stays))
    before = {action.name: clips.contents(action) for action in bpy.data.actions}
    report = hop_bake.bake_hop(armature, settings, way)
    assert {a.name for a in bpy.data.actions} - set(before) == {report.result}
    for kept, contents in before.items():
        assert clips.contents(bpy.data.actions[kept]) == contents
    check_played(armature, settings, way, report)
    bpy.data.actions.remove(bpy.data.actions[report.result])


def check_played(armature: Any, settings: HopSettings, way: FoundHop, report: Any) -> None:
    """Outside of its blends a result shows its clips' own poses, bone by bone, by Blender's evaluation."""
    own = settings.transition
    leave, arrive = report.cuts
    assert leave == way.trigger + way.stays[0]
    assert arrive == leave + way.blends[0] + way.stays[1]
    start = float(bpy.data.actions[own.destination].curve_frame_range[0])
    times = {
        own.source: (np.array([way.trigger - 1.0, leave - 0.5]), 0.0),
        own.destination: (arrive + way.blends[1] + np.array([0.0, 2.5]), start - way.trigger),
    }
    if way.stays[1] > 1:
        times[way.clips[0]] = (np.array([leave + way.blends[0], arrive - 0.5]), way.entries[0] - leave)
    for clip, (frames, later) in times.items():
        shown = local(armature, report.result, frames)
        expected = local(armature, clip, frames + later)
        # the root is moved and turned; all others are as they were
        difference = np.abs(shown - expected).max(axis=(0, 2, 3))
        assert np.sum(difference > 2e-3) <= 1
    result = world(armature, report.result, np.arange(way.trigger, arrive + 8.0))
    size = np.ptp(result[0], axis=0).max()
    assert np.abs(np.diff(result, axis=0)).max() < 0.25 * size


def local(armature: Any, name: str, frames: np.ndarray) -> np.ndarray:
    """Bones' matrices (frames, bones, 4, 4) from their parents', as Blender plays an action."""
    clips.play(armature, bpy.data.actions[name])
    matrices = clips.poses(armature, frames)
    order = {bone.name: i for i, bone in enumerate(armature.pose.bones)}
    parents = [order[bone.parent.name] if bone.parent else -1 for bone in armature.pose.bones]
    above = np.stack(
        [np.broadcast_to(np.eye(4), matrices[:, 0].shape) if p < 0 else matrices[:, p] for p in parents], 1
    )
    return np.linalg.inv(above) @ matrices


def world(armature: Any, name: str, frames: np.ndarray) -> np.ndarray:
    clips.play(armature, bpy.data.actions[name])
    return clips.poses(armature, frames)[..., :3, 3]


@pytest.mark.data
@pytest.mark.variant_of("tests/blender/hops/test_moved_rigs.py::test_a_hop_is_the_same_elsewhere")
def test_hops_do_not_depend_on_where_clips_stand_and_face(character: tuple[Any, str, list[str]]) -> None:
    armature, name, fitting = character
    for distance in ("POINT_CLOUD", "DISPLACEMENT"):
        settings = settings_of(name, clips=tuple(fitting[:3]), distance=distance, weight=0.0)
        here = finish(hops.table(made(armature, settings)))
        armature.location, armature.rotation_euler = (3.0, -2.0, 0.0), (0.0, 0.0, 1.0)
        bpy.context.view_layer.update()
        there = finish(hops.table(made(armature, settings)))
        armature.location, armature.rotation_euler = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        assert np.isfinite(here.cost).any()
        np.testing.assert_allclose(there.cost, here.cost, rtol=1e-2, atol=1e-4)


def test_settings_survive_a_round_trip() -> None:
    transition = TransitionSettings("A", "B", 3.0, bones=("x",), blend_scales=(("x", 0.5),))
    settings = HopSettings(
        transition,
        clips=("C",),
        cycles=("C",),
        distance="DISPLACEMENT",
        longest_stay=7,
        blends=(3, 5),
        weight=0.5,
        hops=2,
        alongside=True,
        fade="CROSS_FADE",
        seed=4,
    )
    assert HopSettings.from_dict(settings.as_dict()) == settings
    with pytest.raises(InertiaError, match="Unknown setting"):
        HopSettings.from_dict({**settings.as_dict(), "stay": 1})


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"distance": "FAR"}, "choose one of"),
        ({"fade": "OUT"}, "choose one of"),
        ({"weight": -1.0}, "from 0 to"),
        ({"longest_stay": -1}, "from 0 to"),
    ],
)
def test_settings_that_make_no_sense_are_refused(values: dict[str, Any], words: str) -> None:
    with pytest.raises(InertiaError, match=words):
        HopSettings(TransitionSettings("A", "B", 3.0), **values)


def test_a_trigger_between_frames_is_refused() -> None:
    with pytest.raises(InertiaError, match="whole frame"):
        HopSettings(TransitionSettings("A", "B", 3.5))


def test_stays_and_blends_follow_the_frame_rate_and_the_method() -> None:
    quintic = HopSettings(TransitionSettings("A", "B", 3.0, blend_frames=11.6))
    assert hops.objective(quintic, 60.0).longest_stay == 60
    assert hops.objective(quintic, 30.0).longest_stay == 30
    assert hops.objective(quintic, 30.0).blends == (12,)
    spring = HopSettings(TransitionSettings("A", "B", 3.0, method="SPRING", half_life=0.1))
    assert hops.objective(spring, 30.0).blends == (18,)
    chosen = dataclasses.replace(quintic, blends=(9, 5, 9), longest_stay=4)
    assert (hops.objective(chosen, 30.0).blends, hops.objective(chosen, 30.0).longest_stay) == ((5, 9), 4)
