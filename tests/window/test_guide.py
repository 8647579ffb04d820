# SPDX-License-Identifier: GPL-3.0-or-later
"""The guide: each press of its pages is there, and leads to what the page says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.window.pictures import Seen

pytestmark = pytest.mark.window

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guide"
PAGES = sorted(path.stem for path in GUIDE.glob("*.md") if "<!-- guide:" in path.read_text(encoding="utf-8"))
PARTS = tuple(f"guide.{page}" for page in PAGES)


def test_the_presses_of_a_page_lead_to_its_result(seen: Seen) -> None:
    state = seen.state
    assert state["pressed"]
    assert state["assigned"] == state["wanted"]
    assert state["errors"] == []


def test_a_result_looks_good_or_it_is_said_what_is_seen(seen: Seen) -> None:
    """What is steered by hand may show a fault: a key is pressed when it pleases, and clips are few. Of a
    clip whose feet skate all along the page quotes what is left to see."""
    state = seen.state
    if state["wanted"] == "Steered":
        assert state["rating"] == "GOOD" or len(state["said"][0]) > len("Poor: ")
    elif state["wanted"] == "Skating locked":
        text = " ".join((GUIDE / "feet.md").read_text(encoding="utf-8").split())
        assert state["said"][0] in text
    else:
        assert state["rating"] == "GOOD", state["said"]
