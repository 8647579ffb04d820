# SPDX-License-Identifier: GPL-3.0-or-later
"""``batch``: libraries of transitions, from a spec to files, in processes of their own."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from tests.batch.library_files import (
    Batch,
    cut_bvh,
    events,
    litter,
    same_results,
    start,
    wait_for_a_stop,
    without_blender,
    write_spec,
)
from tests.batch.staying import StayingChild

WALK = {"source": "Walk", "destination": "Run", "cut": 20, "enter_at": "first"}
"""Where it is entered is no matter, but for the test that says so."""
MACHINE = {"clips": "all", "by": "cost"}
JOBS = 5
HALF = f".0a1b2c3d-Walk_{9 + JOBS}.blend"
"""What a worker leaves that is killed while it writes the last of them."""


def spec_of(rig_file: Path, **values: Any) -> Path:
    return write_spec(rig_file.parent, {"files": [rig_file.name], **values})


@pytest.fixture
def temporary(tmp_path: Path) -> Path:
    """A folder for what a run needs only while it goes on."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    return folder


def several(count: int) -> list[dict[str, Any]]:
    return [{**WALK, "cut": 10 + i, "name": "{source}_{cut}"} for i in range(count)]


def test_a_library_is_baked_and_resumed(rig_file: Path, tmp_path: Path, batch: Batch) -> None:
    out = tmp_path / "made" / "here"
    spec = spec_of(
        rig_file,
        transitions=[{**WALK, "formats": ["blend", "glb", "bvh"], "name": "a"}],
        state_machines=[MACHINE],
    )
    done = batch(spec, out, "--json")
    assert done.code == 0, done.err
    said = events(done)
    assert [event["event"] for event in said] == ["start", "done", "done", "done", "summary"]
    assert {name for event in said[1:4] for name in event["outputs"]} == {
        *("a.blend", "a.glb", "a.bvh", "Walk_to_Run.blend", "Run_to_Walk.blend")
    }
    assert all((out / name).is_file() for event in said[1:4] for name in event["outputs"])
    assert said[-1]["done"] == 3
    written = json.loads((out / "batch.json").read_text())
    assert [job["where"] for job in written["jobs"]] == [
        "transitions[0]",
        "state_machines[0]",
        "state_machines[0]",
    ]
    assert all(job["cost"] > 0.0 and job["pop"] >= 0.0 for job in written["jobs"])
    for told in (*said[1:4], *written["jobs"]):
        assert told["verdict"][0].startswith(("Good: ", "Fair: ", "Poor: "))
    assert litter(out) == []

    # nothing changes, whatever the files' dates are
    os.utime(rig_file)
    before = {path: path.stat().st_mtime_ns for path in out.glob("*.*")}
    again = batch(spec, out, "--resume", "--json")
    assert (again.code, events(again)[-1]["done_before"], events(again)[-1]["done"]) == (0, 3, 0)
    assert {path: path.stat().st_mtime_ns for path in before if path.suffix == ".blend"} == {
        path: date for path, date in before.items() if path.suffix == ".blend"
    }
    # what is gone or damaged is made anew, and nothing else
    (out / "a.glb").unlink()
    (out / "Run_to_Walk.blend").write_bytes(b"BLENDER")
    assert events(batch(spec, out, "--resume", "--json"))[-1]["done"] == 2
    assert (out / "a.glb").is_file()
    # a changed input or recipe is another job
    changed = spec_of(rig_file, transitions=[{**WALK, "guard": "OFF", "name": "a"}], state_machines=[MACHINE])
    assert events(batch(changed, out, "--resume", "--json"))[-1]["done"] == 1
    bpy.ops.wm.open_mainfile(filepath=str(rig_file))
    bpy.ops.wm.save_as_mainfile(filepath=str(rig_file), compress=True)
    assert events(batch(changed, out, "--resume", "--json"))[-1]["done"] == 3


def held_by(path: Path) -> set[str]:
    """The actions of a .blend file."""
    bpy.ops.wm.open_mainfile(filepath=str(path))
    return {action.name for action in bpy.data.actions}


