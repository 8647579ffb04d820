# SPDX-License-Identifier: GPL-3.0-or-later
"""What training makes small, term by term, and the exact gradients.

The terms and their weights are those of D. Holden, O. Kanoun, M. Perepichka and T. Popa, "Learned Motion
Matching" (2020), section 4, as the first author's own code has them (orangeduck/Motion-Matching): absolute
differences, each meaned over all numbers of its kind, in metres, seconds and radians.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping, Sequence

import numpy as np

from ..arrays import Integers
from .material import Rows
from .networks import Numbers
from .tree import COLUMNS, POSITION, Tree, back_to_columns, cross, turned

LOCAL = {"loc_pos": 75.0, "loc_txy": 10.0, "loc_vel": 10.0, "loc_ang": 1.25}
ROOT = {"loc_rvel": 2.0, "loc_rang": 2.0, "loc_extra": 2.0}
CHARACTER = {"chr_pos": 15.0, "chr_xfm": 5.0, "chr_vel": 2.0, "chr_ang": 0.75}
RATES = {"lvel_pos": 10.0, "lvel_rot": 1.75, "cvel_pos": 2.0, "cvel_rot": 0.75}
LATENT = {"sreg": 0.1, "lreg": 0.1, "vreg": 0.01}
STEPPER = {"xval": 2.0, "zval": 15.0, "xvel": 0.2, "zvel": 1.5}
PROJECTOR = {"xval": 1.0, "zval": 9.0, "dist": 0.2}

Terms = dict[str, float]
"""What each term comes to."""


_TOLD = ("loc_txy", "loc_txy", "loc_pos", "loc_vel", "loc_ang")
_SEEN = ("chr_xfm", "chr_xfm", "chr_xfm", "chr_pos", "chr_vel", "chr_ang")
_TOLD_RATES = ("lvel_rot", "lvel_rot", "lvel_pos")
_SEEN_RATES = ("cvel_rot", "cvel_rot", "cvel_rot", "cvel_pos")
"""The terms of bones' columns."""


@dataclasses.dataclass(frozen=True, eq=False)
class Reconstruction:
    """The loss of the Compressor and the Decompressor, over windows.

    rows, tree: of the material. seconds: between two frames of a window.
    """

    rows: Rows
    tree: Tree
    seconds: float

    def __call__(
        self, given: Numbers, known: Numbers, latent: Numbers, windows: int
    ) -> tuple[Terms, Numbers, Numbers]:
        """The terms, and the gradients by what was given (n, rows.size) and by the latents (n, latents).

        known: (n, rows.inputs), what was to be given, and the bones in character space. The n rows are the
        first frames of ``windows`` windows, then their second frames, and so on.
        """
        terms: Terms = {}
        rows, shape = self.rows, (3, -1, self.rows.bones, len(given))
        places, seen = self._places
        told = given.T[places].reshape(shape)
        away = told - known.T[places].reshape(shape)
        by_told = _by_columns(away, _TOLD, LOCAL, terms)
        self._rates(away[:, :3], _TOLD_RATES, windows, by_told, terms)

        local = np.empty((3, COLUMNS, *told.shape[2:]), told.dtype)
        local[:, :3], columns = turned(told[:, :2])
        local[:, POSITION:] = told[:, 2:]
        found, kept = self.tree.follow(local)
        away = found - _whole(known.T[seen].reshape(shape))
        by_found = _by_columns(away, _SEEN, CHARACTER, terms)
        self._rates(away[:, : POSITION + 1], _SEEN_RATES, windows, by_found, terms)
        by_local = self.tree.back(kept, by_found)
        by_told[:, :2] += back_to_columns(columns, by_local[:, 0])
        by_told[:, 2:] += by_local[:, 1:]

        slope = np.empty_like(given)
        slope.T[places] = by_told.reshape(-1, len(given))
        root = rows.root_velocity, rows.root_spin, rows.contacts
        for (name, weight), part in zip(ROOT.items(), root, strict=True):
            terms[name], slope[:, part] = absolute(given[:, part] - known[:, part], weight)
        return terms, slope, self._latent(latent, windows, terms)

    @functools.cached_property
    def _places(self) -> tuple[Integers, Integers]:
        """Where the bones' five columns are in a row, as the tree has them; of what is told, and seen."""
        rows, order, axis = self.rows, self.tree.order, np.arange(3)[:, None]
        turns = [rows.turns.start + 6 * order + 2 * axis + i for i in range(2)]
        parts = rows.positions, rows.velocities, rows.spins
        told = np.stack([*turns, *(part.start + 3 * order + axis for part in parts)], axis=1)
        seen = rows.size + np.arange(15 * rows.bones).reshape(rows.bones, 3, 5).transpose(1, 2, 0)
        return told.ravel(), seen.ravel()

    def _rates(self, away: Numbers, names: Sequence[str], windows: int, into: Numbers, terms: Terms) -> None:
        """Terms of what changes from frame to frame, whose gradients are added to ``into``."""
        changes = away[..., windows:] - away[..., :-windows]
        slope = _by_columns(changes, names, RATES, terms, 1.0 / self.seconds)
        into = into[:, : len(names)]
        into[..., windows:] += slope
        into[..., :-windows] -= slope

    def _latent(self, latent: Numbers, windows: int, terms: Terms) -> Numbers:
        terms["sreg"], slope = absolute(latent, LATENT["sreg"])
        share = LATENT["lreg"] / latent.size
        terms["lreg"] = share * float(np.vdot(latent, latent))
        slope += 2.0 * share * latent
        terms["vreg"], by_change = absolute(
            latent[windows:] - latent[:-windows], LATENT["vreg"] / self.seconds
        )
        slope[windows:] += by_change
        slope[:-windows] -= by_change
        return slope


