# SPDX-License-Identifier: GPL-3.0-or-later
"""Where joints are in a clip: both ways agree with what plays, and playing leaves no trace."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray

from inertia_addon.blender.data import actions, compat, rigs, roots, scene
from inertia_addon.blender.data.roots import Root
from inertia_addon.blender.evaluation import cycles, influence, joint_motion, playback
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.evaluation.joint_motion import JointMotion
from inertia_addon.errors import InertiaError
from inertia_addon.motion import quaternion
from inertia_addon.motion.cycles.cycle import Cycle
from inertia_addon.motion.steps import finish
from inertia_addon.settings.transition import OBJECT_ROOT
from tests.blender import builders, clips, stepper
from tests.blender.file_state import differences, everything

Array = NDArray[np.float64]

BONES = {"Root": None, "Hip": "Root", "Knee": "Hip", "Foot": "Knee", "Arm": "Hip"}
MODES = ("QUATERNION", "XYZ", "ZXY", "AXIS_ANGLE", "YZX")


def read(armature: Any, action: Any) -> actions.Clip:
    return actions.read(action, actions.choose_slot(action, armature))


def animated(name: str = "Clip", start: float = 1.0, end: float = 25.0) -> Any:
    """Keys on every channel of the bones, all different."""
    made = builders.action(name)
    phase = 0.0
    for bone, mode in zip(BONES, MODES, strict=True):
        prop, count = builders.ROTATIONS.get(mode, ("rotation_euler", 3))
        for path, columns, size, middle in (
            (prop, count, 0.4, 0.3),
            ("location", 3, 0.3, 0.1),
            ("scale", 3, 0.2, 1.1),
        ):
            for i in range(columns):
                phase += 1.0
                builders.wave(
                    made,
                    builders.bone_path(bone, path),
                    i,
                    size,
                    start,
                    end,
                    phase=phase,
                    middle=middle,
                    handles="AUTO_CLAMPED",
                )
    return made


def small_rig() -> Any:
    """Bones of every rotation mode, tilted, one of them connected."""
    armature = builders.rig(BONES)
    bpy.ops.object.mode_set(mode="EDIT")
    edit = armature.data.edit_bones
    for i, bone in enumerate(edit):
        bone.tail = (bone.head[0] + 0.2 * i, bone.head[1] + 0.4 - 0.1 * i, bone.head[2] + 0.7)
        bone.roll = 0.3 * i
    for name in ("Knee", "Foot"):
        edit[name].head = edit[edit[name].parent.name].tail
        edit[name].tail = (0.5, 0.3, edit[name].head[2] + 0.6)
    edit["Knee"].use_connect = True
    bpy.ops.object.mode_set(mode="OBJECT")
    for bone, mode in zip(armature.pose.bones, MODES, strict=True):
        bone.rotation_mode = mode
    return armature


def by_hand(armature: Any, action: Any, frames: Array) -> Array:
    """World matrices (frames, joints, 4, 4) while the action plays, and the armature as before."""
    before = compat.assigned(armature)
    found = builders.played(armature, action, frames)
    compat.assign(armature, *before)
    return found


def assert_plays(motion: JointMotion, expected: Array, root: str, tolerance: float = 1e-5) -> None:
    size = max(float(np.ptp(expected[..., :3, 3], axis=(0, 1)).max()), 1.0)
    np.testing.assert_allclose(motion.positions, expected[..., :3, 3], atol=tolerance * size)
    if root == OBJECT_ROOT:
        return
    matrices = expected[:, motion.names.index(root)]
    np.testing.assert_allclose(motion.root_position, matrices[:, :3, 3], atol=tolerance * size)
    turns = np.array([quaternion.from_matrix(matrix[:3, :3]) for matrix in matrices])
    same = np.abs(np.sum(turns * motion.root_rotation, axis=-1))
    np.testing.assert_allclose(same, 1.0, atol=1e-8 + tolerance**2)


def assert_alike(one: JointMotion, other: JointMotion, tolerance: float = 1e-5) -> None:
    size = max(float(np.ptp(other.positions, axis=(0, 1)).max()), 1.0)
    np.testing.assert_array_equal(one.frames, other.frames)
    np.testing.assert_allclose(one.positions, other.positions, atol=tolerance * size)
    fps = bpy.context.scene.render.fps / bpy.context.scene.render.fps_base
    np.testing.assert_allclose(one.velocities, other.velocities, atol=2.0 * tolerance * size * fps)
    np.testing.assert_allclose(one.root_position, other.root_position, atol=tolerance * size)
    same = np.abs(np.sum(one.root_rotation * other.root_rotation, axis=-1))
    np.testing.assert_allclose(same, 1.0, atol=1e-8)


@pytest.fixture
def never_plain(monkeypatch: pytest.MonkeyPatch) -> Callable[..., JointMotion]:
    """Evaluates by Blender also what numpy could."""

    def evaluate(*arguments: Any) -> JointMotion:
        with monkeypatch.context() as patch:
            patch.setattr(influence, "why_not_plain", lambda *_: "for the sake of comparison")
            return joint_motion.evaluate(*arguments)

    return evaluate


@pytest.mark.data
@pytest.mark.variants(1)
@pytest.mark.parametrize("name", ["Fox", "RobotExpressive", "Knight", "pab", "cmu131"])
def test_joint_motion_agrees_both_ways_on_real_clips(
    name: str, data_dir: Path, never_plain: Callable[..., JointMotion]
) -> None:
    armature, names = clips.load(name, data_dir)
    for action in (bpy.data.actions[n] for n in names[:2]):
        clip = read(armature, action)
        assert influence.why_not_plain(armature, (clip,)) == ""
        frames = joint_motion.grid(clip)[:24]
        root = roots.find_root(rigs.read(armature), (clip,))
        ours, theirs = (
            f(read_character(armature), clip, frames, root) for f in (joint_motion.evaluate, never_plain)
        )
        assert ours.names == tuple(armature.data.bones.keys())
        assert_alike(ours, theirs)
        assert_plays(ours, by_hand(armature, action, frames), root.name)


def parented(armature: Any) -> None:
    parent = bpy.data.objects.new("Parent", None)
    bpy.context.collection.objects.link(parent)
    parent.location, parent.rotation_euler, parent.scale = (1.0, -2.0, 0.5), (0.2, 0.4, -0.9), (1.5, 0.5, 2.0)
    armature.parent = parent
    armature.matrix_parent_inverse = ((1, 0, 0, 3), (0, 0, -1, 0), (0, 1, 0, 0.2), (0, 0, 0, 1))


def scaled(armature: Any) -> None:
    armature.scale, armature.location, armature.delta_scale = (
        (0.01, 0.02, 0.01),
        (3.0, 0.0, 1.0),
        (2.0, 1.0, 1.0),
    )
    armature.delta_location, armature.rotation_euler = (0.3, 0.2, 0.1), (0.4, 0.1, 2.0)


def rates(_armature: Any) -> None:
    render, unit = bpy.context.scene.render, bpy.context.scene.unit_settings
    render.fps, render.fps_base, unit.scale_length = 30, 1.001, 0.01


def unturned(armature: Any) -> None:
    for bone in armature.data.bones:
        bone.use_local_location = False


def resting(armature: Any) -> None:
    armature.data.pose_position = "REST"


PLACES = [lambda _: None, parented, scaled, rates, unturned, resting]


@pytest.mark.usefixtures("fresh_file")
@pytest.mark.variants(6)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("root", ["Hip", OBJECT_ROOT])
def test_joint_motion_agrees_both_ways_on_small_rigs(
    place: Callable[[Any], None], root: str, never_plain: Callable[..., JointMotion]
) -> None:
    armature = small_rig()
    place(armature)
    bpy.context.view_layer.update()
    clip = read(armature, animated(start=0.37, end=20.37))
    assert influence.why_not_plain(armature, (clip,)) == ""
    for frames in (joint_motion.grid(clip), np.array([7.25, 0.37, 20.37, 3.0])):
        ours, theirs = (
            f(read_character(armature), clip, frames, roots.Root(root, moves=True))
            for f in (joint_motion.evaluate, never_plain)
        )
        assert_alike(ours, theirs)
    armature.data.pose_position = "POSE"
    metres = scene.metres_per_unit()
    expected = by_hand(armature, clip.action, frames)
    expected[..., :3, 3] *= metres
    assert_plays(ours, expected, root)


@pytest.mark.usefixtures("fresh_file")
def test_keyed_object_and_easings(never_plain: Callable[..., JointMotion]) -> None:
    armature = small_rig()
    action = animated()
    for i in range(3):
        builders.wave(action, "location", i, 1.0, 1.0, 25.0, phase=i)
        points = [(1.0, 0.0), (9.0, 0.5 * i), (25.0, 0.2)]
        builders.curve(action, "rotation_euler", i, points, interpolation=["BOUNCE", "SINE", "BEZIER"])
    clip = read(armature, action)
    frames = joint_motion.grid(clip)
    root = roots.Root(OBJECT_ROOT, moves=True)
    ours, theirs = (
        f(read_character(armature), clip, frames, root) for f in (joint_motion.evaluate, never_plain)
    )
    assert_alike(ours, theirs)
    assert np.ptp(ours.root_position, axis=0).min() > 1.0


def inverse_kinematics(armature: Any) -> None:
    target = bpy.data.objects.new("Target", None)
    bpy.context.collection.objects.link(target)
    target.location = (0.7, 0.4, 1.6)
    constraint = armature.pose.bones["Foot"].constraints.new("IK")
    constraint.target, constraint.chain_count = target, 3


def copy_rotation(armature: Any) -> None:
    constraint = armature.pose.bones["Hip"].constraints.new("COPY_ROTATION")
    constraint.target, constraint.subtarget = armature, "Root"


def driver(armature: Any) -> None:
    fcurve = armature.driver_add('pose.bones["Arm"].location', 0)
    variable = fcurve.driver.variables.new()
    variable.type, variable.targets[0].id = "TRANSFORMS", armature
    variable.targets[0].bone_target, variable.targets[0].transform_type = "Hip", "LOC_Y"
    variable.targets[0].transform_space = "LOCAL_SPACE"
    fcurve.driver.type = "SUM"


def no_scale(armature: Any) -> None:
    armature.data.bones["Hip"].inherit_scale = "NONE"


def no_rotation(armature: Any) -> None:
    armature.data.bones["Hip"].use_inherit_rotation = False


def object_constraint(armature: Any) -> None:
    constraint = armature.constraints.new("LIMIT_LOCATION")
    constraint.use_min_x, constraint.min_x = True, 2.0


def moving_parent(armature: Any) -> None:
    parent = bpy.data.objects.new("Parent", None)
    bpy.context.collection.objects.link(parent)
    action = builders.action("Parent's", slot="Parent")
    builders.wave(action, "location", 0, 2.0, slot="OBParent")
    compat.assign(parent, action, "OBParent" if compat.has_slots() else "")
    armature.parent = parent


OBSTACLES = [
    inverse_kinematics,
    copy_rotation,
    driver,
    no_scale,
    no_rotation,
    object_constraint,
    moving_parent,
]


@pytest.mark.usefixtures("fresh_file")
@pytest.mark.parametrize("obstacle", OBSTACLES)
def test_rigs_that_are_not_plain_are_played(obstacle: Callable[[Any], None]) -> None:
    armature = small_rig()
    clip = read(armature, animated())
    plain = joint_motion.evaluate(
        read_character(armature), clip, joint_motion.grid(clip), roots.Root("Root", moves=True)
    )
    obstacle(armature)
    bpy.context.view_layer.update()
    assert influence.why_not_plain(armature, (clip,)) != ""
    frames = np.array([3.0, 4.0, 5.5, 20.0])
    motion = joint_motion.evaluate(read_character(armature), clip, frames, roots.Root("Root", moves=True))
    expected = by_hand(armature, clip.action, frames)
    assert_plays(motion, expected, "Root")
    assert np.abs(motion.positions[0] - plain.positions[2]).max() > 1e-2, "the obstacle does nothing"
    around = by_hand(armature, clip.action, np.array([19.0, 21.0]))[..., :3, 3]
    np.testing.assert_allclose(motion.velocities[3], (around[1] - around[0]) * 12.0, atol=1e-3)


@pytest.mark.usefixtures("fresh_file")
def test_keyed_switches_are_not_plain() -> None:
    for path in ('constraints["Limit Location"].influence', "rotation_mode"):
        armature = small_rig()
        constraint = armature.pose.bones["Foot"].constraints.new("LIMIT_LOCATION")
        constraint.name, constraint.mute = "Limit Location", True
        action = animated()
        assert influence.why_not_plain(armature, (read(armature, action),)) == ""
        builders.curve(action, builders.bone_path("Foot", path), 0, [(1.0, 1.0)])
        assert influence.why_not_plain(armature, (read(armature, action),)) != ""


@pytest.mark.usefixtures("fresh_file")
def test_velocities_are_one_sided_at_the_ends() -> None:
    armature = builders.rig({"A": None})
    action = builders.action("Clip")
    points = [(float(f), 0.1 * f * f) for f in range(1, 12)]
    builders.curve(action, builders.bone_path("A", "location"), 0, points, interpolation="LINEAR")
    clip = read(armature, action)
    bpy.context.scene.render.fps = 10
    motion = joint_motion.evaluate(
        read_character(armature), clip, joint_motion.grid(clip), roots.Root("A", moves=True)
    )
    place = 0.1 * np.arange(1.0, 12.0) ** 2
    speed = np.gradient(place) * 10.0
    np.testing.assert_allclose(np.abs(motion.velocities[:, 0]).max(axis=1), speed, rtol=1e-5)


@pytest.mark.parametrize("count", [1, 7, 16])
@pytest.mark.parametrize("is_cycle", [False, True])
def test_a_clip_in_parts_is_the_whole_clip(
    fresh_file: None, monkeypatch: pytest.MonkeyPatch, *, count: int, is_cycle: bool
) -> None:
    armature = stepper.biped()
    action = stepper.walk(armature, frames=49, skate=0.1)
    clip = actions.read(action, actions.choose_slot(action, armature))
    root = Root("hips", moves=True)
    if is_cycle:
        clip = cycles.with_cycle(rigs.read(armature), root, clip, "ON")
    frames = np.arange(0.0, 60.0, 0.5)
    marks = [(2, (0.0, 0.1, 0.0)), (5, (0.0, 0.0, 0.3))]

    def look() -> tuple[JointMotion, Array, Array]:
        motion, points = finish(joint_motion.with_points(read_character(armature), clip, frames, root, marks))
        return (
            motion,
            points,
            finish(joint_motion.track_points_steps(read_character(armature), clip, marks, frames)),
        )

    whole = look()
    monkeypatch.setattr(joint_motion, "FRAMES_AT_ONCE", count)
    parts = look()
    for name in ("positions", "velocities", "root_position", "root_rotation"):
        assert_allclose(getattr(parts[0], name), getattr(whole[0], name), rtol=0.0, atol=1e-12)
    for one, other in zip(parts[1:], whole[1:], strict=True):
        assert_allclose(one, other, rtol=0.0, atol=1e-12)


def test_a_cycle_goes_on_as_often_as_is_asked_for() -> None:
    """At each frame of a repetition all is where the cycle had it, moved by the way of those before."""
    chance = np.random.default_rng(5)
    cycle = Cycle(1.0, 11.0, 0.5, (1.0, 2.0, 0.5))
    at, turned = chance.normal(size=(12, 4, 3)), quaternion.exp(chance.normal(size=(12, 3)))
    motion = JointMotion(("a", "b"), np.arange(12.0), at[:, :2], at[:, 2:], at[:, 0], turned, cycle)
    assert motion.until(11.0, 1.0) is motion
    longer = motion.until(38.0, 2.0)
    np.testing.assert_array_equal(longer.frames, np.arange(42.0))
    within, turns = cycle.wrapped(longer.frames, 0.0)
    for i, (frame, turn) in enumerate(zip(within.astype(int), turns.tolist(), strict=True)):
        axes, way = cycle.motion(turn)[:3, :3], 2.0 * cycle.motion(turn)[:3, 3]
        np.testing.assert_allclose(longer.positions[i], motion.positions[frame] @ axes.T + way, atol=1e-9)
        np.testing.assert_allclose(longer.velocities[i], motion.velocities[frame] @ axes.T, atol=1e-9)
        np.testing.assert_allclose(longer.root_position[i], axes @ motion.root_position[frame] + way)
        np.testing.assert_allclose(
            quaternion.to_matrix(longer.root_rotation[i]),
            axes @ quaternion.to_matrix(motion.root_rotation[frame]),
            atol=1e-9,
        )


@pytest.mark.usefixtures("fresh_file")
def test_grid_and_clips_of_one_frame() -> None:
    armature = builders.rig({"A": None})
    frames = {}
    for name, points in (
        ("One", [(3.25, 1.0)]),
        ("Between", [(3.2, 0.0), (3.9, 1.0)]),
        ("Two", [(2.0, 0.0), (4.5, 1.0)]),
    ):
        action = builders.action(name)
        builders.curve(action, builders.bone_path("A", "location"), 0, points).extrapolation = "LINEAR"
        clip = read(armature, action)
        frames[name] = joint_motion.grid(clip).tolist()
        motion = joint_motion.evaluate(
            read_character(armature), clip, joint_motion.grid(clip), roots.Root("A", moves=True)
        )
        assert (np.abs(motion.velocities).max() == 0.0) == (name == "One")
    assert frames["Two"] == [2.0, 3.0, 4.0]
    np.testing.assert_allclose([frames["One"], frames["Between"]], [[3.25], [3.2]], atol=1e-6)


def nothing_else(_armature: Any) -> None:
    pass


def other_action(armature: Any) -> None:
    """Another action plays, and the pose has changes on top that nobody has keyed yet."""
    action = animated("Other", 3.0, 30.0)
    builders.curve(action, '["switch"]', 0, [(1.0, 0.0), (40.0, 2.0)])
    clips.play(armature, action)
    bpy.context.scene.frame_set(17, subframe=0.25)
    armature.pose.bones["Hip"].location = (9.0, 8.0, 7.0)
    armature["switch"] = 7.5
    armature.update_tag()


def nla(armature: Any) -> None:
    action = animated("Strip's")
    animation = armature.animation_data_create()
    strip = animation.nla_tracks.new().strips.new("Strip", 5, action)
    if compat.has_slots():
        builders.set_strip_slot(strip, "OBRig")
    animation.action_influence, animation.action_blend_type = 0.5, "ADD"
    animation.action_extrapolation = "NOTHING"
    bpy.context.scene.frame_set(9)


def in_pose(armature: Any) -> None:
    """A pose that nobody has keyed, at rest position, in Pose Mode."""
    bpy.ops.object.mode_set(mode="POSE")
    for bone in armature.pose.bones:
        bone.location, bone.rotation_quaternion, bone.scale = (1, 2, 3), (0.5, 0.4, 0.3, -2.0), (3, 2, 1)
        bone.rotation_euler, bone.rotation_axis_angle = (0.1, 7.0, -9.0), (3.0, 0.0, 0.5, 2.0)
    armature.rotation_euler, armature.location = (0.1, 0.2, 0.3), (1, 2, 3)
    armature.data.pose_position = "REST"


def crowd(armature: Any) -> None:
    """Others are animated, and moved on top without a key."""
    for name in ("Cube", "Lamp"):
        other = bpy.data.objects.new(name, None)
        bpy.context.collection.objects.link(other)
        other.parent = armature if name == "Lamp" else None
        action = builders.action(name, slot=name)
        builders.wave(action, "location", 0, 2.0, slot="OB" + name)
        compat.assign(other, action, "OB" + name if compat.has_slots() else "")
    bpy.context.scene.frame_set(4)
    bpy.data.objects["Cube"].location = (5.0, 5.0, 5.0)


def marked(_armature: Any) -> None:
    """A marker switches the camera, and another one is chosen by hand."""
    for i in range(2):
        camera = bpy.data.objects.new(f"Camera {i}", bpy.data.cameras.new(f"Camera {i}"))
        bpy.context.collection.objects.link(camera)
        bpy.context.scene.camera = camera
    marker = bpy.context.scene.timeline_markers.new("Cut", frame=1)
    marker.camera = bpy.data.objects["Camera 0"]
    bpy.context.scene.camera = bpy.data.objects["Camera 1"]


STATES = [nothing_else, other_action, nla, in_pose, crowd, marked]


@pytest.fixture
def many_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every slice is one frame."""
    monkeypatch.setattr(joint_motion, "SLICE_SECONDS", 0.0)
    monkeypatch.setattr(joint_motion, "OVERHEAD", 0.0)


