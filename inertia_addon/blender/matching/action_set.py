# SPDX-License-Identifier: GPL-3.0-or-later
"""A set of actions of an armature, analysed: read, evaluated, and made into a database with its features."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from ...errors import InertiaError, Sentence
from ...motion.arrays import Array, Flags, Integers
from ...motion.feet import contacts as planting
from ...motion.feet.legs import Leg
from ...motion.matching import database, features, mirror
from ...motion.matching.database import ClipSource, Database, RootedTrack
from ...motion.skeleton import naming
from ...motion.skeleton.posing import Rig
from ...motion.steps import Steps, part
from ...records import record
from ...settings.matching import PathSettings
from ..data import actions, clip_store, markers, roots
from ..data.actions import Clip, Marker, Repeated
from ..data.roots import Root
from ..evaluation import cycles, influence, joint_motion, joints
from ..evaluation.character import Character
from ..feet import contacts as feet
from ..feet import legs as leg_list
from ..transition import alignment, repeating
from ..transition.alignment import RootedRig
from ..travel import carrying
from ..travel import reading as travelling

RATE = 60.0
"""Clips are looked at so many times a second, at most: more tells no more."""
REPEATED_SECONDS = 3.0
"""A cycle is repeated for so long, and twice at least, so that it can be entered anywhere and goes on."""
STRAIGHT = 1e-3
"""A clip that faces no two ways further apart than this, in radians, never turns."""
KEPT, KEPT_WALKS = 4, 200
"""So many sets, and looks at whether a clip walks in place, are kept until actions change."""


@record(frozen=True, eq=False)
class Stock:
    """Actions, analysed.

    step: the scene frames from one of the database's frames to the next. partners: for each bone the one on
    the other side, None without mirror images. posed: which joints of the database a pose is told by.
    weights: what each joint counts, as it was asked for. repeated: the clips that are cycles, which have more
    repetitions than their actions, or that were given travel; and travels: how fast these go, metres a
    second. digest: of the actions as they are. plain: whether nothing but keys moves the rig. warps:
    whether what carries it can take it along any way. held: the clips that are poses, shown for a while.
    bendable: those that go straight on and are not bent, as others of the set go around bends. unbent: the
    database before these were bent; None where they are not. hips: which of the joints are hips.
    """

    rig: Rig
    root: Root
    clips: tuple[Clip, ...]
    fps: float
    step: int
    database: Database
    legs: tuple[Leg, ...]
    partners: Integers | None
    posed: tuple[int, ...]
    weights: Mapping[str, float]
    plain: bool = True
    warps: bool = True
    repeated: frozenset[str] = frozenset()
    digest: str = ""
    travels: Mapping[str, float] = dataclasses.field(default_factory=dict)
    held: frozenset[str] = frozenset()
    bendable: frozenset[str] = frozenset()
    unbent: Database | None = None
    hips: tuple[int, ...] = ()

    def clip(self, name: str) -> Clip:
        """Return the clip of an action."""
        return next(clip for clip in self.clips if clip.action.name == name)

    def markers(self, source: ClipSource) -> tuple[Marker, ...]:
        """Return the pose markers of a clip of the database; of a mirror image, those of the other side."""
        shown = markers.find_shown(self.clip(source.name))
        return markers.flipped(shown) if source.mirrored else shown

    def bent(self, settings: PathSettings) -> Stock:
        """Return the set with its straight clips bent, too."""
        base = database.with_bends(self.database, self.bendable, bend_rates(settings))
        return dataclasses.replace(self, database=base, bendable=frozenset(), unbent=self.database)

    def bent_as(self, other_stock: Stock) -> Stock:
        """Return the set, bent if another one that was made of its database is."""
        if other_stock.unbent is None:
            return self
        return dataclasses.replace(
            self, database=other_stock.database, bendable=frozenset(), unbent=self.database
        )

    def is_made_of(self, base: Database) -> bool:
        """Tell whether a database is this set's, before any clips were bent and added to it."""
        return base is (self.database if self.unbent is None else self.unbent)

    def features(self, settings: PathSettings) -> features.Features:
        """Return the features that a search compares, as settings ask for them.

        Their kind is position and velocity, or inertialization displacement, as ``settings.features`` says;
        for AUTO it is the former only if the search is greedy or parts of the body have weights of their own.
        Facing has no weight where the character may face anywhere, or where no clip turns by more than 0.001
        radians. Raise InertiaError for a group of features that never varies, and for settings whose method
        is dead blending.
        """
        is_apart = settings.greedy or settings.has_part_weights
        by_itself = "POSITION_VELOCITY" if is_apart else "INERTIALIZATION"
        is_plain = (by_itself if settings.features == "AUTO" else settings.features) == "POSITION_VELOCITY"
        kind = features.POSITION_VELOCITY if is_plain else features.DISPLACEMENT
        weights = features.Weights(
            settings.pose_weight,
            settings.position_weight,
            settings.facing_weight,
            settings.foot_position_weight,
            settings.foot_velocity_weight,
            settings.hip_position_weight,
            settings.hip_velocity_weight,
            self.hips,
        )
        turns = any(np.ptp(self.database.heading[part]) > STRAIGHT for part in self.database.slices)
        if settings.facing == "FREE" or not turns:  # to face elsewhere tells no frame from another then
            weights = dataclasses.replace(weights, facing=0.0)
        decay, seconds = choose_decay(settings, self.fps)
        return features.compute(self.database, self.posed, decay, seconds, weights, kind)


