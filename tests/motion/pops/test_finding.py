# SPDX-License-Identifier: GPL-3.0-or-later
"""What jumps beyond what a bone does elsewhere is found, told apart, and told from what is usual."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from inertia_addon.motion import quaternion
from inertia_addon.motion.arrays import Array
from inertia_addon.motion.decay.decay import Method
from inertia_addon.motion.pops import finding, mending
from inertia_addon.motion.pops.finding import Limits
from inertia_addon.motion.pops.mending import Mend
from inertia_addon.motion.pops.templates import Pop, PopKind

FPS = 30.0
LIMITS = Limits(6.0, np.radians(3.0), np.radians(0.15))


def swing(frames: int = 90, bones: int = 3, seed: int = 1, fps: float = FPS) -> Array:
    """Bones that swing by some 30 degrees, with a tremble of a twentieth of one: (frames, bones, 4)."""
    rng = np.random.default_rng(seed)
    t = np.arange(frames)[:, None, None] / fps
    waves = 0.4 * np.sin(2.0 * np.pi * rng.uniform(0.3, 0.8, (bones, 3)) * t + rng.uniform(0, 6, (bones, 3)))
    return quaternion.exp(waves + rng.normal(0.0, np.radians(0.05), waves.shape))


def turned(poses: Array, bone: int, frames: slice, degrees: float) -> Array:
    """The same with a bone turned further on some frames."""
    poses = poses.copy()
    turn = quaternion.exp(np.radians(degrees) * np.array([0.6, 0.0, -0.8]))
    poses[frames, bone] = quaternion.multiply(turn, poses[frames, bone])
    return poses


def found(poses: Array, fps: float = FPS, limits: Limits = LIMITS) -> list[Pop]:
    return finding.find(poses, fps, limits)


def told(pops: list[Pop]) -> list[tuple[int, PopKind, int, int]]:
    return [(pop.motion, pop.kind, pop.first, pop.last) for pop in pops]


def test_a_swing_has_no_pops() -> None:
    assert found(swing()) == []


@pytest.mark.parametrize("at", [1, 2, 3, 20, 45, 86, 87, 88, 89])
def test_a_step_is_found_wherever_it_is(at: int) -> None:
    (pop,) = found(turned(swing(), 1, slice(at, None), 25.0))
    assert told([pop]) == [(1, PopKind.STEP, at - 1, at)]
    assert np.degrees(pop.size) == pytest.approx(25.0, abs=1.5)
    assert pop.times > LIMITS.times


@pytest.mark.parametrize("seed", [2, 5, 8])
@pytest.mark.parametrize(("near", "enough"), [(3, 4), (87, 86)])
def test_a_jump_counts_in_full_from_a_tenth_of_a_second_off_the_ends(
    near: int, enough: int, seed: int
) -> None:
    def times(at: int) -> float:
        (pop,) = found(turned(swing(bones=1, seed=seed), 0, slice(at, None), 25.0))
        return pop.times

    assert times(enough) == pytest.approx(times(45), rel=0.2)
    assert times(near) < 0.8 * times(enough)


@pytest.mark.parametrize("at", [1, 2, 30, 87, 88])
def test_a_frame_that_is_elsewhere_is_a_spike(at: int) -> None:
    (pop,) = found(turned(swing(), 2, slice(at, at + 1), -20.0))
    assert told([pop]) == [(2, PopKind.SPIKE, at, at)]


@pytest.mark.parametrize(("first", "last"), [(30, 31), (30, 32), (20, 40), (5, 25)])
def test_a_turn_there_and_back_is_a_stretch(first: int, last: int) -> None:
    (pop,) = found(turned(swing(), 0, slice(first, last + 1), 100.0))
    assert told([pop]) == [(0, PopKind.STRETCH, first, last)]
    np.testing.assert_allclose(pop.back, -pop.jump, atol=0.5)


@example(frames=11, first=11, degrees=22.0, turn=0, is_own=True)
@given(
    frames=st.integers(2, 12),
    first=st.integers(4, 70),
    degrees=st.floats(8.0, 25.0),
    turn=st.integers(0, 10_000),
    is_own=st.booleans(),
)
def test_a_short_stretch_is_one_event_in_any_axes(
    frames: int, first: int, degrees: float, turn: int, *, is_own: bool
) -> None:
    axis = np.random.default_rng(turn).normal(size=3)
    offset = quaternion.exp(np.radians(degrees) * axis / np.linalg.norm(axis))
    clean = swing(bones=1)
    poses, span = clean.copy(), slice(first, first + frames)
    both = (poses[span, 0], offset) if is_own else (offset, poses[span, 0])
    poses[span, 0] = quaternion.multiply(*both)
    (pop,) = found(poses)
    assert told([pop]) == [(0, PopKind.STRETCH, first, first + frames - 1)]
    # and led back as a whole
    made = mending.mended(
        poses[:, 0], is_rotation=True, pops=[pop], fps=FPS, mend=Mend("AROUND", Method.SMOOTH, 0.25)
    )
    apart = quaternion.log(quaternion.multiply(made, quaternion.conjugate(clean[:, 0])))
    assert np.degrees(np.linalg.norm(apart[span], axis=1)).max() < 0.2 * degrees
    assert np.delete(apart, np.arange(first, first + frames), axis=0) == pytest.approx(0.0, abs=1e-8)
    assert found(made[:, None]) == []


def test_two_that_lie_far_apart_are_two_steps() -> None:
    assert [pop.kind for pop in found(turned(swing(), 0, slice(20, 70), 60.0))] == [
        PopKind.STEP,
        PopKind.STEP,
    ]


def test_a_fast_turn_over_three_frames_is_a_step_where_frames_are_short() -> None:
    poses = swing(360, fps=120.0)
    for i, part in enumerate((10.0, 20.0, 30.0)):
        frames = slice(100 + i, None if i == 2 else 101 + i)
        poses = turned(poses, 0, frames, part)
    (pop,) = found(poses, 120.0)
    assert told([pop]) == [(0, PopKind.STEP, 99, 102)]
    assert np.degrees(pop.size) == pytest.approx(30.0, abs=2.0)


def test_a_turn_that_a_bone_makes_again_and_again_is_usual() -> None:
    once, often = swing(), swing()
    once = turned(once, 0, slice(40, None), 12.0)
    for at in range(10, 90, 10):
        often = turned(often, 0, slice(at, None), 12.0 if at % 20 else -12.0)
    assert len(found(once)) == 1
    assert found(often) == []


def test_a_pop_hides_no_other() -> None:
    poses = turned(turned(swing(40), 0, slice(12, None), 80.0), 0, slice(28, 29), 15.0)
    assert told(found(poses)) == [(0, PopKind.STEP, 11, 12), (0, PopKind.SPIKE, 28, 28)]


@given(st.integers(10, 20), st.integers(34, 48), st.floats(12.0, 60.0))
def test_two_spikes_in_two_seconds_are_no_more_usual_than_one(
    first: int, second: int, degrees: float
) -> None:
    poses = swing(60)
    for at in (first, second):
        poses = turned(poses, 0, slice(at, at + 1), degrees)
    spikes = [(0, PopKind.SPIKE, at, at) for at in (first, second)]
    assert told(found(poses)) == spikes


def test_short_motions_are_searched_as_far_as_they_say_what_is_usual() -> None:
    poses = turned(swing(13), 0, slice(6, None), 30.0)
    assert told(found(poses)) == [(0, PopKind.STEP, 5, 6)]
    assert found(turned(swing(finding.SHORTEST - 1), 0, slice(3, None), 30.0)) == []


def test_limits_of_pops_say_how_strict_and_how_small() -> None:
    poses = turned(swing(), 0, slice(40, None), 8.0)
    (pop,) = found(poses)
    assert found(poses, limits=Limits(pop.times * 1.01, *(LIMITS.smallest, LIMITS.floor))) == []
    assert found(poses, limits=Limits(6.0, np.radians(10.0), LIMITS.floor)) == []


def shaken(fps: float = FPS, seed: int = 5) -> Array:
    """Six bones that swing, and shake together, each its own way, now and then: (frames, bones, 4)."""
    rng = np.random.default_rng(seed)
    count = round(3.0 * fps)
    bursts = np.radians(1.0) * rng.normal(size=(count, 2)) * rng.exponential(size=(count, 1))
    own = np.einsum("nk,kmi->nmi", bursts, rng.normal(size=(2, 6, 3)))
    return quaternion.multiply(quaternion.exp(own), swing(count, 6, seed, fps))


@pytest.mark.variants(1)
@pytest.mark.parametrize("at", [12, 40, 77])
def test_a_jump_of_one_bone_is_told_from_what_shakes_all(at: int) -> None:
    poses = turned(shaken(), 2, slice(at, None), 12.0)
    assert found(poses[:, [2]]) == []
    assert told(found(poses)) == [(2, PopKind.STEP, at - 1, at)]
    assert found(shaken()) == []


def test_a_shake_of_all_bones_is_no_jump_of_one() -> None:
    rng = np.random.default_rng(5)
    poses, shakes = swing(90, 6, 5), rng.normal(size=(6, 3))
    jolts = np.radians(0.5) * rng.normal(size=90)
    jolts[40:] += np.radians(11.0)
    poses = quaternion.multiply(quaternion.exp(jolts[:, None, None] * shakes), poses)
    alone = [told(found(poses[:, [bone]])) for bone in (0, 3)]
    assert alone == 2 * [[(0, PopKind.STEP, 39, 40)]]
    assert found(poses) == []


def test_a_bone_is_looked_at_alone_with_many_frames_a_second() -> None:
    poses = turned(shaken(120.0), 2, slice(150, None), 25.0)
    alone = [pop for bone in range(6) for pop in found(poses[:, [bone]], 120.0)]
    assert [pop.times for pop in found(poses, 120.0)] == [pop.times for pop in alone]


def test_places_are_searched_too() -> None:
    frames = np.arange(60.0)[:, None]
    places = np.stack([0.02 * frames, 0.3 * np.sin(0.2 * frames), 0.0 * frames], axis=2)
    places[30:] += (0.0, 0.0, 0.4)
    pops = finding.find(places, FPS, Limits(6.0, 0.02, 0.001))
    assert told(pops) == [(0, PopKind.STEP, 29, 30)]
    assert pops[0].size == pytest.approx(0.4, abs=0.01)
