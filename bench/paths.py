# SPDX-License-Identifier: GPL-3.0-or-later
"""How well characters follow paths on real motion: a search that looks ahead beside that of games.

    python bench/paths.py --data DATA [--set NAME ...] [--path NAME ...] [--baked N] [--timed | --write]

The eight paths of examples/paths are followed with each set of clips and their mirror images. A path that is
quicker than nine tenths of a set's frames is slowed down to that; how much stands beside the set's name.
Searches are without the warp. *path* is the distance of the root's point on the ground from where it should
be, rms in centimetres; *facing* the mean angle away from the path's direction; *displacement* what the
joins of a second displace, the mean over the joints that count, in mm s. The first --baked paths of each
set are baked, too, with the warp, and measured as they are played. Goals stand behind the figures, with
whether they are met. With --timed only how long things take is measured. With --write the tables go into
docs/reference/measured.md, without what depends on the machine; that on the weights of a pose's features goes
into docs/papers.md. With --weights only that is measured.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import dataclasses
import functools
import hashlib
import io
import itertools
import operator
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from goals import least, whether

from inertia_addon.blender import files
from inertia_addon.blender.data import actions, clip_store, scene
from inertia_addon.blender.evaluation import joint_motion, joints
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.matching import action_set, bake, followed, quality, search
from inertia_addon.blender.matching.action_set import Stock
from inertia_addon.blender.matching.search import PathPlan
from inertia_addon.motion.decay.decay import displacement, feature_weights
from inertia_addon.motion.judging.faults import GOOD
from inertia_addon.motion.matching import features
from inertia_addon.motion.matching import search as ways
from inertia_addon.motion.matching.clip_sequence import Route
from inertia_addon.motion.matching.database import Database
from inertia_addon.motion.matching.features import Features, Index
from inertia_addon.motion.matching.moves import Moves, SearchSettings
from inertia_addon.motion.matching.targets import Timed, Untimed, wrapped
from inertia_addon.motion.steps import finish
from inertia_addon.settings.matching import PathSettings, joined_by
from inertia_addon.settings.transition import TransitionSettings
from tools import tables

Array = NDArray[np.float64]

EXAMPLES = Path(__file__).resolve().parents[1] / "examples" / "paths"
PAPERS = tables.PAGE.with_name("papers.md")
NATURAL = ("circle", "s", "run_circle")
"""The paths that are also followed without their timing."""
LENGTH = 12.0
"""A path on which it is measured how soon a search answers, metres."""
SETS = {
    "cmu127": ("bvh/cmu127", [f"*_{i:02d}_*.bvh" for i in range(3, 21)], 0.01, (0.3, 0.75)),
    "cmu127, all": ("bvh/cmu127", [f"*_{i:02d}_*.bvh" for i in range(3, 39)], 0.01, (0.5, 0.6)),
    "cmu131": ("bvh/cmu131", ["*_metres.bvh"], 1.0, (0.5, 0.6)),
}
"""By name: where its files are, their scale, and what the search may have of greedy's path and
displacement."""
OTHERS = {"cmu02": ("bvh/cmu02", ["*.bvh"], 0.01)}
"""Sets that do much beside walking, of which no search is judged here."""

KINDS = {"position and velocity": "POSITION_VELOCITY", "inertialization": "INERTIALIZATION"}
REFERENCE = "greedy, position and velocity, pose 1"
"""The search of games."""
OF_VELOCITY = (0.25, 0.5, 1.0, 2.0, 4.0)
"""What velocities weigh against positions, where both are features of their own."""
OF_POSE = (0.25, 0.5, 1.0, 2.0, 4.0)
"""What a pose weighs against the path, by which a search displaces more or less."""
HEADS = {
    "paths": [
        "set",
        "search",
        "path, cm",
        "facing, degrees",
        "joins a second",
        "displacement, mm s a second",
    ],
    "paths-goals": ["set", "what", "measured"],
    "paths-poses": ["set", "nearest poses by", "columns", "displaced, mm s: joints compared", "all joints"],
    "paths-baked": [
        *("set", "baked path", "path, cm rms with the warp", "away from the search's"),
        *("change of velocity at cuts over the clips' own", "planted feet, locked", "joins judged good"),
    ],
    "paths-weights": [
        *("set", "greedy, poses by", "path, cm", "displacement, mm s a second", "with a path as near"),
        *("path, pose 0.5 to 2", "displacement, pose 0.5 to 2"),
    ],
}
"""The tables that are written, each under its name."""
PAGES = {"paths-weights": PAPERS}
"""Those that are written to another page than docs/reference/measured.md."""
Group = tuple[str, float, Array]
"""Columns of features: a name, a weight, and (frames, columns)."""


@dataclasses.dataclass(frozen=True)
class Score:
    """A way's figures, to be added up."""

    squares: float
    degrees: float
    displaced: float
    joins: int
    frames: int
    fps: float
    spent: float

    def __add__(self, other: Score) -> Score:
        added = [a + b for a, b in zip(dataclasses.astuple(self), dataclasses.astuple(other), strict=True)]
        return Score(added[0], added[1], added[2], int(added[3]), int(added[4]), self.fps, added[6])

    @property
    def seconds(self) -> float:
        return self.frames / self.fps

    @property
    def rms(self) -> float:
        """Centimetres."""
        return float(100.0 * np.sqrt(self.squares / self.frames))

    @property
    def displacement(self) -> float:
        """mm s a second."""
        return 1000.0 * self.displaced / self.seconds

    def cells(self, name: str) -> list[str]:
        return [
            *(name, f"{self.rms:.1f}", f"{self.degrees / self.frames:.1f}"),
            *(f"{self.joins / self.seconds:.2f}", f"{self.displacement:.1f}"),
        ]


