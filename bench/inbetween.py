# SPDX-License-Identifier: GPL-3.0-or-later
"""In-betweening as learned methods are measured: ten frames are given, some are missing, ten are given.

    python bench/inbetween.py --data FOLDER [--set NAME ...] [--windows 40] [--frames 5 15 30 45] [--write]

The protocol is that of F. G. Harvey et al., "Robust Motion In-betweening" (2020), at 30 frames a second.
Takes are those of a folder (BVH, glTF or FBX, one character), or of the known sets in it. Windows are drawn
by a seed; the ten frames before and behind each are actions of their own, and clips those of all other takes.
Where the takes are LAFAN1's, those of subject 5 are the test, those of the others the library, and L2P is
also given standardised by the library. Windows are not turned to one heading first, as for what is published.

Five ways fill a window: spherical interpolation with a straight root; Hermite curves with the velocities of
both ends; `fill --no-library`, the row "no clips"; `fill --choose-by cost`, with the best clips that its
search finds, the row "clips"; and `fill` as it is by default, which takes one of these two. Where clips do
not fill a window, the fill without them stands for all three: "clips" says how many they fill. That none
arrive in time is an answer; another error is a failure, of which there should be none. Measured is what
Blender plays, with none of the code that fills:

- *L2P*: how far joints are from what was cut out, cm, the mean over joints, frames and windows; L2Q: the
  distance of their quaternions in the world, the mean over frames; NPSS: how unlike the power spectra of
  these are (A. Gopalakrishnan et al., 2019);
- *skate*: the mean horizontal speed of toes, m/s, on frames on which they are lower than 5 cm;
- *ends*: how far joints are off on the last frame given before and the first behind, cm, at most;
- *kink*: the change of velocity there, over the highest of the given frames; the 95th percentile;
- *Good*: the part of the windows that have that word, by their joins and as a whole; *seconds*: processor
  time of a window, from the search to the new action, with the set analysed anew, as its ends are new; the
  median. By default both fills are made; of "clips" and "no clips" it is of windows in which the other one
  was taken.

Goals stand behind figures, see :mod:`goals`; it exits 1 where one is missed, from 10 windows of each length
on. With --write the tables go into the section "inbetween" of docs/reference/measured.md, if it has one.
--chosen measures the windows by which constants are chosen: those of every second take, and another seed.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import io
import os
import re
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))

import goals
from fill import SETS, Character, Shown, inverse, product, rotated, slerp
from measures import velocity_changes

from inertia_addon.blender import files
from inertia_addon.blender.data import compat
from inertia_addon.blender.fill import bake, search
from inertia_addon.blender.fill.bake import FillReport
from inertia_addon.errors import InertiaError
from inertia_addon.motion.fill.search import TooFar
from inertia_addon.motion.judging.faults import RATED
from inertia_addon.motion.steps import finish
from inertia_addon.settings.fill import FillSettings
from inertia_addon.settings.transition import TransitionSettings
from tools import tables

Array = NDArray[np.float64]

FPS, GIVEN, MISSING = 30, 10, (5, 15, 30, 45)
"""Frames a second; frames given on each side; and how many are missing."""
TAKEN = "default"
FILLS = ("no clips", "clips", TAKEN)
WAYS = ("SLERP", "Hermite", *FILLS)
"""FILLS: those that `fill` makes; TAKEN: what it takes by default."""
TRUTH = "cut out"
ENOUGH = 10
"""Goals are of so many windows of each length, at least."""
TIMED = 30
"""A fill of so many frames has a time that it may take."""
LOW = 0.05
"""A toe that is lower than this above the ground stands, metres."""
HEADS = ["takes", "missing", "way", "L2P, cm", "of SLERP", "L2Q", "NPSS", "skate, m/s", "ends, cm", "kink"]
HEADS += ["Good", "seconds"]
OFFICIAL_HEADS = ["missing", "way", "L2P", "L2Q", "NPSS"]
SUBJECT = re.compile(r"_subject(\d+)")
TEST_SUBJECT = "5"
PUBLISHED = {
    "zero velocity": "1.52 3.69 6.60 9.33",
    "SLERP": "0.37 1.25 2.32 3.45",
    "delta-interpolator (2022)": "0.129 0.467 0.995 -",
    "two-stage transformers (2022)": "0.105 0.394 0.895 1.678",
}
"""L2P on LAFAN1 at 5, 15, 30 and 45 missing frames, as published."""
OF_SLERP = {15: 0.30, 30: 0.37, 45: 0.50}
"""What part of SLERP's error fills have where the library fits, at most."""


