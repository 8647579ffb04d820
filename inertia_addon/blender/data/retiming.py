# SPDX-License-Identifier: GPL-3.0-or-later
"""Which actions were brought to another frame rate when read: keys between frames are no slip there."""

from __future__ import annotations

from typing import Any

RETIMED = "inertia_retimed"
"""The property of an action that holds the frame rate of its keys, and that of the scene it was read into."""
SAME = 1e-4
"""Frame rates are the same within this part."""


def note(action: Any, rate: float, scene_rate: float) -> None:
    """Note that an action's keys, of one frame rate, play as fast at the scene's."""
    if abs(rate - scene_rate) > SAME * scene_rate:
        action[RETIMED] = [rate, scene_rate]


def own_rate(action: Any, scene_rate: float) -> float:
    """Return the frame rate, in frames a second, that an action's keys were made for.

    That is the scene's, unless another was noted when it was read, together with the present rate of the
    scene. A note that can't be read counts as none.
    """
    try:
        rate, of_scene = map(float, action.get(RETIMED, ()))
    except (TypeError, ValueError):
        # none, or anything else, as files may hold that
        return scene_rate
    is_noted = rate > 0.0 and abs(of_scene - scene_rate) <= SAME * scene_rate
    return rate if is_noted else scene_rate
