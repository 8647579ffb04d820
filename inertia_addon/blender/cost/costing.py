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
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ...errors import InertiaError, Sentence
from ...motion.arrays import Array, Floats
from ...motion.cost import costs as cost
from ...motion.cost import foresight
from ...motion.decay import dead_blending
from ...motion.decay.decay import Method
from ...motion.pops import teleports
from ...motion.steps import Steps, finish
from ...records import record
from ...settings import fields, methods
from ...settings.cost import Search
from ...settings.transition import TransitionSettings
from ..data import actions, clip_store, scene
from ..data.actions import Clip
from ..data.clip_store import Reading
from ..data.roots import Root
from ..evaluation import cycles, joint_motion
from ..evaluation.character import Character, read_character
from ..evaluation.cycles import FindCycle
from ..evaluation.joint_motion import Evaluate, JointMotion
from ..feet import contacts
from ..feet.contacts import Contacts
from ..judging import verdict
from ..judging.verdict import Verdict
from ..transition import preflight
from . import sides
from .sides import ComparedSide

CELLS = 40_000
"""So many meetings, about, are looked at in a step: their arrays stay small."""


@record(frozen=True, eq=False)
class Pair:
    """Two clips of an armature, read.

    root: what carries the character; reference: what it is aligned by. alignment: of a bake, never AUTO.
    fps: of the scene.
    """

    source: Clip
    destination: Clip
    root: Root
    reference: Root
    alignment: str
    fps: float

    @property
    def clips(self) -> tuple[Clip, Clip]:
        """Both clips."""
        return self.source, self.destination


def read_pair(
    armature: Any,
    settings: TransitionSettings,
    read_slot: Reading = actions.read_clip_steps,
    find_cycle: FindCycle = cycles.find_cycle,
) -> Pair:
    """Read the two clips that settings name, by the same rules as a bake.

    read_slot, find_cycle: for those who read the same ones many times.
    Raise InertiaError for what would stand in the way of a bake, but for the frames of the meeting.
    """
    return finish(read_pair_steps(armature, settings, read_slot, find_cycle))


def read_pair_steps(
    armature: Any,
    settings: TransitionSettings,
    read_slot: Reading = actions.read_clip_steps,
    find_cycle: FindCycle = cycles.find_cycle,
) -> Steps[Pair]:
    """Read the two clips that settings name, by the same rules as a bake; yield how much is done, 0 to 1, and
    return a :class:`Pair`.

    It has the clips ``source`` and ``destination``, scaled in time and taken for cycles as the settings say;
    ``root``, the Root that carries the character; ``reference``, the Root by which it is aligned, which is
    the root but with ``align_bone``; and ``alignment``, the kind of a bake, never AUTO, and "NONE" where the
    root takes no part. read_slot: reads one slot in steps, and find_cycle: finds the cycle that a clip is,
    for those who read the same ones many times. Raise InertiaError for what would stand in the way of a bake,
    but for the frames of the meeting.
    """
    clips = yield from clip_store.read_named_steps(armature, settings.ends(), read_slot)
    character = read_character(armature)
    clips, rig = clip_store.scaled_ends(settings, clips), character.rig
    root, alignment = preflight.carried(rig, settings, clips)
    source, destination = cycles.with_cycles(rig, root, settings, clips, find_cycle)
    reference = preflight.reference(rig, settings, root)
    return Pair(source, destination, root, reference, alignment, character.fps)


def motions(
    armature: Any, pair: Pair, evaluate: Evaluate = joint_motion.whole
) -> Steps[tuple[JointMotion, JointMotion]]:
    """Evaluate both clips on their whole frames, see :func:`joint_motion.of_all`."""
    source, destination = yield from joint_motion.of_all(
        read_character(armature), pair.clips, pair.reference, evaluate
    )
    return source, destination


@record(frozen=True, eq=False)
class Plants:
    """When the feet of a clip stand. feet: their bones; joints: those that say where each is."""

    feet: tuple[str, ...]
    joints: tuple[str, ...]
    contacts: Contacts


