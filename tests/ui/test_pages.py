# SPDX-License-Identifier: GPL-3.0-or-later
"""What the pages tell to press: each button is there, and tests in a window click it."""

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
BLENDERS = {"W", "Space", "Enter", "ESC", "Run Script"}
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
            # several buttons in a row are drawn by a loop
            if not isinstance(call, ast.Call | ast.For):
                continue
            parts = [*ast.walk(call)]
            words = {part.value for part in parts if isinstance(part, ast.Constant)}
            asked = [name for name in words if isinstance(name, str) and name.startswith("inertia.")]
            ids = [part.id for part in parts if isinstance(part, ast.Name)]
            asked += [by_class[each] for each in ids if each in by_class]
            for word in words:
                if isinstance(word, str) and word[:1].isupper() and not word.isupper():
                    found.setdefault(word, set()).update(asked)
    return {label: names for label, names in found.items() if names}


def named(pattern: re.Pattern[str], page: Path) -> set[str]:
    text = re.sub(r"```.*?```|\bpanel \*[^*]+\*", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    return {" ".join(label.split()).rstrip(".:,") for label in pattern.findall(text)}


def test_buttons_that_a_page_tells_to_press_are_there(buttons: dict[str, set[str]]) -> None:
    told = {label for page in PAGES for label in named(TOLD, page)}
    assert len(told) > 15
    assert told - set(buttons) - BLENDERS == set()


def clicked() -> set[str]:
    """What steps in a window name to find buttons by; what they call stands there without a prefix."""
    steps = (path.read_text(encoding="utf-8") for path in (TOP / "tests/window").glob("*_steps.py"))
    parts = (part for text in steps for part in ast.walk(ast.parse(text)) if isinstance(part, ast.Constant))
    names = {name for part in parts for name in re.findall(r"\binertia[._](\w+)", str(part.value))}
    return {f"inertia.{name}" for name in names}


def test_buttons_that_a_page_names_are_clicked_in_a_window(buttons: dict[str, set[str]]) -> None:
    guide = "".join(path.read_text(encoding="utf-8") for path in sorted((TOP / "docs/guide").glob("*.md")))
    # the guide's pages are pressed as they stand
    pressed = {" ".join(label.split()) for label in TOLD.findall(guide)}
    names = {label for page in PAGES for label in named(NAMED, page)} & set(buttons)
    assert len(names) > 30
    found = clicked()
    assert {label: buttons[label] for label in names - pressed if not buttons[label] & found} == {}
