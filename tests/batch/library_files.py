# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of ``batch`` share: specs, runs in processes of their own, and what a folder holds."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.batch.small_rig import Run

ROOT = Path(__file__).resolve().parent.parent.parent

# bpy leaves a variable of its own, of which another Blender would speak
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "OCIO"} | {
    "PYTHONPATH": str(ROOT)
}

Batch = Callable[..., Run]
"""The fixture ``batch``: given a spec, the folder to write into and further words."""


def write_spec(folder: Path, values: dict[str, Any], name: str = "spec.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(values, indent=1), encoding="utf-8")
    return path


def command(spec: Path, output: Path, *more: object) -> list[str]:
    return [sys.executable, "-m", "inertia_addon", "batch", str(spec), "-o", str(output), *map(str, more)]


def start(
    spec: Path, output: Path, *more: object, said: Path | None = None, **environment: str
) -> subprocess.Popen[str]:
    """Start ``batch`` as a program of its own. said: where what it says goes; None to read it. environment:
    variables that it has beside those of the tests."""
    with contextlib.nullcontext(subprocess.PIPE) if said is None else said.open("w") as to:
        return subprocess.Popen(
            command(spec, output, *more), stdout=to, stderr=to, text=True, env=ENVIRONMENT | environment
        )


def without_blender(file: Path, *, stops: bool = False) -> dict[str, str]:
    """Variables with which ``start`` has workers without Blender, for what is no matter of what they make.

    file: what they are to find in any input. stops: whether each of them stops before its second job.
    """
    from inertia_addon.batch.jobs.job import Inputs
    from inertia_addon.batch.jobs.opened import Opened
    from inertia_addon.batch.work import worker

    with contextlib.closing(Opened()) as opened:
        outline = worker.inspect(opened, Inputs((str(file),)))
    path = file.with_name("outline.json")
    path.write_text(json.dumps(outline), encoding="utf-8")
    return {
        "PYTHONPATH": os.pathsep.join((str(ROOT / "tests" / "batch" / "without_blender"), str(ROOT))),
        "INERTIA_OUTLINE": str(path),
        "INERTIA_STOPS": "1" if stops else "",
    }


def wait_for_a_job(running: subprocess.Popen[str]) -> None:
    """Read a run's events until one says that a job is done."""
    assert running.stdout is not None
    while '"done"' not in running.stdout.readline():
        assert running.poll() is None


def wait_for_a_stop(running: subprocess.Popen[str]) -> int:
    """Wait until the worker of a run is done with its first job and has stopped; returns its number."""
    wait_for_a_job(running)
    return stopped_child(running, running.pid)


def stopped_child(running: subprocess.Popen[str], parent: int) -> int:
    """Wait until a child of a process has stopped, while a run goes on; returns its number."""
    while True:
        for child in children_of(parent):
            # the name, which may hold anything, stands in brackets
            if Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[0] == "T":
                return child
        with contextlib.suppress(subprocess.TimeoutExpired):
            raise AssertionError(f"it ended with {running.wait(timeout=0.01)}")


def children_of(pid: int) -> list[int]:
    """The processes that a process has started."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = stat.read_text()
        except OSError:
            continue
        # the name, which may hold anything, stands in brackets; a Z is one that has ended
        state, parent = text.rpartition(")")[2].split()[:2]
        if int(parent) == pid and state != "Z":
            found.append(int(stat.parent.name))
    return found


def cut_bvh(path: Path, folder: Path, frames: int) -> Path:
    """A capture's first frames, by its name in a folder."""
    lines = path.read_text(encoding="utf-8").splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("Frames:"))
    assert int(lines[at].split()[1]) >= frames
    lines[at] = f"Frames: {frames}"
    cut = folder / path.name
    cut.write_text("\n".join(lines[: at + 2 + frames]) + "\n", encoding="utf-8")
    return cut


def events(done: Run) -> list[dict[str, Any]]:
    return [json.loads(line) for line in done.out.splitlines()]


def litter(output: Path) -> list[str]:
    """Files that are not complete: none may be left under any name but a hidden one, and none at the end."""
    return [path.name for path in output.rglob(".*") if path.name not in (".inertia",)]


def keys_of(path: Path) -> tuple[str, dict[str, Any]]:
    """The recipe of a .blend file's result, and by curve its keys with their handles (n, 6)."""
    import bpy
    import numpy as np

    from inertia_addon.blender.data import actions, compat, recipe

    bpy.ops.wm.open_mainfile(filepath=str(path), load_ui=False)
    (result,) = (action for action in bpy.data.actions if recipe.is_baked(action))
    found = {}
    for slot in compat.slots(result):
        for address, curve in actions.read(result, slot).curves.items():
            keys = curve.keys
            found[(slot.identifier, *address)] = np.column_stack([keys.co, keys.left, keys.right])
    return str(result[recipe.HOP if recipe.is_baked(result, recipe.HOP) else recipe.RECIPE]), found


def same_results(one: Path, other: Path, names: list[str]) -> None:
    """Assert that results have the same recipes, byte for byte, and the same keys to 1e-6."""
    import numpy as np

    for name in names:
        recipe, keys = keys_of(one / name)
        recipe_there, keys_there = keys_of(other / name)
        assert recipe == recipe_there, name
        assert keys.keys() == keys_there.keys()
        for address, values in keys.items():
            np.testing.assert_allclose(values, keys_there[address], rtol=0.0, atol=1e-6, err_msg=str(address))
