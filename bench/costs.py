# SPDX-License-Identifier: GPL-3.0-or-later
"""How fast costs are computed, as ratios measured in one process, on one core.

    python bench/costs.py [--rounds 7]

The feature map and the exact maps of 2000 x 2000 frames and 22 joints against scipy's cityblock distance of
the same features; the exact curve over 10,000 frames of 65 joints against one
``np.abs(P - p).sum(1)`` over the same positions; and what a draw callback does in Python when such a curve is
new, and when nothing is. Memory: the most that a map takes while it is computed, over its own size. And Best
Pair of two walks of 65 bones with all of its candidates judged against the search by cost alone.

Scipy's cityblock takes as long as four passes of numpy over the numbers of a block. The soft quintic takes
22 such passes at least, and the smooth one 21: differences, sizes, sums, flags of what crosses zero, and the
list of these, which takes as long as six passes; then their roots, 20 passes and more over the sixth or the
tenth of the numbers that cross, which are gathered and put back. The 40 calls for a block of 88,000 numbers
take as long as two passes. That is 6 to 7 times the reference, which is their goal. The other curves, whose
crossings have a formula without a branch, have six times as theirs.
"""

from __future__ import annotations

import argparse
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import itertools
import statistics
import sys
import time
import tracemalloc
import types
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
from scipy.spatial.distance import cdist

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from goals import whether

from inertia_addon.blender.cost.candidates import WantedPairs
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.motion.cost import costs as cost
from inertia_addon.motion.decay.decay import Method

FRAMES, JOINTS, SECONDS = 2000, 22, 0.4
LONG, MANY = 10_000, 65
MOST_OF_MAP, MOST_OF_CURVE = 6.0, 3.0
"""So many times their references may the exact map and curve take ..."""
ROOTED = {Method.SOFT: (7.0, 3.3), Method.SMOOTH: (6.6, 3.1)}
"""... but for those whose crossings are roots."""


def ratio(ours: Callable[[], object], theirs: Callable[[], object], rounds: int) -> float:
    """How many times as long ours takes: the median over rounds that alternate."""
    ours(), theirs()
    found = []
    for _ in range(rounds):
        began = time.perf_counter()
        ours()
        middle = time.perf_counter()
        theirs()
        found.append((middle - began) / (time.perf_counter() - middle))
    return statistics.median(found)


