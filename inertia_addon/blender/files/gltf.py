# SPDX-License-Identifier: GPL-3.0-or-later
"""What has to be known of a glTF file before Blender imports it: when its keys are."""

from __future__ import annotations

import base64
import json
import struct
import urllib.parse
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InertiaError

_DAMAGE = (KeyError, IndexError, TypeError, ValueError, AttributeError, struct.error)
"""What reading a damaged file raises."""
_MAGIC = b"glTF"
_JSON = 0x4E4F534A
_BIN = 0x004E4942
_FLOAT = 5126


def key_times(path: Path) -> list[NDArray[np.float64]]:
    """The key times of a .glb or .gltf file's animations, in seconds, an array (n,) for each set of keys.

    Compressed ones that only Blender can read are left out. Raises InertiaError for a damaged file.
    """
    try:
        document, chunk = _read(path)
        samplers = (each for animation in document.get("animations", ()) for each in animation["samplers"])
        inputs = sorted({sampler["input"] for sampler in samplers})
        times = [_accessor(path, document, chunk, index) for index in inputs]
    except InertiaError:
        raise
    except _DAMAGE as error:
        raise InertiaError('"{file}" is not a glTF file, or it is damaged.', file=path.name) from error
    return [keys for keys in times if keys is not None]


def extensions(path: Path) -> set[str]:
    """The extensions that a .glb or .gltf file says it uses; none where it is damaged."""
    try:
        return set(_read(path)[0].get("extensionsUsed", ()))
    except (*_DAMAGE, InertiaError):
        return set()


def _read(path: Path) -> tuple[dict[str, Any], bytes]:
    """The file's JSON, and the binary chunk of a .glb."""
    content = path.read_bytes()
    if not content.startswith(_MAGIC):
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
    return json.loads(chunks[_JSON].decode("utf-8")), chunks.get(_BIN, b"")


def _accessor(path: Path, document: dict[str, Any], chunk: bytes, index: int) -> NDArray[np.float64] | None:
    """The numbers of a scalar accessor, None when they are compressed or absent."""
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
    """A buffer's bytes: the .glb's own, inside the JSON, or in a file beside it."""
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
