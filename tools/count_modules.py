# SPDX-License-Identifier: GPL-3.0-or-later
"""Counts the modules that take part in a baked transition, and in a path that is searched and baked.

    PYTHONPATH=. python tools/count_modules.py [--list]

The mannequin of examples/humanoid breaks from its walk into its run, with its feet locked, and follows a
circle. A module takes part when a function of it runs. Goals stand beside the numbers: the way of an action
through the house should be short.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import bpy

from inertia_addon.blender.evaluation import joints
from inertia_addon.blender.matching import bake as path_bake
from inertia_addon.blender.matching import followed, search, stock
from inertia_addon.blender.transition import bake
from inertia_addon.motion.steps import finish
from inertia_addon.settings.matching import PathSettings
from inertia_addon.settings.transition import TransitionSettings

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = str(ROOT / "inertia_addon") + os.sep
MOST = {"a transition": 60, "a path": 80}
"""So many modules are to take part at most."""
CIRCLE = ROOT / "examples" / "paths" / "circle.csv"


def mannequin() -> Any:
    """The example character, in an empty file."""
    spec = importlib.util.spec_from_file_location(
        "make_clips", ROOT / "examples" / "humanoid" / "make_clips.py"
    )
    assert spec is not None
    assert spec.loader is not None
    clips = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(clips)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = clips.FPS
    return clips.build(bpy.context.scene)


def modules_of(work: Callable[[], object]) -> list[str]:
    """The package's modules of which a function runs while work is done, as paths within the package. It is
    done once before: what is compiled or looked up once a session is no part of the way."""
    work()
    files: set[str] = set()

    def note(frame: FrameType, event: str, _value: object) -> None:
        if event == "call" and frame.f_code.co_name != "<module>":
            files.add(frame.f_code.co_filename)

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return sorted(file.removeprefix(PACKAGE) for file in files if file.startswith(PACKAGE))


def transition(armature: Any) -> Callable[[], object]:
    """What bakes a transition with locked feet."""
    settings = TransitionSettings("Walk", "Run", 51.0, 10.0, feet="LOCK")
    return lambda: bake.bake_transition(armature, settings)


def path(armature: Any) -> Callable[[], object]:
    """What searches the way along a circle through clips that are analysed, and bakes it."""
    how = TransitionSettings("", "", 0.0, feet="LOCK")
    settings = PathSettings(how, points=str(CIRCLE), actions=("Walk", "Run"), greedy=False)
    clips = finish(stock.analysing(armature, settings, joints.named_weights(armature, "stored")))

    def follow() -> None:
        way = finish(search.searching(clips, settings, followed.of_file(settings)))
        finish(path_bake.baking(armature, way))

    return follow


def main() -> None:
    """Count, and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--list", action="store_true", help="name the modules, too")
    listed = parser.parse_args().list
    armature = mannequin()
    for name, prepared in (("a transition", transition), ("a path", path)):
        modules = modules_of(prepared(armature))
        layers = Counter(module.partition(os.sep)[0].removesuffix(".py") for module in modules)
        verdict = "met" if len(modules) <= MOST[name] else "NOT MET"
        shares = ", ".join(f"{layer} {count}" for layer, count in layers.most_common())
        print(f"{name}: {len(modules)} modules (at most {MOST[name]}: {verdict}): {shares}")
        for module in modules if listed else ():
            print(f"  {module}")
    sys.stdout.flush()
    # the bpy modules can hang at exit; everything is said
    os._exit(0)


if __name__ == "__main__":
    main()
