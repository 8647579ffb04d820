# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a foot goes, from the places where it stands: heel strike, flat, roll to the toe, swing.

While a foot stands, one point of it keeps still by construction: the heel's edge until the foot is
flat, and from there on the ball, about which the heel comes up while the toes stay where they are.
"""

from __future__ import annotations

import numpy as np

from ...records import record
from .maths import Array, ease, glide, interpolate, rotate, rotate_x, rotate_z
from .skeleton import BONES, locate_sole


@record(frozen=True)
class Stance:
    """A foot flat on the ground: from which frame to which, and where its ankle and toes are then."""

    start: float
    end: float
    x: float
    y: float
    yaw: float


@record(frozen=True)
class Roll:
    """How a foot rolls and swings. Pitch in degrees, toes up positive; slopes in degrees per frame.

    strike, strike_slope: the pitch at the first contact, which is gone after ``down`` frames.
    off, off_slope: the pitch at toe-off, taken up in the last ``up`` frames of the stance.
    swing: (part of the swing, pitch, degrees per swing) keys between the two.
    lift: metres that the ankle rises above its straight way; the highest point at ``peak`` of the swing.
    toes_up: degrees that the toes are raised before the strike. snap: see ``glide``.
    landing: the speed at which the foot still travels when it strikes, as a part of the swing's mean speed.
    """

    strike: float
    strike_slope: float
    down: float
    off: float
    off_slope: float
    up: float
    swing: tuple[tuple[float, float, float], ...]
    lift: float
    peak: float = 0.5
    toes_up: float = 8.0
    snap: float = 0.6
    landing: float = 0.0


@record(frozen=True)
class SteppingFoot:
    """A foot in every frame: the ankle (frames, 3), and yaw, pitch and the toes' own pitch in degrees."""

    ankle: Array
    yaw: Array
    pitch: Array
    toes: Array


def _place_ankle(side: str, stance: Stance, pitch: Array) -> Array:
    """Return the places (n, 3) of the ankle of a foot that stands with pitches (n,), degrees, metres in the
    world: above 0 it stands on its heel with its toes up, below on its ball with its heel up.

    Heel and ball stay where they are of a flat foot whose ankle is above the stance's x and y.
    """
    heel, ball = locate_sole(side)
    pivot = np.where((pitch > 0)[:, None], heel, ball)
    flat = np.array([stance.x, stance.y, BONES[f"foot.{side}"].head[2]])
    return flat + rotate(rotate_z(stance.yaw), pivot - rotate(rotate_x(-pitch), pivot))


def _measure_rate(side: str, stance: Stance, pitch: float, slope: float) -> Array:
    """Return the ankle's velocity (3,) in metres a frame. slope: in degrees a frame."""
    step = 1e-3
    before, after = _place_ankle(side, stance, np.array([pitch - step * slope, pitch + step * slope]))
    return (after - before) / (2 * step)


def _roll_foot(side: str, stance: Stance, roll: Roll, t: Array) -> tuple[Array, Array, Array, Array]:
    landing = interpolate(
        t, [(stance.start, roll.strike, roll.strike_slope), (stance.start + roll.down, 0.0, 0.0)]
    )
    leaving = interpolate(t, [(stance.end - roll.up, 0.0, 0.0), (stance.end, roll.off, roll.off_slope)])
    pitch = landing + leaving
    # The raised toes come down with the foot; once the heel is up they stay flat on the ground.
    raised = roll.toes_up * (1 - ease(t, stance.start, stance.start + roll.down + 1))
    return (
        _place_ankle(side, stance, pitch),
        np.full(len(t), stance.yaw),
        pitch,
        raised - np.minimum(pitch, 0.0),
    )


def _carry_foot(side: str, a: Stance, b: Stance, roll: Roll, t: Array) -> tuple[Array, Array, Array, Array]:
    span = b.start - a.end
    s = (t - a.end) / span
    keys = [(0.0, roll.off, roll.off_slope * span), *roll.swing, (1.0, roll.strike, roll.strike_slope * span)]
    (left,), (struck,) = (
        _place_ankle(side, a, np.array([roll.off])),
        _place_ankle(side, b, np.array([roll.strike])),
    )
    leaving = _measure_rate(side, a, roll.off, roll.off_slope) * span
    landing = _measure_rate(side, b, roll.strike, roll.strike_slope) * span
    landing += roll.landing * (struck - left) * (1, 1, 0)
    ankle = glide(s, left, struck, leaving, landing, roll.snap)
    rise, fall = 4.0 * roll.peak, 4.0 * (1 - roll.peak)
    ankle[:, 2] += roll.lift * (s / roll.peak) ** rise * ((1 - s) / (1 - roll.peak)) ** fall
    toes = -roll.off * (1 - ease(s, 0.0, 0.6)) + roll.toes_up * ease(s, 0.4, 1.0)
    return ankle, a.yaw + (b.yaw - a.yaw) * ease(s, 0.0, 0.95), interpolate(s, keys), toes


def track_foot(side: str, stances: list[Stance], roll: Roll, t: Array) -> SteppingFoot:
    """Return a foot that stands in each of its stances, in their order, and swings between them; at frames
    before the first and behind the last all is 0.

    side: "L" or "R". roll: how it rolls from heel to toe. t: frames (n,). The :class:`SteppingFoot` has the
    ankle's places (n, 3), metres in the world, and yaw, pitch and the toes' own pitch (n,), degrees.
    """
    out = np.zeros((len(t), 6))
    for i, stance in enumerate(stances):
        on = (t >= stance.start) & (t <= stance.end)
        out[on] = np.column_stack(_roll_foot(side, stance, roll, t[on]))
        if i + 1 < len(stances):
            up = (t > stance.end) & (t < stances[i + 1].start)
            out[up] = np.column_stack(_carry_foot(side, stance, stances[i + 1], roll, t[up]))
    return SteppingFoot(out[:, :3], out[:, 3], out[:, 4], out[:, 5])
