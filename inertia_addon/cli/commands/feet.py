# SPDX-License-Identifier: GPL-3.0-or-later
"""The command ``feet``: an action whose planted feet stand still, as a new one."""

from __future__ import annotations

import argparse
import dataclasses
from typing import Any

from ...console import output
from ...console.outputs import Output
from ...settings import fields
from ...settings.feet import LockSettings
from ...storage import file_kinds
from .. import options

HELP = "lock an action's planted feet in a new action"
DESCRIPTION = """Make a new action of another one in which planted feet stand still, and write the file.
Only the legs have other keys, and the hips if they help, and only where a foot would skate; the action itself
stays as it is.

Contacts that an animator has edited count as they are stored with the action, others are found."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options to its parser."""
    options.add_input(parser)
    group = parser.add_argument_group("what")
    for setting in fields.settings(LockSettings).values():
        options.add_one(group, setting, needed=True)
    group = parser.add_argument_group("writing")
    options.add_path(group, "-o", "OUT", "the .blend, .glb, .gltf, .fbx or .bvh file to write", required=True)


def run(arguments: argparse.Namespace) -> tuple[dict[str, Any], list[str]]:
    """Run the command; returns what was made as JSON values, and as lines."""
    settings = LockSettings(**options.given(LockSettings, arguments))
    paths = options.input_files(arguments)

    from ...blender.data import named
    from ...blender.feet import bake
    from .. import session

    wanted = (Output("-o", arguments.output, file_kinds.WRITABLE, in_place=True),)
    read = session.load(arguments, paths, wanted)
    armature = session.armature(arguments)
    (name,) = named.found_names([settings.action], armature.name)
    settings = dataclasses.replace(settings, action=name)
    report = bake.lock_action(armature, settings)
    bake.assign(armature, report)
    session.save(arguments, read, armature, report, arguments.output)
    values = {**read.as_dict(), "output": str(arguments.output.absolute()), **report.as_dict()}
    return values, _lines(values)


def _lines(values: dict[str, Any]) -> list[str]:
    rows = [["foot", "skate", "locked", "speed", "locked"]]
    for before, after in zip(values["before"], values["after"], strict=True):
        figures = [each[name] for name in ("skate_m", "skate_speed") for each in (before, after)]
        units = ("m", "m", "m/s", "m/s")
        said = ["" if f is None else f"{f:.3f} {unit}" for f, unit in zip(figures, units, strict=True)]
        rows.append([before["foot"], *said])
    head = f'"{values["result"]}" is "{values["action"]}" with its feet locked'
    lines = [*output.table(rows), *values["notes"]]
    return [f"{head}, {values['keys']} keys", *("  " + line for line in lines)]
