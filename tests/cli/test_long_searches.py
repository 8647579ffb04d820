# SPDX-License-Identifier: GPL-3.0-or-later
"""Of clips of thousands of frames a search looks at some, and at those around the best: that is said."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import compat
from tests.batch.library_files import Batch, events, write_spec
from tests.batch.small_rig import Run

WALK_TO_RUN = {"source": "Walk", "destination": "Run"}
SAID = [
    '"Walk" is so long that the search took only one frame in 2, and then every frame around the best ones.',
    '"Run" is so long that the search took only one frame in 2, and then every frame around the best ones.',
]


@pytest.fixture
def long_file(rig_file: Path) -> Path:
    """The small rig with clips of 2,965 and 2,053 frames."""
    bpy.ops.wm.open_mainfile(filepath=str(rig_file))
    for action in bpy.data.actions:
        for curve in compat.curves(action, compat.slots(action)[0].identifier):
            for key in curve.keyframe_points:
                key.co.x = 1.0 + 76.0 * (key.co.x - 1.0)
            curve.update()
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    return rig_file


def test_costs_say_what_was_searched_of_long_clips(inertia: Callable[..., Run], long_file: Path) -> None:
    words = ("cost", long_file, "--source", "Walk", "--destination", "Run", "--by", "cost", "--json")
    assert inertia(*words).json["notes"] == SAID
    # what lies within a range of 2,000 frames is searched in full
    assert inertia(*words, "--range", 100, 2000).json["notes"] == SAID[1:]


def test_a_batch_says_it_of_each_job_that_searched_pairs(
    long_file: Path, tmp_path: Path, batch: Batch
) -> None:
    jobs = [
        {"name": "pair", "cut": "best", "by": "cost"},
        {"name": "cut", "cut": "best", "destination_frame": 1, "by": "cost"},
        {"name": "given", "cut": 300},
    ]
    values = {"files": [str(long_file)], "transitions": [{**WALK_TO_RUN, **job} for job in jobs]}
    done = batch(write_spec(tmp_path, values), tmp_path / "out", "--json")
    assert done.code == 0, done.err
    wanted = {"pair": SAID, "cut": [], "given": []}
    told = {event["outputs"][0]: event["warnings"] for event in events(done) if event["event"] == "done"}
    summary = json.loads((tmp_path / "out" / "batch.json").read_text())
    kept = {next(iter(job["outputs"])): job["warnings"] for job in summary["jobs"]}
    for found in (told, kept):
        # what the bakes themselves have to say is not of this
        assert {
            Path(name).stem: [said for said in warnings if "is so long" in said]
            for name, warnings in found.items()
        } == wanted
