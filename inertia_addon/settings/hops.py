# SPDX-License-Identifier: GPL-3.0-or-later
"""What a hop is searched and baked with: one frozen record for the panel and the command line."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from ..errors import InertiaError
from ..records import record
from . import fields
from .fields import Range, setting
from .transition import Blended, TransitionSettings

DISTANCES = (
    (
        "POINT_CLOUD",
        "Whole Poses",
        "How far apart the poses of both clips are throughout the blend, wherever the character stands and "
        "faces, as if two ghosts of it were laid over each other (point clouds, after Kovar)",
    ),
    (
        "DISPLACEMENT",
        "Cost",
        "As in the panel Look: how far, and for how long, a blend holds the joints away from the clip "
        "that takes over",
    ),
)
FADES = (
    ("INERTIALIZED", "Inertialized", "Two inertialized transitions, with the settings of the panels above"),
    ("CROSS_FADE", "Cross-Fades", "Two eased cross-fades, to compare"),
)
TABLE_KINDS = (".npz", ".json")
"""The kinds of files that tables of hops are written as."""
UNITS = {"POINT_CLOUD": "m²", "DISPLACEMENT": "m·s"}
"""What each distance is measured in."""

SEARCHED_FRAMES = 3000
"""As long as blends and stays may be: tables grow with the product of their lengths."""
STAY_SECONDS = 1.0
"""The longest stay, unless it is said: 60 frames at 60 frames a second, as in the paper."""

OF_BLENDS = {
    *("source", "source_slot", "source_library", "destination", "destination_slot", "destination_library"),
    *("source_cycle", "destination_cycle", "go_on", "go_on_cycles"),
    *("destination_frame", "method", "quintic_start", "half_life", "decomposition", "velocity"),
    "difference",
    *("guard", "guard_angle", "guard_length", "alignment", "root", "blend_scales", "result"),
    *("key_tolerance", "step"),
}
"""The settings of a transition that both blends of a hop have too."""
OF_A_BAKE = {
    *("decomposition", "guard", "guard_angle", "guard_length", "alignment", "blend_scales"),
    *("result", "key_tolerance", "fade", "difference", "step"),
}
"""What no search for hops depends on."""

ALL_PAIRS = "instead of a source and a destination: from each of these to each other"
TRIGGER = "the frame of the source at which the destination is called for"
RANK = "which of the ranked hops to bake"
"""What is asked for beside the settings, for helps."""


@record(frozen=True)
class HopSettings(Blended):
    """Everything that decides which hops are found, and what a baked one looks like.

    transition: the two actions, and how each of the blends is baked; its cut is the trigger frame, and its
    destination frame is the one at which the destination's clock starts. Its choices of cycles count. clips:
    () for all that fit the armature but what Inertia baked, the two themselves among them: a hop through one
    of these waits for longer, or enters the destination elsewhere. others_only: leave the two out. weight:
    None to have it found; seed: of the conditions by which it is. distance: POINT_CLOUD compares windows of
    poses (Kovar, Gleicher, Pighin 2002), DISPLACEMENT is the cost of the cost panel. Both see clips wherever
    they stand and whichever way they face.
    """

    clips: tuple[str, ...] = setting(
        (), help="the actions to go through (default: all that fit the armature)", metavar="ACTION"
    )
    others_only: bool = setting(
        default=False,
        help="go through neither the source nor the destination unless --clips names them",
        name="Other Clips Only",
        tip="Go through neither the source nor the destination, unless they are among the chosen clips. "
        "Otherwise a hop may also play on in the source for longer, or enter the destination elsewhere first",
    )
    cycles: tuple[str, ...] = setting(
        (), help="actions that are cycles: their last frame is the first of the next cycle", metavar="ACTION"
    )
    blends: tuple[int, ...] = setting(
        (),
        Range(1, SEARCHED_FRAMES, "frames", whole=True),
        "how long a blend takes; of several numbers the best is found for each blend (default: 0.4 s)",
        key="blend_frames",
        label="blend time",
    )
    longest_stay: int | None = setting(
        None,
        Range(0, SEARCHED_FRAMES, "frames", whole=True, soft_most=120),
        "how long the character may wait, at most, before each blend (default: a second)",
        name="Longest Stay",
        tip="How many frames the character may wait, at most, before each blend",
        switch=(
            "Set the Longest Stay",
            "Set how long the character may wait before each blend; otherwise a second",
        ),
        start=30,
    )
    weight: float | None = setting(
        None,
        Range(0, 1_000_000, decimals=9),
        "what a frame of waiting costs (default: found from 100 sampled triggers)",
        key="wait_weight",
        metavar="COST",
        label="weight of waiting",
        name="Waiting Costs",
        tip="The cost of each frame that the character waits before a blend, in the unit of the hops' "
        "costs: higher values leave sooner, by a rougher blend",
        switch=(
            "Set What Waiting Costs",
            "Set what a frame of waiting costs; otherwise Inertia measures what waiting gains in these clips",
        ),
        precision=5,
    )
    seed: int = setting(1, Range(0, 2**32 - 1, whole=True), "of that sample")
    distance: str = setting(
        "POINT_CLOUD",
        DISTANCES,
        "what a blend costs: the distance of two windows of poses, or the cost that the command cost reports",
        name="Distance",
        tip="How Inertia tells which poses blend well",
    )
    hops: int = setting(
        1,
        Range(1, 4, whole=True),
        "the most clips that a hop may lead through",
        metavar="N",
        label="number of hops",
        name="Hops",
        tip="The most clips that a hop may lead through; more take much longer to find",
    )
    alongside: bool = setting(
        default=False,
        help="the destination runs beside the source, its destination frame at the source's first, instead "
        "of starting at the trigger",
        name="Side by Side",
        tip="The two clips play side by side from the source's first frame on, like two walks in step: from "
        "a cut at frame 20, the hop arrives in the destination 19 frames and its own length after the "
        "start. Otherwise the destination starts at the cut",
    )
    fade: str = setting("INERTIALIZED", FADES, "how both blends are baked", name="Bake as")
    find_cycles: bool = setting(
        default=True,
        help="whether clips whose end goes on into their beginning are cycles, too",
        off="only clips that are named or chosen are cycles",
        name="Find Cycles",
        tip="Also treat clips whose end flows into their beginning as cycles, unless marked otherwise",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if abs(self.transition.cut - round(self.transition.cut)) > 1e-3:
            raise InertiaError(
                "The trigger frame {cut:g} lies between frames; choose a whole frame.",
                cut=self.transition.cut,
            )

    @classmethod
    def of(cls, transition: TransitionSettings, options: Mapping[str, Any]) -> HopSettings:
        """Return the settings of values by their names on the command line and in specs; other names are left
        out.

        If `options` names blends, the transition gets the first of them as its blend_frames, unless its
        method is SPRING, whose half-life stays. Raise InertiaError for values that are not allowed or don't
        go together.
        """
        values = fields.parsed(cls, options)
        if values.get("blends") and transition.method != "SPRING":
            transition = dataclasses.replace(transition, blend_frames=float(values["blends"][0]))
        return cls(transition, **values)
