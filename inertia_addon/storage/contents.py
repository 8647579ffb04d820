# SPDX-License-Identifier: GPL-3.0-or-later
"""What files hold, told by digests and never by dates, and which files belong together."""

from __future__ import annotations

import hashlib
import json
import urllib.parse
from collections.abc import Iterable
from pathlib import Path

from ..errors import InertiaError


def digest(path: Path) -> str:
    """Return the SHA-256 digest of a file's content, 64 lowercase hexadecimal digits.

    Links are followed. It is "" where there is no plain file: nothing, a folder, a device or a pipe. OSError
    where the file can't be read.
    """
    if not path.is_file():
        return ""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def digests(paths: Iterable[Path]) -> dict[str, str]:
    """Return the digests of files by path, as :func:`digest` does: "" where there is no plain file, OSError
    for one that can't be read.
    """
    return {str(path): digest(path) for path in paths}


def with_companions(path: Path) -> list[Path]:
    """Return a file, and those beside it that hold the numbers and then the pictures of a .gltf file, whether
    they exist or not.

    Any other file, or one that is not there, comes alone. Raise InertiaError for a .gltf file that is none.
    """
    if path.suffix.lower() != ".gltf" or not path.is_file():
        return [path]
    try:
        held = json.loads(path.read_text(encoding="utf-8-sig"))
        uris = [part.get("uri", "data:") for kind in ("buffers", "images") for part in held.get(kind, ())]
        beside = [urllib.parse.unquote(uri) for uri in uris if not uri.startswith("data:")]
    except (ValueError, AttributeError, TypeError, RecursionError) as error:
        raise InertiaError('"{file}" is not a glTF file, or it is damaged.', file=path.name) from error
    return [path, *(path.parent / name for name in beside)]