def choose_decay(settings: PathSettings, fps: float) -> tuple[Any, float]:
    """Return (the curve along which joins blend, its length in seconds).

    The curve is a :class:`Method`, by the transition's method; for QUINTIC as the setting ``quintic_start``
    says. The length is the half-life for SPRING, else the blend time at the scene's frame rate. Raise
    InertiaError for dead blending, whose displacement is not known before.
    """
    transition = settings.transition
    if transition.decay is None:
        raise InertiaError("Dead blending has no cost to search by; choose another method.")
    return transition.decay, transition.seconds(fps)


_kept: dict[Hashable, Stock] = {}
_walks: dict[Hashable, travelling.Travel | None] = {}


def forget() -> None:
    """Keep no set that was analysed."""
    _kept.clear()
    _walks.clear()


def analyse_steps(
    character: Character, settings: PathSettings, weights: Mapping[str, float], ends: Collection[str] = ()
) -> Steps[Stock]:
    """Read and analyse the actions that settings name, or else all that fit; return the set; yields the part
    that is done, 0 to 1.

    weights: by bone, of displacements. ends: names of those that are left or arrived at; if too short to be
    entered, they are taken as poses that are held for a while. Naming one here does not read it. The last
    four sets are cached by the rig, the clips' contents and contacts, the weights and what of the settings
    decides; a cached one is returned with the clips as they were read now. Raise InertiaError for an action
    that does not exist, does not fit or is another skeleton's, or goes on for too long, for bones in
    `weights` that are gone, for a set that stays in place, and where nothing can be mirrored.
    """
    clips, (repeated, digest, travels) = yield from part(read_clips_steps(character, settings), 0.0, 0.3)
    # poses of the ends, too short to be a motion, are held for a while
    long = math.ceil(database.LEAST_SECONDS * character.fps) + step_of(character.fps)
    poses = [clip.action.name for clip in clips if clip.end - clip.start < long - 1.0]
    held = frozenset(poses) & frozenset(ends)
    clips = tuple(
        dataclasses.replace(clip, end=clip.start + long) if clip.action.name in held else clip
        for clip in clips
    )
    rig = character.rig
    key = _key(character, settings, weights, clips)
    stock = _kept.pop(key, None)
    if stock is None:
        steps = _analyse_steps(character, rig, settings, weights, clips, frozenset(travels))
        stock = yield from part(steps, 0.3, 1.0)
    about: dict[str, Any] = {"repeated": repeated, "digest": digest, "travels": travels, "held": held}
    stock = _kept[key] = dataclasses.replace(stock, clips=clips, rig=rig, **about)
    while len(_kept) > KEPT:
        del _kept[next(iter(_kept))]
    return stock


