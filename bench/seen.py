# SPDX-License-Identifier: GPL-3.0-or-later
"""What is seen of a baked transition: it and its clips are played by Blender, and measured by formulas that
share no code with the judge."""

from __future__ import annotations

import dataclasses
import itertools
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from inertia_addon.blender.data import compat, rigs, scene, unkeyed
from inertia_addon.blender.evaluation import joints
from inertia_addon.blender.feet import legs
from inertia_addon.blender.transition import bake
from inertia_addon.motion.decay import decay
from inertia_addon.settings.transition import TransitionSettings

Array = NDArray[np.float64]

PERSON = 2.5
"""The diagonal of a person at rest, arms spread, metres."""
ALIKE = 0.05
"""Legs are as large where their bones' lengths differ by no more than this part."""


@dataclasses.dataclass
class Seen:
    """What was measured of a bake.

    change: of velocity, over the clips' own, at the worst frame; limb: that of the worst large joint, hips:
    that of the hips. In centimetres of a person: skate, of the worst foot, lift, floats, sink, and reaches,
    of each end, and throws, before or behind the hips. In what is allowed: skating, of each foot, thrown, of
    each end, bend and spin. ways, usual: (feet,) how far each foot skates, and those of the clips in as long.
    """

    change: float
    skate: float
    skating: list[float]
    lift: float
    floats: float
    sink: float
    reaches: list[float]
    spin: float
    ways: Array
    usual: Array
    limb: float = 0.0
    hips: float = 0.0
    bend: float = 0.0
    thrown: list[float] = dataclasses.field(default_factory=list)
    throws: list[float] = dataclasses.field(default_factory=list)

    @property
    def reach(self) -> float:
        """The furthest, of each end in the way that is seen more."""
        every = zip(self.reaches, self.throws, self.thrown, strict=True)
        return max(
            (throw if thrown > reach / (10.0 * PERSON) else reach for reach, throw, thrown in every),
            default=0.0,
        )

    def severities(self) -> dict[str, float]:
        """Each in what is allowed of it."""
        return {
            "change": self.change / 1.3,
            "limb": self.limb / 1.6,
            "bend": self.bend,
            "skate": max(self.skating, default=0.0),
            "lift": self.lift / (4.0 * PERSON),
            "float": self.floats / (4.0 * PERSON),
            "sink": min(self.sink / (4.0 * PERSON), 2.0),
            "reach": max(self.stretched, default=0.0),
            "spin": min(self.spin, 2.0),
        }

    @property
    def stretched(self) -> list[float]:
        """How far each end reaches, or is thrown, in what is allowed."""
        both = zip(self.reaches, self.thrown, strict=True)
        return [max(reach / (10.0 * PERSON), thrown) for reach, thrown in both]

    @property
    def total(self) -> float:
        """All that is seen together."""
        one = self.severities() | {"sink": self.sink / (4.0 * PERSON), "spin": self.spin}
        each = [*self.skating, *self.stretched]
        each += [one[kind] for kind in ("change", "limb", "bend", "lift", "float", "sink", "spin")]
        return sum(value**2 for value in each)

    @property
    def word(self) -> str:
        """Good, fair or poor."""
        worst = max(self.severities().values())
        return "GOOD" if worst <= 1.0 else "POOR" if worst > 2.0 else "FAIR"


