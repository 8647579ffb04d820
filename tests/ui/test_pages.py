# SPDX-License-Identifier: GPL-3.0-or-later
"""What the pages tell to press: each button is there, and tests in a window press it or call what it runs."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

TOP = Path(__file__).resolve().parents[2]
PAGES = sorted([TOP / "README.md", *TOP.glob("docs/*.md"), *TOP.glob("docs/guide/*.md")])
NAMED = re.compile(r"(?<!\*)\*\*?([^*]+?)\*\*?(?!\*)")
TOLD = re.compile(r"\b(?:[Pp]ress|[Cc]lick|[Hh]old) \*\*?([^*]+?)\*\*?(?!\*)")
ELSEWHERE = {
    "inertia.save_library": "opens a file browser; run in tests/ui/library/test_library.py",
    "inertia.reset_plots": "stands in a popover; run in tests/ui/overlay/test_moving.py",
}
"""Buttons that no window test runs."""
BLENDERS = {"W", "Space", "Enter", "ESC"}
"""What is pressed that is no button of Inertia's."""


def classes(base: Any) -> Iterator[Any]:
    for each in base.__subclasses__():
        yield each
        yield from classes(each)


@pytest.fixture(scope="module")
def buttons() -> dict[str, set[str]]:
    """What runs each button, by what stands on it."""
    found: dict[str, set[str]] = {}
    by_class = {}
    for each in classes(bpy.types.Operator):
        name = str(getattr(each, "bl_idname", ""))
        if name.startswith("inertia."):
            found.setdefault(each.bl_label, set()).add(name)
            by_class[each.__name__] = name
    for file in sorted((TOP / "inertia_addon" / "ui").rglob("*.py")):
        for call in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(call, ast.Call):
                continue
            words = {part.value for part in ast.walk(call) if isinstance(part, ast.Constant)}
            asked = [name for name in words if isinstance(name, str) and name.startswith("inertia.")]
            asked += [by_class[part.id] for part in ast.walk(call) if getattr(part, "id", "") in by_class]
            for word in words:
                if isinstance(word, str) and word[:1].isupper() and not word.isupper():
                    found.setdefault(word, set()).update(asked)
    return {label: names for label, names in found.items() if names}


def named(pattern: re.Pattern[str], page: Path) -> set[str]:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    return {" ".join(label.split()).rstrip(".:,") for label in pattern.findall(text)}


def test_each_button_that_a_page_tells_to_press_is_there(buttons: dict[str, set[str]]) -> None:
    told = {label for page in PAGES for label in named(TOLD, page)}
    assert len(told) > 15
    assert told - set(buttons) - BLENDERS == set()


def test_what_each_button_runs_that_a_page_names_is_run_in_a_window(buttons: dict[str, set[str]]) -> None:
    tested = "".join(path.read_text(encoding="utf-8") for path in sorted((TOP / "tests/window").glob("*.py")))
    guide = "".join(path.read_text(encoding="utf-8") for path in sorted((TOP / "docs/guide").glob("*.md")))
    words = {word.removeprefix("inertia_") for word in re.findall(r"\w+", tested)}
    # the guide's pages are pressed as they stand
    pressed = set(re.findall(r"[Pp]ress \*\*(.+?)\*\*", guide))
    left = {
        label: names
        for label, names in buttons.items()
        if any(label in named(NAMED, page) for page in PAGES)
        and label not in pressed
        and not any(name in ELSEWHERE or name.partition(".")[2] in words for name in names)
    }
    assert left == {}
