# SPDX-License-Identifier: GPL-3.0-or-later
"""How a clip in place is given travel, or its travel taken out: one frozen record for the panel, the command
line and spec files."""

from __future__ import annotations

import functools

from ..records import record
from .fields import IN_TENTHS, Range, Record, again, setting
from .loops import LoopSettings

_how = functools.partial(setting, group="how it travels")
_result = functools.partial(setting, group="the new action")

CARRIERS = (
    ("ROOT", "Root", "The topmost bone that carries the character; the object where none does"),
    ("HIPS", "Hips", "The hips, and with them all bones that are not below them"),
    ("OBJECT", "Object", "The armature object itself"),
)
TURNS = (
    (
        "AUTO",
        "Automatic",
        "Turn where the feet clearly show a turn, as each pivots a little; in place, where the character "
        "faces another way at the end",
    ),
    ("NONE", "Straight", "Never turn: the character faces as the action has it"),
    ("ALL", "Turning", "Always turn"),
)
SPEED = Range(0, 1000, "metres a second", soft_most=10, shown=IN_TENTHS)
"""How fast a character goes."""


@record(frozen=True)
class TravelSettings(Record):
    """Everything that decides how a clip travels.

    action, slot, library: as in a transition. in_place: take its travel out in place of giving it one. speed:
    None for what its feet tell.
    """

    action: str = setting(help="the action that stays in place", metavar="ACTION")
    library: str = again(LoopSettings, "library")
    slot: str = again(LoopSettings, "slot")
    in_place: bool = _how(
        default=False, help="take the action's travel out, so that it stays in place: the inverse"
    )
    on: str = _how(
        "ROOT",
        CARRIERS,
        "what carries the travel, to which it moves where the action travels already",
        name="On",
    )
    speed: float | None = _how(
        None,
        SPEED,
        "how fast it goes (default: as its feet show)",
        name="Speed",
        unset="As the Feet Show",
        tip="How fast it goes, in metres per second",
        switch=(
            "Set the Speed",
            "Set how fast it goes; otherwise its feet show that. What flies or swims has no feet to show it",
        ),
        start=1.4,
    )
    direction: float = _how(
        0.0,
        Range(-180, 180, "degrees", decimals=4),
        "where it goes if the feet show none: how far to the left of where it faces",
        name="Direction",
        goes_with=("use_speed",),
        tip="The direction of travel if its feet show none: degrees to the left of where it faces",
    )
    turns: str = _how("AUTO", TURNS, "whether the travel turns", name="Turns")
    result: str = _result(
        "", help='its name (default: "ACTION travel", or "ACTION in place")', metavar="NAME"
    )
    assign: bool = setting(default=True, help="assign the result to the armature")
