# SPDX-License-Identifier: GPL-3.0-or-later
"""Idle and Turn: both start and end on the same feet, so that either can follow the other."""

from __future__ import annotations

import numpy as np

from .feet import Roll, Stance, SteppingFoot, track_foot
from .gaits import START
from .maths import Array, ease, ease_through, oscillate, rotate, rotate_z
from .pose import Arm, BoneMotion, Posture, place_hips, solve_bones
from .skeleton import BONES, SIDES

# Where the feet stand, from the root: to the left, behind, and the yaw. Nobody stands symmetrically.
_FEET = {"L": (0.105, -0.035, 9.0), "R": (-0.105, 0.035, -13.0)}
_LONG_AGO, _FOR_GOOD = -1000.0, 1000.0
_STEP = Roll(
    strike=5.0,
    strike_slope=-1.5,
    down=3.5,
    off=-34.0,
    off_slope=-6.0,
    up=7.0,
    swing=((0.25, -38.0, 30.0), (0.75, 2.0, 40.0)),
    lift=0.045,
    peak=0.45,
    toes_up=5.0,
    landing=0.1,
)
_IDLE_FRAMES = 120
# The part of the weight that the left leg has when Idle starts, from -1 (none) to 1 (all).
_AT_FIRST = 0.8
# How far the hips are to the side when one leg has all of it, in metres.
_SHIFT = 0.040


def _stand_at(side: str, start: float, end: float, position: tuple[float, float], degrees: float) -> Stance:
    """Return the stance, from frame ``start`` to ``end``, of a foot of somebody who stands at a position (x,
    y), metres, and has turned left from -Y by ``degrees``.
    """
    x, y, yaw = _FEET[side]
    at = rotate(rotate_z(degrees), [x, y, 0.0])
    return Stance(start, end, position[0] + at[0], position[1] + at[1], yaw + degrees)


def _hold_arm(swing: Array, breath: Array, out: Array, elbow: Array) -> Arm:
    return Arm(
        swing=1.0 + swing,
        out=9.0 + out + 0.8 * breath,
        twist=16.0 + 0 * breath,
        elbow=16.0 + elbow,
        wrist=8.0 + 0.5 * elbow,
        lift=-1.0 + 1.6 * breath,
        ahead=1.0 - 1.0 * breath,
    )


def _shift_weight(t: Array, lag: float) -> Array:
    """Return where the weight is (n,) at frames t (n,), ``lag`` frames late, from -1, all on the right leg,
    to 1, all on the left one.

    It is _AT_FIRST to begin with, -1 at frames 52 to 74 and _AT_FIRST again from 108 on, and repeats itself
    every _IDLE_FRAMES.
    """
    u = START + (t - START - lag) % _IDLE_FRAMES
    return ease_through(u, _AT_FIRST, (18, 52, -1.0), (74, 108, _AT_FIRST))


def idle() -> BoneMotion:
    """Return four seconds on the spot, at the origin and facing -Y, a pose a frame, the last the same as the
    first: one breath, and the weight goes from the left leg to the right and back.

    The feet stand still.
    """
    t = START + np.arange(_IDLE_FRAMES + 1, dtype=float)
    phase = (t - START) / _IDLE_FRAMES
    still = 0 * t
    weight, chest, head = _shift_weight(t, 0), _shift_weight(t, 5), _shift_weight(t, 10)
    # In a little faster than out; none at either end.
    breath = 1.0 - oscillate(phase + 0.05 * np.sin(2 * np.pi * phase), 1.0)
    arms = {
        side: _hold_arm(
            0.8 * s * (_shift_weight(t, 9) - weight),
            breath,
            2.0 * s * _shift_weight(t, 7),
            1.5 * s * _shift_weight(t, 12),
        )
        for side, s in SIDES.items()
    }
    stand = Posture(
        root=np.zeros((len(t), 3)),
        heading=still,
        hips_at=place_hips(
            _SHIFT * weight, 0.004 * weight, -0.021 + 0.002 * breath - 0.003 * (1 - weight**2)
        ),
        hips=np.column_stack([-2.0 * weight, 3.0 - 0.4 * breath, -4.4 * weight]),
        chest=np.column_stack([1.6 * chest, 1.5 - 1.5 * breath, 2.2 * chest]),
        head=np.column_stack([3.5 * head, 3.0 + 0.5 * breath, -0.6 * head]),
        arms=arms,
        feet={
            side: track_foot(side, [_stand_at(side, _LONG_AGO, _FOR_GOOD, (0, 0), 0)], _STEP, t)
            for side in SIDES
        },
    )
    return solve_bones(stand)


_TURN_FRAMES = 60
_TURN_TO = (0.05, -0.03)


