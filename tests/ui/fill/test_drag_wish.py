# SPDX-License-Identifier: GPL-3.0-or-later
"""What is dragged of a fill becomes a waypoint or a touch of the gap, one a frame, and is taken back."""

from __future__ import annotations

from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.settings.fill_wishes import Touch, Waypoint
from inertia_addon.ui.fill import properties
from inertia_addon.ui.fill.drag_wish import WishGrip, put_wish

HERE = (0.0, 0.0, 0.0)


@pytest.fixture
def rig(fresh_file: None) -> Any:
    return bpy.data.objects.new("Rig", bpy.data.armatures.new("Rig"))


def waypoints(rig: Any) -> list[Waypoint]:
    return [*map(Waypoint.of, properties.text_to_wishes(rig.inertia_fill.waypoints))]


def touches(rig: Any) -> list[Touch]:
    return [*map(Touch.of, properties.text_to_wishes(rig.inertia_fill.touches))]


def test_the_way_becomes_a_waypoint_one_a_frame(rig: Any) -> None:
    put_wish(rig, WishGrip(30.0, "", HERE), (1.0, 2.0, 0.0))
    put_wish(rig, WishGrip(36.0, "", HERE), (1.5, 2.0, 0.0))
    put_wish(rig, WishGrip(30.0, "", HERE), (1.25, 2.5, 0.0))
    assert waypoints(rig) == [Waypoint(36.0, (1.5, 2.0), None), Waypoint(30.0, (1.25, 2.5), None)]
    assert touches(rig) == []


def test_a_joint_becomes_a_touch_one_a_frame_and_bone(rig: Any) -> None:
    for bone, height in (("hand.L", 1.0), ("hand.R", 1.1), ("hand.L", 1.2)):
        put_wish(rig, WishGrip(30.0, bone, HERE), (0.5, 0.25, height))
    assert touches(rig) == [Touch(30.0, "hand.R", (0.5, 0.25, 1.1)), Touch(30.0, "hand.L", (0.5, 0.25, 1.2))]
    assert waypoints(rig) == []


def test_metres_are_asked_for_in_a_scene_of_centimetres(rig: Any) -> None:
    bpy.context.scene.unit_settings.scale_length = 0.01
    put_wish(rig, WishGrip(30.0, "hand.L", HERE), (50.0, 25.0, 120.0))
    assert touches(rig) == [Touch(30.0, "hand.L", (0.5, 0.25, 1.2))]


def test_a_wish_is_taken_back_and_others_stay(rig: Any) -> None:
    for frame in (30.0, 36.0):
        put_wish(rig, WishGrip(frame, "", HERE), (1.0, 2.0, 0.0))
        put_wish(rig, WishGrip(frame, "hand.L", HERE), (1.0, 2.0, 1.0))
    put_wish(rig, WishGrip(30.0, "", HERE), None)
    put_wish(rig, WishGrip(36.0, "hand.L", HERE), None)
    assert waypoints(rig) == [Waypoint(36.0, (1.0, 2.0), None)]
    assert touches(rig) == [Touch(30.0, "hand.L", (1.0, 2.0, 1.0))]


def test_wishes_that_were_dragged_are_asked_of_the_gap(rig: Any) -> None:
    walk = bpy.data.actions.new("Walk")
    rig.inertia.source = rig.inertia.destination = walk
    rig.inertia.cut, rig.inertia_fill.gap_frames = 24.0, 30.0
    put_wish(rig, WishGrip(30.0, "", HERE), (1.0, 2.0, 0.0))
    put_wish(rig, WishGrip(36.0, "hand.L", HERE), (0.5, 0.25, 1.2))
    asked = properties.settings_from(rig)
    assert asked.listed_waypoints == (Waypoint(30.0, (1.0, 2.0), None),)
    assert asked.listed_touches == (Touch(36.0, "hand.L", (0.5, 0.25, 1.2)),)
