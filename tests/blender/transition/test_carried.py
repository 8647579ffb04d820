# SPDX-License-Identifier: GPL-3.0-or-later
"""Travel that something else than the armature object's own channels carries is blended as theirs is."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import bpy
import numpy as np
import pytest

from inertia_addon.blender.data import compat
from inertia_addon.blender.judging import verdict
from inertia_addon.blender.transition import bake
from inertia_addon.blender.transition.report import BakeReport
from inertia_addon.motion.steps import finish
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import carried_walker
from tests.blender.carried_walker import WAYS, Array

CUT, ENTRY = 20.0, 9.0
FRAMES = np.append(np.arange(1.0, 48.0, 2.5), (CUT - 0.1, CUT))

pytestmark = [
    pytest.mark.usefixtures("fresh_file"),
    pytest.mark.skipif(not compat.has_slots(), reason="actions of this Blender have no slots"),
]


def joined(armature: Any, **how: Any) -> tuple[BakeReport, Any]:
    """Bake Source and Destination, without cycles."""
    once = {"source_cycle": "OFF", "destination_cycle": "OFF"}
    settings = TransitionSettings("Source", "Destination", CUT, ENTRY, **{**once, **how})
    report = bake.bake_transition(armature, settings)
    return report, bpy.data.actions[report.result]


def as_seen(armature: Any, **how: Any) -> tuple[BakeReport, Array]:
    """What the file plays once the transition is baked, and assigned by default."""
    report, _ = joined(armature, **how)
    return report, carried_walker.seen(armature, FRAMES)


def fresh_walker() -> Any:
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    return carried_walker.walker()


@pytest.fixture(scope="module")
def by_object() -> Callable[..., Array]:
    """What the object's own travel comes to, with some settings."""

    @functools.cache
    def looks(*, is_played: bool = False, **how: Any) -> Array:
        armature = fresh_walker()
        if is_played:
            carried_walker.constrain(armature)
        return as_seen(armature, **how)[1]

    return looks


@pytest.mark.parametrize("way", WAYS)
def test_it_looks_as_if_the_object_went(way: str, by_object: Callable[..., Array]) -> None:
    wanted = by_object(feet="OFF", is_played=way == "played")
    armature = fresh_walker()
    WAYS[way](armature)
    report, poses = as_seen(armature, feet="OFF")
    assert report.alignment == "POSITION_HEADING"
    assert report.root == ""
    assert_same_places(poses, wanted, 3e-4)
    assert not any("carries" in text for text in report.warnings)
    source = carried_walker.poses(armature, bpy.data.actions["Source"], FRAMES[FRAMES <= CUT])
    assert_same_places(poses[FRAMES <= CUT], source, 1e-5)


HOW: dict[str, dict[str, Any]] = {
    "locked": {"feet": "LOCK"},
    "cycles": {"feet": "OFF", "source_cycle": "ON", "destination_cycle": "ON"},
    "lengths": {"feet": "OFF", "source_cycle": "ON", "destination_cycle": "ON", "match_lengths": True},
    "strips": {"feet": "OFF", "strips": True},
    "longer": {"feet": "OFF", "destination_scale": 1.3},
    "half-life": {"feet": "OFF", "method": "SPRING", "alignment": "POSITION"},
    "dead": {"feet": "OFF", "method": "DEAD_BLENDING"},
}


@pytest.mark.variants(14)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("how", HOW)
def test_all_else_does_too(way: str, how: str, by_object: Callable[..., Array]) -> None:
    wanted = by_object(**HOW[how], is_played=way == "played")
    armature = fresh_walker()
    WAYS[way](armature)
    assert_same_places(as_seen(armature, **HOW[how])[1], wanted, 2e-3)


@pytest.mark.parametrize("way", ["empty", "two", "delta"])
def test_the_verdict_is_the_same(way: str) -> None:
    found = []
    for change in (None, WAYS[way]):
        armature = fresh_walker()
        if change is not None:
            change(armature)
        settings = TransitionSettings("Source", "Destination", CUT, ENTRY, feet="OFF")
        found.append(finish(verdict.of_played(bake.plan_transition(armature, settings).played)))
    assert found[0].rating == found[1].rating
    assert [fault.kind for fault in found[0].faults] == [fault.kind for fault in found[1].faults]


def assert_same_places(found: Array, wanted: Array, metres: float) -> None:
    np.testing.assert_allclose(found[..., :3, 3], wanted[..., :3, 3], atol=metres)
