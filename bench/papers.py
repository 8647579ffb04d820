# SPDX-License-Identifier: GPL-3.0-or-later
"""What the six sources print, beside what Inertia computes: formulas, pairs, tables.

    make papers

Everything that is not Inertia's own is computed here from the published definition: curves from their
boundary conditions, areas by integration, the best hop by trying all of them. The clips are those of
examples/humanoid, so that nothing has to be there but a Python that has bpy.
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
import itertools
import json
import math
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from inertia_addon.blender.root_motion import spring_figure
from inertia_addon.motion.decay import decay, offset
from inertia_addon.motion.decay.decay import Method
from inertia_addon.motion.feet import locking
from inertia_addon.motion.feet.leg_ik import LegPose
from inertia_addon.motion.feet.locking import LegMotion, Toe
from inertia_addon.motion.feet.toes import keep_above_at_once
from inertia_addon.motion.learned.training import LONG as LONG_ROLL
from inertia_addon.motion.learned.training import WINDOW
from inertia_addon.motion.matching.engine import WEIGHTS
from inertia_addon.motion.quaternion import rotate
from inertia_addon.motion.root_motion import half_life
from inertia_addon.motion.root_motion import measure as root_motion
from inertia_addon.motion.steering.fitted import FittedGait
from inertia_addon.motion.steering.point import Lead, Point
from inertia_addon.settings import fields
from inertia_addon.settings.matching import PathSettings
from inertia_addon.settings.root_motion import Settings
from inertia_addon.settings.steering import SteerSettings, Wish
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
ITERATIONS, TELLING, HIDDEN = 1200, 600, 256
"""A network learns for so many steps: about a minute on two idle cores. After fewer than so many networks
don't tell what their features mean. Its hidden layers are so wide; those of the published scripts are 512."""
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


CHOICES = (
    (
        "the velocity is the difference of",
        "the last two frames",
        "both sides of the cut",
        "difference",
        "BACKWARD",
    ),
    (
        "a rotation's offset goes along",
        "its axis, its speed about that",
        "all axes",
        "decomposition",
        "AXIS_ANGLE",
    ),
    ("the offset's velocity is", "the source's", "less the destination's", "velocity", "SOURCE"),
)
"""What the talk does otherwise: what it says, what Inertia does, and by which setting it does as the talk."""
CUT, ENTRY, AFTER = 17.0, 5.0, 10
"""Where the clips meet, and for how many frames behind the blend it is looked at."""


def bakes(folder: Path) -> Iterator[str]:
    """How far bakes as the talk makes them are from Inertia's own, and what these change outside of the
    blend."""
    import bpy

    bpy.ops.wm.open_mainfile(filepath=str(folder / "clips.blend"))
    (armature,) = (thing for thing in bpy.data.objects if thing.type == "ARMATURE")
    away: dict[str, list[Array]] = {name: [] for *_, name, _ in CHOICES}
    outside, curves = [], []
    for pair in itertools.permutations(CLIPS, 2):
        own, report = baked(armature, pair)
        first, last = int(CUT), int(report.window[1])
        for *_, name, value in CHOICES:
            other, _ = baked(armature, pair, **{name: value})
            away[name].append(turns_apart(own, other, range(first, last + 1)))
        source, destination = (played(armature, name) for name in pair)
        moved = int(CUT - ENTRY)
        shifted = {frame + moved: pose for frame, pose in destination.items()}
        ends = bpy.data.actions[pair[1]].frame_range[1] + moved
        behind = range(last + 1, int(min(last + AFTER, ends)) + 1)
        outside += [turns_apart(own, source, range(2, first)), turns_apart(own, shifted, behind)]
        counts = [count_curves(armature, name) for name in (report.result, pair[1])]
        curves.append(counts)
    yield from tables.heads(["what", "the talk", "Inertia", "bones are apart, median and most"])
    for what, talk, inertia, name, _ in CHOICES:
        degrees = np.concatenate(away[name])
        yield tables.row([what, talk, inertia, f"{np.median(degrees):.2f}, {degrees.max():.1f} degrees"])
    found = np.concatenate(outside)
    yield tables.row(
        [
            "outside of the blend",
            "nothing changes",
            "the same",
            f"{np.median(found):.0e}, {found.max():.0e} degrees",
        ]
    )
    more = max(ours - theirs for ours, theirs in curves)
    yield tables.row(
        [
            "played while it blends",
            "the new clip, and an offset",
            "one action, of the same curves as the new clip"
            if more <= 0
            else f"one action, {more} curves more",
            "",
        ]
    )


