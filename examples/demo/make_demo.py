# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes one transition with every method and shows them side by side.

    python examples/demo/make_demo.py --output FOLDER
    python examples/demo/make_demo.py --output FOLDER --file FILE --source WALK --destination RUN --cut 24

Writes demo.blend (the clips, and a result for each method), demo.json (the reports) and demo.png
(the curves at the cut). Without a file it is the mannequin of examples/humanoid that breaks from
its walk into its run.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import sys
from pathlib import Path
from typing import Any

import bpy

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parent))

import picture

from inertia_addon.blender import files
from inertia_addon.blender.data import compat, names
from inertia_addon.blender.data.rig import armatures
from inertia_addon.blender.transition import bake
from inertia_addon.errors import InertiaError
from inertia_addon.settings.transition import TransitionSettings

METHODS = {
    "quintic": {"method": "QUINTIC"},
    "quintic, zero jerk": {"method": "QUINTIC", "quintic_start": "ZERO_JERK"},
    "cubic": {"method": "CUBIC"},
    "spring": {"method": "SPRING"},
    "dead blending": {"method": "DEAD_BLENDING"},
}


def build_mannequin() -> Any:
    """The example character, in an empty file."""
    path = Path(__file__).resolve().parents[1] / "humanoid" / "make_clips.py"
    spec = importlib.util.spec_from_file_location("make_clips", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = module.FPS
    return module.build(bpy.context.scene)


def prepare(options: argparse.Namespace) -> tuple[Any, TransitionSettings]:
    """The armature, and the settings that all methods share."""
    if options.file is None:
        armature, defaults = build_mannequin(), ("Walk", "Run", 51.0, 10.0)
    else:
        files.load([options.file])
        rigs = armatures()
        armature = bpy.data.objects[names.choose_armature(None, [rig.name for rig in rigs])]
        defaults = (None, None, None, None)
    source = options.source or defaults[0]
    destination = options.destination or defaults[1]
    if source is None or destination is None:
        known = ", ".join(action.name for action in bpy.data.actions)
        raise InertiaError(f"Give SOURCE and DESTINATION, two of the file's actions: {known}.")
    known = [action.name for action in bpy.data.actions]
    pair = [names.choose_action(name, known, armature.name) for name in (source, destination)]
    cut = options.cut if options.cut is not None else defaults[2]
    if cut is None:
        raise InertiaError("Give CUT, the frame at which the destination takes over.")
    return armature, TransitionSettings(*pair, cut, defaults[3] if options.cut is None else None)


def run(options: argparse.Namespace) -> None:
    """Bake, draw and save."""
    armature, settings = prepare(options)
    reports = {}
    for label, method in METHODS.items():
        chosen = TransitionSettings(
            **{
                **settings.as_dict(),
                **method,
                "bones": (),
                "blend_scales": (),
                "assign": False,
                "result": f"{settings.source} to {settings.destination} ({label})",
            }
        )
        reports[label] = bake.bake_transition(armature, chosen)
        report = reports[label]
        print(
            f"{report.result}: frames {report.window[0]:g} to {report.window[1]:g}, {report.bones} bones, "
            f"{report.keys} keys, guard on {len(report.guarded)} channels"
        )
    options.output.mkdir(parents=True, exist_ok=True)
    picture.draw(armature, settings, reports, options.output / "demo.png")
    first = next(iter(reports.values()))
    compat.assign(armature, bpy.data.actions[first.result], first.slot)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = (round(frame) for frame in first.frame_range)
    scene.frame_set(int(settings.cut))
    text = json.dumps({label: report.as_dict() for label, report in reports.items()}, indent=2)
    (options.output / "demo.json").write_text(text + "\n", encoding="utf-8")
    bpy.ops.wm.save_as_mainfile(filepath=str((options.output / "demo.blend").resolve()))
    for name in ("demo.blend", "demo.json", "demo.png"):
        print(f"wrote {options.output / name}")


def main() -> int:
    """Parse the command line; 0 done, 1 failed."""
    parser = argparse.ArgumentParser(description="Bakes one transition with every method.")
    parser.add_argument(
        "--output", type=Path, required=True, help="folder for demo.blend, demo.json and demo.png"
    )
    parser.add_argument("--file", type=Path, help="a .blend, .bvh, .glb or .fbx of your own")
    parser.add_argument("--source", help="the action to start from")
    parser.add_argument("--destination", help="the action to go over into")
    parser.add_argument("--cut", type=float, help="the frame at which the destination takes over")
    try:
        run(parser.parse_args())
    except InertiaError as error:
        print(f"demo: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    sys.stderr.flush()
    # importers leave things registered on which the bpy modules can hang at exit
    os._exit(code)
