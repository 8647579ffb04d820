# SPDX-License-Identifier: GPL-3.0-or-later
"""A skeleton as a tree: who hangs from whom, and how far it is along the bones, however it is posed."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from ..arrays import Array, Flags

GUESSED = 3.0
"""A bone so many times as long as the way to its furthest child, or else from its parent, is guessed ..."""
POINTED = 0.25
"""... and taken to be this part of that way."""
SMALL = 0.14
"""Where there is no such way, a bone is no longer than this part of the rig's size."""
SAME_PLACE = 0.005
"""Joints that coincide are no further from each other than this part of the rig's size."""

# Parts of the skeleton's span.
HAND_SIZE = 0.14
"""A hand or a foot, from its joint to its furthest tip, is no longer ..."""
BENDS = 0.09
"""... nor to its furthest joint: a forearm is longer, though its hand may be a bone without a length."""
NEAR = 0.05
"""Ends of branches that are as near to each other are one and the same."""
SAME = 0.01
"""Joints as near to each other are at the same place."""

PART = 0.4
"""A hand or a foot is no longer than this part of its limb, which may be small itself."""
FINGERS = 3
"""So many tips are a hand's or a paw's; a forearm has none beside it."""
FAN = 1.5
"""A hand or foot whose fingers or toes all leave from it may be so many times as large: a bird's is."""
HALVES = 0.05
"""Halves of a bone differ by no more than this part of one, in length and direction."""


