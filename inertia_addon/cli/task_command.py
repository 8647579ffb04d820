# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands as doors to tasks: options, checks, files and messages are made of what a task's class states."""

from __future__ import annotations

import argparse
from typing import Any, Protocol

from ..console import output
from ..tasks.task import Task
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
    """The command of a task."""

    def __init__(self, task: type[Task]) -> None:
        self.task, self.HELP, self.DESCRIPTION = task, task.HELP, task.DESCRIPTION

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's options to its parser."""
        task, groups = self.task, dict[str, Any]()
        options.add_input(parser)
        for asked in task.asks():
            options.add_asked(parser, asked, groups)
        for written in task.writes():
            groups["writing"] = groups.get("writing") or parser.add_argument_group("writing")
            options.add_written(groups["writing"], written)
        if task.GATES:
            gates.add(parser, *task.GATES)

    def run(self, arguments: argparse.Namespace) -> tuple[dict[str, Any], list[str]]:
        """Run the command; returns what was found and made as JSON values, and as lines."""
        asked = self.task.of_options(vars(arguments))
        values = perform(arguments, asked) | asked.places()
        for message in asked.messages(values):
            output.say(message)
        return values, asked.lines(values)


def perform(arguments: argparse.Namespace, asked: Task) -> dict[str, Any]:
    """Do what is asked for with the files that are named, write it and judge it, as far as options say so.

    Returns all that there is to tell, as JSON values.
    """
    paths = options.input_files(arguments)

    from . import session

    given = {one.name: getattr(arguments, one.name) for one in asked.writes()}
    wanted = {name: path for name, path in given.items() if path is not None}
    baked = next((wanted[one.name] for one in asked.writes() if one.is_baked and one.name in wanted), None)
    read = session.load(arguments, paths, asked.outputs(wanted))
    arguments.armature = asked.armature or arguments.armature
    armature: Any = session.armature(arguments) if asked.OF_ONE_ARMATURE or arguments.armature else None
    with session.reporting(arguments) as values:
        work = session.CommandWork(arguments, armature, wanted)
        done = asked.found(armature.name if armature else "").make(work, baked is not None)
        values |= {**read.as_dict(), **done.values}
        values["warnings"] = [*read.warnings, *done.values.get("warnings", ())]
        if asked.OF_ONE_ARMATURE:
            values["armature"] = armature.name
        for note in done.notes:
            output.say(f"note: {note}")
        if baked is not None and done.report is not None:
            session.save(arguments, read, armature, done.report, baked)
            values.setdefault("output", str(baked.absolute()))
        with output.muted(2, arguments.verbose):
            for name in wanted.keys() & done.writes.keys():
                files = done.writes[name](wanted[name])
                values[name] = str(wanted[name].absolute()) if files is None else [*map(str, files)]
        if asked.GATES is not None:
            values["over_gates"] = gates.judge_one(arguments, done.label, done.measured)
    return values
