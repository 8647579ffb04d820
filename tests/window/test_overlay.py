# SPDX-License-Identifier: GPL-3.0-or-later
"""The overlays in a real window: they show, in their places, and the mouse works on them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.window.launcher import RealBlender, reported

plt = pytest.importorskip("matplotlib.image", reason="matplotlib is not installed here")

pytestmark = pytest.mark.window

STEPS = Path(__file__).with_name("overlay_steps.py")
LOOKS = {"dark": ("dark", "1.0"), "light": ("light", "1.5")}


@pytest.fixture(scope="module", params=LOOKS)
def seen(installed_blender: RealBlender, request: pytest.FixtureRequest) -> tuple[Any, Path]:
    """What happened in the window, and the folder of its pictures."""
    run = installed_blender.drive(STEPS, *LOOKS[request.param])
    found = reported(run.check())
    if not (installed_blender.folder / "off.png").exists():
        pytest.skip("ImageMagick's import is not installed beside this Blender, so there are no pictures")
    return found, installed_blender.folder


def changed(folder: Path, before: str, after: str, box: list[int]) -> NDArray[np.bool_]:
    """Which pixels of a part of the window differ between two pictures."""
    left, top, right, bottom = box
    pictures = [plt.imread(folder / f"{name}.png")[top:bottom, left:right, :3] for name in (before, after)]
    return np.abs(pictures[0] - pictures[1]).max(axis=2) > 0.02


def spread(mask: NDArray[np.bool_]) -> tuple[float, float, float, float]:
    """Where changed pixels lie: left, top, right and bottom as parts of the whole."""
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    height, width = mask.shape
    return columns[0] / width, rows[0] / height, columns[-1] / width, rows[-1] / height


def test_off_leaves_no_trace(seen: tuple[Any, Path]) -> None:
    state, folder = seen
    assert changed(folder, "off", "off again", state["view"]).mean() < 1e-4


@pytest.mark.parametrize("name", ["curves", "map", "offsets", "ghosts", "tint"])
def test_each_overlay_shows(seen: tuple[Any, Path], name: str) -> None:
    state, folder = seen
    mask = changed(folder, "off", name, state["view"])
    assert mask.mean() > 0.0005
    left, top, right, _ = spread(mask)
    if name == "curves":
        assert top > 0.5
        assert right - left > 0.4
    if name == "map":
        assert left > 0.4


def test_a_click_on_the_map_chooses_the_pair_and_undo_takes_it_back(seen: tuple[Any, Path]) -> None:
    state, _ = seen
    assert state["before the click"] == [30.0, None]
    assert state["clicked"] == state["cell"]
    assert state["undone"] == [30.0, None]


def test_a_drag_on_a_curve_moves_the_frame_and_esc_puts_it_back(seen: tuple[Any, Path]) -> None:
    state, _ = seen
    assert state["dragged and stopped"] == [30.0, None]
    assert state["dragged"] == [30.0, *state["dragged to"]]


def test_the_second_pair_is_tried(seen: tuple[Any, Path]) -> None:
    state, _ = seen
    assert state["second pair"] == state["pairs"][1]


@pytest.mark.parametrize("kind", ["DOPESHEET_EDITOR", "GRAPH_EDITOR"])
def test_time_editors_show_the_cost_of_each_cut(seen: tuple[Any, Path], kind: str) -> None:
    state, folder = seen
    mask = changed(folder, "time off", "time on", state["time editors"][kind])
    assert mask.mean() > 0.002
    assert spread(mask)[1] > 0.3


def test_long_work_stops_at_esc_and_leaves_the_scene(seen: tuple[Any, Path]) -> None:
    state, _ = seen
    assert "Evaluate Clips" in state["before evaluation"]
    assert state["started"] == ["RUNNING_MODAL"]
    assert state["stopped"] == [30, True]
    assert "Evaluate Clips" in state["after stopping"]
