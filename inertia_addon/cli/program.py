# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line: ``python -m inertia_addon`` and ``blender --command inertia``.

Each command is a module, or the door to a task, with HELP and DESCRIPTION, ``add_options(parser)``, and
``run(arguments)``, which returns its result as JSON values, and as lines for a reader. One that ``speaks``
writes to standard output while it runs, keeps Blender from it itself, and leaves by SystemExit.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import tomllib
import traceback
from collections.abc import Container, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

from ..batch.work import worker
from ..console import interrupts, output
from ..errors import InertiaError, UsageError, sentence_of
from ..tasks import every
from ..tasks.task import Task
from . import batch, gates, matrix, options


class TaskCommand:
    """The command of a task: options, checks, files and messages are made of what the task's class states."""

    def __init__(self, task: type[Task]) -> None:
        self.task, self.HELP, self.DESCRIPTION = task, task.HELP, task.DESCRIPTION

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's options to its parser: the files to read, what the task asks for in its groups,
        the files that it writes, as needed or not, and the gates of its measures, if it has any.
        """
        groups: dict[str, Any] = {}
        options.add_input(parser)
        for asked in self.task.asks():
            options.add_asked(parser, asked, groups)
        for file in self.task.writes():
            group = groups["writing"] = groups.get("writing") or parser.add_argument_group("writing")
            options.add_path(group, file.flag, file.metavar, file.help, required=file.is_needed)
        if self.task.GATES:
            gates.add(parser, *self.task.GATES)

    def run(self, arguments: argparse.Namespace) -> tuple[dict[str, Any], list[str]]:
        """Run the command; return what was found and made as a dict of JSON values, and the lines of text for
        a reader.

        The dict is what :func:`session.perform` returns (what the task tells, the files that were read and
        written, warnings and, with gates, "over_gates"), and the task's places: the files that it reads
        beside the inputs. The task's messages go to standard error; files are read and written meanwhile.
        Raise UsageError for options that don't go together, InertiaError or OSError where the task can't be
        done.
        """
        task, paths = self.task.of_options(vars(arguments)), options.input_files(arguments)

        from . import session

        values = session.perform(arguments, paths, task) | task.places()
        for message in task.messages(values):
            output.say(message)
        return values, task.lines(values)


COMMANDS: dict[str, ModuleType | TaskCommand] = {}


def _add_command(task: type[Task]) -> None:
    """Have a task be a command; commands stay in the order of their names, matrix and batch behind them."""
    if not task.COMMAND:
        return
    known = {**COMMANDS, task.COMMAND: TaskCommand(task)}
    ordered = {name: known[name] for name in sorted(known.keys() - {"matrix", "batch"})}
    COMMANDS.clear()
    COMMANDS.update({**ordered, "matrix": matrix, "batch": batch})


every.open_door(_add_command)

DONE, FAILED, WRONG_USAGE = 0, 1, 2

MANIFEST = Path(__file__).parents[2] / "blender_manifest.toml"


class Parser(argparse.ArgumentParser):
    """A parser whose errors look like all the others, and are raised."""

    def error(self, message: str) -> NoReturn:
        """Raise UsageError; ``--help`` is named as what to do."""
        raise UsageError(f'{message}; see "{self.prog} --help".')

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print help, or the version, as any other result; whose error is the program's then."""
        code = _print(message.splitlines())
        if code:
            raise SystemExit(code)