class BoneTree:
    """Bones by index; when several have no parent, one more index, the last, stands for what carries them.

    parents: -1 at the top. order: parents before their children. depths: bones above. heads: (n, 3), Z up.
    segments: (n,) from the parent's head to the bone's. reach: (n,) the longest way from a bone's head down
    to a tip, joint_reach: to the furthest bone's head. span: the longest way through the whole tree. floor:
    height of the lowest joint. stem: the bones from the top to the first one that forks.
    """

    def __init__(self, parents: list[int], heads: Array, tails: Array) -> None:
        self.bones = len(parents)
        tops = [i for i, parent in enumerate(parents) if parent < 0]
        if len(tops) > 1:
            sizes = _sizes(parents)
            most = heads[max(tops, key=lambda top: (sizes[top], -top))]
            parents = [self.bones if parent < 0 else parent for parent in parents] + [-1]
            heads, tails = np.vstack((heads, most)), np.vstack((tails, most))
        self.parents, self.heads, self.tails = parents, heads, tails
        self.children: list[list[int]] = [[] for _ in parents]
        for i, parent in enumerate(parents):
            if parent >= 0:
                self.children[parent].append(i)
        self.order = self.below(parents.index(-1)) if parents else []
        self.depths = [0] * len(parents)
        for i in self.order[1:]:
            self.depths[i] = self.depths[parents[i]] + 1
        self._measure()

    def _measure(self) -> None:
        """Set segments, reach, joint_reach, span, stem and floor.

        Lengths are along the bones, in the unit of heads; arrays are (n,), the node that stands for several
        topmost bones included.

        segments: from the parent's head to the bone's, 0 at the top. reach: the longest way from a bone's
        head to the tail of a last bone below; of a last bone its length. joint_reach: the longest way to a
        head below, 0 for a last bone; a last bone without a length is no joint. stem: a set, the top and each
        only child below it, down to the first bone that forks or ends.

        span: the largest sum, over all bones, of the two longest ways down through different children. A lone
        bone that hangs from the stem, such as an IK target, does not count there unless nothing else hangs
        from the same bone. A single bone has a span of 0.

        floor: the least Z of heads, without those of the stem, except the one that forks; of all heads where
        no others are left, 0 without bones.
        """
        count = len(self.parents)
        self.segments = np.zeros(count)
        for i in self.order[1:]:
            self.segments[i] = np.linalg.norm(self.heads[i] - self.heads[self.parents[i]])
        lengths = np.linalg.norm(self.tails - self.heads, axis=1) if count else np.zeros(0)
        self.stem = stem = set(self.order[:1])
        for i in self.order:
            if i in stem and len(self.children[i]) == 1:
                stem.add(self.children[i][0])
        self.reach = np.zeros(count)
        self.joint_reach = np.zeros(count)
        self.span = 0.0
        for i in reversed(self.order):
            children = self.children[i]
            # a lone bone at the top, such as an IK target, may be anywhere
            body = [c for c in children if self.children[c] or i not in stem] or children
            ways = sorted(self.reach[c] + self.segments[c] for c in body)
            self.span = max(self.span, float(sum(ways[-2:])))
            self.reach[i] = max((self.reach[c] + self.segments[c] for c in children), default=lengths[i])
            # a last bone without a length is a point that marks an end, no joint
            joints = [c for c in children if self.children[c] or lengths[c] > 0.0]
            self.joint_reach[i] = max((self.joint_reach[c] + self.segments[c] for c in joints), default=0.0)
        bare = [i for i in range(self.bones) if i not in stem or len(self.children[i]) > 1]
        self.floor = float(self.heads[bare or list(range(self.bones)), 2].min()) if self.bones else 0.0

    def is_bone(self, index: int) -> bool:
        """Tell whether an index is a bone, not the node that joins several topmost ones."""
        return index < self.bones

    def above(self, bone: int) -> Iterator[int]:
        """Yield the bones that carry a bone, the nearest first."""
        return _up(self.parents, bone)

    def below(self, bone: int) -> list[int]:
        """Return the indices of a bone and of all that it carries, at any depth, parents before their
        children.

        The bone itself comes first, then level by level.
        """
        bones = [bone]
        for carrier in bones:
            bones.extend(self.children[carrier])
        return bones

    def meet(self, a: int, b: int) -> int:
        """Return the lowest bone that is or carries both."""
        carriers = {a, *self.above(a)}
        return next(bone for bone in itertools.chain((b,), self.above(b)) if bone in carriers)

    def way(self, top: int, bone: int) -> list[int]:
        """Return the bones from below ``top`` down to ``bone``, with it."""
        ways = itertools.takewhile(lambda carrier: carrier != top, itertools.chain((bone,), self.above(bone)))
        return list(ways)[::-1]

    def length(self, a: int, b: int) -> float:
        """Return the length of the way between the heads of two bones."""
        fork = self.meet(a, b)
        return float(self.segments[self.way(fork, a) + self.way(fork, b)].sum())

    def branch(self, bone: int) -> float:
        """Return how far a bone's head is from where its branch leaves a longer one, in the unit of heads.

        At every fork the longest way down belongs to the same branch as the bone above. Ways are compared by
        joint_reach plus segment, to the furthest head; children that are as long, within 1e-6 of it, all
        belong to it. From the bone the way leads up to the first fork at which it comes from a shorter child,
        or else to the top of the tree.

        The result is the sum of the segments on that way, but no more than twice the straight distance from
        the bone's head to that fork's: bones run around faces. For a topmost bone it is 0.
        """
        length, fork = 0.0, bone
        for below, parent in zip((bone, *self.above(bone)), self.above(bone), strict=False):
            length, fork = length + float(self.segments[below]), parent
            if len(self.children[parent]) == 1:
                continue
            ways = [self.joint_reach[c] + self.segments[c] for c in self.children[parent]]
            if self.joint_reach[below] + self.segments[below] < max(ways) * (1.0 - 1e-6):
                break
        return min(length, 2.0 * float(np.linalg.norm(self.heads[bone] - self.heads[fork])))

    def lowest(self, bones: list[int]) -> float:
        """Return the height of the lowest head or tail of some bones."""
        return float(min(self.heads[bones, 2].min(), self.tails[bones, 2].min()))


