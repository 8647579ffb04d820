# SPDX-License-Identifier: GPL-3.0-or-later
"""A file with a small rig, and the command line run in this process."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

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


@contextlib.contextmanager
def boxes() -> Iterator[Callable[[str], Any]]:
    """The lettering of pictures, but with a box for each text."""
    from inertia_addon.plots import shapes

    yield lambda text: shapes.box(0.0, 0.0, 0.5 * len(text), 0.7, shapes.BLACK).corners


@pytest.fixture
def plain_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures have boxes for texts: to have Blender read its font takes longer than to draw all else."""
    pytest.importorskip("bpy", reason="bpy is not installed here")
    from inertia_addon.blender.files import picture_files

    monkeypatch.setattr(picture_files, "outline_texts", boxes)


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


@pytest.fixture(scope="session")
def walker(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """What is in a .blend file with a biped's four clips, see tests/blender/wanderer.py."""
    bpy = pytest.importorskip("bpy", reason="bpy is not installed here")
    from tests.blender import wanderer

    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    wanderer.with_clips()
    for action in bpy.data.actions:
        action.use_fake_user = True
    path = tmp_path_factory.mktemp("walker") / "walker.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    return path.read_bytes()


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
