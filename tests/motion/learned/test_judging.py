# SPDX-License-Identifier: GPL-3.0-or-later
"""A model is judged by what it plays, against figures that are worked out here by other means."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inertia_addon.motion.learned import checking, judging, usability
from inertia_addon.motion.learned.model import Model
from inertia_addon.motion.learned.usability import Usability
from inertia_addon.motion.matching import engine
from inertia_addon.motion.quaternion import rotate
from inertia_addon.motion.steps import finish
from tests.motion import made_up_moves as moves

GOOD = Usability(1.0, 20.0, 0.2, 0.2, 0.05)


class Replayed:
    """Networks that know the clips by heart, or all but that they move: a statue that glides."""

    def __init__(self, *, is_statue: bool) -> None:
        known = moves.learned_from(np.float64)
        self.values, self.inputs, self.is_statue = known.values, known.inputs, is_statue

    def network(self, name: str) -> object:
        """The latents are the frame's number, which the Stepper counts on, and the Decompressor looks up."""
        return {
            "compressor": lambda inputs: self._frames(inputs),
            "stepper": lambda state: np.where(
                np.arange(state.shape[1]) == state.shape[1] - 1, engine.FPS, 0.0
            ),
            "decompressor": self._values,
        }[name]

    def _frames(self, inputs: np.ndarray) -> np.ndarray:
        return np.array([[np.flatnonzero((self.inputs == one).all(axis=1))[0]] for one in inputs], float)

    def _values(self, state: np.ndarray) -> np.ndarray:
        values = self.values[np.round(state[:, -1]).astype(int)].copy()
        if self.is_statue:
            root = moves.learned_from().rows.root
            mean = self.values.mean(axis=0)
            mean[root] = 0.0
            values = np.where(
                np.isin(np.arange(values.shape[1]), np.arange(root.start, root.stop)), values, mean
            )
        return np.asarray(values)


def seen(*, is_statue: bool) -> Usability:
    """How such a model plays."""
    replayed, known = Replayed(is_statue=is_statue), moves.learned_from(np.float64)
    made = moves.training().model()

    class Played(Model):
        def network(self, name: str) -> object:  # type: ignore[override]  # it plays by heart
            return replayed.network(name)

    values = {field.name: getattr(made, field.name) for field in dataclasses.fields(Model)}
    model = Played(**{**values, "stepper": made.decompressor})
    found = finish(judging.judge_steps(model, known))
    assert found is not None
    return found


def test_a_model_that_knows_its_clips_by_heart_is_usable_and_a_statue_glides() -> None:
    exact, statue = seen(is_statue=False), seen(is_statue=True)
    assert exact.is_usable
    assert exact.drift_cm == pytest.approx(0.0, abs=0.01)
    assert exact.skate == pytest.approx(exact.own_skate, rel=1e-3)
    assert not statue.is_usable
    assert statue.skate > 1.2 * statue.own_skate
    assert statue.drift_cm > 0.7 * statue.random_cm
    assert statue.random_cm == exact.random_cm


def test_joints_are_where_the_clip_has_them_seen_from_its_ground() -> None:
    known, made = moves.learned_from(np.float64), moves.exported()
    places = judging.joints(known.rows, moves.PARENTS, known.values)
    assert places == pytest.approx(checking.joints(known, known.values), abs=1e-5)
    # in the world they go where the clip has them, which begins at the origin and faces along x
    part = slice(known.starts[1], known.starts[1] + 60)
    world = judging.in_world(known.rows, known.values[part, None], places[part, None])[:, 0]
    whole = np.empty((60, 4, 3))
    whole[:, 0] = made.positions[part, 0] + rotate(made.rotations[part, 0], made.positions[part, 1])
    facing = float(moves.clip(speed=0.8, turn=0.6, pace=1.2).root[0, 2])
    hips = whole[:, 0] - made.positions[known.starts[1], 0]
    c, s = np.cos(-facing - 0.5 * np.pi), np.sin(-facing - 0.5 * np.pi)
    turned = np.stack([c * hips[:, 0] + s * hips[:, 2], hips[:, 1], c * hips[:, 2] - s * hips[:, 0]], axis=1)
    assert world[:, 0] == pytest.approx(turned, abs=0.02)


def test_the_word_says_for_how_long_it_should_learn() -> None:
    bad = dataclasses.replace(GOOD, skate=0.5)
    assert str(usability.sentence(GOOD, None)).startswith("Usable: it drifts 1.0 cm in 30 frames")
    assert "learn about 12 minutes more" in usability.sentence(bad, 12)
    assert "toes skate 2.5 times" in usability.sentence(bad, 12)
    assert "learn longer" in usability.sentence(bad, None)


def fallen(power: float, count: int = 40) -> np.ndarray:
    """The history of a training whose losses fall with a power of the time."""
    done = np.arange(1, count + 1) / count
    return np.concatenate(
        [np.column_stack([np.full(count, stage), done, done, done**-power]) for stage in (0.0, 1.0)]
    )


@given(st.floats(0.2, 0.9), st.floats(1.6, 3.0), st.floats(0.5, 20.0))
def test_the_estimate_is_the_time_at_which_a_power_of_it_has_come_down(
    power: float, times: float, minutes: float
) -> None:
    bad = dataclasses.replace(GOOD, skate=times * GOOD.own_skate)
    more = usability.minutes_more(bad, fallen(power), minutes)
    whole = minutes * bad.excess ** (1.0 / power)
    if bad.excess ** (1.0 / power) > usability.MOST_TIMES * 1.0001:
        assert more is None
    elif more is not None:
        assert whole - minutes - 1e-3 <= more <= max(whole - minutes, 1.0) + 1.001


def test_more_minutes_are_not_estimated_of_too_little_or_where_a_model_is_usable() -> None:
    bad = dataclasses.replace(GOOD, drift_cm=9.0)
    assert usability.minutes_more(bad, fallen(0.5, count=4), 1.0) is None
    assert usability.minutes_more(bad, np.zeros((0, 4)), 1.0) is None
    assert usability.minutes_more(GOOD, fallen(0.5), 1.0) is None
    assert usability.minutes_more(dataclasses.replace(bad, drift_cm=float("inf")), fallen(0.5), 1.0) is None


@given(st.floats(0.0, 100.0), st.floats(0.0, 5.0), st.floats(0.0, 5.0))
def test_worse_is_never_usable_where_better_is_not(drift: float, skate: float, more: float) -> None:
    one = Usability(drift, 20.0, skate, 0.2, 0.05)
    for worse in (
        dataclasses.replace(one, drift_cm=drift + more),
        dataclasses.replace(one, skate=skate + more),
    ):
        assert worse.excess >= one.excess - 1e-12
        assert one.is_usable or not worse.is_usable
