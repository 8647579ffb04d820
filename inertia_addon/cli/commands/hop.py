# SPDX-License-Identifier: GPL-3.0-or-later
"""The command ``hop``: the best way between two actions through a third one, for every trigger frame."""

from __future__ import annotations

import argparse
import dataclasses
import math
from contextlib import ExitStack
from typing import Any

from ...console import output, progress
from ...console.outputs import Output
from ...errors import UsageError
from ...settings import fields, hops, limits
from ...settings.hops import HopSettings
from ...storage import file_kinds
from .. import options

HELP = "find the best clip to go through between two actions, for every frame"
DESCRIPTION = """Find, for every trigger frame of the source, the best way to the destination by a third clip.

Where two clips are too different to blend, a hop helps: wait in the source, blend into a clip, stay there,
blend into the destination, whose clock has been going since the trigger. The way with the least sum of the
blends' distances and of a weight for each frame of waiting is found exactly, over all clips, frames of entry
and stays; the direct transition is among them.

--table writes what to do at each trigger frame, four whole numbers: clip, offset, stay in the source, stay in
the clip. --all-pairs does so for each of some actions with each other. --trigger ranks the hops of one frame
where they cost 15 % less than going straight and look better; --bake bakes one of them in any case."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options to its parser."""
    options.add_input(parser)
    options.add(parser, only=hops.OF_BLENDS, optional=("source", "destination"))
    group = parser.add_argument_group("searching")
    group.add_argument("--all-pairs", nargs="+", metavar="ACTION", help=hops.ALL_PAIRS)
    options.add_number(group, "--trigger", limits.WHOLE_FRAME, "FRAME", f"{hops.TRIGGER}: rank its hops")
    options.add_number(group, "--best", limits.LISTED, "N", "how many hops to rank (default: 5)", default=5)
    for setting in fields.settings(HopSettings).values():
        options.add_one(group, setting, extends=False)
    options.add_joints(parser.add_argument_group("which joints"), "joints", "weights")
    group = parser.add_argument_group("writing")
    options.add_path(group, "--table", "FILE", "write the table of all trigger frames, as .npz or .json")
    options.add_path(group, "--bake", "OUT", "bake a hop of --trigger and write this file, as bake does")
    options.add_number(group, "--rank", limits.LISTED, "N", f"{hops.RANK} (default: 1)", default=1)


def _check(arguments: argparse.Namespace) -> None:
    """Raise UsageError for what does not go together."""
    given = vars(arguments)
    if arguments.all_pairs is None:
        for field in ("source", "destination"):
            if field not in given:
                raise UsageError(f"Give --{field}, or several actions to --all-pairs.")
    elif "source" in given or "destination" in given or arguments.trigger is not None:
        raise UsageError("--all-pairs stands instead of --source, --destination and --trigger.")
    elif len(arguments.all_pairs) < 2:
        raise UsageError("--all-pairs takes two actions or more.")
    if arguments.bake is not None and arguments.trigger is None:
        raise UsageError("--bake needs a --trigger frame.")


def run(arguments: argparse.Namespace) -> tuple[dict[str, Any], list[str]]:
    """Run the command; returns what was found as JSON values, and as lines."""
    _check(arguments)
    paths = options.input_files(arguments)

    from ...blender.hops import table as hop_table
    from ...tasks import hop_search
    from .. import session

    wanted = (
        Output("--table", arguments.table, hops.TABLE_KINDS),
        Output("--bake", arguments.bake, file_kinds.WRITABLE),
    )
    read = session.load(arguments, paths, wanted)
    armature = session.armature(arguments)
    settings = _settings(arguments, armature)
    all_pairs = tuple(arguments.all_pairs or ())
    prepared = hop_search.prepared(armature, settings, session.joint_weights(arguments, armature), all_pairs)
    values: dict[str, Any] = {
        **read.as_dict(),
        "armature": armature.name,
        **hop_search.described(prepared),
    }
    with ExitStack() as written:
        if arguments.trigger is None or arguments.table is not None:
            solved = hop_search.tables(prepared, all_pairs)
            values["pairs"] = hop_search.told(prepared, solved)
            if arguments.table is not None:
                written.enter_context(hop_table.saving(arguments.table, hop_table.contents(prepared, solved)))
                values["table"] = str(arguments.table.absolute())
        if arguments.trigger is not None:
            values["trigger"] = _ranked(arguments, armature, prepared, read)
    return values, _lines(values)


