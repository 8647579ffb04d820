# SPDX-License-Identifier: GPL-3.0-or-later
"""Between two frames, too, a rotation goes the way from the one to the other, whatever its channels are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st
from mathutils import Matrix, Quaternion
from numpy.typing import NDArray

from inertia_addon.motion import quaternion
from tests.blender import builders
from tests.blender.examples import FEW
from tests.blender.transition.test_rotations import MODES, continued, raw_of
from tests.motion.strategies import EULER_ORDERS

Array = NDArray[np.float64]
LENGTH = 50
angle = st.floats(-3.2, 3.2)
lean = st.sampled_from([0.0, 0.05, 0.4])
turn = st.sampled_from([-1.6, 0.0, 1.6, 2.5])


def turning(name: str, mode: str, heading: float, by: float, lean: float, *, upright: bool) -> Any:
    """A clip in which the root turns by an angle on its way, leaning; keyed on each frame as captures are.

    upright: whether the bone's own axis is the vertical, or the world's is.
    """
    made = builders.action(name)
    rest = Matrix(((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0))) if upright else Matrix.Identity(3)
    rows: list[tuple[float, list[float]]] = []
    for frame in range(1, LENGTH + 1):
        about = heading + by * (0.5 - 0.5 * np.cos(np.pi * frame / LENGTH))
        q = Quaternion((0.0, 0.0, 1.0), about) @ Quaternion((0.6, 0.8, 0.0), lean * np.sin(0.2 * frame + by))
        raw = raw_of((rest.inverted() @ q.to_matrix() @ rest).to_quaternion(), mode)
        rows.append((frame, continued(raw, rows[-1][1], mode) if rows else raw))
    prop = builders.ROTATIONS.get(mode, ("rotation_euler", 3))[0]
    builders.curves(made, builders.bone_path("Root", prop), rows, interpolation="LINEAR")
    places = [(frame, (0.03 * frame, 0.0, 0.01 * frame)) for frame in range(1, LENGTH + 1)]
    builders.curves(made, builders.bone_path("Root", "location"), places, interpolation="LINEAR")
    return made


def astray(armature: Any, made: Any, frames: Array) -> tuple[Array, Array]:
    """How many degrees the root's pose half a frame later is from half the way to the next frame's (n,).

    And how many it may be, as a turn speeds up or slows down over the frames beside these.
    """
    times = np.add.outer([-1.0, 0.0, 0.5, 1.0, 2.0], frames)
    asked, which = np.unique(times, return_inverse=True)
    before, here, half, there, after = rotations(armature, made, asked)[which.reshape(times.shape)]
    way = quaternion.normalise(
        here + np.where(np.sum(here * there, axis=-1, keepdims=True) < 0.0, -there, there)
    )
    steps = [apart(*pair) for pair in ((before, here), (here, there), (there, after))]
    changes = np.linalg.norm(np.diff(steps, axis=0), axis=-1).max(axis=0)
    return np.linalg.norm(apart(way, half), axis=-1), changes / 8.0


def rotations(armature: Any, made: Any, frames: Array) -> Array:
    """How the root is turned at frames while an action plays (n, 4)."""
    return quaternion.from_matrix(builders.played(armature, made, frames)[:, 0, :3, :3])


def apart(one: Array, other: Array) -> Array:
    """What turns one rotation into another (n, 3), in degrees."""
    return np.degrees(quaternion.log(quaternion.multiply(other, quaternion.conjugate(one))))


@FEW
@example(
    mode="AXIS_ANGLE",
    upright=True,
    alignment="POSITION_HEADING",
    source=(-2.8, 0.0, 0.05),
    destination=(1.2, 2.5, 0.05),
    cut=40.0,
    start=30.0,
    scale=1.0,
)
@example(
    mode="XYZ",
    upright=True,
    alignment="POSITION_HEADING",
    source=(-3.0, 1.6, 0.0),
    destination=(-0.9, -1.6, 0.05),
    cut=40.0,
    start=5.0,
    scale=1.0,
)
@given(
    mode=st.sampled_from(MODES),
    upright=st.booleans(),
    alignment=st.sampled_from(["POSITION_HEADING", "NONE"]),
    source=st.tuples(angle, turn, lean),
    destination=st.tuples(angle, turn, lean),
    cut=st.sampled_from([15.0, 24.0, 24.25, 40.0]),
    start=st.sampled_from([5.0, 12.5, 30.0]),
    scale=st.sampled_from([0.0, 0.5, 0.8, 1.0]),
)
def test_half_frames_lie_half_the_way(
    empty_file: Path,
    mode: str,
    *,
    upright: bool,
    alignment: str,
    source: tuple[float, float, float],
    destination: tuple[float, float, float],
    cut: float,
    start: float,
    scale: float,
) -> None:
    """Within a degree, wherever the clips' own do: at the cut, in the window, where it ends, and after it."""
    bpy.ops.wm.read_homefile(filepath=str(empty_file))
    armature = builders.rig({"Root": None, "Hips": "Root"})
    for bone in armature.pose.bones:
        bone.rotation_mode = mode
    made = (
        turning("Source", mode, *source, upright=upright),
        turning("Destination", mode, *destination, upright=upright),
    )
    report, result = builders.transition(
        armature, *made, cut, start, blend_scales=(("Root", scale),), alignment=alignment
    )
    assert report.alignment == alignment
    first, last = np.floor(cut) - 2.0, np.floor(report.frame_range[1]) - 1.0
    frames = np.arange(first, last)
    own = [astray(armature, made[0], frames)[0], astray(armature, made[1], frames - cut + start)[0]]
    after, before = frames >= cut, frames + 1.0 <= cut
    steady = np.where(before, own[0], np.where(after, own[1], np.maximum(*own))) < 1.0
    if scale == 0.0:
        steady &= after | (frames + 1.0 < cut)  # it jumps there
    found, changing = astray(armature, result, frames)
    changing[before | (frames >= report.window[1])] = 0.0
    assert np.max((found - changing)[steady]) < 1.0, (frames[steady], found[steady].round(2))
    # behind the window the destination plays exactly, as it was turned
    behind = np.arange(np.ceil(report.window[1]), last, 0.25)
    there = rotations(armature, made[1], behind - cut + start)
    turned = quaternion.multiply(rotations(armature, result, behind), quaternion.conjugate(there))
    assert np.max(np.linalg.norm(apart(turned[:1], turned), axis=-1)) < 0.01


