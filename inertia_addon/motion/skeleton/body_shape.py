# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet, hands, hips and head of any skeleton, from its tree and its rest pose.

What can be relied on, however bones are called, are lengths along the
tree: a hand is the topmost bone from which no fingertip is far, limbs come in pairs of equal lengths,
and the limbs that end where the skeleton is lowest are legs. Names veto: a tail is no head, an ear no hand
and a wing no foot; they say which of a neck's bones is the head; and where shapes say nothing, as of what
flies, they are all there is. What else they tell is for :mod:`.extremities`.

What is left out: bones that deform nothing, where others do; control bones that follow what hangs
elsewhere; what is held in a hand or grows on a head (hair, ears); twist bones and other short branches.
A tail, and any other long branch that has no partner, counts half.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence

import numpy as np

from ..arrays import Array, Flags
from .bone_tree import HAND_SIZE, NEAR, SAME, BoneTree, branch_ends, find_deforming
from .naming import FOOT, HAND, HEAD, HIPS, MARKS_AN_END, OTHER, words

FEW = 3
"""A rig of so few bones counts as a whole."""

# Parts of the skeleton's span, the longest way through its tree (hand to foot: 2.5 m of a person of 1.75 m).
LONG = 0.15
"""An arm or a tail is no shorter ..."""
LEG = 0.08
"""... and a leg neither: a bird's is short beside its wings."""
ON_GROUND = 0.07
"""A foot's lowest point is no higher above the lowest joint ..."""
ROOT_ON_GROUND = 0.035
"""... and hips are higher than that: what is lower is a root."""

ARM = 0.45
"""An arm is no shorter than this part of a leg; ears and cheeks are."""
ALIKE = 0.15
"""The parts of two limbs of a pair differ by no more than this part of the whole limb."""

NO_HEAD = words("hip hips pelvis back chest tail pole abdomen sting stinger wing foot leg")
NO_LIMB = words("antenna antler ear ears feather feathers hair horn horns pole socket")
"""What grows on a body, or is put on it, is no part of it."""
HEAD_WORD = "head"
FIN = words("fin fins")
WING = words("wing wings") | FIN
ABOVE_THE_END = words("leg shin calf knee ankle arm forearm elbow")
"""A short limb may be taken for a hand or a foot as a whole ..."""
END = words("hand palm foot paw hoof")
"""... of which this is the hand or the foot."""
HOOF = words("hoof hooves")
"""What a foot ends in that stands on it."""
FOOT_WORDS = words("leg foot paw hoof")


def roles(
    names: Sequence[str], parents: Sequence[int], heads: Array, tails: Array, moving: Flags
) -> dict[int, str]:
    """Return the roles of the bones whose places say most of a pose, by index into names.

    Roles are HIPS, HEAD, HAND, FOOT and OTHER (tails, wing tips). Bones whose names are of wings, fins, hair,
    ears and the like are left out with all that hangs from them, but for the tips of wings, see
    :func:`_find_wing_tips`. A body has roles if it has legs or arms, if at least two of its ends are called
    leg, foot, paw or hoof, as are their parents, or, as what swims has, if it has two tips of wings or fins,
    two single ends and a head. Else, with three bones or fewer, and with all bones in one place, the result
    is {}.

    Parameters
    ----------
    names : (n,)
        The bones' names.
    parents : (n,)
        Indices, -1 for none.
    heads, tails : (n, 3)
        Rest positions, Z up, in any unit.
    moving : (n,)
        Whether a bone moves something; others are left out, and what hangs from them is given
        another parent. If none is left, all bones count.

    Returns
    -------
    dict[int, str]
        The roles by bone index; a bone without a role is not in it.
    """
    grown = [bool(words(name) & (NO_LIMB | WING)) for name in names]
    kept, carriers = find_deforming(parents, heads, tails, moving & ~_find_hanging(grown, parents))
    tree = BoneTree(carriers, heads[kept], tails[kept])
    if len(kept) <= FEW or tree.span <= 0.0:
        return {}
    body = _Body(tree, [names[i] for i in kept])
    # what the span was measured on may have been a rack of control bones, or a sword
    tree.span = body.measured() or tree.span
    body = _Body(tree, body.names)
    wings = _find_wing_tips(names, parents, heads, tails, moving, LONG * body.span)
    has_limbs = body.feet or body.hands or body.find_by_name()
    # fins, and a body of a head and a tail, swim
    if not has_limbs and (len(wings) < 2 or len(body.singles) < 2 or body.head is None):
        return {}
    shaped = {kept[i]: role for i, role in body.roles().items()}
    return shaped | {i: OTHER for i in wings if i not in shaped}


