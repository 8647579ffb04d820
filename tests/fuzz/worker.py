# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs what is asked for, one job a line, in a Blender of its own: it may crash, hang, or be ended.

    python -m tests.fuzz.worker FD_OF_ANSWERS

A job is a line of JSON: ``{"argv": [...], "folder": ...}`` runs a command, ``{"steps": ..., "seed": ...,
"folder": ...}`` drives the interface, ``{"make": ..., "folder": ...}`` writes good inputs into a folder. The
answers are lines of JSON, too: ``{"at": ...}`` says what is about to be done, ``{"code": ...}`` or
``{"fault": ...}`` that the job is over.
"""

from __future__ import annotations

import faulthandler
import json
import os
import sys
import traceback
from pathlib import Path
from typing import Any, TextIO


def main() -> None:
    answers = os.fdopen(int(sys.argv[1]), "w", buffering=1)
    faulthandler.enable()
    answer(answers, {"code": 0})
    for line in sys.stdin:
        job = json.loads(line)
        os.chdir(job["folder"])
        try:
            answer(answers, do(job, answers))
        except BaseException:
            answer(answers, {"fault": traceback.format_exc()})


def do(job: dict[str, Any], answers: TextIO) -> dict[str, Any]:
    if "argv" in job:
        from inertia_addon.cli.program import main as command

        answer(answers, {"at": " ".join(job["argv"])})
        return {"code": command(job["argv"])}
    if "make" in job:
        from tests.fuzz import inputs

        inputs.make(Path(job["make"]))
        return {"code": 0}
    from tests.fuzz import interface

    interface.drive(job["seed"], job["steps"], lambda at: answer(answers, {"at": at}))
    return {"code": 0}


def answer(answers: TextIO, values: dict[str, Any]) -> None:
    answers.write(json.dumps(values) + "\n")


if __name__ == "__main__":
    main()
