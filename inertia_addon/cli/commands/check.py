# SPDX-License-Identifier: GPL-3.0-or-later
"""The command ``check``: how well an action's feet stay put, and how much it pops."""

from __future__ import annotations

import argparse
from typing import Any

from ...console import output, progress
from ...settings import fields
from ...settings.feet import CheckSettings
from .. import options

HELP = "say how well an action's feet stay put, and how much it pops"
DESCRIPTION = """Find when each foot of an action is planted, and measure what it does: how far it skates
while it is low, how fast it moves while it is planted, and how deep it sinks below the ground; and the
highest change of the joints' velocity from one frame to the next. Nothing is written.

Contacts that an animator has edited count as they are stored with the action."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options to its parser."""
    options.add_input(parser)
    group = parser.add_argument_group("what")
    for setting in fields.settings(CheckSettings).values():
        options.add_one(group, setting, needed=True)


def run(arguments: argparse.Namespace) -> tuple[dict[str, Any], list[str]]:
    """Run the command; returns what was measured as JSON values, and as lines."""
    settings = CheckSettings(**options.given(CheckSettings, arguments))
    paths = options.input_files(arguments)

    from ...blender.data import actions, clip_store, named
    from ...blender.feet import checking
    from .. import session

    read = session.load(arguments, paths)
    armature = session.armature(arguments)
    (name,) = named.found_names([settings.action], armature.name)
    clip = clip_store.read(armature, actions.find(name), settings.slot)
    checked = progress.finish(checking.steps(armature, clip), "measuring")
    values = {**read.as_dict(), "armature": armature.name, **checked.as_dict()}
    return values, _lines(values)


def _lines(values: dict[str, Any]) -> list[str]:
    lines = [f"{values['action']}: frames {values['start']:g} to {values['end']:g}"]
    if values["cycle"]:
        lines[0] += ", a cycle"
    if values["in_place"]:
        lines[0] += f", in place on ground that passes at {values['ground_speed']:.3g} m/s"
    rows = [["foot", "planted", "skate", "speed, median", "95 %", "below ground, 95 %"]]
    for foot in values["feet"]:
        spans = " ".join(f"{start:g}-{end:g}" for start, end in foot["spans"]) or "never"
        figures = (
            _said(foot["skate_m"], "m"),
            _said(foot["planted_speed_median"], "m/s"),
            _said(foot["planted_speed_p95"], "m/s"),
            _said(foot["penetration_p95_m"], "m"),
        )
        rows.append([foot["foot"], spans, *figures])
    lines += ["  " + line for line in output.table(rows)]
    if values["pop"] is not None:
        lines.append(f"pop: {values['pop']:.3g} m/s at frame {values['pop_frame']:g}")
    return lines


def _said(value: float | None, unit: str) -> str:
    return "" if value is None else f"{value:.3f} {unit}"
