# SPDX-License-Identifier: GPL-3.0-or-later
"""What is to be done: jobs, each of one kind, with what it is read from and written to."""

from __future__ import annotations

import abc
import dataclasses
import hashlib
import json
from pathlib import Path
from typing import Any, ClassVar

from ...settings.hops import HopSettings
from ...settings.transition import TransitionSettings

FORM = 1
"""Counted up when the same recipe would be baked otherwise: what was done before is then done anew."""


SUMMARY = "batch.json"
"""What a run writes of all jobs, beside their outputs."""


def digest_of(values: Any) -> str:
    """A digest of JSON values that does not depend on the order of their fields."""
    text = json.dumps(values, sort_keys=True, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def contents_of(digests: dict[str, str]) -> str:
    """A digest of inputs that does not depend on where they are. digests: by path."""
    return digest_of(sorted((Path(path).name, digest) for path, digest in digests.items()))


@dataclasses.dataclass(frozen=True)
class Inputs:
    """Files that are read together. files: absolute paths. scale, fps: see ``files.load``."""

    files: tuple[str, ...]
    scale: float | None = None
    fps: float | None = None

    @property
    def name(self) -> str:
        """The files for a reader, and for ``{file}`` in an output's name."""
        return Path(self.files[0]).stem

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {"files": list(self.files), "scale": self.scale, "fps": self.fps}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Inputs:
        """The inverse of :meth:`as_dict`."""
        return cls(tuple(values["files"]), values["scale"], values["fps"])


@dataclasses.dataclass(frozen=True)
class Searched:
    """What a transition leaves to a search.

    cut, destination_frame: whether each is searched. first, last: the range of cuts, None for the
    source's own. keep_frames: how many frames of the destination are left after the cut.
    """

    cut: bool
    destination_frame: bool
    first: float | None = None
    last: float | None = None
    keep_frames: float = 12.0


Settings = TransitionSettings | HopSettings


@dataclasses.dataclass(frozen=True, kw_only=True)
class Job(abc.ABC):
    """Something to make, from files to files. Each kind of jobs is a class of its own.

    settings: as for the button. weights: (bone, weight) of the joints that count, () for ``joints``.
    outputs: names within the output folder. where: the field of the spec it is from, for messages.
    whole_file: whether a .blend holds all that its inputs do, and not only what the result needs.
    """

    KIND: ClassVar[str]
    """What tells it from the other kinds, for a reader too."""
    SETTINGS: ClassVar[type[TransitionSettings] | type[HopSettings]]

    inputs: Inputs
    armature: str | None
    settings: Settings
    joints: str
    weights: tuple[tuple[str, float], ...]
    outputs: tuple[str, ...]
    where: str
    whole_file: bool

    @property
    @abc.abstractmethod
    def label(self) -> str:
        """The job for a reader."""

    @abc.abstractmethod
    def told(self, report: dict[str, Any]) -> dict[str, Any]:
        """What an event says of what was made. report: the maker's."""

    @abc.abstractmethod
    def summary(self, report: dict[str, Any]) -> dict[str, Any]:
        """What the run's summary says of it."""

    @property
    def transition(self) -> TransitionSettings:
        """The settings of the transition, or of what the blends of a hop are."""
        return self.settings.transition if isinstance(self.settings, HopSettings) else self.settings

    def identity(self, contents: str) -> str:
        """A digest of the job's recipe and of its inputs' contents, which are themselves a digest.

        Where the files are does not count, but for their names, after which actions are named.
        """
        values = self.as_dict()
        values["inputs"]["files"] = [Path(path).name for path in self.inputs.files]
        del values["where"]
        return digest_of({"form": FORM, "job": values, "contents": contents})

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "kind": self.KIND,
            **{field.name: getattr(self, field.name) for field in dataclasses.fields(self)},
            "inputs": self.inputs.as_dict(),
            "settings": self.settings.as_dict(),
            "weights": dict(self.weights),
            "outputs": list(self.outputs),
            **self._own(),
        }

    def _own(self) -> dict[str, Any]:
        """The kind's own fields as JSON values, as far as they are none themselves."""
        return {}

    @staticmethod
    def from_dict(values: dict[str, Any]) -> Job:
        """The inverse of :meth:`as_dict`, for all kinds."""
        kind = KINDS[values["kind"]]
        shared = {
            "inputs": Inputs.from_dict(values["inputs"]),
            "settings": kind.SETTINGS.from_dict(values["settings"]),
            "weights": tuple(values["weights"].items()),
            "outputs": tuple(values["outputs"]),
            **kind._read_own(values),
        }
        return kind(**{name: shared.get(name, values[name]) for name in values if name != "kind"})

    @classmethod
    def _read_own(cls, values: dict[str, Any]) -> dict[str, Any]:
        """The inverse of :meth:`_own`."""
        return {}


