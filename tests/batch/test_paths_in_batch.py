# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths from a spec: a character follows a curve of its file, and a file of points beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import recipe
from tests.batch.library_files import Batch, events, litter, write_spec
from tests.blender import wanderer


def test_curves_and_points_are_followed_and_names_that_are_not_there_are_said(
    fresh_file: None, tmp_path: Path, batch: Batch
) -> None:
    wanderer.with_clips()
    for action in bpy.data.actions:
        action.use_fake_user = True
    shape = bpy.data.curves.new("Street", "CURVE")
    spline = shape.splines.new("POLY")
    spline.points.add(1)
    spline.points[1].co = (0.9, 0.0, 0.0, 1.0)
    bpy.context.collection.objects.link(bpy.data.objects.new("Street", shape))
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "walker.blend"))
    path = {"curve": "Street", "actions": ["Walk", "Bend"], "speed": "CONSTANT", "constant_speed": 0.6}
    out = tmp_path / "out"
    (tmp_path / "line.csv").write_text("x,y\n0,0\n0.9,0\n")
    by_points = {**{name: path[name] for name in path if name != "curve"}, "points": "line.csv"}
    asked = {"files": ["walker.blend"], "paths": [path, by_points]}
    done = batch(write_spec(tmp_path, asked), out, "--json")
    assert done.code == 0, done.err
    said = {event["where"]: event for event in events(done) if event["event"] == "done"}
    # the same line, followed in the same way
    assert said["paths[0]"]["path_rms_m"] == pytest.approx(said["paths[1]"]["path_rms_m"], abs=1e-3)
    assert said["paths[0]"]["path_rms_m"] < 0.1
    assert {name.name for name in out.glob("*.blend")} == {"along_Street.blend", "along_line.blend"}
    assert litter(out) == []
    bpy.ops.wm.open_mainfile(filepath=str(out / "along_Street.blend"))
    assert any(recipe.is_baked(action, recipe.PATH) for action in bpy.data.actions)
    wrong = {**path, "actions": ["Walk", "Trot"]}
    done = batch(write_spec(tmp_path, {"files": ["walker.blend"], "paths": [wrong]}), out)
    assert done.code != 0
    assert "Trot" in done.err
    missing = {**path, "curve": "Road"}
    done = batch(write_spec(tmp_path, {"files": ["walker.blend"], "paths": [missing]}), out)
    assert done.code == 1
    assert 'no curve "Road"' in done.err
