# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops: a stretch of an action becomes one that goes round."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

from ..console import output
from ..errors import InertiaError, UsageError
from ..records import record
from ..settings import fields, methods
from ..settings.fields import setting
from ..settings.loops import LoopSearch, LoopSettings
from .task import ClipTask, Done, InSpecs, Searching, Work, verdict_lines

if TYPE_CHECKING:
    pass

SEARCHING = "finding it"
BETWEEN = (
    "the first and the last frame of the loop, or with find those between which it lies (default: the whole "
    "action)"
)


@record(frozen=True)
class LoopTask(ClipTask):
    """One loop.

    search: how its stretch is found; None where the settings name it. listed: so many of the best are told,
    None for one, and rank: which of them it is, 1 for the best. within: the frames that are given.
    """

    KIND = "loop"
    SETTINGS = LoopSettings
    HIDDEN = ("start", "end")
    SEARCH = Searching(
        LoopSearch, "whether the best stretch is found and looped, not the whole range", BETWEEN
    )
    COMMAND = "loop"
    HELP = "find the stretches of an action that loop, and make a loop of one"
    DESCRIPTION = """Make a loop of an action: its end flows into its beginning, in pose and velocity.

--range says between which frames; without it the whole action becomes one loop. With --find the N best
stretches are listed, within the range if one is given, and the best, or that of --rank, is made: all of the
character's feet land equally often in it, and it moves on over the ground. Without -o nothing is made.

The result is a new action, marked as a cycle; the action that it is made from stays as it is. Exit codes: 0
done, 1 failed or over a gate, 2 wrong usage."""
    IN_SPECS = InSpecs(
        "loops",
        "loop",
        "loops to make of actions, between frames that are given or found",
        "a loop of an action",
    )
    STEM = "{action}_loop"
    EVENT = ("start", "end", "quality", "warnings")
    SUMMARY = ("settings", "frame_range", "quality", "warnings")
    GATES = ("seam", "skate", "lift", "reach", "pop")
    NESTED = {"search": LoopSearch}
    REPORTS = True
    BAKES = None
    COUNTS_JOINTS = True

    search: LoopSearch | None = None
    listed: int | None = setting(
        None, fields.LISTED, "list the N best stretches to loop", key="find", metavar="N", group=SEARCHING
    )
    rank: int = setting(1, fields.LISTED, "which of them to make", metavar="N", group=SEARCHING)
    within: tuple[float, ...] = setting(
        (), fields.FRAME, BETWEEN, key="range", metavar=("S", "E"), count=2, group=SEARCHING
    )

    @classmethod
    def of_values(cls, values: Mapping[str, Any]) -> Self:
        """Return the loop that options or the fields of a spec ask for.

        "range" is the stretch itself (None at both ends without: the whole action), or with "find" where
        stretches are searched. "find" is True in a spec (the best one, none listed) or the number to list;
        without it "rank" and the search's settings are ignored. Raise InertiaError for settings out of range
        or that don't go together.
        """
        settings = methods.completed(fields.parsed(LoopSettings, values))
        first, last = map(float, values["range"]) if values.get("range") else (None, None)
        if not values.get("find"):
            return cls(LoopSettings(**settings, start=first, end=last))
        search = LoopSearch(**fields.parsed(LoopSearch, values), first=first, last=last)
        # a spec has the best one made, and lists none
        listed = None if values["find"] is True else int(values["find"])
        return cls(LoopSettings(**settings), search, listed, values.get("rank", 1))

    @classmethod
    def of_options(cls, values: Mapping[str, Any]) -> Self:
        """Return the loop that the command's options ask for.

        values: by option name; "output" is always there, None without -o. "range" is the stretch, or with
        "find" where stretches are searched. Raise UsageError for a blend option that is not of the method;
        for search options or a --rank above 1 without --find; if neither --find nor -o is given; and for
        settings that are out of range or don't go together.
        """
        settings = methods.completed(fields.parsed(LoopSettings, values))
        if methods.foreign(settings, settings.get("method")):
            raise UsageError("--half-life is for --method spring, and --blend-frames for the other methods.")
        if "find" not in values and (fields.parsed(LoopSearch, values) or values.get("rank", 1) > 1):
            raise UsageError("--rank, and what says which stretches may be found, is for --find N.")
        if "find" not in values and values["output"] is None:
            raise UsageError("Give -o OUT to write the loop, or --find N to list where it may be.")
        return super().of_options(values)

    def as_dict(self) -> dict[str, Any]:
        """Return what the task is known by; a spec has the best one made."""
        return {"settings": self.settings.as_dict(), "search": self.search and self.search.as_dict()}

    def make(self, work: Work, *, bakes: bool) -> Done:
        """Find the stretch if the task has a search, and bake the loop if bakes.

        values of the Done: with a search "found", the best stretches as dicts of start, end, cost (metres)
        and landings (a whole number: how often the foot that lands least lands in it), best first, as many as
        listed (one, if that is None); with bakes the report's values, in whose "warnings" the search's notes
        come first. The notes are the search's. Without bakes there is no report, nothing is measured, and
        without a search values is {}.

        With bakes the label is the new action's name, and measured is the report's: "seam" (a part of the
        clip's own highest change of velocity), and the verdict's "pop" (m/s), "skate", "lift" and "reach"
        (metres), each None where not known. Raise InertiaError if there are fewer stretches than the rank
        (even without bakes), none at all, or the action can't be read or looped.
        """
        from ..blender.loops import bake
        from ..blender.loops import search as loops

        values: dict[str, Any] = {}
        settings, notes = self.settings, tuple[str, ...]()
        if self.search is not None:
            clip = work.clip(settings.action, settings.slot, settings.library)
            steps = loops.search_loop_steps(
                work.armature, clip, self.search, work.weights(), settings.root, work.evaluated
            )
            searched = work.run(steps, "searching")
            stretches, notes = searched.best(max(self.listed or 1, self.rank)), searched.notes
            values["found"] = [dataclasses.asdict(stretch) for stretch in stretches[: self.listed or 1]]
            if len(stretches) < self.rank:
                raise InertiaError(
                    'There are only {count} loops in "{action}"; choose a lower rank.',
                    count=len(stretches),
                    action=settings.action,
                )
            best = stretches[self.rank - 1]
            settings = dataclasses.replace(settings, start=best.start, end=best.end)
        if not bakes:
            return Done(self.label, values, notes=notes)
        report = work.run(bake.make_loop_steps(work.armature, settings), "baking")
        values |= {**report.as_dict(), "warnings": [*notes, *report.warnings]}
        return Done(report.result, values, report, report.measured(), notes)

    @staticmethod
    def lines(values: dict[str, Any]) -> list[str]:
        """Return the command's text: a table of the stretches that were found, if any, then lines on the loop
        that was made, if one was.

        values: of make, with "output", the path, where it was baked. The table has start, end, frames (end
        less start), cost in metres, and landings: how often the foot that lands least lands within the
        stretch, empty for 0. A loop was made if there is "result".
        """
        lines = []
        if "found" in values:
            rows = [["start", "end", "frames", "cost", "landings of each foot"]]
            for stretch in values["found"]:
                start, end = stretch["start"], stretch["end"]
                frames = [f"{count:g}" for count in (start, end, end - start)]
                rows.append([*frames, f"{stretch['cost']:.4f} m", str(stretch["landings"] or "")])
            lines += output.table(rows)
        return lines + (_result_lines(values) if "result" in values else [])


