# SPDX-License-Identifier: GPL-3.0-or-later
"""The way along an armature's path, searched anew between redraws whenever something has changed.

The set of clips is analysed when a button asks for it, as Blender may have to play it. From then on every
change of a setting, and of what is followed, begins another search, which takes a slice of time between
redraws, so that Blender stays in hand.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np
from bpy.app.handlers import persistent

from ...blender.evaluation.character import read_character
from ...blender.matching import action_set, followed, search, surroundings
from ...blender.matching.search import PathPlan
from ...errors import InertiaError
from ...motion.steps import Steps, part
from ...records import record
from ..cost.joint_list import weights_from
from ..shared import cache, slices, tool
from ..shared.slices import Jobs, Slices
from . import shown as by_value
from .properties import marked, names_of, settings_from
from .shown import PathView

if TYPE_CHECKING:
    from ...settings.matching import PathSettings

SLICE_SECONDS = 0.05
"""How long a slice takes about."""
REDRAW_SECONDS = 0.4
"""So often, at most, it is shown how far a search is: in software a redraw takes longer than a slice."""
ANALYSIS = 0.6
"""About what part of analysing and searching it is to analyse."""


@record(frozen=True)
class PathProgress:
    """What is known of an armature's path.

    shown: what was found, of settings as they were where done is below 1, which is the part of a search that
    is done. fault: why nothing was found. is_analysed: whether the clips are known as they are."""

    shown: PathView | None
    done: float
    fault: str
    is_analysed: bool


@record(eq=False)
class PathJob(slices.ArmatureJob[tuple[PathPlan, PathView]]):
    """The last search of an armature. key: what it depends on."""

    key: Any
    course: followed.Course | None = None
    plan: PathPlan | None = None
    shown: PathView | None = None
    fault: str = ""

    def begin(self, steps: Steps[PathPlan]) -> None:
        """Make ``slices`` anew, the work of a search by its steps; it does not run before the job goes on.

        Its result is (the plan, what is shown of it).
        """

        def with_shown() -> Steps[tuple[PathPlan, PathView]]:
            plan = yield from steps
            return plan, by_value.of(plan)

        self.slices = Slices("Find Path", with_shown())

    def ended(self, slices: Slices[tuple[PathPlan, PathView]]) -> None:
        if slices.error is not None:
            self.fail(slices.error)
        elif slices.result is not None:
            self.plan, self.shown = slices.result

    def fail(self, error: InertiaError) -> None:
        """Note that nothing was found, and why."""
        self.fault = error.sentence
        self.plan = self.shown = None

    def stop(self) -> None:
        """Leave it at what there is."""
        if not self.is_over:
            super().stop()
            self.fault = STOPPED


STOPPED = "The search was stopped; change a setting, or press Find Path, to continue."


class _Searches(Jobs[PathJob]):
    def go_on(self) -> float | None:
        """Begin the searches that were asked for, and do a slice of each that goes on; a timer's function.

        All slices together take about SLICE_SECONDS; without a window each search runs to its end. Windows
        are redrawn when all are over, and meanwhile at most every REDRAW_SECONDS. What was asked for of
        armatures that are gone is dropped. Return 0.0 to be called again, None when all are over.
        """
        for armature in [thing for thing in bpy.data.objects if thing.session_uid in _asked]:
            _begin(armature)
        _asked.clear()
        return super().go_on()


_jobs = _Searches(SLICE_SECONDS, REDRAW_SECONDS)
_stocks: dict[int, tuple[Hashable, action_set.Stock]] = {}
"""The set of clips that was analysed last for each armature, by its session_uid, with what it depends on."""
_refused: dict[int, tuple[Hashable, str]] = {}
"""Likewise why the set that was to be analysed last can't be, with what that depends on."""
_asked: set[int] = set()
"""The armatures of which something that has changed was seen while a window was drawn."""


