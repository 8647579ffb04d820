# SPDX-License-Identifier: GPL-3.0-or-later
"""How fast hops are found, as ratios measured in one process, on one core.

    python bench/hops.py [--triggers 8]

The distances of all pairs of windows of 2000 x 2000 frames, 22 points and 30 frames against the plain
evaluation of each pair in numpy, on a sample. The table of the best hop for every trigger frame of a source
of 1000 frames, with a destination and 10 clips of 1000 frames each and stays of up to 60 frames, against the
published exhaustive search with pruning on a sample of the triggers, from the same distances; both give the
same costs. Memory: the most that a search through clips of 5000 frames takes, over the size of one table of
all distances between two of them. The motions are made up: bodies that change, swing and wander, each clip in
its own rhythm.
"""

from __future__ import annotations

import argparse
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import statistics
import sys
import time
import tracemalloc
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from inertia_addon.motion.cost import point_cloud
from inertia_addon.motion.hops import search as hop
from inertia_addon.motion.hops.distances import JointTrack, PointClouds
from inertia_addon.motion.hops.recurrence import ClipStrip, HopProblem, Objective
from inertia_addon.motion.steps import finish
from tests.motion.pruned_search import Tables

FRAMES, POINTS, WINDOW = 2000, 22, 30
LONG, CLIPS, STAY, BLEND = 1000, 10, 60, 30
SAMPLE = 400


def motion(frames: int, points: int, seed: int, style: tuple[float, float] = (0.0, 1.0)) -> np.ndarray:
    """A made-up clip (frames, points, 3): limbs that swing about a body that wanders.

    style: the range within which it changes between two characters of body.
    """
    chance, common = np.random.default_rng(seed), np.random.default_rng(0)
    one, other = (common.normal(0.0, 0.4, (points, 3)) + np.array([0.0, 0.0, 1.0]) for _ in range(2))
    t = np.arange(frames)[:, None, None] / 60.0
    swing = 0.5 + 0.5 * np.sin(2.0 * np.pi * (chance.uniform(0.1, 0.3) * t + chance.random()))
    found = one + (other - one) * (style[0] + (style[1] - style[0]) * swing)
    for _ in range(4):
        rate = chance.uniform(0.2, 2.0)
        found += 0.1 * common.normal(size=(points, 3)) * np.sin(2.0 * np.pi * (rate * t + chance.random()))
    way = chance.normal(0.0, 0.02, (frames, 1, 3)).cumsum(axis=0) * (1.0, 1.0, 0.0)
    return np.asarray(found + way)


def plain_distance(a: np.ndarray, b: np.ndarray) -> float:
    """One pair of windows by itself, as it is published."""
    x, z, u, v = a[..., 0].ravel(), a[..., 1].ravel(), b[..., 0].ravel(), b[..., 1].ravel()
    mx, mz, mu, mv = x.mean(), z.mean(), u.mean(), v.mean()
    count = len(x)
    angle = np.arctan2(
        u @ z - x @ v - count * (mu * mz - mx * mv), x @ u + z @ v - count * (mx * mu + mz * mv)
    )
    c, s = np.cos(angle), np.sin(angle)
    dx = x - mx - c * (u - mu) + s * (v - mv)
    dz = z - mz - s * (u - mu) - c * (v - mv)
    dy = (a[..., 2] - b[..., 2]).ravel()
    return float((dx @ dx + dz @ dz + dy @ dy) / count)


def clouds() -> None:
    """The distances of all pairs of windows."""
    a, b = motion(FRAMES, POINTS, 1), motion(FRAMES, POINTS, 2)
    weights = np.ones(POINTS)

    def ours() -> np.ndarray:
        return point_cloud.distances(*(point_cloud.prepare(clip, weights, WINDOW) for clip in (a, b)))

    found = ours()
    taken = []
    for _ in range(5):
        began = time.perf_counter()
        ours()
        taken.append(time.perf_counter() - began)
    chance = np.random.default_rng(3)
    pairs = chance.integers(0, FRAMES - WINDOW + 1, (SAMPLE, 2)).tolist()
    began = time.perf_counter()
    plain = [plain_distance(a[i : i + WINDOW], b[j : j + WINDOW]) for i, j in pairs]
    each = (time.perf_counter() - began) / SAMPLE
    np.testing.assert_allclose([found[i, j] for i, j in pairs], plain, rtol=1e-4)
    whole, own = each * np.isfinite(found).sum(), statistics.median(taken)
    print(
        f"window distances of {FRAMES} x {FRAMES} frames, {POINTS} points, {WINDOW} frames: {own:.2f} s; "
        f"each pair by itself: {whole:.0f} s ({SAMPLE} pairs timed, scaled): {whole / own:.0f} times as long"
    )


