# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet: what an action's feet and pops are like, and an action whose planted feet stand still."""

from __future__ import annotations

from typing import Any

from ..console import output
from ..records import record
from ..settings.feet import CheckSettings, LockSettings
from . import pages
from .task import ClipTask, Done, InSpecs, Work, verdict_lines, verdict_of

LISTED_FAULTS = 5
"""So many faults, at most, are written of which a verdict says nothing."""


@record(frozen=True)
class CheckTask(ClipTask):
    """One action that is checked."""

    KIND = "check"
    SETTINGS = CheckSettings
    COMMAND = "check"
    HELP = "measure how well an action's feet stay put and how much it pops, and judge results"
    DESCRIPTION = """Find when each foot of an action is planted, and measure what it does: how far, and how
fast, it skates while it is low, and how deep it sinks below the ground; and the highest change of the joints'
velocity from one frame to the next.

If Inertia has baked the action, be it a transition, a hop, a path, a loop, a filled gap, or an action with
locked feet, without pops, with other travel, finished or with fewer keys, the verdict is printed, too,
as it was before the bake: the recipe says which frames and which actions to look at. Gates then judge these
frames, and otherwise the whole action.

Exit codes: 0 done, 1 failed or over a gate, 2 wrong usage.

Contacts that an animator has edited count as they are stored with the action."""
    IN_SPECS = InSpecs(
        "checks", "check", "actions whose feet and pops are measured, for gates", "a check of an action"
    )
    STEM = "{action}_check"
    EVENT = ("pop",)
    GATES = ("skate", "lift", "reach", "skate_speed", "penetration", "pop")
    BAKES = False
    LISTS = True
    REPORTS = True
    PLAYS = True

    def make(self, work: Work, *, bakes: bool) -> Done:
        """Measure an action's feet and pops; where it is something that Inertia baked, judge it, too.

        bakes is ignored: nothing is made, and there is no report. values of the Done: "action", "slot",
        "start" and "end" (frames), "cycle", "in_place" and "ground_speed" (m/s, 0.0 where it does not walk in
        place), "feet", "pop" (the highest change of the joints' velocity from frame to frame, m/s, rms over
        all joints) and "pop_frame" (both None in fewer than three frames), "verdict" (the worst, None without
        any), "verdicts" (all) and "notes", which the Done has as well; "version" (of these values), "faults"
        (dicts, the worst first, see :class:`ListedFault`) and "could_not_judge" (dicts of id and reason). A
        page is written if it is wanted. Each of the feet, of which there are
        none without legs, is a dict: foot (its bone), spans as [start, end], skate_m, skate_speed (m/s),
        penetration_p95_m, reach, the furthest that the ankle gets from the hip as a part of the leg's length,
        and stance_m, how far it goes while it is planted. Speed, depth and reach are None where not known.

        measured, by name: pop, and of the worst foot skate (metres), skate_speed (m/s) and penetration
        (metres), None where not known. With verdicts the worst of their skate stands instead, and their lift
        and reach, both in metres, come along. Raise InertiaError if the action is not there or can't be
        measured.
        """
        clip = work.clip(self.settings.action, self.settings.slot)
        checked, values = pages.check_clip(work, clip)
        return Done(
            self.label,
            values,
            None,
            checked.measured(),
            tuple(checked.seen.notes),
            pages.write_page(work, clip, values),
        )

    @staticmethod
    def lines(values: dict[str, Any]) -> list[str]:
        """Return the command's text: frames, a table of feet, the highest pop, the verdict, and further
        faults.

        values: of make. The first line also says if the action is a cycle, and if it is in place, with the
        speed of the ground. The table has a row for each foot: its planted spans in frames ("never" for
        none), skate in m, skate speed in m/s, and depth below ground (95th percentile) in m; figures that are
        None are empty. There is no table without feet, no pop line where it is None, and no verdict for an
        action that Inertia has not baked. Of the faults that the verdict does not name, the first five of the
        list follow, a line "id: words" each, and a line on how many more there are, if any.
        """
        lines = [f"{values['action']}: frames {values['start']:g} to {values['end']:g}"]
        if values["cycle"]:
            lines[0] += ", a cycle"
        if values["in_place"]:
            lines[0] += f", in place on ground that passes at {values['ground_speed']:.3g} m/s"
        rows = [["foot", "planted", "skate", "speed", "below ground, 95 %"]]
        for foot in values["feet"]:
            spans = " ".join(f"{start:g}-{end:g}" for start, end in foot["spans"]) or "never"
            figures = [foot[name] for name in ("skate_m", "skate_speed", "penetration_p95_m")]
            rows.append([foot["foot"], spans, *map(_figure, figures, ("m", "m/s", "m"))])
        lines += output.table(rows, "  ") if values["feet"] else []
        if values["pop"] is not None:
            lines.append(f"pop: {values['pop']:.3g} m/s at frame {values['pop_frame']:g}")
        lines += verdict_lines(values)
        # what the verdict has in its own words already is not listed again
        said = {identify_fault(fault) for each in values["verdicts"] for fault in each["faults"]}
        listed = [fault for fault in values["faults"] if identify_fault(fault) not in said]
        lines += [f"{fault['id']}: {fault['words']}" for fault in listed[:LISTED_FAULTS]]
        more = len(listed) - LISTED_FAULTS
        return [*lines, f"and {more} more; --json lists them, and --html shows them"] if more > 0 else lines


