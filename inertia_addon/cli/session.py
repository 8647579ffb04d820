# SPDX-License-Identifier: GPL-3.0-or-later
"""What the commands share of a run: files read without chatter, and the armature that is meant."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Generator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import bpy

from ..blender import files
from ..blender.data import names
from ..blender.evaluation import joints
from ..blender.files import importing
from ..blender.transition.report import Made
from ..console import output, outputs, progress
from ..console.outputs import Output
from ..errors import UsageError
from ..records import record
from ..storage import places, safe_write
from ..tasks.work import Result, Work
from . import gates, options


@record(frozen=True)
class Read:
    """What was read: its files by their names, and what a reader has to know of them.

    is_imported: whether they are none of Blender's own.
    """

    files: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    is_imported: bool = False

    def as_dict(self) -> dict[str, Any]:
        """What the result of a command says of it."""
        return {"file": self.files[0], "files": list(self.files), "warnings": list(self.warnings)}


def load(arguments: argparse.Namespace, paths: Sequence[Path], wanted: Sequence[Output] = ()) -> Read:
    """Read the files that were given, or keep the one that is open; says what there is to know of them.

    wanted: what is to be written, which is looked at first, and again when it is known what else was read.
    """
    opened = [Path(bpy.data.filepath)] if bpy.data.filepath else []
    known = options.files_read(arguments)
    outputs.check(wanted, [*known, *opened])
    for file in known:
        places.check_read(file)
    if paths:
        scale = 1.0 if arguments.scale is None else arguments.scale
        with output.muted(2, arguments.verbose):
            files.load(paths, scale, arguments.fps)
        is_imported = paths[0].suffix.lower() != ".blend"
        read = Read(tuple(map(str, paths)), importing.warnings(paths, scale, arguments.fps), is_imported)
    elif opened:
        read = Read((bpy.data.filepath,))
    else:
        raise UsageError("Give a FILE to read.")
    outputs.check_apart(wanted, files.beside(paths))
    for warning in read.warnings:
        output.say(f"note: {warning}")
    return read


@contextlib.contextmanager
def reporting(arguments: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """A result's values, to be filled, which are written into the file of --report, if any, at the end."""
    path, values = getattr(arguments, "report", None), dict[str, Any]()
    with contextlib.ExitStack() as written:
        file = None if path is None else written.enter_context(safe_write.replacing(path))
        yield values
        if file is not None:
            file.write_text(output.as_json(values) + "\n", encoding="utf-8")


def armature(arguments: argparse.Namespace) -> Any:
    """The armature object that is meant."""
    return names.find_armature(arguments.armature)


def save(arguments: argparse.Namespace, read: Read, armature: Any, report: Made, path: Path) -> None:
    """Write what was baked to a file."""
    if read.is_imported:
        # the range of a .blend file is the user's own
        importing.cover(*report.frame_range)
    with output.muted(2, arguments.verbose):
        files.save(path, armature, report.result, report.slot)


class CommandWork(Work):
    """How a task works in a command, which says how far it is."""

    def __init__(self, arguments: argparse.Namespace, armature: Any, wanted: Mapping[str, Path]) -> None:
        super().__init__(armature, bool(gates.limits(arguments)), wanted)
        self._arguments = arguments

    def run(self, steps: Generator[float, None, Result], what: str) -> Result:
        """Run steps, and say every now and then how far they are."""
        return progress.finish(steps, what)

    def weights(self) -> dict[str, float]:
        """The joints that count; says which were found."""
        return joint_weights(self._arguments, self.armature)


def joint_weights(arguments: argparse.Namespace, armature: Any) -> dict[str, float]:
    """The joints that count; says so where these are the found ones, and no limbs are."""
    found, said = joints.asked_for(armature, arguments.weights or (), arguments.joints)
    if said:
        output.say(f"note: {said}")
    return found
