# SPDX-License-Identifier: GPL-3.0-or-later
"""The guide and the problems: each press of their pages is there, and leads to what the page says.

INERTIA_PICTURES names a folder such as docs; pages' pictures of what is pressed are then kept there.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

from tests.window.pictures import Seen, need_pictures

pytestmark = pytest.mark.window

DOCS = Path(__file__).resolve().parents[2] / "docs"
FILES = {
    path.stem: path
    for folder in ("guide", "problems")
    for path in sorted((DOCS / folder).glob("*.md"))
    if "<!-- guide:" in path.read_text(encoding="utf-8")
}
PAGES = {page: " ".join(path.read_text(encoding="utf-8").split()) for page, path in FILES.items()}
KEPT_IN = os.environ.get("INERTIA_PICTURES", "")
LOOKS = ("page",) if KEPT_IN else ("dark",)
BEYOND = ("Inertia", "Object", "Animation", "Examples", "File", "Import", "glTF 2.0", "Bake Action")
"""What is in Blender's own menus."""
PARTS = tuple(f"guide.{page}" for page in PAGES)


def test_the_presses_of_a_page_lead_to_its_result(seen: Seen) -> None:
    state = seen.state
    assert state["pressed"]
    assert state["assigned"] == state["wanted"]
    assert state["errors"] == []


def test_a_result_looks_good_or_it_is_said_what_is_seen(seen: Seen) -> None:
    """What is steered by hand may show a fault: a key is pressed when it pleases, and clips are few. Of a
    clip that is at fault itself the page quotes what is left to see."""
    state = seen.state
    if state["wanted"] == "Steered":
        assert state["rating"] == "GOOD" or len(state["said"][0]) > len("Poor: ")
    elif state.get("rating", "GOOD") != "GOOD":
        assert any(state["said"][0] in text for text in PAGES.values()), state["said"]


def test_a_verdict_that_a_page_foretells_is_said_before_the_bake(seen: Seen) -> None:
    assert all(said in PAGES[seen.state["page"]] for said in seen.state["foretold"][:1])


def test_words_that_a_page_names_are_on_screen_in_its_story(seen: Seen) -> None:
    shown = " ".join([*seen.state["words"], *BEYOND]).casefold()
    page = seen.state["page"]
    assert {word for word in words_named(PAGES[page]) if word.casefold() not in shown} == set()


def test_a_picture_is_taken_of_each_story(seen: Seen) -> None:
    """It is kept beside the page where that shows it."""
    need_pictures(seen.folder)
    taken, page = seen.folder / "page.png", seen.state["page"]
    assert taken.is_file()
    if KEPT_IN and f"]({page}.png)" in PAGES[page]:
        shutil.copy(taken, Path(KEPT_IN) / FILES[page].parent.name / f"{page}.png")


def words_named(text: str) -> set[str]:
    """What stands in bold or italics on a page and names something, not what begins an entry of a list or
    asks a question.
    """
    text = re.sub(r"- \*\*.+?\*\*|\*Also searched as.+?\*|\]\(.+?\)|\*\*[^*]+\?\*\*", "", text)
    names = re.findall(r"(?<!\*)\*\*?([^*]+?)\*\*?(?!\*)", text)
    return {part.strip(".:, ") for name in names for part in re.split(" > |: ", name)}


def test_a_tolerance_leaves_fewer_keys(seen: Seen) -> None:
    """Than one on each of ten frames."""
    if seen.state["tolerance"]:
        assert seen.state["keys"] < 8.0
