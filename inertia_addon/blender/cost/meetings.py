# SPDX-License-Identifier: GPL-3.0-or-later
"""Where two clips meet best: searches of a cut, a destination frame, or both, and maps of all these costs."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import numpy as np

from ...errors import InertiaError, Sentence
from ...motion.arrays import Array, Flags, Floats, Integers
from ...motion.cost import costs as cost
from ...motion.cost import point_cloud
from ...motion.cycles.cycle import Cycle
from ...motion.decay.decay import Method
from ...motion.pops import teleports
from ...motion.steps import Steps, finish, part
from ...plots.heat_map import HeatMap
from ...records import record
from ...settings.cost import Search
from ...settings.hops import UNITS
from ..data import scene
from ..evaluation import joint_motion
from ..evaluation.joint_motion import JointMotion
from .costing import Compared
from .sides import ComparedSide

MAP_CELLS = 2000
"""A map has at most so many rows and columns; longer clips are looked at every few frames."""
BOUNDS = 0.3
"""About what part of a search of all exact costs it is to find their bounds."""
MANY = 0.02
"""Where bounds leave more than this part of a map all of it is compared, as that is quicker cell by cell."""
ROUNDING = 1e-5
"""By so much of the highest cost of a map, at most, do features stray by rounding."""
NOTES = {
    "EXACT": "exact; metre seconds",
    "FEATURE": "approximate, by features; metre seconds",
    "POINT_CLOUD": "of whole poses all through the blend; square metres",
}
"""What is said below a map of each kind."""


@record(frozen=True, eq=False)
class CostMap:
    """Cost of every cut (n,) with every destination frame (m,); costs (n, m), NaN until computed.

    kind: EXACT or FEATURE, metre seconds; or POINT_CLOUD, the distance of the poses all through a blend,
    square metres, as hops compare them: NaN where a clip ends before the blend does.
    """

    cuts: Array
    destinations: Array
    costs: Floats
    kind: str

    @property
    def unit(self) -> str:
        """What the values are measured in."""
        return UNITS["POINT_CLOUD" if self.kind == "POINT_CLOUD" else "DISPLACEMENT"]


@record(frozen=True)
class CostedMeeting:
    """A cut with a destination frame, and what a transition there costs, metre seconds."""

    cut: float
    destination_frame: float
    cost: float


Somewhere = TypeVar("Somewhere", bound=CostedMeeting)


def cuts(search: Search, source: ComparedSide | JointMotion) -> Integers:
    """Return the indices, rising, of the source's frames that may be cuts. Raise InertiaError when there is
    none.

    They lie from ``search.first`` to ``search.last``, both included; without `last`, to the end. Without
    `first` they begin with the frame that has ``keep_frames`` or ``before_seconds``, rounded up to whole
    frames, of the clip before it, whichever is more, but half as many as it has frames, rounded down, at
    most. Short parts that teleports cut off are left out, unless nothing else is left.

    Of a cycle a frame may be a cut if any of its repetitions lies in the range; ``keep_frames`` and teleports
    don't count there, and without a range all may. A cycle none of whose frames lies in the range is taken as
    a clip that does not repeat, with the range from its first frame on if `first` is missing.
    """
    first, frames = search.first, source.frames
    if source.cycle is not None:
        allowed = np.flatnonzero(np.isfinite(_cuts_of_cycle(search, frames, source.cycle)))
        if len(allowed):
            return allowed
        first = frames[0] if first is None else first
    if first is None:
        # a whole frame of the first half, so that there always is one
        kept = max(search.keep_frames, np.ceil(scene.to_frames(search.before_seconds) - 1e-6))
        first = frames[0] + min(kept, len(frames) // 2)
    last = frames[-1] if search.last is None else search.last
    allowed = np.flatnonzero((frames >= first - 1e-6) & (frames <= last + 1e-6))
    if not len(allowed):
        raise InertiaError(
            "No frame of the source lies between {first:g} and {last:g}; it has frames {start:g} to {end:g}.",
            first=first,
            last=last,
            start=frames[0],
            end=frames[-1],
        )
    return _keep_moving(source, allowed)


def _cuts_of_cycle(search: Search, frames: Array, cycle: Cycle) -> Array:
    """Return, for each of a cycle's frames (n,), the first frame of the search's range at which it is shown,
    in a later repetition if need be; NaN if it is shown at none.

    The range is from ``search.first`` to ``search.last``, both included within 1e-6. Without `first` it
    begins ``before_seconds`` behind the clip's first frame, rounded up to whole frames. Without `last` it
    ends with the clip's last frame; but, if `first` is missing or lies behind that, not before one period of
    the cycle behind the range's own beginning. Frames before the cycle begins are shown once, where they are.
    """
    first = search.first
    if first is None:
        first = frames[0] + np.ceil(scene.to_frames(search.before_seconds) - 1e-6)
    # beyond the first repetition only where a range says so
    turns = np.maximum(np.ceil((first - frames - 1e-6) / cycle.period), 0.0)
    shown = np.where(frames < cycle.start - 1e-6, frames, frames + turns * cycle.period)
    last = frames[-1] if search.last is None else search.last
    if search.last is None and (first > last or search.first is None):
        last = max(last, first + cycle.period)
    return np.where((shown >= first - 1e-6) & (shown <= last + 1e-6), shown, np.nan)


def cut_of(search: Search, compared_side: ComparedSide, frame: float) -> float:
    """Return the cut within a search's range that shows a frame of the source, in a later repetition of a
    cycle if need be.

    A source that is no cycle gives `frame` itself, whatever the range. Of a cycle the clip's frame nearest to
    `frame` is taken, and the first frame of the range that shows it is returned; NaN if none does.
    """
    if compared_side.cycle is None:
        return frame
    at = int(np.argmin(np.abs(compared_side.frames - frame)))
    return float(_cuts_of_cycle(search, compared_side.frames, compared_side.cycle)[at])


def entries(search: Search, destination: ComparedSide | JointMotion, blend_frames: float = 0.0) -> Integers:
    """Return the indices, rising, of frames at which the destination may be entered; never none.

    Behind them ``search.keep_frames`` of the clip must be left, or, if ``behind_seconds`` is above 0 and that
    is more, the blend and so many seconds. blend_frames: how long a blend lasts. The first frame always may,
    and so may any of a cycle, as that goes on. Short parts that teleports cut off, such as a lone pose at the
    beginning, are left out, unless nothing else is left.
    """
    frames = destination.frames
    if destination.cycle is not None:
        return np.arange(len(frames))
    kept = search.keep_frames
    if search.behind_seconds > 0.0:
        kept = max(kept, blend_frames + scene.to_frames(search.behind_seconds))
    allowed = (frames <= frames[-1] - kept + 1e-6) | (frames == frames[0])
    return _keep_moving(destination, np.flatnonzero(allowed))


def _keep_moving(searched_side: ComparedSide | JointMotion, allowed: Integers) -> Integers:
    """Return those of some frames, by index, that lie in a part of the clip, between two teleports or its
    ends, whose first and last frame are two frames apart or more; all of `allowed` if none of them does, or
    the clip has no teleports.

    Two bind poses are alike, so that nothing would cost less than to go from one to the other.
    """
    if not searched_side.teleports:
        return allowed
    moving = allowed[teleports.is_moving(searched_side.frames, searched_side.teleports)[allowed]]
    return moving if len(moving) else allowed


def sampled(names: Sequence[str], motions: Sequence[JointMotion], search: Search | None = None) -> list[str]:
    """Return a sentence for each of two clips of which not every frame was looked at, the source's first; []
    if all were.

    If the search allows more than MAP_CELLS frames of a clip as cuts or entries, its sentence says that only
    one frame in so many was searched, then every frame around the best. Else, if the motion's frames are more
    than one apart, it says that only one in so many was checked.

    names: of the source and the destination. motions: the same, evaluated. search: that which
    :func:`best_pairs` was made with; None if no search was made, which leaves only sentences of the second
    kind and raises nothing. Raise InertiaError when no frame of the source is within the search.
    """
    searched = [0, 0]
    if search is not None:
        searched = [len(cuts(search, motions[0])), len(entries(search, motions[1]))]
    sentences: list[str] = []
    for name, motion, count in zip(names, motions, searched, strict=True):
        every = coarseness(count)
        if every > 1:
            sentences.append(
                Sentence(
                    '"{action}" is so long that the search took only one frame in {step:.0f}, and then '
                    "every frame around the best ones.",
                    action=name,
                    step=every * _step(motion.frames),
                )
            )
        else:
            sentences += joint_motion.describe_sampling(name, motion.frames)
    return sentences


def possible(compared: Compared, search: Search, over: str, opposite_frame: float) -> Flags:
    """Return which frames (n,) of one side a search for it looks at: those within the search that are not
    :func:`too_near` the other side's; all False if none is within the search.

    over: ``DESTINATION`` or ``CUT``, the side that is searched. opposite_frame: the other side's frame.
    """
    is_entry = over == "DESTINATION"
    side = compared.destination if is_entry else compared.source
    allowed = np.zeros(len(side.frames), bool)
    try:
        allowed[entries(search, side, compared.blend_frames) if is_entry else cuts(search, side)] = True
    except InertiaError:
        return allowed
    return allowed & ~too_near(compared, side.frames, opposite_frame)


def best_destinations(compared: Compared, cut: float, search: Search, count: int) -> list[CostedMeeting]:
    """Return the cheapest entries at a cut, at most `count`, that are not neighbours, the best first, each
    with `cut`, the destination frame and the cost in metre seconds.

    Entries less than ``search.apart_frames`` from a cheaper one are left out. Whether the cut is within the
    search is not looked at. Raise InertiaError if the clip would meet itself everywhere.
    """
    frames = compared.destination.frames
    costs = np.where(too_near(compared, cut, frames), np.inf, compared.over_destination(cut))
    allowed = entries(search, compared.destination, compared.blend_frames)
    cheapest = _cheapest(frames, costs, allowed, count, search)
    return [CostedMeeting(cut, float(frames[i]), float(costs[i])) for i in cheapest]


def best_cuts(
    compared: Compared, destination_frame: float, search: Search, count: int
) -> list[CostedMeeting]:
    """Return the cheapest cuts for a frame of the destination, at most `count`, that are not neighbours, the
    best first, each with the cut, `destination_frame` and the cost in metre seconds.

    Cuts less than ``search.apart_frames`` from a cheaper one are left out. Of a cycle the cut is in the first
    repetition that lies in the search's range. Raise InertiaError if no frame is within the search, or the
    clip would meet itself everywhere.
    """
    frames = compared.source.frames
    near = too_near(compared, frames, destination_frame)
    costs = np.where(near, np.inf, compared.over_cut(destination_frame))
    cheapest = _cheapest(frames, costs, cuts(search, compared.source), count, search)
    places = ((i, cut_of(search, compared.source, float(frames[i]))) for i in cheapest)
    return [CostedMeeting(cut, destination_frame, float(costs[i])) for i, cut in places]


def _cheapest(frames: Array, costs: Array, allowed: Integers, count: int, search: Search) -> list[int]:
    """Return the indices of the lowest of the allowed costs, at most `count`, that are not neighbours, the
    lowest first. Neighbours are less than ``search.apart_frames`` apart.

    frames, costs: (n,). allowed: indices. Raise InertiaError if none of the allowed costs is finite.
    """
    left = np.full((1, len(costs)), np.inf, np.float32)
    left[0, allowed] = costs[allowed]
    cells = cost.best_pairs(left, count, _cells_apart(search.apart_frames, _step(frames)))
    _check_any(cells[0][2] if cells else np.inf)
    return [place for _, place, _ in cells]


def _cells_apart(apart_frames: float, step: float) -> int:
    return max(1, int(np.ceil(apart_frames / step)))


def too_near(compared: Compared, cuts: Array | float, destinations: Array | float) -> Flags:
    """Return whether frames of one clip are so near that it would just go on: less than a blend apart; of the
    shape to which both broadcast.

    Exactly a blend is far enough. In a cycle the shorter way round counts, and half a cycle is always far
    enough. Frames of two different clips never are too near.
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
    ordered: Iterable[Somewhere], apart_frames: float, count: int | None = None
) -> list[Somewhere]:
    """Return meetings in the given order, each left out that is a neighbour of one taken before.

    Neighbours are those of which both the cuts and the destination frames are less than `apart_frames` apart.
    count: at most so many are returned; None for all.
    """
    taken: list[Somewhere] = []
    for meeting in ordered:
        if len(taken) == count:
            break
        if all(apart(meeting, other) >= apart_frames for other in taken):
            taken.append(meeting)
    return taken


