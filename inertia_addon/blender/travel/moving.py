# SPDX-License-Identifier: GPL-3.0-or-later
"""Moves the travel of an action from what carries it to something else: from the hips to the root bone, from
the root to the hips, to or from the object. The pose in the world stays as it is at every sub-frame.

Of the two, the upper one is what the other hangs from. It goes the way, or stands still where the lower one
is to carry it; and whatever hangs from it, or from a bone between the two, gets the keys that keep it in its
place.
"""

from __future__ import annotations

import numpy as np

from ...errors import InertiaError
from ...motion import quaternion
from ...motion.arrays import Array
from ...motion.curves import keys as keylib
from ...motion.curves import representation
from ...motion.curves.keys import Keys
from ...motion.skeleton import character_space, naming
from ...motion.skeleton.posing import Rig
from ...motion.steps import Steps, part
from ...motion.travel import course
from ...motion.travel.course import BodyCourse
from ...motion.travel.way import GroundPath, of_matrices
from ...records import record
from ...settings.transition import OBJECT_ROOT
from ..data import actions, rewriting, roots, scene, unkeyed
from ..data.actions import Address, Clip
from ..data.channels import ClipChannels, transform
from ..data.rewriting import Rewritten
from ..data.roots import Root
from ..evaluation import cycles, joint_motion, joints
from ..evaluation.character import Character
from ..transition import alignment
from ..transition.alignment import RootedRig

ROOTS = frozenset({"root", "reference", "trajectory", "locomotion", "mover"})
"""Words in the name of a root bone from which nothing hangs."""
CLOSE = 1.5e-5
"""The pose is the same where no bone is further away than this part of the character's size: 0.03 mm of a
grown-up. Keys are added between frames until it is ..."""
SAME = 1e-4
"""... and what is then further away than this can't be moved."""
ROUNDS = 4
"""Keys are added so many times at most, half-way between two."""
SHORTEST = 1.0 / 16.0
"""Keys are no nearer than this many frames."""
MOST_PLAYED = 48
"""At so many frames it is looked at a rig that Blender has to play."""
FLAT = 1e-9
"""A space whose volume is such a part of what its axes' lengths could span, or less, is scaled to zero."""
NO_TURN = 1e-9
"""A rotation is none from here on."""


@record(frozen=True, eq=False)
class MovedTravel:
    """The travel of an action on something else.

    curves: of the new action. source, carrier: what carried the travel, and what does now. way: how the
    carrier goes, from the first frame on, in world units.
    """

    curves: Rewritten
    source: Root
    carrier: Root
    way: GroundPath


@record(frozen=True, eq=False)
class CarrierPair:
    """What carried a travel, and what is to carry it.

    upper: which of the two hangs from nothing of the other. along: the bones that come along with that:
    itself, if it is a bone, and those between the two.
    """

    source: Root
    carrier: Root
    upper: Root
    along: tuple[str, ...]

    @classmethod
    def of(cls, rig: Rig, source: Root, carrier: Root) -> CarrierPair:
        """Return the pair of what carried a travel (``source``) and what is to carry it (``carrier``), with
        the upper one of both and the bones along.

        Upper is the one from which the other hangs; the new carrier, where neither hangs from the other. The
        object is above all bones. ``along`` are the bones above the lower one, its parent first, up to and
        with the upper one, or all if that is the object; the upper one alone where neither hangs from the
        other. KeyError for a bone that does not exist.
        """
        for upper, lower in ((carrier, source), (source, carrier)):
            above = () if lower.is_object else rig.bones.above(lower.name)
            if upper.is_object:
                return cls(source, carrier, upper, above)
            if upper.name in above:
                return cls(source, carrier, upper, above[: above.index(upper.name) + 1])
        return cls(source, carrier, carrier, (carrier.name,))

    def find_hanging(self, rig: Rig) -> list[int]:
        """Return the bones, by index, that would come along and are to stay where they are."""
        names, parents = rig.bones.names, rig.bones.parents
        return [
            i
            for i, parent in enumerate(parents)
            if names[i] not in self.along
            and (names[parent] in self.along if parent >= 0 else self.upper.is_object)
        ]


