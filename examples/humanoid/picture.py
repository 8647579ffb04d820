# SPDX-License-Identifier: GPL-3.0-or-later
"""A sheet of the clips' key poses as stick figures, from Blender's own evaluation of the actions."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import bpy
import matplotlib
import numpy as np
from mathutils import Vector

from inertia_addon.blender.mannequin.maths import Array, rotate_x, rotate_z
from inertia_addon.blender.mannequin.rig import assign_action
from inertia_addon.blender.mannequin.skeleton import BONES

matplotlib.use("Agg")
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

_PAPER, _INK, _FAINT = "#faf8f4", "#2b2d33", "#b9b5ac"
_SIDE = {"L": "#0f8b94", "R": "#e2672b", "": _INK}
_QUIET = "#77736a"


@dataclasses.dataclass(frozen=True)
class Panel:
    """Which frames of a clip are drawn, seen from ``yaw`` degrees to the character's left of ahead.

    spread: metres between the figures on the sheet; None keeps their true places and shows the trails.
    tilt: degrees that the eye is above the horizon, in places where depth on the ground matters.
    """

    clip: str
    title: str
    frames: tuple[int, ...]
    words: tuple[str, ...] = ()
    yaw: float = -80.0
    spread: float | None = 0.64
    tilt: float = 0.0


_PANELS = (
    Panel(
        "Idle",
        "one breath, and the weight to the right and back",
        tuple(range(1, 122, 15)),
        yaw=28.0,
        tilt=12.0,
    ),
    Panel(
        "Turn",
        "head first, then chest, then hips; on the right from above",
        (1, 9, 17, 25, 33, 42, 52),
        yaw=28.0,
        tilt=12.0,
    ),
    Panel(
        "Walk",
        "one cycle, pulled apart",
        (1, 4, 9, 13, 17, 20, 25, 29, 33),
        ("contact", "down", "passing", "up"),
    ),
    Panel("Walk", "as it travels, every eighth frame", tuple(range(1, 98, 8)), spread=None),
    Panel(
        "Run",
        "one cycle, pulled apart",
        (1, 4, 7, 9, 11, 14, 17, 19, 21),
        ("contact", "down", "toe-off", "flight"),
    ),
    Panel("Run", "as it travels, every fifth frame", tuple(range(1, 42, 5)), spread=None),
)


def poses(scene: bpy.types.Scene, rig: bpy.types.Object, action: bpy.types.Action) -> dict[str, Array]:
    """Every bone's head and tail in every frame of ``action``, (frames, 2, 3), in world space; and a nose."""
    assign_action(rig, action)
    first, last = (int(frame) for frame in action.frame_range)
    out: dict[str, list[Array]] = {name: [] for name in BONES}
    noses = []
    for frame in range(first, last + 1):
        scene.frame_set(frame)
        for name, ends in out.items():
            bone = rig.pose.bones[name]
            ends.append(np.array([rig.matrix_world @ bone.head, rig.matrix_world @ bone.tail]))
        noses.append(
            [rig.matrix_world @ rig.pose.bones["head"].matrix @ Vector((0.0, 0.1, z)) for z in (0.1, 0.16)]
        )
    return {name: np.array(ends) for name, ends in out.items()} | {"nose": np.array(noses)}


def _seen(points: Array, panel: Panel) -> Array:
    """Where points are on the sheet, (..., 2), and how near the eye, as a third coordinate."""
    turned = points @ (rotate_x(panel.tilt) @ rotate_z(-panel.yaw)).T
    return np.stack([turned[..., 0], turned[..., 2], -turned[..., 1]], axis=-1)


def _side(name: str) -> str:
    return name[-1] if "." in name else ""


def _figure(axes: Axes, bones: dict[str, Array], panel: Panel, shift: float) -> None:
    flat = {name: _seen(ends, panel) for name, ends in bones.items() if name != "root"}
    flat["across"] = np.array([flat["thigh.L"][0], flat["thigh.R"][0]])
    # What is nearer the eye is drawn later, over a rim of paper.
    for name in sorted(flat, key=lambda name: flat[name][:, 2].mean()):
        x, y, _ = flat[name].T
        x = x + shift
        colour = _INK if name.startswith("shoulder") else _SIDE[_side(name)]
        if name == "head":
            axes.add_patch(plt.Circle((x.mean(), y.mean()), 0.105, fc=_PAPER, ec=colour, lw=2.0, zorder=3))
            continue
        axes.plot(x, y, color=_PAPER, lw=5.0, solid_capstyle="butt", zorder=3)
        axes.plot(x, y, color=colour, lw=2.6, solid_capstyle="round", zorder=3)