def eventful() -> Any:
    """A clip that keys more than the pose."""
    action = switching()
    builders.curve(action, builders.bone_path("Foot", "rotation_mode"), 0, [(1.0, 1.0), (9.0, 4.0)])
    return action


def switching() -> Any:
    """The same without a rotation mode."""
    action = animated()
    builders.curve(action, '["switch"]', 0, [(1.0, 0.0), (25.0, 1.0)])
    builders.curve(action, "location", 0, [(1.0, 0.0), (25.0, 4.0)])
    builders.curve(action, 'pose.bones["Foot"]["bend"]', 0, [(1.0, 0.0), (25.0, 1.0)])
    path = builders.bone_path("Hip", 'constraints["Copy Rotation"].influence')
    builders.curve(action, path, 0, [(1.0, 0.0), (25.0, 1.0)])
    return action


def played_rig(state: Callable[[Any], None]) -> tuple[Any, actions.Clip]:
    """A rig that has to be played, in some state."""
    armature = small_rig()
    copy_rotation(armature)
    armature["switch"], armature.pose.bones["Foot"]["bend"] = 0.25, 0.75
    clip = read(armature, eventful())
    state(armature)
    bpy.context.view_layer.update()
    return armature, clip


@pytest.mark.usefixtures("fresh_file", "many_slices")
@pytest.mark.variants(2)
@pytest.mark.parametrize("state", STATES)
def test_joint_motion_leaves_nothing_changed(state: Callable[[Any], None]) -> None:
    armature, clip = played_rig(state)
    before = everything()
    work = joint_motion.steps(
        read_character(armature), clip, joint_motion.grid(clip)[:6], roots.Root("Root", moves=True)
    )
    shares = []
    while True:
        try:
            shares.append(next(work))
        except StopIteration as done:
            motion = done.value
            break
        assert differences(before, everything()) == {}
        assert not playback.is_running()
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert differences(before, everything()) == {}
    bpy.context.view_layer.update()
    assert differences(before, everything()) == {}
    compat.assign(armature, None)
    assert np.ptp(motion.positions, axis=0).max() > 0.1


