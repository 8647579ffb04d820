# SPDX-License-Identifier: GPL-3.0-or-later
"""Draw functions of the product for a reader who has never seen them.

    python tools/reader_test.py --seed 1            the questions: thirty signatures with their docstrings
    python tools/reader_test.py --seed 1 --answers  the same functions whole

The reader says of each question what the call does, with what it returns and raises, and then compares that
with the answers. At least 27 of 30 should be right. One seed draws the same functions as long as the sources
stay; draw with another one for another reader.
"""

from __future__ import annotations

import argparse
import ast
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COUNT = 30
SHORTEST = 4
"""A function of fewer statements says all in its name."""
LEFT_OUT = (
    *("blender/transition/", "blender/hops/", "blender/fill/", "blender/loops/", "blender/pops/"),
    *("blender/judging/", "blender/feet/locking.py", "blender/matching/bake.py", "blender/learned/bake.py"),
    *("ui/transition/results.py", "ui/shared/jobs.py"),
)
"""Rooms that are to be written anew, with words of their own."""
BLENDERS_OWN = {"draw", "execute", "invoke", "poll", "register", "unregister"}
"""What Blender calls, and what therefore needs no docstring."""


@dataclass(frozen=True)
class Question:
    """A function to ask for. place: its module and line. asked: what is shown of it. answer: all of it."""

    place: str
    asked: str
    answer: str


def read_questions(root: Path) -> list[Question]:
    """Return the functions of the package below a folder that can be asked for, in a fixed order."""
    package = root / "inertia_addon"
    questions: list[Question] = []
    for path in sorted(package.rglob("*.py")):
        name = path.relative_to(package).as_posix()
        if not name.startswith(LEFT_OUT):
            questions += find_questions(path.read_text(encoding="utf-8"), name)
    return questions


def find_questions(source: str, name: str) -> Iterator[Question]:
    """Yield a question for each function of a module that does more than its name says."""
    lines = source.splitlines()
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.FunctionDef) or node.name in BLENDERS_OWN:
            continue
        if ast.get_docstring(node) is None or count_statements(node) < SHORTEST:
            continue
        start = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]) - 1
        behind_docstring = node.body[0].end_lineno or node.lineno
        yield Question(
            f"{name}:{node.lineno}",
            "\n".join(lines[start:behind_docstring]),
            "\n".join(lines[start : node.end_lineno]),
        )


def count_statements(node: ast.FunctionDef) -> int:
    """Return how many statements a function has besides its docstring."""
    return sum(isinstance(each, ast.stmt) for each in ast.walk(node)) - 2


def draw(questions: list[Question], seed: int, count: int = COUNT) -> list[Question]:
    """Return some of the questions, drawn without repetition; the same for the same seed."""
    return random.Random(seed).sample(questions, min(count, len(questions)))


def main() -> int:
    """Print the questions, or the answers; return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--answers", action="store_true", help="print the functions whole")
    given = parser.parse_args()
    for number, question in enumerate(draw(read_questions(ROOT), given.seed, given.count), start=1):
        print(f"--- {number}. {question.place}\n")
        print(question.answer if given.answers else question.asked, end="\n\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
