# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes of control rigs as Rigify generates them: what follows by constraints, spaces, and FK and IK."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")
from mathutils import Matrix, Vector

from inertia_addon.blender.data import compat, rigs
from inertia_addon.blender.evaluation import limbs
from inertia_addon.blender.evaluation.controls import open_stage
from inertia_addon.blender.transition import bake
from inertia_addon.blender.transition.report import BakeReport
from inertia_addon.motion.arrays import Array
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import parameters
from tests.blender.control_clips import Look, animate
from tests.blender.plain_skeleton import Pair

BRIEF = ("human", "basic_human", "bird")
OTHERS = ("cat", "bird")
"""What is looked at beside a human only where all variants run: each takes long to generate."""

pytestmark = pytest.mark.brief(kind=BRIEF)

CUT, ENTRY = 20.0, 12.0

Switches = Sequence[tuple[str, str, Any]]


@pytest.fixture(scope="module", params=["human"])
def kind(request: pytest.FixtureRequest) -> str:
    return request.param


def also(test: str) -> pytest.MarkDecorator:
    """Mark a test that asks on other rigs what a test of this file asks on a human."""
    return pytest.mark.variant_of(f"tests/blender/transition/test_control_rigs.py::{test}")


@pytest.fixture
def character(kind: str, rigify: Callable[..., Path], request: pytest.FixtureRequest) -> Any:
    """A generated rig without actions."""
    along = parameters.that_run(request, "kind")
    bpy.ops.wm.open_mainfile(filepath=str(rigify(kind, "bare", along=along)))
    return bpy.data.objects["rig"]


def spread(names: str, *cases: tuple[Any, ...]) -> pytest.MarkDecorator:
    """Cases that begin with a kind of rig: what a bake of one of them costs is not paid on each."""
    return pytest.mark.parametrize(f"kind, {names}", cases, indirect=["kind"])


def place(bone: Any, ground: Matrix, offset: Iterable[float], frame: int) -> None:
    """Key a control of the armature's space: its rest place, off by a vector, moved with the ground."""
    rest = bone.bone.matrix_local
    wanted = ground @ Matrix.Translation(Vector(tuple(offset))) @ rest
    bone.rotation_mode = "QUATERNION"
    above = (
        {}
        if bone.parent is None
        else dict.fromkeys(("parent_matrix", "parent_matrix_local"), bone.parent.bone.matrix_local)
    )
    own = bone.bone.convert_local_to_pose(wanted, rest, **above, invert=True)
    bone.location, bone.rotation_quaternion = own.to_translation(), own.to_quaternion()
    for channel in ("location", "rotation_quaternion"):
        bone.keyframe_insert(channel, frame=frame)


def clip(
    rig: Any,
    name: str,
    root: str = "root",
    speed: float = 0.05,
    yaw: float = 0.0,
    at: tuple[float, float] = (0.0, 0.0),
    phase: float = 0.0,
    switches: Switches = (),
) -> Any:
    """A clip that walks on bent limbs: the root goes, or the torso with all that hangs from nothing else."""
    rig.animation_data_create().action = action = bpy.data.actions.new(name)
    action.use_fake_user = True
    bones = rig.pose.bones
    for bone in bones:
        bone.matrix_basis = Matrix()
    for bone, prop, value in switches:
        bones[bone][prop] = value
        bones[bone].keyframe_insert(f'["{prop}"]', frame=1)
    height = bones["torso"].bone.head_local.z
    feet = [bone for bone in ("foot_ik.L", "foot_ik.R", "hand_ik.L", "hand_ik.R") if bone in bones]
    for frame in range(1, 42, 5):
        step = math.sin(2.0 * math.pi * ((frame - 1) / 40.0 + phase))
        way = Matrix.Translation((at[0], at[1] - speed * height * (frame - 1), 0.0))
        ground = way @ Matrix.Rotation(yaw * (frame - 1) / 40.0, 4, "Z")
        if root == "root":
            place(bones["root"], ground, (0.0, 0.0, 0.0), frame)
            ground = Matrix()
        place(bones["torso"], ground, (0.0, 0.0, -0.15 * height), frame)
        for side, bone in zip(itertools.cycle((1.0, -1.0)), feet, strict=False):
            is_hand = bone.startswith("hand") and "front" not in bone and height > 0.7
            inwards = -0.35 * height * math.copysign(1.0, bones[bone].bone.head_local.x) if is_hand else 0.0
            lift = -0.1 * height if is_hand else 0.05 * height * max(0.0, side * step)
            place(bones[bone], ground, (inwards, -0.1 * height * side * step, lift), frame)
        for number, bone in enumerate(("upper_arm_fk.L", "upper_arm_fk.R", "thigh_fk.L", "shin_fk.L")):
            if bone in bones:
                bones[bone].rotation_mode = "QUATERNION"
                # a knee only bends: what it can't do by FK alone, IK can't show
                aside = 0.0 if bone.startswith("shin") else 0.05
                bones[bone].rotation_quaternion = (1.0, 0.2 * step + 0.1 * number, 0.0, aside)
                bones[bone].keyframe_insert("rotation_quaternion", frame=frame)
    return action


