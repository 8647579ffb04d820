# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet, hands, hips and head of any skeleton, with how sure each is.

Shape, names, place, what bones move and what walks on the ground are weighed together: no one of them can
be relied on. A rest pose may be a stride, a name may be in any language or that of another part, an IK bone
may be the foot, and hair may be longer than arms. A rig with other names is found by its shape alone
(:mod:`.body_shape`), one of few bones, or with detached feet, by its names, too (:mod:`.naming`). The sum of
what speaks for a role, less what speaks against it, decides, and how sure that is comes of the same sum.
"""

from __future__ import annotations

import collections
import dataclasses
import functools
import math
import re
from collections.abc import Iterable, Sequence

import numpy as np

from ...records import record
from ..arrays import Array, ArrayLike, Flags
from . import body_shape, languages
from .bone_tree import find_deforming, plausible_ends
from .naming import (
    ARM,
    FINGER,
    FOOT,
    HAND,
    HEAD,
    HIPS,
    LEG,
    MARKS_AN_END,
    NEAR,
    NECK,
    NO_LIMB,
    OF_LIMBS,
    OTHER,
    ROOT,
    SPINE,
    TAIL,
    NamedSkeleton,
    ShapedBones,
)

SURE = 0.6
"""What is less sure than this is said to be, so that an animator looks."""
SHARED = 0.9
"""What so many of the bones, as a part of all, are called is no part of a body."""
ROLES = (HIPS, HEAD, HAND, FOOT)
"""In which order they are told."""
LIMB_ENDS = frozenset((FOOT, HAND))

# What each piece of evidence is worth, as log odds.
NAMED = 2.0
"""A name that says so, or something else."""
SHAPED = 1.5
"""A shape that says so, or something else."""
LOW = 1.0
"""A limb that ends on the ground, or, against a foot, far from it."""
LYING = 1.0
"""Limbs below a spine that lies are legs, hands or not; below one that stands they may be arms."""
WALKS = 1.5
"""A bone that is the lowest of the body for a part of the time in the clips, or never is."""
PAIRED = 0.5
"""A limb with its mirror image on the other side."""
CARRIES = 1.5
"""Hips that carry all legs, or don't."""
ABOVE = 1.0
"""A head above the hips, or below them."""
DOUBT = 1.0
"""What speaks for a bone has to outweigh this ..."""
NAMELESS = 1.0
"""... and this, too, where no name of the skeleton says anything, so that its shape is all there is."""

ON_GROUND, OFF_GROUND = 0.12, 0.35
"""Ends of limbs that are no higher, or higher, as parts of the body's height."""
LIES = 0.5
"""A spine lies that rises by less than this part of its length."""
WALKED = 0.15
"""What walks is the lowest for so much of the time; what is so a tenth as often doesn't."""


@record(frozen=True)
class Extremity:
    """A bone whose place matters. index: the bone. role: FOOT, HAND, HIPS, HEAD or OTHER.

    confidence: how sure it is that the bone has this role, from 0 to 1. weight: what it counts of a pose.
    """

    index: int
    role: str
    confidence: float = 1.0
    weight: float = 1.0


