# SPDX-License-Identifier: GPL-3.0-or-later
"""The gap between the selected keys of the action that an armature plays."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...errors import InertiaError
from ..data import actions, compat, rig
from ..nla import tracks
from ..nla.strips import StripMeeting


def find_gap(armature: Any, selected: Iterable[Any] | None = None) -> tuple[StripMeeting, tuple[float, ...]]:
    """Return the gap between the first and the last frame on which keys are selected, as of two strips that
    play the assigned action unmoved, and the frames between on which others are selected, rising.

    selected: the key points that an editor shows as selected, those of other actions among them; None to take
    all selected ones of the armature's curves. Raise InertiaError where no action is assigned, keys on fewer
    than two frames are selected, and for an armature that :func:`rig.check_armature` or :func:`tracks.check`
    refuses.
    """
    rig.check_armature(armature)
    tracks.check(armature)
    action, slot = compat.assigned(armature)
    if action is None:
        raise InertiaError('"{name}" plays no action; assign the one to fill.', name=armature.name)
    if selected is None:
        curves = actions.find_acting_curves(action, slot).values()
        selected = (key for curve in curves for key in curve.keyframe_points)
    keys = (key for key in selected if key.select_control_point and key.id_data == action)
    frames = sorted({round(key.co[0], 4) for key in keys})
    if len(frames) < 2:
        raise InertiaError(
            'Select keys of "{action}" on two frames; what lies between them is filled.', action=action.name
        )
    cut, *between, entry = frames
    meeting = StripMeeting(
        source=action,
        source_slot=slot,
        destination=action,
        destination_slot=slot,
        cut=cut,
        entry=entry,
        shift=0.0,
        repeats=(1.0, 1.0),
        scales=(1.0, 1.0),
        notes=(),
        gap=round(entry - cut, 4),
    )
    return meeting, tuple(between)
