# SPDX-License-Identifier: GPL-3.0-or-later
"""All tasks there are: those of every module beside this one, so that none is listed anywhere, and those that
scripts add. What is made of tasks, such as commands and lists of specs, is made of each that comes."""

from __future__ import annotations

import importlib
import importlib.util
import os
import pkgutil
import sys
from collections.abc import Callable
from pathlib import Path

from ..errors import InertiaError
from ..lazy_modules import read_contents
from .task import Task

FILES = "INERTIA_EXTEND"
"""Names files, as PATH does folders, that add tasks. Programs, and what these start, read them."""

_NAMES = {module.name for module in pkgutil.iter_modules([str(Path(__file__).parent)])} - {"every", "task"}
_MODULES = [importlib.import_module(f".{name}", __package__) for name in sorted(_NAMES)]

TASKS: list[type[Task]] = [
    task
    for module in _MODULES
    for task in read_contents(module).values()
    if isinstance(task, type) and issubclass(task, Task) and task.__module__ == module.__name__
]
_doors: list[Callable[[type[Task]], None]] = []


def open_door(door: Callable[[type[Task]], None]) -> None:
    """Have a function make what a door needs of each task, of those that are known and of each that comes."""
    _doors.append(door)
    for task in TASKS:
        door(task)


def add_task(task: type[Task]) -> None:
    """Have a task of a script be known as all others are: by its command, its list in specs, its function.

    It takes the place of one of its KIND that a script has added before. What this process starts reads the
    script's file, too, see :data:`FILES`. Raise InertiaError where its KIND or its COMMAND is one of
    Inertia's own.
    """
    package = f"{__package__}."
    own = [each for each in TASKS if each.__module__.startswith(package)]
    taken = {getattr(each, "KIND", "") for each in own} | {each.COMMAND for each in own} - {""}
    if taken & {task.KIND, task.COMMAND}:
        raise InertiaError(
            '"{name}" is one of Inertia\'s own commands; call yours otherwise.',
            name=task.COMMAND or task.KIND,
        )
    TASKS[:] = [*own, *(each for each in TASKS if each not in own and each.KIND != task.KIND), task]
    for door in _doors:
        door(task)
    file = getattr(sys.modules.get(task.__module__), "__file__", None)
    known = list_files()
    if file is not None and (path := str(Path(file).absolute())) not in known:
        os.environ[FILES] = os.pathsep.join([*known, path])


def list_files() -> list[str]:
    """Return the files that :data:`FILES` names."""
    return [name for name in os.environ.get(FILES, "").split(os.pathsep) if name]


def read_files() -> None:
    """Read the files that :data:`FILES` names, each once. Raise InertiaError for one that can't be read."""
    running = getattr(sys.modules["__main__"], "__file__", None)
    for name in list_files():
        if running is not None and Path(running).absolute() == Path(name).absolute():
            continue  # it is the program itself
        module = f"inertia_extension_{Path(name).stem}"
        spec = importlib.util.spec_from_file_location(module, name)
        if module in sys.modules or spec is None or spec.loader is None:
            continue
        sys.modules[module] = importlib.util.module_from_spec(spec)
        try:
            spec.loader.exec_module(sys.modules[module])
        except OSError as error:
            del sys.modules[module]
            raise InertiaError(
                '"{file}", which {variable} names, could not be read: {reason}.',
                file=name,
                variable=FILES,
                reason=error.strerror or error,
            ) from error
