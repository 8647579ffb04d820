# SPDX-License-Identifier: GPL-3.0-or-later
"""How well a transition came out: how much it pops, and how far feet slide over the ground."""

from __future__ import annotations

import numpy as np

from ..arrays import Array, ArrayLike

CONTACT_HEIGHT = 0.015
"""A foot higher above its ground than this part of the character's size does not slide but swings."""


def velocity_changes(positions: ArrayLike, fps: float) -> Array:
    """The change of joint velocity at each frame but the first and the last (frames - 2, ...), m/s.

    positions: (frames, ..., joints, 3) metres, ``fps`` frames a second. It is |p[k+1] - 2 p[k] + p[k-1]| fps,
    rms over the joints: what is seen as a pop where it stands out.
    """
    p = np.asarray(positions, float)
    change = p[2:] - 2.0 * p[1:-1] + p[:-2]
    return np.asarray(np.sqrt(np.mean(np.sum(change**2, axis=-1), axis=-1)) * fps)


def foot_slides(positions: ArrayLike, ground: ArrayLike, height: float) -> Array:
    """How far each foot slides over the ground, metres (feet,).

    positions: (frames, feet, 3) metres, Z up. ground: (feet,) how high each is when it stands. height: above
    it a foot is in the air. Each step over the ground counts by 2 - 2^(h / height), between 1 on the ground
    and 0 in the air (H. Zhang et al., "Mode-Adaptive Neural Networks for Quadruped Motion Control", 2018,
    section 8.2, there as a mean over frames). Planted feet of a clip slide by a little, too.
    """
    p = np.asarray(positions, float)
    if len(p) < 2:
        return np.zeros(p.shape[1])
    steps = np.linalg.norm(np.diff(p[..., :2], axis=0), axis=-1)
    above = 0.5 * (p[1:, :, 2] + p[:-1, :, 2]) - np.asarray(ground, float)
    counts = np.clip(2.0 - np.exp2(np.clip(above / height, -1.0, 2.0)), 0.0, 1.0)
    return np.asarray((steps * counts).sum(axis=0))
