# SPDX-License-Identifier: GPL-3.0-or-later
"""Where soles are by the mesh that feet carry: what stands, where the ends of bones point anywhere."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np

from ...motion.arrays import Array
from ...motion.feet.legs import Leg
from ..data import rigs

VERTICES = 20000
"""At most so many vertices of a mesh are looked at."""
CARRIED = 0.5
"""A vertex is a foot's whose bones weigh this much there, of all that weighs."""
FEWEST = 6
"""Fewer vertices are no foot."""
LOW = 0.2
"""The sole is what of a foot is no higher than this part of its length above its lowest place."""


def feet(armature: Any, legs: Sequence[Leg]) -> list[Array]:
    """The vertices (n, 3) of each leg's foot at rest, in the armature's space; none where no mesh tells."""
    families = [_family(armature, leg) for leg in legs]
    found: list[list[Array]] = [[] for _ in legs]
    for thing in bpy.data.objects:
        if thing.type != "MESH" or thing.find_armature() != armature:
            continue
        groups = thing.vertex_groups.keys()
        whose = [{i for i, name in enumerate(groups) if name in family} for family in families]
        if not any(whose):
            continue
        space = np.array(armature.matrix_world.inverted_safe() @ thing.matrix_world, float)
        vertices = thing.data.vertices
        for vertex in itertools.islice(vertices, 0, None, -(-len(vertices) // VERTICES) or 1):
            weights = {each.group: each.weight for each in vertex.groups}
            least = CARRIED * sum(weights.values())
            for own, places in zip(whose, found, strict=True):
                carried = sum(weight for group, weight in weights.items() if group in own)
                if carried > 0.0 and carried >= least:
                    places.append(space @ (*vertex.co, 1.0))
    return [np.array(places, float).reshape(-1, 4)[:, :3] for places in found]


def _family(armature: Any, leg: Leg) -> set[str]:
    bone = armature.data.bones[leg.foot]
    return {bone.name, *(child.name for child in bone.children_recursive)}


def sole(armature: Any, leg: Leg, places: Array, axis: int, sign: float) -> tuple[Array, Array] | None:
    """The heel and the tip (3,) of a foot's sole, by its vertices (n, 3): the ends of it, along its length.

    axis, sign: of the armature that points up. None where vertices don't tell.
    """
    if len(places) < FEWEST:
        return None
    flat = [i for i in range(3) if i != axis]
    heights = sign * places[:, axis]
    low = places[heights <= heights.min() + LOW * np.ptp(places, axis=0).max()]
    middle = low[:, flat].mean(axis=0)
    _, spread, axes = np.linalg.svd(low[:, flat] - middle, full_matrices=False)
    if len(low) < 2 or spread[0] <= 0.0:
        return None
    ankle = rigs.bones(armature).rest[leg.foot][flat, 3]
    along = axes[0] if (middle - ankle) @ axes[0] >= 0.0 else -axes[0]
    reach = (low[:, flat] - middle) @ along
    ends = np.empty((2, 3))
    ends[:, axis] = sign * heights.min()
    ends[:, flat] = middle + np.array([[reach.min()], [reach.max()]]) * along
    return ends[0], ends[1]