class Stage:
    """An armature whose actions Blender plays."""

    def __init__(self, armature: Any) -> None:
        self.armature = armature
        names = armature.data.bones.keys()
        known = joints.default_joints(armature)
        self.parents = [names.index(b.parent.name) if b.parent else -1 for b in armature.data.bones]
        roles = {
            role: [names.index(j.bone) for j in known if j.role == role] for role in ("FOOT", "HAND", "HEAD")
        }
        self.hips = next((names.index(j.bone) for j in known if j.role == "HIPS"), 0)
        self.ends = [i for role in roles.values() for i in role]
        own = legs.of_armature(armature)
        self.feet = [leg.foot if leg.ball is None else leg.ball for leg in own] or roles["FOOT"]
        self.size = rigs.read(armature).size * scene.metres_per_unit()
        self.limbs = self._limbs(armature, own, roles["HAND"], roles["HEAD"])
        self.hinges = self._hinges(own, roles["HAND"], self._rest(armature))
        self.legs = [leg.joints for leg in own if not leg.is_lone]
        moving = np.frombuffer(joints.find_moving_bones(armature), bool)
        self.moving = np.flatnonzero(moving)
        self.grounds: dict[Any, Array | None] = {}
        self.known: dict[tuple[str, str], dict[float, Array]] = {}

    def _rest(self, armature: Any) -> Array:
        rest = np.array([armature.matrix_world @ bone.head_local for bone in armature.data.bones])
        return rest * bpy.context.scene.unit_settings.scale_length

    def _above(self, joint: int, rest: Array) -> int:
        """The next joint above one that is apart from it, -1 for none below the hips."""
        up = self.parents[joint]
        while up > 0 and up != self.hips and np.linalg.norm(rest[up] - rest[joint]) < 0.04 * self.size:
            up = self.parents[up]
        return -1 if up <= 0 or up == self.hips else up

    def _kinds(self, own: Any, rest: Array) -> list[list[Any]]:
        """The legs, those together that are as large: a short one is no measure for a long one."""
        kinds: list[tuple[Array, list[Any]]] = []
        for leg in own:
            long = np.linalg.norm(np.diff(rest[list(leg.joints)], axis=0), axis=1)
            for known, kind in kinds:
                if len(known) == len(long) and np.allclose(known, long, ALIKE, 0.0):
                    kind.append(leg)
                    break
            else:
                kinds.append((long, [leg]))
        return [kind for _, kind in kinds]

    def _hinges(self, own: Any, hands: list[int], rest: Array) -> list[list[tuple[int, int, int]]]:
        """The joints below, at and above knees and elbows, those of left and right together."""
        knees = [
            [(leg.joints[-1], leg.joints[-2], leg.joints[-3]) for leg in kind if len(leg.joints) > 2]
            for kind in self._kinds(own, rest)
        ]
        arms = [(hand, elbow := self._above(hand, rest), self._above(elbow, rest)) for hand in hands]
        return [group for group in (*knees, [arm for arm in arms if min(arm) >= 0]) if len(group) > 1]

    def _limbs(self, armature: Any, own: Any, hands: list[int], heads: list[int]) -> list[list[int]]:
        """The large joints, those of left and right together: hips, chest, head, arms, legs and feet."""
        rest = self._rest(armature)
        groups = [[self.hips], *([head] for head in heads)]
        groups += [[up] for head in heads if (up := self._above(head, rest)) >= 0]
        elbows = [up for hand in hands if (up := self._above(hand, rest)) >= 0]
        groups += [hands, elbows]
        for kind in self._kinds(own, rest):
            for k in range(max(len(leg.joints) for leg in kind)):
                groups.append([leg.joints[-1 - k] for leg in kind if k < len(leg.joints)])
            groups.append([leg.ball for leg in kind if leg.ball is not None])
        return [group for group in groups if group]

    def play(self, action: str, slot: str, frames: Array) -> Array:
        """Where Blender has the joints (frames, joints, 3), metres."""
        # bones without keys stand as they were imported, whatever has played since
        unkeyed.settle(self.armature, unkeyed.of_bones(self.armature), set())
        compat.assign(self.armature, bpy.data.actions[action], slot)
        heads = np.empty((len(frames), len(self.armature.pose.bones), 3))
        for i, frame in enumerate(frames.tolist()):
            bpy.context.scene.frame_set(
                int(np.floor(frame + 1e-9)), subframe=max(frame - np.floor(frame + 1e-9), 0.0)
            )
            world = np.array(self.armature.matrix_world)
            local = np.array([bone.head for bone in self.armature.pose.bones])
            heads[i] = local @ world[:3, :3].T + world[:3, 3]
        return heads * bpy.context.scene.unit_settings.scale_length

    def repeated(self, clip: Any, frames: Array) -> Array:
        """The same of a clip, of a cycle in as many repetitions as reach that far."""
        times, turns = (frames, None) if clip.cycle is None else clip.cycle.wrapped(frames, clip.start)
        at, named = (clip.action.name, clip.slot.identifier), np.round(times, 4).tolist()
        known = self.known.setdefault(at, {})
        if missing := sorted({frame for frame in named if frame not in known}):
            known.update(zip(missing, self.play(*at, np.array(missing)), strict=True))
        found = np.array([known[frame] for frame in named])
        if turns is None:
            return found
        metres = bpy.context.scene.unit_settings.scale_length
        for i, turn in enumerate(turns.tolist()):
            motion = clip.cycle.motion(turn)
            found[i] = found[i] @ motion[:3, :3].T + motion[:3, 3] * metres
        return found


