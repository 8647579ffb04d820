# SPDX-License-Identifier: GPL-3.0-or-later
"""The action that is assigned as the tab first shows a character becomes its source."""

from __future__ import annotations

from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import compat
from inertia_addon.ui.transition import assigned_source


@pytest.fixture
def fresh(rig: Any) -> Any:
    """A rig that plays the walk, for which no action is chosen yet; the run is the only other one."""
    own = rig.inertia
    own.source = own.destination = None
    bpy.data.actions.remove(bpy.data.actions["Idle"])
    walk = bpy.data.actions["Walk"]
    compat.assign(rig, walk, compat.slots(walk)[0].identifier)
    return rig


@pytest.mark.parametrize(("playhead", "cut"), [(12, 12.0), (300, 20.0)])
def test_the_assigned_action_becomes_the_source_cut_within_it(fresh: Any, playhead: int, cut: float) -> None:
    bpy.context.scene.frame_set(playhead)
    assert assigned_source.may_take(fresh)
    assigned_source.take(fresh)
    own = fresh.inertia
    assert (own.source.name, own.destination.name, own.cut) == ("Walk", "Run", cut)


def test_actions_that_were_chosen_stay(fresh: Any) -> None:
    fresh.inertia.destination = bpy.data.actions["Run"]
    assert not assigned_source.may_take(fresh)


def test_a_result_is_not_taken_for_a_source(fresh: Any) -> None:
    assigned_source.take(fresh)
    bpy.ops.inertia.bake_transition()
    fresh.inertia.source = fresh.inertia.destination = None
    assert not assigned_source.may_take(fresh)
