# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips that go on for a million frames are looked at in so many places only, and that is said."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.checking import check
from inertia_addon.blender.cost import costing, meetings
from inertia_addon.blender.data import actions, clip_store
from inertia_addon.blender.evaluation import joint_motion
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.feet import contacts
from inertia_addon.blender.hops import search as hops
from inertia_addon.blender.root_motion import measure as root_motion
from inertia_addon.errors import InertiaError
from inertia_addon.motion.root_motion import filters
from inertia_addon.motion.steps import finish
from inertia_addon.settings.cost import Search
from inertia_addon.settings.hops import HopSettings
from inertia_addon.settings.root_motion import Settings
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import builders, stepper

LAST = 1_000_000
SETTINGS = TransitionSettings("Walk", "Run", 500.0)


@pytest.fixture
def armature(fresh_file: None) -> Any:
    """A bone that two keys take over a million frames."""
    armature = builders.rig({"Root": None, "Arm": "Root"})
    for name, far in (("Walk", 300.0), ("Run", 700.0)):
        made = builders.action(name)
        builders.curve(made, builders.bone_path("Root", "location"), 0, [(1, 0.0), (LAST, far)], "LINEAR")
    return armature


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that these tests are quick."""
    monkeypatch.setattr(joint_motion, "MOST_FRAMES", 1000)


def test_a_long_clip_is_looked_at_evenly_and_no_more_than_is_kept(armature: Any, few: None) -> None:
    clip = costing.read_pair(armature, SETTINGS).source
    frames = joint_motion.grid(clip, joint_motion.most_frames(read_character(armature)))
    assert len(frames) <= joint_motion.most_frames(read_character(armature)) == 1000
    assert (frames[0], set(np.diff(frames))) == (1.0, {1000.0})
    assert LAST - 1000 <= frames[-1] <= LAST
    assert "only one frame in 1000" in joint_motion.describe_sampling("Walk", frames)[0]


def test_a_rig_of_many_bones_has_fewer_frames_kept(armature: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joint_motion, "MOST_POSES", 50)
    assert joint_motion.most_frames(read_character(armature)) == 25


def test_every_frame_of_a_hundred_thousand_is_looked_at(armature: Any) -> None:
    clip = builders.action("Hour")
    builders.curve(clip, builders.bone_path("Root", "location"), 0, [(1, 0.0), (100_000, 3.0)])
    read = actions.read(clip, actions.choose_slot(clip, armature))
    clip_store.check(armature, read)
    frames = joint_motion.grid(read, joint_motion.most_frames(read_character(armature)))
    assert len(frames) == 100_000
    assert joint_motion.describe_sampling("Hour", frames) == []


def test_costs_are_those_of_the_frames_that_are_looked_at(armature: Any, few: None) -> None:
    pair = costing.read_pair(armature, SETTINGS)
    motions = finish(costing.motions(armature, pair))
    found = costing.compare(SETTINGS, pair.alignment, {"Root": 1.0, "Arm": 1.0}, motions, 24.0)
    best = finish(meetings.best_pairs(found, 3, Search()))
    assert all(np.isfinite(meeting.cost) for meeting in best)
    # the velocities are those of neighbouring frames, however far the next place is
    speed = motions[1].velocities[1:-1, 0, 0]
    np.testing.assert_allclose(speed, 700.0 / (LAST - 1) * 24.0, rtol=0.2)


def test_root_motion_is_measured_all_the_same(armature: Any, few: None) -> None:
    clip = costing.read_pair(armature, SETTINGS).destination
    read = finish(
        root_motion.read_motion_steps(read_character(armature), clip, root_motion.Query("", "REST"))
    )
    measured = root_motion.measure(read, Settings())
    assert measured.maximum_speed == pytest.approx(700.0 / (LAST - 1) * 24.0, rel=0.05)


def test_hops_refuse_what_they_can_not_search_in_full(armature: Any, few: None) -> None:
    with pytest.raises(InertiaError, match='"Walk" is too long to search every frame'):
        finish(hops.prepare(armature, HopSettings(SETTINGS, clips=("Walk",)), {"Root": 1.0}))


def test_a_wide_window_takes_no_square_of_its_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    powers, coefficients = filters._weights(20_001, 0, 2)
    assert powers.size + coefficients.size < 10 * 20_001
    values = np.arange(50_000.0)
    np.testing.assert_allclose(filters.smoothed(values, 20_001), values, atol=1e-3)


def test_feet_are_looked_at_on_each_frame_of_clips_of_which_costs_see_a_part(
    fresh_file: None, few: None
) -> None:
    walker = stepper.biped()
    stepper.walk(walker, "Walk", frames=1501)
    clip = clip_store.read(walker, bpy.data.actions["Walk"])
    assert len(joint_motion.grid(clip, joint_motion.most_frames(read_character(walker)))) <= 1000 < clip.end
    assert finish(check.steps(walker, clip)).pop is not None
    stands = finish(contacts.find_steps(read_character(walker), clip))
    np.testing.assert_array_equal(np.diff(stands.frames), 1.0)
    # each foot stands once a second, one of them half a second later
    assert [len(row) for row in stands.spans] == [clip.end // stepper.FPS + 1, clip.end // stepper.FPS]
