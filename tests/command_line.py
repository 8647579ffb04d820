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


@pytest.fixture
def rig_file(tmp_path: Path, fresh_file: None) -> Path:
    """A .blend file with the small rig."""
    import bpy

    make_rig()
    path = tmp_path / "rig.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    return path


@pytest.fixture
def four_clips(rig_file: Path) -> Path:
    """The small rig's file with two more clips, to hop through."""
    import bpy

    bpy.ops.wm.open_mainfile(filepath=str(rig_file))
    armature = next(o for o in bpy.data.objects if o.type == "ARMATURE")
    for name, last, speed in (("Jog", 35, 0.08), ("Stroll", 28, 0.03)):
        key(armature, name, last, speed)
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    return rig_file