def shown(rig: Any, action: Any, frames: Iterable[float]) -> Array:
    """Where the deform bones are in the world (frames, bones, 4, 4), by Blender's own evaluation."""
    compat.assign(rig, action, "OBrig" if compat.has_slots() else "")
    for bone in rig.pose.bones:
        bone.matrix_basis = Matrix()  # what another action has left behind
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(math.floor(frame), subframe=frame - math.floor(frame))
        evaluated = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
        bones = [bone for bone in evaluated.pose.bones if bone.bone.use_deform]
        found.append([evaluated.matrix_world @ bone.matrix for bone in bones])
    return np.array(found)


def joined(rig: Any, source: Any, destination: Any) -> tuple[Any, BakeReport]:
    # limbs are held frame by frame, so that a long blend costs most of the time
    how: dict[str, Any] = {"feet": "OFF", "blend_frames": 3.0}
    settings = TransitionSettings(source.name, destination.name, cut=CUT, destination_frame=ENTRY, **how)
    report = bake.bake_transition(rig, settings)
    return bpy.data.actions[report.result], report


def motion_of(report: BakeReport) -> Array:
    """The rigid motion of the destination (4, 4)."""
    turn = np.array(Matrix.Rotation(math.radians(report.heading_degrees), 4, "Z"))
    turn[:3, 3] = report.translation
    return turn


def assert_same(found: Array, wanted: Array) -> None:
    """Within a hundredth of a millimetre and of a degree."""
    off = np.abs(found - wanted)
    assert off[..., :3, 3].max() <= 1e-5
    assert off[..., :3, :3].max() <= math.radians(0.01)


def assert_exact_outside_the_window(rig: Any, source: Any, destination: Any) -> BakeReport:
    before, after = np.array([3.0, 10.5, 19.0, 19.5]), np.array([0.0, 0.5, 3.0, 7.5])
    wanted = shown(rig, source, before)
    result, report = joined(rig, source, destination)
    assert_same(shown(rig, result, before), wanted)
    ends = report.window[1] + after
    moved = motion_of(report) @ shown(rig, destination, ends - CUT + ENTRY)
    assert_same(shown(rig, result, ends), moved)
    return report


@spread("root, yaw", ("basic_human", "torso", 0.8), ("basic_human", "root", 0.0))
def test_controls_that_follow_by_constraints_are_moved_once(character: Any, root: str, yaw: float) -> None:
    assert_moved_once(character, root, yaw)


@also("test_controls_that_follow_by_constraints_are_moved_once")
@spread(
    "root, yaw",
    ("human", "torso", 0.8),
    ("cat", "root", 0.8),
    ("bird", "root", 0.0),
    ("bird", "torso", 0.0),
)
def test_controls_that_follow_by_constraints_on_other_rigs_are_moved_once(
    character: Any, root: str, yaw: float
) -> None:
    assert_moved_once(character, root, yaw)


