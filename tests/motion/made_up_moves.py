# SPDX-License-Identifier: GPL-3.0-or-later
"""A tiny character that walks in curves: hips, a chest and two feet, as networks learn from it."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from inertia_addon.motion import quaternion
from inertia_addon.motion.learned import material
from inertia_addon.motion.learned.material import Material
from inertia_addon.motion.learned.model import Model, ModelSkeleton
from inertia_addon.motion.learned.training import Training
from inertia_addon.motion.matching import engine
from inertia_addon.motion.matching.engine import Exported, Poses
from inertia_addon.motion.steps import finish
from inertia_addon.settings.learned import LearnSettings

Array = NDArray[np.float64]

PARENTS = (-1, 0, 0, 0)
NAMES = ("hips", "chest", "foot.L", "foot.R")
SKELETON = ModelSkeleton(NAMES, PARENTS, NAMES[2:], "hips")
HIPS, LEFT, RIGHT = 1, 3, 4


def clip(frames: int = 240, speed: float = 1.2, turn: float = 0.0, pace: float = 1.6) -> Poses:
    """A walk, metres a second, that turns by radians a second; pace: strides a second."""
    at = np.arange(frames) / engine.FPS
    heading, phase = turn * at, 2.0 * np.pi * pace * at
    way = np.cumsum(np.stack([np.cos(heading), np.sin(heading)], axis=1), axis=0) * speed / engine.FPS
    aside = np.stack([-np.sin(heading), np.cos(heading)], axis=1)
    ahead = np.stack([np.cos(heading), np.sin(heading)], axis=1)
    turned = quaternion.exp(heading[:, None] * (0.0, 0.0, 1.0))
    places, turns = [], []
    for height, side, swing in ((0.9, 0.0, 0.0), (1.5, 0.0, 0.0), (0.1, 0.1, 0.0), (0.1, -0.1, np.pi)):
        is_foot = height < 0.5
        sway = is_foot * 0.25 * np.sin(phase + swing)
        up = (
            height
            + is_foot * 0.05 * (1.0 + np.cos(phase + swing))
            + (not is_foot) * 0.02 * np.sin(2.0 * phase)
        )
        ground = way + aside * side + ahead * sway[:, None]
        places.append(np.column_stack([ground, up]))
        tilt = quaternion.exp((0.2 * np.sin(phase + swing))[:, None] * (0.0, 1.0, 0.0))
        turns.append(quaternion.multiply(turned, tilt))
    contacts = np.stack([np.cos(phase + swing) < 0.0 for swing in (0.0, np.pi)], axis=1)
    root = np.column_stack([way, heading])
    return Poses(np.stack(places, axis=1), np.stack(turns, axis=1), root, contacts)


def exported(*clips: Poses) -> Exported:
    """Clips as networks learn them; by default three of different speeds and turns."""
    some = clips or (clip(), clip(speed=0.8, turn=0.6, pace=1.2), clip(speed=1.0, turn=-0.7))
    return engine.exported(some, PARENTS)


@functools.cache
def learned_from(kind: type = np.float32) -> Material:
    """The material of the three clips."""
    made = exported()
    return material.gathered(made, engine.features(made, LEFT, RIGHT, HIPS), ("walk", "left", "right"), kind)


def settings(**values: object) -> LearnSettings:
    """Settings of a small and short training."""
    return LearnSettings(**{"hidden": 24, "latent": 4, "windows": 8, "iterations": 40, **values})  # type: ignore[arg-type]


def training(**values: object) -> Training:
    """A small training of the material, not begun."""
    return Training(learned_from(), settings(**values), SKELETON)


@functools.cache
def model() -> Model:
    """What a short training makes of the material: it is half a centimetre off."""
    return finish(training(iterations=400, rate=0.004).steps())