def find(
    names: Sequence[str],
    parents: Sequence[int],
    heads: ArrayLike,
    tails: ArrayLike,
    deforms: Sequence[bool] | None = None,
    walked: ArrayLike | None = None,
) -> tuple[Extremity, ...]:
    """Return the bones whose places say most about a pose: hips, head, then hands, feet, then others.

    A rig of 3 bones or fewer is returned whole: every bone that moves a mesh as OTHER, with confidence 1 and
    weight 1, by rising index. So is one without limbs, such as a rope, a door or a face: the shape gives no
    roles, see :func:`body_shape.roles`, and names tell of no limb with a mirror image. So is one whose shape
    has hands or feet, none of which are left when names are weighed, too.

    In all others OTHER (tails, for one) has weight 0.5, the rest 1. Hands, and feet, come by rising index.
    The confidence tells how sure each role is, see :class:`Weighing`. Words that nearly all names share are
    left out first, and a bone whose name marks an end is taken for a point if it has no children.

    Parameters
    ----------
    names : (n,)
        The bones' names.
    parents : (n,)
        Indices, -1 for none.
    heads, tails : (n, 3)
        Rest positions, Z up, in any unit.
    deforms : (n,)
        Which bones move a mesh. The others are left out, but for a few that much speaks for,
        such as a foot that IK leads; all count if none does or it is None.
    walked : (n,)
        For which part of the time each bone is the lowest in the clips, 0 to 1; None where
        unknown.

    Returns
    -------
    tuple[Extremity, ...]
        Each bone once; one of the hips and one of the head at most. `index` is into names.
        () without bones.
    """
    names = _without_shared_words(names)
    moving = np.ones(len(names), bool) if deforms is None else np.array(deforms, bool)
    moving = moving if moving.any() else ~moving
    everything = tuple(Extremity(int(i), OTHER) for i in np.flatnonzero(moving))
    if len(names) <= body_shape.FEW:
        return everything
    places, drawn = (np.array(ends, float).reshape(-1, 3) for ends in (heads, tails))
    marks = [i for i, name in enumerate(names) if MARKS_AN_END.search(name) and i not in parents]
    drawn[marks] = places[marks]  # what marks an end is a point
    tips = plausible_ends(parents, places, drawn)
    shaped = body_shape.roles(names, parents, places, tips, moving)
    carriers = _carriers(parents, places, tips, moving)
    lowest = None if walked is None else np.asarray(walked, float)
    bones = ShapedBones(names, carriers, places, tips, drawn, moving, shaped, lowest)
    weighing = Weighing(bones)
    extremities = weighing.weighed()
    lost = LIMB_ENDS & {*shaped.values()} and LIMB_ENDS.isdisjoint(each.role for each in extremities)
    # a pair of limbs by names is a body, too
    ends = {each.index for each in extremities if each.role in LIMB_ENDS}
    if lost or not (shaped or any(limb.is_paired and limb.end in ends for limb in weighing.limbs)):
        return everything
    return tuple(
        dataclasses.replace(each, weight=0.5) if each.role == OTHER else each for each in extremities
    )


def unsure(bones: Iterable[tuple[str, float]]) -> tuple[str, ...]:
    """Return the roles, each once, in the order of ROLES, of which some bone's confidence is below SURE
    (0.6). bones: (role, confidence) of each.
    """
    doubted = {role for role, confidence in bones if confidence < SURE}
    return tuple(role for role in ROLES if role in doubted)


def _carriers(parents: Sequence[int], heads: Array, tails: Array, whole: Flags) -> list[int]:
    """Return what each bone hangs from (n,), as indices into all bones, -1 for none.

    whole: (n,), which bones move something. Of these it is one that does, too, by :func:`find_deforming`;
    where there is none, and for all other bones, it is the parent.
    """
    kept, within = find_deforming(parents, heads, tails, whole)
    carriers = list(parents)
    for bone, carrier in zip(kept, within, strict=True):
        carriers[bone] = kept[carrier] if carrier >= 0 else parents[bone]
    return carriers


def _without_shared_words(names: Sequence[str]) -> list[str]:
    """Return the names without the words that at least 90 % of them have, such as the character's name.

    Words are those of :func:`languages.split`: in lower case, without accents, digits and separators, each
    counted once a name. The first place of each shared word in a name is cut out, in upper or lower case,
    even within another word; what is around it stays, separators included. A word that a name spells with
    accents is not cut there. A single name loses all of its words, once each.
    """
    counts = collections.Counter(word for name in names for word in {*languages.split(name)})
    shared = [word for word, count in counts.items() if count >= SHARED * len(names)]
    for word in shared:
        pattern = re.compile(re.escape(word), re.IGNORECASE)
        names = [pattern.sub("", name, count=1) for name in names]
    return list(names)


