# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits that transitions have to keep to for a pipeline to go on."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

from ..settings.ranges import Range
from . import options

LIMIT = Range(0, 1_000_000_000)
"""What a limit may be, whatever it is of."""


GATES = {
    "cost": (
        "metre seconds",
        "the displacement: how far, and how long, joints are held away, in metre seconds",
    ),
    "pop": ("m/s", "the change of the joints' velocity across the cut, rms over all joints, in m/s"),
    "slide": ("m", "how far a foot that stands slides within the window, in metres"),
}
"""Of each measure that is limited, a field of ``quality.Quality``: the unit, and the option's help."""


def add(parser: argparse.ArgumentParser, *measures: str) -> None:
    """Add the options of the gates of some measures to a parser."""
    group = parser.add_argument_group(
        "gates", "What exceeds one is written all the same; it is listed, and the exit code is 1."
    )
    for measure in measures:
        options.add_number(group, f"--max-{measure}", LIMIT, "LIMIT", GATES[measure][1])


@dataclasses.dataclass(frozen=True)
class Breach:
    """A transition that exceeds a limit."""

    label: str
    measure: str
    value: float
    limit: float
    unit: str

    def sentence(self) -> str:
        """The breach in words."""
        return f"{self.label}: {self.measure} {self.value:.4g} exceeds {self.limit:g} {self.unit}"


def _limits(arguments: argparse.Namespace) -> dict[str, float]:
    """The limits that were set, by their measures."""
    limits = {measure: getattr(arguments, f"max_{measure}", None) for measure in GATES}
    return {measure: limit for measure, limit in limits.items() if limit is not None}


def breaches(arguments: argparse.Namespace, label: str, measured: Mapping[str, Any]) -> Iterator[Breach]:
    """The limits that a transition exceeds. measured: its measures; what could not be measured is None."""
    for measure, limit in _limits(arguments).items():
        value = measured.get(measure)
        if value is not None and value > limit:
            yield Breach(label, measure, value, limit, GATES[measure][0])


def unmeasured(arguments: argparse.Namespace, measured: Mapping[str, Any]) -> list[str]:
    """The gates that were set but say nothing of a transition."""
    return [f"--max-{measure}" for measure in _limits(arguments) if measured.get(measure) is None]
