# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line's options, made of the settings."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

from ..errors import InertiaError, UsageError
from ..settings import fields, methods
from ..settings.cost import Joints
from ..settings.fields import Setting
from ..settings.ranges import Range
from ..settings.reading import ARMATURE, Reading
from ..settings.transition import TransitionSettings
from ..storage import file_kinds

READS = "reads"
"""What marks an option for files that are read."""
LENGTHS = {"blend_frames", "half_life", "suggest_blend_time"}
"""The settings that say how long a blend takes, one of which may be given."""
LONGEST = 30
"""So many letters, at most, of what was taken for a number are said."""


def add(
    parser: argparse.ArgumentParser, only: Collection[str] | None = None, optional: Collection[str] = ()
) -> None:
    """Add an option for every field to a parser; those not given stay out of the namespace.

    only: the fields to add, None for all. optional: fields that need not be given here.
    """
    known = fields.settings(TransitionSettings)
    wanted = [setting for name, setting in known.items() if only is None or name in only]
    for title in dict.fromkeys(setting.group for setting in wanted):
        group = parser.add_argument_group(title)
        members = [setting for setting in wanted if setting.group == title]
        # an empty one of these breaks argparse's own usage line
        of_length = LENGTHS & {setting.field for setting in members}
        lengths = group.add_mutually_exclusive_group() if of_length else group
        for setting in members:
            add_one(lengths if setting.field in LENGTHS else group, setting, setting.field not in optional)


def add_record(
    parser: argparse.ArgumentParser, record: Any, hidden: Collection[str] = (), needed: bool = False
) -> dict[str, Any]:
    """Add options for a record's settings to a parser; those not given stay out of the namespace.

    hidden: the fields that have none. needed: see :func:`add_one`. Returns the groups by their titles.
    """
    groups: dict[str, Any] = {}
    shown = [setting for name, setting in fields.settings(record).items() if name not in hidden]
    for title in dict.fromkeys(setting.group for setting in shown):
        groups[title] = parser.add_argument_group(title or "what")
        for setting in shown:
            if setting.group == title:
                add_one(groups[title], setting, needed)
    return groups


def add_writing(parser: argparse.ArgumentParser, needed: bool | None = True, reports: bool = False) -> None:
    """Add what says where the new action is written, and what there is to tell of it.

    needed: whether -o must be given, may be (False), or there is no action to write (None).
    """
    group = parser.add_argument_group("writing")
    if needed is not None:
        said = "the .blend, .glb, .gltf, .fbx or .bvh file to write"
        add_path(group, "-o", "OUT", said, required=needed)
    if reports:
        add_path(group, "--report", "FILE", "write what --json shows to a .json file as well")


def add_all(group: Any, record: Any, *names: str) -> None:
    """Add options for some of a record's settings to a group; those not given stay out of the namespace."""
    for name in names:
        add_one(group, fields.settings(record)[name])


def add_one(group: Any, setting: Setting, needed: bool = False, extends: bool = True, **more: Any) -> None:
    """Add the option of a setting to a group.

    needed: whether it must be given where it has no default; an action need not, if the file has one alone.
    extends: whether lists that are given one after the other add up; else the last one counts.
    """
    more = {"dest": setting.key, "default": argparse.SUPPRESS, "help": setting.said(fields.spoken), **more}
    if isinstance(setting.default, bool):
        more["help"] = setting.off or more["help"]
        group.add_argument(setting.flag, action="store_false" if setting.default else "store_true", **more)
        return
    if needed and setting.field == "action":
        more |= {"default": "", "help": f"{more['help']} (default: the only one)"}
        needed = False
    more |= {"metavar": setting.metavar, "required": needed and setting.is_needed}
    if setting.items:
        more |= {"choices": [fields.spoken(choice) for choice in setting.choices], "type": fields.spoken}
    elif setting.has_pairs:
        more["type"] = pair(setting)
    elif setting.range is not None:
        more["type"] = number(setting.range)
    if setting.is_list:
        more |= {"nargs": "+", "action": "extend" if extends else "store"}
    added = group.add_argument(setting.flag, **more)
    if setting.reads:
        _reads(added)
    if setting.former:
        flag = "--" + setting.former.replace("_", "-")
        group.add_argument(flag, **{**more, "required": False, "help": argparse.SUPPRESS})


def add_joints(group: Any, *names: str) -> None:
    """Add what says which joints count to a group of options. names: of fields of Joints."""
    for name in names:
        setting = fields.settings(Joints)[name]
        add_one(group, setting, default=setting.default or None)


def given(record: Any, arguments: argparse.Namespace) -> dict[str, Any]:
    """What parsed options say of a record's fields."""
    return fields.given(record, vars(arguments))


def add_switch(group: Any, flag: str, help: str) -> None:
    """Add an option that is given or not to a group."""
    group.add_argument(flag, action="store_true", help=help)


def add_path(group: Any, flag: str, metavar: str, help: str, **more: Any) -> None:
    """Add an option that takes the path of what is to be written to a group; -o is --output, too."""
    flags = ("-o", "--output") if flag == "-o" else (flag,)
    group.add_argument(*flags, type=Path, metavar=metavar, help=help, **more)


