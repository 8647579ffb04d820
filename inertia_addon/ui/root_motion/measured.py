# SPDX-License-Identifier: GPL-3.0-or-later
"""What the Root Motion panel and its overlays know: measured when asked for, kept until something changes.

As with costs, actions of plain rigs are read at once; the others take Blender's own evaluation, which
moves the scene: that is left to an operator, whose findings are put here.
"""

from __future__ import annotations

import functools
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

from ...blender.data import actions as blender_actions
from ...blender.data import clip_store, compat, scene
from ...blender.evaluation import character as characters
from ...blender.evaluation import joint_motion
from ...blender.root_motion import measure, modes
from ...errors import InertiaError, Sentence
from ...motion.steps import Steps, finish, part
from ...records import record
from ..shared import cache, tool
from .properties import query_from, settings_from

if TYPE_CHECKING:
    from ...blender.root_motion.measure import ActionRootMotion, Query
    from ...motion.root_motion.measure import Measured, Span
    from ...motion.root_motion.modes import ClipModes, Mode
    from ...motion.root_motion.ramps import Ramp
    from ...settings.root_motion import Settings

READ = "root motion "
"""What actions that were read are kept under; that is little for each."""


class NotMeasured(InertiaError):
    """Measuring would hold up the panels, so that an operator has to do it."""


@record(frozen=True, eq=False)
class RootMotionView:
    """An action's root motion, measured.

    action: its name. estimator: whose half-lives are shown. own_speed, own_turn: whether the ramps of
    the speed, and the turns, were set by hand.
    """

    action: str
    read: ActionRootMotion
    measured: Measured
    settings: Settings
    query: Query
    estimator: str
    own_speed: bool
    own_turn: bool

    @functools.cached_property
    def modes(self) -> ClipModes:
        """In which modes the ramps and turns are."""
        return measure.clip_modes(self.read, self.measured, self.settings)

    @property
    def values(self) -> dict[str, Any]:
        """All of it as JSON values."""
        return measure.values(self.read, self.measured, self.settings, self.query)

    def best_guess(self, ramp: Ramp) -> float:
        """Return a half-life of a ramp to go on with, seconds, by the estimator that is shown if possible."""
        return measure.best_guess(ramp, self.estimator)


def choose_action(armature: Any) -> Any | None:
    """Return the action whose root motion is shown; None without any.

    With the scope LISTED and an active row it is that row's, which may be None. Otherwise it is the chosen
    one, else the assigned one.
    """
    root = armature.inertia_root
    if root.scope == "LISTED" and 0 <= root.active_listed < len(root.listed):
        return root.listed[root.active_listed].action
    if root.action is not None:
        return root.action
    return compat.assigned(armature)[0]


def actions_of(armature: Any) -> list[Any]:
    """Return the actions that are measured together, by the armature's scope.

    ALL: all that fit it, by name. LISTED: those of the list's rows in order, without empty rows; one that is
    listed twice comes twice. Otherwise the one that is chosen, or else the assigned one. Raise InertiaError
    when there are none.
    """
    scope = armature.inertia_root.scope
    if scope == "ALL":
        actions = clip_store.find_fitting(armature)
        missing = Sentence('No action of this file moves "{armature}"; add one.', armature=armature.name)
    elif scope == "LISTED":
        actions = [item.action for item in armature.inertia_root.listed if item.action is not None]
        missing = Sentence("The list of actions is empty; add some.")
    else:
        actions = [action for action in (choose_action(armature),) if action is not None]
        missing = Sentence("No action is chosen; choose one.")
    if not actions:
        raise InertiaError(missing)
    return actions


def read_view(armature: Any) -> RootMotionView:
    """Return the root motion of the action that is shown; it is measured only if it was not before, or
    something has changed.

    The action is that of the list's active row with the scope LISTED, else the chosen one, else the assigned
    one. Raise InertiaError if there is none, it can't be read, or the settings can't be; NotMeasured if
    measuring would take long or needs Blender to play it.
    """
    action = choose_action(armature)
    if action is None:
        raise InertiaError("No action is chosen; choose one to measure its root motion.")
    return of_action(armature, action)


