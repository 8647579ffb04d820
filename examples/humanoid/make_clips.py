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

sys.path.insert(0, str(Path(__file__).resolve().parent))

from mannequin import gaits, standing
from mannequin.body import build_body
from mannequin.rig import add_action, assign, build_armature

FPS = 30
# What makes each action, and whether its last pose leads into its first.
CLIPS = {
    "Idle": (standing.idle, True),
    "Walk": (gaits.walk, True),
    "Run": (gaits.run, True),
    "Turn": (standing.turn, False),
}


def build(scene: bpy.types.Scene) -> bpy.types.Object:
    """Add the armature "Mannequin", its body and its actions; Idle is assigned.

    Actions are for 30 frames per second and start at frame 1. Nothing else in the file is changed; if it
    has a "Mannequin" already, Blender numbers the new names.
    """
    rig = build_armature(scene)
    build_body(scene, rig)
    actions = [add_action(rig, name, clip(), cyclic=cyclic) for name, (clip, cyclic) in CLIPS.items()]
    assign(rig, actions[0])
    return rig


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
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps = FPS
    rig = build(scene)
    scene.frame_start, scene.frame_end = 1, int(rig.animation_data.action.frame_end)
    if options.picture:
        from mannequin.picture import draw

        draw(scene, rig, [bpy.data.actions[name] for name in CLIPS], options.picture)
    assign(rig, bpy.data.actions["Idle"])
    scene.frame_set(1)
    bpy.ops.wm.save_as_mainfile(filepath=str(options.output.resolve()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
