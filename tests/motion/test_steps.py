# SPDX-License-Identifier: GPL-3.0-or-later
"""Work in steps ends with its result, and as a part of other work says its share of that."""

from __future__ import annotations

from collections.abc import Generator

from hypothesis import given
from hypothesis import strategies as st

from inertia_addon.motion.steps import finish, part

shares = st.lists(st.floats(0.0, 1.0), max_size=20).map(sorted)


def work(done: list[float], result: str) -> Generator[float, None, str]:
    yield from done
    return result


@given(shares, shares)
def test_parts_follow_each_other(first: list[float], second: list[float]) -> None:
    told = []

    def whole() -> Generator[float, None, tuple[str, str]]:
        one = yield from part(work(first, "one"), 0.0, 0.25)
        two = yield from part(work(second, "two"), 0.25, 1.0)
        return one, two

    def listened() -> Generator[float, None, tuple[str, str]]:
        steps = whole()
        while True:
            try:
                told.append(next(steps))
            except StopIteration as done:
                return done.value
            yield told[-1]

    assert finish(listened()) == ("one", "two")
    assert len(told) == len(first) + len(second)
    assert told == sorted(told)
    assert all(0.0 <= share <= 1.0 for share in told)
    assert all(share <= 0.25 for share in told[: len(first)])
