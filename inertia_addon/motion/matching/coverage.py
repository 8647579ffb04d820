# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether clips have the speeds and turns that a target asks for: said before anything is searched."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ...errors import Sentence
from ...records import record
from ..arrays import Array, runs, smooth
from .database import STRAIGHT, Database
from .moves import STILL
from .targets import Target, Timed, Untimed

SMOOTH_SECONDS = 0.25
"""Speeds are those of the motion smoothed by this, so that a step's own swing is none."""
BIN = 0.1
"""Speeds are counted in bins of so many metres a second, for a person."""
LEAST_SECONDS = 0.25
"""What all clips together have of a bin for less than this they don't have."""
NEAR = 0.15
"""A speed that differs by less than this part of itself, or one bin, is had."""
MISSED_SECONDS = 0.25
"""A stretch that is shorter is not worth a word."""
RAMP_SECONDS = 1.0
"""Who speeds up, or slows down, in less than this has no time to go at what lies between."""

ALONG = 1.0
"""How tight a target turns is looked for along so many metres, for a person."""
GENTLE = 30.0
"""Who goes around in more metres, for a person, goes straight on."""
TURNED_SECONDS = 0.5
"""A turn of a clip goes on for so long."""
TIGHTER = 0.8
"""Feet hardly skate more where it is tighter than clips are bent by less than this."""


@record(frozen=True)
class CoveredStretch:
    """From a second to another the target asks for a speed, metres a second, that the clips don't have."""

    first: float
    last: float
    speed: float


@record(frozen=True)
class Coverage:
    """Speeds, metres a second: the least and most that a target asks for, those of clips, what these lack."""

    asked: tuple[float, float]
    had: tuple[tuple[float, float], ...]
    missed: tuple[CoveredStretch, ...]

    def sentences(self) -> list[str]:
        """Return a sentence for each stretch whose speed the clips lack."""
        return [
            Sentence(
                "From {first:.1f} s to {last:.1f} s the path asks for {speed:.1f} m/s; the clips have {had} "
                "m/s, so expect skating or a lag there.",
                first=stretch.first,
                last=stretch.last,
                speed=stretch.speed,
                had=spoken(self.had),
            )
            for stretch in self.missed
        ]


def spoken(ranges: Sequence[tuple[float, float]]) -> str:
    """Return ranges of speeds for a reader, to a tenth: "0.9 to 1.3 and 3.0"."""
    texts = [f"{a:.1f}" if round(a, 1) == round(b, 1) else f"{a:.1f} to {b:.1f}" for a, b in ranges]
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"


def speeds_of(database: Database) -> tuple[tuple[float, float], ...]:
    """Return the ranges of speeds over the ground that clips have, metres a second, slow ones first."""
    speeds = np.concatenate([_speeds(database.ground[part], database.fps) for part in database.slices])
    return ranges_of(speeds, BIN * database.size, max(1.0, LEAST_SECONDS * database.fps))


def ranges_of(speeds: Array, width: float, least: float) -> tuple[tuple[float, float], ...]:
    """Return the ranges in which speeds occur, slow ones first.

    Parameters
    ----------
    speeds : (n,)
        0 or more, in any unit.
    width
        Of the bins in which they are counted, in that unit. Two filled bins with a single
        empty one between them belong to one range.
    least
        How many speeds a bin needs; if no bin has as many, every bin with any speed counts.

    Returns
    -------
    tuple[tuple[float, float], ...]
        The lower edge of a range's first bin, and the upper edge of its last.

    Raises
    ------
    IndexError
        There are no speeds.
    """
    bins = np.bincount((speeds / width).astype(np.int64))
    had = np.flatnonzero(bins >= least)
    if not len(had):
        had = np.flatnonzero(bins)
    runs = np.split(had, np.flatnonzero(np.diff(had) > 2) + 1)
    return tuple((float(run[0] * width), float((run[-1] + 1) * width)) for run in runs)