def test_an_output_holds_what_its_result_needs_or_the_whole_file(
    four_clips: Path, tmp_path: Path, batch: Batch
) -> None:
    out = tmp_path / "out"
    formats = {"formats": ["blend", "glb"]}
    ways = [{**WALK, **formats, "name": "lean"}, {**WALK, **formats, "name": "whole", "whole_file": True}]
    spec = spec_of(four_clips, transitions=[*ways, {**WALK, "formats": ["glb"], "name": "other"}])
    assert batch(spec, out).code == 0
    clips, result = {"Walk", "Run"}, "Walk to Run"
    assert held_by(out / "lean.blend") == {*clips, result}
    assert held_by(out / "whole.blend") == {*clips, result, "Jog", "Stroll"}
    # the other formats come out of it whole, whichever is written first
    assert (out / "lean.glb").read_bytes() == (out / "other.glb").read_bytes()
    # what is asked for now is another output than before, where it holds any of it
    again = batch(spec, out, "--whole-file", "--resume", "--json")
    assert [event["where"] for event in events(again) if event["event"] == "done"] == ["transitions[0]"]
    assert held_by(out / "lean.blend") == {*clips, result, "Jog", "Stroll"}
    assert events(batch(spec, out, "--resume", "--json"))[-1]["done"] == 1
    assert held_by(out / "lean.blend") == {*clips, result}


def test_results_do_not_depend_on_the_number_of_processes_or_the_order(
    rig_file: Path, tmp_path: Path, batch: Batch
) -> None:
    transitions = several(3)
    first = spec_of(rig_file, transitions=transitions, state_machines=[MACHINE])
    assert batch(first, tmp_path / "one").code == 0
    turned = write_spec(
        tmp_path,
        {"files": ["rig.blend"], "transitions": transitions[::-1], "state_machines": [MACHINE]},
        "turned.json",
    )
    assert batch(turned, tmp_path / "two", "--jobs", 2).code == 0
    names = sorted(path.name for path in (tmp_path / "one").glob("*.blend"))
    assert len(names) == 5
    assert names == sorted(path.name for path in (tmp_path / "two").glob("*.blend"))
    same_results(tmp_path / "one", tmp_path / "two", names)
    records = [
        {path.name for path in (tmp_path / name / ".inertia" / "jobs").iterdir()} for name in ("one", "two")
    ]
    assert records[0] == records[1]


def test_a_result_is_that_of_bake(rig_file: Path, tmp_path: Path, inertia: Any, batch: Batch) -> None:
    spec = spec_of(rig_file, transitions=[{**WALK, "enter_at": "auto", "half_life": 0.2, "name": "a"}])
    assert batch(spec, tmp_path / "out").code == 0
    words = ("--source", "Walk", "--destination", "Run", "--cut", 20, "--half-life", 0.2)
    (tmp_path / "single").mkdir()
    assert inertia("bake", rig_file, *words, "-o", tmp_path / "single" / "a.blend").code == 0
    same_results(tmp_path / "out", tmp_path / "single", ["a.blend"])


def test_the_best_cut_of_machines_and_transitions_is_what_the_command_cost_judges_best(
    rig_file: Path, tmp_path: Path, inertia: Any, batch: Batch
) -> None:
    pair = {"source": "Walk", "destination": "Run"}
    spec = {
        "files": [str(rig_file)],
        "transitions": [
            {**pair, "cut": "best", "name": "judged"},
            {**pair, "cut": "best", "by": "cost", "name": "cheapest"},
            {**pair, "cut": 20, "destination_frame": "best", "name": "entry"},
        ],
        "state_machines": [{"clips": ["Walk", "Run"], "edges": [["Walk", "Run"]], "name": "edge"}],
    }
    path = tmp_path / "spec.json"
    path.write_text(json.dumps(spec))
    done = batch(path, tmp_path / "out", "--json")
    assert done.code == 0, done.err
    jobs = json.loads((tmp_path / "out" / "batch.json").read_text())["jobs"]
    where = {
        Path(next(iter(job["outputs"]))).stem: tuple(
            job["settings"][name] for name in ("cut", "destination_frame")
        )
        for job in jobs
    }
    words = ("cost", rig_file, "--source", "Walk", "--destination", "Run")
    judged = inertia(*words, "--cut", 20, "--json").json
    cheapest = inertia(*words, "--by", "cost", "--json").json["best"][0]
    best, entry = judged["best"][0], judged["meeting"]["best_destination"]
    assert where["judged"] == where["edge"] == (best["cut"], best["destination_frame"])
    assert where["cheapest"] == (cheapest["cut"], cheapest["destination_frame"])
    assert where["entry"] == (20.0, entry["destination_frame"])
    (told,) = (job["verdict"] for job in jobs if "judged" in next(iter(job["outputs"])))
    assert told == best["verdict"]["words"]


