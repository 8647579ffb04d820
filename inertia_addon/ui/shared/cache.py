# SPDX-License-Identifier: GPL-3.0-or-later
"""Answers that panels and overlays ask for again and again, kept until something changes.

Both are drawn many times a second, and what they show can take a fraction of one to compute. What is
kept holds no reference into the file, as undo and loading kill those. An answer that was made of another
has that in its key: records of arrays are equal to nothing but themselves.
"""

from __future__ import annotations

import contextlib
import copy
import time
from collections.abc import Callable, Hashable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

import bpy
from bpy.app.handlers import persistent

from ...blender.data import actions, recipe, scene
from ...blender.evaluation import hindrances, influence, joint_motion, playback
from ...blender.transition import preflight
from ...errors import InertiaError
from ...lazy_modules import is_read, np

if TYPE_CHECKING:
    from ...motion.steps import Steps

T = TypeVar("T")

_kept: dict[str, tuple[Hashable, Any]] = {}
"""By what is asked for: what it depended on, and the answer."""
_in_redraw: dict[str, Any] | None = None
"""What was looked at in the redraw that goes on; None outside of one."""
_changes = 0
"""Goes up whenever an action may have changed."""
_touched: dict[int, int] = {}
"""By session_uid, how many times Blender has said that a data-block may have changed."""
_moved: dict[int, int] = {}
"""Likewise that it may stand elsewhere or have another shape."""
_undone = 0
"""Goes up with undo and redo, after which any data-block may be another."""
_states: dict[int, tuple[int, Hashable]] = {}
"""By session_uid, what an action held when ``_changes`` was so high."""
_seconds_looked = 0.0
"""How long the actions were looked at since one may have changed."""
_rest_until: dict[str, float] = {}
"""Costly answers are not renewed before this time: dragging keys must not stutter."""

CHEAP_SECONDS = 0.02
"""What may be computed in every redraw."""
REST = 4.0
"""A costly answer is renewed at most every so many times its own cost."""
QUESTIONS = 16
"""How many questions with one name are kept of a rig; what is drawn at once asks fewer."""


def answer(name: str, armature: Any, key: Hashable, compute: Callable[[], T], *, at_once: bool = False) -> T:
    """Return what is kept under a name for an armature; where nothing is, or `key`, what it depends on, is
    another, compute and keep it.

    An answer that took longer than CHEAP_SECONDS is not computed again before REST times as long has passed:
    meanwhile the old one is returned, or raised, whatever the key, and in a window a redraw follows. at_once:
    always compute if the key has changed. An InertiaError of compute is kept, too, and a copy of it raised
    until the key changes; other errors get through and are not kept.
    """
    name = f"{name} {armature.session_uid}"
    kept = _kept.get(name)
    if kept is not None and kept[0] == key:
        return _unwrapped(kept[1])
    began = time.monotonic()
    if kept is not None and not at_once and began < _rest_until.get(name, 0.0):
        _redraw_later(_rest_until[name] - began)
        return _unwrapped(kept[1])
    outcome = _outcome(compute)
    _kept[name] = (key, outcome)
    cost = time.monotonic() - began
    if cost > CHEAP_SECONDS:
        _rest_until[name] = began + cost + REST * cost
    return _unwrapped(outcome)


@contextlib.contextmanager
def one_redraw() -> Iterator[None]:
    """Have :func:`in_redraw` look only once for each thing within the block, as nothing changes while a
    window is drawn.

    A block in a block begins anew, and what the outer one has looked at counts again behind it.
    """
    global _in_redraw
    before, _in_redraw = _in_redraw, {}
    try:
        yield
    finally:
        _in_redraw = before


def in_redraw(name: str, armature: Any, look: Callable[[], T]) -> T:
    """Return what `look` returns, looked up once in a block of :func:`one_redraw`; elsewhere each time.

    It is kept by name and data-block. An InertiaError is kept and raised again; what is kept ends with the
    block.
    """
    if _in_redraw is None:
        return look()
    key = f"{name} {armature.session_uid}"
    if key not in _in_redraw:
        _in_redraw[key] = _outcome(look)
    return _unwrapped(_in_redraw[key])


