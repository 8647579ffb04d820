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


@dataclasses.dataclass(frozen=True)
class Gate:
    """A limit. measure: a field of ``quality.Quality``. unit: of both."""

    measure: str
    unit: str
    help: str

    @property
    def flag(self) -> str:
        """The option that sets it."""
        return f"--max-{self.measure}"


GATES = (
    Gate(
        "cost",
        "metre seconds",
        "the displacement: how far, and how long, joints are held away, in metre seconds",
    ),
    Gate("pop", "m/s", "the change of the joints' velocity across the cut, rms over all joints, in m/s"),
    Gate("slide", "m", "how far a foot that stands slides within the window, in metres"),
)


def add(parser: argparse.ArgumentParser, measures: tuple[str, ...]) -> None:
    """Add the options of some gates to a parser."""
    group = parser.add_argument_group(
        "gates", "What exceeds one is written all the same; it is listed, and the exit code is 1."
    )
    for gate in GATES:
        if gate.measure in measures:
            group.add_argument(gate.flag, type=options.number(LIMIT), metavar="LIMIT", help=gate.help)


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


def breaches(arguments: argparse.Namespace, label: str, measured: Mapping[str, Any]) -> Iterator[Breach]:
    """The limits that a transition exceeds. measured: its measures; what could not be measured is None."""
    for gate in GATES:
        limit = getattr(arguments, f"max_{gate.measure}", None)
        value = measured.get(gate.measure)
        if limit is not None and value is not None and value > limit:
            yield Breach(label, gate.measure, value, limit, gate.unit)


def unmeasured(arguments: argparse.Namespace, measured: Mapping[str, Any]) -> list[str]:
    """The gates that were set but say nothing of a transition."""
    return [
        gate.flag
        for gate in GATES
        if getattr(arguments, f"max_{gate.measure}", None) is not None and measured.get(gate.measure) is None
    ]
