# SPDX-License-Identifier: GPL-3.0-or-later
"""Workers of ``batch`` without Blender, which takes longest of all to start: of processes that find this
folder on PYTHONPATH, see ``without_blender`` of tests/batch/library_files.py.

What inputs hold is in the file that INERTIA_OUTLINE names, and an output is a text. Each worker stops before
its second job where INERTIA_STOPS says so, so that whoever watches it need not hurry.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import types
from pathlib import Path
from typing import Any

from inertia_addon.batch.jobs.job import Job
from inertia_addon.batch.work import worker
from inertia_addon.batch.work.journal import Journal
from inertia_addon.storage import safe_write


class Opened:
    """What a worker has open: nothing."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.made = 0
        # as Blender has one
        tempfile.mkdtemp(prefix="blender_")

    def close(self) -> None:
        """Let go of it."""


def inspect(opened: Opened, inputs: object) -> dict[str, Any]:
    return dict(json.loads(Path(os.environ["INERTIA_OUTLINE"]).read_text(encoding="utf-8")))


def make(opened: Opened, job: Job, contents: str, output: Path) -> dict[str, Any]:
    if opened.made == 1 and os.environ["INERTIA_STOPS"]:
        os.kill(os.getpid(), signal.SIGSTOP)
    opened.made += 1
    for name in job.outputs:
        with safe_write.replace_safely(output / name) as path:
            path.write_text(name, encoding="utf-8")
    report = {"settings": job.as_dict()["settings"], "warnings": []}
    identity = job.identity(contents)
    values = {"identity": identity, "job": job.as_dict(), "report": report, "quality": {}}
    return Journal(output).write_record(identity, job.outputs, values)


sys.modules["inertia_addon.batch.jobs.opened"] = opened_module = types.ModuleType("opened")
opened_module.Opened = Opened  # type: ignore[attr-defined]
worker.inspect, worker.make = inspect, make  # type: ignore[assignment]
worker._keep_within = lambda folder: None
