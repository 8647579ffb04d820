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
        """Set segments, reach, joint_reach, span, floor and stem, as the class describes them.

        Lengths are along the bones, in the unit of heads. A lone bone that hangs from the stem, such as an IK
        target, counts neither for the span, unless nothing else hangs there, nor does the stem for the floor,
        but for a bone that forks. A last bone without a length is no joint.
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

        Branches are what is left when from every fork on the longest way down belongs to the bone above. The
        way along the bones counts, but no more than twice the straight one: bones run around faces. The
        longest branch begins at the top of the tree.
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

    glTF says only where joints are: a person may come with bones of 44 m. A bone counts as guessed if it is
    more than 3 times as long as the way to its furthest child (of a last bone: from its parent), or if it is
    a last bone as long as the bone it hangs from and not clearly shorter than that way. Where that way is 0
    or missing, 0.14 of the diagonal of the heads' bounding box stands for it.

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
        A new array. A guessed bone keeps its direction and gets 0.25 of that way as its
        length.
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

    Generated rigs have a skeleton of control bones beside the one that deforms: a bone that hangs from a
    control bone gets as its parent what deforms at the same place, or at that of a bone further above. A
    chain that begins at its tip, as their tails do, is turned round.

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

    The topmost joint counts from which all lies within a hand's length, or where fingers or toes fan out, or
    that holds something long; a bone without children ends its branch in any case. A value is a list: the
    joint first, then all that it carries, level by level. Where all children of a bone are such ends, near
    ones, as fingers, are joined, see :func:`_join`: the list of another end may then be behind that of the
    joint.
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
    """Tell whether 3 bones or more leave a bone nearby, within 0.05 of the span, all chains that do not
    branch and reach little.

    So do fingers and toes, and what they leave may be 1.5 times as large as other hands and feet: it may
    reach as far as 0.21 of the span, but no further than 0.4 of its limb.
    """
    fingers = tree.children[bone]
    if len(fingers) < FINGERS or max(tree.segments[fingers]) > NEAR * tree.span:
        return False
    lines = all(len(tree.children[joint]) <= 1 for finger in fingers for joint in tree.below(finger))
    return lines and _reaches_little(tree, bone, FAN)


def _reaches_little(tree: BoneTree, bone: int, times: float = 1.0) -> bool:
    """Tell whether a bone, with what it carries, is no longer than a hand or foot that begins with it may
    be.
    """
    reach = float(tree.reach[bone])
    # few are as short as that; to follow the limb of each would take long in a long chain
    return reach <= times * HAND_SIZE * tree.span and reach <= PART * (tree.branch(bone) + reach)


def _is_small(tree: BoneTree, bone: int) -> bool:
    """Tell whether a bone, with what it carries, is as small as a hand or a foot.

    It reaches no further than 0.14 of the span and 0.4 of its limb. It also has 3 tips or fingers beside it,
    or no joint further than 0.09 of the span, and is no half of a longer bone.
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

    Halves go the same way and are as long, within 0.05 of the first one. Their lengths are from head to head.
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
    """Make one end of several that have the same parent and nearly the same place, as fingers do; changes
    `ends`.

    ends: bones of each end, by its joint; all children of `bone` must be in it. Where two or more children
    begin within 0.05 of the span of their parent, the parent becomes the one end. Else ends within 0.14 of
    the span of the best one are added to it: that with most bones, then with the longest segment, then
    nearest to the middle of all.
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
