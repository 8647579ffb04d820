# SPDX-License-Identifier: GPL-3.0-or-later
"""How fast a bake is, as ratios measured in one process, alternating.

    python bench/bench.py [--rounds 7]

A transition of 65 bones between two clips of 1000 frames (rotations of all bones, location of the
root, a key on every frame) is timed against (a) Blender's own ``bake_action`` of the same range of an
NLA cross-fade of the same two actions, and (b) the bare cost of reading and writing the keys that
the result needs. Once with handles of the animator's own (free), once with automatic ones, which
(b) need not carry. And two clips of 60 frames whose transition has 80, where what a bake costs at least is
seen: at most what ``bake_action`` costs, in processor time as in time.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from bpy_extras import anim_utils
from goals import whether

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from inertia_addon.blender.data import compat
from inertia_addon.blender.transition import bake
from inertia_addon.settings.transition import TransitionSettings

BONES = 65


@dataclasses.dataclass(frozen=True)
class Case:
    """Two clips of so many frames, joined at the first's ``cut`` and the second's ``start``."""

    frames: int
    cut: int
    start: int

    @property
    def length(self) -> int:
        """How many frames the transition has."""
        return self.cut + self.frames - self.start


LONG, SHORT = Case(1000, 600, 200), Case(60, 40, 20)
POINTS = ("co", "handle_left", "handle_right")
CODES = ("interpolation", "handle_left_type", "handle_right_type")


def make_rig() -> Any:
    """A tree of 65 bones whose first one is the root."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    data = bpy.data.armatures.new("Rig")
    rig = bpy.data.objects.new("Rig", data)
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for i in range(BONES):
        bone = data.edit_bones.new(f"bone{i:02}")
        bone.head, bone.tail = (0.0, 0.0, 0.1 * i), (0.0, 0.05, 0.1 * i + 0.1)
        if i:
            bone.parent = data.edit_bones[(i - 1) // 2]
    bpy.ops.object.mode_set(mode="OBJECT")
    return rig


def make_clip(name: str, seed: int, handles: int, case: Case = LONG) -> Any:
    """Smooth random rotations of all bones and a walking root, a key on every frame."""
    chance = np.random.default_rng(seed)
    action = bpy.data.actions.new(name)
    bag = compat.new_bag(action, compat.Slot("OBRig" if compat.has_slots() else "", "OBJECT"))
    frames = np.arange(case.frames, dtype=np.float64)
    for i in range(BONES):
        angle, speed = chance.uniform(0.1, 0.6), chance.uniform(0.05, 0.2)
        half = 0.5 * angle * np.sin(speed * frames + chance.uniform(0.0, 6.0))
        axis = chance.normal(size=3)
        axis /= np.linalg.norm(axis)
        q = np.column_stack([np.cos(half), np.sin(half)[:, None] * axis])
        for k in range(4):
            _write(bag, f'pose.bones["bone{i:02}"].rotation_quaternion', k, frames, q[:, k], handles)
    for k in range(3):
        _write(bag, 'pose.bones["bone00"].location', k, frames, 0.02 * (k + seed) * frames, handles)
    return action


def _write(bag: Any, path: str, index: int, frames: Any, values: Any, handles: int) -> None:
    curve = bag.fcurves.new(path, index=index)
    curve.keyframe_points.add(len(frames))
    curve.keyframe_points.foreach_set("co", np.column_stack([frames, values]).astype(np.float32).ravel())
    for name in ("handle_left_type", "handle_right_type"):
        curve.keyframe_points.foreach_set(name, np.full(len(frames), handles, np.uint8))
    slope = np.gradient(values)
    for name, side in (("handle_left", -1.0), ("handle_right", 1.0)):
        points = np.column_stack([frames + side / 3.0, values + side * slope / 3.0])
        curve.keyframe_points.foreach_set(name, points.astype(np.float32).ravel())
    curve.update()


def inertialize(rig: Any, case: Case) -> int:
    """Our bake; returns the number of keys."""
    settings = TransitionSettings(
        "Source", "Destination", case.cut, case.start, assign=False, result="Result"
    )
    report = bake.bake_transition(rig, settings)
    bpy.data.actions.remove(bpy.data.actions[report.result])
    return report.keys


def bake_action(rig: Any, case: Case) -> None:
    """Blender's bake of the cross-fade that :func:`set_up_nla` made."""
    options = anim_utils.BakeOptions(
        only_selected=False,
        do_pose=True,
        do_object=False,
        do_visual_keying=False,
        do_constraint_clear=False,
        do_parents_clear=False,
        do_clean=False,
        do_location=True,
        do_rotation=True,
        do_scale=True,
        do_bbone=True,
        do_custom_props=True,
    )
    action = anim_utils.bake_action(rig, action=None, frames=range(case.length), bake_options=options)
    rig.animation_data.action = None
    bpy.data.actions.remove(action)


def set_up_nla(rig: Any, case: Case) -> None:
    """The same two actions as a cross-fade of NLA strips."""
    animation = rig.animation_data or rig.animation_data_create()
    animation.action = None
    for name, start in (("Source", 0), ("Destination", case.cut - case.start)):
        strip = animation.nla_tracks.new().strips.new(name, start, bpy.data.actions[name])
        if compat.has_slots():
            strip.action_slot = strip.action.slots[0]
        if name == "Source":
            strip.action_frame_end = case.cut + 12
        else:
            strip.action_frame_start = case.start
            strip.frame_start = case.cut
            strip.blend_in = 12.0


def clear_nla(rig: Any) -> None:
    for track in list(rig.animation_data.nla_tracks):
        rig.animation_data.nla_tracks.remove(track)


def bare(*, with_handles: bool, case: Case) -> None:
    """Read both clips' keys and write as many as the result has, and nothing else."""
    action = bpy.data.actions.new("Bare")
    bag = compat.new_bag(action, compat.Slot("OBRig" if compat.has_slots() else "", "OBJECT"))
    points = POINTS if with_handles else POINTS[:1]
    count = case.length
    pairs = zip(
        *(compat.curves(bpy.data.actions[name], _slot(name)) for name in ("Source", "Destination")),
        strict=True,
    )
    for curves in pairs:
        read = [_read(curve, points) for curve in curves]
        made = bag.fcurves.new(curves[0].data_path, index=curves[0].array_index)
        made.keyframe_points.add(count)
        for name in (*points, *CODES):
            joined = np.concatenate([read[0][name][: case.cut], read[1][name][case.start :]])
            made.keyframe_points.foreach_set(name, joined.ravel())
        made.update()
    bpy.data.actions.remove(action)


def _slot(name: str) -> str:
    return compat.slots(bpy.data.actions[name])[0].identifier


def _read(curve: Any, points: tuple[str, ...]) -> dict[str, Any]:
    keys = curve.keyframe_points
    found = {}
    for name in points:
        found[name] = np.empty(2 * len(keys), np.float32)
        keys.foreach_get(name, found[name])
        found[name] = found[name].reshape(-1, 2)
    for name in CODES:
        found[name] = np.empty(len(keys), np.uint8)
        keys.foreach_get(name, found[name])
    return found


def timed(work: Callable[[Any, Case], object], what: Any, case: Case) -> tuple[float, float]:
    """Seconds that work takes, and those of the processor."""
    start, own = time.perf_counter(), time.process_time()
    work(what, case)
    return time.perf_counter() - start, time.process_time() - own


def peak_memory(rig: Any) -> tuple[int, int]:
    """The peak that Python and numpy allocate during a bake, and the size of the result's keys."""
    tracemalloc.start()
    keys = inertialize(rig, LONG)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # what Blender holds for a key: three points of frame, value and tilt, and its settings
    return peak, keys * 72


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    print(f"Blender {bpy.app.version_string}: {BONES} bones, medians of {rounds} rounds")
    for label, handles, carried, case, most in (
        ("80 frames of two short clips", 4, False, SHORT, 2.0),
        ("1000 frames a clip, free handles", 0, True, LONG, 1.5),
        ("1000 frames a clip, automatic handles", 4, False, LONG, 1.5),
    ):
        rig = make_rig()
        make_clip("Source", 1, handles, case)
        make_clip("Destination", 2, handles, case)
        ours, theirs, floor = [], [], []
        for _ in range(rounds):
            ours.append(timed(inertialize, rig, case))
            floor.append(timed(lambda handles, case: bare(with_handles=handles, case=case), carried, case))
            set_up_nla(rig, case)
            theirs.append(timed(bake_action, rig, case))
            clear_nla(rig)
        faster, by_processor = (
            statistics.median(t[k] / o[k] for t, o in zip(theirs, ours, strict=True)) for k in (0, 1)
        )
        cost = statistics.median(o[0] / f[0] for o, f in zip(ours, floor, strict=True))
        took = ", ".join(
            f"{1e3 * statistics.median(one for one, _ in part):.0f} ms" for part in (ours, theirs, floor)
        )
        print(
            f"  {label}: {faster:.1f} times faster than baking an NLA cross-fade, {by_processor:.1f} times by"
            f" the processor's time; over the bare cost of its keys {whether(cost, most)}   [{took}]"
        )
    peak, size = peak_memory(rig)
    print(
        f"  peak memory: {peak / size:.1f} times the result's keys ({peak / 1e6:.0f} MB, {size / 1e6:.0f} MB)"
    )
    sys.stdout.flush()
    # the bpy modules can hang at exit; everything is said
    os._exit(0)


if __name__ == "__main__":
    main()
