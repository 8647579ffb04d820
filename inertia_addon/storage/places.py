# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a file may be written: which paths are the same, and what stands in the way."""

from __future__ import annotations

import errno
import os
import stat
import unicodedata
from collections.abc import Iterable
from pathlib import Path

from ..errors import InertiaError

IS_WINDOWS = os.name == "nt"

RESERVED = {"con", "prn", "aux", "nul", "conin$", "conout$"} | {
    f"{port}{digit}" for port in ("com", "lpt") for digit in "123456789¹²³"
}
"""Windows takes these for devices, with any ending and in any case."""


MOST_READ = 4_000_000_000
"""Files of more bytes are none that are read whole."""
LONGEST_NAME = 255
"""Names of more bytes are none on most disks."""
LONGEST_TAIL = 200
"""So many bytes of a name leave room for more: of LONGEST_NAME in all."""


def is_reserved(name: str) -> bool:
    """Tell whether Windows keeps a file's name for a device: ``con``, and ``Nul.blend`` too."""
    return name.partition(".")[0].rstrip(" ").casefold() in RESERVED


def real(path: Path) -> Path:
    """Follow links and ``..``; a link that leads to itself stays as it is."""
    return Path(os.path.realpath(path))


def is_same(path: Path, other_path: Path) -> bool:
    """Tell whether two paths lead to one file, or will.

    For files, ask the file system. For names that are free, ignore case and the spelling of accents, as some
    file systems do.
    """
    identities = _identity(path), _identity(other_path)
    return identities[0] == identities[1] if any(identities) else _folded(path) == _folded(other_path)


def _identity(path: Path) -> tuple[int, int] | None:
    """Return what all paths of one file or folder have in common (device, inode); None when there is none, or
    it can't be looked at.
    """
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _folded(path: Path) -> str:
    return unicodedata.normalize("NFC", str(real(path))).casefold()


def written_with(path: Path) -> tuple[Path, ...]:
    """Return all paths that are written for a file: itself, and for a .gltf its .bin and its folder of
    pictures.
    """
    if path.suffix.lower() != ".gltf":
        return (path,)
    return path, path.with_suffix(".bin"), textures_of(path)


def textures_of(path: Path) -> Path:
    """Return the folder for the pictures of a .gltf file: one of its own, so that no other file's are
    replaced.
    """
    return path.with_name(f"{tail(path.stem)}_textures")


def tail(name: str) -> str:
    """Return the end of a name, short enough to make another name with."""
    return os.fsencode(name)[-LONGEST_TAIL:].decode("utf-8", "ignore")


class ReadFiles:
    """Files that are read, to tell what must not take their place, whatever it is called by."""

    def __init__(self, files: Iterable[Path]) -> None:
        """Look where they are now; those that are not there can't be replaced."""
        files = list(files)
        self._files = {_identity(file) for file in files} - {None}
        self._folders = {_identity(folder) for file in files for folder in real(file).parents}

    def taken_by(self, path: Path) -> Path | None:
        """Return the path that writing to `path` would take from a file that is read; None where there is
        none.

        Looked at are `path` itself and, for a .gltf, beside it the .bin of the same name and the folder of
        pictures, see :func:`written_with`; the first that is taken is returned, so that it may differ from
        `path`. A path is taken if it is one of the files that are read, by device and inode, however it is
        written; links are followed. The .bin and the folder are taken, too, if they are a folder in which
        such a file lies, at any depth. The read files count as they were when this object was made; what is
        not there is not taken.
        """
        for written in written_with(path):
            place = _identity(written)
            if place in self._files or (written != path and place is not None and place in self._folders):
                return written
        return None


def check_apart(path: Path, files: Iterable[Path]) -> None:
    """Raise InertiaError where a file would take the place of one that the open file is read from."""
    taken = ReadFiles(files).taken_by(path)
    if taken is not None:
        raise InertiaError('"{taken}" belongs to the open file; choose another name.', taken=taken)


