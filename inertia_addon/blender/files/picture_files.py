# SPDX-License-Identifier: GPL-3.0-or-later
"""Drawings as files, with or without a window: the letters are those of Blender's own text objects.

blf writes into images from Blender 4.5 on only, and without a window there is no GPU. A text object has its
outlines everywhere: in its own font, which falls back on others for all scripts, and for what that has in the
interface's, whose digits are easier to tell apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import bpy
import numpy as np

from ...plots import raster, svg
from ...plots.raster import Outlines
from ...plots.shapes import Drawing, Floats, Pixels
from ...storage import safe_write

INTERFACE_FONT = "Inter.woff2"
INTERFACE_SIZE = 1.43
"""Text objects show that font smaller, by its line's height."""
MOST_KNOWN = 1000
"""So many texts are kept in mind."""
LATIN_UNTIL, ITS_OTHERS = "\u0250", "\u2013\u2026\u2264\u2265"
"""What the interface's font has, as others may be boxes in it from Blender 5.2 on."""


def save(drawing: Drawing, path: Path) -> None:
    """Write a drawing as .svg, or by any other ending as PNG; the file takes its place when it is complete.
    Raise InertiaError where it can't be written.
    """
    content = svg.encode(drawing) if path.suffix.lower() == ".svg" else as_png(drawing)
    with safe_write.replace_safely(path) as temporary:
        temporary.write_bytes(content)


def as_png(drawing: Drawing) -> bytes:
    """Return a drawing as a PNG file."""
    return raster.encode(pixels(drawing))


def pixels(drawing: Drawing) -> Pixels:
    """Return a drawing as uint8 (height, width, 3), row 0 at the top."""
    with outline_texts() as outlines:
        return raster.pixels(drawing, outlines)


_known: dict[tuple[str, bool], Floats] = {}
"""The outlines of texts that were drawn, by text and whether it is in the interface's font.

It takes Blender 10 ms to read each letter that is new to a font, and the fonts go after each picture.
"""

_lettering: list[Outlines] = []
"""The lettering that is open, if one is."""


@contextmanager
def outline_texts() -> Iterator[Outlines]:
    """Yield a function that returns the triangles of a text as corners (3 n, 2), float, three rows for each;
    leave nothing in the file afterwards.

    Coordinates are those of a Blender text object of size 1: the line begins at x = 0. A text that the
    interface's font has (Latin letters and some signs) is in that font, enlarged to look as large; any other
    is in the text object's own. The last 1000 answers are cached, so don't change them. Within another
    ``outline_texts`` that one's function is yielded.
    """
    if _lettering:
        yield _lettering[-1]
        return
    before = set(bpy.data.fonts)
    # in data of their own (temp_data) letters make Blender crash
    curve = bpy.data.curves.new("text", "FONT")
    letters = bpy.data.objects.new("text", curve)
    curve.resolution_u = 3
    text_font = curve.font
    path = Path(bpy.utils.system_resource("DATAFILES", path="fonts")) / INTERFACE_FONT
    # a system's own Blender may come without it
    latin = bpy.data.fonts.load(str(path), check_existing=True) if path.is_file() else None

    def outlines(text: str) -> Floats:
        in_latin = latin is not None and all(letter < LATIN_UNTIL or letter in ITS_OTHERS for letter in text)
        if (text, in_latin) not in _known:
            curve.font, curve.size = (latin, INTERFACE_SIZE) if in_latin else (text_font, 1.0)
            curve.body = text
            try:
                triangles = _triangles(letters.to_mesh())
            finally:
                letters.to_mesh_clear()
            if len(_known) >= MOST_KNOWN:
                del _known[next(iter(_known))]
            _known[text, in_latin] = triangles
        return _known[text, in_latin]

    _lettering.append(outlines)
    try:
        yield outlines
    finally:
        _lettering.clear()
        bpy.data.objects.remove(letters)
        bpy.data.curves.remove(curve)
        # the first text of all brings Blender's font along
        for font in set(bpy.data.fonts) - before:
            bpy.data.fonts.remove(font)


def _triangles(mesh: bpy.types.Mesh) -> Floats:
    """Return the corners (3 n, 2) of a flat mesh's triangles, x and y, three rows for each."""
    mesh.calc_loop_triangles()
    corners = np.empty(3 * len(mesh.loop_triangles), np.int32)
    places = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.loop_triangles.foreach_get("vertices", corners)
    mesh.vertices.foreach_get("co", places)
    return places.reshape(-1, 3)[corners, :2]