def identify_fault(fault: dict[str, Any]) -> tuple[str, str, float]:
    """Return what a fault, as JSON values, is told from others by: its kind, bone and frame."""
    return fault["kind"], fault["bone"], fault["frame"]


@record(frozen=True)
class FeetTask(ClipTask):
    """One action whose feet are locked."""

    KIND = "feet"
    SETTINGS = LockSettings
    COMMAND = "feet"
    HELP = "lock an action's planted feet in a new action"
    DESCRIPTION = """Make a new action from another one, in which planted feet stand still, and write the
file. Only the legs get other keys, and the hips if they help, and only where a foot would skate; the action
itself stays as it is.

Contacts that an animator has edited count as they are stored with the action; others are found."""
    IN_SPECS = InSpecs(
        "feet",
        "feet",
        "actions whose planted feet are locked, each in a new one",
        "an action whose planted feet are locked",
    )
    STEM = "{action}_locked"
    SUMMARY = ("settings", "frame_range", "before", "after", "pinned")

    def make(self, work: Work, *, bakes: bool) -> Done:
        """Bake a new action whose planted feet stand still, judge it, and measure it if gates are set.

        bakes is ignored: an action is always made, and assigned if the settings say so. The Done has the
        bake's report; its label is the new action's name. values: the report as a dict, with "before" and
        "after" (dicts of each foot, see :class:`FootFigures`), and "verdict", a dict, None where Blender
        would not play the rig. measured is {} unless work.is_judged; else it is what
        :meth:`ActionCheck.measured` tells of the new action: pop (m/s), skate (m), skate_speed (m/s) and
        penetration (m), each of the worst foot, None where not known, and with a verdict its skate instead,
        and lift and reach (m). Raise InertiaError if the action or its legs can't be used.
        """
        from ..blender.checking import check
        from ..blender.feet import bake
        from ..blender.judging import locked_feet

        report = work.run(bake.lock_action_steps(work.armature, self.settings), "baking")
        seen = locked_feet.judge_report(work.armature, report)
        measured = {}
        if work.is_judged:
            clip = work.clip(report.result, report.slot)
            measured = work.run(check.steps(work.armature, clip), "measuring").measured()
        values = {**report.as_dict(), "verdict": None if seen is None else seen.as_dict()}
        return Done(report.result, values, report, measured)

    @staticmethod
    def lines(values: dict[str, Any]) -> list[str]:
        """Return the command's text: what was made with its number of keys, a table of feet, indented notes,
        and the verdict's sentences.

        values: the bake's report as JSON values. The table has a row for each foot: its name, how far it
        moves in stance and its skate, in m, and its skate speed in m/s, each before and, under "locked",
        after; a figure that is None is empty.
        """
        rows = [["foot", "in stance", "locked", "skate", "locked", "speed", "locked"]]
        for before, after in zip(values["before"], values["after"], strict=True):
            names = ("stance_m", "skate_m", "skate_speed")
            figures = [each[name] for name in names for each in (before, after)]
            units = ("m", "m", "m", "m", "m/s", "m/s")
            rows.append([before["foot"], *map(_figure, figures, units)])
        head = f'"{values["result"]}" is "{values["action"]}" with its feet locked'
        notes = ["  " + note for note in values["notes"]]
        table = output.table(rows, "  ")
        return [f"{head}, {values['keys']} keys", *table, *notes, *verdict_lines(values)]

    def event(self, values: dict[str, Any]) -> dict[str, Any]:
        """Return "skate_before", "skate_after", "stance_before" and "stance_after", metres, summed over the
        feet, and the verdict's sentences.
        """
        moved = {
            f"{what}_{name}": sum(foot[f"{what}_m"] for foot in values[name])
            for what in ("skate", "stance")
            for name in ("before", "after")
        }
        return {**moved, **verdict_of(values)}


def _figure(value: float | None, unit: str) -> str:
    return "" if value is None else f"{value:.3f} {unit}"
