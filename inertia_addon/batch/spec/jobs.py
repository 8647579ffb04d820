# SPDX-License-Identifier: GPL-3.0-or-later
"""What is to be done: jobs, each a transition with what it is read from and written to."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from pathlib import Path
from typing import Any

from ...blender.settings import TransitionSettings

FORM = 1
"""Counted up when the same recipe would be baked otherwise: what was done before is then done anew."""


def digest_of(values: Any) -> str:
    """A digest of JSON values that does not depend on the order of their fields."""
    text = json.dumps(values, sort_keys=True, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


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
    """What a job leaves to a search.

    cut, destination_frame: whether each is searched. first, last: the range of cuts, None for the
    source's own. keep_frames: how many frames of the destination are left after the cut.
    """

    cut: bool
    destination_frame: bool
    first: float | None = None
    last: float | None = None
    keep_frames: float = 12.0


@dataclasses.dataclass(frozen=True)
class Job:
    """One transition, from files to files.

    settings: as for the button; what is searched holds a placeholder. searched: None for nothing.
    weights: (bone, weight) of the joints that count, () for ``joints``. outputs: names within the output
    folder. where: the field of the spec it is from, for messages.
    """

    inputs: Inputs
    armature: str | None
    settings: TransitionSettings
    searched: Searched | None
    joints: str
    weights: tuple[tuple[str, float], ...]
    outputs: tuple[str, ...]
    where: str

    @property
    def label(self) -> str:
        """The transition for a reader."""
        cut = "best cut" if self.searched and self.searched.cut else f"cut {self.settings.cut:g}"
        return f"{self.settings.source} to {self.settings.destination}, {cut}"

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
            "inputs": self.inputs.as_dict(),
            "armature": self.armature,
            "settings": self.settings.as_dict(),
            "searched": None if self.searched is None else dataclasses.asdict(self.searched),
            "joints": self.joints,
            "weights": dict(self.weights),
            "outputs": list(self.outputs),
            "where": self.where,
        }

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Job:
        """The inverse of :meth:`as_dict`."""
        return cls(
            Inputs.from_dict(values["inputs"]),
            values["armature"],
            TransitionSettings.from_dict(values["settings"]),
            None if values["searched"] is None else Searched(**values["searched"]),
            values["joints"],
            tuple(values["weights"].items()),
            tuple(values["outputs"]),
            values["where"],
        )
