# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the file of an earlier version that test_earlier_file.py opens, and says what is in it.

    PYTHONPATH=CHECKOUT python tests/earlier/make_file.py CHECKOUT tests/earlier/NAME.blend

Runs in a checkout of that version, under the oldest Blender that both support: a result of each feature, and
every property that Blender keeps in files with another value than its default. Beside the file goes a .json
with these values and the recipes. What a model has played is not among the results: a model takes training.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import bpy

BONE = "hand.L"
"""The pose bone whose own properties are set."""
OWN = ("blend_time", "source_name", "destination_name", "action_name")
"""Properties that hold nothing."""


def groups() -> Iterator[tuple[str, Any]]:
    """Every group of properties that is kept in the file, by the words that lead to it."""
    rig = bpy.data.objects["Mannequin"]
    for place, owner in (("rig", rig), ("scene", bpy.context.scene), ("bone", rig.pose.bones[BONE])):
        for prop in sorted(owner.bl_rna.properties.keys()):
            if prop.startswith("inertia"):
                yield f"{place}.{prop}", getattr(owner, prop)


def stored(group: Any) -> dict[str, Any]:
    """What a group holds, as JSON has it: names in place of what it points to."""
    held: dict[str, Any] = {}
    for prop in group.bl_rna.properties:
        name = prop.identifier
        if name in ("rna_type", *OWN) or (prop.is_readonly and prop.type not in ("COLLECTION", "POINTER")):
            continue
        value = getattr(group, name)
        if prop.type == "COLLECTION":
            held[name] = [stored(item) for item in value]
        elif prop.type == "POINTER":
            is_group = isinstance(value, bpy.types.PropertyGroup)
            held[name] = stored(value) if is_group else getattr(value, "name", None)
        elif prop.type == "ENUM":
            held[name] = sorted(value) if prop.is_enum_flag else value
        elif prop.type in ("FLOAT", "INT", "BOOLEAN") and prop.is_array:
            held[name] = list(value)
        else:
            held[name] = value
    return held


def recipes() -> dict[str, dict[str, Any]]:
    """What each action says of its making, by the action and the key."""
    held: dict[str, dict[str, Any]] = {}
    for action in bpy.data.actions:
        said = {key: action[key] for key in action.keys() if key.startswith("inertia")}
        if said:
            held[action.name] = {key: getattr(value, "name", value) for key, value in said.items()}
    return held


def change(group: Any) -> None:
    """Give every property of a group another value than it has."""
    for prop in group.bl_rna.properties:
        name = prop.identifier
        if name in ("rna_type", "name", *OWN):
            continue
        value = getattr(group, name)
        if prop.type == "COLLECTION":
            if not value:
                change(value.add())
        elif prop.type == "POINTER":
            if isinstance(value, bpy.types.PropertyGroup):
                change(value)
        elif prop.is_readonly:
            continue
        elif prop.type == "BOOLEAN" and not prop.is_array:
            setattr(group, name, not value)
        elif prop.type == "ENUM" and not prop.is_enum_flag:
            others = [item.identifier for item in prop.enum_items if item.identifier != value]
            if others:
                setattr(group, name, others[-1])
        elif prop.type == "INT":
            setattr(group, name, value + 1 if value < prop.hard_max else value - 1)
        elif prop.type == "FLOAT" and not prop.is_array:
            by = 0.25 * min(1.0, prop.hard_max - prop.hard_min)
            setattr(group, name, value + by if value + by <= prop.hard_max else value - by)
        elif prop.type == "STRING" and not value:
            setattr(group, name, "hand.R")


def press(operator: str, **values: Any) -> None:
    """Press a button, and see that it did what it is for."""
    done = getattr(bpy.ops.inertia, operator)(**values)
    assert done == {"FINISHED"}, (operator, done)


def altered(name: str, other: str, by: Callable[[float], float]) -> Any:
    """A copy of an action that is no cycle, with the spine bent further."""
    action = bpy.data.actions[name].copy()
    action.name, action.use_cyclic = other, False
    (curve,) = (
        c
        for c in action.fcurves
        if '"spine"' in c.data_path and c.array_index == 1 and "rotation" in c.data_path
    )
    for key in curve.keyframe_points:
        key.co.y += by(key.co.x)
    return action


def results(rig: Any) -> None:
    """A result of each feature."""
    own = rig.inertia
    own.source, own.destination, own.cut = bpy.data.actions["Walk"], bpy.data.actions["Run"], 12.0
    press("bake_transition")
    press("find_hops", every=True)
    press("bake_hop")
    rig.animation_data.action = altered("Run", "Leans", lambda frame: 0.02 * frame)
    press("find_loop")
    press("make_loop")
    rig.animation_data.action = bpy.data.actions["Walk"]
    press("lock_feet")
    rig.animation_data.action = bpy.data.actions["Walk"]
    press("in_place")
    press("travel")
    rig.animation_data.action = altered("Idle", "Jumps", lambda frame: 0.3 * (frame == 21.0))
    press("find_pops")
    press("smooth_pops")
    line = bpy.data.curves.new("Line", "CURVE")
    line.dimensions = "3D"
    spline = line.splines.new("POLY")
    spline.points.add(1)
    spline.points[1].co = (0.0, -4.0, 0.0, 1.0)
    followed = bpy.data.objects.new("Line", line)
    bpy.context.collection.objects.link(followed)
    rig.inertia_path.followed = followed
    for name in ("Walk", "Run"):
        rig.inertia_path.clips.add().action = bpy.data.actions[name]
    press("bake_path")
    later_results(rig)


def later_results(rig: Any) -> None:
    """A result of each feature that came after the first version, as far as there are such."""
    if not hasattr(bpy.types, "INERTIA_OT_bake_fill"):
        return
    rig.animation_data.action = bpy.data.actions["Walk"]
    press("fewer_keys")
    rig.animation_data.action = bpy.data.actions["Jumps"]
    press("find_faults")
    press("finish_take")
    rig.inertia_fill.gap_frames, rig.inertia_fill.use_library = 16.0, False
    press("bake_fill")


def main() -> None:
    checkout, out = Path(sys.argv[1]), Path(sys.argv[2])
    # up to version 1.0 the mannequin was no part of the product
    sys.path.insert(0, str(checkout / "examples" / "humanoid"))
    where = "mannequin" if find_spec("mannequin") else "inertia_addon.blender.mannequin"
    gaits, standing, made = (import_module(f"{where}.{name}") for name in ("gaits", "standing", "rig"))

    from inertia_addon import registration

    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    registration.register()
    bpy.context.scene.render.fps = 30
    rig = made.build_armature(bpy.context.scene)
    for name, clip in (("Idle", standing.idle), ("Walk", gaits.walk), ("Run", gaits.run)):
        action = made.add_action(rig, name, clip(), cyclic=True)
        # the file is kept in the repository: a key on every second frame is enough
        for curve in action.fcurves:
            for key in reversed(curve.keyframe_points):
                if (key.co.x - 1.0) % 2.0:
                    curve.keyframe_points.remove(key, fast=True)
            curve.update()
    bpy.context.view_layer.objects.active = rig
    rig.select_set(True)
    results(rig)
    for _place, group in groups():
        change(group)
    for action in bpy.data.actions:
        action.use_fake_user = True
    said = {"properties": {place: stored(group) for place, group in groups()}, "recipes": recipes()}
    bpy.ops.wm.save_as_mainfile(filepath=str(out.resolve()), compress=True)
    out.with_suffix(".json").write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
