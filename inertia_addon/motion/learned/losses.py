# SPDX-License-Identifier: GPL-3.0-or-later
"""What training makes small, term by term, and the exact gradients.

The terms and their weights are those of D. Holden, O. Kanoun, M. Perepichka and T. Popa, "Learned Motion
Matching" (2020), section 4, as the first author's own code has them (orangeduck/Motion-Matching): absolute
differences, each meaned over all numbers of its kind, in metres, seconds and radians.

The author has halved what latents count since, for the Stepper (15 to 7.5, their rates 1.5 to 0.5) and the
Projector (9 to 5, the distance 0.2 to 0.3). Trained equally long on both sets of ``make learned``, the newer
Stepper is 13 to 26 % less astray after 20 and 60 frames; the newer Projector is 1 to 5 % further from the
true neighbour. So the Stepper has the newer weights, and the Projector the older ones.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...records import record
from ..arrays import Integers
from .material import RowLayout
from .networks import Numbers
from .tree import POSITION, PoseTree, back_to_columns, cross, turned

LOCAL = {"loc_pos": 75.0, "loc_txy": 10.0, "loc_vel": 10.0, "loc_ang": 1.25}
ROOT = {"loc_rvel": 2.0, "loc_rang": 2.0, "loc_extra": 2.0}
CHARACTER = {"chr_pos": 15.0, "chr_xfm": 5.0, "chr_vel": 2.0, "chr_ang": 0.75}
RATES = {"lvel_pos": 10.0, "lvel_rot": 1.75, "cvel_pos": 2.0, "cvel_rot": 0.75}
LATENT = {"sreg": 0.1, "lreg": 0.1, "vreg": 0.01}
STEPPER = {"xval": 2.0, "zval": 7.5, "xvel": 0.2, "zvel": 0.5}
PROJECTOR = {"xval": 1.0, "zval": 9.0, "dist": 0.2}

Terms = dict[str, float]
"""What each term comes to."""


_TOLD = ("loc_pos", "loc_txy", "loc_vel", "loc_ang", *ROOT)
_TOLD_RATES = ("lvel_pos", "lvel_rot")
"""The terms of a row's parts."""
_SEEN = ("chr_xfm", "chr_xfm", "chr_xfm", "chr_pos", "chr_vel", "chr_ang")
_SEEN_RATES = ("cvel_rot", "cvel_rot", "cvel_rot", "cvel_pos")
"""The terms of bones' columns."""


