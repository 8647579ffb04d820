# SPDX-License-Identifier: GPL-3.0-or-later
"""Thinned curves stay within their tolerance, on fewer keys, and change nowhere else."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from inertia_addon.motion.arrays import Array
from inertia_addon.motion.curves import evaluation, thinning
from inertia_addon.motion.curves import keys as keylib
from inertia_addon.motion.curves.keys import Keys

BEFORE = [(-9.0, 3.0), (-4.5, -2.0), (-1.0, 1.0)]
"""Keys before a window, which begins on frame 0."""


def away(tolerance: float) -> thinning.Away:
    return lambda here, wanted: np.linalg.norm(here - wanted, axis=1) / tolerance


def around(frames: Array, values: Array) -> Keys:
    """A curve with a window between keys of its own."""
    ends = (
        np.array([*BEFORE, (0.0, values[0])]),
        np.array([(frames[-1], values[-1]), (frames[-1] + 8.0, 1.0)]),
    )
    before, after = (keylib.sampled(*end.T) for end in ends)
    return keylib.join(before, keylib.sampled(frames, values), after)


@given(
    count=st.integers(2, 40),
    seed=st.integers(0, 2**32),
    rough=st.floats(0.0, 1.0),
    tolerance=st.sampled_from([0.01, 0.1, 1.0, 10.0]),
    between=st.booleans(),
)
def test_thinned_curves_stay_within_the_tolerance_and_share_their_keys(
    count: int, seed: int, rough: float, tolerance: float, *, between: bool
) -> None:
    chance = np.random.default_rng(seed)
    frames = np.concatenate([[0.0], np.arange(1.0, count) - (0.75 if between else 0.0)])
    smooth = np.sin(frames[:, None] * chance.uniform(0.0, 0.5, 3)) * 5.0
    values = smooth + rough * chance.normal(size=(count, 3))
    curves = [around(frames, column) for column in values.T]
    # the third one is by itself, and ends sooner
    last = frames[max(1, count // 2)]
    groups = [(curves[:2], frames[-1]), (curves[2:], last)]
    found = thinning.find_needed_frames(
        [thinning.strand(own, 0.0, end, away(tolerance)) for own, end in groups]
    )
    for own, end in groups:
        made = [thinning.thin_keys(keys, 0.0, end, found) for keys in own]
        inner = frames[(frames >= 0.0) & (frames <= end)]
        places = np.union1d(inner, 0.5 * (inner[1:] + inner[:-1]))
        shown, full = (
            np.transpose([evaluation.evaluate(one, places) for one in each]) for each in (made, own)
        )
        assert np.max(away(tolerance)(shown, full)) <= 1.0 + 1e-4
        for keys, before in zip(made, own, strict=True):
            kept = keys.co[(keys.co[:, 0] >= 0.0) & (keys.co[:, 0] <= end), 0]
            assert set(kept) == set(np.float32(inner)) & set(np.float32(found))
            outside = np.concatenate([np.arange(-12.0, 0.01, 0.25), np.arange(end, frames[-1] + 12.0, 0.25)])
            np.testing.assert_array_equal(
                evaluation.evaluate(keys, outside), evaluation.evaluate(before, outside)
            )


def test_a_cubic_needs_no_key_between_its_ends() -> None:
    frames = np.arange(0.0, 21.0)
    keys = keylib.sampled(frames, 2.0 + 0.3 * frames - 0.02 * frames**2)
    found = thinning.find_needed_frames([thinning.strand([keys], 0.0, 20.0, away(1e-3))])
    assert found.tolist() == [0.0, 20.0]
    assert len(thinning.thin_keys(keys, 0.0, 20.0, found)) == 2


def test_a_jerk_keeps_the_keys_around_it() -> None:
    frames = np.arange(0.0, 41.0)
    values = np.where(frames == 30.0, 1.0, 0.0)
    keys = keylib.sampled(frames, values)
    found = thinning.find_needed_frames([thinning.strand([keys], 0.0, 40.0, away(0.1))])
    assert {29.0, 30.0, 31.0} <= set(found)
    assert len(found) < 12
