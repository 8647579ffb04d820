# SPDX-License-Identifier: GPL-3.0-or-later
"""A path, moved with the rig, is followed alike wherever it lies, and however large the rig is."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from inertia_addon.blender.evaluation import joints
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.matching import action_set, bake, followed, quality, search
from inertia_addon.blender.matching.search import PathPlan
from inertia_addon.motion.matching import clip_sequence
from inertia_addon.motion.matching.clip_sequence import Join
from inertia_addon.motion.skeleton import character_space
from inertia_addon.motion.steps import finish
from tests.blender import builders, wanderer
from tests.blender.placing import PLACES, assert_moved, put
from tests.blender.wanderer import circle, csv_of, settings


@pytest.mark.variants(1)
@pytest.mark.parametrize("place", PLACES)
def test_a_path_is_followed_alike_elsewhere(tmp_path: Path, place: str) -> None:
    """By points in metres, with locked feet.

    Which of several ways that are as good the search keeps hangs by a hair, so that the first one is baked
    again on the moved rig.
    """
    armature = wanderer.with_clips()

    def found_along(points: np.ndarray) -> PathPlan:
        chosen = settings(points=str(csv_of(tmp_path / "way.csv", points)), width=2)
        course = followed.course(chosen)
        analysed = finish(
            action_set.analyse_steps(
                read_character(armature), chosen, joints.named_weights(armature, "stored")
            )
        )
        return finish(search.search_path_steps(analysed, chosen, course))

    def made(found: PathPlan) -> tuple[Any, np.ndarray]:
        report = finish(bake.bake_way_steps(armature, found))
        frames = np.arange(*report.frame_range, 4.0)
        measured = finish(quality.measure_path_steps(armature, found, report))
        return measured, builders.played(armature, bpy.data.actions[report.result], frames)

    points = circle(1.5)
    found = found_along(points)
    measured, before = made(found)
    there = put(armature, place)
    metres = bpy.context.scene.unit_settings.scale_length
    moved = np.column_stack([points[:, 1:], 0.0 * points[:, 0]]) @ there[:3, :3].T + there[:3, 3]
    again = found_along(np.column_stack([points[:, 0], moved[:, :2] * metres]))
    np.testing.assert_allclose(again.stock.database.speeds, found.stock.database.speeds, atol=1e-3)
    other, _ = made(again)
    assert max(measured.path_rms_m, other.path_rms_m) < 0.05
    assert max(measured.apart_rms_m, other.apart_rms_m) < 0.01
    # the rigid motion alone; the scene's unit makes up for the scale
    rigid = np.array(there)
    rigid[:3, :3] *= metres
    rigid[:3, 3] *= metres
    joins = [moved_by(rigid, join) for join in found.way.joins]
    way = clip_sequence.assembled(again.stock.database, joins, found.way.frames, found.way.cost)
    np.testing.assert_array_equal(way.flat, found.way.flat)
    same = dataclasses.replace(
        again, way=way, warp=clip_sequence.warp_towards(way, again.target, again.stock.database.fps, 1.0)
    )
    remeasured, after = made(same)
    assert_moved(there, before, after, 5e-3)
    assert remeasured.path_rms_m == pytest.approx(measured.path_rms_m, abs=1e-3)


def moved_by(rigid: np.ndarray, join: Join) -> Join:
    """A join that puts its clip's ground where it was, moved."""
    motion = (
        rigid @ character_space.motion_of(join.angle, np.array([*join.place, 0.0])) @ np.linalg.inv(rigid)
    )
    return dataclasses.replace(join, place=tuple(motion[:2, 3].tolist()))
