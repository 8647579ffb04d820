# SPDX-License-Identifier: GPL-3.0-or-later
"""What the overlays show of costs, by value: nothing here knows of Blender, pixels or colours.

Frames are scene frames of an action's own time, costs are in metre seconds, angles in degrees.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...motion.arrays import Array
from ...plots.heat_map import span_of
from ...plots.plot import Range
from ...records import record


@record(frozen=True, eq=False)
class CostCurve:
    """Cost over the frames of one clip, the other clip's frame being fixed.

    over: ``DESTINATION`` (for the chosen cut, every destination frame) or ``CUT`` (for the chosen
    destination frame, every cut). clip: the action's name. frames, costs: (n,). current,
    current_cost: where the settings are, which may lie between two frames. minima: indices of the
    local minima, the lowest first.
    """

    over: str
    clip: str
    frames: Array
    costs: NDArray[np.float32]
    current: float
    current_cost: float
    minima: tuple[int, ...]


@record(frozen=True, eq=False)
class CostMap:
    """Cost of every cut with every destination frame.

    cuts: (n,). destinations: (m,). costs: (n, m) float32, NaN where not computed yet. cut, destination: the
    settings' own. best: (cut, destination frame) of the best pairs, the best first.
    """

    cuts: Array
    destinations: Array
    costs: NDArray[np.float32]
    cut: float
    destination: float
    best: tuple[tuple[float, float], ...]
    exact: bool

    @cached_property
    def span(self) -> Range:
        """The costs at the ends of the colours."""
        return span_of(self.costs)


@record(frozen=True, eq=False)
class DecayCurve:
    """How an offset decays under one method.

    method: the choice's label. seconds, offsets: (n,). crossing: seconds of the zero crossing, None
    without one. area: unsigned, metre seconds. peak: (seconds, offset) furthest from zero.
    chosen: whether it is the settings' own method.
    """

    method: str
    seconds: Array
    offsets: Array
    crossing: float | None
    area: float
    peak: tuple[float, float]
    chosen: bool


@record(frozen=True, eq=False)
class Valley:
    """Cost over the difference in position and in velocity, for the settings' method.

    positions: (n,) metres. velocities: (m,) metres per second. exact, feature: (m, n) displacement
    and its feature approximation, metre seconds. marks: the bone's own (position, velocity), an axis each.
    """

    positions: Array
    velocities: Array
    exact: Array
    feature: Array
    marks: tuple[tuple[float, float], ...]


@record(frozen=True, eq=False)
class Offsets:
    """The offset of one bone's joint at the cut, along the way from destination to source."""

    bone: str
    decays: tuple[DecayCurve, ...]
    valley: Valley


@record(frozen=True, eq=False)
class Trajectory:
    """The way of a joint through the world.

    kind: ``SOURCE``, ``DESTINATION`` (aligned as the result's) or ``RESULT``. frames: (n,) scene
    frames of the result's time. points: (n, 3) world. cut: the index of the cut's frame, None when outside.
    """

    bone: str
    kind: str
    frames: Array
    points: Array
    cut: int | None


@record(frozen=True, eq=False)
class TintedBone:
    """A bone as it stands now, with its share of the cost relative to the largest, 0 to 1."""

    head: Array
    tail: Array
    share: float
