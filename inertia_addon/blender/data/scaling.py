# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips that take longer or shorter than they are keyed, as strips of the NLA play them."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from ...errors import InertiaError
from ...motion.curves import keys as keylib
from ...settings.transition import TransitionSettings
from .actions import Address, Clip, Curve, Repeated, Stretch


def both(settings: TransitionSettings, clips: Sequence[Clip]) -> tuple[Clip, Clip]:
    """The source and the destination with the lengths that settings ask for.

    Raises InertiaError where one has curves of which keys alone don't say the shape.
    """
    source, destination = clips
    return scaled(source, settings.source_scale), scaled(destination, settings.destination_scale)


def scaled(clip: Clip, scale: float) -> Clip:
    """A clip that takes so many times as long, about its first key; one that does already stays."""
    if scale == 1.0 or clip.stretch is not None:
        return clip
    return stretched(clip, Stretch(clip.start, scale))


def stretched(clip: Clip, stretch: Stretch) -> Clip:
    """A clip with its keys where a stretch has them. Raises InertiaError as :func:`both`."""
    shaped = next((curve for curve in clip.curves.values() if curve.obstacle), None)
    if shaped is not None:
        raise InertiaError(
            'Curves of "{action}" have more than their keys ({reason}), which can\'t be scaled in time; bake '
            "them to keys first, or set its scale to 1.",
            action=clip.action.name,
            reason=shaped.obstacle,
        )
    start, end = stretch.times([clip.start, clip.end]).tolist()
    curves: dict[Address, Curve] = {
        address: Repeated(
            curve.fcurve, keylib.scaled(curve.keys, stretch.origin, stretch.scale), "", curve.group
        )
        for address, curve in clip.curves.items()
    }
    return dataclasses.replace(clip, curves=curves, start=start, end=end, stretch=stretch, keyed=clip)
