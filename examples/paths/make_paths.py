# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the eight paths beside this file: where a character is to be, twenty times a second.

python examples/paths/make_paths.py [FOLDER]
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

RATE = 20
WALK, RUN = 1.4, 3.0
"""Metres a second."""


def along(points: Array, speed: float) -> Array:
    """Places (n, 2) along a fine polyline, at a constant speed."""
    way = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    asked = np.arange(int(way[-1] / speed * RATE) + 1) * speed / RATE
    return np.stack([np.interp(asked, way, points[:, i]) for i in range(2)], axis=1)


def circle(radius: float, turns: float) -> Array:
    """A circle to the left, from the origin, which sets out along x."""
    angle = np.linspace(0.0, 2.0 * np.pi * turns, 4001)
    return radius * np.stack([np.sin(angle), 1.0 - np.cos(angle)], axis=1)


def corners(*legs: tuple[float, float]) -> Array:
    """Straight legs one after the other, from the origin."""
    return np.concatenate([[(0.0, 0.0)], np.cumsum(legs, axis=0)])


def s_curve() -> Array:
    x = np.linspace(0.0, 12.0, 4001)
    return np.stack([x, 1.5 * np.sin(2.0 * np.pi * x / 12.0)], axis=1)


def figure_eight() -> Array:
    """A lemniscate, crossed once in the middle."""
    angle = np.linspace(0.0, 2.0 * np.pi, 4001)
    return np.stack([3.0 * np.sin(angle), 1.5 * np.sin(2.0 * angle)], axis=1)


def stand_walk_run_stop() -> Array:
    """Straight on: stands for a second, walks, runs, and stops."""
    times = [0.0, 1.0, 2.0, 4.5, 5.5, 8.0, 9.0, 10.0]
    speeds = [0.0, 0.0, WALK, WALK, RUN, RUN, 0.0, 0.0]
    fine = np.arange(0.0, 10.0 + 1e-9, 0.001)
    way = np.concatenate([[0.0], np.cumsum(np.interp(fine, times, speeds)[:-1]) * 0.001])
    return np.stack([way, np.zeros(len(way))], axis=1)[:: 1000 // RATE]


PATHS: dict[str, Callable[[], Array]] = {
    "line": lambda: along(corners((14.0, 0.0)), WALK),
    "circle": lambda: along(circle(2.0, 1.0), WALK),
    "s": lambda: along(s_curve(), WALK),
    "corner": lambda: along(corners((7.0, 0.0), (0.0, 7.0)), WALK),
    "two_corners": lambda: along(corners((5.0, 0.0), (0.0, 4.0), (5.0, 0.0)), WALK),
    "stand_walk_run_stop": stand_walk_run_stop,
    "run_circle": lambda: along(circle(3.0, 1.5), RUN),
    "figure_eight": lambda: along(figure_eight(), 1.5 * WALK),
}
"""By name; in metres over the ground."""


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in PATHS.items():
        points = make()
        rows = [f"{i / RATE:.2f},{x:.4f},{y:.4f}" for i, (x, y) in enumerate((points + 0.0).tolist())]
        (folder / f"{name}.csv").write_text("\n".join(["time,x,y", *rows]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