# --- takes at 30 frames a second


def load_takes(paths: Sequence[Path], scale: float) -> Any:
    """Load files into an empty file, to play at 30 frames a second, and return the armature."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    with contextlib.redirect_stdout(io.StringIO()):
        files.load(list(paths), scale)
    armatures = [thing for thing in bpy.data.objects if thing.type == "ARMATURE"]
    if len(armatures) != 1:
        raise SystemExit(f"{len(armatures)} armatures are in the folder; give takes of one character.")
    render = bpy.context.scene.render
    step = render.fps / render.fps_base / FPS
    for action in bpy.data.actions:
        first, last = action.frame_range
        resample(action, first + step * np.arange(int((last - first) / step + 1e-6) + 1.0), 1.0)
    render.fps, render.fps_base = FPS, 1.0
    return armatures[0]


def resample(action: Any, at: Array, first: float) -> None:
    """Give curves a key on each frame from `first` on, with the values that they have at frames (n,)."""
    frames = first + np.arange(len(at))
    for slot in compat.slots(action):
        for curve in compat.curves(action, slot.identifier):
            values = [curve.evaluate(frame) for frame in at.tolist()]
            keys = curve.keyframe_points
            keys.clear()
            keys.add(len(at))
            keys.foreach_set("co", np.column_stack([frames, values]).ravel())
            for key in keys:
                key.interpolation = "LINEAR"
            curve.update()


def cut_out(name: str, action: Any, first: float) -> Any:
    """Return a new action with the ten frames of another from `first` on, where they were."""
    made = action.copy()
    made.name = name
    resample(made, first + np.arange(float(GIVEN)), first)
    return made


@dataclasses.dataclass(frozen=True)
class Window:
    """A take, and its first frame of ten that are given before others that are missing."""

    take: str
    first: int
    missing: int

    @property
    def cut(self) -> int:
        """The last frame given before."""
        return self.first + GIVEN - 1

    @property
    def arrival(self) -> int:
        """The first frame given behind."""
        return self.cut + self.missing + 1

    @property
    def frames(self) -> Array:
        """All frames, given or not."""
        return self.first + np.arange(2.0 * GIVEN + self.missing)


def windows_of(lengths: Mapping[str, int], missing: int, count: int, seed: int) -> Iterator[Window]:
    """Yield windows, of one take after the other, by chance. lengths: frames of each take, from frame 1."""
    chance, whole = np.random.default_rng([seed, missing]), 2 * GIVEN + missing
    names = sorted(name for name, frames in lengths.items() if frames >= whole)
    for i in range(count if names else 0):
        name = names[i % len(names)]
        yield Window(name, 1 + int(chance.integers(lengths[name] - whole + 1)), missing)


# --- what does not know of Inertia


def locals_of(character: Character, shown: Shown) -> tuple[Array, Array]:
    """Return rotations (frames, joints, 4) and offsets (frames, joints, 3) relative to the parents."""
    turns, offsets = shown.rotations.copy(), shown.positions.copy()
    for i, parent in enumerate(character.parents):
        if parent >= 0:
            back = inverse(shown.rotations[:, parent])
            turns[:, i] = product(back, shown.rotations[:, i])
            offsets[:, i] = rotated(back, shown.positions[:, i] - shown.positions[:, parent])
    return turns, offsets


def posed(character: Character, turns: Array, offsets: Array) -> Shown:
    """Return what local rotations and offsets show."""
    rotations, positions = turns.copy(), offsets.copy()
    for i, parent in enumerate(character.parents):
        if parent >= 0:
            rotations[:, i] = product(rotations[:, parent], turns[:, i])
            positions[:, i] = positions[:, parent] + rotated(rotations[:, parent], offsets[:, i])
    return Shown(positions, rotations)


def rotation_vectors(q: Array) -> Array:
    """Return the shorter rotation vectors (..., 3) of quaternions (..., 4)."""
    q = np.where(q[..., :1] < 0.0, -q, q)
    sine = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    return q[..., 1:] * np.where(
        sine > 1e-9, 2.0 * np.arctan2(sine, q[..., :1]) / np.maximum(sine, 1e-12), 2.0
    )


def quaternions(r: Array) -> Array:
    """Return the quaternions (..., 4) of rotation vectors (..., 3)."""
    angle = np.linalg.norm(r, axis=-1, keepdims=True)
    return np.concatenate([np.cos(0.5 * angle), 0.5 * r * np.sinc(0.5 * angle / np.pi)], axis=-1)


def between(character: Character, truth: Shown, window: Window, *, smooth: bool) -> Shown:
    """Return a window filled without any clip: by slerp and a straight root, or smooth, by Hermite's curves.

    truth: what the window shows, of which only the given frames are looked at.
    """
    turns, offsets = locals_of(character, truth)
    a, b, n = GIVEN - 1, GIVEN + window.missing, window.missing + 1
    s = np.arange(1.0, n) / n
    if not smooth:
        turns[a + 1 : b] = slerp(turns[a], turns[b], s)
        offsets[a + 1 : b] = offsets[a] + s[:, None, None] * (offsets[b] - offsets[a])
        return posed(character, turns, offsets)
    s = s[:, None, None]
    h, leaving, arriving = s * s * (3.0 - 2.0 * s), n * s * (1.0 - s) ** 2, -n * s * s * (1.0 - s)
    start, end = turns[a], turns[b]
    way = rotation_vectors(product(end, inverse(start)))
    rates = [rotation_vectors(product(turns[k], inverse(turns[k - 1]))) for k in (a, b + 1)]
    # at the arrival a rotation vector changes at another rate than its rotation turns
    tiny = 1e-4
    moved = rotation_vectors(product(quaternions(tiny * rates[1]), product(end, inverse(start))))
    curve = h * way + leaving * rates[0] + arriving * (moved - way) / tiny
    turns[a + 1 : b] = product(quaternions(curve), np.broadcast_to(start, (*curve.shape[:-1], 4)))
    speeds = offsets[a] - offsets[a - 1], offsets[b + 1] - offsets[b]
    offsets[a + 1 : b] = (
        offsets[a] + h * (offsets[b] - offsets[a]) + leaving * speeds[0] + arriving * speeds[1]
    )
    return posed(character, turns, offsets)


def continuous(one: Array, like: Array) -> Array:
    """Return quaternions (frames, joints, 4) with one sign through time, that of others at first."""
    q = one.copy()
    sign = np.where(np.sum(q[1:] * q[:-1], -1, keepdims=True) < 0.0, -1.0, 1.0)
    q[1:] *= np.cumprod(sign, axis=0)
    return q * np.where(np.sum(q[:1] * like[:1], -1, keepdims=True) < 0.0, -1.0, 1.0)


def spectra_apart(true: Array, other: Array) -> tuple[Array, Array]:
    """Return how unlike power spectra over time are, and the power of the first: (numbers,) each."""
    powers = [np.abs(np.fft.fft(q.reshape(len(q), -1), axis=0)) ** 2 for q in (true, other)]
    parts = [np.cumsum(power / np.maximum(power.sum(axis=0), 1e-12), axis=0) for power in powers]
    return np.abs(parts[0] - parts[1]).sum(axis=0), powers[0].sum(axis=0)


# --- figures


@dataclasses.dataclass
class Figures:
    """What is measured of the windows that one way fills, a number each."""

    l2p: list[float] = dataclasses.field(default_factory=list)
    l2q: list[float] = dataclasses.field(default_factory=list)
    spectra: list[tuple[Array, Array]] = dataclasses.field(default_factory=list)
    skates: list[float] = dataclasses.field(default_factory=list)
    ends: list[float] = dataclasses.field(default_factory=list)
    kinks: list[float] = dataclasses.field(default_factory=list)
    words: list[str] = dataclasses.field(default_factory=list)
    seconds: list[float] = dataclasses.field(default_factory=list)
    official: list[float] = dataclasses.field(default_factory=list)
    refusals: list[InertiaError] = dataclasses.field(default_factory=list)

    @property
    def failures(self) -> list[InertiaError]:
        """Why windows were not filled that should have been."""
        return [each for each in self.refusals if not isinstance(each, TooFar)]

    @property
    def npss(self) -> float:
        """The normalised power spectrum similarity."""
        away, power = (np.concatenate(each) for each in zip(*self.spectra, strict=True))
        return float(np.sum(away * power) / np.sum(power))

    @property
    def kink(self) -> float:
        """The 95th percentile."""
        return float(np.quantile(self.kinks, 0.95))

    @property
    def skate(self) -> float:
        """The mean over the windows in which any toe is low."""
        found = [each for each in self.skates if np.isfinite(each)]
        return float(np.mean(found)) if found else 0.0


@dataclasses.dataclass
class Measure:
    """How a set's windows are measured. floor: (feet,) metres. scales: mean and deviation by which official
    figures are standardised, (joints, 3) each; None where there are none."""

    character: Character
    floor: Array
    scales: tuple[Array, Array] | None = None

    def add(self, figures: Figures, window: Window, true: Shown, shown: Shown) -> None:
        """Add what a window measures."""
        gap = slice(GIVEN, GIVEN + window.missing)
        away = shown.positions - true.positions
        distance = np.linalg.norm(away, axis=-1)
        figures.l2p.append(100.0 * float(distance[gap].mean()))
        turns = continuous(true.rotations, true.rotations)
        others = continuous(shown.rotations, true.rotations)
        apart = (others - turns)[gap].reshape(window.missing, -1)
        figures.l2q.append(float(np.linalg.norm(apart, axis=1).mean()))
        figures.spectra.append(spectra_apart(turns[gap], others[gap]))
        figures.skates.append(self.skate(shown.positions[gap]))
        figures.ends.append(100.0 * float(distance[[GIVEN - 1, gap.stop]].max()))
        changes = velocity_changes(shown.positions, FPS)
        given = np.concatenate(
            [velocity_changes(true.positions[k], FPS) for k in (slice(GIVEN), slice(gap.stop, None))]
        )
        figures.kinks.append(float(changes[[GIVEN - 2, gap.stop - 1]].max() / given.max()))
        if self.scales is not None:
            scaled = (away[gap] / self.scales[1]).reshape(window.missing, -1)
            figures.official.append(float(np.linalg.norm(scaled, axis=1).mean()))

    def skate(self, positions: Array) -> float:
        """Return the mean horizontal speed of toes on frames on which they are low, m/s; nan without any."""
        toes = positions[:, self.character.feet]
        speed = np.linalg.norm(np.diff(toes[..., :2], axis=0), axis=-1) * FPS
        low = toes[1:, :, 2] - self.floor < LOW
        return float(speed[low].mean()) if low.any() else np.nan


# --- fills


@dataclasses.dataclass(frozen=True)
class Filled:
    """A window that `fill` has filled: what is reported of it, and how long that took, seconds."""

    report: FillReport
    seconds: float


def fill_window(character: Character, settings: FillSettings) -> Filled:
    """Fill a window as the command does. Raise InertiaError as that does, TooFar where no clips arrive in
    time."""
    armature, weights, began = character.armature, character.weights, time.process_time()
    found = None
    if settings.use_library:
        found = finish(search.search_candidates_steps(armature, settings, weights))
    report = finish(bake.fill_gap_steps(armature, settings, found, weights=weights))
    return Filled(report, time.process_time() - began)


def fills_of(
    character: Character, window: Window, library: tuple[str, ...]
) -> tuple[dict[str, Filled], InertiaError | None]:
    """Fill a window by default, with clips, and without; and return why not with clips. The first two are
    missing then. Raise InertiaError where it is not filled without clips."""
    take = bpy.data.actions[window.take]
    ends = [
        cut_out(f"{name} of a window", take, float(at))
        for name, at in (("past", window.first), ("future", window.arrival))
    ]
    blend = TransitionSettings(
        ends[0].name, ends[1].name, float(window.cut), destination_frame=float(window.arrival), assign=False
    )
    clips = FillSettings(blend, float(window.missing + 1), actions=library, mirror=True, find_cycles=False)
    asked = {
        TAKEN: dataclasses.replace(clips, choose_by="JUDGE"),
        "clips": clips,
        "no clips": dataclasses.replace(clips, use_library=False),
    }
    made, refusal = dict[str, Filled](), None
    try:
        try:
            made[TAKEN] = fill_window(character, asked[TAKEN])
        except InertiaError as error:
            refusal = error
        if TAKEN in made:
            # the very same fill, which took no time of its own
            same = dataclasses.replace(made[TAKEN], seconds=np.nan)
            made["clips" if same.report.has_clips else "no clips"] = same
        for way in ("clips", "no clips"):
            if way not in made and (way == "no clips" or refusal is None):
                made[way] = fill_window(character, asked[way])
    finally:
        for action in ends:
            bpy.data.actions.remove(action)
    return made, refusal


def told_of(filled: Filled) -> str:
    """Return what the verdict is on each join."""
    return ",".join(f"{each.rating}:{each.total:.2f}" for each in filled.report.verdicts)


def measured(name: str, paths: Sequence[Path], scale: float, options: Any) -> dict[int, dict[str, Figures]]:
    """Measure all windows of a set: figures by how many frames are missing, and by way."""
    armature = load_takes(paths, scale)
    character = Character(armature)
    lengths = {action.name: round(action.frame_range[1]) for action in bpy.data.actions}
    subjects = {take: found[1] for take in lengths if (found := SUBJECT.search(take)) is not None}
    tests = [take for take, subject in subjects.items() if subject == TEST_SUBJECT]
    shown = {take: character.played(take, np.arange(1.0, frames + 1.0)) for take, frames in lengths.items()}
    feet = np.concatenate([each.positions[:, character.feet, 2] for each in shown.values()])
    measure = Measure(character, np.quantile(feet, 0.02, axis=0))
    if tests:
        known = np.concatenate([each.positions for take, each in shown.items() if take not in tests])
        measure.scales = known.mean(axis=0), known.std(axis=0)
    drawn = {take: frames for take, frames in lengths.items() if not tests or take in tests}
    if options.chosen:
        drawn = {take: drawn[take] for take in sorted(drawn)[1::2]}
    every: dict[int, dict[str, Figures]] = {}
    for missing in options.frames:
        rows = every[missing] = {way: Figures() for way in (*WAYS, TRUTH)}
        for window in windows_of(drawn, missing, options.windows, options.seed):
            at = window.frames.astype(int) - 1
            true = Shown(*(each[at] for each in (shown[window.take].positions, shown[window.take].rotations)))
            library = tuple(take for take in lengths if take != window.take and take not in tests)
            filled, refusal = fills_of(character, window, library)
            rows["clips"].refusals += [] if refusal is None else [refusal]
            made = {
                TRUTH: true,
                **{way: between(character, true, window, smooth=way == "Hermite") for way in WAYS[:2]},
            }
            for way, one in filled.items():
                made[way] = character.played(one.report.result, window.frames)
                rows[way].words.append(one.report.rating)
                rows[way].seconds.append(one.seconds)
            for result in {one.report.result for one in filled.values()}:
                bpy.data.actions.remove(bpy.data.actions[result])
            for way in (TAKEN, "clips"):
                if way not in made:
                    made[way] = made["no clips"]
                    rows[way].words.append(rows["no clips"].words[-1])
            for way, each in made.items():
                measure.add(rows[way], window, true, each)
            if options.verbose:
                errors = " ".join(f"{way} {rows[way].l2p[-1]:.2f}" for way in WAYS)
                words = " ".join(f"{way} {told_of(one)}" for way, one in filled.items())
                print(f"{window} {errors}; {words}", flush=True)
    return every


# --- what is told


def rows_of(name: str, missing: int, found: Mapping[str, Figures]) -> list[str]:
    """Return the table's rows of windows of a length, with the goals behind the figures."""
    lines, slerp = [], float(np.mean(found["SLERP"].l2p))
    for way, figures in found.items():
        error = float(np.mean(figures.l2p))
        part = f"{error / slerp:.2f}"
        if way == "no clips":
            # to the digits that are printed
            of_hermite = round(error / float(np.mean(found["Hermite"].l2p)), 3)
            part = f"{part}, of Hermite {goals.whether(of_hermite, 1.0)}"
        skate, ends, kink = f"{figures.skate:.3f}", f"{max(figures.ends):.4f}", f"{figures.kink:.2f}"
        if way in FILLS:
            ends, kink = goals.whether(max(figures.ends), 0.001), goals.whether(figures.kink, 1.1)
        if way == TAKEN and name == "cmu131" and missing in OF_SLERP:
            # a set of walks
            part = goals.whether(error / slerp, OF_SLERP[missing])
        if way == TAKEN:
            skate = goals.whether(figures.skate, round(found[TRUTH].skate, 3))
        good = f"{np.mean([word == 'GOOD' for word in figures.words]):.0%}" if figures.words else ""
        spent = [each for each in figures.seconds if np.isfinite(each)]
        seconds = f"{np.median(spent):.2f}" if spent else ""
        if way == TAKEN and spent and missing == TIMED:
            seconds = goals.whether(float(np.median(spent)), 1.0)
        cells = [
            f"{error:.2f}",
            part,
            f"{np.mean(figures.l2q):.3f}",
            f"{figures.npss:.4f}",
            skate,
            ends,
            kink,
        ]
        count = len(figures.l2p)
        which = f"{way}, {count - len(figures.refusals)} of {count} filled" if way == "clips" else way
        lines.append(tables.row([name, f"{missing} x {count}", which, *cells, good, seconds]))
    return lines