def jumps(p: Array, fps: float) -> Array:
    """The change of velocity over whole frames of joints (2 n + 1, joints, 3) on half frames, rms."""
    middle = p[2:-2] if len(p) > 4 else p[:0]
    change = p[4:] + p[:-4] - 2.0 * middle
    return np.sqrt((change**2).sum(axis=2).mean(axis=1)) * fps


def lowest_near(z: Array, at: Array, times: Array, span: float) -> Array:
    """The lowest of heights (n, feet) at frames near to each of some others."""
    return np.array([z[np.abs(at - t) <= span + 1e-6].min(axis=0, initial=np.inf) for t in times])


def planted(
    p: Array, feet: list[int], at: Array, passing: Array, both: list[Array], size: float, fps: float
) -> Array:
    """How high each foot stands in a clip (n, feet), NaN where it swings.

    It is planted while it goes no faster than 0.2 sizes a second over the ground, and 0.4 times as fast as
    that passes, if it is slower than 0.1 once, for 0.06 s at least, from above, and upwards again. What stays
    all the time is no more than 0.02 sizes higher than the lowest foot of both clips.
    """
    n, found = len(at), np.full((len(at), len(feet)), np.nan)
    if n < 2:
        return found
    rate = fps / (at[1] - at[0])
    k = max(1, min(int(rate / 30.0), (n - 1) // 2))
    loose = 0.4 * float(np.hypot(*passing))
    floor = min(q[:, feet, 2].min() for q in both if len(q))
    for column, foot in enumerate(feet):
        z, speeds = p[:, foot, 2], []
        for i in range(n):
            a, b = max(i - k, 0), min(i + k, n - 1)
            x, y, up = (p[b, foot] - p[a, foot]) * rate / (b - a)
            speeds.append(max(float(np.hypot(x - passing[0], y - passing[1])) - loose, abs(float(up))) / size)
        i = 0
        while i < n:
            if speeds[i] >= 0.2:
                i += 1
                continue
            j = i
            while j + 1 < n and speeds[j + 1] < 0.2:
                j += 1
            beside = max(1, round(0.12 * rate))
            ways = [
                (side - height) / (0.004 * size)
                for side, height in ((z[max(i - beside, 0) : i], z[i]), (z[j + 1 : j + 1 + beside], z[j]))
            ]
            rises = [bool((way > 1.0).any()) for way in ways]
            falls = [bool((way < -1.0).any()) and not up for way, up in zip(ways, rises, strict=True)]
            level = float(np.median(z[i : j + 1]))
            long, slow = j - i >= 0.06 * rate, min(speeds[i : j + 1]) < 0.1
            if long and slow and not any(falls) and (any(rises) or level <= floor + 0.02 * size):
                found[i : j + 1, column] = level
            i = j + 1
    return found


def skated(
    p: Array,
    feet: list[int],
    frames: Array,
    passing: Array,
    ground: tuple[Array, Array],
    low: float,
    fps: float,
) -> Array:
    """Metres that each foot skates from each frame to the next (n - 1, feet). ground: the parts by which feet
    have to stand, and how high (n, feet), and below what they go through the ground; None for none."""
    found, (parts, stands, floor) = np.zeros((len(frames) - 1, len(feet))), ground
    for k, foot in enumerate(feet):
        for i in range(len(frames) - 1):
            part = min(parts[i, k], parts[i + 1, k])
            deep = 0.0 if floor is None else float(np.mean(floor[i : i + 2, k] - p[i : i + 2, foot, 2]))
            if part <= 0.0 and deep <= 0.0:
                continue
            seconds = (frames[i + 1] - frames[i]) / fps
            way = p[i + 1, foot, :2] - p[i, foot, :2] - 0.5 * (passing[i] + passing[i + 1]) * seconds
            weight = 0.0
            if part > 0.0:
                height = 0.5 * (p[i, foot, 2] - stands[i, k] + p[i + 1, foot, 2] - stands[i + 1, k])
                weight = part * min(max(2.0 - 2.0 ** min(max(height / low, -1.0), 1.0), 0.0), 1.0)
            found[i, k] = np.hypot(*way) * max(weight, min(max(deep / low, 0.0), 1.0))
    return found


def to_stand(
    shown: Array, share: Array, clips: tuple[tuple[Array, Array], tuple[Array, Array]], cut: float
) -> tuple[Array, Array]:
    """By which parts feet have to stand at frames (n,), and how high (n, feet). clips: frames of each, and
    where its feet stand; share: (n,) how much of the destination is shown."""
    (here, source), (there, destination) = clips
    feet = source.shape[1]
    parts, heights = np.zeros((len(shown), feet)), np.full((len(shown), feet), np.nan)
    for k in range(feet):
        before = [
            source[i, k] for i in range(len(here)) if here[i] <= cut + 1e-6 and source[i, k] == source[i, k]
        ]
        stays = True
        for i, frame in enumerate(shown):
            a, b = np.flatnonzero(np.abs(here - frame) < 1e-6), np.flatnonzero(np.abs(there - frame) < 1e-6)
            own = source[a[0], k] if len(a) else np.nan
            other = destination[b[0], k] if len(b) and frame >= cut - 1e-6 else np.nan
            if frame > cut - 1e-6:
                stays = stays and own == own
                own = own if stays else np.nan
            if other == other:
                parts[i, k] = 1.0
                heights[i, k] = other + (1.0 - share[i]) * ((before[-1] - other) if before else 0.0)
            elif own == own:
                parts[i, k], heights[i, k] = 1.0 - share[i], own
    return parts, heights


def worst_stretch(each: Array, ends: Array, near: Array, span: float) -> Array:
    """The most that feet skate in a stretch of so many frames (feet,). each: (n, feet), ends: (n + 1,)."""
    steps, most = np.diff(ends)[near], np.zeros(each.shape[1])
    some = each[near]
    if steps.sum() < span:
        return some.sum(axis=0) * span / max(float(steps.sum()), 1e-9)
    for i in range(len(some)):
        count = int(np.searchsorted(np.cumsum(steps[i:]), span - 1e-6)) + 1
        most = np.maximum(most, some[i : i + count].sum(axis=0))
    return most


def ground_of(stage: Stage, clip: Any, at: float, fps: float) -> Array | None:
    """How fast the ground passes below a clip that is cut, or entered, at a frame, in its own space.

    None where nobody can say. Of a cycle that is known by all of it, else by two seconds on both sides.
    """
    if not stage.feet:
        return np.zeros(2)
    if clip.cycle is not None:
        times = clip.cycle.start + np.arange(np.ceil(max(clip.cycle.period, 1.2 * fps)) + 1.0)
    else:
        first, last = max(at - 2.0 * fps, clip.start), min(at + 2.0 * fps, clip.end)
        times = np.unique([first, *np.arange(np.ceil(first), last + 1e-6), last])
    if len(times) < 3:
        return np.zeros(2)
    key = (clip.action.name, clip.slot.identifier, clip.cycle, *times)
    if key not in stage.grounds:
        stage.grounds[key] = passing_below(stage, stage.repeated(clip, times), times, fps)
    return stage.grounds[key]


def passing_below(stage: Stage, p: Array, times: Array, fps: float) -> Array | None:
    """The same of joints (n, joints, 3) at times (n,)."""
    z = p[:, stage.feet, 2] - lowest_near(p[:, stage.feet, 2], times, times, 0.6 * fps)
    gaps = np.diff(times) / fps
    steps = np.diff(p[..., :2], axis=0) / gaps[:, None, None]
    some = steps[:, stage.feet][z[1:] + z[:-1] < 0.02 * stage.size]
    if not len(some):
        return np.zeros(2)
    hips = np.hypot(*steps[:, stage.hips].T)
    if np.median(np.hypot(*some.T)) <= max(0.05 * stage.size, 0.3 * hips.mean()):
        return np.zeros(2)
    middle = np.median(some, axis=0)
    goes = (p[-1, stage.hips, :2] - p[0, stage.hips, :2]) / gaps.sum()
    if np.median(np.hypot(*(some - middle).T)) > 0.5 * np.hypot(*middle):
        return None
    return None if goes @ middle > 0.3 * middle @ middle else middle


def measured(stage: Stage, plan: bake.Plan) -> Seen:
    """Bake a plan, have Blender play it, and measure."""
    fps, settings = plan.fps, plan.settings
    cut, later = settings.cut, settings.cut - settings.destination_frame
    end = max(plan.slots[0].last_frame, cut + 1.0)
    until = max(end, plan.feet.last)
    report = bake.write_plan(plan)
    around = 0.5 * fps

    def halves(first: float, last: float) -> Array:
        return np.arange(np.ceil(2.0 * first - 1e-4), np.floor(2.0 * last + 1e-4) + 0.5) / 2.0

    source, destination = plan.clips
    first, last = (c.start for c in plan.clips), destination.end if destination.cycle is None else np.inf
    begins = tuple(first)
    here = halves(max(cut - around, begins[0]), min(end, source.end if source.cycle is None else np.inf))
    there = halves(max(cut - around, begins[1] + later), min(until + around, last + later))
    shown = halves(max(cut - 2.0, begins[0]), min(until + 2.0, last + later))
    slot = report.slot
    own, other = stage.repeated(source, here), stage.repeated(destination, there - later)
    moved = plan.alignment.motion
    other = other @ moved[:3, :3].T + moved[:3, 3] * bpy.context.scene.unit_settings.scale_length
    result = stage.play(report.result, slot, shown)
    compat.assign(stage.armature, None)
    bpy.data.actions.remove(bpy.data.actions[report.result])
    person = 100.0 * PERSON / stage.size
    low, inside = 0.01 * stage.size, (shown >= cut - 1e-6) & (shown <= until + 1e-6)
    # the change of velocity, by frame, over the clips' own within half a second
    moving = stage.moving
    changes, at, ratio = jumps(result[:, moving], fps), shown[2:-2], 0.0
    usually = [(f[2:-2], jumps(p[:, moving], fps)) for p, f in ((own, here), (other, there)) if len(f) > 4]
    for value, frame in zip(changes, at, strict=True):
        if cut - 1.0 - 1e-6 <= frame <= until + 1.0 + 1e-6:
            near = [each[np.abs(f - frame) <= around + 1e-6].max(initial=0.0) for f, each in usually]
            ratio = max(ratio, value / max(*near, 0.0, 0.3 * stage.size / fps))
    clips = ((own, here), (other, there))
    limb = _limb(stage, stage.limbs, (result, shown), clips, (cut, until), fps)
    hips = _limb(stage, [[stage.hips]], (result, shown), clips, (cut, until), fps)
    bend = _bend(stage, (result, shown), clips, (cut, until), fps)
    # feet
    total = usual_by_foot = np.zeros(len(stage.feet))
    skating: list[float] = []
    grounds = [ground_of(stage, source, cut, fps), ground_of(stage, destination, cut - later, fps)]
    if grounds[1] is not None:
        grounds[1] = moved[:2, :2] @ grounds[1]
    if stage.feet and all(g is not None for g in grounds):
        curve = _curve(settings, np.maximum(shown - cut, 0.0) / fps, fps)
        passing = grounds[0] + curve[:, None] * (grounds[1] - grounds[0])
        stands = [
            planted(p, stage.feet, f, ground, [own, other], stage.size, fps)
            for (p, f), ground in zip(clips, grounds, strict=True)
        ]
        ground = to_stand(shown, curve, ((here, stands[0]), (there, stands[1])), cut)
        floor = np.minimum(*(lowest_near(p[:, stage.feet, 2], f, shown, 0.6 * fps) for p, f in clips))
        ways = skated(result, stage.feet, shown, passing, (*ground, floor), low, fps)
        ends = shown[1:]
        usual_by_foot = np.zeros(len(stage.feet))
        for (p, f), below, where in zip(clips, grounds, stands, strict=True):
            if len(f) < 2:
                continue
            parts = np.where(np.isnan(where), 0.0, 1.0), where, None
            each = skated(p, stage.feet, f, np.tile(below, (len(f), 1)), parts, low, fps)
            usual_by_foot = np.maximum(
                usual_by_foot, worst_stretch(each, f, f[1:] <= end + around + 1e-6, end - cut)
            )
        for i, frame in enumerate(ends):
            if frame > end + 1e-6:
                same = np.flatnonzero(np.abs(there[1:] - frame) < 1e-6)
                ways[i] = np.maximum(ways[i] - (each[same[0]] if len(same) else 0.0), 0.0)
        total = ways[(ends > cut + 1e-6) & (ends <= until + 1e-6)].sum(axis=0)
        skating = [
            min(w / (0.008 * stage.size), w / max(1.5 * u, 1e-9))
            for w, u in zip(total, usual_by_foot, strict=True)
        ]
    both = [p for p in (own, other) if len(p)]
    lift = result[inside, stage.hips, 2].max() - max(p[:, stage.hips, 2].max() for p in both)
    ends_ = sorted({*stage.ends, *stage.feet, stage.hips})
    lows = [p[:, ends_, 2].min(axis=1) for p in both]
    lowest = result[inside][:, ends_, 2].min(axis=1)
    floats, sink = lowest.max() - max(v.max() for v in lows), min(v.min() for v in lows) - lowest.min()
    reaches = [max(value, 0.0) * person for value in _reaches(stage, result, inside, both)]
    spin = _spin(stage, result, shown, both, cut, until)
    lift, floats, sink = (max(value, 0.0) * person for value in (lift, floats, sink))
    total, usual_by_foot = total * person, usual_by_foot * person
    worst = float(total.max(initial=0.0))
    seen = Seen(ratio, worst, skating, lift, floats, sink, reaches, spin, total, usual_by_foot)
    seen.limb, seen.hips, seen.bend = limb, hips, bend
    every = _thrown(stage, result, inside, both)
    seen.throws, seen.thrown = [beyond * person for beyond, _ in every], [times for _, times in every]
    return seen


def _limb(
    stage: Stage, groups: list[list[int]], shown: Any, clips: Any, span: tuple[float, float], fps: float
) -> float:
    """The change of a large joint's velocity over the highest of it, or its image, in both clips near by.

    Clips that hardly move count as 4 sizes a second squared. shown, clips: positions and half frames of each.
    """

    def bends(p: Array, joints: list[int]) -> Array:
        q = p[:, joints]
        return np.linalg.norm(q[4:] - 2.0 * q[2:-2][: len(q[4:])] + q[: max(len(q) - 4, 0)], axis=2) * fps

    worst, (p, frames) = 0.0, shown
    for group in groups:
        for change, frame in zip(bends(p, group).max(axis=1), frames[2:-2], strict=True):
            if not span[0] - 1.0 - 1e-6 <= frame <= span[1] + 1.0 + 1e-6:
                continue
            usual = 4.0 * stage.size / fps
            for q, at in clips:
                if len(at) > 4:
                    near = np.abs(at[2:-2] - frame) <= 0.5 * fps + 1e-6
                    usual = max(usual, bends(q, group)[near].max(initial=0.0))
            worst = max(worst, float(change / usual))
    return worst


def _bend(stage: Stage, shown: Any, clips: Any, span: tuple[float, float], fps: float) -> float:
    """How far a knee or elbow bends in two frames, in what is allowed: 1.6 times what it, or its image, does
    in both clips near by, or 225 degrees a second where that is less. By the law of cosines."""

    def turns(p: Array, hinges: list[tuple[int, int, int]]) -> Array:
        angles = []
        for below, at, above in hinges:
            a, b = (
                np.linalg.norm(p[:, below] - p[:, at], axis=1),
                np.linalg.norm(p[:, above] - p[:, at], axis=1),
            )
            c = np.linalg.norm(p[:, below] - p[:, above], axis=1)
            cosine = (a * a + b * b - c * c) / np.maximum(2.0 * a * b, 1e-12)
            angles.append(np.arccos(np.clip(cosine, -1.0, 1.0)))
        turned = np.array(angles).T
        return np.abs(turned[4:] - turned[:-4]).max(axis=1) if len(turned) > 4 else np.zeros(0)

    worst, (p, frames) = 0.0, shown
    for group in stage.hinges:
        known = [(at[2:-2], turns(q, group)) for q, at in clips if len(at) > 4]
        for turn, frame in zip(turns(p, group), frames[2:-2], strict=True):
            if span[0] - 1.0 - 1e-6 <= frame <= span[1] + 1.0 + 1e-6:
                near = [each[np.abs(at - frame) <= 0.5 * fps + 1e-6].max(initial=0.0) for at, each in known]
                worst = max(worst, float(turn) / (1.6 * max(*near, 0.0, 2.0 * np.deg2rad(225.0) / fps)))
    return worst


def _left_to_right(stage: Stage, result: Array) -> Any:
    """The joints where the two legs begin that are nearest to the hips; the widest pair on these, if none."""
    tops = {leg[0] for leg in stage.legs}
    near = sorted(tops, key=lambda i: float(np.linalg.norm(result[0, i] - result[0, stage.hips])))[:2]
    sides = near if len(near) > 1 else [i for i, up in enumerate(stage.parents) if up == stage.hips]
    pair = max(
        itertools.combinations(sorted(sides), 2),
        key=lambda two: np.hypot(*(result[0, two[0], :2] - result[0, two[1], :2])),
        default=None,
    )
    if pair is not None and np.hypot(*(result[0, pair[0], :2] - result[0, pair[1], :2])) < 0.01 * stage.size:
        pair = None
    return pair


def _thrown(stage: Stage, result: Array, inside: Array, both: list[Array]) -> list[tuple[float, float]]:
    """How far each foot is before or behind the hips where no clip has it, metres, and in what is allowed:
    0.4 times half its swing in the clips, which counts as 0.1 sizes at least. 0 for other ends."""
    pair, found = _left_to_right(stage, result), []
    feet = {*stage.feet, *(leg[-1] for leg in stage.legs)}
    for end in stage.ends:
        if end == stage.hips:
            continue
        if pair is None or end not in feet:
            found.append((0.0, 0.0))
            continue

        def along(p: Array, end: int = end) -> Array:
            line = p[:, pair[1], :2] - p[:, pair[0], :2]
            line = line / np.maximum(np.hypot(*line.T), 1e-9)[:, None]
            away = p[:, end, :2] - p[:, stage.hips, :2]
            return away[:, 1] * line[:, 0] - away[:, 0] * line[:, 1]

        known, seen = np.concatenate([along(p) for p in both]), along(result[inside])
        beyond = max(float(seen.max() - known.max()), float(known.min() - seen.min()), 0.0)
        found.append((beyond, beyond / (0.4 * max(0.5 * float(np.ptp(known)), 0.1 * stage.size))))
    return found


def _curve(settings: TransitionSettings, t: Array, fps: float) -> Array:
    """How much of the destination's ground counts (n,): what an offset of 1 at rest has lost by then."""
    one, still = np.ones(1), np.zeros(1)
    made = decay.make(settings.decay, one, still, np.full(1, settings.seconds(fps)))
    return 1.0 - np.ravel(decay.evaluate(made, one, still, t[:, None]))


def _reaches(stage: Stage, result: Array, inside: Array, both: list[Array]) -> list[float]:
    """How much further each end is from the hips, or beyond them, than in both clips, metres."""
    pair = _left_to_right(stage, result)
    reaches = []
    for end in stage.ends:
        if end == stage.hips:
            continue

        def away(p: Array, end: int = end) -> Array:
            return np.linalg.norm(p[:, end] - p[:, stage.hips], axis=1)

        found = away(result[inside]).max() - max(away(p).max() for p in both)
        reaches.append(max(found, _across(stage, pair, end, result[inside], both)))
    return reaches


def _across(stage: Stage, pair: Any, end: int, shown: Array, both: list[Array]) -> float:
    """How far an end is on the other side of the hips than in both clips, metres; 0 for not."""
    if pair is None:
        return 0.0

    def aside(p: Array) -> Array:
        line = p[:, pair[1], :2] - p[:, pair[0], :2]
        line = line / np.maximum(np.hypot(*line.T), 1e-9)[:, None]
        return ((p[:, end, :2] - p[:, stage.hips, :2]) * line).sum(axis=1)

    known, seen = np.concatenate([aside(p) for p in both]), aside(shown)
    if known.max() < 0.0:
        return float(seen.max())
    return float(-seen.min()) if known.min() > 0.0 else 0.0


def _spin(stage: Stage, result: Array, shown: Array, both: list[Array], cut: float, until: float) -> float:
    """How far the worst limb turns in a frame, in twice what limbs of the clips do, or 10 degrees."""
    worst = 0.0
    for limb, parent in enumerate(stage.parents):
        if parent < 0 or limb not in stage.moving:
            continue
        every = np.concatenate([np.linalg.norm(p[:, limb] - p[:, parent], axis=1) for p in (result, *both)])
        if every.max() > 1.2 * every.min():
            continue

        def turns(p: Array, limb: int = limb, parent: int = parent) -> Array:
            way = p[:, limb] - p[:, parent]
            if len(p) < 3 or np.linalg.norm(way, axis=1).min() <= 0.01 * stage.size:
                return np.zeros(max(len(p) - 2, 0))
            unit = way / np.linalg.norm(way, axis=1)[:, None]
            return 2.0 * np.arcsin(np.clip(0.5 * np.linalg.norm(unit[2:] - unit[:-2], axis=1), 0.0, 1.0))

        near = (shown[2:] >= cut - 1e-6) & (shown[2:] <= until + 1.0 + 1e-6)
        usual = max([turns(p).max(initial=0.0) for p in both], default=0.0)
        worst = max(worst, turns(result)[near].max(initial=0.0) / (2.0 * max(usual, np.deg2rad(10.0))))
    return worst
