# SPDX-License-Identifier: GPL-3.0-or-later
"""Filled gaps that go past places on the ground, and in which bones touch points: each exactly on its frame,
on rigs of all kinds."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from inertia_addon.blender import files
from inertia_addon.blender.fill.touches import OutOfReach
from inertia_addon.blender.mannequin.character import build_mannequin
from inertia_addon.errors import InertiaError
from inertia_addon.motion.arrays import Array
from inertia_addon.settings.fill_wishes import Touch, Waypoint
from tests.blender import builders
from tests.blender.control_clips import Look, animate
from tests.blender.fill.test_key_poses import EXACT, between, draw_frames, fill, size_of


def place_of(armature: Any, action: Any, frame: float, bone: str) -> Array:
    """Return where a bone's head is in the world, as Blender plays an action."""
    bones = [*armature.data.bones.keys()]
    return np.asarray(builders.played(armature, action, [frame])[0][bones.index(bone)][:3, 3])


def matrix_of(armature: Any, action: Any, frame: float, bone: str) -> Array:
    bones = [*armature.data.bones.keys()]
    return np.asarray(builders.played(armature, action, [frame])[0][bones.index(bone)])


def touch_near(armature: Any, seed: int, bones: list[str], frames: list[float], **values: Any) -> None:
    """Assert that bones touch random points near to where they come by themselves, and both ends stay."""
    drawn = random.Random(seed)
    cut, entry = values.pop("cut", 12.0), values.pop("entry", 44.0)
    name = values.pop("name", "Walk")
    plain = fill(armature, between(name, cut, entry, **values))
    size, touches = size_of(armature), []
    for bone in bones:
        for frame in frames:
            by = size * np.array([drawn.uniform(-0.06, 0.06) for _ in range(3)])
            point = place_of(armature, plain, frame, bone) + by
            touches.append(Touch(frame, bone, tuple(point.tolist())))
    made = fill(armature, between(name, cut, entry, touches=tuple(map(str, touches)), **values))
    for touch in touches:
        off = place_of(armature, made, touch.frame, touch.bone) - touch.point
        assert np.linalg.norm(off) < EXACT * size
    for frame in (cut - 4.0, cut, entry, entry + 3.0):
        for bone in bones:
            own = place_of(armature, bpy.data.actions[name], frame, bone)
            assert np.linalg.norm(place_of(armature, made, frame, bone) - own) < EXACT * size


