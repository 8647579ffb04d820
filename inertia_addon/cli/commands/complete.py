# SPDX-License-Identifier: GPL-3.0-or-later
"""The command ``complete``: clips are given the keys that they leave out."""

from __future__ import annotations

import argparse
import dataclasses
from typing import Any

from ...console import output
from ...console.outputs import Output
from .. import options

HELP = "key what clips leave out"
DESCRIPTION = """Give each clip one key on every channel of a bone that another clip keys and it does not.
The result is written as a .blend file.

Exporters that leave out constant channels mean the node's own transform, which an import puts into the
pose, where the next action that plays overwrites it. Inertia knows it from the import; completed clips
look right everywhere. The actions themselves are edited, in the file that is written.
Exit codes: 0 done, 1 failed, 2 wrong usage."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options to its parser."""
    options.add_input(parser)
    parser.add_argument(
        "--action",
        nargs="+",
        default=[],
        metavar="ACTION",
        help="the clips (default: all of the armature's that Inertia has not baked)",
    )
    options.add_path(parser, "-o", "OUT", "the .blend file to write", required=True)


def run(arguments: argparse.Namespace) -> tuple[dict[str, Any], list[str]]:
    """Run the command; returns the result as JSON values, and no lines as all else is said in messages."""
    paths = options.input_files(arguments)

    from ...blender import files
    from ...blender.data import actions, named
    from ...blender.transition import completing
    from .. import session

    # other kinds of files hold a single clip
    read = session.load(arguments, paths, (Output("-o", arguments.output, (".blend",), in_place=True),))
    armature = session.armature(arguments)
    if arguments.action:
        clips = [actions.find(name) for name in named.found_names(arguments.action, armature.name)]
    else:
        clips = completing.library(armature)
    done = completing.complete(armature, [(clip, "") for clip in clips])
    with output.muted(2, arguments.verbose):
        files.save(arguments.output, armature, "", "")
    values = {
        **read.as_dict(),
        "armature": armature.name,
        "output": str(arguments.output.absolute()),
        "completed": [dataclasses.asdict(one) for one in done],
    }
    count = sum(one.channels for one in done)
    output.say(f"Keys given in {len(done)} clips: {count}; it is written to {arguments.output}.")
    return values, []
