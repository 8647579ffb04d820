# SPDX-License-Identifier: GPL-3.0-or-later
"""The pictures of the cost show the valley, and where its approximation by features falls short."""

from __future__ import annotations

import base64
import contextlib
import importlib.util
import io
import sys
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import numpy as np
import pytest

from inertia_addon.plots import chart, heat_map, shapes
from inertia_addon.plots.shapes import Picture, Text

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "cost"
NAMES = {"spring", "cubic", "quintic", "quintic_zero_jerk", "plain_sum"}
TABLE = shapes.as_bytes(heat_map.sequential(np.linspace(0.0, 1.0, 1001))).astype(int)
SPEEDS = (-4.6, -2.2, -1.1, 0.7, 3.1, 4.6)
"""Rows of the maps to look at, m/s, away from what is marked in them."""


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_cost_pictures", FOLDER / "make_pictures.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


EXAMPLE = load()
CURVES = [pytest.param(curve, id=curve.file) for curve in EXAMPLE.CURVES]


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> tuple[str, Path]:
    """What the script prints, and the folder that it writes."""
    folder = tmp_path_factory.mktemp("cost") / "made here"
    said = io.StringIO()
    with pytest.MonkeyPatch.context() as patched, contextlib.redirect_stdout(said):
        patched.setattr(sys, "argv", ["make_pictures.py", "-o", str(folder)])
        EXAMPLE.main()
    return said.getvalue(), folder


def read(path: Path) -> tuple[list[str], list[np.ndarray]]:
    """The texts and the images (height, width, 3) of a picture."""
    images = pytest.importorskip("PIL.Image", reason="an independent reader of PNG comes with matplotlib")
    root = ElementTree.parse(path).getroot()
    texts = [each.text or "" for each in root.iter("{http://www.w3.org/2000/svg}text")]
    found = []
    for each in root.iter("{http://www.w3.org/2000/svg}image"):
        data = each.get("{http://www.w3.org/1999/xlink}href", "").split(",")[1]
        with images.open(io.BytesIO(base64.b64decode(data))) as image:
            found.append(np.asarray(image)[..., :3].astype(int))
    return texts, found


def levels(pixels: np.ndarray) -> np.ndarray:
    """Where in the colours pixels (n, 3) of 0 to 1 are, 0 to 1."""
    rounded = shapes.as_bytes(pixels).astype(int)
    return np.argmin(np.abs(TABLE - rounded[:, None]).sum(axis=2), axis=1) / 1000.0


def drawn(made) -> np.ndarray:
    """A map's own pixels (height, width, 3) of 0 to 1, row 0 at the bottom."""
    return next(each.pixels for each in chart.sheet([made]).shapes if isinstance(each, Picture))[..., :3]


def row(picture: np.ndarray, made, v: float) -> tuple[np.ndarray, np.ndarray]:
    """Differences in position (n,), and the levels of their colours, in a map's row."""
    height, width = picture.shape[:2]
    (x_low, x_high), (v_low, v_high) = made.ranges
    x = x_low + (np.arange(width) + 0.5) / width * (x_high - x_low)
    return x, levels(picture[int((v - v_low) / (v_high - v_low) * height)])


@pytest.mark.slow
def test_the_script_writes_small_pictures(run) -> None:
    _, folder = run
    assert {path.stem for path in folder.glob("*.svg")} == NAMES
    assert all(path.stat().st_size < 170_000 for path in folder.glob("*.svg"))


@pytest.mark.parametrize("name", sorted(NAMES))
def test_the_pictures_in_the_repository_are_those_it_makes(run, name: str) -> None:
    (texts, here), (same, made) = read(FOLDER / f"{name}.svg"), read(run[1] / f"{name}.svg")
    assert texts == same
    assert [each.shape for each in here] == [each.shape for each in made]
    # another numpy may round a pixel to the next shade
    assert all(np.abs(a - b).mean() < 0.05 for a, b in zip(here, made, strict=True))


def test_closed_form_and_integration_print_the_same(run) -> None:
    rows = [line.split() for line in run[0].splitlines() if line.split()[:1] and line.split()[0] in "abcde"]
    assert len(rows) == 4 * 5
    for _, _, _, cost, integrated, apart, near, left_out in rows:
        assert float(cost) == pytest.approx(float(integrated), abs=2e-8)
        assert float(apart) < 1e-12
        assert float(cost) - float(near) == pytest.approx(float(left_out), abs=1e-6)


