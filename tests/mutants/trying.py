# SPDX-License-Identifier: GPL-3.0-or-later
"""Tries mutants against tests: in forks of a process that has imported Blender, and nothing of the project.

Each fork imports the project, with the fault in one module, collects the tests that run its lines, and
stops at the first that fails.
"""

from __future__ import annotations

import contextlib
import dataclasses
import gc
import importlib.abc
import importlib.machinery
import json
import os
import resource
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import pytest

from tests.conftest import SHARED
from tests.mutants.making import ROOT, Mutant, mutated

PLAIN = ("-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:randomly", "--no-header", "--tb=no")
BASE_SECONDS = 20.0
"""Of processor time for importing and collecting, beside three times what the tests take otherwise."""
MOST_MEMORY = 12 << 30
"""Bytes of addresses."""


@dataclasses.dataclass
class Recorded:
    """What the tests of a room do when nothing is wrong.

    lines: of each module that may be mutated the tests that run a line. seconds: of each test.
    """

    lines: dict[str, dict[int, set[str]]] = dataclasses.field(default_factory=dict)
    seconds: dict[str, float] = dataclasses.field(default_factory=dict)

    def who_notices(self, mutant: Mutant) -> list[str]:
        """The tests that may notice a mutant, the quickest first."""
        lines = self.lines.get(mutant.path, {})
        tests = set().union(*(lines.get(line, set()) for line in range(mutant.first, mutant.last + 1)))
        # what is run once, when all of it is imported or the first test wants it, is there for all tests
        if "" in tests or not mutant.inside:
            tests = set(self.seconds)
        return sorted(tests, key=lambda test: (self.seconds[test], test))


class Recorder:
    """Notes which lines of some modules each test runs, and how long it takes."""

    TOOL = 3

    def __init__(self, paths: Collection[str]) -> None:
        self.paths = {str(ROOT / path): path for path in paths}
        self.recorded = Recorded(lines={path: {} for path in paths})
        self.test = ""
        self.made_with: dict[str, set[str]] = {}

    @contextlib.contextmanager
    def recording(self) -> Iterator[None]:
        """Have Python call for each line that is run first."""
        watch = sys.monitoring
        watch.use_tool_id(self.TOOL, "mutants")
        watch.register_callback(self.TOOL, watch.events.LINE, self._line)
        watch.set_events(self.TOOL, watch.events.LINE)
        try:
            yield
        finally:
            watch.set_events(self.TOOL, 0)
            watch.free_tool_id(self.TOOL)

    def _line(self, code: CodeType, line: int) -> object:
        path = self.paths.get(code.co_filename)
        if path is not None:
            self.recorded.lines[path].setdefault(line, set()).add(self.test)
        # not again, before the next test begins
        return sys.monitoring.DISABLE

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Each test apart, with the fixtures that are made for it."""
        self.test, began = item.nodeid, time.process_time()
        for fixture in getattr(item, "fixturenames", ()):
            self.made_with.setdefault(fixture, set()).add(item.nodeid)
        sys.monitoring.restart_events()
        try:
            return (yield)
        finally:
            self.recorded.seconds[item.nodeid] = time.process_time() - began

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Iterator[object]:
        """What is made for many tests all of them run."""
        test = self.test
        if fixturedef.scope != "function":
            self.test = fixturedef.argname
            sys.monitoring.restart_events()
        try:
            return (yield)
        finally:
            if self.test != test:
                self.test = test
                sys.monitoring.restart_events()

    def answer(self) -> dict[str, Any]:
        """All of it, as JSON."""
        lines = {
            path: {
                line: sorted(set().union(*(self.made_with.get(test, {test}) for test in tests)))
                for line, tests in ran.items()
            }
            for path, ran in self.recorded.lines.items()
        }
        return {"lines": lines, "seconds": self.recorded.seconds}


class Chosen:
    """Runs some tests of all, in the order given."""

    def __init__(self, tests: Iterable[str]) -> None:
        self.order = {test: index for index, test in enumerate(tests)}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Take those, the quickest first."""
        items[:] = sorted((i for i in items if i.nodeid in self.order), key=lambda i: self.order[i.nodeid])


class MutatedLoader(importlib.machinery.SourceFileLoader):
    """Loads a module with a fault in it."""

    def __init__(self, mutant: Mutant) -> None:
        super().__init__(mutant.module, str(ROOT / mutant.path))
        self.mutant = mutant

    def get_code(self, fullname: str) -> CodeType:
        """As compiled anew, whatever is kept."""
        return compile(mutated(self.mutant), str(ROOT / self.mutant.path), "exec")


