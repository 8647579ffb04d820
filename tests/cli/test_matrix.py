# SPDX-License-Identifier: GPL-3.0-or-later
"""``matrix``: all clips with all clips, as tables, a picture and a report."""

from __future__ import annotations

import csv
import json
import os
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.motion.judging.faults import RATED
from tests.batch.library_files import Batch
from tests.batch.small_rig import make_rig

CLIPS = (("Walk", 16, 0.05), ("Run", 13, 0.12), ("</script><b>Sneak</b>", 13, 0.02))
"""Short ones, as each is compared with each; the name of one would be markup."""


@pytest.fixture(scope="module")
def short_clips(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """What is in a .blend file with the small rig and three clips."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    make_rig(clips=CLIPS)
    path = tmp_path_factory.mktemp("three") / "rig.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path.read_bytes()


@pytest.fixture
def three(tmp_path: Path, short_clips: bytes, fresh_file: None) -> Path:
    """A file with the small rig and three clips."""
    path = tmp_path / "rig.blend"
    path.write_bytes(short_clips)
    return path


def test_a_matrix_has_all_pairs_in_four_files(three: Path, tmp_path: Path, inertia: Any) -> None:
    out = tmp_path / "out"
    run = inertia("matrix", three, "-o", out, "--json")
    assert run.code == 0, run.err
    said = [json.loads(line) for line in run.out.splitlines()]
    assert (said[0]["event"], said[-1]["event"], said[-1]["pairs"]) == ("start", "summary", 6)
    values = json.loads((out / "matrix.json").read_text())
    edges = values["edges"]
    assert len({(edge["source"], edge["destination"]) for edge in edges}) == 6
    ratings = [RATED.index(edge["verdict"]["rating"]) for edge in edges]
    assert ratings == sorted(ratings)
    assert all(
        row["verdict"] == edge["verdict"]["words"][0] for row, edge in zip(read(out), edges, strict=True)
    )
    rows = read(out)
    assert [(row["source"], float(row["cut"])) for row in rows] == [(e["source"], e["cut"]) for e in edges]
    assert (out / "matrix.png").read_bytes().startswith(b"\x89PNG")
    assert sorted(path.name for path in out.iterdir()) == [
        f"matrix.{kind}" for kind in ("csv", "html", "json", "png")
    ]
    check_report((out / "matrix.html").read_text(encoding="utf-8"))


def read(folder: Path) -> list[dict[str, str]]:
    """The table of a matrix."""
    with (folder / "matrix.csv").open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.usefixtures("plain_letters")
def test_a_matrix_by_cost_has_the_cheapest_first_and_its_spec_bakes_as_found(
    three: Path, tmp_path: Path, inertia: Any, batch: Batch
) -> None:
    out, spec = tmp_path / "out", tmp_path / "edges.json"
    how = ("--by", "cost", "--half-life", 0.15, "--joints", "all", "--json")
    run = inertia("matrix", three, "--exact", *how, "-o", out, "--spec", spec, "--best", 2, "--worst", 1)
    assert run.code == 0, run.err
    values = json.loads((out / "matrix.json").read_text())
    edges = values["edges"]
    costs = [edge["cost"] for edge in edges]
    assert len(costs) == 6
    assert costs == sorted(costs)
    assert values["by"] == "COST"
    assert {edge["verdict"] for edge in edges} == {None}
    listed = (*edges[:2], edges[-1])
    for edge in listed:
        ends = ("--source", edge["source"], "--destination", edge["destination"])
        said = inertia("cost", three, *ends, *how).json["best"][0]
        assert (said["cut"], said["destination_frame"]) == (edge["cut"], edge["destination_frame"])
    baked = batch(spec, tmp_path / "baked", "--json")
    assert baked.code == 0, baked.err
    made = json.loads((tmp_path / "baked" / "batch.json").read_text())["jobs"]
    assert [(job["settings"]["source"], job["settings"]["destination"]) for job in made] == [
        (edge["source"], edge["destination"]) for edge in listed
    ]
    for job, edge in zip(made, listed, strict=True):
        assert job["settings"]["method"] == "SPRING"
        assert job["cost"] == pytest.approx(edge["cost"], rel=1e-6)
    for said in (run.out, baked.out):
        summary = json.loads(said.splitlines()[-1])
        assert summary["event"] == "summary"
        # Windows does not tell
        if os.name != "nt":
            assert summary["processor_seconds"] > 0.0
            assert summary["peak_mib"] > 1.0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--best", 2), "--best and --worst are for --spec"),
        (("--spec", "edges.toml"), "ends in .json"),
        (("--spec", "none/edges.json"), "There is no folder"),
        (("--spec", "edges.json", "--worst", -1), "from 0 to 10000"),
    ],
)
def test_a_spec_that_cannot_be_is_said(
    three: Path, tmp_path: Path, inertia: Any, words: tuple[object, ...], said: str
) -> None:
    run = inertia("matrix", three, "-o", tmp_path / "out", *words)
    assert run.code in (1, 2)
    assert said in run.err
    assert not (tmp_path / "out").exists()


class Page(HTMLParser):
    """What a page loads from elsewhere, and its scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.scripts: list[str] = []
        self._in_script = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.loaded += [value or "" for name, value in attrs if name in ("src", "href")]
        self._in_script = tag == "script"

    def handle_endtag(self, tag: str) -> None:
        self._in_script = False

    def handle_data(self, data: str) -> None:
        if self._in_script:
            self.scripts.append(data)


def check_report(text: str) -> None:
    """It needs nothing but itself."""
    page = Page(text)
    # the overview, and a map of each of the six
    assert len(page.loaded) == 7
    assert all(source.startswith("data:image/png;base64,") for source in page.loaded)
    assert not re.search(r"https?://", text)
    # a name that is markup stays a name
    (script,) = page.scripts
    (rows,) = map(json.loads, re.findall(r"const edges = (.*);", script))
    assert {row["source"] for row in rows} == {"Walk", "Run", "</script><b>Sneak</b>"}
    assert "<b>Sneak" not in text


@pytest.mark.usefixtures("plain_letters")
def test_chosen_clips_are_judged_as_cost_does_and_held_to_gates(
    three: Path, tmp_path: Path, inertia: Any
) -> None:
    out = tmp_path / "out"
    chosen = ("matrix", three, "--clips", "walk", "Run", "-o", out)
    run = inertia(*chosen, "--max-cost", 0, "--by", "cost")
    assert run.code == 1
    assert run.err.count("gate: ") == 2
    assert "gate: Walk to Run: cost " in run.err
    run = inertia(*chosen, "--exact", "--max-pop", 0, "--max-lift", 100)
    assert (run.code, run.err.count("gate: ")) == (1, 2)
    assert "gate: Walk to Run: pop " in run.err
    values = json.loads((out / "matrix.json").read_text())
    edges = values["edges"]
    assert [one["value"] for one in values["over_gates"]] == [
        edge["verdict"]["pop"]["size"] for edge in edges
    ]
    edge = next(e for e in edges if (e["source"], e["destination"]) == ("Walk", "Run"))
    words = ("--source", "Walk", "--destination", "Run", "--cut", edge["cut"], "--destination-frame")
    said = inertia("cost", three, *words, edge["destination_frame"], "--json").json
    assert said["meeting"]["cost"] == pytest.approx(edge["cost"], rel=1e-6)
    assert said["meeting"]["bones"][0]["bone"] == edge["bone"]
    assert said["best"][0]["cost"] == pytest.approx(edge["cost"], rel=1e-6)


@pytest.mark.usefixtures("plain_letters")
def test_a_matrix_of_no_clip_or_no_file_is_told(three: Path, tmp_path: Path, inertia: Any) -> None:
    out = tmp_path / "out"
    run = inertia("matrix", three, "--clips", "Walk", "Rn", "-o", out)
    assert (run.code, "There is no action" in run.err) == (1, True)
    run = inertia("matrix", three, "--clips", "Walk", "-o", out)
    assert (run.code, "a matrix needs two or more" in run.err) == (1, True)
    run = inertia("matrix", three, tmp_path / "none.glb", "--clips", "Walk", "Run", "-o", out, "--by", "cost")
    assert (run.code, "failed: none.glb: There is no file" in run.err) == (1, True)
    assert json.loads((out / "matrix.json").read_text())["failed"]
    assert inertia("matrix", "-o", out).code == 2


@pytest.mark.usefixtures("plain_letters")
def test_clips_of_several_files_are_compared_and_a_spec_has_no_edge_between_them(
    rig_file: Path, tmp_path: Path, inertia: Any, batch: Batch
) -> None:
    other, spec, out = tmp_path / "sub" / "other.blend", tmp_path / "specs.json", tmp_path / "out"
    other.parent.mkdir()
    other.write_bytes(rig_file.read_bytes())
    run = inertia("matrix", rig_file, other, "-o", out, "--spec", spec)
    assert run.code == 0, run.err
    values = json.loads((out / "matrix.json").read_text())
    assert {clip["name"] for clip in values["clips"]} == {
        *("rig: Walk", "rig: Run", "other: Walk", "other: Run")
    }
    assert len(values["edges"]) == 12
    # what no file holds both of is not judged
    for edge in values["edges"]:
        together = edge["source"].split(":")[0] == edge["destination"].split(":")[0]
        assert (edge["verdict"] is not None) is together
    assert "8 pairs lead from one file to another" in run.err
    # a clip and its twin meet for nothing
    twins = next(
        e for e in values["edges"] if (e["source"], e["destination"]) == ("rig: Walk", "other: Walk")
    )
    assert twins["cost"] == pytest.approx(0.0, abs=1e-9)
    assert "8 edges lead from one file to another" in run.err
    listed = json.loads(spec.read_text())["transitions"]
    assert [edge["files"] for edge in listed].count(["sub/other.blend"]) == 2
    assert len({edge["name"] for edge in listed}) == 4
    checked = batch(spec, tmp_path / "baked", "--check")
    assert checked.code == 0, checked.err
    assert len(checked.out.splitlines()) == 4
