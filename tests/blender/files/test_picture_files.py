# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts have Blender's own letters, in every script, and drawing them leaves nothing in the file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from inertia_addon.blender.files import picture_files
from inertia_addon.plots import plot
from inertia_addon.plots.shapes import BLACK, WHITE, Drawing, Text

PRINTABLE = [chr(code) for code in range(33, 127)] + list("\u00b7\u00d7\u00b0\u00b1\u00b2\u2013\u2026\u2265")
OTHERS = "走跑切点換éÜжα"
NOT_A_CHARACTER = "\ue123"


def held() -> dict[str, list[Any]]:
    """All that the open file has."""
    kinds = [each.identifier for each in bpy.data.bl_rna.properties if each.type == "COLLECTION"]
    return {kind: [(each.name, each.users) for each in getattr(bpy.data, kind)] for kind in kinds}


def covered(corners: np.ndarray) -> float:
    (ax, ay), (bx, by), (cx, cy) = np.moveaxis(corners.reshape(-1, 3, 2), 0, -1)
    return float(0.5 * np.abs((bx - ax) * (cy - ay) - (cx - ax) * (by - ay)).sum())


def test_every_character_has_outlines_of_its_own() -> None:
    with picture_files.outline_texts() as outlines:
        missing = outlines(NOT_A_CHARACTER)
        drawn = {letter: outlines(letter) for letter in [*PRINTABLE[::16], *OTHERS[::4]]}
    assert all(covered(corners) > 1e-3 for corners in drawn.values())
    shapes = {np.round(corners, 4).tobytes() for corners in [*drawn.values(), missing]}
    assert len(shapes) == len(drawn) + 1


@pytest.mark.parametrize("text", ["", " "])
def test_an_empty_text_has_no_outline(text: str) -> None:
    with picture_files.outline_texts() as outlines:
        assert len(outlines(text)) == 0


def test_texts_stand_on_the_line_and_are_about_as_large_as_they_are_taken_for() -> None:
    with picture_files.outline_texts() as outlines:
        for text in ("Cost of Walk to Run", "0123456789", "走路切点", "frame of 走路"):
            corners = outlines(text)
            left, low = corners.min(axis=0)
            right, high = corners.max(axis=0)
            assert -0.02 <= left < 0.15
            assert -0.3 < low < 0.1
            assert 0.6 < high < 1.0
            # whoever makes room for a text asks for enough of it
            assert 0.7 * plot.width_of(text, 1.0) < right <= 1.08 * plot.width_of(text, 1.0)
        low, high = outlines("HEX")[:, 1].min(), outlines("HEX")[:, 1].max()
        assert low == pytest.approx(0.0, abs=1e-4)
        assert high == pytest.approx(0.73, abs=0.03)


def test_drawing_leaves_nothing_in_the_file(tmp_path: Path) -> None:
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.data.objects.new("text", bpy.data.curves.new("text", "CURVE"))
    before = held()
    drawing = Drawing(60, 20, WHITE, [Text(2, 5, "Walk 走路", 12.0, BLACK), Text(2, 5, "Run", 12.0, BLACK)])
    for _ in range(3):
        picture_files.save(drawing, tmp_path / "drawn.png")
        assert held() == before
    drawing = Drawing(60, 20, WHITE, [Text(2, 5, "Walk", 12.0, BLACK), Text(2, 5, None, 12.0, BLACK)])
    with pytest.raises(TypeError):
        picture_files.pixels(drawing)
    assert held() == before


def test_a_blender_without_the_interface_s_font_writes_in_its_other_one(monkeypatch: Any) -> None:
    monkeypatch.setattr(picture_files, "INTERFACE_FONT", "nowhere.woff2")
    with picture_files.outline_texts() as outlines:
        assert 0.6 < outlines("Walk")[:, 1].max() < 1.0
        assert covered(outlines("走")) > 1e-3


def test_fonts_of_the_file_stay() -> None:
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    curve = bpy.data.curves.new("mine", "FONT")
    bpy.data.objects.new("mine", curve)
    before = held()
    assert before["fonts"]
    picture_files.pixels(Drawing(60, 20, WHITE, [Text(2, 5, "Walk", 12.0, BLACK)]))
    assert held() == before
    assert curve.font is not None


def test_pictures_after_each_other_may_share_their_letters() -> None:
    drawing = Drawing(60, 20, WHITE, [Text(2, 5, "Walk", 12.0, BLACK)])
    alone = picture_files.pixels(drawing)
    assert (alone < 100).any()
    with picture_files.outline_texts() as outlines:
        with picture_files.outline_texts() as inner:
            assert inner is outlines
        np.testing.assert_array_equal(picture_files.pixels(drawing), alone)
    np.testing.assert_array_equal(picture_files.pixels(drawing), alone)


def test_a_file_is_what_its_ending_says(tmp_path: Path) -> None:
    drawing = Drawing(60, 20, WHITE, [Text(2, 5, "Walk", 12.0, BLACK)])
    picture_files.save(drawing, tmp_path / "drawn.PNG")
    picture_files.save(drawing, tmp_path / "drawn.svg")
    assert (tmp_path / "drawn.PNG").read_bytes().startswith(b"\x89PNG")
    assert ">Walk</text>" in (tmp_path / "drawn.svg").read_text(encoding="utf-8")
