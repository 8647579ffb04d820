# SPDX-License-Identifier: GPL-3.0-or-later
"""How one bone's offset at the cut decays, and what offsets like it cost."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from ...blender.cost.sides import seen
from ...motion.arrays import Array
from ...motion.decay import decay, displacement
from ...motion.decay.decay import Method
from ...settings.methods import METHOD_ITEMS
from ..shared import cache, labels
from .costs import Costs
from .model import DecayCurve, Offsets, Valley

SAMPLES = 160
"""Points of a curve."""
CELLS = 97
"""Cells of a valley in each direction; odd, so that zero has one."""
SPRING_HALF_LIVES = 5.0
"""How long a spring is shown."""


def of_bone(armature: Any, found: Costs, bone: str) -> Offsets | None:
    """A bone's offset at the settings' meeting; None when the clips know no such bone."""
    motion = found.evaluated.source
    if bone not in motion.names:
        return None
    settings = found.settings
    key = (
        *(found.evaluated, bone, found.cut, found.destination_frame),
        *(settings.decay, settings.quintic_start, settings.frames(found.compared.fps), settings.half_life),
        settings.velocity,
    )

    def compute() -> Offsets:
        x, v = _difference(found, motion.names.index(bone))
        return Offsets(labels.bone(armature, bone), decay_curves(found, x, v), valley(found, x, v))

    return cache.answer("offsets", armature, key, compute)


def _difference(found: Costs, joint: int) -> tuple[Array, Array]:
    """A joint's difference in position and velocity (3,), in character space: source less destination."""
    evaluated, fps = found.evaluated, found.compared.fps
    here, there = seen(evaluated.alignment, (evaluated.source, evaluated.destination), [joint])
    source, destination = here.at(found.cut, fps), there.at(found.destination_frame, fps)
    velocity = source.velocities[0, 0].copy()
    if found.settings.velocity == "RELATIVE":
        velocity -= destination.velocities[0, 0]
    return source.positions[0, 0] - destination.positions[0, 0], velocity


def along(x: Array, v: Array) -> tuple[float, float]:
    """An offset and its rate along its own direction; without an offset, along its rate."""
    size = float(np.linalg.norm(x))
    if size > 0.0:
        return size, float(v @ x) / size
    return 0.0, float(np.linalg.norm(v))


def decay_curves(found: Costs, x: Array, v: Array) -> tuple[DecayCurve, ...]:
    """The decay under each method that has a curve, with the settings' times."""
    settings = found.settings
    position, velocity = along(x, v)
    curves = []
    for name, label, *_ in METHOD_ITEMS:
        one_of = dataclasses.replace(settings, method=name)
        method, seconds = one_of.decay, one_of.seconds(found.compared.fps)
        if method is None:
            continue
        end = SPRING_HALF_LIVES * seconds if method is Method.SPRING else seconds
        t = np.linspace(0.0, end, SAMPLES)
        one = decay.make(method, [position], [velocity], seconds)
        crossing = float(displacement.crossings(method, position, velocity, seconds)[0])
        peak = displacement.peak(method, position, velocity, seconds)
        curves.append(
            DecayCurve(
                label,
                t,
                decay.evaluate(one, [position], [velocity], t)[..., 0],
                None if np.isnan(crossing) else crossing,
                float(displacement.displacement(method, position, velocity, seconds)),
                (float(peak[0]), float(peak[1])),
                chosen=settings.method == name,
            )
        )
    return tuple(curves)


def valley(found: Costs, x: Array, v: Array) -> Valley:
    """What offsets cost over position and velocity, wide enough to hold the bone's own."""
    # dead blending has no curve of an offset: shown is what the quintic would do in its time
    method, seconds = found.compared.method or Method[found.settings.quintic_start], found.compared.seconds
    of_position, of_velocity = displacement.feature_weights(method, seconds)
    per_velocity = float(of_velocity / of_position)
    reach = 1.25 * max(float(np.abs(x).max()), float(np.abs(v).max()) * per_velocity, 0.02)
    positions = np.linspace(-reach, reach, CELLS)
    velocities = positions / per_velocity
    grid = np.meshgrid(positions, velocities)
    return Valley(
        positions,
        velocities,
        displacement.displacement(method, *grid, seconds),
        np.abs(of_position * grid[0] + of_velocity * grid[1]),
        tuple((float(a), float(b)) for a, b in zip(x, v, strict=True)),
    )
