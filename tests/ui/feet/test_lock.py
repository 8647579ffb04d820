# SPDX-License-Identifier: GPL-3.0-or-later
"""The buttons that lock the feet of the assigned action, and make that anew."""

from __future__ import annotations

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import clip_store, compat
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.motion.feet.contacts import Span
from inertia_addon.motion.steps import finish
from inertia_addon.ui.feet import shown as feet
from inertia_addon.ui.shared import cache
from inertia_addon.ui.transition.rebaking import WorkingPanel
from tests.blender import builders, clips, stepper
from tests.ui.recorder import drawn


def test_feet_are_locked_and_locked_anew(fresh_file: None, monkeypatch: pytest.MonkeyPatch) -> None:
    # computed anew at once, however slow the machine is
    monkeypatch.setattr(cache, "CHEAP_SECONDS", 60.0)
    armature = stepper.biped()
    assert not bpy.ops.inertia.lock_feet.poll()
    skating = stepper.walk(armature, "Skating", frames=55, skate=0.2)
    clips.play(armature, skating)
    before = clips.contents(skating)
    assert bpy.ops.inertia.lock_feet() == {"FINISHED"}
    locked, _ = compat.assigned(armature)
    assert locked.name == "Skating locked"
    assert clips.contents(skating) == before
    first = clips.contents(locked)
    assert bpy.ops.inertia.rebake() == {"FINISHED"}
    again, _ = compat.assigned(armature)
    assert again.name == "Skating locked"
    assert clips.contents(again) == first
    assert [action.name for action in bpy.data.actions] == ["Skating", "Skating locked"]
    told = "Contacts were edited since"
    shown = drawn(WorkingPanel)
    assert told not in " ".join(shown.texts)
    assert "have changed" not in shown.text
    assert set(shown.texts) & {"Good", "Fair", "Poor"}
    found = feet.contacts_of(armature)
    assert (
        found.contacts.spans
        == finish(
            feet.contacts.read_contacts_steps(read_character(armature), clip_store.read(armature, skating))
        ).spans
    )
    assert not found.contacts.edited
    (first_span, second, third) = found.contacts.spans[0]
    feet.put(armature, "foot.L", second, Span(second.start, second.end + 2.0))
    assert told in " ".join(drawn(WorkingPanel).texts)
    assert bpy.ops.inertia.rebake() == {"FINISHED"}
    again, _ = compat.assigned(armature)
    held = feet.contacts.read_held(again)["foot.L"]
    assert held == (first_span, Span(second.start, second.end + 2.0), third)
    frames = np.arange(second.start, second.end + 3.0)
    toe = armature.pose.bones.find("toe.L")
    balls = builders.played(armature, again, frames)[:, toe, :3, 3]
    # in its last frame the leg hardly reaches
    np.testing.assert_allclose(balls, np.broadcast_to(balls[0], balls.shape), atol=2e-3)
    assert told not in " ".join(drawn(WorkingPanel).texts)
    # what was edited of it stays, and is forgotten when asked to
    assert bpy.ops.inertia.rebake() == {"FINISHED"}
    again, _ = compat.assigned(armature)
    assert feet.contacts.read_held(again)["foot.L"] == held
    assert bpy.ops.inertia.reset_contacts() == {"FINISHED"}
    assert bpy.ops.inertia.rebake() == {"FINISHED"}
    assert clips.contents(compat.assigned(armature)[0]) == first
    assert clips.contents(skating) == before
    with pytest.raises(RuntimeError, match='no mesh object "Gone"'):
        bpy.ops.inertia.lock_feet(ground="OBJECT", ground_object="Gone")
