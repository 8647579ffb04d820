# SPDX-License-Identifier: GPL-3.0-or-later
"""How well characters whose walks stay in place and go straight on follow circles, by bending their clips.

    make bends DATA=/path/to/motion

Each character follows half a circle of each radius with all of its walks and runs, as they are bent by
default. *path* is how far the baked root is from it, rms; *skate* how far the worst foot skates in a join,
and *verdict* the worst on a join. A radius that is too tight for the clips is in brackets, and what a
sentence says of it before anything is baked stands behind.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from travel import CYCLES, load_wild

from inertia_addon.blender.evaluation import joints
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.judging import verdict
from inertia_addon.blender.matching import action_set, bake, followed, quality, search
from inertia_addon.motion.steps import finish
from inertia_addon.settings.matching import PathSettings, joined_by
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import clips
from tools import tables

CHARACTERS = ("Knight", "RobotExpressive", "godot_player")
RADII = (1.0, 2.0, 4.0, 6.0)
"""Metres, for a character as tall as a person."""
HEADS = ("character", "radius, m", "path, cm", "joins", "verdict", "skate, cm", "said")


def half_circle(radius: float) -> np.ndarray:
    """A path (n, 2) that turns to the left by half a turn."""
    at = np.linspace(0.0, np.pi, 90)
    return radius * np.column_stack([np.sin(at), 1.0 - np.cos(at)])


def measured(armature: Any, names: list[str], radius: float, file: Path) -> list[str]:
    """The cells of a row."""
    rows = (f"{x:.4f},{y:.4f}\n" for x, y in half_circle(radius).tolist())
    file.write_text("x,y\n" + "".join(rows), encoding="utf-8")
    own = TransitionSettings(**joined_by({"assign": False}))
    settings = PathSettings(own, tuple(names), points=str(file))
    weights = joints.named_weights(armature, "stored")
    made = finish(action_set.analyse_steps(read_character(armature), settings, weights))
    found = finish(search.search_path_steps(made, settings, followed.course(settings)))
    report = finish(bake.bake_way_steps(armature, found))
    seen = finish(quality.measure_path_steps(armature, found, report))
    bpy.data.actions.remove(bpy.data.actions[report.result])
    said = [text for text in found.warnings if "too tight" in text]
    skate = verdict.measures(seen.verdicts)["skate"]
    rated = verdict.RATINGS[verdict.worst(seen.verdicts).rating] if seen.verdicts else "no joins"
    return [
        f"({radius:.1f})" if said else f"{radius:.1f}",
        f"{100.0 * seen.path_rms_m:.1f}",
        str(len(report.cut_frames)),
        rated,
        "" if skate is None else f"{100.0 * skate:.1f}",
        " ".join(said),
    ]


def rows(data: Path, names: tuple[str, ...], radii: tuple[float, ...]) -> Iterator[list[str]]:
    """Each character on each circle."""
    for name in names:
        with contextlib.redirect_stdout(io.StringIO()):
            load = load_wild if name == "godot_player" else clips.load
            armature, known = load(name, data)
        walks = sorted(one for one in known if any(part in one for part in CYCLES[name]))
        with tempfile.TemporaryDirectory() as folder:
            for radius in radii:
                yield [name, *measured(armature, walks, radius, Path(folder) / "circle.csv")]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--character", nargs="+", choices=CHARACTERS, default=CHARACTERS)
    parser.add_argument("--radius", nargs="+", type=float, default=RADII)
    parser.add_argument(
        "--write", action="store_true", help="write the table into docs/reference/measured.md, too"
    )
    options = parser.parse_args()
    lines = tables.heads(HEADS)
    print("\n".join(lines))
    for row in rows(options.data, tuple(options.character), tuple(options.radius)):
        lines.append(tables.row(row))
        print(lines[-1], flush=True)
    if options.write:
        tables.write("bends", lines)


if __name__ == "__main__":
    main()
