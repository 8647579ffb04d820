# SPDX-License-Identifier: GPL-3.0-or-later
"""The command ``travel``: an action in place as a new one that goes the way its feet tell, or the inverse."""

from __future__ import annotations

import argparse
import dataclasses
from typing import Any

from ...console import progress
from ...console.outputs import Output
from ...settings import fields
from ...settings.travel import TravelSettings
from ...storage import file_kinds
from .. import options

HELP = "give an action in place the travel that its feet tell of, or take it out"
DESCRIPTION = """Make a new action of another one that stays in place, and write the file: it goes over the
ground so that planted feet stand still. The speed that was found is told; --speed says a better one, and
which for who has no feet that tell, such as what flies or swims.

With --in-place it is the other way: the action's travel is taken out. What Travel has given is taken out
exactly."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options to its parser."""
    options.add_input(parser)
    groups: dict[str, Any] = {}
    for setting in fields.settings(TravelSettings).values():
        if setting.field not in ("library", "assign"):
            title = setting.group or "what"
            if title not in groups:
                groups[title] = parser.add_argument_group(title)
            options.add_one(groups[title], setting, needed=True)
    group = parser.add_argument_group("writing")
    options.add_path(group, "-o", "OUT", "the .blend, .glb, .gltf, .fbx or .bvh file to write", required=True)


def run(arguments: argparse.Namespace) -> tuple[dict[str, Any], list[str]]:
    """Run the command; returns what was made as JSON values, and as lines."""
    settings = TravelSettings(**options.given(TravelSettings, arguments))
    paths = options.input_files(arguments)

    from ...blender.data import named
    from ...blender.travel import bake
    from .. import session

    wanted = (Output("-o", arguments.output, file_kinds.WRITABLE, in_place=True),)
    read = session.load(arguments, paths, wanted)
    armature = session.armature(arguments)
    (name,) = named.found_names([settings.action], armature.name)
    settings = dataclasses.replace(settings, action=name)
    plan = progress.finish(bake.planning(armature, settings), "looking")
    report = bake.write(plan)
    session.save(arguments, read, armature, report, arguments.output)
    values = {**read.as_dict(), "output": str(arguments.output.absolute()), **report.as_dict()}
    return values, _lines(values)


def _lines(values: dict[str, Any]) -> list[str]:
    how = {"FEET": ", from its feet", "SETTING": ", as given"}.get(values["told_by"], "")
    turn = f", and turns {values['turn']:.0f} degrees a second" if abs(values["turn"]) >= 1.0 else ""
    said = f"{values['action']}: {values['speed']:.2f} m/s{how}{turn}"
    if values["in_place"]:
        said = f"{values['action']}: {values['way']:.2f} m are taken out"
    lines = [said, f'"{values["result"]}" is written to {values["output"]}.']
    if values["skate_after"] is not None:
        lines.append(f"feet skate {values['skate_after']:.3f} m, {values['skate_before']:.3f} m before")
    return lines
