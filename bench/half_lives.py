# SPDX-License-Identifier: GPL-3.0-or-later
"""How well half-lives are found: the published pairs, made-up springs, and real starts, stops and turns.

    make half-lives DATA=/path/to/motion

For made-up springs the truth is known: how far the two estimators are off is printed by how long the
half-life is in frames, with how often the stated interval holds it. Of real motion the table of the command
``fit`` is printed, and a picture of each clip is written to build/half_lives.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

from inertia_addon.motion.root_motion import half_life
from tests.motion import springs
from tools import tables

PUBLISHED = ((5.0, 2.0, 1.27), (4.86, 3.94, 0.63), (180.0, 154.68, 0.593), (10.44, 2.80, 1.90))
BINS = ((0.0, 3.0), (3.0, 10.0), (10.0, 30.0), (30.0, 100.0), (100.0, 1000.0))
CLIPS = {
    "bvh/cmu127": (0.01, ("_03_", "_04_", "_05_", "_17_", "_18_", "_19_", "_20_", "_15_")),
    "bvh/cmu131": (1.0, ("_metres",)),
}
"""By folder: metres per unit, and what is in the names of the clips that start, stop and turn."""
HEADS = (
    "frames per half-life",
    "springs",
    "least squares, median",
    "95 % within",
    "within 5 %",
    "peak rate, median",
    "within 15 %",
    "the interval holds it",
)


def published() -> None:
    print("Published pairs: change, peak rate, half-life as published and as computed")
    for change, rate, printed in PUBLISHED:
        print(f"  {change:7g} {rate:8g} {printed:7g} s {half_life.from_peak(change, rate):8.4f} s")
    rate = half_life.from_peak(5.0, 0.2)
    print(f"  0 to 5 m/s with 0.2 s peaks at {rate:.2f} m/s^2 (published: 0.14)")


def made_up(count: int, seed: int, *, write: bool) -> None:
    found = springs.outcomes(count, seed)
    print(f"\n{count} made-up springs, seed {seed}: noise {springs.NOISE:.0%} of the change\n")
    lines = tables.heads(HEADS)
    frames = np.array([one.case.half_life * one.case.fps for one in found])
    rows = [(f"{low:g} to {high:g}", (frames >= low) & (frames < high)) for low, high in BINS]
    rows += [("3 or more", frames >= 3.0), ("all", np.ones(len(found), bool))]
    fit = np.array([one.fit_error for one in found])
    closed = np.array([one.closed_form_error for one in found])
    covered = np.array([one.covered for one in found])
    for name, inside in rows:
        if not inside.any():
            continue
        a, b = fit[inside], closed[inside]
        fitted = f"{np.median(a):.2%}", f"{np.quantile(a, 0.95):.2%}", f"{np.mean(a < 0.05):.1%}"
        by_peak = f"{np.median(b):.2%}", f"{np.mean(b < 0.15):.1%}"
        lines.append(
            tables.row([name, str(inside.sum()), *fitted, *by_peak, f"{np.mean(covered[inside]):.1%}"])
        )
    print("\n".join(lines))
    if write:
        tables.write("half-lives", lines)
    quick = [
        springs.outcome(springs.spring(np.random.default_rng(i), half=0.012, fps=30.0)) for i in range(50)
    ]
    said = np.mean([one.ramp is None or not one.ramp.resolved for one in quick])
    print(f"\n0.36 frames per half-life: not resolved, and said so: {said:.0%} of 50")


def below_strides(count: int, seed: int, *, write: bool) -> None:
    """Starts and stops with strides on top, whose truth is known."""
    found = springs.strided_outcomes(count, seed)
    errors = np.array([one.fit_error for one in found])
    held = np.mean([one.covered for one in found])
    print(f"\n{count} made-up starts and stops with strides, seed {seed}\n")
    lines = tables.heads(
        ["starts and stops", "least squares, median", "90 % within", "the interval holds it"]
    )
    within = f"{np.median(errors):.1%}", f"{np.quantile(errors, 0.9):.1%}"
    lines.append(tables.row([str(count), *within, f"{held:.1%}"]))
    print("\n".join(lines))
    if write:
        tables.write("strides", lines)


def real(data: Path, output: Path) -> None:
    from inertia_addon.cli import program as command

    output.mkdir(parents=True, exist_ok=True)
    for folder, (scale, parts) in CLIPS.items():
        files = sorted((data / folder).glob("*.bvh"))
        chosen = [file for file in files if any(part in file.stem for part in parts)]
        if not chosen:
            print(f"\n{data / folder}: there are no clips; name the folder with DATA=.")
        for file in chosen:
            print()
            plot = output / f"{file.stem}.png"
            if command.main(["fit", str(file), "--scale", str(scale), "--plot", str(plot)]):
                sys.exit(1)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--output", type=Path, default=Path("build/half_lives"))
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--write", action="store_true", help="write the table into docs/reference/measured.md, too"
    )
    arguments = parser.parse_args()
    published()
    made_up(arguments.count, arguments.seed, write=arguments.write)
    below_strides(max(arguments.count // 5, 1), arguments.seed, write=arguments.write)
    real(arguments.data, arguments.output)


if __name__ == "__main__":
    main()
