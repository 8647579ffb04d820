# SPDX-License-Identifier: GPL-3.0-or-later
"""Obstacles of paths: their outlines as Blender shows them, and characters that keep away from them."""

from __future__ import annotations

import math
from typing import Any

import bpy
import numpy as np
import pytest

from inertia_addon.blender.data import compat, recipe
from inertia_addon.blender.data.recipe_reader import read_recipe
from inertia_addon.blender.evaluation import joints
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.matching import action_set, bake, followed, search, surroundings
from inertia_addon.errors import InertiaError
from inertia_addon.motion.steps import finish
from tests.blender import builders, wanderer


def collected(*things: Any) -> Any:
    """The things as the collection of obstacles."""
    made = bpy.data.collections.new("Posts")
    bpy.context.scene.collection.children.link(made)
    for thing in things:
        for other in list(thing.users_collection):
            other.objects.unlink(thing)
        made.objects.link(thing)
    bpy.context.view_layer.update()
    return made


def post(x: float, y: float, radius: float = 0.2) -> Any:
    bpy.ops.mesh.primitive_cylinder_add(vertices=6, radius=radius, depth=2.0, location=(x, y, 1.0))
    return bpy.context.object


def test_outlines_are_those_that_are_seen_from_above(fresh_file: None) -> None:
    bpy.ops.mesh.primitive_cube_add(size=2.0, location=(1.0, 2.0, 0.0), rotation=(0.0, 0.0, math.pi / 4.0))
    cube = bpy.context.object
    cube.scale = (0.5, 0.5, 3.0)
    above = cube.modifiers.new("Twice", "ARRAY")
    above.relative_offset_displace = (0.0, 0.0, 2.0)
    bpy.ops.curve.primitive_bezier_circle_add(radius=0.7, location=(-3.0, 0.0, 0.0))
    circle = bpy.context.object
    bpy.ops.object.empty_add(location=(4.0, 5.0, 6.0))
    empty = bpy.context.object
    empty.name, cube.name, circle.name = "A Place", "Box", "Circle"
    inner = bpy.data.collections.new("Inner")
    outer = collected(cube, empty)
    outer.children.link(inner)
    bpy.context.collection.objects.unlink(circle)
    inner.objects.link(circle)
    bpy.context.scene.unit_settings.scale_length = 0.1
    place, box, ring = surroundings.obstacles("Posts")
    assert [each.name for each in (place, box, ring)] == ["A Place", "Box", "Circle"]
    assert place.corners == pytest.approx(np.array([[0.4, 0.5]]))
    reach = 0.05 * math.sqrt(2.0)
    middle = np.array([0.1, 0.2])
    assert np.sort(box.corners - middle, axis=0)[[0, -1]] == pytest.approx(
        np.array([[-reach, -reach], [reach, reach]]), abs=1e-6
    )
    assert np.linalg.norm(ring.corners - (-0.3, 0.0), axis=1) == pytest.approx(0.07, abs=1e-3)
    for each in (box, ring):
        x, y = each.corners.T
        assert np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y) > 0.0
    with pytest.raises(InertiaError, match='no collection "Post" of obstacles'):
        surroundings.obstacles("Post")


def test_a_path_leads_around_and_remembers_by_what(tmp_path: Any) -> None:
    armature = wanderer.with_clips()
    straight = np.column_stack([np.zeros(40), np.linspace(0.0, -3.0, 40)])
    points = wanderer.csv_of(tmp_path / "straight.csv", straight, "x,y")
    posts = collected(post(0.1, -1.0), post(-0.2, -2.0, 0.2))
    asked = wanderer.settings(points=str(points), mirror=True, obstacles="Posts", keep_away=0.3)
    analysed = finish(
        action_set.analyse_steps(read_character(armature), asked, joints.named_weights(armature, "stored"))
    )
    found = finish(search.search_path_steps(analysed, asked, followed.course(asked)))
    made = bpy.data.actions[finish(bake.bake_way_steps(armature, found)).result]
    # where Blender shows the hips, on half frames, too
    first, last = made.frame_range
    shown = builders.played(armature, made, np.arange(first, last, 0.5))
    walls = surroundings.obstacles("Posts")
    hips = shown[:, [bone.name for bone in armature.pose.bones].index("hips"), :2, 3]
    assert surroundings.nearest_obstacle(walls, hips) > 0.3
    assert search.figures(found)["obstacle_m"] > 0.3
    assert np.linalg.norm(hips[-1] - straight[-1]) < 0.5
    posts.name = "Columns"
    assert read_recipe(made).settings.obstacles == "Columns"
    assert not recipe.has_moved(made)
    posts.objects[0].location.x += 1.0
    assert recipe.has_moved(made)


def test_a_timed_target_goes_around_in_its_own_time() -> None:
    armature = wanderer.with_clips()
    bpy.ops.object.empty_add()
    leader = bpy.context.object
    for frame, y in ((1, 0.0), (121, -5.0)):
        leader.location = (0.0, y, 0.0)
        leader.keyframe_insert("location", frame=frame)
    for curve in compat.curves(
        leader.animation_data.action, compat.slots(leader.animation_data.action)[0].identifier
    ):
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"
    collected(post(0.05, -2.5))
    straight, bent = (
        followed.course(wanderer.settings(target=leader.name, obstacles=name)) for name in ("", "Posts")
    )
    assert armature
    assert bent.times is not None
    assert straight.times is not None
    assert bent.times[[0, -1]] == pytest.approx(straight.times[[0, -1]])
    assert (np.diff(bent.times) >= 0.0).all()
    assert surroundings.nearest_obstacle(surroundings.obstacles("Posts"), bent.points) >= 0.4
    # where it is back on its way, it is there when it would have been
    back = bent.points[:, 1] < -4.6
    there = np.interp(bent.times[back], straight.times, straight.points[:, 1])
    assert bent.points[back, 1] == pytest.approx(there, abs=0.02)


def test_the_outline_of_a_mesh_without_vertices_is_its_own_place(fresh_file: None) -> None:
    thing = bpy.data.objects.new("Nothing", bpy.data.meshes.new("Nothing"))
    thing.location = (4.0, -5.0, 6.0)
    collected(thing)
    (nothing,) = surroundings.obstacles("Posts")
    assert nothing.corners == pytest.approx(np.array([[4.0, -5.0]]))
