# SPDX-License-Identifier: GPL-3.0-or-later
"""Walk and Run: straight ahead, the left heel striking at the start of every cycle.

Phases are parts of a cycle (two steps). The curves follow what gait laboratories measure: in a walk
the body is lowest while both feet stand and highest when the legs pass; in a run it is the other way
round. The hips turn with the leg that swings ahead, the chest against it, and the head with neither.
"""

from __future__ import annotations

import numpy as np

from ...records import record
from .feet import Roll, Stance, SteppingFoot, track_foot
from .maths import Array, oscillate
from .pose import Arm, BoneMotion, Posture, place_hips, solve_bones
from .skeleton import SIDES

START = 1


@record(frozen=True)
class Gait:
    """A cycle's timing in frames and its lengths in metres.

    stance: frames that a foot is on the ground. stride: the way of one cycle.
    ahead: where the foot comes to stand, before the root. width: of either ankle from the middle line.
    """

    cycle: int
    stance: int
    stride: float
    ahead: float
    width: float
    toe_out: float
    roll: Roll


WALK = Gait(
    cycle=32,
    stance=20,
    stride=1.44,
    ahead=0.375,
    width=0.060,
    toe_out=6.0,
    roll=Roll(
        strike=22.0,
        strike_slope=-4.0,
        down=4.5,
        off=-64.0,
        off_slope=-11.5,
        up=7.5,
        swing=((0.12, -70.0, 20.0), (0.62, -2.0, 90.0), (0.90, 23.0, 30.0)),
        lift=0.030,
        peak=0.35,
        toes_up=10.0,
        snap=1.0,
        landing=0.20,
    ),
)
RUN = Gait(
    cycle=20,
    stance=6,
    stride=2.60,
    ahead=0.250,
    width=0.045,
    toe_out=4.0,
    roll=Roll(
        strike=10.0,
        strike_slope=-6.0,
        down=1.8,
        off=-66.0,
        off_slope=-18.0,
        up=3.4,
        swing=((0.25, -105.0, -40.0), (0.65, -22.0, 250.0), (0.90, 12.0, 60.0)),
        lift=0.24,
        peak=0.40,
        toes_up=8.0,
        snap=1.0,
        landing=0.25,
    ),
)


def _list_frames(gait: Gait, cycles: int) -> tuple[Array, Array]:
    t = START + np.arange(cycles * gait.cycle + 1, dtype=float)
    return t, (t - START) / gait.cycle


def _place_feet(gait: Gait, t: Array, cycles: int) -> dict[str, SteppingFoot]:
    """Return feet by their sides ("L", "R") at frames t (n,), as they step in a gait, see
    :func:`track_foot`.

    The left foot lands each ``gait.cycle`` frames from START on, the right one half a cycle later. Each
    stands ``gait.stance`` frames, a ``gait.stride`` further along -Y each time. They step from one cycle
    before the clip to one after it, as its ends have to fit together.
    """
    feet = {}
    for side, s in SIDES.items():
        stances = []
        for cycle in range(-1, cycles + 2):
            phase = cycle + (0.0 if side == "L" else 0.5)
            start = START + phase * gait.cycle
            forward = phase * gait.stride + gait.ahead
            stances.append(Stance(start, start + gait.stance, s * gait.width, -forward, s * gait.toe_out))
        feet[side] = track_foot(side, stances, gait.roll, t)
    return feet


def _move_root(gait: Gait, phase: Array) -> Array:
    return np.column_stack([0 * phase, -gait.stride * phase, 0 * phase])


def _shift_phase(phase: Array, side: str) -> Array:
    """Return the phase as a side's leg lives it, which its arm answers to."""
    return phase if side == "L" else phase - 0.5


def walk() -> BoneMotion:
    """Return three cycles of a walk straight on, along -Y, at 1.35 m/s, a pose a frame, the last the same as
    the first but for the way.

    The root goes the way at an even speed.
    """
    cycles = 3
    t, phase = _list_frames(WALK, cycles)
    arms = {}
    for side in SIDES:
        p = _shift_phase(phase, side)
        arms[side] = Arm(
            swing=3.0 - oscillate(p, 19.0, 0.03),
            out=7.0 + oscillate(p, 1.5, 0.5),
            twist=14.0 - oscillate(p, 5.0, 0.06),
            # The forearm trails the upper arm: bent most a little after the arm is furthest ahead.
            elbow=24.0 - oscillate(p, 11.0, 0.09),
            wrist=8.0 - oscillate(p, 5.0, 0.16),
            lift=0.8 * np.sin(4 * np.pi * p),
            ahead=-oscillate(p, 3.0, 0.02),
        )
    stand = Posture(
        root=_move_root(WALK, phase),
        heading=0 * phase,
        hips_at=place_hips(
            oscillate(phase, 0.020, 0.30),
            0.012 + oscillate(2 * phase, 0.008, 0.90),
            -0.0365 + oscillate(2 * phase, 0.019, 0.565),
        ),
        hips=np.column_stack(
            [-oscillate(phase, 6.0, 0.0), 4.0 + oscillate(2 * phase, 1.2, 0.1), -oscillate(phase, 4.0, 0.16)]
        ),
        chest=np.column_stack(
            [oscillate(phase, 6.5, 0.02), 5.0 + oscillate(2 * phase, 1.0, 0.25), oscillate(phase, 1.6, 0.20)]
        ),
        head=np.column_stack(
            [oscillate(phase, 0.8, 0.05), 2.0 - oscillate(2 * phase, 1.3, 0.7), oscillate(phase, 0.6, 0.25)]
        ),
        arms=arms,
        feet=_place_feet(WALK, t, cycles),
    )
    return solve_bones(stand)


def run() -> BoneMotion:
    """Return four cycles of a run straight on, along -Y, at 3.9 m/s, a pose a frame, the last the same as the
    first but for the way.

    The root goes the way at an even speed.
    """
    cycles = 4
    t, phase = _list_frames(RUN, cycles)
    arms = {}
    for side in SIDES:
        p = _shift_phase(phase, side)
        arms[side] = Arm(
            swing=-8.0 - oscillate(p, 38.0, 0.06),
            out=13.0 + oscillate(p, 5.0, 0.06),
            twist=24.0 - oscillate(p, 12.0, 0.08),
            elbow=92.0 - oscillate(p, 16.0, 0.12),
            wrist=8.0 - oscillate(p, 5.0, 0.2),
            lift=3.0 + 1.0 * np.sin(4 * np.pi * p),
            ahead=-oscillate(p, 6.0, 0.05),
        )
    stand = Posture(
        root=_move_root(RUN, phase),
        heading=0 * phase,
        hips_at=place_hips(
            oscillate(phase, 0.012, 0.15),
            0.03 + oscillate(2 * phase, 0.006, 0.9),
            -0.053 + oscillate(2 * phase, 0.029, 0.80),
        ),
        hips=np.column_stack(
            [
                -oscillate(phase, 10.0, 0.97),
                12.0 + oscillate(2 * phase, 2.5, 0.65),
                -oscillate(phase, 4.5, 0.14),
            ]
        ),
        chest=np.column_stack(
            [oscillate(phase, 11.0, 0.0), 14.0 + oscillate(2 * phase, 1.8, 0.45), oscillate(phase, 2.0, 0.16)]
        ),
        head=np.column_stack(
            [oscillate(phase, 1.5, 0.05), 3.0 - oscillate(2 * phase, 1.5, 0.4), oscillate(phase, 0.8, 0.2)]
        ),
        arms=arms,
        feet=_place_feet(RUN, t, cycles),
    )
    return solve_bones(stand)
