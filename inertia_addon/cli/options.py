# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line's options for a transition: one for every field of TransitionSettings."""

from __future__ import annotations

import argparse
import dataclasses
import math
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

from ..errors import InertiaError, UsageError
from ..settings import limits, methods, ranges
from ..settings.ranges import Range
from ..settings.reading import Reading
from ..settings.transition import CHOICES, TransitionSettings
from ..storage import file_kinds

LONGEST = 30
"""So many letters, at most, of what was taken for a number are said."""


@dataclasses.dataclass(frozen=True)
class Option:
    """How a field appears on the command line.

    metavar: what stands for the value. flag: the option's name where it is not the field's own.
    """

    help: str
    metavar: str | None = None
    flag: str | None = None


OPTIONS = {
    "source": Option("the action that plays first", "ACTION"),
    "destination": Option("the action that takes over", "ACTION"),
    "cut": Option("the scene frame at which the destination takes over", "FRAME"),
    "destination_frame": Option(
        "the destination's own frame that is shown at the cut (default: its first)", "FRAME"
    ),
    "source_library": Option(
        "the file that the source is linked from, as Blender stores it, when two share the name", "PATH"
    ),
    "destination_library": Option("the same for the destination", "PATH"),
    "source_slot": Option(
        "the source's slot, such as OBRig (default: as Blender chooses); before Blender 4.4 there is none",
        "SLOT",
    ),
    "destination_slot": Option("the destination's slot", "SLOT"),
    "method": Option(
        "how the difference at the cut decays; --half-life alone means spring, "
        "--extrapolation-half-life dead-blending"
    ),
    "quintic_start": Option(
        "how the quintic begins: softly, a third of it cubic; without a jump in acceleration; or with a "
        "jerk of zero"
    ),
    "blend_frames": Option(
        "how long a blend takes, in frames; not of the spring (default: 0.4 s at any frame rate)", "FRAMES"
    ),
    "half_life": Option("the time in which the spring halves the difference, in seconds", "SECONDS"),
    "extrapolation_half_life": Option(
        "the time in which the source's velocity halves after the cut under dead blending, in seconds",
        "SECONDS",
    ),
    "decomposition": Option(
        "what of a rotation decays: all three directions, or the angle about a fixed axis"
    ),
    "velocity": Option("the velocity at the cut: that of the difference, or the source's alone"),
    "guard": Option("what is done about a difference that swings past zero or grows"),
    "guard_angle": Option(
        "how far a rotation may swing or grow under --guard limit, else without a report, in degrees",
        "DEGREES",
    ),
    "guard_length": Option(
        "how far a location may swing or grow under --guard limit, else without a report, in metres",
        "METRES",
    ),
    "alignment": Option(
        "how the destination is moved to where the source is at the cut; auto moves and turns it when the "
        "root travels or stands elsewhere"
    ),
    "root": Option('the root bone, or "<object>" for the armature object (default: found)', "BONE"),
    "bones": Option("only these bones take part, the others go on playing the source (default: all)", "BONE"),
    "blend_scales": Option(
        "multiply a bone's blend time or half-life, in place of what the file says: 0 cuts at once, 2 takes "
        "twice as long",
        "BONE=FACTOR",
        "--blend-scale",
    ),
    "result": Option('the new action\'s name (default: "Source to Destination")', "NAME"),
    "assign": Option("do not assign the new action to the armature", None, "--no-assign"),
    "extrapolate": Option("let the cut lie outside of the clips' keys"),
}

GROUPS = {
    "what": """source destination cut destination_frame source_slot destination_slot source_library
        destination_library""",
    "how it blends": """method quintic_start blend_frames half_life extrapolation_half_life decomposition
        velocity guard guard_angle guard_length""",
    "what moves": "alignment root bones blend_scales extrapolate",
    "the new action": "result assign",
}
"""The options' order in the help: titles, with names of fields."""


