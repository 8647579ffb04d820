# SPDX-License-Identifier: GPL-3.0-or-later
"""The joints that are found on the rigs that Rigify generates, and the controls that move them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.evaluation import controlling, joints
from tests.blender import parameters
from tests.skeletons.right import RIGIFY as JOINTS

CONTROLS = {
    "human": ("torso", "head", "hand_ik.L", "foot_ik.L", "hand_fk.L", "foot_fk.L"),
    "cat": ("torso", "head", "tail.004", "hand_ik.L", "foot_ik.L", "f_toe.L", "r_toe.L"),
    "bird": ("torso", "head", "spine", "Wing.002.L", "foot_ik.L", "foot_fk.L"),
    "horse": ("torso", "head", "tail.004", "forefoot_ik.L", "hind_foot_ik.L", "f_hoof.L", "r_hoof.L"),
    "wolf": ("torso", "head", "spine", "front_foot_ik.L", "foot_ik.L", "front_toe.L", "toe.L"),
    "shark": ("torso", "head", "spine", "back_fin.T.002.Bk", "side_fin.L.001"),
    "basic_quadruped": ("torso", "head", "spine", "front_foot_ik.L", "foot_ik.L", "front_toe.L", "toe.L"),
}
"""What is taken for a kind's joints in the middle and on the left, by IK, and then what else by FK."""
CHAINS = [
    ("DEF-shin.L", "foot_ik.L", "shin_fk.L"),
    ("DEF-thigh.L", "thigh_ik.L", "thigh_fk.L"),
    ("DEF-forearm.L", "hand_ik.L", "forearm_fk.L"),
    ("DEF-f_index.02.L", "f_index.02.L", "f_index.02.L"),
    ("DEF-shoulder.L", "shoulder.L", "shoulder.L"),
    ("MCH-foot_tweak.L", "foot_ik.L", "foot_fk.L"),
    ("ORG-spine.006", "head", "head"),
    ("foot_tweak.L", "foot_tweak.L", "foot_tweak.L"),
    ("root", "root", "root"),
]
"""Bones of the human, with what moves them by IK and by FK."""


# in brief those that other tests have generated already
pytestmark = pytest.mark.brief(character=("human", "bird"))


@pytest.fixture(scope="module")
def character(request: pytest.FixtureRequest, rigify: Callable[..., Path]) -> tuple[Any, str]:
    """A generated rig; put back as it was by each test that changes it."""
    # the basic one is what tests of other files take, and to start a process takes longer than to make it
    along = [*parameters.that_run(request, "character"), "basic_human"]
    bpy.ops.wm.open_mainfile(filepath=str(rigify(request.param, "bare", along=along)))
    return bpy.data.objects["rig"], request.param


@pytest.mark.parametrize("character", ["human"], indirect=True)
def test_joints_and_their_controls_are_those_that_a_person_would_choose(character: tuple[Any, str]) -> None:
    assert_as_a_person_would_choose(*character)


@pytest.mark.variant_of(
    "tests/blender/evaluation/test_rigify_joints.py::"
    "test_joints_and_their_controls_are_those_that_a_person_would_choose"
)
@pytest.mark.parametrize("character", [kind for kind in JOINTS if kind != "human"], indirect=True)
def test_default_joints_of_animals_are_what_a_person_would_choose(character: tuple[Any, str]) -> None:
    """And whatever all bones are called besides, which takes long to change here: see test_joints.py."""
    assert_as_a_person_would_choose(*character)
    assert_name_of_all_changes_nothing(*character)


def assert_as_a_person_would_choose(armature: Any, kind: str) -> None:
    """The joints, and of these and any other bone the controls."""
    assert by_role(armature) == JOINTS[kind]
    assert_any_bone_has_a_control(armature)
    assert_controls_are_what_an_animator_takes(armature, kind)


def by_role(armature: Any) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for joint in joints.default_joints(armature):
        found.setdefault(joint.role, set()).add(joint.bone)
    return found


def assert_name_of_all_changes_nothing(armature: Any, kind: str) -> None:
    bones = list(armature.data.bones)
    try:
        for bone in bones:
            bone.name = f"Foot Wing:{bone.name}"
        assert by_role(armature) == {
            role: {f"Foot Wing:{bone}" for bone in found} for role, found in JOINTS[kind].items()
        }
    finally:
        for bone in bones:
            bone.name = bone.name.removeprefix("Foot Wing:")


def switch(armature: Any, to_fk: float) -> None:
    """All its limbs."""
    for bone in armature.pose.bones:
        if "IK_FK" in bone:
            bone["IK_FK"] = to_fk
    armature.update_tag()
    bpy.context.view_layer.update()


def taken(armature: Any, bones: Iterable[str]) -> list[str]:
    """The controls of bones, each once."""
    found = controlling.controls_of(armature, bones, joints.default_joints(armature))
    return list(dict.fromkeys(found.values()))


def assert_controls_are_what_an_animator_takes(armature: Any, kind: str) -> None:
    bones = [joint.bone for joint in joints.default_joints(armature) if ".R" not in joint.bone]
    try:
        found = taken(armature, bones)
        switch(armature, to_fk=1.0)
        found += taken(armature, bones)
    finally:
        switch(armature, to_fk=0.0)
    assert sorted(set(found)) == sorted(CONTROLS[kind])


def assert_any_bone_has_a_control(armature: Any) -> None:
    found = controlling.controls_of(armature, armature.pose.bones.keys(), joints.default_joints(armature))
    assert set(found) == set(armature.pose.bones.keys())
    assert not {control for control in found.values() if control[:3] in ("DEF", "ORG", "MCH", "VIS")}
    # and only controls are offered for a root
    offered = set(controlling.offered(armature))
    assert {"root", "torso"} <= offered
    assert not {name for name in offered if name[:3] in ("DEF", "ORG", "MCH", "VIS")}


@pytest.mark.parametrize("character", ["human"], indirect=True)
def test_a_bone_of_a_human_has_the_control_that_moves_it_by_ik_or_by_fk(character: tuple[Any, str]) -> None:
    armature, _ = character
    bones, by_ik, by_fk = map(list, zip(*CHAINS, strict=True))
    try:
        for to_fk, wanted in ((0.0, by_ik), (1.0, by_fk)):
            switch(armature, to_fk)
            found = controlling.controls_of(
                armature, armature.pose.bones.keys(), joints.default_joints(armature)
            )
            assert [found[bone] for bone in bones] == wanted
    finally:
        switch(armature, to_fk=0.0)
