# SPDX-License-Identifier: GPL-3.0-or-later
"""The extension's zip: exactly the files that belong into it, and Blender's own tool accepts it."""

from __future__ import annotations

import shutil
import subprocess
import tomllib
import zipfile
from pathlib import Path

import pytest

from tools import build_extension

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The names in the zip; building also validates it."""
    pytest.importorskip("bpy", reason="Blender's extension tool comes with bpy")
    package = build_extension.build_extension(tmp_path_factory.mktemp("zip"))
    with zipfile.ZipFile(package) as archive:
        assert archive.testzip() is None
        return archive.namelist()


def files_git_knows() -> list[str] | None:
    """The checkout's files that git tracks or would track; None where there is no git, or no checkout."""
    if not shutil.which("git"):
        return None
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return result.stdout.splitlines() if result.returncode == 0 else None


def test_the_zip_has_exactly_the_extension(packed: list[str]) -> None:
    known = files_git_knows()
    if known is None:
        pytest.skip("no git checkout here, so there is no second opinion on which files belong to it")
    wanted = {
        name
        for name in known
        if (name in build_extension.ROOT_FILES or name.startswith("inertia_addon/"))
        and (ROOT / name).exists()
    }
    assert sorted(packed) == sorted(wanted)


def test_the_zip_has_what_blender_and_the_licence_ask_for(packed: list[str]) -> None:
    assert {"blender_manifest.toml", "__init__.py", "LICENSE", "inertia_addon/__init__.py"} <= set(packed)


def test_the_zip_has_no_tests_examples_tools_or_caches(packed: list[str]) -> None:
    unwanted = {"tests", "tools", "bench", "docs", "build", "__pycache__", ".git", ".ci", ".venv"}
    assert [name for name in packed if unwanted & set(name.split("/"))] == []
    # the interface has a room of that name
    assert [name for name in packed if name.startswith("examples/")] == []


def test_permissions_of_the_extension_are_what_the_sources_do() -> None:
    """Blender shows it before it installs: files are written, and connections opened by batch alone."""
    may = tomllib.loads((ROOT / "blender_manifest.toml").read_text())["permissions"]
    assert set(may) == {"files", "network"}
    assert "batch --scheduler" in may["network"]
    opening = ("distributed", "socket", "urllib.request", "http", "ssl", "ftplib")
    who = {
        str(path.relative_to(ROOT / "inertia_addon"))
        for path in (ROOT / "inertia_addon").rglob("*.py")
        for line in path.read_text().splitlines()
        if (words := line.split()) and words[0] in ("import", "from") and words[1].startswith(opening)
    }
    assert who == {"batch/work/cluster.py"}


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the extension's outermost files, to break."""
    pytest.importorskip("bpy", reason="Blender's extension tool comes with bpy")
    folder = tmp_path / "copy"
    for name in (one for one in build_extension.expected_files() if one.count("/") < 2):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    return folder


def test_litter_is_not_packed(copy: Path, tmp_path: Path) -> None:
    for name in (
        "inertia_addon/__pycache__/a.pyc",
        "tests/test_a.py",
        ".hidden",
        "inertia_addon/.hidden",
        "a.blend1",
    ):
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).write_text("")
    package = build_extension.build_extension(tmp_path / "out", copy)
    with zipfile.ZipFile(package) as archive:
        assert set(archive.namelist()) == build_extension.expected_files(copy)


def test_a_file_that_does_not_belong_is_refused(copy: Path, tmp_path: Path) -> None:
    (copy / "notes.txt").write_text("")
    with pytest.raises(build_extension.BuildError, match=r"notes\.txt"):
        build_extension.build_extension(tmp_path / "out", copy)


def test_a_broken_manifest_is_refused(copy: Path, tmp_path: Path) -> None:
    manifest = copy / "blender_manifest.toml"
    text = manifest.read_text(encoding="utf-8")
    manifest.write_text(text.replace('type = "add-on"', 'type = "nonsense"'), encoding="utf-8")
    with pytest.raises(build_extension.BuildError):
        build_extension.build_extension(tmp_path / "out", copy)
