# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of the command ``hop``, which are the fields of hops in a spec."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ..errors import UsageError
from ..settings import fields, hops, limits
from ..settings.hops import HopSettings
from . import options


def add(parser: argparse.ArgumentParser) -> None:
    """Add all options to the command's parser."""
    options.add_input(parser, several=True)
    options.add(parser, only=hops.OF_BLENDS, optional=("source", "destination"))
    group = parser.add_argument_group("searching")
    group.add_argument("--all-pairs", nargs="+", metavar="ACTION", help=hops.ALL_PAIRS)
    group.add_argument(
        "--trigger",
        type=options.number(limits.WHOLE_FRAME),
        metavar="FRAME",
        help=f"{hops.TRIGGER}: rank its hops",
    )
    group.add_argument(
        "--best",
        type=options.number(limits.LISTED),
        default=5,
        metavar="N",
        help="how many hops to rank (default: 5)",
    )
    for setting in fields.settings(HopSettings).values():
        options.add_one(group, setting, extends=False)
    options.add_joints(parser.add_argument_group("which joints"), "joints", "weights")
    _add_output(parser.add_argument_group("writing"))


def _add_output(group: Any) -> None:
    group.add_argument(
        "--table", type=Path, metavar="FILE", help="write the table of all trigger frames, as .npz or .json"
    )
    group.add_argument(
        "--bake", type=Path, metavar="OUT", help="bake a hop of --trigger and write this file, as bake does"
    )
    group.add_argument(
        "--rank", type=options.number(limits.LISTED), default=1, metavar="N", help=f"{hops.RANK} (default: 1)"
    )


def check(arguments: argparse.Namespace) -> None:
    """Raise UsageError for what does not go together."""
    given = vars(arguments)
    if arguments.all_pairs is None:
        for field in ("source", "destination"):
            if field not in given:
                raise UsageError("Give --{field}, or several actions to --all-pairs.", field=field)
    elif "source" in given or "destination" in given or arguments.trigger is not None:
        raise UsageError("--all-pairs stands instead of --source, --destination and --trigger.")
    elif len(arguments.all_pairs) < 2:
        raise UsageError("--all-pairs takes two actions or more.")
    if arguments.bake is not None and arguments.trigger is None:
        raise UsageError("--bake needs a --trigger frame.")


def settings(arguments: argparse.Namespace, armature: Any) -> HopSettings:
    """The settings of the search, with the names that the file has."""
    from ..blender.data import named

    given = vars(arguments)
    values: dict[str, Any] = {"cut": float(arguments.trigger or 0), "assign": True}
    if arguments.all_pairs is not None:
        arguments.all_pairs = named.found_names(arguments.all_pairs, armature.name)
        values |= {"source": arguments.all_pairs[0], "destination": arguments.all_pairs[1]}
    own = argparse.Namespace(**{name: given[name] for name in given if name != "blend_frames"})
    made = HopSettings.of(options.settings(own, **values), given)
    return named.with_found_names_of_hops(made, armature.name)
