# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of the command ``hop``, which are the fields of hops in a spec, and what they stand for."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import UsageError
from ..settings import limits, ranges
from ..settings.hops import CHOICES, HopSettings
from ..settings.ranges import Range
from ..settings.transition import TransitionSettings
from . import options

FIELDS = {
    *("source", "source_slot", "source_library", "destination", "destination_slot", "destination_library"),
    *("destination_frame", "method", "quintic_start", "half_life", "decomposition", "velocity"),
    *("guard", "guard_angle", "guard_length", "alignment", "root", "blend_scales", "result"),
}
"""The settings of a transition that both blends of a hop have too."""
OF_A_BAKE = {
    *("decomposition", "guard", "guard_angle", "guard_length", "alignment", "blend_scales"),
    *("result", "fade"),
}
"""What no search for hops depends on."""


@dataclasses.dataclass(frozen=True)
class Searched:
    """How a setting of the search is told, on the command line and in a spec.

    field: of HopSettings. metavar: what stands for the value.
    """

    field: str
    help: str
    metavar: str | None = None

    @property
    def allowed(self) -> Range | None:
        """The numbers that it takes, None for a setting that is no number."""
        return ranges.ranges(HopSettings).get(self.field, (None,))[0]

    @property
    def default(self) -> Any:
        """The field's default, () for a list."""
        return next(field.default for field in dataclasses.fields(HopSettings) if field.name == self.field)


SEARCH = {
    "clips": Searched(
        "clips", "the actions to go through (default: all others that fit the armature)", "ACTION"
    ),
    "cycles": Searched(
        "cycles", "actions that are cycles: their last frame is the first of the next cycle", "ACTION"
    ),
    "blend_frames": Searched(
        "blends",
        "how long a blend takes; of several numbers the best is found for each blend (default: 0.4 s)",
        "FRAMES",
    ),
    "longest_stay": Searched(
        "longest_stay",
        "how long the character may wait, at most, before each blend (default: a second)",
        "FRAMES",
    ),
    "wait_weight": Searched(
        "weight", "what a frame of waiting costs (default: found from 100 sampled triggers)", "COST"
    ),
    "seed": Searched("seed", "of that sample (default: 1)"),
    "distance": Searched(
        "distance",
        "what a blend costs: the distance of two windows of poses, or the displacement, as the command "
        "cost has it",
    ),
    "hops": Searched("hops", "through how many clips to go at most (default: 1)", "N"),
    "alongside": Searched(
        "alongside",
        "the destination runs beside the source, its destination frame at the source's first, instead of "
        "starting at the trigger",
    ),
    "fade": Searched("fade", "how both blends are baked"),
}
"""The settings of the search and of the fade by their names in specs, which are those of the options."""

ALL_PAIRS = "instead of a source and a destination: from each of these to each other"
TRIGGER = "the frame of the source at which the destination is called for"
RANK = "which of the ranked hops to bake (default: 1)"


def add(parser: argparse.ArgumentParser) -> None:
    """Add all options to the command's parser."""
    options.add_input(parser, several=True)
    options.add(parser, only=FIELDS, optional=("source", "destination"))
    group = parser.add_argument_group("searching")
    group.add_argument("--all-pairs", nargs="+", metavar="ACTION", help=ALL_PAIRS)
    group.add_argument(
        "--trigger",
        type=options.number(limits.WHOLE_FRAME),
        metavar="FRAME",
        help=f"{TRIGGER}: rank its hops",
    )
    group.add_argument(
        "--best",
        type=options.number(limits.LISTED),
        default=5,
        metavar="N",
        help="how many hops to rank (default: 5)",
    )
    _add_searched(group)
    options.add_joints(parser.add_argument_group("which joints"))
    _add_output(parser.add_argument_group("writing"))


def _add_searched(group: Any) -> None:
    """Add the settings of the search; those not given stay out of the namespace."""
    for name, setting in SEARCH.items():
        flag = "--" + name.replace("_", "-")
        keywords: dict[str, Any] = {"dest": name, "default": argparse.SUPPRESS, "help": setting.help}
        if isinstance(setting.default, bool):
            group.add_argument(flag, action="store_true", **keywords)
            continue
        if setting.field in CHOICES:
            keywords["choices"] = [options.spoken(choice) for choice in CHOICES[setting.field]]
            keywords["help"] += f" (default: {options.spoken(setting.default)})"
        elif setting.allowed is not None:
            keywords["type"] = options.number(setting.allowed)
        if isinstance(setting.default, tuple):
            keywords["nargs"] = "+"
        group.add_argument(flag, metavar=setting.metavar, **keywords)


def _add_output(group: Any) -> None:
    group.add_argument(
        "--table", type=Path, metavar="FILE", help="write the table of all trigger frames, as .npz or .json"
    )
    group.add_argument(
        "--bake", type=Path, metavar="OUT", help="bake a hop of --trigger and write this file, as bake does"
    )
    group.add_argument("--rank", type=options.number(limits.LISTED), default=1, metavar="N", help=RANK)


def check(arguments: argparse.Namespace) -> None:
    """Raise UsageError for what does not go together."""
    given = vars(arguments)
    if arguments.all_pairs is None:
        for field in ("source", "destination"):
            if field not in given:
                raise UsageError("Give --{field}, or several actions to --all-pairs.", field=field)
    elif "source" in given or "destination" in given or arguments.trigger is not None:
        raise UsageError("--all-pairs stands instead of --source, --destination and --trigger.")
    elif len(arguments.all_pairs) < 2:
        raise UsageError("--all-pairs takes two actions or more.")
    if arguments.bake is not None and arguments.trigger is None:
        raise UsageError("--bake needs a --trigger frame.")


def settings(arguments: argparse.Namespace, armature: Any) -> HopSettings:
    """The settings of the search, with the names that the file has."""
    from ..blender.data import named

    given = vars(arguments)
    values: dict[str, Any] = {"cut": float(arguments.trigger or 0), "assign": True}
    if arguments.all_pairs is not None:
        arguments.all_pairs = named.found_names(arguments.all_pairs, armature.name)
        values |= {"source": arguments.all_pairs[0], "destination": arguments.all_pairs[1]}
    own = argparse.Namespace(**{name: given[name] for name in given if name != "blend_frames"})
    made = hop_settings(options.settings(own, **values), given)
    return named.with_found_names_of_hops(made, armature.name)


def hop_settings(transition: TransitionSettings, values: Mapping[str, Any]) -> HopSettings:
    """The settings that values by the names of :data:`SEARCH` stand for. Raises InertiaError.

    A blend is baked as long as it was searched, but a spring as long as its half-life says.
    """
    named: dict[str, Any] = {}
    for name, setting in SEARCH.items():
        if name not in values:
            continue
        value = values[name]
        if setting.field in CHOICES:
            value = value.upper().replace("-", "_")
        named[setting.field] = tuple(value) if isinstance(setting.default, tuple) else value
    if named.get("blends") and transition.method != "SPRING":
        transition = dataclasses.replace(transition, blend_frames=float(named["blends"][0]))
    return HopSettings(transition, **named)
