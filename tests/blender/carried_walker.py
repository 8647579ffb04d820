# SPDX-License-Identifier: GPL-3.0-or-later
"""A biped whose walks travel on its object, and the same travel on something else that carries it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

from inertia_addon.blender.data import compat
from tests.blender import builders, stepper

Array = NDArray[np.float64]

OBJECT = ("location", "rotation_euler")


def walker() -> Any:
    """A biped with the actions Source and Destination, which goes another way from elsewhere."""
    armature = stepper.biped()
    armature.rotation_mode = "XYZ"
    walk(armature, "Source", 49)
    walk(armature, "Destination", 61, heading=0.9, at=(2.0, 1.0), late=0.2)
    return armature


def walk(
    armature: Any,
    name: str,
    frames: int,
    heading: float = 0.0,
    at: tuple[float, float] = (0.0, 0.0),
    **how: Any,
) -> Any:
    """A walk whose travel is the object's, from a place on the ground, turned about the vertical."""
    made = stepper.walk(armature, name, frames, **how)
    slot = "OB" + armature.name
    hips = builders.bone_path("hips", "location")
    rest = np.array(armature.data.bones["hips"].matrix_local.to_3x3())
    columns = [builders.by_address(made)[hips, i] for i in range(3)]
    times = np.arange(1.0, frames + 0.5)
    way = np.array([[curve.evaluate(t) for curve in columns] for t in times]) @ rest.T
    bag = builders.bag_of(made, slot)
    for curve in columns:
        bag.fcurves.remove(curve)
    turned = way @ np.array(Matrix.Rotation(heading, 3, "Z")).T + (*at, 0.0)
    points = [*zip(times.tolist(), turned.tolist(), strict=True)]
    builders.curves(made, "location", points, slot=slot, interpolation="LINEAR")
    turn = (0.0, 0.0, heading)
    builders.curves(made, "rotation_euler", [(1.0, turn), (float(frames), turn)], slot=slot)
    return made


def empty(name: str) -> Any:
    """An empty, seen by its name."""
    made = bpy.data.objects.new(name, None)
    made.rotation_mode = "XYZ"
    bpy.context.collection.objects.link(made)
    return made


def hand_over(armature: Any, paths: dict[str, tuple[str, str]]) -> None:
    """Give the object's curves to other channels. paths: by path the slot, and the path there."""
    for made in bpy.data.actions:
        bag = builders.bag_of(made, "OB" + armature.name)
        for curve in [curve for curve in bag.fcurves if curve.data_path in paths]:
            slot, path = paths[curve.data_path]
            points = [tuple(key.co) for key in curve.keyframe_points]
            other = (
                bag
                if slot == armature.name
                else compat.new_bag(made, compat.name_slot(bpy.data.objects[slot]))
            )
            builders.curve(made, path, curve.array_index, points, "LINEAR", bag=other)
            bag.fcurves.remove(curve)
    armature.location, armature.rotation_euler = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)


def on_delta(armature: Any) -> None:
    """By the object's delta location and rotation."""
    hand_over(armature, {path: (armature.name, f"delta_{path}") for path in OBJECT})


def on_both(armature: Any) -> None:
    """By the delta location, and the object's own rotation."""
    hand_over(armature, {"location": (armature.name, "delta_location")})


def on_delta_turn(armature: Any) -> None:
    """By the delta rotation in quaternions, and the object's own location."""
    for made in bpy.data.actions:
        bag = builders.bag_of(made, "OB" + armature.name)
        columns = [curve for curve in bag.fcurves if curve.data_path == "rotation_euler"]
        angle = columns[2].evaluate(1.0)
        for curve in columns:
            bag.fcurves.remove(curve)
        turn = (math.cos(0.5 * angle), 0.0, 0.0, math.sin(0.5 * angle))
        builders.curves(made, "delta_rotation_quaternion", [(1.0, turn)], slot="OB" + armature.name)
    armature.rotation_mode = "QUATERNION"


def on_empty(armature: Any) -> None:
    """By an empty from which the armature hangs."""
    armature.parent = empty("Mover")
    hand_over(armature, {path: ("Mover", path) for path in OBJECT})


def on_own_actions(armature: Any) -> None:
    """By an empty with an action for each clip, which only its name tells."""
    armature.parent = mover = empty("Mover")
    for made in [*bpy.data.actions]:
        bag = builders.bag_of(made, "OB" + armature.name)
        own = builders.action(f"Mover|{made.name}", slot="Mover")
        for curve in [curve for curve in bag.fcurves if curve.data_path in OBJECT]:
            points = [tuple(key.co) for key in curve.keyframe_points]
            builders.curve(own, curve.data_path, curve.array_index, points, "LINEAR", slot="OBMover")
            bag.fcurves.remove(curve)
    armature.location, armature.rotation_euler = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    compat.assign(mover, bpy.data.actions["Mover|Source"], "OBMover")


