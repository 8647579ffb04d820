# SPDX-License-Identifier: GPL-3.0-or-later
"""Two library overrides of one Rigify character: looked at, searched, baked, saved and opened again."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import actions, compat
from inertia_addon.blender.transition import bake
from inertia_addon.settings.transition import TransitionSettings
from inertia_addon.ui.transition import outlook
from tests.blender.transition.test_control_rigs import MODES, assert_same, clip, motion_of, switches
from tests.ui.shared.test_file_handlers import OURS, look_at_everything

CUT, ENTRY, LAST = 10.0, 6.0, 16.0
NAMES = ("rig", "rig.001")
IK, FK = MODES[1], MODES[-2]
"""Two combinations of a limb's switches, all of which differ."""


def short(rig: Any, *arguments: Any, **options: Any) -> Any:
    """A clip's first frames: all that is looked at."""
    made = clip(rig, *arguments, **options)
    for curve in compat.curves(made, compat.slots(made)[0].identifier):
        for key in [key for key in curve.keyframe_points if key.co[0] > LAST][::-1]:
            curve.keyframe_points.remove(key)
    return made


def together(name: str, own: Any, other: Any) -> None:
    """An action with both of two in slots for the two characters."""
    made = bpy.data.actions.new(name)
    made.use_fake_user = True
    for slot, part in zip(NAMES, (own, other), strict=True):
        bag = compat.new_bag(made, compat.Slot("OB" + slot, "OBJECT"))
        for address, curve in actions.read(part, compat.slots(part)[0]).curves.items():
            actions.write(bag, address, curve.keys, None)


