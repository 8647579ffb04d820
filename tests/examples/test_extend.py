# SPDX-License-Identifier: GPL-3.0-or-later
"""The worked example of a feature of one's own: one file outside, of which all doors are made."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon import api
from inertia_addon.batch.jobs import clips, requests
from inertia_addon.batch.jobs.job import KINDS
from inertia_addon.blender.data import compat, recipe
from inertia_addon.cli import program
from inertia_addon.tasks import every
from tests.blender import wanderer

FILE = Path(__file__).resolve().parents[2] / "examples" / "extend" / "medley.py"


@pytest.fixture
def medley(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The example, read; what it has registered is taken back at the end."""
    monkeypatch.setenv(every.FILES, "")
    monkeypatch.setattr(sys, "path", [*sys.path])
    spec = importlib.util.spec_from_file_location("medley", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "medley", module)
    spec.loader.exec_module(module)
    yield module
    for cls in (module.MEDLEY_PT_panel, module.MEDLEY_OT_bake):
        bpy.utils.unregister_class(cls)
    every.TASKS.remove(module.MedleyTask)
    for made in (program.COMMANDS, api._COMMANDS, KINDS):
        made.pop("medley")
    for sections in (clips.SECTIONS, requests.SECTIONS):
        sections.pop("medleys")


@pytest.fixture
def walker(fresh_file: None) -> Any:
    return wanderer.with_clips()


def test_a_registered_task_is_a_function_a_command_and_a_list_of_specs(
    medley: ModuleType, walker: Any
) -> None:
    assert "medley" in api.commands()
    assert "    clips: the actions that follow" in api.medley.__doc__
    asked = program.build_parser().parse_args(["medley", "x.blend", "--clips", "A", "B", "-o", "y.blend"])
    assert asked.clips == ["A", "B"]
    fields = requests.whole_schema()["properties"]["medleys"]["items"]["properties"]
    assert {"action", "clips", "stay", "formats"} <= {*fields}
    made = api.medley(walker, action="Walk", clips=("Bend", "Turn"))
    action = bpy.data.actions[made.action]
    assert recipe.kind(action) == recipe.HOP
    assert made.values["verdict"]["rating"] in ("GOOD", "FAIR")
    assert [step["settings"]["destination"] for step in made.values["steps"]] == ["Bend", "Turn"]
    assert api.update(walker, action=made.action).values["updated"][0]["kind"] == "hop"


def test_a_registered_task_has_its_button(medley: ModuleType, walker: Any) -> None:
    compat.assign(walker, bpy.data.actions["Walk"], "OBWalker")
    assert bpy.ops.medley.bake(clips="Bend,Turn") == {"FINISHED"}
    assert walker.animation_data.action.name == "Walk medley"


def test_a_task_can_t_take_the_name_of_an_own_command(medley: ModuleType) -> None:
    taken = type("Taken", (medley.MedleyTask,), {"KIND": "own", "COMMAND": "bake", "__module__": "medley"})
    with pytest.raises(api.InertiaError, match="one of Inertia's own commands"):
        api.register(taken)


def test_the_file_extends_programs_and_the_workers_of_a_batch(walker: Any, tmp_path: Path) -> None:
    for action in bpy.data.actions:
        action.use_fake_user = True
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "clips.blend"))
    spec = {"files": ["clips.blend"], "medleys": [{"action": "Walk", "clips": ["Bend", "Turn"]}]}
    (tmp_path / "spec.json").write_text(json.dumps(spec), encoding="utf-8")
    root = str(FILE.parents[2])
    words = [sys.executable, "-m", "inertia_addon", "batch", "spec.json", "-o", "out", "--json"]
    done = subprocess.run(
        words,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": root, every.FILES: str(FILE)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr + done.stdout
    assert (tmp_path / "out" / "Walk_medley.blend").exists()
    missing = {**os.environ, "PYTHONPATH": root, every.FILES: str(tmp_path / "gone.py")}
    done = subprocess.run(words, cwd=tmp_path, env=missing, capture_output=True, text=True, check=False)
    assert (done.returncode, "could not be read" in done.stdout) == (1, True)