@pytest.mark.usefixtures("fresh_file", "many_slices")
@pytest.mark.variants(3)
@pytest.mark.parametrize("state", STATES)
def test_the_state_of_the_file_does_not_matter(state: Callable[[Any], None]) -> None:
    armature, clip = played_rig(nothing_else)
    frames = joint_motion.grid(clip)[:5]
    expected = joint_motion.evaluate(read_character(armature), clip, frames, roots.Root("Root", moves=True))
    place = armature.matrix_basis.copy()
    state(armature)
    armature.matrix_basis = place
    armature["switch"] = 0.25
    bpy.context.view_layer.update()
    assert_alike(
        joint_motion.evaluate(read_character(armature), clip, frames, roots.Root("Root", moves=True)),
        expected,
    )


@pytest.mark.usefixtures("fresh_file", "many_slices")
def test_joint_motion_leaves_nothing_changed_by_closing_or_failing(monkeypatch: pytest.MonkeyPatch) -> None:
    armature, clip = played_rig(other_action)
    before = everything()
    root = roots.Root("Root", moves=True)
    work = joint_motion.steps(read_character(armature), clip, joint_motion.grid(clip), root)
    next(work)
    work.close()
    assert differences(before, everything()) == {}
    work = joint_motion.steps(read_character(armature), clip, joint_motion.grid(clip), root)
    next(work)
    with pytest.raises(KeyboardInterrupt):
        work.throw(KeyboardInterrupt())
    assert differences(before, everything()) == {}

    def fail(*_: Any) -> None:
        assert playback.is_running()
        raise MemoryError

    monkeypatch.setattr(joint_motion, "_read_shown", fail)
    with pytest.raises(MemoryError):
        joint_motion.evaluate(read_character(armature), clip, joint_motion.grid(clip), root)
    assert differences(before, everything()) == {}
    assert not playback.is_running()