def add_read(group: Any, *flags: str, metavar: str, help: str, **more: Any) -> None:
    """Add an option, or an argument, for files or folders that the command reads to a group."""
    _reads(group.add_argument(*flags, type=Path, metavar=metavar, help=help, **more))


def _reads(added: argparse.Action) -> None:
    """Have the files that an option names known as what is read, so that nothing takes their place."""
    setattr(added, READS, True)


def read_by(parser: argparse.ArgumentParser) -> tuple[str, ...]:
    """Where a command's parser puts the names of the files that it reads."""
    return tuple(added.dest for added in parser._actions if getattr(added, READS, False))


def files_read(arguments: argparse.Namespace) -> list[Path]:
    """The files that a command was told to read; of a folder all that are in it."""
    told = [getattr(arguments, name, None) for name in arguments.reads]
    named = [each for value in told for each in (value if isinstance(value, list) else [value]) if each]
    files: list[Path] = []
    for path in map(Path, named):
        files += [entry for entry in path.iterdir() if entry.is_file()] if path.is_dir() else [path]
    return files


def add_number(group: Any, flag: str, allowed: Range, metavar: Any, help: str, **more: Any) -> None:
    """Add an option that takes a number of a range to a group."""
    group.add_argument(flag, type=number(allowed), metavar=metavar, help=help, **more)


def pair(setting: Setting) -> Callable[[str], tuple[str, float]]:
    """What reads ``BONE=NUMBER`` as a pair; a bone's name may itself have equals signs."""
    form, allowed = setting.metavar or "", setting.range
    assert allowed is not None

    def read(text: str) -> tuple[str, float]:
        bone, equals, factor = text.rpartition("=")
        try:
            value = float(factor) if equals and bone else float("none")
        except ValueError as error:
            raise argparse.ArgumentTypeError(
                f'"{text}" is not of the form {form}, such as Hand=0.5'
            ) from error
        if not allowed.holds(value):
            noun = form.rpartition("=")[2].lower()
            raise argparse.ArgumentTypeError(f'"{text}" has no such {noun}; give {allowed.words}')
        return bone, value

    return read


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


def settings(arguments: argparse.Namespace, **defaults: Any) -> TransitionSettings:
    """The settings that parsed options stand for. Raises UsageError for what does not go together.

    defaults: of fields that need not be given.
    """
    values = fields.given(TransitionSettings, {**defaults, **vars(arguments)})
    values = methods.completed(values)
    foreign = methods.foreign(values, values.get("method"))
    if "half_life" in foreign:
        method = fields.spoken(values["method"])
        raise UsageError(f"--half-life is of --method spring; {method} takes --blend-frames.")
    if "blend_frames" in foreign:
        raise UsageError("--blend-frames is of the other methods; spring takes --half-life.")
    if "extrapolation_half_life" in foreign:
        raise UsageError("--extrapolation-half-life is of --method dead-blending.")
    try:
        return TransitionSettings(**values)
    except InertiaError as error:
        raise UsageError(str(error)) from error


def add_input(parser: argparse.ArgumentParser) -> None:
    """Add what says which files are read, and how."""
    group = parser.add_argument_group("reading")
    add_read(
        group,
        "files",
        metavar="FILE",
        nargs="*",
        help="a .blend, .glb, .gltf, .fbx or .bvh file, or several of one skeleton, all "
        f"{file_kinds.SPOKEN_JOINED}: their clips become actions of one character, named after the file "
        'where it has only one; may be left out after "blender FILE --command"',
    )
    group.add_argument("--armature", metavar="NAME", help=ARMATURE)
    for setting in fields.settings(Reading).values():
        add_one(group, setting, default=None)
    add_saying(parser, "write the result to standard output as JSON")


def add_saying(parser: argparse.ArgumentParser, json: str) -> None:
    """Add what says how a command speaks. json: the help of the option for it."""
    add_switch(parser, "--json", json)
    add_switch(parser, "--verbose", "show what Blender itself prints, on standard error")


def input_files(arguments: argparse.Namespace) -> list[Path]:
    """The files to read. Raises UsageError for options that are not for their kind."""
    paths: list[Path] = arguments.files
    kinds = {path.suffix.lower() for path in paths}
    for name, takers in file_kinds.TAKERS.items():
        if getattr(arguments, name) is not None and not (kinds and kinds <= set(takers)):
            raise UsageError(f"--{name} is for {file_kinds.spoken(takers)} files.")
    if len(paths) > 1 and not file_kinds.are_joined(paths):
        raise UsageError(f"Several files can be given only when all are {file_kinds.SPOKEN_JOINED} files.")
    return paths


def check_strips(strips: bool, output: Path | None) -> None:
    """Raise UsageError for strips in a file that can hold none."""
    if strips and output is not None and output.suffix.lower() != ".blend":
        raise UsageError("Only a .blend file holds strips of the NLA; write one, or leave --strips out.")
