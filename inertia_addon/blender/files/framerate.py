# SPDX-License-Identifier: GPL-3.0-or-later
"""Frame rates: which one a file was made for, by its frame time or glTF keys, and giving it to the scene."""

from __future__ import annotations

import base64
import json
import struct
import urllib.parse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InertiaError

WHOLE = (24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 72.0, 90.0, 100.0, 120.0, 144.0, 150.0, 180.0, 200.0, 240.0)
BROADCAST = tuple(rate * 1000.0 / 1001.0 for rate in (24.0, 30.0, 48.0, 60.0, 120.0))

KEY_RATES = (30.0, 24.0, 25.0, 60.0, 48.0, 50.0, 120.0, 100.0, 240.0, 200.0, 144.0, *BROADCAST)
"""Rates that keys may have been made at, the first that fits wins: 120 fits all that 24 fits."""

DEFAULT_KEY_RATE = 30.0
"""What keys in seconds are taken for when they fit no rate: the rate of most such files."""

ENOUGH = 0.9
"""A rate fits when this share of the keys are on its frames: an end may be cut between frames."""


def of_frame_time(text: str) -> float:
    """Return the frame rate that a frame time in seconds, as printed in a file, stands for.

    It is the nearest of the rates in use, WHOLE, else the nearest of BROADCAST (24 / 1.001 and so on), else
    the nearest whole number, each only within what the printed digits leave open; else 1 / seconds. Open is
    one unit of the last decimal, or 2e-5 of the rate if that is more; a text with a sign or exponent counts
    as one of 7 decimals. So ``0.0083333`` is 120, and ``0.041708`` is 24 / 1.001. Raise InertiaError for what
    is no number above 0.00001 and below 1000.
    """
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 1e-5 < seconds < 1e3:
        raise InertiaError('The frame time "{text}" is not a number of seconds above zero.', text=text)
    rate = 1.0 / seconds
    digits = len(text.partition(".")[2]) if text.replace(".", "", 1).isdigit() else 7
    slack = max(10.0**-digits / seconds, 2e-5)
    # BROADCAST after WHOLE: too few digits to tell them apart speak for the plain rate
    for rates in (WHOLE, BROADCAST, (float(round(rate)),)):
        nearest = min(rates, key=lambda usual: abs(usual - rate))
        if abs(nearest - rate) <= slack * rate:
            return nearest
    return rate


def of_key_times(times: Sequence[NDArray[np.float64]]) -> float:
    """Return the frame rate at which key times, arrays (n,) in seconds, are whole frames.

    It is the first of KEY_RATES at which at least 90 % of all different times are within 0.01 of a whole
    frame. DEFAULT_KEY_RATE without keys, or if none fits.
    """
    seconds = np.unique(np.concatenate([np.zeros(0), *times]))
    if seconds.size == 0:
        return DEFAULT_KEY_RATE
    for rate in KEY_RATES:
        frames = seconds * rate
        if np.mean(np.abs(frames - np.round(frames)) < 0.01) >= ENOUGH:
            return rate
    return DEFAULT_KEY_RATE


def set_scene(scene: Any, rate: float) -> None:
    """Set a scene's frame rate: the nearest whole number, and the base that makes up for the rest.

    rate: frames a second. Raise InertiaError for one below 1 or above 32767.
    """
    if not 1.0 <= rate <= 32767.0:
        raise InertiaError(
            "Blender takes no frame rate of {rate:g} frames a second; it takes 1 to 32767.", rate=rate
        )
    scene.render.fps = max(1, round(rate))
    scene.render.fps_base = scene.render.fps / rate


@contextmanager
def for_gltf(scene: Any) -> Iterator[None]:
    """Invert the scene's frame rate base within a ``with``, for Blender's glTF add-on, which multiplies by it
    where it should divide; put it back in the end, also after an error.
    """
    base = scene.render.fps_base
    scene.render.fps_base = 1.0 / base
    try:
        yield
    finally:
        scene.render.fps_base = base


DAMAGE = (KeyError, IndexError, TypeError, ValueError, AttributeError, struct.error, RecursionError)
"""What reading a damaged file raises."""
MAGIC = b"glTF"
JSON = 0x4E4F534A
_BIN = 0x004E4942
_FLOAT = 5126


