# SPDX-License-Identifier: GPL-3.0-or-later
"""How much larger or smaller a skeleton plays than it is at rest.

Where clips key the location of every bone, as some captures do, the rest pose may be in another unit than
the clips: a person of 1.7 m whose bones are 40 m long at rest. What is measured of a character is measured of
what is seen.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import bpy
import numpy as np
from mathutils import Vector

from ...motion.arrays import Array
from . import compat, rig

LEAST = 1.5
"""A skeleton plays in another size from this factor on; bones that stretch make less of a difference."""
ALIKE = 0.7
"""So many of the bones that are keyed, as a part of all below another, have about the same factor ..."""
SPREAD = 1.3
"""... which is at most so many times as large or small as that of the median."""
ACTIONS = 2
"""So many actions are looked at, those with most curves."""
KEPT = 64

_known: dict[Hashable, float] = {}
"""What was found of the last armatures: it is asked for often, and takes a while with many curves."""


def factor(armature: Any) -> float:
    """Return how many times as large as at rest an armature is in its clips; 1.0 where these don't say so.

    The action that is assigned to it decides, if it has curves; else, of the two actions of the file with
    most curves, the one with more, or, if that says 1, the other. A clip is measured at its action's first
    frame only. Answers are kept, of the last 64, by armature, number of bones, the actions and their numbers
    of curves, so that edited keys alone don't change them.
    """
    own = compat.assigned(armature)[0]
    actions = [own] if own is not None and _curve_count(own) else list(bpy.data.actions)
    counts = {action: _curve_count(action) for action in actions}
    most = sorted(counts, key=lambda action: (-counts[action], action.name))[:ACTIONS]
    bones = len(armature.data.bones)
    key = (armature.session_uid, bones, *((action.session_uid, counts[action]) for action in most))
    if key not in _known:
        while len(_known) >= KEPT:
            del _known[next(iter(_known))]
        factors = [_factor_in(armature, action) for action in most]
        _known[key] = next((found for found in factors if found != 1.0), 1.0)
    return _known[key]


def _curve_count(action: Any) -> int:
    return sum(len(compat.curves(action, slot.identifier)) for slot in compat.slots(action))


def _factor_in(armature: Any, action: Any) -> float:
    """Return how many times as large as at rest an armature is at the first frame of an action; 1.0 if that
    is not clear.

    It is the median, over bones, of the distance of a bone's head from its parent's head, divided by that at
    rest. Bones count that have a parent, are not at its head at rest, are not connected, and whose location
    is keyed. It is 1.0 in each of these cases: the bones within a factor of 1.3 of the median are less than
    70 % of all that have a parent and are not at its head at rest; the median lies between 1 / 1.5 and 1.5,
    ends excluded; it is not above 1e-6 and below 1e6.
    """
    bones = armature.data.bones
    locations = _first_locations(action)
    ratios, below = [], 0
    for bone in bones:
        if bone.parent is None:
            continue
        rest = bone.parent.matrix_local.inverted_safe() @ bone.matrix_local
        length = rest.translation.length
        if length <= 0.0:
            continue
        below += 1
        if bone.name in locations and not bone.use_connect:
            place = rest @ Vector(locations[bone.name])
            ratios.append(place.length / length)
    if not ratios or len(ratios) < ALIKE * below:
        return 1.0
    median = float(np.median(ratios))
    alike = np.abs(np.log(np.maximum(ratios, 1e-9) / max(median, 1e-9))) <= np.log(SPREAD)
    if alike.sum() < ALIKE * below or not 1e-6 < median < 1e6:
        return 1.0
    return median if not 1.0 / LEAST < median < LEAST else 1.0


def _first_locations(action: Any) -> dict[str, Array]:
    """Return the keyed location (3,) of each bone at an action's first frame, by bone name; bones without a
    location curve are left out.

    These are the values of the curves at ``curve_frame_range[0]``, along the bones' own rest axes in the
    armature's units; an axis that is not keyed is 0. Muted curves count, and all slots do: where several key
    one axis of a bone, the last slot's value of it is taken.
    """
    first = float(action.curve_frame_range[0])
    locations: dict[str, Array] = {}
    for slot in compat.slots(action):
        for curve in compat.curves(action, slot.identifier):
            name, prop = rig.split_path(curve.data_path)
            if name is not None and prop == "location":
                locations.setdefault(name, np.zeros(3))[curve.array_index] = curve.evaluate(first)
    return locations
