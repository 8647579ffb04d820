# SPDX-License-Identifier: GPL-3.0-or-later
"""Contacts: when a foot is planted, found from where its point is, edited, and how well it stays put then.

A foot is planted where it is slow and near the lowest place that it comes to around then, as ground is
seldom even. It lifts off where it is clearly faster or higher than where it was taken to have landed
(hysteresis), so that no threshold is crossed back and forth. All is measured in lengths of the leg.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ...errors import InertiaError
from ...records import record
from ...settings.feet import ContactSettings
from ..arrays import Array, ArrayLike, Flags, runs
from ..judging import evidence as grounds
from ..judging.evidence import Track

FASTER, HIGHER = 2.0, 1.6
"""A planted foot is so many times as fast, and as high, as one that lands, before it counts as lifted."""
AROUND_SECONDS = 0.6
"""The lowest place counts that a foot comes to no longer before or after than this."""
ON_FRAME = 1e-4
"""Frames nearer than this are the same."""


@record(frozen=True, order=True)
class Span:
    """A foot is planted from frame ``start`` to frame ``end``, both included; the frames need not be whole.

    Of a cycle the end may lie behind its last frame: the span goes on at its beginning.
    """

    start: float
    end: float

    @property
    def frames(self) -> float:
        """How long it is."""
        return self.end - self.start

    def holds(self, frame: float) -> bool:
        """Tell whether a frame lies in the span."""
        return self.start - ON_FRAME <= frame <= self.end + ON_FRAME

    def move(self, frames: float) -> Span:
        """Return this span so many frames later."""
        return Span(self.start + frames, self.end + frames)


Spans = tuple[Span, ...]
"""The spans of a foot, in order, none of which meets another."""


@record(frozen=True, eq=False)
class LevelGround:
    """The ground below a clip. rates: (2,) how fast it passes along the axes that lie in it, see
    :func:`find_passing_ground`. up: the axis that points up."""

    rates: ArrayLike = (0.0, 0.0)
    up: int = 2


def find(
    points: ArrayLike,
    frames: ArrayLike,
    fps: float,
    length: float,
    settings: ContactSettings | None = None,
    ground: LevelGround | None = None,
) -> Spans:
    """Return the spans in which a foot is planted, slow and low by `settings`, in order, in the unit of
    `frames`; () for fewer than two frames.

    points: (n, 3), where the point is by which it stands, in any unit. frames: (n,), rising by the same step.
    fps: frames a second. length: of its leg, in the points' unit. settings: None for the defaults. ground:
    None for one that lies still, with Z up. Raise InertiaError for a leg without a length.
    """
    frames = np.asarray(frames, float)
    if not length > 0.0:
        raise InertiaError("A leg without a length has no contacts; choose other bones for it.")
    if len(frames) < 2:
        return ()
    settings, ground = settings or ContactSettings(), ground or LevelGround()
    rate = fps * (len(frames) - 1) / float(frames[-1] - frames[0])
    passing = np.insert(np.asarray(ground.rates, float), ground.up, 0.0) / length
    planted = _find_still_runs(np.asarray(points, float) / length, rate, settings, ground.up, passing)
    return tuple(Span(float(frames[first]), float(frames[last])) for first, last in planted)


def _find_still_runs(
    points: Array, rate: float, settings: ContactSettings, up: int, passing: Array
) -> list[tuple[int, int]]:
    """Return the first and the last sample, both included, of each span in which a point stands, in order.

    points: (n, 3) in leg lengths. rate: samples a second. settings: a span begins where the point is slower
    than its speed and less than its height above the lowest place within 0.6 s; it holds on up to twice that
    speed and 1.6 times that height, and also at samples from or to which a single step is slower than the
    speed. up: the index of the axis that points up. passing: (3,), the velocity of the ground in leg lengths
    a second; speeds are those over it, and 0.3 of its size is allowed more; if it is not zero, such a slow
    step may begin a span, too. Gaps no longer than settings.gap_seconds are closed first; then spans shorter
    than settings.shortest_seconds are left out. A gap or a span of k samples lasts k / rate seconds.
    """
    fast = measure_speeds(points, rate, passing)
    slow = settings.speed + UNSTEADY * float(np.linalg.norm(passing))
    high = points[:, up] - lowest_around(points[:, up], round(AROUND_SECONDS * rate))
    # at few frames a second a foot has still, or already, speed where it comes down and lifts
    stays = np.append(steps_of(points, rate, passing) < slow, False)
    stays |= np.roll(stays, 1)
    # a quick run in place has no other frames
    starts = ((fast < slow) | (stays & bool(passing.any()))) & (high < settings.height)
    slower = (fast < FASTER * slow) | stays
    lasts = slower & (high < HIGHER * settings.height)
    joined: list[tuple[int, int]] = []
    for first, last in runs(lasts):
        if not starts[first : last + 1].any():
            continue
        if joined and (first - joined[-1][1] - 1) / rate <= settings.gap_seconds:
            first = joined.pop()[0]
        joined.append((first, last))
    return [run for run in joined if (run[1] - run[0] + 1) / rate >= settings.shortest_seconds]


def measure_speeds(points: Array, rate: float, passing: Array | float = 0.0) -> Array:
    """Return how fast points are over the ground, by central differences, one-sided at the ends.

    Parameters
    ----------
    points : (n, 3)
        At least two, in any unit.
    rate
        Points a second.
    passing : (3,)
        The velocity of the ground, per second; 0 for none.

    Returns
    -------
    Array (n,)
        In the unit of points a second.
    """
    return np.asarray(np.linalg.norm(np.gradient(points, 1.0 / rate, axis=0) - passing, axis=1))


def steps_of(points: Array, rate: float, passing: Array | float = 0.0) -> Array:
    """Return how fast points are over the ground from each to the next.

    Parameters
    ----------
    points : (n, 3)
        In any unit.
    rate
        Points a second.
    passing : (3,)
        The velocity of the ground, per second; 0 for none.

    Returns
    -------
    Array (n - 1,)
        In the unit of points a second.
    """
    return np.asarray(np.linalg.norm(np.diff(points, axis=0) * rate - passing, axis=1))


def lowest_around(heights: Array, samples: int) -> Array:
    """Return for each of heights (n,) the lowest within `samples` samples before and behind it, itself
    included: (n,).
    """
    window = np.concatenate([np.full(samples, np.inf), heights, np.full(samples, np.inf)])
    size, wanted = 1, 2 * samples + 1
    while size < wanted:
        # minima of two windows that overlap are those of a longer one
        step = min(size, wanted - size)
        window = np.minimum(window[:-step], window[step:])
        size += step
    return np.asarray(window)


def on_frames(spans: Sequence[Span], frames: Array) -> list[tuple[int, int]]:
    """Return for each span the first and the last index of the frames in it, both included, in the order of
    spans.

    frames: (n,), rising. The ends of a span count as in it, with a tolerance of 0.0001 frames. For a span
    that contains none of the frames the last index is less than the first.
    """
    first = np.searchsorted(frames, [span.start - ON_FRAME for span in spans], "left")
    last = np.searchsorted(frames, [span.end + ON_FRAME for span in spans], "right") - 1
    return list(zip(first.tolist(), last.tolist(), strict=True))


def medians(values: Array, spans: Sequence[tuple[int, int]]) -> Array:
    """Return the medians, over axis 0, of values (n, ...) in each span of rows: (spans, ...), in the order of
    the spans.

    spans: the first and the last index of each, both included; a last index below the first is not allowed.
    Of an even number of rows it is the mean of the two middle ones. Without spans the result has no rows.
    """
    starts, ends = np.array(spans, int).reshape(-1, 2).T
    lengths = ends - starts + 1
    middles = np.empty((len(spans), *values.shape[1:]))
    for length in np.unique(lengths).tolist():
        # those of one length at once, as one array
        those = lengths == length
        ordered = np.sort(values[starts[those, None] + np.arange(length)], axis=1)
        middles[those] = 0.5 * (ordered[:, (length - 1) // 2] + ordered[:, length // 2])
    return middles


def planted(spans: Iterable[Span], frames: ArrayLike) -> Flags:
    """Return at which of some frames (n,) a foot is planted (n,): within 0.0001 frames of a span."""
    frames = np.asarray(frames, float)
    is_planted = np.zeros(frames.shape, bool)
    for span in spans:
        is_planted |= (frames >= span.start - ON_FRAME) & (frames <= span.end + ON_FRAME)
    return is_planted


# --- of characters that walk in place

MOVES = 0.4
"""Ground that passes more slowly than so many leg lengths a second stands."""
TRAVELS = 0.3
"""A character that goes along with the ground by more than this part of its speed is carried by it."""
ALONG, MOST = 0.3, 0.6
"""Feet that are low go along with passing ground, by this part of its speed, in this part of the frames."""
UNSTEADY = 0.3
"""Such feet stand though they are faster or slower than the ground by this part of its speed."""


def find_passing_ground(
    points: Array, frames: Array, fps: float, lengths: Array, settings: ContactSettings | None = None
) -> Array:
    """Return the velocity at which the ground passes below a character that walks in place.

    It is the median velocity of low feet, for x and y by themselves. It is zeros if that is slower than 0.4
    leg lengths (their median) a second; if the mean velocity of all feet goes along with it by more than 0.3
    of its speed, as the character then travels with the ground; if fewer than 60 % of the low feet go along
    with it by at least 0.3 of its speed; or for fewer than 3 frames. A foot is low at a frame if it is less
    than the settings' height above its own lowest point around that time (AROUND_SECONDS); where the world's
    zero is doesn't count.

    Parameters
    ----------
    points : (n, feet, 3)
        The points by which the feet stand, Z up, in any unit.
    frames : (n,)
        Rising in equal steps.
    fps
        Frames a second.
    lengths : (feet,)
        Of the legs, in the unit of points.
    settings
        Only their height is read, in lengths of the foot's own leg; None for the defaults.

    Returns
    -------
    Array (2,)
        x and y, in the unit of points a second.
    """
    still, height = np.zeros(2), (settings or ContactSettings()).height
    if len(frames) < 3:
        return still
    rate = fps * (len(frames) - 1) / float(frames[-1] - frames[0])
    around = round(AROUND_SECONDS * rate)
    above = [z - lowest_around(z, around) for z in points[..., 2].T]
    velocities = np.gradient(points[..., :2], 1.0 / rate, axis=0)
    low = velocities[np.stack(above, axis=1) < height * lengths]
    ground = np.median(low, axis=0)
    square = float(ground @ ground)
    if np.sqrt(square) < MOVES * float(np.median(lengths)):
        return still
    along = np.mean(low @ ground >= ALONG * square)
    travels = velocities.mean(axis=(0, 1)) @ ground > TRAVELS * square
    return np.asarray(still if travels or along < MOST else ground)


# --- of cycles


def of_period(spans: Iterable[Span], first: float, period: float) -> Spans:
    """Return the spans of a cycle, which was played on, that begin in one of its repetitions.

    Parameters
    ----------
    spans
        Those found from a period before `first` to two periods behind it.
    first
        The frame on which the repetition begins; a span that begins on it counts, one that
        begins a period later does not.
    period
        In frames.

    Returns
    -------
    Spans
        If any span lasts for a period or longer, the foot never lifts, and this is a single
        span of one period from `first` on.
    """
    if any(span.frames >= period - ON_FRAME for span in spans):
        return (Span(first, first + period),)
    return tuple(span for span in spans if first - ON_FRAME <= span.start < first + period - ON_FRAME)


def repeated(spans: Sequence[Span], period: float, start: float, end: float) -> Spans:
    """Return all spans of a cycle that reach into some frames, in any repetition.

    Parameters
    ----------
    spans
        Those of one repetition.
    period
        In frames, above 0.
    start, end
        The first and the last frame; a span that only touches one of them counts.

    Returns
    -------
    Spans
        Sorted, not cut at start and end. Copies that touch or overlap are merged into one,
        as of a foot that never lifts.
    """
    copies: list[Span] = []
    for span in spans:
        turns = np.arange(np.ceil((start - span.end) / period), np.floor((end - span.start) / period) + 1.0)
        copies += [span.move(turn * period) for turn in turns.tolist()]
    joined: list[Span] = []
    for span in sorted(copies):
        # a foot that never lifts
        if joined and span.start <= joined[-1].end + ON_FRAME:
            span = Span(joined.pop().start, span.end)
        joined.append(span)
    return tuple(joined)


# --- edited


def check(spans: Iterable[Span], clip: tuple[float, float], period: float | None = None) -> Spans:
    """Return the spans sorted, if they may be stored as the contacts of one foot.

    Parameters
    ----------
    spans
        In any order.
    clip
        Its first and its last frame. A span must start within it, both included.
    period
        Of a cycle, in frames: a span must end at most a period after its start. None for a
        clip that is no cycle: a span must end within the clip.

    Returns
    -------
    Spans
        By start; () for none.

    Raises
    ------
    InertiaError
        A span ends before it starts, goes beyond these limits, or overlaps or touches the
        next one. In a cycle the first one a period later follows the last; but a single
        span may last for a whole period.
    """
    ordered = tuple(sorted(spans))
    first, last = clip
    for span in ordered:
        frames = {"start": span.start, "end": span.end, "first": first, "last": last}
        named = {name: f"{frame:g}" for name, frame in frames.items()}
        if not span.start <= span.end:
            raise InertiaError(
                "The contact from frame {start} to {end} ends before it starts; give a later end.", **named
            )
        ends = last if period is None else span.start + period
        if not first - ON_FRAME <= span.start <= last + ON_FRAME or not span.end <= ends + ON_FRAME:
            raise InertiaError(
                "The contact from frame {start} to {end} goes beyond the clip, which lasts from frame "
                "{first} to {last}; keep it within.",
                **named,
            )
    around = ordered if period is None else (*ordered, *(span.move(period) for span in ordered[:1]))
    for span, other in itertools.pairwise(around):
        whole = period is not None and span.frames >= period - ON_FRAME and len(ordered) == 1
        if other.start <= span.end + ON_FRAME and not whole:
            raise InertiaError(
                "The contacts from frame {start} to {end} and from frame {other_start} to {other_end} "
                "overlap; move or remove one of them.",
                start=f"{span.start:g}",
                end=f"{span.end:g}",
                other_start=f"{other.start:g}",
                other_end=f"{other.end:g}",
            )
    return ordered


def replaced(
    spans: Sequence[Span], old: Span | None, new: Span | None, clip: tuple[float, float], period: float | None
) -> Spans:
    """Return the spans of a foot with one of them replaced, removed or added.

    Parameters
    ----------
    spans
        The foot's spans.
    old
        The span to take away; nothing is taken away if it is None or not among them.
    new
        The span to add; None for none.
    clip
        The clip's first and last frame.
    period
        Of a cycle, in frames; None for a clip that is no cycle.

    Returns
    -------
    Spans
        By start.

    Raises
    ------
    InertiaError
        The spans may not be stored so, as :func:`check` says.
    """
    kept = [span for span in spans if span != old]
    return check(kept if new is None else [*kept, new], clip, period)


@record(frozen=True)
class FootFigures:
    """What a foot does in a clip.

    foot: its bone. spans: in which it is planted. skate_m: how far it skates over the ground, as far as
    it is low on it, metres, see :func:`evidence.measure_skating`. skate_speed: how fast it does so on
    average, metres a second, over the time that it is low, weighted likewise. penetration_p95_m: how far
    it is below the ground that its plants tell of, metres: the 95th percentile over all frames. reach:
    the furthest that the ankle gets from the hip, as a part of the leg's length. None where it is never
    low or planted, or not known. stance_m: how far it goes over the ground while it is planted, metres,
    which a foot that lands or lifts has no part in.
    """

    foot: str
    spans: tuple[Span, ...]
    skate_m: float
    skate_speed: float | None
    penetration_p95_m: float | None
    reach: float | None = None
    stance_m: float = 0.0

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON values: all fields, with spans as pairs of frames."""
        return {**vars(self), "spans": [[span.start, span.end] for span in self.spans]}


