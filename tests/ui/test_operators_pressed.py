# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be undone is undone, or at least done, by some test."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.ui.rooms import OPERATORS

TESTS = Path(__file__).resolve().parents[1]
UNDONE = [cls.bl_idname.partition(".")[2] for cls in OPERATORS if "UNDO" in cls.bl_options]


def test_every_operator_is_pressed_by_a_test() -> None:
    """Those that follow the mouse, or need rigs, lists or feet that walk, have steps of their own."""
    sources = "\n".join(path.read_text(encoding="utf-8") for path in TESTS.rglob("*.py"))
    words = {word.removeprefix("INERTIA_OT_") for word in re.findall(r"\w+", sources)}
    assert [name for name in UNDONE if name not in words] == []
