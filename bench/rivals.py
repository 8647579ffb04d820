# SPDX-License-Identifier: GPL-3.0-or-later
"""Inertia beside what one would use instead in Blender: what one sees, and what it takes.

    make rivals

Blender itself has three ways from one action to another: strips that follow each other, strips that fade into
each other, and that fade as keys (*Bake Action*). Random cuts are made in each way and by Inertia, played by
Blender on half frames, and measured by formulas that share no code with Inertia's judge. Other add-ons and
engines don't run here: docs/rivals.md has what they can do, from their own pages.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import measures
import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from inertia_addon import api
from inertia_addon.blender.data import compat
from inertia_addon.blender.transition import bake
from inertia_addon.blender.transition.meeting import PlanOptions
from inertia_addon.settings.transition import TransitionSettings
from tools import tables

Array = NDArray[np.float64]

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "rivals.md"
WINDOW, FPS = 12, 30.0
CLIPS = ("Idle", "Walk", "Run", "Turn")
FEET = ("foot.L", "foot.R", "toe.L", "toe.R")
LOW = 0.05
"""A joint of a foot this near to its lowest place, metres, stands."""
AROUND = 6
"""So many frames before the cut and behind the window are looked at, too."""


def cuts(count: int, seed: int) -> list[tuple[str, str, int, int]]:
    """Source, destination, cut and destination frame, at random."""
    chance, found = random.Random(seed), []
    while len(found) < count:
        source, destination = chance.sample(CLIPS, 2)
        last, end = (int(bpy.data.actions[name].frame_range[1]) for name in (source, destination))
        found.append((source, destination, chance.randint(10, last - WINDOW), chance.randint(2, end - 30)))
    return found


def strips(rig: Any, cut: tuple[str, str, int, int], fades: float) -> None:
    """Two strips, of which the second begins at the cut and fades in over so many frames."""
    source, destination, at, entry = cut
    rig.animation_data.action = None
    for name, start in ((source, 1.0), (destination, float(at - entry + 1))):
        action = bpy.data.actions[name]
        strip = rig.animation_data.nla_tracks.new().strips.new(name, round(start), action)
        if compat.has_slots():
            strip.action_slot = action.slots[0]
        strip.extrapolation = "HOLD" if name == source else "NOTHING"
        if name == destination:
            strip.action_frame_start, strip.frame_start = entry, at
            strip.frame_end = at + action.frame_range[1] - entry
            strip.blend_in = fades


def cleared(rig: Any) -> None:
    """Without strips."""
    for track in list(rig.animation_data.nla_tracks):
        rig.animation_data.nla_tracks.remove(track)


def played(rig: Any, frames: Array) -> dict[str, Array]:
    """Where Blender has all joints (frames, 3), by name."""
    names, found = rig.pose.bones.keys(), []
    for frame in frames.tolist():
        bpy.context.scene.frame_set(int(frame), subframe=frame % 1.0)
        seen = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
        found.append([tuple(seen.matrix_world @ bone.head) for bone in seen.pose.bones])
    return dict(zip(names, np.array(found).transpose(1, 0, 2), strict=True))


def figures(places: dict[str, Array]) -> tuple[float, float, float]:
    """The highest change of velocity, m/s, rms over joints; how far the worst foot skates, cm; and how far
    the hips go in a frame at most, cm."""
    whole = {name: path[::2] for name, path in places.items()}
    change = measures.velocity_changes(np.stack(list(whole.values()), axis=1), FPS).max()
    skate = 0.0
    for name in FEET:
        path = whole[name]
        low = path[:, 2] < path[:, 2].min() + 0.25 * LOW
        both = low[1:] & low[:-1]
        skate = max(skate, float(np.linalg.norm(np.diff(path[:, :2], axis=0), axis=1)[both].sum()))
    step = float(np.linalg.norm(np.diff(whole["hips"], axis=0), axis=1).max())
    return float(change), 100.0 * skate, 100.0 * step


def baked(rig: Any, cut: tuple[str, str, int, int]) -> None:
    """What strips show as keys of a new action, by Blender's own operator."""
    _, destination, at, entry = cut
    strips(rig, cut, float(WINDOW))
    last = at + int(bpy.data.actions[destination].frame_range[1]) - entry
    bpy.context.view_layer.objects.active = rig
    rig.select_set(True)
    bpy.ops.nla.bake(
        frame_start=1, frame_end=last, only_selected=False, visual_keying=False, bake_types={"POSE", "OBJECT"}
    )


