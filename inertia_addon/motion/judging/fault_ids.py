# SPDX-License-Identifier: GPL-3.0-or-later
"""The stable names of faults, by which others can build on what is judged, and what each of them is.

A name never changes what it means, and none is given away again. docs/faults.md says more of each.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...records import record
from .faults import BEND, FLOAT, LIFT, POP, REACH, SINK, SKATE, SNAP, SPIN

STOP = "STOP"
"""The fault of a path that does not come to its end: no joint's, but of the whole."""
PAGE = "docs/faults.md"
"""Where faults are described, each under its name."""


@record(frozen=True)
class FaultId:
    """A fault by its stable name.

    name: the id. kinds: of the judge, that it stands for; () for one that no judge of an action looks for.
    what, measured, mends: what one sees, how it is measured, and what mends it, each a sentence or two.
    """

    name: str
    kinds: tuple[str, ...]
    what: str
    measured: str
    mends: str

    @property
    def page(self) -> str:
        """Where the documentation describes it, from the repository's root."""
        return f"{PAGE}#{self.name}"

    def as_dict(self) -> dict[str, str]:
        """Return what there is to read of it, as JSON values."""
        return {"what": self.what, "measured": self.measured, "mends": self.mends}


FAULT_IDS = (
    FaultId(
        "pop",
        (POP,),
        "The pose jumps from one frame to the next: all of it, or a bone that steps, spikes or is elsewhere "
        "for a few frames.",
        "By how the joints' velocity changes at a frame, m/s, beside the highest change in the clips; of a "
        "bone by itself in degrees or metres, beside what it does around that and elsewhere.",
        "A longer blend or another cut; Smooth Pops for bones that jump within a clip.",
    ),
    FaultId(
        "skate",
        (SKATE,),
        "A foot goes over the ground while it should stand.",
        "By the way over the ground of a low foot, metres, beside that of the clips' own feet.",
        "Lock Feet, or feet locked in the transition; a cut at which both clips have the same foot down.",
    ),
    FaultId(
        "sink",
        (SINK,),
        "A foot, a hand or the hips go into the ground.",
        "By how far the lowest joint is below its lowest place in both clips, metres.",
        "Align Height, or clips whose floors are equally high; another cut.",
    ),
    FaultId(
        "float",
        (FLOAT,),
        "The character is above the ground, with no foot on it.",
        "By how far the lowest joint is above its highest place in both clips, metres.",
        "A shorter blend, Align Height, or another cut.",
    ),
    FaultId(
        "lift",
        (LIFT,),
        "The hips rise above what either clip does.",
        "By how far the hips are above their highest place in both clips, metres.",
        "A shorter blend, or a cut at which both hips are equally high.",
    ),
    FaultId(
        "reach",
        (REACH,),
        "A hand, a foot or the head gets further from the hips than in either clip, or across to the other "
        "side.",
        "By how far it is beyond both clips, metres, as seen from the hips.",
        "A shorter blend, the overshoot guard, or another cut.",
    ),
    FaultId(
        "spin",
        (SPIN,),
        "A limb turns far within a frame.",
        "By the largest turn of a bone from one frame to the next, degrees, beside the largest in the clips.",
        "Another cut, or a longer blend; Smooth Pops where a clip itself turns over.",
    ),
    FaultId(
        "limb",
        (SNAP, BEND),
        "A limb snaps: a knee or an elbow bends at once, or a hand, foot or head jerks.",
        "By the change of a joint's velocity, m/s, or by how far a knee or an elbow bends within two frames, "
        "degrees, beside what it or its mirror image does in the clips.",
        "A longer blend, another cut, or the feet's Hips Drop where a locked leg is pulled straight.",
    ),
    FaultId(
        "stop",
        (STOP,),
        "A path stops before its end.",
        "By the way that is left, metres.",
        "Clips that end or turn there, a slower path, or a wider turn.",
    ),
    FaultId(
        "seam",
        (),
        "A motion stalls or jumps where two takes meet.",
        "The seam of a loop is measured by the command loop, beside the clip's own highest change of "
        "velocity. Nothing looks for other seams in an action.",
        "Another stretch for the loop; a transition in place of the seam.",
    ),
    FaultId(
        "jitter",
        (),
        "A motion trembles beyond what the clip does by itself.",
        "The name is kept; nothing measures it in this version.",
        "",
    ),
)
"""All faults that have a name, those that are looked for first."""

BY_NAME: Mapping[str, FaultId] = {each.name: each for each in FAULT_IDS}
BY_KIND: Mapping[str, FaultId] = {kind: each for each in FAULT_IDS for kind in each.kinds}
