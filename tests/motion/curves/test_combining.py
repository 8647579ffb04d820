# SPDX-License-Identifier: GPL-3.0-or-later
"""What is combined with what is below shows what is wanted, reckoned as Blender does."""

from __future__ import annotations

import numpy as np

from inertia_addon.motion import quaternion
from inertia_addon.motion.curves import combining

RANDOM = np.random.default_rng(3)


def test_turns_are_multiplied_or_added_without_a_flip() -> None:
    below = RANDOM.normal(size=(40, 4))
    angles = np.linspace(4.0, 0.0, 40)[:, None]
    wanted = quaternion.multiply(quaternion.normalise(below), quaternion.exp(angles * [[0.6, 0.0, 0.8]]))
    offset, added = combining.turn(below, -wanted)
    assert np.all(np.sum(offset[1:] * offset[:-1], axis=1) > 0.9)
    assert offset[-1, 0] == 1.0
    turns = 2.0 * np.linalg.norm(offset[:, 1:], axis=1)
    assert np.all((turns == 0.0) | (turns > combining.SMALL * 0.99))
    assert np.any(added)
    shown = quaternion.normalise(quaternion.multiply(quaternion.normalise(below), offset) + added)
    np.testing.assert_allclose(np.abs(np.sum(shown * wanted, axis=1)), 1.0, atol=1e-7)


def test_scales_are_multiplied_where_there_is_something_to_multiply() -> None:
    below, wanted = RANDOM.uniform(0.5, 2.0, (2, 10, 3))
    found = combining.factor(below, wanted)
    assert found is not None
    np.testing.assert_allclose(below * found, wanted)
    assert combining.factor(below * 0.0, wanted) is None
    assert combining.factor(-below, wanted) is None


def test_sums_count_from_the_default() -> None:
    below, wanted, default = RANDOM.normal(size=(3, 10, 2))
    found = combining.summand(below, wanted, default[0])
    np.testing.assert_allclose(below + (found - default[0]), wanted)
