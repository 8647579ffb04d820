# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips that are cycles go on over their ends as Blender would play them, and travel on."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from inertia_addon.blender.cost import costing, meetings
from inertia_addon.blender.data import actions, clip_store, rigs, roots, scene
from inertia_addon.blender.evaluation import cycles, joints
from inertia_addon.blender.transition import bake, repeating
from inertia_addon.motion.steps import finish
from inertia_addon.settings.cost import Search
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import clips

CHARACTERS = ["Fox", "RobotExpressive", "Knight", "pab"]
LEGS = {"Fox": ("Walk", "Run"), "RobotExpressive": ("Walking", "Running")}


@pytest.fixture(params=CHARACTERS)
def character(request: pytest.FixtureRequest, fresh_file: None, data_dir: Path) -> Any:
    return clips.load(request.param, data_dir)[0]


def found_in(armature: Any) -> list[actions.Clip]:
    """The cycles of an armature, by name."""
    rig = rigs.read(armature)
    read = clip_store.library(armature)[0]
    root = roots.find_root(rig, read)
    looked = (cycles.looked_at(rig, root, clip) for clip in read)
    return [clip for clip in looked if clip.cycle is not None]


def reached(armature: Any, clip: actions.Clip, span: tuple[float, float]) -> actions.Clip:
    rig = rigs.read(armature)
    root = roots.find_root(rig, [clip])
    return repeating.reaching(armature, rig, root, clip, span, play=False)


@pytest.mark.data
def test_repetitions_are_as_blenders_own_modifier_shows_them(character: Any) -> None:
    """On all channels, at any frame: the way with an offset, the rest without."""
    for clip in found_in(character)[:6]:
        cycle = clip.cycle
        assert cycle is not None
        last = cycle.end + 2.5 * cycle.period
        whole = reached(character, clip, (cycle.start - 1.0, last))
        frames = np.concatenate([np.arange(clip.start - 1.0, last), np.linspace(cycle.start, last, 97)])
        for at, curve in clip.curves.items():
            ours = whole.curves[at].at(frames)
            modifier = curve.fcurve.modifiers.new("CYCLES")
            travels = cycle.moves and np.abs(ours[-1] - curve.value(float(frames[-1]))).max() > 1e-3
            modifier.mode_before = modifier.mode_after = "REPEAT_OFFSET" if travels else "REPEAT"
            curve.fcurve.update()
            theirs = np.array([curve.fcurve.evaluate(frame) for frame in frames])
            curve.fcurve.modifiers.remove(modifier)
            size = max(1.0, float(np.abs(theirs).max()))
            if at[0].endswith("rotation_quaternion"):
                ours, theirs = np.abs(ours), np.abs(theirs)  # no repetition jumps to the other sign
            np.testing.assert_allclose(ours, theirs, atol=1e-5 * size, err_msg=f"{clip.action.name} {at}")


@pytest.mark.data
def test_the_buttons_pair_costs_what_the_maps_lowest_costs(character: Any) -> None:
    weights = joints.named_weights(character, "found")
    named = [clip.action.name for clip in found_in(character)][:7]
    for source, destination in itertools.permutations(named, 2):
        settings = TransitionSettings(source, destination, 0.0)
        pair = costing.read_pair(character, settings)
        motions = finish(costing.motions(character, pair))
        compared = costing.compare(settings, pair.alignment, weights, motions, scene.fps())
        made, steps = costing.start_map(compared, exact=True)
        finish(steps)
        (best,) = finish(meetings.best_pairs(compared, 1, Search()))
        cell = (
            np.searchsorted(made.cuts, best.cut),
            np.searchsorted(made.destinations, best.destination_frame),
        )
        assert made.costs[cell] == made.costs.min()
        assert best.cost == pytest.approx(float(made.costs.min()), rel=1e-6)
        curve = compared.over_destination(best.cut)
        assert meetings.best_destination(compared, best.cut, Search()).cost == float(curve.min())


def joint_places(armature: Any, name: str, frames: np.ndarray) -> np.ndarray:
    clips.play(armature, bpy.data.actions[name])
    return clips.poses(armature, frames)[:, :, :3, 3]


@pytest.mark.data
@pytest.mark.parametrize("change", ["", "turned and scaled"])
def test_a_destination_goes_on_and_its_seams_are_as_good_as_its_own(character: Any, change: str) -> None:
    named = [clip for clip in found_in(character) if 10 < clip.cycle.period < 50]
    source, clip = named[0], named[-1]
    if change:
        character.location, character.scale = (3.0, -2.0, 0.5), tuple(2.0 * s for s in character.scale)
        character.rotation_mode, character.rotation_euler = "XYZ", (*character.rotation_euler[:2], 1.0)
    entry, cut = clip.cycle.end - 3.5, source.end + 2.5
    settings = TransitionSettings(
        source.action.name,
        clip.action.name,
        cut,
        entry,
        go_on="CYCLES",
        go_on_cycles=3,
        blend_frames=6.0,
        alignment="POSITION_HEADING",
    )
    report = bake.bake_transition(character, settings)
    later = cut - entry
    turns = np.round((report.frame_range[1] - later - clip.cycle.end) / clip.cycle.period)
    assert turns == 4.0
    last = clip.cycle.end + turns * clip.cycle.period + later
    assert report.frame_range[1] == pytest.approx(last, abs=1e-3)
    # each joint moves at every seam as it does where Blender itself repeats the clip
    seams = clip.cycle.end + np.arange(1, 4) * clip.cycle.period + later
    cycle = clip.cycle
    asked = np.array([cycle.end - 1.0, cycle.end, cycle.start + 1.0])
    own = joint_places(character, clip.action.name, asked)
    motion = cycle.motion()
    following = own[2] @ motion[:3, :3].T + motion[:3, 3]
    bend = np.linalg.norm(following - 2.0 * own[1] + own[0], axis=1)
    size = float(np.ptp(own[1], axis=0).max())
    for seam in seams:
        before, at, after = joint_places(character, report.result, seam + np.array([-1.0, 0.0, 1.0]))
        np.testing.assert_allclose(np.linalg.norm(after - 2.0 * at + before, axis=1), bend, atol=2e-4 * size)