def read_clips_steps(
    character: Character, settings: PathSettings
) -> Steps[tuple[tuple[Clip, ...], tuple[frozenset[str], str, Mapping[str, float]]]]:
    """Read the actions that settings name, else all that fit, with the travel that the feet of those in place
    tell of, and with some repetitions of cycles.

    Return (clips, (the names of all whose keys differ from their actions' by that, a digest of the actions as
    they are, the speeds by name of those in place, metres a second)). Of a clip that jumps only the longest
    part is taken. Yields the part that is done. Raise InertiaError for no action, one that does not exist, is
    too long or has keys that are not finite, one of another skeleton, speeds or cycles given for other
    actions, an armature that can't be read, and where the root can't be moved.
    """
    names = settings.actions or name_fitting(character.armature)
    if not names:
        raise InertiaError(
            '"{armature}" has no actions to follow a path with; choose some that fit it.',
            armature=character.armature.name,
        )
    asked = [(name, "", "") for name in dict.fromkeys(names)]
    clips = yield from part(clip_store.read_named_steps(character.armature, asked), 0.0, 0.5)
    for clip in clips:
        clip_store.check_skeleton(character.armature, clip)
        joint_motion.check_each(clip)
    clips = tuple(joint_motion.with_teleports(character, clip).longest_part() for clip in clips)
    digest = actions.fingerprint([clip.keyed or clip for clip in clips])
    rig = character.rig
    unknown = [name for name in settings.speed_of if name not in {clip.action.name for clip in clips}]
    if unknown:
        raise InertiaError(
            'A speed is given for "{action}", which is not one of the clips: {known}.',
            action=unknown[0],
            known=", ".join(sorted(clip.action.name for clip in clips)),
        )
    clips, speeds = yield from part(_with_travel(character, rig, settings, clips), 0.5, 1.0)
    clips, repeated = _with_cycles(character, rig, settings, clips)
    return clips, (repeated | speeds.keys(), digest, speeds)


def speed_sentences(stock: Stock, settings: PathSettings) -> list[str]:
    """Return a sentence for each clip in place that was given its travel: ``"Walk": 1.40 m/s, from its
    feet.``, or ``as given`` where the settings say its speed.
    """
    return [
        Sentence('"{action}": {speed:.2f} m/s, as given.', action=name, speed=speed)
        if name in settings.speed_of
        else Sentence('"{action}": {speed:.2f} m/s, from its feet.', action=name, speed=speed)
        for name, speed in stock.travels.items()
    ]


def part_sentences(stock: Stock) -> list[str]:
    """Return a sentence for each clip that jumps as a whole, which says which of its frames are played; none
    for one of the names in ``stock.repeated``.
    """
    return [
        Sentence(
            '"{action}" jumps as a whole, so only its frames {first} to {last} are played.',
            action=clip.action.name,
            first=f"{clip.start:g}",
            last=f"{clip.end:g}",
        )
        for clip in stock.clips
        if clip.teleports and clip.action.name not in stock.repeated
    ]


def step_of(fps: float) -> int:
    """Return how many scene frames lie between two of a database's."""
    return max(1, int(np.ceil(fps / RATE - 0.02)))


def name_fitting(armature: Any) -> tuple[str, ...]:
    """Return the names, sorted, of the actions that fit an armature, were not baked by Inertia, and are not
    of another skeleton.
    """
    fit = clip_store.unbaked(armature)
    return tuple(action.name for action in fit if not clip_store.strange_bones(armature, action))


def _with_travel(
    character: Character, rig: Rig, settings: PathSettings, clips: tuple[Clip, ...]
) -> Steps[tuple[tuple[Clip, ...], dict[str, float]]]:
    """Return all clips in order, those in place with their travel, and the speeds of these by action name.

    The speeds are in metres a second; clips for which :func:`with_travel` gives no speed are not among them.
    Clips of one action share an entry, the last one's. Yields the part that is done.
    """
    root, speeds, travelled = roots.find_root(rig, clips, settings.transition.root), dict[str, float](), []
    for i, clip in enumerate(clips):
        steps = with_travel(character, rig, settings, root, clip)
        clip, speed = yield from part(steps, i / len(clips), (i + 1) / len(clips))
        if speed is not None:
            speeds[clip.action.name] = speed
        travelled.append(clip)
    return tuple(travelled), speeds


