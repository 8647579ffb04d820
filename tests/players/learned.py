# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs networks as orangeduck's nnet.h does, written anew from its layout, one number after the other."""

from __future__ import annotations

import math
import struct
from typing import Any


def _take(content: bytes, at: int, form: str) -> tuple[tuple[Any, ...], int]:
    size = struct.calcsize(form)
    return struct.unpack(form, content[at : at + size]), at + size


def _array1d(content: bytes, at: int) -> tuple[tuple[float, ...], int]:
    (length,), at = _take(content, at, "<i")
    return _take(content, at, f"<{length}f")


def _array2d(content: bytes, at: int) -> tuple[list[tuple[float, ...]], int]:
    (rows, columns), at = _take(content, at, "<ii")
    found = []
    for _ in range(rows):
        row, at = _take(content, at, f"<{columns}f")
        found.append(row)
    return found, at


def network(content: bytes) -> dict[str, Any]:
    """What a .bin holds, all of it."""
    held: dict[str, Any] = {"layers": []}
    at = 0
    for name in ("input_mean", "input_std", "output_mean", "output_std"):
        held[name], at = _array1d(content, at)
    (count,), at = _take(content, at, "<i")
    for _ in range(count):
        weights, at = _array2d(content, at)
        biases, at = _array1d(content, at)
        held["layers"].append((weights, biases))
    assert at == len(content)
    return held


def latents(content: bytes) -> list[tuple[float, ...]]:
    """What latent.bin holds, all of it."""
    found, at = _array2d(content, 0)
    assert at == len(content)
    return found


def run(held: dict[str, Any], inputs: Any) -> list[float]:
    """The outputs of one example."""
    values = [
        (float(x) - mean) / std
        for x, mean, std in zip(inputs, held["input_mean"], held["input_std"], strict=True)
    ]
    for i, (weights, biases) in enumerate(held["layers"]):
        values = [
            math.fsum([bias, *(x * row[k] for x, row in zip(values, weights, strict=True))])
            for k, bias in enumerate(biases)
        ]
        if i + 1 < len(held["layers"]):
            values = [max(x, 0.0) for x in values]
    return [
        x * std + mean for x, mean, std in zip(values, held["output_mean"], held["output_std"], strict=True)
    ]
