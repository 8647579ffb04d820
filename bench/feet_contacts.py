# SPDX-License-Identifier: GPL-3.0-or-later
"""How well contacts are found: the detector against a reference that is not it, on real motion.

    python bench/feet_contacts.py --data DATA [--write]

The reference looks at where a foot stays: at 120 samples a second, each moment counts as planted about which
there is some tenth of a second in which the point by which the foot stands stays within 0.012 leg lengths of
its mean there, no higher than 0.05 leg lengths above the lowest place that it comes to within 0.6 s. F1 is
the harmonic mean of how much of what the detector finds the reference has, and how much of what the reference
has the detector finds, in samples; once with the detector on 30 frames a second, as animators work, once on
120. *agree* is on how many of the samples both rates say the same. *scaled* is in how many samples the
contacts of a rig of 0.01 and of 100 times the size differ. *in place* is how many clips are taken for walks
in place, of which there are none.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from inertia_addon.blender import files
from inertia_addon.blender.data import clip_store, scene
from inertia_addon.blender.data.rig import armatures
from inertia_addon.blender.evaluation import joint_motion
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.feet import contacts as armature_contacts
from inertia_addon.blender.feet import legs
from inertia_addon.motion.feet import contacts
from inertia_addon.motion.feet.contacts import LevelGround, Spans
from inertia_addon.motion.steps import finish
from tools import tables

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

RATE = 120.0
WINDOW_SECONDS, STAYS, LOW = 0.1, 0.012, 0.05
AROUND_SECONDS = 0.6

SETS = {
    "cmu127, 03 to 12, 15 to 20": ("bvh/cmu127", "cmu127_{}_*.bvh", (*range(3, 13), *range(15, 21)), 0.01),
    "cmu127, 13, 14, 21 to 38": ("bvh/cmu127", "cmu127_{}_*.bvh", (13, 14, *range(21, 39)), 0.01),
    "cmu131": ("bvh/cmu131", "cmu131_{}_*_metres.bvh", (1, 2, 3), 1.0),
    "cmu02": ("bvh/cmu02", "cmu02_{}_*.bvh", range(1, 11), 0.01),
    "pab": ("fbx", "pab_atlas.fbx", (0,), 1.0),
}
"""By name: the folder below DATA, what files are called, the numbers in their names, and their scale."""


def reference(points: Array, length: float, rate: float = RATE) -> Flags:
    """When a foot is planted (n,): where it stays. points: (n, 3), ``rate`` a second, Z up."""
    count = round(WINDOW_SECONDS * rate)
    windows = np.lib.stride_tricks.sliding_window_view(points, count, axis=0)
    away = np.linalg.norm(windows - windows.mean(axis=-1, keepdims=True), axis=1).max(axis=-1)
    stays = np.zeros(len(points), bool)
    for first in np.flatnonzero(away <= STAYS * length):
        stays[first : first + count] = True
    around = round(AROUND_SECONDS * rate)
    padded = np.pad(points[:, 2], around, constant_values=np.inf)
    lowest = np.lib.stride_tricks.sliding_window_view(padded, 2 * around + 1).min(axis=1)
    return np.asarray(stays & (points[:, 2] - lowest < LOW * length))


def f1(found: Flags, wanted: Flags) -> float:
    """The harmonic mean of precision and recall."""
    return 2.0 * float((found & wanted).sum()) / max(float(found.sum() + wanted.sum()), 1.0)


class Set:
    """What is known of a set of clips: for each foot of each clip its labels (n,), 120 a second."""

    def __init__(self) -> None:
        self.wanted: list[Flags] = []
        self.coarse: list[Flags] = []
        self.fine: list[Flags] = []
        self.differ = self.passing = 0

    def look(self, path: Path, scale: float) -> None:
        """Add the clips of a file."""
        with contextlib.redirect_stdout(io.StringIO()):
            files.load([path], scale)
        armature = armatures()[0]
        own = legs.required(armature)
        lengths = [leg.length * armature_contacts.metres_per_unit(armature) for leg in own]
        for action in clip_store.unbaked(armature):
            clip = clip_store.read(armature, action)
            fps = scene.fps()
            fine = np.arange(clip.start, clip.end + 1e-6, fps / RATE)
            coarse = np.arange(clip.start, clip.end + 1e-6, fps / 30.0)
            placed = [(leg.point, leg.offset) for leg in own]
            at_120, at_30 = (
                finish(joint_motion.track_points_steps(read_character(armature), clip, placed, at))
                for at in (fine, coarse)
            )
            # as the product does: of none of these sets the ground should seem to pass
            passing = contacts.find_passing_ground(at_30, coarse, fps, np.array(lengths))
            self.passing += bool(passing.any())
            for k, length in enumerate(lengths):
                self.wanted.append(reference(at_120[:, k], length))
                self.fine.append(self._found(at_120[:, k], fine, fps, length))
                spans = contacts.find(at_30[:, k], coarse, fps, length, ground=LevelGround(passing))
                self.coarse.append(contacts.planted(_widened(spans, 0.5 * fps / 30.0), fine))
                for factor in (0.01, 100.0):
                    scaled = self._found(factor * at_120[:, k], fine, fps, factor * length)
                    self.differ += int((scaled != self.fine[-1]).sum())

    def _found(self, points: Array, frames: Array, fps: float, length: float) -> Flags:
        return contacts.planted(contacts.find(points, frames, fps, length), frames)

    def row(self, name: str) -> str:
        """A line of the table."""
        wanted, coarse, fine = (np.concatenate(each) for each in (self.wanted, self.coarse, self.fine))
        figures = (f1(coarse, wanted), f1(fine, wanted), float(np.mean(coarse == fine)))
        told = [f"{len(self.wanted)}", f"{wanted.mean():.2f}", *(f"{figure:.3f}" for figure in figures)]
        return tables.row([name, *told, str(self.differ), str(self.passing)])


def _widened(spans: Spans, frames: float) -> Spans:
    """Spans half a step longer on each side: what is planted at a sample is so halfway to the next."""
    return tuple(contacts.Span(span.start - frames, span.end + frames) for span in spans)


def table(data: Path, names: tuple[str, ...] = tuple(SETS)) -> list[str]:
    """The lines of the table, printed as they come."""
    heads = ["contacts", "feet", "planted", "F1, 30 fps", "F1, 120 fps", "agree", "scaled", "in place"]
    lines = tables.heads(heads)
    print("\n".join(lines))
    for name in names:
        folder, pattern, numbers, scale = SETS[name]
        known = Set()
        for number in numbers:
            for path in sorted((data / folder).glob(pattern.format(f"{number:02d}"))):
                known.look(path, scale)
        lines.append(known.row(name))
        print(lines[-1], flush=True)
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument(
        "--write", action="store_true", help="write the table into docs/reference/measured.md, too"
    )
    options = parser.parse_args()
    lines = table(options.data)
    if options.write:
        tables.write("contacts", lines)
    sys.stdout.flush()
    # the bpy modules can hang at exit; everything is said
    os._exit(0)


if __name__ == "__main__":
    main()