def baked(armature: Any, pair: tuple[str, str], **choices: str) -> tuple[dict[int, Array], Any]:
    """Bake a transition between two clips, and return how bones are turned on its frames, and the report."""
    from inertia_addon.blender.transition import bake
    from inertia_addon.settings.transition import TransitionSettings

    settings = TransitionSettings(*pair, CUT, ENTRY, feet="OFF", **choices)
    report = bake.bake_transition(armature, settings)
    return turns_shown(armature, int(report.window[1]) + AFTER), report


def played(armature: Any, name: str) -> dict[int, Array]:
    """Return how bones are turned on the frames of a clip."""
    import bpy

    from inertia_addon.blender.data import actions, compat

    action = bpy.data.actions[name]
    compat.assign(armature, action, actions.choose_slot(action, armature).identifier)
    return turns_shown(armature, int(action.frame_range[1]))


def turns_shown(armature: Any, last: int) -> dict[int, Array]:
    """Return, by frame, how bones with a parent are turned in their own channels (bones, 4): the others carry
    the character, who goes on from where it is."""
    import bpy

    shown = {}
    for frame in range(1, last + 1):
        bpy.context.scene.frame_set(frame)
        turned = [bone.matrix_basis.to_quaternion() for bone in armature.pose.bones if bone.parent]
        shown[frame] = np.array(turned, float)
    return shown


def turns_apart(some: dict[int, Array], others: dict[int, Array], frames: Iterable[int]) -> Array:
    """Return by how many degrees bones are apart on frames, all in a row."""
    pairs = [(some[frame], others[frame]) for frame in frames if frame in some and frame in others]
    if not pairs:
        return np.zeros(0)
    one, other = (np.stack(each) for each in zip(*pairs, strict=True))
    # by the chord, which is exact where the dot product is not
    chord = np.minimum(*(np.linalg.norm(one - sign * other, axis=-1) for sign in (1.0, -1.0)))
    return np.degrees(4.0 * np.arcsin(np.minimum(0.5 * chord, 1.0))).ravel()


def count_curves(armature: Any, name: str) -> int:
    """Return how many curves an action has for an armature."""
    import bpy

    from inertia_addon.blender.data import actions, compat

    action = bpy.data.actions[name]
    return len(compat.curves(action, actions.choose_slot(action, armature).identifier))


# --- D. Holden, "Inertialization Transition Cost", 2022


WARPS = {"0.4 m on": (0.4, 0.0, 0.0), "0.3 m aside": (0.0, 0.3, 0.0), "0.3 m aside, turned": (0.0, 0.3, 40.0)}
"""Where destinations arrive, from where they would: ahead and aside, metres, and how far turned, degrees."""


def warps(folder: Path) -> Iterator[str]:
    """How near destinations arrive that are warped somewhere else, what of the poses changes, and how smooth
    the next transition from there is."""
    import bpy

    from inertia_addon.blender.data import scene
    from inertia_addon.blender.transition import bake
    from inertia_addon.settings.transition import TransitionSettings

    bpy.ops.wm.open_mainfile(filepath=str(folder / "clips.blend"))
    (armature,) = (thing for thing in bpy.data.objects if thing.type == "ARMATURE")

    def shown(frame: float) -> Array:
        """Where the bones are in the world (bones, 4, 4)."""
        scene_now = bpy.context.scene
        scene_now.frame_set(int(frame), subframe=frame - int(frame))
        return np.array([armature.matrix_world @ bone.matrix for bone in armature.pose.bones])

    heads = ["arrives", "off, mm", "turned off, degrees", "poses off, mm", "next cut, m/s", "unwarped, m/s"]
    yield from tables.heads(heads)
    for title, (ahead, aside, turn) in WARPS.items():
        off, turned, poses, cuts = [], [], [], [[], []]
        for source, destination in itertools.permutations(("Walk", "Run"), 2):
            settings = TransitionSettings(source, destination, 17.0, 5.0, feet="OFF", go_on="CYCLES")
            report = bake.bake_transition(armature, dataclasses.replace(settings, result="Plain"))
            root, arrival = armature.pose.bones.find(report.root), float(report.frame_range[1])
            plain = {frame: shown(frame) for frame in (arrival - 5.0, arrival)}
            way = plain[arrival][root][:2, 3] - plain[arrival - 5.0][root][:2, 3]
            way = way / np.linalg.norm(way)
            x, y = plain[arrival][root][:2, 3] + ahead * way + aside * np.array([-way[1], way[0]])
            faced = math.degrees(math.atan2(way[1], way[0]))
            asked = dataclasses.replace(settings, result="Warped", warp_to=f"{x},{y},{faced + turn}")
            there: list[Array] = []
            for each in (dataclasses.replace(asked, warp_to=f"{x},{y},{faced}"), asked):
                made = bake.bake_transition(armature, each)
                there.append(shown(arrival))
            off.append(1e3 * float(np.linalg.norm(there[1][root][:2, 3] - (x, y))))
            between = there[1][root] @ np.linalg.inv(there[0][root])
            turned.append(abs(math.degrees(math.atan2(between[1, 0], between[0, 0])) - turn))
            own, moved = (np.linalg.inv(each[root]) @ each for each in (plain[arrival], there[1]))
            poses.append(1e3 * float(np.abs(own[:, :3, 3] - moved[:, :3, 3]).max()))
            for at, former in zip(cuts, (report.result, made.result), strict=True):
                after = TransitionSettings(former, source, arrival - 4.0, 5.0, feet="OFF", result="Next")
                bake.bake_transition(armature, after)
                heads_at = [shown(arrival - 4.0 + step)[:, :3, 3] for step in (-1.0, 0.0, 1.0)]
                change = np.linalg.norm(heads_at[2] - 2.0 * heads_at[1] + heads_at[0], axis=1) * scene.fps()
                at.append(float(np.sqrt((change**2).mean())))
        row = [title, f"{max(off):.3f}", f"{max(turned):.3f}", f"{max(poses):.3f}"]
        yield tables.row([*row, f"{max(cuts[1]):.2f}", f"{max(cuts[0]):.2f}"])


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


