# SPDX-License-Identifier: GPL-3.0-or-later
"""What a transition is judged by: where joints are in it, and in the two clips that it is made of.

Nothing here says how the transition was made: positions are all that an eye has, too.

The ground that feet stand on: how high it is, how fast it passes, and how far feet skate over it.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

import numpy as np

from ...records import record
from ..arrays import Array, ArrayLike, Flags, Integers
from .limbs import JudgedLimbs, find_limbs

T = TypeVar("T")
MARGIN_SECONDS = 0.5
"""Of each clip so much around the window says what the character does anyway: more than a step of a run."""
BESIDE_FRAMES = 2.0
"""So many frames of the result on both sides of the window belong to it."""


@record(frozen=True, eq=False)
class Track:
    """Joints. frames: (n,) of the scene, evenly rising. positions: (n, joints, 3) metres, world, Z up.

    teleports: frames between which the character jumps as a whole, the last before it and the first behind it
    of each: what happens there is no motion, and says nothing of what is usual.
    """

    frames: Array
    positions: Array
    teleports: tuple[tuple[float, float], ...] = ()
    _found: dict[Hashable, Any] = dataclasses.field(default_factory=dict, init=False, repr=False)

    def once(self, key: Hashable, find: Callable[[], T]) -> T:
        """Return what is found of these joints alone, which is looked for but once: one source stands beside
        many destinations.

        key: what is asked, with all that it depends on besides.
        """
        if key not in self._found:
            self._found[key] = find()
        found: T = self._found[key]
        return found

    @property
    def stride(self) -> int:
        """How many samples a frame has; 1 for fewer than one."""
        if len(self.frames) < 2:
            return 1
        return max(1, round(1.0 / float(self.frames[1] - self.frames[0])))

    def take_joints(self, joints: list[int]) -> Array:
        """Return the positions of some joints (n, some, 3)."""
        return np.asarray(self.positions[:, joints])

    def goes_on(self, first: Array, last: Array) -> Flags:
        """Return flags (n,): whether no teleport lies between each of frames `first` (n,) and the later one
        of `last` (n,).

        Frames are the scene's, whole or not. A teleport goes from the frame before it to the one behind it. A
        flag is True if `last` is not later than the one, or `first` not earlier than the other, for all of
        self.teleports; 1e-6 frames do not count. It is False, too, if both frames lie within a teleport.
        """
        goes = np.ones(len(first), bool)
        for before, behind in self.teleports:
            goes &= (last <= before + 1e-6) | (first >= behind - 1e-6)
        return goes

    def within(self, first: float, last: float) -> Flags:
        """Return which frames (n,) lie between two frames, both included."""
        return np.asarray((self.frames >= first - 1e-6) & (self.frames <= last + 1e-6))


@record(frozen=True, eq=False)
class Evidence:
    """A transition and its two clips.

    names: (joints,). parents: (joints,) -1 for none. hips: which joint, ends: those of hands, feet and head,
    feet: the lowest of each foot, such as its toe. size: of the character, metres: the diagonal of its rest
    pose. cut, end: the first and the last frame of the blend; until: the last one at which anything differs
    from the destination, as locked feet may later; since: the first one at which anything differs from the
    source, None for the cut, as only a loop's seam begins before it. source, destination: the clips around
    it, the second as it is aligned and as late as it plays; result: the transition. passing: (2, n, 2) metres
    a second: how fast the ground passes below the two clips at the result's frames, 0 where it stands, and
    weights: (n,) how much of the destination's counts; None where nobody can say, and nothing is said of
    feet. period: how many frames the destination's cycle has, inf for none. legs: of each the joints from
    hip to ankle, where they are known. seen: the joints that move something to see, () for all; controls
    jump where a limb is switched over from one to the other, and nobody sees them. is_part: whether others
    are seen that are not among the joints: then nothing is said of all of them together. has_locked_feet:
    whether feet were made to stand still: then no clip's skating excuses theirs, and they have to stand where
    they do so, or glide slowly, in the result, too, as a clip in which they skate need not say when they
    stand.
    """

    fps: float
    names: tuple[str, ...]
    parents: tuple[int, ...]
    hips: int
    ends: tuple[int, ...]
    feet: tuple[int, ...]
    size: float
    cut: float
    end: float
    until: float
    source: Track
    destination: Track
    result: Track
    passing: tuple[Array, Array] | None = (np.zeros(2), np.zeros(2))
    weights: Array | None = None
    period: float = np.inf
    since: float | None = None
    legs: tuple[tuple[int, ...], ...] = ()
    seen: tuple[int, ...] = ()
    is_part: bool = False
    has_locked_feet: bool = False

    @property
    def begin(self) -> float:
        """The first frame at which anything may differ from the source."""
        return self.cut if self.since is None else self.since

    @property
    def clips(self) -> tuple[Track, Track]:
        """Both clips."""
        return self.source, self.destination

    @functools.cached_property
    def limbs(self) -> JudgedLimbs | None:
        """The character's large joints, found by the first frame of the result; None if the result has no
        frames. It is cached.
        """
        if not len(self.result.frames):
            return None
        ends, pose = sorted({*self.ends, *self.feet}), self.result.positions[0]
        return find_limbs(self.parents, self.hips, ends, self.legs, pose, self.size)

    @property
    def lowest(self) -> list[int]:
        """The joints that can be lowest: what grows below the floor, such as a rig's own root, is none."""
        return sorted({*self.ends, *self.feet, self.hips})

    def shares(self) -> Array:
        """Return how much of the destination's ground the result shows at its frames (n,), 0 to 1."""
        return np.ones(len(self.result.frames)) if self.weights is None else self.weights

    def ground_speed(self) -> Array:
        """Return the velocity of the ground below the result (n, 2), metres a second."""
        assert self.passing is not None
        source, destination = self.passing
        return np.asarray(source + self.shares()[:, None] * (destination - source))


