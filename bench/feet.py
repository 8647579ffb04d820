# SPDX-License-Identifier: GPL-3.0-or-later
"""How well feet stay put in transitions of real motion, as a table with what was aimed at beside it.

    python bench/feet.py --data DATA [--cuts 60] [--brief] [--write]

Reads the BVH sets cmu127 (03 to 12 and 15 to 20) and cmu131 below DATA, resampled to 30 frames a second,
and makes random transitions of 0.4 s between their clips (seeds 7, 21 and 33) in four ways: the clips' own,
unlocked, cross-faded as the NLA does, and with feet locked. Whether a foot ought to be planted is judged by
the two clips themselves, at their own rate, by a reference that has nothing to do with what the product
finds contacts by.

Of each foot, over the window from the cut on, in steps from frame to frame:

- planted speed: of steps at which the destination is planted and the foot is on the ground, no more than 0.05
  leg lengths above where the destination stands. In held spans: of the frames at which the foot is locked.
- still share: how many of the steps at which the destination is planted are slower than 0.25 leg lengths a
  second.
- whole clips: the same speed, as Lock Feet makes a new action of each clip, against the clips' own.
- skate: how far it skates over the ground, by the judge's definition, computed independently (see
  measures.foot_skates), cm; where the destination is planted, or the source at the cut and since then.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import io
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))

import bpy
import measures
import methods
import numpy as np
from methods import FPS, WINDOW, Scene
from numpy.typing import NDArray

from inertia_addon.blender.cost import costing, meetings
from inertia_addon.blender.data import actions, clip_store, rig
from inertia_addon.blender.evaluation import joint_motion, joints
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.feet import bake as feet_bake
from inertia_addon.blender.feet import contacts
from inertia_addon.blender.transition import bake
from inertia_addon.motion.feet import chains, leg_ik
from inertia_addon.motion.feet import legs as leglib
from inertia_addon.motion.feet.legs import RestBones
from inertia_addon.motion.skeleton import naming
from inertia_addon.motion.skeleton.posing import Posed
from inertia_addon.motion.steps import finish
from inertia_addon.settings.cost import Search
from inertia_addon.settings.feet import Locking
from inertia_addon.settings.transition import TransitionSettings
from tools import tables

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

SETS = {
    "cmu127": ("cmu127", "", 0.01, {*range(3, 13), *range(15, 21)}),
    "cmu131": ("cmu131", "_metres", 1.0, None),
}
SEEDS = (7, 21, 33)
STATIONARY_SECONDS, STATIONARY, ON_GROUND = 0.1, 0.012, 0.05
"""A foot is planted where it stays so near to its mean for so long, and so near the ground (leg lengths)."""
STILL = 0.25
"""A foot that is slower is still, leg lengths a second."""
AROUND_SECONDS = 0.6
BESIDE = 2
"""Frames before the cut and after the window that are looked at, too."""
WAYS = ("own", "unlocked", "NLA", "locked")


def stationary(points: Array, rate: float, length: float) -> Flags:
    """Which frames (n,) lie in some STATIONARY_SECONDS in which a point (n, 3) stays, on the ground."""
    size = round(STATIONARY_SECONDS * rate) + 1
    found = np.zeros(len(points), bool)
    if len(points) < size:
        return found
    windows = np.lib.stride_tricks.sliding_window_view(points, size, axis=0).transpose(0, 2, 1)
    away = np.linalg.norm(windows - windows.mean(axis=1, keepdims=True), axis=-1).max(axis=1)
    for start in np.flatnonzero(away < STATIONARY * length):
        found[start : start + size] = True
    return found & (points[:, 2] - lowest_around(points[:, 2], rate) < ON_GROUND * length)


def lowest_around(heights: Array, rate: float) -> Array:
    """The lowest of heights (n,) within AROUND_SECONDS of each."""
    around = round(AROUND_SECONDS * rate)
    padded = np.pad(heights, around, mode="edge")
    return np.asarray(np.lib.stride_tricks.sliding_window_view(padded, 2 * around + 1).min(axis=1))


@dataclasses.dataclass
class Judged:
    """A clip as the reference sees it, on its frames at 30 a second.

    planted, ground: (feet, n). posed: its legs.
    """

    frames: Array
    planted: Flags
    ground: Array
    posed: Posed


class Feet:
    """A set of clips with legs, judged once."""

    def __init__(self, data: Path, folder: str, suffix: str, scale: float, numbers: set[int] | None) -> None:
        self.scene = Scene(*methods.import_set(data / "bvh" / folder, suffix, scale))
        if numbers is not None:
            clips = self.scene.clips
            self.scene.clips = {name: clips[name] for name in clips if int(name.split("_")[1]) in numbers}
        self.armature = self.scene.armature
        self.whole = found_legs(self.armature)
        self.legs = chains.part(self.scene.rig, self.whole)
        self.judged = {name: self._judged(name, clip) for name, clip in self.scene.clips.items()}
        self.lengths = [
            chains.length_of(leg, next(iter(self.judged.values())).posed) for leg in self.legs.legs
        ]
        # which joints of the whole rig belong to legs
        below = [i for leg in self.whole for i in (*leg.joints, leg.point)]
        self.of_legs = sorted(set(below))

    def posed(self, curves: Any, frames: Array, unkeyed: Any) -> Posed:
        values = joint_motion.tracks(self.legs.rig, curves, frames, unkeyed)
        return self.legs.posed(values, len(frames))

    def _judged(self, name: str, clip: actions.Clip) -> Judged:
        """Judge the clip at its own rate, of which every fourth frame is the clip's."""
        whole = clip_store.read(self.armature, bpy.data.actions[name.rsplit(".", 1)[0]])
        frames = np.arange(clip.start, clip.end + 1.0)
        every = round((whole.end - whole.start) / (clip.end - clip.start))
        rate = float(every * FPS)
        there = np.arange(whole.start, whole.end + 1.0)
        posed = self.posed(whole.curves, there, whole.unkeyed)
        planted, ground = [], []
        for leg in self.legs.legs:
            points = chains.point_of(leg, posed)
            flags = stationary(points, rate, chains.length_of(leg, posed))
            planted.append(flags[::every][: len(frames)])
            ground.append(lowest_around(points[:, 2], rate)[::every][: len(frames)])
        return Judged(
            frames, np.array(planted), np.array(ground), self.posed(clip.curves, frames, clip.unkeyed)
        )


