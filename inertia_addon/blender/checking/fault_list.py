# SPDX-License-Identifier: GPL-3.0-or-later
"""The faults of an action under their stable names, and what could not be judged, and why."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from ...errors import InertiaError, Sentence
from ...motion.judging import fault_ids, faults
from ...motion.judging.fault_ids import BY_KIND, BY_NAME
from ...motion.judging.faults import BEND, FAIR, POOR, POP, REACH, SKATE, SNAP, SPIN
from ...records import record
from ...settings.pops import WHOLE_POSE, PopSettings
from ..data import recipe, scene
from ..data.actions import Clip
from ..feet import legs
from ..judging import verdict
from ..judging.verdict import Fault
from ..pops.search import FoundPop, FoundPops
from .check import ActionCheck

VERSION = 1
"""The version of what a check holds as JSON: it counts up where something goes or changes what it means."""
UNITS = {POP: "m/s", SNAP: "m/s", SPIN: "degrees", BEND: "degrees"}
"""What sizes of faults are in; metres for all others."""
JUMPS = {
    "step": "{bone} steps by {size} from {first} to {last}, {times} times its usual",
    "spike": "{bone} is elsewhere at {first} by {size}, {times} times its usual",
    "stretch": "{bone} is elsewhere by {size} from {first} to {last}, {times} times its usual",
}
"""What jumps of each kind are in words."""
BESIDE_CLIPS = ("skate", "sink", "float", "lift", "reach", "spin", "limb")
"""What is judged beside the clips of a result alone."""
UNSEEN = {
    SKATE: "No feet were found, or nobody can say how the ground passes below them.",
    POP: "Only some of the joints could be looked at.",
    SNAP: "No limbs were found.",
    BEND: "No knees and elbows were found.",
    REACH: "No hands, feet and head were found.",
}
"""Why faults of a kind can't be looked for."""


@record(frozen=True)
class ListedFault:
    """A fault to build on.

    id: its stable name. kind: the judge's. level: FAIR, or POOR where it makes a result poor. severity: its
    size in the limit below which it is not seen. words: what one sees. bone: by name, "" for none. frame:
    where it is worst; first, last: its frames. size: in a unit; own: what the clips have there, None where
    nothing is beside it.
    """

    id: str
    kind: str
    level: str
    severity: float
    words: str
    bone: str
    frame: float
    first: float
    last: float
    size: float
    unit: str
    own: float | None

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON values: all fields, the level in lower case, and "docs", the page on which it is
        described.
        """
        return {**vars(self), "level": self.level.lower(), "docs": BY_NAME[self.id].page}


@record(frozen=True)
class Unjudged:
    """What could not be judged: the fault's stable name, and why."""

    id: str
    reason: str