def score(moves: Moves, way: Route, target: Timed, spent: float) -> Score:
    away = np.sum((way.ground - target.ground) ** 2, axis=1).sum()
    aside = np.degrees(np.abs(wrapped(way.heading - target.facing))).sum()
    joins = way.joins[1:]
    displaced = 0.0
    if joins:
        left, entered = (np.array([getattr(join, name) for join in joins]) for name in ("left", "entered"))
        displaced = float(moves.displacements(left, entered).sum())
    return Score(float(away), float(aside), displaced, len(joins), way.frames, target.fps, spent)


def settings(path: Path, **values: Any) -> PathSettings:
    own = TransitionSettings(**joined_by({"assign": False}))
    return PathSettings(own, **{"points": str(path), "mirror": True, **values})


def read(data: Path, name: str, times: int = 1) -> tuple[Any, Stock, float]:
    """The armature of a set, the set analysed, and how long that took: the shortest time of some."""
    folder, patterns, scale, *_ = (SETS | OTHERS)[name]
    paths = sorted(path for pattern in patterns for path in (data / folder).glob(pattern))
    bpy.ops.wm.read_factory_settings(use_empty=True)
    with contextlib.redirect_stdout(io.StringIO()):
        files.load(paths, scale)
    (armature,) = (thing for thing in bpy.data.objects if thing.type == "ARMATURE")
    weights = joints.named_weights(armature, "stored")
    asked, found = settings(EXAMPLES / "line.csv"), []
    spent = best_of(
        lambda: (
            action_set.forget(),
            found.append(finish(action_set.analyse_steps(read_character(armature), asked, weights))),
        ),
        times,
    )
    return armature, found[-1], spent


def slowed(database: Database, course: followed.Course) -> followed.Course:
    """A course that is no quicker than most of a set."""
    assert course.times is not None
    speeds = np.linalg.norm(np.diff(course.points, axis=0), axis=1) / np.diff(course.times)
    most = np.quantile(database.speeds, 0.9)
    return dataclasses.replace(course, times=course.times * max(1.0, np.quantile(speeds, 0.95) / most))


def targets_of(database: Database, names: Sequence[str]) -> Iterator[tuple[str, followed.Course, Timed]]:
    for path in sorted(EXAMPLES.glob("*.csv")):
        if path.stem in names or not names:
            course = slowed(database, followed.of_file(settings(path)))
            found = followed.target(course, settings(path), database)
            assert isinstance(found, Timed)
            yield path.stem, course, found


