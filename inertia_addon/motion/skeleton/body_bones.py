# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bones are a body's: those that move a mesh, and those between, above and below them that move none.

Weights alone do not tell. A mesh may be bound to twist bones, or be a head and two hands, and then the bones
of limbs move nothing and are joints all the same. Control bones move nothing either, so that where a bone
hangs, what it is called and what lies at the same place have to speak for it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays import Array, Flags
from .naming import ARM, FOOT, GROWN, HAND, HELD, HIPS, LEG, MACHINE, ROOT, Label, label

SAME_PLACE = 0.005
"""Bones begin at the same place that are no further apart than this part of the rig's size."""
GROUND = 0.05
"""A bone is as low as another that is higher by no more than this part of the body's height."""
LIMBS = (LEG, ARM, FOOT, HAND)
"""Parts that make a body's of a bone of a side, wherever it hangs."""
NO_BODY = ("", ROOT, HELD, MACHINE, GROWN)
"""Parts that do not make a body's of a bone that hangs from the very top: there are control bones, too."""


def find(names: Sequence[str], parents: Sequence[int], heads: Array, weighted: Flags, may: Flags) -> Flags:
    """Return which bones are of the body that some bones with weights belong to.

    A bone with weights always belongs. Of the others, one that `may` allows, that is no control by its name,
    and that does not begin where a bone with weights does (other than a partial one, such as a twist) belongs

    - if its name is that of a leg, an arm, a foot or a hand, with its side;
    - if a bone with weights hangs from it, at any depth, and it hangs from a bone of the body
      itself, is called hips, or has several such branches and is more than 5 % of the body's
      height above its lowest bone;
    - if none with weights hangs from it, but it hangs from a bone of the body and is not called
      something held; from a topmost bone only if its name is that of a part of bodies, not of a
      root, a machine, hair and the like, and not one without meaning.

    The body's height and lowest bone are taken over the heads of bones with weights and of those that hang
    from these and `may` belong, as above. A parent is judged before its children.

    Parameters
    ----------
    names : (n,)
        The bones' names.
    parents : (n,)
        Indices, -1 for none, in any order.
    heads : (n, 3)
        Rest positions, Z up, in any unit.
    weighted : (n,)
        Which bones move something.
    may : (n,)
        Which bones are meant to; another one without weights never belongs.

    Returns
    -------
    Flags (n,)
        A new array.
    """
    labels = [label(name) for name in names]
    doubled = _doubled(labels, heads, weighted)
    may_belong = [bool(may[i]) and not (doubled[i] or labels[i].is_control) for i in range(len(names))]
    order = _parents_first(parents)
    body = np.array(weighted, bool)
    carries, carried = body.copy(), body.copy()
    branches = np.zeros(len(names), int)
    for bone in reversed(order):
        if parents[bone] >= 0 and carries[bone]:
            carries[parents[bone]] = True
            branches[parents[bone]] += 1
    for bone in order:
        carried[bone] |= parents[bone] >= 0 and carried[parents[bone]] and may_belong[bone]
    lowest = _floor(heads[carried, 2])
    for bone in order:
        if body[bone] or not may_belong[bone]:
            continue
        above, part = parents[bone], labels[bone].part
        hangs_from_it = above >= 0 and bool(body[above])
        if labels[bone].side and part in LIMBS:
            body[bone] = True
        elif carries[bone]:
            is_fork = branches[bone] > 1 and heads[bone, 2] > lowest
            body[bone] = hangs_from_it or is_fork or part == HIPS
        elif hangs_from_it:
            # control bones hang from a topmost bone, and what is held from a hand
            body[bone] = part != HELD and (parents[above] >= 0 or part not in NO_BODY)
    return body


def _floor(heights: Array) -> float:
    """Return the height up to which a bone is as low as the lowest of a body. heights: (n,) of its bones."""
    return float(heights.min() + GROUND * np.ptp(heights)) if len(heights) else 0.0


def _doubled(labels: Sequence[Label], heads: Array, weighted: Flags) -> Flags:
    """Return which bones (n,) begin where a bone with weights does that is no partial one, such as a twist,
    by name.

    Those bones themselves are among them. Places are the same within 0.005 of the diagonal of the rig's
    bounding box.
    """
    whole = [int(i) for i in np.flatnonzero(weighted) if not labels[int(i)].is_partial]
    near = SAME_PLACE * float(np.linalg.norm(np.ptp(heads, axis=0))) if len(heads) else 0.0
    doubled = np.zeros(len(heads), bool)
    for bone in whole:
        doubled |= np.linalg.norm(heads - heads[bone], axis=1) <= near
    return doubled


def _parents_first(parents: Sequence[int]) -> list[int]:
    """Return the indices of all bones, each after the one that it hangs from: topmost first, level by level.

    parents: (n,) indices, -1 for none.
    """
    children: list[list[int]] = [[] for _ in parents]
    for bone, above in enumerate(parents):
        if above >= 0:
            children[above].append(bone)
    order = [bone for bone, above in enumerate(parents) if above < 0]
    for bone in order:
        order.extend(children[bone])
    return order
