# SPDX-License-Identifier: GPL-3.0-or-later
"""How well pops are found and smoothed in real motion, each figure with what it has to reach.

    python bench/pops.py --data DATA [--count 500] [--seed 1] [--write]

Steps and spikes of 2 to 40 degrees are put into bones that turn, of clips that are clean as far as is known.
A bone's own is the 95th percentile of how much its velocity changes from one frame to the next (degrees a
frame); a pop is clear from 8 times that and 4 degrees on. What was captured at 120 frames a second is looked
at with 30 of them and with all.

Then steps, spikes and stretches of 2 to 12 frames, all of 8 to 25 degrees, are put into captured walks and
runs at 30 frames a second, of which every other one is kept for this: the constants were chosen on the rest.
Where they are, how long, in which bone that turns, about which axis, and whether of the bone or of its
parent, is drawn at random.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import functools
import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bpy
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from inertia_addon.blender.data import clip_store
from inertia_addon.blender.data.channels import match
from inertia_addon.blender.pops import search
from inertia_addon.errors import InertiaError
from inertia_addon.motion import quaternion
from inertia_addon.motion.arrays import Array
from inertia_addon.motion.pops import finding, mending
from inertia_addon.motion.pops.finding import Limits
from inertia_addon.motion.pops.mending import Mend
from inertia_addon.motion.pops.templates import Pop, PopKind
from inertia_addon.settings.pops import PopSettings
from tests.blender import clips
from tools import tables

KNOWN = {
    "cmu127_17_run_stop_run": ("lwrist", "step"),
    "cmu127_20_run_quick_stop_run": ("rwrist", "step"),
    "cmu127_29_run_duck_under": ("ltoes", "spike"),
    "cmu127_32_run_duck_under": ("head", "stretch"),
    "cmu131_01_start_walk_stop_metres": ("RThumb", "stretch"),
}
"""The glitches that are known, at 120 frames a second; that of cmu131 is half a turn, there and back."""
CAPTURED = (8.0, 25.0)
"""From how many to how many degrees what is put into captured walks turns a bone ..."""
LENGTHS = ((2, 2), (3, 3), (4, 4), (5, 8), (9, 12))
"""... and over how many frames a stretch goes, from and to."""
WALKS = (*range(3, 17), 18, 19)
"""Which takes of cmu127 but these walk and run."""
TIMES, SMALLEST = 8.0, 4.0
"""A pop of so many times the bone's own, and of so many degrees, is clear."""
STILL = 0.15
"""A bone whose own is less does not turn."""
USUAL = PopSettings("")
LIMITS = Limits(USUAL.strictness, float(search.SMALLEST_ANGLE), float(search.LEAST_ANGLE))
HOW = Mend(USUAL.side, USUAL.decay, USUAL.fade_seconds)


@dataclasses.dataclass(frozen=True, eq=False)
class Take:
    """A clip: turns (frames, bones, 4), of bones of these names."""

    name: str
    fps: float
    bones: tuple[str, ...]
    turns: Array

    @property
    def walks(self) -> bool:
        """Whether it is of a character that walks or runs."""
        number = self.name.partition("_")[2][:2]
        if self.name.startswith("cmu127"):
            return int(number) in WALKS
        return any(word in self.name.lower() for word in ("walk", "run", "jog"))

    @functools.cached_property
    def own(self) -> Array:
        """What each bone does (bones,), degrees a frame."""
        return np.array([np.quantile(bends(self.turns[:, i]), 0.95) for i in range(len(self.bones))])

    def slower(self) -> Take:
        """With 30 frames a second, if it has more."""
        step = max(1, round(self.fps / 30.0))
        return dataclasses.replace(self, fps=self.fps / step, turns=self.turns[::step])


def takes(data: Path) -> Iterator[Take]:
    """All clips of all sets, but those that stand still or are a few frames long."""
    for name in clips.SETS:
        with contextlib.redirect_stdout(io.StringIO()):
            armature, actions = clips.load(name, data)
        fps = float(bpy.context.scene.render.fps)
        for action in actions:
            made = _take(armature, bpy.data.actions[action], fps)
            if made is not None:
                yield made


def _take(armature: Any, action: Any, fps: float) -> Take | None:
    try:
        clip = clip_store.read(armature, action)
    except InertiaError:
        return None
    frames = np.arange(clip.start, clip.end + 1e-3)
    found = {
        ch.bone: ch.source.decode(ch.source.raw(frames))
        for ch in match(armature, clip, clip, clip.start, clip.start).channels
        if ch.kind == "rotation" and ch.bone is not None
    }
    if len(frames) < finding.SHORTEST or not found:
        return None
    return Take(action.name, fps, tuple(found), np.stack([*found.values()], axis=1))


