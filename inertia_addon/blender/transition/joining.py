# SPDX-License-Identifier: GPL-3.0-or-later
"""Where and how two clips are joined: :class:`Joining` is all that their curves are computed from."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

import numpy as np

from ...motion.arrays import Array
from ...motion.curves.holds import Holds
from ...motion.curves.representation import whole_frames
from ...records import record
from ...settings import methods
from ...settings.transition import TransitionSettings
from ..data.actions import Clip
from .alignment import Alignment, CutAndEntry
from .doubled_frames import pass_doubled
from .selecting import Scales
from .switch_crossing import Held
from .warping import Warping

T = TypeVar("T")
HALF_LIVES = 12.0
"""After so many nothing is left of an offset."""


@record(frozen=True)
class FramesAround:
    """The frames of a clip that say how it moves where the clips meet: before and after that, and there.

    All three are the same for a pose without a velocity.
    """

    before: float
    after: float
    at: float

    @property
    def frames(self) -> Array:
        """The frame before, the one after, and the one where the clips meet (3,)."""
        return np.array([self.before, self.after, self.at])

    def seconds(self, fps: float) -> float:
        """Return how long it takes from the frame before to the one after.

        A frame's time for a pose, whose velocity is nothing over any time.
        """
        return float(self.after - self.before or 1.0) / fps


@record(frozen=True)
class Joining:
    """Where and how two clips are joined.

    settings: with the frame that is shown at the cut. fps: frames a second. alignment: the destination's
    rigid motion. metres, bone_metres: per unit of the object's location, and of a bone's. blend_scales: by
    channel. is_mixed: whether the two poses are mixed, to compare. hard_cut: nothing blends. held: what holds
    the source's pose where switches go over. warp: what bends the destination's way, None for nothing. holds:
    how both clips go on, in their own frames. kept: what was found of the source at a cut, where many
    transitions leave it; None for one alone.
    """

    source: Clip
    destination: Clip
    settings: TransitionSettings
    fps: float
    alignment: Alignment
    metres: float
    bone_metres: float
    blend_scales: Scales
    is_mixed: bool = False
    hard_cut: bool = False
    held: Held = dataclasses.field(default_factory=Held)
    warp: Warping | None = None
    holds: tuple[Holds, Holds] = (Holds(), Holds())
    kept: dict[Hashable, Any] | None = None

    def once(self, key: Hashable, find: Callable[[], T]) -> T:
        """Return what is found of the source at the cut, which is looked for but once for entries in a row,
        or each time if `kept` is None.

        key: what is asked, with all that it depends on besides the source and the cut.
        """
        if self.kept is None:
            return find()
        at = self.source, self.cut
        if self.kept.get("at") != at:
            # of another cut nothing is kept, as there may be many
            self.kept.clear()
            self.kept["at"] = at
        if key not in self.kept:
            self.kept[key] = find()
        found: T = self.kept[key]
        return found

    @property
    def cut(self) -> float:
        """The scene's frame of the cut."""
        return self.settings.cut

    @property
    def destination_frame(self) -> float:
        """The destination's frame that is shown at the cut."""
        assert self.settings.destination_frame is not None
        return self.settings.destination_frame

    @property
    def cut_and_entry(self) -> CutAndEntry:
        """Where the clips meet."""
        return CutAndEntry(self.source, self.cut, self.destination, self.destination_frame)

    @property
    def is_cross_fade(self) -> bool:
        """Whether the source goes on under the blend and is faded out, in place of an offset that decays."""
        return self.is_mixed or self.settings.decay is None

    @property
    def is_extrapolated(self) -> bool:
        """Whether it goes on as it was going at the cut, see :mod:`dead_blending`, not as its keys do."""
        return self.settings.decay is None and not self.is_mixed

    @property
    def clips(self) -> tuple[Clip, Clip]:
        """Both clips."""
        return self.source, self.destination

    @property
    def later(self) -> float:
        """How many frames later the destination plays in the result."""
        return self.cut - self.destination_frame

    @property
    def longest_seconds(self) -> float:
        """How many seconds an offset lasts at most, however long it can be seen."""
        return bound_blend_seconds(self.settings, self.fps, self.blend_scales)

    @property
    def is_stepped(self) -> bool:
        """Whether the destination holds poses, and then the blend does."""
        return self.holds[1].step > 1 or self.holds[1].is_held

    @functools.cached_property
    def around_cut(self) -> FramesAround:
        """The frames of the source around the cut."""
        settings = self.settings
        return self.once(
            ("around", settings.extrapolate, settings.difference, settings.step),
            lambda: self._find_frames_around(self.source, self.cut, self.holds[0]),
        )

    @functools.cached_property
    def around_entry(self) -> FramesAround:
        """The frames of the destination around its own frame that is shown at the cut."""
        return self._find_frames_around(self.destination, self.destination_frame, self.holds[1])

    def _find_frames_around(self, clip: Clip, frame: float, holds: Holds) -> FramesAround:
        """Return the frames of a clip that say how it moves at a frame of its own, see :meth:`Clip.around`.

        The frame after is that frame itself where velocities come from the last two frames. A frame that is
        there twice is passed, see :func:`pass_doubled`.
        """
        before, after = clip.around(frame, extrapolate=self.settings.extrapolate)
        if holds.step > 1:
            before, after = _find_steps_around(clip, frame, (before, after), holds.step)
        if self.settings.difference == "BACKWARD" and before < frame:
            after = frame
        if holds.step == 1 and not holds.is_held:
            before, after = pass_doubled(clip, frame, (before, after))
        return FramesAround(before, after, frame)

    def frames_until(self, end: float) -> Array:
        """Return the frames of a window that ends with one, on which something may change."""
        if self.is_stepped:
            return self.holds[1].later(self.later).between(self.cut, end)
        return whole_frames(self.cut, end)

    def find_window_end(self, seconds: float) -> float:
        """Return the last frame of the window of an offset that is gone after so many seconds."""
        # what misses a whole frame by rounding alone does not get another one
        end = max(math.ceil(self.cut + seconds * self.fps - 1e-4), self.cut + 1.0)
        if not self.is_stepped:
            return end
        # a pose is held until the next one, so the destination takes over where it goes on
        frames = self.frames_until(end + 2.0 * self.holds[1].step + 1.0)
        return float(frames[np.searchsorted(frames, end - 1e-3)])


def _find_steps_around(
    clip: Clip, frame: float, around: tuple[float, float], step: float
) -> tuple[float, float]:
    """Return the frames whose difference is the velocity of a clip that holds poses.

    They show the pose before and the one behind: on neighbouring frames the same pose stands, or a whole step
    lies between them. around: those of a clip that moves on each frame.
    """
    low, high = clip.section(frame)
    before = max(frame - step, low, min(clip.start, around[0])) if around[0] < frame else frame
    after = min(frame + step, high, max(clip.end, around[1])) if around[1] > frame else frame
    return before, after


def bound_blend_seconds(settings: TransitionSettings, fps: float, blend_scales: Scales) -> float:
    """Return how many seconds an offset lasts at most, see :attr:`Joining.longest_seconds`."""
    # a spring never ends by itself, so its half-lives are counted
    blend_times = HALF_LIVES if methods.length(settings.method) == "half_life" else 1.0
    return blend_times * settings.seconds(fps) * blend_scales.longest
