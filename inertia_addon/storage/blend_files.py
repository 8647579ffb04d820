# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether .blend files are whole: Blender doesn't notice when a disk takes no more of a compressed one.

The format of compressed files is Facebook's "Zstandard Seekable Format" (contrib/seekable_format).
"""

from __future__ import annotations

import os
import struct
from pathlib import Path

FRAME, SEEKABLE = b"\x28\xb5\x2f\xfd", b"\xb1\xea\x92\x8f"
"""How a compressed file begins, and how it ends: with a table of its parts."""
FOOT = struct.Struct("<IB4s")
"""The end of that table: how many parts there are, what it says of each, and the mark."""
PART, HEAD_BYTES = 8, 8
"""The bytes of a part in the table, without a checksum, and those before the first."""
LAST_BLOCKS = (24, 32)
"""The bytes of an uncompressed file's last block, ENDB, up to Blender 4.5 and from 5.0 on."""


def is_whole(path: Path) -> bool:
    """Whether a .blend file is as long as what it says of itself, and ends as Blender ends it."""
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