@record(frozen=True)
class ListedFaults:
    """The faults of an action, the worst first, and what could not be judged."""

    faults: tuple[ListedFault, ...]
    could_not_judge: tuple[Unjudged, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON values: "version" of the list, "faults", and "could_not_judge", each with "id"
        and "reason".
        """
        return {
            "version": VERSION,
            "faults": [fault.as_dict() for fault in self.faults],
            "could_not_judge": [{"id": each.id, "reason": each.reason} for each in self.could_not_judge],
        }


def list_faults(
    armature: Any, clip: Clip, checked: ActionCheck, jumps: FoundPops | InertiaError
) -> ListedFaults:
    """List the faults of a clip that was checked, and what could not be judged, each once.

    Faults are those of all its verdicts, and the jumps of its bones; without verdicts its jumps alone. A jump
    at whose frame a verdict has a pop of the same bone is left out. jumps: what was found with the usual
    settings, or why they could not be looked for, which is then the first thing that could not be judged, as
    "pop". Poor faults come first, then fair ones, the most severe first in each.
    """
    listed = [_of_verdict(fault) for one in checked.seen.verdicts for fault in one.faults]
    unjudged = [*_find_unjudged(armature, clip, checked)]
    if isinstance(jumps, InertiaError):
        unjudged.insert(0, Unjudged("pop", jumps.sentence))
    else:
        known = {(fault.bone, fault.frame) for fault in listed if fault.id == "pop"}
        found = [_of_jump(pop, PopSettings(action=clip.action.name).strictness) for pop in jumps.pops]
        listed += [fault for fault in found if (fault.bone, fault.frame) not in known]
    listed.sort(key=lambda fault: (fault.level != POOR, -fault.severity))
    return ListedFaults(tuple(listed), tuple(dict.fromkeys(unjudged)))


def _of_verdict(fault: Fault) -> ListedFault:
    """Return a verdict's fault under its stable name, with its sentence, its bone, its size and what is usual
    there (``own``), in degrees or metres as its kind has them.

    It is POOR if its severity is above faults.POOR_FROM and its kind is not minor, else FAIR. Its first and
    last frame are its own frame.
    """
    unit = UNITS.get(fault.kind, "m")
    size, own = fault.size, fault.own
    if unit == "degrees":
        size, own = math.degrees(size), math.degrees(own)
    is_poor = fault.severity > faults.POOR_FROM and fault.kind not in faults.MINOR
    return ListedFault(
        BY_KIND[fault.kind].name,
        fault.kind,
        POOR if is_poor else FAIR,
        fault.severity,
        verdict.words(fault),
        fault.bone,
        fault.frame,
        fault.frame,
        fault.frame,
        size,
        unit,
        own,
    )


def _of_jump(pop: FoundPop, strictness: float) -> ListedFault:
    """Return a bone's jump as a fault "pop" whose severity is `times` by `strictness`: 1 for one that is that
    many times its usual size.

    It is POOR above a severity of faults.POOR_FROM, else FAIR. Its frame is the last one of a step, the first
    of any other kind; its usual size (``own``) is `size` by `times`, in degrees or metres. A jump of the
    whole pose has "" as its bone.
    """
    is_pose, is_turn = pop.bone == WHOLE_POSE, pop.motion.is_rotation
    size = f"{pop.size:.1f}°" if is_turn else scene.length_text(pop.size)
    words = Sentence(
        JUMPS[pop.kind],
        bone=Sentence("the whole pose") if is_pose else Sentence('"{bone}"', bone=pop.bone),
        size=size,
        first=f"{pop.first:g}",
        last=f"{pop.last:g}",
        times=f"{pop.times:.0f}",
    )
    severity = pop.times / strictness
    return ListedFault(
        "pop",
        POP,
        POOR if severity > faults.POOR_FROM else FAIR,
        severity,
        words,
        "" if is_pose else pop.bone,
        pop.last if pop.kind == "step" else pop.first,
        pop.first,
        pop.last,
        pop.size,
        "degrees" if is_turn else "m",
        pop.size / pop.times,
    )


def _find_unjudged(armature: Any, clip: Clip, checked: ActionCheck) -> Iterator[Unjudged]:
    """Yield what could not be judged of an action, with the reason; a name may come twice.

    Without verdicts these are the faults that need the clips of a result, and skate if no feet were found; of
    each verdict, what it did not see; and always the names of which no check of an action finds anything.
    """
    if not checked.seen.verdicts:
        reason = Sentence("It is not a result of Inertia, so there are no clips to compare it with.")
        if recipe.kind(clip.action):
            reason = Sentence(checked.seen.notes[0]) if checked.seen.notes else reason
        for name in BESIDE_CLIPS:
            yield Unjudged(name, reason)
        if not checked.feet:
            yield Unjudged("skate", legs.none_note(armature))
    for one in checked.seen.verdicts:
        for kind in one.unseen:
            yield Unjudged(BY_KIND[kind].name, Sentence(UNSEEN[kind]))
    for each in fault_ids.FAULT_IDS:
        if not each.kinds:
            yield Unjudged(each.name, Sentence("No check of an action covers it."))