class MutatedFinder(importlib.abc.MetaPathFinder):
    """Finds one module before Python does."""

    def __init__(self, mutant: Mutant) -> None:
        self.mutant = mutant

    def find_spec(self, fullname: str, path: object, target: ModuleType | None = None) -> Any:
        """The mutated module's, and no other."""
        if fullname != self.mutant.module:
            return None
        return importlib.machinery.ModuleSpec(fullname, MutatedLoader(self.mutant), origin=self.mutant.path)


def record(room: str, paths: Collection[str]) -> Recorded:
    """Run all tests of a room once, unchanged."""

    def run() -> dict[str, Any]:
        recorder = Recorder(paths)
        with recorder.recording():
            code = pytest.main([*PLAIN, *_tests_of(room)], plugins=[recorder])
        return {"code": int(code), **recorder.answer()}

    said, answer = forked(run)()
    if answer is None or answer["code"]:
        raise RuntimeError(f"the tests of {room} fail without a mutant:\n{said[-3000:]}")
    lines = {
        path: {int(line): set(tests) for line, tests in own.items()} for path, own in answer["lines"].items()
    }
    return Recorded(lines, answer["seconds"])


def attempt(mutant: Mutant, recorded: Recorded) -> Callable[[], str]:
    """Begin to try a mutant; what is returned waits for who noticed it, "" when nobody did."""
    tests = recorded.who_notices(mutant)
    if not tests:
        return lambda: ""
    seconds = BASE_SECONDS + 3.0 * sum(recorded.seconds[test] for test in tests)

    def run() -> dict[str, Any]:
        sys.meta_path.insert(0, MutatedFinder(mutant))
        failed: list[str] = []

        class Failed:
            def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
                if report.failed:
                    failed.append(report.nodeid)

        files = sorted({test.partition("::")[0] for test in tests})
        code = pytest.main([*PLAIN, "-x", *files], plugins=[Chosen(tests), Failed()])
        return {"failed": failed[0] if failed else "collecting" if code else ""}

    wait = forked(run, seconds)

    def end() -> str:
        _, answer = wait()
        return "end of the process" if answer is None else str(answer["failed"])

    return end


def _tests_of(room: str) -> list[str]:
    """A room's files; of a layer itself those beside its rooms."""
    if room.count("/") > 1:
        return [room]
    return sorted(str(path.relative_to(ROOT)) for path in (ROOT / room).glob("test_*.py"))


def forked(work: Callable[[], Any], seconds: float = 0.0) -> Callable[[], tuple[str, Any]]:
    """Do some work in a fork, within seconds of processor time; what is returned waits for it.

    That gives what the fork has said, and what the work has returned, as JSON; None where it never came.
    """
    reading, writing = os.pipe()
    said = Path(os.environ[SHARED]) / f"said-{writing}-{time.monotonic_ns()}.txt"
    with warnings.catch_warnings():
        # Blender's threads stay behind; it makes new ones
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        os.close(reading)
        _work_and_leave(work, writing, said, seconds)
    os.close(writing)

    def wait() -> tuple[str, Any]:
        with os.fdopen(reading, "rb") as pipe:
            answer = pipe.read()
        os.waitpid(child, 0)
        text = said.read_text(encoding="utf-8", errors="replace") if said.exists() else ""
        said.unlink(missing_ok=True)
        return text, json.loads(answer) if answer else None

    return wait


def _work_and_leave(work: Callable[[], Any], writing: int, said: Path, seconds: float) -> None:
    """The fork's part."""
    try:
        os.setsid()
        out = os.open(said, os.O_CREAT | os.O_WRONLY)
        os.dup2(out, 1)
        os.dup2(out, 2)
        if seconds:
            limit = int(seconds) + 1
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
            resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
            # what waits for ever uses no processor
            signal.alarm(20 * limit)
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
        answer = json.dumps(work()).encode()
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(answer)
    except BaseException:
        traceback.print_exc()
    finally:
        # Blender may crash where Python ends as it should
        os._exit(0)


def warm_up() -> None:
    """Import what all tests need and no mutant is in."""
    import bpy  # noqa: F401
    import hypothesis  # noqa: F401
    import numpy  # noqa: F401
    import scipy.spatial.transform  # noqa: F401

    gc.freeze()
