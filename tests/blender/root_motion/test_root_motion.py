# SPDX-License-Identifier: GPL-3.0-or-later
"""Root motion is the same wherever the rig stands, and whatever it is made of."""

from __future__ import annotations

import functools
import math
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from inertia_addon.blender.data import clip_store
from inertia_addon.blender.evaluation import facing, influence
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.root_motion import measure as root_motion
from inertia_addon.blender.root_motion.measure import Query
from inertia_addon.errors import InertiaError
from inertia_addon.motion.steps import finish
from inertia_addon.settings.root_motion import Settings
from tests.blender import builders, clips, walkers

HALF, TURN_HALF, SPEED, TURN = 0.25, 0.3, 2.0, math.radians(200.0)
SETTINGS = Settings(smoothing_seconds=0.4)


def response(t: np.ndarray, half: float) -> np.ndarray:
    z = 2.0 * math.log(2.0) / half * np.maximum(t, 0.0)
    return 1.0 - (1.0 + z) * np.exp(-z)


def start_and_turn(armature: Any, name: str, fps: float, step: int = 1, first: float = 1.0) -> Any:
    """An action whose root starts to walk after a second, and turns after three, in the world."""
    t = np.linspace(0.0, 6.0, 6001)
    heading = TURN * response(t - 3.0, TURN_HALF)
    pace = SPEED * response(t - 1.0, HALF)
    way = np.cumsum(pace[:, None] * np.column_stack([np.sin(heading), -np.cos(heading)]), axis=0) * 0.001
    made = builders.action(name)
    size = walkers.size_of(armature)
    rows = []
    for frame in np.arange(0.0, 6.0 * fps, step):
        i = min(round(frame / fps * 1000.0), 6000)
        place = Matrix.Translation((*(way[i] * size), size)) @ Matrix.Rotation(heading[i], 4, "Z")
        rows.append((first + frame, place))
    walkers.key_matrices(made, armature, "Root", [(f, walkers.local(armature, "Root", m)) for f, m in rows])
    return made


def measured(armature: Any, action: Any, query: Query | None = None, settings: Settings = SETTINGS) -> Any:
    clip = clip_store.read(armature, action)
    read = finish(root_motion.read_motion_steps(read_character(armature), clip, query or Query()))
    return read, root_motion.measure(read, settings)


@pytest.mark.variants(2)
@pytest.mark.parametrize("place", walkers.PLACES)
def test_the_same_wherever_the_rig_stands(fresh_file: None, place: str) -> None:
    bpy.context.scene.render.fps = 30
    armature = walkers.character(place)
    read, found = measured(armature, start_and_turn(armature, "Go", 30.0))
    assert read.root == "Root"
    assert found.maximum_speed == pytest.approx(SPEED * walkers.size_of(armature), rel=0.03)
    (ramp,) = found.speeds
    assert ramp.fit.half_life == pytest.approx(HALF, rel=0.05)
    (turn,) = found.turns
    assert turn.change == pytest.approx(TURN, rel=0.03)
    assert turn.fit.half_life == pytest.approx(TURN_HALF, rel=0.05)


@pytest.mark.variants(2)
@pytest.mark.parametrize(("fps", "base"), [(24, 1.0), (30, 1.001), (60, 1.0), (120, 2.0)])
def test_frame_rates_as_they_are(fresh_file: None, fps: int, base: float) -> None:
    bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = fps, base
    armature = walkers.character()
    action = start_and_turn(armature, "Go", fps / base, first=3.5)
    read, found = measured(armature, action)
    assert read.motion.fps == pytest.approx(fps / base)
    assert found.maximum_speed == pytest.approx(SPEED, rel=0.03)
    assert found.speeds[0].fit.half_life == pytest.approx(HALF, rel=0.05)
    said, clip = root_motion.values(read, found, SETTINGS, Query()), clip_store.read(armature, action)
    np.testing.assert_allclose(said["frames"], [clip.start, clip.end], atol=1.0)
    first, last = said["maximum_speed_frames"]
    assert last - first == pytest.approx(SETTINGS.sustained_seconds * fps / base, abs=1.1)
    # it stands for a second
    assert clip.start + fps / base < first < last <= clip.end


@pytest.mark.variants(2)
@pytest.mark.parametrize("scale", [0.01, 1.0, 100.0])
def test_metres_by_the_scenes_units(fresh_file: None, scale: float) -> None:
    bpy.context.scene.render.fps = 30
    armature = walkers.character()
    action = start_and_turn(armature, "Go", 30.0)
    bpy.context.scene.unit_settings.system = "METRIC"
    bpy.context.scene.unit_settings.scale_length = scale
    _, found = measured(armature, action)
    assert found.maximum_speed == pytest.approx(SPEED * scale, rel=0.03)
    assert found.speeds[0].fit.half_life == pytest.approx(HALF, rel=0.05)


