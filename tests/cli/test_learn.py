# SPDX-License-Identifier: GPL-3.0-or-later
"""The command ``learn``: trained, stopped, resumed, checked, written for games, and followed with."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import math
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import bpy
import numpy as np
import pytest

from inertia_addon.blender.data.recipe_reader import read_recipe
from inertia_addon.blender.evaluation import joint_motion
from inertia_addon.blender.learned import files, follow, recipes
from inertia_addon.blender.matching import followed
from inertia_addon.motion.learned.model import both
from inertia_addon.tasks import learned
from tests.batch.small_rig import Run
from tests.blender import stepper, wanderer
from tests.players import learned as player

Inertia = Callable[..., Run]

SMALL = ("--mirror", "--hidden", "12", "--latent", "3", "--windows", "4", "--json")


FEW = (*SMALL[1:], "--iterations", "3")
"""Of a model that has hardly learned, which takes as little time as it can."""
_kept: list[bytes] = []
"""The file of such a model, once one is learned."""


@pytest.fixture
def file(tmp_path: Path, walker: bytes) -> Path:
    path = tmp_path / "walker.blend"
    path.write_bytes(walker)
    return path


@pytest.fixture
def short_file(tmp_path: Path, fresh_file: None) -> Path:
    """Three of its clips and their mirror images, of 101 frames at 60 a second, are just enough to learn."""
    wanderer.with_clips(frames=41)
    for action in bpy.data.actions:
        action.use_fake_user = True
    path = tmp_path / "walker.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


@pytest.fixture
def model(inertia: Inertia, file: Path, tmp_path: Path) -> Path:
    """A model of the file's clips that has hardly learned."""
    path = tmp_path / "model.npz"
    if not _kept:
        assert inertia("learn", file, "--armature", "Walker", *FEW, "-o", path).code == 0
        _kept.append(path.read_bytes())
    path.write_bytes(_kept[0])
    return path


