# SPDX-License-Identifier: GPL-3.0-or-later
"""The joints that are found on real rigs are those that a person would choose."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any

import bpy
import pytest
from mathutils import Matrix

from inertia_addon.blender.evaluation import joints
from inertia_addon.blender.mannequin.rig import build_armature
from inertia_addon.errors import InertiaError
from tests.blender import builders, clips, skeletons
from tests.skeletons.made_up import SKELETONS
from tests.skeletons.right import CHOSEN, HEURISTICS, WILD

# in brief one of each importer, and of the files those whose bones end in different ways
pytestmark = pytest.mark.brief(
    rig=("Fox", "pab", "cmu131", "Mannequin"), name=("Wasp", "spider", "greenman", "Fox")
)


@pytest.fixture(scope="module", params=CHOSEN)
def rig(request: pytest.FixtureRequest) -> tuple[Any, str]:
    """A real rig; put back as it was by each test that changes it."""
    if request.param == "Mannequin":
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        return build_armature(bpy.context.scene), request.param
    armature, _ = clips.load(request.param, request.getfixturevalue("data_dir"))
    return armature, request.param


def by_role(armature: Any) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for joint in joints.default_joints(armature):
        found.setdefault(joint.role, set()).add(joint.bone)
    return found


@pytest.mark.variants(1)
def test_default_joints_are_what_a_person_would_choose(rig: tuple[Any, str]) -> None:
    armature, name = rig
    assert joints.no_limbs(armature, joints.default_joints(armature)) == ""
    assert by_role(armature) == CHOSEN[name]
    weights = {joint.role: joint.weight for joint in joints.default_joints(armature)}
    assert weights == {role: 0.5 if role == "OTHER" else 1.0 for role in CHOSEN[name]}


# what is tested above was imported by Blender's own
@pytest.mark.variants(2)
@pytest.mark.parametrize(
    ("name", "heuristic"),
    [
        *itertools.product(WILD, HEURISTICS),
        *itertools.product(("Fox", "RobotExpressive", "KayKit_Knight"), HEURISTICS[1:]),
    ],
)
def test_the_same_however_a_file_is_imported(
    data_dir: Path, tmp_path: Path, name: str, heuristic: str
) -> None:
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    file = data_dir / "glb" / ("wild" if name in WILD else "") / f"{name}.glb"
    # one clip alone may tell how a character stands
    file = clips.with_clips(file, tmp_path / "a.glb", lambda names: sorted(names)[:1])
    bpy.ops.import_scene.gltf(filepath=str(file), bone_heuristic=heuristic)
    armature = next(thing for thing in bpy.data.objects if thing.type == "ARMATURE")
    expected = WILD.get(name) or CHOSEN[name.removeprefix("KayKit_")]
    assert by_role(armature) == expected


def test_bones_without_weights_are_joints_unless_they_are_beside_those_with_weights(fresh_file: None) -> None:
    armature = build_armature(bpy.context.scene)
    mesh = bpy.data.meshes.new("Body")
    mesh.from_pydata([bone.head_local for bone in armature.data.bones], [], [])
    body = bpy.data.objects.new("Body", mesh)
    bpy.context.scene.collection.objects.link(body)
    body.parent, body.parent_type = armature, "ARMATURE"
    body.modifiers.new("Armature", "ARMATURE").object = armature
    for i, name in enumerate(armature.data.bones.keys()):
        body.vertex_groups.new(name=name).add(
            [i], 0.0 if name in ("head", "foot.L", "foot.R") else 1.0, "ADD"
        )
    # the foot of a leg that does move the mesh is one, whatever its vertices hang from
    assert by_role(armature)["HEAD"] == {"head"}
    assert by_role(armature)["FOOT"] == {"foot.L", "foot.R"}
    armature.data.bones["head"].use_deform = False
    assert "head" not in set().union(*by_role(armature).values())
    armature.data.bones["head"].use_deform = True
    hat = bpy.data.objects.new("Hat", bpy.data.meshes.new("Hat"))
    bpy.context.scene.collection.objects.link(hat)
    hat.parent, hat.parent_type, hat.parent_bone = armature, "BONE", "head"
    assert by_role(armature)["HEAD"] == {"head"}


@pytest.mark.parametrize("rest", ["lies", "is folded up"])
def test_a_rest_pose_that_is_none_is_told_from_a_clip(fresh_file: None, rest: str) -> None:
    """The bones at rest say nothing; the first frame of a clip says how the character stands."""
    armature = build_armature(bpy.context.scene)
    for i, bone in enumerate(armature.data.bones):
        bone.name = f"Bone.{i:03}"  # names would tell what is what in any pose

    def middle_and_feet() -> dict[str, set[str]]:
        # where a hand ends the first frame does not say
        return {role: found for role, found in by_role(armature).items() if role != "HAND"}

    expected = middle_and_feet()
    standing = {bone.name: bone.matrix_local.copy() for bone in armature.data.bones}
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    turn = Matrix.Rotation(math.radians(90.0), 4, "X") if rest == "lies" else Matrix.Diagonal((1, 1, 1e-3, 1))
    for bone in armature.data.edit_bones:
        bone.use_connect = False
    for bone in armature.data.edit_bones:
        length = bone.length
        bone.head, bone.tail = turn @ bone.head, turn @ bone.tail
        bone.length = length
    bpy.ops.object.mode_set(mode="OBJECT")
    animation = armature.animation_data_create()
    animation.action = bpy.data.actions.new("Stand")
    for name, matrix in standing.items():
        bone = armature.pose.bones[name]
        bone.rotation_mode = "QUATERNION"
        bone.matrix = matrix
        bpy.context.view_layer.update()
        for prop in ("location", "rotation_quaternion"):
            bone.keyframe_insert(prop, frame=1)
    assert middle_and_feet() == expected
    bpy.data.actions.remove(animation.action)
    assert middle_and_feet() != expected


@pytest.mark.variants(3)
def test_feet_hands_and_hips_are_shown(rig: tuple[Any, str]) -> None:
    armature, name = rig
    expected = set().union(*(CHOSEN[name].get(role, set()) for role in ("FOOT", "HAND", "HIPS")))
    assert set(joints.choose_shown(joints.default_joints(armature))) == expected


@pytest.mark.variants(3)
@pytest.mark.parametrize("naming", ["Bone.{:03}", "骨{}", "{}.R"])
def test_default_joints_do_not_depend_on_names(rig: tuple[Any, str], naming: str) -> None:
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


@pytest.mark.variants(6)
@pytest.mark.parametrize("prefix", ["mixamorig:", "Wing Foot_", "tail."])
def test_default_joints_do_not_depend_on_a_prefix_of_all_names(rig: tuple[Any, str], prefix: str) -> None:
    armature, name = rig
    bones = list(armature.data.bones)
    try:
        for bone in bones:
            bone.name = prefix + bone.name
        assert by_role(armature) == {
            role: {prefix + b for b in found} for role, found in CHOSEN[name].items()
        }
    finally:
        for bone in bones:
            bone.name = bone.name.removeprefix(prefix)


PLACED = {
    "large, mirrored and turned about": Matrix.Diagonal((-40.0, 40.0, 40.0, 1.0))
    @ Matrix.Rotation(2.0, 4, "Z"),
    "far away": Matrix.Translation((100.0, -50.0, 700.0)),
    "flattened": Matrix.Diagonal((1.0, 1.0, 0.05, 1.0)),
    "tilted by an animator": Matrix.Rotation(math.radians(35.0), 4, "X"),
}


@pytest.mark.parametrize("where", PLACED)
def test_default_joints_do_not_depend_on_where_the_object_is(rig: tuple[Any, str], where: str) -> None:
    armature, name = rig
    before = armature.matrix_basis.copy()
    try:
        armature.matrix_basis = PLACED[where] @ before
        assert by_role(armature) == CHOSEN[name]
    finally:
        armature.matrix_basis = before


UPS = list(itertools.product("XYZ", (90.0, -90.0, 180.0)))


@pytest.mark.variants(12)
@pytest.mark.parametrize(("axis", "degrees"), UPS)
def test_default_joints_do_not_depend_on_which_axis_points_up_at_rest(
    rig: tuple[Any, str], axis: str, degrees: float
) -> None:
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
    assert joints.choose_shown(joints.default_joints(armature)) == tuple(names)


def test_an_action_that_moves_the_object_too_says_no_less(fresh_file: None) -> None:
    armature = builders.rig({"b0": None, "b1": "b0"})
    before = joints.default_joints(armature)
    made = builders.action("Walk")
    builders.curve(made, "location", 0, [(1, 0.0), (9, 2.0)])
    builders.curve(made, builders.bone_path("b1", "location"), 0, [(1, 0.0), (9, 2.0)])
    assert joints.default_joints(armature) == before


def test_joints_of_a_rope_are_shown_in_part(fresh_file: None) -> None:
    names = [f"b{i}" for i in range(30)]
    armature = builders.rig(dict(zip(names, [None, *names], strict=False)))
    found = joints.default_joints(armature)
    assert len(found) == 30
    assert joints.no_limbs(armature, found).startswith('No limbs were found on "Rig"')
    assert 4 <= len(joints.choose_shown(joints.default_joints(armature))) <= 8


def test_an_armature_without_bones_has_no_joints(fresh_file: None) -> None:
    armature = bpy.data.objects.new("Rig", bpy.data.armatures.new("Rig"))
    assert joints.default_joints(armature) == ()
    assert joints.choose_shown(joints.default_joints(armature)) == ()


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


def test_joints_of_a_plain_file_have_no_stored_weights(chain: Any) -> None:
    assert joints.stored_weights(chain) is None


@pytest.mark.parametrize("name", ["quaternius", "minetest", "ten bones", "cloudrig"])
def test_skeletons_of_the_table_in_blender(fresh_file: None, name: str) -> None:
    armature = skeletons.build(name)
    assert by_role(armature) == {role: set(bones) for role, bones in SKELETONS[name].right.items()}
    found = joints.default_joints(armature)
    assert joints.unsure(armature, found) == ""
    assert joints.confidence(found) >= 0.6


def test_joints_that_are_not_sure_are_asked_for_until_clips_tell(fresh_file: None) -> None:
    """A gorilla's knuckles are on the ground; where it walks upright they are not."""
    armature = skeletons.build("gorilla")
    found = joints.default_joints(armature)
    assert joints.unsure(armature, found) == (
        'Check these joints of "gorilla", which are uncertain: "Hand.L", "Hand.R"; list others if they are '
        "wrong."
    )
    action = bpy.data.actions.new("Walk upright")
    armature.animation_data_create().action = action
    for side in "LR":
        bone = armature.pose.bones[f"UpperArm.{side}"]
        bone.rotation_mode = "XYZ"
        for frame in (1, 20):
            bone.matrix_basis = Matrix.Rotation(math.radians(60.0), 4, "X")
            bone.keyframe_insert("rotation_euler", frame=frame)
    found = joints.default_joints(armature)
    assert by_role(armature)["HAND"] == {"Hand.L", "Hand.R"}
    assert joints.unsure(armature, found) == ""