@record(frozen=True, eq=False)
class FootTrack:
    """A foot as it goes through a clip.

    points: (n, 3) where the point is by which it stands, metres, Z up. frames: (n,) rising. spans: in which
    it is planted; of a cycle in all its repetitions.
    """

    foot: str
    points: Array
    frames: Array
    fps: float
    spans: Sequence[Span]


def figures_of_foot(
    track: FootTrack, low: float, ground: Array | None = None, reach: float | None = None
) -> FootFigures:
    """Return how a foot stands, skates and sinks in a clip.

    `skate_m` is how far it goes on the horizontal plane, metres. Each step from one frame to the next counts
    by 2 - 2^(h / low), from 1 at h = 0 to 0 from h = `low` on; h is the mean height of both frames above the
    foot's lowest height within 0.6 s. `skate_speed` is that way by the seconds of all steps, counted
    likewise; None if the foot never is low. `penetration_p95_m` is the 95th percentile of
    :func:`penetrations` over all frames, by `track.spans`; None if no span contains a frame. `stance_m` is
    how far it goes on the horizontal plane between the frames within a span, metres, all of which count
    alike. `foot` and `spans` are the track's.

    track: the foot's points (n, 3), metres, Z up, its frames and planted spans. low: metres, above 0. ground:
    (2,), the velocity of the ground in x and y, metres a second, which is taken off the foot's motion; None
    where it stands. reach: passed on, see :class:`FootFigures`.
    """
    points, frames, fps, spans = track.points, track.frames, track.fps, track.spans
    seen = np.array(points, float)
    if ground is not None:
        seen[:, :2] -= ((frames - frames[0]) / fps)[:, None] * ground
    over_ground, still = Track(frames, seen[:, None]), np.zeros((len(frames), 2))
    stands = grounds.heights((over_ground,), [0], frames, fps)
    way = float(grounds.measure_skating(over_ground, [0], still, stands, low, fps).sum())
    seconds = float(grounds.counts(over_ground, [0], stands, low)[:, 0] @ np.diff(frames)) / fps
    deep = penetrations(seen[:, 2], frames, spans)
    return FootFigures(
        track.foot,
        tuple(spans),
        way,
        way / seconds if seconds > 0.0 else None,
        float(np.percentile(deep, 95.0)) if deep is not None else None,
        reach,
        stance_m=_measure_stances(seen, on_frames(spans, frames)),
    )


