# SPDX-License-Identifier: GPL-3.0-or-later
"""Gaps between two actions, filled."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

from ..records import record
from ..settings import fill
from ..settings.fill import FillSettings
from ..settings.transition import TransitionSettings
from .task import JOINTS, REPORT, Asked, Done, Task, baked, check_strips, misused, transition_of, words

if TYPE_CHECKING:
    from .work import Work


@record(frozen=True)
class Fill(Task):
    """One gap."""

    KIND = "fill"
    COMMAND = "fill"
    HELP = "fill the gap between two actions, to arrive on a frame"
    DESCRIPTION = """Fill the gap between two actions, and write the file.

The source plays up to the cut, and the destination from its frame on that is arrived at, so many frames
later: both exactly. Between them go clips of the armature, found by a search that knows the arrival: of all
frames that can be entered it takes the one with the smoothest joins that leads there, and the root is drawn
over what is left. Where no clips arrive in time it says which time would do, with --json as
"nearest_seconds".

With --no-library no clips are used: both ends are inertialized, and the root goes along a cubic.

Without -o nothing is baked or written, and what is said is what the search has found."""
    ASKS = (
        Asked(TransitionSettings, fill.OF_GAPS),
        Asked(FillSettings),
        JOINTS,
    )
    WRITES = (baked(is_needed=False), REPORT)
    GATES = ()
    SETTINGS = FillSettings
    TOLD = ("arrival", "cuts")
    SUMMARY = ("settings", "frame_range", "cuts", "arrival", "clips", "joins", "warnings")

    @classmethod
    def of_options(cls, values: Mapping[str, Any]) -> Task:
        """A gap. Raises UsageError for what does not go together."""
        blend = {name: values[name] for name in fill.OF_GAPS if name in values}
        transition = transition_of(blend, assign=True)
        with misused():
            settings = FillSettings.of(transition, values)
        check_strips(settings.strips, values["output"])
        return cls(settings)

    @property
    def label(self) -> str:
        """The gap for a reader."""
        own = self.settings.transition
        return f"gap from {own.source} to {own.destination} at {own.cut:g}"

    def found(self, armature: str) -> Self:
        """The gap, with the names of its actions as the file has them."""
        from ..blender.data import names

        settings = self.settings
        both = {name: names.resolve(getattr(settings, name), armature) for name in ("actions", "cycles")}
        transition = names.resolve_transition(settings.transition, armature)
        return dataclasses.replace(
            self, settings=dataclasses.replace(settings, transition=transition, **both)
        )

    def make(self, work: Work, bakes: bool) -> Done:
        """Search what fills it, and bake and judge that if asked to."""
        from ..blender.fill import bake, search
        from ..blender.judging import verdict

        armature, weights, found = work.armature, work.weights(), None
        settings = search.resolved(armature, self.settings)
        values: dict[str, Any] = {"settings": settings.as_dict(), "clips": [], "arrival": settings.arrival}
        if settings.use_library and not bakes:
            choices = work.run(search.choosing(armature, settings, weights, fill.CHOICES), "searching")
            values |= search.figures(search.chosen(choices, settings))
            values["choices"] = [search.figures(each) for each in choices]
        elif settings.use_library:
            found = work.run(search.searching(armature, settings, weights), "searching")
            values |= search.figures(found)
        if not bakes:
            return Done(self.label, values)
        report = work.run(bake.baking(armature, settings, found, weights=weights), "baking")
        values |= report.as_dict()
        measured = verdict.measures(report.verdicts)
        return Done(report.result, values, report, measured, report.warnings)

    @staticmethod
    def lines(values: dict[str, Any]) -> list[str]:
        """Which clips play when, what is left, and what one sees of it."""
        told, choices = [], values.get("choices", [values])
        for i, each in enumerate(choices, 1):
            told += [f"choice {i}:"] if len(choices) > 1 else []
            for one in each["clips"]:
                name = f"{one['action']}{' mirrored' if one['mirrored'] else ''}"
                told.append(f"{one['from']:g}: {name} from {one['frame']:g}")
            if "costs" in each:
                told.append(
                    f"{each['arrival']:g}: the arrival; drawn by {100.0 * each['drawn_m']:.1f} cm, turned by "
                    f"{each['turned_deg']:.1f} degrees"
                )
            else:
                told.append(f"{each['arrival']:g}: the arrival; no clips, the root goes along a cubic")
        return [*told, *words(values).get("verdict", [])]