def gltf_key_times(path: Path) -> list[NDArray[np.float64]]:
    """Return the key times of a glTF file's animations, in seconds: an array (n,) for each set of times that
    samplers use, in the order of the accessors.

    Each set comes once, however many channels share it. Those that are compressed or no floats are left out;
    [] without animations. Raise InertiaError for a damaged file, or one that lacks a file beside it; OSError
    where the file itself can't be read.
    """
    try:
        document, chunk = read_gltf(path)
        samplers = (each for animation in document.get("animations", ()) for each in animation["samplers"])
        inputs = sorted({sampler["input"] for sampler in samplers})
        times = [_accessor(path, document, chunk, index) for index in inputs]
    except InertiaError:
        raise
    except DAMAGE as error:
        raise InertiaError('"{file}" is not a glTF file, or it is damaged.', file=path.name) from error
    return [keys for keys in times if keys is not None]


def gltf_extensions(path: Path) -> set[str]:
    """Return the extensions that a .glb or .gltf file says it uses; none where it is damaged."""
    try:
        return set(read_gltf(path)[0].get("extensionsUsed", ()))
    except (*DAMAGE, InertiaError):
        return set()


def read_gltf(path: Path) -> tuple[dict[str, Any], bytes]:
    """Return a glTF file's JSON as it was read, and the binary chunk of a .glb; b"" where there is none.

    Which kind it is the content tells, not the name. Raise InertiaError for a .glb that is cut off, one of
    DAMAGE for other damage, and OSError where the file can't be read.
    """
    content = path.read_bytes()
    if not content.startswith(MAGIC):
        return json.loads(content.decode("utf-8-sig")), b""
    (length,) = struct.unpack_from("<I", content, 8)
    if length > len(content):
        raise InertiaError(
            '"{file}" is cut off: it has {count} of {length} bytes.',
            file=path.name,
            count=len(content),
            length=length,
        )
    chunks: dict[int, bytes] = {}
    place = 12
    while place + 8 <= length:
        size, kind = struct.unpack_from("<II", content, place)
        chunks.setdefault(kind, content[place + 8 : place + 8 + size])
        place += 8 + size
    return json.loads(chunks[JSON].decode("utf-8")), chunks.get(_BIN, b"")


def _accessor(path: Path, document: dict[str, Any], chunk: bytes, index: int) -> NDArray[np.float64] | None:
    """Return the numbers (n,) of a scalar accessor of floats; None when they are compressed, absent or of
    another type.

    path: the file. chunk: its binary chunk. Raise one of DAMAGE, or InertiaError, for a damaged document or a
    missing buffer.
    """
    accessor = document["accessors"][index]
    if "bufferView" not in accessor or accessor["componentType"] != _FLOAT:
        return None
    view = document["bufferViews"][accessor["bufferView"]]
    if view.get("extensions"):
        return None
    data = _buffer(path, document["buffers"][view["buffer"]], chunk)
    start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
    stride = view.get("byteStride", 4)
    count = accessor["count"]
    if count == 0 or start + stride * (count - 1) + 4 > len(data):
        raise ValueError("the keys lie outside of the buffer")
    return np.asarray(np.ndarray((count,), "<f4", data, start, (stride,)), np.float64)


def _buffer(path: Path, buffer: dict[str, Any], chunk: bytes) -> bytes:
    """Return the bytes of a glTF buffer: the .glb's own chunk, those inside the JSON, or of a file beside it.

    path: the file. buffer: its entry in the JSON; without "uri" it is the chunk. Raise InertiaError where the
    file beside it is missing, OSError where that can't be read, and ValueError for a damaged one inside the
    JSON.
    """
    uri = buffer.get("uri")
    if uri is None:
        return chunk
    if uri.startswith("data:"):
        return base64.b64decode(uri.partition(",")[2])
    beside = path.parent / urllib.parse.unquote(uri)
    if not beside.is_file():
        raise InertiaError(
            '"{file}" needs "{uri}" beside it, and there is no such file.', file=path.name, uri=uri
        )
    return beside.read_bytes()
