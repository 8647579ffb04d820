# SPDX-License-Identifier: GPL-3.0-or-later
"""The way that the assigned action would go, in the 3D View's world, before it is made.

It is looked for anew between redraws whenever something has changed. What was found is kept by value, as
nothing that is kept refers into the file. A rig that Blender would have to play stays in hand: its way shows
once it is made.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from bpy.app.handlers import persistent

from ...blender.data import actions, clip_store, compat
from ...blender.evaluation import joint_motion
from ...blender.evaluation.character import Character, HasToPlay, read_character
from ...blender.travel import reading
from ...errors import InertiaError
from ...motion.steps import Steps, part
from ...plots import plot, shapes
from ...records import record
from ..overlay import in_view
from ..overlay.protocol import OverlayPlot
from ..shared import cache, slices, tab
from ..shared.slices import Jobs, Slices
from ..shared.work_inputs import Footing
from .panels import settings_from

if TYPE_CHECKING:
    from ...blender.travel.reading import Travel
    from ...motion.arrays import Array
    from ...plots.shapes import Shape
    from ...plots.theme import Theme
    from ...settings.travel import TravelSettings

MISSING = "Assign an action to see where it would travel."
WAY, MARK, PRINT = 3.0, 5.0, 4.0
"""How wide the way is drawn, and half the sizes of marks of seconds and of feet; pixels at a scale of 1."""
SLICE_SECONDS = 0.05
"""How long a slice takes about."""
STANDS = 0.5
"""A foot stands where it counts for more than this."""
OPERATOR = "Make Travel"
"""What begins it for good, as sentences call it."""


@record(frozen=True, eq=False)
class TravelView:
    """A way before it is made, in the world.

    points: (n, 3) where the character will be on the ground at each frame; marks: (seconds, 3) at each whole
    second, from 0 on; prints: (contacts, 3) where its feet will stand. speed: metres a second on average.
    """

    points: Array
    marks: Array
    prints: Array
    speed: float


@record(eq=False)
class TravelJob(slices.ArmatureJob[TravelView]):
    """The last look at an armature. key: what it depends on. shown: its way; fault: why there is none."""

    key: Hashable
    shown: TravelView | None = None
    fault: str = ""

    def ended(self, slices: Slices[TravelView]) -> None:
        self.shown = slices.result
        self.fault = "" if slices.error is None else slices.error.sentence


_jobs: Jobs[TravelJob] = Jobs(SLICE_SECONDS)


def job_of(armature: Any) -> TravelJob:
    """Return the job that knows the way of an armature's assigned action, which must be there: the way that
    it goes or would go, also where the settings ask to take its travel out.

    Its `shown` is the TravelView, None while none is known; its `fault` a sentence that says why there is
    none, or "". Another job is begun, and the last one stopped, if settings, legs, limbs, action, scene or
    rig have changed; `shown` is the former way until it is done, and None if it fails. It goes on between
    redraws; without a window it is done when this returns. What goes wrong becomes the job's fault, as where
    the action is too long.

    Raise InertiaError for settings that are out of range or don't go together, with the last job left as it
    is.
    """
    settings = settings_from(armature, in_place=False)
    action = compat.assigned(armature)[0]
    legs = str(armature.get("inertia_feet", "")), str(armature.get("inertia_limbs", ""))
    key = (settings, legs, cache.action_state(action), cache.scene_state(), cache.rig_key(armature))
    job = _jobs.of(armature)
    if job is None or job.key != key:
        before = None if job is None else job.shown
        if job is not None:
            job.stop()
        job = _jobs[armature.session_uid] = TravelJob(key, before)
        job.slices = Slices(OPERATOR, _look_steps(armature, settings), Footing(armature, action))
        _jobs.start()
    return job


def _look_steps(armature: Any, settings: TravelSettings) -> Steps[TravelView]:
    """Return the view of the way that an action would go by its travel settings, where that is quick; yield
    the part that is done, 0 to 1. Nothing is written.

    Raise InertiaError if the action is long, does not fit the armature, has no way to be found, or Blender
    has to play it.
    """
    character = read_character(armature, may_play=False)
    action = actions.find(settings.action, settings.library)
    slot = actions.choose_slot(action, armature, settings.slot)
    if not joint_motion.is_quick(armature, action, slot):
        raise InertiaError(
            '"{action}" is so long that its way shows only after you press Make Travel.',
            action=settings.action,
        )
    named = (settings.action, settings.library, settings.slot)
    (clip,) = yield from part(clip_store.read_named_steps(armature, [named]), 0.0, 0.2)
    clip_store.check_skeleton(armature, clip)
    steps = reading.find_travel_steps(character, character.rig, clip, settings)
    try:
        travel = yield from part(steps, 0.2, 1.0)
    except HasToPlay as error:
        raise InertiaError(
            "The way shows only once it is made, as Blender has to play the rig: {why}. Press Make Travel.",
            why=error.reason,
        ) from None
    return _view_travel(character, travel)


def _view_travel(character: Character, travel: Travel) -> TravelView:
    """Return the view of a way, in the world and in Blender's units: the points (n, 3) of the way's n frames,
    a mark (m, 3) for each whole second from its first frame to its last, and its mean speed in m/s.

    A point is where a place on the ground is brought by the way's matrix at that frame. Without feet
    (travel.tracks is None) that place is the object's present origin, and there are no prints: (0, 3). If
    feet tell the way, it is below the mean, over all frames, of the body's middle as it moves in place, at
    the lowest height that soles have.

    Prints (k, 3) are then one for each run of frames in which a ball of a foot stands (more than STANDS): the
    mean over the run of where the way brings the ball, at that lowest height. They come foot by foot, and in
    time for each.
    """
    way, metres = travel.way, character.metres
    stands = np.array(character.armature.matrix_world.translation, float)
    prints: list[Array] = []
    if travel.tracks is not None:
        seen = travel.tracks.seen
        low = float(seen.soles[..., 2].min())
        stands = np.array([*seen.middle[:, :2].mean(axis=0), low]) / metres
        balls = seen.soles[:, 1::3] / metres
        motions = way.matrices(seen.frames)
        moved = np.einsum("nij,npj->npi", motions[:, :3, :3], balls) + motions[:, None, :3, 3]
        standing = travel.tracks.ground.standing[:, 1::3] > STANDS
        for ball, stands_there in zip(moved.swapaxes(0, 1), standing.T, strict=True):
            for first, last in plot.runs(stands_there):
                prints.append(np.array([*ball[first : last + 1, :2].mean(axis=0), low / metres]))
    frames = np.arange(way.frames[0], way.frames[-1] + 1e-6, character.fps)
    points, marks = (way.matrices(at)[:, :3] @ (*stands, 1.0) for at in (way.frames, frames))
    return TravelView(points, marks, np.array(prints).reshape(-1, 3), travel.speed)


@persistent
def forget(*_arguments: Any) -> None:
    """Drop all that was found, and what was still to come: after undo it may refer to what is no more."""
    for job in _jobs.values():
        job.stop()
    _jobs.forget()


class WayPlot(OverlayPlot):
    """Where the assigned action would go with travel."""

    name = "travel"
    tool = "travel"
    needs_actions = False

    def armature(self, context: Any) -> Any | None:
        return super().armature(context) if tab.shows(context, tab.TRAVEL) else None

    def model(self, armature: Any, switches: Any) -> tuple[TravelView | None, str]:
        action, _ = compat.assigned(armature)
        if action is None:
            return None, MISSING
        noted = reading.noted_way(action)
        if noted is not None and not noted.taken:
            return None, ""  # it goes its way already
        job = job_of(armature)
        return job.shown, job.fault

    def panels(self, model: Any) -> Sequence[Any]:
        return ()

    def world(self, model: TravelView, theme: Theme) -> list[Shape]:
        return [
            shapes.line(model.points, in_view.EDGE, (WAY + 2.0) * theme.scale),
            shapes.line(model.points, theme.way, WAY * theme.scale),
        ]

    def now(self, context: Any, model: TravelView, cells: Any, theme: Theme) -> list[Shape]:
        marks: list[Shape] = []
        for places, size, colour in (
            (model.prints, PRINT * theme.scale, theme.faint),
            (model.marks, MARK * theme.scale, theme.way),
        ):
            at, ahead = in_view.project(context, places)
            for x, y in at[ahead].tolist():
                marks += in_view.dot(x, y, size, colour, theme)
        at, ahead = in_view.project(context, model.points[len(model.points) // 2][None])
        if ahead[0]:
            x, y = np.asarray(at[0]).tolist()
            marks += in_view.label(f"{model.speed:.2f} m/s", x, y, theme)
        return marks
