# SPDX-License-Identifier: GPL-3.0-or-later
"""A result of each kind that there is, of a small set of clips."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy

from inertia_addon import api
from inertia_addon.blender.data import compat
from inertia_addon.blender.transition import bake
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import builders, wanderer

ENDS = {"source": "Walk", "destination": "Turn"}
ALL = ("Walk", "Turn", "Bend", "Stand")
WAY = "Way"
"""The curve that paths follow."""


def dirty(name: str, frame: float = 21.0, turn: float = 0.5) -> Any:
    """Return a copy of the walk whose chest is turned out of place on one frame."""
    action = bpy.data.actions["Walk"].copy()
    action.name = name
    (slot,) = compat.slots(action)
    path = builders.bone_path("chest", "rotation_quaternion")
    curves = [each for each in compat.curves(action, slot.identifier) if each.data_path == path]
    if not curves:
        keys = [(float(at), (1.0, turn * (at == frame), 0.0, 0.0)) for at in range(1, 32)]
        builders.curves(action, path, keys, interpolation="LINEAR", slot=slot.identifier)
    for curve in curves:
        for key in curve.keyframe_points:
            key.co.y += turn * (curve.array_index == 1) * (key.co.x == frame)
    return action


def curves_of(action: Any) -> list[Any]:
    """Return the F-curves of an action's only slot."""
    (slot,) = compat.slots(action)
    return list(compat.curves(action, slot.identifier))


def jumping(name: str, frame: float = 16.0, back: float = 6.0) -> Any:
    """Return a copy of the walk that from a frame on shows what it showed so many frames before."""
    action = bpy.data.actions["Walk"].copy()
    action.name = name
    for curve in curves_of(action):
        values = {key.co.x: key.co.y for key in curve.keyframe_points}
        for key in curve.keyframe_points:
            if key.co.x >= frame:
                key.co.y = values[key.co.x - back]
    return action


def _jump(armature: Any, _source: str, _folder: Path) -> str:
    settings = TransitionSettings(
        *(
            "Jumping",
            "Jumping",
            16.0,
            16.0,
        ),
        smooth_jump=True,
        feet="OFF",
        alignment="NONE",
    )
    return bake.bake_transition(armature, settings).result


def _model(armature: Any, _source: str, folder: Path) -> str:
    model = folder / "model.npz"
    if not model.exists():
        quick = {"iterations": 1, "windows": 8, "hidden": 4, "latent": 2}
        api.learn(armature, actions=ALL, mirror=True, **quick, output=model)
    return api.path(armature, curve=WAY, model=str(model)).action


def _by(command: str, **asked: Any) -> Callable[[Any, str, Path], str]:
    def made(armature: Any, source: str, _folder: Path) -> str:
        own = {"action": source} if "action" in api.settings(command) else {}
        own = {"source": source} if "source" in api.settings(command) else own
        return api.run(command, armature, **{**asked, **own}).action

    return made


def _path(armature: Any, source: str, _folder: Path) -> str:
    return api.path(armature, curve=WAY, actions=(source, "Turn"), width=4).action


def _take(armature: Any, source: str, folder: Path) -> str:
    wishes = folder / "wishes.csv"
    wishes.write_text("0,0.6,0\n1,0.6,20\n", encoding="utf-8")
    return api.steer(armature, input=str(wishes), actions=(source, "Turn")).action


MADE: dict[str, Callable[[Any, str, Path], str]] = {
    "transition": _by("bake", destination="Turn", cut=12.0, destination_frame=15.0),
    "jump": _jump,
    "hop": _by(
        "hop", destination="Turn", clips="Bend", longest_stay=2, wait_weight=0, blend_frames=4, trigger=10
    ),
    "fill": _by("fill", destination="Turn", cut=16.0, destination_frame=9.0, gap_frames=12.0, actions="Bend"),
    "loop": _by("loop", range=(5, 29)),
    "path": _path,
    "take": _take,
    "model": _model,
    "travel": _by("travel", in_place=True),
    "feet": _by("feet"),
    "pops": lambda armature, _source, folder: _by("pops", repair=True)(armature, "Dirty", folder),
    "finish": lambda armature, _source, folder: _by("finish")(armature, "Dirty", folder),
    "fewer keys": _by("keys"),
}
"""What makes a result of each kind, of an armature, of an action, with a folder for files beside it."""


def character() -> Any:
    """Open a file with the armature, its clips, one with a pop, one that jumps, and a curve to follow; return
    the armature.
    """
    armature = wanderer.with_clips(frames=31)
    wanderer.draw_curve(WAY, 1.2)
    dirty("Dirty")
    jumping("Jumping")
    return armature