def clip(frames: int, joints: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Random positions and velocities (frames, joints, 3)."""
    chance = np.random.default_rng(seed)
    return chance.normal(size=(frames, joints, 3)), 4.0 * chance.normal(size=(frames, joints, 3))


def run(steps: Iterable[object]) -> None:
    """Take all steps."""
    for _ in steps:
        pass


def maps(rounds: int) -> None:
    """Maps against scipy's cityblock distance of the features."""
    a, b = clip(FRAMES, JOINTS, 1), clip(FRAMES, JOINTS, 2)
    ones, costs = np.ones(JOINTS), np.empty((FRAMES, FRAMES), np.float32)
    near, far = (cost.prepare_features(*side, ones, Method.CUBIC, SECONDS) for side in (a, b))
    wide = near.first.astype(float), far.first.astype(float)

    def reference() -> None:
        cdist(*wide, "cityblock")

    found = ratio(lambda: run(cost.map_blocks(near, far, costs)), reference, rounds)
    print(f"feature map: {found:.2f} times scipy's cityblock")
    most = peak(lambda: run(cost.map_blocks(near, far, costs)), costs.nbytes)
    print(f"  memory: {most:.2f} times the map")
    for method in Method:
        rows, columns = (cost.prepare(*side, ones, method, SECONDS) for side in (a, b))
        found = ratio(lambda r=rows, c=columns: run(cost.map_blocks(r, c, costs)), reference, rounds)
        told = whether(found, ROOTED.get(method, (MOST_OF_MAP,))[0])
        print(f"exact map, {method.name.lower()}: {told} times scipy's cityblock")
        most = peak(lambda r=rows, c=columns: run(cost.map_blocks(r, c, costs)), costs.nbytes)
        print(f"  memory: {most:.2f} times the map")


def peak(work: Callable[[], object], size: int) -> float:
    """The most memory that work takes besides the map itself, with the map, over the map's size."""
    tracemalloc.start()
    work()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return 1.0 + most / size


def curves(rounds: int) -> None:
    """A new curve while scrubbing, and drawing it, against one sum of absolute differences."""
    positions, velocities = clip(LONG, MANY, 3)
    flat = positions.reshape(LONG, -1).astype(np.float32)

    def reference() -> None:
        np.abs(flat - flat[7]).sum(1)

    for method in Method:
        prepared = cost.prepare(positions, velocities, np.ones(MANY), method, SECONDS)
        row = prepared.cut(slice(5, 6))
        found = ratio(lambda r=row, p=prepared: cost.curve(r, p), reference, 3 * rounds)
        told = whether(found, ROOTED.get(method, (0.0, MOST_OF_CURVE))[1])
        print(f"exact curve, {method.name.lower()}: {told} times np.abs(P - p).sum(1)")
    callback(reference, rounds)


def callback(reference: Callable[[], object], rounds: int) -> None:
    """All that a draw callback does besides the GPU's part, with both curves on and every bone counting."""
    import bpy

    import bench
    from inertia_addon import registration
    from inertia_addon.plots import theme
    from inertia_addon.ui.overlay import build, layout
    from inertia_addon.ui.shared import cache

    rig = bench.make_rig()
    clips = [
        bench.make_clip(name, seed, 0, bench.Case(LONG, 0, 0))
        for name, seed in (("Source", 1), ("Destination", 2))
    ]
    registration.register()
    cache.CHEAP_SECONDS = float("inf")  # as if the machine were never too slow to follow the mouse
    rig.inertia.source, rig.inertia.destination = clips
    rig.inertia_cost.joints = "ALL"
    bpy.context.scene.inertia_overlay.curves = True
    view = types.SimpleNamespace(overlay=types.SimpleNamespace(show_overlays=True))
    context = types.SimpleNamespace(object=rig, scene=bpy.context.scene, space_data=view)
    grey, white = (0.1, 0.1, 0.1, 1.0), (0.9, 0.9, 0.9, 1.0)
    accents = dict.fromkeys(("curve", "current", "minimum", "source", "destination", "result", "way"), white)
    look = theme.make(grey, grey, white, 1.0, 11.0, **accents)
    info = layout.RegionInfo((0.0, 0.0, 1600.0, 900.0), 1.0)
    cuts = itertools.count(100)

    def scrubbed() -> None:
        rig.inertia.cut = float(next(cuts))
        build.view3d_pixels(build.view3d_overlay(context), info, look)

    found = ratio(scrubbed, reference, 3 * rounds)
    print(f"draw callback at a new cut, its new curve included: {found:.1f} times np.abs(P - p).sum(1)")
    found = ratio(lambda: build.view3d_overlay(context), reference, 3 * rounds)
    print(f"draw callback when nothing has changed: {found:.1f} times np.abs(P - p).sum(1)")
    registration.unregister()


def best_pair(rounds: int) -> None:
    """Best Pair with ten candidates judged, against the same search by cost, of a biped of many bones."""
    import bpy
    import locking

    from inertia_addon.blender.cost import candidates, costing
    from inertia_addon.blender.data import clip_store, scene
    from inertia_addon.blender.evaluation import joints
    from inertia_addon.motion.steps import finish
    from inertia_addon.settings.cost import Search
    from inertia_addon.settings.transition import TransitionSettings

    armature = locking.make(MANY, 120)
    late = bpy.data.actions["Walk"].copy()
    late.name = "Late"
    weights = joints.named_weights(armature, "found")
    for feet in ("OFF", "AUTO"):
        settings = TransitionSettings("Walk", "Late", 0.0, blend_frames=12.0, feet=feet)

        def searched(by: str, settings: TransitionSettings = settings) -> list[candidates.Candidate]:
            pair = costing.read_pair(armature, settings)
            motions = finish(costing.motions(armature, pair))
            compared = costing.compare(settings, pair.alignment, weights, motions, scene.fps())
            clips = finish(clip_store.read_named_steps(armature, settings.ends()))
            return finish(
                candidates.best(
                    read_character(armature),
                    settings,
                    clips,
                    compared,
                    Search(by=by),
                    WantedPairs(candidates.COUNT),
                )
            )

        found = ratio(lambda s=searched: s("JUDGED"), lambda s=searched: s("COST"), rounds)
        began = time.process_time()
        count = len(searched("JUDGED"))
        each = (time.process_time() - began) / count
        print(
            f"best pair with {count} judged, feet {feet.lower()}: {found:.1f} times the search by cost, "
            f"{1e3 * each:.0f} ms of processor time each"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    maps(arguments.rounds)
    curves(arguments.rounds)
    best_pair(arguments.rounds)
    sys.stdout.flush()
    os._exit(0)  # some bpy modules crash on the way out


if __name__ == "__main__":
    main()
