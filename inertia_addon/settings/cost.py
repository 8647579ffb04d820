# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the best meeting of two clips is searched, and by which joints."""

from __future__ import annotations

from ..records import record
from . import fields
from .fields import Record, setting
from .transition import BLEND_SECONDS

OF_A_COST = {
    *("source", "source_slot", "source_library", "destination", "destination_slot", "destination_library"),
    *("source_cycle", "destination_cycle", "source_scale", "destination_scale"),
    *("method", "quintic_start", "blend_frames", "half_life", "extrapolation_half_life", "velocity"),
    *("alignment", "align_height", "align_bone", "root"),
}
"""The settings of a transition that its cost depends on, wherever the cut is."""

BY = (
    (
        "JUDGED",
        "Verdict",
        "Judge the candidates that cost least, and put the best-looking first: by rating, then by faults, "
        "then by cost",
    ),
    ("COST", "Cost", "Put the lowest cost first, and judge none"),
)
"""What the best of a search are."""


@record(frozen=True)
class Search(Record):
    """What may be found. first, last: the range of cuts, None for the source's own."""

    first: float | None = setting(
        None,
        fields.FRAME,
        label="first cut",
        name="First",
        tip="The first scene frame that may be the cut",
        start=1.0,
    )
    last: float | None = setting(
        None,
        fields.FRAME,
        label="last cut",
        name="Last",
        tip="The last scene frame that may be the cut",
        start=250.0,
    )
    keep_frames: float = setting(
        12.0,
        fields.KEEP_FRAMES,
        "the fewest frames of the destination after the cut, and of the source before it, unless a range "
        "says where it may lie: half of a short source",
        label="rest of the destination",
        name="Play On",
        tip="The fewest frames of the destination after the cut, and of the source before it unless you set "
        "a range: half of a short source. Where a clip meets itself, the cut and the destination frame "
        "lie a blend apart",
    )
    before_seconds: float = setting(
        0.0,
        fields.SEEN_TIME,
        "how many seconds of the source play before the cut, unless a range says where it may lie: half of "
        "a short source; a cycle repeats for that",
        label="source before the cut",
        name="Before the Cut",
        tip="How many seconds of the source play before the cut, so that it can be seen, unless you set a "
        "range: half of a short source; a cycle repeats for that",
        asked=BLEND_SECONDS,
        came_later=True,
    )
    behind_seconds: float = setting(
        0.0,
        fields.SEEN_TIME,
        "how many seconds of the destination play after the blend; a cycle goes on anyway",
        label="destination after the blend",
        name="After the Blend",
        tip="How many seconds of the destination play after the blend, so that it can be seen; a cycle goes "
        "on anyway, and a shorter action is entered at its first frame",
        asked=BLEND_SECONDS,
        came_later=True,
    )
    apart_frames: float = setting(
        6.0,
        fields.APART_FRAMES,
        "pairs whose frames are both closer than this are neighbours",
        label="distance of neighbours",
        name="Apart",
        tip="Pairs whose frames are both closer than this many frames are neighbours: only the better one "
        "is listed",
    )
    skate_weight: float = setting(
        0.0,
        fields.SKATE_WEIGHT,
        "the cost, in metre seconds, of each metre that planted feet are predicted to skate in the "
        "destination; 0 leaves that out",
        label="weight of the skate",
        name="Skate Weight",
        former="slide_weight",
    )
    by: str = setting(
        "JUDGED",
        BY,
        "which pairs are the best: of those that cost least the ones that look best, by their verdicts; or "
        "those that cost least",
        name="Best by",
        tip="Which of the pairs that cost least are the best",
    )


@record(frozen=True)
class Joints:
    """Which joints count. weights: (bone, weight) pairs, in place of the choice."""

    joints: str = setting(
        "stored",
        tuple((name, "", "") for name in ("stored", "found", "all")),
        "the joints that count in costs: those stored with the armature, else found (hips, head, hands and "
        "feet); found in any case; or all with the weight 1",
    )
    weights: tuple[tuple[str, float], ...] = setting(
        (),
        fields.WEIGHT,
        "only these joints count in costs, with these weights",
        metavar="BONE=WEIGHT",
        flag="--weight",
    )
