# SPDX-License-Identifier: GPL-3.0-or-later
"""What keys and the mouse wish, as a view is turned: by value."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from ...lazy_modules import np
from ...records import record
from ...settings.steering import RUNS, WALKS, Hand

if TYPE_CHECKING:
    from ...motion.arrays import Array

FORWARD, BACK, LEFT, RIGHT, FACE_LEFT, FACE_RIGHT, STOP = (
    *("forward", "back", "left", "right"),
    *("face_left", "face_right", "stop"),
)
KEYS = {FORWARD: "W", BACK: "S", LEFT: "A", RIGHT: "D", FACE_LEFT: "Q", FACE_RIGHT: "E", STOP: "SPACE"}
"""What each key wishes, unless the preferences say otherwise."""
ARROWS = {"UP_ARROW": FORWARD, "DOWN_ARROW": BACK, "LEFT_ARROW": LEFT, "RIGHT_ARROW": RIGHT}
"""These do so always."""
MOVES = ("ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE")
"""The keys that play moves, the first of them first."""
TURN = 120.0
"""Degrees a second by which it turns while it is told where to face."""
STEPS = 5.0
"""Facings, and the mouse's ways, are multiples of so many degrees: who trembles wishes nothing new."""
SLOW = 0.5
"""A stick of this length goes slowly."""
NEAR = 0.4
"""The mouse wishes to stand this near to the character, in metres, ..."""
FULL = 4.0
"""... and to run from here on."""


@record
class Pressed:
    """What is held down. facing: where to face, degrees, None for where it goes."""

    held: set[str] = dataclasses.field(default_factory=set)
    shift: bool = False
    ctrl: bool = False
    facing: float | None = None

    def lean(self) -> tuple[float, float]:
        """Return the stick's lean to the right and up by the keys that are held, of length 1, or (0.0, 0.0)
        for none; opposite keys cancel.
        """
        right = (RIGHT in self.held) - (LEFT in self.held)
        up = (FORWARD in self.held) - (BACK in self.held)
        size = math.hypot(right, up)
        return (right / size, up / size) if size else (0.0, 0.0)

    def speed(self, hand: Hand) -> float:
        """Return the wished speed, metres a second."""
        return hand.run if self.shift else hand.slow if self.ctrl else hand.walk

    def length(self) -> float:
        """Return the length of the stick: one that runs, goes slowly, or walks, by the keys that are held."""
        return RUNS if self.shift else SLOW if self.ctrl else WALKS

    def turn(self, seconds: float, heading: float) -> None:
        """Face further to where it is told; from a heading on, degrees, where it faced as it went."""
        turns = (FACE_LEFT in self.held) - (FACE_RIGHT in self.held)
        if turns:
            self.facing = (heading if self.facing is None else self.facing) + turns * TURN * seconds

    def stop(self) -> None:
        """Wish nothing."""
        self.held.clear()
        self.facing = None


def steadied(degrees: float | None) -> float | None:
    """Return a facing that a trembling hand does not change."""
    return None if degrees is None else STEPS * round(degrees / STEPS)


def on_ground(lean: tuple[float, float], axes: Array) -> Array:
    """Return a lean of the stick (to the right, up) as a way (2,) along x and y of the world's ground, of the
    lean's length, as seen in a view.

    axes: (3, 3), the view's in the world, to the right, up and towards the eye, as columns. Up is ahead, away
    from the eye over the ground; in a view from above or below, where that is less than 0.5 of a unit, it is
    the view's up. Right is at a right angle to it, clockwise from above.
    """
    ahead = -axes[:2, 2] if np.hypot(*axes[:2, 2]) > 0.5 else axes[:2, 1]
    ahead = ahead / max(float(np.hypot(ahead[0], ahead[1])), 1e-9)
    right, up = lean
    return np.array([right * ahead[1] + up * ahead[0], up * ahead[1] - right * ahead[0]])


def towards(away: Array, run: float) -> Array:
    """Return the velocity (2,) towards a place: zero up to NEAR metres away, rising linearly from there to
    `run` at FULL and beyond; its direction from the x axis is rounded to STEPS degrees, its speed to tenths.

    away: from the character to the place (2,), metres. run: the highest speed, metres a second, or a stick's
    length where it runs.
    """
    far = float(np.hypot(away[0], away[1]))
    if far <= NEAR:
        return np.zeros(2)
    angle = np.radians(STEPS * round(math.degrees(math.atan2(away[1], away[0])) / STEPS))
    speed = run * min((far - NEAR) / (FULL - NEAR), 1.0)
    return round(speed, 1) * np.array([np.cos(angle), np.sin(angle)])


def meanings(keys: Mapping[str, str]) -> dict[str, str]:
    """Return what each of Blender's types of keys wishes. keys: by what they wish."""
    return {**ARROWS, **{kind: name for name, kind in keys.items()}}


def names(keys: Iterable[str]) -> str:
    """Return the keys for a line of help."""
    return ", ".join(key.replace("_", " ").title() for key in keys)
