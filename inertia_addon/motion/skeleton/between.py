# SPDX-License-Identifier: GPL-3.0-or-later
"""What a blend shows between a few of its frames, told by the clip that it leads into.

A blend leaves that clip by something that fades evenly, however fast the clip itself moves: of each bone by
how much it is turned, and is elsewhere, as the bone sees it from which it hangs. That is known on a few
frames and goes on between these along a natural cubic spline.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence

import numpy as np

from ..arrays import Array, Flags, Integers

SMOOTHER = 4.0
"""Of the error in the middle of a stretch so small a part is expected in each of its halves."""
FLAT = 1e-12
"""Bones of so little volume show no turns: what hangs from them is seen from above these."""
SAME = 1e-3
"""A bone is where a clip has it when it is no further away than this part of the character's size."""


class KnownBlend:
    """A blend of which frames are made known one by one, each where what is known says least.

    is_led: whether the blend leads into its clip as a whole. goes: (bones,), which go with what aligns that.
    """

    def __init__(
        self,
        parents: Integers,
        watched: Collection[int],
        both: tuple[Array, Array],
        first: Array,
        count: int,
        size: float,
    ) -> None:
        """Start with only the frame at the cut known.

        is_led is True and goes all True until the last frame is taken in, see :meth:`take`. That is frame
        count, or n - 1 if it comes first. Arrays are kept as they are, not copied.

        parents: (bones,) indices, -1 for none, each before its children. watched: indices of the bones that
        tell where least is known; those that carry them count, too. both: what the blend leads into, (n,
        bones, 4, 4) each in the world, frames from the cut on, as it is aligned and as it is by itself.
        first: (bones, 4, 4), what is shown at the cut. count: how many frames the blend has; it may be more
        than n - 1. size: of the character, in the unit of the matrices.
        """
        self.parents, self.count, self.size = parents, count, size
        (self.clip, self.still), self.shown = both, {0: first}
        self.last, self.is_led = min(count, len(self.clip) - 1), True
        self.goes = np.ones(len(parents), bool)
        self.off: dict[int, float] = {}
        few = set[int]()
        for bone in watched:
            while bone >= 0 and bone not in few:
                few.add(bone)
                bone = int(parents[bone])
        self.few = sorted(few)
        place = {bone: i for i, bone in enumerate(self.few)}
        self.few_parents = np.array([place.get(int(parents[bone]), -1) for bone in self.few])

    def next(self) -> int | None:
        """Return the frame to look at next, counted from the cut; None where no more is to be known.

        The blend's last frame, or the clip's if that comes first, is asked for first. Then follows the
        middle, rounded down, of the stretch with the largest error expected, of several the longest; a
        stretch without an estimate comes before all others. None: each frame is known, or the blend does not
        lead into its clip as a whole (is_led is False). Nothing is changed; give the pose to :meth:`take`.
        """
        if self.last not in self.shown:
            return self.last
        ends = sorted(self.shown)
        wide = [(a, b) for a, b in itertools.pairwise(ends) if b - a > 1]
        if not self.is_led or not wide:
            return None
        first, last = max(wide, key=lambda ends: (self.off.get(ends[0], np.inf), ends[1] - ends[0]))
        return (first + last) // 2

    def is_off(self, far: float) -> bool:
        """Return whether a bone is expected to be further from where it is told than that, in its unit."""
        ends = sorted(self.shown)
        return any(b - a > 1 and self.off.get(a, np.inf) > far for a, b in itertools.pairwise(ends))

    def take(self, at: int, pose: Array) -> None:
        """Take in the pose (bones, 4, 4), in the world, of a frame `at` counted from the cut.

        The last frame (that of the blend, or of the clip if it ends earlier) also decides is_led and goes,
        and the frames behind it are taken from the clip. It must be known before any other. For any other
        frame the error expected in the stretches on both sides of it is set: a quarter of the largest
        distance of a bone from where it was told, among the watched bones and those that carry them.
        """
        if at == self.last:
            self._end(pose)
        else:
            frames, rows = self._list_known(self.few)
            guessed = filled(self.few_parents, self.clip[:, self.few], frames, rows)[at]
            off = float(np.linalg.norm((guessed - pose[self.few])[:, :3, 3], axis=1).max())
            self.off[int(frames[frames < at][-1])] = self.off[at] = off / SMOOTHER
        self.shown[at] = pose

    def _end(self, pose: Array) -> None:
        """Take in the pose (bones, 4, 4) of the last frame: decide is_led and goes, and take all later frames
        from the clip.

        Where the blend ends within the clip, bones that do not go with what aligns it follow the unaligned
        clip from here on, and a bone that does not go as its parent does loses that parent. Where the clip is
        shorter than the blend, is_led stays True and goes all True. The pose itself is stored by
        :meth:`take`.
        """
        if self.last == self.count:
            goes = led_into(self.clip[self.last], self.still[self.last], pose, self.size)
            self.is_led = goes is not None
            if goes is not None:
                self.goes = goes
                self.clip = np.where(goes[:, None, None], self.clip, self.still)
                # who stays behind what it hangs from, or goes without it, is looked at by itself
                self.parents = np.where(goes[self.parents] == goes, self.parents, -1)
                self.few_parents = np.where(self.parents[self.few] < 0, -1, self.few_parents)
        self.shown |= {at: self.clip[at] for at in range(self.last + 1, len(self.clip))}

    def _list_known(self, bones: Sequence[int] | slice) -> tuple[Integers, Array]:
        frames = np.array(sorted(self.shown))
        return frames, np.array([self.shown[at][bones] for at in frames.tolist()])

    def matrices(self) -> Array:
        """Return all that is shown, (n, bones, 4, 4)."""
        return filled(self.parents, self.clip, *self._list_known(slice(None)))