def apart(a: CostedMeeting, b: CostedMeeting) -> float:
    """Return how many frames two meetings are apart."""
    return max(abs(a.cut - b.cut), abs(a.destination_frame - b.destination_frame))


def _check_any(cost: float) -> None:
    """Raise InertiaError for a meeting that may not be."""
    if not np.isfinite(cost):
        raise InertiaError(
            "The clip is too short to meet itself a blend time away; choose a shorter blend time, or "
            "another clip."
        )


def best_pairs(
    compared: Compared, count: int, search: Search, *, exact: bool = True, cells: int = MAP_CELLS
) -> Steps[list[CostedMeeting]]:
    """Return the cheapest meetings, at most `count`, that are not neighbours, the best first; yields how much
    is done, 0 to 1.

    Each has the cut (of a cycle in the first repetition that lies in the search's range), the destination
    frame and the exact cost in metre seconds, skate included. exact: whether to search all exact costs, or
    the features' approximation. cells: of a clip of more frames only every second, third and so on is looked
    at first; then the frames less than a step from the best ones, by exact costs. Neighbours are told on that
    map, before the closer look, by rows and columns, of which ``search.apart_frames`` are counted in the
    longer step of the two: so on a thinned map what is returned may lie nearer than that.

    Raise InertiaError, once the steps are run, if no frame is within the search, or the clip would meet
    itself everywhere.
    """
    source, destination = compared.source, compared.destination
    limited = dataclasses.replace(
        compared,
        source=source.taken(cuts(search, source)),
        destination=destination.taken(entries(search, destination, compared.blend_frames)),
    )
    are_bounds = exact and _are_bounds(limited)
    cost_map, steps = start_map(limited, "EXACT" if exact and not are_bounds else "FEATURE", cells)
    yield from part(steps, 0.0, BOUNDS if are_bounds else 1.0)
    cost_map.costs[too_near(limited, cost_map.cuts[:, None], cost_map.destinations)] = np.inf
    step = max(_step(cost_map.cuts), _step(cost_map.destinations))
    apart_cells = _cells_apart(search.apart_frames, step)
    if are_bounds:
        finding = _find_lowest_steps(limited, cost_map, count, apart_cells)
        lowest = yield from part(finding, BOUNDS, 1.0)
    else:
        lowest = cost.best_pairs(cost_map.costs, count, apart_cells)
    refined = sorted(_refine(limited, cost_map, lowest), key=lambda pair: pair.cost)
    _check_any(refined[0].cost if refined else np.inf)
    return [dataclasses.replace(pair, cut=cut_of(search, source, pair.cut)) for pair in refined]


