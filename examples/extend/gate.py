# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks all actions of a file, and ends with 1 where a foot skates too far: a gate for a pipeline.

python examples/extend/gate.py clips.blend --max-skate 0.2     (a Python that has bpy)
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from inertia_addon import api


def main() -> int:
    """Check them, print a line for each, and return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("file", type=Path, help="the animation file to read")
    parser.add_argument("--max-skate", type=float, default=0.2, help="metres that a foot may skate")
    given = parser.parse_args()
    skates = {name: measure_skate(name) for name in api.read(given.file)}
    for name, skate in skates.items():
        print(f"{'ok  ' if skate <= given.max_skate else 'over'}  {name:12}  {skate:.3f} m")
    return int(any(skate > given.max_skate for skate in skates.values()))


def measure_skate(action: str) -> float:
    """Return how far the worst foot of an action skates, metres; 0 where there are no feet."""
    feet = api.check(action=action).values["feet"]
    return max((float(foot["skate_m"]) for foot in feet), default=0.0)


if __name__ == "__main__":
    sys.exit(main())