def _outcome(compute: Callable[[], T]) -> T | InertiaError:
    """Return what is computed, or the InertiaError that it raises, without its traceback."""
    try:
        return compute()
    except InertiaError as error:
        return copy.copy(error)


def _unwrapped(outcome: T | InertiaError) -> T:
    if isinstance(outcome, InertiaError):
        raise copy.copy(outcome)
    return outcome


def answer_steps(name: str, armature: Any, key: Hashable, find: Callable[[], Steps[T]]) -> Steps[T]:
    """Return what is kept under a name if its key is equal; else find it in steps, which yield the part that
    is done, and keep it.

    A kept None or a kept error counts as nothing, and is found again. Errors of find get through and are not
    kept.
    """
    value = recall(name, armature, key)
    if value is None:
        value = yield from find()
        put(name, armature, key, value)
    return value


def has(name: str, armature: Any) -> bool:
    """Tell whether anything is kept under a name, right or not."""
    return f"{name} {armature.session_uid}" in _kept


def recall(name: str, armature: Any, key: Hashable) -> Any | None:
    """Return what is kept under a name for an armature if it was kept with an equal key; else, or where that
    is an error, None. Nothing is computed.
    """
    kept = _kept.get(f"{name} {armature.session_uid}")
    if kept is None or kept[0] != key or isinstance(kept[1], InertiaError):
        return None
    return kept[1]


def put(name: str, armature: Any, key: Hashable, value: Any) -> None:
    """Keep an answer that was found elsewhere."""
    name = f"{name} {armature.session_uid}"
    _kept.pop(name, None)  # so that it is the last one
    _kept[name] = (key, value)


def trim(prefix: str, count: int) -> None:
    """Drop all but `count` of the answers whose names begin with a prefix, those that were kept first.

    :func:`put` makes an answer the last one, also :func:`answer_steps` where it finds one; to ask for one
    again, or for :func:`answer` to compute it anew, does not. An answer's name ends in the armature's
    session_uid.
    """
    alike = [name for name in _kept if name.startswith(prefix)]
    for name in alike[: max(len(alike) - count, 0)]:
        del _kept[name]
        _rest_until.pop(name, None)


def scene_state() -> Hashable:
    """Return what of the scene decides a transition."""
    unit = bpy.context.scene.unit_settings
    return (scene.fps(), unit.system, unit.scale_length)


def rig_state(armature: Any) -> Hashable:
    """Return what of a rig decides a transition and may change without its actions; not its pose."""
    return rig_answer("rig:state", armature, _rig_state)


def still_state(armature: Any, *, at_once: bool = False) -> Hashable:
    """Return what of a rig decides a transition, but for where its object is."""
    return rig_answer("rig:still", armature, _still_state, at_once=at_once)


def unposed_state(armature: Any) -> Hashable:
    """Return what stays of a rig, and of all actions, while it is posed."""
    return (still_state(armature, at_once=True), _undone, _changes, scene_state())


def rig_key(armature: Any, *, at_once: bool = False) -> Hashable:
    """Return what decides where the joints are besides actions: :func:`influence.key`."""
    return rig_answer("rig:key", armature, influence.key, at_once=at_once)


def rig_answer(
    name: str, armature: Any, look: Callable[[Any], T], *, at_once: bool = False, question: Hashable = None
) -> T:
    """Return what `look` sees of a rig, looked at anew when Blender has touched what it consists of: its
    data, the object or its parents.

    That takes long with hundreds of constraints. What is not tagged there counts, too: a change of any
    action, undo and redo, the armature's mode and the scene's state. at_once: see :func:`answer`; without it
    an answer that is out of date may be returned for a while. question: what is asked of the rig besides the
    name, such as of which bones. The answer to another question is never returned; the last QUESTIONS, and
    this one, are kept. With None one answer is kept by the name.
    """
    if bpy.app.background:
        settle()
    blocks = (armature.data, *with_parents(armature))
    touched = [_touched.get(block.session_uid, 0) for block in blocks]
    key = (_undone, _changes, *touched, armature.mode, scene_state())
    if question is None:
        return answer(name, armature, key, lambda: look(armature), at_once=at_once)
    prefix = f"{name}/{armature.session_uid}/"
    trim(prefix, QUESTIONS)
    return answer(f"{prefix}{question!r}", armature, key, lambda: look(armature), at_once=at_once)


