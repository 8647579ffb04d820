# SPDX-License-Identifier: GPL-3.0-or-later
"""What a take is finished with: one frozen record for the panel, the command line and spec files."""

from __future__ import annotations

import functools

from ..errors import InertiaError
from ..records import record
from . import fields
from .feet import Locking
from .fields import Record, again, setting
from .loops import LoopSettings
from .pops import PopSettings

_how = functools.partial(setting, group="how it is mended")
_result = functools.partial(setting, group="the new action")
_into = functools.partial(setting, group="into another action")

POSE, CHANNELS, JITTER, POP, FLOOR = "pose", "channels", "jitter", "pop", "floor"
SEAM, SINK, FLOAT, SKATE, LIMB = "seam", "sink", "float", "skate", "limb"
KINDS = POSE, CHANNELS, JITTER, POP, FLOOR, SEAM, SINK, FLOAT, SKATE, LIMB
"""What may be found, in the order in which it is mended; what a limb does is for an animator to mend."""

FEET = (
    ("LOCK", "Stand Still", "Keep planted feet that skate still, each where it stands half-way through"),
    (
        "HEIGHT",
        "Height Only",
        "Put feet on the floor, but let them skate as they do: for skaters, dancers and moving ground",
    ),
)


@record(frozen=True)
class FinishSettings(Record):
    """Everything that decides what is found in a take, and what it looks like without that.

    action, library, slot: as in a transition. leave: kinds of findings, or findings by their names, that stay
    as they are. into: the action that the take is put into, "" for none, and at: where, None for the best
    place.
    """

    action: str = setting(help="the take", metavar="ACTION")
    library: str = again(LoopSettings, "library")
    slot: str = again(LoopSettings, "slot")
    strictness: float = again(PopSettings, "strictness")
    leave: tuple[str, ...] = _how(
        (),
        help=f"leave these as they are: kinds of findings ({', '.join(KINDS)}), or single ones by the names "
        "that the list of findings has (default: mend all)",
        metavar="FINDING",
    )
    feet: str = _how("LOCK", FEET, "what becomes of planted feet", name="Planted Feet")
    foot_release: float = again(Locking, "foot_release")
    hips_drop: float = again(Locking, "hips_drop")
    into: str = _into(
        "",
        help="insert the take into this action, which stops at a frame for the take and continues from there "
        "after it; both joins are where they look best",
        metavar="ACTION",
    )
    at: int | None = _into(
        None,
        fields.WHOLE_FRAME,
        help="the frame of that action at which the take begins (default: where the take fits best)",
        label="frame to put the take at",
        name="At Frame",
        tip="The frame at which the take begins, and from which the action continues after it",
        switch=(
            "Choose the Frame",
            "Choose the frame at which the take begins; otherwise the one that fits best",
        ),
        start=1,
    )
    result: str = _result(
        "", help='its name (default: "ACTION finished", or "INTO with ACTION finished")', metavar="NAME"
    )
    assign: bool = setting(default=True, help="assign the result to the armature")

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in self.leave:
            if name.partition(":")[0] not in KINDS:
                raise InertiaError(
                    'No finding is called "{name}"; leave one of {kinds}, or a name from the list '
                    "of findings.",
                    name=name,
                    kinds=", ".join(KINDS),
                )
        if self.at is not None and not self.into:
            raise InertiaError("A frame to put the take at was given, and no action; name that, too.")
