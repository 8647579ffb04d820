# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes a transition from each action of a file to the next, at its best pair of frames, and rates it.

python examples/api/best_pairs.py clips.blend -o pairs.blend     (a Python that has bpy)
"""

from __future__ import annotations

import argparse
import itertools
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from inertia_addon import api


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path, help="the animation file to read")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the .blend file to write")
    arguments = parser.parse_args()
    actions = api.read(arguments.file)
    print(f"{'transition':16}  {'cut':>5}  {'enter':>5}  seen")
    baked = [transition(*pair) for pair in itertools.pairwise(actions)]
    print(api.write(arguments.output, baked[-1]))


def transition(source: str, destination: str) -> api.Result:
    """Bake a transition where it shows least, and print what is seen of it."""
    best = api.cost(source=source, destination=destination, best=1).values["best"][0]
    made = api.bake(
        source=source, destination=destination, cut=best["cut"], destination_frame=best["destination_frame"]
    )
    seen = made.values["verdict"]["words"]
    print(f"{made.action:16}  {best['cut']:5g}  {best['destination_frame']:5g}  {seen[0]}")
    return made


if __name__ == "__main__":
    main()
