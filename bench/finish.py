# SPDX-License-Identifier: GPL-3.0-or-later
"""How well takes are finished: faults are put into captured takes, looked for, and mended.

    python bench/finish.py --data DATA --rigs
    python bench/finish.py --data DATA [--takes 20] [--seed 20] [--kind jitter ...] [--brief] [--write]

Of each kind one fault is put into each take: a step or a spike of 12 to 30 degrees, and a stretch of 1 to 6
frames, in a bone that turns; a root that goes 1.2 to 1.35 times as far; a floor that is tilted by 3 to 6
degrees; noise of 0.3 to 1 degree in all bones; a stall; the rest pose in front. Found is a fault where a
finding of its kind meets its frames. False is a finding of a take as it was captured, but for pops, of which
captures have some (see bench/pops.py). Walks and runs come first, then other takes, which get no faults of
feet, floor and seams. Skate is that of Mode-Adaptive Neural Networks, the mean of both feet.

The takes and the seed are none by which constants were chosen. With --rigs the longest clip of each .fbx and
.glb file of DATA is finished instead, or what is said of it, with the seconds of the processor.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import io
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bpy
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from inertia_addon import api
from inertia_addon.blender.data import clip_store, rewriting, rigs, roots, scene
from inertia_addon.blender.data import rig as riglib
from inertia_addon.blender.data.actions import Clip
from inertia_addon.blender.data.channels import match, transform
from inertia_addon.blender.data.rewriting import ChannelStretch
from inertia_addon.blender.evaluation import joint_motion
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.feet import contacts
from inertia_addon.blender.finish import bake, levelling, look
from inertia_addon.blender.finish.findings import Finding
from inertia_addon.errors import InertiaError
from inertia_addon.motion import quaternion
from inertia_addon.motion.arrays import Array
from inertia_addon.motion.finish.floor import Floor
from inertia_addon.motion.steps import finish
from inertia_addon.settings.finish import FinishSettings
from tests.blender import clips
from tools import tables

CHOSEN_BY = {
    "cmu02": ("01", "03", "05"),
    "cmu127": ("01", "03", "05", "09", "13", "15", "17", "29", "32"),
    "cmu131": ("01",),
}
"""The takes by which constants were chosen; these are left out."""
GROUNDED = ("walk", "run")
"""Takes in which the character goes somewhere, so that feet, floor and stalls can be put wrong."""
OF_GROUNDED = ("skate", "floor", "seam")
KINDS = ("step", "spike", "stretch", "skate", "floor", "jitter", "seam", "pose")
LISTED_AS = {"step": "pop", "spike": "pop", "stretch": "pop"}
FOUND, AFTER, SKATE = 0.95, 1.2, 0.25
"""What is aimed at: the share that is found, each measure after, over that of the captured take, and the
skate after, over that which came in."""


@dataclasses.dataclass(frozen=True, eq=False)
class Fault:
    """A take with a fault in it: the action, and from which to which frame it is wrong."""

    action: Any
    first: float
    last: float


def takes(data: Path) -> Iterator[tuple[Any, str, bool]]:
    """Yield all captured takes that constants were not chosen by: the armature, the action's name, and
    whether the character goes somewhere in it; those in which it does come first.
    """
    for wanted in (True, False):
        for name, left_out in CHOSEN_BY.items():
            with contextlib.redirect_stdout(io.StringIO()):
                armature, names = clips.load(name, data)
            for action in names:
                goes = any(word in action for word in GROUNDED)
                if goes == wanted and action.split("_")[1] not in left_out:
                    yield armature, action, goes


class Spoiler:
    """Puts faults into a clip."""

    def __init__(self, armature: Any, clip: Clip, rng: np.random.Generator) -> None:
        self.armature, self.clip, self.rng = armature, clip, rng
        self.frames = joint_motion.grid(clip)
        self.turns = [
            each.source
            for each in match(armature, clip, clip, clip.start, clip.start).channels
            if each.kind == "rotation" and each.bone is not None and look.search.has_motion(clip, each)
        ]

    def spoil(self, kind: str) -> Fault:
        """Return a new action with a fault of a kind."""
        stretches, first, last = getattr(self, f"_put_{kind}")()
        curves = (
            stretches
            if isinstance(stretches, rewriting.Rewritten)
            else rewriting.rewritten(self.clip, stretches)
        )
        action = rewriting.write_action([curves], f"{self.clip.action.name} {kind}")
        return Fault(action, first, last)

    def _shown(self, channels: Any, frames: Array | None = None) -> Array:
        return channels.decode(channels.raw(self.frames if frames is None else frames))

    def _pop(self, span: slice) -> list[ChannelStretch]:
        """Turn a bone that turns by itself: clearly more than it does from frame to frame."""
        while True:
            channels = self.turns[int(self.rng.integers(len(self.turns)))]
            values = self._shown(channels)
            steps = quaternion.log(quaternion.multiply(values[1:], quaternion.conjugate(values[:-1])))
            bends = np.degrees(np.linalg.norm(np.diff(steps, axis=0), axis=1))
            own = float(np.quantile(bends, 0.95))
            if 0.02 < own < 1.5:
                break
        degrees, axis = self.rng.uniform(12.0, 30.0), self.rng.normal(size=3)
        turn = quaternion.exp(np.radians(degrees) * axis / np.linalg.norm(axis))
        values = values.copy()
        values[span] = quaternion.multiply(turn[None], values[span])
        return [ChannelStretch(channels, self.frames, values)]

    def _at(self, margin: int = 25) -> int:
        return int(self.rng.integers(margin, len(self.frames) - margin))

    def _put_step(self) -> Any:
        at = self._at()
        return self._pop(slice(at, None)), self.frames[at - 1], self.frames[at]

    def _put_spike(self) -> Any:
        at = self._at()
        return self._pop(slice(at, at + 1)), self.frames[at], self.frames[at]

    def _put_stretch(self) -> Any:
        at, count = self._at(), int(self.rng.integers(1, 7))
        return self._pop(slice(at, at + count)), self.frames[at], self.frames[at + count - 1]

    def _put_skate(self) -> Any:
        rig = rigs.read(self.armature)
        root = roots.find_root(rig, [self.clip])
        index = rig.bones.names.index(root.name)
        rest = (riglib.object_matrix(self.armature) @ np.asarray(rig.bones.rest[index]))[:3, :3]
        place = transform(self.clip, rig.paths[index], "location")
        raw = place.raw(self.frames)
        share = self.rng.uniform(1.2, 1.35)
        grown = np.linalg.inv(rest) @ np.diag([share, share, 1.0]) @ rest
        values = raw[:1] + (raw - raw[:1]) @ grown.T
        return [ChannelStretch(place, self.frames, values)], self.frames[0], self.frames[-1]

    def _put_floor(self) -> Any:
        angle, degrees = self.rng.uniform(0.0, 2.0 * np.pi), self.rng.uniform(3.0, 6.0)
        seen = look.stances.find_standing(read_character(self.armature), self.clip).stances
        places = np.array([stance.place for stance in seen])
        if len(places) > 2:
            # a floor that is tilted across the way tells nothing by a few steps along it
            way = np.linalg.svd(places[:, :2] - places[:, :2].mean(axis=0))[2][0]
            angle = np.arctan2(way[1], way[0]) + self.rng.uniform(-0.6, 0.6)
        slopes = np.tan(np.radians(degrees)) * np.array([np.cos(angle), np.sin(angle)])
        curves = levelling.level(
            read_character(self.armature), self.clip, Floor(np.zeros(3), slopes, 0.0, 1.0)
        )
        return curves, self.frames[0], self.frames[-1]

    def _put_jitter(self) -> Any:
        deviation = np.radians(self.rng.uniform(0.3, 1.0))
        stretches = []
        for channels in self.turns:
            noise = quaternion.exp(deviation * self.rng.normal(size=(len(self.frames), 3)))
            stretches.append(
                ChannelStretch(channels, self.frames, quaternion.multiply(noise, self._shown(channels)))
            )
        return stretches, self.frames[0], self.frames[-1]

    def _put_seam(self) -> Any:
        """Have the take slow down, stop, and go on within a third of a second; what is late is cut off."""
        positions = finish(joint_motion.positions(read_character(self.armature), self.clip, self.frames))
        speeds = look.stalls.measure_speeds(positions, scene.fps())
        far = round(0.8 * scene.fps())
        inner = speeds[far:-far]
        at = far + int(self.rng.choice(np.flatnonzero(inner >= np.median(inner))))
        pace = np.ones(len(self.frames))
        half, rest = round(0.1 * scene.fps()), round(0.08 * scene.fps())
        dip = np.concatenate([np.linspace(1.0, 0.0, half), np.zeros(rest), np.linspace(0.0, 1.0, half)])
        pace[at : at + len(dip)] = dip
        shown = self.frames[0] + np.append(0.0, np.cumsum(0.5 * (pace[1:] + pace[:-1])))
        stretches = []
        for each in match(self.armature, self.clip, self.clip, self.clip.start, self.clip.start).channels:
            raw = each.source.raw(shown)
            values = each.source.decode(raw) if each.source.mode else raw
            stretches.append(ChannelStretch(each.source, self.frames, values))
        return stretches, self.frames[at], self.frames[min(at + len(dip), len(self.frames) - 1)]

    def _put_pose(self) -> Any:
        rest = quaternion.IDENTITY[None]
        stretches = []
        for channels in self.turns:
            values = self._shown(channels)
            values[:1] = rest
            stretches.append(ChannelStretch(channels, self.frames, values, (0, 1)))
        return stretches, self.frames[0], self.frames[0]


@dataclasses.dataclass
class Score:
    """What became of the faults of a kind."""

    put: int = 0
    found: int = 0
    mended: int = 0
    after: list[float] = dataclasses.field(default_factory=list)
    before: list[float] = dataclasses.field(default_factory=list)
    skates: list[float] = dataclasses.field(default_factory=list)
    outside: float = 0.0
    refused: list[str] = dataclasses.field(default_factory=list)

    def try_one(self, armature: Any, fault: Fault, kind: str, clean: look.TakeFindings) -> None:
        """TakeFindings for a fault, mend it, and measure again."""
        listed = LISTED_AS.get(kind, kind)
        settings = FinishSettings(fault.action.name)
        seen = finish(look.look_steps(armature, settings))
        self.put += 1
        hits = [each for each in seen.findings if each.kind == listed and _meets(each, fault)]
        self.found += bool(hits)
        if not hits:
            return
        # what else the take has stays, so that nothing but this fault is measured
        wanted = FinishSettings(
            fault.action.name,
            leave=tuple(each.name for each in seen.findings if each not in hits),
            assign=False,
        )
        try:
            report = finish(bake.finish_take_steps(armature, wanted, None, seen))
        except InertiaError as error:
            self.refused.append(str(error))
            return
        result = clip_store.read(armature, bpy.data.actions[report.result])
        again = finish(look.look_at_steps(read_character(armature), result, settings))
        self.mended += not any(
            each.kind == listed and _meets(each, fault) for each in again.findings if each.is_mended
        )
        self.before.append(_measure(seen, listed, fault))
        own = max(_measure(clean, listed, fault), _least(listed, seen))
        self.after.append(_measure(again, listed, fault) / own)
        self.outside = max(self.outside, _furthest_outside(armature, seen.clip, result, hits))
        if kind == "skate":
            self.skates.append(_skate_of(armature, result) / max(_skate_of(armature, seen.clip), 1e-9))
        bpy.data.actions.remove(bpy.data.actions[report.result])


def _meets(finding: Finding, fault: Fault) -> bool:
    return finding.first <= fault.last + 1.0 and fault.first <= finding.last + 1.0


def _measure(seen: look.TakeFindings, kind: str, fault: Fault) -> float:
    """Return the largest of a kind in the fault's frames."""
    sizes = [each.size for each in seen.measured if each.kind == kind and _meets(each, fault)]
    return max(sizes, default=0.0)


