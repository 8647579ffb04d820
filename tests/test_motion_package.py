# SPDX-License-Identifier: GPL-3.0-or-later
"""The maths as a wheel: it installs beside numpy alone, and its page's examples run with it."""

from __future__ import annotations

import ast
import doctest
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tools import build_motion

RUN = """
import doctest, importlib, pkgutil, sys

for name in ("bpy", "mathutils", "inertia_addon"):
    sys.modules[name] = None
sys.path[:0] = [{installed!r}]
import inertia_motion

modules = [found.name for found in pkgutil.walk_packages(inertia_motion.__path__, "inertia_motion.")]
for name in modules:
    importlib.import_module(name)
failed, tried = doctest.testfile({page!r}, module_relative=False, encoding="utf-8")
print(len(modules), tried)
sys.exit(bool(failed))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_motion.build_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that an installer unpacks the wheel into."""
    folder = tmp_path_factory.mktemp("installed")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def test_the_record_names_every_file_with_its_hash(installed: Path) -> None:
    (record,) = installed.glob("*.dist-info/RECORD")
    rows = [row.split(",") for row in record.read_text(encoding="utf-8").splitlines()]
    for name, digest, size in rows:
        content = (installed / name).read_bytes()
        if name != record.relative_to(installed).as_posix():
            assert (build_motion.hash_of(content.decode()), str(len(content))) == (digest, size)
    files = {path.relative_to(installed).as_posix() for path in installed.rglob("*") if path.is_file()}
    assert {name for name, _, _ in rows} == files


def test_every_module_and_example_runs_without_blender(installed: Path) -> None:
    script = RUN.format(installed=str(installed), page=str(build_motion.PAGE))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    modules, tried = map(int, done.stdout.split())
    assert modules > 100
    assert tried > 50


EXAMPLES = (
    *("Decay", "Displacement", "Cost map", "Half-life", "k hops"),
    *("Two-ended offset", "Judge", "Contacts", "Loops", "Learned"),
)


def test_the_page_has_ten_examples() -> None:
    page = build_motion.PAGE.read_text(encoding="utf-8")
    sections = page.split("\n## ")[1:]
    shown = [each for each in sections if doctest.DocTestParser().get_examples(each)]
    assert tuple(section.splitlines()[0] for section in shown) == EXAMPLES


def test_the_wheel_imports_numpy_and_nothing_else_from_outside(wheel: Path) -> None:
    outside = set()
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if not name.endswith(".py"):
                continue
            for node in ast.walk(ast.parse(archive.read(name))):
                if isinstance(node, ast.Import):
                    outside |= {alias.name.partition(".")[0] for alias in node.names}
                elif isinstance(node, ast.ImportFrom) and not node.level:
                    outside.add(str(node.module).partition(".")[0])
    assert outside - sys.stdlib_module_names == {"numpy"}


def test_the_same_sources_make_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    assert build_motion.build_wheel(tmp_path).read_bytes() == wheel.read_bytes()