def spline(at: Array, asked: Array) -> Array:
    """Return how much (m, n) each value known at rising places `at` (n,) counts at places `asked` (m,).

    A row times the n values is the natural cubic spline through them at that place; beyond the ends its end
    pieces go on. n is 2 at least. Source: W. H. Press et al., "Numerical Recipes", 3.3.
    """
    n, wide = len(at), np.diff(at)
    left, right = np.eye(n), np.zeros((n, n))
    for i in range(1, n - 1):
        before, after = wide[i - 1], wide[i]
        left[i, i - 1 : i + 2] = before, 2.0 * (before + after), after
        right[i, i - 1 : i + 2] = 6.0 / before, -6.0 / before - 6.0 / after, 6.0 / after
    bends, values = np.linalg.solve(left, right), np.eye(n)
    k = np.clip(np.searchsorted(at, asked, "right") - 1, 0, n - 2)
    b = ((asked - at[k]) / wide[k])[:, None]
    a, sixth = 1.0 - b, wide[k, None] ** 2 / 6.0
    curved = (a**3 - a) * bends[k] + (b**3 - b) * bends[k + 1]
    return np.asarray(a * values[k] + b * values[k + 1] + sixth * curved)


def led_into(aligned: Array, unaligned: Array, blended: Array, size: float) -> Flags | None:
    """Return which bones (bones,) follow what aligns a clip, judged on a frame on which a blend has ended; or
    None.

    aligned, unaligned, blended: world matrices (bones, 4, 4) of the clip as it is aligned, of the clip
    without that, and of the blend. A bone is flagged where the blend's matrix differs from the aligned one by
    no more (0.001 slack, largest element) than from the unaligned one. size: of the character. Return None,
    as the blend does not lead into that clip, where any bone is further than 0.001 of the size from the place
    it should have by its flag.
    """
    ways = [np.abs(blended - each)[:, :3].max(axis=(1, 2)) for each in (aligned, unaligned)]
    off = [np.linalg.norm((blended - each)[:, :3, 3], axis=1) for each in (aligned, unaligned)]
    goes = np.asarray(ways[0] <= ways[1] + SAME)
    return goes if np.where(goes, *off).max(initial=0.0) <= SAME * size else None


def filled(parents: Integers, clip: Array, at: Integers, blended: Array) -> Array:
    """Return what a blend shows on all frames of a clip, told by a few of them.

    In its parent's space, each bone differs from the clip by a matrix on the left of its rotation and by a
    shift; both are interpolated between the known frames by a natural cubic spline. A bone that is flattened
    to zero volume on any frame keeps the clip's rotation, and what hangs from it is related to the next bone
    above it.

    Parameters
    ----------
    parents : (bones,)
        Indices, -1 for none, each before its children.
    clip : (n, bones, 4, 4)
        What the blend leads into, in the world.
    at : (k,)
        The rising indices of the known frames; the first and the last frame must be among
        them.
    blended : (k, bones, 4, 4)
        What the blend shows on these, in the world.

    Returns
    -------
    Array (n, bones, 4, 4)
        World matrices, a new array; `blended` itself if all frames are known.
    """
    if len(at) == len(clip):
        return blended
    both = np.concatenate([clip, blended])
    flat = np.abs(np.linalg.det(both[..., :3, :3])).min(axis=0) < FLAT
    while (lost := (parents >= 0) & flat[parents]).any():
        parents = np.where(lost, parents[parents], parents)
    local, shown_local = np.split(_local(parents, both), [len(clip)])
    known_own = local[at]
    turned = np.where(flat[:, None, None], np.eye(3), known_own[..., :3, :3])
    turned = np.where(flat[:, None, None], turned, shown_local[..., :3, :3]) @ np.linalg.inv(turned)
    moved = shown_local[..., :3, 3] - known_own[..., :3, 3]
    weights = spline(at.astype(float), np.arange(len(clip), dtype=float))
    local[..., :3, :3] = np.tensordot(weights, turned, 1) @ local[..., :3, :3]
    local[..., :3, 3] += np.tensordot(weights, moved, 1)
    for bone, parent in enumerate(parents.tolist()):
        if parent >= 0:
            local[:, bone] = local[:, parent] @ local[:, bone]
    return local


def _local(parents: Integers, matrices: Array) -> Array:
    """Return bones (n, bones, 4, 4) as those see them from which they hang; those without a parent stay."""
    local, hang = matrices.copy(), parents >= 0
    local[:, hang] = np.linalg.inv(matrices[:, parents[hang]]) @ matrices[:, hang]
    return local