def test_a_bad_job_does_not_stop_the_others(rig_file: Path, tmp_path: Path, batch: Batch) -> None:
    (tmp_path / "broken.blend").write_bytes(b"BLENDER nonsense")
    bpy.ops.wm.open_mainfile(filepath=str(rig_file))
    # what begins before frame 0 fits into no .glb file
    for fcurve in _curves(bpy.data.actions["Walk"]):
        for key in fcurve.keyframe_points:
            key.co_ui[0] -= 10.0
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "early.blend"))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    spec = write_spec(
        tmp_path,
        {
            "files": ["*.blend"],
            "each_file": True,
            "formats": ["glb"],
            "transitions": [WALK],
            "state_machines": [{"clips": "all", "files": ["broken.blend"]}],
        },
    )
    done = batch(spec, tmp_path / "out", "--jobs", 2)
    assert done.code == 1
    lines = done.err.splitlines()
    failed = [line for line in lines if "failed: " in line]
    assert len(failed) == 3
    assert any("broken.blend: all its clips (state_machines[0]): " in line for line in failed)
    assert any("broken.blend: Walk to Run, cut 20 (transitions[0]): " in line for line in failed)
    assert any("early.blend: Walk to Run, cut 20 (transitions[0]): " in line for line in failed)
    assert {path.name for path in (tmp_path / "out").glob("*.*") if path.is_file()} == {
        "rig_Walk_to_Run.glb",
        "batch.json",
    }
    assert "1 jobs done, 3 failed" in lines[-1]
    assert "error" in json.loads((tmp_path / "out" / "batch.json").read_text())["jobs"][0]


def _curves(action: Any) -> Any:
    from inertia_addon.blender.data import compat

    return [fcurve for slot in compat.slots(action) for fcurve in compat.curves(action, slot.identifier)]


def test_gates_list_what_exceeds_them(rig_file: Path, tmp_path: Path, batch: Batch) -> None:
    spec = spec_of(rig_file, transitions=several(2))
    assert batch(spec, tmp_path / "out", "--max-cost", 1000, "--max-pop", 1000).code == 0
    for gate, unit in (("--max-cost", "metre seconds"), ("--max-pop", "m/s")):
        done = batch(spec, tmp_path / "out", "--resume", gate, 0)
        assert done.code == 1
        assert done.err.count("gate: rig: Walk to Run, cut 1") == 2
        assert f"exceeds 0 {unit}" in done.err
    # there are no feet to skate
    done = batch(spec, tmp_path / "out", "--resume", "--max-skate", 0)
    assert done.code == 0
    assert "--max-skate can't judge" in done.err


def test_faults_are_found_before_any_work(rig_file: Path, tmp_path: Path, batch: Batch) -> None:
    spec = spec_of(rig_file, transitions=[WALK, {**WALK, "source": "Wolk", "guard": "OF", "name": "b"}])
    done = batch(spec, tmp_path / "out", "--json")
    assert done.code == 2
    first, last = events(done)
    assert (first["path"], first["close"]) == ("transitions[1].guard", ["off"])
    assert (first["found"], set(first)) == ('"OF"', {"event", "path", "found", "allowed", "close"})
    assert last["error"] == "spec.json has 1 fault; nothing was baked."
    # what only the file can tell comes second, and before any bake too
    spec = spec_of(rig_file, transitions=[WALK, {**WALK, "source": "Wolk", "name": "b"}])
    done = batch(spec, tmp_path / "out")
    assert done.code == 2
    assert 'transitions[1].source: found "Wolk"; allowed: the actions "Walk"' in done.err
    assert list((tmp_path / "out").glob("*.blend")) == []


def test_check_lists_the_jobs_and_bakes_nothing(rig_file: Path, inertia: Any) -> None:
    spec = spec_of(rig_file, state_machines=[MACHINE])
    done = inertia("batch", spec, "--check")
    assert done.code == 0, done.err
    assert done.out.splitlines() == [
        "rig: Run to Walk, best cut -> Run_to_Walk.blend",
        "rig: Walk to Run, best cut -> Walk_to_Run.blend",
    ]