def of_action(armature: Any, action: Any) -> RootMotionView:
    """Return the root motion of an action as it is kept; measure it first if it is not, or if something has
    changed since.

    Until a setting, the rig, the action or the scene changes, the same object is returned. An answer that
    took more than 20 ms to read is renewed only after four times as long has passed: meanwhile the old
    reading, or its error, still counts, and a redraw follows. A change of the settings other than bone and
    axis, of the estimator or of the ranges set by hand counts at once.

    Raise NotMeasured, an InertiaError, if the action's keys, or its frames times the armature's bones, are
    more than 600,000, or if Blender would have to play it. Raise other InertiaErrors if it can't be read or a
    setting is out of range. Errors of reading are kept, too. The scene does not move.
    """

    def compute() -> ActionRootMotion:
        if not joint_motion.is_quick(armature, action, blender_actions.choose_slot(action, armature)):
            raise NotMeasured(
                'Press Measure Actions to see root motion, as "{action}" is so long that it takes a while.',
                action=action.name,
            )
        clip = clip_store.read(armature, action)
        drawn = characters.read_character(armature, may_play=False)
        try:
            return finish(measure.read_motion_steps(drawn, clip, query_from(armature)))
        except characters.HasToPlay as error:
            raise NotMeasured(
                "Press Measure Actions to see root motion, as Blender has to play it: {why}.",
                why=error.reason,
            ) from None

    return _measured(armature, action, cache.answer(*_key(armature, action), compute))


def recall_views(armature: Any) -> list[RootMotionView]:
    """Return the root motions of the actions that are measured together, in their order, as far as they were
    measured and nothing has changed since.

    The actions are those of :func:`actions_of`: with the scope ACTION the one that is chosen or assigned.
    Those that were never measured, that have changed, or whose reading failed are left out; an action that is
    listed twice comes twice. [] if there are no actions, or a setting is out of range. No action is read;
    only settings, estimator and ranges that have changed are applied anew to what was read.
    """
    try:
        actions = actions_of(armature)
        settings_from(armature)
    except InertiaError:
        # the panel says it, as it asks for the one that is shown
        return []
    reads = ((action, cache.recall(*_key(armature, action))) for action in actions)
    return [_measured(armature, action, read) for action, read in reads if read is not None]


def modes_of(measured: Sequence[RootMotionView]) -> tuple[Mode, ...]:
    """Return the movement modes over measured actions, in the order run, walk, strafe, back, stand; ()
    without actions.

    Each Mode has its ``name``; its ``top_speed``, m/s, the highest that any of the actions holds, or None;
    and ``speeds``, ``starts``, ``stops`` and ``turns``, each the HalfLives (seconds) of its ramps or None.
    Only ramps that a spring explains and that were recorded as a whole count there. A mode with neither a top
    speed nor half-lives is left out.

    All actions must have been measured with the same settings: the first one's settings and estimator count
    for all.
    """
    if not measured:
        return ()
    clips = [(shown.read, shown.measured) for shown in measured]
    return modes.of_clips(clips, measured[0].settings, measured[0].estimator)


def recall_modes(armature: Any) -> tuple[Mode, ...]:
    """Return the modes of the actions that are measured together, as far as they were read."""
    measured = recall_views(armature)
    return cache.answer("root modes", armature, tuple(measured), lambda: modes_of(measured), at_once=True)


def measure_steps(armature: Any) -> Steps[None]:
    """Measure all actions that are measured together (:func:`actions_of`), however long it takes, and keep
    the results for :func:`of_action` and :func:`recall_views`.

    Yield the part that is done, 0 to 1; the last is 1.0. Return None. Actions that are kept and have not
    changed are not read again. Nothing happens before the first step, which first has Blender update the view
    layer. The scene moves meanwhile if Blender has to play an action, and is put back.

    Raise InertiaError, in a step, if there are no actions, a setting is out of range, or for the first action
    that can't be read; those before it stay measured.
    """
    cache.settle()
    actions = actions_of(armature)
    for i, action in enumerate(actions):
        steps = cache.answer_steps(
            *_key(armature, action, at_once=True), functools.partial(_reading, armature, action)
        )
        read = yield from part(steps, i / len(actions), (i + 1) / len(actions))
        _measured(armature, action, read)
        yield (i + 1) / len(actions)


