# SPDX-License-Identifier: GPL-3.0-or-later
"""What may go wrong in a session, in a real window with all overlays on: nothing breaks, nothing stays."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.window.pictures import Seen, changed

pytestmark = pytest.mark.window

STEPS = Path(__file__).with_name("trouble_steps.py").read_text(encoding="utf-8")
PARTS = tuple(f"trouble.{case}" for case in re.findall(r"^def case_(\w+)", STEPS, re.MULTILINE))
LOOKS = ("small",)


def test_trouble_in_a_window_goes_well(seen: Seen) -> None:
    """What each case asserts runs inside of Blender; a traceback in its console fails the fixture."""
    state, folder = seen
    assert state["done"]
    if "view" in state:
        assert changed(folder, "never on", "off", state["view"]).mean() < 1e-4
        assert changed(folder, "never on", "on", state["view"]).mean() > 0.05
        assert changed(folder, "on", "on again", state["view"]).mean() < 1e-3
