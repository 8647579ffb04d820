# SPDX-License-Identifier: GPL-3.0-or-later
"""The command ``fit``: what it says, what it writes, and what it refuses."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.batch.small_rig import Run

Inertia = Callable[..., Run]


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A file whose action Start has a hip bone that starts to run after a second, half-life 0.3 s."""
    bpy = pytest.importorskip("bpy", reason="bpy is not installed here")
    from tests.batch.small_rig import make_rig

    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    rig = make_rig()
    bpy.context.scene.render.fps = 60
    rig.animation_data.action = None
    y = 2.0 * np.log(2.0) / 0.3
    for frame in range(1, 361):
        t = max((frame - 1) / 60.0 - 1.0, 0.0)
        # the area under a spring's speed
        way = 4.0 * (t - (2.0 - (2.0 + y * t) * np.exp(-y * t)) / y)
        rig.pose.bones["Hips"].location = (way, 0.0, 0.0)
        rig.pose.bones["Hips"].keyframe_insert("location", frame=frame)
    rig.animation_data.action.name = "Start"
    path = tmp_path_factory.mktemp("start") / "start.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    return path.read_bytes()


@pytest.fixture
def starting(tmp_path: Path, started: bytes) -> Path:
    """That file."""
    path = tmp_path / "start.blend"
    path.write_bytes(started)
    return path


def test_a_start_is_found_and_fitted(inertia: Inertia, starting: Path, tmp_path: Path) -> None:
    before = starting.read_bytes()
    done = inertia("fit", starting, "--action", "Start", "--json")
    assert (done.code, done.err) == (0, "")
    (action,) = done.json["actions"]
    assert (action["action"], action["root"], action["fps"]) == ("Start", "Hips", 60.0)
    assert action["maximum_speed"] == pytest.approx(4.0, rel=0.02)
    (ramp,) = action["speed_ramps"]
    assert ramp["least_squares_seconds"] == pytest.approx(0.3, rel=0.03)
    assert ramp["closed_form_seconds"] == pytest.approx(0.3, rel=0.15)
    assert ramp["is_spring"]
    assert ramp["verdict"] == ""
    assert action["turn_ramps"] == []
    assert starting.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["start.blend"]


def test_an_action_of_another_object_is_measured_when_it_is_named(
    inertia: Inertia, tmp_path: Path, fresh_file: None
) -> None:
    import bpy

    from tests.batch.small_rig import make_rig

    rig = make_rig()
    camera = bpy.data.objects.new("Camera", None)
    bpy.context.scene.collection.objects.link(camera)
    for frame in (1, 24):
        camera.location = (frame / 4.0, 0.0, 0.0)
        camera.keyframe_insert("location", frame=frame)
    camera.animation_data.action.name = "Pan"
    names = {action.name for action in bpy.data.actions} - {"Pan"}
    path = tmp_path / "panned.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    armature = rig.name
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    measured = inertia("fit", path, "--json").json["actions"]
    assert names
    assert {action["action"] for action in measured} == names
    (pan,) = inertia("fit", path, "--armature", armature, "--action", "Pan", "--json").json["actions"]
    assert (pan["action"], pan["root"]) == ("Pan", "<object>")


def test_fit_measures_all_actions_by_default(inertia: Inertia, starting: Path) -> None:
    values = inertia("fit", starting, "--json").json
    assert [action["action"] for action in values["actions"]] == ["Run", "Start", "Walk"]


def test_pictures_and_tables(inertia: Inertia, starting: Path, tmp_path: Path) -> None:
    plot, table = tmp_path / "fit.png", tmp_path / "fit.csv"
    done = inertia("fit", starting, "--action", "Start", "--plot", plot, "--csv", table)
    assert (done.code, done.err) == (0, "")
    assert "maximum speed 4 m/s" in done.out
    assert "no springs" not in done.out
    assert plot.read_bytes().startswith(b"\x89PNG")
    drawing = tmp_path / "fit.svg"
    assert inertia("fit", starting, "--action", "Start", "--plot", drawing).code == 0
    assert ">Start: speed</text>" in drawing.read_text(encoding="utf-8")
    with table.open(newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["action"], row["kind"]) == ("Start", "speed")
    assert float(row["least_squares_seconds"]) == pytest.approx(0.3, rel=0.03)


@pytest.mark.parametrize(("forward", "mode"), [("x", "run"), ("y", "strafe"), ("minus-x", "back")])
def test_a_start_is_of_the_mode_that_it_goes_in(
    inertia: Inertia, starting: Path, tmp_path: Path, forward: str, mode: str
) -> None:
    table = tmp_path / "modes.csv"
    words = ("--action", "Start", "--forward", forward, "--modes", table)
    values = inertia("fit", starting, *words, "--json").json
    (ramp,) = values["actions"][0]["speed_ramps"]
    assert ramp["mode"] == mode
    (found,) = values["by_mode"]
    assert (found["mode"], found["stop_half_lives"], found["turn_half_lives"]) == (mode, None, None)
    assert found["top_speed"] == pytest.approx(4.0, rel=0.02)
    assert found["start_half_lives"] == found["speed_half_lives"]
    assert found["speed_half_lives"]["median"] == ramp["least_squares_seconds"]
    with table.open(newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["mode"], row["speed_count"], row["stop_count"]) == (mode, "1", "")
    assert float(row["start_seconds"]) == pytest.approx(0.3, rel=0.03)
    assert values["modes"] == str(table)


