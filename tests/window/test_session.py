# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of a session in a real window: none depends on those before it, and every session ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.window.launcher import Look, RealBlender
from tests.window.pictures import Seen

pytestmark = pytest.mark.window

PARTS = ("session.left", "session.found")


def test_a_part_finds_the_editors_that_blender_starts_with(seen: Seen) -> None:
    """Whatever editors the part before it has left."""
    assert ("VIEW_3D" in seen.state["editors"]) == (seen.folder.name == "dark session.found")


def test_a_session_that_fails_ends(blender: RealBlender) -> None:
    """Here without the extension, which is asked between steps whether it is done."""
    run = blender.session(Path(__file__).parent, Look("small", "dark", 1.0, 640, 480), ["session.found"])
    assert "ModuleNotFoundError" in run.output
    assert run.returncode == 0, run.output
