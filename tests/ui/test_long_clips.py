# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips that take a while are not read while a panel is drawn: a button does it, with progress and ESC."""

from __future__ import annotations

from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender import evaluation
from inertia_addon.motion.errors import InertiaError
from inertia_addon.ui import costs, root_motion


@pytest.fixture(autouse=True)
def little_is_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if these clips had a hundred thousand frames."""
    monkeypatch.setattr(evaluation, "QUICK", 20)


def test_costs_wait_for_the_button(rig: Any) -> None:
    with pytest.raises(InertiaError, match=r'^Press Evaluate Clips .* "Walk" is so long'):
        costs.of(rig)
    assert bpy.ops.inertia.evaluate_clips() == {"FINISHED"}
    assert costs.of(rig).compared.names


def test_root_motion_waits_for_the_button(rig: Any) -> None:
    with pytest.raises(InertiaError, match=r'^Press Measure Actions .* "Idle" is so long'):
        root_motion.of(rig)
    assert bpy.ops.inertia.measure_actions() == {"FINISHED"}
    assert root_motion.of(rig).read.motion.frames.size > 20


def test_what_was_not_looked_at_is_said(rig: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluation, "MOST_FRAMES", 10)
    bpy.ops.inertia.evaluate_clips()
    assert costs.notes(rig) == [
        '"Walk" is so long that only one frame in 4 was looked at.',
        '"Run" is so long that only one frame in 5 was looked at.',
    ]
