# SPDX-License-Identifier: GPL-3.0-or-later
"""Databases: a set of actions, analysed for motion matching, as files."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from ..console.output_files import Output, make_folders
from ..errors import UsageError
from ..records import record
from ..settings import matching
from ..settings.matching import PathSettings
from ..settings.transition import TransitionSettings
from .task import JOINTS, AskedSettings, Done, OutputOption, Task, Work, misused, transition_of

ANALYSED = (
    *("actions", "mirror", "cycles", "find_cycles", "speeds"),
    *("features", *matching.WEIGHTS),
)
OF_JOINS = (*matching.HOW_JOINS_BLEND, "root")


@record(frozen=True)
class DatabaseTask(Task):
    """A set of actions. The settings are a path's, of which nothing is followed."""

    KIND = "database"
    SETTINGS = PathSettings
    COMMAND = "database"
    EVENT = ("frames",)
    SUMMARY = ("frames", "fps")
    HELP = "write a set of actions, analysed for motion matching, as a file"
    DESCRIPTION = """Analyse a set of actions for motion matching, and write the result.

-o writes an .npz with the arrays that the command path searches: the root's way, joints, contacts and
features; it overwrites only such files. --bin writes database.bin and features.bin in the layout of
orangeduck's Motion-Matching, at 60 frames a second, so that his controller can play the clips.
docs/matching.md describes both."""
    ASKS = (
        AskedSettings(PathSettings, ANALYSED, title="what is analysed"),
        AskedSettings(TransitionSettings, {*OF_JOINS}),
        JOINTS,
    )
    WRITES = (
        OutputOption("-o", "OUT", "the .npz file to write", (".npz",)),
        OutputOption("--bin", "DIR", "the folder to write database.bin and features.bin into", (".bin",)),
    )

    @classmethod
    def of_options(cls, values: Mapping[str, Any]) -> Task:
        """Return the DatabaseTask that the command's options ask for.

        values: by option name; "output" and "bin" are always there, None where not given. Read are only the
        options of what is analysed (ANALYSED) and of how joins blend (OF_JOINS). The task's settings are a
        PathSettings with points "none" and bends 0.0, as no path is followed and no bent copies are analysed;
        its transition has no source and no destination, and its cut is 0.0. Raise UsageError if neither -o
        nor --bin is given, or if settings are out of range or don't go together.
        """
        if values["output"] is None and values["bin"] is None:
            raise UsageError("Give -o or --bin, or both: where to write.")
        blend = {name: values[name] for name in OF_JOINS if name in values}
        transition = transition_of(blend, **matching.joined_by({}))
        chosen = {name: values[name] for name in ANALYSED if name in values}
        with misused():
            return cls(PathSettings.of(transition, {**chosen, "points": "none", "bends": 0.0}))

    def outputs(self, wanted: Mapping[str, Path]) -> list[Output]:
        """Return the files that the command is to write, for a check before any work.

        wanted: paths by name, "output" and "bin", only those that were given. The first Output is the .npz of
        -o, with path None if it is not wanted; its replaces is :func:`files.check_place`, which lets it take
        the place of nothing but a database. With "bin" two more follow, database.bin and features.bin in that
        folder, with the flag "--bin", the ending .bin and makes_folder on: the folder need not be there.
        Nothing is written or made here.
        """
        from ..blender.matching import files

        output, _ = super().outputs(wanted)
        names = (files.DATABASE, files.FEATURES) if "bin" in wanted else ()
        within = [Output("--bin", wanted["bin"] / name, (".bin",), makes_folder=True) for name in names]
        return [dataclasses.replace(output, replaces=files.check_place), *within]

    @property
    def label(self) -> str:
        """The set for a reader."""
        return f"database of {', '.join(self.settings.actions) or 'all actions'}"

    def resolved(self, armature: str) -> Self:
        """Return the task with the names of its actions as the file has them."""
        from ..blender.data import names

        actions = names.resolve(self.settings.actions, armature)
        return dataclasses.replace(self, settings=dataclasses.replace(self.settings, actions=actions))

    def make(self, work: Work, *, bakes: bool) -> Done:
        """Analyse the actions for motion matching; return figures, and the functions that write the database.

        bakes is ignored: no action is made. values of the Done: "frames" (of all clips together), "fps",
        "clips", "joints" (names of bones) and "speeds_m_per_s" (ranges [low, high] of speeds over the ground,
        slow ones first). Each of the clips, mirror images among them, is a dict: "name" is the action's,
        "mirrored" tells its mirror image; "first" is the clip's own frame that is the first in the database,
        and "step" how many of its own frames go by from one of the database to the next; "bend" is by how
        much it was bent to the left, radians a second; "markers" are dicts of name and frame, to a hundredth.

        writes: "output" saves the .npz and returns None. "bin" makes the folder, plays the set for export and
        returns the absolute paths of database.bin and features.bin, as a list. Both raise InertiaError where
        they can't write. Raise InertiaError where no clip fits or one can't be read.
        """
        from ..blender.data import markers
        from ..blender.matching import action_set, files
        from ..motion.matching import coverage

        armature = work.armature
        analysed = work.run(
            action_set.analyse_steps(work.character, self.settings, work.weights()), "analysing"
        )
        database = analysed.database
        values: dict[str, Any] = {
            "frames": database.frames,
            "fps": database.fps,
            "clips": [
                {**dataclasses.asdict(source), "markers": markers.as_values(analysed.markers(source))}
                for source in database.sources
            ],
            "joints": list(database.joints),
            "speeds_m_per_s": [list(pair) for pair in coverage.speeds_of(database)],
        }

        def for_engine(folder: Path) -> list[Path]:
            make_folders(folder)
            exported = work.run(files.export_set_steps(armature, analysed), "playing")
            return [path.absolute() for path in files.save_for_engine(folder, exported, armature)]

        def save(path: Path) -> None:
            files.save(path, files.contents(analysed, self.settings))

        return Done(self.label, values, writes={"output": save, "bin": for_engine})

    @staticmethod
    def lines(values: dict[str, Any]) -> list[str]:
        """Return the command's text: one line with counts of clips and frames, frame rate and speeds in m/s,
        then one "written: path" line for each file.

        values: of make, with "output" (a path) and "bin" (a list of paths) where these were written.
        """
        from ..motion.matching import coverage

        speeds = coverage.spoken([tuple(pair) for pair in values["speeds_m_per_s"]])
        frames = f"{values['frames']} frames at {values['fps']:g} a second"
        files = filter(None, (values.get("output"), *values.get("bin", ())))
        written = [f"written: {file}" for file in files]
        return [f"{len(values['clips'])} clips, {frames}; speeds of {speeds} m/s", *written]
