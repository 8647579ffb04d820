# SPDX-License-Identifier: GPL-3.0-or-later
"""Which keys an action needs: extremes and contacts first, then where it strays, less what it can do without.

Curves are fitted from the body outwards, so that each bone makes up for what those above it leave over. Where
a point is still too far, the bone that errs most there gets a key. At the end keys that make the least
difference are taken out, as many at once as will go.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import numpy as np

from ...records import record
from ..arrays import Array, Flags, Integers, runs
from ..steps import Steps
from .chains import LinkChain
from .splines import SamplePlaces, Spline, Wanted, fit_splines

OWN = 0.03
"""How much a bone's own values weigh against what the points that it carries ask of it."""
INNER = 0.97
"""The part of a tolerance that is used: single precision and other frames take some of it."""
ALONE = 1.2
"""By so many tolerances a bone may move what it carries, on average, before the others are looked at."""
SWEEPS = 3
"""So many times curves are fitted one after the other, as each is fitted to what the others leave over by a
linear guess: once leaves a foot that stands half a millimetre off, and a key more mends that no better."""
MARGIN = 0.25
"""A key that is added is no nearer to its neighbours than this part of the way between them ..."""
NEAR = 4
"""... unless there is no other way: then it may be anywhere, within so many frames."""
MOST_REPAIRS = 40
"""So many times, at most, keys are put back or added until all is within its tolerance."""
MOST_REMOVALS = 10
"""So many times, at most, keys are taken out, ..."""
MOST_OUT, LEAST_OUT = 0.2, 0.02
"""... of all keys this part at first, and half as many where that went wrong, down to this part."""
PROMINENT = 3.0
"""An extreme that gets a key moves points by so many tolerances, on average, before and behind it."""
DEAR = 4.0
"""So many times as hard it is to take a key out of an extreme."""


@record(frozen=True, eq=False)
class Take:
    """What is to be shown with fewer keys.

    chain: over times (2 f - 1,), f whole frames and the middles between. tolerances: (points, 2 f - 1), how
    far points may be from where the take has them, in world units. contacts: by link the whole frames, by
    index, on which it gets a key in any case.
    """

    chain: LinkChain
    times: Array
    tolerances: Array
    contacts: Mapping[int, frozenset[int]]

    @property
    def frames(self) -> int:
        """How many whole frames there are."""
        return (len(self.times) + 1) // 2


@record(frozen=True, eq=False)
class _State:
    """Keys of links (whole frames, by index), with the curves that fit best.

    values: (n, channels) by link. errors: (points, n, 3), from where the take has them. heads: of each link
    the same (n, 3). ratio: (points, n), how far points are, in the part of their tolerances that is used.
    """

    keys: Mapping[int, Integers]
    splines: Mapping[int, Spline]
    values: Mapping[int, Array]
    errors: Array
    heads: Sequence[Array]
    ratio: Array

    @property
    def is_within(self) -> bool:
        """Whether no point is too far."""
        return not bool((self.ratio > 1.0).any())

    def count(self) -> int:
        """Return how many keys there are, of all channels."""
        return sum(len(keys) * self.values[link].shape[1] for link, keys in self.keys.items())

    def find_strays(self) -> list[tuple[int, int]]:
        """Return (point, sample) for each run of samples at which a point is too far, its worst sample there,
        the runs that stray furthest first.

        A point is too far where its ratio is above 1. A sample is twice a frame's index, or one more halfway
        to the next.
        """
        found = []
        for point in np.flatnonzero((self.ratio > 1.0).any(axis=1)).tolist():
            for first, last in runs(self.ratio[point] > 1.0):
                at = first + int(np.argmax(self.ratio[point, first : last + 1]))
                found.append((float(self.ratio[point, at]), point, at))
        return [(point, at) for _, point, at in sorted(found, reverse=True)]


