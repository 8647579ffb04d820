# SPDX-License-Identifier: GPL-3.0-or-later
"""What is looked at of clips to judge changes of a transition, which are planned and never written.

Each change is planned anew, which takes as long as its clips are. Of long ones all that is looked at lies
around where they meet. What the whole clips say, what carries the character and that nothing repeats, is
found out once, and said of their parts. And what both clips hold alike all along has no part in it: of most
characters that is the greater part of all channels, scales, and the locations of all bones but one.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from ...errors import InertiaError
from ...records import record
from ...settings.transition import TransitionSettings
from ..data import roots
from ..data.actions import Address, Clip
from ..data.channels import ROTATIONS, VECTORS
from ..data.rig import split_path
from ..evaluation import cycles
from ..evaluation.character import Character
from ..judging import remedies
from . import joining
from .selecting import Scales

AROUND_SECONDS, TIMES = 8.0, 4.0
"""Who judges looks no further than so many seconds past the end of a blend; a clip is long that lasts so many
times as long as that on both sides."""
SAME = 1e-5
"""Values that differ by no more than this part of them, or of 1, are the same: exporters round worse."""


@record(frozen=True, eq=False)
class Excerpts:
    """Clips as far as they are looked at, and how settings speak of them as of the whole ones.

    clips: the source and the destination. known: settings that are the same for all changes.
    """

    clips: tuple[Clip, Clip]
    known: Mapping[str, Any]

    def complete_settings(self, settings: TransitionSettings) -> TransitionSettings:
        """Return changed settings, with what is known."""
        return dataclasses.replace(settings, **self.known)


def around(
    character: Character, settings: TransitionSettings, clips: tuple[Clip, Clip], scales: Scales
) -> Excerpts:
    """Cut out of the clips of a transition what is around their meeting, and return it with the settings that
    would else be found anew by it; return them whole if they are short, cycles, or shaped by more than their
    keys, or settings look further: where they smooth a jump, warp, name bones, scale a clip or leave the
    destination's frame open.

    A cut out clip goes from the longest blend that may be tried plus 8 s before its frame at the cut to as
    far behind it. scales: multipliers of blend times.
    """
    whole = Excerpts(clips, {})
    entry = settings.destination_frame
    is_scaled = (settings.source_scale, settings.destination_scale) != (1.0, 1.0)
    if settings.smooth_jump or settings.warps or settings.bones or entry is None or is_scaled:
        return whole
    rig, fps, most = character.rig, character.fps, remedies.LONGEST_SECONDS * scales.longest
    reach = (max(most, joining.bound_blend_seconds(settings, fps, scales)) + AROUND_SECONDS) * fps
    is_long = [_is_long(clip, reach) for clip in clips]
    if not any(is_long):
        return whole
    try:
        root = roots.find_root(rig, clips, settings.root)
    except InertiaError:
        return whole  # who plans says so
    known: dict[str, Any] = {"root": root.name}
    if settings.alignment == "AUTO":
        known["alignment"] = "POSITION_HEADING" if root.moves else "NONE"
    parts = list(clips)
    choices = ("source_cycle", "destination_cycle")
    for i, (clip, frame, choice) in enumerate(zip(clips, (settings.cut, entry), choices, strict=True)):
        if is_long[i] and cycles.with_cycle(rig, root, clip, getattr(settings, choice)).cycle is None:
            parts[i], known[choice] = shortened(clip, frame - reach, frame + reach), "OFF"
    return Excerpts((parts[0], parts[1]), known)


def _is_long(clip: Clip, reach: float) -> bool:
    """Tell whether a clip is longer than 8 times `reach` (frames), and nothing but its keys shapes it: no
    cycle, change of length or clock, modifiers or the like.
    """
    return (
        clip.end - clip.start > TIMES * 2.0 * reach
        and clip.cycle is None
        and clip.stretch is None
        and clip.clock is None
        and not clip.action.use_cyclic
        and not any(curve.obstacle for curve in clip.curves.values())
    )


def shortened(clip: Clip, first: float, last: float) -> Clip:
    """Return a clip from one frame to another, as far as it has them, with copies of the keys there and one
    beyond on each side; it shows there what the whole one does.
    """
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


def still(clips: Sequence[Clip]) -> dict[Address, float]:
    """Return the values, by address, of the bones' channels that are the same in all clips and at all frames;
    of a location, rotation or scale all its channels or none.
    """
    held: dict[str, dict[Address, float | None]] = {}
    for address in dict.fromkeys(address for clip in clips for address in clip.curves):
        bone, prop = split_path(address[0])
        if bone is not None and prop in (*VECTORS, *ROTATIONS):
            held.setdefault(address[0], {})[address] = _find_constant_value(clips, address, prop)
    # a rotation is its numbers together
    return {
        address: value
        for group in held.values()
        if None not in group.values()
        for address, value in group.items()
        if value is not None
    }


def _find_constant_value(clips: Sequence[Clip], address: Address, prop: str) -> float | None:
    """Return the value of a channel in all clips at all frames, to 1e-5 or that part of it; None where it is
    not the same, its handles included, or modifiers shape a curve.
    """
    values: list[float] = []
    for clip in clips:
        curve = clip.curves.get(address)
        if curve is None:
            values.append(clip.default_of(address, prop))
        elif curve.obstacle:
            return None
        else:
            # with the handles, between which a curve may swing
            heights = curve.keys.points[..., 1]
            values += [float(heights.min()), float(heights.max())]
    least, most = min(values), max(values)
    return least if most - least <= SAME * max(1.0, abs(most)) else None


def of_others(clips: Sequence[Clip], bones: Collection[str]) -> dict[Address, float]:
    """Return, by address, location, rotation and scale of all bones but some, as clips key them, with the
    value at the first key of the first clip that keys it; what is of no bone is left out.
    """
    values: dict[Address, float] = {}
    for clip in clips:
        for address, curve in clip.curves.items():
            bone, prop = split_path(address[0])
            if bone is not None and bone not in bones and prop in (*VECTORS, *ROTATIONS):
                values.setdefault(address, float(curve.keys.co[0, 1]))
    return values


def without(clip: Clip, constants: Mapping[Address, float]) -> Clip:
    """Return a clip without the curves of some channels, and with their values."""
    curves = {address: curve for address, curve in clip.curves.items() if address not in constants}
    return dataclasses.replace(clip, curves=curves, unkeyed={**(clip.unkeyed or {}), **constants})
