# SPDX-License-Identifier: GPL-3.0-or-later
"""The command ``fill``, and fills from a spec."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import pytest

from inertia_addon.blender.data import recipe
from tests.batch.library_files import Batch, events, write_spec
from tests.batch.small_rig import Run

Inertia = Callable[..., Run]
GAP = ("--source", "Walk", "--destination", "Turn", "--cut", 20, "--destination-frame", 30)


@pytest.fixture
def file(tmp_path: Path, walker: bytes) -> Path:
    path = tmp_path / "walker.blend"
    path.write_bytes(walker)
    return path


def test_a_gap_is_filled_told_and_written(inertia: Inertia, file: Path, tmp_path: Path) -> None:
    words = ("fill", file, *GAP, "--gap-frames", 12, "--at", "0.1,-0.9,-80", "--json")
    told = inertia(*words).json
    assert "result" not in told
    assert told["arrival"] == 32
    assert told["goal"] == "place"
    assert told["arrives_at"] == pytest.approx([0.1, -0.9, -80.0])
    out = tmp_path / "out.blend"
    assert {choice["rating"] for choice in told["choices"]} <= {"GOOD", "FAIR", "POOR"}
    assert sum("costs" not in choice for choice in told["choices"]) == 1
    taken = inertia(*words, "-o", out).json
    assert taken["clips"] == told["clips"]
    assert taken["has_clips"] == bool(taken["clips"])
    by_cost = (*words, "--choose-by", "cost")
    baked = inertia(*by_cost, "-o", out).json
    assert baked["clips"] == inertia(*by_cost).json["clips"]
    assert len(baked["verdicts"]) == len(baked["clips"]) + 1
    bpy.ops.wm.open_mainfile(filepath=str(out))
    assert recipe.kind(bpy.data.actions[baked["result"]]) == recipe.FILL
    # feet are locked over the gap; where they are not, what no verdict on a join sees is told beside it
    assert not [said for said in baked["warnings"] if "Feet skate" in said]
    free = inertia(*words[:-1], "--choose-by", "cost", "--feet", "off", "-o", out)
    assert "note: Feet skate between the joins" in free.err
    assert "32: the arrival; drawn by" in free.out


def test_fill_says_that_it_goes_without_clips(inertia: Inertia, file: Path, tmp_path: Path) -> None:
    words = ("fill", file, *GAP, "--no-library", "-o", tmp_path / "out.blend")
    assert "no clips, each bone leads from pose to pose" in inertia(*words).out
    # what is placed nowhere is where the motion leads, unless it is to stay where it is keyed
    goals = [inertia(*words, *more, "--json").json["goal"] for more in ((), ("--goal", "own"))]
    assert goals == ["lead", "own"]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--at", "here"), "is not a place to arrive at"),
        (("--half-life", "0.2"), "choose the method quintic or cubic"),
        (("--gap-frames", "0"), "gap"),
        (("--obstacles", "Posts", "--no-library"), "Only clips lead around obstacles"),
    ],
)
def test_a_gap_that_is_none_is_refused(
    inertia: Inertia, file: Path, more: tuple[str, ...], said: str
) -> None:
    done = inertia("fill", file, *GAP, *more)
    assert (done.code, said in done.err) == (2, True), done.err


def test_a_take_is_filled_between_two_of_its_keys(inertia: Inertia, file: Path, tmp_path: Path) -> None:
    words = ("fill", file, "--source", "Walk", "--keys", 20, 32, "-o", tmp_path / "out.blend", "--json")
    told = inertia(*words).json
    assert (told["arrival"], told["goal"]) == (32, "own")
    settings = told["settings"]["transition"]
    assert (settings["source"], settings["destination"]) == ("Walk", "Walk")
    assert (settings["cut"], settings["destination_frame"]) == (20.0, 32.0)
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "out.blend"))
    made, walk = bpy.data.actions[told["result"]], bpy.data.actions["Walk"]
    assert tuple(made.frame_range) == tuple(walk.frame_range)
    # three frames are no time for clips, which is said
    short = inertia("fill", file, "--source", "Walk", "--keys", 20, 23, "-o", tmp_path / "out.blend")
    assert "too short for clips" in short.err
    assert "23: the arrival; no clips" in short.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "the following arguments are required: --source"),
        (("--source", "Walk"), "Name the destination and the cut, or two keys of the source"),
        (("--source", "Walk", "--destination", "Turn"), "Name the cut, or two keys of the source"),
    ],
)
def test_a_gap_without_ends_is_refused(
    inertia: Inertia, file: Path, words: tuple[str, ...], said: str
) -> None:
    done = inertia("fill", file, *words)
    assert (done.code, said in done.err) == (2, True), done.err


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--keys", 32, 20), "name the earlier one first"),
        (("--keys", 20, 32, "--cut", 5), "leave cut away"),
    ],
)
def test_keys_that_leave_no_gap_are_refused(
    inertia: Inertia, file: Path, more: tuple[Any, ...], said: str
) -> None:
    done = inertia("fill", file, "--source", "Walk", *more)
    assert (done.code, said in done.err) == (2, True), done.err


def test_gaps_are_filled_of_a_spec(file: Path, tmp_path: Path, batch: Batch) -> None:
    gap = {"source": "Walk", "destination": "Walk", "cut": 20, "destination_frame": 30, "gap_frames": 15}
    out = tmp_path / "out"
    done = batch(write_spec(tmp_path, {"files": ["walker.blend"], "fills": [gap]}), out, "--json")
    assert done.code == 0, done.err
    (said,) = (event for event in events(done) if event["event"] == "done")
    assert said["arrival"] == 35
    assert (out / "Walk_to_Walk_filled_20.blend").exists()
    for wrong, word in (({"actions": ["Trot"]}, "Trot"), ({"destination_frame": 300}, "300")):
        spec = write_spec(tmp_path, {"files": ["walker.blend"], "fills": [{**gap, **wrong}]})
        done = batch(spec, out)
        assert (done.code != 0, word in done.err) == (True, True), done.err


def test_gaps_between_keys_are_filled_of_a_spec(file: Path, tmp_path: Path, batch: Batch) -> None:
    out, gap = tmp_path / "out", {"source": "Walk", "keys": [20, 32]}
    done = batch(write_spec(tmp_path, {"files": ["walker.blend"], "fills": [gap]}), out, "--json")
    assert done.code == 0, done.err
    (said,) = (event for event in events(done) if event["event"] == "done")
    assert said["arrival"] == 32
    assert (out / "Walk_to_Walk_filled_20.blend").exists()
    wrong = ({**gap, "keys": [32, 20]}, "the earlier frame first"), ({**gap, "cut": 3}, "it with keys")
    for entry, word in (*wrong, ({"source": "Walk", "cut": 3}, "a destination, or keys")):
        done = batch(write_spec(tmp_path, {"files": ["walker.blend"], "fills": [entry]}), out)
        assert (done.code != 0, word in done.err) == (True, True), done.err