@pytest.mark.variants(3)
@pytest.mark.parametrize("axis", root_motion.AXES)
def test_turns_do_not_depend_on_the_forward_axis(fresh_file: None, axis: str) -> None:
    bpy.context.scene.render.fps = 30
    armature = walkers.character()
    _, found = measured(armature, start_and_turn(armature, "Go", 30.0), Query(axis=axis))
    assert [turn.change for turn in found.turns] == pytest.approx([TURN], rel=0.03)


def test_constraints_take_blenders_own_evaluation_and_leave_the_scene(fresh_file: None) -> None:
    bpy.context.scene.render.fps = 30
    armature = walkers.character()
    action = start_and_turn(armature, "Go", 30.0)
    _, plain = measured(armature, action)
    bpy.context.scene.frame_set(17)
    constraint = armature.pose.bones["Leg"].constraints.new("LIMIT_ROTATION")
    constraint.use_limit_x = True
    clip = clip_store.read(armature, action)
    assert influence.why_not_plain(armature, (clip,))
    _, played = measured(armature, action)
    assert bpy.context.scene.frame_current == 17
    np.testing.assert_allclose(played.curves.speed, plain.curves.speed, atol=2e-3)
    turned = [found.curves.facing - found.curves.facing[0] for found in (played, plain)]
    np.testing.assert_allclose(*turned, atol=1e-4)


def test_actions_that_move_the_armature_are_usable_alone(fresh_file: None) -> None:
    armature = walkers.character()
    go = start_and_turn(armature, "Go", 24.0, step=24)
    other = builders.action("Other")
    builders.curve(other, builders.bone_path("Nobody", "location"), 0, [(1, 0), (9, 1)])
    builders.action("Empty")
    assert clip_store.find_fitting(armature) == [go]


@pytest.mark.parametrize(("wrong", "match"), [("W", "forward axis"), ("", "forward axis")])
def test_axes_that_are_none(wrong: str, match: str) -> None:
    with pytest.raises(InertiaError, match=match):
        Query(axis=wrong)


def test_a_bone_that_is_not_there(fresh_file: None) -> None:
    armature = walkers.character()
    action = start_and_turn(armature, "Go", 24.0, step=24)
    with pytest.raises(InertiaError, match='no bone "Pelvis"'):
        measured(armature, action, Query("Pelvis"))


def test_values_are_json_and_csv(fresh_file: None) -> None:
    bpy.context.scene.render.fps = 30
    armature = walkers.character()
    read, found = measured(armature, start_and_turn(armature, "Go", 30.0))
    values = root_motion.values(read, found, SETTINGS, Query())
    assert values["total_turn"] == pytest.approx(200.0, rel=0.03)
    (ramp,) = values["speed_ramps"]
    assert ramp["low_seconds"] < ramp["least_squares_seconds"] < ramp["high_seconds"]
    assert ramp["verdict"] == ""
    rows = [line.split(",") for line in root_motion.as_csv([values]).splitlines()]
    assert rows[0] == list(root_motion.COLUMNS)
    assert [row[:2] for row in rows[1:]] == [["Go", "speed"], ["Go", "turn"]]


FORWARD = {"Fox": (0.0, -1.0), "RobotExpressive": (0.0, -1.0), "Knight": (0.0, -1.0), "cmu127": (0.0, -1.0)}


@pytest.mark.data
@pytest.mark.brief(name=("Fox", "RobotExpressive"))
@pytest.mark.variants(2)
@pytest.mark.parametrize("name", FORWARD)
def test_real_rigs_face_blenders_front(name: str, data_dir: Path) -> None:
    armature, _ = clips.load(name, data_dir)
    ahead = np.array(armature.matrix_world, float)[:3, :3] @ facing.rest_forward(read_character(armature))
    ahead /= np.linalg.norm(ahead)
    assert float(ahead[:2] @ np.array(FORWARD[name])) > math.cos(math.radians(25.0))


@pytest.mark.data
@pytest.mark.slow
def test_real_starts_stops_and_turns(data_dir: Path) -> None:
    armature, names = clips.load("cmu127", data_dir)

    @functools.cache
    def found(part: str) -> Any:
        (name,) = [name for name in names if part in name]
        return measured(armature, bpy.data.actions[name], settings=Settings())[1]

    start = found("_03_run")
    assert len(start.speeds) == 1
    assert start.speeds[0].change == pytest.approx(4.8, abs=0.3)
    assert start.speeds[0].ends_after
    parts = ("_05_", "_17_", "_18_", "_19_", "_20_")
    stops = [part for part in parts if any(part in name for name in names)]
    assert len(stops) >= 2
    for part in stops:
        stop = found(part)
        assert stop.speeds[0].change < -3.0
        assert stop.speeds[0].is_spring
    assert [ramp.change > 0.0 for ramp in found("_17_").speeds] == [False, True]
    turn = found("_15_")
    assert math.degrees(turn.main_turn.change) == pytest.approx(70.0, abs=8.0)
    assert turn.main_turn.is_spring
    still = found("_01_motorcycle")
    assert not still.travels
    assert still.speeds == ()
