# SPDX-License-Identifier: GPL-3.0-or-later
"""Long clips around where they meet: all that is looked at of them to judge changes of a transition.

Each change is planned anew, which takes as long as its clips are. What the whole clips say, what carries the
character and that nothing repeats, is found out once, and said of their parts.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from ...errors import InertiaError
from ...motion.skeleton.posing import Rig
from ...records import record
from ...settings.transition import TransitionSettings
from ..data import roots, scene
from ..data.actions import Clip
from ..evaluation import cycles
from ..judging import remedies
from . import compose

AROUND_SECONDS, TIMES = 8.0, 4.0
"""Who judges looks no further than so many seconds past the end of a blend; a clip is long that lasts so many
times as long as that on both sides."""


@record(frozen=True, eq=False)
class Nearby:
    """Clips as far as they are looked at, and how settings speak of them as of the whole ones.

    clips: the source and the destination. known: settings that are the same for all changes.
    """

    clips: tuple[Clip, Clip]
    known: Mapping[str, Any]

    def told(self, settings: TransitionSettings) -> TransitionSettings:
        """Settings of a change, with what is known."""
        return dataclasses.replace(settings, **self.known)


def of(
    rig: Rig, settings: TransitionSettings, clips: tuple[Clip, Clip], scales: Mapping[str, float]
) -> Nearby:
    """The clips of a transition around where they meet; the same where they are short, cycles, or shaped by
    more than their keys. scales: multipliers of blend times, by bone."""
    is_other = settings.smooth_jump or settings.bones or settings.destination_frame is None
    if is_other or (settings.source_scale, settings.destination_scale) != (1.0, 1.0):
        return Nearby(clips, {})
    assert settings.destination_frame is not None
    fps, most = scene.fps(), remedies.LONGEST_SECONDS * max((1.0, *scales.values()))
    reach = (max(most, compose.longest(settings, fps, scales)) + AROUND_SECONDS) * fps
    long = [_is_long(clip, reach) for clip in clips]
    if not any(long):
        return Nearby(clips, {})
    try:
        root = roots.find_root(rig, clips, settings.root)
    except InertiaError:
        # who plans says so
        return Nearby(clips, {})
    known: dict[str, Any] = {"root": root.name}
    if settings.alignment == "AUTO":
        known["alignment"] = "POSITION_HEADING" if root.moves else "NONE"
    found = list(clips)
    meets = (settings.cut, settings.destination_frame)
    choices = ("source_cycle", "destination_cycle")
    for i, (clip, at, choice) in enumerate(zip(clips, meets, choices, strict=True)):
        if not long[i] or cycles.looked_at(rig, root, clip, getattr(settings, choice)).cycle is not None:
            continue
        found[i], known[choice] = shortened(clip, at - reach, at + reach), "OFF"
    return Nearby((found[0], found[1]), known)


def _is_long(clip: Clip, reach: float) -> bool:
    """Whether a clip is long, and nothing but its keys says what it shows."""
    by_keys = clip.cycle is None and clip.stretch is None and clip.clock is None
    by_keys = by_keys and not clip.action.use_cyclic
    is_long = clip.end - clip.start > TIMES * 2.0 * reach
    return is_long and by_keys and not any(curve.obstacle for curve in clip.curves.values())


def shortened(clip: Clip, first: float, last: float) -> Clip:
    """A clip from one frame to another, as far as it has them; it shows there what it does as a whole."""
    start, end = max(clip.start, first), min(clip.end, last)
    curves = {}
    for address, curve in clip.curves.items():
        frames = curve.keys.co[:, 0]
        # a key beyond on each side, to which curves lead
        begin = max(int(np.searchsorted(frames, start, "right")) - 1, 0)
        stop = min(int(np.searchsorted(frames, end, "left")) + 1, len(frames))
        kept = slice(min(begin, len(frames) - 1), max(stop, begin + 1))
        curves[address] = dataclasses.replace(curve, keys=curve.keys.take(kept).copy())
    return dataclasses.replace(clip, curves=curves, start=start, end=end)
