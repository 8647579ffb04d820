# SPDX-License-Identifier: GPL-3.0-or-later
"""What the extension adds to a start of Blender: to import and to register it, in time of the processor.

    python bench/starting.py [--rounds 10] [--blender /path/to/blender]

Each round is a process of its own, and the least of all rounds is told. What Python has compiled is kept from
an earlier start, as where the extension is installed. The module bpy has imported numpy by itself, which a
Blender that starts has not: with --blender the extension is built, installed into such a Blender with a user
folder of its own, and enabled there as Blender enables it, with all that this imports. Last comes what a
start would take if the extension's records were dataclasses that Python compiles at once.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from goals import whether

from tests.window.launcher import MODULE, RealBlender
from tools.build_extension import pack

ROOT = Path(__file__).resolve().parents[1]
MOST = 60.0
"""The goal: so many milliseconds at most."""
START = """
import time, bpy
began = time.process_time()
from inertia_addon import registration
registration.register()
print("took", time.process_time() - began)
"""
AT_ONCE = """
import dataclasses
from inertia_addon import records
records.record = dataclasses.dataclass
"""
"""Has records be plain dataclasses."""
ENABLE = f"""
import sys, time, addon_utils
began = time.process_time()
addon_utils.enable({MODULE!r})
took = time.process_time() - began
assert addon_utils.check({MODULE!r})[1]
print("took", took)
"""


def seconds(said: str) -> float:
    """The time that a round has printed."""
    (line,) = (each for each in said.splitlines() if each.startswith("took"))
    return float(line.split()[1])


def start(before: str = "") -> float:
    """The seconds of a start with the module bpy. before: what is run first."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    said = subprocess.run(
        [sys.executable, "-c", before + START],
        cwd=ROOT,
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )
    return seconds(said.stdout)


def least_in(launcher: Path, rounds: int) -> float:
    """The least seconds that it takes a real Blender to enable the extension."""
    with tempfile.TemporaryDirectory() as folder:
        blender = RealBlender(launcher, Path(folder))
        blender.install(pack(Path(folder) / "zip"))
        disable = f"import bpy, addon_utils; addon_utils.disable({MODULE!r}, default_set=True); "
        blender.script(disable + "bpy.ops.wm.save_userpref()").check()
        return min(seconds(blender.script(ENABLE).check().output) for _ in range(rounds + 1))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--blender", type=Path, help="a real Blender, to enable the extension in as well")
    options = parser.parse_args()
    # in turn, as other work on the machine comes and goes; the first of each compiles
    took = [(start(), start(AT_ONCE)) for _ in range(options.rounds + 1)]
    lazy, at_once = (1000.0 * min(each) for each in zip(*took[1:], strict=True))
    print(f"importing and registering the extension: {whether(lazy, MOST, ' ms')}")
    print(f"  with records that Python compiles at once: {at_once:.0f} ms")
    if options.blender:
        enabled = 1000.0 * least_in(options.blender, options.rounds)
        print(f"enabling the extension in {options.blender.name}: {whether(enabled, MOST, ' ms')}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
