# SPDX-License-Identifier: GPL-3.0-or-later
"""The example clips, as Blender evaluates them: feet that stand still, no pops, ends that meet."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import bpy
import numpy as np
import pytest
from numpy.typing import NDArray

from inertia_addon.blender.evaluation import joints
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.matching import action_set, followed, search
from inertia_addon.motion.steps import finish
from tests.blender import wanderer

Array = NDArray[np.float64]

SCRIPT = Path(__file__).parents[2] / "examples" / "humanoid" / "make_clips.py"
CLIPS = {"Idle": 121, "Walk": 97, "Run": 81, "Turn": 61}
# Where the soles touch the ground in the rest pose; the ball is the head of the toe bone.
HEEL = {"L": (0.094, 0.070, 0.0), "R": (-0.094, 0.070, 0.0)}
BALL_HEIGHT = 0.022
TOUCHING = 0.0005


def _load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_clips", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def rig() -> bpy.types.Object:
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    return _load().build(bpy.context.scene)


@pytest.fixture(scope="module")
def sample(rig: bpy.types.Object) -> Callable[..., dict[str, Array]]:
    """Every bone's pose matrix at the frames of a clip, (frames, 4, 4), by name."""
    cache: dict[tuple[str, float], dict[str, Array]] = {}

    def evaluate(name: str, step: float = 1.0) -> dict[str, Array]:
        if (name, step) not in cache:
            cache[name, step] = _evaluate(rig, bpy.data.actions[name], step)
        return cache[name, step]

    return evaluate


def _evaluate(rig: bpy.types.Object, action: bpy.types.Action, step: float) -> dict[str, Array]:
    rig.animation_data.action = action
    if hasattr(rig.animation_data, "action_slot"):
        rig.animation_data.action_slot = action.slots[0]
    poses: dict[str, list[Array]] = {bone.name: [] for bone in rig.pose.bones}
    first, last = action.frame_range
    for frame in np.arange(first, last + 1e-6, step):
        bpy.context.scene.frame_set(int(frame), subframe=float(frame % 1))
        for bone in rig.pose.bones:
            poses[bone.name].append(np.array(bone.matrix))
    return {name: np.array(matrices) for name, matrices in poses.items()}


def _contacts(rig: bpy.types.Object, poses: dict[str, Array], side: str) -> dict[str, Array]:
    """The heel's edge and the ball of one foot, with heights above where they touch the ground."""
    rest = np.linalg.inv(np.array(rig.data.bones[f"foot.{side}"].matrix_local))
    heel = poses[f"foot.{side}"] @ rest @ np.array([*HEEL[side], 1.0])
    ball = poses[f"toe.{side}"][:, :, 3] - (0.0, 0.0, BALL_HEIGHT, 0.0)
    return {"heel": heel[:, :3], "ball": ball[:, :3]}


def _skates(path: Array) -> list[float]:
    """How far the point strays, in metres, during each spell on the ground."""
    down = np.flatnonzero(path[:, 2] < TOUCHING)
    spells = np.split(down, np.flatnonzero(np.diff(down) > 1) + 1)
    return [float(np.ptp(path[spell, :2], axis=0).max()) for spell in spells if len(spell) > 1]


def test_the_humanoid_has_the_actions_it_promises(rig: bpy.types.Object) -> None:
    assert rig.name == "Mannequin"
    for name, frames in CLIPS.items():
        action = bpy.data.actions[name]
        assert action.use_fake_user
        assert tuple(action.frame_range) == (1, frames)
    assert {bone.rotation_mode for bone in rig.pose.bones} == {"QUATERNION", "XYZ", "YXZ"}


@pytest.mark.variants(3)
@pytest.mark.parametrize("name", CLIPS)
@pytest.mark.parametrize("side", "LR")
def test_feet_stay_where_they_stand(rig: bpy.types.Object, sample: Callable, name: str, side: str) -> None:
    contacts = _contacts(rig, sample(name), side)
    skates = [skate for path in contacts.values() for skate in _skates(path)]
    assert skates
    assert max(skates) < 0.0001


@pytest.mark.variants(1)
@pytest.mark.parametrize("name", CLIPS)
@pytest.mark.parametrize("side", "LR")
def test_feet_stay_between_keys(rig: bpy.types.Object, sample: Callable, name: str, side: str) -> None:
    """Keys hold a foot at whole frames; curves between them can only come near, worst as a heel strikes."""
    for path in _contacts(rig, sample(name, 0.25), side).values():
        down = path[::4, 2] < TOUCHING
        for i in np.flatnonzero(down[:-1] & down[1:]):
            assert np.abs(path[4 * i : 4 * i + 5] - path[4 * i]).max() < (0.005 if name == "Run" else 0.003)


