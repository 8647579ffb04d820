# SPDX-License-Identifier: GPL-3.0-or-later
"""The joints that are found on real rigs are those that a person would choose."""

from __future__ import annotations

import importlib
import itertools
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bpy
import builders
import clips
import pytest
from mathutils import Matrix

from inertia_addon.blender import joints
from inertia_addon.motion.errors import InertiaError

EXAMPLE = Path(__file__).parents[2] / "examples" / "humanoid"

CHOSEN = {
    "Fox": {
        "HIPS": {"b_Hip_01"},
        "HEAD": {"b_Head_05"},
        "FOOT": {"b_RightHand_08", "b_LeftHand_011", "b_LeftFoot02_018", "b_RightFoot02_022"},
        "OTHER": {"b_Tail03_014"},
    },
    # the legs leave from Body; the feet hang from the root, and the hands are four palms each
    "RobotExpressive": {
        "HIPS": {"Body"},
        "HEAD": {"Head"},
        "HAND": {"Palm2.L", "Palm2.R"},
        "FOOT": {"Foot.L", "Foot.R"},
    },
    # with slots for props below the hands, and control bones that a glTF file does not tell from others
    "Knight": {
        "HIPS": {"hips"},
        "HEAD": {"head"},
        "HAND": {"wrist.l", "wrist.r"},
        "FOOT": {"foot.l", "foot.r"},
    },
    # the rest pose is a stride
    "pab": {
        "HIPS": {"Pelvis"},
        "HEAD": {"Head"},
        "HAND": {"Lefthand", "RightHand"},
        "FOOT": {"LeftFoot", "RightFoot"},
    },
    "cmu127": {
        "HIPS": {"root"},
        "HEAD": {"head"},
        "HAND": {"lwrist", "rwrist"},
        "FOOT": {"lfoot", "rfoot"},
    },
    "Mannequin": {
        "HIPS": {"hips"},
        "HEAD": {"head"},
        "HAND": {"hand.L", "hand.R"},
        "FOOT": {"foot.L", "foot.R"},
    },
}


@pytest.fixture(scope="module", autouse=True)
def example_importable() -> Iterator[None]:
    sys.path.insert(0, str(EXAMPLE))
    yield
    sys.path.remove(str(EXAMPLE))


@pytest.fixture(scope="module", params=CHOSEN)
def rig(request: pytest.FixtureRequest) -> tuple[Any, str]:
    """A real rig; put back as it was by each test that changes it."""
    if request.param == "Mannequin":
        bpy.ops.wm.read_factory_settings(use_empty=True)
        return importlib.import_module("mannequin.rig").build_armature(bpy.context.scene), request.param
    armature, _ = clips.load(request.param, request.getfixturevalue("data_dir"))
    return armature, request.param


def by_role(armature: Any) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for joint in joints.default_joints(armature):
        found.setdefault(joint.role, set()).add(joint.bone)
    return found


def test_what_a_person_would_choose(rig: tuple[Any, str]) -> None:
    armature, name = rig
    assert by_role(armature) == CHOSEN[name]
    weights = {joint.role: joint.weight for joint in joints.default_joints(armature)}
    assert weights == {role: 0.5 if role == "OTHER" else 1.0 for role in CHOSEN[name]}


def test_feet_hands_and_hips_are_shown(rig: tuple[Any, str]) -> None:
    armature, name = rig
    expected = set().union(*(CHOSEN[name].get(role, set()) for role in ("FOOT", "HAND", "HIPS")))
    assert set(joints.shown(armature)) == expected


@pytest.mark.parametrize("naming", ["Bone.{:03}", "骨{}", "{}.R"])
def test_other_names_change_nothing(rig: tuple[Any, str], naming: str) -> None:
    armature, name = rig
    expected = CHOSEN[name]
    if name == "pab":
        # that its last bones mark an end only their names tell: the top of the skull stands for the head
        expected = {**expected, "HEAD": {"Bip01HeadNub"}, "FOOT": {"LeftFootThumb1", "RightFootThumb1"}}
    old = list(armature.data.bones.keys())
    new = {bone: naming.format(i) for i, bone in enumerate(reversed(old))}
    bones = list(armature.data.bones)
    try:
        for bone in bones:
            bone.name = "x " + bone.name
        for bone in bones:
            bone.name = new[bone.name[2:]]
        assert by_role(armature) == {role: {new[b] for b in found} for role, found in expected.items()}
    finally:
        for bone, before in zip(bones, old, strict=True):
            bone.name = "x " + before
        for bone in bones:
            bone.name = bone.name[2:]


