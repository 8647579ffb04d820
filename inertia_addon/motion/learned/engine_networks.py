# SPDX-License-Identifier: GPL-3.0-or-later
"""Networks and latents in the layout of orangeduck/Motion-Matching, to write and to read.

All numbers are little-endian; each array follows its own sizes as 32-bit integers. A network: the inputs'
mean and deviation, the outputs' mean and deviation, then how many layers there are, and of each its weights
(inputs, outputs) and its biases. All hidden layers go through ReLU. Latents: frames, numbers a frame, and
these. Features are those of the database, see :mod:`matching.engine`.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np

from .model import ModelError
from .networks import MOST, Network, Numbers

FILES = ("decompressor.bin", "stepper.bin", "projector.bin", "latent.bin", "features.bin")
"""The networks that play, the latents, and the features of the same frames."""
MOST_LAYERS = 64


def network_bytes(network: Network) -> bytes:
    """What the .bin of a network holds."""
    parts = [_vector(each) for each in (network.mean_in, network.std_in, network.mean_out, network.std_out)]
    parts.append(struct.pack("<I", len(network.weights)))
    for weight, bias in zip(network.weights, network.biases, strict=True):
        parts += [_table(weight), _vector(bias)]
    return b"".join(parts)


def latent_bytes(latents: Numbers) -> bytes:
    """What latent.bin holds; latents: (frames, latents)."""
    return _table(latents)


def _vector(values: Numbers) -> bytes:
    return struct.pack("<I", len(values)) + np.ascontiguousarray(values, "<f4").tobytes()


def _table(values: Numbers) -> bytes:
    return struct.pack("<II", *values.shape) + np.ascontiguousarray(values, "<f4").tobytes()


def network(content: bytes, name: str) -> Network:
    """The network of a .bin; name: what errors call it. Raises ModelError for what is none.

    Each size is compared with what is left of the file before anything is made of it.
    """
    reader = _Reader(content)
    try:
        norms = reader.numbers(1), reader.numbers(1), reader.numbers(1), reader.numbers(1)
        (layers,) = reader.sizes(1)
        if not 0 < layers <= MOST_LAYERS:
            raise ValueError("no layers")
        weights, biases = [], []
        for _ in range(layers):
            weights.append(reader.numbers(2))
            biases.append(reader.numbers(1))
        _check(weights, biases, norms)
        if reader.left:
            raise ValueError("more than a network")
    except (ValueError, struct.error) as error:
        raise ModelError(
            '"{file}" is not a network of this layout, or is incomplete; use a complete copy.', file=name
        ) from error
    return Network(tuple(weights), tuple(biases), *norms)


def latents(content: bytes, name: str) -> Numbers:
    """The latents (frames, latents) of a .bin, see :func:`network`."""
    return _arrays(content, name, 2)[0]


def features(content: bytes, name: str) -> tuple[Numbers, Numbers, Numbers]:
    """The features of a .bin, see :func:`network`: normalised (frames, columns), offsets and scales
    (columns,)."""
    values, offsets, scales = _arrays(content, name, 2, 1, 1)
    if not values.shape[1] == len(offsets) == len(scales) or not values.size or scales.min() < 0.0:
        raise _no_arrays(name)
    # what is the same on all frames has none
    return values, offsets, np.where(scales > 0.0, scales, np.float32(1.0))


def _arrays(content: bytes, name: str, *dimensions: int) -> list[Numbers]:
    """All that a .bin of arrays holds. Raises InertiaError."""
    reader = _Reader(content)
    try:
        found = [reader.numbers(count) for count in dimensions]
    except (ValueError, struct.error) as error:
        raise _no_arrays(name) from error
    if reader.left or not all(np.all(np.abs(each) <= MOST) for each in found):
        raise _no_arrays(name)
    return found


def _no_arrays(name: str) -> ModelError:
    return ModelError(
        '"{file}" is damaged or incomplete; use a complete copy.',
        file=name,
    )


def _check(weights: Sequence[Numbers], biases: Sequence[Numbers], norms: Sequence[Numbers]) -> None:
    """Raise ValueError where layers don't fit each other, or hold what is no number."""
    sizes = [len(weights[0]), *(weight.shape[1] for weight in weights)]
    fits = [len(norm) for norm in norms] == [sizes[0], sizes[0], sizes[-1], sizes[-1]]
    fits &= all(len(weight) == size for weight, size in zip(weights, sizes[:-1], strict=True))
    fits &= all(len(bias) == size for bias, size in zip(biases, sizes[1:], strict=True))
    if not fits or not all(np.all(np.abs(each) <= MOST) for each in (*weights, *biases, *norms)):
        raise ValueError("layers that don't fit")
    if not sizes[0] or float(norms[1].min()) <= 0.0:
        raise ValueError("no deviation")


class _Reader:
    """Takes arrays from bytes, one after the other."""

    def __init__(self, content: bytes) -> None:
        self._content, self._at = content, 0

    @property
    def left(self) -> int:
        """How many bytes there still are."""
        return len(self._content) - self._at

    def sizes(self, count: int) -> tuple[int, ...]:
        found = struct.unpack_from(f"<{count}I", self._content, self._at)
        self._at += 4 * count
        return found

    def numbers(self, dimensions: int) -> Numbers:
        shape = self.sizes(dimensions)
        size = 4
        for length in shape:
            size *= length
        if size > self.left:
            raise ValueError("cut off")
        found = np.frombuffer(self._content, "<f4", size // 4, self._at).reshape(shape)
        self._at += size
        return found.astype(np.float32)
