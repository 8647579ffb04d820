# SPDX-License-Identifier: GPL-3.0-or-later
"""What transitions between two clips of an armature cost, before any is baked.

The cost of entering the destination at frame j from the source at frame i is the displacement of all
joints: how far, and how long, the transition holds them away from where the destination alone would
have them (D. Holden, "Inertialization Transition Cost", 2022). Joints are seen in character space; the
blend time is the transition's for all of them, before guards and bones' own blend scales.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Generator, Mapping
from typing import Any

import numpy as np

from ...errors import InertiaError, Sentence
from ...motion.arrays import Array, Floats
from ...motion.cost import costs as cost
from ...motion.decay import dead_blending
from ...motion.decay.decay import Method
from ...motion.steps import finish, part
from ...records import record
from ...settings import limits, methods
from ...settings.cost import Search
from ...settings.transition import TransitionSettings
from ..data import actions, clip_store, rigs, scene
from ..data.actions import Clip
from ..data.clip_store import Reading
from ..data.roots import Root
from ..evaluation import cycles, joint_motion
from ..evaluation.joint_motion import Evaluate, Motion
from ..transition import preflight
from . import prediction, sides
from .prediction import Plants, Prediction
from .sides import Side

MAP_CELLS = 2000
"""A map has at most so many rows and columns; longer clips are looked at every few frames."""


@record(frozen=True, eq=False)
class Pair:
    """Two clips of an armature, read.

    root: what carries the character; reference: what it is aligned by. alignment: how a transition moves the
    destination, never AUTO.
    """

    source: Clip
    destination: Clip
    root: Root
    reference: Root
    alignment: str

    @property
    def clips(self) -> tuple[Clip, Clip]:
        """Both clips."""
        return self.source, self.destination


def read_pair(armature: Any, settings: TransitionSettings, read_slot: Reading = actions.reading) -> Pair:
    """Read the two clips that settings name, by the same rules as a bake.

    read_slot: for those who read the same ones many times.
    Raises InertiaError for what would stand in the way of a bake, but for the frames of the meeting.
    """
    return finish(reading_pair(armature, settings, read_slot))


def reading_pair(
    armature: Any, settings: TransitionSettings, read_slot: Reading = actions.reading
) -> Generator[float, None, Pair]:
    """As :func:`read_pair`, in steps; yields the part that is done, 0 to 1."""
    clips = yield from clip_store.reading_named(armature, settings.ends(), read_slot)
    clips, rig = clip_store.scaled_ends(settings, clips), rigs.read(armature)
    root, alignment = preflight.carried(rig, settings, clips)
    source, destination = cycles.both(rig, root, settings, clips)
    return Pair(source, destination, root, preflight.reference(rig, settings, root), alignment)


def motions(
    armature: Any, pair: Pair, evaluate: Evaluate = joint_motion.whole
) -> Generator[float, None, tuple[Motion, Motion]]:
    """Evaluate both clips on their whole frames, see :func:`joint_motion.of_all`."""
    source, destination = yield from joint_motion.of_all(armature, pair.clips, pair.reference, evaluate)
    return source, destination


@record(frozen=True, eq=False)
class Compared:
    """Two clips in character space, with what their comparison needs.

    names: (joints,) bones. weights: (joints,). method: None for dead blending. fps: of the scene. Costs are
    in metre seconds. is_one: whether both are the same clip. prediction: what they skate counts, too.
    motions, alignment: what they were compared of, see :func:`compare`.
    """

    source: Side
    destination: Side
    names: tuple[str, ...]
    weights: Array
    method: Method | None
    seconds: float
    fps: float
    motions: tuple[Motion, Motion]
    alignment: str
    is_one: bool = False
    prediction: Prediction | None = None

    @property
    def blend_frames(self) -> float:
        """How many frames a blend lasts."""
        return methods.lasting(self.method, self.seconds) * self.fps

    def add_prediction(self, costs: Floats, cuts: Array, entries: Array) -> Generator[float, None, None]:
        """Add what feet skate to costs, if that counts; see :meth:`Prediction.adding`."""
        if self.prediction is not None:
            yield from self.prediction.adding(costs, cuts, entries)

    def prepared(self, side: Side) -> cost.Prepared:
        """A clip, or a frame of it, ready to be compared."""
        if self.method is None:
            assert side.windows is not None
            return cost.prepare_windows(side.windows, self.weights)
        return cost.prepare(side.positions, side.velocities, self.weights, self.method, self.seconds)

    def features(self, side: Side) -> Floats:
        """A clip's features, of which the distance is the size of the signed areas, an approximation."""
        if self.method is None:
            assert side.windows is not None
            areas = side.windows.sum(axis=1, keepdims=True)
            return cost.prepare_windows(areas, self.weights).first
        return cost.features(side.positions, side.velocities, self.weights, self.method, self.seconds)

    @functools.cached_property
    def prepared_source(self) -> cost.Prepared:
        """The whole source, ready to be compared."""
        return self.prepared(self.source)

    @functools.cached_property
    def prepared_destination(self) -> cost.Prepared:
        """The whole destination, ready to be compared."""
        return self.prepared(self.destination)

    def by_bone(self, cut: float, destination_frame: float) -> dict[str, float]:
        """What each joint contributes to the cost of one meeting; their sum is the cost."""
        if self.method is None:
            here, there = self.source.at(cut, self.fps), self.destination.at(destination_frame, self.fps)
            assert here.windows is not None
            assert there.windows is not None
            parts = self.weights * np.abs(here.windows - there.windows).sum(axis=(0, 1, 3))
        else:
            x, v = self.offsets(cut, destination_frame)
            parts = cost.by_joint(x, v, self.weights, self.method, self.seconds)
        found = dict(zip(self.names, map(float, parts), strict=True))
        if self.prediction is not None:
            at = np.array([cut]), np.array([self.destination.shown(destination_frame)])
            for k, foot in enumerate(self.prediction.plants.feet):
                added = np.zeros((1, 1), np.float32)
                finish(self.prediction.adding(added, *at, slice(k, k + 1)))
                found[foot] = found.get(foot, 0.0) + float(added[0, 0])
        return found

    def at(self, cut: float, destination_frame: float) -> float:
        """The cost of one meeting."""
        return sum(self.by_bone(cut, destination_frame).values())

    def over_destination(self, cut: float) -> Floats:
        """The cost of each of the destination's frames at a cut; shape of its frames."""
        costs = cost.exact_curve(self.prepared(self.source.at(cut, self.fps)), self.prepared_destination)
        finish(self.add_prediction(costs[None], np.array([cut]), self.destination.frames))
        return costs

    def over_cut(self, destination_frame: float) -> Floats:
        """The cost of each cut with a frame of the destination; shape of the source's frames."""
        there = self.destination.at(destination_frame, self.fps)
        costs = cost.exact_curve(self.prepared(there), self.prepared_source)
        finish(self.add_prediction(costs[:, None], self.source.frames, there.frames))
        return costs

    def offsets(self, cut: float, destination_frame: float) -> tuple[Array, Array]:
        """Differences in position and velocity (joints, 3) at a meeting: source less destination."""
        here, there = self.source.at(cut, self.fps), self.destination.at(destination_frame, self.fps)
        return here.positions[0] - there.positions[0], here.velocities[0] - there.velocities[0]