def add_command(commands: Any, name: str, help: str, description: str) -> argparse.ArgumentParser:
    """Add a command to a parser's subcommands; returns its own parser.

    description: its first paragraphs, whose lines stay as they are.
    """
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=help,
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    return parser


def add(
    parser: argparse.ArgumentParser, only: Collection[str] | None = None, optional: Collection[str] = ()
) -> None:
    """Add an option for every field to a parser; those not given stay out of the namespace.

    only: the fields to add, None for all. optional: fields that need not be given here.
    """
    fields = {field.name: field for field in dataclasses.fields(TransitionSettings)}
    for title, members in GROUPS.items():
        names = [name for name in members.split() if only is None or name in only]
        if not names:
            continue
        group = parser.add_argument_group(title)
        # an empty one of these breaks argparse's own usage line
        lengths = group.add_mutually_exclusive_group() if "half_life" in names else group
        for name in names:
            of_length = name in ("blend_frames", "half_life")
            _add_one(lengths if of_length else group, fields[name], name not in optional)


def _add_one(group: Any, field: dataclasses.Field[Any], needed: bool) -> None:
    option = OPTIONS[field.name]
    flag = option.flag or "--" + field.name.replace("_", "-")
    keywords: dict[str, Any] = {"dest": field.name, "default": argparse.SUPPRESS, "help": option.help}
    required = needed and field.default is dataclasses.MISSING
    if isinstance(field.default, bool):
        group.add_argument(flag, action="store_false" if field.default else "store_true", **keywords)
        return
    keywords["metavar"] = option.metavar
    if isinstance(field.default, tuple):
        kind = bone_factor if field.name == "blend_scales" else str
        group.add_argument(flag, type=kind, nargs="+", action="extend", **keywords)
        return
    if field.name in CHOICES:
        keywords["choices"] = [spoken(choice) for choice in CHOICES[field.name]]
        keywords["help"] += f" (default: {spoken(str(field.default))})"
    elif isinstance(field.default, float):
        keywords["help"] += f" (default: {field.default:g})"
    allowed = ranges.ranges(TransitionSettings).get(field.name)
    group.add_argument(flag, type=number(allowed[0]) if allowed else str, required=required, **keywords)


def spoken(choice: str) -> str:
    """A choice as the command line has it."""
    return choice.lower().replace("_", "-")


def bone_factor(text: str) -> tuple[str, float]:
    """``BONE=FACTOR`` as a pair; a bone's name may itself have equals signs."""
    bone, equals, factor = text.rpartition("=")
    try:
        return bone, float(factor) if equals and bone else float("none")
    except ValueError as error:
        raise argparse.ArgumentTypeError(
            f'"{text}" is not of the form BONE=FACTOR, such as Hand=0.5'
        ) from error


def number(allowed: Range) -> Callable[[str], Any]:
    """What reads an option's value: a number of a range."""

    def read(text: str) -> Any:
        try:
            value = int(text) if allowed.whole else float(text)
        except ValueError:
            value = math.nan
        if not allowed.holds(value):
            shown = text if len(text) <= LONGEST else text[:LONGEST] + "..."
            raise argparse.ArgumentTypeError(f'"{shown}" is no such number; give {allowed.words}')
        return value

    return read


def bone_weight(text: str) -> tuple[str, float]:
    """``BONE=WEIGHT`` as a pair."""
    bone, weight = bone_factor(text)
    if not limits.WEIGHT.holds(weight):
        raise argparse.ArgumentTypeError(f'"{text}" has no such weight; give {limits.WEIGHT.words}')
    return bone, weight


def add_joints(group: Any, weights: bool = True) -> None:
    """Add what says which joints count to a group of options. weights: whether they may be listed, too."""
    group.add_argument(
        "--joints",
        choices=("stored", "found", "all"),
        default="stored",
        help="the joints that count: those stored with the armature, else found (hips, head, hands and "
        "feet); found in any case; or all with the weight 1 (default: stored)",
    )
    if weights:
        group.add_argument(
            "--weight",
            dest="weights",
            type=bone_weight,
            nargs="+",
            action="extend",
            metavar="BONE=WEIGHT",
            help="only these joints count, with these weights",
        )