def found(turns: Array, fps: float) -> list[Pop]:
    """The pops of turns (frames, bones, 4)."""
    return finding.find(turns, fps, LIMITS)


def bends(turns: Array) -> Array:
    """How much the velocity of turns (frames, 4) changes at each frame but the first and last, degrees."""
    steps = finding.steps_of(turns[:, None], is_rotation=True)[:, 0]
    return np.degrees(np.linalg.norm(np.diff(steps, axis=0), axis=1))


@dataclasses.dataclass(frozen=True, eq=False)
class Put:
    """A pop that was put into a bone of a take: from which to which frame, and the turns (frames, 4)."""

    take: Take
    bone: int
    degrees: float
    first: int
    last: int
    turns: Array

    def found(self) -> list[Pop]:
        """The pops that are found there."""
        turns, bone = self.take.turns.copy(), self.bone
        turns[:, bone] = self.turns
        if self.take.fps > finding.BESIDE_FPS:
            # none is asked but the bone itself
            turns, bone = turns[:, [bone]], 0
        pops = [pop for pop in found(turns, self.take.fps) if pop.motion == bone]
        return [pop for pop in pops if pop.first - 1 <= self.last + 1 and self.first - 1 <= pop.last + 1]


def _put(
    take: Take, kind: str, rng: np.random.Generator, sizes: tuple[float, float], frames: int = 1
) -> Put | None:
    """A pop in a bone of a take that turns, if there is one; frames: of a stretch."""
    turning = np.flatnonzero(take.own >= STILL)
    if not len(turning):
        return None
    bone, degrees, axis = int(rng.choice(turning)), rng.uniform(*sizes), rng.normal(size=3)
    turn = quaternion.exp(np.radians(degrees) * axis / np.linalg.norm(axis))
    count = len(take.turns)
    first = int(rng.integers(1, count if kind == "step" else count - frames))
    last = first if kind == "step" else first + frames - 1
    where = slice(first, None if kind == "step" else last + 1)
    wrong = take.turns[:, bone].copy()
    both = (turn, wrong[where]) if rng.random() < 0.5 else (wrong[where], turn)
    wrong[where] = quaternion.multiply(*both)
    return Put(take, bone, degrees, first, last, wrong)


@dataclasses.dataclass
class Score:
    """What became of the pops that were put in."""

    clear: int = 0
    seen: int = 0
    told: int = 0
    any_seen: int = 0
    spikes: list[float] = dataclasses.field(default_factory=list)
    steps: list[float] = dataclasses.field(default_factory=list)

    def put(self, take: Take, kind: str, rng: np.random.Generator) -> bool:
        """Put a pop into a bone that turns, and look for it; whether there is such a bone."""
        put = _put(take, kind, rng, (2.0, 40.0))
        if put is None:
            return False
        pops, own = put.found(), take.own[put.bone]
        is_clear = put.degrees > SMALLEST and put.degrees >= TIMES * own
        self.any_seen += bool(pops)
        self.clear += is_clear
        if pops and is_clear:
            self.seen += 1
            self.told += pops[0].kind.value == kind
            if pops[0].kind.value == kind:
                self._mended(take, take.turns[:, put.bone], put.turns, pops[:1], put.first, put.degrees, own)
        return True

    def _mended(
        self, take: Take, clean: Array, wrong: Array, pops: list[Pop], at: int, degrees: float, own: float
    ) -> None:
        made = mending.mended(wrong, is_rotation=True, pops=pops, fps=take.fps, mend=HOW)
        if pops[0].kind is PopKind.SPIKE:
            away = quaternion.log(quaternion.multiply(made[at], quaternion.conjugate(clean[at])))
            self.spikes.append(float(np.degrees(np.linalg.norm(away))) / degrees)
            return
        reach = round(0.25 * take.fps) + 2
        self.steps.append(float(bends(made)[max(at - 1 - reach, 0) : at + reach].max()) / own)


def line(what: str, value: float, bound: float, *, least: bool = False) -> str:
    """A row of the table: a figure, and whether it is at most, or at least, what is aimed at."""
    good = value >= bound if least else value <= bound
    return tables.row(
        [what, f"{value:.3g}", f"at {'least' if least else 'most'} {bound:g}", "pass" if good else "FAIL"]
    )


