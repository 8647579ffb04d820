# SPDX-License-Identifier: GPL-3.0-or-later
"""PNG files that other readers read back as they were."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from inertia_addon.plots import raster

Image = pytest.importorskip("PIL.Image", reason="an independent reader of PNG comes with matplotlib")

PIXELS = hnp.arrays(np.uint8, st.tuples(st.integers(1, 40), st.integers(1, 40), st.sampled_from([3, 4])))


@given(PIXELS)
def test_a_png_shows_another_reader_the_same_pixels(pixels: np.ndarray) -> None:
    with Image.open(io.BytesIO(raster.encode(pixels))) as image:
        image.load()
        assert image.mode == ("RGB" if pixels.shape[2] == 3 else "RGBA")
        np.testing.assert_array_equal(np.asarray(image), pixels)


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1), st.integers(120, 300))
def test_a_png_of_many_rows_shows_another_reader_the_same_pixels(seed: int, height: int) -> None:
    # smooth ones, whose rows are filtered
    rng = np.random.default_rng(seed)
    x, y = np.meshgrid(np.arange(30), np.arange(height))
    waves = [np.sin(a * x + b * y + c) for a, b, c in rng.uniform(0.0, 0.3, (3, 3))]
    pixels = np.stack([127.5 + 127.0 * wave for wave in waves], axis=-1).astype(np.uint8)
    with Image.open(io.BytesIO(raster.encode(pixels))) as image:
        np.testing.assert_array_equal(np.asarray(image), pixels)


def test_the_file_says_how_large_it_is() -> None:
    with Image.open(io.BytesIO(raster.encode(np.zeros((2, 3, 3), np.uint8)))) as image:
        image.load()
        assert image.info["dpi"] == pytest.approx((96.0, 96.0), rel=1e-3)


def test_smooth_pictures_are_small() -> None:
    x, y = np.meshgrid(np.arange(300), np.arange(200))
    pixels = np.stack([(x + y) // 2, x // 2, y], axis=-1).astype(np.uint8)
    assert len(raster.encode(pixels)) < pixels.size // 50


def test_a_part_of_a_picture_is_one() -> None:
    pixels = np.random.default_rng(0).integers(0, 256, (20, 30, 4), np.uint8)
    part = pixels[::-2, 3:17, :3]
    with Image.open(io.BytesIO(raster.encode(part))) as image:
        np.testing.assert_array_equal(np.asarray(image), part)


@pytest.mark.parametrize(
    "pixels",
    [
        np.zeros((4, 4), np.uint8),
        np.zeros((4, 4, 2), np.uint8),
        np.zeros((4, 4, 3), float),
        np.zeros((0, 4, 3), np.uint8),
    ],
    ids=["grey", "two channels", "floats", "empty"],
)
def test_a_png_of_no_picture_is_refused(pixels: np.ndarray) -> None:
    with pytest.raises(ValueError, match="uint8"):
        raster.encode(pixels)