def check(path: Path, new_folder: Path | None = None) -> None:
    """Raise InertiaError unless a file can be written at a path, in place of an old file or not; nothing is
    written.

    The folder has to exist and to be writable, links followed. new_folder: a folder that will be there by
    then, with those above it, so that only the nearest one above that exists has to be writable; None for
    none. InertiaError is raised, too, where the path is a folder, a device or a pipe, a write-protected file,
    a name too long, a link to itself, or, on Windows, the name of a device.
    """
    check_replaceable(path)
    target = real(path)
    if target.is_symlink():
        raise InertiaError('"{path}" is a link to itself; remove it, or choose another name.', path=path)
    if IS_WINDOWS and is_reserved(target.name):
        raise InertiaError(
            '"{file}" is a name that Windows reserves for a device; choose another one.', file=path.name
        )
    folder = target.parent
    if new_folder is not None and not folder.exists() and real(new_folder).is_relative_to(folder):
        check_folder(folder)
        return
    if not folder.is_dir():
        if path.is_symlink():
            raise InertiaError(
                '"{path}" is a link to "{target}", whose folder does not exist; create it first.',
                path=path,
                target=target,
            )
        raise InertiaError(
            'There is no folder "{folder}" to write "{file}" into; make it first.',
            folder=path.parent,
            file=path.name,
        )
    if not os.access(folder, os.W_OK):
        raise InertiaError(
            'The folder "{folder}" does not let "{file}" be written; choose another.',
            folder=path.parent,
            file=path.name,
        )


def check_read(path: Path, most: int = MOST_READ) -> None:
    """Raise InertiaError for what can't be read: a folder, a device or a pipe, or a file of more than `most`
    bytes.

    What is not there is left to who reads it.
    """
    try:
        status = path.stat()
    except OSError:
        return
    _check_plain(path, status.st_mode)
    if status.st_size > most:
        raise InertiaError(
            '"{path}" is {size:.3g} MB, over the limit of {most:.3g} MB; use a smaller file.',
            path=path,
            size=status.st_size / 1e6,
            most=most / 1e6,
        )


def _check_plain(path: Path, mode: int) -> None:
    """Raise InertiaError unless what is at a path is a plain file. mode: as the file system has it; path: for
    the error alone.
    """
    if stat.S_ISDIR(mode):
        raise InertiaError('"{path}" is a folder; give the name of a file.', path=path)
    if not stat.S_ISREG(mode):
        raise InertiaError('"{path}" is a device or a pipe; give the name of a file.', path=path)


def check_folder(path: Path) -> None:
    """Raise InertiaError unless a folder is there and can be written to, or can be made in the nearest one
    above that exists.

    Links are followed. Nothing is made.
    """
    folder = real(path)
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    if not folder.is_dir():
        raise InertiaError('"{path}" is not a folder; choose another name.', path=folder)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InertiaError(
            'The folder "{folder}" does not let anything be written; choose another.', folder=folder
        )


def check_replaceable(path: Path) -> None:
    """Raise InertiaError where what is at a path must not be replaced: a folder, a device or a pipe, or a
    file that is write-protected, by its mode or for this user. Links are followed; nothing is written.

    Also where it can't be looked at, such as in a locked folder, or as the name is too long. A free path
    passes, and so does one whose folder does not exist or is a file, a link that leads nowhere and a link to
    itself: for those see :func:`check`.
    """
    try:
        mode = path.stat().st_mode
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
            # a link, or the way to it, leads nowhere: others say so
            return
        raise failure(path, error) from error
    _check_plain(path, mode)
    # who may do everything is not to undo what somebody has protected, either
    if not mode & 0o222 or not os.access(path, os.W_OK):
        raise InertiaError(
            '"{path}" is write-protected; make it writable, or choose another name.', path=path
        )


def failure(path: Path, error: OSError) -> InertiaError:
    """Return the error of a file that could not be written, with the system's reason."""
    return InertiaError('"{path}" could not be written: {reason}.', path=path, reason=error.strerror or error)
