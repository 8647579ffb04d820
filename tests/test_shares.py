# SPDX-License-Identifier: GPL-3.0-or-later
"""Shares of the tests, of which other versions of Blender than the newest run one each."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import ROOT, most_varied, one_share, values_of


@given(st.dictionaries(st.text("abc", min_size=1), st.integers(1, 9), max_size=5), st.integers(1, 4))
def test_shares_have_all_tests_each_and_all_variants_together(tests: dict[str, int], count: int) -> None:
    ids = [f"{name}[{i}]" for name, variants in tests.items() for i in range(variants)]
    shares = [one_share(ids, which, count) for which in range(1, count + 1)]
    assert set().union(*shares) == set(ids)
    for share in shares:
        for name, variants in tests.items():
            assert 1 <= sum(one.startswith(f"{name}[") for one in share) <= -(-variants // count)


@given(st.lists(st.integers(1, 4), min_size=1, max_size=3), st.integers(1, 20), st.text("ab"))
def test_as_many_variants_as_values_have_each_value(sizes: list[int], count: int, seed: str) -> None:
    products = itertools.product(*map(range, sizes))
    values = {f"test[{given}]": frozenset(zip("abc", given, strict=False)) for given in products}
    chosen = most_varied(values, count, seed)
    assert len(set(chosen)) == len(chosen) == min(count, len(values))
    assert chosen == most_varied(values, count, seed)
    if count >= max(sizes):
        assert len(frozenset().union(*(values[variant] for variant in chosen))) >= max(sizes)
    if count >= sum(sizes):
        assert frozenset().union(*(values[variant] for variant in chosen)) == frozenset().union(
            *values.values()
        )


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize(("letter", "other"), [("a", "b"), ("a", "c")])
def test_variants_that_are_given_the_same_value_share_it(
    request: pytest.FixtureRequest, letter: str, other: str, number: int
) -> None:
    wanted = {("letter", repr(letter)), ("other", repr(other)), ("number", repr(number))}
    assert values_of(request.node) == wanted


def test_a_test_that_leaves_a_question_to_another_names_one_that_always_runs() -> None:
    left = dict(find_left_to_others())
    for test, other in left.items():
        path, _, name = other.partition("::")
        assert other not in left, test
        assert name in {function.name for function in find_functions(ROOT / path)}, test


def find_left_to_others() -> Iterator[tuple[str, str]]:
    """The tests that are marked ``variant_of``, and those that their marks name."""
    for path in (ROOT / "tests").rglob("test_*.py"):
        if "variant_of" not in path.read_text(encoding="utf-8"):
            continue
        for function in find_functions(path):
            for mark in function.decorator_list:
                if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.variant_of":
                    other = ast.literal_eval(mark.args[0])
                    yield f"{path.relative_to(ROOT).as_posix()}::{function.name}", other


def find_functions(path: Path) -> list[ast.FunctionDef]:
    """The functions that a file of tests defines."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [node for node in tree.body if isinstance(node, ast.FunctionDef)]
