# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of the command ``hop``, and the settings that they stand for."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from . import cost, names, options

FIELDS = {
    *("source", "source_slot", "source_library", "destination", "destination_slot", "destination_library"),
    *("destination_frame", "method", "quintic_start", "half_life", "decomposition", "velocity"),
    *("guard", "guard_angle", "guard_length", "alignment", "root", "blend_scales", "result"),
}
"""The settings of a transition that both blends of a hop have too."""


def add(parser: argparse.ArgumentParser) -> None:
    """Add all options to the command's parser."""
    options.add_input(parser, several=True)
    options.add(parser, only=FIELDS, optional=("source", "destination"))
    _add_search(parser.add_argument_group("searching"))
    cost.add_joints(parser.add_argument_group("which joints"))
    _add_output(parser.add_argument_group("writing"))


def _add_search(group: Any) -> None:
    group.add_argument(
        "--all-pairs",
        nargs="+",
        metavar="ACTION",
        help="instead of --source and --destination: from each of these to each other",
    )
    group.add_argument(
        "--clips",
        nargs="+",
        metavar="ACTION",
        help="the actions to go through (default: all others that fit the armature)",
    )
    group.add_argument(
        "--cycles",
        nargs="+",
        default=(),
        metavar="ACTION",
        help="actions that are cycles: their last frame is the first of the next cycle",
    )
    group.add_argument("--trigger", type=int, metavar="FRAME", help="rank the hops of this frame")
    group.add_argument(
        "--best", type=_count, default=5, metavar="N", help="how many hops to rank (default: 5)"
    )
    group.add_argument(
        "--blend-frames",
        dest="blends",
        type=_count,
        nargs="+",
        default=(),
        metavar="FRAMES",
        help="how long a blend takes; of several numbers the best is found for each blend (default: 12)",
    )
    group.add_argument(
        "--longest-stay",
        type=int,
        metavar="FRAMES",
        help="how long the character may wait, at most, before each blend (default: a second)",
    )
    group.add_argument(
        "--wait-weight",
        type=float,
        metavar="COST",
        help="what a frame of waiting costs (default: found from 100 sampled triggers)",
    )
    group.add_argument("--seed", type=int, default=1, help="of that sample (default: 1)")
    group.add_argument(
        "--distance",
        choices=("point-cloud", "displacement"),
        default="point-cloud",
        help="what a blend costs: the distance of two windows of poses, or the displacement, as the command "
        "cost has it (default: point-cloud)",
    )
    group.add_argument(
        "--hops",
        type=_count,
        default=1,
        metavar="N",
        help="through how many clips to go at most (default: 1)",
    )
    group.add_argument(
        "--alongside",
        action="store_true",
        help="the destination runs beside the source, its --destination-frame at the source's first, instead "
        "of starting at the trigger",
    )


def _count(text: str) -> int:
    try:
        count = int(text)
    except ValueError:
        count = 0
    if count < 1:
        raise argparse.ArgumentTypeError(f'"{text}" is no such number; give 1 or more')
    return count


def _add_output(group: Any) -> None:
    group.add_argument(
        "--table", type=Path, metavar="FILE", help="write the table of all trigger frames, as .npz or .json"
    )
    group.add_argument(
        "--bake", type=Path, metavar="OUT", help="bake a hop of --trigger and write this file, as bake does"
    )
    group.add_argument(
        "--rank", type=_count, default=1, metavar="N", help="which of the ranked hops to bake (default: 1)"
    )
    group.add_argument(
        "--fade",
        choices=("inertialized", "cross-fade"),
        default="inertialized",
        help="how both blends are baked (default: inertialized)",
    )


def check(arguments: argparse.Namespace) -> None:
    """Raise UsageError for what does not go together."""
    given = vars(arguments)
    if arguments.all_pairs is None:
        for field in ("source", "destination"):
            if field not in given:
                raise options.UsageError(f"Give --{field}, or several actions to --all-pairs.")
    elif "source" in given or "destination" in given or arguments.trigger is not None:
        raise options.UsageError("--all-pairs stands instead of --source, --destination and --trigger.")
    elif len(arguments.all_pairs) < 2:
        raise options.UsageError("--all-pairs takes two actions or more.")
    if arguments.bake is not None and arguments.trigger is None:
        raise options.UsageError("--bake needs a --trigger frame.")


def settings(arguments: argparse.Namespace, armature: Any) -> Any:
    """The settings of the search, with the names that the file has."""
    import bpy

    from ..blender.hop_settings import HopSettings
    from . import session

    def found(given: Any) -> tuple[str, ...]:
        known = sorted(action.name for action in bpy.data.actions)
        return tuple(names.choose_action(name, known, armature.name) for name in given or ())

    values: dict[str, Any] = {"cut": float(arguments.trigger or 0), "assign": True}
    if arguments.all_pairs is not None:
        arguments.all_pairs = found(arguments.all_pairs)
        values |= {"source": arguments.all_pairs[0], "destination": arguments.all_pairs[1]}
    if arguments.blends and getattr(arguments, "method", "") != "spring" and "half_life" not in arguments:
        values["blend_frames"] = float(arguments.blends[0])
    transition = session.with_found_names(options.settings(arguments, **values), armature.name)
    return HopSettings(
        transition,
        found(arguments.clips),
        found(arguments.cycles),
        arguments.distance.upper().replace("-", "_"),
        arguments.longest_stay,
        tuple(arguments.blends),
        arguments.wait_weight,
        arguments.hops,
        arguments.alongside,
        arguments.fade.upper().replace("-", "_"),
        arguments.seed,
    )
