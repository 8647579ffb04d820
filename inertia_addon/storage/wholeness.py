# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether files that Blender writes are whole: its exporters do not all notice that a disk takes no more."""

from __future__ import annotations

import json
import os
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import IO

from ..errors import InertiaError
from . import contents
from .file_kinds import USD

FRAME, SEEKABLE = b"\x28\xb5\x2f\xfd", b"\xb1\xea\x92\x8f"
"""How a compressed .blend begins, and how it ends: with a table of its parts."""
FOOT = struct.Struct("<IB4s")
"""The end of that table: how many parts there are, what it says of each, and the mark."""
PART, HEAD_BYTES = 8, 8
"""The bytes of a part in the table, without a checksum, and those before the first."""
LAST_BLOCKS = (24, 32)
"""The bytes of an uncompressed .blend's last block, ENDB, up to Blender 4.5 and from 5.0 on."""
GLB = struct.Struct("<4sII")
"""How a .glb begins: the mark, the version and the bytes of the file."""
FBX_END = bytes.fromhex("f85a8c6adef5d97eece90ce3758f290b")
"""How a binary .fbx ends."""
CRATE, CRATE_TEXT = b"PXR-USDC", b"#usda"
"""How USD files of the binary and of the text kind begin."""
CRATE_HEAD = struct.Struct("<8s8sq")
"""The begin of a binary USD file: the mark, the version, and where its table of sections is."""
CRATE_SECTION = struct.Struct("<16sqq")
"""An entry of that table, which begins with their number: a section's name, its place and its bytes."""


def is_whole(path: Path) -> bool:
    """Return whether a file is as long as it says of itself, and ends as files of its kind do.

    The kinds are those that Blender writes, by the ending of the path; files of any other kind are taken for
    whole. Those beside a .gltf that hold its numbers are looked at with it.
    """
    check = _CHECKS.get(path.suffix.lower())
    return check is None or check(path)


def _is_whole_blend(path: Path) -> bool:
    """Return whether a .blend is whole: if compressed, as long as its table of parts says; else, whether it
    ends with its last block.

    The compressed format is Facebook's "Zstandard Seekable Format" (contrib/seekable_format). OSError where
    it can't be read.
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


def _is_whole_glb(path: Path) -> bool:
    with path.open("rb") as file:
        head = file.read(GLB.size)
    return len(head) == GLB.size and GLB.unpack(head)[2] == path.stat().st_size


def _is_whole_gltf(path: Path) -> bool:
    try:
        files = contents.with_companions(path)
        buffers = json.loads(path.read_text(encoding="utf-8-sig")).get("buffers", ())
        sizes = [buffer["byteLength"] for buffer in buffers if not buffer["uri"].startswith("data:")]
    except (InertiaError, ValueError, KeyError, TypeError, AttributeError):
        return False
    # the numbers come first, pictures follow
    beside = files[1:]
    return all(file.is_file() for file in beside) and all(
        file.stat().st_size >= size for file, size in zip(beside, sizes, strict=False)
    )


def _is_whole_fbx(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - len(FBX_END)))
        return file.read() == FBX_END


def _is_whole_usd(path: Path) -> bool:
    if zipfile.is_zipfile(path):
        return _is_whole_usdz(path)
    with path.open("rb") as file:
        return _is_whole_layer(file, path.stat().st_size)


def _is_whole_usdz(path: Path) -> bool:
    """Return whether a .usdz package is whole: not empty, its checksums right, and each USD layer in it
    whole.

    False for what is no package or can't be read.
    """
    try:
        with zipfile.ZipFile(path) as package:
            if package.testzip() is not None or not package.namelist():
                return False
            for info in package.infolist():
                if Path(info.filename).suffix.lower() in USD:
                    with package.open(info) as layer:
                        if not _is_whole_layer(layer, info.file_size):
                            return False
    except (zipfile.BadZipFile, OSError, ValueError):
        return False
    return True


def _is_whole_layer(file: IO[bytes], size: int) -> bool:
    """Return whether a USD layer of `size` bytes is whole. file: open for reading at its beginning, and able
    to seek.

    One of text is if it ends with a brace that stands at the beginning of a line, blanks behind it aside, as
    that of the outermost prim alone does; one of the binary kind if all sections of its table lie within
    `size`, and none begins at 0. False for anything else.
    """
    head = file.read(CRATE_HEAD.size)
    if head.startswith(CRATE_TEXT):
        file.seek(max(0, size - 16))
        return file.read().rstrip().endswith(b"\n}")
    if len(head) < CRATE_HEAD.size or not head.startswith(CRATE):
        return False
    (_, _, place), count = CRATE_HEAD.unpack(head), struct.Struct("<Q")
    if not CRATE_HEAD.size <= place <= size - count.size:
        return False
    file.seek(place)
    (sections,) = count.unpack(file.read(count.size))
    if place + count.size + sections * CRATE_SECTION.size > size:
        return False
    table = file.read(sections * CRATE_SECTION.size)
    return all(0 < start <= start + length <= size for _, start, length in CRATE_SECTION.iter_unpack(table))


_CHECKS: dict[str, Callable[[Path], bool]] = {
    ".blend": _is_whole_blend,
    ".glb": _is_whole_glb,
    ".gltf": _is_whole_gltf,
    ".fbx": _is_whole_fbx,
    **dict.fromkeys(USD, _is_whole_usd),
}
