# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes that are put into an action: where, how both go on, and that it is made anew as a hop is."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest

from inertia_addon.blender.data import compat, recipe
from inertia_addon.blender.finish import insertion
from inertia_addon.blender.hops.bake import HopReport
from inertia_addon.blender.results import update
from inertia_addon.errors import InertiaError
from inertia_addon.motion.steps import finish
from inertia_addon.settings.finish import FinishSettings
from tests.blender import builders, file_state, stepper


@pytest.fixture
def walker(fresh_file: None) -> Any:
    return stepper.biped()


@pytest.fixture
def clips(walker: Any) -> tuple[Any, Any]:
    """An action, and a take whose feet land at other times."""
    return stepper.walk(walker, "Walk", frames=121), stepper.walk(walker, "Take", frames=97, late=0.3)


def inserted(armature: Any, **asked: Any) -> HopReport:
    settings = FinishSettings("Take", into="Walk", **asked)
    return finish(insertion.insert_take_steps(armature, settings, "Take"))


def test_an_action_is_left_for_the_take_and_goes_on_from_there(walker: Any, clips: tuple[Any, Any]) -> None:
    report = inserted(walker, at=40)
    way = report.way
    assert (report.result, way.trigger, way.clips) == ("Walk with Take", 40.0, ("Take",))
    # no more than a quarter of the take, and than a second, is lost at either end
    assert 1.0 <= way.entries[0] <= 25.0
    assert 73.0 <= way.exits[0] <= 97.0
    assert report.cuts == (40.0, 40.0 + way.exits[0] - way.entries[0])
    assert report.verdict.rating == "GOOD"
    made = bpy.data.actions[report.result]
    assert compat.assigned(walker)[0] == made
    assert made.frame_range[1] == pytest.approx(report.cuts[1] + 81.0)
    # before the take nothing changes, and behind it the pose is that of the action from there on
    before = np.arange(1.0, 40.0)
    walk = clips[0]
    np.testing.assert_allclose(
        builders.played(walker, made, before), builders.played(walker, walk, before), atol=1e-5
    )
    bone = builders.bone_path("thigh.L", "rotation_quaternion")
    late = builders.by_address(made)[bone, 1], builders.by_address(walk)[bone, 1]
    assert late[0].evaluate(report.cuts[1] + 60.0) == pytest.approx(late[1].evaluate(100.0), abs=1e-4)


def test_the_best_frame_is_taken_without_one(walker: Any, clips: tuple[Any, Any]) -> None:
    report = inserted(walker)
    assert 1.0 < report.way.trigger < 121.0
    assert report.way.trigger == round(report.way.trigger)


def test_an_insertion_is_made_anew_in_its_place(walker: Any, clips: tuple[Any, Any]) -> None:
    report = inserted(walker, at=40, result="Both")
    made = bpy.data.actions["Both"]
    assert recipe.is_baked(made, recipe.HOP)
    keys = {at: builders.key_data(curve) for at, curve in builders.by_address(made).items()}
    again = finish(update.update_steps(walker, made))
    assert (again.result, again.way, again.cuts) == ("Both", report.way, report.cuts)
    assert {at: builders.key_data(curve) for at, curve in builders.by_address(made).items()} == keys


@pytest.mark.parametrize(
    ("into", "at", "why"),
    [
        ("Walk", 200, 'Frame 200 does not lie within "Walk", frames 1 to 121'),
        ("Walk", 1, 'Frame 1 does not lie within "Walk"'),
        ("Take", 40, '"Take" can\'t be put into itself'),
        ("None", 40, "None"),
        ("Short", None, "too short"),
    ],
)
def test_places_that_cant_be_leave_the_file_as_it_was(
    walker: Any, clips: tuple[Any, Any], into: str, at: int | None, why: str
) -> None:
    stepper.walk(walker, "Tiny", frames=4)
    take = "Take"
    if into == "Short":
        into, take = "Walk", "Tiny"
    before = file_state.everything()
    with pytest.raises(InertiaError, match=why):
        finish(insertion.insert_take_steps(walker, FinishSettings(take, into=into, at=at), take))
    assert file_state.differences(before, file_state.everything()) == {}
