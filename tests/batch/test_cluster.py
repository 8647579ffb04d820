# SPDX-License-Identifier: GPL-3.0-or-later
"""``batch --scheduler``: all files come from a cluster of processes, of which one is killed."""

from __future__ import annotations

import importlib.util
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("bpy", reason="bpy is not installed here")

from tests.batch.library_files import (
    Batch,
    events,
    litter,
    start,
    stopped_child,
    without_blender,
    write_spec,
)

# who only looks for the tests has no need to import it, which takes a second
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        importlib.util.find_spec("distributed") is None, reason="dask.distributed is not installed here"
    ),
]

COUNT = 5


@pytest.fixture
def cluster(rig_file: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Two workers of a local cluster, each a process of its own, that find Inertia."""
    from distributed import LocalCluster

    for name, value in without_blender(rig_file, stops=True).items():
        monkeypatch.setenv(name, value)
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as made:
        for nanny in made.workers.values():
            # who is lost stays so
            nanny.auto_restart = False
        yield made


@pytest.fixture
def spec(rig_file: Path) -> Path:
    walk = {"source": "Walk", "destination": "Run", "name": "{source}_{cut}"}
    transitions = [{**walk, "cut": 5 + i} for i in range(COUNT)]
    return write_spec(rig_file.parent, {"files": [rig_file.name], "transitions": transitions})


@pytest.mark.variants(1)
@pytest.mark.parametrize("more", [(), ("--gather",)])
def test_a_lost_worker_s_jobs_run_again_elsewhere(
    cluster: Any, spec: Path, tmp_path: Path, batch: Batch, more: tuple[str, ...]
) -> None:
    out = tmp_path / "out"
    running = start(spec, out, "--scheduler", cluster.scheduler_address, "--json", *more)
    # both are at their second job
    lost, left = ((nanny.pid, stopped_child(running, nanny.pid)) for nanny in cluster.workers.values())
    for process in lost:
        os.kill(process, signal.SIGKILL)
    os.kill(left[1], signal.SIGCONT)
    said, err = running.communicate(timeout=120)
    assert running.returncode == 0, err
    assert '"failed": 0' in said.splitlines()[-1]
    assert litter(out) == []
    names = [f"Walk_{5 + i}.blend" for i in range(COUNT)]
    assert sorted(names) == sorted(path.name for path in out.glob("*.blend"))
    # as the worker there writes it
    assert all((out / name).read_text() == name for name in names)
    # what the cluster did counts as done here too
    again = batch(spec, out, "--resume", "--json")
    assert events(again)[-1]["done_before"] == COUNT


def test_no_scheduler_is_said(spec: Path, tmp_path: Path, batch: Batch) -> None:
    done = batch(spec, tmp_path / "out", "--scheduler", "nonsense://nowhere")
    assert done.code == 1
    assert 'No Dask scheduler answers at "nonsense://nowhere"' in done.err
