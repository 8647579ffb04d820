# SPDX-License-Identifier: GPL-3.0-or-later
"""Hops in a real window: an animator finds them, sees what they cost, bakes one and takes it back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.window.launcher import RealBlender, reported

plt = pytest.importorskip("matplotlib.image", reason="matplotlib is not installed here")

pytestmark = pytest.mark.window

STEPS = Path(__file__).with_name("bridge_steps.py")
ACTIONS = ["Jog", "Run", "Trot", "Walk"]


@pytest.fixture(scope="module")
def seen(installed_blender: RealBlender) -> tuple[Any, Path]:
    """What happened in the window, and the folder of its pictures."""
    return reported(installed_blender.drive(STEPS).check()), installed_blender.folder


def test_hops_are_found_and_one_is_baked(seen: tuple[Any, Path]) -> None:
    state, _ = seen
    assert state["before"] == {"actions": ACTIONS, "assigned": "Run", "costs": [], "frame": 1}
    found = state["found"]
    assert found["actions"] == ACTIONS
    assert found["costs"]
    assert found["costs"] == sorted(found["costs"])
    assert state["baked"]["actions"] == [*ACTIONS, "Walk to Run"]
    assert state["baked"]["assigned"] == "Walk to Run"


def test_one_undo_takes_the_bake_back(seen: tuple[Any, Path]) -> None:
    state, _ = seen
    assert state["undone"] == state["found"]


def test_esc_stops_a_search_and_leaves_all_as_it_was(seen: tuple[Any, Path]) -> None:
    state, _ = seen
    assert state["started"] == ["RUNNING_MODAL"]
    assert state["stopped"] == state["before the search"]


def test_the_costs_show_along_the_bottom_of_the_view(seen: tuple[Any, Path]) -> None:
    state, folder = seen
    if not (folder / "on.png").exists():
        pytest.skip("ImageMagick's import is not installed beside this Blender, so there are no pictures")
    left, top, right, bottom = state["view"]
    off, on = (plt.imread(folder / f"{name}.png")[top:bottom, left:right, :3] for name in ("off", "on"))
    changed = np.abs(off - on).max(axis=2) > 0.02
    rows = np.flatnonzero(changed.any(axis=1)) / len(changed)
    assert changed.mean() > 0.01
    assert np.median(rows) > 0.7