def _least(kind: str, seen: look.TakeFindings) -> float:
    """Return what is too small to be listed: a clean take may have as much, and has less at times."""
    size = seen.facts.size
    limits = {"skate": look.SKATE * size, "floor": np.degrees(look.TILT), "jitter": np.degrees(look.NOISE)}
    return float(limits.get(kind, 1.0))


def _skate_of(armature: Any, clip: Clip) -> float:
    """Return how fast feet skate while they are low, m/s, the mean of all."""
    character = read_character(armature)
    planted = finish(contacts.read_contacts_steps(character, clip))
    return float(np.mean([foot.skate_speed or 0.0 for foot in contacts.figures_of(character, planted)]))


def _furthest_outside(armature: Any, clip: Clip, result: Clip, hits: list[Finding]) -> float:
    """Return how far a joint is off where nothing was mended: further than a second from any finding."""
    frames = joint_motion.grid(clip)
    away = np.ones(len(frames), bool)
    for each in hits:
        reach = 1.1 * scene.fps()
        away &= (frames < each.first - reach) | (frames > each.last + reach)
    if not away.any():
        return 0.0
    both = [
        finish(joint_motion.positions(read_character(armature), each, frames[away]))
        for each in (clip, result)
    ]
    return float(np.linalg.norm(both[0] - both[1], axis=2).max())


