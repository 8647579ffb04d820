# SPDX-License-Identifier: GPL-3.0-or-later
"""What a hop is searched and baked with: one frozen record for the panel and the command line."""

from __future__ import annotations

import dataclasses
from typing import Any

from ..errors import InertiaError
from . import ranges
from .ranges import Range
from .transition import TransitionSettings

DISTANCES = ("POINT_CLOUD", "DISPLACEMENT")
FADES = ("INERTIALIZED", "CROSS_FADE")
CHOICES = {"distance": DISTANCES, "fade": FADES}
TABLE_KINDS = (".npz", ".json")
"""The kinds of files that tables of hops are written as."""
UNITS = {"POINT_CLOUD": "m²", "DISPLACEMENT": "m·s"}
"""What each distance is measured in."""

SEARCHED_FRAMES = 3000
"""As long as blends and stays may be: tables grow with the product of their lengths."""
STAY_SECONDS = 1.0
"""The longest stay, unless it is said: 60 frames at 60 frames a second, as in the paper."""
LONGEST_STAY = Range(0, SEARCHED_FRAMES, "frames", whole=True, soft_most=120)
BLENDS = Range(1, SEARCHED_FRAMES, "frames", whole=True)
WAIT_WEIGHT = Range(0, 1_000_000)
HOPS = Range(1, 4, whole=True)
"""More take much longer to find."""
SEED = Range(0, 2**32 - 1, whole=True)

HALF_LIVES = 6.0
"""A spring counts as a blend of so many half-lives: what is left then is 5 % of the offset, or less."""


@dataclasses.dataclass(frozen=True)
class HopSettings:
    """Everything that decides which hops are found, and what a baked one looks like.

    transition: the two actions, and how each of the blends is baked; its cut is the trigger frame, and its
        destination frame is the one at which the destination's clock starts.
    clips: names of the actions to hop through; () for all that fit the armature, but for the two themselves
        and for what Inertia baked.
    cycles: names of the actions that are cycles: their last frame is the first of the next cycle.
    distance: POINT_CLOUD compares windows of poses (Kovar, Gleicher, Pighin 2002), DISPLACEMENT is the cost
        of the cost panel. Both see clips wherever they stand and whichever way they face.
    longest_stay: how many frames the character may wait before a blend, None for a second.
    blends: how long a blend may take, frames; () for the transition's own blend time.
    weight: the cost of a frame of waiting, None to have it found.
    hops: through how many clips the way may lead.
    alongside: the destination's clock does not start at the trigger: it runs beside the source, its
        destination frame being at the source's first frame.
    fade: two inertialized transitions, or cross-fades as in the paper.
    seed: of the conditions by which the weight is found.
    """

    transition: TransitionSettings
    clips: tuple[str, ...] = ()
    cycles: tuple[str, ...] = ()
    distance: str = "POINT_CLOUD"
    longest_stay: int | None = ranges.number(LONGEST_STAY, None)
    blends: tuple[int, ...] = ranges.number(BLENDS, (), "blend time")
    weight: float | None = ranges.number(WAIT_WEIGHT, None, "weight of waiting")
    hops: int = ranges.number(HOPS, 1, "number of hops")
    alongside: bool = False
    fade: str = "INERTIALIZED"
    seed: int = ranges.number(SEED, 1)

    def __post_init__(self) -> None:
        for field, allowed in CHOICES.items():
            value = getattr(self, field)
            if value not in allowed:
                raise InertiaError(
                    "{field} is {value!r}; choose one of {allowed}.",
                    field=field,
                    value=value,
                    allowed=", ".join(allowed),
                )
        ranges.check(self)
        if abs(self.transition.cut - round(self.transition.cut)) > 1e-3:
            raise InertiaError(
                "The trigger frame {cut:g} lies between frames; choose a whole frame.",
                cut=self.transition.cut,
            )

    def as_dict(self) -> dict[str, Any]:
        """The settings as plain JSON values."""
        values = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        values["transition"] = self.transition.as_dict()
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> HopSettings:
        """The inverse of :meth:`as_dict`; raises InertiaError for a field that does not exist."""
        known = {field.name for field in dataclasses.fields(cls)}
        unknown = sorted(set(values) - known)
        if unknown:
            raise InertiaError(
                "Unknown setting {unknown!r}; the settings are {known}.",
                unknown=unknown[0],
                known=", ".join(sorted(known)),
            )
        values = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
        values["transition"] = TransitionSettings.from_dict(values["transition"])
        return cls(**values)
