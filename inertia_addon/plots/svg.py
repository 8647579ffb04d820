# SPDX-License-Identifier: GPL-3.0-or-later
"""Shapes as an SVG file (W3C Recommendation "Scalable Vector Graphics 1.1", 2011): text stays text."""

from __future__ import annotations

import base64
import re
from xml.sax.saxutils import escape

import numpy as np

from . import raster
from .shapes import Colour, Drawing, FilledShape, Floats, Lines, Picture, Shape, Text, as_bytes, turned_left

FONTS = "Inter, 'Noto Sans', 'Noto Sans CJK SC', 'DejaVu Sans', Arial, sans-serif"
NO_CHARACTER = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""What XML has no place for."""


def encode(drawing: Drawing) -> bytes:
    """Return the bytes of an SVG file of a drawing, UTF-8.

    It has a line each for the XML declaration, the svg element with the drawing's size in pixels, a rect for
    the background, one element for each shape in the drawing's order, and the end. y runs downwards there: it
    is the drawing's height less y.

    - A Lines is a path with stroke and stroke-width, in the colour of its first point, see :func:`_parts`.

    - A FilledShape is a path with fill, see :func:`rims`.

    - A Text is a text element, in the first font of FONTS that a viewer has: text-anchor is start, middle or
    end, and one that is vertical is turned by -90 degrees about its place. Characters that XML does not allow
    become U+FFFD.

    - A Picture is an image element with a PNG as its data, shown without smoothing.

    Colours are hexadecimal; opacities below 1 are attributes of their own. Raise KeyError for a text whose
    align is not 0, 0.5 or 1, and ValueError for an image without pixels.
    """
    width, height = drawing.width, drawing.height
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'width="{width}" height="{height}" viewBox="0 0 {width} {height}" font-family="{FONTS}">'
    )
    ground = f'<rect width="{width}" height="{height}" {_paint("fill", drawing.background)}/>'
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', head, ground]
    lines += [_drawn(shape, height) for shape in drawing.shapes]
    return "\n".join([*lines, "</svg>", ""]).encode()


def _drawn(shape: Shape, height: int) -> str:
    if isinstance(shape, Text):
        return _text(shape, height)
    if isinstance(shape, Picture):
        return _image(shape, height)
    if isinstance(shape, FilledShape):
        path = "".join(_path(rim, height) + "Z" for rim in rims(shape.corners))
        return f'<path d="{path}" {_paint("fill", shape.colour)}/>'
    path = "".join(_path(part, height) for part in _parts(shape))
    r, g, b, alpha = map(float, shape.colours[0])
    stroke = f'{_paint("stroke", (r, g, b, alpha))} stroke-width="{shape.width:.4g}"'
    return f'<path d="{path}" {stroke} stroke-linejoin="round" fill="none"/>'


def _text(shape: Text, height: int) -> str:
    x, y = f"{shape.x:.2f}", f"{height - shape.y:.2f}"
    turn = f' transform="rotate(-90 {x} {y})"' if shape.vertical else ""
    anchor = {0.0: "start", 0.5: "middle", 1.0: "end"}[shape.align]
    paint, text = _paint("fill", shape.colour), escape(NO_CHARACTER.sub("\ufffd", shape.text))
    size = f'font-size="{shape.size:.4g}" text-anchor="{anchor}"'
    return f'<text x="{x}" y="{y}" {size} {paint}{turn}>{text}</text>'


def _image(shape: Picture, height: int) -> str:
    left, bottom, width, tall = shape.box
    data = base64.b64encode(raster.encode(as_bytes(shape.pixels[::-1]))).decode("ascii")
    return (
        f'<image x="{left:.2f}" y="{height - bottom - tall:.2f}" width="{width:.2f}" height="{tall:.2f}" '
        f'preserveAspectRatio="none" style="image-rendering:pixelated" '
        f'xlink:href="data:image/png;base64,{data}"/>'
    )


def _paint(kind: str, colour: Colour) -> str:
    r, g, b = as_bytes(colour[:3]).tolist()
    through = f' {kind}-opacity="{colour[3]:.3g}"' if colour[3] < 1.0 else ""
    return f'{kind}="#{r:02x}{g:02x}{b:02x}"{through}'


def _path(points: Floats, height: int) -> str:
    return "M" + "L".join(f"{x:.2f} {height - y:.2f}" for x, y in points.tolist())


def _parts(lines: Lines) -> list[Floats]:
    """Return the pieces of a line, each as points (n, 2 or 3), n at least 2, in their order.

    With ``pairs``, whose points must be even in number, each pair of finite points is a piece. Otherwise the
    pieces are what lies between points that are not finite; a single point between two such is left out.
    """
    finite = np.isfinite(lines.points).all(axis=1)
    if lines.pairs:
        pairs = lines.points.reshape(-1, 2, lines.points.shape[1])
        return list(pairs[finite.reshape(-1, 2).all(axis=1)])
    parts = np.split(lines.points, np.flatnonzero(~finite))
    return [part for part in (part[np.isfinite(part).all(axis=1)] for part in parts) if len(part) > 1]


def rims(corners: Floats) -> list[Floats]:
    """Return the outlines of triangles (3 m, 2), each as points (n, 2), without the edges that two of them
    share.

    Corners are equal only if their numbers are. Outlines turn left around what is filled; their first point
    is not repeated.
    """
    following: dict[tuple[float, float], list[tuple[float, float]]] = {}
    for triangle in turned_left(corners).tolist():
        a, b, c = map(tuple, triangle)
        for start, end in ((a, b), (b, c), (c, a)):
            if start in following.get(end, ()):
                following[end].remove(start)
            else:
                following.setdefault(start, []).append(end)
    outlines = []
    while any(following.values()):
        rim = [next(start for start, ends in following.items() if ends)]
        while following.get(rim[-1]):
            rim.append(following[rim[-1]].pop())
        outlines.append(np.array(rim[:-1], np.float32))
    return outlines