def found_legs(armature: bpy.types.Object) -> tuple[leglib.Leg, ...]:
    """The legs of an armature."""
    bones = armature.data.bones
    names = list(bones.keys())
    parents = [names.index(bone.parent.name) if bone.parent else -1 for bone in bones]
    feet = [names.index(j.bone) for j in joints.default_joints(armature) if j.role == naming.FOOT]
    ends = rig.gathered(bones, "tail_local", 3)
    return leglib.find(
        RestBones(names, parents, rig.matrices(bones, "matrix_local"), ends), feet, joints.up_axis(armature)
    )


@dataclasses.dataclass
class Seen:
    """One way of a transition, from BESIDE frames before the cut to as many behind the window.

    heads: (bones, n, 3) of the legs' rig. points: (feet, n, 3) by which feet stand. whole: (n, joints, 3).
    hinges: (feet, n, 3) about which the clips bend the knees.
    """

    heads: Array
    points: Array
    whole: Array
    hinges: Array


class Judge:
    """Measures transitions of a set; figures collects what was measured, by way and by what it is."""

    def __init__(self, feet: Feet) -> None:
        self.feet, self.scene = feet, feet.scene
        self.figures: dict[tuple[str, str], list[float]] = {}
        self.peaks: dict[tuple[str, int], float] = {}

    def note(self, way: str, **found: float | Array) -> None:
        """Collect figures."""
        for name, values in found.items():
            self.figures.setdefault((way, name), []).extend(np.atleast_1d(values).tolist())

    def percentile(self, way: str, name: str, percent: float = 50.0) -> float:
        """Of what was collected."""
        return float(np.percentile(self.figures.get((way, name), [np.nan]), percent))

    def mean(self, way: str, name: str) -> float:
        """Of what was collected."""
        return float(np.mean(self.figures.get((way, name), [np.nan])))

    def cut(self, cut: tuple[str, str, int, int]) -> None:
        """Make one transition in all ways, and measure each."""
        source, destination, at, start = cut
        frames = np.arange(at - BESIDE, at + WINDOW + BESIDE + 1.0)
        ways = {"own": self.seen(self.scene.clips[destination].curves, frames - at + start)}
        plan: Any = None
        for way, feet in (("unlocked", "OFF"), ("locked", "LOCK")):
            settings = TransitionSettings(*cut, blend_frames=float(WINDOW), feet=feet, assign=False)
            plan = bake.plan_transition(self.feet.armature, settings)
            ways[way] = self.seen(plan.slots[0].curves, frames)
        ways["NLA"] = self.faded(cut)
        holds = [
            [(round(a - at), round(b - at)) for a, b in plan.feet.holds.get(leg.name, ())]
            for leg in self.feet.whole
        ]
        there, here = self.feet.judged[destination], self.feet.judged[source]
        span = slice(int(start - there.frames[0]), int(start - there.frames[0]) + WINDOW + 1)
        # what the aligned destination stands on is as high as where it was animated
        planted, ground = there.planted[:, span], there.ground[:, span]
        stood = here.planted[:, int(at - here.frames[0])]
        for way in WAYS:
            for i in range(len(self.feet.whole)):
                self.foot(
                    way,
                    i,
                    ways,
                    planted[i],
                    stood=bool(stood[i]),
                    ground=ground[i],
                    names=(source, destination),
                )
            self.smoothness(way, ways[way], cut)
        self.locks(ways, holds, (source, destination))
        self.flying(ways, ground, planted)

    def seen(self, curves: Any, frames: Array) -> Seen:
        """What curves show."""
        posed = self.feet.posed(curves, frames, None)
        points = np.array([chains.point_of(leg, posed) for leg in self.feet.legs.legs])
        clips = [one.posed for one in self.feet.judged.values()]
        hinges = np.array([chains.motion(leg, posed, clips).pose.hinge for leg in self.feet.legs.legs])
        whole = joint_motion.joint_positions(self.scene.rig, curves, frames, None)
        return Seen(posed.heads, points, whole, hinges)

    def faded(self, cut: tuple[str, str, int, int]) -> Seen:
        """A linear cross-fade, as of two strips of the NLA."""
        whole = self.scene.reference(cut, lambda f: np.clip(f / WINDOW, 0.0, 1.0))
        order = [self.scene.rig.bones.names.index(name) for name in self.feet.legs.rig.bones.names]
        heads = whole[:, order].transpose(1, 0, 2)
        # both sets stand by the heads of their toes
        return Seen(heads, heads[[leg.point for leg in self.feet.legs.legs]], whole, np.empty(0))

    def foot(
        self,
        way: str,
        i: int,
        ways: dict[str, Seen],
        planted: Flags,
        *,
        stood: bool,
        ground: Array,
        names: tuple[str, str],
    ) -> None:
        """Measure a foot over the window."""
        leg, length, seen = self.feet.legs.legs[i], self.feet.lengths[i], ways[way]
        inner = slice(BESIDE, BESIDE + WINDOW + 1)
        p = seen.points[i][inner]
        speed = np.linalg.norm(np.diff(p, axis=0), axis=1) * FPS
        ought, above = planted[1:] & planted[:-1], p[:, 2] - ground
        low = np.maximum(above[1:], above[:-1]) < ON_GROUND * length
        self.note(way, speed=speed[ought & low], still=speed[ought] < STILL * length)
        touches = planted.copy()
        if stood:
            lifts = np.flatnonzero(~planted)
            touches[: lifts[0] if len(lifts) else None] = True
        counted = np.flatnonzero(touches[1:] & touches[:-1])
        if len(counted):
            height = measures.CONTACT_HEIGHT * self.scene.rig.size
            pairs = [measures.foot_skates(p[k : k + 2, None], ground[k : k + 1], height)[0] for k in counted]
            self.note(way, skate=100.0 * sum(pairs))
        self.note(way, depth=100.0 * np.maximum(-above, 0.0))
        thigh, shin, reach = self.leg(leg, seen.heads)
        upper, lower = np.linalg.norm(thigh, axis=1), np.linalg.norm(shin, axis=1)
        bent = np.degrees(leg_ik.flexion(upper, lower, reach))
        self.note(way, knee=np.abs(np.diff(bent[BESIDE - 1 : BESIDE + WINDOW + 2], 2)))
        longest = [self.longest(name, i) for name in names]
        allowed = np.maximum(max(longest), leg_ik.extension(upper, lower, leg_ik.STRAIGHTEST))
        allowed = np.maximum(allowed, self.leg(leg, ways["unlocked"].heads)[2])
        if way == "locked":
            # a knee that the blend bends backwards has to pass the straight leg to be righted
            allowed = np.where(self.backwards(i, ways["unlocked"]) > 0.0, upper + lower, allowed)
        self.note(way, beyond=1000.0 * float((reach - allowed)[inner].max()))
        if way == "locked":
            wrong = self.backwards(i, seen) - self.backwards(i, ways["unlocked"])
            self.note(way, backwards=wrong[inner])

    def leg(self, leg: leglib.Leg, heads: Array) -> tuple[Array, Array, Array]:
        """Thigh and shin (n, 3), and from hip to ankle (n,)."""
        hip, knee, ankle = (heads[leg.joints[k]] for k in (0, 1, -1))
        return knee - hip, ankle - knee, np.linalg.norm(ankle - hip, axis=1)

    def longest(self, name: str, i: int) -> float:
        """How far a leg stretches in a clip."""
        return float(self.leg(self.feet.legs.legs[i], self.feet.judged[name].posed.heads)[2].max())

    def backwards(self, i: int, seen: Seen) -> Array:
        """Degrees by which a knee bends the wrong way (n,)."""
        thigh, shin, reach = self.leg(self.feet.legs.legs[i], seen.heads)
        bent = leg_ik.flexion(np.linalg.norm(thigh, axis=1), np.linalg.norm(shin, axis=1), reach)
        wrong = np.sum(np.cross(thigh, shin) * seen.hinges[i], axis=1) < 0.0
        return np.degrees(np.where(wrong, bent, 0.0))

    def smoothness(self, way: str, seen: Seen, cut: tuple[str, str, int, int]) -> None:
        """Measure the changes of joint velocity at the cut and over the window."""
        change = methods.second_difference(seen.whole)
        at = change[BESIDE - 1]
        if way == "own":
            source = self.scene.clips[cut[0]]
            frames = np.arange(cut[2] - 1.0, cut[2] + 2.0)
            own = joint_motion.joint_positions(self.scene.rig, source.curves, frames, source.unkeyed)
            at = np.sqrt(0.5 * (at**2 + methods.second_difference(own)[0] ** 2))
        legs = methods.second_difference(seen.whole[:, self.feet.of_legs])
        inner = slice(BESIDE - 1, BESIDE + WINDOW)
        self.note(way, at_cut=at, highest=change[inner].max(), legs=legs[inner].max())

    def peak(self, name: str, i: int) -> float:
        """The highest change of velocity of a leg's joints in a clip."""
        if (name, i) not in self.peaks:
            heads = self.feet.judged[name].posed.heads.transpose(1, 0, 2)
            leg = self.feet.legs.legs[i]
            self.peaks[name, i] = float(methods.second_difference(heads[:, [*leg.joints, leg.point]]).max())
        return self.peaks[name, i]

    def whole(self) -> None:
        """Lock the feet of each whole clip, and measure how fast they are where they ought to be planted."""
        armature = self.feet.armature
        for name, clip in self.scene.clips.items():
            judged = self.feet.judged[name]
            known = finish(contacts.read_contacts_steps(read_character(armature), clip))
            if not any(known.spans):
                continue
            made = feet_bake.lock_clip(read_character(armature), clip, known, Locking()).curves
            locked = {at: actions.Repeated(None, keys, "", "") for at, keys in made.curves.items()}
            posed = self.feet.posed({**clip.curves, **locked}, judged.frames, clip.unkeyed)
            for i, leg in enumerate(self.feet.legs.legs):
                ought = judged.planted[i, 1:] & judged.planted[i, :-1]
                for way, seen in (("own", judged.posed), ("locked", posed)):
                    steps = np.linalg.norm(np.diff(chains.point_of(leg, seen), axis=0), axis=1)
                    self.note(way, whole=steps[ought] * FPS)

    def locks(
        self, ways: dict[str, Seen], holds: Sequence[Sequence[tuple[int, int]]], names: tuple[str, str]
    ) -> None:
        """Measure what happens where feet are held."""
        for i, held in enumerate(holds):
            leg, seen = self.feet.legs.legs[i], ways["locked"]
            change = methods.second_difference(seen.heads.transpose(1, 0, 2)[:, [*leg.joints, leg.point]])
            most = max(self.peak(name, i) for name in names)
            for first, last in held:
                inside = seen.points[i][BESIDE + first : BESIDE + min(last, WINDOW) + 1]
                self.note("locked", held=np.linalg.norm(np.diff(inside, axis=0), axis=1) * FPS)
                ends = [k for k in (first, last) if 0 < k <= WINDOW]
                self.note("locked", ends=np.array([change[BESIDE - 1 + k] / most for k in ends]))

    def flying(self, ways: dict[str, Seen], ground: Array, planted: Flags) -> None:
        """Count the frames at which locking alone has all feet in the air, though the destination stands.

        In the air: higher above where the destination stands than ON_GROUND, unless it is still, as where the
        source stands on higher ground. A flight in which the source is at the cut lasts until a foot lands.
        """
        inner = slice(BESIDE, BESIDE + WINDOW + 1)
        high = {way: np.ones(WINDOW + 1, bool) for way in ("unlocked", "locked", "own")}
        for i, length in enumerate(self.feet.lengths):
            own = ways["own"].points[i][inner, 2]
            level = np.median(own[planted[i]]) if planted[i].any() else ground[i]
            for way, all_high in high.items():
                points = ways[way].points[i]
                speed = np.linalg.norm(np.diff(points, axis=0), axis=1) * FPS
                still = np.minimum(speed[BESIDE - 1 : -BESIDE], speed[BESIDE : 1 - BESIDE]) < STILL * length
                all_high &= (points[inner, 2] - level > ON_GROUND * length) & ~still
        # the source may take off just at the cut, which the blend shows, too
        start = int(high["unlocked"][1])
        lands = np.flatnonzero(~high["locked"][start:])
        high["locked"][: start + lands[0] if len(lands) else None] = False
        stands = np.any(planted, axis=0)
        self.note("locked", flying=high["locked"] & ~high["unlocked"] & ~high["own"] & stands)


