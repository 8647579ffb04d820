# SPDX-License-Identifier: GPL-3.0-or-later
"""What the commands share of a run: files read without chatter, and the armature that is meant."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import bpy

from ..blender import files
from ..blender.data import named
from ..blender.evaluation import joints
from ..blender.files import importing
from ..console import output, outputs
from ..console.outputs import Output
from ..errors import UsageError


@dataclasses.dataclass(frozen=True)
class Read:
    """What was read: its files by their names, and what a reader has to know of them."""

    files: tuple[str, ...]
    warnings: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """What the result of a command says of it."""
        return {"file": self.files[0], "files": list(self.files), "warnings": list(self.warnings)}


def load(arguments: argparse.Namespace, paths: Sequence[Path], wanted: Sequence[Output] = ()) -> Read:
    """Read the files that were given, or keep the one that is open; says what there is to know of them.

    wanted: what is to be written, which is looked at first, and again when it is known what else was read.
    """
    opened = [Path(bpy.data.filepath)] if bpy.data.filepath else []
    outputs.check(wanted, [*paths, *opened])
    read = _load(arguments, paths)
    outputs.check_apart(wanted, files.beside(paths))
    for warning in read.warnings:
        output.say(f"note: {warning}")
    return read


def _load(arguments: argparse.Namespace, paths: Sequence[Path]) -> Read:
    if paths:
        scale = 1.0 if arguments.scale is None else arguments.scale
        with output.muted(2, arguments.verbose):
            files.load(paths, scale, arguments.fps)
        return Read(tuple(map(str, paths)), importing.warnings(paths, scale))
    if not bpy.data.filepath:
        raise UsageError("Give a FILE to read.")
    return Read((str(bpy.data.filepath),))


def armature(arguments: argparse.Namespace) -> Any:
    """The armature object that is meant."""
    return named.find_armature(arguments.armature)


def tell_of_joints(armature: Any, choice: str) -> None:
    """Say so where the joints that count are those that are found, and no limbs are.

    choice: as :func:`joints.named_weights` takes it.
    """
    if choice == "all" or (choice == "stored" and joints.stored_weights(armature) is not None):
        return
    if missing := joints.no_limbs(armature, joints.default_joints(armature)):
        output.say(f"note: {missing}")
