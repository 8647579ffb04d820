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
    DESCRIPTION = """Analyse a set of actions for motion matching, and write what is found.

-o writes an .npz with the arrays that the command path searches: the root's way, joints, contacts and
features; it writes over nothing but such a file. --bin writes database.bin and features.bin in the layout of
orangeduck's Motion-Matching, at 60 frames a second, so that his controller can play the clips;
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
        """Return the task that options ask for. Raise UsageError if they don't go together."""
        if values["output"] is None and values["bin"] is None:
            raise UsageError("Give -o or --bin, or both: where to write.")
        blend = {name: values[name] for name in OF_JOINS if name in values}
        transition = transition_of(blend, **matching.joined_by({}))
        chosen = {name: values[name] for name in ANALYSED if name in values}
        with misused():
            return cls(PathSettings.of(transition, {**chosen, "points": "none", "bends": 0.0}))

    def outputs(self, wanted: Mapping[str, Path]) -> list[Output]:
        """Return what the command is to write; only a database may be replaced."""
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
        """Analyse it."""
        from ..blender.data import markers
        from ..blender.matching import action_set, files
        from ..motion.matching import coverage

        armature = work.armature
        analysed = work.run(action_set.analyse_steps(armature, self.settings, work.weights()), "analysing")
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
        """Return lines on how much there is, and how fast it goes."""
        from ..motion.matching import coverage

        speeds = coverage.spoken([tuple(pair) for pair in values["speeds_m_per_s"]])
        frames = f"{values['frames']} frames at {values['fps']:g} a second"
        files = filter(None, (values.get("output"), *values.get("bin", ())))
        written = [f"written: {file}" for file in files]
        return [f"{len(values['clips'])} clips, {frames}; speeds of {speeds} m/s", *written]
