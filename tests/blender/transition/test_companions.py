# SPDX-License-Identifier: GPL-3.0-or-later
"""Several characters in one action: those beside the baked one come along by the same rigid motion."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from inertia_addon.blender.data import compat, recipe, recipe_reader
from inertia_addon.blender.files import exporting
from inertia_addon.blender.transition import bake
from inertia_addon.blender.transition.report import BakeReport
from inertia_addon.motion.arrays import Array
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import builders

CUT, ENTRY, BLEND = 15.0, 6.0, 8.0
LATER = CUT - ENTRY

pytestmark = [
    pytest.mark.usefixtures("fresh_file"),
    pytest.mark.skipif(not compat.has_slots(), reason="actions of this Blender have no slots"),
]


def fighter(name: str, at: tuple[float, float] = (0.0, 0.0), facing: float = 0.0) -> Any:
    """A rig that stands somewhere and has never been animated."""
    armature = builders.rig({"Root": None, "Hips": "Root", "Head": "Hips"}, name)
    armature.location = (*at, 0.0)
    armature.rotation_euler.z = facing
    return armature


def act(
    action: Any,
    slot: str,
    path: str,
    way: Sequence[tuple[float, float]],
    turn: float,
    mode: str = "QUATERNION",
) -> None:
    """Key a way over the ground from one place to another, in 40 frames, and a turn on the way.

    path: what the data paths of its channels begin with; a bone's own axes have the vertical along y.
    """
    up = 1 if path else 2
    ground = (0, 2) if path else (0, 1)
    for axis in range(2):
        ends = [(1.0 + 40.0 * i / (len(way) - 1), place[axis]) for i, place in enumerate(way)]
        builders.curve(action, f"{path}location", ground[axis], ends, slot=slot)
    if mode == "QUATERNION":
        axis = np.eye(3)[up]
        points = [(f, (math.cos(a), *math.sin(a) * axis)) for f, a in ((1, 0.25 * turn), (41, 0.75 * turn))]
        builders.curves(action, f"{path}rotation_quaternion", points, slot=slot)
    else:
        builders.curve(action, f"{path}rotation_euler", up, [(1, 0.5 * turn), (41, 1.5 * turn)], slot=slot)


def fight(name: str, own: Mapping[str, Any], foe: Mapping[str, Any] | None, slot: str = "OBFoe") -> Any:
    """An action of two: each goes its way, and moves its body."""
    action = builders.action(name)
    for identifier, how in (("OBRig", own), (slot, foe)):
        if how is None:
            continue
        act(action, identifier, **how)
        builders.wave(action, 'pose.bones["Head"].location', 0, 0.2, phase=how["turn"], slot=identifier)
    return action


ROOT = 'pose.bones["Root"].'
STEPS = {"path": ROOT, "way": [(0.0, 0.0), (0.3, -1.5)], "turn": 0.5}
"""How the character goes in the source ..."""
STRIKES = {"path": ROOT, "way": [(2.0, 1.0), (3.5, 1.5)], "turn": -0.9}
"""... and in the destination, elsewhere."""


def shown(players: Mapping[Any, str], action: Any, frames: Iterable[float]) -> Array:
    """Where all that plays an action is (frames, everything, 4, 4), by Blender's own evaluation."""
    for owner, slot in players.items():
        for bone in owner.pose.bones if owner.pose is not None else ():
            bone.matrix_basis = Matrix()
        compat.assign(owner, action, slot)
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(math.floor(frame), subframe=frame - math.floor(frame))
        graph = bpy.context.evaluated_depsgraph_get()
        row = []
        for owner in players:
            seen = owner.evaluated_get(graph)
            row.append(np.array(seen.matrix_world))
            if seen.pose is not None:
                row += [np.array(seen.matrix_world @ bone.matrix) for bone in seen.pose.bones]
        found.append(row)
    return np.array(found)


def motion_of(report: BakeReport) -> Array:
    turn = np.array(Matrix.Rotation(math.radians(report.heading_degrees), 4, "Z"))
    turn[:3, 3] = report.translation
    return turn


