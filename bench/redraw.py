# SPDX-License-Identifier: GPL-3.0-or-later
"""What the panels and overlays cost in a redraw in which nothing has changed, in milliseconds.

    python bench/redraw.py [--rounds 50]

The panels that are unfolded as each mode of the tab is first shown are drawn into a layout that swallows
everything, and what the overlays show is asked for as the 3D View does: for a rig of 56 bones with 14 strips
in the NLA, and for one of 160 bones with 533 constraints whose clips Blender has played. The first number is
without any change since the last redraw; the second after the object was tagged as posed, which may change
everything. Then, of a rig of 65 bones, what it costs to show a frame of a preview, and to renew it.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import os
import statistics
import sys
import time
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from goals import whether

import bench
from inertia_addon import registration
from inertia_addon.blender.data import compat
from inertia_addon.motion.steps import finish
from inertia_addon.ui import panels
from inertia_addon.ui.cost import costs, joint_trajectories
from inertia_addon.ui.judging import live
from inertia_addon.ui.overlay import build
from inertia_addon.ui.overlay.switches import plot_switches
from inertia_addon.ui.shared import cache, tab
from inertia_addon.ui.transition import previewing

STRIPS, STRIP_BONES = 14, 56
CONSTRAINTS, CONSTRAINED_BONES = 533, 160
PREVIEWED_BONES = 65


class Nothing:
    """A layout that takes every call and draws nothing."""

    def __getattr__(self, name: str) -> Any:
        if name == "panel":
            return lambda *_arguments, **_options: (self, self)
        return lambda *_arguments, **_options: self

    def __setattr__(self, name: str, value: Any) -> None:
        pass


def make_rig(bones: int, clips: int, frames: int) -> Any:
    """A rig with clips, the first two of which are chosen."""
    bench.BONES = bones
    rig = bench.make_rig()
    case = bench.Case(frames, 0, 0)
    made = [bench.make_clip(f"Clip {i:02}", i, 4, case) for i in range(clips)]
    registration.register()
    rig.inertia.source, rig.inertia.destination = made[:2]
    rig.inertia.cut = frames // 2
    compat.assign(rig, made[0], compat.slots(made[0])[0].identifier)
    return rig


def with_strips(rig: Any) -> None:
    """Each clip as a strip, as the glTF importer leaves them."""
    for action in sorted(bpy.data.actions, key=lambda action: action.name):
        strip = rig.animation_data.nla_tracks.new().strips.new(action.name, 0, action)
        if compat.has_slots():
            strip.action_slot = action.slots[0]


def with_constraints(rig: Any) -> None:
    """Constraints to bones of the same rig, that do little."""
    bones = rig.pose.bones
    for i in range(CONSTRAINTS):
        bone = bones[1 + i % (len(bones) - 1)]
        constraint = bone.constraints.new(("COPY_ROTATION", "LIMIT_ROTATION", "DAMPED_TRACK")[i % 3])
        if hasattr(constraint, "target"):
            constraint.target, constraint.subtarget = rig, bones[0].name
        constraint.influence = 0.01


def mode_of(part: Any) -> str:
    """The mode in which a panel shows, "" for all."""
    while part.parent is not None:
        part = part.parent
    return str(part.mode)


def draw_mode(mode: str, context: Any) -> None:
    """The unfolded panels of a mode once."""
    for part in panels.PARTS:
        if mode_of(part) in ("", mode) and "DEFAULT_CLOSED" not in part.bl_options:
            with cache.one_redraw():
                if not hasattr(part, "poll") or part.poll(context):
                    part.draw(types.SimpleNamespace(layout=Nothing()), context)


def draw_view3d(context: Any) -> None:
    """What a 3D View shows."""
    build.view3d_overlay(context)
    joint_trajectories.tinted_bones(context)


REDRAWS = {
    **{f"panels, {name}": functools.partial(draw_mode, mode) for mode, name, _ in tab.ITEMS},
    "3D View": draw_view3d,
    "Dope Sheet": build.time_overlay,
}
DRAWN = {"curves", "map", "offsets", "ghosts", "tint", "timelines", "root_motion", "root_timelines"}
"""The overlays that are on."""
MOST = 1.0
"""So many milliseconds at most, when nothing has changed."""


def milliseconds(
    redraw: Callable[[Any], object], rounds: int, context: Any, before: Callable[[], None] = lambda: None
) -> float:
    """The median of a redraw, after a change each."""
    found = []
    for _ in range(rounds):
        before()
        began = time.perf_counter()
        redraw(context)
        found.append(1e3 * (time.perf_counter() - began))
    return statistics.median(found)


def measure(label: str, rig: Any, rounds: int) -> None:
    """Print what a redraw costs."""
    shown = bpy.context.scene.inertia_overlay
    # without a workspace those of all modes would show
    for each in plot_switches():
        setattr(shown, each.name, each.name in DRAWN)
    rig.data.bones.active = rig.data.bones[1]
    finish(costs.evaluate_steps(rig))
    context = types.SimpleNamespace(
        object=rig,
        selected_objects=[rig],
        scene=bpy.context.scene,
        preferences=bpy.context.preferences,
        region=types.SimpleNamespace(width=280),
        workspace=None,
        window_manager=bpy.context.window_manager,
        view_layer=bpy.context.view_layer,
        mode="OBJECT",
        space_data=types.SimpleNamespace(mode="ACTION", overlay=types.SimpleNamespace(show_overlays=True)),
    )

    def pose() -> None:
        rig.pose.bones[2].location.x += 0.001
        bpy.context.view_layer.update()

    draw_mode(tab.JOIN, context)
    # in a window a verdict is made between redraws
    judge, live.VerdictJob.judge = live.VerdictJob.judge, lambda *_arguments: None
    print(f"  {label}")
    for name, redraw in REDRAWS.items():
        redraw(context)
        still = milliseconds(redraw, rounds, context)
        posed = milliseconds(redraw, rounds, context, pose)
        told = whether(still, MOST, " ms")
        print(f"    {name}: {told} when nothing has changed, {posed:.2f} ms after a bone was posed")
    live.VerdictJob.judge = judge


def measure_preview(rig: Any, rounds: int) -> None:
    """Print what a frame of a preview costs, and to renew one."""
    scene, frames = bpy.context.scene, itertools.cycle(range(10, 50))

    def show(_context: Any) -> None:
        scene.frame_set(next(frames))

    def change() -> None:
        rig.inertia.blend_frames = 5.0 + (rig.inertia.blend_frames + 1.0) % 20.0

    plain = milliseconds(show, rounds, None)
    previewing.REST = 0.0
    previewing.begin(scene, rig)
    shown = milliseconds(show, rounds, None)
    renewed = milliseconds(lambda _context: previewing.watch(), rounds, None, change)
    previewing.end()
    print(f"    preview: a frame in {shown:.2f} ms, {plain:.2f} ms without it; renewed in {renewed:.2f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=50)
    rounds = parser.parse_args().rounds
    # in a window Blender has said what has changed before it draws
    cache.settle = lambda: None
    print(f"Blender {bpy.app.version_string}: a redraw of all panels and overlays, medians of {rounds}")
    rig = make_rig(STRIP_BONES, STRIPS, 60)
    with_strips(rig)
    measure(f"{STRIP_BONES} bones, {STRIPS} strips", rig, rounds)
    registration.unregister()
    rig = make_rig(PREVIEWED_BONES, 2, 60)
    print(f"  {PREVIEWED_BONES} bones")
    measure_preview(rig, rounds)
    registration.unregister()
    rig = make_rig(CONSTRAINED_BONES, 2, 60)
    with_constraints(rig)
    measure(f"{CONSTRAINED_BONES} bones, {CONSTRAINTS} constraints", rig, rounds)
    registration.unregister()
    sys.stdout.flush()
    # the bpy modules can hang at exit; everything is said
    os._exit(0)


if __name__ == "__main__":
    main()