def joint_velocity_changes(positions: ArrayLike, fps: float, stride: int = 1) -> Array:
    """Return the change of each joint's velocity: |p(f + 1) - 2 p(f) + p(f - 1)| fps.

    Parameters
    ----------
    positions : (samples, ..., joints, 3)
        Metres.
    fps
        Frames a second.
    stride
        Samples a frame.

    Returns
    -------
    Array (samples - 2 stride, ..., joints)
        m/s, at each sample that has a frame on both sides; none for fewer.
    """
    p = np.asarray(positions, float)
    after, middle, before = p[2 * stride :], p[stride : len(p) - stride], p[: max(len(p) - 2 * stride, 0)]
    return np.asarray(lengths(after - 2.0 * middle[: len(after)] + before) * fps)


def lengths(vectors: Array) -> Array:
    """Return the lengths (...) of vectors (..., 3), in a fourth of the time that numpy takes for so short
    ones.
    """
    x, y, z = np.moveaxis(vectors, -1, 0)
    return np.asarray(np.sqrt(x * x + y * y + z * z))


def rms(changes: Array) -> Array:
    """Return the root mean square over the joints, (samples, ...), of changes (samples, ..., joints)."""
    return np.asarray(np.sqrt(np.mean(changes**2, axis=-1)))


def velocity_changes(positions: ArrayLike, fps: float) -> Array:
    """Return the change of joint velocity, rms over the joints, (frames - 2, ...), m/s.

    positions: (frames, ..., joints, 3) metres. The first and the last frame have no change.
    """
    return rms(joint_velocity_changes(positions, fps))


LOW = 0.01
"""A foot lower than this part of the size above its ground is on it: 2.5 cm of a grown-up."""
AROUND_SECONDS = 0.6
"""A foot stands as low as it comes to so long before or after."""
STANDING = 0.05
"""Low feet of who stands go no faster than so many sizes a second, in the middle."""
TRAVELS = 0.3
"""Low feet of who travels stand if they go, in the middle, no faster than this part of how fast that is; and
who goes along with low feet by more than this part of their speed skates, and is not in place."""
STEADY = 0.5
"""The ground passes steadily where the middle low foot is no further off its speed than by this part."""


def heights(tracks: tuple[Track, ...], feet: list[int], frames: Array, fps: float) -> Array:
    """Return the height on which each foot stands at some frames: its lowest within 0.6 s in any track.

    Parameters
    ----------
    tracks
        All with the same joints.
    feet
        The joints, by index.
    frames : (n,)
        Frames of the scene, whole or not.
    fps
        Frames a second.

    Returns
    -------
    Array (n, feet)
        Metres; 0 where no track has a frame that near.
    """
    lowest = np.full((len(frames), len(feet)), np.inf)
    around = AROUND_SECONDS * fps
    for track in tracks:
        z = track.take_joints(feet)[..., 2]
        first = np.searchsorted(track.frames, frames - around - 1e-6)
        last = np.searchsorted(track.frames, frames + around + 1e-6)
        lowest = np.minimum(lowest, over_spans(np.minimum, z, first, last, np.inf))
    return np.where(np.isfinite(lowest), lowest, 0.0)