def test_modes_stand_below_in_a_table(inertia: Inertia, starting: Path) -> None:
    words = ("fit", starting, "--action", "Start", "--forward", "x")
    lines = inertia(*words, "--estimator", "peak-rate").out.splitlines()
    (head,) = [i for i, line in enumerate(lines) if line.startswith("modes: ")]
    assert "by peak rate" in lines[head]
    assert lines[head + 1].split("  ")[1] == "mode"
    assert lines[head + 2].split()[:3] == ["run", "4", "m/s"]
    walks = inertia(*words, "--run-speed", 4.5).out.splitlines()
    assert walks[head + 2].split()[0] == "walk"


def test_histograms_are_drawn_and_listed(inertia: Inertia, starting: Path, tmp_path: Path) -> None:
    listed, drawn = tmp_path / "histogram.csv", tmp_path / "histogram.svg"
    words = ("fit", starting, "--action", "Start", "Walk", "--histogram")
    histograms = inertia(*words, listed, "--json").json["histograms"]
    assert histograms["actions"] == 2
    assert inertia(*words, drawn).code == 0
    picture = drawn.read_text(encoding="utf-8")
    assert all(f">{title}</text>" in picture for title in ("Speed, m/s", "Acceleration, m/s²"))
    with listed.open(newline="") as file:
        rows = list(csv.DictReader(file))
    for name in ("speed", "acceleration", "turn_rate"):
        mine = [row for row in rows if row["counted"] == name]
        edges = histograms[name]["edges"]
        assert [float(row["from"]) for row in mine] == pytest.approx(edges[:-1])
        assert [float(row["seconds"]) for row in mine] == pytest.approx(histograms[name]["seconds"], rel=1e-5)
    # it runs at 4 m/s for about four of its six seconds
    assert histograms["speed"]["most_frequent"][-1] == pytest.approx(4.0, abs=0.1)
    fast = [
        s for low, s in zip(edges_of(histograms), histograms["speed"]["seconds"], strict=True) if low > 3.7
    ]
    assert sum(fast) == pytest.approx(4.0, abs=0.4)


def edges_of(histograms: dict[str, dict[str, list[float]]]) -> list[float]:
    """Where the bins of speeds begin."""
    return histograms["speed"]["edges"][:-1]


@pytest.fixture
def striding(starting: Path) -> Path:
    """The same, which then gains and loses speed with each stride."""
    import bpy

    bpy.ops.wm.open_mainfile(filepath=str(starting))
    bone = bpy.data.objects["Rig"].pose.bones["Hips"]
    bpy.context.scene.frame_set(360)
    way = bone.location.x
    for frame in range(361, 541):
        t = (frame - 360) / 60.0
        bone.location = (way + 4.0 * t + 0.6 * (np.cos(2.0 * np.pi * t / 2.0) - 1.0), 0.0, 0.0)
        bone.keyframe_insert("location", frame=frame)
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    return starting


@pytest.mark.slow  # mathematics are the same under every version
def test_a_ramp_that_is_no_spring_stands_below(inertia: Inertia, striding: Path) -> None:
    words = ("fit", striding, "--action", "Start")
    (action,) = inertia(*words, "--json").json["actions"]
    others = [ramp["is_other"] for ramp in action["speed_ramps"]]
    assert True in others
    assert False in others
    lines = inertia(*words).out.splitlines()
    parted = lines.index("  no springs:")
    head = next(i for i, line in enumerate(lines) if line.split()[:1] == ["frames"])
    assert parted - head - 1 == others.count(False)
    assert not any("not a spring" in line for line in lines[:parted])
    rest = [line for line in lines[parted + 1 :] if line.strip().startswith("speed")]
    assert len(rest) == others.count(True)
    assert all("not a spring" in line for line in rest)


def test_fit_says_how_it_measures(inertia: Inertia, starting: Path) -> None:
    words = ("--smoothing", 0.3, "--sustained", 1.0, "--root", "spine", "--forward", "minus-y")
    (action,) = inertia("fit", starting, "--action", "start", *words, "--json").json["actions"]
    assert (action["smoothing_seconds"], action["sustained_seconds"]) == (0.3, 1.0)
    assert (action["root"], action["forward"]) == ("Spine", "-Y")
    assert "Savitzky-Golay" in action["filter"]


def test_an_action_that_does_not_move_has_no_numbers(inertia: Inertia, rig_file: Path) -> None:
    import bpy

    bpy.ops.wm.open_mainfile(filepath=str(rig_file))
    for curve in ("location",):
        for bone in bpy.data.objects["Rig"].pose.bones:
            setattr(bone, curve, (0.0, 0.0, 0.0))
    (action, *_) = inertia("fit", rig_file, "--action", "Walk", "--root", "<object>", "--json").json[
        "actions"
    ]
    assert not action["travels"]
    assert not action["turns"]
    assert action["maximum_speed"] is None
    assert action["speed_ramps"] == action["turn_ramps"] == []


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("--action", "Stop"), 1, 'There is no action "Stop"'),
        (("--root", "Pelvis"), 1, 'There is no bone "Pelvis"'),
        (("--forward", "w"), 2, "choose rest, travel"),
        (("--smoothing", "-1"), 2, "from 0 to 60"),
        (("--sustained", "soon"), 2, "is no such number"),
    ],
)
def test_fit_refuses_wrong_words(
    inertia: Inertia, starting: Path, words: tuple[str, ...], code: int, message: str
) -> None:
    done = inertia("fit", starting, *words)
    assert done.code == code
    assert message in done.err
    assert done.out == ""
