# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line's options, made of the settings."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..errors import UsageError
from ..settings import fields
from ..settings.cost import Joints
from ..settings.fields import Range, Setting
from ..settings.reading import ARMATURE, Reading
from ..settings.transition import TransitionSettings
from ..storage import file_kinds
from ..tasks.task import AskedSettings

READS = "reads"
"""What marks an option for files that are read."""
LENGTHS = {"blend_frames", "half_life", "suggest_blend_time"}
"""The settings that say how long a blend takes, one of which may be given."""
LONGEST = 30
"""So many letters, at most, of what was taken for a number are said."""


def add_asked(parser: argparse.ArgumentParser, asked: AskedSettings, groups: dict[str, Any]) -> None:
    """Add the options for settings that a task asks for to a parser; those not given stay out of the
    namespace.

    An option goes into the parser's group with the title asked.title, else with its setting's own group, else
    "what". groups: the parser's groups by title; new ones are made and added to it. Settings with neither
    `help` nor `off` get no option. If asked.optional is not None, the options of settings that it does not
    name have to be given if they have no default. Of a transition's blend_frames, half_life and
    suggest_blend_time only one may be given. Joints are an exception: they are always in the namespace, with
    their default, or None for an empty one.
    """
    titled: dict[str, list[Setting]] = {}
    for setting in asked.settings():
        if setting.help or setting.off:
            titled.setdefault(asked.title or setting.group or "what", []).append(setting)
    for title, settings in titled.items():
        group = groups[title] = groups.get(title) or parser.add_argument_group(title)
        # an empty one of these breaks argparse's own usage line
        has_lengths = asked.record is TransitionSettings and LENGTHS & {each.field for each in settings}
        lengths = group.add_mutually_exclusive_group() if has_lengths else group
        for setting in settings:
            is_needed = asked.optional is not None and setting.field not in asked.optional
            more = {"default": setting.default or None} if asked.record is Joints else {}
            holder = lengths if setting.field in LENGTHS else group
            add_setting(holder, setting, needed=is_needed, extends=asked.extends, **more)


def add_setting(
    group: Any, setting: Setting, *, needed: bool = False, extends: bool = True, **more: Any
) -> None:
    """Add the option of a setting to an argparse group.

    In the namespace it has the name setting.key, and is missing unless it is given. A boolean setting becomes
    a flag that takes no value and sets the opposite of its default. Values of others are read as one of the
    setting's choices, in lower case with hyphens; as BONE=NUMBER pairs; as numbers in its range; else as
    text.

    needed: whether it must be given where it has no default; flags never must be. A needed setting called
    action becomes "" instead, for the only one that the file has. extends: whether lists that are given one
    after the other add up; else, and for lists of a fixed length, the last one counts. more: replaces what
    argparse is told otherwise. A setting's former name is a second option, not shown in the help and never
    needed; it does not stand in for one that must be given. A setting of files to read is marked as such for
    :func:`files_read`.
    """
    more = {
        "dest": setting.key,
        "default": argparse.SUPPRESS,
        "help": setting.describe(fields.spoken),
        **more,
    }
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
        more |= {
            "nargs": setting.count or "+",
            "action": "extend" if extends and not setting.count else "store",
        }
    added = group.add_argument(setting.flag, **more)
    if setting.reads:
        _reads(added)
    if setting.former:
        flag = "--" + setting.former.replace("_", "-")
        group.add_argument(flag, **{**more, "required": False, "help": argparse.SUPPRESS})


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
    """Return where a command's parser puts the names of the files that it reads."""
    return tuple(added.dest for added in parser._actions if getattr(added, READS, False))


def files_read(arguments: argparse.Namespace) -> list[Path]:
    """Return the files that a command was told to read, by all of its options that name such; of a folder,
    the files directly in it, in no certain order.

    arguments.reads: the names of these options, which every command must have set; an option holds a path, a
    list of paths, or nothing, and then it is left out. A path where nothing is, is returned as it is. Raise
    OSError for a folder that can't be listed.
    """
    values = [getattr(arguments, name, None) for name in arguments.reads]
    names = [each for value in values for each in (value if isinstance(value, list) else [value]) if each]
    files: list[Path] = []
    for path in map(Path, names):
        files += [entry for entry in path.iterdir() if entry.is_file()] if path.is_dir() else [path]
    return files


def add_number(group: Any, flag: str, allowed: Range, metavar: Any, help: str, **more: Any) -> None:
    """Add an option that takes a number of a range to a group."""
    group.add_argument(flag, type=number(allowed), metavar=metavar, help=help, **more)


def read_part(text: str) -> tuple[int, int]:
    """Read ``I/N``, the I-th of N parts, which begin at 1; return both numbers. Raise
    argparse.ArgumentTypeError for any other text, and for I of 0 or beyond N.
    """
    number, slash, count = text.partition("/")
    is_form = slash and number.isdecimal() and count.isdecimal()
    if not is_form or not 1 <= int(number) <= int(count):
        raise argparse.ArgumentTypeError(f'"{text}" is no part of several; give one such as 2/8')
    return int(number), int(count)


def pair(setting: Setting) -> Callable[[str], tuple[str, float]]:
    """Return a function that reads ``BONE=NUMBER`` into a (bone, number) pair; the last equals sign counts.

    setting: gives the number's range, and the form that errors name. The function raises
    argparse.ArgumentTypeError for another form, an empty bone or a number out of range.
    """
    form, allowed = str(setting.metavar or ""), setting.range
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
    """Return a function that reads an option's text as a number of a range: an int if the range is of whole
    ones, else a float.

    The function raises argparse.ArgumentTypeError for any other text, numbers out of range and NaN among
    them.
    """

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


def add_input(parser: argparse.ArgumentParser) -> None:
    """Add the options that say which files are read and how, and --json and --verbose, to a parser.

    The arguments get "files", a list of paths for any number of FILE, [] for none; "armature" and one value
    for each setting of Reading, such as scale and fps, all None unless given; and "json" and "verbose", False
    unless given.
    """
    group = parser.add_argument_group("reading")
    add_read(
        group,
        "files",
        metavar="FILE",
        nargs="*",
        help="a .blend, .glb, .gltf, .fbx, .usd or .bvh file, or several of one skeleton, all "
        f"{file_kinds.SPOKEN_JOINED}: their clips become actions of one character, named after the file "
        'where it has only one; may be left out after "blender FILE --command"',
    )
    group.add_argument("--armature", metavar="NAME", help=ARMATURE)
    for setting in fields.settings(Reading).values():
        add_setting(group, setting, default=None)
    add_saying(parser, "write the result to standard output as JSON")


def add_saying(parser: argparse.ArgumentParser, json: str) -> None:
    """Add what says how a command speaks. json: the help of the option for it."""
    add_switch(parser, "--json", json)
    add_switch(parser, "--verbose", "show what Blender itself prints, on standard error")


def input_files(arguments: argparse.Namespace) -> list[Path]:
    """Return the files to read, as they were given; [] for none.

    Raise UsageError for an option such as --scale that is not for all of their kinds, or given without files,
    and for several files that can't be joined.
    """
    paths: list[Path] = arguments.files
    kinds = {path.suffix.lower() for path in paths}
    for name, takers in file_kinds.TAKERS.items():
        if getattr(arguments, name) is not None and not (kinds and kinds <= set(takers)):
            raise UsageError(f"--{name} is for {file_kinds.spoken(takers)} files.")
    if len(paths) > 1 and not file_kinds.are_joined(paths):
        raise UsageError(f"Several files can be given only when all are {file_kinds.SPOKEN_JOINED} files.")
    return paths