def with_travel(
    character: Character, rig: Rig, settings: PathSettings, root: Root, clip: Clip
) -> Steps[tuple[Clip, float | None]]:
    """Return (a clip, its speed in metres a second): a clip in place with the travel that its feet tell of,
    or that a speed is given for.

    A given speed stands in place of that of the feet; a clip whose feet tell nothing goes straight ahead with
    it. A clip that travels, one without either, and a pose come back as they are, with None. Yields the part
    that is done. Raise InertiaError where what carries the character can't be moved, and where Blender has to
    play the rig and would not.
    """
    travel = yield from _find_walk_steps(character, rig, clip, leg_list.of_armature(character.armature), root)
    speed = settings.speed_of.get(clip.action.name)
    if travel is not None:
        travel = travel.faster(speed, character.fps)
    elif speed is not None:
        travel = travelling.straight(character, rig, clip, root, speed)
    if travel is None:
        return clip, None
    return move_root(
        character, rig, travel.root, clip, travel.way.frames, travel.way.matrices()
    ), travel.speed


def _find_walk_steps(
    character: Character, rig: Rig, clip: Clip, legs: tuple[Leg, ...], root: Root
) -> Steps[travelling.Travel | None]:
    """Return how an action that walks in place would travel, as its feet tell, see
    :func:`travelling.find_walk_steps`; None for one that travels, or stays where it is, for a pose, and
    without legs.

    Yields the part that is done, nothing if it is known.

    root: who is to carry it. The last KEPT_WALKS answers are cached by the rig, the root and the clip's ends
    and contents, as finding one takes seconds; the Travel has the given clip in any case. Raise InertiaError
    for keys that are not finite, and where Blender has to play the rig and would not.
    """
    key = (*_body(character, rig, (clip,)), root, clip.start, clip.end, actions.fingerprint([clip]))
    if key not in _walks:
        travel = yield from travelling.find_walk_steps(character, rig, clip, legs, root)
        # no reference into the file is kept
        _walks[key] = travel and dataclasses.replace(travel, clip=actions.detached(clip))
        while len(_walks) > KEPT_WALKS:
            del _walks[next(iter(_walks))]
    travel = _walks[key]
    return travel and dataclasses.replace(travel, clip=clip)


def move_root(character: Character, rig: Rig, root: Root, clip: Clip, frames: Array, motions: Array) -> Clip:
    """Return a copy of a clip whose root is moved by motions of the world; nothing is written, and the clip
    given stays as it is.

    Only the curves of the channels that carry the root change: their locations, and their rotations where the
    motions turn them. frames (n,): of the clip, in order, each whole frame and both ends; outside of them the
    clip stays. motions (n, 4, 4): shifts in world units, and turns about the vertical, at these frames, each
    applied in the world to where the clip has the root.

    Raise InertiaError where no channels can carry the root.
    """
    rooted = RootedRig.in_clips(character, rig, root, (clip,))
    carried = carrying.carried(rooted, clip, frames, motions)
    curves = {at: Repeated(None, keys, "", "") for at, keys in carried.curves.items()}
    return dataclasses.replace(clip, curves={**clip.curves, **curves})


