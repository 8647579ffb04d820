# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a transition looks worse than another one already by how its feet skate.

Who leaves feet to Inertia is shown the better one of free and of locked feet. Free ones often skate so far
that nothing else about them matters; then nothing else is looked at.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping

from ...motion.arrays import Array
from ...motion.judging import faults
from ...motion.judging.evidence import Track
from ...motion.steps import Steps, part
from .played import Played
from .verdict import Verdict, see_clips_steps

SURELY = 1.01
"""So many times as much has to be seen of feet alone, as they are looked at by themselves."""


def is_outdone_steps(
    played: Played, other: Verdict, place_feet: Callable[[Array], Mapping[str, Array]]
) -> Steps[bool]:
    """Tell whether a transition is surely worse than another one is judged, whatever else is seen of it.

    place_feet: returns where joints are (n, 3), metres, at frames (n,) of the transition, by their bones.
    Yield the part that is done. False where that is not known, as where no feet are.
    """
    seen = yield from part(see_clips_steps(played), 0.0, 0.6)
    frames = seen.result.frames
    if seen.passing is None or not seen.feet or not len(frames):
        return False
    placed = place_feet(frames)
    if any(seen.names[foot] not in placed for foot in seen.feet):
        return False
    yield 0.8
    positions = seen.result.positions
    for foot in seen.feet:
        positions[:, foot] = placed[seen.names[foot]]
    with_feet = dataclasses.replace(seen, result=Track(frames, positions))
    skates = [fault.severity for fault in faults.find_skates(with_feet)]
    is_poor = max(skates, default=0.0) > SURELY * faults.POOR_FROM
    return is_poor and sum(each**2 for each in skates) > SURELY * other.total
