# SPDX-License-Identifier: GPL-3.0-or-later
"""A file with a small rig, and the command line run in this process."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from inertia_addon.batch.work import run as batch_run
from tests.batch.library_files import ENVIRONMENT, Batch
from tests.batch.small_rig import Run, key, make_rig
from tests.batch.staying import StayingChild, StayingPool


@pytest.fixture(scope="session")
def workers() -> Iterator[list[StayingChild]]:
    """The workers of all batches that are run here: to start one takes longer than most jobs."""
    made: list[StayingChild] = []
    yield made
    for child in made:
        child.end()


@pytest.fixture
def inertia(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, workers: list[StayingChild]
) -> Callable[..., Run]:
    """Runs the command line here; what goes to the descriptors themselves is caught too."""
    pytest.importorskip("bpy", reason="bpy is not installed here")
    from inertia_addon.cli.program import main

    monkeypatch.setenv("PYTHONPATH", ENVIRONMENT["PYTHONPATH"])
    monkeypatch.setattr(batch_run, "Pool", functools.partial(StayingPool, workers))

    def run(*argv: object) -> Run:
        capfd.readouterr()
        code = main([str(word) for word in argv])
        caught = capfd.readouterr()
        return Run(code, caught.out, caught.err)

    return run


@pytest.fixture
def batch(inertia: Callable[..., Run]) -> Batch:
    """Runs ``batch`` here, whose workers are processes of their own, and stay."""
    return lambda spec, output, *more: inertia("batch", spec, "-o", output, *more)


@pytest.fixture(scope="session")
def small_rigs(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, bytes]:
    """What is in .blend files with the small rig, as it is and with two more clips, to hop through."""
    bpy = pytest.importorskip("bpy", reason="bpy is not installed here")
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    armature = make_rig()
    path = tmp_path_factory.mktemp("rig") / "rig.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    two = path.read_bytes()
    for name, last, speed in (("Jog", 35, 0.08), ("Stroll", 28, 0.03)):
        key(armature, name, last, speed)
    bpy.ops.wm.save_mainfile()
    return two, path.read_bytes()


@pytest.fixture
def rig_file(tmp_path: Path, small_rigs: tuple[bytes, bytes]) -> Path:
    """A .blend file with the small rig."""
    path = tmp_path / "rig.blend"
    path.write_bytes(small_rigs[0])
    return path


@pytest.fixture
def four_clips(tmp_path: Path, small_rigs: tuple[bytes, bytes]) -> Path:
    """The small rig's file with two more clips, to hop through."""
    path = tmp_path / "rig.blend"
    path.write_bytes(small_rigs[1])
    return path