def compare(
    settings: TransitionSettings,
    alignment: str,
    weights: Mapping[str, float],
    motions: tuple[Motion, Motion],
    fps: float,
    plants: Plants | None = None,
    skate_weight: float = Search.skate_weight,
) -> Compared:
    """Put two clips into character space, by the alignment of a bake.

    motions: of the source and the destination. weights: by bone; those that are not named don't count.
    plants: of the destination; None where it counts nothing that feet skate. skate_weight: see
    :class:`Search`. Raises InertiaError when no joint counts, for a weight that is none, and as
    :func:`prediction.of` does.
    """
    for name, weight in weights.items():
        limits.WEIGHT.check(Sentence('weight of "{name}"', name=name), weight)
    source, destination = motions
    counting = [i for i, name in enumerate(source.names) if weights.get(name, 0.0) > 0.0]
    if not counting:
        raise InertiaError("No joint counts in the cost; give at least one a weight above zero.")
    here, there = sides.seen(alignment, motions, counting)
    if settings.decay is None:
        here, there = _with_windows(here, there, settings, alignment, motions, counting, fps)
    elif settings.velocity == "SOURCE":
        there = dataclasses.replace(there, velocities=np.zeros_like(there.velocities))
    names = tuple(source.names[i] for i in counting)
    values = np.array([weights[name] for name in names], float)
    # of one name clips may still be of two slots
    is_one = (
        bool(settings.source)
        and (settings.source, settings.source_library) == (settings.destination, settings.destination_library)
        and np.array_equal(source.positions, destination.positions)
    )
    skates = None
    if plants is not None and skate_weight > 0.0:
        skates = prediction.of(settings, alignment, motions, plants, skate_weight, fps)
    how = (settings.decay, settings.seconds(fps), fps, motions, alignment)
    return Compared(here, there, names, values, *how, is_one, skates)


