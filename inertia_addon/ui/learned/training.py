# SPDX-License-Identifier: GPL-3.0-or-later
"""Models that are trained in the background: a slice of time between redraws, so that Blender stays in hand.

A training refers to nothing in the file: its clips are read before it begins. It goes on through undo, and
what has been learned is written down when another file is opened.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Hashable
from pathlib import Path
from typing import Any

import bpy
from bpy.app.handlers import persistent

from ...blender.learned import files
from ...errors import InertiaError
from ...motion.learned import checking
from ...motion.learned.checking import ModelCheck
from ...motion.learned.training import Training
from ...records import record
from ...storage import places
from ..shared import cache, words
from ..shared.slices import Slices
from ..translations import translated
from . import models

SLICE_SECONDS = 0.05
"""How long a slice takes about; a step of large networks may itself take longer."""
REDRAW_SECONDS = 1.0
"""So often, at most, it is shown how far a training is."""


@record(eq=False)
class Job:
    """The last training of an armature.

    of_clips: what its clips depended on. slices: the training, and behind that, while is_checking, a look at
    how far it came, which check says then. first: the part that was done when it began, at a time of the
    monotonic clock.
    """

    own: Training
    path: Path
    of_clips: Hashable
    is_stopped: bool = False
    is_checking: bool = False
    check: ModelCheck | None = None

    def __post_init__(self) -> None:
        self.first, self.began = self.own.done, time.monotonic()
        self.slices = Slices("Train Model", self._work(), done=self.first)

    def _work(self) -> Generator[float, None, None]:
        """Train, and see how far that came; yields the part that is done of either."""
        try:
            model = yield from files.training(self.own, self.path, lambda: self.is_stopped)
        except OSError as error:
            raise places.failure(self.path, error) from error
        if self.own.done >= 1.0:
            self.is_checking = True
            with files.naming(str(self.path)):
                self.check = yield from checking.steps(model, self.own.material)

    @property
    def is_going(self) -> bool:
        """Whether it has not ended."""
        return not self.slices.is_over

    @property
    def done(self) -> float:
        """The part that is done."""
        return self.slices.done

    @property
    def fault(self) -> InertiaError | None:
        """Why it had to end."""
        return self.slices.error

    @property
    def seconds_left(self) -> float | None:
        """How much longer it will train: as long as was asked for, before it goes, and then as it goes, with
        what Blender itself takes between the slices. None where steps are counted and none is done, or is
        over."""
        if self.is_checking:
            return None
        gone = self.done - self.first
        if gone <= 0.0:
            return None if self.own.settings.iterations else self.own.settings.seconds * (1.0 - self.first)
        return (time.monotonic() - self.began) * (1.0 - self.done) / gone

    def stop(self) -> None:
        """End, with what has been learned written down."""
        self.is_stopped = True
        if self.is_checking:
            self.slices.close()
        self.slices.go_on(float("inf"))


_jobs: dict[int, Job] = {}
"""By session_uid of the armature."""
_redrawn = 0.0
"""When it was shown last how far a training is."""


def ready_text(seconds: float) -> str:
    """``Ready in about 7 minutes``."""
    minutes = round(seconds / 60.0)
    if minutes < 1:
        return translated("Ready within a minute")
    return translated("Ready in about {0}", words.count(minutes, "minute"))


def begin(armature: Any, own: Training, path: Path, of_clips: Hashable) -> Job:
    """Begin a training; without a window it runs to its end."""
    job = _jobs[armature.session_uid] = Job(own, path, of_clips)
    if bpy.app.background:
        _go_on()
    elif not bpy.app.timers.is_registered(_go_on):
        bpy.app.timers.register(_go_on, first_interval=0.0)
    return job


def _go_on() -> float | None:
    """Train a slice; a timer's function."""
    global _redrawn
    waiting = [(uid, job) for uid, job in _jobs.items() if job.is_going]
    for uid, job in waiting:
        job.slices.go_on(float("inf") if bpy.app.background else SLICE_SECONDS / len(waiting))
        if job.check is not None:
            _keep(uid, job)
        if not job.is_going and job.fault is None:
            # its clips take room
            del _jobs[uid]
    is_done = not any(job.is_going for _, job in waiting)
    if is_done or time.monotonic() > _redrawn + REDRAW_SECONDS:
        cache.redraw()
        _redrawn = time.monotonic()
    return None if is_done else 0.0


def _keep(uid: int, job: Job) -> None:
    """Keep how far the model is from the clips, if its armature is still there."""
    for armature in bpy.data.objects:
        if armature.session_uid == uid and job.check is not None:
            models.keep_check(armature, job.path, job.of_clips, job.check)


def of(armature: Any) -> Job | None:
    """The last training of an armature."""
    return _jobs.get(armature.session_uid)


def going(armature: Any) -> Job | None:
    """The training of an armature that goes on."""
    job = of(armature)
    return job if job is not None and job.is_going else None


def all_going() -> list[int]:
    """The session_uid of each armature whose training goes on."""
    return [uid for uid, job in _jobs.items() if job.is_going]


def is_written(path: Path) -> bool:
    """Whether a training goes on that is written to a file."""
    return any(job.is_going and places.is_same(job.path, path) for job in _jobs.values())


def stop(uid: int) -> Job:
    """End the training of an armature that goes on, with what has been learned written down."""
    job = _jobs[uid]
    job.stop()
    if job.fault is None:
        del _jobs[uid]
    return job


@persistent
def forget(*_arguments: Any) -> None:
    """End all that goes on, with what has been learned written down."""
    if bpy.app.timers.is_registered(_go_on):
        bpy.app.timers.unregister(_go_on)
    for job in _jobs.values():
        if job.is_going:
            job.stop()
    _jobs.clear()
