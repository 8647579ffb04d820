# SPDX-License-Identifier: GPL-3.0-or-later
"""The command ``bake``: one transition, from files to a file."""

from __future__ import annotations

import argparse
import dataclasses
import math
from typing import TYPE_CHECKING, Any

from ...console import output, progress
from ...errors import UsageError
from ...settings import fields
from .. import options

if TYPE_CHECKING:
    from ...settings.transition import TransitionSettings

HELP = "bake a transition between two actions"
DESCRIPTION = """Bake an inertialized transition between two actions of an armature, and write the file.

A .blend file keeps everything, the two actions as they were and the new one. The other kinds hold the
character with the new action alone, over its own frames, with a key on every frame: in .glb, .gltf and
.bvh files it begins at the file's beginning, in .fbx files at its own frame. Frames are scene frames; in
what is imported, .bvh and .fbx clips begin at frame 1 and .glb clips at frame 0.

The output takes its place only when it is complete; when something fails, an old one stays as it was.
Exit codes: 0 done, 1 failed, 2 wrong usage."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options to its parser."""
    options.add_input(parser)
    options.add(parser, optional=("source", "cut"))
    group = parser.add_argument_group("a pose in place of a source")
    group.add_argument(
        "--from-pose",
        type=fields.spoken,
        choices=("rest", "motion"),
        help="come from the pose that a .blend file shows, in place of --source: at rest, or with the motion "
        "with which the assigned action arrives there; --cut then says at which frame (default: the one that "
        "the file shows)",
    )
    options.add_writing(parser, reports=True)


def _settings(arguments: argparse.Namespace) -> TransitionSettings:
    """What is asked for; of a pose the source and the cut are still to be found. Raises UsageError."""
    missing = [f"--{name}" for name in ("source", "cut") if name not in arguments]
    if arguments.from_pose is None and missing:
        raise UsageError(f"the following arguments are required: {', '.join(missing)}")
    if arguments.from_pose is not None and "source" in arguments:
        raise UsageError("--from-pose is in place of --source; give one of them.")
    return options.settings(arguments, **{"source": "", "cut": 0.0} if missing else {})


def _from_pose(
    armature: Any, settings: TransitionSettings, arguments: argparse.Namespace
) -> TransitionSettings:
    """Settings whose source is the pose that the file shows at the cut."""
    import bpy

    from ...blender.data import actions, named
    from ...blender.transition import pose_clips

    scene = bpy.context.scene
    if "cut" in arguments:
        scene.frame_set(math.floor(settings.cut), subframe=settings.cut % 1.0)
    frame = scene.frame_current_final
    (name,) = named.found_names([settings.destination], armature.name)
    destination = actions.find(name, settings.destination_library)
    made = pose_clips.keep(armature, frame, arguments.from_pose == "motion", destination)
    source = {"source": made.action.name, "source_slot": made.slot.identifier, "source_library": ""}
    return dataclasses.replace(settings, cut=frame, source_scale=1.0, **source)


def run(arguments: argparse.Namespace) -> tuple[dict[str, Any], list[str]]:
    """Run the command; returns the result as JSON values, and no lines as all is said in messages."""
    settings = _settings(arguments)
    options.check_strips(settings.strips, arguments.output)
    paths = options.input_files(arguments)

    from ...blender.data import named
    from ...blender.judging import verdict
    from ...blender.transition import bake
    from .. import session

    read = session.load(arguments, paths, session.wanted(arguments))
    armature = session.armature(arguments)
    if arguments.from_pose is not None:
        settings = _from_pose(armature, settings, arguments)
    settings = named.with_found_names(settings, armature.name)
    plan = progress.finish(bake.planning(armature, settings), "planning")
    judged = progress.finish(verdict.of_played(plan.played), "judging")
    helps = progress.finish(bake.helping(plan, judged), "looking for what helps")
    report = bake.write_plan(plan)
    told = {
        **read.as_dict(),
        "output": str(arguments.output.absolute()),
        **report.as_dict(),
        "verdict": judged.as_dict(),
        "helps": [remedy.as_dict() for remedy in helps],
        "warnings": [*read.warnings, *report.warnings],
    }
    with session.reporting(arguments) as values:
        values |= told
        session.save(arguments, read, armature, report, arguments.output)
    for note in (*report.notes, *report.warnings, report.not_assigned_because):
        if note:
            output.say(f"note: {note}")
    session.say_baked(report, arguments.output)
    output.say(" ".join([*verdict.sentences(judged), *verdict.hints(judged)]))
    for line in ("what helps:", *(f"  {remedy.sentence}" for remedy in helps)) if helps else ():
        output.say(line)
    return values, []
