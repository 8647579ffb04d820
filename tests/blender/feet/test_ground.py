# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet of an action locked on a plane and on mesh objects, as Blender itself plays what was made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from mathutils import Euler, Matrix

from inertia_addon.blender.data import recipe_reader
from inertia_addon.blender.feet import bake, ground
from inertia_addon.blender.transition import bake as transitions
from inertia_addon.errors import InertiaError
from inertia_addon.motion.steps import finish
from inertia_addon.settings.feet import LockSettings
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import builders, clips, led_walker, stepper

Array = NDArray[np.float64]

FRAMES = np.arange(1.0, 56.0)
SOLE = 0.02
"""How high the balls are above the floor while they are planted."""


@pytest.fixture
def armature(fresh_file: None) -> Any:
    made = stepper.biped()
    stepper.walk(made, "Walk", frames=55)
    return made


def mesh(name: str, corners: Sequence[Sequence[float]], scale: Sequence[float] = (1.0, 1.0, 1.0)) -> Any:
    """A mesh object of rectangles, four corners each."""
    data = bpy.data.meshes.new(name)
    faces = [tuple(range(i, i + 4)) for i in range(0, len(corners), 4)]
    data.from_pydata([tuple(np.divide(corner, scale)) for corner in corners], [], faces)
    made = bpy.data.objects.new(name, data)
    made.scale = scale
    bpy.context.collection.objects.link(made)
    return made


def slope(rise: float) -> Any:
    """Ground that rises along the walk, whose object is scaled unevenly and whose faces look down."""
    corners = [(x, y, -rise * y) for x, y in ((-1.0, 1.0), (1.0, 1.0), (1.0, -4.0), (-1.0, -4.0))]
    made = mesh("Slope", corners, (2.0, 0.5, 3.0))
    made.data.flip_normals()
    return made


def stairs() -> Any:
    """Steps of 0.1 m each 0.3 m along the walk, below a roof."""
    corners = [
        (x, y, 0.1 * step)
        for step in range(9)
        for x, y in (
            (-1, 0.75 - 0.3 * step),
            (1, 0.75 - 0.3 * step),
            (1, 0.45 - 0.3 * step),
            (-1, 0.45 - 0.3 * step),
        )
    ]
    return mesh("Stairs", [*corners, (-1, 1, 3), (1, 1, 3), (1, -4, 3), (-1, -4, 3)])


def walked(armature: Any, report: bake.LockReport) -> tuple[Array, Array]:
    """The matrices of the feet (n, 2, 4, 4) and of the toes, as Blender plays the result."""
    bones = armature.pose.bones
    places = builders.played(armature, bpy.data.actions[report.result], FRAMES)
    feet, toes = ([bones.find(name + side) for side in (".L", ".R")] for name in ("foot", "toe"))
    return places[:, feet], places[:, toes]


def standing(report: bake.LockReport, side: int) -> list[Array]:
    """Which frames each contact of a foot has."""
    spans = report.before[side].spans
    return [np.flatnonzero((span.start <= FRAMES) & (span.end >= FRAMES)) for span in spans]


def turn_all(armature: Any, ground: Any) -> Any:
    """Let the scene be in centimetres, a rig with Y up turned and moved in it, and its ground with it.

    Returns what takes the scene's places back to where they would be without.
    """
    bpy.context.scene.unit_settings.scale_length = 0.01
    world = Matrix.LocRotScale((300.0, -50.0, 70.0), Euler((0.0, 0.0, 0.7)), (100.0,) * 3)
    upright = Matrix.Rotation(np.pi / 2.0, 4, "X")
    armature.data.transform(upright.inverted())
    armature.matrix_world = world @ upright
    ground.matrix_world = world @ ground.matrix_world
    bpy.context.view_layer.update()
    return np.array(world.inverted())


@pytest.mark.variants(1)
@pytest.mark.parametrize(("rise", "kind"), [(0.3, "plain"), (-0.2, "turned"), (0.3, "controlled")])
def test_feet_on_a_slope_stand_and_keep_their_tilt_to_it(armature: Any, rise: float, kind: str) -> None:
    if kind == "controlled":
        bpy.data.actions.remove(bpy.data.actions["Walk"])
        armature = led_walker.led()
        led_walker.walk(armature, "Walk", frames=55)
    ground = slope(rise)
    bpy.context.view_layer.update()
    back = turn_all(armature, ground) if kind == "turned" else np.eye(4)
    was = clips.contents(bpy.data.actions["Walk"])
    report = finish(
        bake.lock_action_steps(armature, LockSettings("Walk", ground="OBJECT", ground_object="Slope"))
    )
    assert clips.contents(bpy.data.actions["Walk"]) == was
    own, _ = walked(armature, finish(bake.lock_action_steps(armature, LockSettings("Walk", result="Flat"))))
    feet, toes = (back @ places for places in walked(armature, report))
    own = back @ own
    normal = np.array([0.0, rise, 1.0]) / np.hypot(rise, 1.0)
    for side in range(2):
        for inside in standing(report, side):
            balls = toes[inside, side, :3, 3]
            np.testing.assert_allclose(balls, np.broadcast_to(balls[0], balls.shape), atol=1e-4)
            np.testing.assert_allclose(balls @ normal, SOLE, atol=1e-3)
            # what is up for the foot of the flat clip is the normal for this one
            up = feet[inside, side, :3, :3] @ np.linalg.inv(own[inside, side, :3, :3])
            ups = up @ [0.0, 0.0, 1.0]
            np.testing.assert_allclose(ups, np.broadcast_to(normal, ups.shape), atol=2e-3)
    assert (toes[:, :, :3, 3] @ normal).min() > SOLE - 1e-3