def over_spans(of: np.ufunc, values: Array, first: Integers, last: Integers, without: float) -> Array:
    """Return the highest or lowest of values in each of some spans of rows.

    Parameters
    ----------
    of
        :data:`numpy.maximum` or :data:`numpy.minimum`.
    values : (n, k)
        The values.
    first : (spans,)
        The first row of each span.
    last : (spans,)
        The row behind its last.
    without
        What stands for a span without rows.

    Returns
    -------
    Array (spans, k)
        In the order of the spans.
    """
    # a row more, as reduceat takes no start behind the last row
    padded = np.concatenate([values, np.full((1, values.shape[1]), without)])
    # reduceat also goes from each end to the next beginning, which nobody has asked for
    extremes = of.reduceat(padded, np.column_stack([first, last]).ravel())[::2]
    return np.where((first < last)[:, None], extremes, without)


def measure_skating(
    track: Track, feet: list[int], passing: Array, stands: Array, low: float, fps: float
) -> Array:
    """Return how far feet skate over the ground from each frame to the next.

    A step counts by 2 - 2^(h / low), between 1 on the ground and 0 from `low` above it on (H. Zhang et al.,
    "Mode-Adaptive Neural Networks for Quadruped Motion Control", 2018, section 8.2, there as a mean speed).

    Parameters
    ----------
    track
        n frames, not looked at for teleports.
    feet
        The joints, by index.
    passing : (n, 2)
        The velocity of the ground, metres a second.
    stands : (n, feet)
        How high feet stand, metres.
    low
        Metres, above 0.
    fps
        Frames a second.

    Returns
    -------
    Array (n - 1, feet)
        Metres.
    """
    p, seconds = track.take_joints(feet), np.diff(track.frames)[:, None] / fps
    ways = np.diff(p[..., :2], axis=0) - (0.5 * seconds * (passing[1:] + passing[:-1]))[:, None]
    return np.asarray(np.linalg.norm(ways, axis=-1) * counts(track, feet, stands, low))


def counts(track: Track, feet: list[int], stands: Array, low: float) -> Array:
    """Return how much each step of feet counts, by how near to the ground the foot is.

    Parameters
    ----------
    track
        n frames.
    feet
        The joints, by index.
    stands : (n, feet)
        How high feet stand, metres.
    low
        Metres, above 0: from so high above that on a step does not count.

    Returns
    -------
    Array (n - 1, feet)
        From 0 to 1, by the mean height of both frames; see :func:`measure_skating`.
    """
    above = track.take_joints(feet)[..., 2] - stands
    return weights_above(0.5 * (above[1:] + above[:-1]), low)


def weights_above(heights: Array, low: float) -> Array:
    """Return how much what feet do counts at heights above the ground, see :func:`measure_skating`."""
    return np.clip(2.0 - np.exp2(np.clip(heights / low, -1.0, 2.0)), 0.0, 1.0)


def measure_passing_ground(track: Track, size: float, low: float, fps: float) -> Array | None:
    """Return the velocity at which the ground passes below a character that walks in place.

    It is the median velocity of the low feet, x and y by themselves, from one sample to the next. A foot
    counts as low between two samples if the mean of its heights there is less than `low`.

    Parameters
    ----------
    track
        The feet, with the hips as the last joint.
    size
        The character's, metres.
    low
        Up to how many metres above its lowest place within 0.6 s a foot counts as low.
    fps
        Frames a second.

    Returns
    -------
    Array (2,) or None
        Metres a second. Zero if low feet stand, that is, if their median speed is at most 0.05
        (STANDING) sizes a second or 0.3 (TRAVELS) of the hips' mean speed; if there are no feet
        or none is low; and for fewer than 3 samples. None if low feet skate without a common
        velocity, from which their median distance is more than 0.5 (STEADY) of its length,
        or if the hips' mean velocity goes along with it by more than 0.3 (TRAVELS) of it.
    """
    still, feet = np.zeros(2), list(range(track.positions.shape[1] - 1))
    if not feet or len(track.frames) < 3:
        return still
    p, seconds = track.positions, np.diff(track.frames)[:, None] / fps
    above = p[:, feet, 2] - heights((track,), feet, track.frames, fps)
    ways = np.diff(p[..., :2], axis=0) / seconds[..., None]
    velocities, hips = ways[:, feet], ways[:, -1]
    velocities = velocities[0.5 * (above[1:] + above[:-1]) < low]
    if not len(velocities):
        return still
    travels = float(np.mean(np.linalg.norm(hips, axis=1)))
    if float(np.median(np.linalg.norm(velocities, axis=-1))) <= max(STANDING * size, TRAVELS * travels):
        return still
    middle = np.median(velocities, axis=0)
    goes = np.sum(hips * seconds, axis=0) / float(seconds.sum())
    off = float(np.median(np.linalg.norm(velocities - middle, axis=-1)))
    if off > STEADY * float(np.linalg.norm(middle)) or float(goes @ middle) > TRAVELS * float(
        middle @ middle
    ):
        return None
    return np.asarray(middle)
