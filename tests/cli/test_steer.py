# SPDX-License-Identifier: GPL-3.0-or-later
"""The command ``steer``, and takes from a spec: what is wished becomes a path that can be made anew."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from inertia_addon import api
from inertia_addon.blender.data import actions, clip_store, recipe
from inertia_addon.blender.data.recipe_reader import read_recipe
from inertia_addon.blender.data.rigs import read as read_rig
from inertia_addon.blender.data.roots import find_root
from inertia_addon.blender.evaluation import joint_motion
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.matching import action_set, bake, followed, quality, search
from inertia_addon.motion.matching import clip_sequence
from inertia_addon.motion.steps import finish
from inertia_addon.settings.matching import PART_WEIGHTS, PathSettings, joined_by
from inertia_addon.settings.steering import SteerSettings
from inertia_addon.settings.transition import TransitionSettings
from tests.batch.library_files import Batch, events, write_spec
from tests.batch.small_rig import Run
from tests.blender import wanderer

Inertia = Callable[..., Run]
WISHES = "seconds,x,y,facing\n0,0,0,\n0.3,0,-0.6,\n0.9,0.6,0,\n1.5,0,0,\n1.7,0,0,\n"


@pytest.fixture
def file(tmp_path: Path, walker: bytes) -> Path:
    path = tmp_path / "walker.blend"
    path.write_bytes(walker)
    (tmp_path / "wishes.csv").write_text(WISHES, encoding="utf-8")
    return path


def keys_of(name: str) -> list[tuple[Any, ...]]:
    """All keys of an action's curves."""
    return sorted(
        (curve.data_path, curve.array_index, *(tuple(key.co) for key in curve.keyframe_points))
        for curves in wanderer.bags(bpy.data.actions[name])
        for curve in curves
    )


def test_a_take_is_baked_told_and_the_same_again(inertia: Inertia, file: Path, tmp_path: Path) -> None:
    words = ("steer", file, "--input", tmp_path / "wishes.csv", "--mirror", "--json")
    words += ("--start", "1,2,-90")
    before = file.read_bytes()
    told = inertia(*words).json
    assert "result" not in told
    found = []
    for name in ("one", "other"):
        out = tmp_path / f"{name}.blend"
        baked = inertia(*words, "-o", out).json
        assert baked["joins"][0]["to"] == told["joins"][0]["to"]
        assert baked["path_rms_m"] < 0.2
        bpy.ops.wm.open_mainfile(filepath=str(out))
        assert recipe.is_baked(bpy.data.actions[baked["result"]], recipe.PATH)
        found.append(keys_of(baked["result"]))
    assert found[0] == found[1]
    assert file.read_bytes() == before
    checked = inertia("check", tmp_path / "one.blend", "--action", baked["result"], "--json").json
    assert checked["verdict"] == baked["verdict"]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--start", "here"), "not a place to begin at"),
        (("--curve", "Street"), "--curve"),
        (("--strips", "-o", "out.glb"), "Only a .blend file holds strips"),
    ],
)
def test_a_take_that_is_none_is_refused(
    inertia: Inertia, file: Path, tmp_path: Path, more: tuple[str, ...], said: str
) -> None:
    done = inertia("steer", file, "--input", tmp_path / "wishes.csv", *more)
    assert (done.code, said in done.err) == (2, True), done.err


def test_a_file_that_holds_no_wishes_names_its_line(inertia: Inertia, file: Path, tmp_path: Path) -> None:
    (tmp_path / "wishes.csv").write_text("0,0,0\n1,fast,0\n", encoding="utf-8")
    done = inertia("steer", file, "--input", tmp_path / "wishes.csv")
    assert (done.code, 'Line 2 of "wishes.csv"' in done.err) == (1, True), done.err


def test_takes_are_made_of_a_spec(file: Path, tmp_path: Path, batch: Batch) -> None:
    out = tmp_path / "out"
    take = {"input": "wishes.csv", "start": "1,2,-90", "mirror": True}
    done = batch(write_spec(tmp_path, {"files": ["walker.blend"], "takes": [take]}), out, "--json")
    assert done.code == 0, done.err
    (said,) = (event for event in events(done) if event["event"] == "done")
    assert said["path_rms_m"] < 0.2
    assert (out / "take_wishes.blend").exists()
    wrong = {**take, "actions": ["Walk", "Trot"]}
    done = batch(write_spec(tmp_path, {"files": ["walker.blend"], "takes": [wrong]}), out)
    assert done.code != 0
    assert "Trot" in done.err