def weights() -> Iterator[str]:
    """What a search multiplies positions and velocities by, so that their difference is the cost: as the
    integral of the curve says, and Inertia."""
    yield from tables.heads(
        ["curve", "position, by integration", "here", "velocity, by integration", "here", "off by"]
    )
    t = np.linspace(0.0, SECONDS, 200001)
    # a spring's half-life leaves less of it than can be seen after as many
    long = np.linspace(0.0, 40.0 * SECONDS, 2000001)
    y = 2.0 * np.log(2.0) / SECONDS
    for name, method, seconds, of_x, of_v in (
        ("cubic, T/2 and T^2/12", Method.CUBIC, t, cubic(1.0, 0.0, t), cubic(0.0, 1.0, t)),
        (
            "spring, 2/y and 1/y^2",
            Method.SPRING,
            long,
            np.exp(-y * long) * (1.0 + y * long),
            np.exp(-y * long) * long,
        ),
    ):
        plain = [float(np.trapezoid(each, seconds)) for each in (of_x, of_v)]
        own = [float(each) for each in decay.feature_weights(method, SECONDS)]
        off = max(abs(a - b) / b for a, b in zip(own, plain, strict=True))
        cells = [f"{each:.6f}" for pair in zip(plain, own, strict=True) for each in pair]
        yield tables.row([name, *cells, f"{off:.0e}"])


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


# --- D. Holden's controller, published with "Learned Motion Matching", 2020

PARAMETERS: tuple[tuple[str, str, float | None], ...] = (
    ("walking ahead, m/s", "walk_forward", 1.75),
    ("walking sideways, m/s", "walk_side", 1.5),
    ("walking back, m/s", "walk_back", 1.25),
    ("running ahead, m/s", "run_forward", 4.0),
    ("running sideways, m/s", "run_side", 3.0),
    ("running back, m/s", "run_back", 2.5),
    ("change of gait, half-life, s", "gait_half_life", 0.1),
    ("velocity, half-life, s", "velocity_half_life", 0.27),
    ("turn, half-life, s", "turning_half_life", 0.27),
    ("synchronisation", "synchronise", 0.0),
    ("its share of the clips", "synchronise_part", 1.0),
    ("adjustment", "adjust", 1.0),
    ("adjusting the place, half-life, s", "adjust_half_life", 0.1),
    ("adjusting the facing, half-life, s", "adjust_turn_half_life", 0.2),
    ("adjusting the place, part of the own way", "adjust_part", 0.5),
    ("adjusting the facing, part of the own turn", "adjust_turn_part", 0.5),
    ("clamping", "clamp", 1.0),
    ("clamping the place, m", "clamp_distance", 0.15),
    ("clamping the facing, degrees", "clamp_angle", 90.0),
    ("weight of the feet's places", "foot_position_weight", 0.75),
    ("weight of the feet's velocities", "foot_velocity_weight", 1.0),
    ("weight of the hips' place", "hip_position_weight", 0.0),
    ("weight of the hips' velocity", "hip_velocity_weight", 1.0),
    ("weight of the trajectory's places", "position_weight", 1.0),
    ("weight of the trajectory's directions", "facing_weight", 1.5),
)
"""What his controller has, by Inertia's names."""
STEPS = 60
"""So many frames are steered, 60 a second."""


