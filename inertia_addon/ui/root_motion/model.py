# SPDX-License-Identifier: GPL-3.0-or-later
"""What the overlays show of root motion, by value: nothing here knows of Blender, pixels or colours.

Frames are scene frames of an action's own time, costs are in metre seconds, angles in degrees.
"""

from __future__ import annotations

from ...motion.arrays import Array
from ...records import record


@record(frozen=True, eq=False)
class RootRamp:
    """A ramp of the speed, or a turn, with the spring that moves like it.

    start, end: frames, its range. half_life: by the chosen estimator, seconds, or the end of its interval
    where the other end is open; interval: (low, high), seconds, None without one. bound: whether it is the
    half-life, ``=``, a bound, at least ``>`` or at most ``<``, or says nothing, ``?``. remark: what to know
    of it in a word or two, "" for a good fit. change: in the plot's unit. spring_frames, spring: (n,) the
    spring. rate_frames, rates: (m,) the slope as it was measured, per second. peak_frame, peak_rate: where
    that is steepest, and how steep.
    """

    start: float
    end: float
    half_life: float
    interval: tuple[float, float] | None
    bound: str
    remark: str
    change: float
    spring_frames: Array
    spring: Array
    rate_frames: Array
    rates: Array
    peak_frame: float
    peak_rate: float


@record(frozen=True, eq=False)
class RootPlot:
    """A root's speed, or its facing, over the frames of a clip.

    kind: ``speed`` or ``turn``. unit, rate_unit: as they are written. frames, raw, smooth, rates: (n,) as
    read, smoothed, and the smoothed one's slope per second. ramps: in order. held: (first frame, last
    frame, value) of the maximum speed, None without one. by_hand: whether ranges were set by hand.
    missing: why there are no ramps, "" when there are. estimate: which estimate the ramps show, in words.
    """

    kind: str
    title: str
    note: str
    unit: str
    rate_unit: str
    frames: Array
    raw: Array
    smooth: Array
    rates: Array
    ramps: tuple[RootRamp, ...]
    held: tuple[float, float, float] | None
    by_hand: bool
    missing: str
    estimate: str = ""


@record(frozen=True, eq=False)
class RootMotionPlots:
    """The root motion of one action. called: how it is named in titles, where not by its whole name."""

    action: str
    speed: RootPlot
    turn: RootPlot
    called: str = ""

    @property
    def plots(self) -> tuple[RootPlot, RootPlot]:
        """Both, in the order in which they are shown."""
        return self.speed, self.turn


@record(frozen=True, eq=False)
class Histogram:
    """How long a number is about so large.

    edges: (n + 1,), in the unit. seconds: (n,) of motion in each bin. modes: the numbers that are most
    frequent in their surroundings, the most frequent one first.
    """

    title: str
    unit: str
    edges: Array
    seconds: Array
    modes: tuple[float, ...]


@record(frozen=True, eq=False)
class Histograms:
    """Of the speeds and turn rates of several actions. actions: how many. seconds: their length in all."""

    actions: int
    seconds: float
    speeds: Histogram
    turns: Histogram