def _find_hanging(named: Sequence[bool], parents: Sequence[int]) -> Flags:
    """Return which bones (n,) are flagged themselves, or hang, at any depth, from one that is.

    named: (n,), the flags. parents: (n,) indices, -1 for none.
    """
    hanging: list[bool] = []
    for bone in range(len(named)):
        while bone >= 0 and not named[bone]:
            bone = parents[bone]
        hanging.append(bone >= 0)
    return np.array(hanging, bool)


def _find_wing_tips(
    names: Sequence[str], parents: Sequence[int], heads: Array, tails: Array, moving: Flags, long: float
) -> list[int]:
    """Return the sorted indices of each wing's furthest bone, and of each fin's that is at least `long`.

    A wing is a tree of bones with a wing's or fin's word in their names. Feathers, and what else only grows
    there, are left out; what hangs from one is a wing of its own. Only bones that move something count,
    unless none does. How far a bone is counts along the bones, from the head of the wing's topmost bone to
    its own tail, in the unit of heads; of equally far ones the highest index is taken. Whether it is a fin,
    the furthest bone's own name tells.
    """
    of_wing = {i for i, name in enumerate(names) if words(name) & WING and not words(name) & NO_LIMB}
    far: dict[int, tuple[float, int]] = {}
    for bone in of_wing:
        length, top = 0.0, bone
        while parents[top] in of_wing:
            length, top = length + float(np.linalg.norm(heads[top] - heads[parents[top]])), parents[top]
        if moving[bone] or not moving.any():
            length += float(np.linalg.norm(tails[bone] - heads[bone]))
            far[top] = max(far.get(top, (-1.0, -1)), (length, bone))
    return sorted(bone for length, bone in far.values() if length >= long or not words(names[bone]) & FIN)