def plausible_ends(parents: Sequence[int], heads: Array, tails: Array) -> Array:
    """Return the bones' tails, shortened where an importer must have guessed them.

    glTF says only where joints are: a person may come with bones of 44 m. Each bone has a way: to the head of
    its furthest child, or, for a last bone, from its parent's head. Where that is 0 or missing, 0.14 of the
    diagonal of the heads' bounding box stands for it. A bone is guessed if it is more than 3 times as long as
    its way. A last bone is also guessed if it is longer than 0.99 of its way and as long as its parent,
    within 0.1 %; one without a parent is compared with bone 0.

    Parameters
    ----------
    parents : (n,)
        Indices, -1 for none.
    heads : (n, 3)
        Rest positions of the bones' heads.
    tails : (n, 3)
        Those of their tails, in the same unit.

    Returns
    -------
    Array (n, 3)
        A new array. A guessed bone keeps its direction and gets 0.25 of its way as its length; all
        others stay, as do all bones if all heads are at one place.
    """
    longest = np.zeros(len(parents))  # the way to a bone's children; of a last one from its parent
    for i, parent in enumerate(parents):
        if parent >= 0:
            longest[parent] = max(longest[parent], np.linalg.norm(heads[i] - heads[parent]))
    for i in set(range(len(parents))) - set(parents):
        longest[i] = np.linalg.norm(heads[i] - heads[parents[i]]) if parents[i] >= 0 else 0.0
    if len(parents):
        longest[longest == 0.0] = SMALL * np.linalg.norm(np.ptp(heads, axis=0))
    lengths = np.linalg.norm(tails - heads, axis=1)
    above = np.maximum(np.asarray(parents, int), 0)
    last = ~np.isin(np.arange(len(parents)), parents)
    copied = last & (lengths > 0.99 * longest) & np.isclose(lengths, lengths[above], rtol=1e-3)
    guessed = (copied | (lengths > GUESSED * longest)) & (longest > 0.0)
    part = np.divide(POINTED * longest, lengths, out=np.ones_like(lengths), where=guessed)
    return np.asarray(heads + (tails - heads) * part[:, None])


def find_deforming(
    parents: Sequence[int], heads: Array, tails: Array, deforms: Flags
) -> tuple[list[int], list[int]]:
    """Return the indices of the bones that deform something, and the parent of each among them.

    Generated rigs have a skeleton of control bones beside the one that deforms. A bone's parent is the
    nearest bone above that deforms. A bone that has only control bones above it gets what deforms at the head
    of the nearest of these that has any: within 0.005 of the diagonal of the deforming heads' bounding box,
    itself and what hangs from it left out. Of several the one that carries most bones is taken, then the one
    with the lowest index. If none is found it has no parent.

    If such a bone is the tip of a chain that was parented the wrong way round, as tails are, the chain is
    turned round, see :func:`_back_to`.

    Parameters
    ----------
    parents : (n,)
        Indices, -1 for none.
    heads, tails : (n, 3)
        Rest positions, in any unit.
    deforms : (n,)
        Which bones deform something; if none does, all bones are taken.

    Returns
    -------
    tuple[list[int], list[int]]
        The indices, rising; and for each the place of its parent in this first list, -1 for
        none.
    """
    kept = [int(i) for i in np.flatnonzero(deforms)] or list(range(len(parents)))
    place = {old: new for new, old in enumerate(kept)}
    points = heads[kept]
    near = SAME_PLACE * float(np.linalg.norm(np.ptp(points, axis=0))) if kept else 0.0
    carriers = [next((place[i] for i in _up(parents, old) if i in place), -1) for old in kept]
    loose = [i for i, carrier in enumerate(carriers) if carrier < 0 and parents[kept[i]] >= 0]
    sizes = _sizes(carriers)
    for tip in loose:
        for control in _up(parents, kept[tip]):
            gaps = np.linalg.norm(points - heads[control], axis=1)
            candidates = sorted((int(i) for i in np.flatnonzero(gaps <= near)), key=lambda i: (-sizes[i], i))
            body = next((i for i in candidates if i != tip and tip not in _up(carriers, i)), -1)
            if body >= 0:
                carriers[tip] = body
                chain = _back_to(body, tip, carriers, points, tails[kept], near)
                for bone, below in zip((body, *chain), chain, strict=False):
                    carriers[below] = bone
                break
    return kept, carriers


