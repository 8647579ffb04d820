# SPDX-License-Identifier: GPL-3.0-or-later
"""A process with a Blender of its own, from the side of who gives it tasks."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from typing import Any

from ...errors import InertiaError
from .worker import GRACE_SECONDS, MARK, NAME


class Died(Exception):
    """The process ended in the midst of a task. how: its exit code or signal, for a reader."""

    def __init__(self, how: str) -> None:
        self.how = how
        super().__init__(how)


class Child:
    """A worker process. held: a descriptor that it inherits: a lock on it lives as long as it does."""

    def __init__(self, verbose: bool = False, held: int | None = None) -> None:
        """Start it. Raises InertiaError when it can't be."""
        quiet = subprocess.DEVNULL
        try:
            self._process = subprocess.Popen(
                [*command(), NAME, *(["--verbose"] if verbose else [])],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=None if verbose else quiet,
                pass_fds=() if held is None else (held,),
                # an interrupt from the keyboard goes to all processes of a session
                start_new_session=True,
                text=True,
                encoding="utf-8",
                errors="replace",
            )
        except OSError as error:
            raise InertiaError("Blender could not be started: {reason}.", reason=error.strerror) from error

    @property
    def pid(self) -> int:
        """The process's number."""
        return self._process.pid

    def ask(self, task: dict[str, Any]) -> dict[str, Any]:
        """Give it a task and wait for the answer. Raises Died when it ends instead."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps(task) + "\n")
            self._process.stdin.flush()
        except (OSError, ValueError):
            # it has ended, or was let go
            raise Died(self._end()) from None
        for line in self._process.stdout:
            if line.startswith(MARK):
                answer: dict[str, Any] = json.loads(line.removeprefix(MARK))
                return answer
        raise Died(self._end())

    def _end(self) -> str:
        code = self._process.wait()
        return f"signal {-code}" if code < 0 else f"exit code {code}"

    def close(self) -> None:
        """Let it come to its end, which takes no longer than what it is at."""
        assert self._process.stdin is not None
        # what it was still to be told goes with it
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(2.0 * GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            self._process.wait()

    def kill(self) -> None:
        """End it at once, from any thread; who waits for its answer gets Died."""
        self._process.kill()


def command() -> list[str]:
    """What starts the command line in a process of its own: Blender, or Python where bpy is a module."""
    package = __package__.partition(".batch")[0]
    bpy = sys.modules.get("bpy")
    binary = bpy.app.binary_path if bpy is not None else ""
    if binary:
        return [binary, "--background", "--command", "inertia"]
    return [sys.executable, "-m", package]