def controller() -> Iterator[str]:
    """His parameters beside Inertia's defaults, and what is computed with both beside the definitions."""
    known = {**fields.settings(PathSettings), **fields.settings(SteerSettings)}
    yield from tables.heads(["parameter", "published", "default here"])
    for what, name, published in PARAMETERS:
        default = known[name].default
        here = "that of the clips" if default is None else f"{float(default):g}"
        yield tables.row([what, f"{published:g}", here])
    yield ""
    chance = np.random.default_rng(5)
    yield (
        f"Computed with the published values, and by his definitions: the velocity that a stick asks for is "
        f"off by {ellipses(chance):.0e} m/s at most, the gait by {gaits():.0e}, and the place of a character "
        f"that is adjusted by {adjusted(chance):.0e} m. A place is kept to 2^-24 m."
    )


def lead(**how: float | str) -> Lead:
    """Return a point of a set that has every speed, with some settings. 60 moments a second."""
    return Lead(FittedGait(0.27, 0.27, ((0.0, 100.0),)), 1.0, 60.0, SteerSettings(**how))


def ellipses(chance: np.random.Generator) -> float:
    """Return how far Inertia's velocities of sticks, walking, at random are from the definition's: each axis
    of the facing scaled by its speed, metres a second."""
    own, worst = lead(wished_as="STICK"), 0.0
    for way, facing, length in chance.uniform((-np.pi, -np.pi, 0.0), (np.pi, np.pi, 1.0), (200, 3)):
        ahead, side = length * np.cos(way - facing), length * np.sin(way - facing)
        ahead, side = ahead * (1.75 if ahead > 0.0 else 1.25), side * 1.5
        defined = ahead * np.exp(1j * facing) + side * 1j * np.exp(1j * facing)
        wish = Wish(0.0, length * np.cos(way), length * np.sin(way))
        x, y = own.redirected(Point.at_rest(np.zeros(2), facing), wish)[0].asked
        worst = max(worst, abs(complex(x, y) - defined))
    return worst


def gaits() -> float:
    """Return how far Inertia's gait, from walking to running, is from a spring by small steps."""
    own, point = lead(wished_as="STICK"), Point.at_rest(np.zeros(2), 0.0)
    x, v, worst = 0.0, 0.0, 0.0
    y, dt = 2.0 * np.log(2.0) / 0.1, 1.0 / (60.0 * FINER)
    for _ in range(STEPS):
        point, _ = own.redirected(point, Wish(0.0, 2.0, 0.0))
        for _ in range(FINER):
            # by the middle of each step
            halfway = x + 0.5 * dt * v, v + 0.5 * dt * (y * y * (1.0 - x) - 2.0 * y * v)
            x += dt * halfway[1]
            v += dt * (y * y * (1.0 - halfway[0]) - 2.0 * y * halfway[1])
        worst = max(worst, abs(point.gait - x))
    return worst


def adjusted(chance: np.random.Generator) -> float:
    """Return how far the place of a character that is drawn to its point, by half of its own way at most, is
    from the definition, metres: a step of damping to the difference, cut to that length."""
    own, worst = lead(adjust_half_life=0.1, adjust_part=0.5, clamp_distance=100.0), 0.0
    for place, way in chance.uniform(-0.3, 0.3, (200, 2, 2)) * [[[1.0], [0.1]]]:
        point = Point.at_rest(place, 0.0)
        ground, _, _ = own.drawn(point, np.zeros(2), 0.0, way, 0.0)
        draws = (place - way) * (1.0 - np.exp(-np.log(2.0) / 60.0 / 0.1))
        most = 0.5 * np.linalg.norm(way)
        draws *= min(1.0, most / max(float(np.linalg.norm(draws)), 1e-12))
        worst = max(worst, float(np.abs(ground - way - draws).max()))
    return worst


FILTERED, FROM, SNAPS = 0.2, 1.0, ((0.2, 0.5), (0.4, 1.25), (0.8, 3.0), (1.1, 2.6))
"""The half-life of a filter, from where it snaps, and wishes along x, metres a second, from their seconds."""


