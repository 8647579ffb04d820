# SPDX-License-Identifier: GPL-3.0-or-later
"""Contacts of a linked action, on a character that is a library override."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import compat
from inertia_addon.blender.feet import contacts
from inertia_addon.errors import InertiaError
from inertia_addon.motion.feet.contacts import Span
from inertia_addon.ui.feet import shown as feet
from inertia_addon.ui.shared import cache
from tests.blender import stepper

EDITED = {"foot.L": (Span(1.0, 9.0), Span(30.0, 37.0))}


@pytest.fixture
def walker(fresh_file: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """An override of a biped that plays a linked walk, contacts of which were edited in its own file."""
    monkeypatch.setattr(cache, "CHEAP_SECONDS", 60.0)
    made = stepper.biped()
    walk = stepper.walk(made, frames=55)
    compat.assign(made, walk, f"OB{made.name}")
    contacts.store(walk, EDITED)
    path = str(tmp_path / "library.blend")
    bpy.data.libraries.write(path, {made, walk})
    bpy.data.objects.remove(made)
    bpy.data.actions.remove(walk)
    with bpy.data.libraries.load(path, link=True) as (_, wanted):
        wanted.objects = ["Walker"]
    linked = wanted.objects[0]
    walker = linked.override_create(remap_local_usages=False)
    bpy.context.scene.collection.objects.link(walker)
    bpy.context.view_layer.objects.active = walker
    bpy.context.scene.frame_set(33)
    assert not compat.assigned(walker)[0].is_editable
    return walker


def test_contacts_of_a_linked_action_are_shown_and_can_not_be_edited(walker: Any) -> None:
    action = compat.assigned(walker)[0]
    text = action[contacts.STORED]
    assert feet.contacts_of(walker).contacts.spans[0] == EDITED["foot.L"]
    said = '"Walk" is linked from another file and its contacts can\'t be edited'
    for edit in ("remove_contact", "reset_contacts"):
        with pytest.raises(RuntimeError, match=said):
            getattr(bpy.ops.inertia, edit)()
    bpy.context.scene.frame_set(20)
    with pytest.raises(RuntimeError, match=said):
        bpy.ops.inertia.add_contact(foot="foot.L")
    # what dragging a bar does
    with pytest.raises(InertiaError, match=said):
        feet.put(walker, "foot.L", EDITED["foot.L"][0], Span(1.0, 12.0))
    assert action[contacts.STORED] == text
    assert contacts.HELD not in action


def test_locked_feet_of_a_linked_action_are_of_this_file_and_can_be_edited(walker: Any) -> None:
    own = walker.inertia_feet
    own.ground, own.ground_height = "PLANE", 0.1
    assert bpy.ops.inertia.lock_feet(ground=own.ground, ground_height=own.ground_height) == {"FINISHED"}
    made = compat.assigned(walker)[0]
    assert made.is_editable
    assert contacts.read_held(made)["foot.L"] == EDITED["foot.L"]
    assert contacts.STORED not in made
    assert bpy.ops.inertia.remove_contact(foot="foot.L") == {"FINISHED"}
    assert bpy.ops.inertia.rebake() == {"FINISHED"}
    assert contacts.read_held(compat.assigned(walker)[0])["foot.L"] == EDITED["foot.L"][:1]
