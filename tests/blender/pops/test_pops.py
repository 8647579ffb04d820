# SPDX-License-Identifier: GPL-3.0-or-later
"""Pops of actions, found and smoothed in a new action, whatever the rotation mode, units and key times."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from inertia_addon.blender.data import actions, channels, compat, recipe, recipe_reader
from inertia_addon.blender.pops import bake, search
from inertia_addon.blender.pops.search import FoundPops
from inertia_addon.errors import InertiaError
from inertia_addon.motion import quaternion
from inertia_addon.motion.steps import finish
from inertia_addon.settings.pops import PopSettings
from tests.blender import builders, clips, file_state

FRAMES = np.arange(1.0, 61.0)
BASES = {"QUATERNION": (1.0, 0.0, 0.0, 0.0), "AXIS_ANGLE": (0.8, 0.0, 1.0, 0.0)}


def clip(
    armature: Any, mode: str = "XYZ", at: slice = slice(0), size: float = 0.5, frames: Any = FRAMES
) -> Any:
    """A root that travels, and a bone that swings and is elsewhere on some frames."""
    armature.pose.bones["B"].rotation_mode = mode
    made = builders.action("Clip")
    for i in range(3):
        places = 0.02 * (i + 1) * frames
        builders.curve(made, builders.bone_path("A", "location"), i, list(zip(frames, places, strict=True)))
    prop, _ = builders.ROTATIONS.get(mode, ("rotation_euler", 3))
    bases = BASES.get(mode, (0.0, 0.0, 0.0))
    values = np.array([middle + 0.2 * np.sin(0.15 * frames + i) for i, middle in enumerate(bases)])
    if mode == "QUATERNION":
        # elsewhere by the same turn on each frame, which no sum of its numbers is
        values[:, at] = quaternion.multiply(quaternion.exp(np.array([size, 0.0, 0.0])), values[:, at].T).T
    else:
        values[1 - (len(prop) == 14), at] += size
    for i, row in enumerate(values):
        points = list(zip(frames, row, strict=True))
        builders.curve(made, builders.bone_path("B", prop), i, points, handles="AUTO")
    return made


def found(armature: Any, made: Any, **how: Any) -> FoundPops:
    return finish(bake.find_pops_steps(armature, PopSettings(made.name, **how)))


def smoothed(armature: Any, made: Any, **how: Any) -> tuple[bake.PopReport, Any]:
    report = finish(bake.smooth_pops_steps(armature, PopSettings(made.name, **how)))
    return report, bpy.data.actions[report.result]


def test_progress_of_a_search_for_pops_only_rises(armature: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    # of short curves many are read before the next word of it
    monkeypatch.setattr(actions, "LONG", 1)
    steps = list(bake.find_pops_steps(armature, PopSettings(clip(armature, at=slice(29, 30)).name)))
    assert len(steps) > 3
    assert steps == sorted(steps)
    assert 0.0 <= steps[0] <= steps[-1] <= 1.0


@pytest.mark.variants(3)
@pytest.mark.parametrize("mode", ["QUATERNION", "AXIS_ANGLE", "ZXY"])
@pytest.mark.parametrize(
    ("at", "kind", "span", "first", "last"),
    [
        (slice(29, 30), "spike", (30, 30), 26, 34),
        (slice(29, 41), "stretch", (30, 41), 26, 45),
        (slice(29, 99), "step", (29, 30), 10, 49),
    ],
)
def test_a_pop_is_found_and_smoothed_with_keys_only_there(
    armature: Any, mode: str, at: slice, kind: str, span: tuple[int, int], first: int, last: int
) -> None:
    made = clip(armature, mode, at)
    (pop,) = found(armature, made).pops
    assert (pop.bone, pop.channel, pop.kind, (pop.first, pop.last)) == ("B", "rotation", kind, span)
    before = {address: builders.key_data(curve) for address, curve in builders.by_address(made).items()}
    report, result = smoothed(armature, made)
    assert (report.left, len(report.pops), report.result) == (0, 1, "Clip smoothed")
    assert compat.assigned(armature)[0] == result
    outside = np.concatenate([builders.sub_frames(-3, first), builders.sub_frames(last, 66)])
    np.testing.assert_allclose(
        builders.played(armature, result, outside), builders.played(armature, made, outside), atol=3e-5
    )
    for address, curve in builders.by_address(made).items():
        assert builders.key_data(curve) == before[address]
        if "location" in address[0]:
            assert builders.key_data(builders.by_address(result)[address]) == before[address]
    steps = np.diff(builders.played(armature, result, builders.sub_frames(first, last))[:, 1, :3, 2], axis=0)
    assert np.linalg.norm(steps, axis=1).max() < 0.04


def test_pops_that_are_chosen_are_smoothed_alone(armature: Any) -> None:
    made = clip(armature, at=slice(19, 20))
    turns = builders.by_address(made)[builders.bone_path("B", "rotation_euler"), 0]
    turns.keyframe_points[44].co[1] += 0.6
    names = [pop.name for pop in found(armature, made).pops]
    assert names == ["B@20", "B@45"]
    report, result = smoothed(armature, made, pops=("B@45",))
    assert ([pop["first"] for pop in report.pops], report.left) == ([45.0], 1)
    assert [pop.name for pop in found(armature, result).pops] == ["B@20"]
    with pytest.raises(InertiaError, match="Nothing pops at"):
        smoothed(armature, made, pops=("B@46",))


def test_a_smoothed_action_is_made_anew_from_its_recipe(armature: Any) -> None:
    made = clip(armature, at=slice(29, 30))
    _, result = smoothed(armature, made, side="AFTER", fade_seconds=0.5)
    assert recipe_reader.read_recipe(result, bake.KIND).settings == PopSettings(
        "Clip", side="AFTER", fade_seconds=0.5, result="Clip smoothed"
    )
    made.name = "Take"
    turns = builders.by_address(made)[builders.bone_path("B", "rotation_euler"), 0]
    turns.keyframe_points[9].co[1] += 0.6
    turns.update()
    count = len(bpy.data.actions)
    again = finish(
        bake.smooth_pops_steps(armature, recipe_reader.read_recipe(result, bake.KIND).settings, result)
    )
    assert (again.result, len(again.pops), len(bpy.data.actions)) == ("Clip smoothed", 2, count)
    assert compat.assigned(armature)[0] == bpy.data.actions["Clip smoothed"]
    assert recipe.kind(bpy.data.actions["Clip smoothed"]) == bake.KIND


def test_the_object_and_places_are_searched_by_their_size(armature: Any) -> None:
    armature.scale = (0.01, 0.01, 0.01)
    made = clip(armature)
    place = builders.by_address(made)[builders.bone_path("A", "location"), 1]
    place.keyframe_points[30].co[1] += 0.9
    way = [(float(frame), 0.0002 * frame + 0.01 * (frame >= 40)) for frame in FRAMES]
    builders.curve(made, "location", 2, way)
    told = [(pop.bone, pop.channel, pop.kind, pop.first) for pop in found(armature, made).pops]
    assert told == [("A", "location", "spike", 31.0), ("<object>", "location", "step", 39.0)]
    (spike, step) = found(armature, made).pops
    assert (spike.size, step.size) == pytest.approx((0.009, 0.01), rel=0.1)
    report, _ = smoothed(armature, made)
    assert report.left == 0


@pytest.mark.parametrize("frames", [FRAMES + 0.5, 1.0 + 0.5 * np.arange(60.0)])
def test_keys_on_half_frames_are_searched_where_they_are(armature: Any, frames: Any) -> None:
    made = clip(armature, at=slice(29, 30), frames=frames)
    (pop,) = found(armature, made).pops
    assert (pop.kind, pop.first) == ("spike", frames[29])
    report, result = smoothed(armature, made)
    assert report.left == 0
    outside = np.concatenate([frames[:25], frames[35:]])
    np.testing.assert_allclose(
        builders.played(armature, result, outside), builders.played(armature, made, outside), atol=3e-5
    )


def test_a_smoothing_that_cannot_be_done_is_told_and_changes_nothing(armature: Any) -> None:
    made, short, empty = clip(armature), builders.action("Short"), builders.action("Empty")
    builders.curve(short, builders.bone_path("B", "rotation_euler"), 0, [(f, 0.1 * f) for f in range(1, 6)])
    before = file_state.everything()
    with pytest.raises(InertiaError, match='Nothing pops in "Clip"'):
        smoothed(armature, made)
    with pytest.raises(InertiaError, match="has 5 frames, too few"):
        found(armature, short)
    with pytest.raises(InertiaError, match="has no keys"):
        found(armature, empty)
    assert file_state.differences(before, file_state.everything()) == {}


def cut(frames: Any = FRAMES, at: int = 40) -> Any:
    """Two takes of six bones, one behind the other; the root goes on, and the last bone hardly jumps."""
    made, rng = builders.action("Cut"), np.random.default_rng(4)
    jumps = np.append(rng.uniform(0.4, 0.8, 5), 0.015)
    for name, jump in zip("ABCDEF", jumps, strict=True):
        for i in range(3):
            values = 0.2 * np.sin(0.15 * frames + rng.uniform(0, 6)) + jump * (frames >= at) * (i == 1)
            points = list(zip(frames, values, strict=True))
            builders.curve(made, builders.bone_path(name, "rotation_euler"), i, points, handles="AUTO")
    for i in range(3):
        places = 0.02 * (i + 1) * frames
        builders.curve(made, builders.bone_path("A", "location"), i, list(zip(frames, places, strict=True)))
    return made


@pytest.fixture
def six(fresh_file: None) -> Any:
    rig = builders.rig({"A": None, "B": "A", "C": "B", "D": "C", "E": "D", "F": "E"})
    for bone in rig.pose.bones:
        bone.rotation_mode = "XYZ"
    return rig


def test_a_cut_of_the_whole_pose_is_one_pop_and_smoothed_in_all_bones(six: Any) -> None:
    made = cut()
    (pop,) = found(six, made).pops
    assert (pop.name, pop.kind, pop.last, pop.bones) == ("<pose>@39", "step", 40.0, 6)
    told = pop.as_dict()
    assert (told["bone"], told["bones"], told["channel"], told["unit"]) == ("<pose>", 6, "pose", "degrees")
    assert told["size"] == pytest.approx(max(one.size for one in pop.parts if one.channel == "rotation"))
    assert told["times"] > 2.0
    report, result = smoothed(six, made, pops=("<pose>@39",))
    assert (len(report.pops), report.left) == (1, 0)
    # and in the bone, too, whose own jump is none
    assert "F" not in {one.bone for one in pop.parts if one.times > 6.0}
    for name in "AF":
        address = builders.bone_path(name, "rotation_euler"), 1
        both = [builders.by_address(action)[address] for action in (made, result)]
        before, after = ([curve.evaluate(frame) for frame in FRAMES] for curve in both)
        assert np.abs(np.diff(after, 2)).max() < 0.5 * np.abs(np.diff(before, 2)).max()


def test_a_bone_of_a_whole_pose_may_be_smoothed_by_its_name(six: Any) -> None:
    made = cut()
    report, result = smoothed(six, made, pops=("B@39",))
    assert [pop["bone"] for pop in report.pops] == ["B"]
    first = builders.bone_path("C", "rotation_euler"), 1
    assert builders.key_data(builders.by_address(result)[first]) == builders.key_data(
        builders.by_address(made)[first]
    )
    both, _ = smoothed(six, made, pops=("<pose>@39", "B@39"))
    assert [pop["bone"] for pop in both.pops] == ["<pose>"]


def test_bones_that_are_searched_one_by_one_make_a_whole_pose_all_the_same(
    six: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = cut()
    (whole,) = found(six, made).pops
    monkeypatch.setattr(search, "AT_ONCE", len(FRAMES))
    (pop,) = found(six, made).pops
    assert (pop.name, pop.bones) == (whole.name, whole.bones)
    report, _ = smoothed(six, made)
    assert report.left == 0


KNOWN = {
    "cmu127_17_run_stop_run": ("lwrist", "step", 380.0),
    "cmu127_20_run_quick_stop_run": ("rwrist", "step", 359.0),
    "cmu127_29_run_duck_under": ("ltoes", "spike", 142.0),
    "cmu127_32_run_duck_under": ("head", "stretch", 12.0),
}


@pytest.mark.slow
@pytest.mark.variants(1)
@pytest.mark.parametrize("name", KNOWN)
def test_the_glitches_of_real_motion_are_found_and_smoothed(data_dir: Path, name: str) -> None:
    armature, _ = clips.load("cmu127", data_dir)
    report, _ = smoothed(armature, bpy.data.actions[name])
    assert KNOWN[name] in [(pop["bone"], pop["kind"], pop["first"]) for pop in report.pops]
    assert report.left == 0


@pytest.fixture
def runs(data_dir: Path) -> tuple[Any, list[Any]]:
    """An armature and real runs of it, with 30 frames a second."""
    armature, names = clips.load("cmu127", data_dir)
    bpy.context.scene.render.fps = 30
    takes = [bpy.data.actions[name] for name in names if name[7:9] == "13"]
    for action in takes:
        for curve in builders.by_address(action).values():
            raw = np.array([point.co[:] for point in curve.keyframe_points])[::4]
            curve.keyframe_points.clear()
            for i, (_, value) in enumerate(raw):
                curve.keyframe_points.insert(i + 1, value, options={"FAST"})
            curve.update()
    return armature, takes


def turn_further(action: Any, bone: str, frames: slice, degrees: float) -> None:
    """Turn a bone of an action further on some of its keys."""
    for i in range(3):
        turn = builders.by_address(action)[builders.bone_path(bone, "rotation_euler"), i]
        for point in list(turn.keyframe_points)[frames]:
            point.co[1] += np.radians(degrees) / np.sqrt(3.0)
        turn.update()


def told(armature: Any, action: Any) -> list[tuple[str, str, float, float]]:
    """What pops."""
    return [(pop.bone, pop.kind, pop.first, pop.last) for pop in found(armature, action).pops]


@pytest.mark.slow
def test_four_frames_of_a_thigh_are_found_in_real_runs_and_nothing_else(
    runs: tuple[Any, list[Any]],
) -> None:
    armature, takes = runs
    for action in takes:
        assert told(armature, action) == []
        turn_further(action, "lfemur", slice(15, 19), 23.0)
        assert ("lfemur", "stretch", 16.0, 19.0) in told(armature, action)
        report, _ = smoothed(armature, action)
        assert report.left == 0


@pytest.mark.slow
@pytest.mark.variants(1)
@pytest.mark.parametrize("bone", ["root", "lowerback"])
def test_a_jump_of_nine_degrees_is_found_in_real_runs_beside_the_other_bones(
    runs: tuple[Any, list[Any]], bone: str
) -> None:
    armature, takes = runs
    for action in takes:
        turn_further(action, bone, slice(20, None), -9.0)
        assert (bone, "step", 20.0, 21.0) in told(armature, action)


@pytest.mark.variants(1)
@pytest.mark.parametrize(("sparse", "later"), [(False, 0), (True, 0), (True, 300), (True, -300)])
def test_a_long_clip_is_searched_in_stretches_with_the_same_pops(
    armature: Any, monkeypatch: pytest.MonkeyPatch, *, sparse: bool, later: int
) -> None:
    made = clip(armature, at=slice(19, 20), frames=FRAMES + later)
    turns = builders.by_address(made)[builders.bone_path("B", "rotation_euler"), 0]
    turns.keyframe_points[44].co[1] += 0.6
    if sparse:
        turns.keyframe_points.insert(5000, turns.keyframe_points[-1].co[1])
    whole = found(armature, made)
    monkeypatch.setattr(search, "AT_ONCE", 25)
    monkeypatch.setattr(search, "BESIDE_SECONDS", 0.8)
    seen: list[int] = []
    sampled = search.sample_channels
    monkeypatch.setattr(
        search, "sample_channels", lambda *given: seen.append(len(given[1])) or sampled(*given)
    )
    pops = found(armature, made).pops
    assert [(pop.name, pop.kind, pop.size) for pop in pops] == [
        (pop.name, pop.kind, pytest.approx(pop.size)) for pop in whole.pops
    ]
    assert [pop.name for pop in pops] == [f"B@{20 + later}", f"B@{45 + later}"]
    assert max(seen) <= 25 + 2 * 20
    assert sum(seen) < 600
    # as each is smoothed where it was found
    report, _ = smoothed(armature, made)
    assert (len(report.pops), report.left) == (2, 0)


def test_frames_near_keys_are_told_by_index_from_a_clips_first_one(armature: Any) -> None:
    made = builders.action("Clip")
    keyed = [(101.0, 0.0), (141.0, 1.0), (142.0, 0.0), (181.0, 2.0)]
    builders.curves(made, builders.bone_path("A", "location"), [(f, (v, v, v)) for f, v in keyed])
    clip = actions.read(made, actions.choose_slot(made, armature))
    moving = [each for each in channels.match(armature, clip, clip, 1.0, 1.0).channels if each.bone == "A"]
    assert search._near_keys(clip, moving, 1.0, 81, 3) == [(0, 4), (37, 45), (77, 81)]
    assert search._near_keys(clip, moving, 0.5, 161, 3) == [(0, 4), (77, 86), (157, 161)]
