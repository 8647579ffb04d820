# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands as doors to tasks: options, checks, files and messages are made of what a task's class states."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any, Protocol

from ..console import output
from ..settings import limits
from ..storage import file_kinds
from ..tasks.task import ClipTask, Task
from . import gates, options


class Command(Protocol):
    """What each command has, a module or a :class:`TaskCommand`."""

    HELP: str
    DESCRIPTION: str

    @property
    def add_options(self) -> Any:
        """Adds the command's options to a parser."""

    @property
    def run(self) -> Any:
        """Runs it with parsed options; returns the result as JSON values, and as lines."""


class TaskCommand:
    """The command of a task with one action of an armature."""

    def __init__(self, task: type[ClipTask]) -> None:
        self.task, self.HELP, self.DESCRIPTION = task, task.HELP, task.DESCRIPTION

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's options to its parser."""
        task = self.task
        options.add_input(parser)
        options.add_record(parser, task.SETTINGS, task.HIDDEN, needed=True)
        if task.SEARCH is not None:
            options.add_record(parser, task.SEARCH.record, ("first", "last"))
            group = parser.add_argument_group("finding it")
            options.add_number(group, "--range", limits.FRAME, ("S", "E"), task.SEARCH.between, nargs=2)
            options.add_number(group, "--find", limits.LISTED, "N", task.SEARCH.lists)
            said = "which of them to make (default: 1)"
            options.add_number(group, "--rank", limits.LISTED, "N", said, default=1)
        if task.COUNTS_JOINTS:
            options.add_joints(parser.add_argument_group("which joints"), "joints", "weights")
        for flag, said in task.SWITCHES.items():
            options.add_switch(parser, flag, said)
        needed = None if task.BAKES is False else bool(task.BAKES)
        options.add_writing(parser, needed, task.REPORTS)
        if task.GATES:
            gates.add(parser, *task.GATES)

    def run(self, arguments: argparse.Namespace) -> tuple[dict[str, Any], list[str]]:
        """Run the command; returns what was found and made as JSON values, and as lines."""
        values = perform(arguments, self.task.of_options(vars(arguments)))
        return values, self.task.lines(values)


def perform(
    arguments: argparse.Namespace, asked: Task, kinds: Sequence[str] = file_kinds.WRITABLE
) -> dict[str, Any]:
    """Do what is asked for with the files that are named, write it and judge it, as far as options say so.

    kinds: of the file of -o. Returns all that there is to tell, as JSON values.
    """
    paths = options.input_files(arguments)

    from . import session

    read = session.load(arguments, paths, session.wanted(arguments, kinds))
    armature = session.armature(arguments)
    path = getattr(arguments, "output", None)
    with session.reporting(arguments) as values:
        done = asked.found(armature.name).make(session.CommandWork(arguments, armature), bool(path))
        values |= {**read.as_dict(), "armature": armature.name, **done.values}
        values["warnings"] = [*read.warnings, *done.values.get("warnings", ())]
        for note in done.notes:
            output.say(f"note: {note}")
        if path is not None and done.report is not None:
            session.save(arguments, read, armature, done.report, path)
            values["output"] = str(path.absolute())
        values["over_gates"] = gates.judge_one(arguments, done.label, done.measured)
    return values
