# SPDX-License-Identifier: GPL-3.0-or-later
"""Keyed properties of every kind that a rig may have come back as they were when a clip has been played."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy
import numpy as np
import pytest

from inertia_addon.blender.data import actions, channels, compat, properties, roots
from inertia_addon.blender.evaluation import joint_motion, playback
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.errors import InertiaError
from tests.blender import builders
from tests.blender.file_state import differences, everything

pytestmark = pytest.mark.usefixtures("fresh_file")

KINDS: dict[str, tuple[Any, dict[str, Any], Any]] = {
    "number": (3, {}, 5),
    "switch": (True, {}, False),
    "float": (0.25, {"default": 0.5}, 7.5),
    "named number": (0, {"items": [(f"P{i}", f"Space {i}", "", i) for i in range(3)], "default": 1}, 2),
    "nameless number": (0, {"items": [(f"P{i}", f"Space {i}", "", i) for i in range(3)]}, 7),
    "floats": ([0.1, 0.2, 0.3], {}, [4.0, 5.0, 6.0]),
    "colour": ([0.1, 0.2, 0.3], {"subtype": "COLOR"}, [4.0, 5.0, 6.0]),
    "numbers": ([1, 2], {}, [8, 9]),
    "switches": ([True, False], {}, [False, True]),
    "short floats": (np.array([1.0, 2.0], np.float32), {}, np.array([8.0, 9.0], np.float32)),
    'a "quoted" ["name"]\\': (3, {"default": 4}, 5),
}
"""By name: the value, the settings, and what a user has made of it since, without a key."""


def wobble() -> Any:
    """A rig that has to be played."""
    armature = builders.rig({"Root": None, "Hand": "Root"})
    constraint = armature.pose.bones["Hand"].constraints.new("COPY_ROTATION")
    constraint.target, constraint.subtarget = armature, "Root"
    return armature


def clip_of(armature: Any, *paths: str, count: int = 1) -> actions.Clip:
    """Keys on properties, on each of their so many numbers, beside a bone's."""
    action = builders.action("Clip")
    builders.wave(action, builders.bone_path("Root", "location"), 0, 1.0, 1.0, 5.0)
    for path in paths:
        for i in range(count):
            builders.curve(action, path, i, [(1.0, 1.0), (5.0, 0.0)], interpolation="CONSTANT")
    return actions.read(action, actions.choose_slot(action, armature))


def play(armature: Any, clip: actions.Clip) -> None:
    joint_motion.evaluate(
        read_character(armature), clip, joint_motion.grid(clip), roots.Root("Root", moves=True)
    )


def kind_of(value: Any) -> tuple[str, str]:
    """A custom property's type, and an array's kind of numbers."""
    return type(value).__name__, getattr(value, "typecode", "")


@pytest.mark.variants(8)
@pytest.mark.parametrize("of_bone", [True, False])
@pytest.mark.parametrize("name", KINDS)
def test_custom_properties_come_back(name: str, *, of_bone: bool) -> None:
    armature = wobble()
    holder = armature.pose.bones["Hand"] if of_bone else armature
    value, settings, since = KINDS[name]
    holder[name] = value
    if settings:
        holder.id_properties_ui(name).update(**settings)
    prefix = holder.path_from_id() if of_bone else ""
    path = f'{prefix}["{bpy.utils.escape_identifier(name)}"]'
    clip = clip_of(armature, path, count=len(value) if hasattr(value, "__len__") else 1)
    compat.assign(armature, clip.action, clip.slot.identifier)
    bpy.context.scene.frame_set(3)
    shown = properties.read(armature, path)
    holder[name] = since
    before, kind, ui = everything(), kind_of(holder[name]), holder.id_properties_ui(name).as_dict()
    play(armature, clip)
    assert differences(before, everything()) == {}
    assert kind_of(holder[name]) == kind
    assert holder.id_properties_ui(name).as_dict() == ui
    assert np.array_equal(properties.read(armature, path), since)
    assert not np.array_equal(shown, since), "or nothing had to be put back"


@pytest.mark.parametrize("name", [name for name, kind in KINDS.items() if "default" in kind[1]])
def test_defaults_of_custom_properties(name: str) -> None:
    armature = wobble()
    value, settings, _ = KINDS[name]
    armature[name] = value
    armature.id_properties_ui(name).update(**settings)
    path = f'["{bpy.utils.escape_identifier(name)}"]'
    found = channels.property_default(armature, (path, 0))
    assert found == (settings["default"], not isinstance(value, float))


def test_properties_in_groups_come_back() -> None:
    armature = wobble()
    armature["rig"] = {"arms": {"left": 1.5}}
    path = '["rig"]["arms"]["left"]'
    clip = clip_of(armature, path, '["rig"]', '["rig"]["legs"]', 'legs["left"]', 'constraints["None"]')
    play(armature, clip)
    assert armature["rig"].to_dict() == {"arms": {"left": 1.5}}
    assert properties.read(armature, '["rig"]["legs"]') is None


@pytest.mark.parametrize(
    "path", ["none", '["none"]', 'pose.bones["Root"].none', 'pose.bones["None"].location', 'location["x"]']
)
def test_a_property_that_is_not_there_has_no_value_and_takes_none(path: str) -> None:
    armature = wobble()
    assert properties.read(armature, path) is None
    for put in (
        lambda: properties.write(armature, path, 1.0),
        lambda: properties.animate(armature, path, 0, 1.0),
    ):
        with pytest.raises(LookupError):
            put()


@pytest.fixture
def choice() -> Iterator[list[tuple[str, str, str, int]]]:
    """The items of a property ``choice`` of objects; its owner may take some away."""
    items = [("A", "A", "", 0), ("B", "B", "", 1), ("C", "C", "", 2)]
    bpy.types.Object.choice = bpy.props.EnumProperty(items=lambda _self, _context: items)
    yield items
    del bpy.types.Object.choice


def test_choices_come_back(choice: list[Any]) -> None:
    armature = wobble()
    clip = clip_of(armature, "choice", builders.bone_path("Hand", "constraints[0].owner_space"))
    armature.choice = "C"
    bpy.context.view_layer.update()
    before = everything()
    play(armature, clip)
    assert armature.choice == "C"
    assert differences(before, everything()) == {}


@pytest.mark.parametrize("fail", [False, True])
def test_a_refused_property_is_named_and_the_others_come_back(choice: list[Any], *, fail: bool) -> None:
    armature = wobble()
    armature["after"], armature["Before"], armature.choice = 0.25, 0.5, "C"
    clip = clip_of(armature, "choice", '["after"]', '["Before"]')
    bpy.context.scene.frame_set(17)
    armature.pose.bones["Hand"].location = (3.0, 2.0, 1.0)
    del choice[2]  # what is chosen is no longer among the items
    bpy.context.view_layer.update()
    before = everything()
    with pytest.raises(InertiaError, match=r'^choice of "Rig" could not be restored'):
        (play_and_fail if fail else play)(armature, clip)
    assert {path.strip("]")[-6:] for path in differences(before, everything())} <= {"choice"}
    assert not playback.is_running()


def play_and_fail(armature: Any, clip: actions.Clip) -> None:
    scene, view_layer = bpy.context.scene, bpy.context.view_layer
    with playback.play_alone(armature, clip, scene, view_layer) as show:
        show(3.0)
        raise InertiaError("Another reason.")