def joined(armature: Any, **how: Any) -> tuple[BakeReport, Any]:
    settings = TransitionSettings(
        "Source", "Destination", CUT, ENTRY, **{"blend_frames": BLEND, "root": "Root", **how}
    )
    report = bake.bake_transition(armature, settings)
    return report, bpy.data.actions[report.result]


BEFORE, AFTER = np.arange(1.5, CUT, 1.0), np.arange(0.5, 16.0, 1.0)


def assert_together(report: BakeReport, result: Any, players: Mapping[Any, str]) -> None:
    """At half frames before the cut the source, behind the window the destination, moved by one motion.

    What is a bone is looked at, and the objects that go themselves.
    """
    source, destination = bpy.data.actions["Source"], bpy.data.actions["Destination"]
    after = report.window[1] + AFTER
    wanted = shown(players, source, BEFORE), motion_of(report) @ shown(players, destination, after - LATER)
    found = shown(players, result, BEFORE), shown(players, result, after)
    # the object of a rig whose root is a bone stays where it is
    stays = np.all(np.abs(found[0][0] - found[1][-1]) < 1e-6, axis=(1, 2))
    assert not stays.all()
    for here, there in zip(found, wanted, strict=True):
        np.testing.assert_allclose(here[:, ~stays], there[:, ~stays], atol=2e-5)


