# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a skeleton's branches end: its hands, feet, heads and tips, a joint for each."""

from __future__ import annotations

import numpy as np

from .bone_tree import Tree

# Parts of the skeleton's span.
SMALL = 0.14
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


def branch_ends(tree: Tree) -> dict[int, list[int]]:
    """The ends of all branches, by their joint: all bones that are no further from it than a hand is long."""
    found: dict[int, list[int]] = {}
    for bone in tree.order:
        if any(above in found for above in tree.above(bone)):
            continue
        if not tree.children[bone] or _is_small(tree, bone) or _is_fan(tree, bone) or _holds(tree, bone):
            found[bone] = tree.below(bone)
    for bone in reversed(tree.order):
        children = tree.children[bone]
        if len(children) > 1 and tree.is_bone(bone) and all(child in found for child in children):
            _join(tree, bone, found)
    return found


def _is_fan(tree: Tree, bone: int) -> bool:
    """Whether fingers or toes leave from a bone, and nothing else: so it may be larger than others."""
    fingers = tree.children[bone]
    if len(fingers) < FINGERS or max(tree.segments[fingers]) > NEAR * tree.span:
        return False
    lines = all(len(tree.children[one]) <= 1 for finger in fingers for one in tree.below(finger))
    return lines and _reaches_little(tree, bone, FAN)


def _reaches_little(tree: Tree, bone: int, times: float = 1.0) -> bool:
    """Whether a bone, with what it carries, is no longer than a hand or foot that begins with it may be."""
    reach = float(tree.reach[bone])
    # few are as short as that; to follow the limb of each would take long in a long chain
    return reach <= times * SMALL * tree.span and reach <= PART * (tree.branch(bone) + reach)


def _is_small(tree: Tree, bone: int) -> bool:
    """Whether a bone, with what it carries, is as small as a hand or a foot."""
    if not _reaches_little(tree, bone):
        return False
    # fingers may lack a common palm
    beside = tree.children[tree.parents[bone]] if tree.parents[bone] >= 0 else []
    fingers = [one for one in beside if tree.reach[one] <= SMALL * tree.span]
    tips = [one for one in tree.below(bone) if not tree.children[one]]
    many = max(len(fingers), len(tips)) >= FINGERS
    return (many or tree.joint_reach[bone] <= BENDS * tree.span) and not _is_a_half(tree, bone)


def _holds(tree: Tree, bone: int) -> bool:
    """Whether all that a bone carries is a long one that begins close to it, as a sword in a hand does."""
    held = tree.children[bone]
    if len(held) != 1 or tree.children[held[0]] or tree.parents[bone] < 0:
        return False
    return bool(tree.segments[held[0]] <= NEAR * tree.span and tree.reach[held[0]] > SMALL * tree.span)


def _is_a_half(tree: Tree, bone: int) -> bool:
    """Whether a bone and the one before or after it are halves of one, as a forearm's that twists may be."""
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


def _join(tree: Tree, bone: int, found: dict[int, list[int]]) -> None:
    """Make one end of several that have the same parent and nearly the same place, as fingers do.

    It is the parent's, such as a hand's, where that is as near; else that of the most central one.
    """
    children = tree.children[bone]
    near = [child for child in children if tree.segments[child] <= NEAR * tree.span]
    if len(near) > 1:
        for child in children:
            del found[child]
        found[bone] = tree.below(bone)
        return
    tips = {child: tree.heads[found[child]].mean(axis=0) for child in children}
    middle = np.mean(list(tips.values()), axis=0)

    def rank(child: int) -> tuple[int, float, float]:
        far = round(float(tree.segments[child] / tree.span), 2)
        return len(found[child]), far, -float(np.linalg.norm(tips[child] - middle))

    best = max(children, key=rank)
    for child in children:
        gap = np.linalg.norm(tree.heads[child] - tree.heads[best])
        if child != best and gap <= SMALL * tree.span:
            found[best] = found[best] + found.pop(child)
