# SPDX-License-Identifier: GPL-3.0-or-later
"""The verdict on an armature's coming transition, judged a slice at a time once its settings have rested.

What is judged is the plan that a bake would write. While settings are dragged the last one stays, as such.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import bpy
from bpy.app.handlers import persistent

from ...blender.data import actions
from ...blender.evaluation import character as characters
from ...blender.evaluation import joint_motion
from ...blender.judging import verdict
from ...blender.judging.remedies import Remedy
from ...blender.transition import bake, meeting
from ...errors import InertiaError
from ...motion.steps import Steps, part
from ...records import record
from ..shared import cache, slices
from ..shared.slices import Jobs, Slices
from ..shared.work_inputs import Footing
from ..transition import outlook, rebaking
from ..transition.properties import settings_from

if TYPE_CHECKING:
    from ...blender.judging.played import Footage
    from ...blender.judging.verdict import Verdict
    from ...settings.transition import TransitionSettings

REST_SECONDS = 0.3
"""Settings that have stood so long are judged."""
AT_ONCE_SECONDS = 0.05
"""Likewise, without a window."""
VERDICT = 0.1
"""About what part of the work the verdict is; the rest looks for what helps."""
SLICE_SECONDS = 0.005
"""How long a slice takes about; a single step may itself take longer."""


@record(frozen=True)
class VerdictView:
    """What there is to say. verdict: None before there was one. helps: None while that is looked for.
    is_current: whether both are of the settings as they are. fault: why not; needs_operator: to get one."""

    verdict: Verdict | None
    helps: tuple[Remedy, ...] | None
    is_current: bool
    fault: str = ""
    needs_operator: bool = False


@record(eq=False)
class VerdictJob(slices.ArmatureJob[tuple[Remedy, ...]]):
    """The last verdict of an armature, and the one that is coming.

    key: what that depends on, since: from when on. is_done: whether ``told`` is of the key, and is_helped:
    ``helps``, too.
    """

    key: Hashable
    since: float
    is_done: bool = False
    is_helped: bool = False
    told: Verdict | None = None
    helps: tuple[Remedy, ...] | None = None
    fault: str = ""
    is_long: bool = False

    def change(self, key: Hashable) -> None:
        """Begin anew, as what is judged has changed."""
        self.stop()
        self.key, self.since, self.is_done, self.is_helped = key, time.monotonic(), False, False
        self.fault, self.is_long = "", False

    @property
    def is_over(self) -> bool:
        """Whether there is no more to do."""
        return self.is_helped

    def work_on(self, armature: Any, seconds: float) -> None:
        """Judge the armature's coming transition and then look for what helps, for about so many seconds;
        work that was begun goes on.

        An error while judging becomes the job's fault, and there is no verdict; one while looking for what
        helps leaves the verdict with no remedies. None is raised.
        """
        if self.slices is None:
            ends = armature.inertia
            footing = Footing(armature, ends.source, ends.destination)
            self.slices = Slices("Judge", self._judge_steps(armature), footing)
        self.go_on(seconds)

    def ended(self, slices: Slices[tuple[Remedy, ...]]) -> None:
        self.is_helped, self.helps = True, slices.result or ()
        if not self.is_done and slices.error is not None:
            self.is_done = True
            self.told, self.fault = None, slices.error.sentence
            self.is_long = isinstance(slices.error, NotQuick)

    def help(self, judged: Verdict, helps: tuple[Remedy, ...]) -> None:
        """Take remedies that were found elsewhere, or none any more. judged: the verdict that they help."""
        if self.told is judged:
            self.helps = helps
            cache.redraw()

    def judge(self, armature: Any) -> None:
        """Judge at once."""
        while not self.is_done:
            self.work_on(armature, AT_ONCE_SECONDS)

    def _judge_steps(self, armature: Any) -> Steps[tuple[Remedy, ...]]:
        settings, ends = settings_from(armature), armature.inertia
        # each is known from here on, and to look at both is a slice's work
        for look in (ends.source, ends.destination):
            cache.action_state(look)
            yield 0.0
        steps = judge_steps(armature, settings, outlook.footage(armature, settings))
        yield 0.0
        plan, judged = yield from part(steps, 0.0, VERDICT)
        self.told, self.helps, self.is_done = judged, None, True
        yield VERDICT
        return (yield from part(bake.find_remedies_steps(plan, judged), VERDICT, 1.0))


class _Verdicts(Jobs[VerdictJob]):
    def go_on(self) -> float | None:
        """Do a slice of the verdict of each armature of the file whose settings have stood for REST_SECONDS,
        and redraw where a verdict or the search for what helps came to an end; a timer's function.

        Return in how many seconds to be called again, 0.0 for at once, None when there is no more to do.
        """
        waits, now = [], time.monotonic()
        for armature in [thing for thing in bpy.data.objects if thing.session_uid in self]:
            job = self[armature.session_uid]
            if job.is_over:
                continue
            rests = job.since + REST_SECONDS - now
            if rests > 0.0:
                waits.append(rests)
                continue
            before = job.is_done, job.is_over
            job.work_on(armature, self.slice_seconds)
            if (job.is_done, job.is_over) != before:
                cache.redraw()
            if not job.is_over:
                waits.append(0.0)
        return min(waits, default=None)


_jobs = _Verdicts(SLICE_SECONDS)

NOT_JUDGED = {"result", "assign", "assign_others"}
"""The settings that change nothing of what is seen."""


class NotQuick(InertiaError):
    """To judge would hold up the window, so that an operator has to do it."""


def current(armature: Any) -> VerdictView:
    """Return the verdict on an armature's settings, as far as it is known; if they changed, a new one begins,
    and the last one is returned meanwhile with is_current False.

    In a window it is judged between redraws, from REST_SECONDS after the last change on; without a window it
    is judged at once, but what helps is not looked for. Why it can't be judged becomes the view's fault.
    Raise InertiaError for settings that are out of range or don't go together.
    """
    key = _key(armature, settings_from(armature))
    job = _jobs.of(armature)
    if job is None:
        job = _jobs[armature.session_uid] = VerdictJob(key, time.monotonic())
    elif job.key != key:
        job.change(key)
    if bpy.app.background:
        job.judge(armature)
    elif not job.is_over:
        _jobs.start(REST_SECONDS)
    return VerdictView(job.told, job.helps, job.is_done, job.fault, job.is_long)


def help_now(armature: Any) -> None:
    """Judge an armature's present settings and look for what helps, to the end, at once, however long that
    takes; :func:`current` has both then.

    What goes wrong while judging becomes the view's fault. Raise InertiaError for settings that are out of
    range or don't go together.
    """
    current(armature)
    job = _jobs[armature.session_uid]
    while not job.is_over:
        job.work_on(armature, math.inf)


def judge_steps(
    armature: Any, settings: TransitionSettings, footage: Footage | None = None
) -> Steps[tuple[bake.Plan, Verdict]]:
    """Plan what settings would bake, and return the plan with the verdict on it; yield the part that is done.

    A destination frame that the settings leave open is looked for first. footage: what was looked at of the
    two clips before, to be filled further; None for nothing. Raise NotQuick where Blender has to play the
    clips, or one is long; other InertiaErrors where it can't be planned.
    """
    for name, library, slot in settings.ends():
        action = actions.find(name, library)
        if not joint_motion.is_quick(armature, action, actions.choose_slot(action, armature, slot)):
            raise NotQuick(
                'Press Judge to see what it will look like, as "{action}" is so long that it takes a while.',
                action=name,
            )
    settings = yield from outlook.find_entry(armature, settings, may_play=False)
    plan = yield from bake.plan_transition_steps(
        armature, settings, meeting.PlanOptions(may_play=False, footage=footage, constants={})
    )
    try:
        return plan, (yield from verdict.of_played(plan.evidence))
    except characters.HasToPlay as error:
        raise NotQuick(
            "Press Judge to see what it will look like, as Blender has to play it: {why}.", why=error.reason
        ) from None


def keep(armature: Any, judged: Verdict, helps: tuple[Remedy, ...] | None = ()) -> VerdictJob:
    """Keep a verdict that was found elsewhere as that on the armature's present settings, redraw windows, and
    return its job, which looks for nothing more.

    helps: remedies, () for none; None while these are looked for elsewhere, which :func:`current` then says,
    too. Raise InertiaError for settings that are out of range or don't go together.
    """
    cache.settle()
    key = _key(armature, settings_from(armature))
    job = _jobs.setdefault(armature.session_uid, VerdictJob(key, 0.0))
    job.change(key)
    job.is_done, job.is_helped, job.told, job.helps = True, True, judged, helps
    cache.redraw()
    return job


def _key(armature: Any, settings: TransitionSettings) -> Hashable:
    """Return what a verdict depends on; a look at it costs next to nothing."""
    judged = {name: value for name, value in vars(settings).items() if name not in NOT_JUDGED}
    return (judged, outlook.read_state(armature))


@persistent
def begin_again(*_arguments: Any) -> None:
    """Stop judging, as a handler: after undo, what is being judged is gone; it is judged anew."""
    for job in _jobs.values():
        job.stop()


@persistent
def forget(*_arguments: Any) -> None:
    """Drop all that was judged, and what was still to come."""
    for job in _jobs.values():
        job.stop()
    _jobs.forget()


def verdict_on_result(armature: Any, action: Any) -> Verdict | None:
    """Return the verdict on a baked transition, if the panel's settings are those that it was baked with and
    have been judged; else None.

    action: the transition. Where the settings are the same but not judged yet, :func:`current` begins to
    judge: None is returned until that is done between redraws, or without a window the verdict at once. None,
    too, where the settings or the recipe can't be used, or the settings can't be judged.
    """
    if not rebaking.is_as_asked(armature, action):
        return None
    with contextlib.suppress(InertiaError):  # what can't be asked for or read its own panel says
        told = current(armature)
        return told.verdict if told.is_current else None
    return None
