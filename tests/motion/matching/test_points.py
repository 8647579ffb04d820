# SPDX-License-Identifier: GPL-3.0-or-later
"""A file of points holds what its header says, or a sentence says what is wrong with it."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inertia_addon.errors import InertiaError
from inertia_addon.motion.matching import points

NUMBERS = st.floats(-1e6, 1e6).map(lambda value: round(value, 4) + 0.0)
NAMES = {"time": points.TIMES, "x": ("x", "X"), "y": ("y",), "z": ("z",), "heading": ("heading", "Heading")}
AGAIN = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=20)


def read(folder: Path, held: str | bytes) -> points.Points:
    path = folder / "points.csv"
    path.write_bytes(held.encode() if isinstance(held, str) else held)
    return points.read(path)


@AGAIN
@given(st.data())
def test_columns_are_what_the_header_says_in_any_order(tmp_path: Path, data: st.DataObject) -> None:
    more = data.draw(st.sets(st.sampled_from(["time", "z", "heading"])))
    columns = data.draw(st.permutations(["x", "y", *sorted(more)]))
    count = data.draw(st.integers(2, 5))
    values = {
        name: data.draw(st.lists(NUMBERS, min_size=count, max_size=count, unique=name == "time"))
        for name in columns
    }
    if "time" in values:
        values["time"].sort()
    mark, quote, end = (data.draw(st.sampled_from(one)) for one in (",;\t", ('"', ""), ("\n", "\r\n")))
    head = [data.draw(st.sampled_from(NAMES[name])) for name in columns]
    rows = [head, *zip(*values.values(), strict=True)]
    text = end.join(mark.join(f"{quote}{cell}{quote}" for cell in row) for row in rows)
    found = read(tmp_path, data.draw(st.sampled_from(["", "\ufeff", end])) + text + end)
    np.testing.assert_array_equal(found.ground.T, [values["x"], values["y"]])
    for name, held in (("time", found.times), ("heading", found.headings)):
        assert (held is None) == (name not in values)
        np.testing.assert_array_equal(held, values.get(name))


def test_points_without_a_header_are_places_and_three_columns_have_times(tmp_path: Path) -> None:
    places = [[0.0, 1.0], [2.0, 3.0]]
    for text, times in (("0,1\n2,3\n", None), ("5,0,1\n6,2,3\n", [5.0, 6.0])):
        found = read(tmp_path, text)
        np.testing.assert_array_equal(found.ground, places)
        np.testing.assert_array_equal(found.times, times)


@AGAIN
@given(
    st.one_of(
        st.text(max_size=60), st.binary(max_size=60), st.text("0123456789.,;-eEnaif xyzt\t\n\"'", max_size=60)
    )
)
def test_points_of_any_file_are_read_or_told_in_a_sentence(tmp_path: Path, held: str | bytes) -> None:
    if isinstance(held, str):
        held = held.encode("utf-8", "surrogatepass")
    try:
        found = read(tmp_path, held)
    except InertiaError:
        return
    assert len(found.ground) > 1
    assert np.isfinite(found.ground).all()
    assert found.times is None or all(a < b for a, b in itertools.pairwise(found.times.tolist()))


@pytest.mark.parametrize(
    ("held", "said"),
    [
        ("", "fewer than two points"),
        ("time,x,y\n", "fewer than two points"),
        ("1,2\n", "fewer than two points"),
        (
            "x,y,speed\n0,0,1\n",
            '"speed", which a path does not use; a header can name time, t, seconds, x, y, z',
        ),
        ("x,X,y\n0,0,1\n", "two x columns"),
        ("x,z\n0,0\n", "no column y"),
        ("1,2,3,4\n", "4 values per line and no header"),
        ("x,y\n0,0\n0,5,1,5\n", "Line 3 of .* has 4 values where there should be 2"),
        ("x;y\n0,5;1,5\n", 'Line 2 of .* decimal comma of "0,5"'),
        ("0,5;1,5\n1;2\n", 'Line 1 of .* decimal comma of "0,5"'),
        ("x,y\n0,nan\n", 'Line 2 of .* has "nan"'),
        ("x,y\n0,1\n\n0,-inf\n", 'Line 4 of .* has "-inf"'),
        ("0,1e308\n1,2\n", 'has "1e308", which is not a place'),
        ("0,1\n1,\n", 'Line 2 of .* has ""'),
        ("t,x,y\n0,0,0\n2,0,0\n1,0,0\n", "don't rise: 1 comes after 2; sort"),
        ("t,x,y\n0,0,0\n0.5,0,0\n0.5,1,0\n", "0.5 occurs twice"),
        (b"\xff\xfex\x00,\x00", "can't be read"),
    ],
)
def test_points_that_are_wrong_are_told(tmp_path: Path, held: str | bytes, said: str) -> None:
    with pytest.raises(InertiaError, match=said):
        read(tmp_path, held)


def test_no_more_is_read_than_a_path_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(points, "MOST_POINTS", 3)
    assert len(read(tmp_path, "0,1\n1,2\n2,3\n").ground) == 3
    with pytest.raises(InertiaError, match="too large for a path; reduce it to at most 3 points"):
        read(tmp_path, "0,1\n1,2\n2,3\n3,4\n")
    with pytest.raises(InertiaError, match="can't be read"):
        points.read(tmp_path / "none.csv")
