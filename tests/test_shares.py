# SPDX-License-Identifier: GPL-3.0-or-later
"""Shares of the tests, of which other versions of Blender than the newest run one each."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import one_share


@given(st.dictionaries(st.text("abc", min_size=1), st.integers(1, 9), max_size=5), st.integers(1, 4))
def test_shares_have_all_tests_each_and_all_variants_together(tests: dict[str, int], count: int) -> None:
    ids = [f"{name}[{i}]" for name, variants in tests.items() for i in range(variants)]
    shares = [one_share(ids, which, count) for which in range(1, count + 1)]
    assert set().union(*shares) == set(ids)
    for share in shares:
        for name, variants in tests.items():
            assert 1 <= sum(one.startswith(f"{name}[") for one in share) <= -(-variants // count)
