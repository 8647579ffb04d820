# SPDX-License-Identifier: GPL-3.0-or-later
"""Models that are trained in the background: a slice of time between redraws, so that Blender stays in hand.

A training refers to nothing in the file: its clips are read before it begins. It goes on through undo, and
what has been learned is written down when another file is opened.
"""

from __future__ import annotations

import dataclasses
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
from ...storage import places
from ..shared import cache
from . import models

SLICE_SECONDS = 0.05
"""How long a slice takes about; a step of large networks may itself take longer."""
REDRAW_SECONDS = 1.0
"""So often, at most, it is shown how far a training is."""


@dataclasses.dataclass(eq=False)
class Job:
    """The last training of an armature.

    of_clips: what its clips depended on. steps: None when it has ended; fault: why it had to. done: of the
    training, and behind that, while is_checking, of looking at how far it came, which check says then.
    first: the part that was done when it began, at a time of the monotonic clock.
    """

    own: Training
    path: Path
    of_clips: Hashable
    steps: Generator[float, None, None] | None = None
    is_stopped: bool = False
    is_checking: bool = False
    done: float = 0.0
    first: float = 0.0
    began: float = 0.0
    fault: str = ""
    check: ModelCheck | None = None

    def __post_init__(self) -> None:
        self.steps = self._work()
        self.first = self.done = self.own.done
        self.began = time.monotonic()

    def _work(self) -> Generator[float, None, None]:
        """Train, and see how far that came; yields the part that is done of either."""
        model = yield from files.training(self.own, self.path, lambda: self.is_stopped)
        if self.own.done >= 1.0:
            self.is_checking = True
            self.check = yield from checking.steps(model, self.own.material)

    @property
    def seconds_left(self) -> float | None:
        """How much longer it will train, as it goes now; None where that can't be told, or is over."""
        if self.is_checking:
            return None
        gone = self.done - self.first
        return None if gone < 0.005 else (time.monotonic() - self.began) * (1.0 - self.done) / gone

    def go_on(self, seconds: float) -> None:
        """Train for about so long."""
        until = time.monotonic() + seconds
        try:
            while self.steps is not None:
                self.done = next(self.steps)
                if time.monotonic() >= until:
                    break
        except StopIteration:
            self.steps = None
        except InertiaError as error:
            self.steps, self.fault = None, error.sentence
        except OSError as error:
            self.steps, self.fault = None, places.failure(self.path, error).sentence

    def stop(self) -> None:
        """End, with what has been learned written down."""
        self.is_stopped = True
        if self.is_checking:
            self.steps = None
        self.go_on(float("inf"))


_jobs: dict[int, Job] = {}
"""By session_uid of the armature."""
_redrawn = 0.0
"""When it was shown last how far a training is."""


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
    waiting = [(uid, job) for uid, job in _jobs.items() if job.steps is not None]
    for uid, job in waiting:
        job.go_on(float("inf") if bpy.app.background else SLICE_SECONDS / len(waiting))
        if job.check is not None:
            _keep(uid, job)
        if job.steps is None and not job.fault:
            # its clips take room
            del _jobs[uid]
    is_done = all(job.steps is None for _, job in waiting)
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
    return job if job is not None and job.steps is not None else None


def all_going() -> list[int]:
    """The session_uid of each armature whose training goes on."""
    return [uid for uid, job in _jobs.items() if job.steps is not None]


def stop(uid: int) -> Job:
    """End the training of an armature that goes on, with what has been learned written down."""
    job = _jobs[uid]
    job.stop()
    if not job.fault:
        del _jobs[uid]
    return job


@persistent
def forget(*_arguments: Any) -> None:
    """End all that goes on, with what has been learned written down."""
    if bpy.app.timers.is_registered(_go_on):
        bpy.app.timers.unregister(_go_on)
    for job in _jobs.values():
        if job.steps is not None:
            job.stop()
    _jobs.clear()
