# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads database.bin and features.bin byte by byte, as orangeduck's controller does, and plays a frame of
them."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


class Reader:
    """The bytes of a file, taken one array after the other."""

    def __init__(self, path: Path) -> None:
        self.bytes, self.at = path.read_bytes(), 0

    def sizes(self, count: int) -> tuple[int, ...]:
        found = struct.unpack_from(f"<{count}I", self.bytes, self.at)
        self.at += 4 * count
        return found

    def numbers(self, kind: str, shape: tuple[int, ...]) -> Array:
        count = int(np.prod(shape))
        size = {"f": 4, "i": 4, "B": 1}[kind] * count
        found = struct.unpack_from(f"<{count}{kind}", self.bytes, self.at)
        self.at += size
        return np.array(found).reshape(shape)

    def end(self) -> None:
        assert self.at == len(self.bytes)


def database(path: Path) -> dict[str, Array]:
    reader, found = Reader(path), {}
    for name, size in (("positions", 3), ("velocities", 3), ("rotations", 4), ("spins", 3)):
        found[name] = reader.numbers("f", (*reader.sizes(2), size))
    for name in ("parents", "starts", "stops"):
        found[name] = reader.numbers("i", reader.sizes(1))
    found["contacts"] = reader.numbers("B", reader.sizes(2))
    reader.end()
    return found


def features(path: Path) -> tuple[Array, Array, Array]:
    reader = Reader(path)
    values = reader.numbers("f", reader.sizes(2))
    offsets, scales = (reader.numbers("f", reader.sizes(1)) for _ in range(2))
    reader.end()
    return values, offsets, scales


def turned(q: Array, v: Array) -> Array:
    """A vector turned by a quaternion (w, x, y, z)."""
    w, u = q[0], q[1:]
    return np.asarray(v + 2.0 * np.cross(u, np.cross(u, v) + w * v))


def product(a: Array, b: Array) -> Array:
    w = a[0] * b[0] - a[1:] @ b[1:]
    return np.concatenate([[w], a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])])


def posed(held: dict[str, Array], frame: int) -> tuple[Array, Array]:
    """Where all bones are in his world, and how they are turned, at a frame: forward kinematics, bone by
    bone."""
    places: list[Array] = []
    turns: list[Array] = []
    for bone, parent in enumerate(held["parents"].tolist()):
        place, turn = held["positions"][frame, bone], held["rotations"][frame, bone]
        if parent >= 0:
            place = places[parent] + turned(turns[parent], place)
            turn = product(turns[parent], turn)
        places.append(place)
        turns.append(turn)
    return np.array(places), np.array(turns)
