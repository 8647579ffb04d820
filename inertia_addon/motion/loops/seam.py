# SPDX-License-Identifier: GPL-3.0-or-later
"""What a loop's seam looks like: by how much the joints' velocity changes there, against the clip's own."""

from __future__ import annotations

from collections.abc import Iterable

from ..arrays import Array
from ..judging import changes

STILL = 1e-9
"""A clip whose joints' velocity never changes by more, in metres a second, does not move."""


def ratio(across: Array, own: Iterable[Array]) -> float:
    """The highest change of joint velocity around a seam, over the clip's own highest; 0 where that is none.

    across: (5, joints, 3) two frames before the seam, one, the seam and two behind it: that is where a cycle
    ends, its next begins, and the frames beside it. own: pieces of the clip (n, joints, 3), frame by frame.
    """
    usual = max(float(changes.velocity_changes(piece, 1.0).max(initial=0.0)) for piece in own)
    return float(changes.velocity_changes(across, 1.0).max()) / usual if usual > STILL else 0.0