def compare(database: Database, target: Timed) -> Coverage:
    """Return what speeds a timed target asks for, which ranges the clips have, and the stretches in which
    these lack it.

    The result's `asked` is the least and the highest speed. `had` are the clips' ranges (low, high), slow
    ones first, see :func:`speeds_of`: bins of 0.1 m/s (for a person) count that all clips together are in for
    at least 0.25 s. `missed` are the stretches, in order, each with `first` and `last`, the seconds from the
    target's first frame at which it begins and ends (the end is that of its last frame, and excluded), and
    with the median `speed` asked. Speeds are in metres a second, of ways smoothed with a standard deviation
    of 0.25 s, by central differences.

    A speed is lacking if it is outside every range by more than 15 % of itself and more than 0.1 m/s (for a
    person). Stretches shorter than 0.25 s are left out, and so are those shorter than 1 s in which the speed
    only goes from the value before to the value behind, see :func:`_is_ramp`. A target or a part of fewer
    than 2 frames raises ValueError.
    """
    had, asked = speeds_of(database), _speeds(target.ground, target.fps)
    slack = np.maximum(NEAR * asked, BIN * database.size)
    lacks = np.ones(len(asked), bool)
    for low, high in had:
        lacks &= (asked < low - slack) | (asked > high + slack)
    missed = tuple(
        CoveredStretch(first / target.fps, last / target.fps, float(np.median(asked[first:last])))
        for first, last in ((first, end + 1) for first, end in runs(lacks))
        if last - first >= MISSED_SECONDS * target.fps and not _is_ramp(asked, first, last, target.fps)
    )
    return Coverage((float(asked.min()), float(asked.max())), had, missed)


def _is_ramp(asked: Array, first: int, last: int, fps: float) -> bool:
    """Tell whether the speeds asked[first:last] only lead from the speed before them to the one behind them.

    That is so if they last less than 1 s, all lie between these two speeds, and the slice touches neither end
    of asked (n,).
    """
    if first == 0 or last == len(asked) or last - first >= RAMP_SECONDS * fps:
        return False
    ends, between = sorted((asked[first - 1], asked[last])), asked[first:last]
    return bool(ends[0] <= between.min() and between.max() <= ends[1])


def tight(database: Database, target: Target, *, steered: bool = False) -> list[str]:
    """Return a sentence if a target turns more tightly than clips that go straight on can be bent.

    Parameters
    ----------
    database
        The clips; only their bent copies are looked at.
    target
        Its tightest radius is measured over 1 m (for a person) of its way.
    steered
        Whether the target comes from wishes, which changes the wording.

    Returns
    -------
    list[str]
        One sentence if the target's tightest radius is less than 0.8 of the bent clips'
        least; else [], also if no clip is bent, or if some clip turns by itself.
    """
    least, radius = _least_radius(database), _radius_of(target, ALONG * database.size)
    if least is None or radius >= TIGHTER * least:
        return []
    values = {"radius": radius, "least": least}
    if steered:
        return [
            Sentence(
                "The wishes turn the character in {radius:.1f} m, which is too tight for these clips: at "
                "their speed they turn in {least:.1f} m, or feet skate. Wish for wider turns, or raise "
                "Bends.",
                **values,
            )
        ]
    return [
        Sentence(
            "The path turns in {radius:.1f} m, which is too tight for these clips: at their speed they turn "
            "in {least:.1f} m, or feet skate. Widen the path, or raise Bends.",
            **values,
        )
    ]