def _result_lines(values: dict[str, Any]) -> list[str]:
    """Return lines on the loop that was made: its frames, how far a cycle goes in metres and turns in
    degrees, and its file; its seam and gap; what was moved most; and the verdict's sentences.

    values: of a baked loop, with "output". The turn is left out if it is 0, the lines on the seam and on what
    was moved where "quality" is None.
    """
    first, last = values["frame_range"]
    x, y, z = values["translation"]
    way = f"goes {(x * x + y * y + z * z) ** 0.5:.3g} m" if any((x, y, z)) else "stays in place"
    turn = f" and turns by {values['heading_degrees']:.1f} degrees" if values["heading_degrees"] else ""
    lines = [
        f'"{values["result"]}" loops frames {values["start"]:g} to {values["end"]:g} of '
        f'"{values["settings"]["action"]}" and runs from frame {first:g} to {last:g}; '
        f"each cycle {way}{turn}; it is written to {values['output']}."
    ]
    quality = values["quality"]
    if quality is not None:
        lines.append(
            f"seam: {quality['seam']:.2f} of the clip's own highest change of velocity, before "
            f"{quality['seam_before']:.2f}; its ends were up to {quality['gap_before']:.3g} m apart, and are "
            f"{quality['gap']:.1g} m"
        )
        lines.append(
            f"moved most: {quality['bone']} by {quality['moved']:.3g} m at frame {quality['frame']:g}"
        )
    return lines + verdict_lines(values)
