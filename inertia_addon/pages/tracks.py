# SPDX-License-Identifier: GPL-3.0-or-later
"""Moving points as text: small enough for a page, and exact to a step that nobody sees.

A coordinate is a whole number of steps. Of each the changes of its rate are written, frame by frame, as those
are small: most take one byte. A page's script adds them up again.
"""

from __future__ import annotations

import base64
import math

import numpy as np
from numpy.typing import NDArray

from ..errors import InertiaError
from ..records import record

STEPS = 2000.0
"""So many steps are in the size of a character: each is about a millimetre of a grown-up."""
FURTHEST = 2.0**40
"""No coordinate is further away than so many steps: a script adds them up exactly."""

Points = NDArray[np.float64]


@record(frozen=True, eq=False)
class PointTrack:
    """Points of a character that plays a clip.

    label: the clip's name. first, step: the frame of the first row, and how many frames apart rows are.
    points: (n, points, 3) in the world, metres, Z up.
    """

    label: str
    first: float
    step: float
    points: Points


def find_grain(points: Points) -> float:
    """Return the step that coordinates are rounded to, metres: a two thousandth of the points' extent on
    their first frame; a millimetre where that has none.

    points: (n, points, 3), metres.
    """
    extent = float(np.linalg.norm(np.ptp(points[0], axis=0))) if points.size else 0.0
    return extent / STEPS if math.isfinite(extent) and extent > 0.0 else 0.001


def encode_points(points: Points, grain: float) -> str:
    """Return points (n, points, 3), metres, as base64 text: for each point, and of it each axis, the changes
    of its rate from frame to frame, in whole steps of `grain` metres, as numbers of seven bits a byte, the
    lowest first.

    Places are rounded to the nearest step; before the first frame, place and rate are 0. A number is twice a
    change, or twice the size of a negative one less 1. Raise InertiaError for points that are at no finite
    place, or further away than 2^40 steps along an axis.
    """
    if not np.isfinite(points).all() or np.abs(points).max(initial=0.0) > FURTHEST * grain:
        raise InertiaError(
            "The character is too far away to be shown on a page; move it nearer to the origin."
        )
    columns = np.rint(points / grain).astype(np.int64).reshape(len(points), -1).T
    rates = np.diff(columns, axis=1, prepend=0)
    changes = np.diff(rates, axis=1, prepend=0).ravel()
    return base64.b64encode(_as_bytes((changes << 1) ^ (changes >> 63))).decode("ascii")


def _as_bytes(numbers: NDArray[np.int64]) -> bytes:
    """Return whole numbers, 0 or more, in seven bits a byte, the lowest first; all bytes of a number but the
    last have the eighth bit, too.
    """
    most = max(1, -(-int(numbers.max(initial=0)).bit_length() // 7))
    parts = (numbers[:, None] >> (7 * np.arange(most))) & 0x7F
    rest = numbers[:, None] >> (7 * np.arange(1, most + 1))
    is_followed = rest > 0
    is_written = np.concatenate([np.ones((len(numbers), 1), bool), is_followed[:, :-1]], axis=1)
    return (parts | is_followed << 7)[is_written].astype(np.uint8).tobytes()


def decode_points(text: str, points: int, grain: float) -> Points:
    """Return the points (n, points, 3), metres, of which :func:`encode_points` made a text.

    They are read as a page's script reads them. points: how many there are, 1 or more.
    """
    numbers, number, shift = [], 0, 0
    for byte in base64.b64decode(text):
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            numbers.append(number)
            number = shift = 0
    zigzag = np.array(numbers, np.int64)
    changes = ((zigzag >> 1) ^ -(zigzag & 1)).reshape(points * 3, -1)
    columns = np.cumsum(np.cumsum(changes, axis=1), axis=1)
    return np.asarray(columns.T.reshape(-1, points, 3) * grain)