def _trails(axes: Axes, bones: dict[str, Array], panel: Panel, frames: slice) -> None:
    for name, end in (("head", 1), ("hand.L", 0), ("hand.R", 0), ("hips", 0), ("foot.L", 0), ("foot.R", 0)):
        x, y, _ = _seen(bones[name][frames, end], panel).T
        strong = name.startswith(("foot", "hips"))
        colour = _SIDE[_side(name)]
        axes.plot(x, y, color=colour, lw=1.2 if strong else 0.7, alpha=0.8 if strong else 0.4, zorder=4)
        if strong:
            axes.scatter(x, y, s=7, color=colour, lw=0, zorder=4)


def _prints(axes: Axes, bones: dict[str, Array], middle: Array) -> None:
    """The turn from above: the feet where they stand, and the hips' way with where they face."""
    scale = 2.3

    def above(points: Array) -> Array:
        return middle[:, None] + scale * points[..., :2].T

    for side in "LR":
        ankle, toe = bones[f"foot.{side}"][:, 0], bones[f"toe.{side}"][:, 1]
        axes.plot(*above(ankle), color=_SIDE[side], lw=1.2, zorder=4)
        still = np.linalg.norm(np.gradient(ankle, axis=0), axis=1) < 1e-4
        for i in np.flatnonzero(np.diff(still, prepend=False) & still):
            sole = np.array([ankle[i] - 0.2 * (toe[i] - ankle[i]), toe[i]])
            axes.plot(*above(sole), color=_SIDE[side], lw=13, alpha=0.28, solid_capstyle="round", zorder=2)
    hips = bones["hips"][:, 0]
    ahead = np.cross(bones["thigh.L"][:, 0] - bones["thigh.R"][:, 0], [0.0, 0.0, 1.0])
    axes.plot(*above(hips), color=_INK, lw=1.4, zorder=4)
    for start, end in zip(above(hips).T[::10], above(hips + 0.7 * ahead).T[::10], strict=True):
        axes.annotate("", end, start, arrowprops={"arrowstyle": "->", "color": _INK, "lw": 0.9, "alpha": 0.8})


def _draw_panel(axes: Axes, panel: Panel, bones: dict[str, Array]) -> None:
    if panel.spread is None:
        _trails(axes, bones, panel, slice(0, panel.frames[-1]))
    for i, frame in enumerate(panel.frames):
        now = {name: ends[frame - 1] for name, ends in bones.items()}
        place = _seen(now["root"][0], panel)[0]
        shift = 0.0 if panel.spread is None else i * panel.spread - place
        _figure(axes, now, panel, shift)
        axes.text(place + shift, -0.20, f"{frame}", ha="center", va="top", fontsize=9, color=_INK)
        if panel.words:
            word = panel.words[i % len(panel.words)]
            axes.text(place + shift, -0.33, word, ha="center", va="top", fontsize=8.5, color=_QUIET)
    if panel.tilt == 0:
        axes.axhline(-0.01, color=_FAINT, lw=0.9, zorder=1)
    if panel.clip == "Turn":
        _prints(axes, bones, np.array([4.9, 0.80]))
    axes.text(-0.62, 2.02, panel.clip, fontsize=19, fontweight="bold", color=_INK)
    axes.text(0.02, 2.03, panel.title, fontsize=11, color=_QUIET)
    axes.set(xlim=(-0.7, 6.0), ylim=(-0.48, 2.25), aspect="equal")
    axes.axis("off")


def draw(scene: bpy.types.Scene, rig: bpy.types.Object, actions: list[bpy.types.Action], path: Path) -> None:
    """Write the sheet to ``path``; ``rig`` is left with the last action assigned."""
    clips = {action.name: poses(scene, rig, action) for action in actions}
    figure, grid = plt.subplots(len(_PANELS) // 2, 2, figsize=(19, 11.6), facecolor=_PAPER)
    for axes, panel in zip(grid.flat, _PANELS, strict=True):
        _draw_panel(axes, panel, clips[panel.clip])
    figure.subplots_adjust(0.005, 0.005, 0.995, 0.995, hspace=0.0, wspace=0.01)
    figure.savefig(path, dpi=84, facecolor=_PAPER, pil_kwargs={"optimize": True})
    plt.close(figure)
