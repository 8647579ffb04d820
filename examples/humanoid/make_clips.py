# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds a humanoid with the actions Idle, Walk, Run and Turn, from nothing.

python make_clips.py -o clips.blend --picture poses.png        (a Python that has bpy)
blender --background --python make_clips.py -- -o clips.blend  (Blender itself)
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from inertia_addon.blender.mannequin.character import CLIPS, FPS, Mannequin, build_mannequin
from inertia_addon.blender.mannequin.rig import assign_action


def build(scene: bpy.types.Scene) -> bpy.types.Object:
    """Add the armature "Mannequin", its body and its actions; Idle is assigned. Returns the armature."""
    return build_mannequin(scene).rig


def write_clips(path: Path, picture: Path | None = None) -> Mannequin:
    """Open a new file with the mannequin, and save it; ``picture``: where its key poses are drawn."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps = FPS
    mannequin = build_mannequin(scene)
    scene.frame_start, scene.frame_end = 1, int(mannequin.actions["Idle"].frame_end)
    if picture:
        sys.path.insert(0, str(Path(__file__).resolve().parent))
        from picture import draw

        draw(scene, mannequin.rig, [mannequin.actions[name] for name in CLIPS], picture)
    assign_action(mannequin.rig, mannequin.actions["Idle"])
    scene.frame_set(1)
    bpy.ops.wm.save_as_mainfile(filepath=str(path.resolve()))
    return mannequin


def _arguments() -> list[str]:
    """The script's own arguments: inside Blender, what follows ``--``."""
    return sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else sys.argv[1:]


def main(arguments: list[str] | None = None) -> int:
    """Write the file, and the picture if it is asked for; ``arguments``: the command line's by default."""
    parser = argparse.ArgumentParser(prog="make_clips.py", description="Builds a humanoid with four actions.")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the .blend file to write")
    parser.add_argument(
        "--picture", type=Path, help="also draw the key poses of every clip (needs matplotlib)"
    )
    options = parser.parse_args(_arguments() if arguments is None else arguments)
    write_clips(options.output, options.picture)
    return 0


if __name__ == "__main__":
    sys.exit(main())