# --- the search beside a game's


def searched(made: Stock, names: Sequence[str]) -> Iterator[tuple[str, Score]]:
    """The table's rows: greedy and beam, each by both features."""
    own = settings(EXAMPLES / "line.csv")
    how = search.how_of(own, scene.fps())
    kinds = {
        # the more a pose counts the less is displaced, and the further off the path it goes
        **{
            _greedy(label, weight): (
                made.features(dataclasses.replace(own, pose_weight=weight, features=kind)),
                False,
            )
            for label, kind in KINDS.items()
            for weight in (0.5, 1.0, 2.0)
        },
        **{
            f"beam, {label}": (made.features(dataclasses.replace(own, features=kind)), True)
            for label, kind in KINDS.items()
        },
    }
    for label, (found, is_beam) in kinds.items():
        total: Score | None = None
        for _, _, target in targets_of(made.database, names):
            began = time.perf_counter()
            if is_beam:
                way = finish(ways.steps(made.database, found, target, how))
            else:
                way = ways.greedy(made.database, found, target, how)
            spent = time.perf_counter() - began
            one = score(Moves(made.database, found, target, how), way, target, spent)
            total = one if total is None else total + one
        assert total is not None
        yield label, total


def _greedy(label: str, weight: float) -> str:
    return f"greedy, {label}, pose {weight:g}"


def weighed(made: Stock, names: Sequence[str]) -> Iterator[list[str]]:
    """How far a greedy search depends on weights of its features: on that of velocities against positions,
    which the one feature of inertialization does without, and on that of a pose against the path.

    Of each kind of features the figures with a pose weight of 1, and between which those with 0.5 and 2 lie.
    A smaller weight makes a path nearer and displaces more, so the kinds are compared with a path as near as
    that of inertialization: the displacement there is read off between two pose weights.
    """
    kinds = {"inertialization": ("INERTIALIZATION", 1.0)}
    kinds |= {f"position and velocity times {of_v:g}": ("POSITION_VELOCITY", of_v) for of_v in OF_VELOCITY}
    near: float | None = None
    for label, (kind, of_v) in kinds.items():
        curve = [_greedy_score(made, names, kind, pose, of_v) for pose in OF_POSE]
        low, one, high = (curve[OF_POSE.index(pose)] for pose in (0.5, 1.0, 2.0))
        near = one.rms if near is None else near
        as_near = _displaced_at(near, curve)
        yield [
            *(label, f"{one.rms:.1f}", f"{one.displacement:.1f}"),
            "out of reach" if as_near is None else f"{as_near:.1f}",
            *(f"{low.rms:.1f} to {high.rms:.1f} cm", f"{low.displacement:.1f} to {high.displacement:.1f}"),
        ]


def compared(rows: Sequence[Sequence[str]]) -> str:
    """Say in a sentence how far a weight of velocities pays, and costs, by the rows of :func:`weighed`."""
    one = float(rows[0][3])
    by_weight = {
        cells[0].rpartition(" ")[2]: float(cells[3]) / one - 1.0
        for cells in rows[1:]
        if cells[3][0].isdigit()
    }
    best, worst = min(by_weight, key=by_weight.__getitem__), max(by_weight, key=by_weight.__getitem__)
    less, more = (
        f"velocities times {weight} displace {abs(by_weight[weight]):.0%} "
        f"{'less' if by_weight[weight] < 0.0 else 'more'}"
        for weight in (best, worst)
    )
    return f"with a path as near as that of the one feature, {less} and {more}"


def _greedy_score(made: Stock, names: Sequence[str], kind: str, pose: float, of_v: float) -> Score:
    """What greedy searches along all paths come to. of_v: what velocities weigh against positions."""
    own = dataclasses.replace(settings(EXAMPLES / "line.csv"), pose_weight=pose, features=kind)
    found, how = made.features(own), search.how_of(own, scene.fps())
    factors = np.ones(len(found.scales))
    for group in found.groups:
        if group.name.startswith("speed of "):
            factors[group.columns] = of_v
    values = (found.values * factors).astype(np.float32)
    found = dataclasses.replace(found, values=values, scales=found.scales * factors)
    scores = []
    for _, _, target in targets_of(made.database, names):
        way = ways.greedy(made.database, found, target, how)
        scores.append(score(Moves(made.database, found, target, how), way, target, 0.0))
    return functools.reduce(operator.add, scores)