def filtered() -> Iterator[str]:
    """A wish that is filtered, by frames, beside the definition; and what the point's velocity is then."""
    own, point = lead(filter_half_life=FILTERED, snap_speed=FROM), Point.at_rest(np.zeros(2), 0.0)
    yield from tables.heads(["at, s", "wished, m/s", "filtered", "by the definition", "snaps", "point, m/s"])
    defined, ground, snapped = 0.0, np.zeros(2), False
    for frame in range(round(1.4 * 60.0)):
        wished = max((each for each in SNAPS if each[0] * 60.0 <= frame + 1e-6), default=(0.0, 0.0))[1]
        far = abs(wished - defined) > FROM
        defined = wished if far else defined + (wished - defined) * (1.0 - 0.5 ** (1.0 / 60.0 / FILTERED))
        point, snaps = own.redirected(point, Wish(0.0, wished, 0.0, 0.0))
        snapped = snapped or snaps
        if (frame + 1) % 12 == 0:
            speed = [f"{wished:g}", f"{point.asked[0]:.4f}", f"{defined:.4f}"]
            yield tables.row([f"{frame / 60.0:.2f}", *speed, "yes" * snapped, f"{point.velocity[0]:.2f}"])
            snapped = False
        ground, _, point = own.drawn(point, ground, 0.0, np.zeros(2), 0.0)


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
    each = file.stat().st_size / triggers
    yield tables.row(
        ["what a game reads for a trigger", "a row of a table", f"a row, {each:.0f} bytes on disk"]
    )
    theirs, ours = (
        np.mean([sharpest(folder, at, fade) for at in FADED]) for fade in ("cross-fade", "inertialized")
    )
    yield tables.row(
        [
            f"joints change their velocity by at most, m/s a frame, {len(FADED)} hops from Run to Idle",
            f"cross-fades: {theirs:.2f}",
            f"inertialized: {ours:.2f}",
        ]
    )
    off, count, dearer = exhausted(folder)
    told_of_it = f"off by {off:.0e} of it at most, at all of {count} triggers"
    yield tables.row(["Walk to Run: the least cost", "by trying all", told_of_it])
    yield tables.row(["costs more than going straight", "never", f"at {dearer} of {count} triggers"])


FADED = (20, 30, 40)
"""The triggers whose hops are baked both ways."""


def sharpest(folder: Path, trigger: int, fade: str) -> float:
    """Return the most that a joint changes its velocity by, metres a second, from one frame of a baked hop to
    the next, from its trigger to the end of its blends."""
    import bpy

    out = folder / "hop.blend"
    words = ["hop", str(folder / "clips.blend"), "--source", "Run", "--destination", "Idle"]
    told = command(*words, "--trigger", str(trigger), "--fade", fade, "--bake", str(out))
    hop = told["trigger"]["ranked"][0]
    lasts = sum(hop["stays"]) + sum(hop["blends"])
    bpy.ops.wm.open_mainfile(filepath=str(out))
    (armature,) = (thing for thing in bpy.data.objects if thing.type == "ARMATURE")
    scene, places = bpy.context.scene, []
    for frame in range(trigger - 2, trigger + lasts + 3):
        scene.frame_set(frame)
        places.append([armature.matrix_world @ bone.head for bone in armature.pose.bones])
    changes = np.diff(np.array(places, float), 2, axis=0) * scene.render.fps
    return float(np.linalg.norm(changes, axis=2).max())


def exhausted(folder: Path) -> tuple[float, int, int]:
    """How far the exact recurrence is from trying every clip, entry and stay on the humanoid's own distances,
    Walk to Run, as a part of the least cost; for how many triggers that was tried, and at how many of these
    the best way costs more than going straight."""
    import bpy

    from inertia_addon.blender.evaluation import joints
    from inertia_addon.blender.hops import search as clip_hops
    from inertia_addon.motion.hops import search
    from inertia_addon.motion.steps import finish
    from inertia_addon.settings.hops import HopSettings
    from inertia_addon.settings.transition import TransitionSettings

    bpy.ops.wm.open_mainfile(filepath=str(folder / "clips.blend"))
    (armature,) = (thing for thing in bpy.data.objects if thing.type == "ARMATURE")
    weights = {joint.bone: joint.weight for joint in joints.default_joints(armature)}
    settings = HopSettings(transition=TransitionSettings(source="Walk", destination="Run", cut=1))
    prepared = finish(clip_hops.weighed(finish(clip_hops.prepare(armature, settings, weights))))
    problem, objective = prepared.own_problem(), prepared.objective
    found = finish(search.solve(problem, objective))
    stays, source, destination = np.arange(objective.longest_stay + 1), problem.source, problem.destination
    waiting = objective.weight * stays

    @functools.cache
    def distances(first: int, second: int, blend: int) -> Array:
        rows, columns = (slice(0, problem.strips[clip].frames) for clip in (first, second))
        return np.asarray(problem.distances(first, second, blend, rows, columns), float)

    def at(first: int, frames: Array, second: int, others: Array, blend: int) -> Array:
        """The distances of blends at frames of two clips, infinite beyond the ends of what is no cycle."""
        places, is_beyond = [], np.zeros(np.broadcast(frames, others).shape, bool)
        for clip, wanted in ((first, frames), (second, others)):
            count = problem.strips[clip].frames
            if not problem.strips[clip].cyclic:
                is_beyond |= (wanted < 0) | (wanted >= count)
            places.append(wanted % count)
        return np.where(is_beyond, np.inf, distances(first, second, blend)[tuple(places)])

    worst, seen, dearer = 0.0, 0, 0
    for trigger in np.flatnonzero(np.isfinite(found.cost)).tolist():
        beside = problem.start + (trigger if problem.alongside else 0) + stays
        straight = min(
            (at(source, trigger + stays, destination, beside, blend) + waiting).min()
            for blend in objective.blends
        )
        least = straight
        every = itertools.product(problem.candidates, objective.blends, objective.blends, stays.tolist())
        for clip, into, out, stay in every:
            entries = np.arange(problem.strips[clip].frames)
            first = at(source, np.full(len(entries), trigger + stay), clip, entries, into)
            leaves = entries[:, None] + into + stays
            others = np.broadcast_to(beside[stay] + into + stays, leaves.shape)
            ways = first[:, None] + at(clip, leaves, destination, others, out) + waiting
            least = min(least, ways.min() + waiting[stay])
        worst = max(worst, abs(least - float(found.cost[trigger])) / least)
        seen, dearer = seen + 1, dearer + int(found.cost[trigger] > straight * (1.0 + 1e-6))
    return worst, seen, dearer


