# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said of a set before anything is learned from it."""

from __future__ import annotations

import re

import pytest

from inertia_addon.motion.learned import material


@pytest.mark.parametrize(
    ("frames", "minutes", "needed"),
    [
        (4706, 10.0, None),
        (4706, 0.1, None),
        (14_000, 10.0, 20),
        (14_000, 20.0, None),
        (100_000, 60.0, 143),
    ],
)
def test_a_large_set_with_too_little_time_is_named_with_the_time_it_takes(
    frames: int, minutes: float, needed: int | None
) -> None:
    said = material.short_of_time(frames, minutes)
    found = re.match(rf"{frames} frames take about (\d+) minutes", said or "")
    assert (found and int(found[1])) == needed
