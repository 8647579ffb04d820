# SPDX-License-Identifier: GPL-3.0-or-later
"""A short ``make mutants``: which faults are put in, and how what is noticed is told from what is not."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.mutants import making

CASES = {
    "a @ b": ["b @ a"],
    "a - b": ["b - a", "a + b"],
    "a + b": ["a - b"],
    "a < b": ["a <= b", "a >= b"],
    "a is b": ["a is not b"],
    "a and b": ["a or b"],
    "not a": ["a"],
    "-a": ["a"],
    "a[1:]": ["a[2:]", "a[0:]"],
    "a[0]": ["a[1]"],
    "0.5 * a": ["1.5 * a"],
    "a if b else c": ["a if not b else c"],
    "'a' + b": [],
    "f'{a + b}'": [],
}


@pytest.mark.parametrize(("code", "wanted"), CASES.items())
def test_the_faults_of_a_value(tmp_path: Path, code: str, wanted: list[str]) -> None:
    assert changed(tmp_path, f"x = {code}") == [f"x = {one}" for one in wanted]


def test_the_faults_of_statements(tmp_path: Path) -> None:
    assert changed(tmp_path, "a(b)\na += b\nif a:\n    b = c") == [
        "pass\na += b\nif a:\n    b = c",
        "a(b)\na -= b\nif a:\n    b = c",
        "a(b)\na += b\nif not a:\n    b = c",
    ]


@pytest.mark.parametrize(
    "code",
    [
        '"""1 + 1"""',
        "def f(a: x[1] = b) -> y[2]: ...",
        "a: x[1] = b",
        "__all__ = ['a'] + b",
        "if TYPE_CHECKING:\n    a = b + c",
        "raise InertiaError(a - b)",
        "assert a - b, c - d",
        "x = Sentence(a, b - c)",
        "logging.info(a - b)",
        "Pair = tuple[int, 1]",
    ],
)
def test_words_have_no_faults(tmp_path: Path, code: str) -> None:
    assert changed(tmp_path, code) == []


def changed(folder: Path, code: str) -> list[str]:
    """What may become of a module."""
    path = folder / "module.py"
    path.write_text(code)
    return [ast.unparse(making.mutated(mutant)) for mutant in making.mutants(str(path))]


def test_a_seed_draws_the_same_again(monkeypatch: pytest.MonkeyPatch) -> None:
    # of one module in twenty, as to look at all of them takes seconds
    some = making.sources("")[::20]
    monkeypatch.setattr(making, "sources", lambda _within: some)
    drawn = making.draw(1, 30)
    assert drawn == making.draw(1, 30)
    assert len(set(drawn)) == 30
    assert {mutant.room.split("/")[1] for mutant in drawn} == {"motion", "blender"}
    assert all((making.ROOT / mutant.room).is_dir() for mutant in drawn)


def test_mutants_that_are_drawn_elsewhere_stay_when_a_module_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(making, "ROOT", tmp_path)
    modules = {name: tmp_path / f"{name}.py" for name in "abcdef"}
    monkeypatch.setattr(making, "sources", lambda _within: [path.name for path in modules.values()])
    for name, path in modules.items():
        path.write_text("".join(f"{name}{i} = {name} + {i}\n" for i in range(30)))
    before = making.draw(3, 40)
    counts = [sum(mutant.path == path.name for mutant in before) for path in modules.values()]
    assert min(counts) > 0
    # two lines more, further up
    modules["c"].write_text("z = y\ny = x\n" + modules["c"].read_text())
    after = making.draw(3, 40)
    assert [mutant for mutant in before if mutant.path != "c.py"] == [
        mutant for mutant in after if mutant.path != "c.py"
    ]
    assert {mutant.change for mutant in before} == {mutant.change for mutant in after}


OTHERS = "_folded(path) == _folded(other_path) -> _folded(path) != _folded(other_path)"
"""Only names that differ name one file: of a module whose room has few tests, and quick ones."""


QUICKLY = """
from tests.mutants import __main__, trying
# what need not be read once for all, as there is one, and the tests of another module, which need Blender
trying.warm_up = lambda: None
trying._tests_of = lambda room: [room + "/test_places.py"]
raise SystemExit(__main__.main())
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(sys, "monitoring"), reason="Python 3.12 and later watch what tests run")
def test_a_mutant_that_is_noticed_is_told_from_one_that_is_not() -> None:
    options = ("--within", "inertia_addon/storage/places.py", "--count", "1000", "--least", "0")
    command = [sys.executable, "-c", QUICKLY, *options, "--only", OTHERS]
    # any example tells
    few = os.environ | {"PYTEST_ADDOPTS": "--brief"}
    ran = subprocess.run(command, cwd=making.ROOT, env=few, capture_output=True, text=True, check=True)
    said = ran.stdout
    assert f"{OTHERS}: tests/storage/test_places.py::" in said
    assert "Seed 1: 1 of 1 caught" in said
