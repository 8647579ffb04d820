# SPDX-License-Identifier: GPL-3.0-or-later
"""Processes, each with a Blender of its own, that share out tasks."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any

from ...errors import InertiaError
from ...records import record
from ...storage import safe_write
from ..jobs.job import Inputs
from .worker import FOLDER, GRACE_SECONDS, MARK, NAME

TRIES = 2
"""A task whose process ends is given to another one; when that ends too, the task is taken for the cause."""


@record(frozen=True)
class WorkItem:
    """Something to do with inputs. values: what the worker is told. index: the task's place among all."""

    index: int
    inputs: Inputs
    values: dict[str, Any]


Answer = tuple[int, dict[str, Any]]
"""What became of a task, by its index, as a worker says it: the result as ``done``, with the ``seconds`` it
took; or ``failed``, a sentence, with a ``trace`` where Inertia itself failed."""


class Child:
    """A worker process, started when there is something to do, and another one after it has ended in a task.

    Its temporary files lie in a folder of its own, which goes when it has ended, in whatever way: Blender
    removes its own only where it comes to its end.

    lock: a descriptor that it inherits: a lock on it lives as long as it does. A ProcessPoolExecutor can't be
    it: there the processes are Python's own and not Blender's, and one that crashes ends them all.
    """

    def __init__(self, *, verbose: bool = False, lock: int | None = None) -> None:
        self._verbose, self._inherited_lock = verbose, lock
        self._process: subprocess.Popen[str] | None = None
        self._folder = contextlib.ExitStack()
        self._is_over = False
        self._was_asked = False

    def begin(self) -> None:
        """Start the process, as that takes seconds. Raise InertiaError when it can't be started."""
        self._process = self._process or self._start()

    def ask(self, task: dict[str, Any]) -> dict[str, Any]:
        """Give the process a task, wait, and return the answer, {"done": ...} or {"failed": ...}; the process
        is started if need be.

        When the process ends meanwhile, a new one gets the task; when that ends too, the answer is {"failed":
        a sentence with the exit code or signal}. It is so at once when the process ends after :meth:`close`
        or :meth:`kill`. Later tasks start a new process. Raise InertiaError when Blender can't be started.
        """
        how, self._was_asked = "", True
        for _ in range(TRIES):
            process = self._process = self._process or self._start()
            if self._is_over:
                # who ended it may have come before it was there
                process.kill()
            answer = _answer(process, task)
            if answer is not None:
                return answer
            code = process.wait()
            self._folder.close()
            how = f"signal {-code}" if code < 0 else f"exit code {code}"
            self._process = None
            if self._is_over:
                break
        return {"failed": f"Blender ended {TRIES} times while it was at this ({how})."}

    def _start(self) -> subprocess.Popen[str]:
        folder = str(self._folder.enter_context(safe_write.temporary_folder()))
        try:
            return subprocess.Popen(
                [*command(), NAME, FOLDER, folder, *(["--verbose"] if self._verbose else [])],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=None if self._verbose else subprocess.DEVNULL,
                pass_fds=() if self._inherited_lock is None else (self._inherited_lock,),
                # an interrupt from the keyboard goes to all processes of a session
                start_new_session=True,
                env={**os.environ, **dict.fromkeys(("TMPDIR", "TEMP", "TMP"), folder)},
                text=True,
                encoding="utf-8",
                errors="replace",
            )
        except OSError as error:
            self._folder.close()
            raise InertiaError(f"Blender could not be started: {error.strerror}.") from error

    def close(self) -> None:
        """Let the process come to its end, and wait for that. It is killed if it has not ended after ten
        seconds, or at once if it was never asked. Its temporary folder is removed.

        Where there is no process, none is ended. In any case the child counts as over: a task that loses its
        process then is not tried again.
        """
        self._is_over = True
        process = self._process
        if process is None:
            return
        assert process.stdin is not None
        if not self._was_asked:
            # it may be starting still, which nobody has to wait for
            process.kill()
        # what it was still to be told goes with it
        with contextlib.suppress(OSError):
            process.stdin.close()
        try:
            process.wait(2.0 * GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        self._folder.close()

    def kill(self) -> None:
        """End the process at once, without waiting, from any thread; where there is none, none is ended. In
        any case the child counts as over: a process that starts later is killed, too, and its task is
        answered as failed. The temporary folder is left to whoever waits for the process.
        """
        self._is_over = True
        process = self._process
        if process is not None:
            process.kill()


def _answer(process: subprocess.Popen[str], task: dict[str, Any]) -> dict[str, Any] | None:
    """Give a process a task, as a line of JSON on its standard input, wait, and return the answer; None when
    it ends instead, and its pipes are closed then.

    The answer is the JSON behind MARK on the first line of its output that begins so; lines before it are
    dropped.
    """
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
    """Return the words that start Inertia's command line in a process of its own: Blender in the background
    with ``--command inertia``, or Python with ``-m`` and this package where bpy is a module or not imported.
    The command's own words go behind them.
    """
    package = __package__.partition(".batch")[0]
    bpy = sys.modules.get("bpy")
    binary = bpy.app.binary_path if bpy is not None else ""
    if binary:
        return [binary, "--background", "--command", "inertia"]
    return [sys.executable, "-m", package]


class WorkItems:
    """Tasks by their inputs: who has inputs open goes on with them, and others help where most is left.

    An executor gives out what it has in the order in which it came, whoever asks for it.
    """

    def __init__(self, tasks: Iterable[WorkItem]) -> None:
        self._left: dict[Inputs, deque[WorkItem]] = {}
        self._lock = threading.Lock()
        for task in tasks:
            self._left.setdefault(task.inputs, deque()).append(task)
        self._users = dict.fromkeys(self._left, 0)
        self._is_over = False

    def take(self, opened: Inputs | None) -> WorkItem | None:
        """Return the next task for a process that has inputs open, and count it as begun; None when nothing
        is left, or after :meth:`stop`.

        opened: the inputs, None for nothing. Tasks of the same inputs come first, in their order; else one of
        the inputs of which most tasks are left for each process at work on them, counting the one that asks.
        Safe for threads.
        """
        with self._lock:
            if self._is_over:
                return None
            chosen = opened
            if chosen is None or not self._left.get(chosen):
                waiting = [inputs for inputs, tasks in self._left.items() if tasks]
                if not waiting:
                    return None
                chosen = max(waiting, key=lambda inputs: len(self._left[inputs]) / (1 + self._users[inputs]))
                self._users[chosen] += 1
                # what is open may be of an earlier round
                if opened in self._users:
                    self._users[opened] -= 1
            return self._left[chosen].popleft()

    def stop(self) -> None:
        """Give out no more."""
        # without the lock, which who is interrupted for this may hold
        self._is_over = True


class Pool:
    """Processes that stay for several rounds of tasks, with what they have open; a thread waits for each."""

    def __init__(self, count: int, *, verbose: bool = False, lock: int | None = None) -> None:
        self._children = [Child(verbose=verbose, lock=lock) for _ in range(count)]
        # with what each has open; the one that was at work last is the next to go on
        self._idle: list[tuple[Child, Inputs | None]] = [(child, None) for child in self._children]
        self._threads = ThreadPoolExecutor(count)
        self._tasks = WorkItems(())

    def run(self, tasks: Iterable[WorkItem]) -> Iterator[Answer]:
        """Do tasks; yields an answer (the task's index, {"done": ...} or {"failed": a sentence}) for each as
        they come, in any order.

        Tasks of the same inputs go to the same process as far as they can; processes stay for the next round.
        After :meth:`stop` tasks that were not begun are left out. Raise InertiaError when no process can be
        started.
        """
        tasks = list(tasks)
        self._tasks = WorkItems(tasks)
        # while one looks at the inputs, the others start
        for child, _ in self._idle if tasks else ():
            child.begin()
        for ended in as_completed([self._threads.submit(self._next) for _ in tasks]):
            answer = ended.result()
            if answer is not None:
                yield answer

    def _next(self) -> Answer | None:
        """Have the next task done, and return (index, answer); None when there is none.

        The process is the one that became idle last, whatever inputs it has open; the task is the best one
        for it, see :meth:`WorkItems.take`. Waits for the answer; the process is idle again then, also after
        an error. Raise InertiaError when the process can't be started.
        """
        child, opened = self._idle.pop()
        try:
            task = self._tasks.take(opened)
            if task is None:
                return None
            opened = task.inputs
            return task.index, child.ask(task.values)
        finally:
            self._idle.append((child, opened))

    def stop(self) -> None:
        """Give out no more tasks; those that are begun are brought to their end."""
        self._tasks.stop()

    def end(self) -> None:
        """Let all processes come to their end, and wait for that; no more tasks are given out.

        A process that is at work has ten seconds, then it is killed and its task is answered as failed; one
        that was never asked is killed at once. The pool can't be used again.
        """
        self.stop()
        for child in self._children:
            child.close()
        self._threads.shutdown()

    def kill(self) -> None:
        """End all processes at once."""
        self.stop()
        for child in self._children:
            child.kill()
