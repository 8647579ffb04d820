# SPDX-License-Identifier: GPL-3.0-or-later
"""The best of a search are, of what costs least, what looks best: as the bake of each would."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender import files
from inertia_addon.blender.cost import candidates, costing, meetings
from inertia_addon.blender.cost.candidates import Candidate, WantedPairs
from inertia_addon.blender.cost.meetings import CostedMeeting
from inertia_addon.blender.data import clip_store, scene
from inertia_addon.blender.data.rig import armatures
from inertia_addon.blender.evaluation import joints
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.judging import verdict
from inertia_addon.blender.judging.verdict import Verdict
from inertia_addon.blender.transition import bake, clip_excerpts
from inertia_addon.motion.judging.faults import FAIR, POOR, RATED, Change
from inertia_addon.motion.steps import finish
from inertia_addon.settings.cost import Search
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import clips, stepper

NO_CHANGE = Change(0.0, 0.0)


@dataclasses.dataclass
class Searched:
    """Two clips of an armature, ready to be searched."""

    armature: Any
    settings: TransitionSettings
    clips: Any
    compared: costing.Compared

    def best(self, search: Search, *rest: Any, **how: Any) -> list[Candidate]:
        wanted = WantedPairs(*rest, **how)
        steps = candidates.best(
            read_character(self.armature), self.settings, self.clips, self.compared, search, wanted
        )
        done: list[float] = []

        def noted() -> Generator[float, None, list[Candidate]]:
            while True:
                try:
                    done.append(next(steps))
                except StopIteration as end:
                    return list(end.value)
                yield done[-1]

        found = finish(noted())
        # how far it has come only rises
        assert done == sorted(done)
        assert all(0.0 <= each <= 1.0 for each in done)
        return found


def searched(armature: Any, source: str, destination: str, **how: Any) -> Searched:
    settings = TransitionSettings(source, destination, 0.0, assign=False, **how)
    pair = costing.read_pair(armature, settings)
    motions = finish(costing.motions(armature, pair))
    weights = joints.named_weights(armature, "found")
    compared = costing.compare(settings, pair.alignment, weights, motions, scene.fps())
    read = finish(clip_store.read_named_steps(armature, settings.ends()))
    return Searched(armature, settings, read, compared)


def full(asked: Searched, candidate: Candidate) -> Verdict:
    """The verdict on the plan of a bake."""
    where = {"cut": candidate.cut, "destination_frame": candidate.destination_frame}
    plan = bake.plan_transition(asked.armature, dataclasses.replace(asked.settings, **where))
    return finish(verdict.of_played(plan.evidence))


@pytest.fixture
def stepping(fresh_file: None) -> Searched:
    """A biped with two walks, the feet of which are planted at other times."""
    armature = stepper.biped()
    stepper.walk(armature, "Walk", frames=55)
    stepper.walk(armature, "Late", frames=70, late=0.2)
    # of free feet, as locked ones are judged with and without, which takes twice as long
    return searched(armature, "Walk", "Late", blend_frames=10.0, feet="OFF")


def test_the_best_are_ranked_by_what_a_bake_of_each_would_be(
    stepping: Searched, monkeypatch: pytest.MonkeyPatch
) -> None:
    for few in ("COUNT", "FORESEEN", "MORE"):
        monkeypatch.setattr(candidates, few, 3)
    asked = searched(stepping.armature, "Walk", "Late", blend_frames=10.0)
    found = asked.best(Search(first=20.0, last=26.0), 2)
    assert len(found) == 2
    assert_ranked_as_baked(asked, found)


def assert_ranked_as_baked(asked: Searched, found: list[Candidate]) -> None:
    """In order, and the first and the last are judged as a bake of each."""
    orders = [candidate.order for candidate in found]
    assert orders == sorted(orders)
    for candidate in (found[0], found[-1]):
        told, baked = candidate.verdict, full(asked, candidate)
        assert told is not None
        assert (told.rating, told.until) == (baked.rating, baked.until)
        assert told.total == pytest.approx(baked.total, rel=1e-3, abs=1e-4)
        assert told.highest.size == pytest.approx(baked.highest.size, rel=1e-3, abs=1e-5)
        assert (told.skate or 0.0) == pytest.approx(baked.skate or 0.0, rel=1e-3, abs=1e-5)


@pytest.mark.data
@pytest.mark.brief(rig=("Fox",))
@pytest.mark.variant_of(
    "tests/blender/cost/test_candidates.py::test_the_best_are_ranked_by_what_a_bake_of_each_would_be"
)
@pytest.mark.parametrize("rig", ["Fox", "RobotExpressive", "Knight", "pab"])
@pytest.mark.parametrize("blend_frames", [6.0, 24.0])
def test_real_clips_are_ranked_by_what_a_bake_of_each_would_be(
    rig: str, blend_frames: float, data_dir: Any, fresh_file: None
) -> None:
    armature, names = clips.load(rig, data_dir)
    ends = {"Knight": ("Walking_A", "Running_A"), "RobotExpressive": ("Walking", "Running")}
    pair = ends.get(rig, names[:2])
    # before Blender 4.4 the importer names an action after the armature, too
    pair = [name if name in names else f"{name}_{armature.name}" for name in pair]
    asked = searched(armature, *pair, blend_frames=blend_frames)
    search = Search()
    # what these hold alike all along has no part in what is judged
    assert clip_excerpts.still(asked.clips) or rig in ("Fox", "RobotExpressive")
    found = asked.best(search, candidates.COUNT)
    assert 1 < len(found) <= candidates.COUNT
    # where all of those are poor, more are; and what is foreseen to look best may lie beside one of them
    count = max(candidates.POOL * candidates.COUNT, candidates.MORE)
    pool = finish(meetings.best_pairs(asked.compared, count, search))
    far = search.apart_frames + candidates.BESIDE
    assert all(min(meetings.apart(one, other) for other in pool) < far for one in found)
    assert_ranked_as_baked(asked, found)


@pytest.mark.data
def test_legs_that_are_always_straight_are_judged_as_they_are_baked(data_dir: Path, fresh_file: None) -> None:
    """What such a leg reaches must not hang on how its length is rounded, which is another way where what
    clips hold alike all along is left out."""
    files.load([data_dir / "glb" / "wild" / "greenman.glb"])
    (armature,) = armatures()
    # by its bones alone
    for thing in [thing for thing in bpy.data.objects if thing.type != "ARMATURE"]:
        bpy.data.objects.remove(thing)
    # older Blenders put the armature behind a clip's name
    names = [
        action.name for kind in ("1_idle", "3_attack") for action in bpy.data.actions if kind in action.name
    ]
    asked = searched(armature, *names, blend_frames=24.0)
    some = [CostedMeeting(53.0, 13.0, 0.0), CostedMeeting(24.0, 2.0, 0.0)]
    for candidate in finish(candidates.ranked(read_character(armature), asked.settings, asked.clips, some)):
        told, baked = candidate.verdict, full(asked, candidate)
        assert told is not None
        assert (told.rating, told.until) == (baked.rating, baked.until)
        assert told.total == pytest.approx(baked.total, rel=1e-3)


def test_a_search_by_cost_judges_nothing_and_finds_what_it_always_did(stepping: Searched) -> None:
    search = Search(by="COST")
    plain = finish(meetings.best_pairs(stepping.compared, 7, search))
    found = stepping.best(search, 7)
    assert [vars(one) for one in plain] == [
        {name: value for name, value in vars(one).items() if name not in ("verdict", "why_not")}
        for one in found
    ]
    assert {one.verdict for one in found} == {None}
    assert candidates.notes(found, search.by) == []


def test_a_side_that_is_not_given_is_judged(stepping: Searched, monkeypatch: pytest.MonkeyPatch) -> None:
    for few in ("COUNT", "FORESEEN", "MORE"):
        monkeypatch.setattr(candidates, few, 4)
    search = Search()
    pool = candidates.COUNT * candidates.POOL
    for given_side, cheapest in (
        ((20.0, None), meetings.best_destinations(stepping.compared, 20.0, search, pool)),
        ((None, 31.0), meetings.best_cuts(stepping.compared, 31.0, search, pool)),
    ):
        every = stepping.best(search, candidates.COUNT, given_side)
        side = int(given_side[0] is not None)
        assert {(one.cut, one.destination_frame)[1 - side] for one in every} == {given_side[1 - side]}
        assert all(
            min(meetings.apart(one, other) for other in cheapest) < search.apart_frames for one in every
        )
        frames = [(one.cut, one.destination_frame)[side] for one in every]
        gaps = [abs(a - b) for i, a in enumerate(frames) for b in frames[:i]]
        assert min(gaps) >= search.apart_frames
        (best,) = stepping.best(search, 1, given_side)
        assert best == every[0]
        assert best.order == min(one.order for one in every)


def test_candidates_that_are_judged_are_each_as_much_of_the_progress(
    stepping: Searched, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge_as(monkeypatch, lambda candidate: dataclasses.replace(candidate, why_not="nothing"))
    monkeypatch.setattr(candidates, "TOGETHER", 1)
    pool = finish(meetings.best_pairs(stepping.compared, 4, Search()))
    steps = candidates.ranked(read_character(stepping.armature), stepping.settings, stepping.clips, pool)
    wanted = [(i + part) / len(pool) for i in range(len(pool)) for part in (0.0, 0.5)]
    assert list(steps) == pytest.approx(wanted)


def judge_as(monkeypatch: pytest.MonkeyPatch, answer: Callable[[Candidate], Candidate]) -> None:
    """Have each candidate answered in two steps, without a look at the clips."""

    def judge(_judging: Any, candidate: Candidate) -> Generator[float, None, Candidate]:
        yield 0.0
        yield 0.5
        return answer(candidate)

    monkeypatch.setattr(candidates._Judging, "judge", judge)


def test_a_poor_candidate_is_not_chosen_while_any_is_not_judged(
    stepping: Searched, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged: list[Candidate] = []

    def late(candidate: Candidate) -> Candidate:
        rating = POOR if len(judged) < 40 else FAIR
        judged.append(dataclasses.replace(candidate, verdict=judged_as(rating, 9.0, 0.0)))
        return judged[-1]

    judge_as(monkeypatch, late)
    (best,) = stepping.best(Search(apart_frames=2.0))
    assert best.verdict is not None
    assert best.verdict.rating == FAIR
    # and no longer than that is needed, none of them twice
    frames = [(one.cut, one.destination_frame) for one in judged]
    assert len(frames) == len({*frames}) == 41


def test_a_search_that_is_stopped_has_the_best_so_far(stepping: Searched) -> None:
    so_far: list[Candidate] = []
    asked = (
        read_character(stepping.armature),
        stepping.settings,
        stepping.clips,
        stepping.compared,
        Search(),
    )
    steps = candidates.best(*asked, WantedPairs(so_far=so_far))
    while len(so_far) < 4:
        next(steps)
    steps.close()
    (best,) = candidates.best_so_far(so_far, Search())
    assert best.order == min(one.order for one in so_far)
    assert best.verdict is not None


def test_a_rig_that_blender_has_to_play_is_judged_too(stepping: Searched) -> None:
    stepping.armature.pose.bones[-1].constraints.new("LIMIT_SCALE")
    asked = searched(stepping.armature, "Walk", "Late", blend_frames=10.0, feet="OFF")
    found = asked.best(Search(apart_frames=30.0), 3)
    assert all(one.verdict is not None for one in found)
    assert candidates.notes(found, "JUDGED") == []


@given(
    st.lists(
        st.builds(CostedMeeting, st.floats(0.0, 60.0), st.floats(0.0, 60.0), st.floats(0.0, 9.0)),
        min_size=1,
        max_size=30,
        unique=True,
    ),
    st.integers(1, 12),
)
def test_candidates_that_are_judged_lie_apart_where_they_can(pool: list[CostedMeeting], count: int) -> None:
    search = Search()
    cheapest = sorted(pool, key=lambda one: one.cost)
    found = candidates.spread(cheapest, count, search)
    assert len(found) == min(count, len(pool))
    assert found[0].cost == cheapest[0].cost
    assert [one.cost for one in found] == sorted(one.cost for one in found)
    far = candidates.SPREAD * search.apart_frames
    left = [
        one
        for one in pool
        if all(
            max(abs(one.cut - other.cut), abs(one.destination_frame - other.destination_frame)) >= far
            for other in found
        )
    ]
    # while any lies apart from all that was taken, none is taken that does not
    gaps = [
        max(abs(a.cut - b.cut), abs(a.destination_frame - b.destination_frame))
        for a, b in itertools.combinations(found, 2)
    ]
    assert not left or min(gaps, default=far) >= far


@pytest.mark.parametrize("side", [None, 0, 1])
def test_candidates_are_possible_apart_and_cost_what_they_say(stepping: Searched, side: int | None) -> None:
    search = Search(first=15.0, last=45.0, apart_frames=4.0)
    pool = finish(meetings.best_pairs(stepping.compared, 12, search))
    asked = (None, None)
    if side is not None:
        pool = meetings.best_destinations(stepping.compared, 20.0, search, 12)
        asked = (20.0, None)
        if side:
            pool = meetings.best_cuts(stepping.compared, 31.0, search, 12)
            asked = (None, 31.0)
    looking = candidates.foreseen(
        read_character(stepping.armature),
        stepping.settings,
        stepping.compared,
        search,
        pool,
        WantedPairs(8, asked),
    )
    found = finish(looking)
    assert 0 < len(found) <= 8
    gaps = [meetings.apart(one, other) for one, other in itertools.combinations(found, 2)]
    assert min(gaps, default=search.apart_frames) >= search.apart_frames
    last = stepping.compared.destination.frames[-1]
    for one in found:
        assert 15.0 <= one.cut <= 45.0
        assert one.destination_frame <= last - search.keep_frames
        assert min(meetings.apart(one, other) for other in pool) < search.apart_frames
        assert one.cost == pytest.approx(stepping.compared.at(one.cut, one.destination_frame))


def test_a_foreseen_order_is_about_that_of_the_verdicts(stepping: Searched) -> None:
    asked, search, count = stepping, Search(), 40
    pool = finish(meetings.best_pairs(asked.compared, count, search))
    found = finish(
        candidates.foreseen(
            read_character(asked.armature), asked.settings, asked.compared, search, pool, WantedPairs(count)
        )
    )
    judged = finish(candidates.ranked(read_character(asked.armature), asked.settings, asked.clips, found))
    size = {(one.cut, one.destination_frame): one.verdict.highest.ratio for one in judged if one.verdict}
    order = [size[one.cut, one.destination_frame] for one in found]
    half = len(order) // 2
    assert half > 5
    assert np.median(order[:half]) < np.median(order[half:])


def test_a_candidate_that_cannot_be_planned_comes_last_and_says_why(stepping: Searched) -> None:
    asked = dataclasses.replace(
        stepping, settings=dataclasses.replace(stepping.settings, bones=("None",), feet="OFF")
    )
    found = asked.best(Search(), 3)
    assert {one.verdict for one in found} == {None}
    (note,) = candidates.notes(found, "JUDGED")
    assert 'no bone "None"' in note


def judged_as(rating: str, total: float, skating: float) -> Verdict:
    changes = (NO_CHANGE, NO_CHANGE, NO_CHANGE)
    return Verdict(rating, (), total, *changes, skate=0.0, lift=0.0, reach=0.0, until=0.0, skating=skating)


CANDIDATES = st.builds(
    Candidate,
    cut=st.floats(0.0, 100.0),
    destination_frame=st.floats(0.0, 100.0),
    cost=st.floats(0.0, 10.0),
    verdict=st.none()
    | st.builds(judged_as, st.sampled_from(RATED), st.floats(0.0, 100.0), st.floats(0.0, 10.0)),
)


@given(st.lists(CANDIDATES, max_size=8))
def test_no_worse_word_comes_first_then_faults_then_cost(found: list[Candidate]) -> None:
    ranked = sorted(found, key=lambda one: one.order)
    for before, after in itertools.pairwise(ranked):
        if before.verdict is None:
            assert after.verdict is None
            assert before.cost <= after.cost
        elif after.verdict is not None:
            words = [RATED.index(one.verdict.rating) for one in (before, after) if one.verdict]
            assert words[0] <= words[1]
            if words[0] == words[1]:
                seen = [one.verdict.total + one.verdict.skating for one in (before, after) if one.verdict]
                assert seen[0] <= seen[1]
                assert seen[0] < seen[1] or before.cost <= after.cost
