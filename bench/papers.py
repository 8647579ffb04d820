# SPDX-License-Identifier: GPL-3.0-or-later
"""What the five sources print, beside what Inertia computes: formulas, pairs, tables.

    make papers

Everything that is not Inertia's own is computed here from the published definition: curves from their
boundary conditions, areas by integration, the best hop by trying all of them. The clips are those of
examples/humanoid, so that nothing has to be there but a Python that has bpy.
"""

from __future__ import annotations

import argparse
import itertools
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from inertia_addon.blender.root_motion import spring_figure
from inertia_addon.motion.decay import decay, offset
from inertia_addon.motion.decay.decay import Method
from inertia_addon.motion.root_motion import half_life
from inertia_addon.motion.root_motion import measure as root_motion
from inertia_addon.settings.root_motion import Settings
from tests.motion.pruned_search import Tables
from tools import tables

Array = NDArray[np.float64]

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "papers.md"
PICTURE = ROOT / "docs" / "springs.svg"
SECONDS = 0.5
PAIRS = ((5.0, 2.0, 1.27), (4.86, 3.94, 0.63), (180.0, 154.68, 0.60), (10.44, 2.80, 1.90))
"""Change, peak rate and half-life, as published."""
FIT_FPS, FINER = 60.0, 200
"""Ways are made by so many small steps a frame."""
SPEEDS = (0.0, -2.0, -4.0, -8.0, -12.0, -20.0, 8.0)


def boundary(x: float, v: float, a: float, seconds: float) -> Callable[[Array], Array]:
    """The quintic from (x, v, a) to rest, by its six conditions: a linear system."""
    t = seconds
    rows = [[1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0], [0, 0, 2, 0, 0, 0], [t**k for k in range(6)]]
    rows += [[k * t ** max(k - 1, 0) for k in range(6)], [k * (k - 1) * t ** max(k - 2, 0) for k in range(6)]]
    solved = np.linalg.solve(np.array(rows, float), np.array([x, v, a, 0.0, 0.0, 0.0]))
    return np.polynomial.Polynomial(solved)


def curve(method: Method, x: float, v: float, seconds: float, t: Array) -> Array:
    """Inertia's own curve of one number."""
    made = decay.make(method, [x], [v], seconds)
    return np.asarray(decay.evaluate(made, [x], [v], t)[..., 0])


# --- D. Bollo, "Inertialization", GDC 2018


def bollo() -> Iterator[str]:
    """The quintic of zero jerk at its end, and the clamp of its time, beside the definition."""
    heads = [
        "v, 1/s",
        "clamped to, s",
        "by the clamp",
        "lowest, free",
        "lowest, clamped",
        "off the definition",
    ]
    yield from tables.heads(heads)
    for v in SPEEDS:
        clamped = min(SECONDS, -5.0 / v) if v < 0.0 else SECONDS
        kept = offset.guard(
            offset.Guard.STRICT, Method.ZERO_JERK, [[1.0, 0.0, 0.0]], [[v, 0.0, 0.0]], SECONDS, 0.0
        )
        own = float(kept.seconds[0])
        lowest, off = [], 0.0
        for seconds in (SECONDS, clamped):
            t = np.linspace(0.0, seconds, 2001)
            a = (-8.0 * v * seconds - 20.0) / seconds**2
            found = curve(Method.ZERO_JERK, 1.0, v, seconds, t)
            off = max(off, float(np.abs(found - boundary(1.0, v, a, seconds)(t)).max()))
            lowest.append(float(found.min()))
        yield tables.row(
            [f"{v:g}", f"{clamped:.3f}", f"{own:.3f}", f"{lowest[0]:.3f}", f"{lowest[1]:.3f}", f"{off:.0e}"]
        )


def two_frames(folder: Path) -> Iterator[str]:
    """How far bakes are from each other whose velocities come from both sides of the cut, and from two
    frames."""
    import bpy

    from inertia_addon.blender.transition import bake
    from inertia_addon.settings.transition import TransitionSettings

    bpy.ops.wm.open_mainfile(filepath=str(folder / "clips.blend"))
    (armature,) = (thing for thing in bpy.data.objects if thing.type == "ARMATURE")
    away = []
    for source, destination in itertools.permutations(CLIPS, 2):
        turns = []
        for difference in ("CENTRAL", "BACKWARD"):
            settings = TransitionSettings(source, destination, 17.0, 5.0, difference=difference, feet="OFF")
            report = bake.bake_transition(armature, settings)
            shown = []
            for frame in range(17, int(report.window[1]) + 1):
                bpy.context.scene.frame_set(frame)
                shown.append([bone.matrix.to_quaternion() for bone in armature.pose.bones])
            turns.append(np.array(shown, float))
        dots = np.abs(np.sum(turns[0] * turns[1], axis=-1))
        away.append(np.degrees(2.0 * np.arccos(np.minimum(dots, 1.0))).ravel())
    degrees = np.concatenate(away)
    yield (
        "On the slides the velocity is the difference of the last two frames. Inertia takes that of the "
        "frames on both sides of the cut, unless *Velocity From* is *Last Two Frames*. Between the four "
        f"clips of the humanoid, baked both ways, bones are {np.median(degrees):.2f} degrees apart during "
        f"the blend, the median, and {degrees.max():.1f} at most."
    )


