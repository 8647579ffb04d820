# SPDX-License-Identifier: GPL-3.0-or-later
"""The process that works: it takes tasks on standard input and answers on standard output, a line each."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import queue
import signal
import sys
import threading
import time
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from ...console import output
from ...errors import InertiaError, sentence_of
from ...storage import safe_write
from ..jobs.job import Inputs, Job, contents_of
from .journal import Journal

if TYPE_CHECKING:
    from ..jobs.opened import Opened

MARK = "\x1einertia "
"""Begins each answer, as Blender itself prints lines before it lets anyone else speak."""

GRACE_SECONDS = 5.0
"""So long a task may go on when nobody waits for it."""

Tasks = queue.SimpleQueue[dict[str, Any] | None]
"""What there is to do; None at the end."""

INSPECT, MAKE = "inspect", "make"

NAME = "worker"
"""Of the command, which is no one's to call but another run's and so is none of the listed ones."""

FOLDER = "--temporary"
"""The option that names the folder of a worker's temporary files, which is gone when it ends."""


def run(words: Sequence[str]) -> None:
    """Take tasks from standard input, a line of JSON each, until there are no more, or whoever gives them is
    gone, and answer each in a line on standard output: MARK, then what :func:`answer` returns, as JSON. At
    the end of the input, what is begun has five seconds; then the program ends with code 1.

    words: the command's options: --temporary and the folder to work in, which are needed, and --verbose. What
    Blender prints is kept aside without --verbose. Interrupts from the keyboard are ignored. The temporary
    folder is removed at the end. SystemExit for other words.
    """
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument(FOLDER, dest="folder", type=Path, required=True)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args(words)
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    # an interrupt is for whoever gives the tasks: what is begun here is brought to its end
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    tasks: Tasks = queue.SimpleQueue()
    verbose = options.verbose
    with (
        safe_write.remove_at_end(options.folder),
        output.muted(1, show=verbose),
        output.muted(2, show=verbose),
    ):
        threading.Thread(target=_listen, args=(tasks,), daemon=True).start()
        # bpy is imported only now that its chatter is kept aside
        from ..jobs.opened import Opened

        _keep_within(options.folder)
        with contextlib.closing(Opened()) as opened:
            while (task := tasks.get()) is not None:
                _answer(answers, answer(opened, task))


def _keep_within(folder: Path) -> None:
    """Have Blender's own temporary files in a folder, too, where a user's preferences name another one."""
    import bpy

    if not Path(bpy.app.tempdir).is_relative_to(folder):
        # Blender moves at once; in the background it saves no preferences
        bpy.context.preferences.filepaths.temporary_directory = str(folder)


def _listen(tasks: Tasks) -> None:
    """Pass on tasks as they come on standard input, a line of JSON each, and None when it ends; never return.

    The end of the input means that who gives the tasks is gone: what is begun then has five seconds, after
    which the program ends with code 1, unless it has ended by itself. Raise ValueError for a line that is no
    JSON; nothing is passed on any more then, not even None.
    """
    for line in sys.stdin:
        tasks.put(json.loads(line))
    tasks.put(None)
    time.sleep(GRACE_SECONDS)
    # no file is ever half written under its own name
    safe_write.abandon(lambda: os._exit(1))


def _answer(answers: TextIO, values: dict[str, Any]) -> None:
    try:
        answers.write(f"\n{MARK}{json.dumps(values, allow_nan=False)}\n")
        answers.flush()
    except BrokenPipeError:
        # nobody waits for it; what was done is recorded
        os.dup2(os.open(os.devnull, os.O_WRONLY), answers.fileno())


def answer(opened: Opened, task: dict[str, Any]) -> dict[str, Any]:
    """Do one task with what is open; return {"done": what came of it}, with "seconds", by what they were
    spent on, for a job; or {"failed": a sentence}.

    task: {"do": INSPECT, "inputs"} or {"do": MAKE, "job", "contents", "output"}. InertiaError and OSError
    give their sentence, and too little memory a sentence of its own. A fault of Inertia's own, also of a task
    in another form, is an answer, too, with its "trace", which no other has. Only what ends the program is
    raised.
    """
    try:
        if task["do"] == INSPECT:
            return {"done": inspect(opened, Inputs.from_dict(task["inputs"]))}
        done = make(opened, Job.from_dict(task["job"]), task["contents"], Path(task["output"]))
        return {"done": done, "seconds": opened.seconds}
    except (InertiaError, OSError) as error:
        return {"failed": sentence_of(error)}
    except MemoryError:
        return {"failed": "There is not enough memory for it; run fewer jobs at once."}
    except Exception as error:
        # a fault of Inertia's own fails one task and is reported with it; the others go on
        return {"failed": " ".join(sentence_of(error).split()), "trace": traceback.format_exc()}


def inspect(opened: Opened, inputs: Inputs) -> dict[str, Any]:
    """Return what inputs hold: ``armatures`` and ``actions`` as :func:`inventory.outline` lists them,
    ``contents``, the digests of all files read, by path, and ``warnings``, sentences.

    They are opened in place of others. Raise InertiaError where they can't be read, or have changed since
    they were opened.
    """
    from ...blender.files import inventory

    sources = opened.open(inputs)
    sources.renew()
    return {**inventory.outline(), "contents": sources.contents, "warnings": list(sources.warnings)}


def make(opened: Opened, job: Job, contents: str, output: Path) -> dict[str, Any]:
    """Do a job: write its outputs into a folder, and record it in the folder's journal; return the record.

    The record has ``identity``, ``job``, ``report`` (what was found), ``quality`` (what gates judge) and
    ``outputs``, digests by name. contents: :func:`contents_of` its inputs, as they were inspected.
    ``opened.seconds`` then says what time was spent on. Raise InertiaError with no output half written: where
    the inputs can't be read or have changed since, and where the job fails.
    """
    from ...blender.data import names
    from ..jobs.opened import JobWork

    opened.start()
    sources = opened.open(job.inputs)
    if contents_of(sources.contents) != contents:
        raise InertiaError(f'"{job.inputs.name}" has changed since it was looked at; run it with --resume.')
    sources.renew()
    opened.count("reading")
    report, quality = JobWork(opened, job, names.find_armature(job.armature), output).perform()
    identity = job.identity(contents)
    values = {"identity": identity, "job": job.as_dict(), "report": report, "quality": quality}
    record = Journal(output).write_record(identity, job.outputs, values)
    opened.count("writing")
    return record
