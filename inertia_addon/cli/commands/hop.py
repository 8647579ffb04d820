# SPDX-License-Identifier: GPL-3.0-or-later
"""The command ``hop``: the best way between two actions through a third one, for every trigger frame."""

from __future__ import annotations

import argparse
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from ...console import output, progress
from ...console.outputs import Output
from .. import hop_options, options
from . import bake, cost

HELP = "find the best clip to go through between two actions, for every frame"
DESCRIPTION = """Find, for every trigger frame of the source, the best way to the destination by a third clip.

Where two clips are too different to blend, a hop helps: wait in the source, blend into a clip, stay there,
blend into the destination, whose clock has been going since the trigger. The way with the least sum of the
blends' distances and of a weight for each frame of waiting is found exactly, over all clips, frames of entry
and stays; the direct transition is among them.

--table writes what to do at each trigger frame, four whole numbers: clip, offset, stay in the source, stay in
the clip. --all-pairs does so for each of some actions with each other. --trigger ranks the hops of one frame,
and --bake bakes one of them."""


def add_parser(commands: Any) -> None:
    """Add the command to the parser's subcommands."""
    parser = options.add_command(commands, "hop", HELP, DESCRIPTION)
    hop_options.add(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> tuple[dict[str, Any], list[str]]:
    """Run the command; returns what was found as JSON values, and as lines."""
    hop_options.check(arguments)
    paths = options.input_files(arguments)

    from ...batch.jobs import hop_search
    from ...blender import files
    from ...blender.hops import table as hop_table
    from ...settings import hops as hop_settings
    from .. import session

    wanted = (
        Output("--table", arguments.table, hop_settings.TABLE_KINDS),
        Output("--bake", arguments.bake, files.WRITABLE),
    )
    read = session.load(arguments, paths, wanted)
    armature = session.armature(arguments)
    settings = hop_options.settings(arguments, armature)
    all_pairs = tuple(arguments.all_pairs or ())
    prepared = hop_search.prepared(armature, settings, cost.joint_weights(arguments, armature), all_pairs)
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
            values["trigger"] = _ranked(arguments, armature, prepared, imported=_imported(paths))
    return values, _lines(values)


def _imported(paths: list[Path]) -> bool:
    return bool(paths) and paths[0].suffix.lower() != ".blend"


def _ranked(arguments: argparse.Namespace, armature: Any, prepared: Any, imported: bool) -> dict[str, Any]:
    """The hops of the trigger, the best first, and what one of them was baked into."""
    import dataclasses

    import numpy as np

    from ...batch.jobs import hop_search
    from ...blender.hops import search as hops

    ways, direct = progress.finish(hops.ranked(prepared, max(arguments.best, arguments.rank)), "ranking")
    told: dict[str, Any] = {
        "frame": arguments.trigger,
        "direct": direct if np.isfinite(direct) else None,
        "ranked": [dataclasses.asdict(way) for way in ways[: arguments.best]],
    }
    if arguments.bake is not None:
        way = hop_search.chosen(prepared, ways, arguments.rank)
        told["baked"] = _bake(arguments, armature, prepared.settings, way, imported)
    return told


def _bake(
    arguments: argparse.Namespace, armature: Any, settings: Any, way: Any, imported: bool
) -> dict[str, Any]:
    from ...blender import files
    from ...blender.files import importing
    from ...blender.hops import bake as hop_bake

    report = hop_bake.bake_hop(armature, settings, way)
    if imported:
        # the range of a .blend file is the user's own
        importing.cover(*report.last.frame_range)
    with output.muted(2, arguments.verbose):
        files.save(arguments.bake, armature, report.result, report.last.slot)
    output.say(bake.summary(report.last, arguments.bake))
    return {"output": str(arguments.bake.absolute()), **report.as_dict()}


def _lines(values: dict[str, Any]) -> list[str]:
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
                ", ".join(f"{name} ({count})" for name, count in pair["wins"].items()) or "none",
            ]
            for pair in values["pairs"]
        ]
        lines += ["", *output.table(rows)]
    if "trigger" in values:
        at = values["trigger"]
        lines += ["", f"trigger {at['frame']}: direct {_number(at['direct'])} {unit}"]
        rows = [["clip", "entry", "exit", "stays", "first blend", "second blend", "waiting", "cost"]]
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
            ]
            for way in at["ranked"]
        ]
        lines += ["  " + line for line in output.table(rows)]
    if "table" in values:
        lines.append(f"table: {values['table']}")
    return lines


def _number(value: float | None) -> str:
    return "none" if value is None else f"{value:.4g}"
