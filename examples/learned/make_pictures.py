# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws what goes into each of the four networks of a model, and what comes out.

    python examples/learned/make_pictures.py [-o FOLDER]

Writes a picture for each. Needs numpy only. The figure, and the numbers in the strips, are made up.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from inertia_addon.plots import svg
from inertia_addon.plots.shapes import Colour, Drawing, Shape, Text, fan, line, rounded

Array = NDArray[np.float64]

WIDTH, HEIGHT = 860, 230
PAPER, INK, GREY = (0.97, 0.97, 0.975, 1.0), (0.16, 0.17, 0.2, 1.0), (0.45, 0.47, 0.52, 1.0)
FAINT, BLUE, ORANGE = (0.83, 0.84, 0.87, 1.0), (0.1, 0.42, 0.78, 1.0), (0.85, 0.38, 0.05, 1.0)
FLOOR, METRE = 52.0, 88.0
"""Where the ground is, and how long a metre, pixels."""
LIMBS = (("hips", "neck"), ("neck", "head"), *((a, b) for side in "LR" for a, b in (
    ("hips", f"knee.{side}"), (f"knee.{side}", f"foot.{side}"), ("neck", f"elbow.{side}"),
    (f"elbow.{side}", f"hand.{side}"),
)))  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Part:
    """What lies in a picture. x: its middle, pixels."""

    x: float
    phase: float = 0.0
    ahead: float = 0.0

    def at(self, place: Array) -> Array:
        """Metres as pixels."""
        return np.array([self.x + self.ahead, FLOOR]) + METRE * np.asarray(place)


def joints(phase: float) -> dict[str, Array]:
    """Where the joints of a walking figure are, metres; phase: of its stride, radians."""
    hips = np.array([0.0, 0.88 + 0.02 * np.cos(2.0 * phase)])
    found = {"hips": hips, "neck": hips + np.array([0.05, 0.5]), "head": hips + np.array([0.08, 0.68])}
    for side, turn in (("L", phase), ("R", phase + np.pi)):
        swing, lift = np.sin(turn), max(0.0, np.cos(turn))
        foot = np.array([0.34 * swing, 0.05 + 0.12 * lift])
        knee = 0.5 * (hips + foot) + (0.09 + 0.06 * lift, 0.02)
        elbow = found["neck"] + (-0.2 * swing - 0.02, -0.27)
        found |= {f"foot.{side}": foot, f"knee.{side}": knee, f"elbow.{side}": elbow}
        found[f"hand.{side}"] = elbow + np.array([0.1 - 0.16 * swing, -0.2])
    return found


def figure(part: Part, colour: Colour = INK, *, planted: bool = False) -> Iterator[Shape]:
    """The whole pose; planted: with the foot that stands."""
    own = joints(part.phase)
    for a, b in LIMBS:
        far = a.endswith(".R") or b.endswith(".R")
        paint = tuple(0.55 * c + 0.45 * p for c, p in zip(colour, PAPER, strict=True)) if far else colour
        yield line([part.at(own[a]), part.at(own[b])], paint, 5.0)  # type: ignore[arg-type]
    yield disc(part.at(own["head"]), 9.0, colour)
    if planted:
        low = min(("foot.L", "foot.R"), key=lambda name: own[name][1])
        yield line([part.at(own[low]) + np.array([x, -5.0]) for x in (-16.0, 20.0)], BLUE, 5.0)


def disc(place: Array, radius: float, colour: Colour) -> Shape:
    """A filled circle."""
    angle = np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)
    return fan(np.column_stack([np.cos(angle), np.sin(angle)]) * radius + place, colour)


def arrow(begin: Array, end: Array, colour: Colour, width: float = 2.0) -> Iterator[Shape]:
    """A line with a head at its end."""
    way = np.asarray(end, float) - begin
    ahead = way / max(float(np.linalg.norm(way)), 1e-9)
    aside = np.array([-ahead[1], ahead[0]])
    size = 2.5 + 2.0 * width
    yield line([begin, end - 0.8 * size * ahead], colour, width)
    yield fan([end, end - size * ahead + 0.6 * size * aside, end - size * ahead - 0.6 * size * aside], colour)


def features(part: Part, bend: float = 0.0, *, wanted: bool = False) -> Iterator[Shape]:
    """Hips and feet with their velocities, and where the character goes.

    bend: how far the way turns, metres; wanted: it is asked for, and not a clip's own.
    """
    own, later = joints(part.phase), joints(part.phase + 0.35)
    yield from figure(part, FAINT)
    for name in ("hips", "foot.L", "foot.R"):
        there = part.at(own[name])
        velocity = METRE * (later[name] - own[name]) * 2.4 + np.array([16.0 * (name == "hips"), 0.0])
        yield disc(there, 5.5, ORANGE)
        if float(np.linalg.norm(velocity)) > 9.0:
            yield from arrow(there, there + velocity, ORANGE)
    colour = ORANGE if wanted else BLUE
    last = part.at(np.array([0.0, 0.0])) - (0.0, 10.0)
    for i in (1, 2, 3):
        place = part.at(np.array([0.42 * i, bend * i * i / 9.0])) - (0.0, 10.0)
        yield line([last, place], colour, 2.0)
        yield disc(place, 4.0, colour)
        last = place
    yield from arrow(last, last + np.array([18.0, 28.6 * bend]), colour)


