# SPDX-License-Identifier: GPL-3.0-or-later
"""What files hold, told by digests and never by dates, and whether .blend files are whole."""

from __future__ import annotations

import hashlib
import json
import os
import struct
import urllib.parse
from collections.abc import Iterable
from pathlib import Path

from ..errors import InertiaError

FRAME, SEEKABLE = b"\x28\xb5\x2f\xfd", b"\xb1\xea\x92\x8f"
"""How a compressed file begins, and how it ends: with a table of its parts."""
FOOT = struct.Struct("<IB4s")
"""The end of that table: how many parts there are, what it says of each, and the mark."""
PART, HEAD_BYTES = 8, 8
"""The bytes of a part in the table, without a checksum, and those before the first."""
LAST_BLOCKS = (24, 32)
"""The bytes of an uncompressed file's last block, ENDB, up to Blender 4.5 and from 5.0 on."""


def digest(path: Path) -> str:
    """A digest of a file's content, "" when there is no such file."""
    if not path.is_file():
        return ""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def digests(paths: Iterable[Path]) -> dict[str, str]:
    """The digests of files, by path."""
    return {str(path): digest(path) for path in paths}


def with_companions(path: Path) -> list[Path]:
    """A file, and the files beside it that hold the numbers and the pictures of a .gltf file."""
    if path.suffix.lower() != ".gltf" or not path.is_file():
        return [path]
    try:
        held = json.loads(path.read_text(encoding="utf-8-sig"))
        uris = [part.get("uri", "data:") for kind in ("buffers", "images") for part in held.get(kind, ())]
    except (ValueError, AttributeError, TypeError) as error:
        raise InertiaError('"{file}" is not a glTF file, or it is damaged.', file=path.name) from error
    return [path, *(path.parent / urllib.parse.unquote(uri) for uri in uris if not uri.startswith("data:"))]


def is_whole(path: Path) -> bool:
    """Whether a .blend file is as long as what it says of itself, and ends as Blender ends it.

    Blender doesn't notice when a disk takes no more of a compressed one. The format of these is Facebook's
    "Zstandard Seekable Format" (contrib/seekable_format).
    """
    size = path.stat().st_size
    with path.open("rb") as file:
        if file.read(len(FRAME)) != FRAME:
            file.seek(max(0, size - max(LAST_BLOCKS)))
            end = file.read()
            return any(end[-length:].startswith(b"ENDB") for length in LAST_BLOCKS)
        if size < FOOT.size:
            return False
        file.seek(-FOOT.size, os.SEEK_END)
        count, _, mark = FOOT.unpack(file.read())
        table = HEAD_BYTES + PART * count + FOOT.size
        if mark != SEEKABLE or table > size:
            return False
        file.seek(HEAD_BYTES - table, os.SEEK_END)
        sizes = struct.unpack(f"<{2 * count}I", file.read(PART * count))
        return sum(sizes[::2]) + table == size