# --- D. Holden's controller, orangeduck/Motion-Matching, 2020: toes above the ground


def toes(folder: Path) -> Iterator[str]:
    """How far toes and heels go into steps on which feet are locked, and how suddenly they turn: left alone,
    by the published look-at at a tip whose height is clamped, and by Inertia's."""
    import bpy

    from inertia_addon.blender.feet import bake, legs
    from inertia_addon.motion.steps import finish
    from inertia_addon.settings.feet import LockSettings

    bpy.ops.wm.open_mainfile(filepath=str(folder / "clips.blend"))
    (armature,) = (thing for thing in bpy.data.objects if thing.type == "ARMATURE")
    make_steps()
    names, found = armature.pose.bones.keys(), legs.of_armature(armature)
    bones = [armature.pose.bones[names[leg.ball]] for leg in found if leg.ball is not None]
    ankles = [armature.pose.bones[names[leg.foot]] for leg in found]
    behind = [heel_at_rest(*pair) for pair in zip(ankles, bones, strict=True)]
    yield from tables.heads(["clip", "what", "frames below", "deepest, mm", "turned at most", "in one frame"])
    for clip in ("Walk", "Run"):
        played, heels = {}, {}
        for kind in ("FREE", "ABOVE", "WITH_HEELS"):
            asked = LockSettings(clip, ground="OBJECT", ground_object="Steps", toes=kind)
            report = finish(bake.lock_action_steps(armature, asked))
            armature.animation_data.action = bpy.data.actions[report.result]
            ends, backs = [], []
            for frame in range(round(report.frame_range[0]), round(report.frame_range[1]) + 1):
                bpy.context.scene.frame_set(frame)
                world = armature.matrix_world
                ends.append([[world @ bone.head, world @ bone.tail] for bone in bones])
                pairs = zip(bones, ankles, behind, strict=True)
                backs.append([[world @ toe.head, world @ foot.matrix @ at] for toe, foot, at in pairs])
            played[kind], heels[kind] = np.array(ends, float), np.array(backs, float)
        free = played["FREE"]
        ways = {
            "toes left alone": (free, free),
            "toes by the published look-at": (free, looked(free)),
            "toes, Inertia": (free, played["ABOVE"]),
            "heels left alone": (heels["FREE"], heels["FREE"]),
            "heels, Inertia": (heels["FREE"], heels["WITH_HEELS"]),
            "toes, Inertia, with heels": (free, played["WITH_HEELS"]),
        }
        for what, (free, shown) in ways.items():
            deep = step_height(shown[:, :, 1, 1]) - shown[:, :, 1, 2]
            turned = _angles(free, shown)
            below = f"{(deep > TOUCHES).any(axis=1).sum()} of {len(deep)}"
            cells = [clip, what, below, f"{max(1000.0 * deep.max(), 0.0):.1f}"]
            sudden = np.abs(np.diff(turned, axis=0)).max()
            yield tables.row([*cells, f"{turned.max():.1f} degrees", f"{sudden:.1f} degrees"])


def heel_at_rest(foot: Any, toe: Any) -> Any:
    """Return where the heel is in a foot bone's own axes: a quarter of the foot behind the ankle, as low as
    the toe bone."""
    import mathutils

    ankle, tip = foot.bone.head_local, toe.bone.tail_local
    low = min(tip.z, toe.bone.head_local.z)
    heel = mathutils.Vector((*(ankle - 0.25 * (tip - ankle)).xy, low))
    return foot.bone.matrix_local.inverted() @ heel


