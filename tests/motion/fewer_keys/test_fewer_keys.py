# SPDX-License-Identifier: GPL-3.0-or-later
"""Fewer keys show a made-up motion within the tolerance that is asked for, in whatever rotation mode."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inertia_addon.motion import quaternion
from inertia_addon.motion.curves.evaluation import evaluate_together
from inertia_addon.motion.fewer_keys import search, splines
from inertia_addon.motion.fewer_keys.chains import LinkChain
from inertia_addon.motion.fewer_keys.search import Take, find_turning_points
from inertia_addon.motion.fewer_keys.splines import SamplePlaces, Spline, Wanted
from inertia_addon.motion.skeleton.kinematics import Skeleton
from inertia_addon.motion.skeleton.posing import Frame, Rig
from inertia_addon.motion.steps import finish

FRAMES = 41
MODES = ("QUATERNION", "XYZ", "ZXY", "AXIS_ANGLE")


def rig(mode: str) -> Rig:
    """An arm of three bones of a metre each, one above the other."""
    rest = np.tile(np.eye(4), (3, 1, 1))
    rest[:, 1, 3] = np.arange(3.0)
    standing = {("location", i): 0.0 for i in range(3)} | {("scale", i): 1.0 for i in range(3)}
    standing |= {("rotation_euler", i): 0.0 for i in range(3)}
    names = ("A", "B", "C")
    return Rig(
        Skeleton(names, (-1, 0, 1), rest),
        (mode,) * 3,
        tuple(f"{name}." for name in names),
        "XYZ",
        Frame(np.eye(4), np.zeros(3), quaternion.IDENTITY),
        np.ones(3),
        standing,
    )


def take(mode: str, seed: int, tolerance: float, stands: slice = slice(0)) -> Take:
    """An arm that swings and wanders, whose end stands on some samples."""
    chance = np.random.default_rng(seed)
    times = np.arange(1.0, FRAMES + 0.25, 0.5)
    prop, count = quaternion.rotation_property(mode)
    tracks, channels = {}, {}
    for link, name in enumerate("ABC", 1):
        rest = [quaternion.default_of(prop, i) for i in range(count)]
        addresses = [(f"{name}.{prop}", i) for i in range(count)]
        for address, usual in zip(addresses, rest, strict=True):
            waves = chance.uniform(0.05, 0.4, 2)[:, None] * np.array([[0.6], [0.2]])
            phases = chance.uniform(0.0, 6.0, 2)[:, None]
            tracks[address] = usual + np.sum(
                waves * np.sin(chance.uniform(0.05, 0.5, 2)[:, None] * times + phases), axis=0
            )
        if link == 1:
            for i in range(3):
                addresses.append(("A.location", i))
                tracks["A.location", i] = 0.02 * (i + 1) * times + 0.1 * np.sin(0.2 * times + i)
        channels[link] = tuple(addresses)
    hung = np.repeat([1, 2, 3], 3)
    offsets = np.tile([[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.2, 1.0, 0.0]], (3, 1))
    tolerances = np.full((len(hung), len(times)), tolerance)
    tolerances[7, stands] = min(0.001, tolerance)
    return Take(
        LinkChain(rig(mode), tracks, channels, hung, offsets), times, tolerances, {3: frozenset({10})}
    )


def found(asked: Take) -> dict[int, Spline]:
    fitted = finish(search.search_keys_steps(asked))
    assert fitted is not None
    return dict(fitted)


def away(asked: Take, fitted: dict[int, Spline]) -> np.ndarray:
    """How far points (points, n) are, by what Blender evaluates of the keys."""
    chain, whole = asked.chain, asked.times[::2]
    values = {
        link: evaluate_together(splines.make_keys(spline, whole), asked.times).T.astype(float)
        for link, spline in fitted.items()
    }
    return np.linalg.norm(chain.points(chain.matrices(values)) - chain.take, axis=2)


@settings(max_examples=6, deadline=None)
@given(mode=st.sampled_from(MODES), seed=st.integers(0, 1000), tolerance=st.sampled_from([0.003, 0.01, 0.05]))
def test_no_point_is_further_than_the_tolerance(mode: str, seed: int, tolerance: float) -> None:
    asked = take(mode, seed, tolerance)
    fitted = found(asked)
    assert (away(asked, fitted) <= asked.tolerances).all()
    for link, spline in fitted.items():
        assert {0, FRAMES - 1, *asked.contacts.get(link, ())} <= set(spline.keys.tolist())


@pytest.mark.parametrize("mode", MODES)
def test_a_point_that_stands_is_held_closer_than_others(mode: str) -> None:
    asked = take(mode, 3, 0.03, slice(20, 50))
    far = away(asked, found(asked))
    assert far[7, 20:50].max() <= 0.001
    assert far.max() > 0.005


def test_more_tolerance_leaves_fewer_keys() -> None:
    counts = [
        sum(len(spline.keys) for spline in found(take("XYZ", 5, off)).values()) for off in (0.002, 0.01, 0.05)
    ]
    assert counts[0] > counts[1] > counts[2]
    assert counts[0] < 3 * FRAMES


def test_the_ends_are_the_takes_own() -> None:
    asked = take("QUATERNION", 8, 0.05)
    for link, spline in found(asked).items():
        own = asked.chain.raw[link]
        np.testing.assert_allclose(spline.values[[0, -1]], own[[0, -1]], atol=1e-6)


def test_a_jump_is_shown_by_keys_beside_it() -> None:
    asked = take("XYZ", 2, 0.005)
    jump = asked.chain.tracks["B.rotation_euler", 0]
    jump[40:] += 0.5
    jump[39] = 0.5 * (jump[38] + jump[40])
    fitted = found(asked)
    assert (away(asked, fitted) <= asked.tolerances).all()
    assert {19, 20} <= set(fitted[2].keys.tolist())


@given(
    gaps=st.lists(st.integers(1, 9), min_size=1, max_size=6),
    numbers=st.lists(st.floats(-3.0, 3.0), min_size=21, max_size=21),
)
@settings(max_examples=40, deadline=None)
def test_a_spline_is_what_blender_shows_of_its_keys(gaps: list[int], numbers: list[float]) -> None:
    keys = np.concatenate([[0], np.cumsum(gaps)])
    values, left, right = np.array(numbers).reshape(3, 7)[:, : len(keys), None]
    spline = Spline(keys, np.ones(len(keys), bool), values, left, right)
    times = np.arange(5.0, 5.25 + keys[-1], 0.5)
    (made,) = splines.make_keys(spline, times[::2])
    shown = evaluate_together([made], times)[0]
    np.testing.assert_allclose(SamplePlaces.of(keys, times).sample_spline(spline)[:, 0], shown, atol=2e-4)


@given(factors=st.lists(st.floats(-1.0, 1.0), min_size=4, max_size=4), length=st.integers(2, 30))
@settings(max_examples=30, deadline=None)
def test_two_keys_are_enough_for_a_cubic(factors: list[float], length: int) -> None:
    times = np.arange(0.0, length + 0.25, 0.5)
    values = np.polyval(factors, times / length)[:, None]
    wanted = Wanted(values, np.ones((len(times), 1, 1)), values, np.gradient(values, times, axis=0))
    keys = np.array([0, length])
    places = SamplePlaces.of(keys, times)
    (spline,) = splines.fit_splines([(keys, np.zeros(2, bool))], [places], [wanted])
    np.testing.assert_allclose(places.sample_spline(spline), values, atol=1e-4)


@given(values=st.lists(st.floats(-5.0, 5.0), min_size=1, max_size=30), prominence=st.floats(0.1, 3.0))
@settings(deadline=None)
def test_turning_points_alternate_by_their_prominence(values: list[float], prominence: float) -> None:
    turns = find_turning_points(np.array(values), prominence)
    assert turns == sorted(set(turns))
    steps = np.diff(np.array(values)[turns])
    assert (np.abs(steps) >= prominence).all()
    assert (steps[1:] * steps[:-1] < 0.0).all()


def test_derivatives_say_how_points_move() -> None:
    asked = take("ZXY", 4, 0.01)
    chain = asked.chain
    step = 1e-4
    for link, raw in chain.raw.items():
        for k in range(raw.shape[1]):
            changed = raw.copy()
            changed[:, k] += step
            moved = (chain.points(chain.matrices({link: changed})) - chain.take) / step
            by = chain.derivatives[link][:, k]
            said = np.einsum("nca,jna->jnc", by[..., :3], chain.take) + by[None, :, :, 3]
            below = [link in chain.above(each) for each in chain.hung.tolist()]
            np.testing.assert_allclose(moved[below], said[below], atol=2e-3)
            np.testing.assert_allclose(moved[~np.array(below)], 0.0, atol=1e-9)