class _Body:
    """What is found in a skeleton, step by step: ends of branches, pairs of them, legs, arms, the head."""

    def __init__(self, tree: BoneTree, names: list[str]) -> None:
        self.tree, self.span = tree, tree.span
        self.words = [words(name) for name in (*names, *[""] * (len(tree.parents) - len(names)))]
        self.names = names
        self.ends = branch_ends(tree)
        self.pairs, self.singles = self._units()
        self.feet = self._feet()
        self.hands = self._hands()

    def roles(self) -> dict[int, str]:
        """Return the roles of all bones that count, by index into the tree, in this order: HIPS, HEAD, HAND,
        FOOT, then OTHER; hands, and feet, by rising index.

        A bone that would have several roles gets the first of these. Where a hand or foot has several bones,
        the role goes to the one named hoof, or, if a limb was taken for its end as a whole, to the one named
        hand or foot; else to the joint with which the end begins. OTHER are single ends, such as tails, that
        are free of limbs and head and at least 0.15 of the span long. Raise TypeError if there are no legs,
        arms or single ends, see :attr:`hips`.
        """
        roles = {self.hips: HIPS}
        if self.head is not None:
            roles.setdefault(self.head, HEAD)
        for role, pairs in ((HAND, self.hands), (FOOT, self.feet)):
            for bone in sorted(map(self._last_joint, itertools.chain(*pairs))):
                roles.setdefault(bone, role)
        for bone in self._others():
            roles.setdefault(bone, OTHER)
        return roles

    def measured(self) -> float:
        """Return the longest way between the ends of two limbs; 0 without limbs."""
        ends, tree = [*itertools.chain(*self.feet, *self.hands)], self.tree
        ways = itertools.combinations(ends, 2)
        return max((tree.length(a, b) + tree.reach[a] + tree.reach[b] for a, b in ways), default=0.0)

    def _last_joint(self, end: int) -> int:
        """Return the hoof of a foot, the hand or foot of a limb that was taken for one as a whole, or the
        end itself.
        """
        of_limb = self.words[end] & ABOVE_THE_END and not self.words[end] & END
        wanted = END if of_limb else HOOF
        return next((bone for bone in self.ends.get(end, ()) if self.words[bone] & wanted), end)

    # --- pairs

    def _units(self) -> tuple[list[tuple[int, int]], list[int]]:
        """Return the pairs of ends, most alike first chosen, and the ends without a partner, each deepest in
        the body first.

        An end is in one pair at most. How deep a pair lies goes by the bone where both ends part, then by its
        first end; of a single end it is its own depth. Pairs are looked at first, then single ends, and each
        that coincides with one already kept is left out: each of its ends has a joint within 0.05 of the span
        of a joint of one of the other's ends. Where a control bone and what it controls coincide, the latter
        hangs deeper within the body and stays.
        """
        pairs: list[tuple[int, int]] = []
        taken: set[int] = set()
        for *_, pair in sorted(self._candidates()):
            if taken.isdisjoint(pair):
                pairs.append(pair)
                taken.update(pair)
        units: list[tuple[int, ...]] = [*sorted(pairs, key=self._shallowness)]
        units += sorted(((end,) for end in self.ends if end not in taken), key=self._shallowness)
        kept: list[tuple[int, ...]] = []
        for unit in units:
            if not any(self._coincide(unit, other) for other in kept):
                kept.append(unit)
        return [(u[0], u[1]) for u in kept if len(u) == 2], [u[0] for u in kept if len(u) == 1]

    def _candidates(self) -> list[tuple[float, int, tuple[int, int]]]:
        """Return all pairs of ends whose ways from where they part are alike, bone by bone: (difference,
        -depth, ends).

        Both ends lie equally deep in the tree. difference: the sum of how much the ways' bones differ in
        length, as a part of the longer way, rounded to 0.01, 0.15 at most. depth: that of the bone where they
        part, so that sorting puts the more alike first, then those that part deeper. The list is not sorted.
        """
        by_depth: dict[int, list[int]] = {}
        for end in self.ends:
            by_depth.setdefault(self.tree.depths[end], []).append(end)
        candidates: list[tuple[float, int, tuple[int, int]]] = []
        for depth, ends in by_depth.items():
            # from the top down to each end, which is as many bones for all: (ends, depth + 1)
            ways = np.array([[end, *self.tree.above(end)][::-1] for end in ends])
            lengths = self.tree.segments[ways]
            below = np.cumsum(lengths[:, ::-1], axis=1)[:, ::-1]  # from each bone's parent down to the end
            for i in range(len(ends) - 1):
                # where they part is the last bone that is the same
                forks = (ways[i + 1 :] == ways[i]).sum(axis=1) - 1
                apart = np.abs(lengths[i + 1 :] - lengths[i]).sum(axis=1)
                after, rows = np.minimum(forks + 1, depth), np.arange(i + 1, len(ends))
                whole = np.maximum(below[i, after], below[rows, after])
                unlike = np.round(apart / np.where(whole > 0.0, whole, 1.0), 2)
                for j in np.flatnonzero((unlike <= ALIKE) & (forks < depth)).tolist():
                    pair = (ends[i], ends[i + 1 + j])
                    candidates.append((float(unlike[j]), -int(forks[j]), pair))
        return candidates

    def _ways(self, a: int, b: int) -> tuple[list[int], list[int]]:
        """Return the bones from where two ends part, which is left out, to each of them."""
        fork = self.tree.meet(a, b)
        return self.tree.way(fork, a), self.tree.way(fork, b)

    def _depth_of_fork(self, pair: tuple[int, int]) -> int:
        return self.tree.depths[self.tree.meet(*pair)]

    def _shallowness(self, unit: tuple[int, ...]) -> tuple[int, int, int]:
        """Return a key that sorts what hangs deeper within the body first."""
        fork = self._depth_of_fork((unit[0], unit[-1]))
        return -fork, -self.tree.depths[unit[0]], unit[0]

    def _coincide(self, unit: tuple[int, ...], other_unit: tuple[int, ...]) -> bool:
        """Tell whether each end of a unit lies where one of the other's ends does."""
        return all(any(self._distance(a, b) <= NEAR * self.span for b in other_unit) for a in unit)

    def _distance(self, a: int, b: int) -> float:
        """Return the way between the nearest joints of two ends' branches."""
        places = self.tree.heads
        gaps = places[self.ends[a]][:, None] - places[self.ends[b]][None]
        return float(np.linalg.norm(gaps, axis=-1).min())

    def find_by_name(self) -> bool:
        """Set self.feet to pairs of the bones where legs end by name, and tell whether there are any.

        For what flies, whose legs are not found by shape; that is not checked. They are bones without
        children that are called leg, foot, paw or hoof, as is the one above. The first, in the tree's order,
        is paired with each of the others: (first, other). One alone makes no pair; then self.feet is [] and
        the result False.
        """
        tree = self.tree
        ends = [i for i in tree.order if not tree.children[i] and self.words[i] & FOOT_WORDS]
        ends = [i for i in ends if tree.parents[i] >= 0 and self.words[tree.parents[i]] & FOOT_WORDS]
        self.feet = [(ends[0], end) for end in ends[1:]]
        return bool(self.feet)

    # --- limbs

    def _is_limb(self, pair: tuple[int, int], shortest: float) -> bool:
        """Tell whether a pair is long, and bends: more than one bone each."""
        return len(self._ways(*pair)[0]) > 1 and self._length(pair) >= shortest * self.span

    def _length(self, pair: tuple[int, int]) -> float:
        """Return the length of a pair's branches, at most twice the straight way, as for branches."""
        fork = self.tree.heads[self.tree.meet(*pair)]
        straight = [2.0 * float(np.linalg.norm(self.tree.heads[end] - fork)) for end in pair]
        return min(*straight, *(self.tree.branch(end) for end in pair))

    def _feet(self) -> list[tuple[int, int]]:
        """Return the pairs of limbs that end on the ground, or of single bones there: feet that only IK ties
        to the legs.

        A limb has at least two bones from where the pair parts and is at least 0.08 of the span long. On the
        ground is no more than 0.07 of the span above the floor. The lowest head or tail of one limb of a pair
        is enough, as the rest pose may be a stride; of single bones both heads must lie there. Instead of
        legs above such feet, see :meth:`_meets`, these feet are returned, once. Without any legs only pairs
        of single bones that leave the stem count. They come in the order of self.pairs; [] where there are
        none.
        """
        tree, highest = self.tree, self.tree.floor + ON_GROUND * self.span
        legs = [
            pair
            for pair in self.pairs
            if self._is_limb(pair, LEG) and min(tree.lowest(self.ends[end]) for end in pair) <= highest
        ]
        single = [pair for pair in self.pairs if len(self._ways(*pair)[0]) == 1]
        detached = [pair for pair in single if max(tree.heads[list(pair), 2]) <= highest]
        if not legs:
            return [feet for feet in detached if tree.meet(*feet) in tree.stem]
        ends = (next((feet for feet in detached if self._meets(leg, feet)), leg) for leg in legs)
        return list(dict.fromkeys(ends))

    def _meets(self, legs: tuple[int, int], feet: tuple[int, int]) -> bool:
        """Tell whether two legs end where detached feet begin, or have these in reach and below their knees.

        legs, feet: tree indices of two bones each. Either both legs' tails are within 0.05 of the span of a
        foot's head; or the legs' nearest feet differ, are within 1.2 times the leg's last segment of its
        joint, and lie more than 30 degrees below it. Where a last bone ends may have been guessed, so that
        only its joint is sure.
        """
        tree = self.tree
        gaps = tree.tails[list(legs)][:, None] - tree.heads[list(feet)]
        if np.all(np.linalg.norm(gaps, axis=-1).min(axis=1) <= NEAR * self.span):
            return True
        ways = tree.heads[list(feet)][None] - tree.heads[list(legs)][:, None]
        near = np.linalg.norm(ways, axis=-1).argmin(axis=1)
        ways = ways[[0, 1], near]
        reach = 1.2 * tree.segments[list(legs)]
        return bool(
            set(near) == {0, 1}
            and np.all(np.linalg.norm(ways, axis=1) <= reach)
            and np.all(ways[:, 2] < -0.5 * np.linalg.norm(ways, axis=1))
        )

    def _hands(self) -> list[tuple[int, int]]:
        """Return the pairs of long limbs that are no legs, those that part nearest to the top first; [] for
        none.

        A limb has at least two bones. Left out are limbs shorter than 0.15 of the span or 0.45 of the longest
        leg; pairs of which both ends lie, seen from above, within 0.14 of the span of a detached foot; pairs
        that part at a bone below the one where the longest pair does (such as the head's); and pairs of which
        an end parts from an end of a pair kept before only below the bone where that pair parts, as fingers
        do.

        If none is left before the last two rules, in a body with feet, pairs count that are no feet and whose
        ends are both called hand, palm, foot, paw or hoof.
        """
        limbs = [pair for pair in self.pairs if pair not in self.feet and self._is_limb(pair, LONG)]
        leg = max(map(self._length, self.feet), default=0.0)
        limbs = [
            pair for pair in limbs if not self._is_straight_leg_pair(pair) and self._length(pair) >= ARM * leg
        ]
        if not limbs:
            # of arms of a single bone only names tell that they are none of another part of a body with feet
            others = [pair for pair in self.pairs if self.feet and pair not in self.feet]
            return [pair for pair in others if all(self.words[end] & END for end in pair)]
        longest = max(limbs, key=self._length)
        shoulders = self.tree.meet(*longest)
        limbs = [pair for pair in limbs if shoulders not in self.tree.above(self.tree.meet(*pair))]
        hands: list[tuple[int, int]] = []
        for pair in sorted(limbs, key=lambda pair: (self._depth_of_fork(pair), self.tree.depths[pair[0]])):
            if not any(self._share_an_arm(pair, other) for other in hands):
                hands.append(pair)
        return hands

    def _share_an_arm(self, pair: tuple[int, int], other_pair: tuple[int, int]) -> bool:
        """Tell whether a pair leaves another pair's limbs behind the shoulders, as fingers do."""
        shoulders = self.tree.meet(*other_pair)
        return any(shoulders in self.tree.above(self.tree.meet(a, b)) for a in pair for b in other_pair)

    def _is_straight_leg_pair(self, pair: tuple[int, int]) -> bool:
        """Tell whether a pair is a pair of legs straight above detached feet."""
        feet = [foot for legs in self.feet if len(self._ways(*legs)[0]) == 1 for foot in legs]
        across, near = self.tree.heads[:, :2], HAND_SIZE * self.span
        return bool(feet) and all(
            min(np.linalg.norm(across[feet] - across[end], axis=1)) <= near for end in pair
        )

    @functools.cached_property
    def limbs(self) -> set[int]:
        """All bones of arms and legs, from where a pair parts; without any, of the first pair: fins."""
        pairs = self.feet + self.hands or sorted(self.pairs, key=self._depth_of_fork)[:1]
        return {bone for pair in pairs for way in self._ways(*pair) for bone in way}

    # --- the middle

    @functools.cached_property
    def hips(self) -> int:
        """The index in the tree of the bone from which the legs leave; without legs, from which arms and
        single ends leave.

        The search begins at the lowest bone that carries all of them. From the node that joins several trees
        it goes down; so it does, if there are legs, from a bone of the stem that is a root near the ground
        (no more than 0.035 of the span above the floor), unless all legs' ends are higher than 0.14 of the
        span. It goes to the child that carries most bones and none of the legs, or, where each carries one,
        most bones; from a bone never to a child without children. Then it goes up to the topmost bone at the
        same place, see :meth:`_same_place_above` (within 0.05 of the span). The result is cached. Raise
        TypeError if there are no legs, arms or ends at all.
        """
        tree = self.tree
        ends = [*itertools.chain(*(self.feet or self.hands)), *([] if self.feet else self.singles)]
        hips = functools.reduce(tree.meet, ends)
        # a root on the ground is none, other than of a beast that lies low; nor is what ties trees together
        stands = not self.feet or tree.heads[ends, 2].min() <= tree.floor + 2.0 * ON_GROUND * self.span
        lowest = tree.floor + ROOT_ON_GROUND * self.span
        while not tree.is_bone(hips) or (stands and hips in tree.stem and tree.heads[hips, 2] <= lowest):
            children = tree.children[hips]
            below = [child for child in children if not set(tree.below(child)) & set(ends)] or children
            if not below or (tree.is_bone(hips) and not self.feet):
                break
            best = max(below, key=lambda child: len(tree.below(child)))
            if tree.is_bone(hips) and not tree.children[best]:
                break
            hips = best
        return self._same_place_above(hips, NEAR)

    def _same_place_above(self, bone: int, near: float) -> int:
        """Return the topmost bone that is near this one and carries nothing else, such as a pelvis below a
        spine.

        near: how far the next bone up may be from the one below it, as a part of the span. The way up ends at
        a bone that forks, at one on the ground, and at what only ties trees together; the bone itself may be
        the result.
        """
        tree = self.tree
        for above in tree.above(bone):
            if (
                not tree.is_bone(above)
                or len(tree.children[above]) > 1
                or np.linalg.norm(tree.heads[above] - tree.heads[bone]) > near * self.span
                or tree.heads[above, 2] <= tree.floor + ROOT_ON_GROUND * self.span
            ):
                break
            bone = above
        return bone

    @functools.cached_property
    def head(self) -> int | None:
        """The index in the tree of the head bone; None where there is none. It is cached.

        Candidates are single ends that hang neither from a limb nor from a root beside the body, and the
        bones where pairs part that are no limbs. They must be free: neither a limb's bone or the hips, nor a
        bone that carries one. Their heads must be no lower than 0.15 of the span below the hips' head. From
        each, the head is looked for, by name and shape, among the free bones around it, from the topmost on,
        see :meth:`_head_of`.

        The one whose candidate is highest wins, by the height of its head; a bone where pairs part, or an end
        with several children, counts as 0.15 of the span higher. Bones whose names are of other parts, such
        as a tail, are no heads; any called head goes before all others. Of equally high ones the lowest index
        is taken.
        """
        tree = self.tree
        higher = LONG * self.span
        tops = {
            (end, tree.heads[end, 2] + (len(tree.children[end]) > 1) * higher) for end in self._free_singles()
        }
        forks = {tree.meet(*pair) for pair in self.pairs if pair not in self.feet + self.hands}
        tops |= {(fork, tree.heads[fork, 2] + higher) for fork in forks if self._is_free(fork)}
        lowest = tree.heads[self.hips, 2] - higher
        tops = {top for top in tops if tree.heads[top[0], 2] > lowest}
        heads = {self._head_of(tree.below(self._up(bone)[-1])): high for bone, high in sorted(tops)}
        heads = {bone: high for bone, high in heads.items() if not self.words[bone] & NO_HEAD}
        named = {bone: high for bone, high in heads.items() if HEAD_WORD in self.words[bone]}
        heads = named or heads
        return max(heads, key=lambda bone: (heads[bone], -bone), default=None)

    def _head_of(self, bones: list[int]) -> int:
        """Return the index of the head among the bones of a neck and what it carries.

        bones: tree indices, parents before their children; at least one.

        The first bone that is called head and marks no end is the head. Without one it is the bone with the
        most children in the tree, of several the one that is least deep, if it has two or more. From there
        the way leads up to the topmost bone at the same place, as :meth:`_same_place_above` finds it: each
        within 0.01 of the span of the one below, without another child, and not near the ground. That bone
        need not be in `bones`.

        Where no bone forks, the last of `bones` is the head. If its name marks an end and it is not the only
        one, its parent is.
        """
        tree = self.tree
        named = [bone for bone in bones if HEAD_WORD in self.words[bone]]
        named = [bone for bone in named if not MARKS_AN_END.search(self.names[bone])]
        if named:
            return named[0]
        head = max(bones, key=lambda bone: (len(tree.children[bone]), -tree.depths[bone]))
        if len(tree.children[head]) > 1:
            return self._same_place_above(head, SAME)
        last = bones[-1]
        marks = len(bones) > 1 and MARKS_AN_END.search(self.names[last])
        return tree.parents[last] if marks else last

    def _is_free(self, bone: int) -> bool:
        """Tell whether an index is a bone that neither is nor carries a limb or the hips."""
        return self.tree.is_bone(bone) and (self.limbs | {self.hips}).isdisjoint(self.tree.below(bone))

    def _free_singles(self) -> list[int]:
        """Return the ends without a partner, in order, that hang neither from a limb nor directly from a root
        other than the hips.
        """
        tree = self.tree
        return [
            end
            for end in self.singles
            if self._is_free(end)
            and self.limbs.isdisjoint(tree.above(end))
            and (tree.depths[end] > 1 or tree.parents[end] == self.hips)
        ]

    def _up(self, bone: int) -> list[int]:
        """Return a bone and those above it, up to the first that carries limbs, which is left out."""
        return list(itertools.takewhile(self._is_free, (bone, *self.tree.above(bone))))

    def _others(self) -> list[int]:
        """Return the ends, in order, of long branches without a partner, such as tails; what grows on the
        head is none.
        """
        tree = self.tree
        on_head = set() if self.head is None else set(tree.below(self._up(self.head)[-1]))
        return [
            end
            for end in self._free_singles()
            if end not in on_head and tree.branch(end) + tree.joint_reach[end] >= LONG * self.span
        ]
