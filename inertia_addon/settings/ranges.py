# SPDX-License-Identifier: GPL-3.0-or-later
"""Which numbers a setting takes."""

from __future__ import annotations

import math

from ..errors import InertiaError, Sentence
from ..records import record


@record(frozen=True)
class Range:
    """The numbers from ``least`` to ``most``, these two included.

    unit: of the numbers, in words. whole: whether there is nothing between
    1 and 2. soft_least, soft_most: as far as a slider goes; typed numbers may go further. decimals: as many
    are kept of what Blender's properties hold, where 0.1 is 0.10000000149.
    """

    least: float
    most: float
    unit: str = ""
    whole: bool = False
    soft_least: float | None = None
    soft_most: float | None = None
    decimals: int = 6

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
