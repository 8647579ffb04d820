# SPDX-License-Identifier: GPL-3.0-or-later
"""Which numbers a setting takes, and the ranges that settings of several features have in common."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

from ..errors import InertiaError, Sentence
from ..records import record


@record(frozen=True)
class Range:
    """The numbers from ``least`` to ``most``, these two included.

    unit: of the numbers, in words. whole: whether there is nothing between 1 and 2. soft_least, soft_most: as
    far as a slider goes; typed numbers may go further. decimals: as many are kept of what Blender's
    properties hold, where 0.1 is 0.10000000149. shown: what else these are told, unless a setting says so.
    """

    least: float
    most: float
    unit: str = ""
    whole: bool = False
    soft_least: float | None = None
    soft_most: float | None = None
    decimals: int = 6
    shown: Mapping[str, Any] = dataclasses.field(default_factory=dict, compare=False)

    def holds(self, value: object) -> bool:
        """Whether something is one of these numbers."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        return self.least <= value <= self.most and not (self.whole and value != math.floor(value))

    def check(self, label: str, value: object) -> None:
        """Raise InertiaError, in a sentence about ``label``, unless a number is one of these."""
        if not self.holds(value):
            raise InertiaError(
                "The {label} is {value}; give {allowed}.",
                label=label,
                value=spoken(value),
                allowed=self.words,
            )

    @property
    def words(self) -> str:
        """What it takes, for a reader."""
        ends = {"least": spoken(self.least), "most": spoken(self.most)}
        if self.unit and self.whole:
            return Sentence("a whole number of {unit} from {least} to {most}", unit=self.unit, **ends)
        if self.unit:
            return Sentence("a number of {unit} from {least} to {most}", unit=self.unit, **ends)
        if self.whole:
            return Sentence("a whole number from {least} to {most}", **ends)
        return Sentence("a number from {least} to {most}", **ends)


def spoken(value: object) -> str:
    """A number for a reader, with seven digits at most; a text in quotes, and of all else that it is none."""
    if isinstance(value, str | bool):
        return repr(value)
    if not isinstance(value, int | float):
        return "no number"
    if isinstance(value, int) and abs(value) < 10**15:
        return str(value)
    try:
        return f"{value:.7g}"
    except OverflowError:
        # a whole number beyond what a float holds
        return f"{'-' * (value < 0)}1e+{int(math.log10(abs(value)))}"


SHOWN_FRAME: dict[str, Any] = {"step": 100, "precision": 2}
"""How Blender's properties show frames."""
SHOWN_TIME: dict[str, Any] = {"unit": "TIME_ABSOLUTE", "step": 1, "precision": 3}
"""Likewise short times in seconds."""
IN_TENTHS: dict[str, Any] = {"step": 10, "precision": 2}
IN_HUNDREDTHS: dict[str, Any] = {"step": 1, "precision": 3}
WHOLE_FRAMES: dict[str, Any] = {"step": 100, "precision": 1}
"""Likewise what is dragged in such steps."""

FRAME = Range(-1_048_574, 1_048_574, decimals=4, shown=SHOWN_FRAME)
"""A frame of the scene: Blender's own time goes as far."""
WHOLE_FRAME = Range(FRAME.least, FRAME.most, whole=True)
SPAN_FRAMES = Range(0, 1_048_574, "frames")
"""A number of frames."""
BLEND_FRAMES = Range(0.01, 100_000, "frames", soft_least=1, soft_most=60, decimals=4, shown=SHOWN_FRAME)
"""How long a blend takes: more than an hour of a film."""
HALF_LIFE = Range(0.001, 60, "seconds", soft_least=0.01, soft_most=1, shown=SHOWN_TIME)
TIME_SCALE = Range(0.01, 100, soft_least=0.25, soft_most=4, shown={"precision": 3})
"""How many times as long as it is keyed a clip takes."""
BLEND_SCALE = Range(0, 100, soft_most=4)
PART = Range(0, 1, shown={"subtype": "FACTOR", "precision": 2})
"""How much of something counts."""
DISTANCE = Range(0, 100, "metres", shown={"step": 5, "precision": 2})
"""How far things stay apart."""
WEIGHT = Range(0, 1000, soft_most=2)
"""What a joint counts in costs."""
SKATE_WEIGHT = Range(0, 1000, "seconds", soft_most=2, shown=IN_TENTHS)
"""What a metre that planted feet skate counts in costs."""
SWITCH_VALUE = Range(-10_000, 10_000)
"""With which value a property shows FK or IK."""
ANGLE = Range(0, 3600, "degrees", soft_most=180, decimals=5)
LENGTH = Range(0, 10_000, "metres", soft_most=1, shown=IN_HUNDREDTHS)
TOLERANCE = Range(0, 45, soft_most=2, decimals=5, shown=IN_TENTHS)
"""How far a curve may go from what it stands for, in degrees and centimetres."""
WINDOW = Range(0, 60, "seconds", soft_most=2, shown={"step": 5, "precision": 2})
"""A window over which something is smoothed or held."""
KEEP_FRAMES = Range(SPAN_FRAMES.least, SPAN_FRAMES.most, "frames", soft_most=100, shown=WHOLE_FRAMES)
"""How much of the destination a search leaves."""
APART_FRAMES = Range(SPAN_FRAMES.least, SPAN_FRAMES.most, "frames", soft_most=50, shown=WHOLE_FRAMES)
"""How near pairs of frames are neighbours."""
CONTACT_SPEED = Range(0.001, 100, "leg lengths a second", soft_least=0.05, soft_most=1, shown=IN_HUNDREDTHS)
"""How fast a planted foot may be."""
CONTACT_HEIGHT = Range(0.001, 10, "leg lengths", soft_least=0.01, soft_most=0.2, shown=IN_HUNDREDTHS)
CONTACT_TIME = Range(0, 60, "seconds", soft_most=0.5, shown=SHOWN_TIME)
"""How long a contact is at least, or what parts two."""
RELEASE = Range(0.05, 5, "seconds", soft_least=0.1, soft_most=0.5, shown=SHOWN_TIME)
"""How long a foot takes from where it is held to its own path; less pops."""
LEG_PART = Range(0, 2, "leg lengths", soft_most=0.5, shown=IN_HUNDREDTHS)
STEP_HEIGHT = Range(0, 10, soft_most=3, shown=IN_TENTHS)
"""How high steps are, times as high as usual."""
GROUND_HEIGHT = Range(-10_000, 10_000, "metres", soft_least=-2, soft_most=2, shown=IN_HUNDREDTHS)
LISTED = Range(1, 10_000, whole=True, soft_most=50)
"""How many of the best to list, or which of them."""
LISTED_OR_NONE = Range(0, LISTED.most, whole=True)
CYCLES = Range(1, 1000, "cycles", whole=True, soft_most=20)
"""How many more cycles a result plays."""
JOBS = Range(1, 256, whole=True)
"""How many processes work at once."""