def why_it_stops(database: Database, target: Untimed, gone: float) -> Sentence:
    """Return a sentence that says why a way ends before its line does, and what to do.

    Parameters
    ----------
    database
        The clips.
    target
        The line.
    gone
        How far along the line the way comes, metres.

    Returns
    -------
    Sentence
        If the line's tightest radius is at most 30 m (for a person) and less than 0.8 of
        that of the clips, the turn is blamed, in other words if the clips never turn; else
        it is that no clip leads on.
    """
    values = {"gone": gone, "length": target.line.length}
    radius, least = _radius_of(target, ALONG * database.size), _turned_in(database)
    if radius >= TIGHTER * least or radius > GENTLE * database.size:
        return Sentence(
            "The clips only get {gone:.1f} m along the path's {length:.1f} m, and none of them leads on "
            "from there: choose other clips, or change the path after that point.",
            **values,
        )
    if not np.isfinite(least):
        return Sentence(
            "The clips only get {gone:.1f} m along the path's {length:.1f} m: it turns in {radius:.1f} m, "
            "and all of them go straight on. Choose some that turn, or raise Bends.",
            radius=radius,
            **values,
        )
    return Sentence(
        "The clips only get {gone:.1f} m along the path's {length:.1f} m: it turns in {radius:.1f} m, and "
        "the tightest turn of the clips takes {least:.1f} m. Widen the path to that, or raise Bends.",
        radius=radius,
        least=least,
        **values,
    )


def _turned_in(database: Database) -> float:
    """Return the tightest radius, metres, on which any part of the database turns for at least 0.5 s in a
    row; inf if none does.

    A frame's radius is its speed over the ground divided by the rate at which its heading turns, to either
    side, both of the smoothed root, see :meth:`Database.rates`; so sidling on a curve without turning is
    straight. Of each 0.5 s in a row the largest radius counts, and of all these the least is returned. Frames
    at 0.3 m/s or less (for a person), and radii above 30 m (for a person), count as straight, that is inf.
    Bent and mirrored parts count, too; parts shorter than 0.5 s are left out.
    """
    moved, turns = database.rates(np.arange(database.frames))
    speeds = np.linalg.norm(moved, axis=1)
    goes = speeds > 2.0 * STILL * database.size
    radii = np.where(goes, speeds / np.maximum(np.abs(turns), 1e-6), np.inf)
    radii[radii > GENTLE * database.size] = np.inf
    count = max(1, round(TURNED_SECONDS * database.fps))
    least = [
        float(sliding_window_view(radii[part], count).max(axis=1).min())
        for part in database.slices
        if part.stop - part.start >= count
    ]
    return min(least, default=np.inf)


def _least_radius(database: Database) -> float | None:
    """Return the least radius, metres, on which bent clips turn at their median speed: for each, the median
    over its frames divided by its bend without sign.

    It is None if no clip is bent, or if the headings of any part that is not bent, the smoothed root's, range
    over more than 10 degrees from the least to the largest; its last heading may be the first again.
    """
    radii, speeds = [], database.speeds
    for source, part in zip(database.sources, database.slices, strict=True):
        if source.bend:
            radii.append(float(np.median(speeds[part])) / abs(source.bend))
        elif np.ptp(database.heading[part]) > STRAIGHT:
            return None
    return min(radii, default=None)


def _radius_of(target: Target, along: float) -> float:
    """Return the radius, metres, of the tightest turn of a target: `along` metres over the largest change of
    direction, radians, in `along` metres of its way.

    The change is that from the direction of a step to the direction `along` metres further on, between steps
    interpolated, and without sign; what turns back in between does not count. Of a timed target the way is
    that of its places, else the line. Steps of up to a micrometre are left out. Of a way shorter than
    `along`, its length is divided by the change from its first direction to its last. A target that stands or
    goes straight gives inf.
    """
    steps = np.diff(target.ground if isinstance(target, Timed) else target.line.points, axis=0)
    lengths = np.linalg.norm(steps, axis=1)
    goes = lengths > 1e-6
    if not goes.any():  # what stands goes nowhere
        return np.inf
    turned = np.unwrap(np.arctan2(steps[goes, 1], steps[goes, 0]))
    way = np.cumsum(lengths[goes])
    ahead = np.interp(way + along, way, turned)
    most = float(np.abs(ahead - turned)[way <= max(way[0], way[-1] - along)].max())
    return min(along, float(way[-1])) / most if most > 0.0 else np.inf


def _speeds(ground: Array, fps: float) -> Array:
    """Return the speed (n,) of a way through places (n, 2)."""
    return np.asarray(np.linalg.norm(np.gradient(smooth(ground, SMOOTH_SECONDS * fps), axis=0), axis=1) * fps)
