# SPDX-License-Identifier: GPL-3.0-or-later
"""A verdict says what a bake then does, and puts it as an animator would."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from inertia_addon.blender.cost import costing, meetings, quality, verdict
from inertia_addon.blender.cost.verdict import FAIR, GOOD, POOR, Verdict
from inertia_addon.blender.data import scene
from inertia_addon.blender.evaluation import joints
from inertia_addon.blender.transition import bake
from inertia_addon.motion.steps import finish
from inertia_addon.settings.cost import Search
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import clips, stepper

FRAMES = np.arange(5.0)


def yardstick(costs: Sequence[float], skips: Sequence[float]) -> verdict.Yardstick:
    """Of a scene of 10 frames a second, so that a good skip is a frame and a poor one more than three."""
    values = np.array(costs, np.float32)
    empty = np.zeros(0)
    return verdict.Yardstick(values, (FRAMES, np.array(skips)), None, (), (), empty, 1.8, 1.0, 10.0)


TEN = [0.1 * rank for rank in range(1, 11)]


@pytest.mark.parametrize(
    ("cost", "skips", "rating"),
    [
        (0.1, [0.0, 0.1, 0.2, 0.3, 0.4], GOOD),
        (0.1, [0.0, 0.01, 0.02, 0.03, 0.04], FAIR),  # the best there is, and yet it will be seen
        (0.9, [0.0, 1.0, 2.0, 3.0, 4.0], FAIR),  # it won't be seen, but there is better
        (0.4, [0.0, 0.1, 0.2, 0.3, 0.4], POOR),
        (0.4, [0.0, 0.2, 0.4, 0.6, 0.8], FAIR),
        (0.9, [0.0, 0.5, 0.9, 1.3, 1.7], POOR),
    ],
)
def test_good_is_what_is_good_by_both(cost: float, skips: list[float], rating: str) -> None:
    assert verdict._standing(yardstick(TEN, skips), cost)[0] == rating


def test_who_has_nothing_to_compare_with_is_not_rated() -> None:
    still = [0.0] * 5
    assert verdict._standing(yardstick([0.3], still), 0.3)[:2] == ("", None)
    # where all pairs cost the same none is better
    assert verdict._standing(yardstick([0.0] * 10, still), 0.0)[:3] == (GOOD, 0.0, True)


def made(**values: Any) -> Verdict:
    usual = Verdict(
        *(GOOD, 0.926, False, 2.6, 15.0, "hand.L", 0.141, 0.03, 0.0),
        *("toe.R", "RIGHT", 0.11, 0.004, False, 0.5, 0.6, 1.8),
    )
    return dataclasses.replace(usual, **values)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (
            {},
            "Good: better than 92 % of all pairs of frames; like skipping 3 frames within the clips. "
            '"hand.L" is 14 cm away and swings past by 3 cm; the right foot slides 11 cm.',
        ),
        (
            {"rating": POOR, "skipped": np.inf, "past": 0.0, "grown": 2.345, "side": "", "own_slide": 0.05},
            "Poor: better than 92 % of all pairs of frames; more of a jump than skipping 15 frames within "
            'the clips. "hand.L" is 14 cm away and swings out by 2.3 m more; the foot "toe.R" slides 11 cm, '
            "in the destination itself 5 cm.",
        ),
        (
            {"is_best": True, "skipped": 0.2, "past": 0.001, "slide": 0.002},
            "Good: no pair of frames is better; less of a jump than skipping a frame within the clips. "
            '"hand.L" is 14 cm away; no foot slides.',
        ),
        (
            {"is_best": True, "skipped": 0.2, "past": 0.001, "locked": True},
            "Good: no pair of frames is better; less of a jump than skipping a frame within the clips. "
            '"hand.L" is 14 cm away; the right foot is locked, it would slide 11 cm.',
        ),
        (
            {"rating": "", "slide": None, "own_slide": None, "pop": 2.0},
            '"hand.L" is 14 cm away and swings past by 3 cm. It pops: speeds change by 2 m/s at the cut, '
            "within the clips by 0.6 at most.",
        ),
    ],
)
def test_it_is_put_as_an_animator_would(fresh_file: None, values: dict[str, Any], said: str) -> None:
    found = made(**values)
    assert " ".join(verdict.sentences(found)) == said
    assert found.as_dict()["words"] == verdict.sentences(found)


@pytest.mark.parametrize(
    ("values", "rating"),
    [
        ({"slide": 0.05, "own_slide": 0.0}, GOOD),
        ({"slide": 0.2, "own_slide": 0.0}, FAIR),
        ({"slide": 1.4, "own_slide": 0.0}, POOR),
        ({"slide": 1.4, "own_slide": 1.38}, GOOD),  # as the destination itself does
        ({"slide": 1.4, "own_slide": 0.0, "locked": True}, GOOD),
        ({"slide": 0.05, "own_slide": 0.0, "rating": POOR}, POOR),
        ({"slide": 1.4, "own_slide": 0.0, "rating": ""}, ""),
        ({"slide": None, "own_slide": None}, GOOD),
    ],
)
def test_feet_that_slide_make_it_worse(values: dict[str, Any], rating: str) -> None:
    assert verdict._limited(made(**values)) == rating


@pytest.mark.parametrize(
    ("how", "locked"),
    [
        ({}, True),
        ({"feet": "LOCK"}, True),
        ({"feet": "OFF"}, False),
        ({"bones": ("hips", "chest"), "root": "hips"}, False),
        ({"destination_frame": 10.0}, False),  # the walks agree there: nothing would slide
    ],
)
def test_it_says_what_a_bake_locks(fresh_file: None, how: dict[str, Any], locked: bool) -> None:
    armature = stepper.biped()
    stepper.walk(armature, "Walk")
    stepper.walk(armature, "Other")
    usual = TransitionSettings("Walk", "Other", 10.0, destination_frame=26.0, source_cycle="OFF")
    settings = dataclasses.replace(usual, destination_cycle="OFF", assign=False, **how)
    weights = joints.named_weights(armature, "found")
    said = finish(verdict.of_settings(armature, settings, weights))
    assert said is not None
    assert said.locked is locked
    assert bool(bake.plan_transition(armature, settings).feet.holds) is locked


def test_a_foot_that_is_not_locked_is_spoken_of(fresh_file: None) -> None:
    armature = stepper.biped()
    stepper.walk(armature, "Walk")
    stepper.walk(armature, "Late", late=0.25)
    settings = TransitionSettings("Walk", "Late", 10.0, destination_frame=20.0, feet="LOCK")
    weights = joints.named_weights(armature, "found")
    for locked, other in (("foot.L", "foot.R"), ("foot.R", "foot.L")):
        at = dataclasses.replace(settings, locked_feet=(locked,))
        said = finish(verdict.of_settings(armature, at, weights))
        assert said is not None
        assert (said.foot, said.locked) == (other, False)


def test_controls_are_named_instead_of_bones(fresh_file: None) -> None:
    (_, joint) = verdict.sentences(made(side=""), {"hand.L": "hand_ik.L", "toe.R": "foot_ik.R"})
    assert joint == '"hand_ik.L" is 14 cm away and swings past by 3 cm; the foot "foot_ik.R" slides 11 cm.'


@pytest.mark.parametrize(
    ("system", "unit", "texts"),
    [
        ("METRIC", "METERS", ["0.4 cm", "14 cm", "2.4 m"]),
        ("METRIC", "MILLIMETERS", ["4.2 mm", "141 mm", "2.4 m"]),
        ("IMPERIAL", "FEET", ["0.2 in", "5.6 in", "7.9 ft"]),
        ("NONE", "METERS", ["0.0042", "0.141", "2.4"]),
    ],
)
def test_lengths_are_in_the_scenes_units(fresh_file: None, system: str, unit: str, texts: list[str]) -> None:
    units = bpy.context.scene.unit_settings
    units.system = system
    if system != "NONE":
        units.length_unit = unit
    assert [scene.length_text(metres) for metres in (0.0042, 0.141, 2.4)] == texts


@pytest.mark.data
@pytest.mark.brief(name=("Fox",))
@pytest.mark.parametrize("name", ["Fox", "cmu131"])
def test_slide_and_pop_are_those_of_the_bake(name: str, data_dir: Path, fresh_file: None) -> None:
    armature, names = clips.load(name, data_dir)
    chance = random.Random(2)
    weights = joints.named_weights(armature, "found")
    fps = scene.fps()
    long = [action for action in names if np.ptp(bpy.data.actions[action].frame_range) > 0.6 * fps]
    settings = TransitionSettings(*chance.sample(long, 2), 0.0, feet="OFF")
    pair = costing.read_pair(armature, settings)
    motions = finish(costing.motions(armature, pair))
    compared = costing.compare(settings, pair.alignment, weights, motions, fps)
    rows = []
    there = compared.destination
    search = Search(keep_frames=0.4 * fps + 1.0)
    # of the Fox's cycles any frame may be entered, also shortly before its end
    possible = there.frames[meetings.destinations(search, there.frames, there.cycle)]
    for _ in range(8):
        cut, entry = float(chance.choice(list(compared.source.frames))), float(chance.choice(list(possible)))
        at = dataclasses.replace(settings, cut=cut, destination_frame=entry, assign=False)
        said = verdict.of_pair(armature, at, pair, compared, motions)
        plan = bake.plan_transition(armature, at)
        found = quality.measure(plan, bake.write_plan(plan), weights, motions)
        assert said.bone == found.bone
        assert said.slide is not None
        assert found.slide is not None
        rows.append((said.slide, found.slide, said.pop, found.pop))
    slide, slid, pop, popped = np.array(rows).T
    assert np.median(np.abs(slide - slid)) < 0.15 * np.median(slid)
    assert np.median(np.abs(pop - popped)) < 0.25 * np.median(popped)
