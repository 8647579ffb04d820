# SPDX-License-Identifier: GPL-3.0-or-later
"""Hops between two actions of an armature: which clips may lie between, and which ways are best."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...errors import InertiaError
from ...motion.arrays import Array
from ...motion.hops import search as hop
from ...motion.hops.distances import Displacements, JointTrack, PointClouds
from ...motion.hops.recurrence import ClipStrip, Distances, HopProblem, Objective
from ...motion.hops.search import Table
from ...motion.skeleton.posing import Rig
from ...motion.steps import Steps, finish, part
from ...records import record
from ...settings import fields
from ...settings.hops import SEARCHED_FRAMES, STAY_SECONDS, HopSettings
from ...settings.transition import TransitionSettings
from ..cost.sides import view_from_root
from ..data import actions, clip_store, compat, markers
from ..data.actions import Clip, Marker
from ..data.roots import Root
from ..evaluation import cycles, joint_motion
from ..evaluation.character import Character, read_character
from ..evaluation.joint_motion import Evaluate, JointMotion
from ..transition import preflight

WHOLE = 0.01
"""A number of frames is whole that is off by less."""
READING = 0.3
"""About what part of an evaluation it is to read the clips."""


@record(frozen=True, eq=False)
class HopStock:
    """Clips of an armature, read. cyclic: which are cycles. root: what carries the character in all of them;
    reference: what they are aligned by. alignment: how a bake moves what follows, never AUTO."""

    clips: tuple[Clip, ...]
    cyclic: tuple[bool, ...]
    root: Root
    reference: Root
    alignment: str

    @property
    def names(self) -> tuple[str, ...]:
        """The actions' names."""
        return tuple(clip.action.name for clip in self.clips)

    def clip(self, name: str) -> Clip:
        """Return the clip of an action."""
        return self.clips[self.names.index(name)]

    def is_cycle(self, name: str) -> bool:
        """Tell whether the clip of an action can be played over its end."""
        clip = self.clip(name)
        return self.cyclic[self.names.index(name)] and clip.end > clip.start


def read(character: Character, settings: HopSettings) -> HopStock:
    """Read a stock as :func:`read_stock_steps` does, at once."""
    return finish(read_stock_steps(character, settings))


def read_stock_steps(
    character: Character, settings: HopSettings, more: Sequence[str] = ()
) -> Steps[HopStock]:
    """Read the source, the destination, and the clips to hop through, those that settings name or all that
    fit; yield the part that is done, 0 to 1.

    more: names of others. Of a clip that jumps only a part is taken. Raise InertiaError for an action that
    does not exist or does not fit, a source or destination with a scale, and a cycle that is none of the
    clips.
    """
    transition = settings.transition
    library = [] if settings.clips else clip_store.library(character.armature)[0]
    wanted = settings.clips or [clip.action.name for clip in library]
    if (transition.source_scale, transition.destination_scale) != (1.0, 1.0):
        raise InertiaError(
            "Hops play actions as they are keyed; set the scales of source and destination to 1, or scale "
            "the keys themselves."
        )
    asked = {end[0]: end for end in transition.ends()}
    asked |= {name: (name, "", "") for name in (*wanted, *more) if name not in asked}
    clips = yield from clip_store.read_named_steps(character.armature, asked.values(), _unless_read(library))
    cycles.check_named(settings.cycles, asked)
    clips = tuple(
        _choose_longest_part(joint_motion.with_teleports(character, clip), transition) for clip in clips
    )
    rig = character.rig
    root, alignment = preflight.carried(rig, transition, tuple(clips))
    clips = tuple(_as_cycle(rig, root, settings, *named) for named in zip(asked, clips, strict=True))
    named = zip(asked, clips, strict=True)
    cyclic = tuple(name in settings.cycles or clip.cycle is not None for name, clip in named)
    return HopStock(clips, cyclic, root, preflight.reference(rig, transition, root), alignment)


