# SPDX-License-Identifier: GPL-3.0-or-later
"""What planted feet skate counts in the panel, once it has a weight there."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import compat
from inertia_addon.blender.feet import contacts
from inertia_addon.errors import InertiaError
from inertia_addon.ui.cost import costs
from inertia_addon.ui.shared import cache
from tests.blender import stepper


@pytest.fixture
def walker(fresh_file: None, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A biped whose feet are planted at other times in its two walks; all is computed anew at once."""
    monkeypatch.setattr(cache, "CHEAP_SECONDS", 60.0)
    armature = stepper.biped()
    own = armature.inertia
    own.source, own.destination = stepper.walk(armature, "Walk"), stepper.walk(armature, "Late", late=0.25)
    own.cut, own.blend_frames = 10.0, 8.0
    own.use_destination_frame, own.destination_frame = True, 20.0
    armature.inertia_search.apart_frames = 100.0  # so that few pairs are to be judged
    return armature


def total(armature: Any) -> float:
    return sum(part for _, part in costs.by_bone(costs.costs_of(armature), armature))


def test_the_skate_counts_by_its_weight(walker: Any) -> None:
    usual = total(walker)
    plain = costs.costs_of(walker)
    walker.inertia_search.skate_weight = 1.0
    once = total(walker)
    assert {bone for bone, _ in costs.by_bone(costs.costs_of(walker), walker)} == {
        bone for bone, _ in costs.by_bone(plain, walker)
    }
    assert once > usual + 0.02
    walker.inertia_search.skate_weight = 3.0
    # files have it under its former name
    assert compat.stored(walker, "inertia_search", "slide_weight") == 3.0
    assert total(walker) - usual == pytest.approx(3.0 * (once - usual), rel=1e-4)
    # which clips there are, and where they are, did not change
    assert costs.costs_of(walker).evaluated.source is plain.evaluated.source
    bpy.ops.inertia.find_meeting(goal="PAIR")
    found = costs.costs_of(walker)
    assert found.compared.prediction is not None
    contacts.store(walker.inertia.destination, {"foot.L": (), "foot.R": ()})
    by_joints = dataclasses.replace(found.compared, prediction=None)
    assert total(walker) == pytest.approx(by_joints.at(found.cut, found.destination_frame))


def test_legs_that_are_not_found_are_said(rig: Any) -> None:
    rig.inertia_search.skate_weight = 1.0
    with pytest.raises(InertiaError, match="No legs were found"):
        costs.costs_of(rig)