@pytest.mark.usefixtures("fresh_file")
@pytest.mark.variants(2)
@pytest.mark.parametrize("state", STATES)
def test_clips_that_are_played_together_leave_nothing_changed(state: Callable[[Any], None]) -> None:
    armature, clip = played_rig(state)
    builders.wave(moving := builders.action("Moving"), builders.bone_path("Arm", "location"), 1, 2.0)
    builders.curve(moving, '["switch"]', 0, [(1.0, 7.0)])
    clips, frames = (clip, read(armature, moving), clip), np.array([4.0])
    root = roots.Root("Root", moves=True)
    alone = [joint_motion.evaluate(read_character(armature), one, frames, root) for one in clips]
    before = everything()
    with builders.frames_shown() as count, playback.together():
        for one, expected in zip(clips, alone, strict=True):
            assert_alike(joint_motion.evaluate(read_character(armature), one, frames, root), expected)
    assert differences(before, everything()) == {}
    assert not playback.is_running()
    # the frame of each clip with both of its neighbours, and once the one that was shown before
    assert len(count) == 3 * len(clips) + 1


@pytest.mark.usefixtures("fresh_file")
@pytest.mark.variants(2)
@pytest.mark.parametrize("state", STATES)
def test_a_frame_that_is_shown_briefly_is_as_it_is_played(state: Callable[[Any], None]) -> None:
    armature, _ = played_rig(nothing_else)
    driver = armature.pose.bones["Arm"].driver_add("location", 1).driver
    variable = driver.variables.new()
    variable.targets[0].id, variable.targets[0].data_path = armature, '["switch"]'
    driver.expression = variable.name
    scene, view_layer = bpy.context.scene, bpy.context.view_layer
    state(armature)
    view_layer.update()
    # the second leaves alone what the first, and what plays in some states, switches
    clips = [read(armature, action) for action in (switching(), animated("Pose"))]
    before, assigned = everything(), compat.assigned(armature)
    for clip in clips:
        found = []
        for briefly in (True, False):
            with playback.play_alone(armature, clip, scene, view_layer, briefly=briefly) as show:
                assert not briefly or compat.assigned(armature) == assigned
                for frame in (4.0, 9.5):
                    shown = show(frame)
                    matrices = [np.array(bone.matrix) for bone in shown.pose.bones]
                    found.append([*matrices, np.array(shown.matrix_world), np.full((4, 4), shown["switch"])])
        np.testing.assert_allclose(found[:2], found[2:], atol=1e-5)
    assert differences(before, everything()) == {}