def _displaced_at(near: float, curve: Sequence[Score]) -> float | None:
    """What is displaced with a path so near, cm: the least between two neighbouring pose weights. None where
    no pair of these has such a path between them."""
    found = []
    for a, b in itertools.pairwise(curve):
        if min(a.rms, b.rms) <= near <= max(a.rms, b.rms):
            part = 0.0 if a.rms == b.rms else (near - a.rms) / (b.rms - a.rms)
            found.append(a.displacement + part * (b.displacement - a.displacement))
    return min(found, default=None)


def _poses(made: Stock) -> Iterator[tuple[str, list[Group]]]:
    """What poses may be told by: groups of columns, each with its weight, by name."""
    base, (of_x, of_v) = (
        made.database,
        feature_weights(*action_set.choose_decay(settings(EXAMPLES / "line.csv"), scene.fps())),
    )
    x, v = (np.asarray(values, float) for values in (base.positions, base.velocities))
    both, every = of_x * x + of_v * v, range(len(base.joints))
    hips = min(made.posed, key=lambda joint: float(v[:, joint].std(axis=0).mean()))
    feet = [joint for joint in made.posed if joint != hips]

    def groups(values: Array, joints: Iterable[int], weight: float = 1.0) -> list[Group]:
        return [(base.joints[joint], weight, values[:, joint]) for joint in joints]

    yield "position and velocity", groups(x, made.posed) + groups(v, made.posed)
    yield "of games", groups(x, feet, 0.75) + groups(v, feet) + groups(v, [hips])
    yield "inertialization", groups(both, made.posed)
    yield "position and velocity, all joints", groups(x, every) + groups(v, every)
    yield "inertialization, all joints", [("pose", 1.0, both.reshape(len(both), -1))]


def retrieved(made: Stock) -> Iterator[list[str]]:
    """How much the nearest poses displace that each kind of features finds.

    "Of games" are those of D. Holden's controller: the feet's positions and velocities, and the hips'
    velocity. The joints that are compared are hips and feet; hands and head move as they like, so that over
    all that count less is gained.
    """
    base, (decay, seconds) = (
        made.database,
        action_set.choose_decay(settings(EXAMPLES / "line.csv"), scene.fps()),
    )
    asked = np.random.default_rng(1).choice(base.frames, min(400, base.frames), replace=False)
    for label, groups in _poses(made):
        found = features.normalised(groups, np.ones(1, np.int64))
        index = Index.of(np.arange(base.frames), found.values)
        near = index.nearest(found.values[asked].astype(float), 1, asked, round(base.fps / 2))
        entered = index.frames[near[:, 0]]
        x, v = (a[asked].astype(float) - a[entered].astype(float) for a in (base.positions, base.velocities))
        each = 1000.0 * displacement(decay, x, v, seconds).sum(axis=-1).mean(axis=0)
        compared, whole = float(each[list(made.posed)].mean()), float(each @ base.weights)
        yield [label, str(found.values.shape[1]), f"{compared:.1f}", f"{whole:.1f}"]


def natural(made: Stock, names: Sequence[str]) -> Iterator[list[str]]:
    """Lines without a timing."""
    own, base = settings(EXAMPLES / "line.csv"), made.database
    found = made.features(own)
    for name, course, _ in targets_of(base, [n for n in NATURAL if n in names or not names]):
        target = followed.target(course, dataclasses.replace(own, speed="CLIPS"), base)
        assert isinstance(target, Untimed)
        way = finish(ways.steps(base, found, target, search.how_of(own, scene.fps())))
        places = target.line.at(np.linspace(0.0, target.line.length, 4000))[0]
        aside = np.sqrt([np.sum((places - here) ** 2, axis=1).min() for here in way.ground])
        rms = float(100.0 * np.sqrt(np.mean(aside**2)))
        pace = target.line.length / (way.frames / base.fps)
        end = "reached" if way.reached else "NOT REACHED"
        yield [
            f"speed of the clips, {name}",
            f"{pace:.1f} m/s, across {whether(rms, 10.0, ' cm')}, the end {end}",
        ]