def _step(frames: Array) -> float:
    return float(frames[1] - frames[0]) if len(frames) > 1 else 1.0


def _are_bounds(compared: Compared) -> bool:
    """Tell whether no exact cost is below that of the features, and skate counts nothing.

    A joint's feature is the signed sum over the blend, and its cost the sum of sizes: they are the same where
    its offset crosses zero nowhere, and else the cost is more. SMOOTH's pull is in no feature.
    """
    return compared.method is not Method.SMOOTH and compared.prediction is None


def _find_lowest_steps(
    compared: Compared, bounds: CostMap, count: int, apart_cells: int
) -> Steps[list[tuple[int, int, float]]]:
    """Return the cells (row, column, cost) of lowest exact cost, at most `count`, no two of which are
    neighbours, the lowest first, as :func:`costs.best_pairs` finds them on a map of all exact costs; yield
    the part that is done where all of these are computed.

    bounds: the map by features, infinite where no meeting may be. Only cells are compared whose features cost
    no more than what the best of them cost exactly: no other can cost less, see :func:`_are_bounds`. All are
    where that leaves many.
    """
    rows, columns = map(compared.prepared, _of_map(compared, bounds))
    lowest = cost.best_pairs(bounds.costs, count, apart_cells)
    if not lowest:
        return []
    i, j = np.array([cell[:2] for cell in lowest]).T
    most = float(cost.at_cells(rows, columns, i, j).max())
    may_meet = np.isfinite(bounds.costs)
    rounding = ROUNDING * float(bounds.costs[may_meet].max())
    costs = np.full(bounds.costs.shape, np.inf, np.float32)
    while True:
        i, j = np.nonzero(bounds.costs <= most + 2.0 * rounding)
        if len(i) > MANY * bounds.costs.size:
            yield from cost.map_blocks(rows, columns, costs)
            costs[~may_meet] = np.inf
            return cost.best_pairs(costs, count, apart_cells)
        costs[i, j] = cost.at_cells(rows, columns, i, j)
        found = cost.best_pairs(costs, count, apart_cells)
        if len(i) == np.count_nonzero(may_meet) or (len(found) == count and found[-1][2] <= most + rounding):
            return found
        # of these some are neighbours, so that others come
        most = 1.5 * most + rounding


