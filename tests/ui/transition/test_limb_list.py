# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of limbs is found, edited, undone, saved and overridden, and bakes follow it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon import registration
from inertia_addon.blender.data import limb_list as stored
from inertia_addon.blender.data.limb_list import SwitchedLimb
from inertia_addon.cli.program import main
from inertia_addon.ui.room import Room
from inertia_addon.ui.transition import character
from tests.blender import builders
from tests.blender.made_up_limbs import CUT, END, SEEN, SWING, SWITCH, clip, drive, made_up, matrices
from tests.ui.recorder import drawn_by

ops = bpy.ops.inertia
FOUND = SwitchedLimb(SWITCH, 0.0, 1.0, SWING, ("grab",), name="grab")

OPERATORS = [cls.bl_idname.partition(".")[2] for cls in Room(modules=(character,)).operators]


@pytest.fixture
def arm(fresh_file: None) -> Any:
    """A rig with an arm, and two clips of it that are chosen: by FK, and by IK with FK at rest."""
    rig = made_up()
    source = clip(rig, "Source", {1: 0}, at_rest={"grab": END})
    rig.inertia.source, rig.inertia.destination = (
        source,
        clip(rig, "Destination", {1: 1}, 2.0, {"swing": END}),
    )
    rig.inertia.cut = CUT
    # so that no entry is looked for
    rig.inertia.use_destination_frame, rig.inertia.destination_frame = True, 1.0
    bpy.context.view_layer.objects.active = rig
    return rig


def hide(rig: Any) -> None:
    """Let the switch drive another property, which drives the limb: nobody can see what it is for."""
    gear = rig.pose.bones["gear"]
    gear["grip"], gear["within"] = 0.0, 0.0
    rig.driver_remove(builders.bone_path("seen a", 'constraints["pull a"].influence'))
    for seen, target in zip(SEEN[1:], ("pull a", "pull b", "grab"), strict=True):
        constraint = rig.pose.bones[seen].constraints[target]
        constraint.driver_remove("influence")
        drive(constraint, "influence", rig, 'pose.bones["gear"]["within"]')
    driver = gear.driver_add('["within"]').driver
    driver.type = "SUM"
    variable = driver.variables.new()
    variable.targets[0].id, variable.targets[0].data_path = rig, SWITCH


def row(rig: Any) -> Any:
    return rig.inertia_limbs.items[rig.inertia_limbs.active_index]


def list_arm(rig: Any) -> None:
    """Fill a row by hand."""
    ops.add_limb()
    own = row(rig)
    own.bone, own.switch, own.fk_value, own.ik_value = "gear", "grip", 0.0, 1.0
    own.fk_upper, own.fk_lower, own.fk_end = SWING
    own.ik_end = "grab"


def jump(rig: Any, result: Any) -> float:
    """How far what is seen moves within a fiftieth of a frame before the cut."""
    before, at = matrices(rig, result, np.array([CUT - 0.02, CUT]))[..., :3, 3]
    return float(np.abs(at - before).max())


def test_limbs_are_found(arm: Any) -> None:
    bpy.context.view_layer.update()
    arm.pose.bones["swing a"].location.x = 0.7  # posed, and not keyed yet
    arm.pose.bones["gear"]["grip"] = 0.25
    assert ops.find_limbs() == {"FINISHED"}
    assert stored.listed(arm) == (FOUND,)
    assert (row(arm).name, row(arm).bone, row(arm).switch) == ("grab", "gear", "grip")
    assert arm.pose.bones["swing a"].location.x == pytest.approx(0.7)
    assert arm.pose.bones["gear"]["grip"] == 0.25
    row(arm).fk_upper = "body"
    assert ops.find_limbs() == {"FINISHED"}  # what is listed stays
    assert [item.fk_upper for item in arm.inertia_limbs.items] == ["body"]


def test_a_rig_without_limbs_says_so(rig: Any) -> None:
    with pytest.raises(RuntimeError, match="add a limb and choose its property"):
        ops.find_limbs()


def test_a_bake_is_the_same_with_what_is_found_listed(arm: Any) -> None:
    results = []
    for _ in range(2):
        ops.bake_transition()
        results.append(matrices(arm, arm.animation_data.action, np.arange(CUT - 1.0, CUT + 14.0)))
        ops.find_limbs()
    np.testing.assert_array_equal(*results)


def test_bakes_follow_the_list(arm: Any, tmp_path: Path) -> None:
    """In the interface, made anew, and without the extension from a shell."""
    frames = np.arange(CUT - 1.0, CUT + 14.0)
    ops.bake_transition()
    first = arm.animation_data.action
    wanted = matrices(arm, first, frames)
    hide(arm)
    ops.rebake()
    assert np.abs(matrices(arm, first, frames) - wanted).max() > 0.1
    with pytest.raises(RuntimeError, match="No property"):
        ops.find_limbs()
    list_arm(arm)
    assert stored.listed(arm) == (SwitchedLimb(SWITCH, 0.0, 1.0, SWING, ("grab",), name="Limb 1"),)
    arm.animation_data.action = first
    ops.rebake()
    np.testing.assert_allclose(matrices(arm, first, frames), wanted, atol=1e-5)
    bpy.data.actions.remove(first)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "arm.blend"))
    files = str(tmp_path / "arm.blend"), "-o", str(tmp_path / "out.blend")
    chosen = ["--source", "Source", "--destination", "Destination", "--cut", str(CUT), "--enter-at", "first"]
    registration.unregister()
    try:
        assert main(["bake", *files, *chosen, "--result", "Result"]) == 0
    finally:
        registration.register()
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "out.blend"))
    rig = bpy.data.objects["Rig"]
    np.testing.assert_allclose(matrices(rig, bpy.data.actions["Result"], frames), wanted, atol=1e-5)


