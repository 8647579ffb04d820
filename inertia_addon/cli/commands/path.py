# SPDX-License-Identifier: GPL-3.0-or-later
"""The command ``path``: a character that follows a path with the clips it has, from files to a file."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from ...errors import InertiaError, UsageError
from ...settings import fields, matching
from ...settings.learned import CrowdSettings
from ...settings.matching import PathSettings
from ...storage import file_kinds
from ...tasks import paths
from ...tasks.task import Task
from .. import options
from ..task_command import perform

HELP = "let a character follow a path with its clips"
DESCRIPTION = """Let a character follow a path, and write the file.

Clips are chosen by motion matching, and joined by inertialization. The path is a curve object, an animated
object, or a .csv file of points: x and y in metres, with the time in seconds before them or without. It is
known in advance, so that the search can look ahead: it follows many hypotheses, each where it really is, and
takes the one that stays nearest to the path with the smoothest joins. What comes of it, which clips are
joined where, why, and what the next best choices were, --json tells.

With --model a model that the command learn has written plays in place of clips; and with --crowd, many
armatures at once, each along a path of its own.

Without -o nothing is baked or written, and what is said is what the search expects."""

FOLLOWED = {"curve", "target", "points"}
"""What there may be one of to follow."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options to its parser."""
    options.add_input(parser)
    groups = options.add_record(parser, PathSettings, ("speed", "constant_speed"))
    speed = fields.settings(PathSettings)["speed"]
    groups[speed.group].add_argument(
        "--speed",
        nargs="+",
        metavar=("clips|constant|target", "METRES_PER_SECOND"),
        help=f"{speed.help}; constant takes the speed after it",
    )
    options.add(parser, only=matching.OF_JOINS, optional=("source", "destination", "cut"))
    options.add_joints(parser.add_argument_group("which joints"), "joints", "weights")
    group = parser.add_argument_group("a model in place of clips")
    options.add_read(
        group,
        "--model",
        metavar="MODEL",
        help="follow with a model that the command learn has written, or with a folder of a game's networks",
    )
    options.add_all(group, CrowdSettings, "crowd")
    options.add_writing(parser, needed=False, reports=True)


def _settings(arguments: argparse.Namespace) -> PathSettings:
    """What is asked for; of a crowd, how all of it follows. Raises UsageError."""
    given = vars(arguments)
    if "crowd" in given:
        if arguments.model is None:
            raise UsageError("--crowd follows with a --model; give one.")
        if FOLLOWED & given.keys() or arguments.armature is not None:
            raise UsageError("--crowd says who follows what; leave out --armature and what else to follow.")
        # each follows a path of its own, which this stands for
        given = {**given, "curve": "crowd"}
    speed = _speed(arguments.speed) if arguments.speed else {}
    transition = options.settings(
        argparse.Namespace(**{name: given[name] for name in matching.OF_JOINS if name in given}),
        **matching.joined_by({"assign": True}),
    )
    try:
        return PathSettings.of(transition, {**_without(given, "speed"), **speed})
    except InertiaError as error:
        raise UsageError(str(error)) from error


def _without(given: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in given.items() if key != name}


def _check_model(arguments: argparse.Namespace) -> None:
    """Raise UsageError for settings that are of the search alone, where there is a model in its place."""
    known = fields.settings(PathSettings)
    for name in vars(arguments).keys() & {one.key for one in known.values()} - matching.OF_MODELS:
        raise UsageError(f"{known[name].flag} is of the search through clips; leave it out with --model.")


def _crowd_of(arguments: argparse.Namespace, settings: PathSettings) -> CrowdSettings | None:
    """Who follows what, where that is asked for. Raises UsageError."""
    given = options.given(CrowdSettings, arguments)
    try:
        return CrowdSettings(settings, **given) if given else None
    except InertiaError as error:
        raise UsageError(str(error)) from error


def _speed(words: list[str]) -> dict[str, Any]:
    """What --speed says, by the settings' names. Raises UsageError."""
    setting = fields.settings(PathSettings)["speed"]
    kind = setting.choice(words[0])
    wanted = 2 if kind == "CONSTANT" else 1
    if kind not in setting.choices or len(words) != wanted:
        raise UsageError('--speed takes "clips", "target", or "constant" and the metres per second.')
    if wanted == 1:
        return {"speed": kind}
    try:
        return {"speed": kind, "constant_speed": float(words[1])}
    except ValueError as error:
        raise UsageError(f'"{words[1]}" is no speed in metres per second.') from error


def run(arguments: argparse.Namespace) -> tuple[dict[str, Any], list[str]]:
    """Run the command; returns the result as JSON values, and lines for a reader."""
    settings = _settings(arguments)
    options.check_strips(settings.strips, arguments.output)
    kinds: Sequence[str] = file_kinds.WRITABLE
    task: Task = paths.Path(settings)
    if arguments.model is not None:
        _check_model(arguments)
        file = str(arguments.model.absolute())
        task = paths.Follow(settings, model=file)
        if crowd := _crowd_of(arguments, settings):
            task, kinds = paths.Crowd(crowd, file), (".blend",)
            arguments.armature = crowd.members[0].armature
    values = perform(arguments, task, kinds)
    if arguments.model is not None:
        values["model"] = file
    return values, task.lines(values)