def on_lying(armature: Any) -> None:
    """By an empty, as other programs' files come in: the armature lies in it, a hundred times as small."""
    on_empty(armature)
    lying = Matrix.Rotation(math.radians(90.0), 4, "X") @ Matrix.Scale(0.01, 4)
    armature.data.transform(lying.inverted())
    armature.matrix_basis = lying


def on_two(armature: Any) -> None:
    """By two empties, of which the upper one goes and the lower one turns."""
    armature.parent = lower = empty("Lower")
    lower.parent = empty("Upper")
    hand_over(armature, {"location": ("Upper", "location"), "rotation_euler": ("Lower", "rotation_euler")})


def on_upper(armature: Any) -> None:
    """By the delta channels of an empty that hangs from one that stands elsewhere, turned and scaled; the
    lower one and the armature have inverses."""
    armature.parent = mover = empty("Mover")
    mover.parent = above = empty("Above")
    hand_over(armature, {path: ("Mover", f"delta_{path}") for path in OBJECT})
    there = Matrix.Translation((1.0, 2.0, 0.0)) @ Matrix.Rotation(2.5, 4, "Z") @ Matrix.Scale(0.5, 4)
    above.matrix_world = there
    mover.matrix_parent_inverse = there.inverted()
    moved = Matrix.Rotation(0.7, 4, "Z") @ Matrix.Scale(2.0, 4)
    armature.matrix_parent_inverse = moved
    armature.matrix_basis = moved.inverted()


def on_played(armature: Any) -> None:
    """By an empty, of a rig that only Blender can play."""
    on_empty(armature)
    constrain(armature)


def constrain(armature: Any) -> None:
    """Have a constraint act on the rig, so that only Blender can play it."""
    constraint = armature.pose.bones["head"].constraints.new("COPY_ROTATION")
    constraint.target, constraint.subtarget, constraint.influence = armature, "chest", 0.5


def on_constraint(armature: Any) -> None:
    """By an empty that a Child Of constraint follows, which hangs from another empty."""
    on_empty(armature)
    mover, armature.parent = armature.parent, None
    mover.parent = above = empty("Above")
    above.rotation_euler.z = 1.2
    bpy.context.view_layer.update()
    mover.matrix_parent_inverse = above.matrix_world.inverted()
    constraint = armature.constraints.new("CHILD_OF")
    constraint.target = mover
    constraint.inverse_matrix = Matrix.Rotation(0.4, 4, "Z")
    armature.matrix_basis = Matrix.Rotation(-0.4, 4, "Z")


WAYS: dict[str, Callable[[Any], None]] = {
    "delta": on_delta,
    "delta and own": on_both,
    "delta quaternion": on_delta_turn,
    "empty": on_empty,
    "lying": on_lying,
    "two": on_two,
    "upper": on_upper,
    "constraint": on_constraint,
    "played": on_played,
}
"""How the travel is carried otherwise; in the world the clips look as before."""


def players(armature: Any) -> dict[Any, str]:
    """What actions animate, with the slot of each."""
    things = [armature, *(thing for thing in bpy.data.objects if thing.type == "EMPTY")]
    slots = {thing: "OB" + thing.name for thing in things}
    return slots if compat.has_slots() else {**slots, armature: ""}


def poses(armature: Any, action: Any, frames: Array) -> Array:
    """Where all bones are in the world (n, bones, 4, 4) as an action plays on all that it animates."""
    slots = {slot.identifier for slot in compat.slots(action)}
    for thing, slot in players(armature).items():
        if slot in slots:
            compat.assign(thing, action, slot)
        elif thing != armature:
            compat.assign(thing, None)
    for bone in armature.pose.bones:
        bone.matrix_basis = Matrix()
    return seen(armature, frames)


def seen(armature: Any, frames: Array) -> Array:
    """Where all bones are in the world (n, bones, 4, 4) as the file plays."""
    found = []
    for frame in frames.tolist():
        bpy.context.scene.frame_set(math.floor(frame), subframe=frame - math.floor(frame))
        shown = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
        found.append([np.array(shown.matrix_world @ bone.matrix) for bone in shown.pose.bones])
    return np.array(found)