def test_the_values_may_be_any(arm: Any) -> None:
    """A switch that counts up to ten."""
    gear = arm.pose.bones["gear"]
    gear.id_properties_ui("grip").update(max=10.0, soft_max=10.0)
    for seen, target in zip(SEEN[1:], ("pull a", "pull b", "grab"), strict=True):
        curve = arm.animation_data.drivers.find(
            builders.bone_path(seen, f'constraints["{target}"].influence')
        )
        curve.driver.type, curve.driver.expression = "SCRIPTED", "var / 10"
    for curve in builders.by_address(arm.inertia.destination).values():
        if curve.data_path == SWITCH:
            for point in curve.keyframe_points:
                point.co[1] = 10.0
    ops.find_limbs()
    assert (row(arm).fk_value, row(arm).ik_value) == (0.0, 10.0)
    ops.bake_transition()
    assert jump(arm, arm.animation_data.action) < 0.005


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("switch", "", "Choose the property"),
        ("switch", "gone", 'has no numeric property "pose.bones'),
        ("ik_end", "gone", 'has no bone "gone"'),
    ],
)
def test_a_row_with_a_fault_is_said_and_left_out(arm: Any, field: str, value: str, said: str) -> None:
    ops.find_limbs()
    setattr(row(arm), field, value)
    assert stored.listed(arm) == ()
    recorder = drawn_by(character.draw_limbs)
    assert said in recorder.text
    row(arm).use = False
    recorder = drawn_by(character.draw_limbs)
    assert said not in recorder.text


def test_a_value_that_can_not_be_is_said(arm: Any) -> None:
    ops.find_limbs()
    system = getattr(arm, "bl_system_properties_get", None)
    (arm if system is None else system())["inertia_limbs"]["items"][0]["fk_value"] = 1e30
    assert stored.listed(arm) == ()
    recorder = drawn_by(character.draw_limbs)
    assert "The FK value of this limb is 1e+30; give a number from -10000 to 10000." in recorder.text
    ops.bake_transition()  # as it is found
    assert jump(arm, arm.animation_data.action) < 0.005


def test_properties_are_searched(arm: Any) -> None:
    list_arm(arm)
    assert character.search_switch(row(arm), None, "GR") == ["grip"]
    row(arm).bone = ""
    arm["whole"] = 1
    assert character.search_switch(row(arm), None, "") == ["whole"]
    row(arm).switch = "whole"
    assert [limb.switch for limb in stored.listed(arm)] == ['["whole"]']
    row(arm).switch = SWITCH
    assert [limb.switch for limb in stored.listed(arm)] == [SWITCH]


@pytest.mark.parametrize("name", OPERATORS)
def test_limb_operators_are_undone(arm: Any, name: str) -> None:
    list_arm(arm)
    row(arm).switch = "other"
    bpy.ops.ed.undo_push(message="before")
    getattr(ops, name)("EXEC_DEFAULT", True)
    now = [item.switch for item in bpy.data.objects["Rig"].inertia_limbs.items]
    assert now != ["other"]
    bpy.ops.ed.undo()
    assert [item.switch for item in bpy.data.objects["Rig"].inertia_limbs.items] == ["other"]


@pytest.mark.parametrize("name", ["remove_limb", "clear_limbs"])
def test_an_empty_list_has_nothing_to_edit(arm: Any, name: str) -> None:
    with pytest.raises(RuntimeError, match="list of limbs is empty"):
        getattr(ops, name)()


def link_and_override(folder: Path) -> Any:
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "library.blend"))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(str(folder / "library.blend"), link=True) as (_, wanted):
        wanted.objects = ["Rig"]
    bpy.context.scene.collection.objects.link(wanted.objects[0])
    override = wanted.objects[0].override_create(remap_local_usages=True)
    bpy.context.view_layer.objects.active = override
    return override


def saved(folder: Path) -> Any:
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "shot.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(folder / "shot.blend"))
    return bpy.data.objects["Rig", None]


def test_an_override_has_a_list_of_its_own(arm: Any, tmp_path: Path) -> None:
    link_and_override(tmp_path)
    ops.add_limb()
    override = bpy.context.object
    list_arm(override)
    ops.add_limb()
    override = saved(tmp_path)
    assert [item.name for item in override.inertia_limbs.items] == ["Limb 1", "Limb 2", "Limb 3"]
    assert [limb.fk for limb in stored.listed(override)] == [SWING]


def test_a_limb_that_an_override_removes_is_no_longer_used(arm: Any, tmp_path: Path) -> None:
    ops.find_limbs()
    override = link_and_override(tmp_path)
    assert stored.listed(override) == (FOUND,)
    ops.remove_limb()
    assert stored.listed(saved(tmp_path)) == ()
