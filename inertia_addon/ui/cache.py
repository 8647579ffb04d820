# SPDX-License-Identifier: GPL-3.0-or-later
"""Answers that panels and overlays ask for again and again, kept until something changes.

Both are drawn many times a second, and what they show can take a fraction of one to compute. What is
kept holds no reference into the file, as undo and loading kill those.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

import bpy
import numpy as np
from bpy.app.handlers import persistent

from ..blender import bake, compat, evaluation

T = TypeVar("T")

_kept: dict[str, tuple[Hashable, Any]] = {}
"""By what is asked for: what it depended on, and the answer."""
_changes = 0
"""Goes up whenever an action may have changed."""
_rest_until: dict[str, float] = {}
"""Costly answers are not renewed before this time: dragging keys must not stutter."""

CHEAP_SECONDS = 0.02
"""What may be computed in every redraw."""
REST = 4.0
"""A costly answer is renewed at most every so many times its own cost."""


def answer(name: str, armature: Any, key: Hashable, compute: Callable[[], T], at_once: bool = False) -> T:
    """What is kept under a name, computed anew when what it depends on has changed.

    at_once: not to be shown a costly answer that is out of date while it rests, as what is done must
    be right.
    """
    name = f"{name} {armature.session_uid}"
    key = (_changes, key)
    known = _kept.get(name)
    if known is not None and known[0] == key:
        return known[1]
    began = time.monotonic()
    if known is not None and not at_once and began < _rest_until.get(name, 0.0):
        _redraw_later(_rest_until[name] - began)
        return known[1]
    found = compute()
    _kept[name] = (key, found)
    cost = time.monotonic() - began
    if cost > CHEAP_SECONDS:
        _rest_until[name] = began + cost + REST * cost
    return found


def known(name: str, armature: Any, key: Hashable) -> Any | None:
    """What is kept under a name if it is still right, else None."""
    kept = _kept.get(f"{name} {armature.session_uid}")
    return kept[1] if kept is not None and kept[0] == (_changes, key) else None


def put(name: str, armature: Any, key: Hashable, found: Any) -> None:
    """Keep an answer that was found elsewhere."""
    name = f"{name} {armature.session_uid}"
    _kept.pop(name, None)  # so that it is the last one
    _kept[name] = ((_changes, key), found)


def trim(prefix: str, count: int) -> None:
    """Keep no more than so many answers whose names begin alike: the last ones."""
    alike = [name for name in _kept if name.startswith(prefix)]
    for name in alike[: max(len(alike) - count, 0)]:
        del _kept[name]


def scene_state() -> Hashable:
    """What of the scene decides a transition."""
    scene = bpy.context.scene
    unit = scene.unit_settings
    return (bake.scene_fps(), unit.system, unit.scale_length)


def rig_state(armature: Any) -> Hashable:
    """What of a rig decides a transition and may change without its actions; not its pose."""
    bones = tuple(
        (bone.rotation_mode, bone.inertia.blend_scale, len(bone.constraints)) for bone in armature.pose.bones
    )
    rest = np.empty(16 * len(armature.data.bones), np.float32)
    armature.data.bones.foreach_get("matrix_local", rest)
    place = tuple(value for row in armature.matrix_basis for value in row)
    return (armature.mode == "EDIT", armature.rotation_mode, place, bones, rest.tobytes())


def action_states(armature: Any) -> Hashable:
    own = armature.inertia
    return (action_state(own.source), action_state(own.destination))


def action_state(action: Any | None) -> Hashable:
    """Tells an action from others, and roughly from itself before a change that no handler sees."""
    if action is None:
        return None
    slots = tuple((slot, len(compat.curves(action, slot.identifier))) for slot in compat.slots(action))
    return (action.session_uid, action.name, tuple(action.curve_frame_range), slots)


def forget() -> None:
    """Have everything computed anew."""
    global _changes
    _changes += 1
    _kept.clear()
    _rest_until.clear()


@persistent
def on_depsgraph_update(_scene: Any, depsgraph: Any) -> None:
    """Notice that an action was edited. Posing updates the armature, so that is looked at by value."""
    global _changes
    if depsgraph.id_type_updated("ACTION") and not evaluation.running():
        _changes += 1


@persistent
def on_new_state(*_arguments: Any) -> None:
    """Forget all after loading, undo and redo."""
    forget()


DRAWN_IN = {"VIEW_3D": ("UI", "WINDOW"), "DOPESHEET_EDITOR": ("UI", "WINDOW"), "GRAPH_EDITOR": ("WINDOW",)}
"""The regions, by editor, in which something of Inertia may show."""


def redraw() -> None:
    """Have what shows Inertia drawn again; a timer's function."""
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            for region in area.regions:
                if region.type in DRAWN_IN.get(area.type, ()):
                    region.tag_redraw()


def _redraw_later(seconds: float) -> None:
    if not bpy.app.background and not bpy.app.timers.is_registered(redraw):
        bpy.app.timers.register(redraw, first_interval=seconds)


def _handlers() -> tuple[tuple[list[Any], Callable[..., None]], ...]:
    lists = bpy.app.handlers
    return (
        (lists.depsgraph_update_post, on_depsgraph_update),
        (lists.load_post, on_new_state),
        (lists.undo_post, on_new_state),
        (lists.redo_post, on_new_state),
    )


def attach() -> None:
    """Start to watch the file."""
    for functions, function in _handlers():
        functions.append(function)


def detach() -> None:
    """Stop watching it and forget all."""
    for functions, function in reversed(_handlers()):
        if function in functions:
            functions.remove(function)
    if bpy.app.timers.is_registered(redraw):
        bpy.app.timers.unregister(redraw)
    forget()
