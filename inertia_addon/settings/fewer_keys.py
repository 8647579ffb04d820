# SPDX-License-Identifier: GPL-3.0-or-later
"""What an action is told by fewer keys with: one frozen record for the panel, the command line and spec
files."""

from __future__ import annotations

from ..records import record
from .fields import Range, Record, again, setting
from .loops import LoopSettings

CENTIMETRES = Range(0.01, 100, "cm", soft_least=0.1, soft_most=5)
"""How far joints may be from where an action has them."""


@record(frozen=True)
class FewerKeysSettings(Record):
    """Everything that decides which keys an action gets. action, slot, library: as in a transition."""

    action: str = setting(help="the action that is to have fewer keys", metavar="ACTION")
    library: str = again(LoopSettings, "library")
    slot: str = again(LoopSettings, "slot")
    tolerance_cm: float = setting(
        0.5,
        CENTIMETRES,
        "how far a joint may be from where the action has it, in centimetres, on each frame and half-way "
        "between two",
        label="tolerance",
        key="tolerance",
        name="Tolerance (cm)",
        tip="How far a joint may be from where the action has it, in centimetres, on each frame and half-way "
        "between two: higher values leave fewer keys",
        step=10,
        precision=2,
    )
    stance_mm: float = setting(
        1.0,
        Range(0.1, 100, "mm", soft_least=0.5, soft_most=10),
        "how far a planted foot may be from where the action has it, in millimetres",
        label="tolerance of planted feet",
        key="stance",
        name="Feet (mm)",
        tip="How far a planted foot may be from where the action has it, in millimetres",
        step=10,
        precision=1,
    )
    result: str = setting("", help='the new action\'s name (default: "ACTION fewer keys")', metavar="NAME")
    assign: bool = setting(default=True, help="assign the result to the armature")
