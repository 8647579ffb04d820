# SPDX-License-Identifier: GPL-3.0-or-later
"""All that plays a rig plays a Rigify character whose space switches are keyed, and leaves it as it was."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import compat
from inertia_addon.cli.program import main
from inertia_addon.ui import panels
from inertia_addon.ui.cost import joint_list
from inertia_addon.ui.shared import cache
from inertia_addon.ui.transition import fields, previewing
from tests.blender.file_state import differences, everything
from tests.ui.recorder import Recorder, drawn, panel_named
from tests.ui.shared.test_file_handlers import look_at_everything
from tests.ui.test_overrides import pose_of

PANELS = {cls.bl_idname: cls for cls in panels.CLASSES}
CLIPS = ("--source", "Walk", "--destination", "Run")


LAST = 21
"""The last frame of the clips: half of them is all that is looked at."""


@pytest.fixture(scope="module")
def character_file(rigify: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A generated rig with short actions that key its switches."""
    path = tmp_path_factory.mktemp("rigify") / "character.blend"
    bpy.ops.wm.open_mainfile(filepath=str(rigify()))
    for action in bpy.data.actions:
        for curve in compat.curves(action, compat.slots(action)[0].identifier):
            for key in [key for key in curve.keyframe_points if key.co[0] > LAST][::-1]:
                curve.keyframe_points.remove(key)
    bpy.ops.wm.save_as_mainfile(filepath=str(path), compress=False)
    return path


@pytest.fixture
def character(character_file: Path) -> Any:
    """The rig, its actions chosen; posed, and switched, without a key."""
    bpy.ops.wm.open_mainfile(filepath=str(character_file))
    rig = bpy.data.objects["rig"]
    rig.inertia.source, rig.inertia.destination = bpy.data.actions["Walk"], bpy.data.actions["Run"]
    rig.inertia.cut, rig.inertia.blend_frames, rig.inertia.feet = 12.0, 4.0, "OFF"
    bpy.context.scene.frame_set(7)
    rig.pose.bones["thigh_parent.L"]["IK_parent"] = 4
    rig.pose.bones["torso"]["torso_parent"] = 0
    rig.pose.bones["hand_ik.R"].location = (0.1, 0.2, 0.3)
    bpy.context.view_layer.update()
    return rig


def test_a_preview_shows_what_is_baked_and_leaves_the_rest(character: Any) -> None:
    """Switches, controls and what constraints make of them; a switch goes over at the cut."""
    own = character.inertia
    own.use_destination_frame, own.destination_frame = True, 1.0  # so that no entry is looked for
    before = everything()
    previewing.begin(bpy.context.scene, character)
    shown = [seen(character, frame) for frame in (5, 12, 14, 17, 22)]
    previewing.end()
    bpy.context.view_layer.update()
    assert differences(before, everything()) == {}
    assert bpy.ops.inertia.bake_transition() == {"FINISHED"}
    for frame, poses in zip((5, 12, 14, 17, 22), shown, strict=True):
        np.testing.assert_allclose(poses, seen(character, frame), atol=1e-5, err_msg=str(frame))
    result = character.animation_data.action
    bone = character.pose.bones["thigh_parent.L"]
    compat.assign(character, result, "OBrig" if compat.has_slots() else "")
    found = []
    for frame in (11, 12):
        bpy.context.scene.frame_set(frame)
        found.append(bone["IK_parent"])
    assert found == [1, 1]


def seen(character: Any, frame: int) -> Any:
    """Where Blender has all bones at a frame."""
    bpy.context.scene.frame_set(frame)
    evaluated = character.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return np.array([bone.matrix for bone in evaluated.pose.bones])


PLAYING: dict[str, dict[str, Any]] = {
    "evaluate_clips": {},
    "find_meeting": {"goal": "PAIR"},
    "find_hops": {"every": True},  # without judging them, which find_meeting does of its pairs
    "measure_actions": {},
}
"""The operators that have it played, or look for what needs that, with their options, in an order."""


def test_operators_play_a_rigify_character(character: Any) -> None:
    bpy.ops.inertia.list_actions(change="ALL")
    character.inertia_search.apart_frames = 100.0  # so that few pairs are to be judged
    before, posed = everything(), pose_of(character)
    for name, options in PLAYING.items():
        if name != "find_meeting":  # which needs that the clips are evaluated
            cache.forget()
        assert getattr(bpy.ops.inertia, name)(**options) == {"FINISHED"}, name
        assert pose_of(character) == posed, name
    assert {path for path in differences(before, everything()) if ".inertia" not in path} == set()


@pytest.fixture
def row(character: Any) -> Callable[[str], tuple[str, list[str]]]:
    """Clicks a row; the active control, and all that are selected and can be seen."""

    def click(bone: str, **options: Any) -> tuple[str, list[str]]:
        assert bpy.ops.inertia.select_bone(bone=bone, **options) == {"FINISHED"}
        return character.data.bones.active.name, [one.name for one in compat.selected_bones(character)]

    return click


