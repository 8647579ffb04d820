# SPDX-License-Identifier: GPL-3.0-or-later
"""The fields for actions: what is of this armature comes first, and whatever is chosen is the pointer's."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import compat
from inertia_addon.ui.transition import pickers
from tests.ui.recorder import context
from tests.ui.rigs import make_action, make_rig


@pytest.fixture
def library(rig: Any) -> Any:
    """The rig with a baked transition, a clip of one bone, and a camera's action that comes first by name."""
    bpy.ops.inertia.bake_transition()
    finger = make_action(rig, "A Finger", 0.2)
    curves = compat.curves(finger, compat.slots(finger)[0].identifier)
    for curve in [each for each in curves if "hand.L" not in each.data_path]:
        curves.remove(curve)
    camera = bpy.data.objects.new("Camera", None)
    bpy.context.scene.collection.objects.link(camera)
    camera.animation_data_create().action = bpy.data.actions.new("A Camera")
    camera.keyframe_insert("location", frame=1)
    compat.assign(rig, rig.inertia.source, compat.slots(rig.inertia.source)[0].identifier)
    return rig


def searched(armature: Any, text: str = "") -> list[str]:
    return [name for name, _ in pickers.search(armature.inertia, None, text)]


def test_the_armature_s_own_actions_come_first(library: Any) -> None:
    found = pickers.offered(library)
    assert found[:3] == [("Idle", ""), ("Run", ""), ("Walk", "")]
    assert found[3:5] == [("A Finger", "1 bone"), ("Walk to Run", "baked")]
    line, camera = found[5:]
    assert line == (pickers.LINE, "")
    assert camera == ("A Camera", "Camera" if compat.has_slots() else "not of this armature")
    library.inertia.source_name = pickers.LINE
    assert library.inertia.source is not None
    assert searched(library, "wAl") == ["Walk", "Walk to Run"]
    other = make_rig("Other", bones=("root", "tip", "end"))
    assert searched(other)[0] == "A Camera"  # nothing is of this one: all by name


def test_the_redo_panel_offers_those_of_the_active_armature(library: Any) -> None:
    """A last operation belongs to the window manager, where nothing is animated."""
    asked: Any = SimpleNamespace(id_data=bpy.context.window_manager)
    found = [name for name, _ in pickers.search_names(asked, context(), "w")]
    assert found == ["Walk", "Walk to Run"]
    camera = SimpleNamespace(object=bpy.data.objects["Camera"])
    assert pickers.search_names(asked, camera, "") == []


def test_a_choice_is_stored_as_the_pointer_and_undone_by_an_empty_text(library: Any) -> None:
    own = library.inertia
    own.source_name = "Idle"
    assert own.source == bpy.data.actions["Idle"]
    bpy.data.actions["Idle"].name = "Rest"
    assert own.source_name == "Rest"
    own.source_name = "No such action"
    assert own.source is None
    own.destination_name = ""
    assert own.destination is None
    item = library.inertia_hops.clips.add()
    item.action_name = "Rest"
    library.inertia_root.action_name = "Run"
    assert (item.action.name, library.inertia_root.action.name) == ("Rest", "Run")