@pytest.fixture(scope="module")
def library(rigify: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A human with actions that key its switches otherwise; its own are not wanted."""
    path = tmp_path_factory.mktemp("overrides") / "library.blend"
    bpy.ops.wm.open_mainfile(filepath=str(rigify()))
    rig = bpy.data.objects["rig"]
    here, there = (switches(rig, mode) for mode in (IK, FK))
    source = short(rig, "Source", yaw=0.5, switches=here)
    destination = short(rig, "Destination", speed=0.08, yaw=-0.6, at=(1.0, 0.5), phase=0.3, switches=there)
    if compat.has_slots():
        foes = (
            short(rig, "Foe's Source", speed=0.06, yaw=-0.3, at=(0.6, -0.8), phase=0.5, switches=there),
            short(rig, "Foe's Destination", speed=0.03, yaw=0.9, at=(1.8, 0.1), phase=0.1, switches=here),
        )
        together("Attack", source, foes[0])
        together("Answer", destination, foes[1])
    for bone in rig.pose.bones:
        bone.matrix_basis.identity()
    compat.assign(rig, source, "OBrig" if compat.has_slots() else "")
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


@pytest.fixture
def shot(library: Path, fresh_file: None, tmp_path: Path) -> Path:
    """A shot with two overrides, of which the first has chosen its clips; saved and opened."""
    names = ("Source", "Destination", *(("Attack", "Answer") if compat.has_slots() else ()))
    with bpy.data.libraries.load(str(library), link=True) as (_, wanted):
        wanted.objects, wanted.actions = ["rig"], list(names)
    linked = wanted.objects[0]
    for _name in NAMES:
        bpy.context.scene.collection.objects.link(linked.override_create(remap_local_usages=False))
    keeper = bpy.data.texts.new("keeper")
    for action in wanted.actions:
        keeper[action.name] = action  # what is linked and nobody uses is not saved
    own = character().inertia
    own.source, own.destination = wanted.actions[:2]
    own.cut, own.blend_frames, own.show_result, own.feet = CUT, 3.0, False, "OFF"
    path = tmp_path / "shot.blend"
    reopen(path)
    return path


def character(name: str = "rig") -> Any:
    return bpy.data.objects[name, None]


def reopen(path: Path) -> None:
    bpy.ops.wm.save_as_mainfile(filepath=str(path), compress=False)
    bpy.ops.wm.open_mainfile(filepath=str(path))
    bpy.context.view_layer.objects.active = character()


def enter(frame: float) -> None:
    """Say where the destination is entered, so that no entry is looked for."""
    own = character().inertia
    own.use_destination_frame, own.destination_frame = True, frame


def held(path: Path) -> dict[str, Any]:
    """What the shot holds beside what it links: what it overrides, its data-blocks, what add-ons store."""
    reopen(path)
    overridden = {
        f"{name} {prop.rna_path}": [(each.operation, each.subitem_local_name) for each in prop.operations]
        for name in NAMES
        for prop in character(name).override_library.properties
    }
    local = {repr(block): True for block in bpy.data.user_map() if block.library is None}
    bones = {
        repr(bone): list(bone.keys())
        for rig in map(character, NAMES)
        for bone in rig.pose.bones
        if bone.keys() != rig.override_library.reference.pose.bones[bone.name].keys()
    }
    objects = {repr(character(name)): sorted(character(name).keys()) for name in NAMES}
    return {**overridden, **local, **bones, **objects, "words": path.read_bytes().count(OURS)}


def changed(before: dict[str, Any], after: dict[str, Any]) -> set[str]:
    return {key for key in {*before, *after} if before.get(key) != after.get(key)}


def test_an_override_gets_no_more_than_a_result_by_looking_searching_and_baking(
    shot: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """And the other override, which shares the actions, stands there while they are played."""
    character().inertia_search.apart_frames = 100.0  # so that few pairs are to be judged
    enter(ENTRY)  # which the search changes, as it is there for
    before = held(shot)
    look_at_everything()
    assert outlook.preflight(character()).ready
    assert changed(before, held(shot)) == set(), "a look"
    stood = stand(0.9, 3)
    standing = stance(NAMES[1])
    assert bpy.ops.inertia.evaluate_clips() == {"FINISHED"}
    assert stance(NAMES[1]) == standing
    assert bpy.ops.inertia.find_meeting(goal="PAIR") == {"FINISHED"}
    assert stance(NAMES[1]) == standing
    stand(*stood)
    capfd.readouterr()
    assert changed(before, held(shot)) == set(), "a search"
    assert "ERROR" not in "".join(capfd.readouterr())
    standing = stance(NAMES[1])
    assert bpy.ops.inertia.bake_transition() == {"FINISHED"}
    assert stance(NAMES[1]) == standing
    # the action and its assignment, and what Blender notes of any that is played: where its channels are
    result = compat.assigned(character())[0]
    assert result.library is None
    keyed = {f"rig {curve.data_path}" for curve in compat.curves(result, compat.assigned(character())[1])}
    assigned = {"rig animation_data.action", "rig animation_data.action_slot_handle"}
    assigned |= {"rig animation_data.last_slot_identifier", repr(result), "words"}
    baked = held(shot)
    found = changed(before, baked)
    assert "rig animation_data.action" in found
    assert found - assigned <= keyed
    assert changed(baked, held(shot)) == set()


def stand(w: float, parent: int) -> tuple[float, int]:
    """Bend the other character, and switch a space of it; returns how it stood."""
    chest = character(NAMES[1]).pose.bones["chest"]
    switching = character(NAMES[1]).pose.bones[switches(character(NAMES[1]), IK)[0][0]]
    stood = chest.rotation_quaternion[0], switching["IK_parent"]
    chest.rotation_quaternion[0], switching["IK_parent"] = w, parent
    bpy.context.view_layer.update()
    return stood


def stance(name: str) -> Any:
    """What a character plays, and how it stands; what the file has is another one once it is opened again."""
    action, slot = compat.assigned(character(name))
    return action and action.name, slot, pose_of(character(name))


def pose_of(rig: Any) -> list[Any]:
    values = [np.array(bone.matrix_basis).tobytes() for bone in rig.pose.bones]
    return [*values, *(repr(item) for bone in rig.pose.bones for item in bone.items())]


def placed(action: Any, frames: Any) -> np.ndarray:
    """Where the deform bones of both are (frames, bones, 4, 4) while they play an action."""
    for name in NAMES:
        compat.assign(character(name), action, "OB" + name)
        for bone in character(name).pose.bones:
            bone.matrix_basis.identity()
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(int(frame), subframe=frame - int(frame))
        graph = bpy.context.evaluated_depsgraph_get()
        seen = [character(name).evaluated_get(graph) for name in NAMES]
        found.append(
            [rig.matrix_world @ b.matrix for rig in seen for b in rig.pose.bones if b.bone.use_deform]
        )
    return np.array(found)


@pytest.mark.skipif(not compat.has_slots(), reason="actions of this Blender have no slots")
def test_two_overrides_fight_and_keep_their_places(shot: Path) -> None:
    """Both switch between FK and IK at the cut, each the other way, and neither pops."""
    attack, answer = bpy.data.actions["Attack"], bpy.data.actions["Answer"]
    before, after = np.arange(2.5, CUT, 2.5), np.array([0.5, 2.0, 3.5])
    wanted = placed(attack, before)
    steps = np.linalg.norm(np.diff(placed(attack, [CUT - 1.0, CUT])[..., :3, 3], axis=0), axis=-1).max()
    at_cut = placed(attack, [CUT])[0]
    how: dict[str, Any] = {"blend_frames": 4.0, "assign_others": True, "feet": "OFF"}
    settings = TransitionSettings("Attack", "Answer", CUT, ENTRY, **how)
    report = bake.bake_transition(character(), settings)
    result = bpy.data.actions[report.result]
    assert [compat.assigned(character(name)) for name in NAMES] == [(result, "OB" + name) for name in NAMES]
    assert any(note.startswith('The result has "rig.001" as well, moved along') for note in report.notes)
    assert np.linalg.norm(report.translation) > 0.5
    assert_same(placed(result, before), wanted)
    ends = report.window[1] + after
    moved = motion_of(report) @ placed(answer, ends - CUT + ENTRY)
    assert_same(placed(result, ends), moved)
    assert np.linalg.norm((placed(result, [CUT])[0] - at_cut)[:, :3, 3], axis=-1).max() <= steps


def test_a_result_of_a_link_alone_is_not_assigned(library: Path, fresh_file: None) -> None:
    """A linked character holds no settings; a script may bake for it."""
    with bpy.data.libraries.load(str(library), link=True) as (_, wanted):
        wanted.objects, wanted.actions = ["rig"], ["Source", "Destination"]
    rig = wanted.objects[0]
    bpy.context.scene.collection.objects.link(rig)
    before = pose_of(rig), compat.assigned(rig)
    settings = TransitionSettings("Source", "Destination", CUT, ENTRY, feet="OFF")
    report = bake.bake_transition(rig, settings)
    assert not report.assigned
    assert re.search("is linked from another file", report.not_assigned_because)
    assert (pose_of(rig), compat.assigned(rig)) == before
