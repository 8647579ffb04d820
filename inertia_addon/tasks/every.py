# SPDX-License-Identifier: GPL-3.0-or-later
"""All tasks there are: those of every module beside this one, so that none is listed anywhere."""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path

from ..lazy_modules import read_contents
from .task import Task

_NAMES = {module.name for module in pkgutil.iter_modules([str(Path(__file__).parent)])} - {"every", "task"}
_MODULES = [importlib.import_module(f".{name}", __package__) for name in sorted(_NAMES)]

TASKS: tuple[type[Task], ...] = tuple(
    task
    for module in _MODULES
    for task in read_contents(module).values()
    if isinstance(task, type) and issubclass(task, Task) and task.__module__ == module.__name__
)