def add_keep_frames(group: Any) -> None:
    """Add how much of both clips a search leaves to a group of options."""
    group.add_argument(
        "--keep-frames",
        type=number(limits.KEEP_FRAMES),
        default=12.0,
        metavar="FRAMES",
        help="how many frames of the destination have to be left after the cut, and of the source to be "
        "played before it, unless a range says where it may lie: half of a short source (default: 12)",
    )


def settings(arguments: argparse.Namespace, **defaults: Any) -> TransitionSettings:
    """The settings that parsed options stand for. Raises UsageError for what does not go together.

    defaults: of fields that need not be given.
    """
    given = {**defaults, **vars(arguments)}
    values = {
        field.name: given[field.name]
        for field in dataclasses.fields(TransitionSettings)
        if field.name in given
    }
    for name in CHOICES:
        if name in values:
            values[name] = values[name].upper().replace("-", "_")
    for name in ("bones", "blend_scales"):
        if name in values:
            values[name] = tuple(values[name])
    values = methods.completed(values)
    foreign = methods.foreign(values, values.get("method"))
    if "half_life" in foreign:
        raise UsageError(
            "--half-life is of --method spring; {method} takes --blend-frames.",
            method=spoken(values["method"]),
        )
    if "blend_frames" in foreign:
        raise UsageError("--blend-frames is of the other methods; spring takes --half-life.")
    if "extrapolation_half_life" in foreign:
        raise UsageError("--extrapolation-half-life is of --method dead-blending.")
    try:
        return TransitionSettings(**values)
    except InertiaError as error:
        raise UsageError(str(error)) from error


def add_input(parser: argparse.ArgumentParser, several: bool) -> None:
    """Add what says which files are read, and how."""
    group = parser.add_argument_group("reading")
    group.add_argument(
        "files",
        metavar="FILE",
        type=Path,
        nargs="*" if several else "?",
        help="a .blend, .glb, .gltf, .fbx or .bvh file"
        + (
            f", or several of one skeleton, all {file_kinds.SPOKEN_JOINED}: their clips become actions of "
            "one character, named after the file where it has only one"
            if several
            else ""
        )
        + '; may be left out after "blender FILE --command"',
    )
    group.add_argument("--armature", metavar="NAME", help="the armature object (default: the only one)")
    group.add_argument(
        "--scale",
        type=number(ranges.of(Reading, "scale")),
        metavar="FACTOR",
        help="multiply the lengths in .bvh and .fbx files (default: 1)",
    )
    group.add_argument(
        "--fps",
        type=number(ranges.of(Reading, "fps")),
        metavar="RATE",
        help="frames a second of a .glb or .gltf file's keys (default: found)",
    )
    parser.add_argument("--json", action="store_true", help="write the result to standard output as JSON")
    parser.add_argument(
        "--verbose", action="store_true", help="show what Blender itself prints, on standard error"
    )


def input_files(arguments: argparse.Namespace) -> list[Path]:
    """The files to read. Raises UsageError for options that are not for their kind."""
    files = arguments.files
    paths: list[Path] = files if isinstance(files, list) else [files] if files is not None else []
    kinds = {path.suffix.lower() for path in paths}
    for flag, value, takers in (
        ("--scale", arguments.scale, set(file_kinds.SCALED)),
        ("--fps", arguments.fps, set(file_kinds.GLTF)),
    ):
        if value is not None and not (kinds and kinds <= takers):
            raise UsageError("{flag} is for {takers} files.", flag=flag, takers=" and ".join(sorted(takers)))
    if len(paths) > 1 and not file_kinds.are_joined(paths):
        raise UsageError(
            "Several files can be given only when all are {kinds} files.", kinds=file_kinds.SPOKEN_JOINED
        )
    return paths