def _back_to(
    body: int, tip: int, carriers: Sequence[int], heads: Array, tails: Array, near: float
) -> list[int]:
    """Return a chain of bones that is parented the wrong way round, from the body out to its tip: its topmost
    parent is the tip, and its last child's tail is where the body's bone begins.

    The last child comes first and tip last; body is not among them. From tip the chain goes on to the one
    child whose head lies at its bone's tail, and ends where there is none or more than one. carriers: the
    parent of each bone. heads, tails: (n, 3). near: how far apart joints may be that coincide. Return []
    where the chain's last tail is not at the body's head, or the tip's head is there, too.
    """
    chain = [tip]
    while True:
        after = [i for i, carrier in enumerate(carriers) if carrier == chain[-1]]
        joined = [i for i in after if np.linalg.norm(heads[i] - tails[chain[-1]]) <= near]
        if len(joined) != 1:
            break
        chain.append(joined[0])
    ends = np.linalg.norm(tails[chain[-1]] - heads[body]) <= near
    begins = np.linalg.norm(heads[tip] - heads[body]) <= near
    return chain[::-1] if ends and not begins else []


def _up(parents: Sequence[int], bone: int) -> Iterator[int]:
    """Yield the bones above one, the nearest first."""
    while (bone := parents[bone]) >= 0:
        yield bone


def _sizes(parents: Sequence[int]) -> list[int]:
    """Return how many bones each bone carries, at any depth, itself included. parents: (n,) indices, -1 for
    none.
    """
    sizes = [1] * len(parents)
    for bone in range(len(parents)):
        for above in _up(parents, bone):
            sizes[above] += 1
    return sizes


def branch_ends(tree: BoneTree) -> dict[int, list[int]]:
    """Return the bones that end each branch, by the joint with which the end begins: hands, feet, or single
    tips.

    From the top down, a bone begins an end if it has no children, or is an end by :func:`_is_small`,
    :func:`_is_fan` or :func:`_holds`; nothing below it begins another. A value is a list: the joint first,
    then all that it carries, level by level.

    Then, from the bottom up, where all of a bone's two or more children begin ends, these are joined by
    :func:`_join`. The bone may become the joint of one end of all, or an end may be added behind the list of
    another. The node that stands for several topmost bones joins nothing.

    Keys are in the order of the tree, joined ones last. A tree without bones gives {}.
    """
    ends: dict[int, list[int]] = {}
    for bone in tree.order:
        if any(above in ends for above in tree.above(bone)):
            continue
        if not tree.children[bone] or _is_small(tree, bone) or _is_fan(tree, bone) or _holds(tree, bone):
            ends[bone] = tree.below(bone)
    for bone in reversed(tree.order):
        children = tree.children[bone]
        if len(children) > 1 and tree.is_bone(bone) and all(child in ends for child in children):
            _join(tree, bone, ends)
    return ends


def _is_fan(tree: BoneTree, bone: int) -> bool:
    """Tell whether a bone is the palm or sole from which three or more fingers or toes leave.

    All of its children must begin within 0.05 of the span of its head, and neither they nor what they carry
    may branch. The bone itself may be 1.5 times as large as other hands and feet: its reach must be at most
    0.21 of the span, and at most 0.4 of its limb, which is its `branch` plus its reach.
    """
    fingers = tree.children[bone]
    if len(fingers) < FINGERS or max(tree.segments[fingers]) > NEAR * tree.span:
        return False
    lines = all(len(tree.children[joint]) <= 1 for finger in fingers for joint in tree.below(finger))
    return lines and _reaches_little(tree, bone, FAN)


def _reaches_little(tree: BoneTree, bone: int, times: float = 1.0) -> bool:
    """Tell whether a bone, with what it carries, is no longer than a hand or foot that begins with it may be:
    `times` 0.14 of the span, and 0.4 of the limb that it ends.
    """
    reach = float(tree.reach[bone])
    # few are as short as that; to follow the limb of each would take long in a long chain
    return reach <= times * HAND_SIZE * tree.span and reach <= PART * (tree.branch(bone) + reach)


