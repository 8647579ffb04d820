# SPDX-License-Identifier: GPL-3.0-or-later
"""Plays a .glb file node by node, by the specification alone: a judge that knows nothing of Blender."""

from __future__ import annotations

import dataclasses
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

TYPES = {5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
AT_REST = {"translation": (0.0, 0.0, 0.0), "rotation": (0.0, 0.0, 0.0, 1.0), "scale": (1.0, 1.0, 1.0)}


@dataclasses.dataclass(frozen=True)
class Sampler:
    """Keys of one property: times (n,) seconds; values (n, width), or (n, 3, width) for CUBICSPLINE."""

    times: Array
    values: Array
    interpolation: str

    def at(self, t: float, *, rotation: bool, spherical: bool) -> Array:
        """The value at a time; before the first key and after the last one it is held."""
        times, values = self.times, self.values
        cubic = self.interpolation == "CUBICSPLINE"
        i = int(np.searchsorted(times, t, side="right")) - 1
        if i < 0 or i >= len(times) - 1:
            key = values[max(min(i, len(times) - 1), 0)]
            return key[1] if cubic else key
        if self.interpolation == "STEP":
            return values[i]
        span = times[i + 1] - times[i]
        s = (t - times[i]) / span
        if cubic:
            a, out, into, b = values[i, 1], span * values[i, 2], span * values[i + 1, 0], values[i + 1, 1]
            found = (2 * s**3 - 3 * s**2 + 1) * a + (s**3 - 2 * s**2 + s) * out
            found = found + (3 * s**2 - 2 * s**3) * b + (s**3 - s**2) * into
            return found / np.linalg.norm(found) if rotation else found
        a, b = values[i], values[i + 1]
        if not rotation:
            return (1 - s) * a + s * b
        b = -b if a @ b < 0.0 else b
        angle = np.arccos(min(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)), 1.0))
        if spherical and angle > 1e-6:
            found = (np.sin((1 - s) * angle) * a + np.sin(s * angle) * b) / np.sin(angle)
        else:
            found = (1 - s) * a + s * b
        return found / np.linalg.norm(found)


class Player:
    """A .glb file. nodes: as in it. names: of the nodes. clips: their samplers by name of the animation."""

    def __init__(self, path: Path) -> None:
        """Read a file of one binary chunk."""
        content = path.read_bytes()
        chunks, place = {}, 12
        while place < len(content):
            size, kind = struct.unpack_from("<II", content, place)
            chunks[kind] = content[place + 8 : place + 8 + size]
            place += 8 + size
        self._document = json.loads(chunks[0x4E4F534A])
        self._bytes = chunks.get(0x004E4942, b"")
        self.nodes: list[dict[str, Any]] = self._document["nodes"]
        self.names = [node.get("name", f"Node_{i}") for i, node in enumerate(self.nodes)]
        self.parents = [-1] * len(self.nodes)
        for i, node in enumerate(self.nodes):
            for child in node.get("children", ()):
                self.parents[child] = i
        self.joints = sorted({j for skin in self._document.get("skins", ()) for j in skin["joints"]})
        self.clips = {
            animation.get("name", f"Animation_{i}"): self._samplers(animation)
            for i, animation in enumerate(self._document.get("animations", ()))
        }

    def _accessor(self, index: int) -> Array:
        accessor = self._document["accessors"][index]
        kind, width = np.dtype(TYPES[accessor["componentType"]]), WIDTHS[accessor["type"]]
        view = self._document["bufferViews"][accessor["bufferView"]]
        start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        stride = view.get("byteStride", kind.itemsize * width)
        shape, strides = (accessor["count"], width), (stride, kind.itemsize)
        found = np.ndarray(shape, kind, self._bytes, start, strides).astype(float)
        if accessor.get("normalized"):
            found = np.maximum(found / np.iinfo(kind).max, -1.0)
        return found

    def _samplers(self, animation: dict[str, Any]) -> dict[tuple[int, str], Sampler]:
        found = {}
        for channel in animation["channels"]:
            target, sampler = channel["target"], animation["samplers"][channel["sampler"]]
            if "node" not in target or target["path"] not in AT_REST:
                continue
            values, how = self._accessor(sampler["output"]), sampler.get("interpolation", "LINEAR")
            if how == "CUBICSPLINE":
                values = values.reshape(-1, 3, values.shape[-1])
            times = self._accessor(sampler["input"])[:, 0]
            found[target["node"], target["path"]] = Sampler(times, values, how)
        return found

    def span(self, clip: str) -> tuple[float, float]:
        """The first and last key of a clip, seconds."""
        times = [sampler.times for sampler in self.clips[clip].values()]
        return float(min(t[0] for t in times)), float(max(t[-1] for t in times))

    def worlds(self, clip: str, t: float, *, spherical: bool = True) -> Array:
        """The world matrices (nodes, 4, 4) in a clip at a time in seconds, Z up as in Blender.

        spherical: rotations run along the arc at an even pace, as the specification has it, and not along
        the chord, as Blender plays what it imports.
        """
        samplers, found = self.clips[clip], np.empty((len(self.nodes), 4, 4))
        done = [False] * len(self.nodes)

        def place(i: int) -> Array:
            if not done[i]:
                local = self._local(i, samplers, t, spherical=spherical)
                parent = self.parents[i]
                found[i] = local if parent < 0 else place(parent) @ local
                done[i] = True
            return found[i]

        for i in range(len(self.nodes)):
            place(i)
        z_up = np.array([[1.0, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1]])
        return np.asarray(z_up @ found)

    def _local(self, i: int, samplers: dict[tuple[int, str], Sampler], t: float, *, spherical: bool) -> Array:
        node = self.nodes[i]
        if "matrix" in node:
            return np.array(node["matrix"], float).reshape(4, 4).T
        value = {}
        for path, default in AT_REST.items():
            sampler = samplers.get((i, path))
            own = np.array(node.get(path, default), float)
            value[path] = (
                own if sampler is None else sampler.at(t, rotation=path == "rotation", spherical=spherical)
            )
        x, y, z, w = value["rotation"] / np.linalg.norm(value["rotation"])
        matrix = np.eye(4)
        matrix[:3, :3] = [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
        matrix[:3, :3] *= value["scale"]
        matrix[:3, 3] = value["translation"]
        return matrix
