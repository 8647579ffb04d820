# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws shapes: the only place that talks to the GPU. Nothing is decided here."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import blf
import gpu
import numpy as np
from gpu_extras.batch import batch_for_shader

from ...blender.data import compat
from ...plots.shapes import FilledShape, Lines, Picture, Shape, Text

FONT = 0
_batches: dict[int, tuple[Shape, Any]] = {}
"""What was made of a shape, by its id; the shape is kept with it, so that the id stays its own."""


def draw(shapes: Sequence[Shape]) -> None:
    """Draw shapes one over the other, in the region that is drawn now. What the GPU needs of them is kept
    until they are released."""
    blend, depth, width = gpu.state.blend_get(), gpu.state.depth_test_get(), gpu.state.line_width_get()
    gpu.state.blend_set("ALPHA")
    gpu.state.depth_test_set("NONE")
    try:
        for shape in shapes:
            WAYS[type(shape)](shape)
    finally:
        gpu.state.blend_set(blend)
        gpu.state.depth_test_set(depth)
        gpu.state.line_width_set(width)


def release(shapes: Sequence[Shape]) -> None:
    """Free what was kept of shapes that will not be drawn again."""
    for shape in shapes:
        _batches.pop(id(shape), None)


def forget() -> None:
    _batches.clear()


def _keep_batch(shape: Shape, make: Any) -> Any:
    if id(shape) not in _batches:
        _batches[id(shape)] = (shape, make())
    return _batches[id(shape)][1]


def _draw_lines(shape: Lines) -> None:
    if len(shape.points) < 2:
        return
    shader = gpu.shader.from_builtin("POLYLINE_SMOOTH_COLOR")

    def make() -> Any:
        flat = shape.points.shape[1] == 2
        points = np.pad(shape.points, ((0, 0), (0, 1))) if flat else shape.points
        kind = "LINES" if shape.pairs else "LINE_STRIP"
        return batch_for_shader(shader, kind, {"pos": points, "color": shape.colours})

    batch = _keep_batch(shape, make)
    shader.bind()
    shader.uniform_float("viewportSize", gpu.state.viewport_get()[2:])
    shader.uniform_float("lineWidth", shape.width)
    batch.draw(shader)


def _draw_fill(shape: FilledShape) -> None:
    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    batch = _keep_batch(shape, lambda: batch_for_shader(shader, "TRIS", {"pos": shape.corners}))
    shader.bind()
    shader.uniform_float("color", shape.colour)
    batch.draw(shader)


def _draw_picture(shape: Picture) -> None:
    shader = gpu.shader.from_builtin("IMAGE")
    texture, batch = _keep_batch(shape, lambda: _texture(shape, shader))
    shader.bind()
    shader.uniform_sampler("image", texture)
    batch.draw(shader)


def _texture(shape: Picture, shader: Any) -> tuple[Any, Any]:
    rows, columns = shape.pixels.shape[:2]
    pixels = shape.pixels.copy()
    pixels[..., :3] = compat.texture_colours(pixels[..., :3])
    values = np.ascontiguousarray(pixels, np.float32).ravel()
    texture = gpu.types.GPUTexture(
        (columns, rows), format="RGBA32F", data=gpu.types.Buffer("FLOAT", len(values), values)
    )
    left, bottom, width, height = shape.box
    right, top = left + width, bottom + height
    corners = [(left, bottom), (right, bottom), (left, top), (right, top)]
    places = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)]
    batch = batch_for_shader(shader, "TRI_STRIP", {"pos": corners, "texCoord": places})
    return texture, batch


def _write(shape: Text) -> None:
    blf.size(FONT, shape.size)
    blf.color(FONT, *shape.colour)
    width = blf.dimensions(FONT, shape.text)[0] if shape.align else 0.0
    x, y = shape.x, shape.y
    if shape.vertical:
        blf.enable(FONT, blf.ROTATION)
        blf.rotation(FONT, 0.5 * math.pi)
        y -= width * shape.align
    else:
        x -= width * shape.align
    blf.position(FONT, round(x), round(y), 0.0)
    blf.draw(FONT, shape.text)
    if shape.vertical:
        blf.disable(FONT, blf.ROTATION)
    gpu.state.blend_set("ALPHA")  # writing has switched it off


WAYS: dict[type, Any] = {Lines: _draw_lines, FilledShape: _draw_fill, Picture: _draw_picture, Text: _write}
"""How each kind of shape is drawn."""
