# SPDX-License-Identifier: GPL-3.0-or-later
"""Curves of a bone's channels with keys on common frames, and the best such curves, by least squares.

A curve is the cubic Hermite spline that Blender shows of keys whose handles are a third of the way to the
neighbour long: its values and slopes are then linear in the time, and so are the best ones in what is wanted.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...records import record
from ..arrays import Array, Flags, Integers
from ..curves.keys import ALIGNED, BEZIER, FREE, Keys

SMOOTH = 1e6
"""How much more than the values the two slopes of a smooth key weigh to be the same ..."""
PINNED = 1e8
"""... and the values of the first and the last key, to be those of the take."""
LOOSE = 1e-7
"""How much less than the values slopes weigh to be the take's own, which decides where nothing else does."""


@record(frozen=True, eq=False)
class Spline:
    """Curves of some channels with keys on the same frames.

    keys: (k,), rising, indices of whole frames, the first and the last among them. kinked: (k,), whether the
    slopes on both sides of a key may differ. values: (k, channels). left, right: (k, channels), slopes before
    and behind each key, per frame.
    """

    keys: Integers
    kinked: Flags
    values: Array
    left: Array
    right: Array

    @property
    def arrays(self) -> tuple[Array | Integers | Flags, ...]:
        """All of its arrays, which have a row for each key."""
        return self.keys, self.kinked, self.values, self.left, self.right


def make_keys(spline: Spline, frames: Array) -> list[Keys]:
    """Return a spline as curves with Bezier keys, one curve for each channel, in their order.

    frames: (f,), the frames to which the indices in spline.keys lead. Handles are a third of the way to the
    neighbour long, with the slopes of their sides; they are FREE at kinks, else ALIGNED. The outer handles at
    the ends are as long as the inner ones. Curves extrapolate level.
    """
    at = frames[spline.keys]
    thirds = np.diff(at) / 3.0
    before, behind = np.concatenate([thirds[:1], thirds]), np.concatenate([thirds, thirds[-1:]])
    codes = np.zeros((len(at), 5), np.uint8)
    codes[:, 0] = BEZIER
    codes[:, 1:3] = np.where(spline.kinked, FREE, ALIGNED)[:, None]
    curves = []
    for values, left, right in zip(spline.values.T, spline.left.T, spline.right.T, strict=True):
        points = np.empty((len(at), 3, 2), np.float32)
        points[:, 0] = np.stack([at, values], axis=1)
        points[:, 1] = np.stack([at - before, values - before * left], axis=1)
        points[:, 2] = np.stack([at + behind, values + behind * right], axis=1)
        curves.append(Keys(points, codes.copy()))
    return curves


@record(frozen=True, eq=False)
class SamplePlaces:
    """Where samples (n,) lie between keys.

    segment: (n,), the index of the key at or before each; the last key's samples belong to the segment before
    it. starts: (k - 1,), the first sample of each segment. weights: (n, 4), of the value and the right slope
    of that key, then of the value and the left slope of the next one.
    """

    segment: Integers
    starts: Integers
    weights: Array

    @classmethod
    def of(cls, keys: Integers, times: Array) -> SamplePlaces:
        """Return where the samples at all times (2 f - 1,), those of f whole frames and the middles between,
        lie among keys.

        keys: (k,), rising, the frames with keys, by index; the first and the last frame are among them, and k
        is at least 2.
        """
        at = 2 * keys
        segment = np.repeat(np.arange(len(keys) - 1), np.diff(at))
        segment = np.append(segment, len(keys) - 2)
        first = times[at]
        gap = np.diff(first)[segment]
        u = (times - first[segment]) / gap
        v = 1.0 - u
        weights = np.stack(
            [
                v * v * (1.0 + 2.0 * u),
                gap * u * v * v,
                u * u * (3.0 - 2.0 * u),
                -gap * u * u * v,
            ],
            axis=1,
        )
        return cls(segment, at[:-1], weights)

    def sample_spline(self, spline: Spline) -> Array:
        """Return the values (n, channels) of a spline on these keys."""
        i = self.segment
        a, b, c, d = (self.weights[:, k, None] for k in range(4))
        return np.asarray(
            a * spline.values[i] + b * spline.right[i] + c * spline.values[i + 1] + d * spline.left[i + 1]
        )


@record(frozen=True, eq=False)
class Wanted:
    """What a spline is to be near to, at samples (n,).

    values: (n, channels). metric: (n, channels, channels), what a deviation from them costs, by its square.
    own, slopes: (n, channels), what the take has there, and its slopes per frame.
    """

    values: Array
    metric: Array
    own: Array
    slopes: Array


@record(frozen=True, eq=False)
class _System:
    """Equations in the value, the left and the right slope of all keys (k,) of c channels.

    diagonal: (k, 3 c, 3 c). beside: (k - 1, 3 c, 3 c), of each key with the next. right: (k, 3 c).
    """

    diagonal: Array
    beside: Array
    right: Array