def _describe_skate(scores: dict[str, Score]) -> str:
    """Return a sentence on how fast feet skate after, over how fast they did before; empty without any."""
    skates = scores["skate"].skates if "skate" in scores else []
    if not skates:
        return ""
    return (
        f"Feet that skate go at {np.median(skates):.2f} of what came in, at most {max(skates):.2f} "
        f"(aimed at: {SKATE:g}). "
    )


def finish_rigs(data: Path) -> None:
    """Finish the longest clip of each file, and print what came of it."""
    for path in sorted([*data.rglob("*.glb"), *data.rglob("*.fbx")]):
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        muted = contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO())
        try:
            with muted[0], muted[1]:
                names = api.read(path)
                longest = max(names, key=lambda name: float(np.ptp(bpy.data.actions[name].frame_range)))
                rigs = [each for each in bpy.data.objects if each.type == "ARMATURE"]
                armature = max(rigs, key=lambda each: len(each.data.bones))
                began = time.process_time()
                seen = api.run("finish", armature, bakes=False, action=longest)
                seconds = [time.process_time() - began]
                done = api.run("finish", armature, action=longest)
                seconds.append(time.process_time() - began - seconds[0])
        except InertiaError as error:
            print(f"{path.name}: {error}", flush=True)
            continue
        facts, found = seen.values["facts"], len(seen.values["findings"])
        frames = float(np.ptp(bpy.data.actions[longest].frame_range)) + 1.0
        print(
            f"{path.name}: {longest}, {frames:.0f} frames of {facts['bones']} bones, {found} findings, "
            f"{done.values['left']} left; looked at in {seconds[0]:.2f} s, looked at and mended in "
            f"{seconds[1]:.2f} s",
            flush=True,
        )


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--takes", type=int, default=20)
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--kind", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--brief", action="store_true", help="read fewer takes, and less of each")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--rigs", action="store_true", help="finish a clip of each rig instead")
    asked = parser.parse_args()
    if asked.rigs:
        finish_rigs(asked.data)
        return
    clips.is_whole = not asked.brief
    rng = np.random.default_rng(asked.seed)
    scores = {kind: Score() for kind in asked.kind}
    false, pops, count, look_seconds, frames = 0, 0, 0, [], []
    for armature, name, goes in takes(asked.data):
        if count == asked.takes:
            break
        clip = clip_store.read(armature, bpy.data.actions[name])
        if clip.end - clip.start < 2.0 * scene.fps():
            continue
        count += 1
        began = time.process_time()
        clean = finish(look.look_steps(armature, FinishSettings(name)))
        look_seconds.append(time.process_time() - began)
        frames.append(clip.end - clip.start + 1.0)
        others = [each.name for each in clean.findings if each.kind != "pop"]
        false += len(others)
        pops += len(clean.findings) - len(others)
        print(f"{name}: {len(clean.findings)} findings, {', '.join(others) or 'none but pops'}", flush=True)
        spoiler = Spoiler(armature, clip, rng)
        for kind, score in scores.items():
            if kind in OF_GROUNDED and not goes:
                continue
            fault = spoiler.spoil(kind)
            before = score.found, score.mended
            score.try_one(armature, fault, kind, clean)
            if score.found == before[0] or score.mended == before[1]:
                what = "not found" if score.found == before[0] else "not mended"
                print(f"  {kind} from {fault.first:g} to {fault.last:g} is {what}", flush=True)
            bpy.data.actions.remove(fault.action)
    lines = tables.heads(["Fault", "Takes", "Found", "Mended", "After, over the captured take's", "Refused"])
    for kind, score in scores.items():
        middle = f"{np.median(score.after):.2f}, at most {max(score.after):.2f}" if score.after else "-"
        found = f"{score.found / max(score.put, 1):.0%}"
        row = [kind, str(score.put), found, str(score.mended), middle, str(len(score.refused))]
        lines.append(tables.row(row))
        for reason in dict.fromkeys(score.refused):
            print(f"{kind}: {reason}")
    total = sum(score.put for score in scores.values())
    found = sum(score.found for score in scores.values())
    outside = max(score.outside for score in scores.values())
    lines += [
        "",
        f"{count} takes, {total} faults, of which {found / max(total, 1):.0%} are found "
        f"(aimed at: {FOUND:.0%}). "
        f"Takes as they were captured have {pops} pops and {false} other findings. Further than a second "
        f"from what was mended joints "
        f"are off by {1000.0 * outside:.3f} mm at most. {_describe_skate(scores)}A look takes "
        f"{np.sum(look_seconds) / np.sum(frames):.4f} s of processor time for each frame.",
    ]
    print("\n".join(lines))
    if asked.write:
        tables.write("finish", lines)


if __name__ == "__main__":
    main()