def report(every: list[Take], count: int, seed: int) -> Iterator[str]:
    """The rows of the table."""
    clean = [take for take in every if take.name not in KNOWN]
    slow = [take.slower() for take in clean]
    walks = [take for take in slow if take.walks and len(take.turns) >= finding.SHORTEST]
    flagged = sum(bool(found(take.turns, take.fps)) for take in walks)
    yield line(f"30 fps: share of {len(walks)} clean walks and runs that pop", flagged / len(walks), 0.02)
    fast = [take for take in clean if take.walks and take.fps > 60.0]
    flagged = sum(bool(found(take.turns, take.fps)) for take in fast)
    yield tables.row([f"all frames: of {len(fast)} captured walks and runs pop", f"{flagged}", "", ""])
    for name, takes_of in (("30 fps", slow), ("all frames", [take for take in clean if take.fps > 60.0])):
        pops = sum(len(found(take.turns, take.fps)) for take in takes_of)
        yield tables.row([f"{name}: pops in all {len(takes_of)} clips that are clean", f"{pops}", "", ""])
    captured = [take for take in walks if take.name.startswith("cmu")][1::2]
    yield from put_into(captured, max(count // 2, 20), seed)
    for name, takes_of in (("30 fps", slow), ("all frames", clean)):
        yield from injected(name, takes_of, count, seed)
    for take in every:
        if take.name in KNOWN:
            bone, kind = KNOWN[take.name]
            pops = [(take.bones[pop.motion], pop.kind.value) for pop in found(take.turns, take.fps)]
            yield line(f"{take.name}: a {kind} of {bone}", float((bone, kind) in pops), 1.0, least=True)


def put_into(captured: list[Take], count: int, seed: int) -> Iterator[str]:
    """How many of the pops that are put into captured walks are found; of each kind and length so many."""
    rng, stretches = np.random.default_rng(seed), 0.0
    what = f"{len(captured)} captured walks and runs, {CAPTURED[0]:g} to {CAPTURED[1]:g} degrees"
    for kind, lengths in (("spike", (1, 1)), ("step", (1, 1)), *(("stretch", span) for span in LENGTHS)):
        seen = 0
        for i in range(count):
            frames = int(rng.integers(lengths[0], lengths[1] + 1))
            put = _put(captured[i % len(captured)], kind, rng, CAPTURED, frames)
            seen += put is not None and bool(put.found())
        stretches += seen / count * (lengths[1] - lengths[0] + 1) / 11.0 * (kind == "stretch")
        if kind == "stretch":
            of = f"stretches of {lengths[0]} to {lengths[1]} frames"
            yield tables.row([f"{what}: {of} found", f"{seen / count:.2f}", "", ""])
        else:
            yield line(f"{what}: {kind}s found", seen / count, 0.95, least=True)
    yield line(f"{what}: stretches of 2 to 12 frames found", stretches, 0.95, least=True)


def injected(name: str, every: list[Take], count: int, seed: int) -> Iterator[str]:
    """Put pops into takes: how many were found, and what they are like when they are smoothed."""
    rng, score, done = np.random.default_rng(seed), Score(), 0
    while done < count:
        take = every[rng.integers(len(every))]
        done += score.put(take, ("step", "spike")[done % 2], rng)
    yield line(f"{name}: found of {score.clear} clear ones", score.seen / score.clear, 0.95, least=True)
    yield tables.row([f"{name}: found of all {count}", f"{score.any_seen / count:.2f}", "", ""])
    yield line(f"{name}: of the right kind", score.told / score.seen, 0.95, least=True)
    yield line(f"{name}: left of a spike, median", float(np.median(score.spikes)), 0.03)
    middle, most = np.quantile(score.steps, [0.5, 0.95])
    yield line(f"{name}: second difference of a step over own, median", float(middle), 3.0)
    yield tables.row([f"{name}: its 95th percentile", f"{most:.2f}", "", ""])


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="the folder of real motion")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--write", action="store_true", help="write the table into docs/reference/measured.md, too"
    )
    arguments = parser.parse_args()
    said = tables.heads(["what", "measured", "", ""])
    print("\n".join(said), flush=True)
    for row in report(list(takes(arguments.data)), arguments.count, arguments.seed):
        print(row, flush=True)
        said.append(row)
    if arguments.write:
        tables.write("pops", said)
    return int(any("FAIL" in row for row in said))


if __name__ == "__main__":
    sys.exit(main())
