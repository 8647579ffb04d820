# SPDX-License-Identifier: GPL-3.0-or-later
"""The joins of a path are judged as the transitions are that they consist of."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import clip_store
from inertia_addon.blender.evaluation import joints
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.judging import verdict
from inertia_addon.blender.matching import action_set, followed, quality, search
from inertia_addon.blender.matching import bake as paths
from inertia_addon.blender.matching.recipes import PlayedClip
from inertia_addon.blender.transition import bake
from inertia_addon.motion.judging import faults
from inertia_addon.motion.steps import finish
from inertia_addon.settings.matching import PathSettings
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import clips, stepper
from tests.blender.verdicts import assert_alike
from tests.blender.wanderer import settings

CUT, ENTRY = 20.0, 31.0


def test_a_join_is_judged_as_the_transition_that_it_is(fresh_file: None) -> None:
    armature = stepper.biped()
    stepper.walk(armature, "Walk", frames=55)
    stepper.walk(armature, "Late", frames=70, late=0.2)
    once: dict[str, Any] = {"source_cycle": "OFF", "destination_cycle": "OFF", "feet": "OFF"}
    settings = TransitionSettings("Walk", "Late", CUT, ENTRY, blend_frames=10.0, **once)
    plan = bake.plan_transition(armature, settings)
    played, told = plan.evidence, finish(verdict.of_played(plan.evidence))
    report = bake.write_plan(plan)
    path = clip_store.read(armature, bpy.data.actions[report.result], report.slot)
    motion = played.motion
    angle, place = math.atan2(motion[1, 0], motion[0, 0]), (float(motion[0, 3]), float(motion[1, 3]))
    plays = [
        PlayedClip("Walk", mirrored=False, frame=1.0, entered=1.0, angle=0.0, place=(0.0, 0.0)),
        PlayedClip("Late", mirrored=False, frame=CUT, entered=ENTRY, angle=angle, place=place),
    ]
    asked = PathSettings(settings, points="unread.csv")
    (join,) = finish(
        quality.judge_joins_steps(read_character(armature), asked, plan.clips, played.root, plays, path)
    )
    assert_alike(join, told)
    # bent clips are looked at first; what is done of the work never runs back
    plays[1] = dataclasses.replace(plays[1], bend=0.2)
    done = [*quality.judge_joins_steps(read_character(armature), asked, plan.clips, played.root, plays, path)]
    assert len(done) > 2
    assert done == sorted(done)


def test_the_feet_of_recorded_runs_hardly_skate_where_they_join(data_dir: Path, tmp_path: Path) -> None:
    """Of which a search finds some that meet out of step."""
    armature, names = clips.load("cmu127", data_dir)
    runs = tuple(name for name in names if name[7:9] in ("03", "13", "17"))
    x = np.linspace(0.0, 7.5, 90)
    way = np.column_stack([x, 0.7 * np.sin(x / 2.2) - 0.4 * np.cos(x / 3.0)])
    points = tmp_path / "way.csv"
    np.savetxt(points, way, delimiter=",", header="x,y", comments="")
    ratings: dict[str, list[str]] = {}
    faults_of: dict[str, list[verdict.Fault]] = {}
    asked = settings(points=str(points), actions=runs, mirror=True, width=8)
    analysed = finish(
        action_set.analyse_steps(read_character(armature), asked, joints.named_weights(armature, "stored"))
    )
    found = finish(search.search_path_steps(analysed, asked, followed.course(asked)))
    for feet in ("OFF", "AUTO"):
        asked = dataclasses.replace(asked, transition=dataclasses.replace(asked.transition, feet=feet))
        report = finish(paths.bake_way_steps(armature, dataclasses.replace(found, settings=asked)))
        action = bpy.data.actions[report.result]
        told = finish(quality.judge_result_steps(read_character(armature), action, report.slot))
        ratings[feet] = [each.rating for each in told]
        faults_of[feet] = [fault for each in told for fault in each.faults]
        bpy.data.actions.remove(action)
    assert ratings["OFF"].count(faults.POOR) >= len(ratings["OFF"]) / 3
    assert ratings["AUTO"].count(faults.GOOD) > len(ratings["AUTO"]) / 2
    # a knee may still snap where its foot is caught, which is another fault
    assert not any(fault.kind == faults.SKATE and fault.severity > 2.0 for fault in faults_of["AUTO"])