def strip(x: float, y: float, seed: int) -> Iterator[Shape]:
    """Latents: some numbers, as squares that are more or less dark."""
    shades = np.random.default_rng(seed).uniform(0.15, 0.85, 8)
    for i, shade in enumerate(shades.tolist()):
        yield rounded(
            x + 13.0 * (i - 4), y, 11.5, 22.0, 2.0, (0.25 + 0.6 * shade, 0.45 + 0.4 * shade, 0.75, 1.0)
        )


def network(x: float, name: str, left: float = 48.0, right: float = 48.0) -> Iterator[Shape]:
    """The network itself. left, right: how high it is where more or fewer numbers go in, and come out."""
    middle, half = FLOOR + 78.0, (left, right)
    corners = [
        (x - 66, middle - half[0]),
        (x + 66, middle - half[1]),
        (x + 66, middle + half[1]),
        (x - 66, middle + half[0]),
    ]
    yield fan(corners, INK)
    yield Text(x, middle - 5.0, name, 15.0, PAPER, 0.5)


def words(x: float, text: str, row: int = 0) -> Shape:
    """What stands below something."""
    return Text(x, 19.0 - 15.0 * row, text, 12.5, GREY, 0.5)


def between(x: float) -> Iterator[Shape]:
    """An arrow from one thing to the next."""
    yield from arrow(np.array([x - 17.0, FLOOR + 78.0]), np.array([x + 17.0, FLOOR + 78.0]), GREY, 3.0)


def compressor() -> Iterator[Shape]:
    """A whole pose becomes its latents."""
    yield from figure(Part(150.0, 0.9), planted=True)
    yield words(150.0, "a whole pose")
    yield from (*between(275.0), *network(390.0, "Compressor", 62.0, 34.0), *between(505.0))
    yield from strip(640.0, FLOOR + 67.0, 1)
    yield words(640.0, "its latents: what features don't say")


def decompressor() -> Iterator[Shape]:
    """Features and latents become a whole pose."""
    yield from features(Part(120.0, 0.9))
    yield from strip(255.0, FLOOR + 67.0, 1)
    yield words(170.0, "features and latents")
    yield from (*between(345.0), *network(450.0, "Decompressor", 34.0, 62.0), *between(562.0))
    yield from figure(Part(665.0, 0.9), planted=True)
    yield from arrow(*(Part(665.0).at(np.array([x, 0.5])) for x in (0.45, 0.95)), BLUE, 3.0)
    yield words(690.0, "the pose, the root's way, and what is planted")


def stepper() -> Iterator[Shape]:
    """Features and latents become those of the next frame."""
    yield from features(Part(110.0, 0.9))
    yield from strip(250.0, FLOOR + 67.0, 1)
    yield words(165.0, "a frame")
    yield from (*between(340.0), *network(440.0, "Stepper"), *between(548.0))
    yield from features(Part(635.0, 1.5))
    yield from strip(785.0, FLOOR + 67.0, 2)
    yield words(690.0, "the next one, by how both change")


def projector() -> Iterator[Shape]:
    """What is asked for becomes the nearest frame that there is."""
    yield from features(Part(120.0, 0.9), 0.75, wanted=True)
    yield words(175.0, "where it is to go from here")
    yield from (*between(325.0), *network(430.0, "Projector", 34.0, 48.0), *between(538.0))
    yield from features(Part(625.0, 1.25), 0.55)
    yield from strip(785.0, FLOOR + 67.0, 3)
    yield words(690.0, "the nearest frame of the clips")


PICTURES = {each.__name__: each for each in (compressor, decompressor, stepper, projector)}


def main() -> None:
    """Write the pictures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument(
        "-o", "--output", type=Path, default=Path(__file__).parent, help="folder (default: the script's own)"
    )
    folder: Path = parser.parse_args().output
    folder.mkdir(parents=True, exist_ok=True)
    for name, drawn in PICTURES.items():
        ground = line([(30.0, FLOOR - 8.0), (WIDTH - 30.0, FLOOR - 8.0)], FAINT, 1.0)
        path = folder / f"{name}.svg"
        path.write_bytes(svg.encode(Drawing(WIDTH, HEIGHT, PAPER, [ground, *drawn()])))
        print(f"{path}: {path.stat().st_size / 1024:.0f} kB")


if __name__ == "__main__":
    main()