def _choose_longest_part(clip: Clip, transition: TransitionSettings) -> Clip:
    """Return the longest part of a clip without a teleport; all of it if frames elsewhere are asked for."""
    part = clip.longest_part()
    ends = (transition.source, transition.cut), (transition.destination, transition.destination_frame)
    asked = [frame for name, frame in ends if name == clip.action.name and frame is not None]
    return part if all(part.start <= frame <= part.end for frame in asked) else clip


def _as_cycle(rig: Rig, root: Root, settings: HopSettings, name: str, clip: Clip) -> Clip:
    """Return a clip as a cycle where it is one: named so, chosen as a source or destination, or found.

    Searches count in frames: a cycle that takes no whole number of them has to be named.
    """
    transition = settings.transition
    choices = {
        transition.destination: transition.destination_cycle,
        transition.source: transition.source_cycle,
    }
    choice = "ON" if name in settings.cycles else choices.get(name, "AUTO")
    if choice == "AUTO" and not settings.find_cycles:
        return clip
    looked_at = cycles.with_cycle(rig, root, clip, choice)
    cycle = looked_at.cycle
    if cycle is None or choice == "ON":
        return looked_at
    odd = abs(cycle.period - round(cycle.period))
    return looked_at if cycle.start <= clip.start and odd < WHOLE else clip


def _unless_read(clips: Sequence[Clip]) -> clip_store.Reading:
    """Return a function that reads a slot, unless its clip is among those that were read already."""

    def reading(action: Any, slot: compat.Slot) -> Steps[Clip]:
        for clip in clips:
            if (clip.action, clip.slot) == (action, slot):
                return clip
        return (yield from actions.read_clip_steps(action, slot))

    return reading


@record(frozen=True, eq=False)
class PreparedHops:
    """All that is needed to search; nothing of it refers into the file. settings: what was asked for. names:
    of the clips. frames: the scene frames of each. cyclic: which are cycles. distances, objective: see
    :mod:`motion.hops`; the objective's weight is yet to be found where the settings have none. markers: the
    pose markers of each clip."""

    settings: HopSettings
    names: tuple[str, ...]
    frames: tuple[Array, ...]
    cyclic: tuple[bool, ...]
    strips: tuple[ClipStrip, ...]
    distances: Distances
    objective: Objective
    fps: float
    markers: tuple[tuple[Marker, ...], ...] = ()

    def problem(self, source: str, destination: str) -> HopProblem:
        """Return the problem of getting from one clip to another, by names: which clips may be hopped
        through, and which frame of the destination, from 0, is shown at the trigger.
        """
        a, b = self.names.index(source), self.names.index(destination)
        named = self.settings.clips or self.names
        if self.settings.others_only and not self.settings.clips:
            named = tuple(name for name in self.names if name not in (source, destination))
        candidates = tuple(map(self.names.index, named))
        transition, start = self.settings.transition, 0
        if transition.destination_frame is not None and destination == transition.destination:
            start = round(transition.destination_frame - self.frames[b][0])
        return HopProblem(self.strips, self.distances, a, b, candidates, start, self.settings.alongside)

    def own_problem(self) -> HopProblem:
        """Return the problem of the settings' source and destination."""
        return self.problem(self.settings.transition.source, self.settings.transition.destination)

    def trigger(self) -> int:
        """Return the settings' trigger as a frame of the source from 0.

        Raise InertiaError when it has no such frame.
        """
        transition = self.settings.transition
        source = self.names.index(transition.source)
        frames = self.frames[source]
        index = round(transition.cut - frames[0])
        if not 0 <= index < self.strips[source].frames:
            raise InertiaError(
                'The trigger frame {cut:g} lies outside "{source}", which has frames {first:g} to {last:g}; '
                "choose a frame inside.",
                cut=transition.cut,
                source=transition.source,
                first=frames[0],
                last=frames[-1],
            )
        return index


def objective(settings: HopSettings, fps: float, weight: float = 0.0) -> Objective:
    """Return what is to be least, at a scene's frames a second: blends, stays and their longest in frames,
    the weight of waiting, and how many hops.

    Raise InertiaError for blends and stays of more than SEARCHED_FRAMES, whose tables would not fit into
    memory.
    """
    longest = round(STAY_SECONDS * fps) if settings.longest_stay is None else settings.longest_stay
    blends = settings.blends or (max(1, round(settings.transition.blend_seconds(fps) * fps)),)
    longest_searched = max(longest, *blends)
    if longest_searched > SEARCHED_FRAMES:
        raise InertiaError(
            "Hops can't be searched with blends or stays of {frames} frames; choose at most {most}.",
            frames=longest_searched,
            most=SEARCHED_FRAMES,
        )
    return Objective(longest, weight, tuple(sorted(set(blends))), settings.hops)


