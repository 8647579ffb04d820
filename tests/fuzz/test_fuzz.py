# SPDX-License-Identifier: GPL-3.0-or-later
"""A short ``make fuzz``: nothing gives way; and what would give way is found."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

pytest.importorskip("bpy", reason="bpy is not installed here")

from tests.fuzz import commands, inputs, mutations, pool
from tests.fuzz.__main__ import run


def test_commands_do_not_give_way_to_spoilt_inputs(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    some: Callable[[int], int],
) -> None:
    count, steps = map(some, (24, 60) if request.config.getoption("--all-variants") else (5, 6))
    tally = run(seed=7, count=count, steps=steps, seconds=float("inf"), kept=tmp_path)
    assert tally.wrong == 0, capsys.readouterr().out
    assert tally.counts["inputs"] == count
    assert tally.counts["steps"] == steps
    assert tally.counts["exit 1"] + tally.counts["exit 2"] >= count // 5, "hardly anything was spoiled"


FAULTS = {
    "fault": "raise KeyError('of ours')",
    "traceback": "try: raise KeyError('of ours')\n    except KeyError: __import__('traceback').print_exc()",
    "crash": "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)",
    "hang": "while True: pass",
}


@pytest.mark.slow  # no Blender has a part in it
@pytest.mark.variants(1)
@pytest.mark.parametrize("kind", FAULTS)
def test_faults_of_a_command_are_told_apart(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker whose command line is another one, which does what must not be."""
    (tmp_path / "sitecustomize.py").write_text(
        "import sys, types\n"
        "faulty = types.ModuleType('inertia_addon.cli.program')\n"
        f"def main(argv):\n    {FAULTS[kind]}\n    return 0\n"
        "faulty.main = main\n"
        "sys.modules['inertia_addon.cli.program'] = faulty\n"
    )
    monkeypatch.setattr(pool, "PATHS", (str(tmp_path), str(pool.ROOT)))
    monkeypatch.setattr(pool, "LONGEST_SECONDS", 0.5)
    with pool.Worker() as worker:
        for _ in range(2):  # after a crash there is another worker
            outcome = worker.do({"argv": ["info"], "folder": str(tmp_path)})
            assert commands.end_of(outcome) == [kind]
            assert outcome.at == "info"


def outcome_of(code: int, said: str) -> pool.Outcome:
    return pool.Outcome("done", code, said, "")


@pytest.mark.parametrize(
    ("outcome", "after", "expected"),
    [
        (outcome_of(0, ""), {"in.bvh": "1", "out.bvh": "2"}, []),
        (outcome_of(1, "inertia: No."), {"in.bvh": "1"}, []),
        (outcome_of(1, ""), {"in.bvh": "1"}, ["no sentence"]),
        (outcome_of(139, "inertia: No."), {"in.bvh": "1"}, ["exit code 139"]),
        (outcome_of(0, ""), {"in.bvh": "2"}, ["changed in.bvh"]),
        (outcome_of(0, ""), {}, ["lost in.bvh"]),
        (outcome_of(1, "inertia: No."), {"in.bvh": "1", "out.bvh": "2"}, ["left out.bvh"]),
        (outcome_of(0, ""), {"in.bvh": "1", ".out-x.bvh": "2"}, ["left .out-x.bvh"]),
    ],
)
def test_files_that_a_command_leaves_are_judged(
    outcome: pool.Outcome, after: dict[str, str], expected: list[str]
) -> None:
    assert commands.faults(outcome, {"in.bvh": "1"}, after) == expected


def archive() -> bytes:
    """What a model's file is like: numbers, and JSON in an array of bytes."""
    made = io.BytesIO()
    about = np.frombuffer(json.dumps({"bones": ["hips", "spine"], "step": 3, "rate": 0.5}).encode(), np.uint8)
    np.savez(made, about=about, weights=np.arange(64, dtype=np.float32))
    return made.getvalue()


CONTENTS = {
    ".npz": archive(),
    ".csv": inputs.POINTS.encode(),
    ".json": json.dumps(inputs.SPEC).encode(),
    ".toml": inputs.TOML.encode(),
    ".bvh": b"HIERARCHY\nROOT a\n{\n OFFSET 0 0 0\n}\nMOTION\nFrames: 1\n0 0 0\n",
    ".blend": b"BLENDER-v402" + bytes(range(256)) * 8,
    ".glb": b"",
}


@pytest.mark.parametrize("ending", CONTENTS)
def test_the_same_seed_spoils_in_the_same_way(ending: str) -> None:
    spoiled = [mutations.spoil(CONTENTS[ending], ending, Random(i)) for i in range(60)]
    assert spoiled == [mutations.spoil(CONTENTS[ending], ending, Random(i)) for i in range(60)]
    assert len({*spoiled}) > 40


def test_commands_that_read_or_make_models_are_run_on_what_they_take() -> None:
    for ending in (".npz", ".csv", ".bin", ".blend"):
        words = [inputs.follow(Path(f"walkers{ending}"), Random(i)) for i in range(200)]
        kinds = {line[0] + (" --check" if "--check" in line else "") for line in words}
        wanted = {
            ".npz": {"path", "learn", "learn --check"},
            ".bin": {"path", "learn --check"},
            ".csv": {"path"},
        }
        assert kinds == wanted.get(ending, {"path", "learn", "learn --check", "complete", "database"})
        asked = {word for line in words for word in line}
        assert "--model" in asked or ending == ".blend"
        assert {"--pins", "--bans"} <= asked or ending not in (".csv", ".blend")


def test_journals_wishes_and_files_that_are_cut_off_are_among_what_is_spoiled(tmp_path: Path) -> None:
    record = Path(inputs.LIBRARY) / ".inertia" / "jobs" / "a.json"
    for path in (record, Path(inputs.RESUME)):
        assert {tuple(inputs.command(path, Random(i))[:2]) for i in range(20)} == {("batch", inputs.RESUME)}
        assert all("--resume" in inputs.command(path, Random(i)) for i in range(20))
    assert {inputs.command(Path("wishes.csv"), Random(i))[0] for i in range(20)} == {"steer"}
    data = bytes(range(100))
    lengths = {len(mutations.cut(data, Random(i))) for i in range(200)}
    assert max(lengths) < 100
    assert len(lengths) > 50
    assert all(data.startswith(mutations.cut(data, Random(i))) for i in range(20))


def test_values_of_json_are_spoiled_and_it_stays_json() -> None:
    for i in range(100):
        whole: Any = json.loads(CONTENTS[".json"])
        mutations.spoil_value(whole, Random(i))
        assert json.loads(mutations.spoil_json(CONTENTS[".json"], Random(i))) is not None
