# SPDX-License-Identifier: GPL-3.0-or-later
"""Legs: the bones from a hip to a foot, and the point by which a foot stands.

Which bones are feet :mod:`inertia_addon.motion.skeleton.extremities` knows, of bipeds, quadrupeds and others.
What is above a foot, up to where the legs part, is its leg: but for short bones at the hips, for halves of
one bone, as those that twist are, and for what is beyond three bones, such as a shoulder blade. Feet that
hang from a root, as exporters write those that IK has led, belong to the shins that end above them, which
their names tell, too. A leg of one bone turns about the hip, and reaches as far as it does.
"""

from __future__ import annotations

import collections
import dataclasses
import itertools
from collections.abc import Sequence

import numpy as np

from ...errors import InertiaError
from ...records import record
from ..arrays import Array, ArrayLike
from ..skeleton import naming
from ..skeleton.bone_tree import find_deforming, plausible_ends
from ..skeleton.kinematics import Skeleton
from ..skeleton.naming import words

MOST = 3
"""A leg has no more bones between hip and ankle: a person's has two, a dog's three, ..."""
BENDS = 2
"""... and so many at least where it bends."""
STANDS = 0.3
"""A lone bone that begins no higher than this part of the skeleton is a foot without a leg ..."""
HALF = 0.5
"""... whose leg is taken to be this part of the skeleton's height long."""

NO_THIGH = 0.5
"""The topmost bone, where it is shorter than this part of the next one, only leads to the hip."""
PASTERN = 0.6
"""Of a leg with too many bones the last is the foot's, if it is shorter than this part of the one before."""
HALVES = 0.05
"""Halves of a bone differ by no more than this part of one, in length and direction ..."""
OF_HALVES = words("bend twist roll")
"""... and their names in no other words than these."""
HEEL = 0.25
"""The heel is behind the ankle by this part of the way from there to the tip of the toes."""
STEEP = 0.7
"""A toe bone that rises or falls at rest by more than this part of its length is drawn anyhow."""
NO_BONE = 1e-4
"""Two joints that are nearer than this part of the leg are one."""
BELOW_SHIN = 2.0
"""A foot that hangs elsewhere is no further from its shin's joint than so many thighs are long ..."""
BESIDE_SHIN = 0.5
"""... and no further beside it than this part of the way, unless names say that it is the leg's."""


@record(frozen=True)
class Leg:
    """A leg, by the indices of its bones.

    name: its foot bone's. joints: the bones whose heads are the hip, the knee (of a quadruped then the hock)
    and the ankle, the last of which is the foot; between two of them there may be others, which are halves of
    one bone, and the foot may hang elsewhere. A single one is a leg of one bone without a foot, which stands
    by its end, or, where it is_lone, a foot without a leg. ball: the toe bone that hangs from the foot; None
    without. point: the bone that carries the point by which the foot stands; offset: where that is from the
    bone's head, in its own axes at rest, in the armature's units. lengths: from each joint to the next, at
    rest, in the armature's units; of a leg of one bone, to where it stands. tip: where the toe bone ends,
    from its head, in its own axes at rest, in the armature's units; None without one that can be raised.
    heel: where the sole ends behind, from the foot bone's head, in its own axes at rest, in the armature's
    units; None for a foot that does not stand on one.
    """

    name: str
    joints: tuple[int, ...]
    ball: int | None
    point: int
    offset: tuple[float, float, float]
    lengths: tuple[float, ...]
    is_lone: bool = False
    tip: tuple[float, float, float] | None = None
    heel: tuple[float, float, float] | None = None

    @property
    def turned_bones(self) -> tuple[int, ...]:
        """What turns for the foot to get elsewhere: thigh, shin and foot, as far as there are any."""
        return (*self.joints[:2], self.foot) if len(self.joints) > BENDS else self.joints

    @property
    def foot(self) -> int:
        """The foot bone."""
        return self.joints[-1]

    @property
    def length(self) -> float:
        """From the hip to the ankle along the bones: what speeds and heights are measured by."""
        return sum(self.lengths)