@record(frozen=True, eq=False)
class Reconstruction:
    """The loss of the Compressor and the Decompressor, over windows. rows, tree: of the material. seconds:
    between two frames of a window."""

    rows: RowLayout
    tree: PoseTree
    seconds: float

    def __call__(
        self, values: Numbers, truth: Numbers, latent: Numbers, windows: int
    ) -> tuple[Terms, Numbers, Numbers]:
        """Return the loss by term, its gradient by `values` (n, rows.size), and its gradient by `latent` (n,
        latents).

        values: the Decompressor's rows. truth: (n, rows.inputs), the true rows, followed by the bones in
        character space. latent: what the Compressor gave. windows: the n rows are the first frames of so many
        windows, then their second frames, and so on, at least two; ZeroDivisionError is raised for one. None
        of them is changed.

        A term is its weight times the mean of absolute differences. The terms of LOCAL and ROOT are of what
        rows hold: positions, rotation columns, velocities and angular velocities of bones in their parents'
        spaces, then the root's two and the contacts. Those of CHARACTER are of the bones in character space,
        found from `values` by the tree; a rotation has three columns there. Those of RATES are of what
        positions and rotations of both change per second from frame to frame. Of latents, with the weights of
        LATENT, count "sreg", their sizes, "lreg", their squares, and "vreg", their changes per second. The
        first gradient is of the sum of all but these three, the second of the sum of these three. Where sizes
        count, 0 counts as positive unless it is -0.0.
        """
        terms: Terms = {}
        slope = self._differentiate_rows(values - truth[:, : self.rows.size], windows, terms)
        in_row, behind_row = self._places
        local = np.take(np.ascontiguousarray(values.T), in_row, axis=0)
        _, columns = turned(local[:, :2], out=local[:, :3])
        placed, kept = self.tree.follow(local)
        true = np.take(np.ascontiguousarray(truth.T[self.rows.size :]), behind_row, axis=0)
        cross(true[:, 0], true[:, 1], out=true[:, 2])
        by_found = self._differentiate_bones(np.subtract(placed, true, out=true), windows, terms)
        by_local = self.tree.back(kept, by_found)
        by_told = np.empty_like(slope[:, : self.rows.spins.stop])
        by_told.T[in_row[:, :2]] = back_to_columns(columns, by_local[:, 0])
        by_told.T[in_row[:, POSITION:]] = by_local[:, 1:]
        slope[:, : by_told.shape[1]] += by_told
        return terms, slope, self._latent(latent, windows, terms)

    @functools.cached_property
    def _places(self) -> tuple[Integers, Integers]:
        """Two arrays of column indices (3, 6, bones), bones in the tree's order; cached.

        Axis 0 is x, y, z; axis 1 is the rotation's three columns, position, velocity and angular velocity.
        The rotation's third column is not stored: its entries repeat those of the second.

        The first array says where a bone's numbers are in a row, whose bones are in the skeleton's order. The
        second says where they are in what stands behind the row, counted from 0 there. Bones are in the
        tree's order there, 15 numbers each: for x, then y, then z the rotation's two columns, position,
        velocity and angular velocity.
        """
        rows, order, axis = self.rows, self.tree.order, np.arange(3)[:, None]
        turns = [rows.turns.start + 6 * order + 2 * axis + i for i in (0, 1, 1)]
        parts = rows.positions, rows.velocities, rows.spins
        in_row = np.stack([*turns, *(part.start + 3 * order + axis for part in parts)], axis=1)
        columns = np.arange(15 * rows.bones).reshape(rows.bones, 3, 5)[..., [0, 1, 1, 2, 3, 4]]
        return in_row, columns.transpose(1, 2, 0)

    def _differentiate_rows(self, away: Numbers, windows: int, terms: Terms) -> Numbers:
        """Return the gradient (n, rows.size) of the loss of what rows hold themselves, and write its terms
        into `terms`: those of LOCAL and ROOT, and "lvel_pos" and "lvel_rot" of RATES.

        away: the differences (n, rows.size); they are not changed. windows: the n rows are so many windows'
        first frames, then their second frames, and so on. Changes of position and rotation between these
        count as well, per second; each window must have two frames or more (ZeroDivisionError).
        """
        rows = self.rows
        bones = rows.positions, rows.turns, rows.velocities, rows.spins
        parts = *bones, rows.root_velocity, rows.root_spin, rows.contacts
        slope = _by_parts(away, dict(zip(_TOLD, parts, strict=True)), LOCAL | ROOT, terms)
        changing = slice(0, rows.turns.stop)
        changes = away[windows:, changing] - away[:-windows, changing]
        rates = _by_parts(changes, dict(zip(_TOLD_RATES, parts, strict=False)), self._rates, terms)
        slope[windows:, changing] += rates
        slope[:-windows, changing] -= rates
        return slope

    def _differentiate_bones(self, away: Numbers, windows: int, terms: Terms) -> Numbers:
        """Return the gradient (3, 6, bones, n) of the loss of bones in character space, and add its terms to
        `terms`: those of CHARACTER, and "cvel_pos" and "cvel_rot" of RATES.

        away: the differences (3, 6, bones, n), of the rotation's three columns, position, velocity and
        angular velocity; they are not changed. The three columns share one term, the mean over all of them.
        windows: the n rows are so many windows' first frames, then their second frames, and so on. Changes of
        position and rotation between these count as well, per second; each window must have two frames or
        more (ZeroDivisionError).
        """
        slope = _by_columns(away, _SEEN, CHARACTER, terms)
        changing = slice(0, POSITION + 1)
        changes = away[:, changing, :, windows:] - away[:, changing, :, :-windows]
        rates = _by_columns(changes, _SEEN_RATES, self._rates, terms)
        slope[:, changing, :, windows:] += rates
        slope[:, changing, :, :-windows] -= rates
        return slope

    @property
    def _rates(self) -> dict[str, float]:
        """The weights of what changes from frame to frame."""
        return {name: weight / self.seconds for name, weight in RATES.items()}

    def _latent(self, latent: Numbers, windows: int, terms: Terms) -> Numbers:
        terms["sreg"], slope = absolute(latent, LATENT["sreg"])
        share = LATENT["lreg"] / latent.size
        terms["lreg"] = share * float(np.vdot(latent, latent))
        slope += 2.0 * share * latent
        changes = latent[windows:] - latent[:-windows]
        terms["vreg"], by_change = absolute(changes, LATENT["vreg"] / self.seconds)
        slope[windows:] += by_change
        slope[:-windows] -= by_change
        return slope


def _by_parts(away: Numbers, columns: dict[str, slice], weights: dict[str, float], terms: Terms) -> Numbers:
    """Return the gradient (n, columns) of a loss of absolute differences, and write its terms into `terms`; a
    difference of 0 counts as positive unless it is -0.0.

    away: the differences (n, columns). columns: the slice of each term, in order and without gaps. weights:
    by term. A term is its weight times the mean of the absolute differences in its slice.
    """
    counts = [part.stop - part.start for part in columns.values()]
    each = [weights[name] / (len(away) * max(count, 1)) for name, count in zip(columns, counts, strict=True)]
    slope = _signed(np.repeat(np.array(each, away.dtype), counts), away)
    sums = np.einsum("nc,nc->c", away, slope)
    terms.update((name, float(sums[part].sum())) for name, part in columns.items())
    return slope