ANSWERS = SteerSettings(
    wished_as="STICK",
    walk_forward=1.0,
    filter_half_life=0.2,
    snap_speed=0.4,
    velocity_half_life=0.27,
    adjust=False,
    clamp_angle=90.0,
)
WEIGHTS = {"foot_position_weight": 0.75, "hip_position_weight": 0.0}


def test_answers_to_wishes_are_asked_of_the_command_and_are_in_the_recipe(
    inertia: Inertia, file: Path, tmp_path: Path
) -> None:
    words = ("steer", file, "--input", tmp_path / "wishes.csv", "--start", "1,2,-90", "--json")
    words += ("--wished-as", "stick", "--walk-forward", 1, "--filter-half-life", 0.2, "--snap-speed", 0.4)
    words += ("--velocity-half-life", 0.27, "--no-adjust", "--clamp-angle", 90)
    words += ("--foot-position-weight", 0.75, "--hip-position-weight", 0)
    told = inertia(*words, "-o", tmp_path / "out.blend").json
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "out.blend"))
    asked = read_recipe(bpy.data.actions[told["result"]]).settings
    for settings in (asked, PathSettings.from_dict(told["settings"])):
        assert settings.steer == ANSWERS
        assert {name: getattr(settings, name) for name in WEIGHTS} == WEIGHTS
    assert {*ANSWERS.as_dict(), *WEIGHTS} <= {*api.settings("steer")}


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--wished-as", "stick"), "has a length of 2 at most: 1 walks, and 2 runs"),
        (("--features", "inertialization", "--hip-velocity-weight", 2), "weights of their own only where"),
        (("--clamp-angle", 200), "from 0 to 180"),
    ],
)
def test_a_wish_that_can_not_be_answered_is_refused(
    inertia: Inertia, file: Path, tmp_path: Path, more: tuple[Any, ...], said: str
) -> None:
    (tmp_path / "wishes.csv").write_text(WISHES.replace("0.9,0.6", "0.9,2.6"), encoding="utf-8")
    before = file.read_bytes()
    done = inertia("steer", file, "--input", tmp_path / "wishes.csv", *more, "-o", tmp_path / "out.blend")
    assert (done.code != 0, said in done.err) == (True, True), done.err
    assert file.read_bytes() == before
    assert not (tmp_path / "out.blend").exists()


def test_a_take_of_before_has_the_answers_of_before() -> None:
    stored = settings().as_dict()
    # what did not exist then is not told where it is as it was then
    assert not {"steer", *PART_WEIGHTS} & {*stored}
    assert PathSettings.from_dict(stored) == settings()


# --- what was steered and what is played of it


def settings(**values: Any) -> PathSettings:
    own = TransitionSettings(**joined_by({"assign": False, "feet": "OFF"}))
    rows = tuple(WISHES.splitlines()[1:])
    return PathSettings(own, wanderer.CLIPS, mirror=True, wishes=rows, start=(1.0, 2.0, -90.0), **values)


def steered(armature: Any, asked: PathSettings) -> search.PathPlan:
    weights = dict.fromkeys(("hips", "shin.L", "shin.R"), 1.0)
    analysed = finish(action_set.analyse_steps(read_character(armature), asked, weights))
    return finish(search.search_path_steps(analysed, asked, followed.course(asked)))


def root_of(armature: Any, action: str, slot: str, frames: np.ndarray) -> np.ndarray:
    clip = clip_store.read(armature, actions.find(action), slot)
    root = find_root(read_rig(armature), [clip], "")
    return joint_motion.evaluate(read_character(armature), clip, frames, root).root_position


