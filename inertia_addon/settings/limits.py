# SPDX-License-Identifier: GPL-3.0-or-later
"""The ranges that settings of several features have in common."""

from __future__ import annotations

from typing import Any

from .ranges import Range

SHOWN_FRAME: dict[str, Any] = {"step": 100, "precision": 2}
"""How Blender's properties show frames."""
SHOWN_TIME: dict[str, Any] = {"unit": "TIME_ABSOLUTE", "step": 1, "precision": 3}
"""Likewise short times in seconds."""

FRAME = Range(-1_048_574, 1_048_574, decimals=4)
"""A frame of the scene: Blender's own time goes as far."""
WHOLE_FRAME = Range(FRAME.least, FRAME.most, whole=True)
SPAN_FRAMES = Range(0, 1_048_574, "frames")
"""A number of frames."""
BLEND_FRAMES = Range(0.01, 100_000, "frames", soft_least=1, soft_most=60, decimals=4)
"""How long a blend takes: more than an hour of a film."""
HALF_LIFE = Range(0.001, 60, "seconds", soft_least=0.01, soft_most=1)
TIME_SCALE = Range(0.01, 100, soft_least=0.25, soft_most=4)
"""How many times as long as it is keyed a clip takes."""
BLEND_SCALE = Range(0, 100, soft_most=4)
WEIGHT = Range(0, 1000, soft_most=2)
"""What a joint counts in costs."""
SKATE_WEIGHT = Range(0, 1000, "seconds", soft_most=2)
"""What a metre that planted feet skate counts in costs."""
SWITCH_VALUE = Range(-10_000, 10_000)
"""With which value a property shows FK or IK."""
ANGLE = Range(0, 3600, "degrees", soft_most=180, decimals=5)
LENGTH = Range(0, 10_000, "metres", soft_most=1)
TOLERANCE = Range(0, 45, soft_most=2, decimals=5)
"""How far a curve may go from what it stands for, in degrees and centimetres."""
WINDOW = Range(0, 60, "seconds", soft_most=2)
"""A window over which something is smoothed or held."""
KEEP_FRAMES = Range(SPAN_FRAMES.least, SPAN_FRAMES.most, "frames", soft_most=100)
"""How much of the destination a search leaves."""
APART_FRAMES = Range(SPAN_FRAMES.least, SPAN_FRAMES.most, "frames", soft_most=50)
"""How near pairs of frames are neighbours."""
CONTACT_SPEED = Range(0.001, 100, "leg lengths a second", soft_least=0.05, soft_most=1)
"""How fast a planted foot may be."""
CONTACT_HEIGHT = Range(0.001, 10, "leg lengths", soft_least=0.01, soft_most=0.2)
CONTACT_TIME = Range(0, 60, "seconds", soft_most=0.5)
"""How long a contact is at least, or what parts two."""
RELEASE = Range(0.05, 5, "seconds", soft_least=0.1, soft_most=0.5)
"""How long a foot takes from where it is held to its own path; less pops."""
LEG_PART = Range(0, 2, "leg lengths", soft_most=0.5)
STEP_HEIGHT = Range(0, 10, soft_most=3)
"""How high steps are, times as high as usual."""
GROUND_HEIGHT = Range(-10_000, 10_000, "metres", soft_least=-2, soft_most=2)
LISTED = Range(1, 10_000, whole=True, soft_most=50)
"""How many of the best to list, or which of them."""
LISTED_OR_NONE = Range(0, LISTED.most, whole=True)
CYCLES = Range(1, 1000, "cycles", whole=True, soft_most=20)
"""How many more cycles a result plays."""
JOBS = Range(1, 256, whole=True)
"""How many processes work at once."""