def move_travel_steps(
    character: Character,
    rig: Rig,
    clip: Clip,
    pair: CarrierPair,
    turns: str,
    noted_way: GroundPath | None = None,
) -> Steps[MovedTravel]:
    """Move an action's travel to another carrier, with the pose in the world as it is; yields the part that
    is done, 0 to 1. Nothing is written.

    The :class:`MovedTravel` has the ``curves`` of the new action, what carried the travel (``source``) and
    what does now (``carrier``), and the ``way`` that the carrier goes from the first frame on, in world
    units, at the clip's whole frames and ends. If the pair's upper one is the new carrier, it goes that way,
    and what hangs from it gets keys that keep it in place. If the upper one is the source, it stands still
    from now on, a bone with the place over the ground and the heading of its rest, an object where it begins;
    the way is then as `noted_way` says or as the source went.

    pair: what carries the travel, and what is to. turns: AUTO, NONE or ALL, whether a root or an object turns
    as the hips do that carried the travel, see :func:`course.turned_as`. noted_way: the way that Travel has
    noted with the action, None for none. Raise InertiaError for a connected bone that would have to stay,
    where no channels carry the upper one, where the pose would change by more than 0.0001 of the character's
    size, and where Blender has to play the rig and would not.
    """
    clip = unkeyed.completed(character.armature, clip)
    _check_connected(rig, pair)
    frames = representation.whole_frames(clip.start, clip.end)
    start = _start(rig, clip, pair.upper)
    if pair.upper == pair.carrier:
        is_root_bone = _is_root_bone(character, rig, pair.source)
        motions = _course(rig, clip, pair, frames, _Turning(turns, is_root_bone, character.fps), noted_way)
        way = of_matrices(frames, motions)
    else:
        motions = np.tile(np.eye(4), (len(frames), 1, 1))
        ways = _flat(roots.root_matrices(rig, pair.source, clip, frames))
        way = of_matrices(frames, ways if noted_way is None else noted_way.matrices(frames))
    matching = _Matching(character, rig, clip, pair, frames, motions @ np.linalg.inv(start))
    curves = yield from matching.steps()
    return MovedTravel(
        rewriting.replaced(clip, curves, (clip.start, clip.end)), pair.source, pair.carrier, way
    )


def pair_of(character: Character, rig: Rig, clip: Clip, source: Root, on: str) -> CarrierPair:
    """Return what carries an action's travel, and what is to carry it: ROOT, HIPS or OBJECT.

    Raise InertiaError where there is no such carrier, and where it carries the travel already.
    """
    return CarrierPair.of(rig, source, find_carrier(character, rig, clip, source, on))


def _check_connected(rig: Rig, pair: CarrierPair) -> None:
    for i in pair.find_hanging(rig):
        parent = rig.bones.parents[i]
        if parent >= 0 and rig.bones.names[i] in rig.bones.connected:
            raise InertiaError(
                '"{bone}" is connected to "{parent}", so it can\'t stay in its place while that moves; '
                "switch Connected off in Edit Mode, or choose another carrier.",
                bone=rig.bones.names[i],
                parent=rig.bones.names[parent],
            )


# --- who carries it


