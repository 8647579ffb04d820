# SPDX-License-Identifier: GPL-3.0-or-later
"""The choices behind the settings, as an animator reads them: (value, label, tooltip)."""

from __future__ import annotations

METHOD_ITEMS = (
    ("QUINTIC", "Quintic", "Smooth in velocity and acceleration, over exactly after the blend time"),
    ("CUBIC", "Cubic", "Leaves the source's pose faster, over exactly after the blend time"),
    ("SPRING", "Spring", "A critically damped spring: fast at first, with a long soft end"),
    (
        "DEAD_BLENDING",
        "Dead Blending",
        "The source goes on as it was going, ever more slowly, and fades out, as game engines do",
    ),
)
QUINTIC_START_ITEMS = (
    ("SOFT", "Soft", "Start nearly without a jump in acceleration, and swing less: a third of it is cubic"),
    ("SMOOTH", "Smooth", "Start without a jump in acceleration, unless it takes one not to overshoot"),
    ("ZERO_JERK", "Eager", "Start with a strong pull that eases out without jerk, as games do"),
)
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