def baked(armature: Any, made: Stock, names: Sequence[str], count: int) -> Iterator[list[str]]:
    """What is played of baked paths."""
    for name, course, _ in list(targets_of(made.database, names))[:count]:
        own = settings(EXAMPLES / f"{name}.csv")
        found: PathPlan = finish(search.search_path_steps(made, own, course))
        report = finish(bake.bake_way_steps(armature, found))
        action = actions.find(report.result)
        seen = finish(quality.measure_path_steps(armature, found, report))
        speed = planted_speed(armature, found, report)
        planted = "none" if speed is None else whether(100.0 * speed, 2.0, " cm/s")
        ratings = [
            each.rating
            for each in finish(quality.judge_result_steps(read_character(armature), action, report.slot))
        ]
        good = least(ratings.count(GOOD) / max(len(ratings), 1), 0.9) + f" of {len(ratings)}"
        away, change = whether(100.0 * seen.apart_rms_m, 1.0, " cm"), whether(seen.velocity_change, 1.2)
        yield [name, f"{100.0 * seen.path_rms_m:.1f}", away, change, planted, good]
        bpy.data.actions.remove(action)


def planted_speed(armature: Any, found: PathPlan, report: bake.PathReport) -> float | None:
    """How fast feet go that the clips have on the ground, m/s: the median over feet and frames; None without
    legs. It is no definition of skating, which the judge has, and needs contacts."""
    base = found.stock.database
    if base.contacts is None:
        return None
    clip = clip_store.read(armature, actions.find(report.result), report.slot)
    frames = report.frame_range[0] + np.arange(found.way.frames, dtype=float) * found.stock.step
    placed = [(leg.point, leg.offset) for leg in found.stock.legs]
    points = finish(joint_motion.track_points_steps(read_character(armature), clip, placed, frames))
    speeds = np.linalg.norm(np.gradient(points, axis=0), axis=-1) * base.fps
    planted = base.contacts[found.way.flat]
    return float(np.median(speeds[planted])) if planted.any() else None


# --- how long it takes


