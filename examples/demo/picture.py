# SPDX-License-Identifier: GPL-3.0-or-later
"""The curves at a cut: how far each method takes the bones, and how hard it pulls on the joints."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from inertia_addon.blender.data import actions, compat, rig
from inertia_addon.blender.data.actions import Clip
from inertia_addon.blender.data.channels import transform
from inertia_addon.blender.files import picture_files
from inertia_addon.blender.transition.report import BakeReport
from inertia_addon.motion import quaternion
from inertia_addon.plots.chart import sheet
from inertia_addon.plots.line_chart import ChartSeries, LineChart
from inertia_addon.plots.shapes import BLACK, Colour
from inertia_addon.settings.transition import TransitionSettings

Array = NDArray[np.float64]

BEFORE, AFTER = 8, 8
"""Frames shown before the cut and after the window."""
COLOURS: dict[str, Colour] = {
    "quintic": (0.851, 0.282, 0.059, 1.0),
    "quintic, zero jerk": (0.910, 0.639, 0.239, 1.0),
    "cubic": (0.047, 0.522, 0.600, 1.0),
    "spring": (0.439, 0.282, 0.910, 1.0),
    "dead blending": (0.361, 0.580, 0.051, 1.0),
}
SOURCE: Colour = (0.286, 0.314, 0.341, 1.0)
ALONE, DESTINATION_ALONE = (*SOURCE[:3], 0.75), (0.678, 0.710, 0.741, 1.0)
"""Of what would have gone on, and of what comes, without a transition."""
SIZE = (1000, 170)
"""Of one plot, pixels."""


def draw(armature: Any, settings: TransitionSettings, reports: dict[str, BakeReport], path: Path) -> None:
    """Draw the transition of each report into a file."""
    clips = {name: _clip(armature, name) for name in (settings.source, settings.destination)}
    results = {label: _clip(armature, report.result) for label, report in reports.items()}
    first = next(iter(reports.values()))
    start = first.settings["destination_frame"]
    ends = {label: report.window[1] for label, report in reports.items()}
    frames = np.arange(settings.cut - BEFORE, max(ends.values()) + AFTER + 0.01, 0.25)
    source, destination = clips[settings.source], clips[settings.destination]
    rules = [(settings.cut, BLACK), *((end, (*COLOURS[label][:3], 0.4)) for label, end in ends.items())]
    shared = {"rules": rules, "size": SIZE, "x_range": (float(frames[0]), float(frames[-1]))}
    title = f"{settings.source} to {settings.destination}, cut at frame {settings.cut:g}: "
    charts = []
    for bone in _most_different(armature, source, settings.cut, destination, start):
        series = _angles(armature, bone, frames, settings.cut, source, destination, start, results)
        if charts:  # one legend is enough
            series = [dataclasses.replace(each, label="") for each in series]
            title = ""
        charts.append(LineChart(series=series, title=f"{title}{bone}", y_label="degrees", **shared))
    charts.append(
        LineChart(
            series=_changes(armature, reports, frames),
            title="Change of joint velocity per frame",
            x_label="frame",
            y_label="m/s",
            **shared,
        )
    )
    picture_files.save(sheet(charts), path)


def _clip(armature: Any, name: str) -> Clip:
    action = bpy.data.actions[name]
    return actions.read(action, actions.choose_slot(action, armature))


def _rotations(armature: Any, clip: Clip, bone: str, frames: Array) -> Array:
    mode = rig.rotation_mode(armature, bone)
    turns = transform(clip, rig.bone_path(bone, ""), "rotation", mode)
    return turns.decode(turns.raw(frames))


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


def _angles(
    armature: Any, bone: str, frames: Array, cut: float,
    source: Clip, destination: Clip, start: float, results: dict[str, Clip],
) -> list[ChartSeries]:  # fmt: skip
    """The angle about the axis along which the clips differ at the cut."""
    here = _rotations(armature, source, bone, np.array([cut]))[0]
    there = _rotations(armature, destination, bone, np.array([start]))[0]
    offset = quaternion.log(quaternion.multiply(here, quaternion.conjugate(there)))
    direction = offset / max(float(np.linalg.norm(offset)), 1e-9)

    def angle(clip: Clip, at: Array) -> Array:
        turned = quaternion.multiply(_rotations(armature, clip, bone, at), quaternion.conjugate(there))
        return np.degrees(quaternion.twist_angle(turned, direction))

    early, late = frames[frames <= cut], frames[frames >= cut]
    return [
        ChartSeries("", late, angle(source, late), ALONE, 1.2),
        ChartSeries("source", early, angle(source, early), SOURCE),
        ChartSeries(
            "destination alone", frames, angle(destination, frames - cut + start), DESTINATION_ALONE, 1.2
        ),
        *(ChartSeries(label, late, angle(clip, late), COLOURS[label]) for label, clip in results.items()),
    ]


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


def _changes(armature: Any, reports: dict[str, BakeReport], frames: Array) -> list[ChartSeries]:
    """The change of joint velocity from frame to frame, rms over the joints."""
    whole = np.arange(np.ceil(frames[0]), np.floor(frames[-1]) + 1.0)
    found = []
    for label, report in reports.items():
        p = _joints(armature, report.result, report.slot, whole)
        change = np.linalg.norm(p[2:] - 2.0 * p[1:-1] + p[:-2], axis=-1) * report.fps
        found.append(ChartSeries("", whole[1:-1], np.sqrt(np.mean(change**2, axis=1)), COLOURS[label]))
    return found