def compare(
    settings: HopSettings,
    stock: HopStock,
    motions: Sequence[JointMotion],
    weights: Mapping[str, float],
    fps: float,
) -> PreparedHops:
    """Make clips ready to be searched: with distances by displacement or point cloud, as settings ask.

    motions: of the stock's clips, in order. weights: by bone; those that are not named don't count. Raise
    InertiaError when no bone counts, for a clip of which not every frame was looked at, and for dead blending
    by displacement.
    """
    for name, motion in zip(stock.names, motions, strict=True):
        if joint_motion.describe_sampling(name, motion.frames):
            raise InertiaError(
                '"{action}" is too long to search every frame; cut it into shorter actions.',
                action=name,
            )
    names = motions[0].names
    counting = [i for i, name in enumerate(names) if weights.get(name, 0.0) > 0.0]
    if not counting:
        raise InertiaError("No joint counts in the distance; give at least one a weight above zero.")
    values = np.array([weights[names[i]] for i in counting], float)
    asked = zip(stock.cyclic, motions, strict=True)
    cyclic = tuple(is_cycle and len(motion.frames) > 1 for is_cycle, motion in asked)
    # displacements are compared as seen from the root, in the one direction that all clips agree on
    is_cloud = settings.distance == "POINT_CLOUD"
    sides = view_from_root("NONE" if is_cloud else "POSITION_HEADING", motions, counting)
    seen_clips = zip(sides, cyclic, strict=True)
    tracks = [JointTrack(side.positions, side.velocities, is_cycle) for side, is_cycle in seen_clips]
    transition = settings.transition
    distances: Distances
    if is_cloud:
        distances = PointClouds(tracks, values)
    elif transition.decay is not None:
        both = transition.velocity == "RELATIVE"
        distances = Displacements(tracks, values, transition.decay, fps, transition.half_life, both)
    else:
        raise InertiaError(
            "Dead blending has no offset that decays, so hops can't be compared by its cost; "
            "compare them by point clouds."
        )
    return PreparedHops(
        settings,
        stock.names,
        tuple(motion.frames for motion in motions),
        cyclic,
        tuple(track.strip for track in tracks),
        distances,
        objective(settings, fps, settings.weight or 0.0),
        fps,
        tuple(markers.find_shown(clip) for clip in stock.clips),
    )


def weighed(prepared: PreparedHops, pairs: Sequence[tuple[str, str]] = ()) -> Steps[PreparedHops]:
    """Find the weight of waiting where the settings have none; yields the part that is done. pairs: of
    sources with destinations, over all of which it is found; () for the settings' own."""
    if prepared.settings.weight is not None:
        return prepared
    problems = [prepared.problem(*pair) for pair in pairs] or [prepared.own_problem()]
    weight = yield from hop.automatic_weight(problems, prepared.objective, prepared.settings.seed)
    return dataclasses.replace(prepared, objective=dataclasses.replace(prepared.objective, weight=weight))


def table(prepared: PreparedHops) -> Steps[Table]:
    """Find the best way for every trigger frame of the settings' source; yield how much is done."""
    return hop.solve(prepared.own_problem(), prepared.objective)


