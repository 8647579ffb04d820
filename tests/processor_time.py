# SPDX-License-Identifier: GPL-3.0-or-later
"""A plugin of pytest that notes where the processor time of a run of the tests goes.

    pytest -p tests.processor_time --processor-time FILE

Each process of the run (one without xdist, else each worker) measures its own time and that of the processes
it has waited for; FILE gets what all of them noted, as JSON: a list with one ``Spent`` for each process.
"""

from __future__ import annotations

import collections
import dataclasses
import json
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

OPTION = "--processor-time"


@dataclasses.dataclass
class Spent:
    """Processor seconds of one process of the tests.

    tests: by test id. fixtures: by fixture, how often it was made and the seconds of that, without the
    fixtures that it asks for. starts: by program, how many processes were started. children: of all processes
    waited for. imports: of numpy and bpy. collecting: of finding the tests and importing their files.
    """

    tests: dict[str, float] = dataclasses.field(default_factory=dict)
    fixtures: dict[str, tuple[int, float]] = dataclasses.field(default_factory=dict)
    starts: dict[str, int] = dataclasses.field(default_factory=dict)
    children: float = 0.0
    imports: dict[str, float] = dataclasses.field(default_factory=dict)
    collecting: float = 0.0


def processor_seconds() -> float:
    """Return the processor time of this process and of the ended ones that it has waited for."""
    times = os.times()
    return time.process_time() + times.children_user + times.children_system


def read(path: Path) -> list[Spent]:
    """Return what the processes of a run have noted."""
    return [Spent(**noted) for noted in json.loads(path.read_text(encoding="utf-8"))]


def program_of(arguments: Any) -> str:
    """Return the kind of program that a process is started with: Inertia's, Blender, Python or a file."""
    words = [
        os.fspath(word) for word in ([arguments] if isinstance(arguments, (str, os.PathLike)) else arguments)
    ]
    if "inertia_addon" in words:
        return "Inertia's command"
    name = Path(str(words[0]).split()[0]).name
    for program in ("blender", "python"):
        if name.startswith(program):
            return program.capitalize()
    return name


class Watch:
    """Measures the tests of one process."""

    def __init__(self) -> None:
        self.spent = Spent()
        self.starts: collections.Counter[str] = collections.Counter()
        self.inner = [0.0]  # of fixtures that the fixture being made has asked for

    def import_libraries(self) -> None:
        """Import numpy and bpy, which nearly every process of the tests does, to know what that takes."""
        for name in ("numpy", "bpy"):
            began = processor_seconds()
            pytest.importorskip(name)
            self.spent.imports[name] = processor_seconds() - began

    def count_starts(self) -> None:
        """Count the processes that are started from here on."""
        start = subprocess.Popen.__init__

        def counted(process: Any, args: Any, *more: Any, **named: Any) -> None:
            self.starts[program_of(args)] += 1
            start(process, args, *more, **named)

        subprocess.Popen.__init__ = counted  # type: ignore[method-assign]

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self) -> Iterator[None]:
        """Measure how long it takes to find the tests."""
        began = processor_seconds()
        try:
            return (yield)
        finally:
            self.spent.collecting = processor_seconds() - began

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Measure a test with the fixtures that are made for it."""
        began = processor_seconds()
        try:
            return (yield)
        finally:
            self.spent.tests[item.nodeid] = processor_seconds() - began

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Iterator[object]:
        """Measure how long a fixture takes to make."""
        began = processor_seconds()
        self.inner.append(0.0)
        try:
            return (yield)
        finally:
            whole = processor_seconds() - began
            count, seconds = self.spent.fixtures.get(fixturedef.argname, (0, 0.0))
            self.spent.fixtures[fixturedef.argname] = (count + 1, seconds + whole - self.inner.pop())
            self.inner[-1] += whole

    def noted(self) -> dict[str, Any]:
        """Return what was measured, as JSON has it."""
        self.spent.starts = dict(self.starts)
        times = os.times()
        self.spent.children = times.children_user + times.children_system
        return dataclasses.asdict(self.spent)


class Sum:
    """Gathers what the processes have noted in the one that spreads the tests, and writes it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.all: list[dict[str, Any]] = []

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take what a worker of xdist has noted."""
        self.all.append(node.workeroutput["processor_time"])

    def pytest_sessionfinish(self) -> None:
        """Write all of it."""
        self.path.write_text(json.dumps(self.all), encoding="utf-8")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Say where to write."""
    parser.addoption(OPTION, type=Path, help="write where the processor time goes to this file, as JSON")


def pytest_configure(config: pytest.Config) -> None:
    """Begin to measure: in each worker, or here where there is none."""
    path = config.getoption(OPTION)
    if path is None:
        return
    is_worker = hasattr(config, "workerinput")
    total = None if is_worker else Sum(path)
    if total is not None:
        config.pluginmanager.register(total)
    if is_worker or not config.getoption("numprocesses", None):
        watch = Watch()
        watch.import_libraries()
        watch.count_starts()
        config.pluginmanager.register(watch)
        config.pluginmanager.register(Handover(config, watch, total))


class Handover:
    """Hands on what a process has noted when its tests are done."""

    def __init__(self, config: pytest.Config, watch: Watch, total: Sum | None) -> None:
        self.config, self.watch, self.total = config, watch, total

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        """To the process that spreads the tests, or to the file's writer."""
        if self.total is None:
            self.config.workeroutput["processor_time"] = self.watch.noted()
        else:
            self.total.all.append(self.watch.noted())
