# SPDX-License-Identifier: GPL-3.0-or-later
"""The command ``cost``: what it says, what it writes, and that nothing else is written."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inertia_addon.motion.judging.faults import RATED
from tests.batch.small_rig import Run

Inertia = Callable[..., Run]
WALK_TO_RUN = ("--source", "Walk", "--destination", "Run")


def test_a_cut_is_split_by_bone(inertia: Inertia, rig_file: Path, tmp_path: Path) -> None:
    before = rig_file.read_bytes()
    done = inertia("cost", rig_file, *WALK_TO_RUN, "--cut", 20, "--joints", "all", "--by", "cost", "--json")
    assert (done.code, done.err) == (0, "")
    at = done.json["meeting"]
    assert (at["cut"], at["destination_frame"]) == (20.0, 1.0)
    assert {part["bone"] for part in at["bones"]} == {"Hips", "Spine", "Head"}
    assert sum(part["cost"] for part in at["bones"]) == pytest.approx(at["cost"])
    assert sum(part["share"] for part in at["bones"]) == pytest.approx(1.0)
    assert [part["cost"] for part in at["bones"]] == sorted((p["cost"] for p in at["bones"]), reverse=True)
    assert at["best_destination"]["cost"] <= at["cost"]
    assert rig_file.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["rig.blend"]


def test_cost_says_what_is_baked_with(inertia: Inertia, rig_file: Path) -> None:
    words = ("--half-life", 0.2, "--velocity", "source", "--by", "cost", "--weight", "Head=2", "hips=0.5")
    values = inertia("cost", rig_file, *WALK_TO_RUN, *words, "--json").json
    assert (values["method"], values["seconds"], values["velocity"]) == ("SPRING", 0.2, "SOURCE")
    assert values["weights"] == {"Hips": 0.5, "Head": 2.0}
    assert (values["alignment"], values["root"]) == ("POSITION_HEADING", "Hips")
    assert "meeting" not in values


def test_the_best_by_cost_are_the_tables_lowest(inertia: Inertia, rig_file: Path, tmp_path: Path) -> None:
    table = tmp_path / "costs.csv"
    words = ("--best", 4, "--range", 5, 30, "--keep-frames", 10, "--by", "cost", "--csv", table)
    values = inertia("cost", rig_file, *WALK_TO_RUN, *words, "--json").json
    assert values["csv"] == str(table)
    with table.open(newline="") as file:
        rows = list(csv.reader(file))
    destinations = [float(cell) for cell in rows[0][1:]]
    costs = {
        (float(row[0]), frame): float(cell)
        for row in rows[1:]
        for frame, cell in zip(destinations, row[1:], strict=True)
    }
    assert len(costs) == 40 * 28
    allowed = {at: cost for at, cost in costs.items() if 5 <= at[0] <= 30 and at[1] <= 18}
    best = values["best"]
    assert len(best) == 4
    assert best[0]["cost"] == pytest.approx(min(allowed.values()), rel=1e-4)
    for pair in best:
        assert pair["cost"] == pytest.approx(allowed[pair["cut"], pair["destination_frame"]], rel=1e-4)


def test_the_best_are_judged_and_told_as_a_cut_of_their_own_is(inertia: Inertia, rig_file: Path) -> None:
    done = inertia("cost", rig_file, *WALK_TO_RUN, "--best", 10, "--json")
    best = done.json["best"]
    ratings = [RATED.index(pair["verdict"]["rating"]) for pair in best]
    assert ratings == sorted(ratings)
    first = best[0]
    at = ("--cut", first["cut"], "--destination-frame", first["destination_frame"], "--best", 1)
    values = inertia("cost", rig_file, *WALK_TO_RUN, *at, "--json").json
    assert values["best"] == [first]
    assert values["meeting"]["verdict"]["words"] == first["verdict"]["words"]
    assert inertia("cost", rig_file, *WALK_TO_RUN, "--best", 10).out.count(first["verdict"]["words"][0]) >= 1
    by_cost = inertia("cost", rig_file, *WALK_TO_RUN, "--best", 10, "--by", "cost", "--json").json["best"]
    assert {pair["verdict"] for pair in by_cost} == {None}
    assert min(pair["cost"] for pair in best) >= by_cost[0]["cost"]


@pytest.mark.variants(1)
@pytest.mark.parametrize(("ending", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml")])
def test_a_map_is_a_picture(
    inertia: Inertia, rig_file: Path, tmp_path: Path, ending: str, start: bytes
) -> None:
    path = tmp_path / f"map.{ending}"
    done = inertia("cost", rig_file, *WALK_TO_RUN, "--cut", 20, "--by", "cost", "--features", "--map", path)
    assert done.code == 0
    assert path.read_bytes().startswith(start)
    assert "best pairs" in done.out
    assert str(path) in done.out


def test_a_bake_there_is_possible(inertia: Inertia, rig_file: Path, tmp_path: Path) -> None:
    (best,) = inertia("cost", rig_file, *WALK_TO_RUN, "--by", "cost", "--json").json["best"]
    words = ("--cut", best["cut"], "--destination-frame", best["destination_frame"])
    done = inertia("bake", rig_file, *WALK_TO_RUN, *words, "-o", tmp_path / "out.blend")
    assert done.code == 0


def test_a_transition_has_the_verdict_of_its_bake(inertia: Inertia, rig_file: Path, tmp_path: Path) -> None:
    at = ("--cut", 20, "--destination-frame", 5)
    told = inertia("cost", rig_file, *WALK_TO_RUN, *at, "--by", "cost", "--json").json["meeting"]["verdict"]
    assert told["rating"] in ("GOOD", "FAIR", "POOR")
    first, *others = told["words"]
    assert first.startswith(f"{told['rating'].capitalize()}: ")
    assert len(others) == max(min(len(told["faults"]), 3) - 1, 0)
    text = inertia("cost", rig_file, *WALK_TO_RUN, *at, "--by", "cost").out
    assert "\n".join(f"  {line}" for line in told["words"]) in text
    baked = inertia("bake", rig_file, *WALK_TO_RUN, *at, "-o", tmp_path / "out.blend", "--json").json
    assert baked["verdict"] == told


def test_a_constrained_rig_is_played_by_blender(inertia: Inertia, rig_file: Path) -> None:
    import bpy

    words = (*WALK_TO_RUN, "--cut", 20, "--joints", "all", "--by", "cost", "--json")
    plain = inertia("cost", rig_file, *words).json
    bpy.ops.wm.open_mainfile(filepath=str(rig_file))
    rig = bpy.data.objects["Rig"]
    constraint = rig.pose.bones["Head"].constraints.new("LIMIT_ROTATION")
    constraint.use_limit_x, constraint.owner_space = True, "LOCAL"
    bpy.ops.wm.save_as_mainfile(filepath=str(rig_file))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    played = inertia("cost", rig_file, *words).json
    # the head's own rotation does not move its joint
    assert played["meeting"]["cost"] == pytest.approx(plain["meeting"]["cost"], rel=1e-3)


def test_joints_stored_with_the_file_count(inertia: Inertia, rig_file: Path) -> None:
    import bpy

    from inertia_addon import registration

    was_registered = bool(registration._registered)  # by other tests of this process
    if not was_registered:
        registration.register()
    try:
        bpy.ops.wm.open_mainfile(filepath=str(rig_file))
        own = bpy.data.objects["Rig"].inertia_cost
        own.joints = "LISTED"
        item = own.items.add()
        item.bone, item.weight = "Head", 1.5
        bpy.ops.wm.save_as_mainfile(filepath=str(rig_file))
    finally:
        if not was_registered:
            registration.unregister()
    values = inertia("cost", rig_file, *WALK_TO_RUN, "--by", "cost", "--json").json
    assert values["weights"] == {"Head": 1.5}
    found = inertia("cost", rig_file, *WALK_TO_RUN, "--joints", "found", "--by", "cost", "--json").json
    assert set(found["weights"]) == {"Hips", "Spine", "Head"}


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--cut", 400), 1, 'lies outside "Walk"'),
        (("--range", 300, 310), 1, "No frame of the source lies between 300 and 310"),
        (("--weight", "Head"), 2, "not of the form BONE=WEIGHT"),
        (("--weight", "Hed=1"), 1, 'There is no bone "Hed"; the armature has "Head"'),
        (("--weight", "Head=0"), 1, "weight above zero"),
        (("--weight", "Head=-1"), 2, "from 0 to 1000"),
        (("--best", 0), 2, "is no such number"),
        (("--map", "nowhere/map.png"), 1, "There is no folder"),
        (("--csv", "."), 1, "is a folder"),
        (("--half-life", 0.1, "--method", "cubic"), 2, "--half-life is for --method spring"),
    ],
)
def test_cost_says_what_is_wrong(
    inertia: Inertia, rig_file: Path, tmp_path: Path, words: tuple[object, ...], code: int, said: str
) -> None:
    done = inertia("cost", rig_file, *WALK_TO_RUN, *words)
    assert (done.code, done.out) == (code, "")
    assert said in done.err
    assert [path.name for path in tmp_path.iterdir()] == ["rig.blend"]


def test_frames_that_were_not_looked_at_are_told(
    inertia: Inertia, rig_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from inertia_addon.blender.evaluation import joint_motion

    monkeypatch.setattr(joint_motion, "MOST_FRAMES", 10)
    done = inertia("cost", rig_file, *WALK_TO_RUN, "--json")
    assert "so long that only one frame in 4 was checked" in done.json["notes"][0]
    assert "one frame in" in inertia("cost", rig_file, *WALK_TO_RUN).out
    done = inertia("fit", rig_file, "--json")
    assert "so long that only one frame in" in done.json["notes"][0]


def _nothing() -> Any:
    """Steps that find nothing."""
    yield from ()
    return ()


@pytest.mark.slow  # mathematics are the same under every version
@pytest.mark.usefixtures("plain_letters")
def test_the_skate_weighs(
    inertia: Inertia, fresh_file: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import bpy

    from inertia_addon.blender.judging import remedies
    from tests.blender import stepper

    # what helps is no matter, and takes longest
    monkeypatch.setattr(remedies, "find_helping_steps", lambda *asked: _nothing())
    armature = stepper.biped()
    for late in (0.0, 0.25):
        made = stepper.walk(armature, "Late" if late else "Walk", frames=37, late=late)
        made.use_fake_user = True
    path = tmp_path / "walks.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    words = ("--source", "Walk", "--destination", "Late", "--cut", 10, "--destination-frame", 20)
    words += ("--by", "cost", "--json")
    usual, weighed = (inertia("cost", path, *words, "--skate-weight", weight).json for weight in (0, 2))
    assert (usual["skate_weight"], weighed["skate_weight"]) == (0.0, 2.0)
    # as it was called before
    assert inertia("cost", path, *words, "--slide-weight", 2).json == weighed
    assert weighed["meeting"]["cost"] > usual["meeting"]["cost"] + 0.02
    assert weighed["meeting"]["verdict"] == usual["meeting"]["verdict"]
    matrix = ("matrix", path, "-o", tmp_path / "out", "--skate-weight", 2, "--exact", "--by", "cost")
    assert inertia(*matrix).code == 0
    edges = json.loads((tmp_path / "out" / "matrix.json").read_text())["edges"]
    best = next(edge for edge in edges if edge["source"] == "Walk")
    assert best["cost"] == pytest.approx(weighed["best"][0]["cost"], rel=1e-4)
