# SPDX-License-Identifier: GPL-3.0-or-later
"""How a command runs with the files that are named: read without chatter, worked on, written and judged."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..blender import files
from ..blender.data import names, scene
from ..blender.evaluation import joints, playback
from ..blender.files import importing
from ..console import output, output_files, progress
from ..console.output_files import Output
from ..motion.steps import Steps
from ..records import record
from ..storage import places, safe_write
from ..tasks.task import Result, Task, Work
from . import gates, opened, options


@record(frozen=True)
class LoadedFiles:
    """What was read: its files by their names, and what a reader has to know of them.

    is_imported: whether they are none of Blender's own.
    """

    files: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    is_imported: bool = False


def load(arguments: argparse.Namespace, paths: Sequence[Path], wanted: Sequence[Output] = ()) -> LoadedFiles:
    """Read files into Blender, in place of what is open; without paths the open file stays. Return what was
    read as :class:`LoadedFiles`: ``files``, their names as given, or the open file's path; ``warnings``,
    sentences; and ``is_imported``, whether the first is no .blend file. Of a file that was open already there
    are no warnings.

    arguments: scale (None for 1), fps and up say how files that are not Blender's own are read; verbose,
    whether Blender's own output is shown; and the options that :func:`options.files_read` looks at. wanted:
    what is to be written; whether it can be is checked before anything is read, and after it against the
    files that were read along, such as a .gltf file's buffers.

    Warnings are also said on standard error. Before anything is read, raise UsageError for outputs that are
    inputs or one another, and for wrong endings, and InertiaError for what can't be written and for a folder,
    a device or a file too large to be read; without paths and an open file, the error of
    :func:`opened.explain_missing`. While it is read, raise InertiaError for what can't be read; with the
    files read, UsageError for outputs that are what was read along.
    """
    already = opened.file()
    named_files = options.files_read(arguments)
    output_files.check(wanted, [*named_files, *([already] if already else [])])
    for file in named_files:
        places.check_read(file)
    if paths:
        scale = 1.0 if arguments.scale is None else arguments.scale
        with output.muted(2, show=arguments.verbose):
            joined = files.load(paths, scale, arguments.fps, arguments.up)
        is_imported = paths[0].suffix.lower() != ".blend"
        warnings = *joined, *importing.warnings(paths, scale, arguments.fps, arguments.up)
        read = LoadedFiles(tuple(map(str, paths)), warnings, is_imported)
    elif already:
        read = LoadedFiles((str(already),))
    else:
        raise opened.explain_missing(sys.argv)
    output_files.check_apart(wanted, files.beside(paths))
    for warning in read.warnings:
        output.say(f"note: {warning}")
    return read


def perform(arguments: argparse.Namespace, paths: Sequence[Path], task: Task) -> dict[str, Any]:
    """Do a task with files, write what is wanted, and judge it by the gates.

    Return all there is to tell as JSON values: the task's own; "file" (the first that was read), "files" and
    "warnings" (of reading, then of the task); "armature" if the task is always about one; by the option's
    name each file that was written beside the report, an absolute path or, where the task wrote several, a
    list; and, if the task has gates, "over_gates", as :func:`gates.judge` answers. A breached gate raises
    nothing.

    The files are read into Blender. An action is made only if the option that takes it was given, and then
    saved there; for imported files the scene's range becomes the action's. The report has the returned values
    as JSON; it is written last. arguments.armature is set to the task's armature if that names one. Notes and
    breached gates are said on standard error. Raise UsageError or InertiaError as reading, the task and
    writing do.
    """
    options_of_files = {file.name: getattr(arguments, file.name) for file in task.writes()}
    wanted = {name: path for name, path in options_of_files.items() if path is not None}
    baked = next((wanted[file.name] for file in task.writes() if file.is_baked and file.name in wanted), None)
    read = load(arguments, paths, task.outputs(wanted))
    arguments.armature = task.armature or arguments.armature
    is_of_one = task.OF_ONE_ARMATURE or arguments.armature
    armature: Any = names.find_armature(arguments.armature) if is_of_one else None
    with contextlib.ExitStack() as closing:
        report = (
            closing.enter_context(safe_write.replace_safely(wanted["report"])) if "report" in wanted else None
        )
        closing.enter_context(scene.use_scene_of(armature))
        work = CommandWork(arguments, armature, wanted)
        with playback.enable(armature):
            done = task.resolved(armature.name if armature else "").perform(work, bakes=baked is not None)
        warnings = [*read.warnings, *done.values.get("warnings", ())]
        values = {"file": read.files[0], "files": [*read.files], "warnings": [], **done.values}
        values["warnings"] = warnings
        if task.OF_ONE_ARMATURE:
            values["armature"] = armature.name
        for note in done.notes:
            output.say(f"note: {note}")
        if baked is not None and done.report is not None:
            if read.is_imported:
                # the range of a .blend file is the user's own
                importing.cover(*done.report.frame_range)
            with output.muted(2, show=arguments.verbose):
                files.save(baked, armature, done.report.result, done.report.slot)
            values.setdefault("output", str(baked.absolute()))
        with output.muted(2, show=arguments.verbose):
            for name in wanted.keys() & done.writes.keys():
                written = done.writes[name](wanted[name])
                values[name] = str(wanted[name].absolute()) if written is None else [*map(str, written)]
        if task.GATES is not None:
            judged = [(done.label, done.measured)]
            values["over_gates"] = gates.judge(arguments, judged, lambda breach, line: output.say(line))
        if report is not None:
            report.write_text(output.as_json(values) + "\n", encoding="utf-8")
    return values


class CommandWork(Work):
    """How a task works in a command, which says how far it is."""

    def __init__(self, arguments: argparse.Namespace, armature: Any, wanted: Mapping[str, Path]) -> None:
        super().__init__(armature, is_judged=bool(gates.limits(arguments)), wanted=wanted)
        self._arguments = arguments

    def run(self, steps: Steps[Result], label: str) -> Result:
        """Run steps, and say every now and then how far they are."""
        return progress.finish(steps, label)

    def weights(self) -> dict[str, float]:
        """Return the weights of the joints that count; say which were found."""
        return joint_weights(self._arguments, self.armature)


def joint_weights(arguments: argparse.Namespace, armature: Any) -> dict[str, float]:
    """Return the weights of the joints that count, by bone; say on standard error what is to be known of
    them, such as that no limbs were found.

    arguments.weights: (bone, weight) pairs, names in any case, or None. If there are any, they alone count.
    Else arguments.joints decides: "all" gives every bone 1.0, "found" the joints that are found, "stored"
    what the armature stores, else those found. Raise InertiaError for a pair that names no bone, and for
    stored joints that can't be used.
    """
    weights, note = joints.resolve_weights(armature, arguments.weights or (), arguments.joints)
    if note:
        output.say(f"note: {note}")
    return weights
