# SPDX-License-Identifier: GPL-3.0-or-later
"""What helps a transition, and the blend time that looks best: by verdicts that are made up, and on walks."""

from __future__ import annotations

import dataclasses
import json
import random
from collections.abc import Callable, Generator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.judging import remedies, verdict
from inertia_addon.blender.judging.remedies import Judging, Remedy
from inertia_addon.blender.judging.verdict import Fault, Verdict
from inertia_addon.blender.transition import bake
from inertia_addon.errors import InertiaError
from inertia_addon.motion.judging import faults
from inertia_addon.motion.judging.faults import Change
from inertia_addon.motion.steps import finish
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import led_walker, stepper

FPS = 30.0
ASKED = TransitionSettings("Walk", "Run", 20.0, 10.0, blend_frames=12.0)
NONE = Change(0.0, 0.0)


def made_up(severity: float, *, swings: bool = False) -> Verdict:
    """The verdict on a transition with a lift that is so many times what is allowed."""
    rating = faults.RATED[sum(severity > limit for limit in (1.0, 2.0))]
    lift = Fault(faults.LIFT, 0.1 * severity, 0.0, severity, "hips", "", 25.0)
    seen = (lift,) if severity > 1.0 else ()
    figures = (NONE, NONE, NONE, None, lift.size, 0.0)
    return Verdict(rating, seen, severity**2, *figures, 32.0, swings)


def by(severity: Callable[[TransitionSettings], float], asked: list[Any] | None = None) -> Judging:
    """A judge of settings by how severe their fault is; ``asked`` takes down which these were."""

    def judging(settings: TransitionSettings) -> Generator[float, None, Verdict]:
        yield 0.5
        if asked is not None:
            asked.append(settings)
        found = severity(settings)
        if found < 0.0:
            raise InertiaError("There is no such frame.")
        return made_up(found)

    return judging


def helping(judging: Judging, told: Verdict, asked: TransitionSettings = ASKED) -> tuple[Remedy, ...]:
    return finish(remedies.find_helping_steps(asked, told, judging, FPS))


def at_random(seed: int) -> Callable[[TransitionSettings], float]:
    """Severities that say nothing, the same for the same settings; below 0 for what can't be."""
    return lambda settings: random.Random(f"{seed} {sorted(settings.as_dict().items())}").uniform(-0.3, 4.0)


@given(some.integers(0, 10_000), some.floats(1.05, 4.0), some.sampled_from(["AUTO", "OFF", "LOCK"]))
def test_remedies_are_better_and_the_best_comes_first(seed: int, now: float, feet: str) -> None:
    told, asked = made_up(now), dataclasses.replace(ASKED, feet=feet)
    severity = at_random(seed)
    offered = helping(by(severity), told, asked)
    assert len(offered) <= 3
    assert [one.verdict.order for one in offered] == sorted(one.verdict.order for one in offered)
    assert len({one.kind for one in offered}) == len(offered)
    for one in offered:
        assert one.verdict == made_up(severity(one.settings))
        assert one.verdict.order < told.order
        if one.verdict.rating == told.rating:
            assert severity(one.settings) <= remedies.LESS * now
        assert dataclasses.replace(asked, **one.change) == one.settings
        assert one.change != {name: getattr(asked, name) for name in one.change}


def test_a_good_transition_has_no_remedies() -> None:
    asked: list[TransitionSettings] = []
    assert helping(by(lambda _: 0.1, asked), made_up(0.9)) == ()
    assert asked == []


def test_the_remedy_of_length_is_the_nearest_good_one() -> None:
    # shorter ones are good, the shortest best
    meeting = ASKED.cut, ASKED.destination_frame
    judging = by(
        lambda settings: (
            0.05 * settings.frames(FPS) if (settings.cut, settings.destination_frame) == meeting else 3.0
        )
    )
    (length,) = helping(judging, made_up(2.5), dataclasses.replace(ASKED, blend_frames=28.0))
    assert length.kind == remedies.LENGTH
    assert 14.0 <= length.settings.frames(FPS) <= 20.0
    assert length.sentence == f"{length.settings.blend_frames:g} frames: Good"


def test_matched_lengths_are_tried_where_it_swings() -> None:
    judging = by(lambda settings: 0.5 if settings.match_lengths else 3.0)
    assert helping(judging, made_up(2.5)) == ()
    (matched,) = helping(judging, made_up(2.5, swings=True))
    assert matched.change == {"match_lengths": True}
    assert matched.sentence == "Match Lengths: Good"


@given(some.integers(0, 10_000), some.integers(1, 12))
def test_remedies_of_each_kind_have_their_turn_where_few_are_tried(seed: int, most: int) -> None:
    tried: list[TransitionSettings] = []
    judging, asked = by(at_random(seed), tried), dataclasses.replace(ASKED, feet="OFF")
    finish(remedies.find_helping_steps(asked, made_up(3.0), judging, FPS, most))
    assert len(tried) <= most
    kinds = {
        tuple(name for name, value in vars(one).items() if value != getattr(asked, name)) for one in tried
    }
    assert len(kinds) >= min(most, 3)


