# SPDX-License-Identifier: GPL-3.0-or-later
"""The command ``update``: results that are made anew once their clips have changed, and updates in specs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.batch.small_rig import Run

Inertia = Callable[..., Run]


@pytest.fixture
def results(tmp_path: Path, fresh_file: None) -> Path:
    """A file with a transition and that with its travel taken out, of a walk that is another one by now."""
    import bpy

    from inertia_addon import api
    from inertia_addon.blender.data import compat
    from tests.blender import wanderer

    walker = wanderer.with_clips(frames=31)
    made = api.bake(walker, source="Walk", destination="Turn", cut=12.0, destination_frame=15.0)
    api.travel(walker, action=made.action, in_place=True)
    for curve in compat.curves(bpy.data.actions["Walk"], "OBWalker"):
        if "thigh.L" in curve.data_path:
            for key in curve.keyframe_points:
                key.co.y *= 0.5
    for action in bpy.data.actions:
        action.use_fake_user = True
    path = tmp_path / "results.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    return path


def notes_of(inertia: Inertia, file: Path, name: str) -> list[str]:
    """What a check has to say of a result before its verdict."""
    done = inertia("check", file, "--action", name, "--json")
    assert done.code == 0, done.err
    notes: list[str] = done.json["notes"]
    return [note for note in notes if "have changed since it was baked" in note]


def test_results_are_all_brought_up_to_date_in_turn(inertia: Inertia, results: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.blend"
    assert notes_of(inertia, results, "Walk to Turn")
    done = inertia("update", results, "-o", out)
    assert (done.code, done.err) == (0, "")
    assert ["transition" in done.out, "travel" in done.out] == [True, True]
    assert not notes_of(inertia, out, "Walk to Turn")
    assert not notes_of(inertia, out, "Walk to Turn in place")
    told = inertia("update", results, "-o", out, "--json").json
    assert [each["result"] for each in told["updated"]] == ["Walk to Turn", "Walk to Turn in place"]
    assert told["verdict"]["rating"] in ("GOOD", "FAIR", "POOR")


def test_a_result_is_brought_up_to_date_and_written_alone(
    inertia: Inertia, results: Path, tmp_path: Path
) -> None:
    done = inertia("update", results, "--action", "walk to turn", "-o", tmp_path / "out.bvh", "--json")
    assert [each["result"] for each in done.json["updated"]] == ["Walk to Turn"]
    assert (tmp_path / "out.bvh").exists()
    done = inertia("update", results, "--action", "Walk", "-o", tmp_path / "out.blend")
    assert (done.code, "was not baked by Inertia" in done.err) == (1, True)


def test_specs_update_results_by_name_or_all(inertia: Inertia, results: Path, tmp_path: Path) -> None:
    spec = tmp_path / "spec.json"
    spec.write_text(json.dumps({"files": [str(results)], "updates": [{"action": "all"}]}))
    done = inertia("batch", spec, "-o", tmp_path / "out")
    assert done.code == 0, done.err
    made = sorted(path.name for path in (tmp_path / "out").glob("*.blend"))
    assert made == ["Walk to Turn in place_updated.blend", "Walk to Turn_updated.blend"]
    assert not notes_of(inertia, tmp_path / "out" / made[1], "Walk to Turn")