class Weighing(NamedSkeleton):
    """A skeleton, and all that is known of it."""

    @functools.cached_property
    def _is_nameless(self) -> bool:
        return not any(label.part for label in self.labels)

    def weighed(self) -> list[Extremity]:
        """Return the bones that count, with their roles: hips, head, then hands, feet, then others; each bone
        once.

        A bone with several roles keeps the first place, with the last of its roles that is no OTHER. Hands,
        and feet, come by rising index. All weights are 1.

        Others are those of `shaped`, in its order, that have no role yet, each with the confidence of odds of
        1.5. Left out are bones that are part of a named limb whose end is in the result, or hang from one;
        and bones whose names say that they grow on a body, are held, or are fingers or parts of a machine.
        """
        ends = self._ends()
        feet = [each.index for each in ends if each.role == FOOT]
        hips = self._hips(feet, [each.index for each in ends if each.role == HAND])
        head = self._head(hips, {each.index for each in ends})
        extremities = {each.index: each for each in (*hips, *head, *ends)}
        # within limbs that are found are no others
        limbs = (limb for limb in self.limbs if limb.end in extremities)
        taken = {bone for limb in limbs for each in limb.bones for bone in self.below(each)}
        for bone, role in self.shaped.items():
            label = self.labels[bone]
            if role == OTHER and bone not in taken and label.part not in (*NO_LIMB, FINGER):
                extremities.setdefault(bone, Extremity(bone, role, self.sureness(SHAPED)))
        return [*extremities.values()]

    def sureness(self, odds: float) -> float:
        """Return how sure odds are, from 0 to 1. odds: what speaks for a role, less what speaks against
        it.
        """
        return 1.0 / (1.0 + math.exp(DOUBT + NAMELESS * self._is_nameless - odds))

    # --- what limbs are

    def _ends(self) -> list[Extremity]:
        """Return the feet and hands: those of limbs by name, and those that the shape has beside them.

        Hands come first, then feet, each by index. Of each named limb its end is in it, as a foot if its odds
        are above 0, else as a hand. The odds are the sum of: 2 times `legs` of the limb, which is -1 for an
        arm to 1 for a leg; 1.5 if the shape has a foot among what the limb carries; -1.5 if the shape has a
        hand there, and either has feet at all or `legs` is below 0; if `legs` is below 0 and the shape has a
        foot there, 1 where the spine lies (:meth:`_lies`), else -1; and :meth:`_ground` of the end.

        The confidence is :meth:`sureness` of the odds' size, plus 0.5 for a paired limb.

        A hand or foot of the shape that no named limb carries is in it if :meth:`_is_limb_by_shape` allows
        it. It keeps the shape's role; its odds are 2, plus the size of :meth:`_ground` for a foot.
        """
        extremities: dict[int, Extremity] = {}
        by_shape = {bone: role for bone, role in self.shaped.items() if role in (FOOT, HAND)}
        # without feet the shape takes legs for arms as they end nowhere near the ground, which counts below
        stands = FOOT in by_shape.values()
        lies = self._lies()
        for limb in self.limbs:
            carried = {bone for each in limb.bones for bone in self.below(each)}
            roles = {by_shape.pop(bone) for bone in carried & {*by_shape}}
            odds = NAMED * limb.legs
            is_arm = HAND in roles and (stands or limb.legs < 0.0)
            odds += SHAPED * ((FOOT in roles) - is_arm) + self._ground(limb.end)
            if limb.legs < 0.0 and FOOT in roles:
                odds += LYING if lies else -LYING
            role, size = (FOOT, odds) if odds > 0.0 else (HAND, -odds)
            extremities[limb.end] = Extremity(limb.end, role, self.sureness(size + PAIRED * limb.is_paired))
        named = {each.role for each in extremities.values()}
        for bone, role in by_shape.items():
            if self._is_limb_by_shape(bone, is_named=role in named):
                odds = SHAPED + PAIRED + (abs(self._ground(bone)) if role == FOOT else 0.0)
                extremities.setdefault(bone, Extremity(bone, role, self.sureness(odds)))
        return sorted(extremities.values(), key=lambda each: (each.role != HAND, each.index))

    def _is_limb_by_shape(self, bone: int, *, is_named: bool) -> bool:
        """Tell whether names allow a bone to be the end of a limb, as the shape has it.

        is_named: whether names tell of other bones with its role, so that this one, or one that carries it,
        should be called leg, arm, foot or hand, too. What is called something grown or held, a machine's
        part, a finger, hips or a head is no end of a limb.
        """
        label = self.labels[bone]
        if label.part in (*NO_LIMB, FINGER, HIPS, HEAD):
            return False
        kin = (LEG, ARM, FOOT, HAND)
        return not is_named or any(self.labels[carrier].part in kin for carrier in (bone, *self.above(bone)))

    def _ground(self, end: int) -> float:
        """Return the log odds that a limb's end is a foot, by its place and by how it moves in clips; from
        -2.5 to 2.5.

        Its lowest point, of all that it carries, adds 1 up to 0.12 of the body's height and takes 1 above
        0.35. Where it is known how often bones are the lowest, 0.15 of the time adds 1.5, less than 0.015
        takes 1.5.
        """
        below = self.below(end)
        low = min(float(self.heads[below, 2].min()), float(self.tails[below, 2].min()))
        part = (low - self.floor) / self.height
        odds = LOW if part <= ON_GROUND else -LOW if part > OFF_GROUND else 0.0
        if self.walked is not None:
            share = float(self.walked[below].max())
            odds += WALKS if share >= WALKED else -WALKS if share < 0.1 * WALKED else 0.0
        return odds

    def _lies(self) -> bool:
        """Tell whether the spine lies, by where legs and arms begin; True where there are no arms or no legs.

        It stands where the way from the mean of the legs' tops to that of the arms' rises by half its length
        or more.
        """
        arms, legs = (
            [self.heads[limb.top] for limb in self.limbs if (limb.legs > 0.0) == is_leg]
            for is_leg in (False, True)
        )
        if not (arms and legs):
            return True
        way = np.mean(arms, axis=0) - np.mean(legs, axis=0)
        return bool(way[2] < LIES * np.linalg.norm(way))

    # --- the middle

    def _hips(self, feet: Sequence[int], hands: Sequence[int]) -> list[Extremity]:
        """Return the hips as a list of one, or [] where nothing is a candidate.

        feet, hands: indices of limbs' ends. Candidates are bones that are called hips, say no side and move
        something; bones that the shape takes for hips; and bones that carry the legs and move something. Legs
        are named limbs that end in `feet` and begin with a bone called leg or arm. Without any, a bone that
        the shape takes for hips carries them if a foot or hand hangs from it.

        :meth:`_best` picks the one with the highest odds, of equal ones the lowest index, and
        :meth:`_topmost` may move it up. The odds are the sum of: 2 if it is called hips, marks no end and
        carries a part of a body (:meth:`_carries_body`); 1 if it is called spine and no bone is called hips
        as above; -1 if it is called root; -4 if its name says a side, or it is grown, held, a machine's, a
        finger or a tail by name, a bone of a named limb, or a hand; -2 if it moves nothing; 1.5 if the shape
        takes it for hips; 1.5 times what it counts as a carrier (:meth:`_weigh_carriers`), or -1.5 if it
        carries none of the legs that there are; -1 if there are feet and its head is less than 0.05 of the
        height above the floor; -1 if it is called a control.
        """
        called = self._in_the_middle(HIPS)
        shaped = {bone for bone, role in self.shaped.items() if role == HIPS}
        legs = [limb for limb in self.limbs if limb.end in {*feet}]
        tops = [limb.top for limb in legs if self.labels[limb.top].part in OF_LIMBS]
        carrying = self._weigh_carriers(tops)
        if not tops:
            carrying = {b: 1.0 for b in shaped if any(b in self.above(end) for end in (*feet, *hands))}
        limbs = {bone for limb in self.limbs for bone in limb.bones} | {*hands}
        odds: dict[int, float] = {}
        for bone in shaped | called | {bone for bone in carrying if self.moving[bone]}:
            label = self.labels[bone]
            wrong = label.side or label.part in (*NO_LIMB, FINGER, TAIL) or bone in limbs
            half = (label.part == SPINE and not called) - (label.part == ROOT)
            is_named = label.part == HIPS and not label.is_end and self._carries_body(bone)
            named = is_named + 0.5 * half - 2.0 * bool(wrong)
            low = float(self.heads[bone, 2]) - self.floor < NEAR * self.height and bool(feet)
            sums = NAMED * (named - (not self.moving[bone])) + SHAPED * (bone in shaped)
            part = carrying.get(bone, 0.0) or (-1.0 if tops else 0.0)
            odds[bone] = sums + CARRIES * part - LOW * (low + label.is_control)
        return [self._topmost(each, odds) for each in self._best(HIPS, odds)]

    def _carries_body(self, bone: int) -> bool:
        """Tell whether a bone carries a part of a body: a bone that the names or the shape tell to be of the
        spine, the neck, the head or a limb.
        """
        limbs = {bone for limb in self.limbs for bone in limb.bones}
        return any(
            carried in limbs or carried in self.shaped or self.labels[carried].part in (SPINE, NECK, HEAD)
            for carried in self.below(bone)[1:]
        )

    def _in_the_middle(self, body_part: str) -> set[int]:
        """Return the bones that are called a part, on no side, and move something."""
        labels = enumerate(self.labels)
        return {i for i, label in labels if label.part == body_part and not label.side and self.moving[i]}

    def _weigh_carriers(self, tops: Sequence[int]) -> dict[int, float]:
        """Return by how much bones carry legs, by index; bones that are not in it carry none.

        tops: the bones with which the legs begin; without any the result is {}.

        Bones above all of the tops count 0.5. The nearest of these is where the legs leave: it, and others of
        these that begin within 0.05 of the body's height of it, count 1. Any other bone that begins there
        counts 0.5, too, though it does not carry all legs.

        Bones called spine, on no side, that move something count 0.5 if they begin within 0.05 of the height
        of the mean of the tops' heads: where legs hang from a root, or from nothing, the body begins beside
        them.
        """
        if not tops:
            return {}
        carrying = dict.fromkeys(self._in_the_middle(SPINE), 0.0)
        middle = self.heads[list(tops)].mean(axis=0)
        carrying = {bone: 0.5 for bone in carrying if self.is_near(bone, middle)}
        ways = [self.above(top) for top in tops]
        shared = [bone for bone in ways[0] if all(bone in way for way in ways)]
        carrying |= dict.fromkeys(shared, 0.5)
        for bone in range(len(self.labels)) if shared else ():
            if self.same_place(bone, shared[0]):
                carrying[bone] = 1.0 if bone in shared else 0.5
        return carrying

    def _topmost(self, hips: Extremity, candidates: Iterable[int]) -> Extremity:
        """Return the hips moved to the nearest bone above that is called hips, too, is a candidate and begins
        there, too.

        The lower of two such bones may carry the legs alone. The confidence stays. Without such a bone the
        hips are returned as they are.
        """
        for bone in self.above(hips.index):
            if self.labels[bone].part == HIPS and bone in candidates and self.same_place(bone, hips.index):
                return dataclasses.replace(hips, index=bone)
        return hips

    def _head(self, hips: Sequence[Extremity], ends: set[int]) -> list[Extremity]:
        """Return the head as a list of one, or [] where nothing is a candidate.

        hips: the hips found, if any. ends: indices of hands and feet. Neither are candidates. Candidates are
        bones that are called head, say no side, move something, and are neither end markers nor controls; of
        such bones that carry each other only the uppermost. So is a bone that the shape takes for the head.
        If its name says that it is grown, held or a machine's, the nearest bone above with another name is
        tried in its place. If what is tried is the hips, a hand or foot, or part of a named limb, or there is
        none, the shape's own bone is the candidate. But where a bone is called head, as above, the shape's
        bone counts only if it is tried itself and is none of these.

        :meth:`_best` picks the one with the highest odds. They are the sum of: 2 for the name; 1.5 for the
        shape; 1 for a head above that of the hips (without hips, above the floor), -1 for one lower by more
        than 0.35 of the height; -2 for a bone of a named limb; -1 for what is grown, held or a machine's by
        name.
        """
        taken = ends | {each.index for each in hips}
        labels = self.labels
        named = [b for b in self._in_the_middle(HEAD) if not (labels[b].is_end or labels[b].is_control)]
        named = [b for b in named if not {*named} & {*self.above(b)}]
        candidates = {*named}
        shaped = [bone for bone, role in self.shaped.items() if role == HEAD]
        limbs = {bone for limb in self.limbs for bone in limb.bones}
        for bone in shaped:
            # what grows on a head hangs from it
            way = [b for b in (bone, *self.above(bone)) if self.labels[b].part not in NO_LIMB]
            free = [b for b in way[:1] if b not in taken | limbs]
            candidates |= {*free} if bone in free or not named else set()
            if not free and not named:
                candidates.add(bone)
        middle = float(self.heads[hips[0].index, 2]) if hips else self.floor
        odds: dict[int, float] = {}
        for bone in candidates - taken:
            sums = NAMED * (bone in named) + SHAPED * (bone in shaped)
            rise = (float(self.heads[bone, 2]) - middle) / self.height
            sums += ABOVE if rise > 0.0 else -ABOVE if rise < -OFF_GROUND else 0.0
            grown = self.labels[bone].part in NO_LIMB
            odds[bone] = sums - NAMED * (bone in limbs) - DOUBT * grown
        return self._best(HEAD, odds)

    def _best(self, role: str, odds: dict[int, float]) -> list[Extremity]:
        """Return the bone with the highest odds, with the role and how sure it is, as a list of one; []
        without any.

        odds: by bone. Of equal ones the lowest index is taken. The confidence is :meth:`sureness` of these
        odds; the next best bone at another place whose odds come within 1 takes from them what it lacks to a
        difference of 1.
        """
        order = sorted(odds, key=lambda bone: (-odds[bone], bone))
        if not order:
            return []
        best, sums = order[0], odds[order[0]]
        rest = [odds[bone] for bone in order[1:] if not self.same_place(bone, best)]
        doubt = max(0.0, 1.0 - (sums - rest[0])) if rest else 0.0
        return [Extremity(best, role, self.sureness(sums - doubt))]
