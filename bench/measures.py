# SPDX-License-Identifier: GPL-3.0-or-later
"""What benches measure of positions, by formulas of their own: none of what they judge has a part in it."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

CONTACT_HEIGHT = 0.015
"""A foot higher above its ground than this part of the character's size swings."""


def velocity_changes(positions: ArrayLike, fps: float) -> Array:
    """|p[k+1] - 2 p[k] + p[k-1]| fps (frames - 2, ...), m/s, rms over the joints.

    positions: (frames, ..., joints, 3) metres.
    """
    change = np.diff(np.asarray(positions, float), 2, axis=0)
    return np.sqrt(np.mean(np.sum(change**2, axis=-1), axis=-1)) * fps


def foot_skates(positions: ArrayLike, ground: ArrayLike, height: float) -> Array:
    """How far each foot skates over the ground, while it is lower than ``height`` above it, metres (feet,).

    By the judge's definition, see inertia_addon/motion/judging/ground.py, computed by a formula of its own.
    positions: (frames, feet, 3) metres, Z up. ground: (feet,). Each step counts by 2 - 2^(h / height) (H.
    Zhang et al., "Mode-Adaptive Neural Networks for Quadruped Motion Control", 2018, section 8.2).
    """
    p = np.asarray(positions, float)
    if len(p) < 2:
        return np.zeros(p.shape[1])
    steps = np.linalg.norm(np.diff(p[..., :2], axis=0), axis=-1)
    above = 0.5 * (p[1:, :, 2] + p[:-1, :, 2]) - np.asarray(ground, float)
    counts = np.clip(2.0 - np.exp2(np.clip(above / height, -1.0, 2.0)), 0.0, 1.0)
    return (steps * counts).sum(axis=0)
