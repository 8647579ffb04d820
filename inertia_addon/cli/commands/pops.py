# SPDX-License-Identifier: GPL-3.0-or-later
"""The command ``pops``: where an action's bones jump beyond what they do elsewhere, and an action without."""

from __future__ import annotations

import argparse
import dataclasses
from typing import Any

from ...console import output, progress
from ...console.outputs import Output
from ...errors import UsageError
from ...settings import fields
from ...settings.pops import PopSettings
from ...storage import file_kinds
from .. import gates, options

HELP = "find where an action's bones jump, and smooth that"
DESCRIPTION = """Find pops: where the rotation or the location of a bone, or of the object, jumps beyond what
it does around that and elsewhere in the action. A step stays, a spike is one frame that is elsewhere, and a
stretch leads away and back. Nothing is written but what is asked for.

With --repair they are smoothed in a new action, which is written to OUT: a spike goes where its neighbours
say, a step's offset fades, a stretch is led back. Outside of that every key stays as it is."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options to its parser."""
    options.add_input(parser)
    known = fields.settings(PopSettings).values()
    group = parser.add_argument_group("what")
    for setting in known:
        if not setting.group and setting.field not in ("library", "assign"):
            options.add_one(group, setting, needed=True)
    group = parser.add_argument_group("smoothing")
    options.add_switch(group, "--repair", "smooth what pops, in a new action")
    for setting in known:
        if setting.group:
            options.add_one(group, setting)
    options.add_path(group, "-o", "OUT", "the .blend, .glb, .gltf, .fbx or .bvh file to write")
    gates.add(parser, "pops")


def run(arguments: argparse.Namespace) -> tuple[dict[str, Any], list[str]]:
    """Run the command; returns the pops as JSON values, and as lines."""
    settings = PopSettings(**options.given(PopSettings, arguments))
    if arguments.repair != (arguments.output is not None):
        raise UsageError("Give --repair with -o OUT to write an action without pops, or neither to look.")
    paths = options.input_files(arguments)

    from ...blender.data import named
    from ...blender.pops import bake
    from .. import session

    wanted = (Output("-o", arguments.output, file_kinds.WRITABLE, in_place=True),)
    read = session.load(arguments, paths, wanted)
    armature = session.armature(arguments)
    (name,) = named.found_names([settings.action], armature.name)
    settings = dataclasses.replace(settings, action=name)
    found = progress.finish(bake.finding(armature, settings), "searching")
    values = {**read.as_dict(), "armature": armature.name, **found.as_dict(), "report": None}
    if arguments.repair:
        report = bake.smooth_found(armature, settings, found)
        session.save(arguments, read, armature, report, arguments.output)
        values |= {"report": report.as_dict(), "output": str(arguments.output.absolute())}
    measured = {"pops": len(found.pops) if values["report"] is None else values["report"]["left"]}
    values["over_gates"] = gates.judge_one(arguments, name, measured)
    return values, _lines(values)


def _lines(values: dict[str, Any]) -> list[str]:
    count = len(values["pops"])
    lines = [f"{values['action']}: {count or 'no'} pop{'s' * (count != 1)}"]
    rows = [["bone", "frames", "", "kind", "size", "times the usual"]]
    for pop in values["pops"]:
        span = f"{pop['first']:g}" if pop["first"] == pop["last"] else f"{pop['first']:g} to {pop['last']:g}"
        size = f"{pop['size']:.3g} {pop['unit']}"
        rows.append([pop["bone"], span, pop["channel"], pop["kind"], size, f"{pop['times']:.1f}"])
    lines += ["  " + line for line in output.table(rows)] if count else []
    report = values["report"]
    if report is not None:
        said = f'"{report["result"]}" has {len(report["pops"])} of them smoothed; it is written to'
        lines += [f"{said} {values['output']}.", f"{report['left'] or 'none'} left in it"]
        for note in report["baked_curves"]:
            where = f"{note['data_path']}[{note['array_index']}]"
            lines.append(f"note: {where} is baked, as it has {note['reason']}")
    return lines
