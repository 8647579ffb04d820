# SPDX-License-Identifier: GPL-3.0-or-later
"""A clip with one key ten million frames away is searched where it moves, or refused with what to do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import compat
from inertia_addon.blender.evaluation import joint_motion
from tests.batch.small_rig import Run
from tests.blender import stepper

Inertia = Callable[..., Run]
LAST = 10_000_000


@pytest.fixture
def file(tmp_path: Path, fresh_file: None) -> Path:
    """A walk of two seconds with a key at the end of time, and a pop at frame 20."""
    action = stepper.walk(stepper.biped(), "Walk")
    action.use_fake_user = True
    curves = compat.curves(action, compat.slots(action)[0].identifier)
    curve = next(curve for curve in curves if "location" in curve.data_path and curve.array_index == 0)
    curve.keyframe_points[19].co.y += 3.0
    curve.keyframe_points.insert(LAST, curve.keyframe_points[-1].co.y)
    path = tmp_path / "endless.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    return path


def test_pops_are_looked_for_around_the_keys(inertia: Inertia, file: Path, tmp_path: Path) -> None:
    words = ("pops", file, "--action", "Walk", "--json")
    (pop,) = inertia(*words).json["pops"]
    assert (pop["bone"], pop["kind"], pop["first"], pop["last"]) == ("hips", "spike", 20.0, 20.0)
    report = inertia(*words, "--repair", "-o", tmp_path / "out.blend").json["report"]
    assert (len(report["pops"]), report["left"], report["frame_range"]) == (1, 0, [1.0, LAST])


def test_loops_are_searched_and_made_in_a_range_alone(inertia: Inertia, file: Path, tmp_path: Path) -> None:
    words, out = ("loop", file, "--action", "Walk", "--json"), tmp_path / "out.blend"
    for more, said in ((("--find", 3), "too many for a search"), (("-o", out), "too many for a loop")):
        done = inertia(*words, *more)
        assert (done.code, f'Frames 1 to {LAST} of "Walk" are {said}' in done.err) == (1, True)
    assert not out.exists()
    (best, *_) = inertia(*words, "--find", 3, "--range", 22, 49).json["found"]
    assert 22 <= best["start"] < best["end"] <= 49
    done = inertia(*words, "--range", 22, 42, "-o", out)
    assert done.code == 0, done.err
    assert (done.json["start"], done.json["end"]) == (22, 42)


def test_feet_are_not_judged_by_samples(inertia: Inertia, file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.blend"
    for words in (("check", file), ("feet", file, "-o", out)):
        done = inertia(*words, "--action", "Walk")
        assert (done.code, "too long to check frame by frame" in done.err) == (1, True)
    assert not out.exists()


def test_a_clip_is_judged_in_parts_as_it_is_at_once(
    inertia: Inertia, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bpy.ops.wm.open_mainfile(filepath=str(file))
    for curve in compat.curves(
        bpy.data.actions["Walk"], compat.slots(bpy.data.actions["Walk"])[0].identifier
    ):
        for i in range(len(curve.keyframe_points) - 1, 48, -1):
            curve.keyframe_points.remove(curve.keyframe_points[i])
    bpy.ops.wm.save_mainfile()
    words = ("check", file, "--action", "Walk", "--json")
    whole = inertia(*words).json
    assert whole["pop_frame"] in (19.0, 20.0, 21.0)
    for most in (1, 7, 49):
        monkeypatch.setattr(joint_motion, "most_frames", lambda _armature, most=most: most)
        assert inertia(*words).json == whole