@pytest.mark.slow  # those of others train and follow under every version
def test_a_model_is_learned_checked_written_and_followed(
    inertia: Inertia, short_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = short_file
    model, words = tmp_path / "model.npz", ("learn", file, *SMALL, "--iterations", "30")
    # Ctrl-C, before the first step is done
    with monkeypatch.context() as patched:
        patched.setattr(learned, "interrupts", SimpleNamespace(taken_by=_stopping))
        stopped = inertia(*words, "-o", model)
    assert "--resume goes on" in stopped.err
    told = json.loads(stopped.out)
    assert 0.0 < told["done"] < 0.1
    assert told["stage"] == "decompressor"
    assert files.load(model).held is not None
    done = inertia(*words, "-o", model, "--resume", "--bin", tmp_path / "bin", "--licence", "")
    told = json.loads(done.out)
    assert told["done"] == 1.0
    assert told["frames"] == 8 * 101
    assert [each["clip"] for each in told["check"]["clips"]][:2] == ["Bend", "Stand"]
    assert inertia(*words, "-o", model, "--resume").code == 1
    checked = json.loads(inertia("learn", file, "--check", model, "--json").out)
    assert checked["check"] == told["check"]
    _play(model, tmp_path / "bin")
    # the latents are of the frames of the game's own database
    words = ("database", file, "--mirror", "--no-find-cycles", "--bin", tmp_path)
    assert inertia(*words).out.startswith("8 clips, ")
    assert (tmp_path / "features.bin").read_bytes() == (tmp_path / "bin" / "features.bin").read_bytes()
    # what a game plays is looked at, and followed with, as the model is; here with some of its clips
    some = ("learn", file, "--json", "--actions", "Walk", "Turn", "Bend", "--check")
    known = json.loads(inertia(*some, model, "--bin", tmp_path / "bin").out)["check"]
    seen = json.loads(inertia(*some, tmp_path / "bin", "--mirror").out)["check"]
    assert seen["whole"]["joints_cm"] == pytest.approx(known["whole"]["joints_cm"], rel=1e-3)
    assert seen["projector_cm"] == pytest.approx(known["projector_cm"], rel=1e-3)
    other = inertia("learn", file, "--check", tmp_path / "bin", "--mirror")
    assert "trained on other clips" in other.err
    _follow(inertia, file, model, tmp_path)
    _steer(inertia, file, model, tmp_path)


def _stopping(handler: Callable[[int, object], None]) -> object:
    handler(signal.SIGINT, None)
    return contextlib.nullcontext()


def _play(path: Path, folder: Path) -> None:
    """The .bin files are the model's networks."""
    model = files.load(path).model
    held = {
        name: player.network((folder / f"{name}.bin").read_bytes()) for name in ("decompressor", "stepper")
    }
    latents = player.latents((folder / "latent.bin").read_bytes())
    assert len(latents) == model.frames
    example = both(np.zeros((1, model.features), np.float32), np.array(latents[:1], np.float32))
    for name, network in held.items():
        np.testing.assert_allclose(
            player.run(network, example[0]), model.network(name)(example)[0], rtol=1e-3, atol=1e-4
        )
    assert len(player.network((folder / "projector.bin").read_bytes())["layers"]) == 5


def _follow(inertia: Inertia, file: Path, model: Path, folder: Path) -> None:
    points = wanderer.csv_of(folder / "line.csv", [(0.0, 0.0), (0.6, 0.0)], "x,y")
    out = folder / "out.blend"
    words = ("path", file, "--points", points, "--model", model, "--json")
    searched = json.loads(inertia(*words).out)
    assert "result" not in searched
    baked = json.loads(inertia(*words, "-o", out).out)
    assert baked["path_rms_m"] == searched["path_rms_m"]
    bpy.ops.wm.open_mainfile(filepath=str(out))
    assert baked["result"] in bpy.data.actions
    # the same networks, as a game has them
    words_of_bin = [folder / "bin" if word == model else word for word in words]
    how = ("--speed", "constant", "0.6")
    by_bin, known = (json.loads(inertia(*own, *how).out) for own in (words_of_bin, words))
    assert by_bin["seconds"] == known["seconds"]
    assert by_bin["path_rms_m"] == pytest.approx(known["path_rms_m"], rel=0.1)
    imported = folder / "imported.npz"
    done = inertia("learn", file, "--networks", folder / "bin", "-o", imported, "--json")
    told = json.loads(done.out)
    assert (told["written"], told["offsets_found"], told["notes"]) == ([str(imported)], False, [])
    assert told["speeds_m_s"]
    again = json.loads(inertia(*[imported if word == model else word for word in words], *how).out)
    assert again["path_rms_m"] == by_bin["path_rms_m"]
    assert "have no Compressor; check the folder" in inertia("learn", file, "--check", imported).err
    assert inertia("learn", file, "--networks", folder / "bin", "-o", imported, "--gate").code == 2
    assert "is not a folder" in inertia("learn", file, "--networks", model, "-o", imported).err
    # networks that have hardly learned don't tell what their features mean
    (folder / "bin" / "features.bin").unlink()
    assert 'add the "features.bin" of the database' in inertia(*words_of_bin).err
    (folder / "bin" / "stepper.bin").rename(folder / "bin" / "away.bin")
    assert 'has no "stepper.bin"' in inertia(*words_of_bin).err
    assert inertia(*words, "--ground", "plane").code == 1
    searching = inertia(*words, "--greedy")
    assert searching.code == 2
    assert "--greedy is for the search" in searching.err


def _steer(inertia: Inertia, file: Path, model: Path, folder: Path) -> None:
    wished, out = folder / "wishes.csv", folder / "take.blend"
    wished.write_text("0,0,0\n0.3,0.8,0\n0.7,0,5\n1.2,0,0\n", encoding="utf-8")
    words = ("steer", file, "--input", wished, "--start", "1,2,0", "--model", model, "--json")
    expected = json.loads(inertia(*words).out)
    assert "result" not in expected
    # no clip goes five metres a second
    assert any("The wishes ask for 5.0 m/s" in text for text in expected["warnings"])
    baked = json.loads(inertia(*words, "-o", out).out)
    assert (baked["result"], baked["seconds"]) == ("Steered", pytest.approx(1.2, abs=0.05))
    assert baked["path_rms_m"] == expected["path_rms_m"] < 0.3
    checked = json.loads(inertia("check", out, "--action", "Steered", "--json").out)
    assert checked["verdict"] == baked["verdict"]
    for more, said in (
        (("--mirror",), "--mirror is for the search"),
        (("--moves", "Bend"), "--moves are clips"),
        (("--ground", "plane"), "--ground"),
    ):
        refused = inertia(*words, *more)
        assert refused.code in (1, 2)
        assert said in refused.err or "floor of its clips" in refused.err
    wished.write_text("0,0,0\n0.5,0.8,0,,Bend\n2.5,0,0\n", encoding="utf-8")
    assert 'leave "Bend" out' in inertia(*words).err


def test_a_crowd_follows_paths_of_its_own(inertia: Inertia, file: Path, model: Path, tmp_path: Path) -> None:
    bpy.ops.wm.open_mainfile(filepath=str(file))
    wanderer.crowd()
    bpy.ops.wm.save_mainfile()
    out = tmp_path / "out.blend"
    words = ("path", file, "--model", model, "--json", "--crowd")
    who = ("Walker=Way 0", "Walker.001=Way 1", "Walker.002=Ball")
    found = inertia(*words, *who)
    assert "note: Not yet usable: " in found.err
    searched = json.loads(found.out)["crowd"]
    told = json.loads(inertia(*words, *who, "--result", "Stroll", "-o", out).out)["crowd"]
    assert [one["armature"] for one in told] == ["Walker", "Walker.001", "Walker.002"]
    assert [one["followed"] for one in told] == ["Way 0", "Way 1", "Ball"]
    assert [one["path_rms_m"] for one in told] == [one["path_rms_m"] for one in searched]
    # the ball's own timing is followed
    assert told[2]["seconds"] == pytest.approx(1.0, abs=0.02)
    bpy.ops.wm.open_mainfile(filepath=str(out))
    for one in told:
        assert bpy.data.objects[one["armature"]].animation_data.action.name == one["result"]
        assert one["result"] == f"Stroll, {one['armature']}"
    # all or nothing, in one sentence
    for wrong, why in (
        (("Walker=Nowhere",), 'no curve "Nowhere"'),
        (("Nobody=Way 0",), "Nobody"),
    ):
        done = inertia(*words, *wrong, "-o", out)
        assert (done.code, why in done.err) == (1, True)
    for wrong in (
        ("Walker",),
        ("Walker=Way 0", "Walker=Way 1"),
        ("Walker=Way 0", "--curve", "Way 1"),
        ("Walker=Way 0", "-o", tmp_path / "out.glb"),
    ):
        assert inertia(*words, *wrong).code == 2
    assert inertia("path", file, "--crowd", "Walker=Way 0").code == 2


def test_a_crowd_keeps_apart_and_each_is_made_anew_past_the_others(
    inertia: Inertia, file: Path, model: Path, tmp_path: Path
) -> None:
    bpy.ops.wm.open_mainfile(filepath=str(file))
    first = bpy.data.objects["Walker"]
    other = first.copy()
    bpy.context.collection.objects.link(other)
    other.animation_data_clear()
    # along the same line, from both ends: they would meet half-way
    wanderer.draw_curve("Street", 1.2)
    lane = wanderer.draw_curve("Lane", 1.2)
    lane.location.y, lane.rotation_euler.z = -1.2, math.pi
    wanderer.draw_curve("Path", 0.2)
    bpy.ops.wm.save_mainfile()
    out = tmp_path / "out.blend"
    words = ("path", file, "--model", model, "--json", "--crowd", "Walker=Street", "Walker.001=Lane")
    told = json.loads(inertia(*words, "--apart", "0.6", "-o", out).out)
    bpy.ops.wm.open_mainfile(filepath=str(out))
    made = [bpy.data.actions[one["result"]] for one in told["crowd"]]
    ways = [recipes.way_of(action) for action in made]
    gaps = np.linalg.norm(ways[0].wanted[:, None] - ways[1].wanted[None], axis=-1)
    at_once = min(gaps[min(i, len(gaps) - 1), min(i, len(gaps[0]) - 1)] for i in range(max(gaps.shape)))
    assert at_once >= 0.6
    assert np.abs(ways[0].wanted[:, 0]).max() < 0.01 < np.abs(ways[1].wanted[:, 0]).max()
    # what each was led past is in its recipe, by pointers that survive renaming
    assert recipes.beside_of(made[0]) is None
    made[0].name = "Renamed"
    beside = recipes.beside_of(made[1])
    assert beside is not None
    assert (beside.results, beside.distance >= 0.6) == ((made[0],), True)
    wider = recipes.beside_of(made[1], 1.0)
    assert wider is not None
    assert wider.distance == pytest.approx(beside.distance + 0.4)
    assert recipes.beside_of(made[1], 0.0) is None
    settings = read_recipe(made[1]).settings
    assert settings.apart == 0.6
    read = files.load(model).model
    aim = beside.past(follow.wanted(read, settings, followed.course(settings)))
    stored = np.linspace(0, len(aim.ground) - 1, len(ways[1].wanted))
    for i in range(2):
        again = np.interp(stored, np.arange(len(aim.ground)), aim.ground[:, i])
        np.testing.assert_allclose(again, ways[1].wanted[:, i], atol=0.02)
    # how near the hips come is said, and a warning where that is nearer than was asked for
    assert (told["nearest_m"] < 0.6) is any("of each other" in text for text in told["warnings"])
    alone = json.loads(inertia(*words, "--apart", "0").out)
    assert alone["nearest_m"] >= 0.0
    one = ("path", file, "--model", model, "--crowd", "Walker=Path")
    assert json.loads(inertia(*one, "--json").out)["nearest_m"] is None
    assert "hips" not in inertia(*one).out
    lonely = inertia("path", file, "--curve", "Street", "--model", model, "--apart", "1")
    assert (lonely.code, "--apart is for a --crowd" in lonely.err) == (2, True)


def test_clips_that_can_not_be_learned_are_told(inertia: Inertia, file: Path, tmp_path: Path) -> None:
    out = tmp_path / "model.npz"
    few = inertia("learn", file, "--actions", "Walk", "Turn", "-o", out)
    assert few.code == 1
    assert "302 frames" in few.err
    assert "600" in few.err
    still = inertia("learn", file, "--actions", "Stand", "-o", out)
    assert "stay in place" in still.err
    assert not out.exists()
    out.write_bytes(b"no model")
    assert "is not a model" in inertia("learn", file, "--check", out).err
    assert "is not a model" in inertia("learn", file, "-o", out, "--resume").err
    for wrong in ((), ("--resume",), ("-o", out, "--check", out), ("-o", tmp_path / "model.bin")):
        assert inertia("learn", file, *wrong).code == 2


def test_onnx_that_is_missing_is_told(
    inertia: Inertia, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)
    done = inertia("learn", file, "-o", tmp_path / "model.npz", "--onnx", tmp_path)
    assert done.code == 1
    assert "needs the Python package onnx" in done.err


@pytest.mark.parametrize("last", [1_000_000, 10_000_000])
def test_an_action_that_goes_on_for_ever_is_refused_before_it_is_read(
    inertia: Inertia, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, last: int
) -> None:
    bpy.ops.wm.open_mainfile(filepath=str(file))
    for curve in wanderer.bags(bpy.data.actions["Walk"])[0]:
        curve.keyframe_points.insert(last, curve.keyframe_points[-1].co.y)
    bpy.ops.wm.save_mainfile()
    looked_at: list[object] = []
    monkeypatch.setattr(joint_motion, "with_points", lambda *rest: looked_at.append(rest))
    for words in (
        ("learn", file, "-o", tmp_path / "model.npz"),
        ("database", file, "-o", tmp_path / "set.npz"),
        ("database", file, "--bin", tmp_path / "bin"),
    ):
        done = inertia(*words, "--armature", "Walker")
        assert done.code == 1
        assert '"Walk" is too long to check frame by frame' in done.err
        assert "cut it into actions of" in done.err
    assert looked_at == []


def test_clips_beyond_the_room_there_is_are_refused(
    inertia: Inertia, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # eight clips and mirror images of two and a half seconds, with eleven bones
    monkeypatch.setattr(joint_motion, "MOST_POSES", 8 * 151 * 11 - 1)
    words = ("--armature", "Walker", "--mirror", "--iterations", "1", "-o", tmp_path / "model.npz")
    done = inertia("learn", file, *words)
    assert done.code == 1
    assert "have 1208 frames at 60 a second" in done.err
    assert "an armature of 11 bones leaves room for 1207" in done.err


def test_a_finished_model_is_there_until_the_next_one_is(
    inertia: Inertia, file: Path, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "set.npz"
    words = ("learn", file, *FEW, "-o")
    # what has hardly learned glides, which a pipeline can stop at
    gated = inertia("learn", file, "--check", model, "--json", "--gate")
    seen = json.loads(gated.out)["usability"]
    assert (gated.code, seen["is_usable"], seen["minutes_more"]) == (1, False, None)
    assert seen["said"].startswith("Not yet usable: learn longer. It drifts ")
    assert f"gate: model of all actions: {seen['said']}" in gated.err
    old = model.read_bytes()
    with monkeypatch.context() as patched:
        patched.setattr(learned, "interrupts", SimpleNamespace(taken_by=_stopping))
        stopped = inertia(*words, model, "--seed", "5")
    assert stopped.code == 0
    draft = tmp_path / "model.learning.npz"
    assert json.loads(stopped.out)["written"] == [str(draft)]
    assert str(draft) in stopped.err
    assert model.read_bytes() == old
    done = inertia(*words, model, "--seed", "5", "--resume")
    assert json.loads(done.out)["written"] == [str(model)]
    assert (tmp_path / "model.npz1").read_bytes() == old != model.read_bytes()
    assert not draft.exists()
    # models and analysed sets keep out of each other's way, and nothing else is replaced by either
    assert inertia("database", file, "--armature", "Walker", "-o", other).code == 0
    photograph = tmp_path / "photograph.npz"
    photograph.write_bytes(b"a photograph")
    for command, out, said in (
        (words, other, "is not a model and won't be overwritten"),
        (words, photograph, "is not a model and won't be overwritten"),
        (("database", file, "-o"), model, "is not an analysed set and won't be overwritten"),
        (("database", file, "-o"), photograph, "is not an analysed set and won't be overwritten"),
    ):
        before = out.read_bytes()
        refused = inertia(*command, out, "--armature", "Walker")
        assert (refused.code, said in refused.err) == (1, True), refused.err
        assert f'"{out.name}"' in refused.err
        assert out.read_bytes() == before


def test_a_model_whose_legs_have_changed_is_checked_in_a_sentence(
    inertia: Inertia, file: Path, model: Path
) -> None:
    whole = files.load(model).model
    others = dataclasses.replace(whole.skeleton, feet=("hand.L", "hand.R"))
    files.save(model, dataclasses.replace(whole, skeleton=others))
    done = inertia("learn", file, "--check", model)
    assert done.code == 1
    assert '"model.npz": The model was trained with the feet hand.L, hand.R' in done.err


def test_a_model_of_another_skeleton_is_not_taken(
    inertia: Inertia, file: Path, model: Path, tmp_path: Path
) -> None:
    bpy.ops.wm.open_mainfile(filepath=str(file))
    data = stepper.biped("Other").data
    bpy.ops.object.mode_set(mode="EDIT")
    data.edit_bones["chest"].name = "trunk"
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.wm.save_mainfile()
    line = wanderer.csv_of(tmp_path / "line.csv", [(0.0, 0.0), (1.2, 0.0)], "x,y")
    done = inertia("path", file, "--armature", "Other", "--points", line, "--model", model)
    assert done.code == 1
    assert 'another skeleton than that of "Other"' in done.err
    assert '"chest"' in done.err
    bpy.ops.wm.open_mainfile(filepath=str(file))
    bpy.data.objects["Walker"].scale = (2.0, 2.0, 2.0)
    bpy.ops.wm.save_mainfile()
    done = inertia("learn", file, "--armature", "Walker", "--check", model)
    assert done.code == 1
    assert "2 times as long" in done.err