def _of_map(compared: Compared, cost_map: CostMap) -> tuple[ComparedSide, ComparedSide]:
    """Return the source at a map's cuts, and the destination at its destination frames."""
    source, destination = compared.source, compared.destination
    return (
        source.taken(np.searchsorted(source.frames, cost_map.cuts)),
        destination.taken(np.searchsorted(destination.frames, cost_map.destinations)),
    )


def _refine(
    compared: Compared, cost_map: CostMap, cells: Sequence[tuple[int, int, float]]
) -> list[CostedMeeting]:
    """Return the cheapest meeting in each cell (row, column, cost) of a map, as :func:`_refined` gives it, in
    the cells' order: with the clips' own frames and its exact cost, infinite where none may be.
    """
    is_whole = cost_map.costs.shape == (len(compared.source.frames), len(compared.destination.frames))
    if not is_whole or compared.prediction is not None or not cells:
        return [_refined(compared, cost_map, i, j) for i, j, _ in cells]
    # of a map of all frames each cell is a meeting
    i, j = np.array([cell[:2] for cell in cells]).T
    rows, columns = (
        compared.prepared(compared.source.taken(i)),
        compared.prepared(compared.destination.taken(j)),
    )
    costs = cost.at_cells(rows, columns, np.arange(len(i)), np.arange(len(j)))
    places = zip(cost_map.cuts[i].tolist(), cost_map.destinations[j].tolist(), costs.tolist(), strict=True)
    return [
        CostedMeeting(cut, entry, found if not too_near(compared, cut, entry) else np.inf)
        for cut, entry, found in places
    ]


