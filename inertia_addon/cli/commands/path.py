# SPDX-License-Identifier: GPL-3.0-or-later
"""The command ``path``: a character that follows a path with the clips it has, from files to a file."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from ...console import output, progress
from ...console.outputs import Output
from ...errors import InertiaError, UsageError
from ...settings import fields, matching
from ...settings.learned import CrowdSettings
from ...settings.matching import PathSettings
from ...storage import file_kinds, safe_write
from .. import options

if TYPE_CHECKING:
    from ...blender.matching.bake import PathReport

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
    known = fields.settings(PathSettings)
    for title in dict.fromkeys(setting.group for setting in known.values()):
        group = parser.add_argument_group(title)
        for name, setting in known.items():
            if setting.group == title and name not in ("speed", "constant_speed"):
                options.add_one(group, setting)
        if title == known["speed"].group:
            group.add_argument(
                "--speed",
                nargs="+",
                metavar=("clips|constant|target", "METRES_PER_SECOND"),
                help=f"{known['speed'].help}; constant takes the speed after it",
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
    group = parser.add_argument_group("writing")
    options.add_path(group, "-o", "OUT", "the .blend, .glb, .gltf, .fbx or .bvh file to write")
    options.add_path(group, "--report", "FILE", "write what --json shows to a .json file as well")


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
    if arguments.model is not None:
        _check_model(arguments)
    crowd = _crowd_of(arguments, settings)
    paths = options.input_files(arguments)

    from ...blender.data import named
    from ...blender.matching import bake, followed, quality, search, stock
    from .. import session

    kinds = file_kinds.WRITABLE if crowd is None else (".blend",)
    wanted = (
        Output("-o", arguments.output, kinds, in_place=True),
        Output("--report", arguments.report, (".json",)),
    )
    read = session.load(arguments, paths, wanted)
    if crowd is not None:
        return _crowd(arguments, crowd, read)
    armature = session.armature(arguments)
    if arguments.model is not None:
        return _with_model(arguments, settings, read, armature)
    settings = named.with_found_names_of_path(settings, armature.name)
    weights = session.joint_weights(arguments, armature)
    course = followed.course(settings)
    analysed = progress.finish(stock.analysing(armature, settings, weights), "analysing")
    found = progress.finish(search.searching(analysed, settings, course), "searching")
    values: dict[str, Any] = {
        **read.as_dict(),
        "armature": armature.name,
        "settings": settings.as_dict(),
        **search.figures(found),
        "joins": search.joins(found),
        "warnings": [*read.warnings, *found.warnings],
    }
    for warning in found.warnings:
        output.say(f"note: {warning}")

    def bake_them() -> tuple[PathReport, dict[str, Any]]:
        report = progress.finish(bake.baking(armature, found), "baking")
        measured = progress.finish(quality.measuring(armature, found, report), "measuring")
        joins = quality.told(values["joins"], measured.verdicts)
        return report, {**measured.as_dict(), "searched": search.figures(found), "joins": joins}

    _write(arguments, values, read, armature, bake_them)
    return values, _lines(values)


def _with_model(
    arguments: argparse.Namespace, settings: PathSettings, read: Any, armature: Any
) -> tuple[dict[str, Any], list[str]]:
    """Follow with a model; as :func:`run`."""
    from ...blender.learned import bake, clips, follow, judged
    from ...blender.matching import followed

    model = clips.model_of(arguments.model, armature)
    steps = follow.following(model, settings, followed.course(settings), str(arguments.model.absolute()))
    found = progress.finish(steps, "following")
    values: dict[str, Any] = {
        **read.as_dict(),
        "armature": armature.name,
        "model": str(arguments.model.absolute()),
        "settings": settings.as_dict(),
        **follow.figures(found),
        "warnings": list(read.warnings),
    }

    def bake_it() -> tuple[PathReport, dict[str, Any]]:
        report = progress.finish(bake.baking(armature, found), "baking")
        verdicts = progress.finish(judged.of_report(armature, settings, report), "judging")
        return report, judged.told(report, verdicts)

    _write(arguments, values, read, armature, bake_it)
    return values, _told(values)


def _told(values: dict[str, Any]) -> list[str]:
    """How a model has followed its path, for a reader."""
    heading = values["heading_deg"]
    aside = "" if heading is None else f"; facing {heading:.1f} degrees aside"
    line = f"{values['seconds']:.1f} s, {values['cuts']} projections; "
    line += f"path {100.0 * values['path_rms_m']:.1f} cm rms, {100.0 * values['path_max_m']:.1f} cm at most"
    seen = values.get("verdict")
    return [line + aside, *([] if seen is None else seen["words"])]


def _crowd(
    arguments: argparse.Namespace, settings: CrowdSettings, read: Any
) -> tuple[dict[str, Any], list[str]]:
    """Have a crowd follow with a model; as :func:`run`."""
    from ...blender.data import named
    from ...blender.learned import clips, crowd, follow, judged

    first = named.find_armature(settings.members[0].armature)
    model, file = clips.model_of(arguments.model, first), str(arguments.model.absolute())
    those = crowd.walkers(settings, model)
    values: dict[str, Any] = {
        **read.as_dict(),
        "model": file,
        "settings": settings.as_dict(),
    }
    if arguments.output is None:
        asked = [(one.settings, one.target) for one in those]
        found = progress.finish(follow.together(model, asked, file), "following")
        values["crowd"] = [crowd.figures(*both) for both in zip(those, found, strict=True)]

    def make() -> tuple[PathReport, dict[str, Any]]:
        made = progress.finish(crowd.baking(model, those, file), "baking")
        verdicts = [
            progress.finish(judged.of_report(one.armature, one.settings, report), "judging")
            for one, (_, report) in zip(those, made, strict=True)
        ]
        told = [
            {
                **crowd.figures(one, found),
                **report.as_dict(),
                **judged.told(report, seen),
            }
            for one, (found, report), seen in zip(those, made, verdicts, strict=True)
        ]
        return crowd.whole([report for _, report in made]), {"crowd": told}

    _write(arguments, values, read, first, make)
    who = [(f"{one['armature']} along {one['followed']}", _told(one)) for one in values["crowd"]]
    return values, [f"{name}: {' '.join(lines)}" for name, lines in who]


def _write(
    arguments: argparse.Namespace,
    values: dict[str, Any],
    read: Any,
    armature: Any,
    make: Callable[[], tuple[PathReport, dict[str, Any]]],
) -> None:
    """Bake and write what is asked for, and add what there is to tell of it.

    make: bakes; returns its report, and what else was found out.
    """
    from .. import session

    with ExitStack() as written:
        if arguments.report is not None:
            path = written.enter_context(safe_write.replacing(arguments.report))
        if arguments.output is not None:
            report, measured = make()
            warnings = [*values["warnings"], *report.warnings]
            values |= {"output": str(arguments.output.absolute()), **report.as_dict(), **measured}
            values["warnings"] = warnings
            session.save(arguments, read, armature, report, arguments.output)
        if arguments.report is not None:
            path.write_text(output.as_json(values) + "\n", encoding="utf-8")


def _lines(values: dict[str, Any]) -> list[str]:
    heading = values["heading_deg"]
    lines = [
        f"{values['seconds']:.1f} s, {values['cuts']} joins; path {100.0 * values['path_rms_m']:.1f} cm rms, "
        f"{100.0 * values['path_max_m']:.1f} cm at most"
        + ("" if heading is None else f"; facing {heading:.1f} degrees aside")
        + f"; joins cost {1000.0 * values['displacement_m_s_per_second']:.1f} mm s a second"
    ]
    if (seen := values.get("verdict")) is not None:
        lines += seen["words"]
    rows = [["frame", "from", "to", "cost", "path", "facing", "join", "ahead", "worst joint", "verdict"]]
    for join in values["joins"]:
        why, seen = join["why"], join.get("verdict")
        rows.append(
            [
                f"{join['frame']:g}",
                _spoken(join["from"]),
                _spoken(join["to"]),
                f"{join['cost']:.2f}",
                *(f"{why[name]:.2f}" for name in ("path", "facing", "join", "ahead")),
                join["worst_joint"],
                "" if seen is None else seen["words"][0],
            ]
        )
    return [*lines, "", *output.table(rows)] if len(rows) > 1 else lines


def _spoken(place: dict[str, Any]) -> str:
    return f"{place['action']} {place['frame']:g}{' mirrored' if place['mirrored'] else ''}"
