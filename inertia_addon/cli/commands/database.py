# SPDX-License-Identifier: GPL-3.0-or-later
"""The command ``database``: a set of actions analysed for motion matching, as a file."""

from __future__ import annotations

import argparse
import dataclasses
from typing import Any

from ...console import progress
from ...console.outputs import Output, make_folders
from ...errors import InertiaError, UsageError
from ...settings import matching
from ...settings.matching import PathSettings
from .. import options

HELP = "write a set of actions, analysed for motion matching, as a file"
DESCRIPTION = """Analyse a set of actions for motion matching, and write what is found.

-o writes an .npz with the arrays that the command path searches: the root's way, joints, contacts and
features; it writes over nothing but such a file. --bin writes database.bin and features.bin in the layout of
orangeduck's Motion-Matching, at 60 frames a second, so that his controller can play the clips;
docs/matching.md describes both."""

SETTINGS = (
    *("actions", "mirror", "cycles", "find_cycles", "speeds"),
    *("pose_weight", "position_weight", "facing_weight"),
)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options to its parser."""
    options.add_input(parser)
    group = parser.add_argument_group("what is analysed")
    options.add_all(group, PathSettings, *SETTINGS)
    options.add(parser, only=(*matching.HOW_JOINS_BLEND, "root"), optional=("source", "destination", "cut"))
    options.add_joints(parser.add_argument_group("which joints"), "joints", "weights")
    group = parser.add_argument_group("writing")
    options.add_path(group, "-o", "OUT", "the .npz file to write")
    options.add_path(group, "--bin", "DIR", "the folder to write database.bin and features.bin into")


def _settings(arguments: argparse.Namespace) -> PathSettings:
    """What is asked for; nothing is followed. Raises UsageError."""
    if arguments.output is None and arguments.bin is None:
        raise UsageError("Give -o or --bin, or both: where to write.")
    given = vars(arguments)
    named = (*matching.HOW_JOINS_BLEND, "root")
    transition = options.settings(
        argparse.Namespace(**{name: given[name] for name in named if name in given}), **matching.joined_by({})
    )
    chosen = {name: given[name] for name in SETTINGS if name in given}
    try:
        return PathSettings.of(transition, {**chosen, "points": "none", "bends": 0.0})
    except InertiaError as error:
        raise UsageError(str(error)) from error


def run(arguments: argparse.Namespace) -> tuple[dict[str, Any], list[str]]:
    """Run the command; returns what was analysed as JSON values, and as lines."""
    settings = _settings(arguments)
    paths = options.input_files(arguments)

    from ...blender.data import named
    from ...blender.matching import files, stock
    from ...motion.matching import coverage
    from .. import session

    wanted = [Output("-o", arguments.output, (".npz",), replaces=files.check_place)]
    if arguments.bin is not None:
        wanted += [
            Output("--bin", arguments.bin / name, (".bin",), makes_folder=True)
            for name in (files.DATABASE, files.FEATURES)
        ]
    read = session.load(arguments, paths, wanted)
    armature = session.armature(arguments)
    settings = dataclasses.replace(settings, actions=named.found_names(settings.actions, armature.name))
    weights = session.joint_weights(arguments, armature)
    made = progress.finish(stock.analysing(armature, settings, weights), "analysing")
    speeds = coverage.speeds_of(made.database)
    values: dict[str, Any] = {
        **read.as_dict(),
        "armature": armature.name,
        "frames": made.database.frames,
        "fps": made.database.fps,
        "clips": [dataclasses.asdict(source) for source in made.database.sources],
        "joints": list(made.database.joints),
        "speeds_m_per_s": [list(pair) for pair in speeds],
    }
    if arguments.output is not None:
        files.save(arguments.output, files.contents(made, settings))
        values["output"] = str(arguments.output.absolute())
    if arguments.bin is not None:
        make_folders(arguments.bin)
        exported = progress.finish(files.exporting(armature, made), "playing")
        values["bin"] = [
            str(path.absolute()) for path in files.save_for_engine(arguments.bin, exported, armature)
        ]
    lines = [
        f"{len(made.database.sources)} clips, {made.database.frames} frames at {made.database.fps:g} a "
        "second; "
        f"speeds of {coverage.spoken(speeds)} m/s"
    ]
    lines += [f"written: {path}" for path in (values.get("output"), *values.get("bin", ())) if path]
    return values, lines