@pytest.mark.usefixtures("fresh_file")
def test_frames_of_a_clip_are_shown_once_each() -> None:
    armature, clip = played_rig(nothing_else)
    with builders.frames_shown() as count:
        joint_motion.evaluate(
            read_character(armature), clip, joint_motion.grid(clip), roots.Root("Root", moves=True)
        )
    assert sorted(count) == sorted([*joint_motion.grid(clip), bpy.context.scene.frame_current])


@pytest.mark.usefixtures("fresh_file")
def test_a_slot_that_nothing_has_used_stays_so() -> None:
    armature, _ = played_rig(nothing_else)
    action = bpy.data.actions.new("Unused")
    if not hasattr(action, "fcurves"):
        pytest.skip("here only files of earlier versions have such slots")
    fcurve = action.fcurves.new(builders.bone_path("Arm", "location"), index=0)
    fcurve.keyframe_points.insert(1.0, 0.0)
    fcurve.keyframe_points.insert(5.0, 3.0)
    assert [slot.id_type for slot in compat.slots(action)] == ["UNSPECIFIED"]
    clip = read(armature, action)
    before = everything()
    motion = joint_motion.evaluate(
        read_character(armature), clip, joint_motion.grid(clip), roots.Root("Root", moves=True)
    )
    assert differences(before, everything()) == {}
    assert np.ptp(motion.positions, axis=0).max() > 1.0


