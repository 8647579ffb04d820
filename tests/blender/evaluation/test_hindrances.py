# SPDX-License-Identifier: GPL-3.0-or-later
"""What keeps an armature from showing what its action says is told, and only what does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy
import numpy as np
import pytest

from inertia_addon import api
from inertia_addon.blender.data import compat
from inertia_addon.blender.evaluation import hindrances
from tests.blender import builders, clips

FRAMES = np.array([1.0, 6.0, 11.5])
SCRIPT = "len(bpy.data.objects) * 0.5 + a * 0.0"


@pytest.fixture
def armature(fresh_file: None) -> Any:
    made = builders.rig({"Root": None, "Hips": "Root", "Head": "Hips"})
    for name, phase in (("Walk", 0.3), ("Run", 1.1), ("Base", 2.0)):
        action = builders.action(name)
        for i in range(3):
            builders.wave(action, builders.bone_path("Root", "location"), i, 0.3, 1, 31, phase=phase + i)
        builders.wave(action, builders.bone_path("Head", "rotation_euler"), 0, 0.4, 1, 31, phase=phase)
    for bone in made.pose.bones:
        bone.rotation_mode = "XYZ"
    return made


def drive(
    owner: Any, path: str, index: int = -1, expression: str = SCRIPT, reads: tuple[Any, str] = ()
) -> Any:
    """A driver by an expression with one variable, `a`."""
    curve = owner.driver_add(path, index) if index >= 0 else owner.driver_add(path)
    variable = curve.driver.variables.new()
    variable.name = "a"
    thing, read = reads or (bpy.data.objects["Rig"], "scale[0]")
    variable.targets[0].id, variable.targets[0].data_path = thing, read
    curve.driver.expression = expression
    return curve


def on_bone(armature: Any) -> str:
    drive(armature.pose.bones["Hips"], "location", 1)
    return "Hips"


def on_influence(armature: Any) -> str:
    constraint = armature.pose.bones["Head"].constraints.new("LIMIT_ROTATION")
    drive(constraint, "influence")
    return "Head"


def on_property(armature: Any) -> str:
    """A property that a simple driver reads."""
    armature["bend"] = 0.2
    drive(armature, '["bend"]')
    drive(armature.pose.bones["Hips"], "location", 0, "a", (armature, '["bend"]'))
    return "Rig"


def on_target(armature: Any) -> str:
    empty = bpy.data.objects.new("Aim", None)
    bpy.context.collection.objects.link(empty)
    drive(empty, "location", 2)
    armature.pose.bones["Head"].constraints.new("DAMPED_TRACK").target = empty
    return "Aim"


def on_parent(armature: Any) -> str:
    armature.parent = bpy.data.objects.new("Stage", None)
    bpy.context.collection.objects.link(armature.parent)
    drive(armature.parent, "location", 0)
    return "Stage"


@pytest.mark.parametrize("scripted", [on_bone, on_influence, on_property, on_target, on_parent])
def test_drivers_that_need_scripts_are_named(armature: Any, scripted: Callable[[Any], str]) -> None:
    name = scripted(armature)
    made = api.bake(armature, source="Walk", destination="Run", cut=12, destination_frame=5)
    told = [text for text in made.notes if "Python scripts" in text]
    assert len(told) == 1
    assert told[0].startswith(f'Drivers on "{name}" need Python scripts')
    assert told[0] in made.values["warnings"]
    cost = api.cost(armature, source="Walk", destination="Run", cut=12, best=1, by="cost")
    assert told[0] in cost.notes


def simple(armature: Any) -> None:
    drive(armature.pose.bones["Hips"], "location", 1, "a * 0.5 - sin(a)")


def muted(armature: Any) -> None:
    drive(armature.pose.bones["Hips"], "location", 1).mute = True


def of_colours(armature: Any) -> None:
    drive(armature, "color", 0)
    armature["shine"] = 0.2
    drive(armature, '["shine"]')


@pytest.mark.parametrize("harmless", [simple, muted, of_colours])
def test_a_harmless_rig_has_no_hindrance(armature: Any, harmless: Callable[[Any], None]) -> None:
    harmless(armature)
    assert not list(hindrances.describe(armature))


def test_a_driver_that_reads_what_is_gone_is_told(armature: Any) -> None:
    drive(armature.pose.bones["Hips"], "location", 1, "a", (armature, '["gone"]'))
    bpy.context.view_layer.update()
    (text,) = map(str, hindrances.describe(armature))
    assert text.startswith('Drivers on "Hips" fail')


def layer(armature: Any, kind: str = "REPLACE", influence: float = 1.0) -> Any:
    """Base on a track, and what is assigned above it."""
    armature.animation_data_create()
    track = armature.animation_data.nla_tracks.new()
    strip = track.strips.new("Base", 1, bpy.data.actions["Base"])
    builders.set_strip_slot(strip, "OBRig") if compat.has_slots() else None
    armature.animation_data.action_blend_type = kind
    armature.animation_data.action_influence = influence
    return track


def show_through(armature: Any) -> bool:
    """Whether Blender shows something else than the action alone."""
    compat.assign(armature, bpy.data.actions["Walk"], compat.slots(bpy.data.actions["Walk"])[0].identifier)
    shown = clips.poses(armature, FRAMES)
    armature.animation_data.use_nla, before = False, armature.animation_data.use_nla
    alone = clips.poses(armature, FRAMES)
    armature.animation_data.use_nla = before
    return bool(np.abs(shown - alone).max() > 1e-3)


@pytest.mark.parametrize(
    ("kind", "influence"), [("REPLACE", 1.0), ("REPLACE", 0.5), ("ADD", 1.0), ("COMBINE", 0.5)]
)
@pytest.mark.parametrize("state", ["", "mute", "strip", "nla"])
def test_layers_are_told_of_where_they_show(armature: Any, kind: str, influence: float, state: str) -> None:
    track = layer(armature, kind, influence)
    if state == "nla":
        armature.animation_data.use_nla = False
    elif state:
        (track if state == "mute" else track.strips[0]).mute = True
    told = [str(text) for text in hindrances.describe(armature)]
    assert bool(told) == show_through(armature)
    assert not list(hindrances.describe(armature, above_tracks=False))
    if told:
        made = api.bake(armature, source="Walk", destination="Run", cut=12, destination_frame=5)
        assert [text for text in made.notes if "NLA track" in text] == told
        assert told[0].count(track.name) == 1
