# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a foot goes, from the places where it stands: heel strike, flat, roll to the toe, swing.

While a foot stands, one point of it keeps still by construction: the heel's edge until the foot is
flat, and from there on the ball, about which the heel comes up while the toes stay where they are.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from .maths import Array, ease, glide, hermite, rx, rz, turned
from .skeleton import BONES, from_ankle


@dataclasses.dataclass(frozen=True)
class Stance:
    """A foot flat on the ground: from which frame to which, and where its ankle and toes are then."""

    start: float
    end: float
    x: float
    y: float
    yaw: float


@dataclasses.dataclass(frozen=True)
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


@dataclasses.dataclass(frozen=True)
class Foot:
    """A foot in every frame: the ankle (frames, 3), and yaw, pitch and the toes' own pitch in degrees."""

    ankle: Array
    yaw: Array
    pitch: Array
    toes: Array


def _standing(side: str, stance: Stance, pitch: Array) -> Array:
    """The ankle's place when the foot stands with this pitch."""
    heel, ball = from_ankle(side)
    pivot = np.where((pitch > 0)[:, None], heel, ball)
    flat = np.array([stance.x, stance.y, BONES[f"foot.{side}"].head[2]])
    return flat + turned(rz(stance.yaw), pivot - turned(rx(-pitch), pivot))


def _rate(side: str, stance: Stance, pitch: float, slope: float) -> Array:
    """The ankle's velocity per frame while the foot rolls by ``slope`` degrees per frame."""
    step = 1e-3
    before, after = _standing(side, stance, np.array([pitch - step * slope, pitch + step * slope]))
    return (after - before) / (2 * step)


def _stand(side: str, stance: Stance, roll: Roll, t: Array) -> tuple[Array, Array, Array, Array]:
    landing = hermite(
        t, [(stance.start, roll.strike, roll.strike_slope), (stance.start + roll.down, 0.0, 0.0)]
    )
    leaving = hermite(t, [(stance.end - roll.up, 0.0, 0.0), (stance.end, roll.off, roll.off_slope)])
    pitch = landing + leaving
    # The raised toes come down with the foot; once the heel is up they stay flat on the ground.
    raised = roll.toes_up * (1 - ease(t, stance.start, stance.start + roll.down + 1))
    return _standing(side, stance, pitch), np.full(len(t), stance.yaw), pitch, raised - np.minimum(pitch, 0.0)


def _swing(side: str, a: Stance, b: Stance, roll: Roll, t: Array) -> tuple[Array, Array, Array, Array]:
    span = b.start - a.end
    s = (t - a.end) / span
    keys = [(0.0, roll.off, roll.off_slope * span), *roll.swing, (1.0, roll.strike, roll.strike_slope * span)]
    (left,), (struck,) = _standing(side, a, np.array([roll.off])), _standing(side, b, np.array([roll.strike]))
    leaving = _rate(side, a, roll.off, roll.off_slope) * span
    landing = _rate(side, b, roll.strike, roll.strike_slope) * span
    landing += roll.landing * (struck - left) * (1, 1, 0)
    ankle = glide(s, left, struck, leaving, landing, roll.snap)
    rise, fall = 4.0 * roll.peak, 4.0 * (1 - roll.peak)
    ankle[:, 2] += roll.lift * (s / roll.peak) ** rise * ((1 - s) / (1 - roll.peak)) ** fall
    toes = -roll.off * (1 - ease(s, 0.0, 0.6)) + roll.toes_up * ease(s, 0.4, 1.0)
    return ankle, a.yaw + (b.yaw - a.yaw) * ease(s, 0.0, 0.95), hermite(s, keys), toes


def track(side: str, stances: list[Stance], roll: Roll, t: Array) -> Foot:
    """The foot that stands in each of ``stances``, in order, and swings between them."""
    out = np.zeros((len(t), 6))
    for i, stance in enumerate(stances):
        on = (t >= stance.start) & (t <= stance.end)
        out[on] = np.column_stack(_stand(side, stance, roll, t[on]))
        if i + 1 < len(stances):
            up = (t > stance.end) & (t < stances[i + 1].start)
            out[up] = np.column_stack(_swing(side, stance, stances[i + 1], roll, t[up]))
    return Foot(out[:, :3], out[:, 3], out[:, 4], out[:, 5])
