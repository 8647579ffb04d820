# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel says who else is in the two actions, and the operators leave to everybody what they play."""

from __future__ import annotations

from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import compat, recipe, recipe_reader
from inertia_addon.ui.shared import cache
from inertia_addon.ui.transition import outlook
from tests.blender import builders
from tests.ui.rigs import make_rig, take_snapshot

ops = bpy.ops.inertia
with_slots = pytest.mark.skipif(not compat.has_slots(), reason="actions of this Blender have no slots")


@pytest.fixture
def foe(rig: Any) -> Any:
    """Somebody who is in both actions, too, and plays the first."""
    foe = make_rig("Foe")
    bpy.context.view_layer.objects.active = rig
    for n, name in enumerate(("Walk", "Run")):
        for bone, points in (("hips", [(1, 0.0), (41, 3.0)]), ("spine", [(1, 0.0), (41, 0.3)])):
            path = builders.bone_path(bone, "location")
            builders.curve(bpy.data.actions[name], path, 0, [(f, v + n) for f, v in points], slot="OBFoe")
    compat.assign(foe, bpy.data.actions["Walk"], "OBFoe")
    return foe


def said(rig: Any) -> list[str]:
    return [line.text for line in outlook.preflight(rig).lines]


@with_slots
def test_the_panel_says_who_comes_along(rig: Any, foe: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "REST", 0.0)  # what has changed is looked at again at once
    assert said(rig)[:2] == [
        'The result has "Foe" as well.',
        'It is not assigned to "Foe"; Assign to Others does that.',
    ]
    rig.inertia.assign_others = True
    assert 'It is assigned to "Foe", too.' in said(rig)
    foe.name = "Enemy"
    assert 'It is assigned to "Enemy", too.' in said(rig)


@with_slots
def test_a_bake_with_companions_is_one_step_of_undo(rig: Any, foe: Any) -> None:
    rig.inertia.assign_others = True
    bpy.ops.ed.undo_push(message="before")
    before = take_snapshot()
    ops.bake_transition("EXEC_DEFAULT", True)
    assert compat.assigned(bpy.data.objects["Foe"])[0].name == "Walk to Run"
    bpy.ops.ed.undo()
    assert take_snapshot() == before
    assert compat.assigned(bpy.data.objects["Foe"]) == (bpy.data.actions["Walk"], "OBFoe")


@with_slots
def test_a_result_made_anew_by_the_buttons_stays_with_companions(rig: Any, foe: Any) -> None:
    ops.bake_transition(assign_others=True)
    result = compat.assigned(rig)[0]
    compat.assign(foe, bpy.data.actions["Run"], "OBFoe")
    ops.rebake()
    assert compat.assigned(foe)[0].name == "Run"
    compat.assign(foe, result, "OBFoe")
    ops.rebake()
    assert compat.assigned(foe) == (result, "OBFoe")
    ops.bake_transition(replace=True)
    assert compat.assigned(foe) == (result, "OBFoe")


@with_slots
def test_getting_settings_back_changes_nothing_about_who_is_given_results(rig: Any, foe: Any) -> None:
    ops.bake_transition(assign_others=True)
    assert recipe_reader.read_recipe(compat.assigned(rig)[0], recipe.RECIPE).settings.assign_others
    ops.load_recipe()
    assert not rig.inertia.assign_others
