# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits that transitions have to keep to for a pipeline to go on."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..settings.fields import Range
from . import options

LIMIT = Range(0, 1_000_000_000)
"""What a limit may be, whatever it is of."""


GATES = {
    "cost": ("metre seconds", "the cost: how far, and for how long, joints are held away, in metre seconds"),
    "pop": ("m/s", "the change of the joints' velocity across the cut, rms over all joints, in m/s"),
    "skate": (
        "m",
        "how far a low foot skates over the ground, in metres: within the window of a transition, whether it "
        "is baked or checked, or in all of another action that is checked",
    ),
    "lift": ("m", "how far the hips rise above both clips in a transition, in metres"),
    "reach": ("m", "how much further a hand, foot or head gets from the hips than in both clips, in metres"),
    "skate_speed": (
        "m/s",
        "how fast a low foot of an action that is checked skates over the ground, on average, in m/s",
    ),
    "seam": (
        "",
        "the highest change of the joints' velocity around a loop's seam, over the clip's own highest",
    ),
    "pops": (
        "",
        "how many pops an action has, jumps larger than its bones' other motion; where they are smoothed, "
        "how many are left",
    ),
    "findings": ("", "how many findings a take has; where it is finished, how many are left"),
    "penetration": (
        "m",
        "how far a foot of an action that is checked is below its ground, 95th percentile, in metres",
    ),
}
"""Of each measure that is limited, a field of ``costing.Quality`` or of what a check measures: the unit, and
the option's help."""


def add(parser: argparse.ArgumentParser, *measures: str) -> None:
    """Add the options of the gates of some measures to a parser."""
    group = parser.add_argument_group(
        "gates", "A result over a gate is written all the same; it is listed, and the exit code is 1."
    )
    for measure in measures:
        options.add_number(group, option(measure), LIMIT, "LIMIT", GATES[measure][1])


def option(measure: str) -> str:
    """Return the option that limits a measure."""
    return "--max-" + measure.replace("_", "-")


def limits(arguments: argparse.Namespace) -> dict[str, float]:
    """Return the limits that were set, by their measures."""
    options = {measure: getattr(arguments, f"max_{measure}", None) for measure in GATES}
    return {measure: limit for measure, limit in options.items() if limit is not None}


def judge(
    arguments: argparse.Namespace,
    judged: Iterable[tuple[str, Mapping[str, Any]]],
    tell: Callable[[dict[str, Any], str], object],
) -> list[dict[str, Any]]:
    """Say where measures exceed the limits that arguments set (max_NAME); return each such breach as a dict,
    in order of judged, and within it of GATES.

    judged: (label, measures by name) pairs; a measure that is None or missing passes, and so does one that
    equals its limit. tell: called with each breach, and a line that says it. A breach has label, measure,
    value, limit and unit.
    """
    breaches = []
    for label, measured in judged:
        for measure, limit in limits(arguments).items():
            value, unit = measured.get(measure), GATES[measure][0]
            if value is not None and value > limit:
                breach = {"label": label, "measure": measure, "value": value, "limit": limit, "unit": unit}
                breaches.append(breach)
                tell(breach, f"gate: {label}: {measure} {value:.4g} exceeds {limit:g} {unit}".rstrip())
    return breaches


def unmeasured(arguments: argparse.Namespace, measured: Mapping[str, Any]) -> list[str]:
    """Return the gates that were set for what is measured, but say nothing of it."""
    return [option(measure) for measure in limits(arguments) if measured.get(measure, 0.0) is None]