def _reading(armature: Any, action: Any) -> Steps[ActionRootMotion]:
    clip = yield from part(clip_store.read_stored_steps(armature, action), 0.0, 0.5)
    steps = measure.read_motion_steps(characters.read_character(armature), clip, query_from(armature))
    return (yield from part(steps, 0.5, 1.0))


def _key(armature: Any, action: Any, *, at_once: bool = False) -> tuple[str, Any, Hashable]:
    """Return what an action that was read is kept under, and what that depends on; as in
    :func:`cache.answer`.
    """
    states = cache.rig_key(armature, at_once=at_once), cache.action_state(action, at_once=at_once)
    return f"{READ}{action.session_uid}", armature, (query_from(armature), cache.scene_state(), *states)


def _measured(armature: Any, action: Any, read: ActionRootMotion) -> RootMotionView:
    settings, query = settings_from(armature), query_from(armature)
    estimator = armature.inertia_root.estimator
    speeds, turns = (ranges_of(armature, action, kind) for kind in measure.KINDS)
    key = (read, settings, estimator, speeds, turns)

    def compute() -> RootMotionView:
        ranges = {"speed_ranges": _in_seconds(speeds), "turn_ranges": _in_seconds(turns)}
        measured = measure.measure(read, settings, **ranges)
        return RootMotionView(
            action=read.action,
            read=read,
            measured=measured,
            settings=settings,
            query=query,
            estimator=estimator,
            own_speed=speeds is not None,
            own_turn=turns is not None,
        )

    return cache.answer(f"measured {action.session_uid}", armature, key, compute, at_once=True)


def _in_seconds(ranges: tuple[Span, ...] | None) -> Sequence[Span] | None:
    to_seconds = scene.to_seconds
    return None if ranges is None else [(to_seconds(start), to_seconds(end)) for start, end in ranges]


def ranges_of(armature: Any, action: Any, kind: str) -> tuple[Span, ...] | None:
    """Return the ranges (start, end), frames, that were set by hand in an action, in the order in which they
    are stored; None if there are none, so that ramps are found.

    kind: "speed" or "turn".
    """
    rows = armature.inertia_root.ranges
    ranges = [(row.start, row.end) for row in rows if row.action == action and row.kind == kind]
    return tuple(ranges) or None


def find_ranges(armature: Any, action: Any, kind: str) -> list[Span]:
    """Return the ranges (start, end) of an action's ramps as they are shown, found or set by hand, in order;
    in scene frames.

    kind: "speed", or anything else for the turns. Raise InertiaError if the action can't be read; NotMeasured
    if it was not measured yet and that would take long or needs Blender to play it.
    """
    shown = of_action(armature, action)
    fps = shown.read.motion.fps
    ramps = shown.measured.speeds if kind == "speed" else shown.measured.turns
    return [(ramp.start * fps, ramp.end * fps) for ramp in ramps]


def put_ranges(armature: Any, action: Any, kind: str, ranges: Sequence[Span]) -> None:
    """Store ranges (start, end), frames, in the armature's `inertia_root.ranges`, as those set by hand for an
    action, in place of all earlier ones of the action and kind; with none, ramps are found again.

    kind: "speed" or "turn". Rows that a library override has from its linked file are not removed, but lose
    their action, so that they count no more.
    """
    rows = armature.inertia_root.ranges
    for i in reversed(range(len(rows))):
        if rows[i].action == action and rows[i].kind == kind:
            count = len(rows)
            rows.remove(i)
            if len(rows) == count:
                rows[i].action = None  # a library override can't remove what is linked
    for start, end in ranges:
        row = rows.add()
        row.action, row.kind, row.start, row.end = action, kind, start, end


poll_shown_action = tool.need(
    lambda context: choose_action(context.object), "Choose an action to measure its root motion first"
)