def _by_columns(away: Numbers, names: Sequence[str], weights: dict[str, float], terms: Terms) -> Numbers:
    """Return the gradient of a loss of absolute differences, of the shape of `away`, and add its terms to
    `terms`; a difference of 0 counts as positive unless it is -0.0.

    away: differences (3, columns, bones, n). names: the term of each column; several columns may share one.
    weights: by term. A term is its weight times the mean of its absolute differences.
    """
    size = away[:, 0].size
    shares = [weights[name] / (size * names.count(name)) for name in names]
    slope = _signed(np.array(shares, away.dtype)[:, None, None], away)
    for name, value in zip(names, np.einsum("icbn,icbn->c", away, slope).tolist(), strict=True):
        terms[name] = terms.get(name, 0.0) + value
    return slope


def _signed(sizes: Any, away: Numbers) -> Numbers:
    """Return `sizes`, which are 0 or more, with the signs of `away`: as numpy.copysign, but four times as
    fast.

    Both have the same floating-point type; sizes broadcast to the shape of away.
    """
    kind = np.dtype(f"u{away.itemsize}")
    signed = away.view(kind) & kind.type(1 << (8 * away.itemsize - 1))
    signed |= sizes.view(kind)
    numbers: Numbers = signed.view(away.dtype)
    return numbers


def absolute(away: Numbers, weight: float) -> tuple[float, Numbers]:
    """Return the mean of absolute differences times a weight, and its gradient by them, of their shape; a
    difference of 0 counts as positive unless it is -0.0. ZeroDivisionError without differences.
    """
    slope = _signed(away.dtype.type(weight / away.size), away)
    return float(np.vdot(away, slope)), slope


def stepped(states: Numbers, truth: Numbers, features: int, seconds: float) -> tuple[Terms, Numbers]:
    """Return the loss of the Stepper by term, and its gradient by what it gave.

    A term is its weight, from STEPPER, times the mean of absolute differences. The first frames of windows
    count in the means as any other, though they are given and differ by 0.

    Parameters
    ----------
    states : (frames, n, features + latents)
        What it gave, of windows whose first frame is given; at least two frames.
    truth : (frames, n, features + latents)
        What the clips have.
    features
        How many of the columns are features; they come first, latents behind them.
    seconds
        Between two frames.

    Returns
    -------
    tuple[Terms, Numbers]
        "xval", "zval", "xvel" and "zvel": x of features, z of latents; val of values, the mean
        over all frames; vel of rates per second from frame to frame, the mean over frames - 1.
        And the gradient of their sum, of the shape of states, the first frames included; a
        difference of 0 counts as positive unless it is -0.0.
    """
    away = states - truth
    rate = np.diff(away, axis=0) * (1.0 / seconds)
    terms: Terms = {}
    slope, by_rate = np.empty_like(away), np.empty_like(rate)
    for name, part in (("x", slice(0, features)), ("z", slice(features, None))):
        terms[name + "val"], slope[..., part] = absolute(away[..., part], STEPPER[name + "val"])
        terms[name + "vel"], by_rate[..., part] = absolute(rate[..., part], STEPPER[name + "vel"])
    by_rate *= 1.0 / seconds
    slope[1:] += by_rate
    slope[:-1] -= by_rate
    return terms, slope


def projected(states: Numbers, truth: Numbers, asked: Numbers) -> tuple[Terms, Numbers]:
    """Return the loss of the Projector by term, and its gradient by what it gave.

    A term is its weight, from PROJECTOR, times the mean of absolute differences: of features, of latents, and
    of how far the given features and those of the nearest frame are from the query.

    Parameters
    ----------
    states : (n, features + latents)
        What it gave for the queries.
    truth : (n, features + latents)
        The nearest frames.
    asked : (n, features)
        The queries.

    Returns
    -------
    tuple[Terms, Numbers]
        "xval" of features, "zval" of latents and "dist" of these distances; and the gradient of
        their sum, of the shape of states; a difference of 0 counts as positive unless it is -0.0.
    """
    features = asked.shape[1]
    terms: Terms = {}
    slope = np.empty_like(states)
    for name, part in (("xval", slice(0, features)), ("zval", slice(features, None))):
        terms[name], slope[:, part] = absolute(states[:, part] - truth[:, part], PROJECTOR[name])
    way = states[:, :features] - asked
    far = np.sqrt(np.maximum(np.sum(way * way, axis=1), 1e-12))
    true = np.sqrt(np.sum((truth[:, :features] - asked) ** 2, axis=1))
    terms["dist"], by_far = absolute(far - true, PROJECTOR["dist"])
    slope[:, :features] += (by_far / far)[:, None] * way
    return terms, slope
