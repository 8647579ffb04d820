# SPDX-License-Identifier: GPL-3.0-or-later
"""Results of each kind are made anew in their place, by one function."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
import pytest

from inertia_addon import api
from inertia_addon.blender.data import actions, compat, recipe
from inertia_addon.blender.results import update
from inertia_addon.errors import InertiaError
from inertia_addon.motion.steps import finish
from tests.blender import file_state
from tests.blender.results import kinds

EACH = pytest.mark.parametrize("kind", kinds.MADE)


@pytest.fixture
def walker(fresh_file: None) -> Any:
    return kinds.character()


def contents(*names: str) -> list[Any]:
    """What actions hold."""
    return [actions.contents(bpy.data.actions[name]) for name in names]


@pytest.mark.variants(4)
@EACH
def test_a_result_made_anew_is_the_same_in_its_place(walker: Any, tmp_path: Path, kind: str) -> None:
    name = kinds.MADE[kind](walker, "Walk", tmp_path)
    known = recipe.kind(bpy.data.actions[name])
    names = sorted(action.name for action in bpy.data.actions)
    before, assigned = contents(*names), compat.assigned(walker)
    report = finish(update.update_steps(walker, bpy.data.actions[name]))
    assert (report.result, report.armature, report.assigned) == (name, walker.name, True)
    assert sorted(action.name for action in bpy.data.actions) == names
    assert contents(*names) == before
    assert compat.assigned(walker)[1] == assigned[1]
    assert compat.assigned(walker)[0].name == name
    assert recipe.kind(bpy.data.actions[name]) == known


@pytest.mark.variants(4)
@EACH
def test_a_result_that_does_not_play_is_made_anew_and_what_plays_stays(
    walker: Any, tmp_path: Path, kind: str
) -> None:
    name = kinds.MADE[kind](walker, "Walk", tmp_path)
    compat.assign(
        walker, bpy.data.actions["Stand"], actions.choose_slot(bpy.data.actions["Stand"], walker).identifier
    )
    before = contents(name)
    assert not finish(update.update_steps(walker, bpy.data.actions[name])).assigned
    assert compat.assigned(walker)[0] == bpy.data.actions["Stand"]
    assert contents(name) == before


@pytest.mark.variants(4)
@EACH
def test_a_result_whose_clip_is_gone_stays_and_says_so(walker: Any, tmp_path: Path, kind: str) -> None:
    action = bpy.data.actions[kinds.MADE[kind](walker, "Walk", tmp_path)]
    used = recipe.ingredients(action)
    bpy.data.objects.remove(bpy.data.objects[kinds.WAY]) if not used else bpy.data.actions.remove(used[0])
    before = file_state.everything()
    with pytest.raises(InertiaError, match="is gone"):
        finish(update.update_steps(walker, action))
    assert not file_state.differences(before, file_state.everything())


def test_an_action_that_is_no_result_is_refused(walker: Any) -> None:
    with pytest.raises(InertiaError, match="was not baked by Inertia"):
        finish(update.update_steps(walker, bpy.data.actions["Walk"]))
    with pytest.raises(InertiaError, match="nothing to update"):
        api.update(walker)


def test_results_are_listed_after_those_that_they_were_made_of(walker: Any) -> None:
    first = api.bake(walker, **kinds.ENDS, cut=12.0, destination_frame=15.0, result="Z").action
    second = api.travel(walker, action=first, in_place=True, result="M").action
    api.feet(walker, action=second, result="A")
    assert [action.name for action in update.list_results(walker)] == ["Z", "M", "A"]
    other = walker.copy()
    bpy.context.collection.objects.link(other)
    assert update.list_results(other) == []
    told = api.update(walker.name).values["updated"]
    assert [(each["result"], each["kind"]) for each in told] == [
        ("Z", "transition"),
        ("M", "travel"),
        ("A", "feet"),
    ]


def test_a_result_that_can_t_be_made_anew_is_told_and_the_others_are(walker: Any) -> None:
    for name, source in (("Good one", "Walk"), ("Bad one", "Bend")):
        api.bake(walker, source=source, destination="Turn", cut=12.0, destination_frame=15.0, result=name)
    bpy.data.actions.remove(bpy.data.actions["Bend"])
    made = api.update(walker)
    assert [each["result"] for each in made.values["updated"]] == ["Good one"]
    assert made.values["warnings"][0].startswith('"Bad one" was not updated: ')
    with pytest.raises(InertiaError, match="is gone"):
        api.update(walker, action="Bad one")