def _settings(arguments: argparse.Namespace, armature: Any) -> HopSettings:
    """The settings of the search, with the names that the file has."""
    from ...blender.data import named

    given = vars(arguments)
    values: dict[str, Any] = {"cut": float(arguments.trigger or 0), "assign": True}
    if arguments.all_pairs is not None:
        arguments.all_pairs = named.found_names(arguments.all_pairs, armature.name)
        values |= {"source": arguments.all_pairs[0], "destination": arguments.all_pairs[1]}
    own = argparse.Namespace(**{name: given[name] for name in given if name != "blend_frames"})
    made = HopSettings.of(options.settings(own, **values), given)
    return named.with_found_names_of_hops(made, armature.name)


def _ranked(arguments: argparse.Namespace, armature: Any, prepared: Any, read: Any) -> dict[str, Any]:
    """The hops of the trigger, the best first, and what one of them was baked into."""
    from ...blender.hops import bake as hop_bake
    from ...blender.hops import search, worth
    from ...tasks import hop_search
    from .. import session

    ways, direct = progress.finish(search.ranked(prepared, max(arguments.best, arguments.rank)), "ranking")
    listed = ways[: arguments.best]
    steps = worth.judging(armature, prepared.settings, listed, direct)
    judged = progress.finish(steps, "judging")
    told: dict[str, Any] = {
        "frame": arguments.trigger,
        "direct": direct if math.isfinite(direct) else None,
        "straight": None if judged.straight is None else judged.straight.as_dict(),
        "straight_is_as_good": not any(judged.is_worth),
        "ranked": [
            dataclasses.asdict(way)
            | {"worth": is_worth, "verdict": None if verdict is None else verdict.as_dict()}
            for way, is_worth, verdict in zip(listed, judged.is_worth, judged.verdicts, strict=True)
        ],
    }
    if arguments.bake is not None:
        way = hop_search.chosen(prepared, ways, arguments.rank)
        report = hop_bake.bake_hop(armature, prepared.settings, way)
        session.save(arguments, read, armature, report.last, arguments.bake)
        session.say_baked(report.last, arguments.bake)
        told["baked"] = {"output": str(arguments.bake.absolute()), **report.as_dict()}
    return told


def _lines(values: dict[str, Any]) -> list[str]:
    from ...blender.hops.worth import STRAIGHT

    unit = values["unit"]
    lines = [
        f"{len(values['clips'])} clips, stays of up to {values['longest_stay']} frames, blends of "
        f"{' or '.join(map(str, values['blends']))}; a frame of waiting costs {values['weight']:.4g} {unit}"
    ]
    if "pairs" in values:
        rows = [["from", "to", "direct, median", "best, median", "best by way of (triggers)"]]
        rows += [
            [
                pair["source"],
                pair["destination"],
                _number(pair["median_direct"]),
                _number(pair["median_best"]),
                _wins(pair),
            ]
            for pair in values["pairs"]
        ]
        lines += ["", *output.table(rows)]
    if "trigger" in values:
        at = values["trigger"]
        lines += ["", f"trigger {at['frame']}: direct {_number(at['direct'])} {unit}{_told(at['straight'])}"]
    if "trigger" in values and at["straight_is_as_good"]:
        lines.append("  " + STRAIGHT)
    elif "trigger" in values:
        rows = [
            ["clip", "entry", "exit", "stays", "first blend", "second blend", "waiting", "cost", "verdict"]
        ]
        rows += [
            [
                ", ".join(way["clips"]),
                ", ".join(f"{frame:g}" for frame in way["entries"]),
                ", ".join(f"{frame:g}" for frame in way["exits"]),
                ", ".join(map(str, way["stays"])),
                f"{way['parts'][0]:.4g}",
                " + ".join(f"{part:.4g}" for part in way["parts"][1:]),
                f"{way['waiting']:.4g}",
                f"{way['cost']:.4g}",
                _told(way["verdict"], ""),
            ]
            for way in at["ranked"]
            if way["worth"]
        ]
        lines += ["  " + line for line in output.table(rows)]
        if "baked" in at:
            lines += at["baked"]["verdict"]["words"]
    if "table" in values:
        lines.append(f"table: {values['table']}")
    return lines


def _wins(pair: dict[str, Any]) -> str:
    """By which clips the best ways of a pair lead."""
    from ...blender.hops.worth import STRAIGHT

    if pair["reached"] and not pair["worth"]:
        return STRAIGHT.rstrip(".").lower()
    return ", ".join(f"{name} ({count})" for name, count in pair["wins"].items()) or "none"


def _told(verdict: dict[str, Any] | None, before: str = "; ") -> str:
    """The first sentence of a verdict, "" without one."""
    return before + verdict["words"][0] if verdict else ""


def _number(value: float | None) -> str:
    return "none" if value is None else f"{value:.4g}"
