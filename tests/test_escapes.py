# SPDX-License-Identifier: GPL-3.0-or-later
"""Names from anybody's files do nothing to a terminal, a page or a spreadsheet."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inertia_addon import escapes

ANYTHING = st.text(st.characters(codec=None, exclude_categories=())) | st.text(
    "\x1b\x07\x9b\n\r\u202e\u2066\u200b\ud800aß汉"
)


def obeyed(text: str) -> set[str]:
    return {
        c
        for c in text
        if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") and c not in "\u200c\u200d"
    }


@given(ANYTHING)
def test_a_line_is_one_and_moves_nothing(text: str) -> None:
    plain = escapes.plain(text)
    assert not obeyed(plain)
    assert plain.splitlines() == [plain] * bool(plain)
    assert escapes.plain(plain) == plain
    assert obeyed(text) or plain == text


@given(st.dictionaries(ANYTHING, ANYTHING | st.lists(ANYTHING)), st.none() | st.just(2))
def test_json_says_the_same(values: dict[str, object], indent: int | None) -> None:
    text = escapes.json_text(json.dumps(values, ensure_ascii=False, indent=indent))
    assert json.loads(text) == json.loads(json.dumps(values))
    assert obeyed(text) <= {"\n"}
    text.encode()


@given(st.sampled_from("=+-@\t\r＝＋－＠"), st.text())  # noqa: RUF001
def test_no_name_is_a_formula(first: str, rest: str) -> None:
    assert escapes.cell(first + rest) == f"'{first}{rest}"


@pytest.mark.parametrize("name", ["", "Walk", "汉字", "a=b", "'=1", "1.5"])
def test_a_cell_that_is_no_formula_stays(name: str) -> None:
    assert escapes.cell(name) == name