@record(frozen=True)
class FoundHop:
    """A way from the source to the destination for one trigger, in scene frames.

    trigger: the frame of the source. clips: what it leads through; entries, exits: the clips' own frames at
    which the blends into them and out of them begin; in a cycle an exit may lie before its entry. stays:
    frames of waiting in the source and in each clip. blends: frames of each blend. parts: the distance of
    each blend; waiting: the cost of all stays; cost: the sum.
    """

    trigger: float
    clips: tuple[str, ...]
    entries: tuple[float, ...]
    exits: tuple[float, ...]
    stays: tuple[int, ...]
    blends: tuple[int, ...]
    parts: tuple[float, ...]
    waiting: float
    cost: float

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> FoundHop:
        """Return a way from the plain values of its fields, as JSON has them; raise ValueError for other
        values.
        """
        plain: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in values.items()}
        way, count = cls(**plain), len(plain["clips"])
        several = (way.entries, way.exits, way.stays, way.blends, way.parts)
        if [len(numbers) for numbers in several] != [count, count, count + 1, count + 1, count + 1]:
            raise ValueError("the numbers of a way don't go together")
        frames = (way.trigger, *way.entries, *way.exits)
        if not all(map(fields.FRAME.holds, frames)) or not all(map(fields.SPAN_FRAMES.holds, way.stays)):
            raise ValueError("a frame of a way can't be")
        if not all(map(fields.BLEND_FRAMES.holds, way.blends)):
            raise ValueError("a blend of a way can't be")
        if not np.isfinite([*way.parts, way.waiting, way.cost]).all():
            raise ValueError("a cost of a way is no number")
        return way


def ways(prepared: PreparedHops, table: Table, problem: HopProblem) -> list[FoundHop]:
    """Return the rows of a table in words of the scene; rows without a way are left out."""
    rows = np.flatnonzero(np.isfinite(table.cost)).tolist()
    return [_read_hop(prepared, table, problem, row) for row in rows]


def _read_hop(prepared: PreparedHops, table: Table, problem: HopProblem, row: int) -> FoundHop:
    count = int((table.clips[row] >= 0).sum())
    clips = table.clips[row, :count].tolist()
    stays, blends = table.stays[row, : count + 1].tolist(), table.blends[row, : count + 1].tolist()
    entries, exits = [], []
    for step, clip in enumerate(clips):
        entry = int(table.entries[row, step])
        leave = entry + blends[step] + stays[step + 1]
        strip = prepared.strips[clip]
        first = float(prepared.frames[clip][0])
        entries.append(first + entry)
        exits.append(first + (leave % strip.frames if strip.cyclic else leave))
    return FoundHop(
        float(prepared.frames[problem.source][table.triggers[row]]),
        tuple(prepared.names[clip] for clip in clips),
        tuple(entries),
        tuple(exits),
        tuple(stays),
        tuple(blends),
        tuple(map(float, table.parts[row, : count + 1])),
        prepared.objective.weight * sum(stays),
        float(table.cost[row]),
    )


def ranked(
    prepared: PreparedHops, count: int, *, each_first: bool = False
) -> Steps[tuple[list[FoundHop], float]]:
    """Find the best hops for the settings' trigger, the best first, and the direct transition's cost there.

    Of hops through the same clip the entries are at least half a blend apart. each_first: see
    :func:`hop.ranked`.
    """
    problem, trigger = prepared.own_problem(), prepared.trigger()
    apart = max(1, max(prepared.objective.blends) // 2)
    best = yield from hop.ranked(problem, prepared.objective, trigger, count, apart, each_first=each_first)
    # without any clip to hop through only the direct way is left
    no_hops = dataclasses.replace(problem, candidates=())
    straight = yield from hop.solve(no_hops, prepared.objective, (trigger, 1))
    return ways(prepared, best, problem), float(straight.direct[0])


def prepare(
    armature: Any,
    settings: HopSettings,
    weights: Mapping[str, float],
    more: Sequence[str] = (),
    evaluate: Evaluate | None = None,
) -> Steps[PreparedHops]:
    """Read, evaluate and compare, in one go; the weight is yet to be found. evaluate: what plays a clip; None
    for the joints that count alone."""
    character = read_character(armature)
    stock = yield from part(read_stock_steps(character, settings, more), 0.0, READING)
    if evaluate is None:
        counting = {name for name, weight in weights.items() if weight > 0.0}
        evaluate = functools.partial(joint_motion.whole, joints=counting)
    steps = joint_motion.of_all(character, stock.clips, stock.reference, evaluate)
    motions = yield from part(steps, READING, 1.0)
    return compare(settings, stock, motions, weights, character.fps)
