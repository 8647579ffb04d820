# SPDX-License-Identifier: GPL-3.0-or-later
"""A plan that nobody needs any more gives its keys back while it is written, and writes the same action."""

from __future__ import annotations

import weakref
from typing import Any

import bpy
import pytest

from inertia_addon.blender.transition import bake
from inertia_addon.motion.curves.keys import Keys
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import builders

CUT = 12.0


@pytest.fixture
def armature(fresh_file: None) -> Any:
    rig = builders.rig({"A": None, "B": "A"})
    for name, height in (("Walk", 0.2), ("Run", 0.5)):
        made = builders.action(name)
        for bone in ("A", "B"):
            points = [(float(i), (0.9, 0.1 * (i % 7), height, 0.0)) for i in range(1, 31)]
            builders.curves(made, builders.bone_path(bone, "rotation_quaternion"), points)
    return rig


def plan_of(armature: Any, result: str) -> bake.Plan:
    return bake.plan_transition(armature, TransitionSettings("Walk", "Run", CUT, result=result))


def test_a_plan_that_is_spent_writes_the_same_action_and_reports_the_same(armature: Any) -> None:
    kept = bake.write_plan(plan_of(armature, "Kept"))
    spent = bake.write_plan(plan_of(armature, "Spent"), spends_plan=True)
    both = [builders.by_address(bpy.data.actions[report.result]) for report in (kept, spent)]
    assert both[0].keys() == both[1].keys()
    for address, curve in both[0].items():
        assert builders.key_data(curve) == builders.key_data(both[1][address])
    values = [report.as_dict() for report in (kept, spent)]
    for each in values:
        each.pop("result")
        each["settings"].pop("result")
    assert values[0] == values[1]


def test_a_plan_that_is_spent_holds_no_keys_of_the_clips_nor_of_the_result(armature: Any) -> None:
    plan = plan_of(armature, "Spent")
    held: list[Keys] = [curve.keys for clip in plan.clips for curve in clip.curves.values()]
    held += plan.slots[0].composed.values()
    arrays = [weakref.ref(keys.points if keys.points.base is None else keys.points.base) for keys in held]
    held.clear()
    assert all(array() is not None for array in arrays)
    bake.write_plan(plan, spends_plan=True)
    assert all(array() is None for array in arrays)
