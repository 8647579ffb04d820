# SPDX-License-Identifier: GPL-3.0-or-later
"""What legs do by themselves: how hard their joints accelerate in the clips of a transition."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np

from ...records import record
from ..arrays import Array, Integers
from .contacts import AROUND_SECONDS
from .corrections import accelerations_of

JOINTS = 4
"""Hip, knee, ankle, and the point by which the foot stands."""
NEAR_SECONDS = 0.5
"""A joint's own accelerations are those within so long, ..."""
STILL = 11.0
"""... and so many leg lengths a second squared at least, below which nobody sees them."""
ALIKE = 0.05
"""Legs are images of each other where their bones' lengths differ by no more than this part."""


@record(frozen=True, eq=False)
class ClipJoints:
    """Legs as a clip has them around a cut.

    times: (m,) seconds since the cut. joints: (legs, JOINTS, m, 3) where they are.
    """

    times: Array
    joints: Array

    @functools.cached_property
    def hardness(self) -> Array:
        """Return the sizes (legs, JOINTS, m) of the joints' accelerations, in the positions' unit a second
        squared.

        They are second differences over about 1/30 s to either side, and 0 nearer than that to the ends; see
        :func:`accelerations_of`.
        """
        legs, joints, count, axes = self.joints.shape
        flat = self.joints.transpose(2, 0, 1, 3).reshape(count, -1)
        accelerations = accelerations_of(flat, self.times).reshape(count, legs, joints, axes)
        return np.asarray(np.linalg.norm(accelerations, axis=-1).transpose(1, 2, 0))


@record(frozen=True, eq=False)
class OwnMotion:
    """What legs do by themselves.

    accelerations: (legs, JOINTS, n) the highest of each joint, or its image, near each frame, a second
    squared. ground: (legs, n) how high that is below each foot, where clips differ the higher one. own:
    (legs, n, 3) where the clip that plays on has the points by which feet stand. before: (legs, JOINTS, 3)
    where joints are so many seconds ``since`` the first frame, a negative number.
    """

    accelerations: Array
    ground: Array
    own: Array
    before: Array
    since: float

    @classmethod
    def of(
        cls, times: Array, clips: Sequence[ClipJoints], own_joints: Array, before: Array, since: float
    ) -> OwnMotion:
        """Return what legs do by themselves in clips around a cut.

        `accelerations` (legs, JOINTS, n) are the highest of a joint, and of the same joint of legs whose
        thigh and shin are as long within 5 % (ALIKE). They are looked for within 0.5 s (NEAR_SECONDS) of the
        cut in every clip, and in the last clip within 0.5 s of each time, too. They are at least 11 (STILL)
        leg lengths a second squared.

        `ground` (legs, n) is the lowest z of the foot's point within 0.6 s (AROUND_SECONDS) around the same
        moments; the highest of these counts. It is -inf where no clip has a frame so near.

        times: (n,), seconds since the cut. clips: one at least, of the same legs; the last one plays on
        behind the cut. own_joints: (legs, n, 3), the feet's points in that clip. before: (legs, JOINTS, 3),
        joints `since` seconds after the first frame, a negative number. The last three become `own`, `before`
        and `since` as they are.
        """
        lengths = np.median(np.linalg.norm(np.diff(clips[0].joints[:, :3], axis=1), axis=-1), axis=-1)
        apart = np.abs(lengths[:, None] - lengths) <= ALIKE * np.maximum(lengths[:, None], lengths)
        images = apart.all(axis=-1)
        highest = np.full((len(lengths), JOINTS, len(times)), STILL) * lengths.sum(axis=1)[:, None, None]
        ground = np.full((len(lengths), len(times)), -np.inf)
        for clip in clips:
            hard = np.array([clip.hardness[row].max(axis=0) for row in images])
            heights = clip.joints[:, -1, :, 2]
            for moments in (np.zeros(1), times) if clip is clips[-1] else (np.zeros(1),):
                highest = np.maximum(highest, _highest_near(hard, clip.times, moments, NEAR_SECONDS))
                lowest = -_highest_near(-heights, clip.times, moments, AROUND_SECONDS)
                ground = np.maximum(ground, np.where(np.isfinite(lowest), lowest, -np.inf))
        return cls(highest, ground, own_joints, before, since)

    def take(self, at: Integers) -> OwnMotion:
        """Return some of the frames, with the first one among them."""
        accelerations, ground = self.accelerations[..., at], self.ground[:, at]
        return OwnMotion(accelerations, ground, self.own[:, at], self.before, self.since)


def _highest_near(values: Array, times: Array, moments: Array, seconds: float) -> Array:
    """Return the highest of values (..., m), at times (m,), within some seconds of each moment: (..., n);
    -inf where no time is so near.

    times: rising. moments: (n,). seconds: to either side, both ends included.
    """
    begins = np.searchsorted(times, moments - seconds - 1e-6)
    ends = np.searchsorted(times, moments + seconds + 1e-6, "right")
    each = [values[..., i:j].max(axis=-1, initial=-np.inf) for i, j in zip(begins, ends, strict=True)]
    return np.stack(each, axis=-1)