def assert_moved_once(character: Any, root: str, yaw: float) -> None:
    source = clip(character, "Source", root, yaw=yaw)
    destination = clip(character, "Destination", root, 0.08, -0.5 * yaw, (1.0, 0.5), phase=0.3)
    report = assert_exact_outside_the_window(character, source, destination)
    assert (report.root, report.alignment) == (root, "POSITION_HEADING")
    assert np.linalg.norm(report.translation) > 0.5
    here, there = (shown(character, *one)[0] for one in ((source, [CUT]), (destination, [ENTRY])))
    apart = (motion_of(report) @ there - here)[:, :2, 3]
    assert np.median(np.linalg.norm(apart, axis=1)) < 0.2 * character.pose.bones["torso"].bone.head_local.z


LEG, ARM = "thigh_parent.L", "upper_arm_parent.L"


def switches(rig: Any, mode: tuple[float, int, bool]) -> list[tuple[str, str, Any]]:
    holders = [bone for bone in (LEG, ARM) if bone in rig.pose.bones]
    props = list(zip(("IK_FK", "IK_parent", "pole_vector"), mode, strict=True))
    return [(bone, prop, value) for bone in holders for prop, value in props]


MODES = tuple(itertools.product((0.0, 1.0), (1, 2), (False, True)))
"""FK or IK, what the hands and feet hang from, and whether a pole says where elbows and knees point."""


@spread("first, count", ("basic_human", 0, 2))
def test_the_pose_stays_while_switches_go_over(
    character: Any, first: int, count: int, request: pytest.FixtureRequest
) -> None:
    """Between combinations of all of them, others on each rig, and every one with ``--all-pairs``.

    Blender's IK shortens limbs a little; tweaks make up for that.
    """
    assert_pose_stays(character, pairs_of(first, count, request))


@also("test_the_pose_stays_while_switches_go_over")
@spread("first, count", ("basic_human", 2, 2), ("cat", 4, 2), ("bird", 6, 3))
def test_the_pose_of_others_stays_while_switches_go_over(
    character: Any, first: int, count: int, some: Callable[[int], int], request: pytest.FixtureRequest
) -> None:
    assert_pose_stays(character, pairs_of(first, some(count), request))


def pairs_of(first: int, count: int, request: pytest.FixtureRequest) -> list[tuple[int, int]]:
    """Some of all pairs of modes, all of them with ``--all-pairs``."""
    pairs = list(itertools.permutations(range(len(MODES)), 2))
    if request.config.getoption("--all-pairs"):
        return pairs
    random.Random(1).shuffle(pairs)
    return pairs[first : first + count]


def assert_pose_stays(character: Any, pairs: list[tuple[int, int]]) -> None:
    clips = {
        i: clip(character, f"C{i}", yaw=0.6, phase=0.1 * i, switches=switches(character, MODES[i]))
        for i in {i for pair in pairs for i in pair}
    }
    holders = switches(character, MODES[0])
    kinds = {(bone, prop): type(character.pose.bones[bone][prop]) for bone, prop, _ in holders}
    for one, other in pairs:
        source, destination = clips[one], clips[other]
        here = shown(character, source, [CUT - 1.0, CUT])[..., :3, 3]
        result, _ = joined(character, source, destination)
        at = shown(character, result, [CUT - 0.01, CUT])[..., :3, 3]
        own = np.linalg.norm(here[1] - here[0], axis=-1).max()
        names = f"{MODES[one]} to {MODES[other]}"
        assert np.abs(at[1] - here[1]).max() <= 2e-4, names
        assert np.linalg.norm(at[1] - at[0], axis=-1).max() <= own, names
    # a switch that is no longer a switch could not be keyed again
    assert kinds == {(bone, prop): type(character.pose.bones[bone][prop]) for bone, prop, _ in holders}