def build_parser(words: Container[str] | None = None) -> Parser:
    """Return the parser of the program with all commands.

    words: what it will parse; commands that are not among them get no options, as it takes longer to make
    those of all commands than most commands take. None for all.

    The namespace of a command has ``run``, which is called with it, and ``speaks``, whether the command
    writes to standard output itself (False unless its options set it). If the command has its options,
    ``reads`` names those that hold files to read. The parser raises UsageError for a wrong command line, and
    SystemExit after --help and --version.
    """
    parser = Parser(
        prog="inertia",
        description="Inertialized transitions between two Blender actions: the second plays at once, and "
        "what differs at the cut decays on top of it.",
        epilog='Run it as "python -m inertia_addon COMMAND ..." where bpy is installed, or as '
        '"blender [FILE] --command inertia COMMAND ...". There Blender writes a line of its own to standard '
        "output first, which --json is not; --quiet before --command, or bake --report, keeps them apart.",
        allow_abbrev=False,
    )
    # Inertia's own version, as Blender has it
    manifest = tomllib.loads(MANIFEST.read_text(encoding="utf-8"))
    parser.add_argument("--version", action="version", version=f"Inertia {manifest['version']}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for name, command in COMMANDS.items():
        subparser = commands.add_parser(
            name,
            help=command.HELP,
            description=command.DESCRIPTION,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        subparser.set_defaults(run=command.run, speaks=False)
        if words is None or name in words:
            command.add_options(subparser)
            subparser.set_defaults(reads=options.read_by(subparser))
    return parser


def main(argv: list[str]) -> int:
    """Run the command line; return the exit code: 0 done, 1 failed, over a gate or short of what was to be
    reached, 2 wrong usage (UsageError), 130 or 143 stopped.

    argv: the arguments without the program's name. Standard output gets the result and nothing else; with
    --json that is one line of JSON, and so is an error: an object with "event", which is "error" or
    "stopped", "error", the sentence, and the facts that an InertiaError has. Standard error gets a sentence
    for each message, errors included, but for those that a command which writes its own events says as JSON.
    No exception gets through: all become messages, and a signal may end the process at once. With the
    worker's name as first argument it works for another process instead, and returns 0.
    """
    output.guard()
    if argv[:1] == [worker.NAME]:
        every.read_files()
        worker.run(argv[1:])
        return DONE
    with interrupts.end_at_once(as_json="--json" in argv):
        return _run(argv)


def _run(argv: list[str]) -> int:
    is_json, speaks = "--json" in argv, False
    try:
        every.read_files()
        arguments = build_parser(argv).parse_args(argv)
        speaks = arguments.speaks
        with contextlib.nullcontext() if speaks else output.muted(1, show=arguments.verbose):
            values, lines = arguments.run(arguments)
        code = _print(lines, values if arguments.json else None)
        return code or (FAILED if values.get("over_gates") or values.get("reached") is False else DONE)
    except SystemExit as done:
        # --help was printed, or a command has said all itself
        return int(done.code or DONE)
    except KeyboardInterrupt as stopped:
        values, code = {"event": "stopped", "error": interrupts.SAID}, interrupts.exit_code(stopped)
        speaks = False
    except Exception as error:
        facts = error.facts if isinstance(error, InertiaError) else {}
        values = {"event": "error", "error": _sentence(error), **facts}
        code = WRONG_USAGE if isinstance(error, UsageError) else FAILED
    # what speaks says an error as JSON alone
    if not (speaks and is_json):
        output.say(values["error"])
    if is_json:
        with contextlib.closing(output.Results(is_json=True)) as results:
            results.write_json(values)
    return code


def _sentence(error: Exception) -> str:
    """Return a sentence for an error, on one line, with each run of white space as one space. For a fault of
    Inertia's own, which is any error but InertiaError, OSError and a missing bpy, write its traceback to
    standard error first.

    It must be called while the error is handled. A missing bpy has a sentence of its own; the others are
    those of :func:`sentence_of`.
    """
    if isinstance(error, ModuleNotFoundError) and error.name == "bpy":
        return "The bpy module is not installed here; use blender --command inertia."
    if not isinstance(error, InertiaError | OSError):
        # a fault of Inertia's own: all that is known of it is worth reading
        for line in traceback.format_exc().splitlines():
            output.say(line)
    return " ".join(sentence_of(error).split())


def _print(lines: Sequence[str], values: dict[str, Any] | None = None) -> int:
    """Write a result to standard output, as lines or, if values is not None, as JSON; return the exit code.

    That is 0, or 1 if it could not be written, which is then said; a reader that has gone away is no failure.
    Without lines and values nothing is written.
    """
    if values is None and not lines:
        # that nobody could read it is no matter
        return DONE
    with contextlib.closing(output.Results(is_json=values is not None)) as results:
        if values is None:
            results.write(lines)
        else:
            results.write_json(values)
        if results.lost is None or not results.is_missed:
            # a reader that is gone has all it wanted
            return DONE
        output.say(output.not_written(results.lost))
        return FAILED


def run_as_program() -> NoReturn:
    """Run the command line of this process, and leave the process with its exit code.

    It leaves at once if bpy was imported: at the interpreter's end bpy 4.2 crashes after a glTF export, and
    4.2 and 4.5 crash or hang over some drivers, so that the exit code would say that a good run failed.
    Blender's temporary folder is removed here then, and the standard streams are flushed.
    """
    # until the very end, as a signal would leave what is there to be cleared up
    with interrupts.taken_by(interrupts.leave):
        code = main(sys.argv[1:])
        if "bpy" not in sys.modules:
            sys.exit(code)
        interrupts.clear_up()
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError):
                stream.flush()
        os._exit(code)
