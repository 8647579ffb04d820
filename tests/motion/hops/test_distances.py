# SPDX-License-Identifier: GPL-3.0-or-later
"""What blends of hops cost: as each pair of frames by itself, and nothing past a clip's end."""

from __future__ import annotations

import numpy as np
import pytest

from inertia_addon.motion.decay import decay
from inertia_addon.motion.decay.decay import Method
from inertia_addon.motion.hops.distances import Displacements, JointTrack, PointClouds

FPS = 30.0


def tracks(seed: int) -> list[JointTrack]:
    chance = np.random.default_rng(seed)
    found = []
    for frames, cyclic in ((12, False), (9, True), (3, False)):
        positions = chance.normal(size=(frames, 2, 3))
        found.append(JointTrack(positions, 4.0 * chance.normal(size=(frames, 2, 3)), cyclic))
    return found


@pytest.mark.variants(5)
@pytest.mark.parametrize("method", list(Method))
@pytest.mark.parametrize("both", [True, False])
def test_displacements_are_those_of_each_pair(method: Method, *, both: bool) -> None:
    clips, weights = tracks(1), np.array([0.5, 2.0])
    costs = Displacements(clips, weights, method, FPS, half_life=0.1, velocity_of_both=both)
    for a, b, blend in ((0, 1, 4), (1, 0, 4), (0, 0, 2), (1, 1, 30)):
        rows, columns = slice(1, clips[a].strip.frames), slice(0, clips[b].strip.frames)
        found = costs(a, b, blend, rows, columns)
        seconds = 0.1 if method is Method.SPRING else blend / FPS
        for i in range(found.shape[0]):
            for j in range(found.shape[1]):
                ends = [
                    not clips[c].cyclic and frame + blend > len(clips[c].positions)
                    for c, frame in ((a, i + 1), (b, j))
                ]
                if any(ends):
                    assert np.isinf(found[i, j])
                    continue
                x = clips[a].positions[i + 1] - clips[b].positions[j]
                v = clips[a].velocities[i + 1] - clips[b].velocities[j] * both
                whole = decay.displacement(method, x, v, seconds).sum(axis=-1) @ weights
                assert found[i, j] == pytest.approx(whole, rel=1e-4)


def test_distances_of_both_kinds_allow_the_same_blends() -> None:
    clips, weights = tracks(2), np.ones(2)
    costs = [PointClouds(clips, weights), Displacements(clips, weights, Method.SMOOTH, FPS, 0.1)]
    for a in range(3):
        for b in range(3):
            whole = slice(0, clips[a].strip.frames), slice(0, clips[b].strip.frames)
            clouds, displacements = (cost(a, b, 4, *whole) for cost in costs)
            assert clouds.shape == displacements.shape
            np.testing.assert_array_equal(np.isinf(clouds), np.isinf(displacements))


def test_a_cycle_has_a_frame_less_than_its_keys() -> None:
    strips = [track.strip for track in tracks(3)]
    assert [(strip.frames, strip.cyclic) for strip in strips] == [(12, False), (8, True), (3, False)]