@pytest.mark.variants(2)
@pytest.mark.parametrize("use_library", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_random_points_are_touched_by_a_mannequin(fresh_file: None, seed: int, *, use_library: bool) -> None:
    armature = build_mannequin(bpy.context.scene).rig
    frames = draw_frames(seed, 12.0, 44.0, 3)
    touch_near(armature, seed, ["hand.L", "hand.R"], frames, use_library=use_library)


def test_random_points_are_touched_by_a_four_legged_rig(fresh_file: None, data_dir: Path) -> None:
    files.load([data_dir / "glb" / "Fox.glb"])
    (armature,) = (thing for thing in bpy.data.objects if thing.type == "ARMATURE")
    name = next(action.name for action in bpy.data.actions if "Survey" in action.name)
    first = round(bpy.data.actions[name].frame_range[0])
    frames = draw_frames(2, first + 5.0, first + 45.0, 3)
    bones = ["b_Tail02_013", "b_LeftForeArm_010"]
    touch_near(armature, 2, bones, frames, name=name, cut=first + 5.0, entry=first + 45.0)


def test_controls_of_a_rigify_human_touch_points(rigify: Callable[..., Path]) -> None:
    bpy.ops.wm.open_mainfile(filepath=str(rigify("basic_human", "bare")))
    armature = bpy.data.objects["rig"]
    animate(armature, "Stroll", Look(), is_source=True)
    bones = ["hand_ik.R", "foot_ik.L"]
    touch_near(armature, 3, bones, [16.0, 21.5, 28.0], name="Stroll", cut=10.0, entry=34.0)


@pytest.mark.variants(2)
@pytest.mark.parametrize("facing", [None, 30.0])
@pytest.mark.parametrize("use_library", [False, True])
def test_a_mannequin_is_at_its_waypoints(
    fresh_file: None, facing: float | None, *, use_library: bool
) -> None:
    armature = build_mannequin(bpy.context.scene).rig
    plain = fill(armature, between("Walk", 12.0, 60.0, use_library=use_library))
    x, y, _ = place_of(armature, plain, 30.0, "root").tolist()
    asked = Waypoint(30.0, (x + 0.3, y - 0.1), facing), Waypoint(45.5, (x + 0.1, y - 0.8), None)
    settings = between("Walk", 12.0, 60.0, use_library=use_library, waypoints=tuple(map(str, asked)))
    made = fill(armature, settings)
    for waypoint in asked:
        assert place_of(armature, made, waypoint.frame, "root")[:2] == pytest.approx(waypoint.place, abs=1e-4)
    if facing is not None:
        # it faces along -Y at rest
        ahead = (
            matrix_of(armature, made, 30.0, "root")[:3, :3]
            @ armature.data.bones["root"].matrix_local.to_3x3().inverted()
            @ [0.0, -1.0, 0.0]
        )
        assert math.degrees(math.atan2(ahead[1], ahead[0])) == pytest.approx(facing, abs=0.01)
    for frame in (12.0, 60.0, 63.0):
        own = matrix_of(armature, bpy.data.actions["Walk"], frame, "root")
        assert matrix_of(armature, made, frame, "root") == pytest.approx(own, abs=1e-4)


def test_poses_waypoints_and_touches_go_together(fresh_file: None) -> None:
    armature = build_mannequin(bpy.context.scene).rig
    plain = fill(armature, between("Walk", 12.0, 60.0, "24"))
    place = place_of(armature, plain, 36.0, "root")
    waypoint = Waypoint(36.0, (place[0] + 0.2, place[1]), None)
    hand = place_of(armature, plain, 48.0, "hand.R") + np.array((0.05, 0.05, 0.1))
    touch = Touch(48.0, "hand.R", tuple(hand.tolist()))
    made = fill(
        armature, between("Walk", 12.0, 60.0, "24", waypoints=(str(waypoint),), touches=(str(touch),))
    )
    own = matrix_of(armature, bpy.data.actions["Walk"], 24.0, "hand.R")
    assert matrix_of(armature, made, 24.0, "hand.R") == pytest.approx(own, abs=1e-4)
    assert place_of(armature, made, 36.0, "root")[0] == pytest.approx(waypoint.place[0], abs=1e-4)
    assert place_of(armature, made, 48.0, "hand.R") == pytest.approx(hand, abs=1e-4)


@pytest.mark.variants(2)
@pytest.mark.parametrize(
    ("wish", "said"),
    [
        ({"touches": ("nose@30=0,0,1",)}, 'has no bone "nose"'),
        ({"touches": ("root@30=0,0,1",)}, "ask for a waypoint"),
        ({"touches": ("hand.L@30=9,9,9",)}, "short of its point on frame 30"),
    ],
)
def test_points_that_nothing_comes_to_are_refused(fresh_file: None, wish: dict[str, Any], said: str) -> None:
    armature = build_mannequin(bpy.context.scene).rig
    with pytest.raises(InertiaError, match=said):
        fill(armature, between("Walk", 12.0, 44.0, **wish))


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        ({"touches": ("hand.L@60=0,0,1",)}, "can't be shown at 60"),
        ({"touches": ("hand.L@30=0,0",)}, "is no touch"),
        ({"waypoints": ("30=0",)}, "is no waypoint"),
        ({"waypoints": ("30=0,1", "30=1,1")}, "can't be shown at 30"),
    ],
)
def test_wishes_that_are_none_are_refused(wish: dict[str, Any], said: str) -> None:
    with pytest.raises(InertiaError, match=said):
        between("Walk", 12.0, 44.0, **wish)


@pytest.mark.variants(1)
@pytest.mark.parametrize("bone", ["forearm.L", "hand.L"])
def test_a_point_out_of_reach_comes_with_the_nearest_point(fresh_file: None, bone: str) -> None:
    armature = build_mannequin(bpy.context.scene).rig
    asked = Touch(30.0, bone, (0.4, -3.0, 1.5))
    with pytest.raises(OutOfReach) as refused:
        fill(armature, between("Walk", 12.0, 44.0, touches=(str(asked),)))
    nearest = refused.value.nearest
    made = fill(armature, between("Walk", 12.0, 44.0, touches=(str(nearest),)))
    assert place_of(armature, made, 30.0, bone) == pytest.approx(nearest.point, abs=1e-4)


@pytest.mark.parametrize("text", ["40=1.5,2", "40.5=-1,0,90"])
def test_a_waypoint_is_the_text_that_it_came_from(text: str) -> None:
    assert str(Waypoint.of(text)) == text


@pytest.mark.parametrize("text", ["hand.R@40=0.3,0.2,1.4", "a=b@c@40.5=0,-1,2"])
def test_a_touch_is_the_text_that_it_came_from(text: str) -> None:
    assert str(Touch.of(text)) == text