def check(leg: Leg) -> None:
    """Raise InertiaError for a leg that cannot be turned to move its foot; return nothing.

    That is a lone foot without a leg, a leg with more than three bones between hip and ankle, and one with a
    bone that is at most 0.0001 of the leg's length.
    """
    bones = len(leg.joints) - 1
    if leg.is_lone:
        raise InertiaError(
            'No leg was found above the foot "{leg}"; list its hip and its foot by hand, or leave it out.',
            leg=leg.name,
        )
    if bones > MOST:
        raise InertiaError(
            'The number of bones between hip and ankle of the leg "{leg}" is {bones}; choose a hip and a '
            "foot with one to three.",
            leg=leg.name,
            bones=bones,
        )
    if min(leg.lengths) <= NO_BONE * leg.length:
        raise InertiaError('The leg "{leg}" has a bone without a length; choose other bones.', leg=leg.name)


def scaled(leg: Leg, factor: float) -> Leg:
    """Return a leg with the lengths of its bones, and the offset of its standing point, multiplied by
    `factor`.

    With a factor of 1 it is the same object. `tip` and `heel` are not scaled.
    """
    if factor == 1.0:
        return leg
    x, y, z = leg.offset
    offset = (factor * x, factor * y, factor * z)
    return dataclasses.replace(leg, offset=offset, lengths=tuple(factor * each for each in leg.lengths))


def check_found(legs: Sequence[Leg], armature: str) -> None:
    """Raise InertiaError where there are no legs."""
    if not legs:
        raise InertiaError('No legs were found on "{armature}"; list them by hand.', armature=armature)


def carriers(bones: Skeleton, legs: Sequence[Leg]) -> set[str]:
    """Return the bones that decide where legs, and the points by which these stand, are."""
    bones_of_legs = {bones.names[i] for leg in legs for i in (*leg.joints, leg.point)}
    return bones_of_legs.union(*(bones.above(name) for name in bones_of_legs))


@record(frozen=True, eq=False)
class RestBones:
    """The bones of a skeleton at rest.

    names: (n,). parents: (n,) indices, -1 for none. rest_pose: (n, 4, 4), and tails: (n, 3) where they end,
    in the armature's space. deforms: (n,) which move a mesh, and control bones between those are passed over;
    None where that is not known.
    """

    names: Sequence[str]
    parents: Sequence[int]
    rest_pose: ArrayLike
    tails: ArrayLike
    deforms: Sequence[bool] | None = None


def find(bones: RestBones, feet: Sequence[int], up: tuple[int, float] = (2, 1.0)) -> tuple[Leg, ...]:
    """Find the legs of a skeleton, one for each of its feet, in their order.

    feet: the foot bones, by index, see :func:`extremities.find`. up: the axis that points up in the
    armature's space, and its sign. A leg may be one that can't be turned, see :func:`check`; none is without
    a length.
    """
    body = _LegBones.at_rest(bones, up)
    legs = [body.leg(body.joints(chain)) for chain in body.chains(feet)]
    return tuple(leg for leg in legs if leg.length > 0.0)


