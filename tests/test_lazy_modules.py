# SPDX-License-Identifier: GPL-3.0-or-later
"""A lazy module is the module itself, read when somebody looks into it."""

from __future__ import annotations

import importlib
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from inertia_addon.lazy_modules import is_read, read_contents, read_lazily

ROOT = Path(__file__).parents[1]

Made = Callable[[str, str], ModuleType]


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Made]:
    """Writes a module of a package that is read lazily, and imports it; what was read stands in READ."""
    package = tmp_path / "package_to_be_read"
    package.mkdir()
    (package / "__init__.py").write_text("READ = []\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
    read_lazily(package.name)

    def make(name: str, source: str) -> ModuleType:
        note = f"from {package.name} import READ\nREAD.append({name!r})\n"
        (package / f"{name}.py").write_text(note + source)
        importlib.invalidate_caches()
        return importlib.import_module(f"{package.name}.{name}")

    yield make
    for name in [name for name in sys.modules if name.partition(".")[0] == package.name]:
        del sys.modules[name]


def read() -> list[str]:
    """The modules that were read, in their order."""
    names: list[str] = sys.modules["package_to_be_read"].READ
    return names


def test_a_module_is_read_once_at_the_first_look_into_it(made: Made) -> None:
    module = made("walk", "SPEED = 2\ndef faster():\n    return SPEED + 1\n")
    assert not is_read(module)
    assert (read(), isinstance(module, type), module.__name__) == ([], False, "package_to_be_read.walk")
    assert module.faster() == 3
    assert (module.SPEED, module.faster()) == (2, 3)
    assert read() == ["walk"]
    assert is_read(module)
    assert type(module) is ModuleType


def test_a_module_that_others_import_is_read_where_they_need_it(made: Made) -> None:
    made("walk", "SPEED = 2\n")
    run = made("run", "from . import walk\ndef speed():\n    return 2 * walk.SPEED\n")
    assert read_contents(run)["speed"] is run.speed
    assert read() == ["run"]
    assert run.speed() == 4
    assert read() == ["run", "walk"]


def test_names_that_are_imported_are_read_at_once(made: Made) -> None:
    made("walk", "SPEED = 2\n")
    made("run", "from .walk import SPEED\n").__doc__  # noqa: B018
    assert read() == ["run", "walk"]


def test_names_that_a_module_lacks_are_said_as_always(made: Made) -> None:
    module = made("walk", "")
    with pytest.raises(AttributeError, match=r"module 'package_to_be_read.walk' has no attribute 'run'"):
        module.run  # noqa: B018
    with pytest.raises(ImportError):
        importlib.import_module("package_to_be_read.no_such")


def test_a_module_that_can_t_be_read_says_so_each_time(made: Made) -> None:
    module = made("walk", "raise ValueError('not now')\n")
    for _ in range(2):
        with pytest.raises(ValueError, match="not now"):
            module.SPEED  # noqa: B018
    assert not is_read(module)


def test_a_module_can_be_read_again(made: Made) -> None:
    module = made("walk", "SPEED = 2\n")
    assert module.SPEED == 2
    assert importlib.reload(module) is module
    assert read() == ["walk", "walk"]


def test_threads_find_a_module_whole(made: Made) -> None:
    module = made("walk", "FIRST = sum(range(100_000))\nLAST = 2\n")
    found: list[int] = []
    begun = threading.Barrier(4)

    def look() -> None:
        begun.wait()
        found.append(module.LAST)

    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [2] * 4
    assert read() == ["walk"]


def test_a_package_is_read_lazily_once_however_often_that_is_asked_for(made: Made) -> None:
    finders = len(sys.meta_path)
    read_lazily("package_to_be_read")
    assert len(sys.meta_path) == finders


def test_numpy_is_imported_when_it_is_used() -> None:
    code = "import sys; from inertia_addon.lazy_modules import np; assert 'numpy' not in sys.modules; "
    code += "assert np.zeros(2).tolist() == [0.0, 0.0]; import numpy; assert np.ndarray is numpy.ndarray"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
