# SPDX-License-Identifier: GPL-3.0-or-later
"""The command ``path``: a character that goes along points, with what is told of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import bpy
import pytest

from inertia_addon.motion.judging.faults import RATED
from tests.batch.small_rig import Run
from tests.blender import wanderer

Inertia = Callable[..., Run]


@pytest.fixture
def file(tmp_path: Path, walker: bytes) -> Path:
    path = tmp_path / "walker.blend"
    path.write_bytes(walker)
    return path


def test_a_path_is_searched_baked_and_told(inertia: Inertia, file: Path, tmp_path: Path) -> None:
    points = wanderer.csv_of(tmp_path / "circle.csv", wanderer.circle(3.0))
    words = ("path", file, "--points", points, "--actions", "Walk", "Bend", "Turn", "--mirror", "--json")
    before = file.read_bytes()
    searched = json.loads(inertia(*words).out)
    assert "result" not in searched
    out = tmp_path / "out.blend"
    done = inertia(*words, "-o", out)
    assert done.code == 0
    baked = json.loads(done.out)
    assert baked["searched"] == {name: searched[name] for name in baked["searched"]}
    verdicts = [join.pop("verdict") for join in baked["joins"]]
    assert baked["joins"] == searched["joins"]
    assert baked["verdict"] in verdicts
    assert baked["verdict"]["rating"] == max((each["rating"] for each in verdicts), key=RATED.index)
    # the result tells the same by its recipe
    checked = inertia("check", out, "--action", baked["result"], "--json").json
    assert (checked["verdict"], checked["verdicts"]) == (baked["verdict"], verdicts)
    assert baked["path_rms_m"] < 0.1
    assert baked["cuts"] == len(baked["joins"]) == len(baked["cut_frames"])
    assert file.read_bytes() == before
    bpy.ops.wm.open_mainfile(filepath=str(out))
    assert baked["result"] in bpy.data.actions
    game = json.loads(inertia(*words, "--greedy").out)
    assert game["displacement_m_s_per_second"] > searched["displacement_m_s_per_second"]


def test_a_games_search_is_baked_with_locked_feet(inertia: Inertia, file: Path, tmp_path: Path) -> None:
    """It may jump on its very first frame."""
    points = wanderer.csv_of(tmp_path / "circle.csv", wanderer.circle(2.0))
    out = tmp_path / "out.blend"
    done = inertia("path", file, "--points", points, "--mirror", "--greedy", "--json", "-o", out)
    assert done.code == 0, done.err
    assert all(join["seconds"] > 0.0 for join in done.json["joins"])


@pytest.mark.slow  # the search is the same under every version
def test_speeds_are_the_clips_or_constant(inertia: Inertia, file: Path, tmp_path: Path) -> None:
    points = wanderer.csv_of(tmp_path / "line.csv", [(0.0, 0.0), (0.6, 0.0)], "x,y")
    words = ("path", file, "--points", points, "--actions", "Walk", "Bend", "--json")
    own = json.loads(inertia(*words).out)
    assert own["reached"]
    assert 0.7 < own["seconds"] < 1.3
    slow = json.loads(inertia(*words, "--speed", "constant", "0.5").out)
    assert slow["seconds"] == pytest.approx(1.2, abs=0.1)
    for wrong in (("constant",), ("quickly",), ("constant", "soon"), ("clips", "1")):
        done = inertia(*words, "--speed", *wrong)
        assert done.code == 2
    assert inertia("path", file, "--actions", "Walk").code == 2
    refused = inertia(*words, "--strips", "-o", tmp_path / "out.glb")
    assert (refused.code, "Only a .blend file holds strips" in refused.err) == (2, True)


def test_clips_are_pinned_and_forbidden(inertia: Inertia, file: Path, tmp_path: Path) -> None:
    points = wanderer.csv_of(tmp_path / "line.csv", [(0.0, 0.0), (1.2, 0.0)], "x,y")
    words = ("path", file, "--points", points, "--actions", "Walk", "Bend", "--json")
    asked = ("--mirror", "--pins", "Bend@10=0.5,mirrored", "--bans", "Walk=0:0.3")
    told = json.loads(inertia(*words, *asked).out)
    assert told["settings"]["pins"] == ["Bend@10=0.5,mirrored"]
    pinned = [join for join in told["joins"] if 0.5 <= join["place"] < 0.56]
    assert pinned[0]["to"] == {"action": "Bend", "mirrored": True, "frame": 10.0}
    early = [join["to"]["action"] for join in told["joins"] if join["place"] < 0.29]
    assert "Walk" not in early
    # it gets on while it steps over
    assert pinned[0]["why"]["progress"] < 0.0
    for wrong in (("--pins", "Bend"), ("--pins", "Bend@a=1"), ("--bans", "Walk=3:1"), ("--bans", "Walk=2")):
        done = inertia(*words, *wrong)
        assert (done.code, "write ACTION" in done.err) == (2, True)
    fixed = ["Walk@5=0", "Bend@10=0.75"]
    told = json.loads(inertia(*words, "--fixed", *fixed).out)
    assert told["settings"]["fixed"] == fixed
    assert (told["joins"][0]["seconds"], told["joins"][0]["to"]["action"]) == (pytest.approx(0.75), "Bend")
    done = inertia(*words, "--pins", "Run@10=0.5")
    assert (done.code, '"Run"' in done.err) == (1, True)


def test_goals_are_met_in_time(inertia: Inertia, file: Path, tmp_path: Path) -> None:
    points = wanderer.csv_of(tmp_path / "line.csv", [(0.0, 0.0), (1.2, 0.0)], "x,y")
    words = ("path", file, "--points", points, "--json")
    told = json.loads(inertia(*words, "--goals", "0.6=1", "0.6=2.5,20").out)
    assert told["settings"]["goals"] == ["0.6=1", "0.6=2.5,20"]
    assert [(goal["place"], goal["seconds"]) for goal in told["goals"]] == [(0.6, 1.0), (0.6, 2.5)]
    assert max(goal["off_m"] for goal in told["goals"]) < 0.01
    assert max(goal["aside_deg"] for goal in told["goals"]) < 0.5
    # 0.6 m a second, a second and a half of waiting, and on at the same pace
    assert told["seconds"] == pytest.approx(3.5, abs=0.1)
    assert "0.0 cm from the goal at 0.60 m" in inertia(*words[:-1], "--goals", "0.6=1").out
    for wrong, sentence in (
        ("6", "is not a goal"),
        ("0.6=-1", "is not a goal"),
        ("0.6=1,x", "is not a goal"),
    ):
        done = inertia(*words, "--goals", wrong)
        assert (done.code, sentence in done.err) == (2, True)
    done = inertia(*words, "--goals", "9=4")
    assert (done.code, "which is 1.20 m long" in done.err) == (1, True)
    timed = wanderer.csv_of(tmp_path / "timed.csv", [(0, 0, 0), (4, 2, 0)], "time,x,y")
    done = inertia("path", file, "--points", timed, "--goals", "1=2")
    assert (done.code, "has a timing of its own" in done.err) == (1, True)


def test_a_path_that_can_not_be_writes_nothing(inertia: Inertia, file: Path, tmp_path: Path) -> None:
    points = wanderer.csv_of(tmp_path / "circle.csv", wanderer.circle(4.0))
    out = tmp_path / "out.blend"
    done = inertia("path", file, "--points", points, "--actions", "Stand", "-o", out)
    assert done.code == 1
    assert "stay in place" in done.err
    assert not out.exists()


def test_a_set_is_written_as_arrays_and_for_an_engine(inertia: Inertia, file: Path, tmp_path: Path) -> None:
    words = ("database", file, "--actions", "Walk", "Turn", "--mirror", "--json")
    (tmp_path / "bin").mkdir()
    done = inertia(*words, "-o", tmp_path / "db.npz", "--bin", tmp_path / "bin")
    assert done.code == 0
    told = json.loads(done.out)
    assert [clip["mirrored"] for clip in told["clips"]] == [False, False, True, True]
    assert told["frames"] == 244
    assert sorted(path.name for path in (tmp_path / "bin").iterdir()) == ["database.bin", "features.bin"]
    assert (tmp_path / "db.npz").exists()
    assert inertia(*words).code == 2
    done = inertia("database", file, "--actions", "Stand", "-o", tmp_path / "none.npz")
    assert done.code == 1
    assert "stay in place" in done.err
    assert not (tmp_path / "none.npz").exists()
