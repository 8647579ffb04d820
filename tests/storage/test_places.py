# SPDX-License-Identifier: GPL-3.0-or-later
"""Which paths are one file, and what may not be written."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inertia_addon.errors import InertiaError
from inertia_addon.storage import places

NAMES = st.text(st.characters(blacklist_characters="/\0", blacklist_categories=("Cs",)), min_size=1)


def test_files_are_one_by_whatever_name(tmp_path: Path) -> None:
    file, other = tmp_path / "a.blend", tmp_path / "b.blend"
    file.write_text("same")
    other.write_text("same")
    (tmp_path / "link").symlink_to("a.blend")
    (tmp_path / "hard").hardlink_to(file)
    (tmp_path / "folder").mkdir()
    (tmp_path / "away").symlink_to("folder")
    for name in ("a.blend", "link", "hard", "folder/../a.blend", "away/../a.blend"):
        assert places.is_same(file, tmp_path / name)
        assert places.is_same(tmp_path / name, file)
        assert not places.is_same(other, tmp_path / name)
    assert places.is_same(tmp_path / "away" / "new", tmp_path / "folder" / "new")


def test_a_free_name_is_no_file_that_is_there(tmp_path: Path) -> None:
    file, upper = tmp_path / "a.blend", tmp_path / "A.blend"
    file.write_text("")
    # where case does not count the other name is there, too
    assert places.is_same(file, upper) == upper.exists()


@given(NAMES)
def test_free_names_are_one_whatever_their_case_and_accents(name: str) -> None:
    folder = Path("/nowhere at all")
    for form in ("NFC", "NFD"):
        assert places.is_same(folder / name, folder / unicodedata.normalize(form, name))
    assert not places.is_same(folder / name, folder / f"{name}x")


@pytest.mark.parametrize(
    "name", ["con", "NUL", "Aux.blend", "com1", "LPT9.tar.gz", "prn .csv", "conin$", "COM¹.x"]
)
def test_names_of_devices(name: str) -> None:
    assert places.is_reserved(name)


@pytest.mark.parametrize("name", ["icon", "null", "com", "com10", "con_walk", "walk.con", "lpt0", ""])
def test_names_that_are_none(name: str) -> None:
    assert not places.is_reserved(name)


@given(NAMES)
def test_the_end_of_a_name_leaves_room(name: str) -> None:
    end = places.tail(name * 5)
    assert len(os.fsencode(end)) <= places.LONGEST_TAIL
    assert (name * 5).endswith(end)


def test_a_folder_to_come_is_as_good_as_one_that_is_there(tmp_path: Path) -> None:
    made = tmp_path / "one" / "two"
    for path in (made / "a.json", made.parent / "a.json"):
        with pytest.raises(InertiaError, match="There is no folder"):
            places.check(path)
        places.check(path, made)
    for path in (made / "three" / "a.json", tmp_path / "two" / "a.json"):
        with pytest.raises(InertiaError, match="There is no folder"):
            places.check(path, made)


def test_files_that_a_gltf_file_brings_are_looked_at_too(tmp_path: Path) -> None:
    picture = tmp_path / "a_textures" / "deep" / "skin.png"
    picture.parent.mkdir(parents=True)
    picture.write_text("")
    (tmp_path / "a.bin").write_text("")
    reading = places.ReadFiles([picture, tmp_path / "none.blend"])
    assert reading.taken_by(tmp_path / "a.gltf") == tmp_path / "a_textures"
    assert reading.taken_by(tmp_path / "a.glb") is None
    assert reading.taken_by(tmp_path / "none.blend") is None
    assert places.ReadFiles([tmp_path / "a.bin"]).taken_by(tmp_path / "a.gltf") == tmp_path / "a.bin"
