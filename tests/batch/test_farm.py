# SPDX-License-Identifier: GPL-3.0-or-later
"""``batch --part`` and the job type for Flamenco, whose script is run as its Manager runs it."""

from __future__ import annotations

import json
import posixpath
from pathlib import Path
from typing import Any

import jsonschema
import pytest

pytest.importorskip("bpy", reason="bpy is not installed here")
quickjs = pytest.importorskip("quickjs", reason="quickjs-ng is not installed here")

from tests.batch.library_files import ROOT, Batch, same_results, write_spec

SCRIPT = ROOT / "examples" / "farm" / "inertia_batch.js"

HOST = """
const tasks = [];
const author = {
    Task: (name, type) => ({
        name, type, commands: [], addCommand(command) { this.commands.push(command); }
    }),
    Command: (name, parameters) => ({ name, parameters }),
};
const path = { join: (...parts) => parts.join("/") };
const shellSplit = (text) => text.split(" ").filter(Boolean);
const compiled = (settings) => {
    compileJob({ name: "Job", settings, addTask: (task) => tasks.push(task) });
    return JSON.stringify(tasks);
};
"""
"""What a Manager offers a job type's script, as far as this one uses it."""

JOB_TYPE = {
    "type": "object",
    "required": ["label", "settings"],
    "additionalProperties": False,
    "properties": {
        "label": {"type": "string"},
        "description": {"type": "string"},
        "settings": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["key", "type"],
                "additionalProperties": False,
                "properties": {
                    "key": {"type": "string", "pattern": "^[a-z_]+$"},
                    "type": {"enum": ["string", "int32", "float", "bool"]},
                    "subtype": {"enum": ["file_path", "dir_path", "file_name", "hashed_file_path"]},
                    "choices": {"type": "array", "items": {"type": "string"}},
                    "propargs": {"type": "object"},
                    "description": {"type": "string"},
                    "label": {"type": "string"},
                    "default": {},
                    "eval": {"type": "string"},
                    "visible": {"enum": ["visible", "hidden", "submission", "web"]},
                    "required": {"type": "boolean"},
                    "editable": {"type": "boolean"},
                },
            },
        },
    },
}
"""What a Manager takes for a job type (AvailableJobType of Flamenco's API, version 3)."""

TASKS = {
    "type": "array",
    "minItems": 1,
    "items": {
        "type": "object",
        "required": ["name", "type", "commands"],
        "properties": {
            "name": {"type": "string"},
            "type": {"enum": ["blender", "ffmpeg", "file-management", "misc"]},
            "commands": {
                "type": "array",
                "minItems": 1,
                "items": {
                    "type": "object",
                    "required": ["name", "parameters"],
                    "properties": {
                        "name": {"const": "exec"},
                        "parameters": {
                            "type": "object",
                            "required": ["exe", "args"],
                            "additionalProperties": False,
                            "properties": {
                                "exe": {"type": "string"},
                                "args": {"type": "array", "items": {"type": "string"}},
                            },
                        },
                    },
                },
            },
        },
    },
}
"""What a Manager takes for tasks, and a worker for the command ``exec``."""

BLENDER = ["{blender}", "--background", "--command", "inertia"]


def compiled(settings: dict[str, Any]) -> list[dict[str, Any]]:
    """The tasks that the script makes of settings."""
    context = quickjs.Context()
    context.eval(SCRIPT.read_text(encoding="utf-8") + HOST)
    tasks = json.loads(context.eval(f"compiled({json.dumps(settings)})"))
    jsonschema.validate(tasks, TASKS)
    return tasks


def test_the_job_type_is_one_that_a_manager_takes() -> None:
    context = quickjs.Context()
    context.eval(SCRIPT.read_text(encoding="utf-8"))
    told = json.loads(context.eval("JSON.stringify(JOB_TYPE)"))
    jsonschema.validate(told, JOB_TYPE)
    keys = [setting["key"] for setting in told["settings"]]
    assert len(keys) == len(set(keys))


def test_no_parts_are_no_job() -> None:
    with pytest.raises(quickjs.JSException, match="at least one part"):
        compiled({"spec": "spec.toml", "output": "out", "parts": 0, "processes": 1})


@pytest.mark.slow
def test_the_tasks_of_a_farm_make_together_what_one_run_makes(
    rig_file: Path, tmp_path: Path, inertia: Any, batch: Batch
) -> None:
    walk = {"source": "Walk", "destination": "Run", "enter_at": "first", "name": "{source}_{cut}"}
    transitions = [{**walk, "cut": 5 + i} for i in range(3)]
    spec = write_spec(rig_file.parent, {"files": [rig_file.name], "transitions": transitions})
    whole, out = tmp_path / "whole", tmp_path / "farm"
    assert batch(spec, whole).code == 0
    wanted = {path.name for path in whole.glob("*.blend")}
    assert len(wanted) == len(transitions)
    settings = {"spec": str(spec), "output": out.as_posix(), "parts": 2, "processes": 1, "options": "--json"}
    found: dict[str, Path] = {}
    for task in compiled(settings):
        (command,) = task["commands"]
        words = [command["parameters"]["exe"], *command["parameters"]["args"]]
        assert words[: len(BLENDER)] == BLENDER
        # the same program, which runs here
        done = inertia(*words[len(BLENDER) :])
        assert done.code == 0, done.err
        folder = Path(words[words.index("-o") + 1])
        assert posixpath.dirname(folder.as_posix()) == out.as_posix()
        own = {path.name: folder for path in folder.glob("*.blend")}
        assert not own.keys() & found.keys()
        assert len(own) in (1, 2)
        found |= own
    assert found.keys() == wanted
    for name, folder in found.items():
        same_results(whole, folder, [name])


@pytest.mark.parametrize("text", ["0/3", "4/3", "1", "1/", "a/b", "-1/2", "1/0"])
def test_a_text_that_is_no_part_is_refused(batch: Batch, rig_file: Path, tmp_path: Path, text: str) -> None:
    values = {"source": "Walk", "destination": "Run", "cut": 5}
    spec = write_spec(rig_file.parent, {"files": [rig_file.name], "transitions": [values]})
    done = batch(spec, tmp_path / "out", f"--part={text}")
    assert done.code == 2
    assert "no part of several; give one such as 2/8" in done.err
    assert not (tmp_path / "out").exists()
