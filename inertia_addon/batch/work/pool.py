# SPDX-License-Identifier: GPL-3.0-or-later
"""Several processes, each with a Blender of its own, that share out tasks."""

from __future__ import annotations

import dataclasses
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any

from ..jobs.job import Inputs
from .child import Child


@dataclasses.dataclass(frozen=True)
class Task:
    """Something to do with inputs. values: what the worker is told. index: the task's place among all."""

    index: int
    inputs: Inputs
    values: dict[str, Any]


Answer = tuple[int, dict[str, Any]]
"""What became of a task, by its index, as a worker says it: the result as ``done``, with the ``seconds`` it
took; or ``failed``, a sentence, with a ``trace`` where Inertia itself failed."""


class Tasks:
    """Tasks by their inputs: who has inputs open goes on with them, and others help where most is left.

    An executor gives out what it has in the order in which it came, whoever asks for it.
    """

    def __init__(self, tasks: Iterable[Task]) -> None:
        self._left: dict[Inputs, deque[Task]] = {}
        self._lock = threading.Lock()
        for task in tasks:
            self._left.setdefault(task.inputs, deque()).append(task)
        self._users = dict.fromkeys(self._left, 0)
        self._is_over = False

    def take(self, opened: Inputs | None) -> Task | None:
        """The next task for who has inputs open; None when nothing is left or nothing more shall begin."""
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

    def __init__(self, count: int, verbose: bool = False, held: int | None = None) -> None:
        self._children = [Child(verbose, held) for _ in range(count)]
        # with what each has open; the one that was at work last is the next to go on
        self._idle: list[tuple[Child, Inputs | None]] = [(child, None) for child in self._children]
        self._threads = ThreadPoolExecutor(count)
        self._tasks = Tasks(())

    def run(self, tasks: Iterable[Task]) -> Iterator[Answer]:
        """Do tasks; yields the answers as they come. Raises InertiaError when no process can be started."""
        tasks = list(tasks)
        self._tasks = Tasks(tasks)
        for ended in as_completed([self._threads.submit(self._next) for _ in tasks]):
            answer = ended.result()
            if answer is not None:
                yield answer

    def _next(self) -> Answer | None:
        """Have the next task done that is best for a process at hand; None when there is none."""
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
        """Let all processes come to their end."""
        self.stop()
        for child in self._children:
            child.close()
        self._threads.shutdown()

    def kill(self) -> None:
        """End all processes at once."""
        self.stop()
        for child in self._children:
            child.kill()