def chosen(
    names: Sequence[str],
    parents: Sequence[int],
    rest_pose: ArrayLike,
    tails: ArrayLike,
    bones: tuple[str, str, str],
    up: tuple[int, float] = (2, 1.0),
) -> Leg:
    """Return the leg that an animator has set by hand.

    bones: the names of the bone at the hip, of the foot that hangs from it, or is it, and of the bone by
    whose head the foot stands, which is the foot or hangs from it; that may be "" for what is found. names,
    parents, rest_pose, tails: see :class:`RestBones`. up: the axis that points up in the armature's space, by
    index, and its sign.

    The leg is never a lone foot. Raise InertiaError for bones that do not exist or do not hang from one
    another, unless the foot is found to belong to the hip; for a leg with more than three bones between hip
    and ankle; and for one with a bone without a length.
    """
    place = {name: i for i, name in enumerate(names)}
    for name in bones if bones[2] else bones[:2]:
        if name not in place:
            raise InertiaError('There is no bone "{bone}" for a leg; choose another one.', bone=name)
    hip, foot = place[bones[0]], place[bones[1]]
    body = _LegBones.at_rest(RestBones(names, parents, rest_pose, tails), up)
    above = body.above(foot)
    detached = body.leg_above(foot) if hip not in above else ()
    if hip not in (*above, *detached[:1]):
        raise InertiaError(
            'The foot "{foot}" is not below "{hip}" in the bone hierarchy; choose a bone at the hip and the '
            "foot of one leg.",
            foot=bones[1],
            hip=bones[0],
        )
    point = place[bones[2]] if bones[2] else None
    if point is not None and foot not in body.above(point):
        raise InertiaError(
            'The contact bone "{bone}" is not below the foot "{foot}" in the bone hierarchy; choose the '
            "foot or one of its toes.",
            bone=bones[2],
            foot=bones[1],
        )
    chain = [*detached, foot] if detached else above[: above.index(hip) + 1][::-1]
    leg = dataclasses.replace(body.leg(body.simplified(chain), point), is_lone=False)
    check(leg)
    return leg


