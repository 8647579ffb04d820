# SPDX-License-Identifier: GPL-3.0-or-later
"""What a model's character can do, by what the model knows of its clips: all else that it plays is no motion.

Of n numbers none is further from their mean than sqrt(n - 1) times their deviation (P. A. Samuelson, *How
Deviant Can You Be?*, 1968). A Decompressor's outputs are normalised by the mean and the deviation of the
clips' frames, and how many these were is known, so that no frame of them went beyond. What a model says of
its clips is itself held against the character's size: a file may say anything.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..matching.engine import FPS
from .material import LEAST_FRAMES
from .model import Model, NoMotion
from .model_file import MOST_PACE, SIZES
from .networks import Numbers
from .play import Shown

FAR = 20.0
"""No bone is so many times the character's size, in metres, from its parent, or from the ground below the
character, but for how far clips may go: there are bones that stay behind."""
FAST = 20.0
"""Nobody goes so many times their size, and as much as they have most of, in metres a second."""
JOINED = 2.0
"""Where poses are joined, bones may be so many times as far from the mean as in either: they swing over."""
ROUNDED = 0.01
"""A part of these bounds, and of the character's size, that rounding may add."""


class Possible:
    """Tells what a character can do from what it can't."""

    def __init__(self, model: Model) -> None:
        network, rows, size = model.network("decompressor"), model.rows, model.size
        frames = max(model.frames, LEAST_FRAMES)
        self._mean = network.mean_out.astype(float)
        known = np.sqrt(frames - 1.0) * np.abs(network.std_out.astype(float))
        self._aside = known + ROUNDED * (known + np.abs(self._mean) + size)
        self._speed = FAST * (size + model.pace)
        self._far = FAR * size + self._speed * frames / FPS
        self._places, self._root, self._spin = rows.positions, rows.root, rows.root_spin

    def check(self, values: Numbers, before: Shown | None, shown: Shown) -> None:
        """Raise NoMotion for what no character does.

        values: (n, rows.size), what the Decompressor gives of n characters. shown, before: how they stand,
        and how they stood a frame ago; None at the beginning.
        """
        # what is no number is no less than anything
        aside = np.abs(values - self._mean)
        for some in (self._places, self._root):
            if not np.all(aside[:, some] <= self._aside[some]):
                raise NoMotion
        places = shown.pose.positions.reshape(len(values), -1)
        steps = 0.0 if before is None else np.abs(shown.ground - before.ground)
        if not (
            np.all(np.abs(places) <= self._far)
            and np.all(np.abs(places - self._mean[self._places]) <= JOINED * self._aside[self._places])
            and np.all(np.abs(values[:, self._spin]) <= np.pi * FPS)
            and np.all(steps <= self._speed / FPS)
            and np.isfinite(shown.ground).all()
            and _is_finite(shown.pose.rotations, shown.heading)
        ):
            raise NoMotion


def _is_finite(*arrays: Array) -> bool:
    return all(bool(np.isfinite(each).all()) for each in arrays)


def check_size(pace: float, size: float) -> None:
    """Raise NoMotion for a speed, metres a second, and a size, as a part of a person's, of nobody."""
    if not (SIZES[0] <= size <= SIZES[1] and 0.0 <= pace <= MOST_PACE * size):
        raise NoMotion
