# SPDX-License-Identifier: GPL-3.0-or-later
"""The operators of all rooms."""

from __future__ import annotations

from .cost import joint_operators
from .cost import operators as cost
from .feet import lock_operators
from .feet import operators as feet
from .feet.drag_contact import INERTIA_OT_drag_contact
from .hops import operators as hops
from .judging import operators as judging
from .learned import follow_operators
from .learned import operators as learned
from .library import operators as library
from .loops import operators as loops
from .matching import join_operators
from .matching import operators as matching
from .nla import operators as nla
from .overlay import moving
from .pops import operators as pops
from .root_motion import operators as root_motion
from .root_motion.drag_ramp import INERTIA_OT_drag_ramp
from .transition import (
    bake_operators,
    crowd,
    jump_operators,
    limb_operators,
    preview_operators,
    rebaking,
)
from .transition import operators as transition
from .travel import operators as travel

CLASSES = (
    *(
        *bake_operators.CLASSES,
        *rebaking.CLASSES,
        *crowd.CLASSES,
        *preview_operators.CLASSES,
        *jump_operators.CLASSES,
        *transition.CLASSES,
        *limb_operators.CLASSES,
        *nla.CLASSES,
        *cost.CLASSES,
        *joint_operators.CLASSES,
        *judging.CLASSES,
    ),
    *moving.CLASSES,
    *(INERTIA_OT_drag_ramp, *root_motion.CLASSES, *hops.CLASSES, *loops.CLASSES, *matching.CLASSES),
    *join_operators.CLASSES,
    *learned.CLASSES,
    *follow_operators.CLASSES,
    *(*library.CLASSES, *pops.CLASSES, INERTIA_OT_drag_contact, *feet.CLASSES, *lock_operators.CLASSES),
    *travel.CLASSES,
)