def test_the_baked_root_goes_where_it_was_steered_and_a_recipe_makes_it_anew(fresh_file: None) -> None:
    armature = wanderer.with_clips()
    found = steered(armature, settings())
    report = finish(bake.bake_way_steps(armature, found))
    frames = report.frame_range[0] + np.arange(found.way.frames, dtype=float) * found.stock.step
    assert report.frame_range[1] == pytest.approx(frames[-1])
    shown = root_of(armature, report.result, report.slot, frames)[:, :2]
    assert shown[0] == pytest.approx((1.0, 2.0), abs=0.05)
    assert np.abs(shown - found.warped.ground).max() < 0.1
    measured = finish(quality.measure_path_steps(armature, found, report))
    assert measured.apart_rms_m < 0.03
    assert len(measured.verdicts) == len(found.way.joins) - 1
    stored = read_recipe(bpy.data.actions[report.result])
    asked, weights = stored.settings, stored.weights
    assert asked.wishes == settings().wishes
    before = keys_of(report.result)
    again = finish(action_set.analyse_steps(read_character(armature), asked, weights))
    anew = finish(search.search_path_steps(again, asked, followed.course(asked)))
    into = bpy.data.actions[report.result]
    made = finish(bake.bake_way_steps(armature, anew, into))
    assert made.result == report.result
    assert keys_of(made.result) == before


def test_a_pin_of_the_join_list_is_entered_in_a_take(fresh_file: None) -> None:
    armature = wanderer.with_clips()
    found = steered(armature, settings(pins=("Turn@10=1",)))
    entered = {
        round(join.frame / found.stock.database.fps, 3): found.stock.database.place(join.entered)
        for join in found.way.joins
    }
    source, frame = entered[1.0]
    assert (source.name, frame) == ("Turn", 10.0)


def test_a_join_says_why_it_was_taken_from_where_it_was(fresh_file: None) -> None:
    found = steered(wanderer.with_clips(), settings())
    away = np.linalg.norm(found.warped.ground - clip_sequence.wanted(found.way, found.target)[0], axis=1)
    assert np.sqrt(np.mean(away**2)) < 0.15
    for join in search.joins(found):
        # a tenth of a second at most a quarter of a metre away costs no more than this
        assert join["why"]["path"] < 1.0
    assert search.figures(found)["heading_deg"] < 30.0


def test_speeds_that_are_wished_and_not_had_are_said(fresh_file: None) -> None:
    armature = wanderer.with_clips()
    rows = ("0,0,0", "1,5,0", "4,0,0")
    found = steered(armature, dataclasses.replace(settings(), wishes=rows))
    assert any("The wishes ask for 5.0 m/s, but the clips only reach" in said for said in found.warnings)


def test_a_row_plays_a_move_which_the_recipe_knows_by_its_present_name(
    inertia: Inertia, file: Path, tmp_path: Path
) -> None:
    asked = "seconds,x,y,facing,move\n0,0,0,,\n0.3,0,-0.6,,\n1,0,-0.6,,Turn\n3.5,0,0,,\n"
    (tmp_path / "wishes.csv").write_text(asked, encoding="utf-8")
    out = tmp_path / "out.blend"
    words = ("steer", file, "--input", tmp_path / "wishes.csv", "--start", "0,0,-90", "--json")
    baked = inertia(*words, "--moves", "Bend", "-o", out).json
    turns = [join for join in baked["joins"] if join["to"]["action"] == "Turn"]
    assert len(turns) == 1
    assert 1.0 <= turns[0]["seconds"] <= 1.3 + 1e-6
    assert "Bend" not in {join["to"]["action"] for join in baked["joins"]}
    bpy.ops.wm.open_mainfile(filepath=str(out))
    bpy.data.actions["Turn"].name, bpy.data.actions["Bend"].name = "Spin", "Curve"
    settings = read_recipe(bpy.data.actions[baked["result"]]).settings
    assert settings.moves == ("Curve",)
    assert [wish.move for wish in settings.wished if wish.move] == ["Spin"]


def test_a_move_that_is_no_clip_is_refused(inertia: Inertia, file: Path, tmp_path: Path) -> None:
    (tmp_path / "wishes.csv").write_text("0,0,0\n1,0,-0.6,,Fly\n3,0,0\n", encoding="utf-8")
    done = inertia("steer", file, "--input", tmp_path / "wishes.csv")
    assert (done.code, "Fly" in done.err) == (1, True), done.err
