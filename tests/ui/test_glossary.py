# SPDX-License-Identifier: GPL-3.0-or-later
"""One term for one thing: nothing that a user reads has a synonym that the glossary names."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator

import pytest

pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.cli import program
from tests import test_docs
from tools import texts

PAGE = test_docs.ROOT / "docs" / "glossary.md"


def synonyms() -> list[str]:
    """The page's last column: what its terms are not called."""
    rows = [row.split("|") for row in PAGE.read_text(encoding="utf-8").splitlines() if row.startswith("|")]
    return sorted({word.strip() for row in rows[2:] for word in row[3].split(",")})


def helps(parser: argparse.ArgumentParser) -> Iterator[str]:
    """What a parser and its commands print for --help."""
    yield parser.format_help()
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from helps(command)


def used(text: str, words: list[str]) -> list[str]:
    """Which of the words a text has, whatever their case and wherever its lines break."""
    text = " ".join(text.split())
    if not re.search("|".join(map(re.escape, words)), text, re.IGNORECASE):
        return []
    return [word for word in words if re.search(rf"\b{re.escape(word)}\b", text, re.IGNORECASE)]


SEARCHED = re.compile(
    r"^# .*$|\*Also searched as:[^*]*\*|\[[^]]*\]\((?:docs/problems/)?[a-z_]+\.md\)", re.MULTILINE
)
"""What pages of problems say in the words that people search for: titles, links, and a line of words."""


def test_synonyms_are_seen() -> None:
    assert used("The foot Slides,\nand is baked anew in a blend\nrange.", synonyms()) == [
        *("anew", "blend range", "slides"),
    ]


@pytest.mark.parametrize("page", test_docs.GUIDE, ids=test_docs.name_of)
def test_the_guide_says_one_term_for_one_thing(page: test_docs.Path) -> None:
    text = page.read_text(encoding="utf-8")
    if page.parent.name == "problems" or page.name == "README.md":
        text = SEARCHED.sub("", text)
    assert used(text, synonyms()) == []


def test_commands_say_one_term_for_one_thing() -> None:
    words = [*synonyms(), *test_docs.NO_ENGLISH]
    assert used("\n".join(helps(program.build_parser())), words) == []


@pytest.mark.slow  # it reads the sources, whatever the version
def test_the_interface_says_one_term_for_one_thing() -> None:
    words = [*synonyms(), *test_docs.NO_ENGLISH]
    assert [text for text in texts.needed() if used(text, words)] == []