def object_state(obj: Any) -> Hashable:
    """Return a value that changes whenever Blender says that an object, one of its parents or their data may
    have moved or changed shape, and with undo and redo.

    In background mode :func:`settle` is called first.
    """
    if bpy.app.background:
        settle()
    moved: list[int] = []
    for each in with_parents(obj):
        moved += [each.session_uid, _moved.get(each.session_uid, 0)]
        moved.append(0 if each.data is None else _moved.get(each.data.session_uid, 0))
    return (_undone, *moved)


def with_parents(obj: Any | None) -> Iterator[Any]:
    """Yield an object and its parents."""
    while obj is not None:
        yield obj
        obj = obj.parent


def motion_state(obj: Any) -> Hashable:
    """Return a value that changes whenever what is followed may go elsewhere.

    For a curve that is its :func:`object_state`. Every change of the frame touches what is animated, so that
    for other objects their action and their constraints (type, name and influence) count, and not where they
    stand.
    """
    if obj.type == "CURVE":
        return object_state(obj)
    action = obj.animation_data.action if obj.animation_data else None
    constraints = tuple((each.type, each.name, each.influence) for each in obj.constraints)
    return (obj.session_uid, action_state(action), constraints)


def settle() -> None:
    """Have Blender say what has been changed until now, before something is done with what is kept. It has
    done so before it draws; without a window nothing is drawn."""
    bpy.context.view_layer.update()


def _rig_state(armature: Any) -> Hashable:
    place = tuple(value for row in armature.matrix_basis for value in row)
    tracks = preflight.soloed_tracks(armature), hindrances.find_layers_below(armature)
    return (place, tracks, _still_state(armature))


def _still_state(armature: Any) -> Hashable:
    bones = tuple(
        (bone.rotation_mode, recipe.read_stored_scale(bone), len(bone.constraints))
        for bone in armature.pose.bones
    )
    rest = np.empty(16 * len(armature.data.bones), np.float32)
    armature.data.bones.foreach_get("matrix_local", rest)
    return (armature.mode == "EDIT", armature.rotation_mode, bones, rest.tobytes())


def action_states(armature: Any, *, at_once: bool = False) -> Hashable:
    settings = armature.inertia
    return (
        action_state(settings.source, at_once=at_once),
        action_state(settings.destination, at_once=at_once),
    )


def action_state(action: Any | None, *, at_once: bool = False) -> Hashable:
    """Return a value that differs between actions, and changes when one is edited or renamed; None for None.

    It is (session_uid, name, range of the keys, checksum). The checksum is taken again only after Blender has
    said that some action has changed; an edit that is undone then changes nothing. Actions of more than
    600,000 keys are not read: theirs changes with any action's edit.

    Within :func:`one_redraw` each action is looked at once. Where reading all of them was slow, an old
    checksum may be returned for a while, and a redraw follows. at_once: neither of these; the checksum is
    current as far as Blender has said what changed. In background mode :func:`settle` is called first, so
    that it has.
    """
    if action is None:
        return None
    if at_once:
        return _action_state(action, at_once=True)
    return in_redraw("action", action, lambda: _action_state(action, at_once=False))


