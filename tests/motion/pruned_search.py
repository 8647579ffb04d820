# SPDX-License-Identifier: GPL-3.0-or-later
"""The published way to find hops: an exhaustive search over clip, stays and offset that skips what can't win.

Y. Koyama and M. Goto (2019) try all combinations and give up on one as soon as what it has cost so far is no
less than the best so far, which is right as distances and waiting are never negative. The offsets, and the
stays in the clip, are tried all at once, as numpy is quick only so.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Integers = NDArray[np.int64]


@dataclasses.dataclass(frozen=True)
class Found:
    """The best way: clip -1 is the direct one, whose stay is the first."""

    cost: float
    clip: int = -1
    entry: int = -1
    stays: tuple[int, int] = (0, 0)


@dataclasses.dataclass(frozen=True)
class Tables:
    """All distances: into: (source frames, frames) of each clip; out: (frames, destination frames) of each;
    straight: (source frames, destination frames)."""

    into: Sequence[Floats]
    out: Sequence[Floats]
    straight: Floats
    blend: int
    longest_stay: int
    weight: float

    def find(self, trigger: int, start: int) -> Found:
        """The best way at a trigger. start: the destination's frame there."""
        best = self._direct(trigger, start)
        for clip, into in enumerate(self.into):
            out = self.out[clip]
            for stay in range(min(self.longest_stay + 1, len(into) - trigger)):
                waited = self.weight * stay
                if waited >= best.cost:
                    break
                first = into[trigger + stay, : max(0, len(out) - self.blend)] + waited
                alive = np.flatnonzero(first < best.cost)
                column = start + stay + self.blend
                if len(alive) and column < out.shape[1]:
                    best = self._through(best, clip, stay, first[alive], alive, out, column)
        return best

    def _direct(self, trigger: int, start: int) -> Found:
        diagonal = np.diagonal(self.straight[trigger:, start:])[: self.longest_stay + 1]
        costs = diagonal + self.weight * np.arange(len(diagonal))
        stay = int(np.argmin(costs)) if len(costs) else 0
        return Found(float(costs[stay]) if len(costs) else np.inf, stays=(stay, 0))

    def _through(
        self,
        best: Found,
        clip: int,
        stay: int,
        first: Floats,
        alive: NDArray[np.int64],
        out: Floats,
        column: int,
    ) -> Found:
        """The best of all offsets that are left, with all stays in the clip."""
        leave = alive + self.blend
        stays = min(self.longest_stay + 1, out.shape[1] - column)
        worth = int(min(stays, np.ceil((best.cost - first.min()) / self.weight))) if self.weight else stays
        inside = leave + worth <= len(out)
        for part, some in ((inside, worth), (~inside, None)):
            if not part.any():
                continue
            if some is not None:
                steps = out.strides[0], out.strides[0] + out.strides[1]
                view = as_strided(out[:, column:], (len(out) - some + 1, some), steps, writeable=False)
                second = view[leave[part]]
            else:
                grid = leave[part][:, None] + np.arange(worth)
                second = out[np.minimum(grid, len(out) - 1), column + np.arange(worth)]
                second = np.where(grid < len(out), second, np.float32(np.inf))
            costs = (
                first[part][:, None] + second + (self.weight * np.arange(second.shape[1])).astype(np.float32)
            )
            at = int(np.argmin(costs))
            row, later = divmod(at, costs.shape[1])
            if costs[row, later] < best.cost:
                entry = int(alive[part][row])
                best = Found(float(costs[row, later]), clip, entry, (stay, later))
        return best

    def find_in_loops(self, trigger: int, start: int) -> Found:
        """The same with a loop over the stays in the clip, in which what can't win is dropped at each."""
        best = self._direct(trigger, start)
        for clip, into in enumerate(self.into):
            out = self.out[clip]
            for stay in range(min(self.longest_stay + 1, len(into) - trigger)):
                waited = self.weight * stay
                if waited >= best.cost:
                    break
                first = into[trigger + stay, : max(0, len(out) - self.blend)] + waited
                alive = np.flatnonzero(first < best.cost)
                first = first[alive]
                for later in range(self.longest_stay + 1):
                    column = start + stay + self.blend + later
                    left = np.searchsorted(alive, len(out) - self.blend - later)
                    alive, first = alive[:left], first[:left]
                    if not len(alive) or column >= out.shape[1]:
                        break
                    costs = first + out[alive + (self.blend + later), column] + self.weight * later
                    at = int(np.argmin(costs))
                    if costs[at] < best.cost:
                        best = Found(float(costs[at]), clip, int(alive[at]), (stay, later))
                    keep = first < best.cost - self.weight * (later + 1)
                    if not keep.all():
                        alive, first = alive[keep], first[keep]
        return best
