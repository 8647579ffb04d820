# SPDX-License-Identifier: GPL-3.0-or-later
"""A library in parts: matrices, databases and searched paths from a spec are what the commands find."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.cost.library import ClipLibrary, Edge
from inertia_addon.blender.evaluation import joints
from inertia_addon.errors import InertiaError
from inertia_addon.settings.cost import Search
from inertia_addon.settings.transition import TransitionSettings
from inertia_addon.tasks.matrix import MatrixTask
from inertia_addon.tasks.task import Work
from tests.batch.library_files import Batch, write_spec
from tests.batch.small_rig import make_rig
from tests.blender import stepper, wanderer

pytestmark = pytest.mark.usefixtures("plain_letters")

SIDES = (("Walk",), ("Run", "Jog"))
"""Two parts of a library."""


@pytest.fixture
def library(fresh_file: None, tmp_path: Path) -> Path:
    """A file with a character and three short clips."""
    armature = stepper.biped()
    for name, turn in (("Walk", 0.02), ("Bend", 0.3), ("Turn", 0.8)):
        wanderer.turning(armature, name, turn, 37).use_fake_user = True
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    return tmp_path / "library.blend"


@pytest.fixture
def short_clips(fresh_file: None, tmp_path: Path) -> Path:
    """A file with the small rig and clips of which each is soon compared with each."""
    make_rig(clips=(("Walk", 16, 0.05), ("Run", 13, 0.12), ("Jog", 14, 0.08), ("Stroll", 13, 0.03)))
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "rig.blend"))
    return tmp_path / "rig.blend"


def edges(path: Path) -> dict[tuple[str, str], dict[str, Any]]:
    """What a matrix says of each pair."""
    told = json.loads(path.read_text(encoding="utf-8"))["edges"]
    return {(edge["source"], edge["destination"]): edge for edge in told}


@pytest.mark.variants(1)
@pytest.mark.parametrize("by", ["cost", "judged"])
def test_matrices_of_parts_are_together_that_of_the_whole(
    by: str, short_clips: Path, tmp_path: Path, inertia: Any, batch: Batch
) -> None:
    parts = [
        {"sources": [*left], "destinations": [*entered], "by": by, "name": f"{i}{j}"}
        for i, left in enumerate(SIDES)
        for j, entered in enumerate(SIDES)
    ]
    spec = write_spec(tmp_path, {"files": [short_clips.name], "matrices": parts})
    done = batch(spec, tmp_path / "out", "--jobs", 2)
    assert done.code == 0, done.err
    found = [edges(tmp_path / "out" / f"{part['name']}.json") for part in parts]
    assert [len(each) for each in found] == [0, 2, 2, 2]
    clips = [clip for side in SIDES for clip in side]
    whole = inertia("matrix", short_clips, "--clips", *clips, "--by", by, "-o", tmp_path / "matrix")
    assert whole.code == 0, whole.err
    wanted = edges(tmp_path / "matrix" / "matrix.json")
    assert {pair: edge for each in found for pair, edge in each.items()} == wanted
    made = [tmp_path / "out" / f"{part['name']}.json" for part in parts]
    assert inertia("matrix", *made, "-o", tmp_path / "parts").code == 0
    values, known = (
        json.loads((tmp_path / folder / "matrix.json").read_text()) for folder in ("parts", "matrix")
    )
    same = ("edges", "method", "seconds", "root", "weights", "searched", "by", "skipped")
    assert {name: values[name] for name in same} == {name: known[name] for name in same}
    assert (tmp_path / "parts" / "matrix.csv").read_bytes() == (tmp_path / "matrix/matrix.csv").read_bytes()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "was compared in another way than"),
        (("--method", "cubic"), "Parts of a matrix are put together as they are; leave out --method"),
        (("--spec", "edges.json"), "leave out --spec"),
    ],
)
def test_parts_that_do_not_go_together_are_no_matrix(
    words: tuple[str, ...], said: str, library: Path, tmp_path: Path, inertia: Any, batch: Batch
) -> None:
    parts = [{"sources": ["Walk"], "by": "cost", "method": way, "name": way} for way in ("cubic", "spring")]
    spec = write_spec(tmp_path, {"files": [library.name], "matrices": parts})
    assert batch(spec, tmp_path / "out").code == 0
    made = [tmp_path / "out" / f"{way}.json" for way in ("cubic", "spring")]
    done = inertia("matrix", *made, *words, "-o", tmp_path / "parts")
    assert done.code == (2 if words else 1)
    assert said in done.err
    assert not (tmp_path / "parts").exists()


PART = {"compared": {}, "clips": [], "edges": [], "failed": [], "skipped": []}


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"edges": []}', json.dumps(PART)])
def test_a_file_that_is_no_part_is_named(text: str, tmp_path: Path, inertia: Any) -> None:
    (tmp_path / "part.json").write_text(text)
    done = inertia("matrix", tmp_path / "part.json", "-o", tmp_path / "parts")
    assert done.code == 1
    assert "part" in done.err
    assert "Traceback" not in done.err
    assert not (tmp_path / "parts").exists()


class Alone(Work):
    """What a task works with outside of a batch."""

    def weights(self) -> dict[str, float]:
        return joints.named_weights(self.armature, "found")


def test_a_pair_that_cant_meet_is_named_beside_the_others(
    library: Path, tmp_path: Path, inertia: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    bpy.ops.wm.open_mainfile(filepath=str(library))
    (armature,) = (each for each in bpy.data.objects if each.type == "ARMATURE")
    edge, said = ClipLibrary.edge, "No frame is within the search."

    def some(self: ClipLibrary, source: int, destination: int, *more: Any, **named: Any) -> Edge:
        if self.clips[destination].action == "Bend":
            raise InertiaError(said)
        return edge(self, source, destination, *more, **named)

    monkeypatch.setattr(ClipLibrary, "edge", some)
    task = MatrixTask(TransitionSettings("", "", 0.0), Search(by="COST"))
    values = task.make(Alone(armature, is_judged=False), bakes=False).values
    assert values["failed"] == [f"{name} to Bend: {said}" for name in ("Turn", "Walk")]
    assert len(values["edges"]) == 4
    (tmp_path / "part.json").write_text(json.dumps(values))
    done = inertia("matrix", tmp_path / "part.json", "-o", tmp_path / "parts")
    assert done.code == 1
    assert json.loads((tmp_path / "parts" / "matrix.json").read_text())["failed"] == values["failed"]


def test_a_database_is_that_of_the_command(library: Path, tmp_path: Path, inertia: Any, batch: Batch) -> None:
    spec = write_spec(tmp_path, {"files": [library.name], "databases": [{"actions": [*SIDES[0]]}]})
    assert batch(spec, tmp_path / "out").code == 0
    single = inertia("database", library, "--actions", *SIDES[0], "-o", tmp_path / "single.npz")
    assert single.code == 0, single.err
    with np.load(tmp_path / "out" / "database.npz") as made, np.load(tmp_path / "single.npz") as wanted:
        assert set(made.files) == set(wanted.files)
        for name in wanted.files:
            np.testing.assert_array_equal(made[name], wanted[name], err_msg=name)


def test_a_path_that_is_only_searched_tells_the_ways_that_a_bake_takes(
    library: Path, tmp_path: Path, batch: Batch
) -> None:
    wanderer.csv_of(tmp_path / "line.csv", [(0.0, 0.0), (0.9, 0.0)], "x,y")
    values = {
        "files": [library.name],
        "paths": [
            {"points": "line.csv", "width": 4, "formats": ["json"], "name": "searched"},
            {"points": "line.csv", "width": 4, "formats": ["json", "blend"], "name": "baked"},
        ],
    }
    assert batch(write_spec(tmp_path, values), tmp_path / "out").code == 0
    assert not (tmp_path / "out" / "searched.blend").exists()
    assert (tmp_path / "out" / "baked.blend").exists()
    searched, baked = (
        json.loads((tmp_path / "out" / f"{name}.json").read_text()) for name in ("searched", "baked")
    )
    assert searched["joins"]
    assert searched["begins_with"] == baked["begins_with"]
    for before, after in zip(searched["joins"], baked["joins"], strict=True):
        assert before == {name: after[name] for name in before}


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"matrices": [{"sources": ["Wlak"]}]}, 'matrices[0].sources: found "Wlak"'),
        ({"databases": [{"actions": ["Wlak"]}]}, 'databases[0].actions: found "Wlak"'),
        ({"matrices": [{"cut": 3}]}, "matrices[0].cut"),
    ],
)
def test_a_name_that_the_file_does_not_have_is_named(
    entry: dict[str, Any], said: str, library: Path, tmp_path: Path, batch: Batch
) -> None:
    done = batch(write_spec(tmp_path, {"files": [library.name], **entry}), tmp_path / "out")
    assert done.code == 2
    assert said in done.err
    assert not [*(tmp_path / "out").glob("*.json")]
