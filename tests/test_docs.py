# SPDX-License-Identifier: GPL-3.0-or-later
"""The texts lead somewhere: every link, picture and file that they name is there."""

from __future__ import annotations

import ast
import re
import textwrap
from pathlib import Path

import pytest

from inertia_addon.cli import program
from tools import tables

ROOT = Path(__file__).resolve().parent.parent
PAGES_AT_THE_ROOT = ("README.md", "CONTRIBUTING.md", "CODE_OF_CONDUCT.md", "CHANGELOG.md", "SECURITY.md")
TEXTS = [
    *(ROOT / name for name in PAGES_AT_THE_ROOT),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "examples").glob("*/README.md")),
]
CODE_NAMED_IN = [ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
LONGEST_README = 90
LONGEST_SENTENCE = 30
LONGEST_OF_THE_DOOR = 25
"""Of the pages that a newcomer reads first."""
PAGES = (
    "batch cost feet fewer_keys files fill finish hops learned loops matching nla pops root_motion steering "
    "transition travel"
)
DOOR = [
    ROOT / "README.md",
    ROOT / "docs" / "limits.md",
    *sorted((ROOT / "docs" / "guide").glob("*.md")),
    *sorted((ROOT / "docs" / "problems").glob("*.md")),
]
"""What newcomers read."""
GUIDE = [*DOOR, *(ROOT / "docs" / f"{page}.md" for page in PAGES.split())]
"""What animators read."""

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
QUOTED_PATH = re.compile(r"`([\w.-]+/[\w./-]*)`")
ELSEWHERE = ("build/", ".venv/", "bvh/")
"""Folders that commands make, and one of the real motion."""


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def anchors(path: Path) -> set[str]:
    """What the headings of a text are called in links to them."""
    headings = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", TEXTS, ids=name_of)
def test_every_link_leads_somewhere(path: Path) -> None:
    wrong = []
    for link in LINK.findall(path.read_text(encoding="utf-8")):
        if link.startswith(("http://", "https://")):
            continue
        target, _, anchor = link.partition("#")
        there = path.parent / target if target else path
        if not there.exists() or (anchor and anchor not in anchors(there)):
            wrong.append(link)
    assert wrong == []


@pytest.mark.parametrize("path", CODE_NAMED_IN, ids=name_of)
def test_every_file_that_is_named_is_there(path: Path) -> None:
    named = QUOTED_PATH.findall(path.read_text(encoding="utf-8"))
    wanted = [name for name in named if not name.startswith(ELSEWHERE)]
    assert [name for name in wanted if not exists(name)] == []


def exists(name: str) -> bool:
    """Whether there is a file or folder of this name, in the repository or in the package."""
    return any((folder / name).exists() for folder in (ROOT, ROOT / "inertia_addon"))


def test_the_readme_is_short() -> None:
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= LONGEST_README


def sentences(text: str) -> list[str]:
    """The sentences of a page, without its code, tables, pictures and headings."""
    text = re.sub(r"^(?: {4}(?! *[-*!]).*|\|.*|#.*)$", "", text, flags=re.MULTILINE)
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    blocks = re.split(r"\n\s*\n|\n\s*(?:- |\d+\. )", text)
    return [
        part for block in blocks for part in re.split(r"(?<=[.!?])[*`\"]*\s+(?=\S)", " ".join(block.split()))
    ]


@pytest.mark.parametrize("path", GUIDE, ids=name_of)
def test_no_sentence_is_long(path: Path) -> None:
    def words(sentence: str) -> int:
        return sum(any(letter.isalnum() for letter in word) for word in sentence.split())

    pages = sentences(path.read_text(encoding="utf-8"))
    longest = LONGEST_OF_THE_DOOR if path in DOOR else LONGEST_SENTENCE
    assert len(pages) > 10
    assert [sentence for sentence in pages if words(sentence) > longest] == []


def test_rivals_have_a_source_with_a_date_in_each_cell() -> None:
    """All but Inertia's own column, which is the last; what was measured has a section of its own."""
    page = (ROOT / "docs" / "rivals.md").read_text(encoding="utf-8")
    read, sources = page.split("<!-- /rivals -->")[1].split("## Sources")
    numbers = {int(number) for number in re.findall(r"^(\d+)\. \[", sources, re.MULTILINE)}
    rows = [row.strip("|").split(" | ") for row in read.splitlines() if re.match(r"\| (?!-|\|)", row)]
    cells = [cell.strip() for row in rows for cell in row[1:-1]]
    heads = {cell for row in rows if not row[0].strip() for cell in row}
    assert len(cells) > 50
    assert [cell for cell in cells if not re.search(r"\[\d+\]$", cell)] == []
    assert {int(number) for number in re.findall(r"\[(\d+)\](?!\()", page.split("## Sources")[0])} == numbers
    assert heads == set()
    assert re.search(r"read on \d+ \w+ 20\d\d", sources)
    assert "not checked" not in page


FIGURE = re.compile(r"^\| ([\d.]+(?: ?%)?) \|(.*)$", re.MULTILINE)


def test_the_figures_that_matter_are_those_that_were_measured() -> None:
    """Each in the section that its row links."""
    page = (ROOT / "docs" / "figures.md").read_text(encoding="utf-8")
    measured = tables.PAGE.read_text(encoding="utf-8")
    found = FIGURE.findall(page)
    assert len(found) == 12
    for figure, row in found:
        (anchor,) = re.findall(r"reference/measured\.md#([\w-]+)", row)
        (section,) = (
            part
            for part in re.split(r"^## ", measured, flags=re.MULTILINE)
            if part.splitlines()[0].lower().replace(" ", "-") == anchor
        )
        assert f" {figure} " in section.replace("|", " | ").replace("  ", " "), figure


def test_a_figure_in_the_readme_is_a_version_or_stands_in_a_command() -> None:
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    text = " ".join(each for each in sentences(page) if not re.fullmatch(r"\d+\.", each))
    text = re.sub(
        r"3D View|`[^`]*`|Blender [\d.]+ LTS to [\d.]+ LTS|Python [\d.]+ or [\d.]+|version \d", "", text
    )
    assert re.findall(r"\d+", text) == []


NO_ENGLISH = (
    "what else there is",
    "as far as we know",
    "who comes behind",
    "who comes along",
    "tell us where",
    "tells of",
    "told by fewer",
    "taken for the same",
    "one of both",
    "however often",
    "so of it only",
    "elsewhere for a frame",
)


@pytest.mark.parametrize("path", TEXTS, ids=name_of)
def test_no_page_falls_back_into_phrases_that_nobody_says(path: Path) -> None:
    text = " ".join(path.read_text(encoding="utf-8").lower().split())
    assert [phrase for phrase in NO_ENGLISH if phrase in text] == []


def test_every_page_is_reached_from_the_readme() -> None:
    reached = {ROOT / "README.md"}
    waiting = list(reached)
    while waiting:
        path = waiting.pop()
        links = LINK.findall(path.read_text(encoding="utf-8"))
        pages = {(path.parent / link.partition("#")[0]).resolve() for link in links if ".md" in link}
        new = {page for page in pages if page.is_file()} - reached
        reached |= new
        waiting += new
    assert [name_of(path) for path in TEXTS if path not in reached] == []


@pytest.mark.parametrize("name", ["methods", "displacements", "hops", "half-lives"])
def test_a_benchmark_writes_its_own_section_alone(name: str) -> None:
    page = tables.PAGE.read_text(encoding="utf-8")
    shown = page.split(f"<!-- {name} -->\n")[1].split(f"<!-- /{name} -->")[0]
    paragraphs = [" ".join(part.splitlines()) for part in shown.split("\n\n")[1:]]
    table = shown.split("\n\n")[0].splitlines()
    as_printed = [*table, *(line for paragraph in paragraphs for line in ("", paragraph))]
    assert tables.replaced(page, name, as_printed) == page
    other = tables.replaced(page, name, [*tables.heads(["a", "b"]), tables.row(["1", "2"])])
    assert other.replace("| a | b |\n| --- | --- |\n| 1 | 2 |\n", shown) == page


def test_a_section_that_is_not_there_is_named() -> None:
    with pytest.raises(ValueError, match="speed"):
        tables.replaced("no sections", "speed", [])


def test_the_spec_on_its_page_is_the_one_that_the_files_hold() -> None:
    page = (ROOT / "docs" / "batch.md").read_text(encoding="utf-8")
    shown = page.split('    files = ["clips.blend"]\n')[1].split("\n\nA model from")[0]
    maker = ast.parse((ROOT / "examples" / "files" / "make_files.py").read_text(encoding="utf-8"))
    specs = [
        ast.literal_eval(node.value)
        for node in maker.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "SPEC"
    ]
    assert specs == [textwrap.dedent('    files = ["clips.blend"]\n' + shown) + "\n"]


def test_the_page_on_the_command_line_has_every_command() -> None:
    page = (ROOT / "docs" / "command_line.md").read_text(encoding="utf-8")
    shown = {
        name
        for row in re.findall(r"^\| (`.*?) \|", page, re.MULTILINE)
        for name in re.findall(r"`(\w+)`", row)
    }
    assert shown == set(program.COMMANDS)