@FEW
@example(mode="ZYX", miss=0.03, way=0.8)
@example(mode="YXZ", miss=0.02, way=-0.1)
@given(mode=st.sampled_from(MODES), miss=st.floats(0.0, 0.2), way=st.floats(-3.1, 3.1))
def test_a_window_near_gimbal_lock_has_the_keys_that_it_takes(
    empty_file: Path, mode: str, miss: float, way: float
) -> None:
    """Two held poses, with one nearly between them where two axes are one: no half frame strays."""
    bpy.ops.wm.read_homefile(filepath=str(empty_file))
    armature = builders.rig({"Root": None, "Hips": "Root"})
    armature.pose.bones["Root"].rotation_mode = mode
    prop = builders.ROTATIONS.get(mode, ("rotation_euler", 3))[0]
    order = mode if mode in EULER_ORDERS else "XYZ"
    lock = np.zeros(3)
    lock["XYZ".index(order[1])] = np.pi / 2
    along, across, aside = (np.roll(lock, shift) / (np.pi / 2) for shift in range(3))
    middle = quaternion.multiply(quaternion.exp(miss * aside), quaternion.from_euler(lock, order))
    made = []
    for name, side in (("Source", -0.5), ("Destination", 0.6)):
        turned = quaternion.exp(side * (np.cos(way) * along + np.sin(way) * across))
        raw = raw_of(Quaternion(quaternion.multiply(turned, middle)), mode)
        made.append(builders.action(name))
        builders.curves(made[-1], builders.bone_path("Root", prop), [(1, raw), (LENGTH, raw)])
    builders.transition(armature, *made, 15.0, 5.0)
    result = bpy.data.actions["Source to Destination"]
    found, changing = astray(armature, result, np.arange(12.0, 32.0))
    assert np.max(found - changing) < 1.0
