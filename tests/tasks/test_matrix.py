# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said to be a part of a matrix may hold anything."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.errors import InertiaError
from inertia_addon.tasks import matrix

PART = {"compared": {}, "clips": [], "edges": [], "failed": [], "skipped": []}


@pytest.mark.parametrize(
    "text",
    [
        *("", "[" * 100_000, "[]", "null", "{}"),
        *(json.dumps(part) for part in (PART, PART | {"compared": []}, PART | {"clips": 1})),
    ],
)
def test_a_file_that_is_no_part_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(InertiaError, match="of a matrix"):
        matrix.gathered([path])


def test_settings_that_are_wrong_are_named_in_words(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    settings = {"source": "Walk", "destination": "Run", "cut": 0.0, "method": "WOBBLY"}
    path.write_text(json.dumps(PART | {"compared": {"search": {}, "settings": settings}}))
    with pytest.raises(InertiaError, match="no parts of a matrix: ") as refused:
        matrix.gathered([path])
    assert "WOBBLY" in str(refused.value)
    assert "InertiaError" not in str(refused.value)