def _refined(compared: Compared, cost_map: CostMap, i: int, j: int) -> CostedMeeting:
    """Return the cheapest meeting in a cell of a thinned map, by exact cost (skate included), which is
    infinite where none may be. Its cut and destination frame are the clips' own frames, not those of a later
    repetition.

    i, j: the cell's row and column. All frames less than a step of the map from the cell's are compared;
    frames of one clip that are too near to each other may not be.
    """
    source = _within(compared.source, cost_map.cuts[i], _step(cost_map.cuts))
    destination = _within(compared.destination, cost_map.destinations[j], _step(cost_map.destinations))
    columns = compared.prepared(destination)
    rows = []
    for k, cut in enumerate(source.frames):
        single = slice(k, k + 1)
        row = cost.curve(compared.prepared(source.taken(single)), columns)
        finish(compared.add_prediction(row[None], source.frames[single], destination.frames))
        rows.append(np.where(too_near(compared, cut, destination.frames), np.inf, row))
    a, b = np.unravel_index(int(np.argmin(rows)), (len(source.frames), len(destination.frames)))
    return CostedMeeting(float(source.frames[a]), float(destination.frames[b]), float(rows[a][b]))


def _within(compared_side: ComparedSide, middle: float, step: float) -> ComparedSide:
    """Return the part of a clip whose frames are less than a step from one of them."""
    return compared_side.taken(np.flatnonzero(np.abs(compared_side.frames - middle) < step - 1e-6))


def start_map(compared: Compared, kind: str, cells: int = MAP_CELLS) -> tuple[CostMap, Steps[None]]:
    """Return a :class:`CostMap` that is still empty (NaN), and the steps that fill its ``costs`` in place,
    which yield how much is done, 0 to 1.

    ``costs`` are (cuts, destination frames), float32; ``cuts`` and ``destinations`` say which frames the rows
    and columns are. kind: "EXACT" or "FEATURE" for costs in metre seconds, exact or approximated;
    "POINT_CLOUD" for the distance of the poses all through a blend, square metres, which stays NaN where a
    clip ends before the blend does. cells: of a clip with more frames than that only every second, third and
    so on is looked at, so that the map has at most so many rows or columns. All frames count, whatever a
    search allows.
    """
    both = (compared.source, compared.destination)
    sides = [side.taken(slice(None, None, coarseness(len(side.frames), cells))) for side in both]
    cuts, destinations = (side.frames for side in sides)
    result = CostMap(cuts, destinations, np.full((len(cuts), len(destinations)), np.nan, np.float32), kind)
    filling = _fill_distances(compared, result) if kind == "POINT_CLOUD" else _fill(compared, sides, result)
    return result, filling


