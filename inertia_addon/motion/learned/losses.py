# SPDX-License-Identifier: GPL-3.0-or-later
"""What training makes small, term by term, and the exact gradients.

The terms and their weights are those of D. Holden, O. Kanoun, M. Perepichka and T. Popa, "Learned Motion
Matching" (2020), section 4, as the first author's own code has them (orangeduck/Motion-Matching): absolute
differences, each meaned over all numbers of its kind, in metres, seconds and radians.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from .material import Rows
from .networks import Numbers
from .tree import COLUMNS, POSITION, SPIN, VELOCITY, Tree, back_to_columns, turned

LOCAL = {"loc_pos": 75.0, "loc_txy": 10.0, "loc_vel": 10.0, "loc_ang": 1.25}
ROOT = {"loc_rvel": 2.0, "loc_rang": 2.0, "loc_extra": 2.0}
CHARACTER = {"chr_pos": 15.0, "chr_xfm": 5.0, "chr_vel": 2.0, "chr_ang": 0.75}
RATES = {"lvel_pos": 10.0, "lvel_rot": 1.75, "cvel_pos": 2.0, "cvel_rot": 0.75}
LATENT = {"sreg": 0.1, "lreg": 0.1, "vreg": 0.01}
STEPPER = {"xval": 2.0, "zval": 15.0, "xvel": 0.2, "zvel": 1.5}
PROJECTOR = {"xval": 1.0, "zval": 9.0, "dist": 0.2}

Terms = dict[str, float]
"""What each term comes to."""


@dataclasses.dataclass(frozen=True, eq=False)
class Reconstruction:
    """The loss of the Compressor and the Decompressor, over windows.

    rows, tree: of the material. seconds: between two frames of a window.
    """

    rows: Rows
    tree: Tree
    seconds: float

    def __call__(
        self, given: Numbers, known: Numbers, seen: Numbers, latent: Numbers, windows: int
    ) -> tuple[Terms, Numbers, Numbers]:
        """The terms, and the gradients by what was given (n, rows.size) and by the latents (n, latents).

        known: (n, rows.size) and seen: (n, bones * 18), what was to be given. The n rows are the first frames
        of ``windows`` windows, then their second frames, and so on.
        """
        terms: Terms = {}
        told = np.ascontiguousarray(given.T)
        truth = np.ascontiguousarray(known.T)
        by_told = self._told(told, truth, terms)
        local, kept = self._local(told)
        found = self.tree.follow(local)
        truly = np.ascontiguousarray(seen.T).reshape(found.shape)
        by_found = self._seen(found, truly, terms)
        self._rates(told, truth, found, truly, windows, by_told, by_found, terms)
        by_local = self.tree.back(local, found, by_found)
        self._into_rows(by_local, kept, by_told)
        return terms, np.ascontiguousarray(by_told.T), self._latent(latent, windows, terms)

    def _local(self, told: Numbers) -> tuple[Numbers, tuple[Numbers, ...]]:
        """Rows as bones in their parents' spaces, in the tree's order."""
        rows, order = self.rows, self.tree.order
        count = told.shape[1]
        local = np.empty((rows.bones, 3, COLUMNS, count), told.dtype)
        columns = told[rows.turns].reshape(rows.bones, 3, 2, count)[order]
        local[:, :, :3], kept = turned(columns)
        for column, part in ((POSITION, rows.positions), (VELOCITY, rows.velocities), (SPIN, rows.spins)):
            local[:, :, column] = told[part].reshape(rows.bones, 3, count)[order]
        return local, kept

    def _into_rows(self, by_local: Numbers, kept: tuple[Numbers, ...], by_told: Numbers) -> None:
        """Add the gradient by bones in their parents' spaces to that by rows."""
        rows, place = self.rows, self.tree.place
        count = by_told.shape[1]
        turns = by_told[rows.turns].reshape(rows.bones, 3, 2, count)
        turns += back_to_columns(kept, by_local[:, :, :3])[place]
        for column, part in ((POSITION, rows.positions), (VELOCITY, rows.velocities), (SPIN, rows.spins)):
            by_told[part] += by_local[place, :, column].reshape(-1, count)

    def _told(self, told: Numbers, truth: Numbers, terms: Terms) -> Numbers:
        rows = self.rows
        slope = np.empty_like(told)
        local = rows.positions, rows.turns, rows.velocities, rows.spins
        root = rows.root_velocity, rows.root_spin, rows.contacts
        for (name, weight), part in zip((LOCAL | ROOT).items(), (*local, *root), strict=True):
            terms[name], slope[part] = absolute(told[part] - truth[part], weight)
        return slope

    def _seen(self, found: Numbers, truly: Numbers, terms: Terms) -> Numbers:
        slope = np.empty_like(found)
        parts: tuple[Any, ...] = (POSITION, slice(0, 3), VELOCITY, SPIN)
        for (name, weight), part in zip(CHARACTER.items(), parts, strict=True):
            terms[name], slope[:, :, part] = absolute(found[:, :, part] - truly[:, :, part], weight)
        return slope

    def _rates(
        self,
        told: Numbers,
        truth: Numbers,
        found: Numbers,
        truly: Numbers,
        windows: int,
        by_told: Numbers,
        by_found: Numbers,
        terms: Terms,
    ) -> None:
        """What changes from frame to frame, of positions and rotations in both spaces."""
        rows = self.rows
        local = ("lvel_pos", rows.positions), ("lvel_rot", rows.turns)
        for name, part in local:
            terms[name] = self._rate(told[part] - truth[part], RATES[name], windows, by_told[part])
        character: tuple[tuple[str, Any], ...] = ("cvel_pos", POSITION), ("cvel_rot", slice(0, 3))
        for name, column in character:
            away = found[:, :, column] - truly[:, :, column]
            terms[name] = self._rate(away, RATES[name], windows, by_found[:, :, column])

    def _rate(self, away: Numbers, weight: float, windows: int, into: Numbers) -> float:
        """A term of differences (..., n) between frames, whose gradient is added to ``into``."""
        away = (away[..., windows:] - away[..., :-windows]) * (1.0 / self.seconds)
        term, slope = absolute(away, weight / self.seconds)
        into[..., windows:] += slope
        into[..., :-windows] -= slope
        return term * self.seconds

    def _latent(self, latent: Numbers, windows: int, terms: Terms) -> Numbers:
        terms["sreg"], slope = absolute(latent, LATENT["sreg"])
        share = LATENT["lreg"] / latent.size
        terms["lreg"] = share * float(np.vdot(latent, latent))
        slope += 2.0 * share * latent
        terms["vreg"] = self._rate_of_rows(latent, windows, slope)
        return slope

    def _rate_of_rows(self, latent: Numbers, windows: int, slope: Numbers) -> float:
        return self._rate(latent.T, LATENT["vreg"], windows, slope.T)


def absolute(away: Numbers, weight: float) -> tuple[float, Numbers]:
    """The mean of absolute differences times a weight, and its gradient by them."""
    share = weight / away.size
    return share * float(np.abs(away).sum()), np.sign(away) * away.dtype.type(share)


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