def _turn_feet(t: Array) -> dict[str, SteppingFoot]:
    """Return feet by their sides ("L", "R") at frames t (n,) of a quarter turn left.

    From the stance at the origin that faces -Y the left foot opens (frames 11 to 22), the right one steps
    round to the stance at _TURN_TO that faces +X (25 to 38), and the left one is set beside it (42 to 52).
    """
    left = [
        _stand_at("L", _LONG_AGO, 11, (0, 0), 0),
        Stance(22, 42, 0.095, 0.020, 62.0),
        _stand_at("L", 52, _FOR_GOOD, _TURN_TO, 90),
    ]
    right = [_stand_at("R", _LONG_AGO, 25, (0, 0), 0), _stand_at("R", 38, _FOR_GOOD, _TURN_TO, 90)]
    return {"L": track_foot("L", left, _STEP, t), "R": track_foot("R", right, _STEP, t)}


def _turn_hips(t: Array, root: Array, heading: Array) -> Array:
    """Return the hips' place (n, 3) in the root's frame, metres, in a quarter turn left (:func:`turn`).

    Until frame 1 they are as at the beginning of :func:`idle`, at frame 14 towards the right foot, at 30 the
    left one, at 46 the right one; from 60 on as at first, at _TURN_TO and turned by 90 degrees.

    t: frames (n,). root: (n, 3) and heading: degrees (n,), of the root in the world.
    """
    rest = BONES["hips"].head
    end = rotate(rotate_z(90.0), [_SHIFT * _AT_FIRST, rest[1] - 0.004 * _AT_FIRST, 0.0])
    x = ease_through(
        t,
        _SHIFT * _AT_FIRST,
        (1, 14, -0.062),
        (18, 30, 0.062),
        (34, 46, 0.025),
        (44, 60, _TURN_TO[0] + end[0]),
    )
    y = ease_through(
        t,
        rest[1] - 0.004 * _AT_FIRST,
        (1, 14, 0.015),
        (18, 32, 0.005),
        (34, 46, -0.075),
        (44, 60, _TURN_TO[1] + end[1]),
    )
    low = -0.021 - 0.003 * (1 - _AT_FIRST**2)
    z = ease_through(
        t,
        low,
        (1, 9, -0.036),
        (9, 18, -0.028),
        (17, 24, -0.045),
        (24, 33, -0.026),
        (32, 39, -0.042),
        (40, 48, -0.028),
        (48, 58, low),
    )
    world = np.column_stack([x, y, rest[2] + z])
    return rotate(np.swapaxes(rotate_z(heading), -1, -2), world - root)


def _turn_arms(t: Array, speed: Array, weight: Array) -> dict[str, Arm]:
    """Return arms by their sides (the keys of SIDES), which stay behind as the body turns, and fly out four
    frames late.

    t: (n,) frames. speed: how fast the body turns, (n,), about 1 in the middle. weight: which leg the weight
    is on, (n,), 1 for the left.
    """
    late = np.interp(t - 4, t, speed)
    arms = {}
    for side, s in SIDES.items():
        swing = -s * 9.0 * speed + s * 2.0 * (weight - _AT_FIRST)
        out = 2.0 * s * _AT_FIRST + 3.0 * late
        arms[side] = _hold_arm(swing, 0 * t, out, 1.5 * s * _AT_FIRST + 6.0 * late)
    return arms


def turn() -> BoneMotion:
    """Return two seconds of a quarter turn left in three steps, a pose a frame; the head goes first, then the
    chest.

    The root turns from -Y to +X and moves to _TURN_TO meanwhile; at both ends the body stands as at the
    beginning of :func:`idle`.
    """
    t = START + np.arange(_TURN_FRAMES + 1, dtype=float)
    heading = 90.0 * ease(t, 7, 48)
    root = np.column_stack([_TURN_TO[0] * ease(t, 8, 48), _TURN_TO[1] * ease(t, 8, 48), 0 * t])
    weight = ease_through(t, _AT_FIRST, (1, 13, -1.0), (18, 30, 1.0), (34, 44, -0.8), (46, 60, _AT_FIRST))
    hips, chest, head = (90 * ease(t, start, end) - heading for start, end in ((8, 46), (5, 43), (1, 33)))
    # Everything below is the pose that Idle starts with, and what the turn adds to it.
    w, change = _AT_FIRST, weight - _AT_FIRST
    speed = np.gradient(heading) / 4.0
    stand = Posture(
        root=root,
        heading=heading,
        hips_at=_turn_hips(t, root, heading),
        hips=np.column_stack([hips - 2.0 * w, 3.0 + 2.0 * speed, -4.4 * w - 2.4 * change]),
        chest=np.column_stack([chest + 1.6 * w, 1.5 + 3.0 * speed, 2.2 * w + 1.4 * change + 2.0 * speed]),
        head=np.column_stack([head + 3.5 * w, 3.0 + 2.0 * speed, -0.6 * w + 1.5 * speed]),
        arms=_turn_arms(t, speed, weight),
        feet=_turn_feet(t),
    )
    return solve_bones(stand)