def best_entries(
    feet: Feet, cuts: Sequence[tuple[str, str, int, int]]
) -> Iterator[tuple[str, str, int, int]]:
    """The same cuts, each entering its destination where that costs least."""
    weights = joints.named_weights(feet.armature, "found")
    search = Search(keep_frames=WINDOW + 4.0)
    for source, destination, at, _ in cuts:
        settings = TransitionSettings(source, destination, float(at), assign=False)
        pair = costing.read_pair(feet.armature, settings)
        motions = finish(costing.motions(feet.armature, pair))
        compared = costing.compare(settings, pair.alignment, weights, motions, float(FPS))
        found = meetings.best_destinations(compared, float(at), search, 1)[0].destination_frame
        clip = feet.scene.clips[destination]
        yield source, destination, at, int(np.clip(round(found), clip.start + 3, clip.end - WINDOW - 4))


def goals(judge: Judge) -> Iterator[tuple[str, float, str, float]]:
    """What was aimed at: a name, what was reached, how they compare, and the goal."""
    at = judge.percentile
    yield "planted speed, median, m/s", at("locked", "speed"), "<=", 0.02
    yield "skate, median, of own", at("locked", "skate") / at("own", "skate"), "<=", 1.1
    yield "skate, median, of unlocked", at("locked", "skate") / at("unlocked", "skate"), "<=", 0.25
    yield "skate, 95th percentile, of own", at("locked", "skate", 95) / at("own", "skate", 95), "<=", 1.8
    yield "still share", judge.mean("locked", "still"), ">=", 0.48
    yield "speed in held spans, 95th percentile, m/s", at("locked", "held", 95), "<=", 0.05
    yield "change at the cut, of own", at("locked", "at_cut") / at("own", "at_cut"), "<=", 1.0
    yield "highest change, of unlocked", at("locked", "highest") / at("unlocked", "highest"), "<=", 1.25
    yield "the same of legs", at("locked", "legs") / at("unlocked", "legs"), "<=", 1.5
    yield "change at lock and release, of the clips' peak, median", at("locked", "ends"), "<=", 1.0
    yield "the same, 95th percentile", at("locked", "ends", 95), "<=", 1.0
    yield (
        "knee's second difference, 95th percentile, of own",
        at("locked", "knee", 95) / at("own", "knee", 95),
        "<=",
        1.5,
    )
    yield "knees bent backwards, more than unlocked, degrees", at("locked", "backwards", 100), "<=", 0.01
    yield "beyond the reach, mm", at("locked", "beyond", 100), "<=", 0.1
    yield "penetration, 95th percentile, cm", at("locked", "depth", 95), "<=", 4.0
    yield "Lock Feet on whole clips: planted median, m/s", at("locked", "whole"), "<=", 0.0005
    yield "the same, 95th percentile", at("locked", "whole", 95), "<=", 0.03
    yield "frames in the air by locking", float(np.sum(judge.figures["locked", "flying"])), "<=", 0.0


