# SPDX-License-Identifier: GPL-3.0-or-later
"""Who walks in place: seen by the feet, however large they are, and told from who stands, and who travels."""

from __future__ import annotations

import dataclasses

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from inertia_addon.motion.travel import evidence, ground, way
from tests.motion.travel import walker

FAST = settings(max_examples=8, deadline=None)


@FAST
@given(st.floats(0.6, 2.5), st.sampled_from([0.05, 1.0, 4.0]), st.booleans())
def test_who_walks_in_place_is_seen_at_any_speed_and_size(
    speed: float, length: float, is_cycle: bool
) -> None:
    made = walker.way(1.0 if is_cycle else 4.0, 30.0, speed, 0.0)
    seen = walker.walker(made, 30.0, length, is_cycle)
    found = ground.found(seen)
    assert evidence.walks(seen, found)
    assert evidence.skates(seen, found.rates).sum() < 0.1 * evidence.skates(seen, 0.0 * found.rates).sum()
    assert evidence.speed(seen, found.rates) < 1.05 * speed * length


def test_who_stands_or_travels_already_does_not_walk_in_place() -> None:
    made = walker.way(4.0, 30.0, 1.3, 0.0)
    seen = walker.walker(made, 30.0)
    stays = np.repeat(seen.soles[:1], len(seen.soles), axis=0)
    sways = stays + 0.01 * np.sin(np.arange(len(stays)))[:, None, None] * (1.0, 1.0, 0.0)
    there = way.Way(made.frames, made.places, made.turns)
    for soles, middle in (
        (stays, np.repeat(seen.middle[:1], len(stays), axis=0)),
        (sways, np.repeat(seen.middle[:1], len(stays), axis=0)),
        (there.moved(seen.soles), there.moved(seen.middle)),
    ):
        other = dataclasses.replace(seen, soles=soles, middle=middle)
        assert not evidence.walks(other, ground.found(other))