def inertialized(rig: Any, cut: tuple[str, str, int, int]) -> None:
    """A transition, with Inertia's defaults."""
    source, destination, at, entry = cut
    api.bake(
        source=source, destination=destination, cut=at, destination_frame=entry, blend_frames=float(WINDOW)
    )


def aligned(rig: Any, cut: tuple[str, str, int, int]) -> None:
    """A cross-fade to the destination moved to where the source is, as one could do by hand."""
    source, destination, at, entry = cut
    settings = TransitionSettings(source, destination, float(at), float(entry), blend_frames=float(WINDOW))
    bake.bake_transition(rig, settings, options=PlanOptions(cross_fade=True))


WAYS: dict[str, Callable[[Any, tuple[str, str, int, int]], None]] = {
    "strips, one after the other": lambda rig, cut: strips(rig, cut, 0.0),
    "strips that cross-fade": lambda rig, cut: strips(rig, cut, float(WINDOW)),
    "cross-fade, then Bake Action": baked,
    "cross-fade, aligned by hand": aligned,
    "Inertia": inertialized,
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cuts", type=int, default=30)
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--write", action="store_true", help="write the table into docs/rivals.md, too")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="inertia-rivals-") as folder:
        clips = Path(folder) / "clips.blend"
        maker = ROOT / "examples" / "humanoid" / "make_clips.py"
        subprocess.run([sys.executable, maker, "-o", clips], check=True, stdout=subprocess.DEVNULL)
        api.read(clips)
        asked = cuts(given.cuts, given.seed)
        rows: dict[str, list[tuple[float, ...]]] = {name: [] for name in ("the clips themselves", *WAYS)}
        for cut in asked:
            for name, way in WAYS.items():
                api.read(clips)
                rig = bpy.data.objects["Mannequin"]
                before = time.process_time()
                way(rig, cut)
                took = time.process_time() - before
                frames = np.arange(cut[2] - AROUND, cut[2] + WINDOW + AROUND + 0.1, 0.5)
                rows[name].append((*figures(played(rig, frames)), 1000.0 * took))
            rows["the clips themselves"].append((*own(clips, cut), 0.0))
    heads = ["", "highest change of velocity, m/s", "skate, cm", "hips in a frame, cm", "processor, ms"]
    lines = [f"{given.cuts} random cuts, medians, and the worst in brackets", "", *tables.heads(heads)]
    for name, found in rows.items():
        middle, worst = np.median(found, axis=0), np.max(found, axis=0)
        cells = [f"{m:.{d}f} ({w:.{d}f})" for m, w, d in zip(middle[:3], worst[:3], (2, 1, 1), strict=True)]
        lines.append(tables.row([name, *cells, f"{middle[3]:.0f}" if middle[3] else ""]))
    print(*lines, sep="\n")
    if given.write:
        tables.write("rivals", lines, PAGE)


def own(clips: Path, cut: tuple[str, str, int, int]) -> tuple[float, float, float]:
    """The same of the two clips as they are, in as many frames: the higher of both."""
    api.read(clips)
    rig, found = bpy.data.objects["Mannequin"], []
    for name, at in ((cut[0], cut[2]), (cut[1], cut[3])):
        action = bpy.data.actions[name]
        compat.assign(rig, action, compat.slots(action)[0].identifier)
        first, last = action.frame_range
        begin = min(max(at - AROUND, first), max(last - WINDOW - 2 * AROUND, first))
        found.append(figures(played(rig, np.arange(begin, begin + WINDOW + 2 * AROUND + 0.1, 0.5))))
    change, skate, step = np.max(found, axis=0).tolist()
    return change, skate, step


if __name__ == "__main__":
    main()
