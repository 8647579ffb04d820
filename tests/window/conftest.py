# SPDX-License-Identifier: GPL-3.0-or-later
"""Real Blenders: the tests here run once for each executable of INERTIA_BLENDERS, separated by colons."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.window.launcher import RealBlender
from tools import build_extension

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
        blender.install(package).check()
        yield blender