def test_check_says_which_files_cannot_be_read(rig_file: Path, inertia: Any) -> None:
    whole = rig_file.read_bytes()
    (rig_file.parent / "cut.blend").write_bytes(whole[: len(whole) // 2])
    (rig_file.parent / "list.gltf").write_text("[1]")
    files = [rig_file.name, "cut.blend", "list.gltf"]
    done = inertia("batch", spec_of(rig_file, files=files, each_file=True, transitions=[WALK]), "--check")
    assert done.code == 1
    *said, last = done.err.splitlines()
    assert [line.split(":")[1:3] for line in said] == [[" failed", " cut.blend"], [" failed", " list.gltf"]]
    assert last == "inertia: spec.json is sound, but not all of its files can be read."


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--jobs", "0"], "from 1 to 256"),
        (["--gather"], "--gather is for --scheduler"),
        (["--max-cost", "-1"], "from 0 to 1000000000"),
        (["--sheduler", "a"], "unrecognized arguments"),
    ],
)
def test_batch_says_what_is_wrong_with_its_usage(
    inertia: Any, tmp_path: Path, words: list[str], said: str
) -> None:
    run = inertia("batch", write_spec(tmp_path, {}), "-o", tmp_path / "out", *words)
    assert run.code == 2
    assert said in run.err


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="children are found in /proc")
def test_a_run_that_loses_its_worker_or_is_interrupted_leaves_nothing_half_done_and_goes_on(
    rig_file: Path, tmp_path: Path, temporary: Path, batch: Batch
) -> None:
    spec, out = spec_of(rig_file, transitions=several(JOBS)), tmp_path / "out"
    environment = without_blender(rig_file, stops=True) | {"TMPDIR": str(temporary)}

    def started(*more: str) -> tuple[subprocess.Popen[str], int]:
        """A run whose first job is done, and its worker, which has stopped at the next one."""
        running = start(spec, out, "--json", *more, **environment)
        return running, wait_for_a_stop(running)

    running, first = started()
    (out / HALF).write_bytes(b"BLENDER")
    os.kill(first, signal.SIGKILL)
    # another one takes its job
    summary = interrupted(running, wait_for_a_stop(running), out)
    # what was begun was brought to its end
    assert (summary["done"], summary["failed"], summary["left"]) == (3, 0, JOBS - 3)
    assert len(list(out.glob("*.blend"))) == 3
    assert list(temporary.iterdir()) == []

    running, worker = started("--resume")
    assert list(temporary.rglob("blender_*"))
    summary = interrupted_twice(running, worker, out)
    assert (summary["done_before"], summary["done"]) == (3, 1)
    assert list(temporary.iterdir()) == []

    done = batch(spec, out, "--resume", "--json")
    assert done.code == 0, done.err
    assert (events(done)[-1]["done_before"], events(done)[-1]["done"]) == (4, JOBS - 4)
    assert len(list(out.glob("*.blend"))) == JOBS


def interrupted(running: subprocess.Popen[str], worker: int, out: Path) -> dict[str, Any]:
    """Interrupt a run, which ends cleanly; returns its summary."""
    running.send_signal(signal.SIGINT)
    assert running.stderr is not None
    assert "stopping; what is begun is brought to its end" in running.stderr.readline()
    os.kill(worker, signal.SIGCONT)
    return stopped(running, out)


def interrupted_twice(running: subprocess.Popen[str], worker: int, out: Path) -> dict[str, Any]:
    """Interrupt a run a second time, which ends it at once; returns its summary."""
    # what is begun never comes to its end
    running.send_signal(signal.SIGINT)
    assert running.stderr is not None
    assert "Interrupt again to end it at once" in running.stderr.readline()
    (out / HALF).write_bytes(b"BLENDER")
    running.send_signal(signal.SIGINT)
    summary = stopped(running, out)
    assert not Path(f"/proc/{worker}").exists()
    return summary


def stopped(running: subprocess.Popen[str], out: Path) -> dict[str, Any]:
    """The summary of a run that an interrupt has stopped."""
    rest, said = running.communicate(timeout=60)
    assert running.returncode == 130, said
    assert "Traceback" not in said
    summary, last = (json.loads(line) for line in rest.splitlines()[-2:])
    assert (summary["event"], last["event"]) == ("summary", "stopped")
    assert litter(out) == []
    return dict(summary)


def test_a_second_run_in_the_same_folder_is_refused(rig_file: Path, tmp_path: Path, monkeypatch: Any) -> None:
    pytest.importorskip("fcntl", reason="folders are locked where there is fcntl")
    import functools
    from argparse import Namespace

    from inertia_addon.batch.jobs import requests
    from inertia_addon.batch.work import journal
    from inertia_addon.batch.work.run import begun
    from inertia_addon.console.progress import Progress
    from inertia_addon.errors import InertiaError

    monkeypatch.setattr(journal, "PATIENCE_SECONDS", 0.0)
    spec = requests.read_spec(spec_of(rig_file, transitions=[WALK]))
    given = Namespace(output=tmp_path / "out", resume=False, jobs=1, scheduler=None, verbose=False, part=None)

    run = functools.partial(begun, spec, requests.requests_of(spec), given, Progress(as_json=False))
    with run(), pytest.raises(InertiaError, match="Another run is at work"), run():
        pass
    with run():
        pass


