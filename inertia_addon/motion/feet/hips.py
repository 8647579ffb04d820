# SPDX-License-Identifier: GPL-3.0-or-later
"""How far hips go down so that a held foot stays within the leg's reach."""

from __future__ import annotations

import numpy as np

from ..arrays import Array

SPREAD_SECONDS = 0.15
"""The hips begin to go down, and come up again, over so long."""
DOWN_SECONDS = 0.3
"""From the cut on they go down over so long."""


def drop_needed(hip: Array, ankle: Array, longest: Array) -> Array:
    """How far down hips must go (n,) so that an ankle is no further than ``longest`` from the hip.

    hip, ankle: (n, 3). longest: (n,). Where even that does not help it is as far as brings them level.
    """
    way = ankle - hip
    aside = np.sum(way[:, :2] ** 2, axis=-1)
    return np.maximum(-way[:, 2] - np.sqrt(np.maximum(longest**2 - aside, 0.0)), 0.0)


def smoothed(drop: Array, times: Array, most: float, spread: float = SPREAD_SECONDS) -> Array:
    """A drop (n,) that is nowhere less than what is needed, nor more than ``most``, and goes smoothly.

    The highest value within ``spread`` seconds on either side, averaged over as long. times: seconds (n,).
    """
    step = float(np.median(np.diff(times))) if len(times) > 1 else spread
    reach = max(1, round(spread / step))
    padded = np.pad(np.minimum(drop, most), reach)
    highest = np.lib.stride_tricks.sliding_window_view(padded, 2 * reach + 1).max(axis=1)
    # a raised cosine, so that the hips set out and arrive without a jerk
    weights = 1.0 + np.cos(np.pi * np.arange(-reach, reach + 1) / (reach + 1))
    return np.convolve(np.pad(highest, reach, mode="edge"), weights / weights.sum(), mode="valid")