def _measure_stances(points: Array, runs: Sequence[tuple[int, int]]) -> float:
    """Return how far a foot goes on the horizontal plane within stances, in the unit of its points (n, 3).

    runs: the first and the last index of the frames of each stance.
    """
    steps = np.linalg.norm(np.diff(points[:, :2], axis=0), axis=1)
    return float(sum(steps[first:last].sum() for first, last in runs))


def penetrations(heights: Array, frames: Array, spans: Sequence[Span]) -> Array | None:
    """Return how far a foot is below its ground at each frame (n,), 0 or more, in the unit of heights; None
    if no span contains a frame.

    heights: (n,), of the foot. frames: (n,), rising. spans: in order; those that contain none of the frames
    are ignored. Within a span the ground is at the foot's median height there. Between two spans it is at the
    lower of both medians, before the first and behind the last span at the median of that one.
    """
    inside = on_frames(spans, frames)
    seen = [(span, run) for span, run in zip(spans, inside, strict=True) if run[0] <= run[1]]
    if not seen:
        return None
    levels = np.concatenate([[np.inf], medians(heights, [run for _, run in seen]), [np.inf]])
    before = levels[np.searchsorted([span.end for span, _ in seen], frames, "left")]
    after = levels[np.searchsorted([span.start for span, _ in seen], frames, "right") + 1]
    ground = np.minimum(before, after)
    for (_, (first, last)), level in zip(seen, levels[1:-1], strict=True):
        ground[first : last + 1] = level
    return np.asarray(np.maximum(ground - heights, 0.0))
