# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes in the panel: looked at, listed, gone to, finished, and made anew."""

from __future__ import annotations

import re
from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import compat
from tests.blender import builders, stepper
from tests.ui.recorder import drawn, panel_named
from tests.ui.rigs import keys_of

PANEL = panel_named("finish")


@pytest.fixture
def take(rig: Any) -> Any:
    """The rig with an action assigned in which a bone twice turns aside for a frame."""
    bone = rig.pose.bones[1]
    bone.rotation_mode = "XYZ"
    made = builders.action("Take", rig.name)
    path = builders.bone_path(bone.name, "rotation_euler")
    for i in range(3):
        turn = builders.wave(made, path, i, 0.3, phase=i, slot="OB" + rig.name)
        for at in (12, 30):
            turn.keyframe_points[at].co[1] += 0.7 * (i == 0)
        turn.update()
    compat.assign(rig, made, compat.slots(made)[0].identifier)
    return rig


def test_findings_are_listed_gone_to_and_mended(take: Any) -> None:
    own, made = take.inertia_finish, compat.assigned(take)[0]
    assert not bpy.ops.inertia.finish_take.poll()
    keys = keys_of(made)
    assert bpy.ops.inertia.find_faults() == {"FINISHED"}
    pops = [i for i, item in enumerate(own.found) if item.kind == "POP"]
    assert [(own.found[i].first, own.found[i].chosen) for i in pops] == [(13.0, True), (31.0, True)]
    # what jumps turns at once as well, and is listed as what it is
    assert "SEAM" not in [item.kind for item in own.found]
    own.active = pops[1]
    assert bpy.context.scene.frame_current == 31
    assert take.data.bones.active == take.pose.bones[1].bone
    told = drawn(PANEL, 2000)
    assert "for one frame" in told.text
    assert "inertia.finish_take" in " ".join(told.operators)
    own.found[pops[0]].chosen = False
    bpy.ops.ed.undo_push(message="before")
    assert bpy.ops.inertia.finish_take("EXEC_DEFAULT", True) == {"FINISHED"}
    result = compat.assigned(take)[0]
    assert (result.name, keys_of(made)) == ("Take finished", keys)
    shown = drawn(PANEL, 2000).text
    assert "31: mended, " in shown
    assert "13: left, " in shown
    assert "for one frame" in shown.partition("Before: Poor: ")[2]
    assert "After: " in shown
    assert bpy.ops.inertia.rebake() == {"FINISHED"}
    assert compat.assigned(take)[0].name == "Take finished"
    assert bpy.ops.inertia.find_faults() == {"FINISHED"}
    assert [item.first for item in own.found if item.kind == "POP"] == [13.0]


@pytest.mark.usefixtures("rig")
def test_skates_are_told_in_centimetres() -> None:
    walker = stepper.biped()
    compat.assign(walker, stepper.walk(walker, frames=97, skate=0.2), f"OB{walker.name}")
    assert bpy.ops.inertia.find_faults() == {"FINISHED"}
    assert bpy.ops.inertia.finish_take() == {"FINISHED"}
    told = re.findall(r"\d+: mended, ([\d.]+) cm", drawn(PANEL, 2000).text)
    assert len(told) > 1
    assert all(1.0 < float(before) < 30.0 for before in told)


def test_a_take_without_a_ticked_finding_is_not_finished(take: Any) -> None:
    assert bpy.ops.inertia.find_faults() == {"FINISHED"}
    for item in take.inertia_finish.found:
        item.chosen = False
    with pytest.raises(RuntimeError, match="No finding is chosen"):
        bpy.ops.inertia.finish_take()
    assert compat.assigned(take)[0].name == "Take"


def test_the_panel_says_whose_findings_are_listed(take: Any) -> None:
    bpy.ops.inertia.find_faults()
    other = builders.action("Another", take.name)
    builders.wave(
        other, builders.bone_path(take.pose.bones[1].name, "rotation_euler"), 0, 0.3, slot="OB" + take.name
    )
    compat.assign(take, other, compat.slots(other)[0].identifier)
    assert 'The findings of "Take" are listed' in drawn(PANEL, 2000).text


@pytest.mark.usefixtures("rig")
def test_the_assigned_take_is_put_into_another_action() -> None:
    walker = stepper.biped()
    stroll = stepper.walk(walker, "Stroll", frames=97)
    take = stepper.walk(walker, "Take", frames=73, late=0.3)
    compat.assign(walker, take, f"OB{walker.name}")
    own = walker.inertia_finish
    assert not bpy.ops.inertia.insert_take.poll()
    assert "Where it fits best" in drawn(panel_named("inserttake"), 2000).text
    own.into, own.use_at, own.at = stroll, True, 40
    assert own.into_name == "Stroll"
    keys = keys_of(stroll), keys_of(take)
    assert bpy.ops.inertia.insert_take() == {"FINISHED"}
    made = compat.assigned(walker)[0]
    assert (made.name, keys_of(stroll), keys_of(take)) == ("Stroll with Take", *keys)
    before = keys_of(made)
    assert bpy.ops.inertia.rebake() == {"FINISHED"}
    assert (compat.assigned(walker)[0].name, keys_of(made)) == ("Stroll with Take", before)
    own.at = 400
    compat.assign(walker, take, f"OB{walker.name}")
    with pytest.raises(RuntimeError, match='Frame 400 does not lie within "Stroll"'):
        bpy.ops.inertia.insert_take()
