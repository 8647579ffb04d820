# SPDX-License-Identifier: GPL-3.0-or-later
"""Which mode a character moves in, and what each mode takes, of roots that are moved by known springs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inertia_addon.motion import quaternion
from inertia_addon.motion.root_motion import measure as root_motion
from inertia_addon.motion.root_motion import modes
from inertia_addon.motion.root_motion.measure import Measured, RootMotion
from inertia_addon.settings.root_motion import Settings
from tests.motion import springs

FPS = 30.0
RUNS_FROM = 2.0
Spring = tuple[float, float, float]
"""When the goal changes, seconds; by how much; and the half-life, seconds."""


def integrated(t: np.ndarray, changes: tuple[Spring, ...]) -> np.ndarray:
    """What springs add up to, each integrated by small steps."""
    return sum((by * springs.integrated(t - at, half, 0.0) for at, by, half in changes), np.zeros(len(t)))


def moved(
    speeds: tuple[Spring, ...],
    bearing: float,
    seconds: float = 6.0,
    facing: float = 0.0,
    turns: tuple[Spring, ...] = (),
) -> RootMotion:
    """A root that goes where it faces, turned by a bearing (radians to the left), with swaying hips."""
    fine = np.linspace(0.0, seconds, 3000)
    ways = facing + integrated(fine, turns) + bearing
    paces = integrated(fine, speeds)[:, None] * np.column_stack([np.sin(ways), -np.cos(ways)])
    ground = np.cumsum(paces, axis=0) * (fine[1] - fine[0])
    t = np.arange(0.0, seconds, 1.0 / FPS)
    places = np.column_stack([np.interp(t, fine, axis) for axis in ground.T] + [np.ones(len(t))])
    faces = facing + integrated(t, turns) + math.radians(8.0) * np.sin(2.0 * np.pi * 1.5 * t)
    rotations = quaternion.exp(faces[:, None] * np.array([0.0, 0.0, 1.0]))
    return root_motion.read(t * FPS, places, rotations, root_motion.FRONT, FPS)


def found_in(motion: RootMotion) -> tuple[Measured, modes.ClipModes]:
    measured = root_motion.measure(motion, Settings(least_travel=0.05))
    return measured, modes.find_modes(motion, measured, 0.5, RUNS_FROM)


def expected(bearing: float, speed: float) -> str:
    """The mode by the direction's cosine and sine: which of the two axes it is nearer to."""
    ahead, aside = math.cos(bearing), abs(math.sin(bearing))
    if ahead >= aside:
        return modes.RUN if speed >= RUNS_FROM else modes.WALK
    return modes.BACK if -ahead >= aside else modes.STRAFE


@settings(max_examples=8, deadline=None)
@given(
    st.integers(-175, 180).filter(lambda degrees: min(abs(abs(degrees) - 45), abs(abs(degrees) - 135)) > 4),
    st.sampled_from([1.2, 1.7, 2.4, 4.0]),
    st.floats(-3.0, 3.0),
)
def test_a_start_and_a_stop_are_of_the_mode_that_they_go_in(
    degrees: int, speed: float, facing: float
) -> None:
    bearing = math.radians(degrees)
    measured, found = found_in(moved(((1.0, speed, 0.2), (4.0, -speed, 0.15)), bearing, facing=facing))
    mode = expected(bearing, speed)
    assert found.speeds == (mode, mode)
    assert list(found.tops) == [mode]
    assert found.tops[mode] == pytest.approx(speed, rel=0.03)
    (gathered,) = modes.gather([(measured, found)], lambda ramp: ramp.fit.half_life)
    assert gathered.name == mode
    assert gathered.starts is not None
    assert gathered.starts.middle == pytest.approx(0.2, rel=0.05)
    assert gathered.stops is not None
    assert gathered.stops.middle == pytest.approx(0.15, rel=0.07)