def choices_of(every: Mapping[str, Mapping[int, Mapping[str, Figures]]]) -> list[str]:
    """Return sentences on how what is taken compares with the better of clips and no clips."""
    lengths = [found for by_length in every.values() for found in by_length.values()]
    failures = [error for found in lengths for error in found["clips"].failures]
    why = f", such as: {failures[0]}" if failures else "."
    sentences = [f"Windows on which `fill` fails: {goals.whether(len(failures), 0)}{why}"]
    near, word, count = 0, 0, 0
    for found in lengths:
        for k, taken in enumerate(found[TAKEN].l2p):
            both = [found[each] for each in ("clips", "no clips")]
            near += taken <= 1.02 * min(each.l2p[k] for each in both)
            words = [RATED.index(each.words[k]) for each in both]
            word += RATED.index(found[TAKEN].words[k]) <= min(words)
            count += 1
    sentences.append(
        f"Of {count} windows, what `fill` takes is at most 1.02 times as far from what was cut out as the "
        f"better of clips and no clips in a part of {goals.least(near / max(count, 1), 0.9)}, and no worse "
        f"by the judge's word in {goals.least(word / max(count, 1), 1.0)}."
    )
    return sentences


def official_rows(found: Mapping[int, Mapping[str, Figures]]) -> list[str]:
    """Return rows with L2P as it is published, beside those that are."""
    lines = tables.heads(["L2P, standardised", *map(str, found)])
    for way in WAYS:
        lines.append(tables.row([way, *(f"{np.mean(rows[way].official):.3f}" for rows in found.values())]))
    for way, figures in PUBLISHED.items():
        numbers = dict(zip(MISSING, figures.split(), strict=True))
        lines.append(tables.row([f"*{way}*", *(numbers.get(missing, "") for missing in found)]))
    return lines


