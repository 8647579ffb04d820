# SPDX-License-Identifier: GPL-3.0-or-later
"""Writing files so that an old one stays whole until the new one is."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..motion.errors import InertiaError


def check(path: Path) -> None:
    """Raise InertiaError unless a file can be written at a path."""
    folder = path.resolve().parent
    if path.is_dir():
        raise InertiaError(f'"{path}" is a folder; give the name of a file.')
    if not folder.is_dir():
        raise InertiaError(f'There is no folder "{path.parent}" to write "{path.name}" into; make it first.')
    if not os.access(folder, os.W_OK):
        raise InertiaError(
            f'The folder "{path.parent}" does not let "{path.name}" be written; choose another.'
        )


@contextmanager
def replacing(path: Path, settled: bool = True) -> Iterator[Path]:
    """A path beside ``path`` to write to: the file takes its place when all went well, or else vanishes.

    settled: whether its content is on the disk by then, so that a power cut can't leave it empty; that takes
    as long as the disk does. Raises InertiaError when nothing was written, or it can't take the place.
    """
    check(path)
    target = path.resolve()
    temporary = target.with_name(f".{secrets.token_hex(4)}-{target.name}")
    try:
        yield temporary
        if not temporary.is_file():
            raise InertiaError(f'"{path}" was not written; Blender gave no reason.')
        if settled:
            _settle(temporary)
        temporary.replace(target)
    except OSError as error:
        raise _failure(path, error) from error
    finally:
        # the second is what Blender writes a .blend into before it renames it
        for left in (temporary, temporary.with_name(temporary.name + "@")):
            left.unlink(missing_ok=True)


@contextmanager
def replacing_with_companions(path: Path, settled: bool = True) -> Iterator[Path]:
    """As :func:`replacing`, for a file that is written along with others that it names.

    The yielded path has the final name, in a folder of its own. The companions move first, the file
    last; when a move fails, all that was replaced until then is put back.
    """
    check(path)
    target = path.resolve()
    stage = target.with_name(f".{secrets.token_hex(4)}-{target.stem}")
    try:
        (stage / "new").mkdir(parents=True)
        yield stage / "new" / target.name
        if not (stage / "new" / target.name).is_file():
            raise InertiaError(f'"{path}" was not written; Blender gave no reason.')
        if settled:
            for file in (stage / "new").rglob("*"):
                if file.is_file():
                    _settle(file)
        _move_all(stage, target)
    except OSError as error:
        raise _failure(path, error) from error
    finally:
        shutil.rmtree(stage, ignore_errors=True)


def _move_all(stage: Path, target: Path) -> None:
    """Move what is in ``stage/new`` beside the target, itself last; undo that if it fails."""
    new, old = stage / "new", stage / "old"
    files = sorted(
        (p.relative_to(new) for p in new.rglob("*") if p.is_file()), key=lambda p: p.name == target.name
    )
    moved: list[Path] = []
    try:
        for name in files:
            final = target.parent / name
            final.parent.mkdir(exist_ok=True, parents=True)
            if final.exists():
                (old / name).parent.mkdir(exist_ok=True, parents=True)
                final.replace(old / name)
            moved.append(name)
            (new / name).replace(final)
    except OSError:
        for name in moved:
            (target.parent / name).unlink(missing_ok=True)
            if (old / name).exists():
                (old / name).replace(target.parent / name)
        raise


def _settle(path: Path) -> None:
    """Have a file's content on the disk before its name says so: a power cut would leave it empty."""
    # Windows settles only what is open for writing
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _failure(path: Path, error: OSError) -> InertiaError:
    return InertiaError(f'"{path}" could not be written: {error.strerror or error}.')