@pytest.mark.usefixtures("fresh_file", "many_slices")
@pytest.mark.parametrize("override", [False, True])
def test_linked_rigs_are_played_too(tmp_path: Path, *, override: bool) -> None:
    armature, clip = played_rig(other_action)
    frames, root = joint_motion.grid(clip)[:4], roots.Root("Root", moves=True)
    expected = joint_motion.evaluate(read_character(armature), clip, frames, root)
    bpy.data.libraries.write(str(tmp_path / "rig.blend"), {armature, clip.action}, fake_user=True)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(str(tmp_path / "rig.blend"), link=True) as (there, here):
        here.objects, here.actions = there.objects, ["Clip"]
    armature = bpy.data.objects["Rig"]
    bpy.context.scene.collection.objects.link(armature)
    if override:
        armature = armature.override_create(remap_local_usages=True)
    bpy.context.scene.frame_set(17, subframe=0.25)
    before = everything()
    motion = joint_motion.evaluate(
        read_character(armature), read(armature, bpy.data.actions["Clip"]), frames, root
    )
    assert_alike(motion, expected)
    # what is assigned from Python counts as linked on its own from then on; nothing can take that back
    assert {key.rpartition(".")[2] for key in differences(before, everything())} <= {"is_library_indirect"}


@pytest.fixture
def watcher() -> Iterator[list[bool]]:
    """Notes whether a clip is being played, whenever an action is said to be updated."""
    seen: list[bool] = []

    def watch(_scene: Any, depsgraph: Any) -> None:
        if depsgraph.id_type_updated("ACTION"):
            seen.append(playback.is_running())

    bpy.app.handlers.depsgraph_update_post.append(watch)
    yield seen
    bpy.app.handlers.depsgraph_update_post.remove(watch)


