# SPDX-License-Identifier: GPL-3.0-or-later
"""What runs on a cluster's machines: each thread of a Dask worker has a process with its own Blender."""

from __future__ import annotations

import tempfile
import threading
from pathlib import Path
from typing import Any

from . import journal
from .child import Child

_own = threading.local()


def do(task: dict[str, Any], gather: bool) -> dict[str, Any]:
    """Do a task, and answer as a worker does.

    gather: write into a folder of its own, and add what was written to the answer: ``files``, bytes by name.
    """
    if not gather or "output" not in task:
        return _ask(task)
    with tempfile.TemporaryDirectory(prefix="inertia-") as folder:
        journal.Journal(Path(folder))
        answer = _ask({**task, "output": folder})
        written = [path for path in Path(folder).rglob("*") if path.is_file()]
        names = {path: path.relative_to(folder).as_posix() for path in written}
        records = journal.FOLDER + "/"
        files = {name: path.read_bytes() for path, name in names.items() if not name.startswith(records)}
        return {**answer, "files": files}


def _ask(task: dict[str, Any]) -> dict[str, Any]:
    if not hasattr(_own, "child"):
        _own.child = Child()
    answer: dict[str, Any] = _own.child.ask(task)
    return answer
