# SPDX-License-Identifier: GPL-3.0-or-later
"""What the extension adds to a start of Blender: to import and to register it, in seconds of the processor.

    python bench/starting.py [--rounds 10]

Each round is a process of its own, with bpy and numpy imported before; the least of all rounds is told. What
Python has compiled is kept from an earlier start, as where the extension is installed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
START = """
import time, bpy, numpy
began = time.process_time()
from inertia_addon import registration
imported = time.process_time()
registration.register()
print("took", imported - began, time.process_time() - imported)
"""


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=10)
    rounds = parser.parse_args().rounds
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    took = []
    for _ in range(rounds + 1):
        said = subprocess.run(
            [sys.executable, "-c", START],
            cwd=ROOT,
            env=environment,
            check=True,
            capture_output=True,
            text=True,
        )
        (line,) = (each for each in said.stdout.splitlines() if each.startswith("took"))
        took.append([float(seconds) for seconds in line.split()[1:]])
    imports, registers = (min(seconds) for seconds in zip(*took[1:], strict=True))
    print(f"importing the extension: {imports:.2f} s; registering it: {registers:.2f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
