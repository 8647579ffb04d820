# SPDX-License-Identifier: GPL-3.0-or-later
"""Real motion is imported once for all processes that run these tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.blender import builders, clips, wanderer


@pytest.fixture(scope="session", autouse=True)
def imported_once(shared_folder: Path, pytestconfig: pytest.Config) -> None:
    """Keep what importing a set of clips made, for the next test that asks for it."""
    clips.kept = shared_folder
    clips.is_whole = pytestconfig.getoption("--all-pairs")
    # a share is one of all variants
    clips.are_few = not (pytestconfig.getoption("--all-variants") or pytestconfig.getoption("--share"))


@pytest.fixture(scope="module", autouse=True)
def walker_kept(shared_folder: Path) -> Iterator[None]:
    """Keep the walker with its clips; not for other tests, which ask for it in files that have more."""
    wanderer.kept = shared_folder
    yield
    wanderer.kept = None


@pytest.fixture
def armature(fresh_file: None) -> Any:
    """Two bones, B on A, in an empty file; files that need another armature have a fixture of this name."""
    return builders.rig({"A": None, "B": "A"})