def _is_small(tree: BoneTree, bone: int) -> bool:
    """Tell whether a bone, with what it carries, is as small as a hand or a foot.

    Its reach must be at most 0.14 of the span, and at most 0.4 of its limb, which is its `branch` plus its
    reach. It must not be a half of a longer bone, see :func:`_is_a_half`. And one of these must hold: three
    or more of its parent's children, itself included, reach no further than 0.14 of the span; three or more
    last bones are below it; or its joint_reach is at most 0.09 of the span.
    """
    if not _reaches_little(tree, bone):
        return False
    # fingers may lack a common palm
    beside = tree.children[tree.parents[bone]] if tree.parents[bone] >= 0 else []
    fingers = [below for below in beside if tree.reach[below] <= HAND_SIZE * tree.span]
    tips = [below for below in tree.below(bone) if not tree.children[below]]
    many = max(len(fingers), len(tips)) >= FINGERS
    return (many or tree.joint_reach[bone] <= BENDS * tree.span) and not _is_a_half(tree, bone)


def _holds(tree: BoneTree, bone: int) -> bool:
    """Tell whether a bone carries only one bone, long and without children, that begins close by: a hand with
    a sword.

    Close is within 0.05 of the span, long is more than 0.14 of it. A topmost bone holds nothing.
    """
    held = tree.children[bone]
    if len(held) != 1 or tree.children[held[0]] or tree.parents[bone] < 0:
        return False
    return bool(tree.segments[held[0]] <= NEAR * tree.span and tree.reach[held[0]] > HAND_SIZE * tree.span)


def _is_a_half(tree: BoneTree, bone: int) -> bool:
    """Tell whether a bone and the one above or below are halves of one, as those of a forearm that twists may
    be.

    Compared are ways from head to head, as vectors: from the parent to the bone with that from the bone to
    any of its children; and, if it has only one child, the way to that with the way from there to any
    grandchild. Two ways are halves if their difference is no longer than 0.05 of the first one; two ways
    without a length are, too.
    """
    after = tree.children[bone]
    lines = [(tree.parents[bone], bone, child) for child in after]
    if len(after) == 1:
        lines += [(bone, after[0], child) for child in tree.children[after[0]]]
    for line in lines:
        if line[0] >= 0:
            first, second = np.diff(tree.heads[list(line)], axis=0)
            if np.linalg.norm(first - second) <= HALVES * np.linalg.norm(first):
                return True
    return False


def _join(tree: BoneTree, bone: int, ends: dict[int, list[int]]) -> None:
    """Join ends that have the same parent and nearly the same place, as fingers do; change `ends` in place.

    ends: the bones of each end, by its joint; all children of `bone` must be in it.

    If two or more children begin within 0.05 of the span of the parent's head, the ends of all children are
    taken out, and the parent becomes the joint of one end with all that it carries. Otherwise the best end
    takes in each other one whose joint is within 0.14 of the span of its own joint: their bones are added
    behind its own, child by child, and their keys are taken out. The rest stays.

    The best end has most bones; of equal ones the longest segment, rounded to 0.01 of the span; then the one
    whose mean of heads is nearest to the mean of all ends' means; then the first child.
    """
    children = tree.children[bone]
    near = [child for child in children if tree.segments[child] <= NEAR * tree.span]
    if len(near) > 1:
        for child in children:
            del ends[child]
        ends[bone] = tree.below(bone)
        return
    tips = {child: tree.heads[ends[child]].mean(axis=0) for child in children}
    middle = np.mean(list(tips.values()), axis=0)

    def rank(child: int) -> tuple[int, float, float]:
        far = round(float(tree.segments[child] / tree.span), 2)
        return len(ends[child]), far, -float(np.linalg.norm(tips[child] - middle))

    best = max(children, key=rank)
    for child in children:
        gap = np.linalg.norm(tree.heads[child] - tree.heads[best])
        if child != best and gap <= HAND_SIZE * tree.span:
            ends[best] = ends[best] + ends.pop(child)
