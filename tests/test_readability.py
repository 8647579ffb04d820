# SPDX-License-Identifier: GPL-3.0-or-later
"""The mirror of the code sees what makes code hard to read, and its ceilings only fall."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools import readability, reader_test

HARD_TO_READ = {
    readability.NO_ORDERS: 'def f():\n    """The way of a foot."""',
    readability.VAGUE: "def f(each): ...",
    readability.NO_VERB: "def _told_of(a): ...",
    readability.SPREAD: "f(*pair)",
    readability.LITERAL: "f(*(a, b))",
    readability.LONG: "def f(a, b, c, d, e, g, h): ...",
    readability.TWICE: "class A: ...\nclass A: ...",
    readability.PASS_ON: "def f() -> Steps[int]:\n    return (yield from g())",
    readability.MANY_TYPES: "\n".join(
        f"def f{kind}(a: {kind}): ..." for kind in ("int", "str", "C", "D", "E")
    ),
}
EASY_TO_READ = '''
class Clip:
    def __init__(self, keys, start): ...

    @property
    def end(self):
        """The last frame."""

    @functools.cached_property
    def frames(self):
        """The frames that are shown."""


def is_told(clip: Clip) -> bool:
    """Tell whether a clip is told."""


def read_clips(paths) -> Steps[int]:
    """Read clips, one by one."""
    for path in paths:
        yield 0.5
    f(a, *more.clips, key=1)


def string(a, b, c, d, e, *, g): ...
'''


def counts_of(*sources: str) -> dict[str, int]:
    """Return the count of each row in modules of these texts."""
    reader = readability.Reader()
    for number, source in enumerate(sources):
        reader.read(source, f"module_{number}.py")
    return {row: len(places) for row, places in reader.rows().items()}


@pytest.mark.parametrize("row", HARD_TO_READ)
def test_the_mirror_sees_what_is_hard_to_read(row):
    assert counts_of(HARD_TO_READ[row])[row] == 1


def test_the_mirror_leaves_easy_code_alone():
    assert not any(counts_of(EASY_TO_READ).values())


def test_the_mirror_sees_a_name_in_many_modules():
    module = "def gather(): ..."
    assert counts_of(*[module] * 3)[readability.COMMON] == 0
    assert counts_of(*[module] * 4)[readability.COMMON] == 1
    assert counts_of(*["def draw(): ..."] * 4)[readability.COMMON] == 0


COUNTS = st.dictionaries(st.sampled_from(readability.ROWS), st.integers(0, 50))


@given(COUNTS, COUNTS)
def test_ceilings_never_rise(counts, ceilings):
    lowered = readability.lowered(counts, ceilings)
    assert all(lowered[row] <= ceilings.get(row, lowered[row]) for row in counts)
    assert all(lowered[row] <= count for row, count in counts.items())


def test_a_row_above_its_ceiling_and_a_raised_ceiling_are_faults():
    row = readability.VAGUE
    assert not list(readability.faults({row: 3}, {row: 3}, {row: 3}))
    assert "There are 4" in next(readability.faults({row: 4}, {row: 3}, {}))
    assert "raised from 3 to 4" in next(readability.faults({row: 4}, {row: 4}, {row: 3}))


def test_the_product_keeps_to_its_ceilings():
    ceilings = json.loads(readability.CEILINGS.read_text(encoding="utf-8"))
    counts = {row: len(places) for row, places in readability.read_product(readability.ROOT).items()}
    assert set(ceilings) == set(readability.ROWS)
    assert not list(readability.faults(counts, ceilings, {}))


def test_a_reader_is_asked_for_functions_without_their_bodies() -> None:
    room = readability.ROOT / "inertia_addon" / "motion" / "feet"
    questions = [
        question
        for path in sorted(room.glob("*.py"))
        for question in reader_test.find_questions(path.read_text(encoding="utf-8"), path.name)
    ]
    drawn = reader_test.draw(questions, 1)
    assert drawn == reader_test.draw(questions, 1) != reader_test.draw(questions, 2)
    assert len({question.place for question in drawn}) == len(drawn) == reader_test.COUNT
    for question in drawn:
        assert question.answer.startswith(question.asked)
        assert question.asked.rstrip().endswith('"""')
        assert len(question.answer) > len(question.asked)


def test_a_reader_is_not_asked_for_what_a_name_says() -> None:
    short = 'def f(a):\n    """Return it."""\n    return a'
    long = 'def g(a):\n    """Return it."""\n    b = a\n    b += 1\n    b += 2\n    return b'
    (question,) = reader_test.find_questions(f"{short}\n\n\n{long}", "m.py")
    assert question.place == "m.py:6"
    assert question.asked == 'def g(a):\n    """Return it."""'
    assert question.answer == long
