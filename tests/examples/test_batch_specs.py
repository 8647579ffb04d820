# SPDX-License-Identifier: GPL-3.0-or-later
"""The example's specs are sound, bake, and show what their README says."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from inertia_addon.batch.jobs import requests
from inertia_addon.batch.spec import reading

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "examples" / "batch"
LIBRARY: Any = importlib.util.spec_from_file_location("make_library", FOLDER / "make_library.py")
SPECS = sorted(
    path for path in FOLDER.iterdir() if path.suffix in (".toml", ".json") and "schema" not in path.name
)
CHECKED = ("state_machine.toml", "each_file.json")
"""Whose jobs are of the same kind as those of transitions.toml."""


def test_there_are_four_that_the_readme_names() -> None:
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert len(SPECS) == 4
    assert all(f"({path.name})" in readme for path in SPECS)


@pytest.mark.parametrize("spec", SPECS, ids=lambda path: path.stem)
def test_they_fit_the_schema(spec: Path, tmp_path: Path) -> None:
    copy = tmp_path / spec.name
    copy.write_text(spec.read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "clips.blend").write_text("")
    assert requests.requests(reading.read(copy))


@pytest.mark.slow
def test_the_example_bakes_them(tmp_path: Path, inertia: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    example = importlib.util.module_from_spec(LIBRARY)
    LIBRARY.loader.exec_module(example)
    started, checked = example.run, [tmp_path / name for name in CHECKED]

    def run(*words: object) -> None:
        """As the example's own, but commands run here, and only some bake what they find to be sound."""
        if words[:2] != ("-m", "inertia_addon"):
            started(*words)
            return
        done = inertia(*words[2:], *(["--check"] if words[3] in checked else []))
        assert done.code == 0, done.err

    monkeypatch.setattr(example, "run", run)
    monkeypatch.setattr(sys, "argv", ["make_library.py", "-o", str(tmp_path)])
    example.main()
    for spec in SPECS:
        if spec.name in CHECKED:
            continue
        made = json.loads((tmp_path / spec.stem / "batch.json").read_text())
        assert all("error" not in job for job in made["jobs"])
        assert all((tmp_path / spec.stem / name).is_file() for job in made["jobs"] for name in job["outputs"])
    assert (tmp_path / "matrix" / "matrix.png").is_file()
