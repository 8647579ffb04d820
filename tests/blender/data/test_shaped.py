# SPDX-License-Identifier: GPL-3.0-or-later
"""Curves with modifiers, told by keys: by their own where these tell all, else by new ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import actions, shaped
from inertia_addon.motion.curves.evaluation import evaluate
from tests.blender import builders

HALVES = np.arange(1.0, 41.25, 0.5)


@pytest.mark.usefixtures("fresh_file")
@pytest.mark.parametrize("is_noisy", [False, True])
def test_a_curve_is_told_by_its_own_keys_repeated_but_where_something_is_added(*, is_noisy: bool) -> None:
    made = builders.action("Clip")
    curve = builders.curve(made, "location", 0, [(1, 0.0), (6, 2.0), (11, 0.0)])
    curve.modifiers.new("CYCLES")
    if is_noisy:
        noise: Any = curve.modifiers.new("NOISE")
        noise.use_restricted_range, noise.frame_start, noise.frame_end = True, 31.0, 36.0
    clip = actions.read(made, actions.choose_slot(made, bpy.data.objects.new("Rig", None)))
    keys, span = shaped.tell_by_keys(clip.curves["location", 0], 1.0, 41.0)
    np.testing.assert_allclose(
        evaluate(keys, np.arange(1.0, 42.0)), [curve.evaluate(f) for f in range(1, 42)], atol=1e-4
    )
    frames = keys.co[:, 0].tolist()
    if is_noisy:
        # with the noise nothing repeats, so that only the curve's own keys are left as they are
        assert span == (11.0, 41.0)
        assert [frame for frame in frames if frame <= span[0]] == [1.0, 6.0, 11.0]
    else:
        assert span is None
        assert frames == [1.0, 6.0, 11.0, 16.0, 21.0, 26.0, 31.0, 36.0, 41.0]
        np.testing.assert_allclose(evaluate(keys, HALVES), [curve.evaluate(f) for f in HALVES], atol=1e-5)
