# SPDX-License-Identifier: GPL-3.0-or-later
"""The command ``hop``: tables that can be followed, ranked hops, and one baked."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from inertia_addon.motion.judging.faults import RATED
from tests.batch.small_rig import Run

Inertia = Callable[..., Run]
WALK_TO_RUN = ("--source", "Walk", "--destination", "Run", "--joints", "all", "--blend-frames", 5)


@pytest.fixture
def file(four_clips: Path) -> Path:
    return four_clips


def read(path: Path) -> dict[str, Any]:
    if path.suffix == ".json":
        held = json.loads(path.read_text())
        return {
            name: value if name == "about" else np.array(value, float if name in ("cost", "direct") else int)
            for name, value in held.items()
        }
    with np.load(path) as loaded:
        held = {name: loaded[name] for name in loaded.files}
    return {**held, "about": json.loads(str(held["about"]))}


def test_a_table_has_four_whole_numbers_for_each_trigger(
    inertia: Inertia, file: Path, tmp_path: Path
) -> None:
    before = file.read_bytes()
    tables = []
    for name in ("out.npz", "out.json"):
        words = ("--table", tmp_path / name, "--longest-stay", 6)
        done = inertia("hop", file, *WALK_TO_RUN, *words, "--json")
        assert (done.code, done.err) == (0, "")
        tables.append(read(tmp_path / name))
    assert file.read_bytes() == before
    for name, value in tables[0].items():
        if name != "about":
            np.testing.assert_allclose(tables[1][name], np.where(np.isinf(value), np.nan, value), rtol=1e-6)
    about, table = tables[0]["about"], tables[0]["table"]
    assert tables[1]["about"] == about
    assert table.shape == (40, 4)
    assert table.dtype == np.int32
    names = [clip["name"] for clip in about["clips"]]
    (pair,) = about["pairs"]
    assert (names[pair["source"]], names[pair["destination"]], pair["rows"]) == ("Walk", "Run", [0, 40])
    assert done.json["weight"] == about["weight"] > 0.0
    for row, (clip, offset, *stays) in enumerate(table.tolist()):
        if np.isinf(tables[0]["cost"][row]):
            assert stays == [-1, -1]
            continue
        assert all(0 <= stay <= 6 for stay in stays)
        assert row + stays[0] + 5 <= 40
        if clip >= 0:
            assert names[clip] in ("Walk", "Run", "Jog", "Stroll")
            assert offset + 5 + stays[1] + 5 <= about["clips"][clip]["frames"]
        assert tables[0]["cost"][row] <= tables[0]["direct"][row]
    told = done.json["pairs"][0]
    assert told["reached"] == int(np.isfinite(tables[0]["cost"]).sum())
    assert sum(told["wins"].values()) == told["reached"]
    assert told["median_best"] <= told["median_direct"]


def test_a_whole_state_machine_in_one_file(inertia: Inertia, file: Path, tmp_path: Path) -> None:
    path = tmp_path / "all.npz"
    words = ("--all-pairs", "walk", "Run", "Jog", "--joints", "all", "--blend-frames", 4, "--table", path)
    words = (*words, "--others-only")
    done = inertia("hop", file, *words, "--longest-stay", 5, "--distance", "displacement", "--json")
    assert done.code == 0, done.err
    held = read(path)
    clips, pairs = held["about"]["clips"], held["about"]["pairs"]
    assert len(pairs) == 6
    assert len({(pair["source"], pair["destination"]) for pair in pairs}) == 6
    end = 0
    for pair in pairs:
        assert pair["rows"] == [end, clips[pair["source"]]["frames"]]
        end += pair["rows"][1]
        used = held["table"][pair["rows"][0] : end, 0]
        assert not set(used.tolist()) & {pair["source"], pair["destination"]}
    assert len(held["table"]) == end
    one = tmp_path / "one.npz"
    words = ("--wait-weight", held["about"]["weight"], "--longest-stay", 5, "--distance", "displacement")
    arguments = ("--source", "Jog", "--destination", "Walk", "--joints", "all", "--blend-frames", 4)
    arguments = (*arguments, "--others-only")
    assert inertia("hop", file, *arguments, *words, "--table", one).code == 0
    names = [clip["name"] for clip in clips]
    chosen = next(p for p in pairs if (names[p["source"]], names[p["destination"]]) == ("Jog", "Walk"))
    first, count = chosen["rows"]
    np.testing.assert_allclose(read(one)["cost"], held["cost"][first : first + count], rtol=1e-5)


def test_no_way_costs_more_where_the_source_and_the_destination_may_be_gone_through(
    inertia: Inertia, file: Path, tmp_path: Path
) -> None:
    tables = []
    for name, more in (
        ("all.npz", ()),
        ("others.npz", ("--others-only",)),
        ("named.npz", ("--clips", "Jog", "Stroll")),
    ):
        words = ("--table", tmp_path / name, "--longest-stay", 6, "--wait-weight", 0.01)
        assert inertia("hop", file, *WALK_TO_RUN, *words, *more).code == 0
        tables.append(read(tmp_path / name))
    every, others, named = (table["cost"] for table in tables)
    assert np.all(every <= others)
    assert np.any(every < others)
    np.testing.assert_array_equal(others, named)


def order(told: dict[str, Any]) -> tuple[int, float]:
    """What verdicts are ranked by."""
    return RATED.index(told["rating"]), told["total"]


def test_a_hop_says_in_one_line_that_going_straight_is_as_good(inertia: Inertia, file: Path) -> None:
    words = ("--trigger", 10, "--wait-weight", 1000, "--longest-stay", 8)
    done = inertia("hop", file, *WALK_TO_RUN, *words, "--json")
    assert done.code == 0, done.err
    at = done.json["trigger"]
    dear = [way for way in at["ranked"] if at["direct"] is not None and way["cost"] > 0.85 * at["direct"]]
    assert {(way["worth"], way["verdict"]) for way in dear} <= {(False, None)}
    lines = inertia("hop", file, *WALK_TO_RUN, *words).out
    assert ("The direct transition is as good." in lines) is at["straight_is_as_good"]
    assert ("second blend" in lines) is not at["straight_is_as_good"]


def test_hops_of_a_trigger_are_ranked_and_baked(inertia: Inertia, file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.blend"
    words = ("--trigger", 10, "--best", 3, "--bake", out, "--rank", 2, "--cycles", "Jog", "--result", "Hop")
    done = inertia("hop", file, *WALK_TO_RUN, *words, "--longest-stay", 8, "--json")
    assert done.code == 0, done.err
    at = done.json["trigger"]
    assert [way["cost"] for way in at["ranked"]] == sorted(way["cost"] for way in at["ranked"])
    for way in at["ranked"]:
        assert way["cost"] == pytest.approx(sum(way["parts"]) + way["waiting"])
    assert at["baked"]["result"] == "Hop"
    judged = ("verdict", "worth")
    ranked = {name: value for name, value in at["ranked"][1].items() if name not in judged}
    assert at["baked"]["way"] == ranked
    # each is told as it was baked, and shown where it is better than going straight
    told = at["ranked"][1]["verdict"]
    assert told is None or told["words"] == max(at["baked"]["verdicts"], key=order)["words"]
    assert at["baked"]["verdict"] == max(at["baked"]["verdicts"], key=order)
    assert at["straight_is_as_good"] is not any(way["worth"] for way in at["ranked"])
    for way in at["ranked"]:
        is_cheap = at["direct"] is None or way["cost"] <= 0.85 * at["direct"]
        looks_better = is_cheap and (at["straight"] is None or order(way["verdict"]) < order(at["straight"]))
        assert way["worth"] is looks_better
    import bpy

    bpy.ops.wm.open_mainfile(filepath=str(out))
    assert {action.name for action in bpy.data.actions} == {"Walk", "Run", "Jog", "Stroll", "Hop"}


def test_a_table_of_two_hops_has_two_clips_and_three_stays(
    inertia: Inertia, file: Path, tmp_path: Path
) -> None:
    path = tmp_path / "two.npz"
    words = ("--hops", 2, "--longest-stay", 2, "--wait-weight", 0, "--table", path, "--alongside")
    done = inertia("hop", file, *WALK_TO_RUN, *words, "--json")
    assert done.code == 0, done.err
    held = read(path)
    assert held["table"].shape == (40, 7)
    assert held["blends"].shape == (40, 3)
    assert held["about"]["pairs"][0]["alongside"]


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("--source", "Walk"), 2, "Give --destination"),
        (("--all-pairs", "Walk"), 2, "two actions or more"),
        (("--all-pairs", "Walk", "Run", "--trigger", 3), 2, "stands instead"),
        ((*WALK_TO_RUN, "--bake", "x.blend"), 2, "needs a --trigger"),
        ((*WALK_TO_RUN, "--table", "x.csv"), 2, "ends in .npz, .json"),
        ((*WALK_TO_RUN, "--trigger", 90), 1, "outside"),
        ((*WALK_TO_RUN, "--cycles", "Hop"), 1, 'no action "Hop"'),
        ((*WALK_TO_RUN, "--blend-frames", 200), 1, "too short"),
    ],
)
def test_a_hop_that_can_not_be_done_is_told(
    inertia: Inertia, file: Path, words: tuple[object, ...], code: int, message: str
) -> None:
    done = inertia("hop", file, *words)
    assert done.code == code, done.err
    assert message in done.err
    assert done.out == ""


def test_a_trigger_that_no_hop_leads_on_from_is_said(inertia: Inertia, file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.blend"
    done = inertia("hop", file, *WALK_TO_RUN, "--trigger", 40, "--bake", out)
    assert (done.code, done.err.count("\n")) == (1, 1)
    assert "No hop leads on from frame 40" in done.err
    assert not out.exists()
