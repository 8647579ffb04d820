# SPDX-License-Identifier: GPL-3.0-or-later
"""The command ``info``: what there is in a file to make transitions of."""

from __future__ import annotations

import argparse
from typing import Any

from ...console import output
from .. import options

HELP = "list a file's armatures and actions"
DESCRIPTION = """List the armatures of a file with the actions that fit them: frames, slots, and how far the
root goes over the ground (along its way, and from where it begins to where it ends, in metres)."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options to its parser."""
    options.add_input(parser)


def run(arguments: argparse.Namespace) -> tuple[dict[str, Any], list[str]]:
    """Run the command; returns the inventory as JSON values, and as lines."""
    paths = options.input_files(arguments)

    from ...blender.files import inventory
    from .. import session

    read = session.load(arguments, paths)
    outline = inventory.of_file()
    if arguments.armature is not None:
        name = session.armature(arguments).name
        outline["armatures"] = [entry for entry in outline["armatures"] if entry["name"] == name]
    values = {**read.as_dict(), **outline}
    return values, _lines(values)


def _lines(values: dict[str, Any]) -> list[str]:
    lines = [f"{', '.join(values['files'])}: {values['fps']:.6g} frames a second"]
    if not values["armatures"]:
        lines.append("no armature")
    for armature in values["armatures"]:
        modes = ", ".join(f"{count} {mode}" for mode, count in armature["rotation_modes"].items())
        count = len(armature["actions"])
        lines.append("")
        lines.append(
            f"{armature['name']}: {armature['bones']} bones ({modes}), {count} action{'s' * (count != 1)}"
        )
        lines += _joints(armature)
        if count:
            header = ["action", "frames", "seconds", "root", "root motion", "slots"]
            rows = [header, *(_row(action) for action in armature["actions"])]
            lines += ["  " + line for line in output.table(rows)]
        lines += [f"  note: {action['problem']}" for action in armature["actions"] if action["problem"]]
    return lines


def _joints(armature: dict[str, Any]) -> list[str]:
    """What was found of an armature: hips, head, hands and feet, and how sure that is."""
    found = [joint for joint in armature["joints"] if joint["role"] != "OTHER"]
    told = [
        f"{role.lower()} {', '.join(joint['bone'] for joint in found if joint['role'] == role)}"
        for role in dict.fromkeys(joint["role"] for joint in found)
    ]
    sure = min((joint["confidence"] for joint in found), default=1.0)
    lines = [f"  joints: {'; '.join(told)} ({sure:.0%} sure)"] if told else []
    return lines + [f"  note: {armature['note']}"] * bool(armature["note"])


def _row(action: dict[str, Any]) -> list[str]:
    motion = (
        f"{action['distance']:.2f} m, {action['displacement']:.2f} m away" if action["moves"] else "in place"
    )
    slots = ", ".join(slot["identifier"] for slot in action["slots"] if slot["identifier"])
    return [
        action["name"] + (" *" if action["assigned"] else ""),
        f"{action['start']:g} to {action['end']:g}",
        f"{action['seconds']:.3f}",
        action["root"],
        "" if action["problem"] else motion,
        slots,
    ]