def test_a_set_has_a_row_for_each_mode_in_their_order() -> None:
    clips = [
        found_in(moved(((1.0, speed, half),), math.radians(bearing)))
        for speed, half, bearing in (
            (1.4, 0.3, 0.0),
            (1.5, 0.2, 0.0),
            (1.1, 0.25, 180.0),
            (4.0, 0.4, 5.0),
            (1.3, 0.35, 90.0),
            (1.2, 0.15, -90.0),
        )
    ]
    gathered = modes.gather(clips, lambda ramp: ramp.fit.half_life)
    assert [mode.name for mode in gathered] == ["run", "walk", "strafe", "back"]
    assert [mode.top_speed for mode in gathered] == pytest.approx([4.0, 1.5, 1.3, 1.1], rel=0.02)
    counts = [(mode.speeds.count, mode.starts.count, mode.stops) for mode in gathered]
    assert counts == [(1, 1, None), (2, 2, None), (2, 2, None), (1, 1, None)]
    middles = [mode.speeds.middle for mode in gathered]
    assert middles == pytest.approx([0.4, 0.25, 0.25, 0.25], rel=0.05)
    assert gathered[2].speeds.low == pytest.approx(0.15, rel=0.06)
    assert gathered[2].speeds.high == pytest.approx(0.35, rel=0.06)


def test_a_root_that_walks_and_then_runs_has_both_top_speeds() -> None:
    motion = moved(((0.3, 1.4, 0.1), (3.5, 2.6, 0.15)), 0.0, seconds=7.0)
    _, found = found_in(motion)
    assert found.speeds == ("walk", "run")
    assert found.tops == {"walk": pytest.approx(1.4, rel=0.03), "run": pytest.approx(4.0, rel=0.03)}


def test_a_start_that_passes_a_walk_is_no_walk() -> None:
    _, found = found_in(moved(((1.0, 4.0, 0.5),), 0.0, seconds=7.0))
    assert list(found.tops) == ["run"]


def test_a_plant_and_turn_is_of_the_mode_that_it_ends_in() -> None:
    # it faces the same way: it runs ahead, and backs up
    _, found = found_in(moved(((0.0, 3.0, 0.01), (3.0, -5.0, 0.3)), 0.0, seconds=7.0))
    assert found.speeds[-1] == "back"
    assert found.tops["run"] == pytest.approx(3.0, rel=0.03)
    assert found.tops["back"] == pytest.approx(2.0, rel=0.03)


@pytest.mark.parametrize(
    ("speed", "degrees", "mode"), [(0.0, 0, "stand"), (1.4, 0, "walk"), (3.5, 0, "run"), (1.4, 90, "strafe")]
)
def test_turns_are_of_the_mode_that_one_travels_in(speed: float, degrees: int, mode: str) -> None:
    speeds = ((0.0, speed, 0.05),) if speed else ()
    turn = ((2.5, math.radians(120.0), 0.2),)
    measured, found = found_in(moved(speeds, math.radians(degrees), turns=turn))
    assert found.turns == (mode,)
    gathered = modes.gather([(measured, found)], lambda ramp: ramp.fit.half_life)
    (row,) = [each for each in gathered if each.name == mode]
    assert row.turns.count == 1
    assert row.turns.middle == pytest.approx(0.2, rel=0.1)


def test_a_root_without_a_facing_of_its_own_travels_ahead() -> None:
    motion = moved(((1.0, 1.4, 0.2),), math.radians(90.0))
    bare = RootMotion(motion.fps, motion.frames, motion.speed, motion.facing, motion.furthest, ())
    assert found_in(bare)[1].speeds == ("walk",)


def test_a_root_that_goes_nowhere_has_no_mode() -> None:
    measured, found = found_in(moved((), 0.0))
    assert modes.gather([(measured, found)], lambda ramp: 0.0) == ()


def test_large_characters_run_later() -> None:
    # where v^2 / (g leg) is one half, a man of 1.8 m, whose legs are 0.9 m long, walks up to 2.1 m/s
    assert modes.run_speed_of(2.4) == pytest.approx(math.sqrt(0.5 * 9.81 * 0.9), rel=0.02)
    assert modes.run_speed_of(4.0 * 2.4) == pytest.approx(2.0 * modes.run_speed_of(2.4))
