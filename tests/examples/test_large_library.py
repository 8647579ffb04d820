# SPDX-License-Identifier: GPL-3.0-or-later
"""A library that is cut into parts: each pair of clips is compared once, and each clip is analysed once."""

from __future__ import annotations

import importlib.util
import itertools
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

ROOT = Path(__file__).resolve().parents[2]
FOUND: Any = importlib.util.spec_from_file_location(
    "make_parts", ROOT / "examples" / "large_library" / "make_parts.py"
)
make_parts = importlib.util.module_from_spec(FOUND)
FOUND.loader.exec_module(make_parts)


@given(count=st.integers(2, 30), at_once=st.integers(1, 12))
def test_parts_of_a_large_library_compare_each_pair_once(count: int, at_once: int) -> None:
    files = [Path(f"/library/{i:03}.bvh") for i in range(count)]
    parts = [files[first : first + at_once] for first in range(0, count, at_once)]
    spec = make_parts.spec(parts, Path("/library"), "cost", Path("/library/path.csv"))
    pairs: Counter[tuple[str, str]] = Counter()
    for job in spec["matrices"]:
        assert len(job["files"]) == len(set(job["files"])) <= 2 * at_once
        assert {*job["sources"], *job["destinations"]} == {Path(name).stem for name in job["files"]}
        pairs.update(
            pair for pair in itertools.product(job["sources"], job["destinations"]) if len({*pair}) > 1
        )
    assert pairs == Counter(itertools.permutations([path.stem for path in files], 2))
    names = [job["name"] for each in spec.values() for job in each]
    assert len(names) == len(set(names))
    for kind in ("databases", "paths"):
        assert [name for job in spec[kind] for name in job["files"]] == [path.name for path in files]


def test_the_clips_are_those_that_the_parts_paths_take(tmp_path: Path) -> None:
    for i, (first, *others) in enumerate((["walk"], ["run", "stop", "run"])):
        told = {"begins_with": {"action": first}, "joins": [{"to": {"action": name}} for name in others]}
        (tmp_path / f"path_{i}.json").write_text(json.dumps(told))
    assert make_parts.chosen(tmp_path) == {"walk", "run", "stop"}


def test_two_clips_of_one_name_are_refused(tmp_path: Path) -> None:
    for name in ("walk.bvh", "walk.glb"):
        (tmp_path / name).write_text("")
    with pytest.raises(SystemExit, match="Two files are called walk"):
        make_parts.parts_of(tmp_path, 2)
