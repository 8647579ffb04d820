# SPDX-License-Identifier: GPL-3.0-or-later
"""Writing files so that an old one stays whole until the new one is, and nothing is left half written."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from ..errors import InertiaError
from . import places

MORE_BYTES = 2**20
"""A disk that takes so many more is not full."""

_begun: set[Path] = set()
_depth = 0
_waiting: list[Callable[[], None]] = []

_TEMPORARY = re.compile(r"\.[0-9a-f]{8}-(.+?)@?$", re.DOTALL)
"""The names of what is not complete; at the end is what Blender adds to a .blend that it writes."""


@contextmanager
def remove_at_end(*paths: Path) -> Iterator[None]:
    """Remove files and folders, with all in them, when a ``with`` ends, also by an error, or when
    :func:`abandon` ends the program, as for a signal.

    Yield None. None of them needs to exist at any time. What can't be removed from a folder is left there
    without an error; for a file OSError is raised, and the paths behind it stay.
    """
    _begun.update(paths)
    try:
        yield
    finally:
        for path in paths:
            remove(path)
        _begun.difference_update(paths)


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Yield a new folder of this user's alone, and remove it with the ``with``, or when a signal ends the
    program.
    """
    path = Path(tempfile.gettempdir()) / f"inertia-{secrets.token_hex(8)}"
    with remove_at_end(path):
        path.mkdir(mode=0o700)
        yield path


@contextmanager
def whole() -> Iterator[None]:
    """Keep :func:`abandon` from ending the program within a ``with``: what it was asked meanwhile is done at
    the end.

    That is the end of the outermost, if several are nested. It is done also where the block ends by an error.
    Of several requests the last one is done first; it usually ends the program, so that no other follows.
    """
    global _depth
    _depth += 1
    try:
        yield
    finally:
        _depth -= 1
        while _waiting and not _depth:
            abandon(_waiting.pop())


def abandon(leave: Callable[[], None]) -> None:
    """Remove all that every open :func:`remove_at_end` would remove, in any thread, in no order, and call
    `leave`, which ends the program.

    Within :func:`whole`, of any thread, both are put off until the outermost has ended, and this returns at
    once. If `leave` returns, so does this. What can't be removed from a folder is left there; for a file
    OSError is raised, `leave` is not called, and the other paths may stay.
    """
    if _depth:
        _waiting.append(leave)
        return
    # threads begin and end others meanwhile
    for path in tuple(_begun):
        remove(path)
    leave()


def remove(path: Path) -> None:
    """Remove a file, or a folder with all that is in it, if there is one."""
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def left_in(folder: Path, files: Iterable[str] | None = None) -> list[Path]:
    """Return what killed processes have left half written in a folder.

    files: the names that were to be written, None for all names.
    """
    tails = (
        None if files is None else {places.tail(part) for name in files for part in (name, Path(name).stem)}
    )
    matches = ((entry, _TEMPORARY.fullmatch(entry.name)) for entry in folder.iterdir())
    return [entry for entry, match in matches if match and (tails is None or match.group(1) in tails)]


def _name_beside(target: Path, name: str) -> Path:
    """Return a free path beside a target, for what is to take its place."""
    return target.with_name(f".{secrets.token_hex(4)}-{places.tail(name)}")


@contextmanager
def replace_safely(path: Path, *, settled: bool = True) -> Iterator[Path]:
    """Yield a path beside `path` to write to; at the end of the ``with`` that file takes the place of `path`,
    or after an error it vanishes and the old file stays.

    It gets the mode and, if possible, the owner of the old one; links are followed. settled: whether to wait
    until its content is on the disk, so that a power cut can't leave it empty. Raise InertiaError when the
    place can't be written to, when nothing was written, or the file can't take the place. An OSError in the
    ``with`` becomes one, too; errors name `path`, not the temporary file.
    """
    places.check(path)
    target = places.real(path)
    temporary = _name_beside(target, target.name)
    # the second is what Blender writes a .blend into before it renames it
    both = (temporary, temporary.with_name(temporary.name + "@"))
    shown = {str(temporary): str(path), temporary.name: path.name}
    with remove_at_end(*both), _name_in_errors(path, shown):
        yield temporary
        _check_written(temporary, path)
        if settled:
            _settle(temporary)
        _make_like(target, temporary)
        temporary.replace(target)


