# SPDX-License-Identifier: GPL-3.0-or-later
"""Signals that ask a command to end: an interrupt from the keyboard, and the request to terminate."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator

from ..storage import safe_write
from . import output

ASKED = (signal.SIGINT, signal.SIGTERM)

SAID = "Stopped; what was not complete by then was not written."


class Stopped(KeyboardInterrupt):
    """A signal ends a command that can wait for it. number: the signal's."""

    def __init__(self, number: int) -> None:
        self.number = number
        super().__init__(number)


def exit_code(stopped: KeyboardInterrupt) -> int:
    """Return the exit code of a command that a signal has ended, as shells have it."""
    return 128 + (stopped.number if isinstance(stopped, Stopped) else signal.SIGINT)


@contextlib.contextmanager
def taken_by(handler: Callable[[int, object], None]) -> Iterator[None]:
    """Let a function take SIGINT and SIGTERM within the block; who took them before takes them again behind
    it.

    handler: called with the signal's number and the frame. A handler that Python does not know, as Blender's
    own, becomes the system's default. Raise ValueError outside of the main thread.
    """
    before = {number: signal.signal(number, handler) for number in ASKED}
    try:
        yield
    finally:
        for number, taker in before.items():
            # None is a handler of Blender's own, which only Blender could set again
            signal.signal(number, signal.SIG_DFL if taker is None else taker)


@contextlib.contextmanager
def end_at_once(*, as_json: bool) -> Iterator[None]:
    """Let SIGINT and SIGTERM end the process at once within the block, after a message on standard error,
    with no file left half written.

    The exit code is 128 plus the signal's number. as_json: whether a JSON object with "event", which is
    "stopped", and "error", the same message, is also written to standard output, unless a result is just
    being written. Both go to where the streams lead when the block begins. An exception would be swallowed by
    Blender, or bring it down, where it calls scripts of its own.
    """
    with contextlib.ExitStack() as closing:
        # as they lead now, whatever is kept from them later
        results = closing.enter_context(contextlib.closing(output.Results(is_json=as_json)))
        messages = os.dup(2)
        closing.callback(os.close, messages)

        def say() -> None:
            output.say_at_once(SAID, messages)
            if as_json and not output.is_writing():
                results.write_json({"event": "stopped", "error": SAID})

        with taken_by(lambda number, frame: leave(number, frame, say)):
            yield


def leave(number: int, frame: object, say: Callable[[], object] = lambda: None) -> None:
    """End the process with exit code 128 plus the signal's number; this is a signal handler.

    First files that are not complete are removed, then `say` is called, then Blender's temporary folder is
    removed; nothing else is cleaned up. Within :func:`safe_write.whole` all of that, `say` too, is put off
    until the block ends, and the handler returns. If one of the files can't be removed OSError is raised, and
    the process goes on without the rest; what stays of a folder is no error. frame: not used.
    """

    def end() -> None:
        say()
        clear_up()
        os._exit(exit_code(Stopped(number)))

    safe_write.abandon(end)


def clear_up() -> None:
    """Remove what Blender removes at its own end."""
    app = getattr(sys.modules.get("bpy"), "app", None)
    if app is not None:
        shutil.rmtree(app.tempdir, ignore_errors=True)