PLACED = {
    "large, mirrored and turned about": Matrix.Diagonal((-40.0, 40.0, 40.0, 1.0))
    @ Matrix.Rotation(2.0, 4, "Z"),
    "far away": Matrix.Translation((100.0, -50.0, 700.0)),
    "flattened": Matrix.Diagonal((1.0, 1.0, 0.05, 1.0)),
    "tilted by an animator": Matrix.Rotation(math.radians(35.0), 4, "X"),
}


@pytest.mark.parametrize("where", PLACED)
def test_where_the_object_is_changes_nothing(rig: tuple[Any, str], where: str) -> None:
    armature, name = rig
    before = armature.matrix_basis.copy()
    try:
        armature.matrix_basis = PLACED[where] @ before
        assert by_role(armature) == CHOSEN[name]
    finally:
        armature.matrix_basis = before


UPS = list(itertools.product("XYZ", (90.0, -90.0, 180.0)))


@pytest.mark.parametrize(("axis", "degrees"), UPS)
def test_any_axis_may_point_up_at_rest(rig: tuple[Any, str], axis: str, degrees: float) -> None:
    armature, name = rig
    before, turn = armature.matrix_basis.copy(), Matrix.Rotation(math.radians(degrees), 4, axis)
    try:
        armature.data.transform(turn)
        armature.matrix_basis = before @ turn.inverted()
        assert by_role(armature) == CHOSEN[name]
    finally:
        armature.data.transform(turn.inverted())
        armature.matrix_basis = before


def test_a_parent_may_turn_it_up(rig: tuple[Any, str]) -> None:
    armature, name = rig
    before = armature.matrix_basis.copy()
    empty = bpy.data.objects.new("Up", None)
    bpy.context.scene.collection.objects.link(empty)
    try:
        empty.matrix_basis = Matrix.Rotation(math.radians(90.0), 4, "X")
        armature.parent = empty
        armature.matrix_basis = empty.matrix_basis.inverted() @ before
        bpy.context.view_layer.update()
        assert by_role(armature) == CHOSEN[name]
    finally:
        armature.parent, armature.matrix_basis = None, before
        bpy.data.objects.remove(empty)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_few_bones_count_as_a_whole(fresh_file: None, count: int) -> None:
    names = [f"b{i}" for i in range(count)]
    armature = builders.rig(dict(zip(names, [None, *names], strict=False)))
    assert [(j.bone, j.weight, j.role) for j in joints.default_joints(armature)] == [
        (name, 1.0, "OTHER") for name in names
    ]
    assert joints.shown(armature) == tuple(names)


def test_of_a_rope_a_few_joints_are_shown(fresh_file: None) -> None:
    names = [f"b{i}" for i in range(30)]
    armature = builders.rig(dict(zip(names, [None, *names], strict=False)))
    assert len(joints.default_joints(armature)) == 30
    assert 4 <= len(joints.shown(armature)) <= 8


def test_an_armature_without_bones_has_no_joints(fresh_file: None) -> None:
    armature = bpy.data.objects.new("Rig", bpy.data.armatures.new("Rig"))
    assert joints.default_joints(armature) == ()
    assert joints.shown(armature) == ()


@pytest.fixture
def chain(fresh_file: None) -> Any:
    return builders.rig({"hips": None, "spine": "hips", "head": "spine"})


def test_a_list_has_its_own_weights(chain: Any) -> None:
    listed = [("head", 0.5), ("hips", 2.0), ("head", 0.75), ("spine", 0.0)]
    assert joints.weights(chain, "LISTED", listed) == {"head": 0.75, "hips": 2.0}
    assert joints.weights(chain, "ALL", []) == {"hips": 1.0, "spine": 1.0, "head": 1.0}


@pytest.mark.parametrize(
    ("listed", "sentence"),
    [
        ([], "The list of joints is empty"),
        ([("hips", 0.0)], "No joint of the list has a weight"),
        ([("hips", 1.0), ("tail", 1.0)], '"Rig" has no bone "tail", which'),
        ([("", 1.0), ("tail", 1.0)], '"Rig" has no bone "" and 1 more, which'),
    ],
)
def test_a_list_that_says_nothing_is_refused(
    chain: Any, listed: list[tuple[str, float]], sentence: str
) -> None:
    with pytest.raises(InertiaError, match=sentence):
        joints.weights(chain, "LISTED", listed)


def test_nothing_is_stored_in_a_plain_file(chain: Any) -> None:
    assert joints.stored_weights(chain) is None