def plants_of(character: Character, clip: Clip, weight: float) -> Steps[Plants | None]:
    """Return when a character's feet stand in a clip, as :class:`Plants`; None where their skate counts
    nothing. Yield how much is done.

    The Plants have ``feet``, the names of the legs' foot bones, ``joints``, for each the name of the bone
    whose head says where it is (the ball of the foot, else the foot), both tuples in one order, and
    ``contacts``. weight: of the skate; for 0 or less nothing is looked at or yielded. Edited contacts come
    before those that are found. Raise InertiaError if the armature has no legs, for stored contacts or
    settings that can't be used, keys that are not finite, and where Blender has to play the rig and would
    not.
    """
    if weight <= 0.0:
        return None
    stands = yield from contacts.read_contacts_steps(character, clip)
    names = character.armature.data.bones.keys()
    joints = tuple(names[leg.foot if leg.ball is None else leg.ball] for leg in stands.legs)
    return Plants(tuple(leg.name for leg in stands.legs), joints, stands)


@record(frozen=True, eq=False)
class Prediction:
    """The feet of two clips in character space, and what it costs that they skate.

    source, destination: of the feet, at the frames of those that are compared. plants: of the destination.
    weight: metre seconds a metre. method, seconds, fps: see :class:`Compared`.
    """

    source: ComparedSide
    destination: ComparedSide
    plants: Plants
    weight: float
    method: Method
    seconds: float
    fps: float

    def add_skating_steps(
        self, costs: Floats, cuts: Array, entries: Array, feet: slice = slice(None)
    ) -> Steps[None]:
        """Add what planted feet of the destination skate, in metres, times the weight, in seconds, to costs
        (n, m), in place; yield the part that is done, 0 to 1.

        costs: metre seconds, of cuts (n,) with frames of the destination (m,), rising. feet: some of them,
        all if not given. Nothing is yielded, and nothing added, where no foot stands in any blend.
        """
        source, destination = self.source.at_all(cuts, self.fps), self.destination.at_all(entries, self.fps)
        stands = [(k, *span) for k in range(len(self.plants.feet))[feet] for span in self._spans(k, entries)]
        total, done = sum(len(cuts) * len(times[0]) for _, _, times in stands), 0
        for k, columns, times in stands:
            entered = destination.positions[columns, k], destination.velocities[columns, k]
            height = max(1, CELLS // len(times[0]))
            for first in range(0, len(cuts), height):
                rows = slice(first, first + height)
                left = source.positions[rows, k], source.velocities[rows, k]
                metres = foresight.skates(left, entered, times, self.method, self.seconds)
                costs[rows, columns] += self.weight * metres
                done += metres.size
                yield done / total

    def _spans(self, foot: int, entries: Array) -> list[tuple[slice, tuple[Array, Array]]]:
        """Return, for each time that a foot stands within the blend of any entry, (which entries, (from,
        to)).

        foot: its index. entries: frames of the destination (m,), rising. Which entries is a slice of these;
        from and to are arrays, one number for each of them, in seconds from the entry, clipped to the blend.
        """
        lasts = methods.blend_seconds(self.method, self.seconds)
        stands = []
        until = float(entries[-1]) + lasts * self.fps
        for span in self.plants.contacts.at(foot, float(entries[0]), until):
            lands, lifts = (np.clip((at - entries) / self.fps, 0.0, lasts) for at in (span.start, span.end))
            within = np.flatnonzero(lands < lifts)
            if len(within):
                columns = slice(int(within[0]), int(within[-1]) + 1)
                stands.append((columns, (lands[columns], lifts[columns])))
        return stands


@record(frozen=True, eq=False)
class Compared:
    """Two clips in character space, with what their comparison needs.

    names: (joints,) bones. weights: (joints,). method: None for dead blending. fps: of the scene. Costs are
    in metre seconds. is_one: whether both are the same clip. prediction: what they skate counts, too.
    motions, alignment: what they were compared of, see :func:`compare`.
    """

    source: ComparedSide
    destination: ComparedSide
    names: tuple[str, ...]
    weights: Array
    method: Method | None
    seconds: float
    fps: float
    motions: tuple[JointMotion, JointMotion]
    alignment: str
    is_one: bool = False
    prediction: Prediction | None = None

    @property
    def blend_frames(self) -> float:
        """How many frames a blend lasts."""
        return methods.blend_seconds(self.method, self.seconds) * self.fps

    def add_prediction(self, costs: Floats, cuts: Array, entries: Array) -> Steps[None]:
        """Add what feet skate to costs, if that counts; see :meth:`Prediction.add_skating_steps`."""
        if self.prediction is not None:
            yield from self.prediction.add_skating_steps(costs, cuts, entries)

    def prepared(self, compared_side: ComparedSide) -> cost.PreparedClip:
        """Return a clip, or some of its frames, as a PreparedClip, from which :func:`costs.curve` and
        :func:`costs.map_blocks` compute exact costs.

        compared_side: the source, the destination or some of their frames (n,). ``first`` and ``second`` are
        float32, (n, 3 * joints), the columns by joint, then axis: two weighted combinations of position and
        velocity. For dead blending ``first`` holds the weighted ``windows``, (n, 3 * samples * joints),
        ``second`` has no columns, and ``windows`` of None are an AssertionError.
        """
        if self.method is None:
            assert compared_side.windows is not None
            return cost.prepare_windows(compared_side.windows, self.weights)
        return cost.prepare(
            compared_side.positions, compared_side.velocities, self.weights, self.method, self.seconds
        )

    def features(self, compared_side: ComparedSide) -> cost.PreparedClip:
        """Return a clip's features (frames, 3 * joints), as the ``first`` of a PreparedClip whose ``second``
        is empty; their L1 distances approximate costs. Of each joint and axis there is one signed sum over
        the blend, in metre seconds and times the joint's weight, in place of the exact cost's sum of sizes.

        compared_side: the source, the destination or some of their frames. For dead blending the sum is that
        of its ``windows``; AssertionError where it has none then.
        """
        if self.method is None:
            assert compared_side.windows is not None
            return cost.prepare_windows(compared_side.windows.sum(axis=1, keepdims=True), self.weights)
        return cost.prepare_features(
            compared_side.positions, compared_side.velocities, self.weights, self.method, self.seconds
        )

    @functools.cached_property
    def prepared_source(self) -> cost.PreparedClip:
        """The whole source, ready to be compared."""
        return self.prepared(self.source)

    @functools.cached_property
    def prepared_destination(self) -> cost.PreparedClip:
        """The whole destination, ready to be compared."""
        return self.prepared(self.destination)

    def by_bone(self, cut: float, destination_frame: float) -> dict[str, float]:
        """Return what each joint contributes to the cost of one meeting, metre seconds, by bone's name; their
        sum is the cost.

        Both frames may lie between whole ones, and in any repetition of a cycle. If skate counts, what a
        planted foot skates is added under its own bone, which may be none of the joints.
        """
        if self.method is None:
            left, entered = self.source.at(cut, self.fps), self.destination.at(destination_frame, self.fps)
            assert left.windows is not None
            assert entered.windows is not None
            costs = self.weights * np.abs(left.windows - entered.windows).sum(axis=(0, 1, 3))
        else:
            x, v = self.offsets(cut, destination_frame)
            costs = cost.by_joint(x, v, self.weights, self.method, self.seconds)
        parts = dict(zip(self.names, map(float, costs), strict=True))
        if self.prediction is not None:
            cuts = np.array([cut])
            entries = np.array([self.destination.find_clip_frame(destination_frame)])
            for k, foot in enumerate(self.prediction.plants.feet):
                added = np.zeros((1, 1), np.float32)
                finish(self.prediction.add_skating_steps(added, cuts, entries, slice(k, k + 1)))
                parts[foot] = parts.get(foot, 0.0) + float(added[0, 0])
        return parts

    def at(self, cut: float, destination_frame: float) -> float:
        """Return the cost of one meeting."""
        return sum(self.by_bone(cut, destination_frame).values())

    def over_destination(self, cut: float) -> Floats:
        """Return the cost at a cut of each of the destination's frames (n,)."""
        costs = cost.curve(self.prepared(self.source.at(cut, self.fps)), self.prepared_destination)
        finish(self.add_prediction(costs[None], np.array([cut]), self.destination.frames))
        return costs

    def over_cut(self, destination_frame: float) -> Floats:
        """Return the cost, metre seconds (float32), of each of the source's frames (n,) as the cut, with a
        frame of the destination.

        destination_frame: any, between whole ones or in any repetition of a cycle. All frames of the source
        get a cost, also those that no search allows as cuts.
        """
        entered = self.destination.at(destination_frame, self.fps)
        costs = cost.curve(self.prepared(entered), self.prepared_source)
        finish(self.add_prediction(costs[:, None], self.source.frames, entered.frames))
        return costs

    def offsets(self, cut: float, destination_frame: float) -> tuple[Array, Array]:
        """Return (the differences in position, metres, those in velocity, metres a second), (joints, 3)
        each, at a meeting: source less destination, both as they are compared, not weighted.
        """
        left, entered = self.source.at(cut, self.fps), self.destination.at(destination_frame, self.fps)
        return left.positions[0] - entered.positions[0], left.velocities[0] - entered.velocities[0]


@record(frozen=True, eq=False)
class WeighedSkate:
    """How much skating feet count. plants: of the destination, None where skate counts nothing. weight: see
    :class:`Search`."""

    plants: Plants | None
    weight: float = Search.skate_weight


def compare(
    settings: TransitionSettings,
    alignment: str,
    weights: Mapping[str, float],
    motions: tuple[JointMotion, JointMotion],
    fps: float,
    skating: WeighedSkate | None = None,
) -> Compared:
    """Return two clips in character space, by the alignment of a bake, ready for costs.

    The :class:`Compared` has the sides ``source`` and ``destination``, with ``windows`` for dead blending
    alone; ``names`` and ``weights`` of the joints that count, in the motions' order; ``method``, which is the
    settings' decay, None for dead blending; ``seconds``, ``fps``, ``motions`` and ``alignment``; ``is_one``;
    and ``prediction`` of what feet skate, None where it counts nothing.

    alignment: never AUTO; what it takes away is said at :func:`sides.view_from_root`. motions: of the source
    and the destination, with joints of the same names in the same order. weights: by bone, 0 to 1000; bones
    without one, or with 0, don't count, nor do names that are no joint. fps: the scene's. skating: the
    planted feet of the destination and the weight of their skate; None, or a weight of 0, where skate counts
    nothing. ``is_one`` says that frames may be too near to each other: only if both ends name the same
    action, not "", of the same library, and have the same positions.

    Raise InertiaError when no joint counts, for a weight out of range, and where skate counts in dead
    blending.
    """
    for name, weight in weights.items():
        fields.WEIGHT.check(Sentence('weight of "{name}"', name=name), weight)
    source, destination = motions
    counting = [i for i, name in enumerate(source.names) if weights.get(name, 0.0) > 0.0]
    if not counting:
        raise InertiaError("No joint counts in the cost; give at least one a weight above zero.")
    both = _sides(settings, alignment, motions, counting)
    if settings.decay is None:
        both = _with_windows(both, settings, alignment, motions, counting, fps)
    names = tuple(source.names[i] for i in counting)
    values = np.array([weights[name] for name in names], float)
    # of one name clips may still be of two slots
    is_one = (
        bool(settings.source)
        and (settings.source, settings.source_library) == (settings.destination, settings.destination_library)
        and np.array_equal(source.positions, destination.positions)
    )
    seconds, skates = settings.seconds(fps), None
    plants = None if skating is None else skating.plants
    if skating is not None and plants is not None and skating.weight > 0.0:
        if settings.decay is None:
            raise InertiaError(
                "The skate of dead blending can't be predicted for all frames; set the skate weight to 0, or "
                "choose another method."
            )
        feet = _sides(settings, alignment, motions, [source.names.index(joint) for joint in plants.joints])
        skates = Prediction(*feet, plants, skating.weight, settings.decay, seconds, fps)
    return Compared(*both, names, values, settings.decay, seconds, fps, motions, alignment, is_one, skates)


def compare_pair(
    pair: Pair,
    settings: TransitionSettings,
    weights: Mapping[str, float],
    motions: tuple[JointMotion, JointMotion],
    skating: WeighedSkate,
) -> Compared:
    """Return a pair of clips as :func:`compare` does, aligned as the pair is, at the scene's frame rate."""
    return compare(settings, pair.alignment, weights, motions, pair.fps, skating)


def _sides(
    settings: TransitionSettings, alignment: str, motions: tuple[JointMotion, JointMotion], joints: list[int]
) -> tuple[ComparedSide, ComparedSide]:
    """Return (the source, the destination) in character space, as ComparedSides with frames (n,), positions
    (n, joints, 3) in metres and velocities in metres a second, of the joints of which `joints` has the
    indices, in their order. Their cycles and teleports come along; there are no ``windows``.

    alignment: of a bake, never AUTO. "NONE" leaves places in the world. With HEIGHT in it the root's height
    is taken from positions; with POSITION or HEADING in it the root's place over the ground; with HEADING
    positions and velocities are also turned by minus the root's heading. The root's velocity stays in.

    The destination's velocities are 0 if an offset is to decay by itself, of which the destination's velocity
    is no part (settings.velocity SOURCE, with a method that has a ``decay``); else they are its own. The
    motions stay as they are.
    """
    source, destination = sides.view_from_root(alignment, motions, joints)
    if settings.decay is not None and settings.velocity == "SOURCE":
        destination = dataclasses.replace(destination, velocities=np.zeros_like(destination.velocities))
    return source, destination


def _with_windows(
    both: tuple[ComparedSide, ComparedSide],
    settings: TransitionSettings,
    alignment: str,
    motions: tuple[JointMotion, JointMotion],
    joints: list[int],
    fps: float,
) -> tuple[ComparedSide, ComparedSide]:
    """Return both clips with the ``windows`` of dead blending (n, samples, joints, 3): where the source would
    go from each of its frames on, and where the destination goes from each of its own, at the same samples of
    the blend.

    There is one sample a frame, 16 at most, see :func:`dead_blending.samples`; each place, in metres, is
    multiplied by the sample's weight, in seconds. The destination is looked at where it is during the blend,
    from the root as it is when it is entered; a cycle goes on, any other clip is held at its last frame. The
    source goes on with a velocity of which all but the way of the root decays; the root's is not told apart
    for alignment "NONE" or a single frame. That speeds are clamped, and that rotations go on rather than
    joints, is left out.

    both: the sides, of which all else stays. joints: those that count, by index in the motions.
    """
    source, destination = motions
    times, counts = dead_blending.samples(settings.seconds(fps), fps)
    travel = np.zeros((len(source.frames), 3))
    if alignment != "NONE" and len(source.frames) > 1:
        rates = teleports.rates(source.root_position, source.frames, source.teleports)[:, None] * fps
        moving = dataclasses.replace(source, positions=rates, velocities=rates)
        travel = sides.view_from_root(alignment, (moving, destination), [0])[0].velocities[:, 0]
    half_life = settings.extrapolation_half_life
    until = float(destination.frames[-1]) + float(times[-1]) * fps
    played = destination.until(until, scene.metres_per_unit())
    reached = dead_blending.source_windows(
        both[0].positions, both[0].velocities, travel, times, counts, half_life
    )
    shown = []
    for t, count in zip(times, counts, strict=True):
        positions = dead_blending.positions_at(played.frames, played.positions, destination.frames + t * fps)
        later = dataclasses.replace(destination, positions=positions)
        shown.append(count * sides.view_from_root(alignment, (source, later), joints)[1].positions)
    return (
        dataclasses.replace(both[0], windows=reached),
        dataclasses.replace(both[1], windows=np.stack(shown, axis=1)),
    )


@record(frozen=True)
class TransitionQuality:
    """What a baked transition is like.

    cost: its displacement, metre seconds. bone: the one that adds most to it, with its share of 0 to 1.
    pop: the change of the joints' velocity across the cut, m/s, rms over all joints. skate: of the foot that
    skates furthest, metres; None where nothing can be said of feet. lift, reach: see :class:`Verdict`.
    """

    cost: float
    bone: str
    share: float
    pop: float
    skate: float | None
    lift: float
    reach: float


def worst_bone(costs_by_bone: Mapping[str, float]) -> tuple[float, str, float]:
    """Return the cost that is made of these parts, the bone that adds most, and its share, 0 to 1."""
    total = sum(costs_by_bone.values())
    bone = max(costs_by_bone, key=lambda name: costs_by_bone[name])
    return total, bone, costs_by_bone[bone] / total if total > 0.0 else 0.0


def quality(costs_by_bone: Mapping[str, float], verdicts: Iterable[Verdict]) -> TransitionQuality:
    """Return what a transition is like, or the worst of several in a row by each measure.

    costs_by_bone: of the cost, by bone.
    """
    measured: dict[str, Any] = verdict.measures(tuple(verdicts))
    return TransitionQuality(*worst_bone(costs_by_bone), **measured)