def test_a_remedy_says_so_where_the_word_stays() -> None:
    (one,) = helping(by(lambda settings: 2.2 if settings.cut != ASKED.cut else 4.0), made_up(4.0))
    assert one.sentence.endswith(": better, still Poor")


@given(some.integers(0, 10_000), some.sampled_from(["QUINTIC", "SPRING", "DEAD_BLENDING"]))
def test_the_suggested_length_is_the_best_that_was_tried(seed: int, method: str) -> None:
    asked = dataclasses.replace(ASKED, method=method)
    tried: list[TransitionSettings] = []
    severity = at_random(seed)
    judging = by(lambda settings: abs(severity(settings)), tried)
    found, told = finish(remedies.suggested(asked, judging, FPS))
    assert told.order == min(made_up(abs(severity(one))).order for one in tried)
    for one in tried:
        seconds = one.seconds(FPS) * (4.0 if method == "SPRING" else 1.0)
        assert 0.1 <= round(seconds, 6) <= 1.0
        assert dataclasses.replace(one, blend_frames=12.0, half_life=asked.half_life) == asked
    assert found in tried


@pytest.fixture
def armature(fresh_file: None) -> Any:
    """A biped with two walks, the feet of which are planted at other times."""
    armature = stepper.biped()
    stepper.walk(armature, "Walk", frames=55)
    stepper.walk(armature, "Late", frames=70, late=0.2)
    return armature


def test_remedies_of_two_walks_look_as_offered_when_they_are_baked(armature: Any) -> None:
    asked = TransitionSettings("Walk", "Late", 20.0, 31.0, feet="OFF", blend_frames=10.0)
    plan = bake.plan_transition(armature, asked)
    told = finish(verdict.of_played(plan.evidence))
    assert told.rating == faults.POOR
    helps = finish(bake.find_remedies_steps(plan, told))
    assert helps
    for remedy in helps:
        changed = dataclasses.replace(asked, **remedy.change)
        assert finish(verdict.of_played(bake.plan_transition(armature, changed).evidence)) == remedy.verdict


def test_the_blend_time_is_found_of_a_rig_that_blender_has_to_play(fresh_file: None) -> None:
    led = led_walker.led()
    led_walker.walk(led, "Walk", frames=30)
    led_walker.walk(led, "Late", frames=30, late=0.2)
    asked = TransitionSettings("Walk", "Late", 12.0, 8.0, feet="OFF", suggest_blend_time=True)
    plan = bake.plan_transition(led, asked)
    assert not plan.settings.suggest_blend_time
    told = finish(verdict.of_played(plan.evidence))
    other = dataclasses.replace(asked, blend_frames=3.0, suggest_blend_time=False)
    assert told.order <= finish(verdict.of_played(bake.plan_transition(led, other).evidence)).order


def test_settings_can_leave_the_blend_time_to_the_judge(armature: Any) -> None:
    asked = TransitionSettings("Walk", "Late", 20.0, 31.0, feet="OFF", suggest_blend_time=True)
    plan = bake.plan_transition(armature, asked)
    assert not plan.settings.suggest_blend_time
    assert 0.1 <= plan.settings.seconds(plan.fps) <= 1.0
    told = finish(verdict.of_played(plan.evidence))
    for frames in (3.0, 8.0, 30.0):
        other = dataclasses.replace(asked, blend_frames=frames, suggest_blend_time=False)
        assert told.order <= finish(verdict.of_played(bake.plan_transition(armature, other).evidence)).order


def test_remedies_of_frames_are_all_pairs_beside_those_that_are_asked_for() -> None:
    asked = dataclasses.replace(ASKED, feet="AUTO")
    tries = remedies._tries(asked, made_up(3.0), FPS)
    pairs = [(each.cut - 20.0, each.destination_frame) for kind, each in tries if kind == remedies.PAIR]
    steps = sorted({cut for cut, _ in pairs if cut > 0.0})
    assert len(steps) == len(remedies.NEAR_SECONDS)
    wanted = {(a * step, 10.0 + b * step) for step in steps for a in (-1, 0, 1) for b in (-1, 0, 1) if a or b}
    assert {*pairs} == wanted
    assert len(pairs) == len(wanted)


def test_a_verdict_comes_back_from_plain_values_that_have_its_words() -> None:
    told = made_up(2.5, swings=True)
    values = json.loads(json.dumps(told.as_dict()))
    assert values["words"] == [*verdict.sentences(told), *verdict.hints(told)]
    assert values["words"]
    assert Verdict.from_dict(values) == told
