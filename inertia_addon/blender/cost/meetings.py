# SPDX-License-Identifier: GPL-3.0-or-later
"""Where two clips meet best: searches of a cut, a destination frame, or both."""

from __future__ import annotations

import dataclasses
from collections.abc import Generator, Iterable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ...errors import InertiaError, Sentence
from ...motion.arrays import Array
from ...motion.cost import costs as cost
from ...motion.cycles.cycle import Cycle
from ...motion.steps import finish
from ...records import record
from ...settings.cost import Search
from ..evaluation import joint_motion
from ..evaluation.joint_motion import Motion
from . import costing
from .costing import Compared, CostMap
from .sides import Side


@record(frozen=True)
class Meeting:
    """A cut with a destination frame, and what a transition there costs, metre seconds."""

    cut: float
    destination_frame: float
    cost: float


Somewhere = TypeVar("Somewhere", bound=Meeting)


def cuts(search: Search, frames: Array, cycle: Cycle | None = None) -> NDArray[np.int64]:
    """The indices of the source's frames that may be cuts. Raises InertiaError when there is none.

    Any frame of a cycle may, as it can be played before, and in a range that one of its repetitions may.
    """
    first = search.first
    if cycle is not None:
        found = np.flatnonzero(np.isfinite(_cuts_of_cycle(search, frames, cycle)))
        if len(found):
            return found
        first = frames[0] if first is None else first
    if first is None:
        # a whole frame of the first half, so that there always is one
        first = frames[0] + min(search.keep_frames, len(frames) // 2)
    last = frames[-1] if search.last is None else search.last
    found = np.flatnonzero((frames >= first - 1e-6) & (frames <= last + 1e-6))
    if not len(found):
        raise InertiaError(
            "No frame of the source lies between {first:g} and {last:g}; it has frames {start:g} to {end:g}.",
            first=first,
            last=last,
            start=frames[0],
            end=frames[-1],
        )
    return found


def _cuts_of_cycle(search: Search, frames: Array, cycle: Cycle) -> Array:
    """At which frame of a range each frame (n,) of a cycle is shown first; not a number where at none."""
    first = frames[0] if search.first is None else search.first
    # beyond the first repetition only where a range says so
    turns = np.maximum(np.ceil((first - frames - 1e-6) / cycle.period), 0.0)
    found = np.where(frames < cycle.start - 1e-6, frames, frames + turns * cycle.period)
    last = frames[-1] if search.last is None else search.last
    if search.last is None and first > last:
        last = first + cycle.period
    return np.where((found >= first - 1e-6) & (found <= last + 1e-6), found, np.nan)


def cut_of(search: Search, side: Side, frame: float) -> float:
    """The cut within a search's range that shows a frame of the source: a later one of a cycle may."""
    if side.cycle is None:
        return frame
    at = int(np.argmin(np.abs(side.frames - frame)))
    return float(_cuts_of_cycle(search, side.frames, side.cycle)[at])


def destinations(search: Search, frames: Array, cycle: Cycle | None = None) -> NDArray[np.int64]:
    """The indices of frames at which the destination may be entered.

    The first one always may, and any of a cycle, as that goes on.
    """
    if cycle is not None:
        return np.arange(len(frames))
    return np.flatnonzero((frames <= frames[-1] - search.keep_frames + 1e-6) | (frames == frames[0]))


def sampled(names: Sequence[str], motions: Sequence[Motion], search: Search | None = None) -> list[str]:
    """A sentence for each of two clips of which not every frame was looked at.

    names: of the source and the destination. motions: the same, evaluated. search: of :func:`best_pairs`;
    None where none was made. Raises InertiaError when no frame is within the search.
    """
    frames = [motion.frames for motion in motions]
    searched = [0, 0]
    if search is not None:
        here, there = (motion.cycle for motion in motions)
        searched = [len(cuts(search, frames[0], here)), len(destinations(search, frames[1], there))]
    said: list[str] = []
    for name, own, count in zip(names, frames, searched, strict=True):
        every = costing.coarseness(count)
        if every > 1:
            said.append(
                Sentence(
                    '"{action}" is so long that only one frame in {step:.0f} was searched, then every '
                    "frame around the best ones.",
                    action=name,
                    step=every * _step(own),
                )
            )
        else:
            said += joint_motion.sampled(name, own)
    return said


def possible(compared: Compared, search: Search, over: str, other: float) -> NDArray[np.bool_]:
    """Which frames a search for one side of a meeting looks at.

    over: ``DESTINATION`` or ``CUT``, the side that is searched. other: the other side's frame.
    """
    side = compared.destination if over == "DESTINATION" else compared.source
    found = np.zeros(len(side.frames), bool)
    try:
        look = destinations if over == "DESTINATION" else cuts
        found[look(search, side.frames, side.cycle)] = True
    except InertiaError:
        return found
    return found & ~too_near(compared, side.frames, other)


def best_destinations(compared: Compared, cut: float, search: Search, count: int) -> list[Meeting]:
    """The cheapest frames at which to enter the destination at a cut that are not neighbours, the best
    first."""
    frames = compared.destination.frames
    costs = np.where(too_near(compared, cut, frames), np.inf, compared.over_destination(cut))
    allowed = destinations(search, frames, compared.destination.cycle)
    found = _cheapest(frames, costs, allowed, count, search.apart_frames)
    return [Meeting(cut, float(frames[i]), float(costs[i])) for i in found]


def best_cuts(compared: Compared, destination_frame: float, search: Search, count: int) -> list[Meeting]:
    """The cheapest cuts within the range for a frame of the destination that are not neighbours, the best
    first."""
    frames = compared.source.frames
    near = too_near(compared, frames, destination_frame)
    costs = np.where(near, np.inf, compared.over_cut(destination_frame))
    allowed = cuts(search, frames, compared.source.cycle)
    found = _cheapest(frames, costs, allowed, count, search.apart_frames)
    places = ((i, cut_of(search, compared.source, float(frames[i]))) for i in found)
    return [Meeting(cut, destination_frame, float(costs[i])) for i, cut in places]


def _cheapest(
    frames: Array, costs: Array, allowed: NDArray[np.int64], count: int, apart_frames: float
) -> list[int]:
    """The places of the lowest of the allowed costs that are not neighbours, the lowest first."""
    left = np.full((1, len(costs)), np.inf, np.float32)
    left[0, allowed] = costs[allowed]
    found = cost.best_pairs(left, count, max(1, int(np.ceil(apart_frames / _step(frames)))))
    _check_any(found[0][2] if found else np.inf)
    return [place for _, place, _ in found]


def too_near(compared: Compared, cuts: Array | float, destinations: Array | float) -> NDArray[np.bool_]:
    """Whether frames of one clip lie so near that it would just go on; shape as they broadcast.

    It never is where the two clips are not the same one.
    """
    if not compared.is_one:
        return np.zeros(np.broadcast_shapes(np.shape(cuts), np.shape(destinations)), bool)
    blend_frames = compared.blend_frames
    away = np.abs(np.subtract(cuts, destinations))
    if compared.source.cycle is not None:
        # as far as it may be in a cycle, whichever way round
        period = compared.source.cycle.period
        away = np.minimum(away % period, period - away % period)
        blend_frames = min(blend_frames, 0.5 * period)
    return np.asarray(away < blend_frames - 1e-6)


def without_neighbours(
    found: Iterable[Somewhere], apart_frames: float, count: int | None = None
) -> list[Somewhere]:
    """So many of some meetings, None for all, without those that are neighbours of one before them."""
    taken: list[Somewhere] = []
    for one in found:
        if len(taken) == count:
            break
        if all(apart(one, other) >= apart_frames for other in taken):
            taken.append(one)
    return taken


def apart(one: Meeting, other: Meeting) -> float:
    """How many frames two meetings are apart."""
    return max(abs(one.cut - other.cut), abs(one.destination_frame - other.destination_frame))


def _check_any(cost: float) -> None:
    """Raise InertiaError for a meeting that may not be."""
    if not np.isfinite(cost):
        raise InertiaError(
            "The clip would meet itself less than a blend away everywhere; choose a shorter blend time, or "
            "another clip."
        )


def best_pairs(
    compared: Compared, count: int, search: Search, exact: bool = True, cells: int = costing.MAP_CELLS
) -> Generator[float, None, list[Meeting]]:
    """The cheapest meetings that are not neighbours, the best first; yields the part that is done.

    exact: whether to search all exact costs, or the features' approximation; what is found has its
    exact cost either way. Clips of more frames than ``cells`` are searched more closely around what a
    coarser look has found.
    """
    here, there = compared.source, compared.destination
    limited = dataclasses.replace(
        compared,
        source=here.taken(cuts(search, here.frames, here.cycle)),
        destination=there.taken(destinations(search, there.frames, there.cycle)),
    )
    costs, steps = costing.start_map(limited, exact, cells)
    yield from steps
    costs.costs[too_near(limited, costs.cuts[:, None], costs.destinations)] = np.inf
    found = pairs_of(limited, costs, count, search.apart_frames)
    _check_any(found[0].cost if found else np.inf)
    return [dataclasses.replace(one, cut=cut_of(search, here, one.cut)) for one in found]


def pairs_of(compared: Compared, costs: CostMap, count: int, apart_frames: float) -> list[Meeting]:
    """The cheapest meetings of a map that are not neighbours, with their exact costs, the best first."""
    step = max(_step(costs.cuts), _step(costs.destinations))
    cells = cost.best_pairs(costs.costs, count, max(1, int(np.ceil(apart_frames / step))))
    found = [_refined(compared, costs, i, j) for i, j, _ in cells]
    return sorted(found, key=lambda meeting: meeting.cost)


def _step(frames: Array) -> float:
    return float(frames[1] - frames[0]) if len(frames) > 1 else 1.0


def _refined(compared: Compared, costs: CostMap, i: int, j: int) -> Meeting:
    """The cheapest meeting in a cell of a thinned map, by exact cost."""
    cuts = _within(compared.source.frames, costs.cuts[i], _step(costs.cuts))
    destinations = _within(compared.destination.frames, costs.destinations[j], _step(costs.destinations))
    side = compared.destination.taken(destinations)
    there = compared.prepared(side)
    rows = []
    for index in cuts:
        here = compared.prepared(compared.source.taken(np.array([index])))
        near = too_near(compared, compared.source.frames[index], compared.destination.frames[destinations])
        row = cost.exact_curve(here, there)
        finish(compared.add_prediction(row[None], compared.source.frames[[index]], side.frames))
        rows.append(np.where(near, np.inf, row))
    a, b = np.unravel_index(int(np.argmin(rows)), (len(cuts), len(destinations)))
    cut, destination = compared.source.frames[cuts[a]], compared.destination.frames[destinations[b]]
    return Meeting(float(cut), float(destination), float(rows[a][b]))


def _within(frames: Array, middle: float, step: float) -> NDArray[np.int64]:
    """The indices of frames less than a step from one of them."""
    return np.flatnonzero(np.abs(frames - middle) < step - 1e-6)
