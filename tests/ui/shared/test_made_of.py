# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's properties are made of what records say of their settings, and hold the same values."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.errors import InertiaError
from inertia_addon.settings import fields
from inertia_addon.settings.fields import Range, setting
from inertia_addon.ui.shared import made_of


@dataclasses.dataclass(frozen=True)
class Made:
    """A record with a setting of each kind."""

    settle: float = setting(0.1, Range(0, 5, soft_most=2), name="Settle", tip="How long", step=7, precision=1)
    angle: float = setting(90.0, fields.ANGLE, name="Angle", tip="How far")
    count: int | None = setting(
        None, Range(1, 9, whole=True), name="Count", tip="How often", switch=("Set", "Say"), start=3
    )
    kind: str = setting("B", (("A", "Ah", "First", 5), ("B", "Be", "Second", 2)), name="Kind", tip="Which")
    loud: bool = setting(default=True, name="Cut", tip="Whether")
    bone: str = setting("", name="Bone", tip="Which")
    unseen: int = setting(1, Range(0, 2, whole=True))


@pytest.fixture
def group() -> Iterator[Any]:
    @made_of.properties(Made, {"bone": {"maxlen": 9}})
    class MadeProperties(bpy.types.PropertyGroup):
        pass

    bpy.utils.register_class(MadeProperties)
    bpy.types.Scene.made = bpy.props.PointerProperty(type=MadeProperties)
    yield bpy.context.scene.made
    del bpy.types.Scene.made
    bpy.utils.unregister_class(MadeProperties)


def test_properties_are_as_records_say(group: Any) -> None:
    rna = group.bl_rna.properties
    assert {*rna.keys()} - {"rna_type", "name"} == {*made_of.names(Made), "use_count"}
    settle, angle = rna["settle"], rna["angle"]
    assert (settle.name, settle.description, settle.step, settle.precision) == ("Settle", "How long", 7, 1)
    assert (settle.hard_min, settle.hard_max, settle.soft_max) == (0.0, 5.0, 2.0)
    assert (angle.subtype, angle.default) == ("ANGLE", pytest.approx(1.5707963))
    assert (rna["count"].type, rna["count"].default, rna["use_count"].name) == ("INT", 3, "Set")
    assert [(item.identifier, item.value) for item in rna["kind"].enum_items] == [("A", 5), ("B", 2)]
    assert rna["loud"].translation_context == "Inertia"
    assert rna["bone"].length_max == 9 + 1  # Blender counts the end of the text


def test_values_are_the_record_s(group: Any) -> None:
    names = made_of.names(Made)
    assert Made(**made_of.values_of(group, Made, names)) == Made()
    wanted = Made(settle=0.7, angle=33.3, count=5, kind="A", loud=False, bone="hips")
    for name in names:
        made_of.put(group, Made, name, getattr(wanted, name))
    assert Made(**made_of.values_of(group, Made, names)) == wanted
    made_of.put(group, Made, "count", None)
    assert made_of.values_of(group, Made, ["count"]) == {"count": None}


def test_a_value_that_a_setting_does_not_take_is_not_put(group: Any) -> None:
    with pytest.raises(InertiaError, match="The settle is 6; give a number from 0 to 5"):
        made_of.put(group, Made, "settle", 6.0)
