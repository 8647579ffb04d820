# SPDX-License-Identifier: GPL-3.0-or-later
"""What an animator finds by looking: menus, the search, tooltips, and why a button is grey."""

from __future__ import annotations

import re
import types
from collections.abc import Callable
from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.ui import rooms
from tests.ui.recorder import Recorder, context
from tests.ui.rigs import make_rig
from tools.registered_rna import operator_rna, properties

MENUS = {menu.__name__: menu for menu in rooms.MENUS}
BY_MOUSE = {
    *(
        "inertia.choose_hop",
        "inertia.explain_figure",
        "inertia.choose_join",
        "inertia.take_as_cycle",
        "inertia.go_to_fault",
        "inertia.use_remedy",
        "inertia.use_fill_time",
        "inertia.choose_fill",
        "inertia.select_bone",
        "inertia.pick_meeting",
        "inertia.drag_ramp",
        "inertia.drag_wish",
        "inertia.use_nearest_touch",
        "inertia.drag_contact",
    ),
    "inertia.move_plot",
}
"""Operators that are about what is under the mouse, and so in no menu."""


def draw(menu: Any) -> Recorder:
    recorder = Recorder()
    menu.draw(types.SimpleNamespace(layout=recorder), context())
    return recorder


def test_inertia_is_in_the_menus_of_every_editor_of_animation() -> None:
    extended = {menu.__name__ for menu in rooms.menus_with_entries()}
    assert {
        "VIEW3D_MT_pose",
        "VIEW3D_MT_pose_context_menu",
        "VIEW3D_MT_object_animation",
        "DOPESHEET_MT_key",
        "GRAPH_MT_key",
        "NLA_MT_strips",
    } <= extended
    assert ("DOPESHEET_MT_action" in extended) == hasattr(bpy.types, "DOPESHEET_MT_action")
    for menu in rooms.menus_with_entries():
        recorder = Recorder()
        for function in menu._dyn_ui_initialize():
            if function is rooms.draw_entry:
                function(types.SimpleNamespace(layout=recorder), context())
        assert recorder.menus == ["INERTIA_MT_transition"]


def test_every_operator_is_found_by_the_search(rig: Any) -> None:
    """Blender's search walks the menus, from those of the editors on."""
    rig.data.bones.active = rig.data.bones["spine"]
    seen, waiting, found = set(), ["INERTIA_MT_transition"], set()
    while waiting:
        name = waiting.pop()
        seen.add(name)
        recorder = draw(MENUS[name])
        found |= recorder.operators
        waiting += [menu for menu in recorder.menus if menu not in seen]
    # those of buttons lead to operators that other menus have, too
    assert set(MENUS) - seen == {"INERTIA_MT_source", "INERTIA_MT_destination", "INERTIA_MT_best"}
    assert found == {cls.bl_idname for cls in rooms.OPERATORS} - BY_MOUSE
    internal = {cls.bl_idname for cls in rooms.OPERATORS if "INTERNAL" in cls.bl_options}
    assert internal == BY_MOUSE


@pytest.mark.parametrize("name", MENUS)
def test_menus_draw_whatever_is_active(fresh_file: None, name: str) -> None:
    for situation in (nothing, a_lamp, lambda _rig: make_rig()):
        situation(None)
        recorder = draw(MENUS[name])
        assert recorder.operators or recorder.texts


RAW = re.compile(r"[a-z]+_[a-z_]+|\b[A-Z]+_[A-Z_]+\b|\b[a-z]+[A-Z]\w*|`")
"""A name from the sources."""
UNITS = re.compile(
    r"\b(frames?|seconds?|minutes?|(?:centi|milli)?metres?|angle|[Mm]ultipli\w+|[Hh]ow many|clips|pairs?"
    r"|hops?|joints?|[Cc]ost|fills|property's|pixels|leg lengths|times as|part of)\b"
)
"""What a number is of."""


def complaints(label: str, text: str) -> list[str]:
    """What is wrong with a tooltip."""
    return [
        complaint
        for complaint, wrong in (
            ("is missing", len(text) < 10),
            ("ends with a full stop, which Blender adds", text.endswith(".")),
            ("repeats the label", text.strip().lower() == label.strip().lower()),
            ("begins with a small letter", text[:1].islower()),
            ("has a name from the sources", RAW.search(text) is not None),
        )
        if wrong
    ]


def test_every_property_has_a_tooltip() -> None:
    found = {}
    for name, prop in properties():
        found[name] = complaints(prop.name, prop.description)
        for item in getattr(prop, "enum_items", ()):
            found[f"{name} {item.identifier}"] = complaints(item.name, item.description)
    assert {name: wrong for name, wrong in found.items() if wrong} == {}


def test_every_number_says_of_what() -> None:
    numbers = [(name, prop) for name, prop in properties() if prop.type in ("FLOAT", "INT")]
    numbers = [(name, prop) for name, prop in numbers if not prop.identifier.startswith("active_")]
    assert len(numbers) > 20
    assert {
        name: prop.description
        for name, prop in numbers
        if prop.unit == "NONE" and not UNITS.search(prop.description)
    } == {}


@pytest.mark.parametrize("cls", rooms.OPERATORS)
def test_every_operator_has_a_tooltip(cls: Any) -> None:
    assert complaints(cls.bl_label, operator_rna(cls).description or described(cls)) == []


def described(cls: Any) -> str:
    """What an operator that makes up its tooltip says."""
    return str(cls.description(context(), types.SimpleNamespace()))


@pytest.mark.parametrize("cls", [cls for cls in rooms.OPERATORS if getattr(cls, "told_by", "")])
def test_a_choice_among_buttons_is_what_each_tells(cls: Any) -> None:
    properties = bpy.context.window_manager.operator_properties_last(cls.bl_idname)
    for item in operator_rna(cls).properties[cls.told_by].enum_items:
        setattr(properties, cls.told_by, item.identifier)
        assert cls.description(context(), properties) == item.description


@pytest.mark.parametrize("menu", MENUS.values())
def test_every_menu_has_a_tooltip(menu: Any) -> None:
    assert complaints(menu.bl_label, menu.bl_description) == []


def nothing(_rig: Any) -> None:
    bpy.context.view_layer.objects.active = None


def a_lamp(_rig: Any) -> None:
    lamp = bpy.data.objects.new("Lamp", bpy.data.lights.new("Lamp", "POINT"))
    bpy.context.scene.collection.objects.link(lamp)
    bpy.context.view_layer.objects.active = lamp


def no_actions(rig: Any) -> None:
    rig.inertia.source = rig.inertia.destination = None
    rig.animation_data.action = None


def as_it_is(_rig: Any) -> None:
    pass


@pytest.mark.parametrize("situation", [nothing, a_lamp, no_actions, as_it_is])
def test_grey_buttons_say_why(rig: Any, situation: Callable[[Any], None]) -> None:
    situation(rig)
    for cls in rooms.OPERATORS:
        said: list[str] = []
        asked = type(cls.__name__, (cls,), {"poll_message_set": said.append})
        if asked.poll(context()):
            assert said == [], cls.bl_idname
            # what makes an armature needs none
            assert situation not in (nothing, a_lamp) or not cls.needs, "there is nothing to do"
        else:
            assert [len(why) > 10 for why in said] == [True], cls.bl_idname
            assert not said[0].endswith("."), "Blender adds the full stop"
