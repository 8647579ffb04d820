# SPDX-License-Identifier: GPL-3.0-or-later
"""Plans that are judged and never written: what both clips hold alike all along has no part in them.

Of most characters that is the greater part of all channels: scales, and the locations of all bones but one.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from ..data.actions import Address, Clip
from ..data.channels import ROTATIONS, VECTORS
from ..data.rig import split_path

SAME = 1e-5
"""Values that differ by no more than this part of them, or of 1, are the same: exporters round worse."""


def still(clips: Sequence[Clip]) -> dict[Address, float]:
    """The channels of bones with what they show, which is the same in all clips and at all frames."""
    held: dict[str, dict[Address, float | None]] = {}
    for address in dict.fromkeys(at for clip in clips for at in clip.curves):
        bone, prop = split_path(address[0])
        if bone is not None and prop in (*VECTORS, *ROTATIONS):
            held.setdefault(address[0], {})[address] = _held(clips, address, prop)
    # a rotation is its numbers together
    return {
        at: value
        for group in held.values()
        if None not in group.values()
        for at, value in group.items()
        if value is not None
    }


def _held(clips: Sequence[Clip], address: Address, prop: str) -> float | None:
    """What a channel shows in all clips at all frames; None where it is not the same."""
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


def without(clip: Clip, still: Mapping[Address, float]) -> Clip:
    """A clip without the curves of some channels, which show what they show."""
    curves = {at: curve for at, curve in clip.curves.items() if at not in still}
    return dataclasses.replace(clip, curves=curves, unkeyed={**(clip.unkeyed or {}), **still})