def _with_cycles(
    character: Character, rig: Rig, settings: PathSettings, clips: tuple[Clip, ...]
) -> tuple[tuple[Clip, ...], frozenset[str]]:
    """Return the clips in order, with some repetitions of those that are cycles, and the names of these.

    A cycle is repeated for three seconds, and twice at least, from its first frame on; the repeated clip is
    no cycle any more. Clips that settings name are taken for cycles in any case; others only if cycles are to
    be found. Raise InertiaError for named cycles that are not among the clips.
    """
    names = [clip.action.name for clip in clips]
    cycles.check_named(settings.cycles, names)
    if not settings.cycles and not settings.find_cycles:
        return clips, frozenset()
    root, cycled, repeated = roots.find_root(rig, clips, settings.transition.root), [], set()
    for clip in clips:
        choice = "ON" if clip.action.name in settings.cycles else "AUTO" if settings.find_cycles else "OFF"
        cycle = cycles.with_cycle(rig, root, clip, choice)
        if cycle.cycle is not None:
            length = max(REPEATED_SECONDS * character.fps, 2.0 * cycle.cycle.period)
            span = (cycle.cycle.start, cycle.cycle.start + length - 1e-3)
            long = repeating.repeat_to_reach(character, rig, root, cycle, span, play=True)
            clip = dataclasses.replace(long, cycle=None)
            repeated.add(clip.action.name)
        cycled.append(clip)
    return tuple(cycled), frozenset(repeated)


def _key(
    character: Character, settings: PathSettings, weights: Mapping[str, float], clips: tuple[Clip, ...]
) -> Hashable:
    """Return a hashable key of all that a database depends on: the rig, clips and their contents, contacts,
    weights and settings.
    """
    names = tuple((clip.action.name, clip.start, clip.end) for clip in clips)
    contents = tuple(actions.fingerprint([clip]) for clip in clips)
    stored = tuple(str(sorted(feet.stored_and_held(clip.action).items())) for clip in clips)
    asked = (settings.mirror, settings.bends, settings.transition.root, tuple(weights.items()))
    return (*_body(character, character.rig, clips), names, contents, stored, asked)


def _body(character: Character, rig: Rig, clips: tuple[Clip, ...]) -> tuple[Hashable, ...]:
    """Return a key of all that the look of an armature in clips depends on, beside the clips' own curves."""
    stands = (character.armature.name, rig.bones.rest.tobytes(), rig.bones.names, rig.world.tobytes())
    moved = character.find_poser(clips).why_played and influence.key(character.armature)
    return (*stands, *leg_list.of_armature(character.armature), moved, character.fps, character.metres)


def _analyse_steps(
    character: Character,
    rig: Rig,
    settings: PathSettings,
    weights: Mapping[str, float],
    clips: tuple[Clip, ...],
    in_place: frozenset[str],
) -> Steps[Stock]:
    gone = [name for name in weights if name not in rig.bones.names]
    if gone:
        raise InertiaError(
            '"{armature}" no longer has the bone "{bone}", which the path was searched with; bake it again.',
            bone=gone[0],
            armature=character.armature.name,
        )
    root = roots.find_root(rig, clips, settings.transition.root)
    partners = mirror.partners(rig.bones.names) if settings.mirror else None
    legs = _in_pairs(leg_list.of_armature(character.armature), partners)
    step = step_of(character.fps)
    tracks = []
    for i, clip in enumerate(clips):
        done = i / len(clips), (i + 0.9) / len(clips), (i + 1) / len(clips)
        frames = joint_motion.grid(clip, joint_motion.MOST_EACH)[::step]
        balls = [(leg.point, leg.offset) for leg in legs]
        seen = joint_motion.with_points(character, clip, frames, root, balls, weights)
        motion, points = yield from part(seen, *done[:2])
        planted = yield from part(_planted(character, clip, legs, frames, points), *done[1:])
        which = [motion.names.index(name) for name in weights]
        joint_ways = motion.positions[:, which], motion.velocities[:, which]
        root_way = motion.root_position, motion.root_rotation
        is_led = clip.action.name in in_place
        tracks.append(RootedTrack(clip.action.name, frames, *joint_ways, *root_way, planted, is_led=is_led))
    tracks, bendable = _with_bends(tracks, settings, in_place, character.fps / step)
    pairs = None
    if partners is not None:
        other = {rig.bones.names[i]: rig.bones.names[k] for i, k in enumerate(partners.tolist())}
        places = {name: i for i, name in enumerate(weights)}
        # a joint counts as its partner does, or its mirror image would be none
        pairs = [places.get(other.get(name, name), i) for name, i in places.items()]
    base = database.build(tracks, tuple(weights), tuple(weights.values()), character.fps / step, pairs)
    posed = _find_posed_joints(character, tuple(weights))
    plain = not character.find_poser(clips).has_to_play
    warps = plain or alignment.carries_any(character, rig, root, clips[:1], clips[0].start)
    stock = Stock(
        rig, root, clips, character.fps, step, base, legs, partners, posed, dict(weights), plain, warps
    )
    hips = _of_roles(character, tuple(weights), (naming.HIPS,))
    return dataclasses.replace(stock, bendable=bendable, hips=hips)


