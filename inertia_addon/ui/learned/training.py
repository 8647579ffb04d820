# SPDX-License-Identifier: GPL-3.0-or-later
"""Models that are trained in the background: a slice of time between redraws, so that Blender stays in hand.

A training refers to nothing in the file: its clips are read before it begins. It goes on through undo, and
what has been learned is written down when another file is opened.
"""

from __future__ import annotations

import math
import time
from collections.abc import Hashable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bpy
from bpy.app.handlers import persistent

from ...blender.learned import files
from ...motion.learned import checking
from ...records import record
from ...storage import places
from ..shared import slices, words
from ..shared.slices import Jobs, Slices
from ..translations import translated
from . import models

if TYPE_CHECKING:
    from ...errors import InertiaError
    from ...motion.learned.checking import ModelCheck
    from ...motion.learned.training import Training
    from ...motion.learned.usability import Usability
    from ...motion.steps import Steps

SLICE_SECONDS = 0.05
"""How long a slice takes about; a step of large networks may itself take longer."""
REDRAW_SECONDS = 1.0
"""So often, at most, it is shown how far a training is."""


@record(eq=False)
class TrainingJob(slices.ArmatureJob[None]):
    """The last training of an armature. uid: the armature's. of_clips: what its clips depended on. slices:
    the training, and behind that, while is_checking, a look at how far it came, which check says then. seen:
    how it plays. fault: why it had to end. first: the part that was done when it began, at a time of the
    monotonic clock."""

    uid: int
    training: Training
    path: Path
    of_clips: Hashable
    is_stopped: bool = False
    is_checking: bool = False
    check: ModelCheck | None = None
    seen: Usability | None = None
    fault: InertiaError | None = None

    def __post_init__(self) -> None:
        self.first, self.began = self.training.done, time.monotonic()
        self.slices = Slices("Train Model", self._work(), progress=self.first)

    def _work(self) -> Steps[None]:
        """Train, writing to the file now and then, and, if the training came to its end, check how far it
        came; yield the part that is done of either, one after the other.

        When the check begins is_checking becomes True. At its end `check` has what it found, and `seen` the
        usability that the model itself says. A training that was stopped is not checked. Raise InertiaError
        where the file can't be written or the model is no motion.
        """
        try:
            model = yield from files.train(self.training, self.path, lambda: self.is_stopped)
        except OSError as error:
            raise places.failure(self.path, error) from error
        if self.training.done >= 1.0:
            self.is_checking = True
            with files.name_file_in_errors(str(self.path)):
                self.check = yield from checking.steps(model, self.training.material)
            self.seen = model.usability

    def ended(self, slices: Slices[None]) -> None:
        self.fault = slices.error
        if self.check is not None and not self.is_stopped:
            # as far as the armature is still there
            for armature in [thing for thing in bpy.data.objects if thing.session_uid == self.uid]:
                models.keep_check(armature, self.path, self.of_clips, self.check, self.seen)
        if self.fault is None:
            # its clips take room
            _jobs.pop(self.uid, None)

    @property
    def seconds_left(self) -> float | None:
        """How many seconds it will still train: before it goes, what was asked for, less the part that was
        done when it was resumed; and then as it goes, with what Blender takes between the slices.

        None while it is checked, and where steps are counted and none is done yet.
        """
        if self.is_checking:
            return None
        gone = self.done - self.first
        if gone <= 0.0:
            settings = self.training.settings
            return None if settings.iterations else settings.seconds * (1.0 - self.first)
        return (time.monotonic() - self.began) * (1.0 - self.done) / gone

    def stop(self) -> None:
        """End the training at once, with what has been learned written down; a check that goes on is given
        up, and its job forgotten.

        When this returns the file is written, unless that failed. Errors are kept as the job's fault, not
        raised.
        """
        self.is_stopped = True
        if self.is_checking:
            super().stop()
            _jobs.pop(self.uid, None)
        self.go_on(math.inf)


_jobs: Jobs[TrainingJob] = Jobs(SLICE_SECONDS, REDRAW_SECONDS)


def ready_text(seconds: float) -> str:
    """Return when something is ready in so many seconds, in Blender's language: ``Ready in about 7 minutes``,
    to the nearest minute, or for 30 seconds or less ``Ready within a minute``.
    """
    minutes = round(seconds / 60.0)
    if minutes < 1:
        return translated("Ready within a minute")
    return translated("Ready in about {0}", words.count(minutes, "minute"))


def begin(armature: Any, training: Training, path: Path, of_clips: Hashable) -> TrainingJob:
    """Begin a training; without a window it runs to its end."""
    job = _jobs[armature.session_uid] = TrainingJob(armature.session_uid, training, path, of_clips)
    _jobs.start()
    return job


def last_job(armature: Any) -> TrainingJob | None:
    """Return the last training of an armature."""
    return _jobs.of(armature)


def find_running(armature: Any) -> TrainingJob | None:
    """Return the training of an armature that goes on."""
    job = last_job(armature)
    return job if job is not None and not job.is_over else None


def all_going() -> list[int]:
    """Return the session_uid of each armature whose training goes on."""
    return [uid for uid, job in _jobs.items() if not job.is_over]


def is_written(path: Path) -> bool:
    """Tell whether a training goes on that is written to a file."""
    return any(not job.is_over and places.is_same(job.path, path) for job in _jobs.values())


def stop(uid: int) -> TrainingJob:
    """End the training of an armature that goes on, with what has been learned written down."""
    job = _jobs[uid]
    job.stop()
    return job


@persistent
def forget(*_arguments: Any) -> None:
    """End all that goes on, with what has been learned written down."""
    for job in [job for job in _jobs.values() if not job.is_over]:
        job.stop()
    _jobs.forget()
