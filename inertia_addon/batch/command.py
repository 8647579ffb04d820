# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line: ``python -m inertia_addon`` and ``blender --command inertia``.

Each command is a module with ``add_parser(commands)``, whose parser has a default ``run``: a
function of the parsed arguments that returns its result as JSON values, and as text for a reader.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import sys
import traceback
from typing import Any, NoReturn

from ..motion.errors import InertiaError
from . import bake, cost, fit, hop, info, library, matrix, output
from .options import UsageError
from .work import worker

COMMANDS = (bake, cost, fit, hop, matrix, library, info, worker)

DONE, FAILED, WRONG_USAGE, STOPPED = 0, 1, 2, 130


class Parser(argparse.ArgumentParser):
    """A parser whose errors look like all the others, and are raised."""

    def error(self, message: str) -> NoReturn:
        """Raise UsageError; ``--help`` is named as what to do."""
        raise UsageError(f'{message}; see "{self.prog} --help".')


def build_parser() -> Parser:
    """The parser with all commands."""
    parser = Parser(
        prog="inertia",
        description="Inertialized transitions between two Blender actions: the second plays at once, and "
        "what differs at the cut decays on top of it.",
        epilog='Run it as "python -m inertia_addon COMMAND ..." where bpy is installed, or as '
        '"blender [FILE] --command inertia COMMAND ...". There Blender writes a line of its own to standard '
        "output first, which --json is not; --quiet before --command, or bake --report, keeps them apart.",
        allow_abbrev=False,
    )
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add_parser(commands)
    return parser


def main(argv: list[str]) -> int:
    """Run the command line; returns the exit code: 0 done, 1 failed, 2 wrong usage.

    argv: the arguments without the program's name. Standard output gets the result and nothing else,
    standard error a sentence for each message.
    """
    try:
        arguments = build_parser().parse_args(argv)
        quiet = contextlib.nullcontext() if speaks(arguments) else output.muted(1, show=arguments.verbose)
        with quiet:
            values, text = arguments.run(arguments)
    except SystemExit as done:
        # --help was printed, or a command has said all itself
        return int(done.code or DONE)
    except UsageError as error:
        return _complain(argv, str(error), WRONG_USAGE)
    except InertiaError as error:
        return _complain(argv, str(error), FAILED)
    except OSError as error:
        named = f'"{error.filename}": ' if error.filename else ""
        return _complain(argv, f"{named}{error.strerror or error}.", FAILED)
    except ModuleNotFoundError as error:
        if error.name != "bpy":
            raise
        return _complain(argv, "The bpy module is not installed here; use blender --command inertia.", FAILED)
    except KeyboardInterrupt:
        return _complain(argv, "Stopped; nothing was written.", STOPPED)
    _print(values, text, arguments.json)
    return DONE


def speaks(arguments: argparse.Namespace) -> bool:
    """Whether a command writes to standard output while it runs, and keeps Blender from it itself."""
    return bool(getattr(arguments, "speaks", False))


def _print(values: dict[str, Any], text: str, as_json: bool) -> None:
    if as_json:
        text = output.as_json(values)
    if text:
        print(text, flush=True)


def _complain(argv: list[str], message: str, code: int) -> int:
    """Say what is wrong, also as JSON where that was asked for."""
    message = " ".join(message.split())
    output.say(message)
    if "--json" in argv:
        print(output.as_json({"error": message}), flush=True)
    return code


_registered: list[Any] = []


def register() -> None:
    """Make ``blender --command inertia`` known."""
    import bpy

    _registered.append(bpy.utils.register_cli_command("inertia", main))


def unregister() -> None:
    """Take that back."""
    import bpy

    while _registered:
        bpy.utils.unregister_cli_command(_registered.pop())


def run_as_program() -> NoReturn:
    """Run as a program of its own, where bpy is a module, and leave with the exit code."""
    try:
        code = main(sys.argv[1:])
    except Exception:
        # a fault of Inertia's own: all that is known of it is worth reading
        traceback.print_exc()
        code = FAILED
    _leave(code)


def _leave(code: int) -> NoReturn:
    """End the process at once when bpy was used.

    At the interpreter's end bpy 4.2 crashes after a glTF export, and 4.2 and 4.5 crash or hang over some
    drivers: the exit code would say that a good run failed. What Blender clears up then is done here.
    """
    bpy = sys.modules.get("bpy")
    if bpy is None:
        sys.exit(code)
    shutil.rmtree(bpy.app.tempdir, ignore_errors=True)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