def find_carrier(character: Character, rig: Rig, clip: Clip, source: Root, on: str) -> Root:
    """Return what is to carry a travel that `source` carries now, as a Root with ``moves`` True; its name is
    a bone's, or OBJECT_ROOT for the object.

    on: OBJECT for the object, HIPS for the hips, see :func:`hips_of`; anything else (ROOT) for the bone on
    which the travel belongs, see :func:`_root_bone`: `source` if the hips hang from it or follow it, else the
    topmost bone with which the hips (or `source`) come along, else a bone without parents that is named as a
    root. Raise InertiaError where there is no such bone, and where it is `source` itself.
    """
    if on == "OBJECT":
        carrier = OBJECT_ROOT
    elif on == "HIPS":
        carrier = hips_of(character) or ""
        if not carrier:
            raise InertiaError(
                'No hips were found on "{armature}"; let the root or the object carry the travel.',
                armature=character.armature.name,
            )
    else:
        carrier = _root_bone(character, rig, source)
        if not carrier:
            raise InertiaError(
                '"{action}" already travels, and "{armature}" has no root bone to carry that, as "{bone}" '
                'has no parent; in Edit Mode add a bone on the ground and parent "{bone}" to it, or choose '
                "Object.",
                action=clip.action.name,
                armature=character.armature.name,
                bone=hips_of(character) or source.name,
            )
    if carrier == source.name:
        if source.is_object:
            raise InertiaError(
                '"{action}" already travels on the object; choose another carrier, or remove the travel with '
                "In Place.",
                action=clip.action.name,
            )
        raise InertiaError(
            '"{action}" already travels on "{bone}"; choose another carrier, or remove the travel with In '
            "Place.",
            action=clip.action.name,
            bone=carrier,
        )
    return Root(carrier, moves=True)


def hips_of(character: Character) -> str | None:
    """Return the name of the bone that is the hips, None for none.

    It is the first of the :func:`joints.default_joints` with the role HIPS. A bone with exactly one child,
    which is not called hips, is a root above these, and is passed over for its child, again and again. Where
    that leads to a bone without children, the bone that was found first is the hips after all. Raise
    InertiaError for an armature at no finite place.
    """
    found = next(
        (each.bone for each in joints.default_joints(character.armature) if each.role == naming.HIPS), None
    )
    bone = None if found is None else character.armature.data.bones[found]
    while bone is not None and len(bone.children) == 1 and naming.label(bone.name).part != naming.HIPS:
        bone = bone.children[0]
    return found if bone is None or not bone.children else str(bone.name)


def _root_bone(character: Character, rig: Rig, source: Root) -> str:
    """Return the bone on which a character's travel belongs, "" for none.

    It is `source` if that is a bone, not the hips, and these hang from it or follow it. Else the body is
    `source`, or the hips if `source` is the object; "" if there are none. Then it is the topmost of the bones
    above the body and those that it follows by constraints, of several the one with which most bones come
    along; without any the first bone without parents, other than the body, that has one of the words root,
    reference, trajectory, locomotion and mover in its name.
    """
    if not source.is_object and _is_root_bone(character, rig, source):
        return source.name
    body = source.name if not source.is_object else hips_of(character)
    if body is None:
        return ""
    above = {*rig.bones.above(body), *rig.following.carriers_of(body)} - {body}
    if above:
        return min(above, key=lambda name: (len(rig.bones.above(name)), -rig.following.count(name)))
    tops = (name for name in rig.bones.names if not rig.bones.above(name) and name != body)
    return next((name for name in tops if naming.words(name) & ROOTS), "")


def _is_root_bone(character: Character, rig: Rig, source: Root) -> bool:
    """Return whether a bone that carries a travel is one that the hips hang from, at any depth, or follow by
    constraints; False for the hips themselves, or without any.

    source: a bone. KeyError for the object, which is none, if there are hips.
    """
    hips = hips_of(character)
    if hips is None or hips == source.name:
        return False
    return source.name in rig.bones.above(hips) or rig.following.follows(hips, source.name)


# --- where they are


def _flat(matrices: Array) -> Array:
    """Return the motions of the ground (n, 4, 4) that take whoever stands at the world's origin to where
    matrices (n, 4, 4) are.

    They turn as far as the matrices have turned about the vertical since the first.
    """
    headings = np.concatenate([[0.0], np.cumsum(character_space.turns(matrices))])
    return GroundPath(np.arange(len(matrices), dtype=float), matrices[:, :2, 3], headings).matrices()


