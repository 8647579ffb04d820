# SPDX-License-Identifier: GPL-3.0-or-later
"""Cuts and entries that a teleport parts from the rest of their clip, and the frames to take instead.

See :mod:`motion.pops.teleports`: most often a clip begins, or ends, with a bind pose.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator
from typing import Any

from ...errors import Sentence
from ...motion.cycles.cycle import ON_FRAME
from ...motion.judging.evidence import BESIDE_FRAMES
from ...motion.pops.teleports import Teleport
from ...records import record
from ...settings.transition import TransitionSettings
from ..data import scene
from ..data.actions import Clip


@record(frozen=True)
class Misplaced:
    """A cut or an entry to change. sentence: why. button: what to do. setting: which, and frame: to what."""

    sentence: Sentence
    button: Sentence
    setting: str
    frame: float

    def mended(self, settings: TransitionSettings) -> TransitionSettings:
        """Return settings with the frame changed."""
        change: dict[str, Any] = {self.setting: self.frame}
        return dataclasses.replace(settings, **change)


def find(clips: tuple[Clip, Clip], settings: TransitionSettings, fps: float) -> tuple[Misplaced, ...]:
    """Find what is misplaced in a transition of two clips that know their teleports.

    settings: with the destination's frame. fps: frames a second.
    """
    source, destination = clips
    return (*_cut(source, settings.cut), *_entry(destination, settings, fps))


def _cut(clip: Clip, cut: float) -> Iterator[Misplaced]:
    """Yield a cut at a pose that is not the clip's motion, or within a teleport."""
    for inside in _inside(clip, cut):
        yield _misplaced("cut", "within", clip, cut, inside, inside.last)
    low, high = _ends(clip, cut)
    if not clip.teleports or high - low >= BESIDE_FRAMES or any(_inside(clip, cut)):
        return
    before, behind = _beside(clip, cut)
    if before is not None:
        yield _misplaced("cut", "lone", clip, cut, before, before.last)
    elif behind is not None:
        yield _misplaced("cut", "lone", clip, cut, behind, _find_frame_behind(clip, behind.first))


def _entry(clip: Clip, settings: TransitionSettings, fps: float) -> Iterator[Misplaced]:
    """Yield an entry within a teleport, or soon before one, so that the blend leads over it."""
    entry = settings.destination_frame
    assert entry is not None
    for inside in _inside(clip, entry):
        yield _misplaced(
            "destination_frame", "within", clip, entry, inside, _find_frame_behind(clip, inside.first)
        )
        return
    _, behind = _beside(clip, entry)
    if behind is None or behind.last > entry + settings.frames(fps):
        return
    low, high = _ends(clip, entry)
    kind = "lone" if high - low < BESIDE_FRAMES else "ahead"
    yield _misplaced("destination_frame", kind, clip, entry, behind, _find_frame_behind(clip, behind.first))


def _inside(clip: Clip, frame: float) -> tuple[Teleport, ...]:
    """Return the teleport within which a frame lies, as a tuple."""
    return tuple(
        each for each in clip.teleports or () if each.last + ON_FRAME < frame < each.first - ON_FRAME
    )


def _beside(clip: Clip, frame: float) -> tuple[Teleport | None, Teleport | None]:
    """Return the next teleport that begins at or before a frame, and the next one that ends at or behind it;
    None where there is none.
    """
    every = clip.teleports or ()
    before = (each for each in reversed(every) if each.first <= frame + ON_FRAME)
    behind = (each for each in every if each.last >= frame - ON_FRAME)
    return next(before, None), next(behind, None)


def _ends(clip: Clip, frame: float) -> tuple[float, float]:
    """Return the first and the last frame of what goes on around a frame, as far as the clip has it."""
    low, high = clip.section(frame)
    return max(low, clip.start), min(high, clip.end)


def _find_frame_behind(clip: Clip, first: float) -> float:
    """Return the first frame behind a teleport from which the clip goes on for a while."""
    begins = itertools.chain([first], (each.first for each in clip.teleports or () if each.first > first))
    for frame in begins:
        low, high = _ends(clip, frame)
        if high - low >= BESIDE_FRAMES:
            return frame
    return first


TEXTS = {
    ("destination_frame", "lone"): (
        'Frame {at} of "{action}" is a pose {way} away from the rest; enter at {frame}.'
    ),
    ("destination_frame", "within"): (
        'Frame {at} of "{action}" lies within a jump of {way}; enter at {frame}.'
    ),
    ("destination_frame", "ahead"): (
        '"{action}" jumps {way} after frame {last}, within the blend; enter at {frame}.'
    ),
    ("cut", "lone"): 'Frame {at} of "{action}" is a pose {way} away from the rest; cut at {frame}.',
    ("cut", "within"): 'Frame {at} of "{action}" lies within a jump of {way}; cut at {frame}.',
}
BUTTONS = {"destination_frame": "Enter at {frame}", "cut": "Cut at {frame}"}


def _misplaced(setting: str, kind: str, clip: Clip, at: float, teleport: Teleport, frame: float) -> Misplaced:
    sentence = Sentence(
        TEXTS[setting, kind],
        at=f"{at:g}",
        action=clip.action.name,
        way=scene.length_text(teleport.way),
        last=f"{teleport.last:g}",
        frame=f"{frame:g}",
    )
    return Misplaced(sentence, Sentence(BUTTONS[setting], frame=f"{frame:g}"), setting, frame)
