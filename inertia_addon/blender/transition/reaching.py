# SPDX-License-Identifier: GPL-3.0-or-later
"""Moves controls until bones are somewhere, on rigs of which only Blender knows what moves what."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import numpy as np

from ...motion import least_squares, quaternion
from ...motion.arrays import Array
from ..evaluation.controls import Stage

NUDGE = 0.01
"""Controls are moved by this part of the character's size, and so many radians, to see what comes along."""
STEP = 0.2
"""So far, in the same units, all of them together go in one round."""
MOVES = 0.02
"""Bones that go along by this part of a nudge are moved by a control."""
TURN = 0.1
"""A turn of so many radians counts as much as a way of the character's size in hundredths."""
ROUNDS = 40
"""So many steps, at most, are taken towards where bones shall be."""


def reach(
    stage: Stage,
    wanted: Mapping[str, Array],
    bones: Iterable[str],
    goals: Mapping[str, Array],
    moved: Collection[str],
    turned: Collection[str],
    close: float,
) -> tuple[str, ...]:
    """Pose controls so that bones are where they shall be, as nearly as they can be; returns those that move.

    wanted: by name, where all bones that are seen shall be (4, 4), in the armature's space; those that are
    not among ``bones`` are there already, and controls that would move them stay. goals: by bone that IK
    reaches for, where its head shall be (3,), which leads out of where a limb is stretched. moved, turned:
    controls whose location and whose rotation may change, by name. close: lengths in the armature's units
    below which a bone is there.
    """
    aims = _Aims(stage, wanted, tuple(bones), goals, close)
    axes = {
        name: [axis for axis in _free(stage, name) if name in (moved if axis < 3 else turned)]
        for name in dict.fromkeys((*moved, *turned))
    }
    moving = tuple(name for name, free in axes.items() if aims.is_led_by(name, free))
    before = {name: stage.own(name) for name in moving}
    free = [(name, axis) for name in moving for axis in axes[name]]
    if not free:
        return ()

    def pose(x: Array) -> Array:
        moves: dict[str, Array] = {name: np.zeros(6) for name in moving}
        for (name, axis), value in zip(free, x.tolist(), strict=True):
            moves[name][axis] = value
        stage.pose_all({name: _moved(before[name], move, aims.size) for name, move in moves.items()})
        return aims.residual()

    found = least_squares.solve(pose, np.zeros(len(free)), NUDGE, STEP, close / aims.size, ROUNDS)
    pose(found)
    return moving


class _Aims:
    """Where bones shall be.

    wanted: see :func:`reach`. size: of the character, from where its bones are.
    """

    def __init__(
        self,
        stage: Stage,
        wanted: Mapping[str, Array],
        bones: tuple[str, ...],
        goals: Mapping[str, Array],
        close: float,
    ) -> None:
        self.stage, self.bones, self.goals = stage, bones, goals
        self.places = np.array([wanted[name] for name in bones]).reshape(-1, 4, 4)
        self.others = tuple(name for name in wanted if name not in bones)
        heads = np.array([place[:3, 3] for place in wanted.values()])
        self.size = max(float(np.linalg.norm(np.ptp(heads, axis=0))), close, 1e-9)

    def residual(self) -> Array:
        """How far bones are from there (9 bones + 3 goals,): places in sizes of the character, and axes, of
        length 1, in parts of TURN."""
        off = np.array([self.stage.matrix(name) for name in self.bones]) - self.places
        lengths = np.linalg.norm(self.places[:, :3, :3], axis=1, keepdims=True)
        # two axes tell the third
        turned = TURN * (off[:, :3, :3] / np.maximum(lengths, 1e-9))[..., :2]
        away = [(self.stage.matrix(name)[:3, 3] - place) / self.size for name, place in self.goals.items()]
        return np.concatenate([np.ravel(off[:, :3, 3] / self.size), np.ravel(turned), *away])

    def is_led_by(self, control: str, axes: Iterable[int]) -> bool:
        """Whether a control moves some of the bones by its axes, and none that is seen besides."""
        stage = self.stage
        own = stage.own(control)
        bones, others = self._places(self.bones), self._places(self.others)
        led = False
        for axis in axes:
            move = np.zeros(6)
            move[axis] = NUDGE
            stage.pose(control, _moved(own, move, self.size))
            led = led or self._apart(bones, self.bones) > MOVES * NUDGE * self.size
            spoils = self._apart(others, self.others) > MOVES * NUDGE * self.size
            stage.pose(control, own)
            if spoils:
                return False
        return led

    def _places(self, names: Collection[str]) -> Array:
        return np.array([self.stage.matrix(name) for name in names]).reshape(-1, 4, 4)

    def _apart(self, places: Array, names: Collection[str]) -> float:
        off = self._places(names) - places
        turned = TURN * self.size * np.abs(off[:, :3, :3]).max(initial=0.0)
        return max(float(np.abs(off[:, :3, 3]).max(initial=0.0)), float(turned))


def _free(stage: Stage, control: str) -> list[int]:
    """The axes of a control's location, and 3 more those of its rotation, that are not locked: locked ones
    an animator does not move either."""
    bone = stage.armature.pose.bones[control]
    return [i for i in range(3) if not bone.lock_location[i]] + [
        3 + i for i in range(3) if not bone.lock_rotation[i]
    ]


def _moved(own: Array, move: Array, size: float) -> Array:
    """A control's own transform (4, 4) after a move (6,): in sizes of the character, then radians."""
    there = own.copy()
    there[:3, :3] = there[:3, :3] @ quaternion.to_matrix(quaternion.exp(move[3:]))
    there[:3, 3] += move[:3] * size
    return there
