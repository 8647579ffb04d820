# SPDX-License-Identifier: GPL-3.0-or-later
"""What pops are found and smoothed with: one frozen record for the panel, the command line and spec files."""

from __future__ import annotations

import functools

from ..records import record
from . import fields, methods
from .fields import Range, Record, again, setting
from .loops import LoopSettings
from .methods import Method
from .transition import OBJECT_ROOT

_how = functools.partial(setting, group="how pops are smoothed")
_result = functools.partial(setting, group="the new action")

SIDES = (
    (
        "AROUND",
        "Both Sides",
        "Move both sides of a jump half-way towards each other; near an end of the action, only the shorter "
        "side moves",
    ),
    ("AFTER", "After", "The motion before a jump stays, and the motion after it continues from there"),
    ("BEFORE", "Before", "The motion after a jump stays, and the motion before it arrives there"),
)

WHOLE_POSE = "<pose>"
"""How a pop of all bones at once is named."""

STRICTNESS = Range(1.5, 100, soft_least=2, soft_most=20)
"""How many times what is usual a pop is."""


@record(frozen=True)
class PopSettings(Record):
    """Everything that decides which pops an action has, and what it looks like without them. action, slot,
    library: as in a transition. pops: (), or the names of the only ones to smooth."""

    action: str = setting(help="the action in which something jumps", metavar="ACTION")
    library: str = again(LoopSettings, "library")
    slot: str = again(LoopSettings, "slot")
    strictness: float = setting(
        6.0,
        STRICTNESS,
        "how many times larger than the bone's motion around it and elsewhere a jump must be to be a pop",
        metavar="TIMES",
        name="Strictness",
        tip="How many times larger than the bone's motion around it and elsewhere a jump must be to be "
        "listed: higher values list fewer",
        step=10,
        precision=1,
    )
    pops: tuple[str, ...] = _how(
        (),
        help=f"smooth only these: the bone, {OBJECT_ROOT}, or {WHOLE_POSE} for all bones at once, with the "
        "first frame of the pop (default: all)",
        metavar="BONE@FRAME",
        flag="--pop",
    )
    side: str = _how("AROUND", SIDES, "which side of a jump that stays gives way", name="Give Way")
    method: str = _how(
        "QUINTIC", methods.CURVE_ITEMS, "the curve along which a jump's offset fades", name="Curve"
    )
    fade_seconds: float = _how(
        0.25,
        Range(0.02, 10, "seconds", soft_least=0.05, soft_most=1),
        "how long a jump's offset takes to fade, at least: longer where the bone would turn suddenly, four "
        "times as long at most",
        label="fade",
        name="Fade",
        tip="How long a jump's offset takes to fade, at least: longer where the bone would turn more "
        "suddenly than elsewhere, up to four times as long",
        **fields.SHOWN_TIME,
    )
    result: str = _result("", help='its name (default: "ACTION smoothed")', metavar="NAME")
    assign: bool = setting(default=True, help="assign the result to the armature")

    @property
    def decay(self) -> Method:
        """The curve along which offsets fade."""
        return Method.SMOOTH if self.method == "QUINTIC" else Method[self.method]
