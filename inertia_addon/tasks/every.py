# SPDX-License-Identifier: GPL-3.0-or-later
"""All tasks there are: those of every module beside this one, so that none is listed anywhere."""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path

from .task import Task

HELPERS = {"every", "task", "work", "hop_search"}
"""The modules that have none, of which some need Blender."""

_NAMES = sorted(each.name for each in pkgutil.iter_modules([str(Path(__file__).parent)]))
_MODULES = [importlib.import_module(f".{name}", __package__) for name in _NAMES if name not in HELPERS]

TASKS: tuple[type[Task], ...] = tuple(
    task
    for module in _MODULES
    for task in vars(module).values()
    if isinstance(task, type) and issubclass(task, Task) and task.__module__ == module.__name__
)