def _at_rest(rig: Rig, clip: Clip, root: Root) -> Array:
    """Return where a bone would be at the clip's first frame (4, 4), in the world, at rest in what it hangs
    from; of the object where it is.
    """
    first = np.array([clip.start])
    world = roots.object_matrices(rig, clip, first)
    if root.is_object:
        return np.asarray(world[0])
    above = roots.above(rig, clip, first, root.name, world)
    return np.asarray((above @ rig.bones.rest_of(root.name))[0])


def _start(rig: Rig, clip: Clip, upper: Root) -> Array:
    """Return the motion of the ground (4, 4) that has taken a bone from its rest to where it begins: a shift
    and a turn about the vertical.

    Of an object, which has no rest but where it begins, it is none.
    """
    if upper.is_object:
        return np.eye(4)
    now, rest = roots.root_matrix(rig, upper, clip, clip.start), _at_rest(rig, clip, upper)
    motion = character_space.motion_of(character_space.turn_between(now, rest), np.zeros(3))
    motion[:2, 3] = (now[:3, 3] - motion[:3, :3] @ rest[:3, 3])[:2]
    return motion


@record(frozen=True)
class _Turning:
    """How the upper one turns. turns: see :func:`move_travel_steps`. is_root_bone: whether the lower one is a
    root bone, whose way has no sway. fps: frames a second."""

    turns: str
    is_root_bone: bool
    fps: float


def _course(
    rig: Rig,
    clip: Clip,
    pair: CarrierPair,
    frames: Array,
    turning: _Turning,
    noted_way: GroundPath | None,
) -> Array:
    """Return the motions of the ground (n, 4, 4), in world units, that take the upper carrier from its rest
    along the way of what carries the travel now (``pair.source``), at frames (n,).

    Each turns about the vertical and shifts over the ground; heights stay. The first is no identity unless
    the carrier begins at its rest. A root bone's own way is taken as it is, with its turns unless NONE. Any
    other source is the body: its sway is left out by Gaussians of 0.3 s for places and 0.5 s for facings, and
    its turns are as asked.

    turning: whether the source is a root bone, and the turns. ALL keeps the body's facing, NONE keeps it at
    rest, AUTO keeps it if it ranges over more than 20 degrees, else takes its mean, or rest if that is within
    20 degrees of it. noted_way: where Travel has noted the way, it leads, turns included, and only the body's
    mean place and facing, without that way, are taken from the clip, the facing as `turning` says; None for
    none.
    """
    turns = turning.turns
    matrices = roots.root_matrices(rig, pair.source, clip, frames)
    rest = _at_rest(rig, clip, pair.source)
    if pair.upper.is_object or pair.upper.name in rig.bones.above(pair.source.name):
        rest = np.linalg.inv(_start(rig, clip, pair.upper)) @ rest
    if noted_way is not None:
        given = noted_way.matrices(frames)
        matrices = np.linalg.inv(given) @ matrices
    looked_at = cycles.with_cycle(rig, pair.source, clip)
    is_cycle = looked_at.cycle is not None and abs(looked_at.cycle.end - clip.end) < keylib.SAME_FRAME
    body = BodyCourse(frames, matrices[:, :2, 3], course.facings(matrices[:, :3, :3], rest[:3, :3]), is_cycle)
    if noted_way is not None:
        # what was given is taken as it is, and the body stays about where it is on average
        means = np.tile(body.places.mean(axis=0), (len(frames), 1)), np.full(len(frames), body.facings.mean())
        body = course.turned_as(BodyCourse(frames, *means), turns)
        return np.asarray(given @ course.way_from(body, rest[:2, 3]).matrices())
    if not turning.is_root_bone:
        body = course.turned_as(course.without_sway(body, turning.fps), turns)
    elif turns == "NONE":
        body = course.turned_as(body, turns)
    return course.way_from(body, rest[:2, 3]).matrices()


# --- the curves