def sets_in(folder: Path, names: Sequence[str]) -> Iterator[tuple[str, list[Path], float]]:
    """Yield the sets of a folder: their names, their files, and the scale. Without known ones it is one."""
    known = [name for name in names or SETS if name in SETS and (folder / SETS[name][0]).is_dir()]
    for name in known:
        place, patterns, scale = SETS[name]
        yield name, sorted(path for each in patterns for path in (folder / place).glob(each)), scale
    if not known:
        endings = {".bvh", ".glb", ".gltf", ".fbx"}
        yield folder.name, sorted(path for path in folder.iterdir() if path.suffix.lower() in endings), 0.01


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--set", nargs="+", default=[], dest="sets")
    parser.add_argument("--windows", type=int, default=40, help="of each length, in each set")
    parser.add_argument("--frames", type=int, nargs="+", default=[*MISSING])
    parser.add_argument("--seed", type=int, default=2)
    parser.add_argument("--chosen", action="store_true", help="measure what constants are chosen by")
    parser.add_argument("--verbose", action="store_true", help="tell each window")
    parser.add_argument(
        "--write", action="store_true", help="write the tables into docs/reference/measured.md, too"
    )
    options = parser.parse_args()
    options.seed = 1 if options.chosen else options.seed
    if options.write and "<!-- inbetween -->" not in tables.PAGE.read_text(encoding="utf-8"):
        parser.error(
            'docs/reference/measured.md has no section "inbetween"; put its two comments there first.'
        )
    every: dict[str, dict[int, dict[str, Figures]]] = {}
    lines, official = tables.heads(HEADS), list[str]()
    for name, paths, scale in sets_in(options.data, options.sets):
        every[name] = measured(name, paths, scale, options)
        for missing, found in every[name].items():
            if found[TRUTH].l2p:
                lines += rows_of(name, missing, found)
        if any(figures.official for rows in every[name].values() for figures in rows.values()):
            official = official_rows(every[name])
    said = choices_of(every)
    page = [*lines, "", *said, "", *(official or [row_of_published()])]
    print("\n".join(page), flush=True)
    if options.write:
        tables.write("inbetween", page)
    sys.stdout.flush()
    # the bpy modules can hang at exit; everything is said
    is_missed = options.windows >= ENOUGH and any("NOT MET" in line for line in page)
    os._exit(1 if is_missed else 0)


def row_of_published() -> str:
    """Return a sentence with what is published of LAFAN1, as part of SLERP's error there."""
    slerp = [float(figure) for figure in PUBLISHED["SLERP"].split()]
    texts = []
    for way in ("delta-interpolator (2022)", "two-stage transformers (2022)"):
        numbers = zip(PUBLISHED[way].split(), slerp, strict=True)
        parts = ", ".join(
            "none" if figure == "-" else f"{float(figure) / flat:.2f}" for figure, flat in numbers
        )
        texts.append(f"{way} {parts}")
    return f"Published for LAFAN1 at 5, 15, 30 and 45 frames, as part of SLERP's error: {'; '.join(texts)}."


if __name__ == "__main__":
    main()
