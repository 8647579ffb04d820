# SPDX-License-Identifier: GPL-3.0-or-later
"""A process that ends in a task fails only that, once another one has tried; here they need no Blender."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from inertia_addon.batch.jobs.job import Inputs
from inertia_addon.batch.work import pool as work
from inertia_addon.batch.work.pool import Child, Pool, WorkItem
from inertia_addon.errors import InertiaError

WORKER = f"""
import json, os, pathlib, sys
for line in iter(sys.stdin.readline, ""):
    task = json.loads(line)
    if task["do"] == "die" or (task["do"] == "die once" and not pathlib.Path(task["seen"]).exists()):
        pathlib.Path(task["seen"]).touch()
        sys.exit(3)
    if task["do"] == "hang":
        sys.stdin.read()
        break
    print("chatter")
    print({work.MARK!r} + json.dumps({{"done": {{"by": os.getpid()}}}}), flush=True)
"""
INPUTS = [Inputs((f"/{name}.blend",)) for name in "ab"]


@pytest.fixture(autouse=True)
def _no_blender(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "command", lambda: [sys.executable, "-c", WORKER])


@pytest.fixture
def one() -> Iterator[Child]:
    made = Child()
    yield made
    made.close()


def test_a_child_stays_for_several_tasks(one: Child) -> None:
    assert one.ask({"do": "it"}) == one.ask({"do": "it"})


def test_a_child_takes_over_where_another_ends(one: Child, tmp_path: Path) -> None:
    before = one.ask({"do": "it"})["done"]["by"]
    done = one.ask({"do": "die once", "seen": str(tmp_path / "seen")})["done"]["by"]
    assert done != before
    assert one.ask({"do": "it"})["done"]["by"] == done


def test_a_task_that_ends_two_is_the_cause(one: Child, tmp_path: Path) -> None:
    said = one.ask({"do": "die", "seen": str(tmp_path / "seen")})
    assert said == {"failed": "Blender ended 2 times while it was at this (exit code 3)."}
    assert "done" in one.ask({"do": "it"})


def test_a_task_that_ends_its_process_fails_alone(tmp_path: Path) -> None:
    what = ["it", "die", "it", "die once", "it", "it"]
    tasks = [
        WorkItem(i, INPUTS[i % 2], {"do": do, "seen": str(tmp_path / str(i))}) for i, do in enumerate(what)
    ]
    pool = Pool(2)
    for _ in range(2):
        answers = dict(pool.run(tasks))
        assert ["done" in answers[i] for i in range(len(tasks))] == [do != "die" for do in what]
        assert answers[1]["failed"].startswith("Blender ended 2 times")
    pool.end()


@pytest.mark.parametrize("way", ["kill", "end"])
def test_a_pool_ends_at_once_whatever_its_children_are_at(way: str) -> None:
    pool = Pool(2)
    tasks = [WorkItem(i, INPUTS[0], {"do": do}) for i, do in enumerate(["it", *["hang"] * 9])]
    answers = pool.run(tasks)
    assert "done" in next(answers)[1]
    getattr(pool, way)()
    assert all("failed" in said for _, said in answers)
    pool.end()


def test_a_program_that_cannot_be_started_is_said(one: Child, monkeypatch: Any) -> None:
    monkeypatch.setattr(work, "command", lambda: ["/nowhere/blender"])
    with pytest.raises(InertiaError, match="Blender could not be started: No such file"):
        one.ask({"do": "it"})
    with pytest.raises(InertiaError, match="Blender could not be started"):
        list(Pool(2).run([WorkItem(0, INPUTS[0], {})]))