@pytest.mark.skipif(sys.platform != "linux", reason="no other system limits what another process writes")
def test_a_full_disk_leaves_nothing_half_written(
    rig_file: Path, tmp_path: Path, batch: Batch, workers: list[StayingChild]
) -> None:
    """Writing fails from some size on, as on a full disk: the records fit, most outputs don't."""
    import resource

    wanted = [{**WALK, "formats": ["bvh", "blend"], "name": "a"}]
    spec, out = spec_of(rig_file, transitions=wanted), tmp_path / "out"
    # that a worker is there
    assert batch(spec, tmp_path / "whole").code == 0
    worker, kind = workers[0].pid, resource.RLIMIT_FSIZE
    soft, hard = resource.prlimit(worker, kind)
    resource.prlimit(worker, kind, (2**16, hard))
    try:
        done = batch(spec, out)
    finally:
        resource.prlimit(worker, kind, (soft, hard))
    assert done.code == 1
    assert "a.blend" in done.err
    assert [path.name for path in out.glob("a.*")] == ["a.bvh"]
    assert litter(out) == []
    assert batch(spec, out, "--resume").code == 0
    assert sorted(path.name for path in out.glob("a.*")) == ["a.blend", "a.bvh"]


@pytest.mark.data
@pytest.mark.variants(1)
@pytest.mark.parametrize("kind", ["glb", "bvh", "fbx"])
def test_an_imported_file_is_baked_as_bake_does(
    kind: str, data_dir: Path, tmp_path: Path, inertia: Any, batch: Batch
) -> None:
    runs = ["cmu127_03_run", "cmu127_06_run"]
    files, source, destination, more = {
        "glb": (["glb/Fox.glb"], "Walk", "Run", {}),
        "fbx": (["fbx/pab_locomotions.fbx"], "walk", "run", {}),
        "bvh": ([f"bvh/cmu127/{name}.bvh" for name in runs], *runs, {"scale": 0.01}),
    }[kind]
    paths = [str(data_dir / name) for name in files]
    if kind == "bvh":
        paths = [str(cut_bvh(Path(path), tmp_path, frames=30)) for path in paths]
    transition = {
        "source": source,
        "destination": destination,
        "cut": 9,
        "destination_frame": 5,
        "feet": "off",
        "name": "b",
        "formats": ["blend", "bvh"],
    }
    first = {**transition, "cut": 7, "name": "a"}
    spec = write_spec(tmp_path, {"files": paths, **more, "transitions": [first, transition]})
    done = batch(spec, tmp_path / "out")
    assert done.code == 0, done.err
    words = [*paths, "--source", source, "--destination", destination, "--cut", 9, "--destination-frame", 5]
    words += ["--feet", "off"]
    words += [word for name, value in more.items() for word in (f"--{name}", value)]
    (tmp_path / "single").mkdir()
    for ending in ("blend", "bvh"):
        assert inertia("bake", *words, "-o", tmp_path / "single" / f"b.{ending}").code == 0
    same_results(tmp_path / "out", tmp_path / "single", ["b.blend"])
    assert (tmp_path / "out" / "b.bvh").read_bytes() == (tmp_path / "single" / "b.bvh").read_bytes()


def test_a_terminal_gets_a_progress_bar(
    rig_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, batch: Batch
) -> None:
    pytest.importorskip("tqdm", reason="tqdm is not installed here")
    pty = pytest.importorskip("pty", reason="there are no pseudo-terminals here")
    termios = pytest.importorskip("termios", reason="there are no pseudo-terminals here")
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(ours, (24, 100))
    with os.fdopen(theirs, "w") as terminal, monkeypatch.context() as patched:
        patched.setattr(sys, "stderr", terminal)
        assert batch(spec_of(rig_file, transitions=several(3)), tmp_path / "out").code == 0
    said = b""
    # an error is how Linux says that nobody writes any more
    with contextlib.suppress(OSError):
        while part := os.read(ours, 4096):
            said += part
    os.close(ours)
    assert b"jobs: 100%" in said
    assert b"3/3" in said


def test_progress_is_lines_without_tqdm(monkeypatch: Any, capfd: Any) -> None:
    from inertia_addon.console import progress

    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    times = itertools.count(0.0, 10.0)
    now = [next(times)]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    said = progress.Progress(as_json=False)
    said.start(3, "transitions")
    for failed in (False, True, False):
        now[0] = next(times)
        said.step(failed=failed)
    said.close()
    lines = capfd.readouterr().err.splitlines()
    # one alone says nothing of the others
    assert lines == ["inertia: 1 of 3 transitions", "inertia: 2 of 3 transitions, 1 failed, about 10 s left"]
