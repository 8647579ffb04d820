# SPDX-License-Identifier: GPL-3.0-or-later
"""The command ``check``: what an action is like: its feet, its pops, and what the judge says of a result."""

from __future__ import annotations

import argparse
from contextlib import ExitStack
from typing import Any

from ...console import output, progress
from ...console.outputs import Output
from ...settings import fields
from ...settings.feet import CheckSettings
from ...storage import safe_write
from .. import gates, options

HELP = "say how well an action's feet stay put, how much it pops, and the verdict on a result"
DESCRIPTION = """Find when each foot of an action is planted, and measure what it does: how far, and how
fast, it skates while it is low, and how deep it sinks below the ground; and the highest change of the joints'
velocity from one frame to the next.

Of what Inertia has baked, a transition, a hop, a path or a loop, the verdict is said, too, as it was before
the bake: its recipe says which frames and which actions are to be looked at. Gates then judge what is within
these frames, and else all of the action.

Exit codes: 0 done, 1 failed or over a gate, 2 wrong usage.

Contacts that an animator has edited count as they are stored with the action."""


GATES = ("skate", "lift", "reach", "skate_speed", "penetration", "pop")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options to its parser."""
    options.add_input(parser)
    group = parser.add_argument_group("what")
    for setting in fields.settings(CheckSettings).values():
        options.add_one(group, setting, needed=True)
    group = parser.add_argument_group("writing")
    options.add_path(group, "--report", "FILE", "write what --json shows to a .json file as well")
    gates.add(parser, *GATES)


def run(arguments: argparse.Namespace) -> tuple[dict[str, Any], list[str]]:
    """Run the command; returns what was measured as JSON values, and as lines."""
    settings = CheckSettings(**options.given(CheckSettings, arguments))
    paths = options.input_files(arguments)

    from ...blender.checking import check
    from ...blender.data import actions, clip_store, named
    from .. import session

    read = session.load(arguments, paths, (Output("--report", arguments.report, (".json",)),))
    armature = session.armature(arguments)
    (name,) = named.found_names([settings.action], armature.name)
    clip = clip_store.read(armature, actions.find(name), settings.slot)
    checked = progress.finish(check.steps(armature, clip), "measuring")
    values = {**read.as_dict(), "armature": armature.name, **checked.as_dict()}
    for note in checked.seen.notes:
        output.say(f"note: {note}")
    values["over_gates"] = gates.judge_one(arguments, f"check of {name}", checked.measured())
    with ExitStack() as written:
        if arguments.report is not None:
            path = written.enter_context(safe_write.replacing(arguments.report))
            path.write_text(output.as_json(values) + "\n", encoding="utf-8")
    return values, _lines(values)


def _lines(values: dict[str, Any]) -> list[str]:
    lines = [f"{values['action']}: frames {values['start']:g} to {values['end']:g}"]
    if values["cycle"]:
        lines[0] += ", a cycle"
    if values["in_place"]:
        lines[0] += f", in place on ground that passes at {values['ground_speed']:.3g} m/s"
    rows = [["foot", "planted", "skate", "speed", "below ground, 95 %"]]
    for foot in values["feet"]:
        spans = " ".join(f"{start:g}-{end:g}" for start, end in foot["spans"]) or "never"
        figures = (
            _said(foot["skate_m"], "m"),
            _said(foot["skate_speed"], "m/s"),
            _said(foot["penetration_p95_m"], "m"),
        )
        rows.append([foot["foot"], spans, *figures])
    lines += ["  " + line for line in output.table(rows)] if values["feet"] else []
    if values["pop"] is not None:
        lines.append(f"pop: {values['pop']:.3g} m/s at frame {values['pop_frame']:g}")
    if values["verdict"] is not None:
        lines += values["verdict"]["words"]
    return lines


def _said(value: float | None, unit: str) -> str:
    return "" if value is None else f"{value:.3f} {unit}"
