# SPDX-License-Identifier: GPL-3.0-or-later
"""The example's specs are sound; that they bake is seen where the commands of its README are run."""

from __future__ import annotations

from pathlib import Path

import pytest

from inertia_addon.batch.jobs import requests

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "examples" / "batch"
SPECS = sorted(
    path for path in FOLDER.iterdir() if path.suffix in (".toml", ".json") and "schema" not in path.name
)


def test_specs_of_batch_are_four_that_the_readme_names() -> None:
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert len(SPECS) == 4
    assert all(f"({path.name})" in readme for path in SPECS)


@pytest.mark.parametrize("spec", SPECS, ids=lambda path: path.stem)
def test_specs_of_batch_fit_the_schema(spec: Path, tmp_path: Path) -> None:
    copy = tmp_path / spec.name
    copy.write_text(spec.read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "clips.blend").write_text("")
    assert requests.requests_of(requests.read_spec(copy))
