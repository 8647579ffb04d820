# SPDX-License-Identifier: GPL-3.0-or-later
"""The command ``hop``: the best way between two actions through a third one, for every trigger frame."""

from __future__ import annotations

import argparse
import itertools
from pathlib import Path
from typing import Any

from . import bake, cost, names, options, output

HELP = "find the best clip to go through between two actions, for every frame"
DESCRIPTION = """Find, for every trigger frame of the source, the best way to the destination by a third clip.

Where two clips are too different to blend, a hop helps: wait in the source, blend into a clip, stay there,
blend into the destination, whose clock has been going since the trigger. The way with the least sum of the
blends' distances and of a weight for each frame of waiting is found exactly, over all clips, frames of entry
and stays; the direct transition is among them.

--table writes what to do at each trigger frame, four whole numbers: clip, offset, stay in the source, stay in
the clip. --all-pairs does so for each of some actions with each other. --trigger ranks the hops of one frame,
and --bake bakes one of them."""

FIELDS = {
    *("source", "source_slot", "source_library", "destination", "destination_slot", "destination_library"),
    *("destination_frame", "method", "quintic_start", "half_life", "decomposition", "velocity"),
    *("guard", "guard_angle", "guard_length", "alignment", "root", "blend_scales", "result"),
}
"""The settings of a transition that both blends of a hop have too."""


def add_parser(commands: Any) -> None:
    """Add the command to the parser's subcommands."""
    parser = commands.add_parser(
        "hop",
        help=HELP,
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    options.add_input(parser, several=True)
    options.add(parser, only=FIELDS, optional=("source", "destination"))
    _add_search(parser.add_argument_group("searching"))
    cost.add_joints(parser.add_argument_group("which joints"))
    group = parser.add_argument_group("writing")
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
    parser.set_defaults(run=run)


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


def run(arguments: argparse.Namespace) -> tuple[dict[str, Any], str]:
    """Run the command; returns what was found as JSON values, and as text."""
    _check(arguments)
    paths = options.input_files(arguments)

    from ..blender import files, hop_settings, hop_table
    from . import session

    if arguments.table is not None:
        hop_table.check(arguments.table)
    if arguments.bake is not None:
        if arguments.bake.suffix.lower() not in files.WRITABLE:
            raise options.UsageError(f"--bake takes a name that ends in {', '.join(files.WRITABLE)}.")
        files.check_output(arguments.bake)
    read = session.load(arguments, paths)
    armature = session.armature(arguments)
    settings = _settings(arguments, armature)
    bridges, pairs = _bridges(arguments, armature, settings)
    values: dict[str, Any] = {
        "file": read,
        "files": [str(path) for path in paths] or [read],
        "armature": armature.name,
        "clips": list(bridges.names),
        "distance": settings.distance,
        "unit": hop_settings.UNITS[settings.distance],
        "weight": bridges.objective.weight,
        "longest_stay": bridges.objective.longest_stay,
        "blends": list(bridges.objective.blends),
        "hops": bridges.objective.hops,
        "alongside": settings.alongside,
    }
    if arguments.trigger is None or arguments.table is not None:
        values["pairs"] = _tables(arguments, bridges, pairs)
        if arguments.table is not None:
            values["table"] = str(arguments.table.absolute())
    if arguments.trigger is not None:
        values["trigger"] = _ranked(arguments, armature, bridges, imported=_imported(paths))
    return values, "\n".join(_lines(values))


def _imported(paths: list[Path]) -> bool:
    return bool(paths) and paths[0].suffix.lower() != ".blend"


def _check(arguments: argparse.Namespace) -> None:
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


def _settings(arguments: argparse.Namespace, armature: Any) -> Any:
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


def _bridges(arguments: argparse.Namespace, armature: Any, settings: Any) -> tuple[Any, Any]:
    """The clips, ready to be searched, and the pairs of source and destination that are asked for."""
    from ..blender import hops
    from ..blender.costing import finish

    weights = cost.joint_weights(arguments, armature)
    own = settings.transition
    pairs = [(own.source, own.destination)]
    if arguments.all_pairs is not None:
        pairs = list(itertools.permutations(dict.fromkeys(arguments.all_pairs), 2))
    more = arguments.all_pairs or ()
    bridges = finish(hops.scene_bridges(armature, settings, weights, more))
    return finish(hops.weighed(bridges, pairs)), pairs


def _tables(arguments: argparse.Namespace, bridges: Any, pairs: Any) -> list[dict[str, Any]]:
    """Find, and write where that is asked for, the tables of all pairs; returns what is to say of each."""
    import numpy as np

    from ..blender import hop_table
    from ..blender.costing import finish
    from ..motion import hop

    found = [(*pair, finish(hop.solve(bridges.problem(*pair), bridges.objective))) for pair in pairs]
    if arguments.table is not None:
        hop_table.save(arguments.table, hop_table.contents(bridges, found))
    told = []
    for source, destination, table in found:
        both = np.isfinite(table.cost) & np.isfinite(table.direct)
        wins = table.clips[np.isfinite(table.cost), 0]
        told.append(
            {
                "source": source,
                "destination": destination,
                "triggers": len(table.cost),
                "reached": int(np.isfinite(table.cost).sum()),
                "median_direct": float(np.median(table.direct[both])) if both.any() else None,
                "median_best": float(np.median(table.cost[both])) if both.any() else None,
                "wins": {
                    "direct" if clip < 0 else bridges.names[clip]: int((wins == clip).sum())
                    for clip in sorted(set(wins.tolist()))
                },
            }
        )
    return told


def _ranked(arguments: argparse.Namespace, armature: Any, bridges: Any, imported: bool) -> dict[str, Any]:
    """The hops of the trigger, the best first, and what one of them was baked into."""
    import dataclasses

    import numpy as np

    from ..blender import hops
    from ..blender.costing import finish
    from ..motion.errors import InertiaError

    ways, direct = finish(hops.ranked(bridges, max(arguments.best, arguments.rank)))
    told: dict[str, Any] = {
        "frame": arguments.trigger,
        "direct": direct if np.isfinite(direct) else None,
        "ranked": [dataclasses.asdict(way) for way in ways[: arguments.best]],
    }
    if arguments.bake is not None:
        if len(ways) < arguments.rank:
            raise InertiaError(
                f"Frame {arguments.trigger} has {len(ways)} hops and no number {arguments.rank}; choose "
                "another trigger, or a lower --rank."
            )
        told["baked"] = _bake(arguments, armature, bridges.settings, ways[arguments.rank - 1], imported)
    return told


def _bake(
    arguments: argparse.Namespace, armature: Any, settings: Any, way: Any, imported: bool
) -> dict[str, Any]:
    from ..blender import files, hop_bake
    from ..blender.files import importing

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
