# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a destination is entered if that is left to Inertia: by the judge's word on what would be baked."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import clip_store, compat
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.judging import verdict
from inertia_addon.blender.judging.played import Footage
from inertia_addon.blender.judging.verdict import Verdict
from inertia_addon.blender.transition import bake, entering, foreseen_entries
from inertia_addon.motion.judging.faults import GOOD
from inertia_addon.motion.steps import finish
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import builders, clips, stepper


@pytest.fixture
def stepping(fresh_file: None) -> Any:
    """A biped with two walks, the feet of which are planted at other times."""
    armature = stepper.biped()
    stepper.walk(armature, "Walk", frames=55)
    stepper.walk(armature, "Late", frames=70, late=0.2)
    return armature


def asked(**values: Any) -> TransitionSettings:
    usual = {"cut": 25.0, "blend_frames": 10.0, "enter_at": "AUTO"}
    return TransitionSettings("Walk", "Late", **{**usual, **values})


def judged(armature: Any, settings: TransitionSettings) -> Verdict:
    return finish(verdict.of_played(bake.plan_transition(armature, settings).evidence))


def order(seen: Verdict) -> tuple[int, float]:
    rating, total = seen.order
    return rating, total + seen.skating


def test_a_cycle_is_entered_at_its_best_phase(stepping: Any) -> None:
    settings = asked(destination_cycle="ON", feet="OFF")
    found = finish(entering.entered(stepping, settings))
    assert found.destination_frame is not None
    assert found == dataclasses.replace(settings, destination_frame=found.destination_frame)
    best = order(judged(stepping, found))
    start, end = bpy.data.actions["Late"].frame_range
    for frame in (start, 0.7 * start + 0.3 * end, 0.4 * start + 0.6 * end):
        other = judged(stepping, dataclasses.replace(settings, destination_frame=round(frame)))
        assert best <= order(other)


def test_a_whole_cycle_is_seen_behind_the_blend(stepping: Any) -> None:
    settings = asked(destination_frame=7.0, destination_cycle="ON", go_on="WHOLE_CYCLE")
    plan = bake.plan_transition(stepping, settings)
    start, end = bpy.data.actions["Late"].frame_range
    last = max(curve.keys.co[-1, 0] for curve in plan.clips[1].curves.values()) + plan.evidence.later
    assert plan.until + (end - start) <= last < plan.until + 2.0 * (end - start)
    # of what is no cycle it is the default, so that nothing is wrong with it
    once = dataclasses.replace(settings, destination_cycle="OFF")
    assert "not a cycle" not in " ".join(bake.plan_transition(stepping, once).warnings)


def test_a_destination_that_is_no_cycle_is_entered_as_early_as_that_is_good(stepping: Any) -> None:
    settings = asked(destination_cycle="OFF", feet="OFF")
    found = finish(entering.entered(stepping, settings))
    start = float(bpy.data.actions["Late"].frame_range[0])
    assert found.destination_frame is not None
    assert judged(stepping, found).rating == GOOD
    assert found.destination_frame > start
    before = range(int(start), int(min(found.destination_frame, start + 5.0)))
    ratings = {
        judged(stepping, dataclasses.replace(settings, destination_frame=float(frame))).rating
        for frame in before
    }
    assert GOOD not in ratings


def test_a_destination_that_looks_good_at_once_is_entered_at_its_first_frame(stepping: Any) -> None:
    found = finish(entering.entered(stepping, asked(cut=20.0, destination_cycle="OFF", feet="OFF")))
    assert found.destination_frame == bpy.data.actions["Late"].frame_range[0]


@pytest.mark.parametrize("values", [{"enter_at": "FIRST"}, {"destination_frame": 7.0}, {"smooth_jump": True}])
def test_an_entry_that_is_named_stays(stepping: Any, values: dict[str, Any]) -> None:
    settings = asked(**values)
    assert finish(entering.entered(stepping, settings)) == settings


def test_settings_stay_where_no_frame_can_be_entered(stepping: Any) -> None:
    settings = asked(cut=900.0, source_cycle="OFF", destination_cycle="OFF")
    assert finish(entering.entered(stepping, settings)) == settings


def test_a_rig_that_blender_has_to_play_is_entered_so_where_it_may_be_played(stepping: Any) -> None:
    stepping.pose.bones[-1].constraints.new("LIMIT_SCALE")
    settings = asked(destination_cycle="OFF", feet="OFF")
    assert finish(entering.entered(stepping, settings, may_play=False)) == settings
    assert finish(entering.entered(stepping, settings)).destination_frame is not None


def test_a_root_that_is_scaled_to_nothing_is_foreseen(stepping: Any) -> None:
    path = builders.bone_path("hips", "scale")
    for name in ("Walk", "Late"):
        slot = compat.slots(bpy.data.actions[name])[0].identifier
        builders.curve(bpy.data.actions[name], path, 1, [(1.0, 0.0)], slot=slot)
    settings = asked(destination_frame=7.0, destination_cycle="OFF", source_cycle="OFF", root="hips")
    read = [clip_store.read(stepping, bpy.data.actions[name]) for name in ("Walk", "Late")]
    footage = Footage()
    found = finish(
        foreseen_entries.foresee(
            read_character(stepping), settings, (read[0], read[1]), np.arange(5.0, 9.0), footage
        )
    )
    assert np.isfinite(found).all()


@pytest.mark.variants(1)
@pytest.mark.parametrize(("cycle", "most"), [("OFF", entering.PLAYED), ("ON", 2 * entering.PLAYED)])
def test_entries_of_a_rig_that_blender_has_to_play_are_judged_in_part(
    stepping: Any, monkeypatch: pytest.MonkeyPatch, cycle: str, most: int
) -> None:
    settings = asked(destination_cycle=cycle, feet="OFF")
    plain = finish(entering.entered(stepping, settings))
    stepping.pose.bones[-1].constraints.new("LIMIT_SCALE")
    asked_of, of_played = [], verdict.of_played
    monkeypatch.setattr(verdict, "of_played", lambda played: asked_of.append(played) or of_played(played))
    found = finish(entering.entered(stepping, settings))
    assert 0 < len(asked_of) <= most
    seen, best = (judged(stepping, each) for each in (found, plain))
    assert seen.rating == best.rating
    assert seen.total <= 1.1 * best.total


@pytest.mark.data
@pytest.mark.variant_of(
    "tests/blender/transition/test_entering.py::test_a_cycle_is_entered_at_its_best_phase"
)
def test_captured_clips_are_entered_no_worse_than_at_their_first_frame(
    data_dir: Path, fresh_file: None
) -> None:
    armature, names = clips.load("Knight", data_dir)
    # Blender 4.2 adds the armature's name
    walk, dodge = (next(name for name in names if begin in name) for begin in ("Walking_A", "Dodge_Left"))
    settings = TransitionSettings(walk, dodge, 12.0, enter_at="AUTO")
    found = judged(armature, finish(entering.entered(armature, settings)))
    assert order(found) <= order(judged(armature, settings))