def of(armature: Any) -> PathProgress:
    """Return what is known of an armature's path: the way found last, and how far a search is.

    Until the clips are analysed, or once they have changed since, nothing is searched: done is 1, is_analysed
    False, shown what was found before, and fault says why an analysis of them as they are failed, "" if none
    did.

    If settings or what is followed have changed, a search is asked for. Without a window it is done at once.
    In a window it begins at the next call of a timer, and until then the earlier search is told, with its own
    done and fault; without an earlier one shown is None and done 0. While the search goes on done is below 1,
    fault is "", and what was found before is shown. A search that ended tells what it found, or its fault.

    Raise InertiaError for values that are out of range, if nothing is followed, without clips, or for
    obstacles or joints that are gone.
    """
    job = _jobs.of(armature)
    key = _key(armature, settings_from(armature))
    if _stock_of(armature) is None:
        refused = _refused.get(armature.session_uid)
        fault = refused[1] if refused is not None and refused[0] == _stock_key(armature) else ""
        return PathProgress(_job_of(armature).shown, 1.0, fault, is_analysed=False)
    if job is None or job.key != key:
        _asked.add(armature.session_uid)
        _jobs.start()
        job = _jobs.of(armature)
    if job is None:
        return PathProgress(None, 0.0, "", is_analysed=True)
    return PathProgress(job.shown, job.done, job.fault if job.done == 1.0 else "", is_analysed=True)


def find_steps(armature: Any, settings: PathSettings | None = None) -> Steps[PathPlan]:
    """Return the way along an armature's path; yield the part that is done. The clips are analysed, and the
    way is searched unless it is known.

    settings: None for the armature's own. The analysis is kept for the panels if their settings have the same
    mirror, find_cycles and bends; the way is, if they ask for the same apart from the result's name, feet and
    strips. Windows are redrawn after a search. The plan that is returned has these settings, and its clips
    refer to the actions of the open file. Raise InertiaError if there is no way, or for clips or settings
    that can't be used, those of the panels among them; if the clips can't be analysed, why is kept for the
    panel.
    """
    cache.settle()
    in_panel = settings_from(armature)
    chosen = in_panel if settings is None else settings
    try:
        steps = action_set.analyse_steps(read_character(armature), chosen, weights_from(armature))
        analysed = yield from part(steps, 0.0, ANALYSIS)
    except InertiaError as error:
        _refused[armature.session_uid] = (_stock_key(armature), error.sentence)
        raise
    key, lean = _key(armature, chosen), dataclasses.replace(analysed, clips=())
    if (in_panel.mirror, in_panel.find_cycles, in_panel.bends) == (
        chosen.mirror,
        chosen.find_cycles,
        chosen.bends,
    ):
        _stocks[armature.session_uid] = (_stock_key(armature), lean)
    job = _jobs.of(armature)
    if not (job and job.key == key and job.plan and job.plan.stock.is_made_of(analysed.database)):
        course = followed.course(chosen)
        plan = yield from part(search.search_path_steps(lean, chosen, course), ANALYSIS, 1.0)
        job = PathJob(_key(armature, chosen), course, plan, by_value.of(plan))
        if _searched(in_panel) == _searched(chosen):
            _jobs[armature.session_uid] = job
        cache.redraw()
    assert job.plan is not None
    return dataclasses.replace(job.plan, stock=analysed.bent_as(job.plan.stock), settings=chosen)


def _begin(armature: Any) -> None:
    """Begin a search for an armature in the background; what was found before stays in sight until it ends.

    It becomes the armature's job, in place of the one before, whether that is over or not. Nothing begins if
    settings are wrong or the clips are not analysed. If the last search is done and has the same settings,
    clips and points to follow, it is kept, as something was only touched.

    Where what is followed can't be read, nothing stays in sight, and why becomes the job's fault, for the
    panel to tell; it is not raised. Raise InertiaError only if obstacles are gone, with the job before kept.
    """
    before = _jobs.of(armature)
    try:
        settings, analysed = settings_from(armature), _stock_of(armature)
    except InertiaError:
        return  # the panel says why
    if analysed is None:
        return
    job = PathJob(None, shown=_job_of(armature).shown)
    try:
        job.course = followed.course(settings)
        job.begin(search.search_path_steps(analysed, settings, job.course))
    except Exception as error:
        # told in the panel, as nobody pressed a button for this
        job.fail(tool.refusal(error, "Find Path"))
    # to look at what is followed may itself have had Blender touch it
    cache.settle()
    job.key = _key(armature, settings)
    if before is not None and _is_same(before, job):
        # what is followed was touched, and is where it was
        before.key = job.key
    else:
        _jobs[armature.session_uid] = job


