# SPDX-License-Identifier: GPL-3.0-or-later
"""The curves at a cut: how far each method takes the bones, and how hard it pulls on the joints."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
import matplotlib as mpl
import numpy as np
from numpy.typing import NDArray

from inertia_addon.blender.data import actions, compat, rig
from inertia_addon.blender.data.actions import Clip
from inertia_addon.blender.transition.report import BakeReport
from inertia_addon.motion import quaternion
from inertia_addon.settings.transition import TransitionSettings

mpl.use("Agg")
import matplotlib.pyplot as plt

Array = NDArray[np.float64]

BEFORE, AFTER = 8, 8
"""Frames shown before the cut and after the window."""
COLOURS = {
    "quintic": "#d9480f",
    "quintic, zero jerk": "#e8a33d",
    "cubic": "#0c8599",
    "spring": "#7048e8",
    "dead blending": "#5c940d",
}
SOURCE, DESTINATION, INK, GRID = "#495057", "#adb5bd", "#212529", "#e9ecef"


def draw(armature: Any, settings: TransitionSettings, reports: dict[str, BakeReport], path: Path) -> None:
    """Draw the transition of each report into a PNG."""
    clips = {name: _clip(armature, name) for name in (settings.source, settings.destination)}
    results = {label: _clip(armature, report.result) for label, report in reports.items()}
    first = next(iter(reports.values()))
    start = first.settings["destination_frame"]
    end = max(report.window[1] for report in reports.values())
    frames = np.arange(settings.cut - BEFORE, end + AFTER + 0.01, 0.25)
    source, destination = clips[settings.source], clips[settings.destination]
    bones = _most_different(armature, source, settings.cut, destination, start)
    plt.rcParams.update({"font.family": "DejaVu Sans", "font.size": 9, "axes.edgecolor": DESTINATION})
    figure, axes = plt.subplots(len(bones) + 1, 1, figsize=(10.5, 2.3 * (len(bones) + 1)), sharex=True)
    for axis, bone in zip(axes, bones, strict=False):
        _draw_bone(axis, armature, bone, frames, settings.cut, source, destination, start, results)
    _draw_changes(axes[-1], armature, settings, start, reports, frames)
    for axis in axes:
        _tidy(axis, settings.cut, {label: report.window[1] for label, report in reports.items()})
    axes[-1].set_xlabel("frame")
    title = f"{settings.source} to {settings.destination}, cut at frame {settings.cut:g}"
    figure.text(0.065, 0.975, title, fontsize=14, fontweight="bold", color=INK, va="center")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="center left", bbox_to_anchor=(0.055, 0.948), ncols=7, fontsize=8, frameon=False
    )
    figure.tight_layout(rect=(0, 0, 1, 0.94))
    figure.savefig(path, dpi=130, facecolor="white")
    plt.close(figure)


def _clip(armature: Any, name: str) -> Clip:
    action = bpy.data.actions[name]
    return actions.read(action, actions.choose_slot(action, armature))


def _rotations(armature: Any, clip: Clip, bone: str, frames: Array) -> Array:
    mode = rig.rotation_mode(armature, bone)
    track = rig.rotation_track(clip, rig.bone_path(bone, ""), mode, frames)
    return np.tile(quaternion.IDENTITY, (len(frames), 1)) if track is None else track


def _most_different(
    armature: Any, source: Clip, cut: float, destination: Clip, start: float, count: int = 3
) -> list[str]:
    """The bones whose rotations differ most at the cut, one of a left and right pair."""
    angles = {}
    for bone in armature.pose.bones:
        here = _rotations(armature, source, bone.name, np.array([cut]))[0]
        there = _rotations(armature, destination, bone.name, np.array([start]))[0]
        turn = quaternion.log(quaternion.multiply(here, quaternion.conjugate(there)))
        angles[bone.name] = float(np.linalg.norm(turn))
    ranked = sorted(angles, key=lambda name: -angles[name])
    shown: list[str] = []
    for name in ranked:
        if bpy.utils.flip_name(name) not in shown and len(shown) < count:
            shown.append(name)
    return shown


def _draw_bone(
    axis: Any, armature: Any, bone: str, frames: Array, cut: float,
    source: Clip, destination: Clip, start: float, results: dict[str, Clip],
) -> None:  # fmt: skip
    """The angle about the axis along which the clips differ at the cut."""
    here = _rotations(armature, source, bone, np.array([cut]))[0]
    there = _rotations(armature, destination, bone, np.array([start]))[0]
    offset = quaternion.log(quaternion.multiply(here, quaternion.conjugate(there)))
    direction = offset / max(float(np.linalg.norm(offset)), 1e-9)

    def angle(clip: Clip, at: Array) -> Array:
        turned = quaternion.multiply(_rotations(armature, clip, bone, at), quaternion.conjugate(there))
        return np.degrees(quaternion.twist_angle(turned, direction))

    early = frames <= cut
    axis.plot(frames, angle(source, frames), color=SOURCE, lw=1, ls=(0, (2, 2)))
    axis.plot(frames, angle(destination, frames - cut + start), color=DESTINATION, lw=1, ls=(0, (2, 2)))
    axis.plot(frames[early], angle(source, frames[early]), color=SOURCE, lw=1.8, label="source")
    axis.plot([], [], color=DESTINATION, lw=1.5, ls=(0, (2, 2)), label="destination alone")
    for label, clip in results.items():
        late = frames >= cut
        axis.plot(frames[late], angle(clip, frames[late]), color=COLOURS[label], lw=1.8, label=label)
    axis.set_ylabel("degrees")
    axis.set_title(bone, loc="left", fontsize=10, color=INK)


def _joints(armature: Any, action: str, slot: str, frames: Array) -> Array:
    """Joint positions (frames, joints, 3) by Blender's own evaluation."""
    compat.assign(armature, bpy.data.actions[action], slot)
    scene = bpy.context.scene
    found = []
    for frame in frames:
        scene.frame_set(int(np.floor(frame)), subframe=float(frame % 1.0))
        world = armature.matrix_world
        found.append([world @ bone.head for bone in armature.pose.bones])
    return np.array(found)


def _draw_changes(
    axis: Any, armature: Any, settings: TransitionSettings, start: float,
    reports: dict[str, BakeReport], frames: Array,
) -> None:  # fmt: skip
    """The change of joint velocity from frame to frame, rms over the joints."""
    whole = np.arange(np.ceil(frames[0]), np.floor(frames[-1]) + 1.0)
    for label, report in reports.items():
        p = _joints(armature, report.result, report.slot, whole)
        change = np.linalg.norm(p[2:] - 2.0 * p[1:-1] + p[:-2], axis=-1) * report.fps
        axis.plot(whole[1:-1], np.sqrt(np.mean(change**2, axis=1)), color=COLOURS[label], lw=1.6)
    axis.set_ylabel("m/s")
    axis.set_ylim(bottom=0.0)
    axis.set_title("Change of joint velocity per frame", loc="left", fontsize=10, color=INK)


def _tidy(axis: Any, cut: float, ends: dict[str, float]) -> None:
    axis.axvline(cut, color=INK, lw=0.9)
    for label, end in ends.items():
        axis.axvline(end, color=COLOURS[label], lw=0.6, ls=":")
    axis.grid(color=GRID, lw=0.7)
    axis.set_axisbelow(True)
    axis.spines[["top", "right"]].set_visible(False)
    axis.margins(x=0.01)
