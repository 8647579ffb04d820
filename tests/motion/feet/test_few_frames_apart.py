# SPDX-License-Identifier: GPL-3.0-or-later
"""Least squares over where feet and hips go, against numpy's own of all of them at once."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from inertia_addon.motion.feet.few_frames_apart import UNKNOWNS, FewFramesApart


@given(st.integers(1, 5), st.integers(3, 20), st.integers(0, 2**32 - 1))
def test_equations_are_solved_as_by_all_unknowns_at_once(legs: int, count: int, seed: int) -> None:
    chance = np.random.default_rng(seed)
    width = 3 * legs + 1
    unknown = chance.random((count, width)) < 0.7
    # on some frames nothing is unknown
    unknown[chance.random(count) < 0.3] = False
    unknown[chance.integers(count), chance.integers(width)] = True
    equations = FewFramesApart(legs, count)
    rows, wanted = [], []

    def take(
        leg: int, frames: list[int], slopes: list[np.ndarray], residuals: np.ndarray, counts: np.ndarray
    ):
        """Add the values of a row to those that numpy solves. slopes: (UNKNOWNS, values) of each frame."""
        for v, (residual, weight) in enumerate(zip(residuals, counts, strict=True)):
            row = np.zeros((count, width))
            for frame, slope in zip(frames, slopes, strict=True):
                if frame >= 0:
                    row[frame, [3 * leg, 3 * leg + 1, 3 * leg + 2, width - 1]] += slope[:, v]
            rows.append(np.sqrt(weight) * row[unknown])
            wanted.append(-np.sqrt(weight) * residual)

    for apart in (1, 2, 3):
        begin = -1 if apart == 3 else 0
        total = count - begin - apart + 1
        slopes = [chance.normal(size=(legs, total, UNKNOWNS, 6)) for _ in range(apart)]
        residuals, counts = chance.normal(size=(legs, total, 6)), chance.random((legs, total, 6))
        equations.add(begin, slopes, residuals, counts)
        for leg in range(legs):
            for r in range(total):
                frames = [begin + r + s for s in range(apart)]
                take(leg, frames, [each[leg, r] for each in slopes], residuals[leg, r], counts[leg, r])
    residuals, counts = chance.normal(size=(legs, count)), chance.random((legs, count))
    equations.draw(1, residuals, counts)
    second = np.eye(UNKNOWNS)[:, 1:2]
    for leg in range(legs):
        for frame in range(count):
            take(leg, [frame], [second], residuals[leg, frame, None], counts[leg, frame, None])
    pairs = np.flatnonzero(chance.random(count - 1) < 0.5)
    factors = chance.normal(size=(2, len(pairs)))
    sums, counts = (
        chance.normal(size=(legs, len(pairs), UNKNOWNS)),
        chance.random((legs, len(pairs), UNKNOWNS)),
    )
    equations.add_pairs(pairs, (factors[0], factors[1]), sums, counts)
    for leg in range(legs):
        for k, frame in enumerate(pairs.tolist()):
            both = [np.eye(UNKNOWNS) * factor for factor in factors[:, k]]
            take(leg, [frame, frame + 1], both, sums[leg, k], counts[leg, k])
    expected = np.zeros((count, width))
    expected[unknown] = np.linalg.lstsq(np.array(rows), np.array(wanted))[0]
    np.testing.assert_allclose(
        equations.solved(unknown), expected, atol=1e-8 * (1.0 + np.abs(expected).max())
    )