def test_a_row_selects_the_control_of_the_side_that_is_shown(
    character: Any, row: Callable[[str], tuple[str, list[str]]]
) -> None:
    assert row("DEF-hand.R") == ("hand_ik.R", ["hand_ik.R"])
    character.pose.bones["upper_arm_parent.R"]["IK_FK"] = 1.0
    character.update_tag()
    assert row("DEF-hand.R") == ("hand_fk.R", ["hand_fk.R"])
    assert row("DEF-spine.006", extend=True) == ("head", ["head", "hand_fk.R"])
    assert row("thigh_tweak.L") == ("thigh_tweak.L", ["thigh_tweak.L"])


@pytest.mark.variants(1)
@pytest.mark.parametrize("hidden", ["itself", "in its collection", "by another one"])
def test_a_row_shows_what_is_hidden(
    character: Any, row: Callable[[str], tuple[str, list[str]]], hidden: str
) -> None:
    bone = character.pose.bones["hand_ik.R"]
    (own,) = bone.bone.collections
    before = {one.name for one in character.data.collections_all if one.is_visible} | {own.name}
    if hidden == "itself":
        (bone if hasattr(bone, "hide") else bone.bone).hide = True
    elif hidden == "in its collection":
        own.is_visible = False
    else:
        next(one for one in character.data.collections_all if one != own).is_solo = True
    assert row("DEF-hand.R") == ("hand_ik.R", ["hand_ik.R"])
    assert {one.name for one in character.data.collections_all if one.is_visible} == before


def texts(panel: str) -> str:
    """What a panel shows, with its rows' buttons, a word each."""
    found = drawn(panel_named(panel))
    return " ".join((*found.texts, *found.pressed, "")).replace(",", "")


def test_panels_name_controls(character: Any) -> None:
    """The costs, the joints that are found, those that are listed, and what may be the root."""
    assert bpy.ops.inertia.evaluate_clips() == {"FINISHED"}
    shown = texts("look") + texts("character") + texts("result")
    assert bpy.ops.inertia.fill_joints() == {"FINISHED"}
    for item in character.inertia_cost.items:
        row = Recorder()
        joint_list.INERTIA_UL_joints.draw_row(None, row, character.inertia_cost, item, 0)
        shown += f"{row.text} "
    shown += " ".join(fields.search_root(character.inertia, bpy.context, "o"))
    assert shown.split().count("hand_ik.L") == 3, "in the costs, found and listed"
    assert {"torso", "head", "foot_ik.R"} <= set(shown.split())
    assert not re.findall(r"(?:DEF|ORG|MCH)-\S+", shown)


def overridden() -> list[str]:
    """What the shot overrides of the character."""
    return sorted(prop.rna_path for prop in bpy.data.objects["rig", None].override_library.properties)


def reopen(path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Save the shot, and open it without a word of an override that can't be applied."""
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    capfd.readouterr()
    bpy.ops.wm.open_mainfile(filepath=str(path))
    assert "ERROR" not in "".join(capfd.readouterr())


def test_no_property_of_an_override_is_marked_by_looking_at_it(
    fresh_file: None, rigify: Callable[..., Path], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Of the whole human, whose bones are in their hundreds."""
    with bpy.data.libraries.load(str(rigify("human", "bare")), link=True) as (_, wanted):
        wanted.objects = ["rig"]
    rig = wanted.objects[0].override_create(remap_local_usages=True)
    bpy.context.scene.collection.objects.link(rig)
    assert len(rig.pose.bones) > 500
    reopen(tmp_path / "shot.blend", capfd)
    bpy.context.view_layer.objects.active = bpy.data.objects["rig", None]
    before = overridden()
    for _ in range(2):
        look_at_everything()
        assert bpy.data.objects["rig", None].is_property_set("inertia"), "or nothing had to be dropped"
        reopen(tmp_path / "shot.blend", capfd)
        assert overridden() == before


COMMANDS: tuple[tuple[str, ...], ...] = (
    ("cost", *CLIPS, "--cut", "12", "--by", "cost", "--best", "3"),
    ("hop", *CLIPS, "--trigger", "12"),
    ("fit", "--action", "Walk", "Run"),
    ("bake", *CLIPS, "--cut", "12", "--enter-at", "first", "-o", "out.blend"),
    ("matrix", "--clips", "Walk", "Run", "--by", "cost", "-o", "matrix"),
)


# what they have played is what the operators have
@pytest.mark.brief(command=COMMANDS[:3])
@pytest.mark.variants(2)
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_commands_play_a_rigify_character(
    character_file: Path,
    command: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([command[0], str(character_file), *command[1:]]) == 0
    assert "Traceback" not in capfd.readouterr().err