# --- D. Holden, "Inertialization Transition Cost", 2022


def valley() -> Iterator[str]:
    """What an offset of 1 with a speed costs, by closed form, by integration, and by the matching feature."""
    yield from tables.heads(["v, 1/s", "cost", "by integration", "by the feature", "too little by"])
    of_x, of_v = decay.feature_weights(Method.CUBIC, SECONDS)
    for v in SPEEDS:
        t = np.linspace(0.0, SECONDS, 200001)
        plain = float(np.trapezoid(np.abs(cubic(1.0, v, t)), t))
        own = float(decay.displacement(Method.CUBIC, 1.0, v, SECONDS))
        feature = abs(float(of_x) + float(of_v) * v)
        yield tables.row(
            [
                f"{v:g}",
                f"{own:.5f}",
                f"{plain:.5f}",
                f"{feature:.5f}",
                f"{100.0 * (1.0 - feature / own):.1f} %",
            ]
        )
    speeds = np.linspace(-30.0, 10.0, 40001)
    costs = decay.displacement(Method.CUBIC, 1.0, speeds, SECONDS)
    least = int(np.argmin(costs))
    yield ""
    yield (
        f"The valley: an offset of 1 costs least, {costs[least]:.5f}, at a speed of {speeds[least]:.2f}/s: "
        "towards where it has to go, and a little beyond."
    )


def cubic(x: float, v: float, t: Array) -> Array:
    """The cubic from (x, v) to rest."""
    d = SECONDS
    return np.asarray(x + v * t - (3.0 * x / d**2 + 2.0 * v / d) * t**2 + (2.0 * x / d**3 + v / d**2) * t**3)


# --- D. Holden, "Fitting Code Driven Displacement" and "The Spring-Roll-Call", 2021


def springs() -> Iterator[str]:
    """The four published half-lives, and each one's peak rate by integration of the spring."""
    yield from tables.heads(
        ["change", "peak rate", "half-life, published", "computed", "its peak, integrated"]
    )
    for change, rate, printed in PAIRS:
        found = float(half_life.from_peak(change, rate))
        yield tables.row(
            [f"{change:g}", f"{rate:g}", f"{printed:.2f} s", f"{found:.4f} s", f"{peak(change, found):.4g}"]
        )
    yield ""
    yield (
        f"Printed as well: that 0 to 5 m/s with a half-life of 0.2 s peaks at 0.14 m/s^2. Integrated, it "
        f"peaks at {peak(5.0, 0.2):.2f}: the printed number is a slip. The third pair is rounded up from "
        f"{half_life.from_peak(180.0, 154.68):.3f} s."
    )


def figure() -> Iterator[str]:
    """Springs of several half-lives from 0 to 1: when each accelerates most, and how much."""
    yield from tables.heads(
        ["half-life", "peak at", "integrated", "peak acceleration", "integrated", "has come so far"]
    )
    for half in spring_figure.HALF_LIVES:
        drawn = spring_figure.respond(half, np.linspace(0.0, 4.0 * half, 10))
        y, dt = 2.0 * np.log(2.0) / half, half / 20000.0
        x, v, rows = 0.0, 0.0, []
        for i in range(40000):
            rows.append((v, i * dt, x))
            v += dt * (y * y * (1.0 - x) - 2.0 * y * v)
            x += dt * v
        highest, at, way = max(rows)
        cells = f"{half:g} s", f"{drawn.peak_seconds:.3f} s", f"{at:.3f} s"
        yield tables.row([*cells, f"{drawn.peak:.3f}/s", f"{highest:.3f}/s", f"{way:.3f}"])


def draw_figure() -> None:
    """Draw the springs as the page on root motion shows them."""
    from inertia_addon.blender.files import picture_files

    picture_files.save(spring_figure.draw(), PICTURE)


