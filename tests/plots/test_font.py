# SPDX-License-Identifier: GPL-3.0-or-later
"""Text as pixels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inertia_addon.plots import font

PRINTABLE = [chr(code) for code in range(33, 127)] + list("\u00b7\u00d7\u00b0\u2013\u2026")


def test_every_character_has_a_drawing_of_its_own() -> None:
    drawings = {font.mask(character).tobytes() + bytes(font.measure(character)) for character in PRINTABLE}
    drawings.add(font.mask("\u2202").tobytes() + bytes(font.measure("\u2202")))
    assert len(drawings) == len(PRINTABLE) + 1
    assert all(font.mask(character).any() for character in PRINTABLE)


def test_what_is_not_drawn_is_a_box_or_its_base_letter() -> None:
    np.testing.assert_array_equal(font.mask("\u2202"), font.mask("\u8d70"))
    np.testing.assert_array_equal(font.mask("\u00e9\u00dc"), font.mask("eU"))
    np.testing.assert_array_equal(font.mask("e\u0301"), font.mask("e"))


def test_digits_are_of_one_width_so_that_numbers_line_up() -> None:
    assert len({font.measure(digit)[0] for digit in "0123456789"}) == 1


def test_capitals_stand_on_the_line_and_are_of_one_height() -> None:
    for letter in "ABCDEFGHIJKLMNOPRSTUVWXYZ0123456789":
        rows = np.flatnonzero(font.mask(letter).any(axis=1))
        assert (rows[0], rows[-1]) == (0, font.CAP_HEIGHT - 1)


@given(st.text(), st.integers(1, 3), st.booleans())
def test_measure_says_how_large_the_drawing_is(text: str, scale: int, bold: bool) -> None:
    drawn = font.mask(text, scale, bold)
    assert font.measure(text, scale, bold) == (drawn.shape[1], drawn.shape[0])
    assert drawn.shape[0] == font.HEIGHT * scale


@given(st.text(), st.integers(2, 3))
def test_larger_text_is_the_same_dots_enlarged(text: str, scale: int) -> None:
    np.testing.assert_array_equal(font.mask(text, scale)[::scale, ::scale], font.mask(text))
    assert font.mask(text, scale).sum() == scale**2 * font.mask(text).sum()


@given(st.lists(st.sampled_from(PRINTABLE), min_size=1))
def test_bold_has_all_the_ink_and_more(characters: list[str]) -> None:
    text = "".join(characters)
    assert font.mask(text, bold=True).sum() > font.mask(text).sum()


@given(st.lists(st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=12)), st.integers(80, 400))
def test_wrapped_lines_fit_and_keep_the_words(words: list[str], width: int) -> None:
    lines = font.wrap(" ".join(words), width)
    assert " ".join(lines).split() == words
    assert all(font.measure(line)[0] <= width or " " not in line for line in lines)


def test_wrapping_keeps_the_lines_that_are_there() -> None:
    assert font.wrap("one two\nthree", 1000) == ["one two", "three"]


@pytest.mark.parametrize("text", ["", " "])
def test_nothing_to_write_is_no_ink(text: str) -> None:
    assert not font.mask(text).any()