def as_long(base: Database, frames: int) -> Database:
    """A database repeated until it has so many frames."""
    times = -(-frames // base.frames)
    offsets = np.arange(times) * base.frames
    repeated = {
        name: np.concatenate([getattr(base, name)] * times)
        for name in (
            "ground",
            "heading",
            "root",
            "positions",
            "velocities",
        )
    }
    return dataclasses.replace(
        base,
        **repeated,
        contacts=None,
        sources=base.sources * times,
        starts=np.concatenate([base.starts + offset for offset in offsets]),
        stops=np.concatenate([base.stops + offset for offset in offsets]),
        part=np.concatenate([base.part + i * len(base.sources) for i in range(times)]),
    )


def best_of(work: Any, times: int = 5) -> float:
    """The shortest of some times that work takes, in seconds of one core."""
    spent = []
    for _ in range(times):
        began = time.process_time()
        work()
        spent.append(time.process_time() - began)
    return min(spent)


SCAN = """
#include <stddef.h>
long nearest(const float *values, const float *query, size_t frames, size_t columns) {
    long best = -1; float least = 1e30f;
    for (size_t i = 0; i < frames; i++) {
        float sum = 0.0f;
        for (size_t k = 0; k < columns; k++) { float d = values[i * columns + k] - query[k]; sum += d * d; }
        if (sum < least) { least = sum; best = (long)i; }
    }
    return best;
}
"""


def compiled() -> Any | None:
    """A compiled plain scan; None without a compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        source, made = Path(folder) / "scan.c", Path(folder) / "scan.so"
        source.write_text(SCAN)
        command = [compiler, "-O3", "-march=native", "-ffast-math", "-shared", "-fPIC"]
        subprocess.run([*command, "-o", str(made), str(source)], check=True)
        scan = ctypes.CDLL(str(made)).nearest
        scan.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t]
        return scan


def timed(made: Stock, analysed: float) -> Iterator[str]:
    """How long a search, a query and the analysis take, and what they keep."""
    own = settings(EXAMPLES / "circle.csv")
    base = as_long(made.database, 14_000)
    whole = made.database.frames
    each = analysed / whole
    yield (
        f"analysis of {whole} frames with mirror images, {len(made.rig.bones.names)} bones: "
        f"{analysed:.2f} s; of 14,000 {whether(each * 14_000, 2.0, ' s')}"
    )
    found = features.compute(base, made.posed, *action_set.choose_decay(own, scene.fps()))
    (_, _, target) = next(iter(targets_of(base, ["circle"])))
    spent = best_of(lambda: finish(ways.steps(base, found, target, search.how_of(own, scene.fps()))), 2)
    spent *= 10.0 / (target.frames / base.fps)
    yield f"search over {base.frames} frames, for 10 s {whether(spent, 2.0, ' s')}"
    along = dataclasses.replace(settings(EXAMPLES / "s.csv"), speed="CLIPS")
    course = followed.of_file(along)
    gone = float(np.linalg.norm(np.diff(course.points[:, :2], axis=0), axis=1).sum())
    course = dataclasses.replace(course, points=course.points * (LENGTH / gone))
    aim = followed.target(course, along, base)
    spent = best_of(lambda: finish(ways.steps(base, found, aim, search.how_of(along, scene.fps()))), 2)
    yield (
        f"reaction to a changed setting: {LENGTH:g} m as quickly as the clips go {whether(spent, 1.0, ' s')}"
    )
    arrays = [value for value in vars(base).values() if isinstance(value, np.ndarray)]
    index = Moves(base, found, target, SearchSettings()).index
    kept = sum(array.nbytes for array in (*arrays, found.values, index.rows, index.frames))
    yield f"memory, all that a search keeps, over the features {whether(kept / found.values.nbytes, 3.0)}"
    yield from _queries(
        features.compute(
            as_long(made.database, 100_000), made.posed, *action_set.choose_decay(own, scene.fps())
        )
    )


def _queries(found: Features) -> Iterator[str]:
    values = np.ascontiguousarray(found.values[:100_000])
    index = Index.of(np.arange(len(values)), values, 5)
    around = np.random.default_rng(2).integers(0, len(values), 32)
    asked = values[around]
    works: list[Callable[[], object]] = [
        lambda: index.nearest(asked.astype(float), 8, around, 10),
        lambda: [values @ query for query in asked],
    ]
    scan = compiled()
    if scan is not None:
        works.append(lambda: [scan(values.ctypes.data, query.ctypes.data, *values.shape) for query in asked])
    # by turns, so that whatever else the machine does slows all of them down
    rounds = np.array([[best_of(work, 1) for work in works] for _ in range(15)])
    spent, floor, *scans = np.median(rounds, axis=0).tolist()
    said = (
        f"32 queries over 100,000 frames: {spent * 1000.0:.0f} ms; numpy's gemv alone {floor * 1000.0:.0f} ms"
    )
    if scans:
        ratio = float(np.median(rounds[:, 0] / rounds[:, 2]))
        said += f"; over a compiled scan of {scans[0] * 1000.0:.0f} ms {whether(ratio, 1.0)}"
    yield said


def digest(made: Stock) -> str:
    """A checksum of what a search finds: the same on every run, and under every Blender."""
    own = settings(EXAMPLES / "figure_eight.csv")
    ((_, _, target),) = targets_of(made.database, ["figure_eight"])
    way = finish(ways.steps(made.database, made.features(own), target, SearchSettings()))
    return hashlib.sha256(repr([(j.frame, j.left, j.entered) for j in way.joins]).encode()).hexdigest()[:12]


@dataclasses.dataclass
class Tables:
    """What is printed of sets, kept as it is to be written."""

    set: str = ""
    lines: dict[str, list[str]] = dataclasses.field(
        default_factory=lambda: {name: tables.heads(names) for name, names in HEADS.items()}
    )
    said: dict[str, list[str]] = dataclasses.field(default_factory=dict)

    def begin(self, name: str) -> None:
        """Begin with a table of this set."""
        print("\n".join(tables.heads(HEADS[name])), flush=True)

    def add(self, name: str, cells: Sequence[str], more: str = "") -> None:
        """A row of a table. more: what is only printed."""
        self.lines[name].append(tables.row([self.set, *cells]))
        print(self.lines[name][-1] + more, flush=True)

    def say(self, name: str, sentence: str) -> None:
        """Say something of this set below a table."""
        self.said.setdefault(name, []).append(f"{self.set}: {sentence}.")
        print(self.said[name][-1], flush=True)

    def write(self) -> None:
        """Put all that was measured into the pages."""
        for name, lines in self.lines.items():
            if len(lines) > len(tables.heads(HEADS[name])):
                said = self.said.get(name, [])
                more = ["", " ".join(said)] if said else []
                tables.write(name, [*lines, *more], PAGES.get(name, tables.PAGE))


def judged(kept: Tables, armature: Any, made: Stock, names: Sequence[str], count: int) -> None:
    """All that is told of a set."""
    kept.begin("paths")
    scores = {}
    for label, total in searched(made, names):
        scores[label] = total
        kept.add("paths", total.cells(label), f" {10.0 * total.spent / total.seconds:.2f} s for 10 s")
    game, beam = scores[REFERENCE], scores["beam, inertialization"]
    goals = {
        "path over greedy's": (beam.rms / game.rms, SETS[kept.set][3][0]),
        "displacement over greedy's": (beam.displacement / game.displacement, SETS[kept.set][3][1]),
        "joins over greedy's": (beam.joins / game.joins, 0.5),
    }
    kept.begin("paths-goals")
    for label, (value, most) in goals.items():
        kept.add("paths-goals", [label, whether(value, most)])
    for cells in natural(made, names):
        kept.add("paths-goals", cells)
    kept.begin("paths-poses")
    for cells in retrieved(made):
        kept.add("paths-poses", cells)
    kept.begin("paths-baked")
    for cells in baked(armature, made, names, count):
        kept.add("paths-baked", cells)
    judged_weights(kept, made, names)


def judged_weights(kept: Tables, made: Stock, names: Sequence[str]) -> None:
    """What is told of a set's features and their weights."""
    kept.begin("paths-weights")
    rows = list(weighed(made, names))
    for cells in rows:
        kept.add("paths-weights", cells)
    kept.say("paths-weights", compared(rows))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--set", nargs="+", choices=SETS, default=list(SETS))
    parser.add_argument("--path", nargs="+", default=[], help="only these of the paths")
    parser.add_argument("--baked", type=int, default=8, help="how many paths of each set are baked")
    parser.add_argument("--timed", action="store_true", help="only measure how long things take")
    parser.add_argument("--weights", action="store_true", help="only measure what weights of features do")
    parser.add_argument("--write", action="store_true", help="write the tables into docs/, too")
    options = parser.parse_args()
    if options.timed:
        _, made, analysed = read(options.data, "cmu127", 5)
        print("Paths: cmu127, repeated until it is as long")
        for line in timed(made, analysed):
            print(f"  {line}", flush=True)
        # the bpy modules can hang at exit; everything is said
        os._exit(0)
    kept = Tables()
    for name in options.set:
        kept.set = name
        armature, made, analysed = read(options.data, name)
        print(f"\n{name}: {made.database.frames} frames with mirror images, {made.database.fps:.0f} a second")
        if options.weights:
            judged_weights(kept, made, options.path)
            continue
        judged(kept, armature, made, options.path, options.baked)
        print(f"found again: {digest(made)} {digest(made)}")
        if name == "cmu127":
            for line in timed(made, analysed):
                print(line, flush=True)
    if options.write:
        kept.write()
    sys.stdout.flush()
    # the bpy modules can hang at exit; everything is said
    os._exit(0)


if __name__ == "__main__":
    main()
