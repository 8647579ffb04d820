# SPDX-License-Identifier: GPL-3.0-or-later
"""Long work that is gone on with a slice at a time, as long as what it stands on stays.

However it ends, what it has begun is taken back unless it was done: nobody who drives it, an operator or a
timer, has to know what may go wrong on the way.
"""

from __future__ import annotations

import contextlib
import math
import time
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import bpy

from ...blender.data import compat
from ...errors import InertiaError
from ...records import record
from ..translations import translated
from . import cache, tool
from .work_inputs import Disturbed, Footing

if TYPE_CHECKING:
    from ...motion.steps import Steps

T = TypeVar("T")

RANGE = ("use_preview_range", "frame_preview_end", "frame_preview_start")
"""What of a scene says which part of it is played."""


class Slices(Generic[T]):
    """A generator that yields the part that is done, 0 to 1, and returns its result.

    label: of the operator that begins it, as sentences call it. footing: what it stands on, None for nothing
    in the file. done: the part that is done. result: what it returned. error: why it had to end.
    """

    def __init__(
        self, label: str, steps: Steps[T], footing: Footing | None = None, progress: float = 0.0
    ) -> None:
        self.label, self.done = label, progress
        self.footing = footing
        self.result: T | None = None
        self.error: InertiaError | None = None
        self.is_over = False
        self._steps = steps
        self._made: dict[int, str] = {}

    def go_on(self, seconds: float) -> None:
        """Work for about so many seconds, at least one step; nothing happens once it is over.

        First it is checked that nobody has changed what the work stands on or has made. Where that or the
        work fails, nothing is raised: error says why and is_over is True. All actions that the work has made
        are removed then, in earlier slices, too; what the armatures of its footing play, and the scene's
        frame and preview range, are as before the slice. KeyboardInterrupt and other exceptions that are no
        Exception get through, with the work ended. When the generator returns, result holds what it returned,
        done is 1, and is_over is True.
        """
        if self.is_over:
            return
        until = time.monotonic() + seconds
        before = _Before([] if self.footing is None else self.footing.armatures())
        try:
            self._check()
            while True:
                self.done = next(self._steps)
                if time.monotonic() >= until:
                    break
            if self.footing is not None:
                self.footing.settle()
            self._made = before.find_made(self._made)
        except StopIteration as end:
            self.result, self.done, self.is_over = end.value, 1.0, True
        except Exception as error:
            self._fail(error)
            before.put_back()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End the work before its end: its generator is closed, and the actions that it has made are removed
        from the file.

        Nothing happens where it is over already. Errors of the generator are printed, and not raised; is_over
        is True afterwards.
        """
        if self.is_over:
            return
        self.is_over = True
        try:
            self._steps.close()
        except Exception as error:
            # it wanted to take back what is gone
            tool.refusal(error, self.label)
        for action in [action for action in bpy.data.actions if action.session_uid in self._made]:
            bpy.data.actions.remove(action)

    def _check(self) -> None:
        """Raise Disturbed if an action that the work has made was removed or renamed, or if what the work
        stands on has changed.
        """
        names = {action.session_uid: action.name for action in bpy.data.actions}
        for uid, name in self._made.items():
            if names.get(uid) != name:
                raise Disturbed('"{name}", which is made on the way, was changed meanwhile', name=name)
        if self.footing is not None:
            self.footing.check()

    def _fail(self, error: Exception) -> None:
        self.error = tool.refusal(error, self.label)
        try:
            if isinstance(error, Disturbed):
                raise error
            # that may well be why it failed
            if self.footing is not None:
                self.footing.check()
        except Disturbed as why:
            self.error = InertiaError(
                "{operator} was stopped, and nothing was changed: {why}. Press {operator} again.",
                operator=translated(self.label),
                why=why.sentence,
            )
        self.close()


class ArmatureJob(Generic[T]):
    """Work for an armature that goes on between redraws: one of :class:`Jobs`. slices: the work itself; None
    before it has begun, and once it has ended."""

    slices: Slices[T] | None = None

    @property
    def is_over(self) -> bool:
        return self.slices is None

    @property
    def done(self) -> float:
        return 1.0 if self.slices is None else self.slices.done

    def go_on(self, seconds: float) -> None:
        """Work for about so many seconds; once it is over, hand the work to :meth:`ended` and drop it. Errors
        of the work are not raised. Nothing happens where no work is on.
        """
        slices = self.slices
        if slices is not None:
            slices.go_on(seconds)
            if slices.is_over:
                self.slices = None
                self.ended(slices)

    def ended(self, slices: Slices[T]) -> None:
        """Take what came of the work, or why it had to end."""
        raise NotImplementedError

    def stop(self) -> None:
        """Leave it at what there is."""
        if self.slices is not None:
            self.slices.close()
            self.slices = None


J = TypeVar("J", bound=ArmatureJob[Any])


class Jobs(dict[int, J]):
    """The last job of each armature, by its session_uid; those that are not over go on between redraws.

    slice_seconds: how long a slice of all together takes about. redraw_seconds: so often, at most, it is
    shown how far they are. timer: what Blender calls meanwhile.
    """

    def __init__(self, slice_seconds: float, redraw_seconds: float = math.inf) -> None:
        super().__init__()
        self.slice_seconds, self.redraw_seconds = slice_seconds, redraw_seconds
        self.timer = self.go_on
        self._redrawn = 0.0

    def of(self, armature: Any) -> J | None:
        return self.get(armature.session_uid)

    def start(self, seconds: float = 0.0) -> None:
        """Have what is not over go on, in so many seconds; without a window to its end, at once."""
        if bpy.app.background:
            self.go_on()
        else:
            cache.call_later(self.timer, seconds)

    def go_on(self) -> float | None:
        """Do a slice of each job that is not over, within slice_seconds together; without a window all to
        their end. A timer's function.

        Return 0.0 to be called again, None when all are over. Windows are redrawn then, and now and then.
        """
        waiting = [job for job in self.values() if not job.is_over]
        for job in waiting:
            job.go_on(math.inf if bpy.app.background else self.slice_seconds / len(waiting))
        is_done = all(job.is_over for job in waiting)
        if is_done or time.monotonic() > self._redrawn + self.redraw_seconds:
            cache.redraw()
            self._redrawn = time.monotonic()
        return None if is_done else 0.0

    def forget(self) -> None:
        """Drop all jobs, also those that are not over."""
        self.clear()
        cache.call_no_more(self.timer)


@record(frozen=True)
class _Character:
    """What of an armature a bake changes in the end, besides actions."""

    armature: Any
    action: Any | None
    slot: str
    tracks: frozenset[int]

    @classmethod
    def of(cls, armature: Any) -> _Character:
        tracks = armature.animation_data.nla_tracks if armature.animation_data else ()
        held = frozenset(track.as_pointer() for track in tracks)
        return cls(armature, *compat.assigned(armature), held)

    def put_back(self) -> None:
        animation = self.armature.animation_data
        for track in list(animation.nla_tracks) if animation else ():
            if track.as_pointer() not in self.tracks:
                animation.nla_tracks.remove(track)
        if compat.assigned(self.armature) != (self.action, self.slot):
            compat.assign(self.armature, self.action, self.slot)


class _Before:
    """What there was before a slice, to be put back where it fails half-way."""

    def __init__(self, armatures: list[Any]) -> None:
        self._actions = {action.session_uid for action in bpy.data.actions}
        self._characters = [_Character.of(armature) for armature in armatures]
        self._scene = scene = bpy.context.scene
        self._frame = scene.frame_current, scene.frame_subframe
        self._range = {name: getattr(scene, name) for name in RANGE}

    def find_made(self, earlier: dict[int, str]) -> dict[int, str]:
        """Return the names, by session_uid, of the actions that are made on the way: earlier and new ones."""
        return {
            action.session_uid: action.name
            for action in bpy.data.actions
            if action.session_uid in earlier or action.session_uid not in self._actions
        }

    def put_back(self) -> None:
        """Remove the actions and NLA tracks that have come since, and have armatures play what they played
        and the scene show its frame and preview range as before. What is gone is left out.
        """
        for put in (*(character.put_back for character in self._characters), self._put_time):
            # who is gone has nothing to play
            with contextlib.suppress(ReferenceError):
                put()
        for action in list(bpy.data.actions):
            if action.session_uid not in self._actions:
                bpy.data.actions.remove(action)

    def _put_time(self) -> None:
        scene = self._scene
        if (scene.frame_current, scene.frame_subframe) != self._frame:
            scene.frame_set(self._frame[0], subframe=self._frame[1])
        for name, value in self._range.items():
            if getattr(scene, name) != value:
                setattr(scene, name, value)