def _with_windows(
    here: Side,
    there: Side,
    settings: TransitionSettings,
    alignment: str,
    motions: tuple[Motion, Motion],
    joints: list[int],
    fps: float,
) -> tuple[Side, Side]:
    """Both clips with what dead blending does to them: where the source would go, where the destination goes.

    The destination is looked at where it is during the blend, as it is baked; that speeds are clamped, and
    that rotations go on rather than joints, is left out.
    """
    source, destination = motions
    times, counts = dead_blending.samples(settings.seconds(fps), fps)
    travel = np.zeros((len(source.frames), 3))
    if alignment != "NONE" and len(source.frames) > 1:
        moving = np.gradient(source.root_position, source.frames / fps, axis=0)[:, None]
        moving = dataclasses.replace(source, positions=moving, velocities=moving)
        travel = sides.seen(alignment, (moving, destination), [0])[0].velocities[:, 0]
    half_life = settings.extrapolation_half_life
    played = destination.until(
        float(destination.frames[-1]) + float(times[-1]) * fps, scene.metres_per_unit()
    )
    reached = dead_blending.source_windows(here.positions, here.velocities, travel, times, counts, half_life)
    shown = []
    for t, count in zip(times, counts, strict=True):
        positions = dead_blending.positions_at(played.frames, played.positions, destination.frames + t * fps)
        later = dataclasses.replace(destination, positions=positions)
        shown.append(count * sides.seen(alignment, (source, later), joints)[1].positions)
    return (
        dataclasses.replace(here, windows=reached),
        dataclasses.replace(there, windows=np.stack(shown, axis=1)),
    )


@record(frozen=True, eq=False)
class CostMap:
    """Cost of every cut (n,) with every destination frame (m,); costs (n, m), NaN until computed."""

    cuts: Array
    destinations: Array
    costs: Floats
    exact: bool


def start_map(
    compared: Compared, exact: bool, cells: int = MAP_CELLS
) -> tuple[CostMap, Generator[float, None, None]]:
    """A map that is still empty, and the steps that fill it, which yield the part that is done.

    Of clips with more frames than ``cells`` only every so many are looked at.
    """
    both = (compared.source, compared.destination)
    sides = [side.taken(slice(None, None, coarseness(len(side.frames), cells))) for side in both]
    cuts, destinations = (side.frames for side in sides)
    result = CostMap(cuts, destinations, np.full((len(cuts), len(destinations)), np.nan, np.float32), exact)
    return result, _fill(compared, sides, result)


def coarseness(frames: int, cells: int = MAP_CELLS) -> int:
    """Every how many of a clip's frames a map looks at."""
    return -(-frames // cells)


def _fill(compared: Compared, sides: list[Side], result: CostMap) -> Generator[float, None, None]:
    """Fill in a map's costs; yields the part that is done."""
    until = 1.0 if compared.prediction is None else 0.7
    if result.exact:
        rows, columns = map(compared.prepared, sides)
        yield from part(cost.exact_map_blocks(rows, columns, result.costs), 0.0, until)
    else:
        near, far = map(compared.features, sides)
        yield from part(cost.feature_map_blocks(near, far, result.costs), 0.0, until)
    yield from part(compared.add_prediction(result.costs, result.cuts, result.destinations), until, 1.0)