def _check_scales(bone: str, frames: Array, spaces: Array) -> None:
    """Raise InertiaError, with a bone and a frame, if the space (n, 4, 4) of the bone's locations is scaled
    to zero in one of the frames (n,).
    """
    volumes = np.abs(np.linalg.det(spaces[:, :3, :3]))
    flat = volumes <= FLAT * np.linalg.norm(spaces[:, :3, :3], axis=(1, 2)) ** 3
    if flat.any():
        raise InertiaError(
            'What "{bone}" hangs from is scaled to zero in frame {frame}, so "{bone}" can\'t be kept in its '
            "place; change that scale.",
            bone=bone,
            frame=float(frames[np.argmax(flat)]),
        )


class _Matching:
    """Curves of the upper one, which goes its way, and of what hangs from it, which stays where it is."""

    def __init__(
        self, character: Character, rig: Rig, clip: Clip, pair: CarrierPair, frames: Array, motions: Array
    ) -> None:
        """Prepare to make curves of the upper carrier, which goes its way, and of what hangs from it, which
        stays; the upper one's own curves are made already, as ``leading``. Nothing is written.

        ``led`` is the clip with these. ``hanging`` are the bones that hang from the upper one, by index, and
        ``old`` the keys, in the clip, of all bones that move and of all that is no bone's. ``interpolation``
        of new keys is BEZIER if any of those that change has a segment that is neither constant nor linear,
        else LINEAR. ``poser`` is what poses the rig in the clip.

        pair: the carriers; its ``upper`` one is led. frames: (n,) with keys for that. motions: (n, 4, 4), of
        the world, on columns; each is applied to its pose at the clip's beginning. Raise InertiaError where
        no channels carry it.
        """
        self.character, self.rig, self.clip, self.pair = character, rig, clip, pair
        self.poser = character.find_poser((clip,))
        self.hanging = pair.find_hanging(rig)
        moved = [rig.bones.names.index(name) for name in pair.along] + self.hanging
        prefixes = tuple(rig.paths[i] for i in moved)
        self.old = [
            curve.keys
            for (path, _), curve in clip.curves.items()
            if path.startswith(prefixes) or not path.startswith("pose.bones")
        ]
        bent = any(
            (keys.interpolation[:-1] >= keylib.BEZIER).any() for keys in self.old if not _is_still(keys)
        )
        self.interpolation = keylib.BEZIER if bent else keylib.LINEAR
        self.frames = frames
        self.leading = self._lead(motions)
        self.led = actions.with_curves(clip, self.leading)

    def steps(self) -> Steps[dict[Address, Keys]]:
        """Return the curves by address that keep the pose, those of the upper carrier among them; yields the
        part that is done, 0 to 1. Nothing is written.

        What hangs first gets the keys of :meth:`_first_frames`. Keys are added half-way between others, four
        times at most, where what hangs strays there by more than 0.000015 of the character's size, see
        :meth:`_strays`; not between keys that are less than 1/8 of a frame apart. Then bones are looked at on
        all keys and half-way between them, on 48 of these frames at most where Blender has to play the rig.

        Raise InertiaError, with millimetres, frame and reason, where a bone's head is further from its place
        than 0.0001 of the size, see :meth:`_away`; and where Blender has to play the rig and would not.
        """
        frames, size = self._first_frames(), self.rig.size * scene.metres_per_unit()
        for i in range(ROUNDS + 1):
            curves = {**self.leading, **self._hang(frames)}
            gaps = np.diff(frames)
            middles = (frames[:-1] + 0.5 * gaps)[gaps >= 2.0 * SHORTEST]
            more = middles[self._strays(curves, middles) > CLOSE * size]
            yield i / (ROUNDS + 2)
            if not len(more) or i == ROUNDS:
                break
            frames = np.union1d(frames, more)
        at = np.union1d(frames, middles)
        if self.poser.is_played:
            at = at[np.unique(np.linspace(0, len(at) - 1, MOST_PLAYED).astype(int))]
        away = yield from part(self._away(curves, at), (ROUNDS + 1) / (ROUNDS + 2), 1.0)
        if away.max() > SAME * size:
            raise InertiaError(
                'The travel of "{action}" can\'t be moved, as the pose would be {millimetres:.1f} mm off at '
                "frame {frame:.1f}: {why}. Choose another carrier.",
                action=self.clip.action.name,
                millimetres=1000.0 * float(away.max()),
                frame=float(at[int(np.argmax(away))]),
                why=self.poser.why_played or "its curves jump",
            )
        return curves

    def _first_frames(self) -> Array:
        """Return the frames that get keys at first (n,), rising: whole ones, those of all keys of the bones
        that move and of all that is no bone's, frames just before steps of constant keys, and both ends of
        the clip.

        None lies outside of the clip, and those nearer to each other than keys can be are taken once.
        """
        start, end = self.clip.start, self.clip.end
        found = [self.frames]
        for keys in self.old:
            at = keys.co[:, 0].astype(float)
            held = keys.interpolation[:-1] == keylib.CONSTANT
            found += [at, at[1:][held] - keylib.STEP_FRAMES]
        frames = np.unique(np.concatenate(found))
        frames = frames[(frames > start + keylib.SAME_FRAME) & (frames < end - keylib.SAME_FRAME)]
        frames = np.concatenate([[start], frames, [end]])
        return frames[np.concatenate([[True], np.diff(frames) > keylib.SAME_FRAME])]

    def _strays(self, curves: dict[Address, Keys], at: Array) -> Array:
        """Return how far what hangs would be from its place in the clip at frames (n,), in metres: the
        furthest bone of all.

        curves: the new ones, by address; all others are the clip's. Of each bone it is how far its head is
        off, plus the character's size times the Frobenius norm of how much its axes differ, without scale. 0
        where nothing hangs. Bones are posed by keys alone.
        """
        rig, made = self.rig, actions.with_curves(self.clip, curves)
        most = np.zeros(len(at))
        for i in self.hanging if len(at) else ():
            root = Root(rig.bones.names[i], moves=True)
            before, after = (roots.root_matrices(rig, root, clip, at) for clip in (self.clip, made))
            gone = np.linalg.norm(after[:, :3, 3] - before[:, :3, 3], axis=1)
            scale = np.cbrt(np.maximum(np.abs(np.linalg.det(before[:, :3, :3])), 1e-30))
            turned = np.linalg.norm(after[:, :3, :3] - before[:, :3, :3], axis=(1, 2)) / scale
            most = np.maximum(most, gone + rig.size * turned)
        return most * scene.metres_per_unit()

    def _away(self, curves: dict[Address, Keys], at: Array) -> Steps[Array]:
        """Return how far the furthest bone's head is from its place in the clip at frames (n,), metres; yield
        the part that is done, 0 to 1.

        curves: the new ones, by address; all others are the clip's. The pair's ``along`` don't count: the
        upper carrier, and the bones between it and the lower one. By numpy on a plain rig; else Blender plays
        both.
        """
        shown = []
        for i, clip in enumerate((self.clip, actions.with_curves(self.clip, curves))):
            positions = joint_motion.positions(self.character, clip, at)
            shown.append((yield from part(positions, 0.5 * i, 0.5 * (i + 1))))
        moved = np.linalg.norm(shown[1] - shown[0], axis=-1)
        stays = [i for i, name in enumerate(self.rig.bones.names) if name not in self.pair.along]
        return np.asarray(moved[:, stays].max(axis=1, initial=0.0))

    def _lead(self, motions: Array) -> dict[Address, Keys]:
        """Return the curves of the upper carrier, by address, that take its pose at the clip's first frame
        along motions of the world (n, 4, 4).

        They are of its location and rotation, in its own rotation mode, with keys at ``self.frames``, one for
        each motion; see :meth:`_keys` for those that stay. Of an object that hangs from others they are the
        channels of the topmost of these that moves in the clip. Scales stay. Raise InertiaError where no
        channels carry it.
        """
        rig, upper = self.rig, self.pair.upper
        clips, start = (self.clip,), self.clip.start
        rooted = RootedRig(self.character, rig, upper, is_played=False)
        carriers = alignment.along_all(rooted, motions, clips, start)
        if upper.is_object:
            # the topmost of those above the object that moves
            holder = roots.topmost(rig, clips)
            carrying = rig if holder is None else rig.holders[holder]
            prefix = "" if holder is None else rig.holders[holder].prefix
            carrier, mode, standing = carriers[prefix or None], carrying.mode, carrying.standing
        else:
            index = rig.bones.names.index(upper.name)
            carrier, prefix, mode = carriers[upper.name], rig.paths[index], rig.modes[index]
            standing = {}
        first = np.array([self.clip.start])
        place = transform(self.clip, prefix, "location", standing=standing)
        turn = transform(self.clip, prefix, "rotation", mode, standing)
        places = np.einsum("nij,j->ni", carrier.matrix, place.raw(first)[0]) + carrier.shift
        turns = quaternion.multiply(carrier.turn, turn.decode(turn.raw(first)))
        return {**self._keys(place, self.frames, places), **self._keys(turn, self.frames, turns)}

    def _hang(self, frames: Array) -> dict[Address, Keys]:
        """Return the curves, by address, that keep all that hangs from the upper carrier where it is, with
        keys at frames (n,).

        They are locations, and rotations where these change. Raise InertiaError where what hangs is in a
        space that is scaled to zero.
        """
        rig, clip, led = self.rig, self.clip, self.led
        worlds = [roots.object_matrices(rig, each, frames) for each in (clip, led)]
        curves: dict[Address, Keys] = {}
        for i in self.hanging:
            name = rig.bones.names[i]
            before, now = (
                roots.above(rig, each, frames, name, world)
                for each, world in zip((clip, led), worlds, strict=True)
            )
            axes, new_axes = (roots.location_frame(rig, name, above) for above in (before, now))
            _check_scales(name, frames, new_axes)
            back = np.linalg.inv(new_axes) @ axes
            place = transform(clip, rig.paths[i], "location")
            raw = place.raw(frames)
            places = np.einsum("nij,nj->ni", back[:, :3, :3], raw) + back[:, :3, 3]
            curves.update(self._keys(place, frames, places))
            rest = rig.bones.rest[i][:3, :3]
            turned = np.linalg.inv(now[:, :3, :3] @ rest) @ before[:, :3, :3] @ rest
            if np.abs(turned - np.eye(3)).max() < NO_TURN:
                continue
            turn = transform(clip, rig.paths[i], "rotation", rig.modes[i])
            turns = quaternion.multiply(quaternion.from_matrix(turned), turn.decode(turn.raw(frames)))
            curves.update(self._keys(turn, frames, turns))
        return curves

    def _keys(self, channels: ClipChannels, frames: Array, values: Array) -> dict[Address, Keys]:
        """Return curves, by address, that show values (n, channels), or of a rotation unit quaternions (n,
        4), at frames (n,).

        Channels of which none is keyed and that stay at their defaults get no curve; a channel that stays
        gets a single key.
        """
        if channels.mode:
            raw = channels.raw(frames)
            sizes = representation.sizes(raw, channels.mode)
            values = representation.continuous(quaternion.unflipped(values), channels.mode, raw[0], sizes)
        keyed = [address in self.clip.curves for address in channels.addresses]
        if not any(keyed) and np.abs(values - channels.defaults).max() < representation.AS_IT_WAS:
            return {}
        dense = keylib.sampled_together(frames, values, self.interpolation)
        still = np.ptp(values, axis=0) <= NO_TURN * np.maximum(1.0, np.abs(values).max(axis=0))
        return {
            address: keylib.constant(float(frames[0]), float(values[0, i])) if still[i] else dense[i]
            for i, address in enumerate(channels.addresses)
        }


def _is_still(keys: Keys) -> bool:
    return bool(np.ptp(keys.co[:, 1]) == 0.0)