def reach() -> Iterator[str]:
    """How far a ball is off the place where it is held if its leg is too short: the foot left as it is, by
    the published look-at of the heel at that place, and by Inertia."""
    ankle, hinge = np.array([[0.0, 0.0, 0.1]]), np.array([[0.0, -1.0, 0.0]])
    hip, ball = np.array([[0.0, 0.0, 0.9]]), np.array([[-0.14, 0.0, 0.02]])
    pose = LegPose(hip, 0.5 * (hip + ankle) + [-0.04, 0.0, 0.0], ankle, hinge)
    still = np.array([[1.0, 0.0, 0.0, 0.0]])
    toe, heel = Toe(ball, ball - np.array([[0.07, 0.0, 0.0]])), ball + np.array([[0.2, 0.0, 0.0]])
    leg = LegMotion(pose, ball, still, 0.804, 0.802, False, toe, heel)
    yield from tables.heads(
        ["the leg lacks, cm", "foot as it is, mm off", "published look-at", "Inertia", "its foot turns by"]
    )
    for lacks in (0.0, 0.5, 1.0, 2.0, 4.0):
        path = leg.point_and_heading - [[0.0, 0.0, 0.01 * lacks, 0.0]]
        held, none = path[0, :3], np.full((1, 2), np.nan)
        left = locking.led(leg, path)
        rolled, _ = keep_above_at_once(leg, left, path, none, heels=True)
        way = held - left.ankle[0]
        looks = left.ankle[0] + way / np.linalg.norm(way) * np.linalg.norm(ball - ankle)
        arm = rotate(rolled.foot, ball - ankle)[0]
        balls = (left.ankle[0] + (ball - ankle)[0], looks, rolled.ankle[0] + arm)
        turned = np.degrees(2.0 * np.arccos(min(1.0, abs(float(rolled.foot[0, 0])))))
        off = (f"{1000.0 * np.linalg.norm(place - held):.1f}" for place in balls)
        yield tables.row([f"{lacks:g}", *off, f"{turned:.1f} degrees"])


STEPS, RISE, LONG, TOUCHES = 40, 0.03, 0.35, 1e-3
"""So many steps along -Y, each so high, and so long, metres; and what is no deeper in one is on it."""


def make_steps() -> None:
    """Make the mesh object "Steps", which rises along -Y."""
    import bpy

    sides = [
        (x, -(step + end) * LONG, RISE * step)
        for step in range(-STEPS, STEPS)
        for end in (0, 1)
        for x in (-9, 9)
    ]
    data = bpy.data.meshes.new("Steps")
    data.from_pydata(sides, [], [(i, i + 1, i + 3, i + 2) for i in range(0, len(sides), 4)])
    bpy.context.collection.objects.link(bpy.data.objects.new("Steps", data))
    bpy.context.view_layer.update()


def step_height(y: Array) -> Array:
    """How high the steps are."""
    return np.asarray(RISE * np.floor(-y / LONG))


def looked(ends: Array) -> Array:
    """Heads and tails (..., 2, 3) of toes once these look at their tails, clamped to the height of steps."""
    head, tail = ends[..., 0, :], ends[..., 1, :]
    least = step_height(tail[..., 1])[..., None]
    target = np.concatenate([tail[..., :2], np.maximum(tail[..., 2:], least)], axis=-1)
    way, length = target - head, np.linalg.norm(tail - head, axis=-1, keepdims=True)
    return np.stack([head, head + way / np.linalg.norm(way, axis=-1, keepdims=True) * length], axis=-2)


def _angles(a: Array, b: Array) -> Array:
    """The angles between bones, degrees."""
    ways = [each[..., 1, :] - each[..., 0, :] for each in (a, b)]
    ways = [way / np.linalg.norm(way, axis=-1, keepdims=True) for way in ways]
    away = np.linalg.norm(ways[0] - ways[1], axis=-1)
    return np.asarray(np.degrees(2.0 * np.arcsin(0.5 * away)))


# --- D. Holden, O. Kanoun, M. Perepichka, T. Popa, "Learned Motion Matching", 2020


