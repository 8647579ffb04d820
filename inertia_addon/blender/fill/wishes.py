# SPDX-License-Identifier: GPL-3.0-or-later
"""Leads what fills a gap through all that is asked for on the way: poses, then places, then points that bones
touch, each exactly on its frame."""

from __future__ import annotations

from collections.abc import Mapping

from ...motion.curves.keys import Keys
from ...settings.fill import FillSettings
from ..data.actions import Address, Clip, with_curves
from ..evaluation.character import Character
from .key_poses import lead_through_poses
from .touches import lead_to_touches
from .waypoints import lead_past_waypoints


def lead_through_wishes(
    character: Character, settings: FillSettings, source: Clip, filled: Clip
) -> Mapping[Address, Keys]:
    """Return those curves of a filled gap that show what the settings ask for on the way; {} for nothing.

    source: the clip before the gap. What comes later keeps what was led through before, but on its own
    frames. Raise InertiaError as :func:`lead_through_poses`, :func:`lead_past_waypoints` and
    :func:`lead_to_touches` do.
    """
    curves: dict[Address, Keys] = {}
    for lead in (lead_through_poses, lead_past_waypoints, lead_to_touches):
        curves |= lead(character, settings, source, with_curves(filled, curves) if curves else filled)
    return curves