@contextmanager
def replace_with_companions(path: Path, *, settled: bool = True) -> Iterator[Path]:
    """Yield a path to write to, for a file that names others that are written along: all of them take their
    places at the end of the ``with``.

    The path has the final name, in a temporary folder of its own beside the target, and whatever else is
    written there is taken. The companions move first, the file last; when a move fails, all that was replaced
    until then is put back. settled: whether to wait until all of it is on the disk. Raise InertiaError where
    the place can't be written to, one of the old files must not be replaced, the file was not written, or a
    move fails; an OSError in the ``with`` becomes one, too. After any error the old files are as they were.
    """
    places.check(path)
    target = places.real(path)
    stage = _name_beside(target, target.stem)
    written = stage / "new" / target.name
    shown = {str(written.parent): str(path.parent)}
    with remove_at_end(stage), _name_in_errors(path, shown):
        written.parent.mkdir(parents=True)
        yield written
        _check_written(written, path)
        with whole():
            _move_all(stage, target, settled=settled)


@contextmanager
def _name_in_errors(path: Path, names: Mapping[str, str]) -> Iterator[None]:
    """Have errors in a ``with`` name what was to be written, in place of temporary files.

    path: what an OSError in the ``with`` is told of, as the InertiaError that it becomes. names: by how a
    temporary file or folder is called, what stands in its place in the text of an InertiaError; a "@" behind
    the former, Blender's mark, goes with it. An InertiaError in which none of these stands passes as it is.
    """
    try:
        yield
    except OSError as error:
        raise places.failure(path, error) from error
    except InertiaError as error:
        text = str(error)
        for name, instead in names.items():
            # the mark is Blender's
            text = text.replace(f"{name}@", instead).replace(name, instead)
        if text == str(error):
            raise
        raise InertiaError(text) from error


def _check_written(temporary: Path, path: Path) -> None:
    if not temporary.is_file():
        raise InertiaError('"{path}" was not written; Blender gave no reason.', path=path)


def fill(file: IO[bytes]) -> None:
    """Write a megabyte more at the end of a file that nobody wants, and onto the disk; raise OSError where
    the disk takes no more.

    So it is told what kept Blender from writing all of it, as not all of its exporters say so.
    """
    file.seek(0, os.SEEK_END)
    file.write(bytes(MORE_BYTES))
    file.flush()
    os.fsync(file.fileno())


def _move_all(stage: Path, target: Path, *, settled: bool) -> None:
    """Move what is in ``stage/new``, in folders too, into the target's folder, files of the target's own name
    last, in place of old files, which go to ``stage/old``.

    First each file is looked at: new ones get the mode and, if allowed, the owner of old ones, and with
    `settled` their content is brought onto the disk. Raise InertiaError, with nothing moved, where one of the
    old files must not be replaced, and OSError where the rest fails. Folders that are needed are made.

    When a move fails all that was moved is removed, the old files are put back, and OSError is raised;
    folders that were made stay.
    """
    new, old = stage / "new", stage / "old"
    files = sorted(
        (p.relative_to(new) for p in new.rglob("*") if p.is_file()), key=lambda p: p.name == target.name
    )
    for name in files:
        places.check_replaceable(target.parent / name)
        if settled:
            _settle(new / name)
        _make_like(target.parent / name, new / name)
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


def _make_like(old: Path, new: Path) -> None:
    """Give a file (`new`) the mode and, if that is allowed, the owner of the one (`old`) whose place it is to
    take.

    Nothing is done if there is no old one. OSError for anything else that fails.
    """
    try:
        kept = old.stat()
    except FileNotFoundError:
        return
    if hasattr(os, "chown"):
        # only some may give files away, and not on every disk
        with suppress(PermissionError):
            os.chown(new, kept.st_uid, kept.st_gid)
    new.chmod(stat.S_IMODE(kept.st_mode))


def _settle(path: Path) -> None:
    """Have a file's content on the disk before its name says so: a power cut would leave it empty."""
    # Windows settles only what is open for writing
    with path.open("rb+") as file:
        os.fsync(file.fileno())
