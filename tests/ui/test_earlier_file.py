# SPDX-License-Identifier: GPL-3.0-or-later
"""A file that an earlier version has saved opens with all its settings, and its results are made anew."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import clip_store, compat, recipe
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.feet import bake as feet
from inertia_addon.blender.feet import contacts, legs
from inertia_addon.motion.steps import finish
from inertia_addon.ui.transition import results
from tests.blender.clips import all_curves
from tests.earlier import make_file

LEGS = ("hips", "thigh.", "shin.", "foot.")
"""What a bone's name begins with that is moved where feet are locked."""

FILES = sorted(Path(make_file.__file__).parent.glob("*.blend"))
SAID = {file.stem: json.loads(file.with_suffix(".json").read_text(encoding="utf-8")) for file in FILES}
"""What is in the file of each version."""


@pytest.fixture
def opened(registered: None, version: str) -> Iterator[Any]:
    file = Path(make_file.__file__).with_name(f"{version}.blend")
    bpy.ops.wm.open_mainfile(filepath=str(file), load_ui=False)
    yield bpy.data.objects["Mannequin"]
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)


def differences(before: Any, after: Any, place: str) -> Iterator[str]:
    """Where values are no longer what they were; what has come since may be anything."""
    if isinstance(before, dict):
        for name, value in before.items():
            yield from differences(value, after.get(name, "gone"), f"{place}.{name}")
    elif isinstance(before, list):
        assert len(before) == len(after), place
        for i, pair in enumerate(zip(before, after, strict=True)):
            yield from differences(*pair, f"{place}[{i}]")
    elif before != after:
        yield f"{place}: {before!r}, now {after!r}"


def keys_of(action: Any) -> dict[tuple[str, int], list[tuple[float, float]]]:
    """The frames and values of all keys, by the curve."""
    return {
        (c.data_path, c.array_index): [tuple(k.co) for k in c.keyframe_points] for c in all_curves(action)
    }


def skate(armature: Any, action: Any) -> float:
    """How far the feet of an action skate, metres."""
    known = finish(
        contacts.read_contacts_steps(
            read_character(armature), clip_store.read(armature, action), legs.required(armature)
        )
    )
    return sum(each.skate_m for each in contacts.figures_of(read_character(armature), known))


@pytest.mark.parametrize("version", SAID)
def test_every_property_has_the_value_that_was_saved(opened: Any, version: str) -> None:
    now = {place: make_file.stored(group) for place, group in make_file.groups()}
    assert not list(differences(SAID[version]["properties"], now, "file"))


@pytest.mark.variants(5)
@pytest.mark.parametrize(
    ("version", "name"), [(each, name) for each in SAID for name in SAID[each]["recipes"]]
)
def test_a_result_is_made_anew_as_it_was(opened: Any, version: str, name: str) -> None:
    # it was made before anything but its own settings was set
    for owner in (opened, opened.pose.bones[make_file.BONE]):
        for prop in [prop for prop in owner.bl_rna.properties.keys() if prop.startswith("inertia")]:
            owner.property_unset(prop)
    action = bpy.data.actions[name]
    said = {key: str(getattr(value, "name", value)) for key, value in SAID[version]["recipes"][name].items()}
    assert {key: str(getattr(action[key], "name", action[key])) for key in said} == said
    assert results.kind_of(action) is not None
    before = {
        (c.data_path, c.array_index): [tuple(k.co) for k in c.keyframe_points] for c in all_curves(action)
    }
    compat.assign(opened, action, *(slot.identifier for slot in compat.slots(action)[:1]))
    skated = skate(opened, action)
    assert bpy.ops.inertia.rebake(action=name) == {"FINISHED"}
    after = keys_of(bpy.data.actions[name])
    assert list(after) == list(before)
    if recipe.is_baked(bpy.data.actions[name], recipe.PATH):
        return  # it is searched anew, and the search may have come to know better
    now = bpy.data.actions[name]
    if recipe.kind(now) == feet.KIND:
        # its feet land and lift on their own by now, and so skate less
        assert skate(opened, now) <= skated * (1.0 + 1e-6)
        return
    # feet that are left to Inertia may be locked more gently by now, or at all
    is_led = any('"feet": "AUTO"' in str(value) for value in said.values())
    assert not is_led or skate(opened, now) <= skated * (1.0 + 1e-6)
    for curve, keys in after.items():
        if not (is_led and any(f'["{bone}' in curve[0] for bone in LEGS)):
            np.testing.assert_allclose(keys, before[curve], atol=2e-4)