@dataclasses.dataclass(frozen=True, kw_only=True)
class TransitionJob(Job):
    """One transition. searched: what is found first, None for nothing; the settings hold placeholders."""

    KIND = "transition"
    SETTINGS = TransitionSettings

    settings: TransitionSettings
    searched: Searched | None

    @property
    def label(self) -> str:
        """The transition for a reader."""
        cut = "best cut" if self.searched and self.searched.cut else f"cut {self.settings.cut:g}"
        return f"{self.settings.source} to {self.settings.destination}, {cut}"

    def told(self, report: dict[str, Any]) -> dict[str, Any]:
        """Where the two meet, and what a reader has to know of the bake."""
        where = {name: report["settings"][name] for name in ("cut", "destination_frame")}
        return {**where, "warnings": list(report["warnings"])}

    def summary(self, report: dict[str, Any]) -> dict[str, Any]:
        """The settings, and what a reader has to know of the bake."""
        return {name: report[name] for name in ("settings", "window", "warnings")}

    def _own(self) -> dict[str, Any]:
        return {"searched": None if self.searched is None else dataclasses.asdict(self.searched)}

    @classmethod
    def _read_own(cls, values: dict[str, Any]) -> dict[str, Any]:
        searched = values["searched"]
        return {"searched": None if searched is None else Searched(**searched)}


@dataclasses.dataclass(frozen=True, kw_only=True)
class HopJob(Job):
    """One hop, baked. rank: which of the trigger's hops it is, 1 for the best."""

    KIND = "hop"
    SETTINGS = HopSettings

    settings: HopSettings
    rank: int

    @property
    def label(self) -> str:
        """The hop for a reader."""
        own = self.settings.transition
        rank = f", rank {self.rank}" if self.rank > 1 else ""
        return f"{own.source} to {own.destination} by a hop, trigger {own.cut:g}{rank}"

    def told(self, report: dict[str, Any]) -> dict[str, Any]:
        """Which way it is, and what the direct transition costs; both by the distance that was searched."""
        return {"way": report["way"], "direct": report["searched"]["direct"]}

    def summary(self, report: dict[str, Any]) -> dict[str, Any]:
        """The settings, the way, and what a reader has to know of the search and of the blends."""
        warnings = [said for step in report["steps"] for said in step["warnings"]]
        return {
            "settings": self.settings.as_dict(),
            **{name: report[name] for name in ("way", "searched", "cuts")},
            "windows": [step["window"] for step in report["steps"]],
            "warnings": list(dict.fromkeys(warnings)),
        }


@dataclasses.dataclass(frozen=True, kw_only=True)
class TableJob(Job):
    """A table of hops. all_pairs: the clips whose pairs it is of, () for the settings' own pair."""

    KIND = "hop table"
    SETTINGS = HopSettings

    settings: HopSettings
    all_pairs: tuple[str, ...]

    @property
    def label(self) -> str:
        """The table for a reader."""
        own = self.settings.transition
        count = len(self.all_pairs)
        return f"hops of {count * (count - 1)} pairs" if count else f"hops {own.source} to {own.destination}"

    def told(self, report: dict[str, Any]) -> dict[str, Any]:
        """What the tables of the pairs say."""
        return {"pairs": report["pairs"]}

    def summary(self, report: dict[str, Any]) -> dict[str, Any]:
        """The settings, what was searched, and what the tables say."""
        return {"settings": self.settings.as_dict(), **report}

    def _own(self) -> dict[str, Any]:
        return {"all_pairs": list(self.all_pairs)}

    @classmethod
    def _read_own(cls, values: dict[str, Any]) -> dict[str, Any]:
        return {"all_pairs": tuple(values["all_pairs"])}


KINDS: dict[str, type[Job]] = {kind.KIND: kind for kind in (TransitionJob, HopJob, TableJob)}
