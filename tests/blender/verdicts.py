# SPDX-License-Identifier: GPL-3.0-or-later
"""Verdicts beside each other."""

from __future__ import annotations

import numpy as np

from inertia_addon.blender.judging.verdict import Verdict


def assert_alike(told: Verdict, other: Verdict) -> None:
    """Two ways to look at the same join see the same in it."""
    assert (told.rating, told.until) == (other.rating, other.until)
    assert [(fault.kind, fault.bone, fault.frame) for fault in told.faults] == [
        (fault.kind, fault.bone, fault.frame) for fault in other.faults
    ]
    np.testing.assert_allclose(_numbers(told), _numbers(other), rtol=1e-3, atol=1e-4)


def _numbers(told: Verdict) -> list[float]:
    assert told.skate is not None
    changes = (told.pop.size, told.highest.size, told.end.size)
    return [told.total, told.skate, told.lift, told.reach, *changes]
