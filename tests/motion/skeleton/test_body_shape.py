# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairs of ends, as their definition has them, of any tree."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from inertia_addon.motion.skeleton import body_shape
from inertia_addon.motion.skeleton.bone_tree import BoneTree


@pytest.mark.parametrize("seed", range(8))
def test_pairs_are_ends_whose_ways_from_where_they_part_are_alike(seed: int) -> None:
    rng = np.random.default_rng(seed)
    parents = [-1, *(int(rng.integers(max(0, i - 6), i)) for i in range(1, 60))]
    heads = rng.normal(size=(60, 3)).round(1)
    tree = BoneTree(parents, heads, heads + 0.1)
    body = body_shape._Body(tree, [f"Bone{i}" for i in range(60)])
    expected = []
    for pair in itertools.combinations(body.ends, 2):
        fork = tree.meet(*pair)
        left, right = (tree.segments[tree.way(fork, end)] for end in pair)
        if len(left) == len(right) > 0:
            unlike = round(float(np.abs(left - right).sum() / (max(left.sum(), right.sum()) or 1.0)), 2)
            if unlike <= body_shape.ALIKE:
                expected.append((unlike, -tree.depths[fork], pair))
    assert sorted(body._candidates()) == sorted(expected)
