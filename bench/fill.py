# SPDX-License-Identifier: GPL-3.0-or-later
"""How well gaps are filled that were cut out of real motion, beside interpolation and what was cut out.

    python bench/fill.py --data DATA [--set NAME ...] [--gaps 60] [--seed 1] [--write]

--gaps gaps of 0.5, 1 and 2 s each are shared out over the sets and their clips: each is cut out of a clip
that is then not in the set, and filled from the others and their mirror images. Beside it stand spherical
interpolation of all rotations with the root along a cubic, inertialization from both sides (`--no-library`),
and what was cut out. Measured is what Blender plays:

- *joints*: the distance of all joints in the world from what was cut out, each number divided by its
  standard deviation over the set, as L2P in F. G. Harvey et al., "Robust Motion In-betweening" (2020);
- *NPSS*: how unlike the power spectra of all joints' rotations are, over the gap (A. Gopalakrishnan et al.,
  "A Neural Temporal Model for Human Motion Prediction", 2019);
- *skate*: how far feet skate on the ground in a gap, the mean over feet and gaps, and *change*: the highest
  change of velocity, rms over the joints, the mean over gaps; both over what those have that were cut out;
- *arrival*: how far joints are from where they should be on the frame of the arrival, cm, at most.

The last rows are of all sets together. Goals stand behind figures; it exits 1 where one is missed, or a gap
is not filled. With --write the table goes into docs/reference/measured.md.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import functools
import io
import operator
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from measures import CONTACT_HEIGHT, foot_skates, velocity_changes

from inertia_addon.blender import files
from inertia_addon.blender.data import compat
from inertia_addon.blender.evaluation import joints
from inertia_addon.blender.fill import bake, search
from inertia_addon.errors import InertiaError
from inertia_addon.motion.steps import finish
from inertia_addon.settings.fill import FillSettings
from inertia_addon.settings.transition import TransitionSettings
from tools import tables

Array = NDArray[np.float64]

SETS = {
    "cmu127": ("bvh/cmu127", [f"*_{i:02d}_*.bvh" for i in range(3, 39)], 0.01),
    "cmu131": ("bvh/cmu131", ["*_metres.bvh"], 1.0),
    "cmu02": ("bvh/cmu02", ["*.bvh"], 0.01),
}
"""By name: where its files are, which, and their scale."""
SECONDS = (0.5, 1.0, 2.0)
BESIDE = 0.5
"""So many seconds of the clip are left on both sides of a gap, at least."""
HEADS = ["gap", "filled by", "joints", "NPSS", "skate, times its own", "change, times its own", "arrival, cm"]
GOALS = {"skate": 1.2, "change": 1.1, "arrival": 1.0}
WAYS = ("clips", "both sides", "interpolation", "cut out")


@dataclasses.dataclass
class Shown:
    """What is played of a gap and a frame on both sides: positions (frames, joints, 3) of the joints and
    rotations (frames, joints, 4) in the world, metres."""

    positions: Array
    rotations: Array


class Character:
    """An armature of a set, as Blender plays it."""

    def __init__(self, armature: Any) -> None:
        self.armature = armature
        found = joints.default_joints(armature)
        self.weights = joints.named_weights(armature, "found")
        names = list(armature.pose.bones.keys())
        self.feet = [names.index(joint.bone) for joint in found if joint.role == "FOOT"]
        self.root = names.index(next(bone.name for bone in armature.pose.bones if bone.parent is None))
        self.parents = [names.index(b.parent.name) if b.parent else -1 for b in armature.pose.bones]

    def played(self, name: str, frames: Array) -> Shown:
        """What an action shows at frames."""
        action = bpy.data.actions[name]
        compat.assign(self.armature, action, compat.slots(action)[0].identifier)
        places, turns = [], []
        for frame in frames.tolist():
            bpy.context.scene.frame_set(int(frame))
            matrices = [self.armature.matrix_world @ bone.matrix for bone in self.armature.pose.bones]
            places.append([m.translation[:] for m in matrices])
            turns.append([m.to_quaternion()[:] for m in matrices])
        compat.assign(self.armature, None)
        return Shown(np.array(places, float), np.array(turns, float))


def product(a: Array, b: Array) -> Array:
    """Products of quaternions (..., 4), w first."""
    w = a[..., :1] * b[..., :1] - np.sum(a[..., 1:] * b[..., 1:], -1, keepdims=True)
    v = a[..., :1] * b[..., 1:] + b[..., :1] * a[..., 1:] + np.cross(a[..., 1:], b[..., 1:])
    return np.concatenate([w, v], axis=-1)


def inverse(q: Array) -> Array:
    return q * (1.0, -1.0, -1.0, -1.0)


def rotated(q: Array, v: Array) -> Array:
    """Vectors (..., 3) turned by quaternions."""
    u = q[..., 1:]
    return v + 2.0 * np.cross(u, np.cross(u, v) + q[..., :1] * v)


def slerp(a: Array, b: Array, t: Array) -> Array:
    """From quaternions (n, 4) to others, at parts (m,): (m, n, 4)."""
    b = np.where(np.sum(a * b, -1, keepdims=True) < 0.0, -b, b)
    angle = np.arccos(np.clip(np.sum(a * b, -1), -1.0, 1.0))[None, :, None]
    t = t[:, None, None]
    small = angle < 1e-6
    sine = np.where(small, 1.0, np.sin(angle))
    mixed = np.where(small, (1 - t) * a + t * b, (np.sin((1 - t) * angle) * a + np.sin(t * angle) * b) / sine)
    return mixed / np.linalg.norm(mixed, axis=-1, keepdims=True)


def interpolated(character: Character, truth: Shown) -> Shown:
    """All rotations by slerp in their parents' space, and the root along a cubic with both velocities.

    truth: a frame more on both sides, of which these two and the gap's own ends count.
    """
    n, parents = len(truth.positions) - 2, character.parents
    t = np.linspace(0.0, 1.0, n)
    local, offsets = truth.rotations[[1, -2]].copy(), np.zeros((2, len(parents), 3))
    for i, parent in enumerate(parents):
        if parent >= 0:
            back = inverse(truth.rotations[[1, -2], parent])
            local[:, i] = product(back, truth.rotations[[1, -2], i])
            offsets[:, i] = rotated(back, truth.positions[[1, -2], i] - truth.positions[[1, -2], parent])
    turns = slerp(local[0], local[1], t)
    root = truth.positions[:, character.root]
    h, span = t[:, None], n - 1
    leaving, arriving = (root[1] - root[0]) * span, (root[-1] - root[-2]) * span
    way = (
        (2 * h**3 - 3 * h**2 + 1) * root[1]
        + (h**3 - 2 * h**2 + h) * leaving
        + (3 * h**2 - 2 * h**3) * root[-2]
        + (h**3 - h**2) * arriving
    )
    positions = np.zeros((n, len(parents), 3))
    for i, parent in enumerate(parents):
        if parent < 0:
            positions[:, i] = way + (truth.positions[1, i] - root[1])
        else:
            turns[:, i] = product(turns[:, parent], turns[:, i])
            between = (1 - h) * offsets[0, i] + h * offsets[1, i]
            positions[:, i] = positions[:, parent] + rotated(turns[:, parent], between)
    ends = truth.positions, truth.rotations
    made = [np.concatenate([e[:1], m, e[-1:]]) for e, m in zip(ends, (positions, turns), strict=True)]
    return Shown(*made)


def spectra_apart(one: Shown, two: Shown) -> tuple[Array, Array]:
    """How unlike the power spectra of a gap's rotations are, and the power of the first, each
    (rotations,)."""
    spectra = []
    for shown in (one, two):
        # one sign through time, that both begin with
        q = shown.rotations.copy()
        sign = np.where(np.sum(q[1:] * q[:-1], -1, keepdims=True) < 0.0, -1.0, 1.0)
        q[1:] *= np.cumprod(sign, axis=0)
        q *= np.where(np.sum(q[:1] * one.rotations[:1], -1, keepdims=True) < 0.0, -1.0, 1.0)
        spectra.append(np.abs(np.fft.fft(q.reshape(len(q), -1), axis=0)) ** 2)
    whole = [np.maximum(each.sum(axis=0), 1e-12) for each in spectra]
    parts = [np.cumsum(each / w, axis=0) for each, w in zip(spectra, whole, strict=True)]
    return np.abs(parts[0] - parts[1]).sum(axis=0), whole[0]


def gaps_of(
    lengths: dict[str, tuple[float, float]], fps: float, seconds: float, count: int, seed: int
) -> Iterator[tuple[str, int]]:
    """Gaps: clips with the frame at which each is cut out."""
    chance, frames = np.random.default_rng(seed), round(seconds * fps)
    room = {name: b - a - frames - 2.0 * BESIDE * fps for name, (a, b) in lengths.items()}
    names = sorted(name for name, space in room.items() if space > 0.0)
    for i in range(count):
        name = names[i % len(names)]
        yield name, round(lengths[name][0] + BESIDE * fps + chance.random() * room[name])


def fill_one(
    character: Character, name: str, cut: int, frames: int, others: tuple[str, ...], *, use: bool
) -> Any:
    """The action that fills a gap; InertiaError."""
    own = TransitionSettings(
        name, name, float(cut), destination_frame=float(cut + frames), assign=False, result="Filled"
    )
    asked = FillSettings(own, float(frames), use_library=use, actions=others, mirror=True, find_cycles=False)
    found = finish(search.search_fill_steps(character.armature, asked, character.weights)) if use else None
    return finish(bake.fill_gap_steps(character.armature, asked, found, weights=character.weights))


@dataclasses.dataclass
class Row:
    """The figures of one way to fill gaps: of each gap the joints' distances, frame by frame, how unlike the
    spectra are, with their power, how far feet skate, the highest change of velocity, and how far joints are
    off at the arrival, metres."""

    distances: list[Array] = dataclasses.field(default_factory=list)
    spectra: list[tuple[Array, Array]] = dataclasses.field(default_factory=list)
    skates: list[float] = dataclasses.field(default_factory=list)
    changes: list[float] = dataclasses.field(default_factory=list)
    arrivals: list[float] = dataclasses.field(default_factory=list)

    def __add__(self, other: Row) -> Row:
        return Row(*(a + b for a, b in zip(vars(self).values(), vars(other).values(), strict=True)))

    @property
    def distance(self) -> float:
        return float(np.mean(np.concatenate(self.distances)))

    @property
    def npss(self) -> float:
        """Normalised power spectrum similarity: the less, the more alike."""
        away, power = (np.concatenate(each) for each in zip(*self.spectra, strict=True))
        return float(np.sum(away * power) / np.sum(power))

    @property
    def skate(self) -> float:
        return float(np.mean(self.skates))

    @property
    def change(self) -> float:
        return float(np.mean(self.changes))

    @property
    def arrival(self) -> float:
        """Centimetres."""
        return 100.0 * max(self.arrivals)


def row(
    truth: list[Shown], other: list[Shown], scales: Array, floor: Array, character: Character, fps: float
) -> Row:
    """The figures of gaps. truth: what was cut out. floor: (feet,), how high each foot stands."""
    found = Row()
    for true, shown in zip(truth, other, strict=True):
        away = (shown.positions - true.positions)[2:-2] / scales
        found.distances.append(np.linalg.norm(away.reshape(len(away), -1), axis=1))
        found.spectra.append(spectra_apart(true, shown))
        size = float(np.ptp(true.positions[..., 2], axis=1).mean())
        feet = shown.positions[:, character.feet]
        found.skates.append(float(foot_skates(feet, floor, CONTACT_HEIGHT * size).mean()))
        found.changes.append(float(velocity_changes(shown.positions, fps).max()))
        off = np.linalg.norm((shown.positions - true.positions)[-2:], axis=-1)
        found.arrivals.append(float(off.max()))
    return found


def told(name: str, seconds: float, rows: dict[str, Row], count: int) -> tuple[list[str], bool]:
    """The rows of the table of gaps of a length, and whether all goals are met. count: of gaps."""
    own, flat, lines, met = rows["cut out"], rows["interpolation"], [], True
    for way, one in rows.items():
        skate, change = one.skate / own.skate, one.change / own.change
        cells = [f"{one.distance:.2f}", f"{one.npss:.3f}", f"{skate:.2f}", f"{change:.2f}"]
        cells.append(f"{one.arrival:.2f}")
        which = ""
        if way == "clips":
            longer = seconds >= 1.0
            goals = [
                (one.distance <= flat.distance, f"at most {flat.distance:.2f}"),
                (one.npss < flat.npss or not longer, f"below {flat.npss:.3f}" if longer else ""),
                (skate <= GOALS["skate"], f"at most {GOALS['skate']:g}"),
                (change <= GOALS["change"], f"at most {GOALS['change']:g}"),
                (one.arrival <= GOALS["arrival"], f"at most {GOALS['arrival']:g}"),
            ]
            met &= all(good for good, _ in goals) and len(one.changes) == count
            cells = [
                f"{cell} ({goal}: {'met' if good else 'NOT MET'})" if goal else cell
                for cell, (good, goal) in zip(cells, goals, strict=True)
            ]
            which = f", {len(one.changes)} of {count} gaps filled"
        lines.append(tables.row([f"{name}, {seconds:g} s", f"{way}{which}", *cells]))
        print(lines[-1], flush=True)
    return lines, met


def measured(data: Path, name: str, options: Any) -> tuple[list[str], bool, dict[float, dict[str, Row]]]:
    """The rows of a set, whether all goals are met, and the figures of each length."""
    folder, patterns, scale = SETS[name]
    paths = sorted(path for pattern in patterns for path in (data / folder).glob(pattern))
    bpy.ops.wm.read_factory_settings(use_empty=True)
    with contextlib.redirect_stdout(io.StringIO()):
        files.load(paths, scale)
    (armature,) = (thing for thing in bpy.data.objects if thing.type == "ARMATURE")
    character, fps = Character(armature), bpy.context.scene.render.fps / bpy.context.scene.render.fps_base
    lengths = {action.name: tuple(action.frame_range) for action in bpy.data.actions}
    sample = [character.played(one, np.arange(a, b, 10.0)).positions for one, (a, b) in lengths.items()]
    everything = np.concatenate(sample)
    scales = np.maximum(everything.std(axis=0), 1e-6)
    # a foot's joint is now and then lower than it stands
    floor = np.quantile(everything[:, character.feet, 2], 0.02, axis=0)
    lines, met, every = [], True, dict[float, dict[str, Row]]()
    for seconds in options.seconds:
        frames, spent = round(seconds * fps), []
        shown: dict[str, list[Shown]] = {way: [] for way in WAYS}
        for clip, cut in gaps_of(lengths, fps, seconds, options.gaps, options.seed):
            others, at = (
                tuple(one for one in lengths if one != clip),
                np.arange(cut - 1.0, cut + frames + 1.5),
            )
            made: dict[str, Shown] = {"cut out": character.played(clip, at)}
            made["interpolation"] = interpolated(character, made["cut out"])
            try:
                for way, use in (("clips", True), ("both sides", False)):
                    began = time.process_time()
                    report = fill_one(character, clip, cut, frames, others, use=use)
                    spent += [time.process_time() - began] * use
                    made[way] = character.played(report.result, at)
                    bpy.data.actions.remove(bpy.data.actions[report.result])
            except InertiaError as error:
                print(f"{clip} at {cut}: {error}", flush=True)
                continue
            for way, one in made.items():
                shown[way].append(one)
        if not shown["clips"]:
            lines.append(tables.row([f"{name}, {seconds:g} s", f"none of {options.gaps}", *[""] * 5]))
            met = False
            continue
        rows = {way: row(shown["cut out"], shown[way], scales, floor, character, fps) for way in WAYS}
        every[seconds] = rows
        more, good = told(name, seconds, rows, options.gaps)
        lines += more
        met &= good
        print(f"{name}, {seconds:g} s: {np.median(spent):.2f} s of one core a gap, median", flush=True)
    return lines, met, every


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--set", nargs="+", choices=SETS, default=[*SETS], dest="sets")
    parser.add_argument("--gaps", type=int, default=60, help="how many gaps of each length, over all sets")
    parser.add_argument("--seconds", type=float, nargs="+", default=[*SECONDS])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--write", action="store_true", help="write the table into docs/reference/measured.md, too"
    )
    options = parser.parse_args()
    options.gaps = max(1, options.gaps // len(options.sets))
    lines, met, every = tables.heads(HEADS), True, dict[float, list[dict[str, Row]]]()
    for name in options.sets:
        made, good, figures = measured(options.data, name, options)
        lines += made
        met &= good
        for seconds, rows in figures.items():
            every.setdefault(seconds, []).append(rows)
    for seconds, several in every.items() if len(options.sets) > 1 else ():
        together = {way: functools.reduce(operator.add, (rows[way] for rows in several)) for way in WAYS}
        lines += told("all sets", seconds, together, options.gaps * len(options.sets))[0]
    if options.write:
        tables.write("gaps", lines)
    sys.stdout.flush()
    # the bpy modules can hang at exit; everything is said
    os._exit(0 if met else 1)


if __name__ == "__main__":
    main()
