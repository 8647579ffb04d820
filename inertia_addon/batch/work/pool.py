# SPDX-License-Identifier: GPL-3.0-or-later
"""Several processes, each with a Blender of its own, that share out tasks."""

from __future__ import annotations

import dataclasses
import queue
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

from ..spec.jobs import Inputs
from .child import Child, Died

TRIES = 2
"""A task whose process ends is given to another one; when that ends too, the task is taken for the cause."""


@dataclasses.dataclass
class Task:
    """Something to do with inputs. values: what the worker is told. index: the task's place among all."""

    index: int
    inputs: Inputs
    values: dict[str, Any]
    tries: int = 0


@dataclasses.dataclass(frozen=True)
class Answer:
    """What became of a task.

    done: its result, None when it failed, of which ``failed`` is the sentence and ``trace`` where Inertia
    itself failed. seconds: what it spent its time on.
    """

    index: int
    done: dict[str, Any] | None
    failed: str = ""
    trace: str = ""
    seconds: dict[str, float] = dataclasses.field(default_factory=dict)

    @classmethod
    def of(cls, index: int, said: dict[str, Any]) -> Answer:
        """What a worker said."""
        named = {name: said[name] for name in ("failed", "trace", "seconds") if name in said}
        return cls(index, said.get("done"), **named)


class Tasks:
    """Tasks by their inputs: who has inputs open goes on with them, and others help where most is left."""

    def __init__(self, tasks: Iterable[Task]) -> None:
        self._left: dict[Inputs, deque[Task]] = {}
        self._lock = threading.Lock()
        for task in tasks:
            self._left.setdefault(task.inputs, deque()).append(task)
        self._users = dict.fromkeys(self._left, 0)
        self._is_over = False

    def take(self, opened: Inputs | None) -> Task | None:
        """The next task for who has inputs open; None when nothing is left."""
        with self._lock:
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

    def put_back(self, task: Task) -> None:
        """Return a task that was not done."""
        with self._lock:
            if self._is_over:
                return
            self._left[task.inputs].appendleft(task)

    def clear(self) -> None:
        """Forget what is left, and what is put back."""
        with self._lock:
            self._is_over = True
            for tasks in self._left.values():
                tasks.clear()


class Pool:
    """Processes that stay for several rounds of tasks, with what they have open."""

    def __init__(self, count: int, verbose: bool = False, held: int | None = None) -> None:
        self._verbose, self._held = verbose, held
        self._children: list[Child | None] = [None] * count
        self._opened: list[Inputs | None] = [None] * count
        self._tasks = Tasks(())
        self._ended = False

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *exception: object) -> None:
        self.end()

    def run(self, tasks: Iterable[Task]) -> Iterator[Answer]:
        """Do tasks; yields the answers as they come. Raises InertiaError when no process can be started."""
        tasks = list(tasks)
        self._tasks = Tasks(tasks)
        answers: queue.SimpleQueue[Answer | BaseException | None] = queue.SimpleQueue()
        count = min(len(self._children), len(tasks))
        for i in range(count):
            threading.Thread(target=self._serve, args=(i, answers), daemon=True).start()
        while count:
            answer = answers.get()
            if answer is None:
                count -= 1
            elif isinstance(answer, BaseException):
                raise answer
            else:
                yield answer

    def stop(self) -> None:
        """Give out no more tasks; those that are begun are brought to their end."""
        self._tasks.clear()

    def end(self) -> None:
        """Let all processes come to their end."""
        self._ended = True
        self._tasks.clear()
        for child in self._children:
            if child is not None:
                child.close()

    def kill(self) -> None:
        """End all processes at once."""
        self._ended = True
        self._tasks.clear()
        for child in self._children:
            if child is not None:
                child.kill()

    def _serve(self, i: int, answers: queue.SimpleQueue[Answer | BaseException | None]) -> None:
        """Give one process tasks until none is left."""
        try:
            while (task := self._tasks.take(self._opened[i])) is not None:
                self._opened[i] = task.inputs
                answer = self._ask(i, task)
                if answer is not None:
                    answers.put(answer)
        except BaseException as error:
            # it is raised again where the answers are awaited
            answers.put(error)
        finally:
            answers.put(None)

    def _ask(self, i: int, task: Task) -> Answer | None:
        """Have a task done; None when its process ended and another one shall try."""
        child = self._children[i]
        if child is None:
            child = self._children[i] = Child(self._verbose, self._held)
        try:
            said = child.ask(task.values)
        except Died as died:
            child.close()
            self._children[i] = None
            if self._ended:
                return None
            task.tries += 1
            if task.tries < TRIES:
                self._tasks.put_back(task)
                return None
            return Answer(task.index, None, f"Blender ended {TRIES} times while it was at this ({died.how}).")
        return Answer.of(task.index, said)
