# SPDX-License-Identifier: GPL-3.0-or-later
"""What a character follows over the ground, and how: one frozen record for all who ask for it."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from typing import Any

from ..errors import InertiaError
from . import fields
from .fields import Record, setting
from .ranges import Range
from .transition import TransitionSettings

_what = functools.partial(setting, group="what to follow")
_how = functools.partial(setting, group="how it is followed")

SPEEDS = (
    ("AUTO", "Automatic", "The target's own speed where it has a timing, else that of the clips"),
    ("CLIPS", "From the Clips", "As quickly as the clips go along the path"),
    ("CONSTANT", "Constant", "The same speed all along the path"),
    ("TARGET", "The Target's", "When and as quickly as the target moves"),
)
FACINGS = (
    ("ALONG", "Along the Path", "Face where the path goes"),
    ("TARGET", "As the Target", "Face the way that the target is turned"),
    ("FREE", "Free", "Face anywhere"),
)
ENDS = (
    ("AS_IT_COMES", "As It Comes", "In the middle of a step, if that is best"),
    ("STANDING", "Standing", "Standing still, if any clip does"),
)

CURVE, OBJECT, POINTS = "CURVE", "OBJECT", "POINTS"

HOW_JOINS_BLEND = ("method", "quintic_start", "blend_frames", "half_life")
OF_JOINS = {
    *HOW_JOINS_BLEND,
    *("decomposition", "velocity", "guard", "guard_angle", "guard_length", "root", "blend_scales", "result"),
    *("feet", "foot_release", "hips_drop", "locked_feet"),
}
"""The settings of a transition that each join has too."""


@dataclasses.dataclass(frozen=True)
class PathSettings(Record):
    """Everything that decides how a path is followed.

    transition: how each join blends; its two actions, its cut and its alignment mean nothing. One of curve,
    target and points names what is followed: points are a file's.
    faithful: by how much the clips' own motion counts more than the path: the costs of joins are 22 to 2200
    times the displacement in metre seconds.
    """

    transition: TransitionSettings
    actions: tuple[str, ...] = _what(
        (), help="the actions to go along it with (default: all that fit the armature)", metavar="ACTION"
    )
    curve: str = _what("", help="the curve object to follow", metavar="NAME")
    target: str = _what("", help="the animated object to follow, when and where it moves", metavar="OBJECT")
    points: str = _what(
        "",
        help="a .csv file of points to follow: x and y in metres, with the time in seconds before them or "
        "without",
        metavar="FILE",
    )
    mirror: bool = _what(False, help="use the actions' mirror images, too")
    speed: str = _what(
        "AUTO",
        SPEEDS,
        "how quickly: as the clips go, at a constant speed, or with the target's own timing, which is the "
        "default where it has one",
    )
    constant_speed: float = _what(
        1.4, Range(0.05, 50, "metres per second", soft_most=10), "the constant speed", metavar="SPEED"
    )
    facing: str = _what("ALONG", FACINGS, "which way the character faces")
    begins: str = _what("AS_IT_COMES", ENDS, "how it begins")
    ends: str = _what("AS_IT_COMES", ENDS, "how it ends, where the speed is from the clips")
    faithful: float = _how(
        0.5,
        Range(0, 1),
        "from 0, faithful to the path, to 1, faithful to the clips: the more, the fewer and the smoother "
        "joins",
    )
    warp: bool = _how(
        True,
        off="leave the drift in, in place of moving the root smoothly towards the path",
    )
    greedy: bool = _how(
        False,
        help="search as games do, without looking ahead, to compare; needs a speed that is known before",
    )
    ahead_seconds: float = _how(
        0.75, Range(0, 5, "seconds"), "how far the search looks ahead", label="look-ahead"
    )
    shortest_seconds: float = _how(
        0.3, Range(0, 60, "seconds"), "the shortest time between two joins", label="time between joins"
    )
    width: int = _how(48, Range(1, 1000, whole=True), "how many hypotheses the search follows", metavar="N")
    pose_weight: float = _how(0.5, Range(0, 100), "what the pose counts in the features", metavar="WEIGHT")
    position_weight: float = _how(
        1.0, Range(0, 100), "what the way ahead counts in the features", metavar="WEIGHT"
    )
    facing_weight: float = _how(
        1.5, Range(0, 100), "what the facing ahead counts in the features", metavar="WEIGHT"
    )
    first_frame: float = _how(
        1.0, Range(-1_048_574, 1_048_574, "frames", decimals=4), "the frame that the result begins at"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        given = [name for name in (self.curve, self.target, self.points) if name]
        if len(given) != 1:
            raise InertiaError(
                "Give one thing to follow: a curve, a target or a file of points; {count} are given.",
                count=len(given),
            )

    @property
    def cost(self) -> float:
        """What a metre second of displacement costs in the search."""
        return float(22.0 * 100.0**self.faithful)

    def as_dict(self) -> dict[str, Any]:
        """The settings as plain JSON values."""
        return super().as_dict() | {"transition": self.transition.as_dict()}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> PathSettings:
        """The inverse of :meth:`as_dict`; raises InertiaError for a field that does not exist."""
        blend = TransitionSettings.from_dict(values["transition"])
        return cls(**fields.known(cls, values) | {"transition": blend})

    @classmethod
    def of(cls, transition: TransitionSettings, given: Mapping[str, Any]) -> PathSettings:
        """The settings that values by their names on the command line and in specs stand for."""
        return cls(transition, **fields.given(cls, given))


def joined_by(values: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a transition whose two ends mean nothing, with those that are given."""
    return {"source": "", "destination": "", "cut": 0.0, **values}