def tables(triggers: int) -> None:
    """The best hop for every trigger."""
    styles = [(0.0, 1.0)] * CLIPS + [(0.0, 0.2), (0.8, 1.0)]
    still = np.zeros((LONG, POINTS, 3))
    tracks = [JointTrack(motion(LONG, POINTS, 10 + i, style), still) for i, style in enumerate(styles)]
    clouds = PointClouds(tracks, np.ones(POINTS))
    every = slice(0, LONG)
    known = {}
    began = time.perf_counter()
    source, destination = CLIPS, CLIPS + 1
    for clip in range(CLIPS):
        known[source, clip] = clouds(source, clip, BLEND, every, every)
        known[clip, destination] = clouds(clip, destination, BLEND, every, every)
    known[source, destination] = clouds(source, destination, BLEND, every, every)
    print(f"\ndistances of {CLIPS} clips with source and destination: {time.perf_counter() - began:.2f} s")
    for alongside in (False, True):
        problem = HopProblem(
            (ClipStrip(LONG),) * (CLIPS + 2),
            lambda a, b, _, rows, columns: known[a, b][rows, columns],
            *(source, destination, tuple(range(CLIPS))),
            alongside=alongside,
        )
        _one_table(problem, known, triggers)


def _one_table(problem: HopProblem, known: dict[tuple[int, int], np.ndarray], triggers: int) -> None:
    objective = Objective(STAY, 0.0, (BLEND,))
    objective = Objective(STAY, finish(hop.automatic_weight([problem], objective)), (BLEND,))
    taken = []
    for _ in range(5):
        began = time.perf_counter()
        found = finish(hop.solve(problem, objective))
        taken.append(time.perf_counter() - began)
    own = statistics.median(taken)
    source, destination = problem.source, problem.destination
    search = Tables(
        [known[source, clip] for clip in range(CLIPS)],
        [known[clip, destination] for clip in range(CLIPS)],
        known[source, destination],
        *(BLEND, STAY, objective.weight),
    )
    possible = np.flatnonzero(np.isfinite(found.cost))
    sample = np.random.default_rng(4).choice(possible, triggers, replace=False).tolist()
    print(
        f"\nhops for {LONG} triggers, {CLIPS} clips, the destination "
        + ("beside the source" if problem.alongside else "from its first frame at each trigger")
        + f": {own:.3f} s; {np.mean(found.clips >= 0):.0%} of the best ways are hops"
    )
    for label, way in (
        ("stays at once", search.find),
        ("a loop over stays", search.find_in_loops),
    ):
        began = time.perf_counter()
        costs = [way(t, t if problem.alongside else 0).cost for t in sample]
        each = (time.perf_counter() - began) / triggers
        np.testing.assert_allclose(costs, found.cost[sample], rtol=1e-5)
        print(
            f"  exhaustive search with pruning, {label}: {1000.0 * each:.1f} ms a trigger, "
            f"{LONG * each:.0f} s for all ({triggers} timed, scaled), the same costs: "
            f"{LONG * each / own:.0f} times as long"
        )


def memory() -> None:
    """The most that a search takes, its distances included."""
    frames, clips = 5000, 3
    tracks = [JointTrack(motion(frames, 8, 30 + i), np.zeros((frames, 8, 3))) for i in range(clips + 2)]
    numbers = clips, clips + 1, tuple(range(clips))
    for alongside in (False, True):
        distances = PointClouds(tracks, np.ones(8))
        problem = HopProblem((ClipStrip(frames),) * (clips + 2), distances, *numbers, alongside=alongside)
        tracemalloc.start()
        finish(hop.solve(problem, Objective(STAY, 0.001, (BLEND,))))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        print(
            f"\nmemory, {clips} clips of {frames} frames, the destination "
            + ("beside the source" if alongside else "from its first frame at each trigger")
            + f": {peak / 2**20:.0f} MiB, {peak / (4.0 * frames**2):.2f} of one table"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--triggers", type=int, default=20, help="how many triggers the search is timed on")
    arguments = parser.parse_args()
    clouds()
    tables(arguments.triggers)
    memory()


if __name__ == "__main__":
    main()
