# SPDX-License-Identifier: GPL-3.0-or-later
"""A release: its zip, checksum, listing and notes agree, and nothing half-ready is released."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.window import test_guide
from tools import build_extension, make_site, release
from tools.release import ReleaseError

ROOT = build_extension.ROOT
PICTURE = re.compile(r"!\[[^\]]*\]\(([^)\s]+)\)")


@pytest.fixture
def manifest() -> dict[str, Any]:
    return tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("bpy", reason="Blender's extension tool comes with bpy")
    folder = tmp_path_factory.mktemp("release")
    site = folder / "site"
    site.mkdir()
    (site / "index.html").write_text("<p>Inertia</p>", encoding="utf-8")
    release.release(folder / "out", site)
    return folder / "out"


def test_a_release_is_a_repository_that_blender_can_be_pointed_at(
    released: Path, manifest: dict[str, Any]
) -> None:
    package = released / f"inertia-{manifest['version']}.zip"
    digest = hashlib.sha256(package.read_bytes()).hexdigest()
    assert (released / f"{package.name}.sha256").read_text() == f"{digest}  {package.name}\n"
    (listed,) = json.loads((released / "index.json").read_text())["data"]
    assert (listed["archive_hash"], listed["archive_size"]) == (f"sha256:{digest}", package.stat().st_size)
    assert {key: listed[key] for key in ("id", "version", "website", "tags")} == {
        key: manifest[key] for key in ("id", "version", "website", "tags")
    }
    assert (released / f"inertia_motion-{manifest['version']}-py3-none-any.whl").is_file()
    with (released / f"inertia-{manifest['version']}-site.zip").open("rb") as file:
        assert file.read(2) == b"PK"


def test_a_zip_packed_by_python_alone_holds_the_same_files(released: Path, tmp_path: Path) -> None:
    plain = build_extension.pack(tmp_path)
    with zipfile.ZipFile(plain) as packed, zipfile.ZipFile(released / plain.name) as validated:
        assert sorted(packed.namelist()) == sorted(validated.namelist())
        assert all(packed.read(name) == validated.read(name) for name in packed.namelist())
    build_extension.blender_tool("validate", str(plain))


def test_the_notes_are_what_the_changelog_says(released: Path, manifest: dict[str, Any]) -> None:
    notes = (released / "NOTES.md").read_text(encoding="utf-8")
    assert notes.strip() in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert notes.startswith("The first release.") == (manifest["version"] == "1.0.0")
    assert "\n## " not in notes


def test_the_manifest_is_what_the_platform_takes(manifest: dict[str, Any]) -> None:
    assert release.faults_of(manifest, 2**20) == []


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"tagline": "Join clips."}, "tagline"),
        ({"tagline": "x" * 65}, "tagline"),
        ({"name": "Inertia for Blender"}, "name"),
        ({"tags": ["Animation", "Magic"]}, "tags"),
        ({"tags": []}, "tags"),
        ({"permissions": {"everything": "Why not"}}, "permissions"),
        ({"permissions": {"files": "Read files."}}, "reason"),
        ({"website": ""}, "website"),
        ({"maintainer": ""}, "maintainer"),
        ({"blender_version_min": "4.1.0"}, "4.2"),
        ({"license": ["SPDX:Unlicense-Proprietary"]}, "licence"),
    ],
)
def test_a_manifest_that_the_platform_refuses_is_told(
    manifest: dict[str, Any], changed: dict[str, Any], fault: str
) -> None:
    (said,) = release.faults_of(manifest | changed, 2**20)
    assert fault in said


def test_a_zip_that_holds_something_else_is_refused(manifest: dict[str, Any]) -> None:
    (said,) = release.faults_of(manifest, 50 * 2**20)
    assert "50.0 MB" in said


@pytest.mark.parametrize("version", ["1.0", "v1.0.0", "1.0.0-rc", ""])
def test_a_text_that_is_no_version_is_not_released(version: str) -> None:
    with pytest.raises(ReleaseError, match="no version"):
        release.check_version(version)


def test_versions_that_differ_are_not_released() -> None:
    with pytest.raises(ReleaseError, match=r"pyproject\.toml says"):
        release.check_version("99.0.0")


@pytest.mark.parametrize(
    "changelog", ["", "## Unreleased\n\n- a\n", "## 1.2.3 - 2026-01-02\n\n## 1.2.2 - 2026-01-01\n"]
)
def test_a_version_of_which_nothing_is_said_is_not_released(changelog: str) -> None:
    with pytest.raises(ReleaseError, match=r"1\.2\.3"):
        release.notes_of(changelog, "1.2.3")


def test_notes_end_where_the_next_version_begins() -> None:
    changelog = (
        "## Unreleased\n\n- c\n\n## 1.2.3 - 2026-01-02\n\n### Join\n\n- b\n\n## 1.2.2 - 2026-01-01\n\n- a\n"
    )
    assert release.notes_of(changelog, "1.2.3") == "### Join\n\n- b"


def test_a_site_that_is_not_there_is_not_released(tmp_path: Path) -> None:
    pytest.importorskip("bpy", reason="Blender's extension tool comes with bpy")
    kept = tmp_path / "out" / "NOTES.md"
    kept.parent.mkdir()
    kept.write_text("of the release before", encoding="utf-8")
    with pytest.raises(ReleaseError, match="make site"):
        release.release(tmp_path / "out", tmp_path / "nothing")
    assert kept.exists()


# --- the site


PAGES_AT_THE_ROOT = ("README.md", "CONTRIBUTING.md", "CODE_OF_CONDUCT.md", "CHANGELOG.md", "SECURITY.md")


def all_pages() -> Iterator[Path]:
    yield from (ROOT / "docs").rglob("*.md")
    yield from (ROOT / "examples").glob("*/README.md")
    yield from (ROOT / name for name in PAGES_AT_THE_ROOT)


def test_every_page_has_its_place_on_the_site() -> None:
    assert sorted(ROOT / page for page in make_site.pages()) == sorted(all_pages())


def test_links_of_the_site_lead_to_files_that_are_there(tmp_path: Path) -> None:
    make_site.gather(tmp_path)
    wrong = []
    for page in tmp_path.rglob("*.md"):
        for _, target, _ in make_site.LINK.findall(page.read_text(encoding="utf-8")):
            if not target.startswith("http") and not (page.parent / target).exists():
                wrong.append((page.name, target))
    assert wrong == []


def test_every_picture_is_made_by_a_command() -> None:
    """Of docs by screenshots, stories and benchmarks, of examples by scripts that their pages name."""
    from tools import screenshots

    made = {f"{shot}.png" for shot in screenshots.SHOTS} | {f"{shot}.gif" for shot in screenshots.ANIMATED}
    made |= {f"{page}.png" for page in test_guide.PAGES}
    folders = (ROOT / "examples", ROOT / "bench")
    scripts = "".join(path.read_text(encoding="utf-8") for each in folders for path in each.rglob("*.py"))
    unmade = {
        path.name
        for page in all_pages()
        for link in PICTURE.findall(page.read_text(encoding="utf-8"))
        for path in [Path(link)]
        if path.name not in made and path.name not in scripts and path.stem not in scripts
    }
    assert unmade == set()


def test_pictures_that_no_page_shows_are_not_kept() -> None:
    shown = {
        (page.parent / link).resolve()
        for page in all_pages()
        for link in PICTURE.findall(page.read_text(encoding="utf-8"))
    }
    kept = {path for kind in ("png", "gif", "svg") for path in (ROOT / "docs").rglob(f"*.{kind}")}
    assert kept - shown == set()
