# SPDX-License-Identifier: GPL-3.0-or-later
"""Looks for the entry of a coming transition between redraws, while a preview of it shows the first frame."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from bpy.app.handlers import persistent

from ...records import record
from ...settings.transition import TransitionSettings
from ..shared import cache, slices, work_inputs
from ..shared.slices import Jobs, Slices
from . import outlook

SLICE_SECONDS = 0.02
"""How long a slice takes about; a single step may itself take longer."""
REST_SECONDS = 0.3
"""Settings that have stood so long are looked at."""


@record(eq=False)
class EntrySearch(slices.ArmatureJob[TransitionSettings]):
    """Looks for the entry of an armature's settings.

    armature: its session_uid. key: what the entry depends on, see :func:`outlook.entry_key`.
    """

    armature: int
    settings: TransitionSettings
    key: Hashable

    def begin(self, armature: Any) -> None:
        """Begin with the first slice."""
        ends = armature.inertia
        stands_on = work_inputs.Footing(armature, ends.source, ends.destination)
        self.slices = Slices("Preview", outlook.find_entry(armature, self.settings), stands_on)

    def go_on(self, seconds: float) -> None:
        """Work for about so many seconds; stop, with nothing found, if the armature is gone or its entry is
        known by now. Errors end the job and are not raised.
        """
        armature = work_inputs.find("OBJECT", self.armature)
        if armature is None or not outlook.lacks_entry(armature, self.settings):
            self.stop()
        else:
            super().go_on(seconds)

    def ended(self, slices: Slices[TransitionSettings]) -> None:
        """Leave it at the first frame where none was found; who has found one has kept it."""
        cache.redraw()


_searches: Jobs[EntrySearch] = Jobs(SLICE_SECONDS)


def start(armature: Any, settings: TransitionSettings) -> None:
    """Begin to look for the destination's entry frame, if the settings leave it open and none is known; the
    work goes on between redraws.

    Without a window it is done at once. Nothing happens if a search for the same settings, actions, rig and
    scene was begun before, even if it found nothing. A search of the armature by other settings is stopped.
    """
    if not outlook.lacks_entry(armature, settings):
        return
    key, search = outlook.entry_key(armature, settings), _searches.of(armature)
    if search is not None:
        if search.key == key:
            return
        search.stop()
    search = _searches[armature.session_uid] = EntrySearch(armature.session_uid, settings, key)
    search.begin(armature)
    _searches.start(REST_SECONDS)


def is_running(armature: Any) -> bool:
    """Return whether the entry of an armature's coming transition is being looked for."""
    search = _searches.of(armature)
    return search is not None and not search.is_over


@persistent
def stop(*_arguments: Any) -> None:
    """Look for no entry any more; a handler, too: undo and loading end what it refers to."""
    for search in _searches.values():
        search.stop()
    _searches.forget()
