# SPDX-License-Identifier: GPL-3.0-or-later
"""What the overlays show now: what is known of the active armature as a :class:`protocol.Overlay`.

Objects of the model stay the same objects while nothing changes, so that what was drawn of them can be
drawn again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...errors import InertiaError
from .. import translations
from ..shared import cache, unfolded
from .protocol import Overlay, OverlayPlot, TimePlot, plots


def on(own: Any, in_time: bool) -> list[OverlayPlot]:
    """The plots that are switched on, in 3D Views or in time editors."""
    return [each for each in plots() if isinstance(each, TimePlot) == in_time and getattr(own, each.name)]


def is_on(scene: Any) -> bool:
    """Whether a scene shows any overlay."""
    own = scene.inertia_overlay
    return any(getattr(own, each.name) for each in plots())


def of_view3d(context: Any) -> Overlay | None:
    """What a 3D View shows; None when nothing is on, or no armature is active that could show it."""
    if not context.space_data.overlay.show_overlays:
        return None
    return _overlay("overlay", context, on(context.scene.inertia_overlay, False))


def of_time_editor(context: Any) -> Overlay | None:
    """What a Dope Sheet or Graph Editor shows; None when it shows nothing."""
    return _overlay("time overlay", context, on(context.scene.inertia_overlay, True))


def _overlay(name: str, context: Any, shown: Sequence[OverlayPlot]) -> Overlay | None:
    """The overlay of some plots; of those that were asked for before it is the one of then."""
    parts: dict[str, Any] = {}
    notes: dict[str, None] = {}
    owner = None
    with cache.one_redraw():
        for each in shown:
            armature = each.armature(context)
            if armature is None:
                continue
            owner = armature
            try:
                parts[each.name], note = each.model(armature, context.scene.inertia_overlay)
            except InertiaError as error:
                note = error.sentence
            if not each.tool or unfolded.is_seen(each.tool):
                notes[note] = None
    if owner is None:
        return None
    said = " ".join(translations.sentence(note) for note in notes if note)
    return cache.answer(name, owner, (said, *parts.items()), lambda: Overlay(parts, said))
