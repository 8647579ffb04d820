# SPDX-License-Identifier: GPL-3.0-or-later
"""Root motion made of springs, measured as real motion is: each once, when a test first asks for it."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inertia_addon.blender.root_motion.measure import LEAST_SQUARES, ActionRootMotion, Query
from inertia_addon.motion import quaternion
from inertia_addon.motion.root_motion import half_life
from inertia_addon.motion.root_motion import measure as root_motion
from inertia_addon.motion.root_motion.histogram import Histograms
from inertia_addon.plots import plot
from inertia_addon.plots.shapes import Text
from inertia_addon.settings.root_motion import Settings
from inertia_addon.ui.root_motion import histogram, model
from inertia_addon.ui.root_motion.measured import RootMotionView
from inertia_addon.ui.root_motion.model import RootMotionPlots
from tests.ui.overlay.made_up import extent

FPS = 60.0
Spring = tuple[float, float, float]
"""When the goal changes, seconds; by how much; and the half-life, seconds."""
START_AND_STOP: tuple[Spring, ...] = ((1.0, 3.0, 0.25), (4.0, -3.0, 0.15))
TURN: tuple[Spring, ...] = ((2.0, float(np.radians(90.0)), 0.2),)


def moved(seconds: NDArray[np.float64], springs: tuple[Spring, ...]) -> NDArray[np.float64]:
    """A number (n,) that each spring moves by so much."""
    return sum(
        (by * half_life.response(seconds - at, half_life.frequency(h)) for at, by, h in springs),
        np.zeros(len(seconds)),
    )


@functools.cache
def shown(
    speeds: tuple[Spring, ...] = START_AND_STOP,
    turns: tuple[Spring, ...] = TURN,
    seconds: float = 6.0,
    estimator: str = LEAST_SQUARES,
    sway: float = 0.02,
    bob: float = 0.01,
    name: str = "Start and Stop",
) -> RootMotionView:
    """A root that goes straight on, and turns, as springs do.

    sway: radians, and bob: metres, both at two strides a second.
    """
    frames = np.arange(1.0, 1.0 + seconds * FPS)
    t = (frames - 1.0) / FPS
    fine = np.linspace(t[0], t[-1], 20 * len(t))
    way = np.concatenate([[0.0], np.cumsum(np.diff(fine) * moved(0.5 * (fine[1:] + fine[:-1]), speeds))])
    y = -np.interp(t, fine, way) - bob * np.sin(2.0 * np.pi * 2.0 * t)
    positions = np.column_stack([0.0 * t, y, 0.0 * t + 1.0])
    facing = moved(t, turns) + sway * np.sin(2.0 * np.pi * 2.0 * t)
    rotations = quaternion.exp(facing[:, None] * np.array([0.0, 0.0, 1.0]))
    read = root_motion.read(frames, positions, rotations, root_motion.FRONT, FPS)
    settings = Settings(least_travel=0.05)
    measured = root_motion.measure(read, settings)
    return RootMotionView(
        name,
        ActionRootMotion(name, "root", read, 0.05),
        measured,
        settings,
        Query(),
        estimator,
        own_speed=False,
        own_turn=False,
    )


@functools.cache
def plots(**options: Any) -> RootMotionPlots:
    """What is shown of it."""
    return model.plots(shown(**options))


@functools.cache
def histograms() -> Histograms:
    """Of a walk, a run and a stand."""
    return histogram.histograms_of(
        [
            shown(((0.2, 1.4, 0.1),), (), 8.0),
            shown(((0.2, 3.6, 0.1),), (), 5.0),
            shown((), (), 10.0),
        ]
    )


def texts(made: list[Any]) -> list[Text]:
    """Those of the shapes that are text."""
    return [shape for shape in made if isinstance(shape, Text)]


def words(made: list[Any]) -> set[str]:
    """All that is written."""
    return {text.text for text in texts(made)}


def no_two_overlap(made: list[Any]) -> bool:
    """Whether texts lie beside one another."""
    boxes = [extent(text) for text in texts(made)]
    return not any(plot.overlap(a, b) for i, a in enumerate(boxes) for b in boxes[:i])
