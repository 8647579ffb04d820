# SPDX-License-Identifier: GPL-3.0-or-later
"""The page in a real browser: it plays, goes to faults, and runs nothing that a name says."""

from __future__ import annotations

from pathlib import Path

import pytest

from inertia_addon.pages import judged
from tests.pages.browser import needs_browser, opened, seen_in
from tests.pages.test_judged import EVIL, make_page

pytestmark = [pytest.mark.slow, needs_browser]


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.html"
    path.write_text(judged.render_page(make_page("Walk", "foot.L")), encoding="utf-8")
    return path


def test_the_page_plays_points_as_they_are(page: Path) -> None:
    # a foot at the ground and its end a metre above
    script = "return [...rowAt(result, 2)].concat([result.first, result.last]);"
    assert seen_in(page, script) == pytest.approx([0, 0, 0, 0, 0, 1, 1, 3], abs=1e-6)


def test_a_click_on_a_fault_goes_there(page: Path) -> None:
    script = """
    clock.go(3);
    const before = clock.frame;
    document.querySelector(".mark").click();
    return [before, clock.frame, document.querySelector(".fault").className, byId("about").textContent];
    """
    assert seen_in(page, script) == [3, 2, "fault chosen", "What it isa jump"]


def test_keys_play_and_step(page: Path) -> None:
    script = """
    const frames = [];
    for (const key of ["Home", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft", "Home", "End"]) {
      document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
      frames.push(clock.frame);
    }
    const turned = camera.yaw;
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "a", bubbles: true }));
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: " ", bubbles: true }));
    return [frames, camera.yaw !== turned, clock.playing];
    """
    assert seen_in(page, script) == [[1, 2, 3, 3, 2, 1, 3], True, True]


@pytest.mark.parametrize("name", EVIL)
def test_the_page_runs_nothing_that_a_name_says(tmp_path: Path, name: str) -> None:
    path = tmp_path / "page.html"
    path.write_text(judged.render_page(make_page(name, name)), encoding="utf-8")
    elements, said = opened(path)
    assert said == ""
    assert "<img" not in elements
    # the page's own script has run under the page's policy
    assert 'class="fault chosen"' in elements


@pytest.mark.parametrize("width", [360, 1280])
def test_the_page_is_no_wider_than_the_window(page: Path, width: int) -> None:
    script = f"""
    const frame = document.createElement("iframe");
    document.body.style.width = "{width}px";
    return [document.body.scrollWidth <= {width}, byId("result").clientWidth > 100];
    """
    assert seen_in(page, script) == [True, True]