@spread("before, after", ("basic_human", 1.0, 0.5))
def test_the_pose_stays_where_some_of_fk_and_of_ik_is_shown(
    character: Any, before: float, after: float
) -> None:
    """A mixture can be held by neither side alone, until the window is over."""
    assert_mixture_stays(character, before, after)


@also("test_the_pose_stays_where_some_of_fk_and_of_ik_is_shown")
@spread("before, after", ("basic_human", 0.5, 0.0), ("cat", 0.5, 0.0), ("bird", 1.0, 0.5))
def test_the_pose_of_others_stays_where_some_of_fk_and_of_ik_is_shown(
    character: Any, before: float, after: float
) -> None:
    assert_mixture_stays(character, before, after)


def assert_mixture_stays(character: Any, before: float, after: float) -> None:
    source, destination = (
        clip(character, name, yaw=0.6, phase=2.0 * share, switches=switches(character, (share, 1, False)))
        for name, share in (("Source", before), ("Destination", after))
    )
    here = shown(character, source, [CUT])[..., :3, 3]
    assert_exact_outside_the_window(character, source, destination)
    at = shown(character, bpy.data.actions["Source to Destination"], [CUT])[..., :3, 3]
    assert np.abs(at - here).max() <= 2e-4


FK_INTO_IK = (Look("torso", 0.8, fk=True, hidden=False), Look("torso", -0.4, hidden=False))
INTO_OTHER_SPACES = (Look(yaw=0.8, torso=False), Look(yaw=-0.4))
ONTO_POLES = (Look(yaw=0.8), Look(yaw=-0.4, pole=True))
INTO_CHILD_OF = (Look(yaw=0.8, child=0.0), Look(yaw=-0.4, child=1.0))
ALL_INTO_FK = (Look("torso", 0.8, pole=True, parent=2), Look("torso", -0.4, fk=True, hidden=False))


@pytest.mark.variant_of(
    "tests/blender/transition/test_limbs.py::test_a_window_is_as_smooth_as_on_a_plain_skeleton"
)
@spread("looks", ("basic_human", FK_INTO_IK))
def test_joints_change_their_velocity_as_on_a_plain_skeleton(
    character: Any, looks: tuple[Look, Look]
) -> None:
    """In the window, half frames with it; the root is the same whatever was played last.

    ``bench/control_rigs.py`` tries all of them, and more, on each rig.
    """
    assert_as_on_a_plain_skeleton(character, looks, blend_frames=4.0)


@pytest.mark.variant_of(
    "tests/blender/transition/test_limbs.py::test_a_window_is_as_smooth_as_on_a_plain_skeleton"
)
@pytest.mark.brief(looks=(INTO_OTHER_SPACES,))
@spread(
    "looks",
    ("basic_quadruped", ALL_INTO_FK),
    ("bird", INTO_OTHER_SPACES),
    ("basic_human", ONTO_POLES),
    ("basic_human", INTO_CHILD_OF),
)
def test_joints_of_others_change_their_velocity_as_on_a_plain_skeleton(
    character: Any, looks: tuple[Look, Look]
) -> None:
    assert_as_on_a_plain_skeleton(character, looks)


def assert_as_on_a_plain_skeleton(character: Any, looks: tuple[Look, Look], **how: Any) -> None:
    source, destination = (animate(character, f"{i}", look, is_source=i == 0) for i, look in enumerate(looks))
    bpy.context.scene.frame_set(1)
    character.animation_data.action = None
    character.pose.bones["torso"]["torso_parent"] = 0
    found = Pair(character).measure(source, destination, CUT, ENTRY, **how)
    assert found.ratio <= 1.2, found


def test_followers_of_bones_are_as_blender_shows_them(character: Any) -> None:
    """The bones that carry most are moved, and Blender says what has come along."""
    assert_follow_as_shown(character)


