# SPDX-License-Identifier: GPL-3.0-or-later
"""Small rigs and hand-made actions, and what Blender's own evaluation says of them."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import bpy
import numpy as np
from numpy.typing import ArrayLike, NDArray

from inertia_addon.blender.data import compat
from inertia_addon.blender.transition import bake
from inertia_addon.blender.transition.report import BakeReport
from inertia_addon.settings.methods import METHODS, Method
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import clips

Array = NDArray[np.float64]
Points = Sequence[tuple[float, float]]

CURVES: list[dict[str, Any]] = [
    {"method": "QUINTIC", "quintic_start": method.name} if method.value.is_start else {"method": method.name}
    for method in Method
]
"""The settings that choose each curve."""
OF_OFFSETS = [method for method in METHODS if method != "DEAD_BLENDING"]
"""The methods by which an offset decays."""

ROTATIONS = {"QUATERNION": ("rotation_quaternion", 4), "AXIS_ANGLE": ("rotation_axis_angle", 4)}


def set_strip_slot(strip: Any, identifier: str) -> None:
    """Choose the slot that an NLA strip plays."""
    if compat.has_slots():
        strip.action_slot = strip.action.slots[identifier]


def rig(bones: Mapping[str, str | None], name: str = "Rig", height: float = 1.0) -> Any:
    """An armature of upright, unconnected bones, one above its parent; the only object in use."""
    data = bpy.data.armatures.new(name)
    armature = bpy.data.objects.new(name, data)
    bpy.context.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    for bone, parent in bones.items():
        made = data.edit_bones.new(bone)
        made.head = data.edit_bones[parent].tail if parent else (0.0, 0.0, 0.0)
        made.tail = (made.head[0], made.head[1], made.head[2] + height)
        if parent:
            made.parent = data.edit_bones[parent]
    bpy.ops.object.mode_set(mode="OBJECT")
    return armature


def bone_path(bone: str, prop: str) -> str:
    return f'pose.bones["{bone}"].{prop}'


def action(name: str, slot: str = "Rig", kind: str = "OBJECT") -> Any:
    """An empty action with one slot."""
    made = bpy.data.actions.new(name)
    prefix = {"OBJECT": "OB", "KEY": "KE"}[kind]
    compat.new_bag(made, compat.Slot(prefix + slot, kind))
    return made


def curve(
    made: Any,
    path: str,
    index: int,
    points: Points,
    interpolation: str | Sequence[str] = "BEZIER",
    handles: str | Sequence[str] = "AUTO_CLAMPED",
    slot: str = "OBRig",
    bag: Any = None,
) -> Any:
    """An F-curve with keys at (frame, value), its automatic handles computed.

    bag: what holds the curves of the slot, if it is known.
    """
    bag = bag_of(made, slot) if bag is None else bag
    fcurve = bag.fcurves.new(path, index=index)
    keys, co = fcurve.keyframe_points, np.array(points, float).reshape(-1, 2)
    keys.add(len(points))
    for prop, away in (("co", (0.0, 0.0)), ("handle_left", (-1.5, -0.3)), ("handle_right", (1.2, 0.24))):
        keys.foreach_set(prop, (co + away).astype(np.float32).ravel())
    for prop, kinds in (
        ("interpolation", interpolation),
        ("handle_left_type", handles),
        ("handle_right_type", handles),
    ):
        codes = enum_codes(prop)
        chosen = [kinds] * len(points) if isinstance(kinds, str) else kinds
        keys.foreach_set(prop, np.array([codes[kind] for kind in chosen], np.uint8))
    fcurve.update()
    return fcurve


def bag_of(made: Any, slot: str = "OBRig") -> Any:
    """What holds the curves of a slot of an action, made if need be."""
    return compat.new_bag(made, compat.Slot(slot, "KEY" if slot.startswith("KE") else "OBJECT"))


@functools.cache
def enum_codes(prop: str) -> dict[str, int]:
    """The numbers of the names that a property of keys may have."""
    return {item.identifier: item.value for item in bpy.types.Keyframe.bl_rna.properties[prop].enum_items}


def curves(made: Any, path: str, points: Sequence[tuple[float, Sequence[float]]], **how: Any) -> list[Any]:
    """The F-curves of a property of several numbers, all keyed on the same frames."""
    frames, rows = zip(*points, strict=True)
    columns = zip(*rows, strict=True)
    bag = bag_of(made, how.get("slot", "OBRig"))
    return [
        curve(made, path, i, [*zip(frames, column, strict=True)], bag=bag, **how)
        for i, column in enumerate(columns)
    ]


def wave(
    made: Any, path: str, index: int, size: float, start: float = 1.0, end: float = 41.0, **how: Any
) -> Any:
    """A smooth curve with a key on every frame."""
    frames = np.arange(start, end + 0.5)
    phase = how.pop("phase", 0.0)
    middle = how.pop("middle", 0.0)
    return curve(
        made,
        path,
        index,
        [(f, middle + size * np.sin(0.21 * f + phase)) for f in frames],
        **{"handles": "AUTO", **how},
    )


def transition(
    armature: Any, source: Any, destination: Any, cut: float, start: float | None = None, **how: Any
) -> tuple[BakeReport, Any]:
    """Bake; without the root's alignment and locked feet unless they are asked for.

    Returns the report and the result.

    Clips play once, but where curves have a modifier for that, unless it is said otherwise: a few keys may
    well end as they began.
    """
    action = compat.curves(destination, compat.slots(destination)[0].identifier)
    modified = any(len(curve.modifiers) for curve in action)
    once = {} if modified else {"source_cycle": "OFF", "destination_cycle": "OFF"}
    how = {"alignment": "NONE", "guard": "OFF", "feet": "OFF", **once, **how}
    settings = TransitionSettings(source.name, destination.name, cut, start, **how)
    report = bake.bake_transition(armature, settings)
    return report, bpy.data.actions[report.result]


def by_address(made: Any, slot: str | None = None) -> dict[tuple[str, int], Any]:
    """The F-curves of an action, or of one of its slots."""
    found = clips.all_curves(made) if slot is None else compat.curves(made, slot)
    return {(fcurve.data_path, fcurve.array_index): fcurve for fcurve in found}


def evaluated(made: Any, path: str, index: int, frames: ArrayLike) -> Array:
    """A curve's values at frames, by Blender."""
    fcurve = by_address(made)[path, index]
    return np.array([fcurve.evaluate(float(frame)) for frame in np.asarray(frames, float)])