def test_feet_on_steps_stand_on_each_and_go_through_none(armature: Any) -> None:
    stairs()
    report = finish(
        bake.lock_action_steps(armature, LockSettings("Walk", ground="OBJECT", ground_object="Stairs"))
    )
    _, toes = walked(armature, report)
    sample = ground.mesh("Stairs", 0.5)
    heights = []
    for side in range(2):
        for inside in standing(report, side):
            ball = toes[inside[0], side, :3, 3]
            (height,), _ = sample(ball[None])
            heights.append(round(float(height), 3))
            assert ball[2] == pytest.approx(height + SOLE, abs=1e-3)
    assert len(set(heights)) > 2
    balls = toes[:, :, :3, 3].reshape(-1, 3)
    assert (sample(balls)[0] - balls[:, 2]).max() < 0.0


def test_a_cycle_on_an_object_is_locked_once_and_is_none_any_more(armature: Any) -> None:
    slope(0.3)
    walk = bpy.data.actions["Walk"]
    walk.use_frame_range = walk.use_cyclic = True
    walk.frame_start, walk.frame_end = 1.0, 49.0
    report = finish(
        bake.lock_action_steps(armature, LockSettings("Walk", ground="OBJECT", ground_object="Slope"))
    )
    assert walk.use_cyclic
    assert not bpy.data.actions[report.result].use_cyclic
    for foot in report.after:
        assert all(1.0 <= span.start <= span.end <= 49.0 for span in foot.spans)
        assert foot.penetration_p95_m < 0.01
    _, toes = walked(armature, report)
    for side in range(2):
        for inside in standing(report, side):
            balls = toes[inside, side, :3, 3]
            np.testing.assert_allclose(balls, np.broadcast_to(balls[0], balls.shape), atol=1e-4)


def test_a_character_on_a_plane_stands_there_and_again_when_remade(armature: Any) -> None:
    asked = LockSettings("Walk", ground="PLANE", ground_height=0.3)
    report = finish(bake.lock_action_steps(armature, asked))
    _, toes = walked(armature, report)
    for side in range(2):
        for inside in standing(report, side):
            np.testing.assert_allclose(toes[inside, side, 2, 3], 0.3 + SOLE, atol=1e-3)
    made = bpy.data.actions[report.result]
    first = clips.contents(made)
    again = finish(
        bake.lock_action_steps(armature, recipe_reader.read_recipe(made, bake.KIND).settings, made)
    )
    assert again.settings == {**asked.as_dict(), "result": again.result}
    assert clips.contents(bpy.data.actions[again.result]) == first


def test_a_transition_stands_on_a_ground_like_any_action(armature: Any) -> None:
    stepper.walk(armature, "Late", frames=44, late=0.2)
    once = {"source_cycle": "OFF", "destination_cycle": "OFF", "blend_frames": 10.0}
    made = transitions.write_plan(
        transitions.plan_transition(
            armature, TransitionSettings("Walk", "Late", 20.0, 9.0, feet="LOCK", assign=False, **once)
        )
    )
    report = finish(
        bake.lock_action_steps(armature, LockSettings(made.result, ground="PLANE", ground_height=0.3))
    )
    _, toes = walked(armature, report)
    for side in range(2):
        for inside in standing(report, side):
            balls = toes[inside, side, :3, 3]
            np.testing.assert_allclose(balls, np.broadcast_to(balls[0], balls.shape), atol=1e-4)
            np.testing.assert_allclose(balls[:, 2], 0.3 + SOLE, atol=1e-3)


def test_ground_that_is_not_there_is_told_and_nothing_made(armature: Any) -> None:
    far = mesh("Far", [(50, 50, 0), (51, 50, 0), (51, 51, 0), (50, 51, 0)])
    mesh("Bare", [])
    for name, said in (
        ("", "Choose the mesh object"),
        ("Gone", 'no mesh object "Gone"'),
        (armature.name, f'no mesh object "{armature.name}"'),
        ("Bare", '"Bare" is hidden or has no faces'),
        (far.name, "No planted foot is ever above or below"),
    ):
        with pytest.raises(InertiaError, match=said):
            finish(
                bake.lock_action_steps(armature, LockSettings("Walk", ground="OBJECT", ground_object=name))
            )
    excluded = bpy.data.collections.new("Excluded")
    bpy.context.scene.collection.children.link(excluded)
    excluded.objects.link(mesh("Excluded", [(-9, -9, 0), (9, -9, 0), (9, 9, 0), (-9, 9, 0)]))
    bpy.context.collection.objects.unlink(bpy.data.objects["Excluded"])
    bpy.context.view_layer.layer_collection.children["Excluded"].exclude = True
    far.hide_viewport = True
    for name in ("Far", "Excluded"):
        with pytest.raises(InertiaError, match=f'"{name}" is hidden'):
            finish(
                bake.lock_action_steps(armature, LockSettings("Walk", ground="OBJECT", ground_object=name))
            )
    assert [action.name for action in bpy.data.actions] == ["Walk"]
