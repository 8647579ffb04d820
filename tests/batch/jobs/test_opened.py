# SPDX-License-Identifier: GPL-3.0-or-later
"""What is kept between jobs stays within its memory, and is what would be made anew."""

from __future__ import annotations

import contextlib
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.batch.jobs.job import Inputs, Job, contents_of
from inertia_addon.batch.jobs.opened import AT_LEAST, Opened, Recent
from inertia_addon.batch.work import worker
from inertia_addon.blender.evaluation import joints
from inertia_addon.settings.transition import TransitionSettings
from inertia_addon.tasks.transition import TransitionTask
from tests.batch.small_rig import make_rig


@given(st.lists(st.integers(0, 9), max_size=60), st.integers(0, 60))
def test_a_cache_gives_what_would_be_made_and_keeps_to_its_limit(keys: list[int], limit: int) -> None:
    made: list[int] = []

    def make(key: int) -> bytes:
        made.append(key)
        return bytes([key]) * (10 + key)

    recent: Recent[bytes] = Recent(limit, len)
    kept: list[int] = []
    for key in keys:
        was_made = len(made)
        assert recent.get(key, lambda key=key: make(key)) == bytes([key]) * (10 + key)
        # the ones used last, as many as the limit allows
        assert (len(made) > was_made) == (key not in kept)
        kept = [other for other in kept if other != key] + [key]
        while len(kept) > AT_LEAST and sum(10 + other for other in kept) > limit:
            kept.pop(0)


def bake(opened: Opened, file: Path, output: Path, cut: float) -> dict[str, Any]:
    """Bake a transition at a cut as a batch does; returns what it says of it."""
    inputs = Inputs((str(file),))
    settings = TransitionSettings("Walk", "Run", cut, destination_frame=5.0, blend_frames=8.0)
    job = Job(
        task=TransitionTask(settings),
        inputs=inputs,
        armature=None,
        joints="found",
        weights=(),
        outputs=(f"made{cut:g}.json",),
        where="transitions[0]",
        whole_file=False,
    )
    made = worker.make(opened, job, contents_of(opened.open(inputs).contents), output)
    return {"report": made["report"], "quality": made["quality"]}


def test_joints_of_an_armature_are_found_once_for_all_jobs_of_its_inputs(
    fresh_file: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_rig()
    file, other = tmp_path / "rig.blend", tmp_path / "other.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(file))
    shutil.copy(file, other)
    looked: list[str] = []
    shape = joints.shape
    monkeypatch.setattr(joints, "shape", lambda armature: looked.append(armature.name) or shape(armature))
    with contextlib.closing(Opened()) as opened:
        said = [bake(opened, file, tmp_path, 12.0)]
        first = len(looked)
        said.append(bake(opened, file, tmp_path, 18.0))
        assert len(looked) == first > 0
        bake(opened, other, tmp_path, 12.0)
        assert len(looked) == 2 * first
    for cut, known in zip((12.0, 18.0), said, strict=True):
        with contextlib.closing(Opened()) as opened:
            assert bake(opened, file, tmp_path, cut) == known