@pytest.mark.parametrize("name", CLIPS)
@pytest.mark.parametrize("side", "LR")
def test_feet_stay_above_the_ground(rig: bpy.types.Object, sample: Callable, name: str, side: str) -> None:
    assert min(path[:, 2].min() for path in _contacts(rig, sample(name), side).values()) > -0.0005


@pytest.mark.parametrize(("name", "degrees"), [("Idle", 0.2), ("Walk", 14.0), ("Run", 25.0), ("Turn", 9.0)])
def test_no_joint_pops(rig: bpy.types.Object, sample: Callable, name: str, degrees: float) -> None:
    """A joint's turn from frame to frame changes by no more than a foot's strike makes it."""
    poses = sample(name)
    for bone in rig.data.bones:
        turns = poses[bone.name][:, :3, :3]
        if bone.parent:
            turns = np.swapaxes(poses[bone.parent.name][:, :3, :3], 1, 2) @ turns
        step = np.swapaxes(turns[:-1], 1, 2) @ turns[1:]
        skew = 0.5 * (step - np.swapaxes(step, 1, 2))
        rate = np.degrees(np.stack([skew[:, 2, 1], skew[:, 0, 2], skew[:, 1, 0]], axis=-1))
        assert np.linalg.norm(np.diff(rate, axis=0), axis=1).max() < degrees, bone.name


@pytest.mark.parametrize("name", CLIPS)
def test_knees_and_elbows_bend_one_way(sample: Callable, name: str) -> None:
    poses = sample(name)
    for upper, lower, way in (("thigh", "shin", 1.0), ("upper_arm", "forearm", -1.0)):
        for side in "LR":
            a, b = (poses[f"{bone}.{side}"] for bone in (upper, lower))
            bend = np.cross(a[:, :3, 1], b[:, :3, 1])
            assert (way * np.sum(bend * a[:, :3, 0], axis=1)).min() > 0.05


@pytest.mark.parametrize(
    ("name", "metres", "degrees"),
    [("Idle", 0.0, 0.0), ("Walk", 4.32, 0.0), ("Run", 10.4, 0.0), ("Turn", None, 90.0)],
)
def test_the_root_travels(sample: Callable, name: str, metres: float | None, degrees: float) -> None:
    root = sample(name)["root"]
    if metres is not None:
        assert root[-1, :3, 3] - root[0, :3, 3] == pytest.approx([0.0, -metres, 0.0], abs=1e-4)
    assert np.degrees(np.arctan2(root[-1, 1, 0], root[-1, 0, 0])) == pytest.approx(degrees, abs=0.01)


@pytest.mark.parametrize(
    ("first", "then"),
    [("Idle", "Idle"), ("Walk", "Walk"), ("Run", "Run"), ("Idle", "Turn"), ("Turn", "Idle")],
)
def test_cycles_of_the_humanoid_meet_at_their_ends(sample: Callable, first: str, then: str) -> None:
    """Seen from the root, the last pose of one is the first of the other."""
    before, after = sample(first), sample(then)
    for name in before:
        last = np.linalg.inv(before["root"][-1]) @ before[name][-1]
        start = np.linalg.inv(after["root"][0]) @ after[name][0]
        assert np.abs(last - start).max() < 2e-4, name


def test_building_leaves_the_rest_of_the_file_alone(rig: bpy.types.Object) -> None:
    scene = bpy.data.scenes.new("Other")
    mesh = bpy.data.objects.new("Bystander", bpy.data.meshes.new("Bystander"))
    scene.collection.objects.link(mesh)
    layer = scene.view_layers[0]
    layer.objects.active = mesh
    mesh.select_set(True, view_layer=layer)
    keys = {action.name: tuple(action.frame_range) for action in bpy.data.actions}
    second = _load().build(scene)
    assert second.name == "Mannequin.001"
    assert second.name not in bpy.context.scene.objects
    assert layer.objects.active == mesh
    assert [other.name for other in layer.objects if other.select_get(view_layer=layer)] == ["Bystander"]
    assert keys == {name: tuple(bpy.data.actions[name].frame_range) for name in keys}
    assert rig.animation_data.action.name in CLIPS


def test_the_clips_bring_the_figure_along_a_street(rig: bpy.types.Object, tmp_path: Path) -> None:
    """Half of the guide's, which swings to a side: clips that stand, or turn on the spot, hold nobody up."""
    at = np.linspace(0.0, 0.5, 31)
    rows = np.column_stack([12.0 * at, np.sin(2.0 * np.pi * at)]).tolist()
    points = wanderer.csv_of(tmp_path / "street.csv", rows, "x,y")
    chosen = wanderer.settings(points=str(points), actions=tuple(CLIPS), mirror=False)
    analysed = finish(
        action_set.analyse_steps(read_character(rig), chosen, joints.named_weights(rig, "stored"))
    )
    found = finish(search.search_path_steps(analysed, chosen, followed.course(chosen)))
    assert found.way.reached
    assert found.stop is None
    assert search.figures(found)["path_rms_m"] < 0.05