def search_keys_steps(take: Take) -> Steps[Mapping[int, Spline] | None]:
    """Find few keys with which no point of a take is further than its tolerance; return the curves of each
    link that may change, and of no other. Yield the part that is done, 0 to 1.

    All channels of a link have keys on the same frames, which differ from link to link. Among them are the
    link's contacts and the first and the last frame; at these two its values are the take's. Points are held
    to INNER (0.97) of their tolerances. Return None if no keys are found with which all points are within
    these.
    """
    yield 0.1
    found = _KeySearch(take)
    found.refit()
    if not found.repair({}):
        return None
    best, share = found.state, MOST_OUT
    for i in range(MOST_REMOVALS):
        yield 0.3 + 0.7 * i / MOST_REMOVALS
        out = found.take_out(share)
        if not any(out.values()):
            break
        found.refit()
        is_better = found.repair(out) and found.state.count() < best.count()
        is_worth_it = is_better and found.state.count() < 0.97 * best.count()
        best = found.state if is_better else best
        found.state = best
        share = share if is_worth_it else 0.5 * share
        if share < LEAST_OUT:
            break
    return best.splines


class _KeySearch:
    """A search for keys; what it found is in `state`."""

    def __init__(self, take: Take) -> None:
        self.take, self.chain = take, take.chain
        self.own = self.chain.raw
        self.weights = 1.0 / take.tolerances**2
        self.moments = self.chain.moments(self.weights)
        self.metrics: dict[int, Array] = {}
        self.wholes: dict[int, Array] = {}
        for link, moves in self.chain.derivatives.items():
            metric = np.einsum("nkca,nlca->nkl", moves @ self.moments[link][:, None], moves)
            size = np.einsum("nkk->n", metric) / metric.shape[1]
            own = OWN * np.maximum(size, 1e-3 * size.mean() + 1e-12)
            self.metrics[link], self.wholes[link] = metric, own[:, None, None] * np.eye(metric.shape[1])
        self.slopes = {link: np.gradient(raw, take.times, axis=0) for link, raw in self.own.items()}
        self.take_heads = [matrix[:, :3, 3] for matrix in self.chain.matrices({})]
        self.paths = [self.chain.above(link) for link in self.chain.hung.tolist()]
        carried = [self.chain.hung.tolist()[i] for i in range(len(self.paths))]
        self.carries = {link: sum(link in path for path in self.paths) for link in {*carried, *self.own}}
        self.extremes = {link: self._find_extremes(link) for link in self.own}
        self.fixed: dict[int, set[int]] = {link: set(take.contacts.get(link, ())) for link in self.own}
        still = np.zeros_like(self.chain.take)
        self.state = _State(
            self._begin_alone(), {}, dict(self.own), still, [still[0]] * len(self.take_heads), still[..., 0]
        )

    # --- which keys there are

    def _begin_alone(self) -> dict[int, Integers]:
        """Return the keys to begin with: by link, whole frames by index (k,), rising.

        They are both ends, contacts and extremes, and as many between them, gap by gap, as it takes for the
        link's curve to move what it carries by no more than ALONE (1.2) tolerances, root mean square over
        these points, from where the link's own values have it; all other links are left as they are in the
        take. Gaps without a frame stay.
        """
        keys = {}
        for link in self.own:
            first = {0, self.take.frames - 1, *self.take.contacts.get(link, ()), *self.extremes[link]}
            keys[link] = np.array(sorted(first))
        unfit = sorted(keys)
        while unfit:
            places = [SamplePlaces.of(keys[link], self.take.times) for link in unfit]
            wanted = [self._want(link, self.own[link]) for link in unfit]
            splines = fit_splines([_with_kinks(keys[link]) for link in unfit], places, wanted)
            still = []
            for link, spline, at in zip(unfit, splines, places, strict=True):
                off = at.sample_spline(spline) - self.own[link]
                far = np.einsum("nk,nkl,nl->n", off, self.metrics[link], off) / max(1, self.carries[link])
                added = _split_gaps(keys[link], far, ALONE**2)
                if added:
                    keys[link] = np.union1d(keys[link], added)
                    still.append(link)
            unfit = still
        return keys

    def _find_extremes(self, link: int) -> frozenset[int]:
        """Return the whole frames, by index, at which one channel of a link turns back: the one whose values
        move what the link carries furthest.

        It counts as turning back where it does so by PROMINENT (3) tolerances or more on both sides, in the
        root mean square over the points and the clip, see :func:`find_turning_points`.
        """
        raw = self.own[link][::2]
        # sums of what cancels out may come to less than nothing
        square = np.maximum(np.einsum("nkk->nk", self.metrics[link]).mean(axis=0), 0.0)
        rate = np.sqrt(square / max(1, self.carries[link]))
        most = int(np.argmax(np.ptp(raw, axis=0) * rate))
        return frozenset(find_turning_points(raw[:, most] * rate[most], PROMINENT))

    def _add_keys(self) -> bool:
        """Add a key to the state wherever a point is too far; return whether any was added. Curves are not
        fitted anew.

        Of the links above the point it goes to the one that errs most, see :meth:`_blame`, whose gap there
        has room for one: as near to the stray as :func:`_choose_between` lets it. A stray for which one of
        its links gets a key within a gap's length is passed over, as one key is enough. Only if no stray's
        links have a gap with room, each stray's link that errs most gets a key on the free frame nearest to
        it, NEAR (4) frames away at most.
        """
        new: dict[int, set[int]] = {}
        seen: dict[int, list[tuple[int, int]]] = {}
        strays = self.state.find_strays()
        for point, at in strays:
            path = self.paths[point]
            if any(first <= at <= last for link in path for first, last in seen.get(link, ())):
                continue
            for link in self._blame(point, at):
                gap = _find_gap(self.state.keys[link], at)
                if gap is not None:
                    first, last = gap
                    new.setdefault(link, set()).add(_choose_between(first, last, at))
                    seen.setdefault(link, []).append((at - (last - first), at + (last - first)))
                    break
        for point, at in strays if not new else ():
            for link in self._blame(point, at):
                place = self._find_free_frame(link, at)
                if place is not None:
                    new.setdefault(link, set()).add(place)
                    break
        self._change_keys({}, new)
        return bool(new)

    def _blame(self, point: int, at: int) -> list[int]:
        """Return the links above a point, the one that holds it among them, that may change, the one that
        errs most at a sample first; [] without any.

        at: the sample, twice a frame's index or one more. A link's error is what is added to the point's
        error, along its direction, from the link's head to that of the next link below, or to the point
        itself; what links that may not change add counts to the one above them that may.
        """
        path, error = self.paths[point], self.state.errors[point, at]
        changing = [link for link in path if link in self.own]
        if not changing:
            return []
        ends = [self.state.heads[link][at] for link in path]
        holder, before = changing[0], np.zeros(3)
        shares = dict.fromkeys(changing, 0.0)
        for link, end in zip([path[0], *path], [*ends, error], strict=True):
            holder = link if link in shares else holder
            shares[holder] += float((end - before) @ error)
            before = end
        return sorted(changing, key=lambda link: -shares[link])

    def _find_free_frame(self, link: int, at: int) -> int | None:
        """Return the whole frame, by index, nearest to a sample on which a link has no key, the earlier of
        two; None without one about NEAR (4) frames away at most.

        at: the sample, twice a frame's index or one more.
        """
        middle = at // 2
        near = np.arange(max(0, middle - NEAR), min(self.take.frames, middle + NEAR + 2))
        free = np.setdiff1d(near, self.state.keys[link])
        return int(free[np.argmin(np.abs(2 * free - at))]) if len(free) else None

    def take_out(self, share: float) -> dict[int, set[int]]:
        """Take those keys out of the state that cost least, one more than `share` of all of them at most;
        return what was taken: frames, by index, for each link, an empty set for none.

        share: 0 to 1. Keys at both ends, fixed ones, and those beside one of the same link that is taken out,
        stay. The cost is that of :meth:`_removal_costs` over the number of channels; an extreme's counts DEAR
        (4) times. Curves are not fitted anew.
        """
        rows = []
        for link, keys in self.state.keys.items():
            for i, cost in enumerate(self._removal_costs(link).tolist(), 1):
                place = int(keys[i])
                if place not in self.fixed[link]:
                    dear = DEAR if place in self.extremes[link] else 1.0
                    rows.append((dear * cost / self.own[link].shape[1], link, i))
        most = 1 + int(share * sum(map(len, self.state.keys.values())))
        out: dict[int, set[int]] = {link: set() for link in self.own}
        for _, link, i in sorted(rows):
            keys = self.state.keys[link]
            if not out[link] & {int(keys[i - 1]), int(keys[i + 1])}:
                out[link].add(int(keys[i]))
                most -= 1
            if not most:
                break
        self._change_keys(out, {})
        return out

    def _removal_costs(self, link: int) -> Array:
        """Return about what it would cost to take out each inner key of a link, (keys - 2,): how far that
        would move what the link carries at the worst sample between both neighbours, in squared
        tolerances, summed over the points.

        The neighbours keep their values and slopes, and all else its curves.
        """
        keys, spline, times = self.state.keys[link], self.state.splines[link], self.take.times
        costs = np.zeros(max(0, len(keys) - 2))
        for i in range(1, len(keys) - 1):
            span = slice(2 * int(keys[i - 1]), 2 * int(keys[i + 1]) + 1)
            ends = np.array([i - 1, i + 1])
            without = Spline(*(each[ends] for each in spline.arrays))
            whole = SamplePlaces.of(np.array([0, (span.stop - span.start) // 2]), times[span])
            off = whole.sample_spline(without) - self.state.values[link][span]
            costs[i - 1] = np.einsum("nk,nkl,nl->n", off, self.metrics[link][span], off).max()
        return costs

    def _put_back(self, out: dict[int, set[int]]) -> bool:
        """Put keys that were taken out back into the state, for each stray the nearest one of the links above
        its point; return whether there were any. Curves are not fitted anew.

        A key is near enough within 3/2 of the gap that it was taken out of; the nearest is that by the part
        of its gap. out: frames, by index, that were taken out of each link; what is put back is removed from
        it, in place, and can't be taken out again.
        """
        back: dict[int, set[int]] = {}
        for point, at in self.state.find_strays():
            near = [
                (abs(2 * place - at) / gap, link, place)
                for link in self.paths[point]
                for place in out.get(link, ())
                if (gap := _measure_gap(self.state.keys[link], place)) * 3 >= abs(2 * place - at)
            ]
            if near:
                _, link, place = min(near)
                back.setdefault(link, set()).add(place)
        self._change_keys({}, back)
        for link, places in back.items():
            out[link] -= places
            self.fixed[link] |= places
        return bool(back)

    def repair(self, out: dict[int, set[int]]) -> bool:
        """Put keys back, or add some where none can be put back, and fit all curves anew, until no point is
        too far; return whether that was reached.

        It gives up after MOST_REPAIRS (40) rounds, and where no key can be added. out: see :meth:`_put_back`;
        it is changed in place.
        """
        for _ in range(MOST_REPAIRS):
            if self.state.is_within:
                return True
            if not self._put_back(out) and not self._add_keys():
                return False
            self.refit()
        return self.state.is_within

    def _change_keys(self, out: Mapping[int, set[int]], added: Mapping[int, set[int]]) -> None:
        keys = dict(self.state.keys)
        for link in {*out, *added}:
            rest = set(keys[link].tolist()) - out.get(link, set()) | added.get(link, set())
            keys[link] = np.array(sorted(rest))
        self.state = dataclasses.replace(self.state, keys=keys)

    # --- the curves that fit best

    def _want(self, link: int, values: Array) -> Wanted:
        return Wanted(values, self.metrics[link] + self.wholes[link], self.own[link], self.slopes[link])

    def refit(self) -> None:
        """Fit the curves of all links anew for the keys that they have."""
        places = {link: SamplePlaces.of(keys, self.take.times) for link, keys in self.state.keys.items()}
        for _ in range(SWEEPS):
            self._sweep(places)

    def _sweep(self, places: Mapping[int, SamplePlaces]) -> None:
        """Fit the curves of all links once, from the object outwards, and set the state's splines, values,
        errors, heads and ratios by them; its keys stay.

        Each link is fitted to what the errors of the points that it carries ask of it, less what the links
        above it make up for in this sweep by a linear guess, and a little to its own values in the take.
        places: by link, where the samples lie among its keys.
        """
        pulls = self.chain.pulls(self.weights, self.state.errors)
        values, splines = dict(self.state.values), dict(self.state.splines)
        moved: dict[int, Array] = {}
        for level in self.chain.levels:
            above = {link: self._find_motion_above(link, moved) for link in level}
            wanted = []
            for link in level:
                pull = pulls[link] + above[link] @ self.moments[link]
                gradient = np.einsum("nkca,nca->nk", self.chain.derivatives[link], pull)
                asked = np.einsum("nkl,nl->nk", self.metrics[link], values[link]) - gradient
                asked += np.einsum("nkl,nl->nk", self.wholes[link], self.own[link])
                whole = self.metrics[link] + self.wholes[link]
                wanted.append(self._want(link, np.linalg.solve(whole, asked[..., None])[..., 0]))
            keys = [_with_kinks(self.state.keys[link]) for link in level]
            fitted = fit_splines(keys, [places[link] for link in level], wanted)
            for link, spline in zip(level, fitted, strict=True):
                changed = places[link].sample_spline(spline)
                by = np.einsum("nk,nkca->nca", changed - values[link], self.chain.derivatives[link])
                moved[link], values[link], splines[link] = above[link] + by, changed, spline
        matrices = self.chain.matrices(values)
        errors = self.chain.points(matrices) - self.chain.take
        heads = [matrix[:, :3, 3] - head for matrix, head in zip(matrices, self.take_heads, strict=True)]
        ratio = np.linalg.norm(errors, axis=2) / (INNER * self.take.tolerances)
        self.state = _State(self.state.keys, splines, values, errors, heads, ratio)

    def _find_motion_above(self, link: int, motions: Mapping[int, Array]) -> Array:
        """Return how this sweep moves what hangs from a link by the links above it, (n, 3, 4), by a linear
        guess: matrices that take a place (x, y, z, 1) in the world to the way that it goes, world units.

        motions: such matrices of links, each with all that is above it. It is that of the nearest link above,
        or zeros where none above is among them.
        """
        for carrier in reversed(self.chain.above(link)[:-1]):
            if carrier in motions:
                return motions[carrier]
        return np.zeros((len(self.take.times), 3, 4))


def find_turning_points(values: Array, prominence: float) -> list[int]:
    """Return the indices, rising, at which values (n,) turn back.

    A high counts if the values fall by at least `prominence` behind it, and before it rose as much since the
    last low that counts; so do lows. The first one needs nothing before it, so that the first value may be
    among them. Of equal highs in a row the first counts.
    """
    low = high = way = 0
    turns: list[int] = []
    for i, value in enumerate(values.tolist()):
        high = i if way >= 0 and value > values[high] else high
        low = i if way <= 0 and value < values[low] else low
        if way >= 0 and values[high] - value >= prominence:
            turns.append(high)
            way, low = -1, i
        elif way <= 0 and value - values[low] >= prominence:
            turns.append(low)
            way, high = 1, i
    return turns


def _with_kinks(keys: Integers) -> tuple[Integers, Flags]:
    """Return keys, and which of them may have a kink: those with a key on the next frame beside them."""
    near = np.diff(keys) <= 1
    return keys, np.append(near, False) | np.insert(near, 0, False)


def _split_gaps(keys: Integers, far: Array, limit: float) -> list[int]:
    """Return a whole frame for a new key, by index, in each gap between keys in which a sample is further
    than `limit`, in order.

    It is the frame nearest to the gap's worst sample that :func:`_choose_between` allows. Gaps without a
    frame between their keys get none. keys: (k,), rising. far: (2 f - 1,), how far samples are, two for each
    frame.
    """
    added = []
    for first, last in zip(keys[:-1].tolist(), keys[1:].tolist(), strict=True):
        inside = far[2 * first : 2 * last + 1]
        if last - first > 1 and inside.max() > limit:
            added.append(_choose_between(first, last, 2 * first + int(np.argmax(inside))))
    return added


def _choose_between(first: int, last: int, at: int) -> int:
    """Return the whole frame for a key between two others that is nearest to a sample, not too near to
    these."""
    margin = max(1, round(MARGIN * (last - first)))
    return min(max((at + 1) // 2, first + margin), last - margin)


def _find_gap(keys: Integers, at: int) -> tuple[int, int] | None:
    """Return the keys before and behind a sample, as indices of frames; where it is on a key, the wider of
    the gaps on both sides. None where there is no frame between them.

    keys: (k,), rising. at: the sample, twice a frame's index or one more.
    """
    i = min(int(np.searchsorted(2 * keys, at, "right")) - 1, len(keys) - 2)
    beside = [i] if at != 2 * keys[i] or not i else [i, i - 1]
    gaps = [(int(keys[k]), int(keys[k + 1])) for k in beside]
    first, last = max(gaps, key=lambda gap: gap[1] - gap[0])
    return (first, last) if last - first > 1 else None


def _measure_gap(keys: Integers, frame: int) -> int:
    """Return how many frames are between the keys before and behind a frame without one."""
    i = int(np.searchsorted(keys, frame))
    return int(keys[i] - keys[i - 1])
