# SPDX-License-Identifier: GPL-3.0-or-later
"""Finished takes: what capture and generators leave undone in an action, and the action without it."""

from __future__ import annotations

from typing import Any

from ..console import output
from ..records import record
from ..settings.finish import FinishSettings
from .task import ClipTask, Done, InSpecs, Work


@record(frozen=True)
class FinishTask(ClipTask):
    """One take that is looked at, or finished."""

    KIND = "finish"
    SETTINGS = FinishSettings
    HIDDEN = ("library", "assign")
    COMMAND = "finish"
    HELP = "list what a captured or generated take still needs, and mend it"
    DESCRIPTION = """Look at a take, and list what capture and generators leave undone: a bind pose in front,
channels that only other actions key, jitter, pops, a tilted floor, seams at which it stalls, feet that are
above or below the floor, feet that skate, and limbs that turn over. Nothing is written without -o.

With -o all of that is mended but what --leave names, in the order in which it has to be, in one new action.
Outside of what was found every key stays as it is. Each finding is measured before and after."""
    IN_SPECS = InSpecs("finishes", "finish", "takes that are looked at or finished", "a take to finish")
    STEM = "{action}_finished"
    EVENT = ("findings", "left")
    GATES = ("findings",)
    BAKES = None
    LISTS = True

    def make(self, work: Work, *, bakes: bool) -> Done:
        """Look at a take, and finish it in a new action if bakes.

        With bakes, but with nothing to be mended, the Done's report is on the action as it is, unchanged, so
        that a pipeline has all of its files. Without bakes there is no report. values of the Done: "action",
        "slot", "start", "end", "facts", "findings" (by frame, dicts of name, kind, bone, first, last, size,
        unit, severity, words and mended), "notes", "report" (a dict, None unless something was mended; its
        "outcomes" have each finding's size before and after), and "left", how many findings are left: all of
        them where nothing was mended. measured is {"findings": left}. Raise InertiaError if the action can't
        be read.
        """
        from ..blender.finish import bake, look
        from ..blender.finish.findings import chosen

        seen = work.run(look.look_steps(work.armature, self.settings), "looking")
        values, left = {**seen.as_dict(), "report": None}, len(seen.findings)
        report = None
        if bakes and chosen(self.settings, seen.findings):
            report = work.run(bake.finish_take_steps(work.armature, self.settings, None, seen), "mending")
            values["report"], left = report.as_dict(), report.left
            values["notes"] = list(report.notes)
        elif bakes:
            report = bake.report_unchanged(seen)
        notes = tuple(values["notes"])
        return Done(self.settings.action, {**values, "left": left}, report, {"findings": left}, notes)

    @staticmethod
    def lines(values: dict[str, Any]) -> list[str]:
        """Return the command's text: what the take is like, a table of findings, and what became of them.

        values: of make; where something was mended also with "output", the path of the file. The table has
        each finding's name, its frames, and what it is; with a report also its size before and after, and
        what became of it. There is no table without findings.
        """
        facts, count = values["facts"], len(values["findings"])
        floor = "no floor" if facts["floor_height"] is None else f"floor at {facts['floor_height']:.3g} m"
        lines = [
            f"{values['action']}: {count or 'no'} finding{'s' * (count != 1)}",
            f"  {facts['fps']:g} frames a second, {facts['size']:.3g} m, {facts['up']} up, {facts['bones']} "
            f"bones, {facts['legs']} legs, {floor}",
        ]
        report = values["report"]
        became = {each["name"]: each for each in report["outcomes"]} if report else {}
        rows = [["finding", "frames", "", *(["before", "after", ""] if report else [])]]
        for finding in values["findings"]:
            first, last = (f"{finding[name]:g}" for name in ("first", "last"))
            row = [finding["name"], first if first == last else f"{first} to {last}", finding["words"]]
            if report:
                outcome = became[finding["name"]]
                sizes = [f"{outcome[name]:.3g} {outcome['unit']}" for name in ("before", "after")]
                row += [*sizes, outcome["became"]]
            rows.append(row)
        lines += output.table(rows, "  ") if count else []
        if report:
            lines.append(
                f'"{report["result"]}" is written to {values["output"]}; {values["left"] or "none"} left'
            )
            for note in report["baked_curves"]:
                where = f"{note['data_path']}[{note['array_index']}]"
                lines.append(f"note: {where} is baked, as it has {note['reason']}")
        return lines
