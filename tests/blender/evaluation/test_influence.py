# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bones have a say in where others are, and that only their curves have to be played for these."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy
import numpy as np
import pytest

from inertia_addon.blender.data import clip_store, compat, rigs, roots
from inertia_addon.blender.evaluation import influence, joint_motion, playback
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.motion.steps import finish
from tests.blender import builders, file_state
from tests.blender.made_up_limbs import PULL, SEEN, SWING, clip, made_up

pytestmark = pytest.mark.usefixtures("fresh_file")

ARM = {*SEEN, *SWING, *PULL, "grab", "gear"}


def followers() -> Any:
    """Bones that read "far", each in a way of its own, and "alone", which none reads."""
    rig = builders.rig(dict.fromkeys(("far", "alone", "held", "bent", "tip", "space", "data"), None))
    bones = rig.pose.bones
    held = bones["held"].constraints.new("ARMATURE").targets.new()
    held.target, held.subtarget, held.weight = rig, "far", 0.0
    rig.data.bones["bent"].bbone_segments = 2
    rig.data.bones["bent"].bbone_custom_handle_start = rig.data.bones["far"]
    reach = bones["tip"].constraints.new("IK")
    reach.target, reach.subtarget, reach.pole_target, reach.pole_subtarget = rig, "held", rig, "far"
    within = bones["space"].constraints.new("LIMIT_LOCATION")
    within.owner_space, within.space_object, within.space_subtarget = "CUSTOM", rig, "far"
    driver = rig.data.bones["data"].driver_add("bbone_rollin").driver
    target = driver.variables.new().targets[0]
    driver.variables[0].type = "TRANSFORMS"
    target.id, target.bone_target = rig, "far"
    return rig


@pytest.mark.parametrize("name", ["held", "bent", "tip", "space", "data"])
def test_a_bone_is_moved_by_whatever_it_reads(name: str) -> None:
    more = {"held"} if name == "tip" else set()
    assert influence.movers(followers(), [name]) == {"far", name} | more


def test_a_limb_is_moved_by_all_of_it_and_by_what_switches_it() -> None:
    rig = made_up()
    assert influence.movers(rig, ["body"]) == {"body"}
    assert influence.movers(rig, ["seen c"]) == ARM
    # what an IK constraint turns reads what has it, which hangs from that
    assert influence.movers(rig, ["pull a"]) == {"body", *PULL, "grab"}


def another() -> Any:
    bpy.context.scene.collection.objects.link(made := bpy.data.objects.new("Other", None))
    return made


def _follow_another(rig: Any) -> None:
    rig.pose.bones["far"].constraints.new("CHILD_OF").target = another()


def _follow_a_path(rig: Any) -> None:
    rig.pose.bones["far"].constraints.new("SPLINE_IK")


def _hold(rig: Any) -> None:
    rig.constraints.new("COPY_LOCATION")


def _read_another(rig: Any) -> None:
    driver = rig.pose.bones["far"].driver_add("location", 0).driver
    driver.variables.new().targets[0].id = another()


def _script(rig: Any) -> None:
    driver = rig.pose.bones["far"].driver_add("location", 0).driver
    driver.expression = "bpy.data.objects[0].pose.bones['alone'].location.x"


def _remember(rig: Any) -> None:
    rig.pose.ik_solver = "ITASC"


@pytest.mark.parametrize(
    "change",
    [_follow_another, _follow_a_path, _hold, _read_another, _script, _remember],
    ids=lambda c: c.__name__,
)
def test_a_rig_that_reads_more_than_bones_may_be_moved_by_any(change: Callable[[Any], None]) -> None:
    rig = followers()
    assert influence.movers(rig, ["alone"]) == {"alone"}
    change(rig)
    assert influence.movers(rig, ["alone"]) is None


def test_joints_that_are_asked_for_are_where_they_are_among_all() -> None:
    rig = made_up()
    action = clip(rig, "Clip", {1: 0, 9: 1})
    builders.curves(action, builders.bone_path("swing c", "scale"), [(1, (1, 1, 1)), (9, (2, 2, 2))])
    read = clip_store.read(rig, action)
    root, frames = roots.find_root(rigs.read(rig), [read]), np.arange(1.0, 12.0)
    bpy.context.scene.frame_set(5)
    before = file_state.everything()
    whole = finish(joint_motion.steps(read_character(rig), read, frames, root))
    for some in (("pull b", "grab"), ("seen c", "body")):
        found = finish(joint_motion.steps(read_character(rig), read, frames, root, some))
        assert found.names == tuple(name for name in whole.names if name in some)
        columns = [whole.names.index(name) for name in found.names]
        for field in ("positions", "velocities"):
            assert np.array_equal(getattr(found, field), getattr(whole, field)[:, columns])
        assert np.array_equal(found.root_position, whole.root_position)
        assert np.array_equal(found.root_rotation, whole.root_rotation)
    assert file_state.everything() == before


def test_the_curves_of_others_are_not_played() -> None:
    rig = made_up()
    read = clip_store.read(rig, clip(rig, "Clip", {1: 0}))
    context = bpy.context
    with playback.play_alone(rig, read, context.scene, context.view_layer, movers={"body"}) as show:
        bones = show(9.0).pose.bones
        turned = {name: not np.allclose(bones[name].matrix_basis, np.eye(4)) for name in ("body", *SWING)}
    assert turned == {"body": True, **dict.fromkeys(SWING, False)}
    assert rig.animation_data.action == bpy.data.actions["Clip"]
    assert len(bpy.data.actions) == 1


def test_clips_go_through_one_action_and_are_as_each_alone() -> None:
    rig = made_up()
    several = [clip(rig, "One", {1: 0, 9: 1}), clip(rig, "Two", {1: 1}), clip(rig, "Noisy", {1: 0})]
    builders.curves(several[1], "location", [(1, (0, 0, 0)), (9, (3, 2, 1))])
    for action in several[1:]:
        builders.curves(action, builders.bone_path("grab", "scale"), [(1, (1, 1, 1)), (9, (2, 2, 2))])
    for curve in compat.curves(several[2], compat.slots(several[2])[0].identifier):
        if curve.data_path == builders.bone_path("grab", "scale"):
            curve.modifiers.new("NOISE")
    read = [clip_store.read(rig, action) for action in (*several, several[0])]
    root, frames, some = roots.find_root(rigs.read(rig), read), np.arange(1.0, 12.0), ("pull b", "grab")
    bpy.context.scene.frame_set(5)
    alone = [finish(joint_motion.steps(read_character(rig), one, frames, root, some)) for one in read]
    before = file_state.everything()
    played: list[list[str]] = []

    def note(*_: Any) -> None:
        played[-1].append(compat.assigned(rig)[0].name)

    bpy.app.handlers.frame_change_post.append(note)
    try:
        with playback.together(by_one=True):
            for one, expected in zip(read, alone, strict=True):
                played.append([])
                found = finish(joint_motion.steps(read_character(rig), one, frames, root, some))
                assert np.array_equal(found.positions, expected.positions)
                assert len(set(played[-1])) == 1
    finally:
        bpy.app.handlers.frame_change_post.remove(note)
    assert file_state.everything() == before
    one, two, with_noise, again = (names[0] for names in played)
    assert one == two == again == rig.name
    # what a modifier adds keys don't say
    assert with_noise.startswith("Noisy")
