# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a transition looks worse than another one already by how its feet skate.

Who leaves feet to Inertia is shown the better one of free and of locked feet. Free ones often skate so far
that nothing else about them matters; then nothing else is looked at.
"""

from __future__ import annotations

from ...motion.judging import faults
from ...motion.judging.evidence import Evidence
from .verdict import Verdict

SURELY = 1.01
"""So many times as much has to be seen of feet alone, as they are looked at by themselves."""


def is_outdone(seen_feet: Evidence, locked: Verdict) -> bool:
    """Tell whether a transition with free feet is surely worse than it is with locked ones, whatever else is
    seen of it.

    seen_feet: what its feet show. False where that is not known, as where nobody can say what feet stand on.
    """
    if seen_feet.passing is None or not seen_feet.feet or not len(seen_feet.result.frames):
        return False
    skates = [fault.severity for fault in faults.find_skates(seen_feet)]
    is_poor = max(skates, default=0.0) > SURELY * faults.POOR_FROM
    return is_poor and sum(each**2 for each in skates) > SURELY * locked.total
