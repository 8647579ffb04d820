# SPDX-License-Identifier: GPL-3.0-or-later
"""Walkers by formula: hips that go along at a speed and a turn, and two feet that swing below them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from inertia_addon.motion import quaternion
from inertia_addon.motion.matching import database
from inertia_addon.motion.matching.database import Database, RootedTrack

FPS = 30.0
JOINTS = ("hips", "left foot", "right foot")
PAIRS = (0, 2, 1)


def walk(
    name: str,
    speed: float = 1.4,
    turn: float = 0.0,
    seconds: float = 3.0,
    facing: float = 0.0,
    fps: float = FPS,
    phase: float = 0.0,
) -> RootedTrack:
    """A walk at a speed, metres a second, that turns by so many radians a second; facing: where it sets out
    to."""
    times = np.arange(round(seconds * fps) + 1) / fps
    heading = facing + turn * times
    ahead = np.exp(1j * heading)
    place = np.concatenate([[0.0], np.cumsum(0.5 * (ahead[1:] + ahead[:-1]))]) * speed / fps
    beat = 2.0 * np.pi * times / 1.1 + phase
    positions = np.empty((len(times), 3, 3))
    for joint, (side, up, swing) in enumerate(((0.0, 1.6, 0.0), (0.1, 0.05, 1.0), (-0.1, 0.05, -1.0))):
        at = place + ahead * (0.2 * min(speed, 1.5) * swing * np.sin(beat) + 1j * side)
        positions[:, joint] = np.stack([at.real, at.imag, up + 0.05 * swing * np.cos(beat)], axis=1)
    root = np.stack([place.real, place.imag, np.full(len(times), 1.0)], axis=1)
    rotation = quaternion.exp(heading[:, None] * (0.0, 0.0, 1.0))
    velocities = np.gradient(positions, axis=0) * fps
    return RootedTrack(name, np.arange(len(times)) + 1.0, positions, velocities, root, rotation)


def some(fps: float = FPS, *, mirror: bool = True, tracks: Sequence[RootedTrack] | None = None) -> Database:
    """A database of a few walks, with their mirror images."""
    if tracks is None:
        tracks = [
            walk("stand", 0.0, 0.0, 2.0, fps=fps),
            walk("walk", 1.4, 0.02, fps=fps),
            walk("left", 1.3, 0.8, facing=1.0, fps=fps),
            walk("slow", 0.8, 0.1, phase=1.0, fps=fps),
            walk("run", 3.0, 0.3, facing=-2.0, fps=fps),
        ]
    return database.build(tracks, JOINTS, (1.0, 1.0, 1.0), fps, PAIRS if mirror else None)
