# SPDX-License-Identifier: GPL-3.0-or-later
"""What the command line says: results on standard output, messages on standard error, and no chatter."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import io
import json
import os
import signal
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from .. import escapes

_closed: set[int] = set()
"""The standard descriptors that whoever started this program has closed."""


def guard() -> None:
    """Bring the standard streams into order, before anything is opened or written.

    A closed descriptor (``>&-``) leads nowhere from now on, as the next file to be opened would stand in its
    place, and all that is said be written into it; and a stream that Python lacks is replaced by one in
    memory, as Python says messages among the results then. SIGPIPE is ignored: a reader that goes away (``|
    head``) is told by an error, and not by the end of this program.
    """
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    for descriptor, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(descriptor)
        except OSError:
            _closed.add(descriptor)
            _to_nowhere(descriptor)
        if getattr(sys, name) is None:
            # whatever has the descriptor, it is no stream of ours
            _closed.add(descriptor)
            setattr(sys, name, io.StringIO())


def _to_nowhere(descriptor: int) -> None:
    """Make a descriptor lead to the null device, for reading and writing; what it led to is closed if it was
    open.
    """
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, descriptor)
    if nowhere != descriptor:
        os.close(nowhere)


def say(message: str) -> None:
    """Write a message of one line to standard error, behind "inertia: "; control characters are escaped.

    Where nobody takes it, it is dropped, and standard error leads nowhere from then on. One that a signal
    handler says while another one is being written is dropped, too.
    """
    try:
        print(_message(message), file=sys.stderr, flush=True)
    except OSError:
        # what is left of it must not be tried again at the end
        _to_nowhere(sys.stderr.fileno())
    except RuntimeError:
        # a signal came while another message was being written
        return


def _message(text: str) -> str:
    return f"inertia: {escapes.plain(text)}"


def say_at_once(message: str, descriptor: int) -> None:
    """Write a message of one line to a descriptor, even while another one is being written."""
    with contextlib.suppress(OSError):
        os.write(descriptor, f"{_message(message)}\n".encode(errors="backslashreplace"))


_writing = 0


def is_writing() -> bool:
    """Tell whether a result is being written, so that another line would come to stand within."""
    return _writing > 0


class Results:
    """Lines on standard output as it was when this was made, whatever is kept from it later.

    lost: why no more can be written, None while all is well; lines are dropped from then on.
    """

    def __init__(self, *, is_json: bool) -> None:
        """Keep standard output as it leads now, for the lines to be written; what Python and the C library
        hold back is written out first.

        is_json: whether the lines are JSON, which is always in UTF-8; others have standard output's encoding,
        or UTF-8 without one. Characters beyond it are escaped with a backslash. ``lost`` is None, or the
        OSError (EBADF) that lines are dropped for if standard output is closed.
        """
        self.lost: OSError | None = None
        if 1 in _closed:
            self.lost = OSError(errno.EBADF, os.strerror(errno.EBADF))
        encoding = "utf-8" if is_json else getattr(sys.stdout, "encoding", None) or "utf-8"
        _flush()
        self._stream = os.fdopen(os.dup(1), "w", encoding=encoding, errors="backslashreplace")

    @property
    def is_missed(self) -> bool:
        """Whether a line was lost on somebody who still waits for it: a reader that is gone does not."""
        gone = (errno.EPIPE, errno.EINVAL) if os.name == "nt" else (errno.EPIPE,)
        return self.lost is not None and self.lost.errno not in gone

    def write(self, lines: Iterable[str]) -> None:
        """Write lines, each of which is one, whatever is in it."""
        self._write("".join(escapes.plain(line) + "\n" for line in lines))

    def write_json(self, values: dict[str, Any]) -> None:
        """Write values as one line of JSON."""
        self._write(as_json(values, indent=None) + "\n")

    def _write(self, text: str) -> None:
        global _writing
        if self.lost is not None or not text:
            return
        _writing += 1
        try:
            self._stream.write(text)
            self._stream.flush()
        except OSError as error:
            self.lost = error
            _to_nowhere(self._stream.fileno())
        finally:
            _writing -= 1

    def close(self) -> None:
        """End what is said."""
        self._stream.close()


def not_written(error: OSError) -> str:
    """Say that nobody got the results."""
    return f"Standard output could not be written: {error.strerror or error}."


def as_json(values: dict[str, Any], indent: int | None = 2) -> str:
    """Return values as JSON text. Raise ValueError for a number that is not finite, which would be no
    JSON.
    """
    return escapes.json_text(json.dumps(values, indent=indent, ensure_ascii=False, allow_nan=False))


@contextlib.contextmanager
def muted(descriptor: int, *, show: bool) -> Iterator[None]:
    """Keep what is printed to a descriptor, 1 or 2, from being seen within the block, from C as well as from
    Python, as Blender and its add-ons print.

    show: let it be seen on standard error instead; with descriptor 2 nothing is changed then. Without show,
    what Python prints goes to a text in memory, and the descriptor to the null device. Afterwards both lead
    where they led, also after an error.
    """
    stream = "stdout" if descriptor == 1 else "stderr"
    if show and descriptor == 2:
        yield
        return
    _flush()
    kept = os.dup(descriptor)
    aside = os.dup(2) if show else os.open(os.devnull, os.O_WRONLY)
    os.dup2(aside, descriptor)
    os.close(aside)
    replacement = sys.stderr if show else io.StringIO()
    before = getattr(sys, stream)
    setattr(sys, stream, replacement)
    try:
        yield
    finally:
        setattr(sys, stream, before)
        _flush()
        os.dup2(kept, descriptor)
        os.close(kept)


def _flush() -> None:
    """Write out what Python's standard streams and the C library hold back; errors are ignored."""
    for stream in (sys.stdout, sys.stderr):
        # what is said here is nothing of ours
        with contextlib.suppress(OSError):
            stream.flush()
    library = "ucrtbase" if os.name == "nt" else None
    with contextlib.suppress(OSError, AttributeError):
        # no C library by that name: then what C holds back is written later, and nothing else is lost
        ctypes.CDLL(library).fflush(None)


def table(rows: Iterable[Iterable[str]], indent: str = "") -> list[str]:
    """Return rows of cells as lines with aligned columns, two blanks between them. indent: what each begins
    with.
    """
    cells = [[escapes.plain(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return [indent + "  ".join(map(str.ljust, row, widths)).rstrip() for row in cells]