WAYS = {
    "a bone": ({"path": ROOT, "way": [(1.0, 0.0), (1.2, -1.0)], "turn": 0.3}, {}),
    "the object": (
        {"path": "", "way": [(1.0, 0.5), (0.5, -1.0)], "turn": 0.6, "mode": "XYZ"},
        {"path": "", "way": [(3.0, 2.0), (4.5, 1.0)], "turn": -1.0, "mode": "XYZ"},
    ),
    "a bone of an object elsewhere": (
        {"path": ROOT, "way": [(0.0, 0.0), (0.4, -1.0)], "turn": 0.3},
        {"path": ROOT, "way": [(1.0, 1.0), (0.4, -1.0)], "turn": 0.3},
    ),
    "a bone that stands still": (
        {"path": ROOT, "way": [(0.0, 0.0), (0.0, 0.0)], "turn": 0.0},
        {"path": 'pose.bones["Hips"].', "way": [(0.0, 0.1), (0.0, 0.0)], "turn": 0.1},
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_companions_are_warped_like_the_character(way: str) -> None:
    """Within the warp and behind it everybody keeps the places to each other."""
    rig, foe = fighter("Rig"), fighter("Foe", (1.0, 0.5), 0.4)
    own, strikes = WAYS[way]
    fight("Source", STEPS, own)
    fight("Destination", STRIKES, {**own, **strikes})
    players = {rig: "OBRig", foe: "OBFoe"}
    frames = [CUT + BLEND + 3.0, 30.0, 40.0, 46.0]
    _, plain = joined(rig, feet="OFF", result="Plain")
    before = shown(players, plain, frames)
    _, warped = joined(rig, feet="OFF", warp_to="4,-2,70", warp_at=35.0, result="Warped")
    after = shown(players, warped, frames)
    goes = [i for i in range(before.shape[1]) if np.abs(np.ptp(before[:, i], axis=0)).max() > 1e-3]
    motions = after[:, 2] @ np.linalg.inv(before[:, 2])
    assert np.abs(motions - np.eye(4)).max() > 0.5
    foe_s = [i for i in goes if i >= 4]
    assert foe_s
    np.testing.assert_allclose(after[:, foe_s], (motions[:, None] @ before)[:, foe_s], atol=2e-3)


@pytest.mark.variants(2)
@pytest.mark.parametrize("way", WAYS)
def test_two_fighters_keep_their_places(way: str) -> None:
    """Wherever the other stands, and whatever of it goes over the ground."""
    here, there = WAYS[way]
    elsewhere = way.endswith("elsewhere")
    armature, foe = fighter("Rig"), fighter("Foe", (1.5, 2.0) if elsewhere else (0.0, 0.0), 2.0 * elsewhere)
    fight("Source", STEPS, here)
    fight("Destination", STRIKES, there or {**here, "way": [(2.5, 0.5), (2.5, 3.0)], "turn": 2.0})
    report, result = joined(armature)
    assert report.alignment == "POSITION_HEADING"
    assert np.linalg.norm(report.translation) > 1.0
    assert abs(report.heading_degrees) > 20.0
    assert_together(report, result, {armature: "OBRig", foe: "OBFoe"})
    assert report.notes[0] == (
        'The result has "Foe" as well, moved along so that all keep their places to each other.'
    )


def test_companions_without_alignment_stay_where_they_were_animated() -> None:
    armature, foe = fighter("Rig"), fighter("Foe")
    fight("Source", STEPS, WAYS["a bone"][0])
    fight("Destination", STRIKES, STRIKES)
    report, result = joined(armature, alignment="NONE")
    assert_together(report, result, {armature: "OBRig", foe: "OBFoe"})
    assert report.notes[0] == 'The result has "Foe" as well.'


@pytest.mark.variants(2)
@pytest.mark.parametrize("rotation", ["XYZ", "ZYX", "QUATERNION", "AXIS_ANGLE"])
def test_objects_come_along(rotation: str) -> None:
    """A ball, whichever way its rotation is keyed, and a camera that hangs from it."""
    armature, ball = fighter("Rig"), bpy.data.objects.new("Ball", None)
    camera = bpy.data.objects.new("Eye", None)
    ball.rotation_mode = rotation
    ball.delta_location = (0.3, 0.2, 0.1)
    camera.parent = ball
    for thing in (ball, camera):
        bpy.context.collection.objects.link(thing)
    for n, (name, own) in enumerate((("Source", STEPS), ("Destination", STRIKES))):
        action = fight(name, own, None)
        builders.curve(action, "location", 0, [(1, 1.0 + n), (41, 2.0)], slot="OBBall")
        prop, count = builders.ROTATIONS.get(rotation, ("rotation_euler", 3))
        turned = {"AXIS_ANGLE": (0.3, 0.0, 0.6, 0.8)}.get(rotation, (0.5, 0.4, 0.3, 0.2)[:count])
        turns = [(1, tuple(np.eye(count)[0] * (count == 4))), (41, turned)]
        turns = [(1, (0.1, 0.0, 0.6, 0.8)), turns[1]] if rotation == "AXIS_ANGLE" else turns
        builders.curves(action, prop, turns, slot="OBBall")
        builders.wave(action, "location", 2, 0.4, slot="OBEye")
    report, result = joined(armature)
    assert_together(report, result, {armature: "OBRig", ball: "OBBall", camera: "OBEye"})


def test_a_companion_that_goes_where_another_goes_is_not_moved_twice() -> None:
    """A sword on a bone, a shield that follows one by a constraint, a cart that hangs from the object."""
    armature, foe = fighter("Rig"), fighter("Foe")
    things = [bpy.data.objects.new(name, None) for name in ("Sword", "Shield", "Cart")]
    for thing in things:
        bpy.context.collection.objects.link(thing)
    sword, shield, cart = things
    sword.parent, sword.parent_type, sword.parent_bone = armature, "BONE", "Head"
    child_of = shield.constraints.new("CHILD_OF")
    child_of.target, child_of.subtarget = foe, "Head"
    cart.parent = armature  # whose object stays where it is, as its root is a bone
    for n, (name, own) in enumerate((("Source", STEPS), ("Destination", STRIKES))):
        action = fight(name, own, {**STRIKES, "way": [(1.0 + n, 0.0), (0.0, 2.0)]})
        for thing in things:
            builders.curve(action, "location", 0, [(1, 0.2 + n), (41, 0.5)], slot="OB" + thing.name)
            builders.wave(action, "rotation_euler", 2, 0.3, slot="OB" + thing.name)
    report, result = joined(armature)
    assert_together(report, result, {armature: "OBRig", foe: "OBFoe", **{o: "OB" + o.name for o in things}})
    # what hangs from the character belongs to it, as ever
    assert compat.assigned(sword) == (result, "OBSword")
    assert '"Foe", "Shield"' in report.notes[0]


def test_a_mesh_that_bones_bend_stays_in_their_space() -> None:
    """A coat of the character goes where its bones are, also without its object; a ball in it is moved."""
    armature = fighter("Rig")
    mesh = bpy.data.meshes.new("Coat")
    coat, ball = bpy.data.objects.new("Coat", mesh), bpy.data.objects.new("Ball", mesh.copy())
    for thing, kind in ((coat, "ARMATURE"), (ball, "HOOK")):
        bpy.context.collection.objects.link(thing)
        thing.modifiers.new("Modifier", kind).object = armature
    for n, name in enumerate(("Source", "Destination")):
        action = fight(name, (STEPS, STRIKES)[n], None)
        for thing in (coat, ball):
            builders.curve(action, "location", 0, [(1, 0.2 + n), (41, 0.5)], slot="OB" + thing.name)
    report, result = joined(armature)
    after = report.window[1] + AFTER
    for thing, motion in ((coat, np.eye(4)), (ball, motion_of(report))):
        players = {thing: "OB" + thing.name}
        wanted = motion @ shown(players, bpy.data.actions["Destination"], after - LATER)
        np.testing.assert_allclose(shown(players, result, after), wanted, atol=2e-5)


def test_a_rider_is_told_to_bake_the_horse() -> None:
    armature, horse = fighter("Rig"), fighter("Horse")
    armature.parent = horse
    fight("Source", STEPS, STRIKES, slot="OBHorse")
    fight("Destination", STRIKES, STEPS, slot="OBHorse")
    report, _ = joined(armature)
    assert any('bake the transition of "Horse"' in text for text in report.warnings)
    report, _ = joined(horse, root="Root", source_slot="OBHorse", destination_slot="OBHorse")
    assert not any("is a child of" in text for text in report.warnings)


@pytest.mark.parametrize("only", ["Source", "Destination"])
def test_a_companion_with_only_one_clip_plays_it_throughout(only: str) -> None:
    """No rest pose is made up: nobody sinks into one, nor glides out of one."""
    armature, foe = fighter("Rig"), fighter("Foe")
    for name, own in (("Source", STEPS), ("Destination", STRIKES)):
        fight(name, own, WAYS["a bone"][0] if name == only else None)
    # longer than the character's
    for curve in compat.curves(bpy.data.actions[only], "OBFoe"):
        for key in curve.keyframe_points:
            key.co.x = 2.0 * key.co.x - 15.0
        curve.update()
    report, result = joined(armature)
    frames = np.arange(-15.5, 90.0, 1.0)
    playing = {foe: "OBFoe"}
    found = shown(playing, result, frames)[:, 1:]
    if only == "Source":
        wanted = shown(playing, bpy.data.actions["Source"], frames)[:, 1:]
    else:
        wanted = motion_of(report) @ shown(playing, bpy.data.actions["Destination"], frames - LATER)[:, 1:]
    np.testing.assert_allclose(found, wanted, atol=2e-5)
    assert f'Only "{only}" has "Foe": that plays throughout, without a blend.' in report.notes
    # the range is that of the character
    assert report.frame_range == (1.0, 41.0 + LATER)
    assert exporting.frames_of(armature, result, "OBRig") == (1, 41 + LATER)


def test_a_companion_that_is_not_in_the_file_is_not_moved_and_named() -> None:
    armature = fighter("Rig")
    fight("Source", STEPS, STRIKES)
    fight("Destination", STRIKES, STEPS)
    report, result = joined(armature)
    assert any(text.startswith('The file has no "Foe"') for text in report.warnings)
    foe = fighter("Foe")
    after = report.window[1] + AFTER
    found = shown({foe: "OBFoe"}, result, after)
    wanted = shown({foe: "OBFoe"}, bpy.data.actions["Destination"], after - LATER)
    np.testing.assert_allclose(found, wanted, atol=2e-5)


def test_a_companion_that_no_motion_turns_is_named_and_stops_nothing() -> None:
    armature, ball = fighter("Rig"), bpy.data.objects.new("Ball", None)
    ball.parent = bpy.data.objects.new("Stretched", None)
    ball.parent.scale = (1.0, 3.0, 1.0)
    for thing in (ball, ball.parent):
        bpy.context.collection.objects.link(thing)
    bpy.context.view_layer.update()
    for name, own in (("Source", STEPS), ("Destination", STRIKES)):
        builders.wave(fight(name, own, None), "location", 0, 1.0, slot="OBBall")
    report, result = joined(armature)
    assert any(text.startswith('"Ball" is not moved along: ') for text in report.warnings)
    assert_together(report, result, {armature: "OBRig"})
    report, result = joined(armature, alignment="POSITION")
    assert_together(report, result, {armature: "OBRig", ball: "OBBall"})


@pytest.mark.parametrize(("further", "is_named"), [(0.0, False), (0.15, False), (7.0, True)])
def test_a_companion_that_glides_to_its_place_is_named(further: float, *, is_named: bool) -> None:
    """By metres that a character of its size does not go in a step or two."""
    armature, _ = fighter("Rig"), fighter("Foe")
    fight("Source", STEPS, {**STEPS, "way": [(1.0, 0.0), (1.3, -1.5)]})
    fight("Destination", STEPS, {**STEPS, "way": [(1.0 + further, 0.0), (1.3 + further, -1.5)]})
    report, _ = joined(armature)
    named = [text for text in report.warnings if text.startswith('Relative to the character, "Foe" stands')]
    assert bool(named) is is_named


def test_no_pop_of_either_at_the_cut() -> None:
    armature, foe = fighter("Rig"), fighter("Foe")
    fight("Source", STEPS, WAYS["a bone"][0])
    fight("Destination", STRIKES, {**WAYS["a bone"][0], "way": [(3.0, 0.5), (3.0, 3.0)]})
    _, result = joined(armature)
    players = {armature: "OBRig", foe: "OBFoe"}
    steps = {
        action.name: np.abs(np.diff(shown(players, action, np.arange(2.0, 38.0, 0.25)), axis=0)).max()
        for action in (bpy.data.actions["Source"], bpy.data.actions["Destination"])
    }
    around = np.abs(np.diff(shown(players, result, np.arange(CUT - 0.25, CUT + 0.3, 0.25)), axis=0)).max()
    assert around <= 1.5 * max(steps.values())


@pytest.mark.parametrize("wanted", [False, True])
def test_the_result_is_assigned_to_a_companion_if_asked(*, wanted: bool) -> None:
    armature, foe = fighter("Rig"), fighter("Foe")
    source = fight("Source", STEPS, STRIKES)
    fight("Destination", STRIKES, STEPS)
    compat.assign(foe, source, "OBFoe")
    foe.pose.bones["Hips"].location.x = 0.25  # which nothing keys
    report, result = joined(armature, assign_others=wanted)
    assert compat.assigned(armature) == (result, "OBRig")
    assert compat.assigned(foe) == ((result, "OBFoe") if wanted else (source, "OBFoe"))
    assert source.use_fake_user
    said = "It is assigned to" if wanted else "It is not assigned to"
    assert any(text.startswith(f'{said} "Foe"') for text in report.notes)
    assert foe.pose.bones["Hips"].location.x == pytest.approx(0.25)
    bpy.context.scene.frame_set(30)
    assert foe.pose.bones["Hips"].location.x == pytest.approx(0.25)


def test_the_result_is_not_assigned_to_a_companion_where_it_is_to_nobody() -> None:
    armature, foe = fighter("Rig"), fighter("Foe")
    fight("Source", STEPS, STRIKES)
    fight("Destination", STRIKES, STEPS)
    report, _ = joined(armature, assign=False, assign_others=True)
    assert compat.assigned(foe) == (None, "")
    assert len(report.notes) == 1


def test_a_companion_in_tweak_mode_keeps_what_it_has_and_is_named() -> None:
    armature, foe = fighter("Rig"), fighter("Foe")
    source = fight("Source", STEPS, STRIKES)
    fight("Destination", STRIKES, STEPS)
    compat.assign(foe, source, "OBFoe")
    track = foe.animation_data.nla_tracks.new()
    strip = track.strips.new("Strip", 1, source)
    strip.select = True
    foe.animation_data.action = None
    track.select = True
    foe.animation_data.nla_tracks.active = track
    foe.animation_data.use_tweak_mode = True
    before = compat.assigned(foe)
    report, result = joined(armature, assign_others=True)
    assert compat.assigned(armature)[0] == result
    assert compat.assigned(foe) == before
    assert any('"Foe" has a strip in tweak mode' in text for text in report.warnings)


def test_a_companion_with_another_name_is_found_by_the_slot_that_it_uses() -> None:
    """To append a character a second time renames it, and not its slots."""
    armature, twin, other = fighter("Rig"), fighter("Rig.001"), fighter("Foe")
    source = fight("Source", STEPS, STRIKES)
    fight("Destination", STRIKES, STEPS)
    compat.assign(twin, source, "OBFoe")
    report, result = joined(armature, assign_others=True)
    assert compat.assigned(twin) == (result, "OBFoe")
    assert compat.assigned(other) == (None, "")
    assert '"Rig.001"' in report.notes[0]
    # it is still found when it plays the result, as when that is made anew
    settings = recipe_reader.read_recipe(result, recipe.RECIPE).settings
    again = bake.bake_transition(armature, settings, into=result)
    assert '"Rig.001"' in again.notes[0]
    assert compat.assigned(twin) == (result, "OBFoe")


def test_a_companion_that_was_renamed_between_the_two_is_one() -> None:
    armature, foe = fighter("Rig"), fighter("Foe")
    source = fight("Source", STEPS, WAYS["a bone"][0])
    compat.assign(foe, source, "OBFoe")
    foe.name = "Enemy"
    destination = fight("Destination", STRIKES, {**STRIKES, "turn": 0.4}, slot="OBEnemy")
    report, result = joined(armature, assign_others=True)
    assert [slot.identifier for slot in compat.slots(result)] == ["OBRig", "OBFoe"]
    assert compat.assigned(foe) == (result, "OBFoe")
    assert not any("Only" in text for text in report.notes)
    after = report.window[1] + AFTER
    wanted = motion_of(report) @ shown({foe: "OBEnemy"}, destination, after - LATER)[:, 1:]
    np.testing.assert_allclose(shown({foe: "OBFoe"}, result, after)[:, 1:], wanted, atol=2e-5)


def test_companions_of_a_result_made_anew_go_on_playing_what_they_play() -> None:
    armature, foe = fighter("Rig"), fighter("Foe")
    source = fight("Source", STEPS, STRIKES)
    fight("Destination", STRIKES, STEPS)
    _, result = joined(armature, assign_others=True)
    builders.by_address(source, "OBFoe")[f"{ROOT}location", 0].keyframe_points[0].co.y += 0.5
    assert recipe_reader.has_changed(result, armature)
    report = bake.bake_transition(
        armature, recipe_reader.read_recipe(result, recipe.RECIPE).settings, into=result
    )
    assert compat.assigned(foe) == (result, "OBFoe")
    assert_together(report, result, {armature: "OBRig", foe: "OBFoe"})


def test_the_mask_leaves_others_out() -> None:
    armature, _ = fighter("Rig"), fighter("Foe")
    fight("Source", STEPS, STRIKES)
    fight("Destination", STRIKES, STEPS)
    report, result = joined(armature, bones=("Head",))
    assert [slot.identifier for slot in compat.slots(result)] == ["OBRig"]
    assert report.notes == ()


def test_a_rig_with_constraints_comes_along_as_blender_shows_it() -> None:
    """Its body follows its root by a constraint alone, and is not moved twice."""
    armature, foe = fighter("Rig"), fighter("Foe", (1.0, 0.0))
    bpy.context.view_layer.objects.active = foe
    bpy.ops.object.mode_set(mode="EDIT")
    foe.data.edit_bones["Hips"].parent = None
    bpy.ops.object.mode_set(mode="OBJECT")
    following = foe.pose.bones["Hips"].constraints.new("ARMATURE")
    target = following.targets.new()
    target.target, target.subtarget = foe, "Root"
    hips = {"path": 'pose.bones["Hips"].', "turn": 0.2}
    for name, own, way in (("Source", STEPS, [(0, 0), (0.5, 1)]), ("Destination", STRIKES, [(2, 0), (3, 2)])):
        action = fight(name, own, {"path": ROOT, "way": way, "turn": 0.4})
        act(action, "OBFoe", way=[(0.0, 0.0), (0.1, 0.1)], **hips)
    report, result = joined(armature)
    assert_together(report, result, {armature: "OBRig", foe: "OBFoe"})
