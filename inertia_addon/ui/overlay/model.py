# SPDX-License-Identifier: GPL-3.0-or-later
"""What the overlays show, by value: nothing here knows of Blender, pixels or colours.

Frames are scene frames of an action's own time, costs are in metre seconds, angles in degrees.
"""

from __future__ import annotations

import dataclasses
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...plots.axes import Range
from ...plots.heat_map import span_of

Array = NDArray[np.float64]


@dataclasses.dataclass(frozen=True, eq=False)
class CostCurve:
    """Cost over the frames of one clip, the other clip's frame being fixed.

    over: ``DESTINATION`` (for the chosen cut, every destination frame) or ``CUT`` (for the chosen
    destination frame, every cut). clip: the action's name. frames, costs: (n,). current,
    current_cost: where the settings are, which may lie between two frames. minima: indices of the
    local minima, the lowest first. exact: whether the costs are exact, or the features' approximation.
    """

    over: str
    clip: str
    frames: Array
    costs: NDArray[np.float32]
    current: float
    current_cost: float
    minima: tuple[int, ...]
    exact: bool = True


@dataclasses.dataclass(frozen=True, eq=False)
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


@dataclasses.dataclass(frozen=True, eq=False)
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


@dataclasses.dataclass(frozen=True, eq=False)
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


@dataclasses.dataclass(frozen=True, eq=False)
class Offsets:
    """The offset of one bone's joint at the cut, along the way from destination to source."""

    bone: str
    decays: tuple[DecayCurve, ...]
    valley: Valley


@dataclasses.dataclass(frozen=True, eq=False)
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


@dataclasses.dataclass(frozen=True, eq=False)
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


@dataclasses.dataclass(frozen=True, eq=False)
class RootMotionPlots:
    """The root motion of one action."""

    action: str
    speed: RootPlot
    turn: RootPlot

    @property
    def plots(self) -> tuple[RootPlot, RootPlot]:
        """Both, in the order in which they are shown."""
        return self.speed, self.turn


@dataclasses.dataclass(frozen=True, eq=False)
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


@dataclasses.dataclass(frozen=True, eq=False)
class Histograms:
    """Of the speeds and turn rates of several actions. actions: how many. seconds: their length in all."""

    actions: int
    seconds: float
    speeds: Histogram
    turns: Histogram


@dataclasses.dataclass(frozen=True, eq=False)
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


@dataclasses.dataclass(frozen=True, eq=False)
class TintedBone:
    """A bone as it stands now, with its share of the cost relative to the largest, 0 to 1."""

    head: Array
    tail: Array
    share: float


@dataclasses.dataclass(frozen=True, eq=False)
class HopCurves:
    """Cost over the trigger frames: direct, and the best way with a hop.

    frames, direct, best: (n,), infinity where there is no way. clips: (n,) which of ``names`` the best way
    leads through, -1 for the direct one. current: the trigger. unit: of the costs.
    """

    frames: Array
    direct: Array
    best: Array
    clips: NDArray[np.int64]
    names: tuple[str, ...]
    current: float
    unit: str


@dataclasses.dataclass(frozen=True, eq=False)
class Overlay:
    """All that is switched on for the active armature; what is off is None or empty.

    curves: those of both kinds, or the one that lines up with keys. note: a sentence where something can't
    be shown, "" when all can. bridge: the curves of hops.
    """

    curves: tuple[CostCurve, ...] = ()
    map: CostMap | None = None
    offsets: Offsets | None = None
    trajectories: tuple[Trajectory, ...] = ()
    note: str = ""
    root: RootMotionPlots | None = None
    histograms: Histograms | None = None
    bridge: HopCurves | None = None
