# SPDX-License-Identifier: GPL-3.0-or-later
"""Wishes as text, and files of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inertia_addon.errors import InertiaError
from inertia_addon.settings import steering
from inertia_addon.settings.steering import Wish

NUMBERS = st.floats(-20.0, 20.0)


@given(st.floats(0.0, 600.0), NUMBERS, NUMBERS, st.none() | st.floats(-720.0, 720.0))
def test_a_wish_is_its_own_text(seconds: float, x: float, y: float, facing: float | None) -> None:
    wish = Wish.of(str(Wish(seconds, x, y, facing)))
    assert Wish.of(str(wish)) == wish
    assert abs(wish.x - x) <= 0.5 / steering.PARTS_OF_SPEED + 1e-9


@pytest.mark.parametrize("text", ["", "1", "1,2", "a,b,c", "1,2,3,x,5", "nan,0,0", "0,inf,0"])
def test_a_text_that_is_no_wish_is_refused(text: str) -> None:
    with pytest.raises(InertiaError, match="is not a wish; write"):
        Wish.of(text)


@pytest.mark.parametrize(
    "text", ["1e308,0,0", "-1e8,0,0", "1,1e308,0", "1,0,-1e308", "1,0,0,1e308", "1,1e5,0,90,Jump"]
)
def test_a_wish_beyond_all_speeds_is_refused(text: str) -> None:
    with pytest.raises(InertiaError, match="beyond the limits of a wish"):
        Wish.of(text)


def test_a_file_is_read_with_its_heading_and_without(tmp_path: Path) -> None:
    rows = "0,0,0\n1.5,1.25,0,\n3,0,0,90\n"
    for text in (rows, "seconds,x,y,facing\n" + rows, "\ufeff# steered\n\n" + rows):
        file = tmp_path / "wishes.csv"
        file.write_text(text, encoding="utf-8")
        assert steering.read(file) == (Wish(0, 0, 0), Wish(1.5, 1.25, 0), Wish(3, 0, 0, 90))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("0,0,0\n1,x,0\n", 'Line 2 of "wishes.csv"'),
        ("0,0,0\n", "at least two rows"),
        ("0,0,0\n2,0,0\n1,0,0\n", "have to rise"),
        ("0,0,0\n0.5,0,0\n", "lasts from 1 s"),
        ("0,0,0\n5000,0,0\n", "lasts from 1 s"),
    ],
)
def test_a_file_that_is_no_take_is_refused(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "wishes.csv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InertiaError, match=said):
        steering.read(file)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InertiaError, match=r'"none\.csv" can\'t be read'):
        steering.read(tmp_path / "none.csv")


@pytest.mark.parametrize("text", ["", "1,2", "a,b,c", "1,2,nan", "0,0,1e308", "1e308,0,0", "0,-inf,0"])
def test_a_place_to_begin_at_has_three_numbers(text: str) -> None:
    assert steering.start("1.5,-2,90") == (1.5, -2.0, 90.0)
    with pytest.raises(InertiaError, match="is not a place to begin at"):
        steering.start(text)


@pytest.mark.parametrize("text", ["1.5,1,0,,Jump", "1.5,1,0,90,Jump", "1.5,1,0,,Jump, high"])
def test_a_wish_names_a_move(text: str) -> None:
    wish = Wish.of(text)
    assert wish.move == text.split(",", 4)[4]
    assert wish.facing == (90.0 if ",90," in text else None)
    assert str(wish) == text
    assert Wish.of("1.5,1,0,,") == Wish(1.5, 1.0, 0.0)