def fits() -> Iterator[str]:
    """Half-lives of ways that a spring went by small steps: a start, a plant and turn, and a start that is
    recorded from half speed on."""
    yield from tables.heads(["motion", "half-life", "fitted", "its interval", "by the peak rate"])
    half = 0.3
    start, turn = spring_speeds(0.0, 5.0, half), spring_speeds(2.0, -2.0, half)
    cut = start[int(np.argmax(start > 2.5)) :]
    before = np.zeros(len(start) // 4)
    ways = (
        ("a start, 0 to 5 m/s", np.concatenate([before, start])),
        ("a plant and turn, 2 to -2 m/s", np.concatenate([before + 2.0, turn])),
        ("the start, recorded from 2.5 m/s on", cut),
    )
    for what, speeds in ways:
        places = (np.cumsum(speeds) / (FIT_FPS * FINER))[::FINER]
        positions = places[:, None] * np.array([0.0, -1.0, 0.0])
        rotations = np.tile([1.0, 0.0, 0.0, 0.0], (len(places), 1))
        ahead = np.array([0.0, -1.0, 0.0])
        motion = root_motion.read(np.arange(len(places)), positions, rotations, ahead, FIT_FPS)
        ramp = root_motion.measure(motion, Settings(), speed_ranges=[(0.0, len(places) / FIT_FPS)]).main_ramp
        assert ramp is not None
        assert ramp.fit is not None
        fit, at_least = ramp.fit, "at least " * ramp.is_closed_form_bound
        interval = f"{fit.low:.3f} to {fit.high:.3f} s"
        closed = f"{at_least}{ramp.closed_form:.3f} s"
        yield tables.row([what, f"{half:g} s", f"{fit.half_life:.3f} s", interval, closed])


def spring_speeds(before: float, after: float, half: float) -> Array:
    """The speeds of a critically damped spring from one to another in three seconds, by small steps."""
    y, dt, x, v = 2.0 * np.log(2.0) / half, 1.0 / (FIT_FPS * FINER), before, 0.0
    speeds = []
    for _ in range(round(3.0 / dt)):
        speeds.append(x)
        v += dt * (y * y * (after - x) - 2.0 * y * v)
        x += dt * v
    return np.array(speeds)


def peak(change: float, half: float) -> float:
    """The highest rate of a critically damped spring to a goal, by small steps."""
    y, dt, x, v, highest = 2.0 * np.log(2.0) / half, half / 20000.0, 0.0, 0.0, 0.0
    for _ in range(60000):
        v += dt * (y * y * (change - x) - 2.0 * y * v)
        x += dt * v
        highest = max(highest, v)
    return highest


# --- Y. Koyama, M. Goto, "Precomputed Optimal One-Hop Motion Transition", 2019


def hops(folder: Path) -> Iterator[str]:
    """A table over the humanoid's clips: how often a hop wins, what a frame of waiting costs, its size."""
    file = folder / "hops.npz"
    words = ["--all-pairs", *CLIPS, "--cycles", "Idle", "Walk", "Run", "--distance", "point-cloud"]
    told = command("hop", str(folder / "clips.blend"), *words, "--table", str(file))
    triggers = sum(pair["triggers"] for pair in told["pairs"])
    won = sum(pair["triggers"] - pair["wins"].get("direct", 0) for pair in told["pairs"])
    worth = sum(pair["worth"] for pair in told["pairs"])
    yield from tables.heads(["what", "published", "here"])
    yield tables.row(["what is kept for a trigger", "4 whole numbers", "4 whole numbers"])
    yield tables.row(["pairs, triggers", "", f"{len(told['pairs'])}, {triggers}"])
    yield tables.row(["the table, on disk", "", f"{file.stat().st_size / 1000.0:.1f} kB"])
    yield tables.row(["triggers at which a hop costs less", "", f"{won / triggers:.0%}"])
    yield tables.row(["and at least 15 % less", "", f"{worth / triggers:.0%}"])
    walk = ["hop", str(folder / "clips.blend"), "--source", "Walk", "--destination", "Run"]
    for what, more in (("the two among the clips", []), ("other clips only", ["--others-only"])):
        (pair,) = command(*walk, *more)["pairs"]
        hops_win, median = pair["triggers"] - pair["wins"].get("direct", 0), pair["median_best"]
        told_of_it = f"{hops_win} of {pair['triggers']} triggers, median cost {median:.4f}"
        yield tables.row([f"Walk to Run: a hop costs less, {what}", "", told_of_it])
    how = "the mean gained by free stays, over twice the longest stay"
    yield tables.row(["the default weight", how, f"the same: {told['weight']:.2e} {told['unit']} a frame"])
    off, count = exhausted()
    yield tables.row(["the least cost", "by trying all", f"off by {off:.0e} of all tried, {count} triggers"])


def exhausted() -> tuple[float, int]:
    """How far the exact recurrence is from trying every clip, entry and stay, on distances at random."""
    from inertia_addon.motion.hops import search
    from inertia_addon.motion.hops.recurrence import Objective, Problem, Strip
    from inertia_addon.motion.steps import finish

    chance, frames, blend, stay, count = np.random.default_rng(7), 90, 6, 12, 3
    known = {
        pair: chance.random((frames, frames)) ** 2 for pair in itertools.permutations(range(count + 2), 2)
    }
    source, destination = count, count + 1
    problem = Problem(
        (Strip(frames),) * (count + 2),
        lambda a, b, _, rows, columns: known[a, b][rows, columns],
        *(source, destination, tuple(range(count))),
        alongside=False,
    )
    objective = Objective(stay, 1e-3, (blend,))
    found = finish(search.solve(problem, objective))
    tried = Tables(
        [known[source, i] for i in range(count)],
        [known[i, destination] for i in range(count)],
        known[source, destination],
        *(blend, stay, 1e-3),
    )
    worst, seen = 0.0, 0
    for trigger in np.flatnonzero(np.isfinite(found.cost))[::4].tolist():
        worst = max(worst, abs(tried.find_in_loops(trigger, 0).cost - float(found.cost[trigger])))
        seen += 1
    return worst, seen


# --- D. Holden, O. Kanoun, M. Perepichka, T. Popa, "Learned Motion Matching", 2020


def learned(folder: Path, minutes: float) -> Iterator[str]:
    """A model of the humanoid's clips: its size beside what it stands for, and its errors."""
    clips, model = folder / "clips.blend", folder / "model.npz"
    words = ["--actions", "Walk", "Run", "Turn", "--mirror"]
    told = command("learn", str(clips), *words, "--minutes", str(minutes), "-o", str(model))
    command("database", str(clips), *words, "--bin", str(folder / "game"))
    database = sum(path.stat().st_size for path in (folder / "game").iterdir())
    command("learn", "--check", str(model), str(clips), "--bin", str(folder / "nets"))
    nets = sum(path.stat().st_size for path in (folder / "nets").iterdir() if path.name != "features.bin")
    check, whole = told["check"], told["check"]["whole"]
    yield from tables.heads(["what", "here"])
    each = database / told["frames"]
    yield tables.row(["frames learned, with mirror images", f"{told['frames']}"])
    yield tables.row(["a frame of a game's database", f"{each:.0f} bytes"])
    yield tables.row(["the networks as a game reads them", f"{nets / 1e6:.2f} MB"])
    yield tables.row(["the networks are smaller from", f"{nets / each:,.0f} frames on"])
    yield tables.row(
        ["joints, mean and 99th percentile", f"{whole['joints_cm']:.2f}, {whole['joints_p99_cm']:.2f} cm"]
    )
    yield tables.row(["rotations, mean", f"{whole['rotations_deg']:.2f} degrees"])
    yield tables.row(["wrong contacts", f"{1.0 - whole['contacts']:.1%}"])
    drift = ", ".join(f"{check['drift_cm'][key]:.2f}" for key in ("20", "60"))
    yield tables.row(["Stepper, joints after 20 and 60 frames", f"{drift} cm"])
    yield tables.row(["Projector, from the true neighbour", f"{check['projector_cm']:.2f} cm"])


CLIPS = ("Idle", "Walk", "Run", "Turn")


def command(*words: str) -> dict[str, Any]:
    """What one of Inertia's commands says as JSON; ends here with its sentence where it fails."""
    line = [sys.executable, "-m", "inertia_addon", *words, "--json"]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr or done.stdout)
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=1.0, help="of training")
    parser.add_argument(
        "--write",
        action="store_true",
        help="write the tables into docs/papers.md, too, and draw docs/springs.svg",
    )
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="inertia-papers-") as name:
        folder = Path(name)
        maker = ROOT / "examples" / "humanoid" / "make_clips.py"
        subprocess.run(
            [sys.executable, maker, "-o", folder / "clips.blend"], check=True, stdout=subprocess.DEVNULL
        )
        parts = {
            "bollo": bollo(),
            "valley": valley(),
            "two-frames": two_frames(folder),
            "springs": springs(),
            "spring-figure": figure(),
            "fits": fits(),
            "one-hop": hops(folder),
            "learned-motion": learned(folder, given.minutes),
        }
        for title, lines in parts.items():
            shown = list(lines)
            print(f"\n{title}\n", *shown, sep="\n")
            if given.write:
                tables.write(title, shown, PAGE)
    if given.write:
        draw_figure()


if __name__ == "__main__":
    main()
