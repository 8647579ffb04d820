# SPDX-License-Identifier: GPL-3.0-or-later
"""Plays a .bvh file on its own frames, by the file's words alone: a judge that knows nothing of Blender."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Player:
    """A .bvh file. names: of its joints, without ends. frames: (n, channels), one row for each frame."""

    def __init__(self, path: Path) -> None:
        """Read a file."""
        head, _, motion = path.read_text().partition("MOTION")
        self.names: list[str] = []
        self.parents: list[int] = []
        self._offsets: list[list[float]] = []
        self._channels: list[list[str]] = []
        stack: list[int] = []
        for line in head.splitlines():
            word, *rest = line.split() or [""]
            if word in ("ROOT", "JOINT"):
                self.names.append(" ".join(rest))
                self.parents.append(next((i for i in reversed(stack) if i >= 0), -1))
                self._offsets.append([0.0, 0.0, 0.0])
                self._channels.append([])
                stack.append(len(self.names) - 1)
            elif word == "End":
                stack.append(-1)
            elif word == "OFFSET" and stack[-1] >= 0:
                self._offsets[stack[-1]] = [float(value) for value in rest]
            elif word == "CHANNELS":
                self._channels[stack[-1]] = rest[1:]
            elif word == "}":
                stack.pop()
        self.frames = np.array([line.split() for line in motion.strip().splitlines()[2:] if line], float)

    def positions(self, row: int, scale: float) -> Array:
        """Where the joints are (n, 3) in a row of the file, the first for rows before it; Z up, scaled."""
        values = iter(self.frames[int(np.clip(row, 0, len(self.frames) - 1))])
        turns: list[Array] = []
        places: list[Array] = []
        for parent, offset, channels in zip(self.parents, self._offsets, self._channels, strict=True):
            place, turn = np.array(offset), np.eye(3)
            moved = {}
            for channel in channels:
                value = next(values)
                axis = "XYZ".index(channel[0])
                if channel.endswith("position"):
                    moved[axis] = value
                else:
                    turn = turn @ _about(axis, np.radians(value))
            if moved:
                place = np.array([moved.get(axis, 0.0) for axis in range(3)])
            if parent >= 0:
                place, turn = places[parent] + turns[parent] @ place, turns[parent] @ turn
            places.append(place)
            turns.append(turn)
        x, y, z = np.array(places).T * scale
        return np.stack([x, -z, y], axis=1)


def _about(axis: int, angle: float) -> Array:
    a, b = (axis + 1) % 3, (axis + 2) % 3
    turn = np.eye(3)
    turn[a, a] = turn[b, b] = np.cos(angle)
    turn[b, a], turn[a, b] = np.sin(angle), -np.sin(angle)
    return turn