@pytest.mark.usefixtures("fresh_file", "many_slices")
def test_handlers_can_tell_that_a_clip_is_played(watcher: list[bool]) -> None:
    armature, clip = played_rig(other_action)
    watcher.clear()
    for _ in joint_motion.steps(
        read_character(armature), clip, joint_motion.grid(clip)[:3], roots.Root("Root", moves=True)
    ):
        bpy.context.view_layer.update()
    assert all(watcher)


def hide(armature: Any) -> None:
    armature.hide_viewport = True


def exclude(armature: Any) -> None:
    collection = bpy.data.collections.new("Away")
    bpy.context.scene.collection.children.link(collection)
    collection.objects.link(armature)
    bpy.context.scene.collection.objects.unlink(armature)
    bpy.context.view_layer.layer_collection.children["Away"].exclude = True


def disable(armature: Any) -> None:
    exclude(armature)
    bpy.context.view_layer.layer_collection.children["Away"].exclude = False
    bpy.data.collections["Away"].hide_viewport = True


def unlink(armature: Any) -> None:
    bpy.context.scene.collection.objects.unlink(armature)


def other_scene(armature: Any) -> None:
    unlink(armature)
    bpy.data.scenes.new("Elsewhere").collection.objects.link(armature)


def edit(armature: Any) -> None:
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")