def learned(folder: Path, iterations: int) -> Iterator[str]:
    """A model of the humanoid's clips: its size beside what it stands for, and its errors."""
    clips, model = folder / "clips.blend", folder / "model.npz"
    words = ["--actions", "Walk", "Run", "Turn", "--mirror"]
    how = ["--iterations", str(iterations), "--hidden", str(HIDDEN)]
    told = command("learn", str(clips), *words, *how, "-o", str(model))
    command("database", str(clips), *words, "--bin", str(folder / "game"))
    database = sum(path.stat().st_size for path in (folder / "game").iterdir())
    command("learn", "--check", str(model), str(clips), "--bin", str(folder / "nets"))
    nets = sum(path.stat().st_size for path in (folder / "nets").iterdir() if path.name != "features.bin")
    check, whole = told["check"], told["check"]["whole"]
    yield from tables.heads(["what", "here"])
    each = database / told["frames"]
    yield tables.row(["frames learned, with mirror images", f"{told['frames']}"])
    yield tables.row(["the hidden layers are so wide; those of the published scripts 512", f"{HIDDEN}"])
    yield tables.row(["steps that the first network learned for", f"{iterations}"])
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

    yield tables.row(
        ["a step's frames: Decompressor, Stepper; the published scripts 2, 20", f"{WINDOW}, {LONG_ROLL}"]
    )
    game_weights = ", ".join(f"{each:g}" for each in WEIGHTS)
    yield tables.row(
        ["weights of features; the published controller 0.75, 0.75, 1, 1, 1, 1, 1.5", game_weights]
    )


def networks(folder: Path) -> Iterator[str]:
    """What is found of networks without the file of their features, beside that; and how fast they go by
    wishes."""
    model, offsets, scales = folder / "alone.npz", *game_norms(folder / "nets" / "features.bin")
    (folder / "nets" / "features.bin").rename(folder / "features.bin")
    words = ["learn", str(folder / "clips.blend"), "--networks", str(folder / "nets")]
    command(*words, "-o", str(model))
    (folder / "features.bin").rename(folder / "nets" / "features.bin")
    command(*words, "-o", str(folder / "whole.npz"))
    with np.load(model) as alone:
        ratios = np.abs(alone["scales"] / scales - 1.0)
        away = np.abs(alone["offsets"] - offsets) / scales
    yield from tables.heads(["what", "the networks alone", "with their features"])
    for what, some in (("of poses", slice(0, 15)), ("of trajectories", slice(15, 27))):
        yield tables.row([f"scales {what}, at most off by", f"{100.0 * ratios[some].max():.1f} %", "0"])
        yield tables.row([f"offsets {what}, at most off by, scales", f"{away[some].max():.2f}", "0"])
    for wish in (1.35, 3.8):
        went = [speed_by(folder, path, wish) for path in (model, folder / "whole.npz")]
        yield tables.row([f"a wish of {wish:g} m/s goes at", *(f"{each:.2f} m/s" for each in went)])


def game_norms(path: Path) -> tuple[Array, Array]:
    """Return the offsets and scales in a features.bin."""
    content = path.read_bytes()
    frames, columns = np.frombuffer(content, "<i4", 2)
    behind = 8 + 4 * int(frames) * int(columns)
    both = [np.frombuffer(content, "<f4", columns, behind + 4 + k * (4 + 4 * int(columns))) for k in (0, 1)]
    return both[0].astype(float), both[1].astype(float)


def speed_by(folder: Path, model: Path, wish: float) -> float:
    """Return how fast somebody goes in the last second of a wish that lasts four, metres a second."""
    import bpy

    wishes, out = folder / "wishes.csv", folder / "steered.blend"
    wishes.write_text(f"0,0,{-wish}\n4,0,{-wish}\n", encoding="utf-8")
    words = [
        "steer",
        str(folder / "clips.blend"),
        "--input",
        str(wishes),
        "--model",
        str(model),
        "--feet",
        "off",
    ]
    told = command(*words, "-o", str(out))
    bpy.ops.wm.open_mainfile(filepath=str(out))
    (armature,) = (thing for thing in bpy.data.objects if thing.type == "ARMATURE")
    scene, (_, last) = bpy.context.scene, told["frame_range"]
    places = []
    for frame in (round(last) - scene.render.fps, round(last)):
        scene.frame_set(frame)
        hips = armature.matrix_world @ armature.pose.bones["hips"].head
        places.append(np.array(hips)[:2])
    return float(np.linalg.norm(places[1] - places[0]))


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
    parser.add_argument("--iterations", type=int, default=ITERATIONS, help="of training")
    parser.add_argument("--only", nargs="+", default=[], help="only these of the tables")
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
            "weights": weights(),
            "bakes": bakes(folder),
            "filtered": filtered(),
            "warps": warps(folder),
            "springs": springs(),
            "spring-figure": figure(),
            "fits": fits(),
            "controller": controller(),
            "one-hop": hops(folder),
            "toes": toes(folder),
            "heels": reach(),
            "learned-motion": learned(folder, given.iterations),
        }
        if given.iterations >= TELLING:
            parts["networks"] = networks(folder)
        for title, lines in parts.items():
            if given.only and title not in given.only:
                continue
            shown = list(lines)
            print(f"\n{title}\n", *shown, sep="\n")
            if given.write:
                tables.write(title, shown, PAGE)
    if given.write:
        draw_figure()


if __name__ == "__main__":
    main()
