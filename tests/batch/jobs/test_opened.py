# SPDX-License-Identifier: GPL-3.0-or-later
"""What is kept between jobs stays within its memory, and is what would be made anew."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.batch.jobs.opened import AT_LEAST, Recent


@given(st.lists(st.integers(0, 9), max_size=60), st.integers(0, 60))
def test_a_cache_gives_what_would_be_made_and_keeps_to_its_limit(keys: list[int], limit: int) -> None:
    made: list[int] = []

    def make(key: int) -> bytes:
        made.append(key)
        return bytes([key]) * (10 + key)

    recent: Recent[bytes] = Recent(limit, len)
    kept: list[int] = []
    for key in keys:
        was_made = len(made)
        assert recent.get(key, lambda key=key: make(key)) == bytes([key]) * (10 + key)
        # the ones used last, as many as the limit allows
        assert (len(made) > was_made) == (key not in kept)
        kept = [other for other in kept if other != key] + [key]
        while len(kept) > AT_LEAST and sum(10 + other for other in kept) > limit:
            kept.pop(0)
