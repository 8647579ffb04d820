# SPDX-License-Identifier: GPL-3.0-or-later
"""The command ``matrix``: all clips with all clips, where each meets each other one best."""

from __future__ import annotations

import argparse
import contextlib
from typing import Any, NoReturn

from ...console import output
from ...console.progress import Progress
from ...errors import UsageError
from ...settings import limits
from ...settings.cost import Joints, Search
from ...settings.transition import TransitionSettings
from ...tasks.task import Asked, transition_of
from .. import gates, options

HELP = "compare all clips with all clips, and draw where each transition is best"
DESCRIPTION = """Find the best transition from each clip to each other one, before any is baked.

For every ordered pair of clips: the cut and the destination frame, of those that cost least, that look best,
with the verdict, the cost, and the bone that adds most to it. --by cost takes what costs least and judges
none, which is much quicker. The cost is in metre seconds; see the command cost. The files
may be several files of one skeleton; the clips are all actions that fit the armature. Between two files pairs
are found by cost alone. Of .json files, the parts of a matrix that batch writes, one matrix is made as they
are.

Into the folder -o go matrix.json, matrix.csv, matrix.png (a map with the clips' names) and matrix.html: a
report of one file that opens from disk, with a table to sort and the maps of the best and worst pairs.
--spec writes the best and the worst edges for batch to bake.

Exit codes: 0 done, 1 a file or a pair failed or a gate was exceeded, 2 wrong usage, 130 stopped by an
interrupt, 143 by a request to terminate."""

FIELDS = {
    *("method", "quintic_start", "blend_frames", "half_life", "extrapolation_half_life"),
    *("velocity", "alignment", "align_height", "align_bone", "root"),
}
"""The settings that costs of a whole library depend on."""

EACH = 10
"""So many of the best edges, and of the worst, go into a spec unless it is said."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options to its parser."""
    groups: dict[str, Any] = {}
    options.add_input(parser)
    options.add_asked(parser, Asked(TransitionSettings, FIELDS), groups)
    group = groups["searching"] = parser.add_argument_group("searching")
    group.add_argument(
        "--clips", nargs="+", metavar="ACTION", help="only these clips (default: all that fit)"
    )
    options.add_asked(parser, Asked(Joints, ("joints",), title="searching"), groups)
    options.add_asked(parser, Asked(Search, ("keep_frames", "skate_weight", "by"), title="searching"), groups)
    options.add_switch(
        group,
        "--exact",
        "search all exact costs, which takes longer; else the features find a few meetings of each "
        "pair, and the best of these by exact cost is listed",
    )
    group = parser.add_argument_group("writing")
    options.add_path(group, "-o", "OUTDIR", "the folder to write into", required=True)
    options.add_path(
        group,
        "--spec",
        "FILE",
        "write a .json spec of the best and the worst edges, which batch bakes as they were found",
    )
    for which in ("best", "worst"):
        said = f"how many of the {which} edges go into --spec (default: {EACH})"
        options.add_number(group, f"--{which}", limits.LISTED_OR_NONE, "N", said)
    gates.add(parser, "cost", "skate", "lift", "reach", "pop")
    parser.set_defaults(speaks=True, weights=None)


def run(arguments: argparse.Namespace) -> NoReturn:
    """Run the command, which says all itself; leaves by SystemExit."""
    settings = transition_of(vars(arguments), source="", destination="", cut=0.0)
    if not arguments.files:
        raise UsageError("Give FILES to read.")
    if arguments.spec is None and (arguments.best is not None or arguments.worst is not None):
        raise UsageError("--best and --worst are for --spec FILE.")
    with contextlib.closing(Progress(arguments.json)) as progress:
        with output.muted(1, arguments.verbose):
            # bpy is imported only now that its chatter is kept aside
            from ...blender.cost.library import Library
            from ..matrix import gathering
            from ..matrix.run import Run

            if gathering.are_parts(arguments.files):
                _check_parts(arguments)
            search = Search(**options.given(Search, arguments))
            library = Library(settings, skate_weight=search.skate_weight)
            code = Run(arguments, progress, library, search, arguments.exact).run(EACH)
        raise SystemExit(code or int(progress.results.is_missed))


def _check_parts(arguments: argparse.Namespace) -> None:
    """Raise UsageError for what can't be asked of parts, which are put together as they are."""
    asked = vars(arguments)
    flags = [name for name in ("clips", "spec") if asked[name] is not None]
    flags += ["exact"] * arguments.exact + sorted(FIELDS & asked.keys()) + [*options.given(Search, arguments)]
    if flags:
        flag = flags[0].replace("_", "-")
        raise UsageError(f"Parts of a matrix are put together as they are; leave out --{flag}.")
