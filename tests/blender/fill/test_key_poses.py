# SPDX-License-Identifier: GPL-3.0-or-later
"""Filled gaps that go through poses: each is shown exactly on its frame, on rigs of all kinds."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from inertia_addon.blender import files
from inertia_addon.blender.data import compat
from inertia_addon.blender.data.recipe_reader import read_recipe
from inertia_addon.blender.fill import bake, search
from inertia_addon.blender.mannequin.character import build_mannequin
from inertia_addon.errors import InertiaError
from inertia_addon.motion.arrays import Array
from inertia_addon.motion.steps import finish
from inertia_addon.settings.fill import FillSettings
from inertia_addon.settings.fill_wishes import KeyPose
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import builders, wanderer
from tests.blender.control_clips import Look, animate

WEIGHTS = {"hips": 1.0, "toe.L": 1.0, "toe.R": 1.0}
EXACT = 1e-4
"""Metres on a character of two."""


def between(name: str, cut: float, entry: float, *through: str, **values: Any) -> FillSettings:
    """Return the settings of a gap between two frames of one action, in which the action's own motion is not
    used."""
    feet = values.pop("feet", "AUTO")
    blend = TransitionSettings(name, name, cut, destination_frame=entry, feet=feet, assign=False)
    return FillSettings(blend, gap_frames=entry - cut, through=through, **{"use_library": False} | values)


def fill(armature: Any, asked: FillSettings) -> Any:
    """Fill a gap, and return the action."""
    found = finish(search.search_candidates_steps(armature, asked, WEIGHTS)) if asked.use_library else None
    return bpy.data.actions[finish(bake.fill_gap_steps(armature, asked, found)).result]


def assert_shown(armature: Any, made: Any, pose: KeyPose, of: str) -> None:
    """Assert that an action shows a pose of another one, as Blender evaluates both."""
    shown = builders.played(armature, made, [pose.frame])[0]
    wanted = builders.played(armature, bpy.data.actions[pose.action or of], [pose.own_frame])[0]
    assert np.abs(heads(shown) - heads(wanted)).max() < EXACT * size_of(armature)


def heads(matrices: Array) -> Array:
    return matrices[..., :3, :]


def size_of(armature: Any) -> float:
    return max(armature.dimensions) / 2.0


def draw_frames(seed: int, first: float, last: float, count: int) -> list[float]:
    """Draw frames apart from each other, some between whole ones."""
    drawn = random.Random(seed)
    whole = drawn.sample(range(int(first) + 2, int(last) - 1, 3), count)
    return sorted(frame + drawn.choice((0.0, 0.0, 0.5)) for frame in whole)


@pytest.mark.variants(2)
@pytest.mark.parametrize("use_library", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_random_poses_of_a_walk_are_met_exactly(seed: int, *, use_library: bool) -> None:
    armature = wanderer.with_clips()
    frames = draw_frames(seed, 12.0, 44.0, 4)
    asked = between("Walk", 12.0, 44.0, *(f"{frame:g}" for frame in frames), use_library=use_library)
    made = fill(armature, asked)
    for pose in asked.key_poses:
        assert_shown(armature, made, pose, "Walk")
    for frame in (5.0, 12.0, 44.0, 50.0):
        assert_shown(armature, made, KeyPose(frame, "", frame), "Walk")


def test_a_mannequin_goes_through_poses_of_its_walk(fresh_file: None) -> None:
    armature = build_mannequin(bpy.context.scene).rig
    asked = between("Walk", 20.0, 60.0, "28", "37.5", "50", feet="LOCK")
    made = fill(armature, asked)
    for pose in asked.key_poses:
        assert_shown(armature, made, pose, "Walk")


def test_a_four_legged_rig_goes_through_poses(fresh_file: None, data_dir: Path) -> None:
    files.load([data_dir / "glb" / "Fox.glb"])
    (armature,) = (thing for thing in bpy.data.objects if thing.type == "ARMATURE")
    name = next(action.name for action in bpy.data.actions if "Survey" in action.name)
    first, last = (round(frame) for frame in bpy.data.actions[name].frame_range)
    cut, entry = first + 5.0, min(last, first + 50) - 5.0
    asked = between(name, cut, entry, *(f"{frame:g}" for frame in draw_frames(1, cut, entry, 4)))
    made = fill(armature, asked)
    for pose in asked.key_poses:
        assert_shown(armature, made, pose, name)


def test_a_rig_whose_hips_travel_below_its_root_goes_through_poses(fresh_file: None, data_dir: Path) -> None:
    files.load([data_dir / "glb" / "wild" / "Trex.glb"])
    (armature,) = (thing for thing in bpy.data.objects if thing.type == "ARMATURE")
    (name,) = (action.name for action in bpy.data.actions if "Death" in action.name)
    asked = between(name, 3.0, 27.0, "8.5", "12")
    made = fill(armature, asked)
    for pose in asked.key_poses:
        assert_shown(armature, made, pose, name)
    # nobody keys the root, so it stays where it is on the way, too
    root = builders.played(armature, made, np.arange(3.0, 28.0))[:, armature.data.bones.find("root"), :3, 3]
    assert np.ptp(root, axis=0).max() < EXACT


def test_controls_of_a_rigify_human_go_through_poses(rigify: Callable[..., Path]) -> None:
    bpy.ops.wm.open_mainfile(filepath=str(rigify("basic_human", "bare")))
    armature = bpy.data.objects["rig"]
    animate(armature, "Stroll", Look(), is_source=True)
    asked = between("Stroll", 10.0, 34.0, "16", "21.5", "28")
    made = fill(armature, asked)
    for pose in asked.key_poses:
        assert_shown(armature, made, pose, "Stroll")


def test_a_pose_with_a_limb_switched_over_is_refused(rigify: Callable[..., Path]) -> None:
    bpy.ops.wm.open_mainfile(filepath=str(rigify("basic_human")))
    armature = bpy.data.objects["rig"]
    with pytest.raises(InertiaError, match="is switched over"):
        fill(armature, between("Walk", 12.0, 29.0, "24"))


def test_a_pose_of_another_action_leaves_the_way_to_the_root(fresh_file: None) -> None:
    armature = build_mannequin(bpy.context.scene).rig
    made = fill(armature, between("Walk", 20.0, 60.0, "Run@8=40"))
    free = fill(armature, between("Walk", 20.0, 60.0))
    shown, wanted = (
        builders.played(armature, act, [at])[0] for act, at in ((made, 40.0), (bpy.data.actions["Run"], 8.0))
    )
    names = armature.data.bones.keys()
    root, head = names.index("root"), names.index("head")
    seen = [np.linalg.inv(each[root]) @ each[head] for each in (shown, wanted)]
    assert seen[0] == pytest.approx(seen[1], abs=EXACT)
    assert shown[root] == pytest.approx(builders.played(armature, free, [40.0])[0][root], abs=EXACT)


def test_a_gap_is_filled_anew_through_a_pose_whose_action_has_another_name() -> None:
    armature = wanderer.with_clips()
    made = fill(armature, between("Walk", 12.0, 44.0, "Turn@8=30"))
    bpy.data.actions["Turn"].name = "Turned"
    settings = read_recipe(made).settings
    assert settings.through == ("Turned@8=30",)
    assert compat.slots(made)
    bpy.data.actions.remove(bpy.data.actions["Turned"])
    with pytest.raises(InertiaError, match="is gone"):
        read_recipe(made)


@pytest.mark.parametrize("feet", ["OFF", "LOCK"])
def test_a_gap_from_a_half_frame_goes_through_poses(feet: str) -> None:
    armature = wanderer.with_clips()
    asked = between("Walk", 12.5, 44.0, "20.5", "30", feet=feet)
    made = fill(armature, asked)
    for pose in (*asked.key_poses, KeyPose(12.5, "", 12.5)):
        assert_shown(armature, made, pose, "Walk")


@pytest.mark.parametrize(
    ("through", "said"),
    [
        (("50",), "can't be shown at 50"),
        (("20", "20"), "can't be shown at 20"),
        (("Walk=30",), "is no pose on the way"),
        (("nan",), "is no pose on the way"),
    ],
)
def test_poses_that_are_not_on_the_way_are_refused(through: tuple[str, ...], said: str) -> None:
    with pytest.raises(InertiaError, match=said):
        between("Walk", 12.0, 44.0, *through)


def test_a_frame_that_the_action_of_a_pose_lacks_is_said() -> None:
    armature = wanderer.with_clips()
    with pytest.raises(InertiaError, match='"Turn" has no frame 300 to take a pose from'):
        fill(armature, between("Walk", 12.0, 44.0, "Turn@300=30"))