def fit_splines(
    keys: Sequence[tuple[Integers, Flags]], places: Sequence[SamplePlaces], wanted: Sequence[Wanted]
) -> list[Spline]:
    """Return for each set of keys the spline that is nearest to what is wanted of it, in the sum of squares,
    in order.

    keys: of each spline its frames, by index (k,), and which of them may have a kink (k,); at the others the
    left and the right slope are the same. places: of its samples among these keys. wanted: see
    :class:`Wanted`. The first and the last key have the take's own values. All are solved for together, which
    takes less time than one by one.
    """
    systems = [
        _make_equations(rows, kinks, at, asked)
        for (rows, kinks), at, asked in zip(keys, places, wanted, strict=True)
    ]
    splines = []
    for (rows, kinks), solution in zip(keys, _solve_chains(systems), strict=True):
        values, left, right = np.split(solution, 3, axis=1)
        mean = 0.5 * (left + right)
        left, right = (np.where(kinks[:, None], side, mean) for side in (left, right))
        splines.append(Spline(rows, kinks, values, left, right))
    return splines


def _make_equations(keys: Integers, kinked: Flags, places: SamplePlaces, wanted: Wanted) -> _System:
    """Return the normal equations of a spline's least squares: for values and both slopes of all of its keys,
    those that are nearest to what is wanted.

    keys: (k,), frames by index. kinked: (k,), whether a key's left and right slope may differ; those of
    others are drawn together by SMOOTH. The first and last value are drawn to the take's own by PINNED, and
    all slopes a little, by LOOSE, to the take's; all in parts of the wanted metric's size.
    """
    count, channels = len(keys), wanted.values.shape[1]
    phi = places.weights
    products = phi[:, :, None] * phi[:, None, :]
    blocks = np.add.reduceat(
        products[:, :, :, None, None] * wanted.metric[:, None, None], places.starts, axis=0
    )
    pulled = np.einsum("nij,nj->ni", wanted.metric, wanted.values)
    pulls = np.add.reduceat(phi[:, :, None] * pulled[:, None], places.starts, axis=0)
    size = 3 * channels
    diagonal = np.zeros((count, 3, channels, 3, channels))
    beside = np.zeros((count - 1, 3, channels, 3, channels))
    right = np.zeros((count, 3, channels))
    before, behind = (0, 2), (0, 1)
    for a in range(2):
        right[:-1, before[a]] += pulls[:, a]
        right[1:, behind[a]] += pulls[:, 2 + a]
        for b in range(2):
            diagonal[:-1, before[a], :, before[b]] += blocks[:, a, b]
            diagonal[1:, behind[a], :, behind[b]] += blocks[:, 2 + a, 2 + b]
            beside[:, before[a], :, behind[b]] += blocks[:, a, 2 + b]
    each = np.arange(channels)
    scale = np.einsum("nii->i", wanted.metric) / len(wanted.metric) + 1e-12
    at = 2 * keys
    smooth = np.where(kinked, LOOSE, SMOOTH)[:, None] * scale
    loose = LOOSE * scale
    for a, b in ((1, 1), (2, 2)):
        diagonal[:, a, each, b, each] += smooth + loose
        right[:, a] += loose * wanted.slopes[at]
    diagonal[:, 1, each, 2, each] -= smooth
    diagonal[:, 2, each, 1, each] -= smooth
    for end in (0, -1):
        diagonal[end, 0, each, 0, each] += PINNED * scale
        right[end, 0] += PINNED * scale * wanted.own[at[end]]
    shape = (-1, size, size)
    return _System(diagonal.reshape(shape), beside.reshape(shape), right.reshape(-1, size))


def _solve_chains(systems: Sequence[_System]) -> list[Array]:
    """Return the solutions, (k, 3 c) each, of systems of equations in which each key hangs together with the
    one before and the one behind alone, in order.

    They are padded to one size and solved at once, by blocks from the first key to the last and back. k and
    c, the numbers of keys and of channels, may differ. At least one system; they are not changed.
    """
    most = max(len(system.right) for system in systems)
    size = max(system.right.shape[1] for system in systems)
    diagonal = np.zeros((len(systems), most, size, size))
    diagonal[..., np.arange(size), np.arange(size)] = 1.0
    beside = np.zeros((len(systems), most, size, size))
    right = np.zeros((len(systems), most, size, 1))
    for i, system in enumerate(systems):
        k, s = system.right.shape
        diagonal[i, :k, :s, :s] = system.diagonal
        beside[i, : k - 1, :s, :s] = system.beside
        right[i, :k, :s, 0] = system.right
    carried = np.zeros_like(beside)
    for k in range(most):
        d, r = diagonal[:, k], right[:, k]
        if k:
            over = beside[:, k - 1].swapaxes(1, 2)
            d = d - over @ carried[:, k - 1]
            r = r - over @ right[:, k - 1]
        both = np.linalg.solve(d, np.concatenate([beside[:, k], r], axis=2))
        carried[:, k], right[:, k] = both[..., :size], both[..., size:]
    for k in reversed(range(most - 1)):
        right[:, k] -= carried[:, k] @ right[:, k + 1]
    return [right[i, : len(system.right), : system.right.shape[1], 0] for i, system in enumerate(systems)]
