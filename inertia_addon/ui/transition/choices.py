# SPDX-License-Identifier: GPL-3.0-or-later
"""The choices behind the settings, as an animator reads them: (value, label, tooltip).

Those of methods are made of their table, see :mod:`inertia_addon.settings.methods`.
"""

from __future__ import annotations

DECOMPOSITION_ITEMS = (
    ("ROTATION_VECTOR", "All Axes", "Carry the whole velocity of a bone over the cut"),
    ("AXIS_ANGLE", "Along the Offset", "Carry only the part that runs along the offset, as games do"),
)
VELOCITY_ITEMS = (
    (
        "RELATIVE",
        "Relative",
        "The source's velocity less the destination's, so that the motion goes on as it was",
    ),
    ("SOURCE", "Source Only", "The source's velocity alone, as if the destination stood still at the cut"),
)
GUARD_ITEMS = (
    (
        "OFF",
        "Off",
        "Let every offset swing as far as its velocity takes it, and name what goes beyond the limits",
    ),
    ("LIMIT", "Limit", "Shorten a bone's blend where its offset would swing further than the limits"),
    ("STRICT", "Strict", "Forbid any swing, and drop velocity that points away from the destination"),
)
ALIGNMENT_ITEMS = (
    ("AUTO", "Automatic", "Position and heading when the root travels, turns or stands elsewhere, else none"),
    (
        "NONE",
        "None",
        "Leave the destination where it was animated; the way there is an offset like any other",
    ),
    ("POSITION", "Position", "Move the destination on the ground to where the source's root is at the cut"),
    (
        "POSITION_HEADING",
        "Position and Heading",
        "Move the destination to where the source's root is at the cut, and turn it to face the same way",
    ),
)
