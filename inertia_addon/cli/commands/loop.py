# SPDX-License-Identifier: GPL-3.0-or-later
"""The command ``loop``: a stretch of an action becomes one that goes round."""

from __future__ import annotations

import argparse
import dataclasses
from contextlib import ExitStack
from typing import Any

from ...console import output, progress
from ...console.outputs import Output
from ...errors import InertiaError, UsageError
from ...settings import fields, limits, methods
from ...settings.loops import LoopSearch, LoopSettings
from ...storage import file_kinds, safe_write
from .. import gates, options

HELP = "find the stretches of an action that loop, and make a loop of one"
DESCRIPTION = """Make a loop of an action: its end goes on into its beginning, in pose and velocity.

--range says between which frames; without it the whole action becomes one. With --find the N best stretches
are listed, within the range if one is given, and the best, or that of --rank, is made: all of the
character's feet land equally often in it, and it goes on over the ground. Without -o nothing is made.

The result is a new action, marked as a cycle; the one that it is made of stays as it is. Exit codes: 0 done,
1 failed or over a gate, 2 wrong usage."""

SPAN = ("start", "end")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options to its parser."""
    options.add_input(parser)
    known = [one for one in fields.settings(LoopSettings).values() if one.field not in SPAN]
    group = parser.add_argument_group("what")
    for setting in known:
        if not setting.group:
            options.add_one(group, setting, needed=True)
    frame = options.number(limits.FRAME)
    group.add_argument(
        "--range", nargs=2, type=frame, metavar=("S", "E"), help="the first and the last frame of the loop"
    )
    group = parser.add_argument_group("finding it")
    options.add_number(group, "--find", limits.LISTED, "N", "list the N best stretches to loop")
    options.add_number(group, "--rank", limits.LISTED, "N", "which of them to make (default: 1)", default=1)
    for setting in fields.settings(LoopSearch).values():
        if setting.field not in ("first", "last"):
            options.add_one(group, setting)
    options.add_joints(group, "joints", "weights")
    for title in dict.fromkeys(setting.group for setting in known if setting.group):
        group = parser.add_argument_group(title)
        for setting in known:
            if setting.group == title:
                options.add_one(group, setting)
    group = parser.add_argument_group("writing")
    options.add_path(group, "-o", "OUT", "the .blend, .glb, .gltf, .fbx or .bvh file to write")
    options.add_path(group, "--report", "FILE", "write what --json shows to a .json file as well")
    gates.add(parser, "seam", "skate", "lift", "reach", "pop")


def _settings(arguments: argparse.Namespace) -> tuple[LoopSettings, LoopSearch]:
    """What is asked for. Raises UsageError for what does not go together."""
    given = methods.completed(options.given(LoopSettings, arguments))
    search = options.given(LoopSearch, arguments)
    if methods.foreign(given, given.get("method")):
        raise UsageError("--half-life is of --method spring, and --blend-frames of the other methods.")
    if arguments.find is None and (search or arguments.rank > 1):
        raise UsageError("--rank, and what says which stretches may be found, is for --find N.")
    if arguments.output is None and arguments.find is None:
        raise UsageError("Give -o OUT to write the loop, or --find N to list where it may be.")
    first, last = arguments.range or (None, None)
    try:
        if arguments.find is not None:
            return LoopSettings(**given), LoopSearch(**search, first=first, last=last)
        return LoopSettings(**given, start=first, end=last), LoopSearch()
    except InertiaError as error:
        raise UsageError(str(error)) from error


def run(arguments: argparse.Namespace) -> tuple[dict[str, Any], list[str]]:
    """Run the command; returns what was found and made as JSON values, and as lines."""
    settings, search = _settings(arguments)
    paths = options.input_files(arguments)

    from ...blender.data import named
    from ...blender.loops import bake
    from .. import session

    wanted = (
        Output("-o", arguments.output, file_kinds.WRITABLE, in_place=True),
        Output("--report", arguments.report, (".json",)),
    )
    read = session.load(arguments, paths, wanted)
    armature = session.armature(arguments)
    (name,) = named.found_names([settings.action], armature.name)
    settings = dataclasses.replace(settings, action=name)
    values: dict[str, Any] = {**read.as_dict(), "armature": armature.name}
    if arguments.find is not None:
        found = _found(arguments, armature, settings, search)
        values["found"] = [dataclasses.asdict(one) for one in found[: arguments.find]]
        if len(found) < arguments.rank:
            raise InertiaError(
                'There are only {count} loops in "{action}"; choose a lower rank.',
                count=len(found),
                action=name,
            )
        best = found[arguments.rank - 1]
        settings = dataclasses.replace(settings, start=best.start, end=best.end)
    with ExitStack() as written:
        if arguments.report is not None:
            path = written.enter_context(safe_write.replacing(arguments.report))
        if arguments.output is not None:
            report = progress.finish(bake.making(armature, settings), "making")
            values |= {"output": str(arguments.output.absolute()), **report.as_dict()}
            values["warnings"] = [*read.warnings, *report.warnings]
            session.save(arguments, read, armature, report, arguments.output)
            values["over_gates"] = gates.judge_one(arguments, report.result, report.measured())
        if arguments.report is not None:
            path.write_text(output.as_json(values) + "\n", encoding="utf-8")
    return values, _lines(values)


def _found(arguments: argparse.Namespace, armature: Any, settings: LoopSettings, search: LoopSearch) -> Any:
    """The best stretches, as many as are listed or ranked."""
    from ...blender.data import actions, clip_store
    from ...blender.loops import search as loops
    from .. import session

    clip = clip_store.read(armature, actions.find(settings.action, settings.library), settings.slot)
    weights = session.joint_weights(arguments, armature)
    finding = loops.finding(armature, clip, search, weights, settings.root)
    searched = progress.finish(finding, "searching")
    for note in searched.notes:
        output.say(f"note: {note}")
    return searched.best(max(arguments.find, arguments.rank))


def _lines(values: dict[str, Any]) -> list[str]:
    lines = []
    if "found" in values:
        rows = [["start", "end", "frames", "cost", "landings of each foot"]]
        rows += [
            [
                f"{one['start']:g}",
                f"{one['end']:g}",
                f"{one['end'] - one['start']:g}",
                f"{one['cost']:.4f} m",
                str(one["landings"] or ""),
            ]
            for one in values["found"]
        ]
        lines += output.table(rows)
    if "result" in values:
        lines += _made(values)
    return lines


def _made(values: dict[str, Any]) -> list[str]:
    first, last = values["frame_range"]
    x, y, z = values["translation"]
    way = f"goes {(x * x + y * y + z * z) ** 0.5:.3g} m" if any((x, y, z)) else "stays in place"
    turn = f" and turns by {values['heading_degrees']:.1f} degrees" if values["heading_degrees"] else ""
    lines = [
        f'"{values["result"]}" loops frames {values["start"]:g} to {values["end"]:g} of '
        f'"{values["settings"]["action"]}" and runs from frame {first:g} to {last:g}; '
        f"each cycle {way}{turn}; it is written to {values['output']}."
    ]
    quality = values["quality"]
    if quality is not None:
        lines.append(
            f"seam: {quality['seam']:.2f} of the clip's own highest change of velocity, before "
            f"{quality['seam_before']:.2f}; its ends were up to {quality['gap_before']:.3g} m apart, and are "
            f"{quality['gap']:.1g} m"
        )
        lines.append(
            f"moved most: {quality['bone']} by {quality['moved']:.3g} m at frame {quality['frame']:g}"
        )
    if values["verdict"] is not None:
        lines += values["verdict"]["words"]
    return lines