def coarseness(frames: int, cells: int = MAP_CELLS) -> int:
    """Return every how many of so many frames of a clip a map looks at, 1 for each, so that there are at most
    `cells`.
    """
    return -(-frames // cells)


def _fill(compared: Compared, sides: list[ComparedSide], result: CostMap) -> Steps[None]:
    """Fill in a map's costs, in place, skate included if it counts; yields the part that is done.

    sides: the source at the map's cuts, and the destination at its destination frames. Costs are exact for
    ``result.kind`` EXACT, else approximated by features; frames that may not meet get theirs, too.
    """
    until = 1.0 if compared.prediction is None else 0.7
    rows, columns = map(compared.prepared if result.kind == "EXACT" else compared.features, sides)
    yield from part(cost.map_blocks(rows, columns, result.costs), 0.0, until)
    yield from part(compared.add_prediction(result.costs, result.cuts, result.destinations), until, 1.0)


def _fill_distances(compared: Compared, result: CostMap) -> Steps[None]:
    """Fill in, in place, how far apart the poses are all through a blend, square metres; yield the part that
    is done, up to 1, after each row.

    A cell is the mean square of the distance between joints, weighted by the joints' weights, over a window
    of frames from the cut and from the destination frame on, once one clip has been turned about the vertical
    and moved over the ground to fit the other best. The window has as many of the motion's frames as the
    blend lasts, rounded up and at least 1. Joints are those that count, where ``compared.motions`` have them
    in the world. A row stays NaN where the source, and a column where the destination, ends before its window
    does; a cycle goes on, and its last frame counts as its first.
    """
    both, starts = [], []
    blend = max(1, math.ceil(compared.blend_frames - 1e-6))
    for motion, frames in zip(compared.motions, (result.cuts, result.destinations), strict=True):
        counting = [motion.names.index(name) for name in compared.names]
        is_cycle = motion.cycle is not None and len(motion.frames) > 1
        positions = motion.positions[:, counting]
        windows = point_cloud.prepare(positions, compared.weights, blend, cyclic=is_cycle)
        at = np.searchsorted(motion.frames, frames - 1e-6)
        both.append(windows)
        starts.append(at % windows.count if is_cycle else at)
    source, destination = both
    for i, start in enumerate(starts[0].tolist()):
        if start < source.starts:
            row = point_cloud.distances(source.cut(slice(start, start + 1)), destination)[0]
            result.costs[i] = np.where(np.isfinite(row), row, np.nan)[starts[1]]
        yield (i + 1) / len(starts[0])


def map_chart(
    cost_map: CostMap,
    names: tuple[str, str],
    current: tuple[float, float] | None,
    best: Sequence[tuple[float, float]],
    **options: Any,
) -> HeatMap:
    """Draw a cost map: cuts to the right, destination frames upwards.

    names: of source and destination. current: the cut and destination frame to point at. best: those to
    number, the best first. options: of :class:`HeatMap`, in place of what is shown otherwise.
    """
    what = "Distance" if cost_map.kind == "POINT_CLOUD" else "Cost"
    shown = {
        "title": f"{what} of {names[0]} to {names[1]}",
        "aside": cost_map.unit,
        "x_label": f"cut: frame of {names[0]}",
        "y_label": f"destination frame of {names[1]}",
        "marks": [(cut, frame, str(i + 1)) for i, (cut, frame) in enumerate(best)],
        "current": current,
        "note": NOTES[cost_map.kind],
    }
    return HeatMap(
        values=cost_map.costs.T,
        x_range=(float(cost_map.cuts[0]), float(cost_map.cuts[-1])),
        y_range=(float(cost_map.destinations[0]), float(cost_map.destinations[-1])),
        **{**shown, **options},
    ).explained()