def _whole(columns: Numbers) -> Numbers:
    """Bones' six columns, of the five (3, 5, bones, n) that say them."""
    found = np.empty((3, COLUMNS, *columns.shape[2:]), columns.dtype)
    found[:, :2], found[:, POSITION:] = columns[:, :2], columns[:, 2:]
    found[:, 2] = cross(columns[:, 0], columns[:, 1])
    return found


def _by_columns(
    away: Numbers, names: Sequence[str], weights: Mapping[str, float], terms: Terms, scale: float = 1.0
) -> Numbers:
    """The gradient by differences (3, columns, bones, n), each column's of the term that is named, which
    becomes the mean of its absolute differences times a weight and a scale."""
    size = away[:, 0].size
    shares = [scale * weights[name] / (size * names.count(name)) for name in names]
    slope = np.copysign(np.array(shares, away.dtype)[:, None, None], away)
    for name, value in zip(names, np.einsum("icbn,icbn->c", away, slope).tolist(), strict=True):
        terms[name] = terms.get(name, 0.0) + value
    return slope


def absolute(away: Numbers, weight: float) -> tuple[float, Numbers]:
    """The mean of absolute differences times a weight, and its gradient by them."""
    slope = np.copysign(away.dtype.type(weight / away.size), away)
    return float(np.sum(away * slope)), slope


def stepped(given: Numbers, known: Numbers, features: int, seconds: float) -> tuple[Terms, Numbers]:
    """The loss of the Stepper, and its gradient by what it gave.

    given, known: (frames, n, features + latents) of windows, of which the first frame is the same.
    """
    away = given - known
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


def projected(given: Numbers, known: Numbers, asked: Numbers) -> tuple[Terms, Numbers]:
    """The loss of the Projector, and its gradient by what it gave.

    given, known: (n, features + latents), what was found for queries (n, features) ``asked``, and the
    nearest frame. The distance from the query shall be that of the nearest frame, too.
    """
    features = asked.shape[1]
    terms: Terms = {}
    slope = np.empty_like(given)
    for name, part in (("xval", slice(0, features)), ("zval", slice(features, None))):
        terms[name], slope[:, part] = absolute(given[:, part] - known[:, part], PROJECTOR[name])
    way = given[:, :features] - asked
    far = np.sqrt(np.maximum(np.sum(way * way, axis=1), 1e-12))
    true = np.sqrt(np.sum((known[:, :features] - asked) ** 2, axis=1))
    terms["dist"], by_far = absolute(far - true, PROJECTOR["dist"])
    slope[:, :features] += (by_far / far)[:, None] * way
    return terms, slope