@also("test_followers_of_bones_are_as_blender_shows_them")
@pytest.mark.parametrize("kind", OTHERS, indirect=True)
def test_followers_of_bones_of_other_rigs_are_as_blender_shows_them(character: Any) -> None:
    assert_follow_as_shown(character)


def assert_follow_as_shown(character: Any) -> None:
    clip(character, "Source", yaw=0.6)
    bpy.context.scene.frame_set(20)
    found = rigs.read_following(character)
    motion = np.array(Matrix.Translation((0.3, -0.2, 0.1)) @ Matrix.Rotation(0.5, 4, (0.2, 0.1, 1.0)))
    for name in ("root", "torso"):
        before = {bone.name: np.array(bone.matrix) for bone in character.pose.bones}
        bone = character.pose.bones[name]
        own = bone.matrix_basis.copy()
        bone.matrix = Matrix(motion @ before[name])
        bpy.context.view_layer.update()
        along = {
            bone.name
            for bone in character.pose.bones
            if np.abs(np.array(bone.matrix) - motion @ before[bone.name]).max() < 1e-3
        }
        bone.matrix_basis = own
        bpy.context.view_layer.update()
        mine = set(found.with_(name))
        assert len(along ^ mine) <= 0.02 * len(before), (sorted(along - mine), sorted(mine - along))
    assert len(found.with_("root")) > 0.95 * len(found.names)


def test_limbs_are_known_and_planted_where_they_do_not_hang_from_the_torso(character: Any) -> None:
    assert_known(character)
    assert_planted(character)


@also("test_limbs_are_known_and_planted_where_they_do_not_hang_from_the_torso")
@pytest.mark.parametrize("kind", OTHERS, indirect=True)
def test_limbs_of_others_are_known_and_planted_where_they_do_not_hang_from_the_torso(character: Any) -> None:
    assert_known(character)
    assert_planted(character)


def assert_known(character: Any) -> None:
    """What an animator would name: FK and IK controls, what switches, what says what the controls follow."""
    bones = character.pose.bones
    with open_stage(character) as stage:
        found = {limb.switch: limb for limb in limbs.find(stage)}
    arms = () if "upper_arm_parent.L" not in bones else ("upper_arm_parent", "forearm", "hand")
    for holder, joint, end in filter(None, (("thigh_parent", "shin", "foot"), arms)):
        for side in ("L", "R"):
            path = f'pose.bones["{holder}.{side}"]'
            limb = found.pop(f'{path}["IK_FK"]')
            base = holder.removesuffix("_parent")
            assert (limb.fk_value, limb.ik_value) == (1.0, 0.0)
            assert limb.fk[:3] == tuple(f"{name}_fk.{side}" for name in (base, joint, end))
            assert limb.ik[:2] == (f"{end}_ik.{side}", f"{base}_ik_target.{side}")
            assert limb.shown[:3] == tuple(f"ORG-{name}.{side}" for name in (base, joint, end))
            spaces = {(space.path, space.control) for space in limb.spaces}
            assert {
                (f'{path}["FK_limb_follow"]', limb.fk[0]),
                (f'{path}["IK_parent"]', limb.ik[0]),
                (f'{path}["pole_vector"]', limb.ik[1]),
                (f'{path}["pole_parent"]', limb.ik[1]),
            } <= spaces
    assert not [path for path in found if "IK_FK" not in path]


def assert_planted(character: Any) -> None:
    """Whatever a hand or foot hangs from is planted, but the torso."""
    bones = character.pose.bones
    for parent, planted in ((1, True), (2, False)):
        for holder in ("thigh_parent.L", "upper_arm_parent.L"):
            if holder in bones:
                bones[holder]["IK_parent"] = parent
        with open_stage(character) as stage:
            ends = [limb for limb in limbs.find(stage) if limb.ik[0].endswith(".L")]
            reading = limbs.BoneRelations(character, stage.evaluated)
            assert len(ends) > 0
            for limb in ends:
                assert (limb.ik[0] in reading.planted(limb)) == planted, limb.ik