def _with_bends(
    tracks: Sequence[RootedTrack], settings: PathSettings, in_place: Collection[str], fps: float
) -> tuple[list[RootedTrack], frozenset[str]]:
    """Return the tracks in order, those that are bent with the bends they get, radians a second; and the
    names of those that could be bent as well, but are not.

    A clip can be bent if it goes straight on, and either goes steadily or was in place (`in_place`, names).
    If no clip of the set goes steadily around a bend all that can be bent are; else only those that were in
    place. fps: of the tracks. If ``settings.bends`` is 0 or less the tracks are as they were, and no name is
    returned. A clip that turns on the spot helps nobody around a bend.
    """
    if settings.bends <= 0.0:
        return list(tracks), frozenset()
    straight = {track.name for track in tracks if database.goes_straight(track.root_rotation)}
    steady = {track.name for track in tracks if database.goes_steadily(track.root_position[:, :2], fps)}
    bendable = straight & (steady | set(in_place))
    bent = bendable if not steady - straight else bendable & set(in_place)
    rates = bend_rates(settings)
    bends = [dataclasses.replace(track, bends=rates) if track.name in bent else track for track in tracks]
    return bends, frozenset(bendable - bent)


def bend_rates(settings: PathSettings) -> tuple[float, ...]:
    """Return by how much clips are bent that go straight on, radians a second."""
    return tuple(float(np.radians(part * settings.bends)) for part in database.BENDS)


def _planted(
    character: Character, clip: Clip, legs: tuple[Leg, ...], frames: Array, points: Array
) -> Steps[Flags | None]:
    """Return for frames (n,) whether each foot is planted (n, legs); None without legs, or for fewer than two
    frames. Yields the part that is done.

    points: (n, legs, 3), metres, where the feet's points are, in which contacts are found. An action that
    stores contacts is read with these instead.
    """
    if not legs or len(frames) < 2:
        return None
    if feet.stored_and_held(clip.action):
        each = (yield from feet.read_contacts_steps(character, clip, legs)).spans
    else:
        each = feet.find_at(character, frames, points, legs)
    return np.stack([planting.planted(spans, frames) for spans in each], axis=1)


def _in_pairs(legs: tuple[Leg, ...], partners: Integers | None) -> tuple[Leg, ...]:
    """Return legs in pairs, the two of a pair one after the other.

    partners: for each bone the index of the one on the other side, itself in the middle; None, without mirror
    images, returns the legs as they are. () if any leg's foot has no partner, or one that is no leg's foot.
    """
    if partners is None:
        return legs
    by_bone = {leg.foot: leg for leg in legs}
    paired: dict[int, Leg] = {}
    for foot, leg in by_bone.items():
        other = int(partners[foot])
        if other == foot or other not in by_bone:
            return ()
        if foot not in paired:
            paired |= {foot: leg, other: by_bone[other]}
    return tuple(paired.values())


def _find_posed_joints(character: Character, names: tuple[str, ...]) -> tuple[int, ...]:
    """Return the indices of the joints that a pose is compared by: hips and feet, or all if there are
    none.
    """
    return _of_roles(character, names, (naming.FOOT, naming.HIPS)) or tuple(range(len(names)))


def _of_roles(character: Character, names: tuple[str, ...], roles: Collection[str]) -> tuple[int, ...]:
    """Return the indices of those joints that have one of these roles."""
    wanted = {joint.bone for joint in joints.default_joints(character.armature) if joint.role in roles}
    return tuple(i for i, name in enumerate(names) if name in wanted)
