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

TRIES = 2
"""A task whose process ends is given to another one; when that ends too, the task is taken for the cause."""


class Child:
    """A worker process, started when there is something to do, and another one after it has ended in a task.

    held: a descriptor that it inherits: a lock on it lives as long as it does. A ProcessPoolExecutor can't be
    it: there the processes are Python's own and not Blender's, and one that crashes ends them all.
    """

    def __init__(self, verbose: bool = False, held: int | None = None) -> None:
        self._verbose, self._held = verbose, held
        self._process: subprocess.Popen[str] | None = None
        self._is_over = False

    def ask(self, task: dict[str, Any]) -> dict[str, Any]:
        """Give it a task and wait for the answer. Raises InertiaError when it can't be started."""
        how = ""
        for _ in range(TRIES):
            process = self._process = self._process or self._start()
            if self._is_over:
                # who ended it may have come before it was there
                process.kill()
            answer = _answer(process, task)
            if answer is not None:
                return answer
            code = process.wait()
            how = f"signal {-code}" if code < 0 else f"exit code {code}"
            self._process = None
            if self._is_over:
                break
        return {"failed": f"Blender ended {TRIES} times while it was at this ({how})."}

    def _start(self) -> subprocess.Popen[str]:
        try:
            return subprocess.Popen(
                [*command(), NAME, *(["--verbose"] if self._verbose else [])],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=None if self._verbose else subprocess.DEVNULL,
                pass_fds=() if self._held is None else (self._held,),
                # an interrupt from the keyboard goes to all processes of a session
                start_new_session=True,
                text=True,
                encoding="utf-8",
                errors="replace",
            )
        except OSError as error:
            raise InertiaError("Blender could not be started: {reason}.", reason=error.strerror) from error

    def close(self) -> None:
        """Let it come to its end, which takes no longer than what it is at."""
        self._is_over = True
        process = self._process
        if process is None:
            return
        assert process.stdin is not None
        # what it was still to be told goes with it
        with contextlib.suppress(OSError):
            process.stdin.close()
        try:
            process.wait(2.0 * GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def kill(self) -> None:
        """End it at once, from any thread."""
        self._is_over = True
        process = self._process
        if process is not None:
            process.kill()


def _answer(process: subprocess.Popen[str], task: dict[str, Any]) -> dict[str, Any] | None:
    """What a process says of a task; None when it ends instead."""
    assert process.stdin is not None
    assert process.stdout is not None
    # it has ended, or was let go
    with contextlib.suppress(OSError, ValueError):
        process.stdin.write(json.dumps(task) + "\n")
        process.stdin.flush()
    for line in process.stdout:
        if line.startswith(MARK):
            answer: dict[str, Any] = json.loads(line.removeprefix(MARK))
            return answer
    # what it was still to be told goes with it
    with contextlib.suppress(OSError):
        process.stdin.close()
    process.stdout.close()
    return None


def command() -> list[str]:
    """What starts the command line in a process of its own: Blender, or Python where bpy is a module."""
    package = __package__.partition(".batch")[0]
    bpy = sys.modules.get("bpy")
    binary = bpy.app.binary_path if bpy is not None else ""
    if binary:
        return [binary, "--background", "--command", "inertia"]
    return [sys.executable, "-m", package]
