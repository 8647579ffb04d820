# SPDX-License-Identifier: GPL-3.0-or-later
"""Real motion is imported once for all processes that run these tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.blender import clips, wanderer


@pytest.fixture(scope="session", autouse=True)
def imported_once(shared_folder: Path, pytestconfig: pytest.Config) -> None:
    """Keep what importing a set of clips made, and the walker's, for the next test that asks for it."""
    clips.kept = wanderer.kept = shared_folder
    clips.is_whole = pytestconfig.getoption("--all-pairs")
    clips.are_few = not pytestconfig.getoption("--all-variants")
