# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes the libraries of the specs beside this file, and draws the matrix of their clips.

python examples/batch/make_library.py [-o FOLDER] [--jobs N]     (a Python that has bpy)
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SPECS = ("transitions.toml", "state_machine.toml", "hops.toml", "each_file.json")


def run(*words: object) -> None:
    """Run a program, and end with its exit code if it fails."""
    done = subprocess.run([sys.executable, *map(str, words)], cwd=ROOT, check=False)
    if done.returncode:
        sys.exit(done.returncode)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "-o", "--output", type=Path, default=Path("build/batch"), help="the folder to write into"
    )
    parser.add_argument("--jobs", type=int, default=1, help="how many processes work at once")
    arguments = parser.parse_args()
    folder = arguments.output.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    clips = folder / "clips.blend"
    run(ROOT / "examples" / "humanoid" / "make_clips.py", "-o", clips)
    for name in (*SPECS, "batch.schema.json"):
        shutil.copy(HERE / name, folder)
    for name in SPECS:
        made = folder / Path(name).stem
        run("-m", "inertia_addon", "batch", folder / name, "-o", made, "--jobs", arguments.jobs, "--resume")
    run("-m", "inertia_addon", "matrix", clips, "--exact", "-o", folder / "matrix")


if __name__ == "__main__":
    main()