def _action_state(action: Any, *, at_once: bool) -> Hashable:
    global _seconds_looked
    if bpy.app.background:
        settle()
    # the range changes with edits that no handler sees
    cheap = (action.session_uid, action.name, tuple(action.curve_frame_range))
    state = _states.get(action.session_uid)
    if state is not None and state[0] == _changes:
        return (*cheap, state[1])
    began = time.monotonic()
    rests = _seconds_looked > CHEAP_SECONDS and began < _rest_until.get("actions", 0.0)
    if state is not None and rests and not at_once:
        _redraw_later(_rest_until["actions"] - began)
        return (*cheap, state[1])
    # to read a very long one would be felt: it counts as changed with any other
    is_long = actions.key_count(action) > joint_motion.QUICK
    _states[action.session_uid] = (_changes, -_changes if is_long else actions.contents(action))
    seconds = time.monotonic() - began
    _seconds_looked += seconds
    _rest_until["actions"] = began + (1.0 + REST) * seconds
    return (*cheap, _states[action.session_uid][1])


def contents(action: Any | None, *, at_once: bool = False) -> Hashable:
    """Return (range of the keys, checksum): a value that tells an action from itself before it was edited,
    also in another session; None for None.

    The range is (first, last), frames. The checksum of an action of more than 600,000 keys, which is not
    read, is 0. Names do not count. at_once: as in :func:`action_state`; without it the checksum may be out of
    date for a while.
    """
    state = action_state(action, at_once=at_once)
    if not isinstance(state, tuple):
        return None
    *_, span, checksum = state
    return span, max(checksum, 0)


@persistent
def forget(*_arguments: Any) -> None:
    """Have everything computed anew: nothing is known of another file."""
    look_again()
    for kept in (_kept, _rest_until, _touched, _moved, _states):
        kept.clear()


@persistent
def look_again(*_arguments: Any) -> None:
    """Look at everything again, as after undo; what turns out to be as it was need not be computed anew. Undo
    and redo keep session_uids, and nothing that is kept refers into the file."""
    global _undone
    _undone += 1
    _an_action_changed()


def _an_action_changed() -> None:
    global _changes, _seconds_looked
    _changes += 1
    _seconds_looked = 0.0


@persistent
def on_depsgraph_update(_scene: Any, depsgraph: Any) -> None:
    """Count what Blender says has changed; a handler of depsgraph_update_post that stays when a file is
    loaded.

    Every data-block of the updates counts as touched, by the original's session_uid; one whose geometry or
    transform was updated as moved, too. If any action was updated, all states of actions are out of date.
    Nothing is noted while a clip is played, as that leaves all as it was.
    """
    if is_read(playback) and playback.is_running():
        return
    for update in depsgraph.updates:
        uid = update.id.original.session_uid
        _touched[uid] = _touched.get(uid, 0) + 1
        # an action that comes or goes touches all there is, and moves nothing
        if update.is_updated_geometry or update.is_updated_transform:
            _moved[uid] = _moved.get(uid, 0) + 1
    if depsgraph.id_type_updated("ACTION"):
        _an_action_changed()


DRAWN_IN = {"VIEW_3D": ("UI", "WINDOW"), "DOPESHEET_EDITOR": ("UI", "WINDOW"), "GRAPH_EDITOR": ("WINDOW",)}
"""The regions, by editor, in which something of Inertia may show."""


def redraw() -> None:
    """Tag all regions in which something of Inertia may show for redraw, in all windows: the sidebars and
    main regions of 3D Views and Dope Sheets, and the main regions of Graph Editors.

    Return None, so that as a timer's function it is not called again.
    """
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            for region in area.regions:
                if region.type in DRAWN_IN.get(area.type, ()):
                    region.tag_redraw()


def _redraw_later(seconds: float) -> None:
    if not bpy.app.background:
        call_later(redraw, seconds)


def call_later(function: Callable[[], float | None], seconds: float = 0.0) -> None:
    """Have Blender call a timer's function in so many seconds, unless it is about to."""
    if not bpy.app.timers.is_registered(function):
        bpy.app.timers.register(function, first_interval=seconds)


def call_no_more(function: Callable[[], float | None]) -> None:
    """Take back what :func:`call_later` was asked for."""
    if bpy.app.timers.is_registered(function):
        bpy.app.timers.unregister(function)


def stop() -> None:
    """Forget all, and what was still to come."""
    call_no_more(redraw)
    forget()