def test_the_readme_has_what_it_prints(run) -> None:
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    shown = readme.split("<!-- samples -->\n```\n")[1].split("\n```")[0].splitlines()
    printed = [line for line in run[0].splitlines() if ".svg" not in line]

    def words(line: str) -> list[str]:
        # but for how far two sums differ by rounding
        return [word for word in line.split() if "e-" not in word and "e+" not in word]

    assert [words(line) for line in shown] == [words(line) for line in printed]


@pytest.mark.parametrize("curve", CURVES)
def test_a_sheet_is_made_of_its_panels(run, curve) -> None:
    texts, images = read(run[1] / f"{curve.file}.svg")
    panels = [chart.sheet([panel]).shapes for panel in EXAMPLE.panels(curve)]
    assert texts == [each.text for shapes in panels for each in shapes if isinstance(each, Text)]
    expected = [each.pixels for shapes in panels for each in shapes if isinstance(each, Picture)]
    assert len(images) == len(expected) == 2 * 3
    for image, pixels in zip(images, expected, strict=True):
        np.testing.assert_array_equal(image[::-1], shapes.as_bytes(pixels[..., :3]))


@pytest.mark.variants(2)
@pytest.mark.parametrize("curve", CURVES)
def test_the_features_are_zero_along_their_valley(curve) -> None:
    made = EXAMPLE.maps(curve)[1]
    picture = drawn(made)
    for v in SPEEDS:
        x, shown = row(picture, made, v)
        assert x[np.argmin(shown)] == pytest.approx(-v * curve.valley, abs=0.01)
        assert shown.min() < 0.03
        # and rise evenly to both sides: the further away, the lighter
        away = np.abs(x + v * curve.valley)
        assert (np.diff(shown[np.argsort(away)]) > -0.02).all()


@pytest.mark.variants(1)
@pytest.mark.parametrize("curve", CURVES)
def test_the_cost_is_a_skewed_valley(curve) -> None:
    made = EXAMPLE.maps(curve)[0]
    picture = drawn(made)
    fine = np.linspace(*EXAMPLE.X_RANGE, 4001)
    for v in SPEEDS:
        x, shown = row(picture, made, v)
        brute = [EXAMPLE.integrated(curve, at, v) for at in fine[::250]]
        coarse = np.interp(x, fine[::250], brute) / made.span[1]
        # the shades are the numbers that integration gives, up to those that are beyond the colours
        np.testing.assert_allclose(shown, np.minimum(coarse, 1.0), atol=0.035)
        lowest = x[np.argmin(shown)]
        assert lowest == pytest.approx(-v * curve.valley, abs=0.012 * abs(v) + 0.01)
        # unlike a sum of differences: a velocity that leads back to zero costs less than none
        assert np.interp(lowest, x, shown) < np.interp(0.0, x, shown)


@pytest.mark.variants(1)
@pytest.mark.parametrize("curve", CURVES)
def test_the_error_lies_where_the_offset_crosses_zero(curve) -> None:
    made = EXAMPLE.maps(curve)[2]
    picture = drawn(made)
    times = np.linspace(0.0, curve.seconds * (12.0 if curve.method.name == "SPRING" else 1.0), 400)[:-1]
    found = 0
    for v in SPEEDS:
        x, shown = row(picture, made, v)
        borders = [0.0, *(v * curve.seconds / below for below in (curve.crosses_below, curve.differs_below))]
        clear = np.min([np.abs(x - border) for border in borders], axis=0) > 0.02
        for i in np.flatnonzero(clear)[::5]:
            decaying = EXAMPLE.decay.make(curve.method, [x[i]], [v], curve.seconds)
            offset = EXAMPLE.decay.evaluate(decaying, [x[i]], [v], times)[:, 0]
            crosses = (offset < -1e-9 * abs(x[i])).any() and (offset > 1e-9 * abs(x[i])).any()
            pulled = float(decaying.pull) > 0.0
            if crosses or pulled:
                found += shown[i] > 0.05
            else:
                assert shown[i] == 0.0
    assert found > 20


def test_the_plain_sum_has_no_valley() -> None:
    made = EXAMPLE.comparison()[1]
    picture = drawn(made)
    for v in SPEEDS:
        x, shown = row(picture, made, v)
        assert abs(x[np.argmin(shown)]) < 0.02
