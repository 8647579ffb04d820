# SPDX-License-Identifier: GPL-3.0-or-later
"""Real Blenders: the tests here run once for each executable of INERTIA_BLENDERS, separated by colons.

A test module that wants to see steps taken in a window names them (``PARTS``), and the looks to take them in
(``LOOKS``; dark if there are none): its tests ask for ``seen``. All that is taken in one look is taken in one
Blender, as a start takes seconds. Several looks are taken in turn, each in another one of the executables,
and what is marked as ``newest`` in the last.
"""

from __future__ import annotations

import importlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.window.launcher import Look, RealBlender, Run, reported
from tests.window.pictures import Seen
from tools import build_extension

LOOKS = {
    look.name: look
    for look in (
        Look("dark", "dark", 1.0, 960, 900),
        Look("light", "light", 1.5, 1440, 900),
        Look("small", "dark", 0.7, 680, 640),
        Look("page", "dark", 0.9, 1440, 900),
    )
}
"""In as few pixels as all fits into, as software draws each; the small one is for steps without buttons, and
that of a page for the pictures in docs."""


class View(NamedTuple):
    """A part of the steps in a look."""

    look: str
    part: str


LAUNCHERS = [Path(path) for path in os.environ.get("INERTIA_BLENDERS", "").split(":") if path]


@pytest.fixture(scope="session", params=LAUNCHERS or [None], ids=lambda path: path.name if path else "none")
def launcher(request: pytest.FixtureRequest) -> Path:
    """The executable of a Blender; each test that needs one runs once for each."""
    if request.param is None:
        pytest.skip("no real Blender: name some in INERTIA_BLENDERS, separated by colons")
    path: Path = request.param
    assert os.access(path, os.X_OK), f"INERTIA_BLENDERS names {path}, which can't be run"
    return path


@pytest.fixture(scope="session")
def package(launcher: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The extension's zip, freshly built."""
    return build_extension.build_extension(tmp_path_factory.mktemp("package"))


@pytest.fixture
def blender(launcher: Path) -> Iterator[RealBlender]:
    """A Blender as it is on its first start."""
    with tempfile.TemporaryDirectory(prefix="inertia-", dir="/tmp") as folder:
        yield RealBlender(launcher, Path(folder))


@pytest.fixture(scope="session")
def installed_blender(launcher: Path, package: Path) -> Iterator[RealBlender]:
    """A Blender with the extension installed and enabled; the tests share it and its folder."""
    with tempfile.TemporaryDirectory(prefix="inertia-", dir="/tmp") as folder:
        blender = RealBlender(launcher, Path(folder))
        blender.install(package)
        yield blender


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Have each of a module's parts seen once in each of its looks."""
    if "seen" in metafunc.fixturenames:
        looks = getattr(metafunc.module, "LOOKS", ("dark",))
        views = [View(look, part) for look in looks for part in metafunc.module.PARTS]
        metafunc.parametrize("seen", views, ids=" ".join, indirect=True, scope="module")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What is drawn differs between versions, and between looks, but not between both; and see ``newest``."""
    taken_twice = [item for item in items if _launcher(item) is not None and not _is_taken(item)]
    config.hook.pytest_deselected(items=taken_twice)
    items[:] = [item for item in items if item not in taken_twice]


def _launcher(item: pytest.Item) -> Path | None:
    return item.callspec.params.get("launcher") if hasattr(item, "callspec") else None


def _is_taken(item: Any) -> bool:
    """Whether a test is one for its executable: of several looks each is for another one, in turn."""
    number = LAUNCHERS.index(_launcher(item))
    if item.get_closest_marker("newest") and number < len(LAUNCHERS) - 1:
        return False
    looks = getattr(item.module, "LOOKS", ("dark",))
    look = item.callspec.params["seen"].look if "seen" in item.callspec.params else looks[0]
    turns = min(len(looks), len(LAUNCHERS))
    return looks.index(look) % turns == number % turns


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """With xdist what is seen in a Blender's window runs in one process, which so starts it seldom."""
    scheduling = importlib.import_module("xdist.scheduler").LoadScopeScheduling

    class ByBlender(scheduling):
        def _split_scope(self, nodeid: str) -> str:
            names = [path.name for path in LAUNCHERS if f"[{path.name}" in nodeid]
            looks = [look for look in LOOKS if f"-{look} " in nodeid]
            return " ".join([*names, *looks]) if names else nodeid.partition("::")[0]

    return ByBlender(config, log)


class Sessions:
    """A Blender with a window for each look, started when the first test asks for what it shows.

    wanted: all that will be asked for.
    """

    def __init__(self, blender: RealBlender, wanted: list[View]) -> None:
        self._blender, self._wanted = blender, wanted
        self._runs: dict[str, Run] = {}

    def see(self, view: View) -> Seen:
        """What was seen; AssertionError with what Blender said when something went wrong in that part."""
        look, part = view
        if look not in self._runs:
            parts = [wanted.part for wanted in self._wanted if wanted.look == look]
            self._runs[look] = self._blender.session(Path(__file__).parent, LOOKS[look], parts)
        run = self._runs[look]
        _, found, rest = run.output.partition(f"PART {part}\n")
        assert found, f"Blender did not come to {part}:\n{run.output}"
        own = Run(run.returncode, rest.partition("\nPART ")[0])
        return Seen(reported(own.check()), self._blender.folder / f"{look} {part}")


@pytest.fixture(scope="session")
def sessions(installed_blender: RealBlender, request: pytest.FixtureRequest) -> Sessions:
    """The windows that the collected tests look at."""
    wanted = [item.callspec.params.get("seen") for item in request.session.items if hasattr(item, "callspec")]
    return Sessions(installed_blender, [view for view in dict.fromkeys(wanted) if view is not None])


@pytest.fixture(scope="module")
def seen(sessions: Sessions, request: pytest.FixtureRequest) -> Seen:
    """What happened in a part of the module, in a look."""
    return sessions.see(request.param)