def _is_same(earlier: PathJob, job: PathJob) -> bool:
    """Tell whether an earlier search that is done answers a new one, too: they have the same settings, clips
    and surroundings, and follow the same points.

    What is followed may have been touched, as only its points count. False while the earlier one goes on, if
    it found nothing, or if either has no course to follow.
    """
    if earlier.course is None or job.course is None or not earlier.is_over or earlier.plan is None:
        return False
    if (earlier.key[0], *earlier.key[2:]) != (job.key[0], *job.key[2:]):
        return False
    pairs = [
        (getattr(earlier.course, field.name), getattr(job.course, field.name))
        for field in dataclasses.fields(followed.Course)
    ]
    return all((a is None) == (b is None) and (a is None or np.array_equal(a, b)) for a, b in pairs)


def _stock_of(armature: Any) -> action_set.Stock | None:
    """Return the set that was analysed, if the clips are as they were then; else None."""
    analysed = _stocks.get(armature.session_uid)
    return analysed[1] if analysed is not None and analysed[0] == _stock_key(armature) else None


def _stock_key(armature: Any) -> Hashable:
    """Return what an analysed set depends on, roughly; a look at it costs next to nothing."""
    path, used = armature.inertia_path, names_of(armature)
    return (
        *(used, marked(path, "cyclic"), path.find_cycles, path.mirror, path.bends),
        *(armature.inertia.root, tuple(weights_from(armature).items())),
        tuple(cache.action_state(bpy.data.actions[name]) for name in used),
        *(cache.scene_state(), cache.rig_key(armature)),
    )


def _key(armature: Any, settings: PathSettings) -> Hashable:
    """Return a value that changes with all that a way depends on.

    That are the settings, apart from the result's name, feet and strips; what is followed; the clips, their
    marks, weights and rig; the ground object and the obstacles. Without a window Blender's pending updates
    are done first.

    Raise InertiaError for an empty list of actions, joints that are gone, or a collection of obstacles that
    is gone; AttributeError if nothing is followed.
    """
    state = cache.motion_state(armature.inertia_path.followed)
    ground = bpy.data.objects.get(settings.ground_object) if settings.ground == "OBJECT" else None
    walls = surroundings.obstacle_objects(settings.obstacles) if settings.obstacles else []
    things = ground and cache.object_state(ground), *map(cache.object_state, walls)
    return (_searched(settings), state, _stock_key(armature), things)


def _searched(settings: PathSettings) -> PathSettings:
    """Return settings without what a search does not depend on: what becomes of what it finds."""
    transition = dataclasses.replace(settings.transition, result="", feet="OFF")
    return dataclasses.replace(settings, transition=transition, strips=False)


def _job_of(armature: Any) -> PathJob:
    return _jobs.of(armature) or PathJob(None)


def stop(armature: Any) -> None:
    """End the search of an armature."""
    _job_of(armature).stop()


def is_searching(armature: Any) -> bool:
    """Tell whether a search goes on."""
    return not _job_of(armature).is_over


def recall_view(armature: Any) -> PathView | None:
    """Return what was found last, as it is shown."""
    return _job_of(armature).shown


def plan_of(armature: Any) -> PathPlan | None:
    """Return what was found last, without its clips."""
    return _job_of(armature).plan


@persistent
def forget(*_arguments: Any) -> None:
    """Drop all that was found or analysed, and the searches that go on, for all armatures; a handler, too."""
    _jobs.forget()
    _stocks.clear()
    _refused.clear()
    _asked.clear()
