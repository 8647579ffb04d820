# SPDX-License-Identifier: GPL-3.0-or-later
"""A destination whose root motion is warped arrives where it is asked to, as Blender shows it."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inertia_addon.blender.data import recipe, recipe_reader
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.judging import verdict
from inertia_addon.blender.transition import bake as baking
from inertia_addon.blender.transition import judged as judged_result
from inertia_addon.errors import InertiaError
from inertia_addon.motion.steps import finish
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import builders, clips, led_walker, stepper
from tests.blender.walkers import PLACES, character, size_of, stand, walk

ONCE = {"source_cycle": "OFF", "destination_cycle": "OFF"}
CUT, ENTRY, BLEND, AT = 15.0, 3.0, 6.0, 31.0
LATER = CUT - ENTRY
RIGS: dict[str, tuple[str, Any]] = {
    "root bone": ("Root", {"Root": None, "Hips": "Root", "Chest": "Hips", "Leg": "Hips"}),
    "hips": ("Hips", {"Hips": None, "Chest": "Hips", "Leg": "Hips"}),
    "beside": ("Root", {"Root": None, "Hips": "Root", "Chest": "Hips", "Leg": "Hips", "Goal": None}),
    "object": ("", {"Hips": None, "Chest": "Hips", "Leg": "Hips"}),
}
"""What carries the character, by what it is called there, and its bones."""

pytestmark = pytest.mark.usefixtures("fresh_file")


def bake(armature: Any, made: tuple[Any, Any], **how: Any) -> tuple[Any, Any]:
    how = {"alignment": "POSITION_HEADING", "blend_frames": BLEND, **how}
    return builders.transition(armature, *made, CUT, ENTRY, **how)


def walks(armature: Any, bone: str, curl: float = -0.02) -> tuple[Any, Any]:
    return (
        walk(armature, "Source", bone, 0.4, 0.02),
        walk(armature, "Destination", bone, 2.6, curl, (4.0, -3.0)),
    )


def key_goal(made: tuple[Any, Any]) -> None:
    """Key what goes along beside the root, as a control in the world does."""
    for action in made:
        rows = [(float(frame), (0.1 * frame, 0.5, 0.02 * frame)) for frame in (1, 12, 30, 41)]
        builders.curves(action, builders.bone_path("Goal", "location"), rows)


def shown(armature: Any, action: Any, frames: Any, bone: str) -> tuple[Any, Any]:
    """Where the root, and all bones, are in the world (n, 4, 4) and (n, bones, 4, 4)."""
    bones = builders.played(armature, action, frames)
    if bone:
        return bones[:, armature.data.bones.find(bone)], bones
    world = builders.shown(armature, action, frames, lambda: np.array(armature.matrix_world))
    return world, bones


def turns_of(motions: Any) -> Any:
    return np.arctan2(motions[:, 1, 0], motions[:, 0, 0])


@pytest.mark.variants(4)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", RIGS)
@pytest.mark.parametrize("mode", ["QUATERNION", "ZXY", "AXIS_ANGLE"])
def test_a_warp_arrives(place: str, kind: str, mode: str) -> None:
    """At its frame the root is at the place, and faces as asked; poses stay, and what is beside the span."""
    bone, bones = RIGS[kind]
    armature = character("plain" if kind == "object" and place == "parented" else place, mode, bones)
    if kind == "object":
        armature.rotation_mode = mode
    size, made = size_of(armature), walks(armature, bone)
    if kind == "beside":
        key_goal(made)
    _, plain = bake(armature, made, result="Plain")
    random = np.random.default_rng(len(place) + 10 * len(kind) + 100 * len(mode))
    x, y = size * random.uniform(-1.5, 1.5, 2)
    degrees = random.uniform(-180.0, 180.0)
    report, warped = bake(armature, made, warp_to=f"{x},{y},{degrees}", warp_at=AT)
    arrival, begin, end = AT + LATER, CUT + BLEND, AT + LATER
    frames = np.unique(np.concatenate([builders.sub_frames(1.0, 52.0, 0.5), [arrival]]))
    (before, bodies), (after, moved) = (shown(armature, it, frames, bone) for it in (plain, warped))
    reach = np.abs(after[:, :2, 3]).max() + size
    at = int(np.searchsorted(frames, arrival))
    np.testing.assert_allclose(after[at, :2, 3], (x, y), atol=1e-4 * size)
    whole = frames == np.floor(frames)
    np.testing.assert_allclose(after[whole, 2, 3], before[whole, 2, 3], atol=1e-4 * reach)
    motions = after @ np.linalg.inv(before)
    # it is turned about the vertical alone, and all bones are taken along
    np.testing.assert_allclose(motions[whole, 2, :3], [[0.0, 0.0, 1.0]] * whole.sum(), atol=2e-4)
    np.testing.assert_allclose(moved[whole], (motions[:, None] @ bodies)[whole], atol=3e-4 * reach)
    # identity before the span, one rigid motion behind it
    np.testing.assert_allclose(after[frames <= begin], before[frames <= begin], atol=5e-5 * reach)
    late = motions[frames >= end]
    np.testing.assert_allclose(
        late @ before[frames >= end], late[0] @ before[frames >= end], atol=2e-4 * reach
    )
    # it faces where it walks, which at the arrival is along the circle that it has walked so far
    ahead = 2.6 - 0.02 * AT + math.radians(report.heading_degrees)
    faced = ahead + turns_of(motions)[at]
    assert abs(math.remainder(faced - math.radians(degrees), 2.0 * math.pi)) < 0.05


def root_track(armature: Any, action: Any, frames: Any, bone: str = "Root") -> Any:
    return shown(armature, action, frames, bone)[0]


@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.floats(-1.0, 1.0),
    st.floats(-1.0, 1.0),
    st.floats(-170.0, 170.0),
    st.floats(0.0, 12.0),
    st.floats(3.0, 12.0),
    st.floats(0.0, 4.0),
)
def test_a_warp_has_no_jump_in_place_or_velocity(
    x: float, y: float, degrees: float, begin: float, length: float, more: float
) -> None:
    """Wherever the span begins and ends, on whole frames or between, the way is smooth, and leads there."""
    armature = character()
    made = walks(armature, "Root")
    first, until = ENTRY + begin, ENTRY + begin + length
    at = max(until + more, ENTRY + BLEND)
    _, plain = bake(armature, made, result="Plain")
    told = {"warp_from": first, "warp_until": until, "warp_at": at}
    _, warped = bake(armature, made, warp_to=f"{x},{y},{degrees}", **told)
    frames = np.append(np.arange(CUT, 50.0, 0.125), at + LATER)
    before, after = (root_track(armature, action, frames) for action in (plain, warped))
    np.testing.assert_allclose(after[-1, :2, 3], (x, y), atol=1e-4)
    warp = (after @ np.linalg.inv(before))[:-1]
    x_away, y_away = (after[:-1, :2, 3] - before[:-1, :2, 3]).T
    for values in (x_away, y_away, np.unwrap(turns_of(warp))):
        velocity = np.diff(values) / 0.125
        # so little of it comes within an eighth of a frame: of a jump all would
        assert np.abs(np.diff(velocity)).max() < 0.3 * np.abs(velocity).max() + 1e-3


def test_a_warp_to_where_it_arrives_anyway_changes_no_key() -> None:
    armature = character("placed")
    made = walks(armature, "Root")
    _, plain = bake(armature, made, result="Plain")
    x, y = root_track(armature, plain, [AT + LATER])[0, :2, 3].astype(float)
    _, warped = bake(armature, made, warp_to=f"{x},{y}", warp_at=AT)
    assert [builders.key_data(curve) for curve in builders.by_address(warped).values()] == [
        builders.key_data(curve) for curve in builders.by_address(plain).values()
    ]


def test_poses_and_what_lies_behind_the_span_keep_their_own_keys() -> None:
    armature = character()
    made = walks(armature, "Root")
    _, plain = bake(armature, made, result="Plain")
    _, warped = bake(armature, made, warp_to="1,2,30", warp_at=20.0, warp_until=18.0)
    changed = {
        address
        for address, curve in builders.by_address(warped).items()
        if builders.key_data(curve) != builders.key_data(builders.by_address(plain)[address])
    }
    assert {path for path, _ in changed} == {
        builders.bone_path("Root", "location"),
        builders.bone_path("Root", "rotation_quaternion"),
    }
    for address in changed:
        late = [
            [key[:1] for key in builders.key_data(builders.by_address(action)[address], 18.0 + LATER + 0.5)]
            for action in (plain, warped)
        ]
        assert late[0] == late[1]
        assert len(late[0]) > 5


def test_an_object_says_where_to_arrive_and_update_follows_it() -> None:
    armature = character("small")
    made = walks(armature, "Root")
    seat = bpy.data.objects.new("Seat", None)
    bpy.context.collection.objects.link(seat)
    seat.location, seat.rotation_euler.z, seat.scale = (0.02, -0.01, 0.004), 1.0, (2.0, 2.0, 2.0)
    bpy.context.view_layer.update()
    _, result = bake(armature, made, warp_object="Seat", warp_height=True, warp_at=AT, result="Sat")
    there = root_track(armature, result, [AT + LATER])[0]
    np.testing.assert_allclose(there[:3, 3], seat.location, atol=1e-6)
    # unturned it would face along -Y
    np.testing.assert_allclose(np.arctan2(*there[1::-1, 0]), 1.0 - 0.5 * np.pi, atol=0.05)
    assert not recipe.has_moved(result)
    seat.location, seat.name = (0.01, 0.02, 0.0), "Chair"
    bpy.context.view_layer.update()
    assert recipe.has_moved(result)
    baking.bake_transition(armature, recipe_reader.read_recipe(result, recipe.RECIPE).settings, into=result)
    there = root_track(armature, result, [AT + LATER])[0]
    np.testing.assert_allclose(there[:3, 3], seat.location, atol=1e-6)
    assert recipe_reader.read_recipe(result, recipe.RECIPE).settings.warp_object == "Chair"


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"warp_to": "1"}, '"1" is not a place to warp to'),
        ({"warp_to": "1,nan"}, "is not a place to warp to"),
        ({"warp_to": "1,2", "warp_object": "Rig"}, "name one of them"),
        ({"warp_object": "Nobody"}, 'There is no object "Nobody" to warp to'),
        ({"warp_to": "1,2", "warp_at": 60.0}, "ends at frame 41"),
        ({"warp_to": "1,2", "warp_at": 2.0}, "let it begin at the entry or later"),
        ({"warp_to": "1,2", "warp_until": 12.0, "warp_from": 20.0}, "let it begin at the entry or later"),
        ({"warp_to": "1,2", "strips": True}, "switch As NLA Strips off"),
        ({"warp_to": "1,2", "bones": ("Hips",)}, "add it to the bones"),
    ],
)
def test_a_warp_that_can_not_be_is_told_and_makes_nothing(how: dict[str, Any], said: str) -> None:
    armature = character()
    made = walks(armature, "Root")
    before = {action.name for action in bpy.data.actions}
    with pytest.raises(InertiaError, match=said):
        bake(armature, made, **how)
    assert {action.name for action in bpy.data.actions} == before


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"warp_to": "40,2"}, "times as long"),
        ({"warp_to": "0,0,0", "warp_at": ENTRY + 2.0}, "still blends in"),
        ({"warp_to": "0.4,0.3,-100", "warp_at": AT}, "turns the character by"),
    ],
)
def test_a_warp_that_changes_much_is_warned_of(how: dict[str, Any], said: str) -> None:
    armature = character()
    report, _ = bake(armature, walks(armature, "Root"), **how)
    assert any(said in warning for warning in report.warnings), report.warnings


def test_a_root_that_goes_nowhere_is_said_to_glide() -> None:
    armature = character()
    made = walk(armature, "Source", "Root", 0.4, 0.0), stand(armature, "Destination", "Root", (3.0, 1.0))
    report, result = bake(armature, made, warp_to="1,2")
    assert any("glides to its place" in warning for warning in report.warnings), report.warnings
    there = root_track(armature, result, [41.0 + LATER])[0]
    np.testing.assert_allclose(there[:2, 3], (1.0, 2.0), atol=1e-4)


@pytest.mark.parametrize("at", [None, 60.0])
def test_a_cycle_arrives_in_whichever_repetition(at: float | None) -> None:
    """Repetitions go along with the warp, as keys of the clip that goes on."""
    armature = stepper.biped()
    bpy.context.scene.render.fps = round(stepper.FPS)
    made = stepper.walk(armature, "Source"), stepper.walk(armature, "Destination", 25)
    told = {"source_cycle": "OFF", "destination_cycle": "ON", "go_on": "CYCLES", "go_on_cycles": 2}
    report, result = bake(armature, made, warp_to="0.7,-2.0,-60", warp_at=at, **told)
    last = report.frame_range[1]
    arrival = last if at is None else at + LATER
    hips = armature.data.bones.find("hips")
    frames = np.append(np.arange(CUT, last, 0.5), [arrival])
    found = builders.played(armature, result, frames)[:, hips]
    np.testing.assert_allclose(found[-1, :2, 3], (0.7, -2.0), atol=1e-4)
    steps = np.linalg.norm(np.diff(found[:-1, :2, 3], axis=0), axis=1)
    assert steps.max() < 2.5 * np.median(steps)


@pytest.mark.parametrize("parent", ["root", ""])
def test_controls_that_lead_the_feet_are_warped_along(parent: str) -> None:
    """Blender shows the rig: its foot controls, below the root or beside it, are warped like the body."""
    armature = led_walker.led(parent=parent)
    bpy.context.scene.render.fps = round(stepper.FPS)
    made = led_walker.walk(armature, "Source"), led_walker.walk(armature, "Destination")
    _, plain = bake(armature, made, result="Plain")
    _, warped = bake(armature, made, warp_to="0.5,-1.2,-60")
    frames = np.arange(CUT, 49.0 + LATER + 0.1)
    before, after = (builders.played(armature, action, frames) for action in (plain, warped))
    root = armature.data.bones.find("hips")
    np.testing.assert_allclose(after[-1, root, :2, 3], (0.5, -1.2), atol=1e-4)
    motions = after[:, root] @ np.linalg.inv(before[:, root])
    for bone in ("foot.L", "shin.R", "head"):
        index = armature.data.bones.find(bone)
        np.testing.assert_allclose(after[:, index], motions @ before[:, index], atol=2e-3)


def test_recorded_walks_arrive_with_their_feet_on_the_ground(data_dir: Path) -> None:
    """A captured walk is led aside and turned: it is there to the hair, and the feet stand as they did."""
    armature, names = clips.load("cmu02", data_dir)
    walk_name = next(name for name in names if "_01_" in name)
    asked = {"destination_frame": 100.0, "warp_to": "0.98,-1.65,-65", **ONCE}
    skating = {}
    for feet in ("OFF", "AUTO"):
        plan = baking.plan_transition(
            armature,
            TransitionSettings(walk_name, walk_name, 100.0, **asked, feet=feet),
        )
        judged = finish(verdict.of_played(plan.evidence))
        skating[feet] = judged.skating
    assert skating["AUTO"] < 0.25 * skating["OFF"], skating
    result = bpy.data.actions[baking.write_plan(plan).result]
    last = builders.played(armature, result, [result.frame_range[1]])[0]
    there = last[armature.data.bones.find(plan.root.name)]
    np.testing.assert_allclose(there[:2, 3], (0.98, -1.65), atol=1e-4)


@pytest.mark.parametrize("rig", [stepper, led_walker], ids=["plain", "control rig"])
def test_feet_that_the_warp_moves_are_locked_where_that_looks_better(rig: Any) -> None:
    """The verdict sees that feet skate which stood before the warp, and Automatic has them stand."""
    armature = stepper.biped() if rig is stepper else led_walker.led()
    bpy.context.scene.render.fps = round(stepper.FPS)
    for name in ("Source", "Destination"):
        rig.walk(armature, name)
    ways, skating = {}, {}
    for feet in ("OFF", "LOCK" if rig is led_walker else "AUTO"):
        asked = {"warp_to": "0.3,-1.4", "feet": feet, "result": feet, "blend_frames": BLEND}
        own = TransitionSettings("Source", "Destination", 25.0, 25.0, **ONCE, **asked)
        plan = baking.plan_transition(armature, own)
        judged = finish(verdict.of_played(plan.evidence))
        skating[feet] = judged.skating
        result = bpy.data.actions[baking.write_plan(plan).result]
        frames = np.arange(25.0, 49.5)
        ball = builders.played(armature, result, frames)[:, armature.data.bones.find("toe.L"), :2, 3]
        # the left foot is planted in the first half of each second
        planted = np.mod((frames - 1.0) / stepper.FPS, 1.0) < 0.45
        ways[feet] = np.linalg.norm(np.diff(ball, axis=0), axis=1)[planted[1:] & planted[:-1]].sum()
        (again,) = finish(judged_result.judge_result_steps(read_character(armature), result))
        assert again.rating == judged.rating
    if rig is stepper:
        assert ways["AUTO"] < 0.1 * ways["OFF"]
        assert skating["AUTO"] < 0.1 * skating["OFF"]
