# SPDX-License-Identifier: GPL-3.0-or-later
"""A lock keeps other processes out on every system, and ends with the last who holds it."""

from __future__ import annotations

import subprocess
import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from inertia_addon.batch.jobs.job import FOLDER
from inertia_addon.batch.work import journal
from inertia_addon.errors import InertiaError

fcntl = pytest.importorskip("fcntl", reason="Windows locks by itself what is made up here")

ROOT = Path(__file__).resolve().parents[3]

HOLD = """
import sys
sys.path[:0] = sys.argv[2:]
from pathlib import Path
from inertia_addon.batch.work import journal
if len(sys.argv) > 3:
    import test_lock
    test_lock.as_on_windows(journal)
with journal.lock(Path(sys.argv[1]), 0.0):
    print("held", flush=True)
    sys.stdin.read()
"""


def folder(path: Path) -> Path:
    """A run's folder."""
    (path / FOLDER).mkdir(exist_ok=True)
    return path


def as_on_windows(module: types.ModuleType) -> None:
    """Lock as Windows does: byte ranges, of a process alone and not of its children."""

    def locking(descriptor: int, mode: int, count: int) -> None:
        # a refused lock is an error with "permission denied" there
        try:
            fcntl.lockf(descriptor, mode, count)
        except BlockingIOError as error:
            raise PermissionError(13, "Permission denied") from error

    module.fcntl = None  # type: ignore[attr-defined]
    module.msvcrt = types.SimpleNamespace(  # type: ignore[attr-defined]
        locking=locking, LK_NBLCK=fcntl.LOCK_EX | fcntl.LOCK_NB, LK_UNLCK=fcntl.LOCK_UN
    )


@pytest.fixture(params=["as here", "as on Windows"])
def system(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "as on Windows":
        monkeypatch.setattr(journal, "fcntl", journal.fcntl)
        monkeypatch.setattr(journal, "msvcrt", None, raising=False)
        as_on_windows(journal)
    return str(request.param)


@contextmanager
def held_elsewhere(path: Path, system: str) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds a lock, until its input ends."""
    folders = [str(ROOT)] + ([str(Path(__file__).parent)] if system == "as on Windows" else [])
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path), *folders],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        yield other


def test_a_lock_keeps_another_process_out(tmp_path: Path, system: str) -> None:
    path = folder(tmp_path)
    with held_elsewhere(path, system) as other:
        with pytest.raises(InertiaError), journal.lock(path, 0.0):
            pass
        other.kill()
        # and is waited for, until it has ended
        with journal.lock(path, 60.0):
            pass
    with journal.lock(path, 0.0):
        pass
    with held_elsewhere(path, system) as other:
        other.communicate("")


def test_a_lock_is_given_back_if_the_work_within_fails(tmp_path: Path, system: str) -> None:
    with pytest.raises(ZeroDivisionError), journal.lock(folder(tmp_path), 0.0):
        raise ZeroDivisionError
    with journal.lock(folder(tmp_path), 0.0) as inherited:
        assert (inherited is None) == (system == "as on Windows")


def test_a_lock_is_held_by_children_too(tmp_path: Path) -> None:
    path = folder(tmp_path)
    with journal.lock(path, 0.0) as inherited:
        assert inherited is not None
        child = subprocess.Popen(
            [sys.executable, "-c", "import sys; sys.stdin.read()"],
            stdin=subprocess.PIPE,
            pass_fds=(inherited,),
        )
    with child:
        with pytest.raises(InertiaError), journal.lock(path, 0.0):
            pass
        child.communicate(b"")
    with journal.lock(path, 60.0):
        pass
