# SPDX-License-Identifier: GPL-3.0-or-later
"""Which numbers a setting takes, stated on the field of the record that holds it.

    blend_frames: float = number(BLEND_FRAMES, 12.0)

:func:`check` then refuses any other number in a sentence that names the setting, the number and the range.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping
from typing import Any

from ..errors import InertiaError, Sentence

RANGE, LABEL = "range", "label"
"""What a field's metadata hold: a Range, and what the setting is called in sentences."""


@dataclasses.dataclass(frozen=True)
class Range:
    """The numbers from ``least`` to ``most``, these two included.

    unit: of the numbers, in words. whole: whether there is nothing between
    1 and 2. soft_least, soft_most: as far as a slider goes; typed numbers may go further.
    """

    least: float
    most: float
    unit: str = ""
    whole: bool = False
    soft_least: float | None = None
    soft_most: float | None = None

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
        least, most = spoken(self.least), spoken(self.most)
        if self.unit:
            return (
                Sentence(
                    "a whole number of {unit} from {least} to {most}", unit=self.unit, least=least, most=most
                )
                if self.whole
                else Sentence(
                    "a number of {unit} from {least} to {most}", unit=self.unit, least=least, most=most
                )
            )
        return (
            Sentence("a whole number from {least} to {most}", least=least, most=most)
            if self.whole
            else Sentence("a number from {least} to {most}", least=least, most=most)
        )


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


def number(allowed: Range, default: Any = dataclasses.MISSING, label: str = "") -> Any:
    """A field of a record that takes such numbers: one, None, several, or (name, number) pairs.

    default: the field's. label: what a sentence calls it, by default its name.
    """
    return dataclasses.field(default=default, metadata={RANGE: allowed, LABEL: label})


_ranges: dict[Any, Mapping[str, tuple[Range, str]]] = {}
"""What was found of each record's class: panels make records with every redraw."""


def ranges(record: Any) -> Mapping[str, tuple[Range, str]]:
    """The range and the label of each field of a record's class that has one."""
    if record not in _ranges:
        _ranges[record] = {
            field.name: (field.metadata[RANGE], field.metadata[LABEL] or field.name.replace("_", " "))
            for field in dataclasses.fields(record)
            if RANGE in field.metadata
        }
    return _ranges[record]


def of(record: Any, name: str) -> Range:
    """The range of a record's field."""
    return ranges(record)[name][0]


def check(held: Any) -> None:
    """Raise InertiaError for the first number of a record that its field does not take."""
    for name in ranges(type(held)):
        check_one(type(held), name, getattr(held, name))


def check_one(record: Any, name: str, value: object) -> None:
    """Raise InertiaError for the first number of a value that a record's field does not take.

    None is none of them, but where it is the default.
    """
    if name in ranges(record) and not (value is None and getattr(record, name, 0) is None):
        allowed, label = ranges(record)[name]
        for within, number in _numbers(value):
            allowed.check(Sentence(label + ' of "{name}"', name=within) if within else label, number)


def _numbers(value: Any) -> Iterator[tuple[str, Any]]:
    """The numbers that a field holds, each with the name that tells it from the field's others."""
    if not isinstance(value, tuple):
        yield "", value
        return
    for entry in value:
        if isinstance(entry, tuple):
            yield entry[0], entry[1]
        else:
            yield "", entry