def tweak(armature: Any) -> None:
    nla(armature)
    armature.animation_data.nla_tracks[0].strips[0].select = True
    armature.animation_data.nla_tracks[0].select = True
    armature.animation_data.use_tweak_mode = True
    assert armature.animation_data.use_tweak_mode


@pytest.mark.usefixtures("fresh_file")
@pytest.mark.parametrize("state", [hide, exclude, disable, unlink, other_scene, edit, tweak])
def test_a_rig_that_blender_would_not_play_is_refused(state: Callable[[Any], None]) -> None:
    armature, clip = played_rig(state)
    before = everything()
    with pytest.raises(InertiaError, match='"Rig"'):
        joint_motion.evaluate(
            read_character(armature), clip, joint_motion.grid(clip), roots.Root("Root", moves=True)
        )
    assert differences(before, everything()) == {}
    if armature.mode == "EDIT":
        bpy.ops.object.mode_set(mode="OBJECT")


@pytest.mark.usefixtures("fresh_file")
def test_hidden_by_the_eye_is_played() -> None:
    armature, clip = played_rig(nothing_else)
    root, frames = roots.Root("Root", moves=True), joint_motion.grid(clip)
    expected = joint_motion.evaluate(read_character(armature), clip, frames, root)
    armature.hide_set(True)
    assert_alike(joint_motion.evaluate(read_character(armature), clip, frames, root), expected)


@pytest.mark.usefixtures("fresh_file")
def test_key_tells_what_matters() -> None:
    armature, clip = played_rig(nothing_else)
    clips.play(armature, clip.action)
    bpy.context.scene.frame_set(1)
    seen = influence.key(armature)
    assert hash(seen) == hash(influence.key(armature))
    bpy.context.scene.frame_set(20)
    armature.pose.bones["Hip"].location = (1.0, 2.0, 3.0)
    assert influence.key(armature) == seen, "neither frame nor pose matters"
    constraint = armature.pose.bones["Hip"].constraints[0]
    changes: list[tuple[Any, str, Any]] = [
        (armature.pose.bones["Hip"], "rotation_mode", "YXZ"),
        (armature.data.bones["Hip"], "inherit_scale", "NONE"),
        (armature.data.bones["Hip"], "use_local_location", False),
        (armature, "scale", (2.0, 2.0, 2.0)),
        (armature, "delta_location", (2.0, 2.0, 2.0)),
        (constraint, "subtarget", "Hip"),
        (constraint, "mute", True),
        (constraint, "invert_x", True),
        (bpy.context.scene.render, "fps", 60),
        (bpy.context.scene.unit_settings, "scale_length", 0.5),
    ]
    for owner, name, value in changes:
        setattr(owner, name, value)
        assert influence.key(armature) != seen, name
        seen = influence.key(armature)


@pytest.mark.usefixtures("fresh_file")
def test_points_on_bones_go_along_with_them_whoever_plays_the_rig() -> None:
    armature = small_rig()
    action = animated()
    compat.assign(armature, action, compat.slots(action)[0].identifier)
    marks = [(i, (0.1 * i, bone.length, -0.2)) for i, bone in enumerate(armature.data.bones)]
    frames = np.array([3.0, 7.5, 20.0])
    for constrained in (False, True):
        if constrained:
            made = armature.pose.bones["Arm"].constraints.new("COPY_LOCATION")
            made.target, made.subtarget = armature, "Foot"
        matrices = by_hand(armature, action, frames)
        wanted = np.stack([matrices[:, bone] @ (*offset, 1.0) for bone, offset in marks], axis=1)[..., :3]
        clip, root = read(armature, action), Root(OBJECT_ROOT, moves=False)
        motion, points = finish(joint_motion.with_points(read_character(armature), clip, frames, root, marks))
        assert_plays(motion, matrices, OBJECT_ROOT)
        np.testing.assert_allclose(points, wanted, atol=2e-5)
