# SPDX-License-Identifier: GPL-3.0-or-later
"""A result with fewer keys stays within the tolerance, and is the same outside of its window."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from inertia_addon.blender.data import rig
from inertia_addon.motion import quaternion
from inertia_addon.motion.arrays import Array
from tests.blender import builders, clips

CUT, ENTRY = 20.5, 9.0
MODES = {"rotation_quaternion": "QUATERNION", "rotation_euler": "XYZ", "rotation_axis_angle": "AXIS_ANGLE"}

pytestmark = pytest.mark.usefixtures("fresh_file")


def made_up() -> tuple[Any, Any, Any]:
    """An armature a tenth as large, with bones of all modes, and two actions."""
    armature = builders.rig({"A": None, "B": "A", "C": "A"})
    armature.scale = (0.1,) * 3
    for name, mode in (("B", "XYZ"), ("C", "AXIS_ANGLE")):
        armature.pose.bones[name].rotation_mode = mode
    made = [builders.action(name) for name in ("Source", "Destination")]
    for side, action in enumerate(made):
        for bone in "ABC":
            prop, count = quaternion.rotation_property(armature.pose.bones[bone].rotation_mode)
            for path, numbers in ((prop, count), ("location", 3), ("scale", 3)):
                for i in range(numbers):
                    middle = float(path == "scale" or (numbers == 4 and i == (bone == "C")))
                    size = 0.1 if path == "scale" else 0.5
                    how = {"phase": 1.3 * i + side, "middle": middle}
                    builders.wave(action, builders.bone_path(bone, path), i, size, end=60.0, **how)
    return armature, *made


def values(made: Any, frames: Array) -> dict[str, Array]:
    """By data path the values (frames, channels)."""
    found: dict[str, list[Array]] = {}
    for (path, _), curve in sorted(builders.by_address(made).items()):
        found.setdefault(path, []).append(np.array([curve.evaluate(frame) for frame in frames]))
    return {path: np.transpose(columns) for path, columns in found.items()}


def assert_within(full: Any, thin: Any, report: Any, tolerance: float, metres: float) -> None:
    """As an animator would say it: degrees, centimetres, hundredths; and the same keys elsewhere."""
    cut, end = report.window
    frames = np.unique(np.concatenate([[cut], np.arange(np.ceil(cut), end + 0.1, 0.5)]))
    wanted, shown = values(full, frames), values(thin, frames)
    assert wanted.keys() == shown.keys()
    for path, here in wanted.items():
        bone, prop = rig.split_path(path)
        if prop in MODES:
            one, other = (quaternion.to_quaternion(raw, MODES[prop]) for raw in (here, shown[path]))
            turn = quaternion.log(quaternion.multiply(one, quaternion.conjugate(other)))
            far = np.degrees(np.linalg.norm(turn, axis=1))
        else:
            unit = 100.0 * (metres if prop == "location" else 1.0)
            far = unit * np.linalg.norm(here - shown[path], axis=1)
        assert np.max(far) <= 1.01 * tolerance, (bone, prop)
    for address, curve in builders.by_address(full).items():
        other = builders.by_address(thin)[address]
        for span in ((-np.inf, cut - 0.1), (end + 0.1, np.inf)):
            assert builders.key_data(curve, *span) == builders.key_data(other, *span)
        assert all(other.evaluate(at) == pytest.approx(curve.evaluate(at), abs=1e-6) for at in (cut, end))


def window_frames(made: Any, report: Any) -> dict[str | None, set[tuple[float, ...]]]:
    """By bone the frames on which its curves have keys in the window."""
    found: dict[str | None, set[tuple[float, ...]]] = {}
    for (path, _), curve in builders.by_address(made).items():
        frames = (key.co[0] for key in curve.keyframe_points)
        own = tuple(at for at in frames if report.window[0] - 0.1 < at < report.window[1] + 0.1)
        found.setdefault(rig.split_path(path)[0], set()).add(own)
    return found


def test_a_tolerance_leaves_fewer_keys_that_a_bone_has_in_common() -> None:
    armature, source, destination = made_up()
    how: dict[str, Any] = {"blend_frames": 24.0}
    report, full = builders.transition(armature, source, destination, CUT, ENTRY, **how)
    fewer, thin = builders.transition(armature, source, destination, CUT, ENTRY, key_tolerance=0.5, **how)
    assert fewer.window == report.window
    assert fewer.keys < 0.8 * report.keys
    assert_within(full, thin, fewer, 0.5, 0.1)
    frames = window_frames(thin, fewer)
    assert all(len(own) == 1 for own in frames.values())
    assert (
        max(len(own) for [own] in frames.values())
        < 20
        < min(len(own) for [own] in window_frames(full, report).values())
    )
    # as strips there is a key on every frame of the blend
    exact, _ = builders.transition(armature, source, destination, CUT, ENTRY, strips=True, **how)
    strips, _ = builders.transition(
        armature, source, destination, CUT, ENTRY, strips=True, key_tolerance=0.5, **how
    )
    assert strips.keys == exact.keys


def test_a_real_clip_needs_a_fraction_of_the_keys(data_dir: Path) -> None:
    armature, names = clips.load("Fox", data_dir)
    source, destination = (bpy.data.actions[name] for name in names[:2])
    how: dict[str, Any] = {"blend_frames": 12.0, "feet": "OFF"}
    report, full = builders.transition(armature, source, destination, 10.0, 2.0, **how)
    fewer, thin = builders.transition(armature, source, destination, 10.0, 2.0, key_tolerance=0.5, **how)
    assert_within(full, thin, fewer, 0.5, armature.matrix_world.median_scale)
    left, before = (
        sum(len(frames) for own in window_frames(made, what).values() for frames in own)
        for made, what in ((thin, fewer), (full, report))
    )
    assert left < 0.5 * before