def lines_of(name: str, judge: Judge, best: Judge) -> Iterator[str]:
    """What is printed of a set, as Markdown."""
    yield f"{name}: {len(judge.figures['own', 'at_cut'])} random cuts"
    yield ""
    rows = (
        ("planted speed, m/s, median", "speed", 50.0),
        ("skate, cm, median", "skate", 50.0),
        ("skate, cm, 95th percentile", "skate", 95.0),
        ("still share", "still", None),
        ("change at the cut, m/s, median", "at_cut", 50.0),
        ("highest change, m/s, median", "highest", 50.0),
        ("of legs, m/s, median", "legs", 50.0),
        ("knee, degrees/frame^2, 95th percentile", "knee", 95.0),
        ("penetration, cm, 95th percentile", "depth", 95.0),
    )
    yield from tables.heads(["", *WAYS])
    for title, key, percent in rows:
        found = [
            judge.mean(way, key) if percent is None else judge.percentile(way, key, percent) for way in WAYS
        ]
        yield tables.row([title, *(f"{value:.3f}" for value in found)])
    for title, percent in (("median", 50.0), ("95th percentile", 95.0)):
        own, locked = (judge.percentile(way, "whole", percent) for way in ("own", "locked"))
        yield tables.row([f"whole clips, m/s, {title}", f"{own:.3f}", "", "", f"{locked:.3f}"])
    entries = [f"{best.mean(way, 'still'):.3f}" for way in WAYS]
    yield tables.row(["still share at best entries", *entries])
    yield ""
    yield from tables.heads(["goal", "measured", "", ""])
    for title, value, sign, goal in (
        *goals(judge),
        ("still share at best entries", best.mean("locked", "still"), ">=", 0.8),
    ):
        reached = value <= goal if sign == "<=" else value >= goal
        wanted = f"at {'most' if sign == '<=' else 'least'} {goal:g}"
        # no zero has a sign
        yield tables.row([title, f"{round(value, 3) + 0.0:.3f}", wanted, "pass" if reached else "FAIL"])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument(
        "--cuts", type=int, default=60, help="random cuts of each set, from all seeds together"
    )
    parser.add_argument("--set", choices=SETS, action="append", help="only this set")
    parser.add_argument("--brief", action="store_true", help="a few cuts only")
    parser.add_argument(
        "--write", action="store_true", help="write the tables into docs/reference/measured.md, too"
    )
    arguments = parser.parse_args()
    count = -(-(12 if arguments.brief else arguments.cuts) // len(SEEDS))
    said: list[str] = []
    for name in arguments.set or SETS:
        with contextlib.redirect_stdout(io.StringIO()):
            feet = Feet(arguments.data, *SETS[name])
            judge, best = Judge(feet), Judge(feet)
            judge.whole()
            for seed in SEEDS:
                cuts = list(feet.scene.cuts(count, seed))
                for cut in cuts:
                    judge.cut(cut)
                for cut in best_entries(feet, cuts[: max(count // 3, 2)]):
                    best.cut(cut)
        lines = list(lines_of(name, judge, best))
        print("\n".join([*[""][: len(said)], *lines]), flush=True)
        said += [*[""][: len(said)], *lines]
    if arguments.write:
        tables.write("feet", said)


if __name__ == "__main__":
    main()