def key_data(fcurve: Any, first: float = -np.inf, last: float = np.inf) -> list[tuple[Any, ...]]:
    """All of the keys within a span of frames, exactly."""
    return [
        (
            *tuple(key.co),
            *tuple(key.handle_left),
            *tuple(key.handle_right),
            key.handle_left_type,
            key.handle_right_type,
            key.interpolation,
            key.easing,
            key.type,
            key.back,
            key.amplitude,
            key.period,
        )
        for key in fcurve.keyframe_points
        if first <= key.co[0] <= last
    ]


def played(armature: Any, made: Any, frames: ArrayLike) -> Array:
    """World matrices (frames, bones, 4, 4) of the bones while an action plays."""
    clips.play(armature, made)
    return clips.poses(armature, np.asarray(frames, float))


def shown(armature: Any, made: Any, frames: ArrayLike, read: Callable[[], Any]) -> Array:
    """What ``read`` says of the file at frames while an action plays."""
    clips.play(armature, made)
    found = []
    for frame in np.asarray(frames, float):
        bpy.context.scene.frame_set(int(np.floor(frame)), subframe=float(frame - np.floor(frame)))
        found.append(read())
    return np.array(found)


@contextlib.contextmanager
def frames_shown() -> Iterator[list[float]]:
    """A list of the frames that the scene has been told to show since."""
    found: list[float] = []

    def note(scene: Any, *_arguments: Any) -> None:
        found.append(scene.frame_current_final)

    bpy.app.handlers.frame_change_post.append(note)
    try:
        yield found
    finally:
        bpy.app.handlers.frame_change_post.remove(note)


def rigid(report: BakeReport) -> Array:
    """The rigid motion (4, 4) that a bake gave the destination."""
    motion = np.eye(4)
    angle = np.radians(report.heading_degrees)
    motion[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    motion[:3, 3] = report.translation
    return motion


def sub_frames(first: float, last: float, step: float = 0.25) -> Array:
    """Frames and frames between them."""
    return np.append(np.arange(first, last - 1e-9, step), last)


def assert_outside(
    armature: Any,
    source: Any,
    destination: Any,
    report: BakeReport,
    result: Any,
    tolerance: float = 2e-5,
    beyond: float = 3.0,
) -> None:
    """Before the cut the pose is the source's, after the window the destination's, moved rigidly.

    beyond: how many frames before the first and after the last key are looked at, too.
    """
    cut, end = report.window
    later = cut - report.settings["destination_frame"]
    early = sub_frames(report.frame_range[0] - beyond, cut - 0.02)
    late = sub_frames(end, max(report.frame_range[1], end) + beyond)
    found = played(armature, result, np.concatenate([early, late]))
    before = played(armature, source, early)
    after = rigid(report) @ played(armature, destination, late - later)
    np.testing.assert_allclose(found[: len(early)], before, atol=tolerance, err_msg="before the cut")
    np.testing.assert_allclose(found[len(early) :], after, atol=tolerance, err_msg="after the window")


def largest_step(made: Any, first: float, last: float, match: str = "rotation_") -> float:
    """The largest step of any raw channel over an eighth of a frame."""
    frames = np.arange(first, last, 0.125)
    steps = [
        np.abs(np.diff([fcurve.evaluate(frame) for frame in frames])).max()
        for fcurve in clips.all_curves(made)
        if match in fcurve.data_path and not fcurve.data_path.endswith("_mode")
    ]
    return max(steps)


def bags(made: Any) -> list[Any]:
    """What holds an action's curves and groups."""
    if not hasattr(made, "layers"):
        return [made]
    return [bag for layer in made.layers for strip in layer.strips for bag in strip.channelbags]


def face(armature: Any, name: str = "Face") -> Any:
    """A mesh with two shape keys, worn by an armature; returns its shape keys."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    thing = bpy.data.objects.new(name, mesh)
    bpy.context.collection.objects.link(thing)
    thing.modifiers.new("Armature", "ARMATURE").object = armature
    for key in ("Basis", "Smile", "Frown"):
        thing.shape_key_add(name=key)
    mesh.shape_keys.name = name
    return mesh.shape_keys