@record(frozen=True, eq=False)
class _LegBones:
    """A skeleton at rest.

    names: (n,). carriers: (n,) the bones that others hang from, control bones passed over; -1 for none.
    rest: (n, 4, 4). ends: (n, 3) where bones end, drawn: as they are drawn,
    plausible or not. up: the axis that points up, and its sign.
    """

    names: Sequence[str]
    carriers: list[int]
    rest: Array
    ends: Array
    drawn: Array
    up: tuple[int, float]

    @classmethod
    def at_rest(cls, bones: RestBones, up: tuple[int, float]) -> _LegBones:
        parents, deforms = bones.parents, bones.deforms
        rest_pose, tails = np.asarray(bones.rest_pose, float), np.asarray(bones.tails, float)
        ends = plausible_ends(parents, rest_pose[:, :3, 3], tails)
        carriers = list(parents)
        if deforms is not None and any(deforms):
            kept, within = find_deforming(parents, rest_pose[:, :3, 3], ends, np.array(deforms, bool))
            carriers = [-1] * len(parents)
            for bone, carrier in zip(kept, within, strict=True):
                carriers[bone] = kept[carrier] if carrier >= 0 else parents[bone]
        return cls(bones.names, carriers, rest_pose, ends, tails, up)

    @property
    def heads(self) -> Array:
        """Where bones begin (n, 3)."""
        return self.rest[:, :3, 3]

    def height(self, point: Array) -> float:
        """Return how high a place (3,) is."""
        return float(point[self.up[0]] * self.up[1])

    def above(self, bone: int) -> list[int]:
        """Return the indices of a bone and of all that carry it, as a list: the bone itself first, then its
        carrier, up to the root.

        Carriers are parents, but for a control bone between bones that move a mesh, which is passed over.
        """
        chain = [bone]
        while (bone := self.carriers[bone]) >= 0:
            chain.append(bone)
        return chain

    def length(self, a: int, b: int) -> float:
        """Return the way between the heads of two bones."""
        return float(np.linalg.norm(self.heads[b] - self.heads[a]))

    def chains(self, feet: Sequence[int]) -> list[list[int]]:
        """Return for each foot, in their order, the bones of its leg by index, topmost first, down to the
        foot.

        A bone above several of the feet belongs to no leg. With a single foot in `feet` at most three bones
        above it are taken. If at most one bone is left, what :meth:`leg_above` finds for the foot, (thigh,
        shin), (shin,) or nothing, comes first. A foot that carries another of the feet counts as shared: it
        is not in its own list, which may be empty.

        feet: indices of bones.
        """
        ways = [self.above(foot) for foot in feet]
        shared = collections.Counter(itertools.chain(*ways))
        alone = [[bone for bone in way if shared[bone] == 1] for way in ways]
        # one foot alone parts from nothing
        alone = [way if len(feet) > 1 else way[: MOST + 1] for way in alone]
        detached = [
            self.leg_above(foot) if len(way) < 2 else () for foot, way in zip(feet, alone, strict=True)
        ]
        return [[*shin, *way[::-1]] for way, shin in zip(alone, detached, strict=True)]

    def leg_above(self, foot: int) -> tuple[int, ...]:
        """Return the bones of the leg above a foot that hangs elsewhere, (thigh, shin) or (shin,) alone, by
        index; () if there is none.

        foot: its index. A shin is another bone that has a carrier but carries nothing except end markers, is
        named as a leg or not known by name, and whose head is higher than the foot's.

        Its carrier is taken as the thigh if it is likewise named, does not carry this foot, and itself hangs
        from a bone other than the foot. The foot's head must be no further from the shin's than 2 lengths of
        the thigh, and no further aside, horizontally, than half of that distance. If by name the shin is this
        foot's (see :meth:`_is_called_leg_of`), 4 lengths are allowed, however far aside.

        If there is no such thigh, the shin is taken alone where by name the shin, but not its carrier, is
        this foot's.

        Shins that are this foot's by name go first; among these, or else among the others, the one whose head
        is nearest to the foot's.
        """
        carriers = {
            carrier for bone, carrier in enumerate(self.carriers) if not naming.label(self.names[bone]).is_end
        }
        above_foot = {*self.above(foot)}
        candidates: list[tuple[bool, float, tuple[int, ...]]] = []
        for shin, thigh in enumerate(self.carriers):
            if shin in carriers or thigh < 0 or shin == foot or not self._may_be_leg(shin):
                continue
            far = self.length(shin, foot)
            named = self._is_called_leg_of(shin, foot)
            bends = (
                thigh not in above_foot and self.carriers[thigh] not in (-1, foot) and self._may_be_leg(thigh)
            )
            # a name that fits makes up for twice the distance
            if bends and far <= BELOW_SHIN * self.length(thigh, shin) * (1.0 + named):
                if self._is_below(foot, shin, BESIDE_SHIN if not named else 1.0):
                    candidates.append((not named, far, (thigh, shin)))
            elif named and not self._is_called_leg_of(thigh, foot) and self._is_below(foot, shin, 1.0):
                candidates.append((not named, far, (shin,)))
        # False comes first: a shin whose name fits, then the nearest
        return min(candidates)[2] if candidates else ()

    def _may_be_leg(self, bone: int) -> bool:
        """Tell whether a bone is called a leg, or nothing that is known, and not the end of one."""
        label = naming.label(self.names[bone])
        return label.part in ("", naming.LEG) and not label.is_end

    def _is_below(self, foot: int, shin: int, aside: float) -> bool:
        """Tell whether a foot is below the joint of a shin, no further beside it than a part of the way."""
        way = self.heads[foot] - self.heads[shin]
        beside = float(np.linalg.norm(np.delete(way, self.up[0])))
        return self.height(way) < 0.0 and beside <= aside * float(np.linalg.norm(way))

    def _is_called_leg_of(self, bone: int, foot: int) -> bool:
        """Tell by their names whether a bone is part of a leg and `foot` the foot of the same leg.

        Both must have the same side, and the same words for which of several limbs. The foot must be named as
        a foot, or as a control of a leg, such as an IK target; the bone must be named as a leg, have a side,
        and be no control.
        """
        leg, end = (naming.label(self.names[i]) for i in (bone, foot))
        is_foot = end.part == naming.FOOT or (end.part == naming.LEG and end.is_control)
        matches = leg.part == naming.LEG and is_foot and leg.side != "" and not leg.is_control
        return matches and (leg.side, leg.place) == (end.side, end.place)

    def joints(self, chain: Sequence[int]) -> tuple[int, ...]:
        """Return the bones of a found chain whose heads are a leg's joints, hip first: 1 to 4 indices.

        chain: bones from the top to the foot, one at least. Lengths are between the heads of successive
        bones.

        First a bone is left out if its head is no further than 0.0001 (NO_BONE) of the chain's length from
        the next kept one. Then :meth:`simplified` leaves out more. While there are still more than four, the
        last one is dropped if the last length is less than 0.6 (PASTERN) of the one before, so that a hoof or
        pastern is no joint and the result need not end with the foot. At the end only the last four are kept.
        """
        whole = sum(self.length(*pair) for pair in itertools.pairwise(chain))
        kept = [chain[-1]]
        for bone in chain[-2::-1]:
            if self.length(bone, kept[0]) > NO_BONE * whole:
                kept.insert(0, bone)
        joints = list(self.simplified(kept))
        while len(joints) > MOST + 1 and self.length(*joints[-2:]) < PASTERN * self.length(*joints[-3:-1]):
            del joints[-1]
        return tuple(joints[-MOST - 1 :])

    def simplified(self, chain: Sequence[int]) -> tuple[int, ...]:
        """Return a chain, hip first, without short bones at its top and without second halves of split bones.

        chain: indices; lengths are between the heads of successive bones. While there are more than three,
        the first is dropped if its length is less than half (NO_THIGH) of the next one's. A chain of at most
        three is then returned as it is, as a tuple.

        In a longer one each bone but the first and the last is dropped if it is the second half of the kept
        bone before it. Both ways, from head to head, must then differ by no more than 0.05 (HALVES) of the
        first one's length, and the names only in the words bend, twist and roll. All halves are dropped, even
        if fewer than three bones are left.
        """
        while len(chain) > BENDS + 1 and self.length(*chain[:2]) < NO_THIGH * self.length(*chain[1:3]):
            chain = chain[1:]
        if len(chain) <= BENDS + 1:
            return tuple(chain)
        joints = [chain[0]]
        for bone, after in itertools.pairwise(chain[1:]):
            if not self._is_half(joints[-1], bone, after):
                joints.append(bone)
        return (*joints, chain[-1])

    def _is_half(self, bone: int, half: int, after: int) -> bool:
        """Tell whether a bone goes on in the next one, which ends where a third one begins."""
        first, second = self.heads[half] - self.heads[bone], self.heads[after] - self.heads[half]
        alike = np.linalg.norm(first - second) <= HALVES * np.linalg.norm(first)
        return bool(alike) and words(self.names[bone]) ^ words(self.names[half]) <= OF_HALVES

    def leg(self, joints: tuple[int, ...], point: int | None = None) -> Leg:
        """Return the leg whose joints are the heads of these bones.

        joints: indices, hip first, the foot last. point: the index of the bone by whose head the leg stands.
        With None that is the toe bone (see :meth:`_ball`), or, without one, the foot bone, by its head or its
        end, whichever is lower.

        Lengths are from head to head, at rest, in the armature's units. Leg.offset is from the head of
        `point` to where the leg stands, in the rest axes of that bone. Leg.tip is as :meth:`_tip` has it;
        Leg.heel as :meth:`_heel`, but only for a leg that stands by its toe bone and has a tip.

        A single joint makes a leg of one bone, whose length goes from its head to where it stands. If `point`
        is the foot bone itself, given or found, that is the bone's end as drawn, provided it is lower than
        the head, by no more than the skeleton is high. It is a lone foot, of half the skeleton's height
        (HALF) in length, if its head is at most 0.3 (STANDS) of this height above the lowest head, or above
        where it stands if that is lower.
        """
        foot = joints[-1]
        ball = self._ball(foot)
        place = self.heads[foot if point is None else point]
        if point is None:
            point = foot if ball is None else ball
            place = self.heads[point]
            if ball is None and self.height(self.ends[foot]) < self.height(place):
                place = self.ends[foot]
        lengths = tuple(self.length(*pair) for pair in itertools.pairwise(joints))
        lone = False
        if not lengths:
            heights = self.heads[:, self.up[0]] * self.up[1]
            tall = float(np.ptp(np.append(heights, self.height(self.ends[foot]))))
            # what is long is drawn so, unless an importer has guessed it to be longer than all else
            drawn = self.drawn[foot]
            if point == foot and self.height(self.heads[foot] - drawn) <= tall < np.inf:
                place = drawn if self.height(drawn) < self.height(self.heads[foot]) else place
            lowest = min(float(heights.min()), self.height(place))
            lone = self.height(self.heads[foot]) - lowest <= STANDS * tall
            lengths = (HALF * tall if lone else float(np.linalg.norm(place - self.heads[foot])),)
        # axes at rest are orthonormal, so that their transpose leads into them
        x, y, z = (float(value) for value in self.rest[point, :3, :3].T @ (place - self.heads[point]))
        tip = None if ball is None else self._tip(foot, ball, point)
        heel = None if ball is None or tip is None or point != ball else self._heel(foot, ball)
        return Leg(self.names[foot], joints, ball, point, (x, y, z), lengths, lone, tip, heel)

    def _tip(self, foot: int, ball: int, point: int) -> tuple[float, float, float] | None:
        """Return where a toe bone ends, from its head, in its own rest axes; None if that can't be trusted.

        foot, ball, point: indices of the foot, of the toe bone, and of the bone with the point by which the
        foot stands. It is None if that point is on another bone than the first two, if the toe has no length
        or does not point ahead of the foot, or if it rises or falls by more than 0.7 of its length.
        """
        way = self.ends[ball] - self.heads[ball]
        if point not in (ball, foot) or not np.any(way):
            return None
        level = np.ones(3)
        level[self.up[0]] = 0.0
        ahead = float(level * way @ (self.heads[ball] - self.heads[foot]))
        if ahead <= 0.0 or abs(self.height(way)) > STEEP * float(np.linalg.norm(way)):
            return None
        x, y, z = (float(value) for value in self.rest[ball, :3, :3].T @ way)
        return x, y, z

    def _heel(self, foot: int, ball: int) -> tuple[float, float, float] | None:
        """Return where the sole of a foot ends behind: the offset from the foot bone's head, in that bone's
        own rest axes, in the armature's unit.

        The place is as low as the lower end of the toe bone, and behind the ankle by a quarter (HEEL) of the
        horizontal way from there to the toe bone's tip. Return None for a foot whose ankle is high above its
        ball, as that of an animal that walks on its toes: if the way from the one to the other rises or falls
        by more than 0.7 (STEEP) of its length. foot, ball: indices of the foot and of its toe bone.
        """
        axis, _ = self.up
        ankle, tip = self.heads[foot].copy(), self.ends[ball].copy()
        way = self.heads[ball] - ankle
        if abs(self.height(way)) > STEEP * float(np.linalg.norm(way)):
            return None
        lowest = min((tip, self.heads[ball]), key=self.height)
        ankle[axis] = tip[axis] = lowest[axis]
        heel = ankle - HEEL * (tip - ankle)
        x, y, z = (float(value) for value in self.rest[foot, :3, :3].T @ (heel - self.heads[foot]))
        return x, y, z

    def _ball(self, foot: int) -> int | None:
        """Return the toe bone, by index: of those that hang from the foot the one that reaches furthest from
        its head.

        All that hangs from a toe bone counts; one that begins where the foot does is none. None where there
        is none.
        """
        toes = [bone for bone, carrier in enumerate(self.carriers) if carrier == foot]

        def reach(toe: int) -> float:
            below = [bone for bone in range(len(self.carriers)) if toe in self.above(bone)]
            ends = np.concatenate([self.heads[below], self.ends[below]])
            return float(np.linalg.norm(ends - self.heads[foot], axis=1).max())

        toes = [toe for toe in toes if self.length(foot, toe) > 0.0]
        return max(toes, key=reach, default=None)
