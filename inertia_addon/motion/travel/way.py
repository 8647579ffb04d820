# SPDX-License-Identifier: GPL-3.0-or-later
"""A way over the ground: rigid motions of the plane, one a frame, that take a clip along."""

from __future__ import annotations

import dataclasses

import numpy as np

from ...records import record
from ..arrays import Array, ArrayLike


@record(frozen=True, eq=False)
class Way:
    """How a character is moved over the ground at frames of a clip.

    frames: (n,) rising. places: (n, 2), where the world's origin is taken. turns: (n,) radians about the
    vertical, unwrapped. The first motion is none.
    """

    frames: Array
    places: Array
    turns: Array

    def matrices(self, frames: ArrayLike | None = None) -> Array:
        """The motions (n, 4, 4) at its own frames, or at others, between which it goes evenly."""
        turns, places = self.turns, self.places
        if frames is not None:
            at = np.asarray(frames, float)
            turns = np.interp(at, self.frames, turns)
            places = np.stack([np.interp(at, self.frames, column) for column in places.T], axis=1)
        found = np.tile(np.eye(4), (len(turns), 1, 1))
        c, s = np.cos(turns), np.sin(turns)
        found[:, 0, 0], found[:, 0, 1], found[:, 1, 0], found[:, 1, 1] = c, -s, s, c
        found[:, :2, 3] = places
        return found

    def moved(self, points: Array) -> Array:
        """Points (n, ..., 3) at its frames, each where it takes them."""
        motions = self.matrices()
        turned = np.einsum("nij,n...j->n...i", motions[:, :3, :3], points)
        return np.asarray(turned + motions[:, :3, 3].reshape(-1, *(1,) * (points.ndim - 2), 3))

    def backwards(self) -> Way:
        """The way that takes this one out again."""
        inverse = np.array(np.linalg.inv(self.matrices()), float)
        return Way(self.frames, inverse[:, :2, 3], -self.turns)

    def scaled(self, factor: float) -> Way:
        """This way in another unit of length."""
        return dataclasses.replace(self, places=self.places * factor)


def of_matrices(frames: ArrayLike, motions: Array) -> Way:
    """The way of motions of the world (n, 4, 4), as far as these turn about the vertical and go over the
    ground, from the first on."""
    motions = motions @ np.linalg.inv(motions[0])
    turns = np.unwrap(np.arctan2(motions[:, 1, 0], motions[:, 0, 0]))
    return Way(np.asarray(frames, float), motions[:, :2, 3], turns)


def along(frames: ArrayLike, rates: Array, fps: float) -> Way:
    """The way below which ground passes at ``rates``.

    frames: (n,). rates: (n - 1, 3) from each frame to the next, in the clip's own world: how fast the ground
    at the origin goes, a second, and how fast it turns there, radians a second. Each step is the exponential
    of the opposite rate (R. Murray, Z. Li, S. Sastry, "A Mathematical Introduction to Robotic Manipulation",
    1994, section 2.3, in the plane), taken from where the steps before have led.
    """
    frames = np.asarray(frames, float)
    seconds = np.diff(frames) / fps
    turned, gone = -rates[:, 2] * seconds, -rates[:, :2] * seconds[:, None]
    half = 0.5 * turned
    # sin(a) / a and (1 - cos(a)) / a, which is sin(a / 2) sinc(a / 2)
    along_, across = np.sinc(turned / np.pi), np.sin(half) * np.sinc(half / np.pi)
    steps = np.stack(
        [along_ * gone[:, 0] - across * gone[:, 1], across * gone[:, 0] + along_ * gone[:, 1]], 1
    )
    turns = np.concatenate([[0.0], np.cumsum(turned)])
    c, s = np.cos(turns[:-1]), np.sin(turns[:-1])
    led = np.stack([c * steps[:, 0] - s * steps[:, 1], s * steps[:, 0] + c * steps[:, 1]], axis=1)
    return Way(frames, np.concatenate([np.zeros((1, 2)), np.cumsum(led, axis=0)]), turns)


def rates_of(way: Way, fps: float) -> Array:
    """The inverse of :func:`along`: (n - 1, 3)."""
    motions = way.matrices()
    steps = np.linalg.inv(motions[:-1]) @ motions[1:]
    seconds = np.diff(way.frames) / fps
    turned = np.diff(way.turns)
    half = 0.5 * turned
    along_, across = np.sinc(turned / np.pi), np.sin(half) * np.sinc(half / np.pi)
    scale = along_**2 + across**2
    x, y = steps[:, 0, 3], steps[:, 1, 3]
    gone = np.stack([along_ * x + across * y, along_ * y - across * x], axis=1) / scale[:, None]
    return np.concatenate([-gone, -turned[:, None]], axis=1) / seconds[:, None]
