# SPDX-License-Identifier: GPL-3.0-or-later
"""Workers and their parent are killed at any moment, and ``--resume`` ends with the same files."""

from __future__ import annotations

import contextlib
import os
import random
import re
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.storage.wholeness import is_whole
from tests.batch.library_files import (
    Batch,
    children_of,
    events,
    litter,
    same_results,
    start,
    write_spec,
)

pytestmark = pytest.mark.slow

KILLS = {True: 20, False: 2}
"""With all variants, and without."""


def kill_until_it_ends(
    running: subprocess.Popen[str], most: int, longest_seconds: float, chance: random.Random
) -> tuple[int, int]:
    """Kill a run's workers, and at last its parent or all at once, as chance says; how many were in time."""
    workers = 0
    while workers < most:
        try:
            running.wait(timeout=chance.uniform(0.05, longest_seconds))
            return workers, 0
        except subprocess.TimeoutExpired:
            children = children_of(running.pid)
        victims = chance.choice((children[:1], [running.pid], [running.pid, *children])) or [running.pid]
        for victim in victims:
            # a worker may have ended by itself meanwhile
            with contextlib.suppress(ProcessLookupError):
                os.kill(victim, signal.SIGKILL)
                workers += running.pid not in victims
        if running.pid in victims:
            running.wait(timeout=180)
            return workers, 1
    running.wait(timeout=180)
    return workers, 0


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="children are found in /proc")
def test_a_batch_that_is_killed_at_any_time_makes_the_same_files(
    request: pytest.FixtureRequest,
    rig_file: Path,
    tmp_path: Path,
    some: Callable[[int], int],
    batch: Batch,
) -> None:
    """Fewer kills, where everything is shorter."""
    most = some(KILLS[request.config.getoption("--all-variants")])
    walk = {"source": "Walk", "destination": "Run", "enter_at": "first", "name": "{source}_{cut}"}
    transitions = [{**walk, "cut": 5 + i, "formats": ["blend", "bvh"]} for i in range(2)]
    values: dict[str, Any] = {
        "files": [rig_file.name],
        "transitions": transitions,
        "state_machines": [{"clips": "all", "edges": [["Walk", "Run"]], "by": "cost"}],
    }
    spec = write_spec(rig_file.parent, values)
    whole, out, said = tmp_path / "whole", tmp_path / "out", tmp_path / "said"
    began = time.monotonic()
    assert start(spec, whole, said=said).wait(timeout=180) == 0
    # kills fall on starts, reads, searches, bakes and writes alike
    longest_seconds = time.monotonic() - began
    names = sorted(path.name for path in whole.glob("*.b*"))
    assert len(names) == 5

    chance = random.Random(1)
    kills = 0
    ended_well = False
    while kills < most:
        if ended_well:
            # all was done in spite of the kills so far: from the beginning again
            compare(whole, out, names)
            for path in (*out.glob("*.b*"), out / "batch.json"):
                path.unlink()
        running = start(spec, out, "--resume", "--jobs", chance.choice((1, 1, 2)), said=said)
        workers, parents = kill_until_it_ends(running, most - kills, longest_seconds, chance)
        kills += workers + parents
        # a job is given up when it was twice at hand in a process that ended, and not before
        ended_well = running.returncode == 0
        assert ended_well or parents or workers > 1, said.read_text()
        # whatever has its final name is complete; a worker left behind may rename others now
        assert all(is_whole(path) for path in out.glob("[!.]*.blend"))

    done = batch(spec, out, "--resume", "--json")
    assert done.code == 0, done.err
    assert events(done)[-1]["failed"] == 0
    compare(whole, out, names)


def compare(whole: Path, out: Path, names: list[str]) -> None:
    """The same files, the same recipes byte for byte, the same keys, and nothing else."""
    assert litter(out) == []
    assert sorted(path.name for path in out.iterdir()) == sorted([*names, ".inertia", "batch.json"])
    same_results(whole, out, [name for name in names if name.endswith(".blend")])
    for name in names:
        if name.endswith(".bvh"):
            assert (whole / name).read_bytes() == (out / name).read_bytes()
    summaries = [(folder / "batch.json").read_text() for folder in (whole, out)]
    # a .blend file holds addresses, and so differs from run to run where nothing else does
    assert len({re.sub(r'"[0-9a-f]{64}"', '""', summary) for summary in summaries}) == 1
