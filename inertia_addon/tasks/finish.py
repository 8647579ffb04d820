# SPDX-License-Identifier: GPL-3.0-or-later
"""Finished takes: what capture and generators leave undone in an action, and the action without it."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Self

from ..console import output
from ..errors import InertiaError
from ..records import record
from ..settings.finish import FinishSettings
from .task import ClipTask, Done, InSpecs, Work, verdict_lines

if TYPE_CHECKING:
    from ..blender.data.report import Report
    from ..blender.hops.bake import HopReport


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
Outside of what was found every key stays as it is. Each finding is measured before and after.

With --into, too, the finished take is put into that action: the action is left for it at the frame --at, and
goes on from there behind it. What is written shows the action with the take in it; the finished take is in
the file as well."""
    IN_SPECS = InSpecs("finishes", "finish", "takes that are looked at or finished", "a take to finish")
    STEM = "{action}_finished"
    EVENT = ("findings", "left")
    GATES = ("findings",)
    BAKES = None
    LISTS = True

    @property
    def stem(self) -> str:
        """The usual name of what is written, with the action's in braces."""
        return f"{self.settings.into}_with_{{action}}" if self.settings.into else self.STEM

    def resolved(self, armature: str) -> Self:
        """Return the task with the names of its actions, of the take and of what it is put into, as the file
        has them.

        armature: its name. Raise InertiaError for a name that fits no action, or several.
        """
        from ..blender.data import names

        task = super().resolved(armature)
        if not task.settings.into:
            return task
        (into,) = names.resolve([task.settings.into], armature)
        return dataclasses.replace(task, settings=dataclasses.replace(task.settings, into=into))

    def make(self, work: Work, *, bakes: bool) -> Done:
        """Look at a take, and finish it in a new action if bakes.

        With bakes, but with nothing to be mended, the Done's report is on the action as it is, unchanged, so
        that a pipeline has all of its files. Without bakes there is no report. values of the Done: "action",
        "slot", "start", "end", "facts", "findings" (by frame, dicts of name, kind, bone, first, last, size,
        unit, severity, words and mended), "notes", "report" (a dict, None unless something was mended; its
        "outcomes" have each finding's size before and after), "inserted" (a dict, the report of the hop
        through the take, None unless it was put into another action), and "left", how many findings are left:
        all of them where nothing was mended. With an action to put it into, the Done's report is on what was
        made of that. measured is {"findings": left}. Raise InertiaError if the action can't
        be read.
        """
        from ..blender.finish import bake, look
        from ..blender.finish.findings import chosen

        settings = self.settings
        seen = work.run(look.look_steps(work.armature, settings), "looking")
        values, left = {**seen.as_dict(), "report": None, "inserted": None}, len(seen.findings)
        if not bakes:
            return self._done(values, left, None)
        report: Report = bake.report_unchanged(seen)
        if chosen(settings, seen.findings):
            finishing = dataclasses.replace(settings, assign=settings.assign and not settings.into)
            if settings.into:
                finishing = dataclasses.replace(finishing, result="")
            mended = work.run(bake.finish_take_steps(work.armature, finishing, None, seen), "mending")
            values["report"], left, report = mended.as_dict(), mended.left, mended
            values["notes"] = list(mended.notes)
            values["verdict"] = mended.after.as_dict()
        if settings.into:
            inserted = self._insert(work, report)
            values["inserted"], report = inserted.as_dict(), inserted
        return self._done(values, left, report)

    def _insert(self, work: Work, finished: Report) -> HopReport:
        """Put the finished take into the action that the settings name, and return that report. Where that
        fails, the finished action is removed if it was made for it, and the InertiaError goes on.
        """
        from ..blender.data import actions
        from ..blender.finish import insertion

        steps = insertion.insert_take_steps(work.armature, self.settings, finished.result)
        try:
            return work.run(steps, "putting it into the action")
        except InertiaError:
            if finished.result != self.settings.action:
                actions.remove_all([actions.find(finished.result)])
            raise

    def _done(self, values: dict[str, Any], count: int, report: Report | None) -> Done:
        """Return what came of it. count: how many findings are left."""
        notes = tuple(values["notes"])
        return Done(self.settings.action, {**values, "left": count}, report, {"findings": count}, notes)

    def event(self, values: dict[str, Any]) -> dict[str, Any]:
        """Return "findings", "left" (how many are left), and "verdict": the sentences of the verdicts on the
        take, then on where it was put, if it was.
        """
        words = [*verdict_lines(values), *verdict_lines(values["inserted"] or {})]
        return {**super().event(values), "verdict": words}

    @staticmethod
    def lines(values: dict[str, Any]) -> list[str]:
        """Return the command's text: what the take is like, a table of findings, and what became of them.

        values: of make; where something was mended also with "output", the path of the file. The table has
        each finding's name, its frames, and what it is; with a report also its size before and after, and
        what became of it. There is no table without findings. With findings and without a report, the
        verdict's sentences follow; with a report its verdicts before and after (the first sentence of each),
        the file, how many findings are left, and the curves that had to be baked, with why; and where the
        take was put into an action the lines of :func:`_describe_insertion`.
        """
        facts, count = values["facts"], len(values["findings"])
        floor = "no floor" if facts["floor_height"] is None else f"floor at {facts['floor_height']:.3g} m"
        stands = {None: "", "Z": "upright, "}.get(facts["up"], f"head towards {facts['up']}, ")
        lines = [
            f"{values['action']}: {count or 'no'} finding{'s' * (count != 1)}",
            f"  {facts['fps']:g} frames a second, {facts['size']:.3g} m, {stands}{facts['bones']} bones, "
            f"{facts['legs']} legs, {floor}",
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
        if count and not report:
            lines += ["  " + words for words in verdict_lines(values)]
        if report:
            lines += [f"  {when}: {report[when]['words'][0]}" for when in ("before", "after")]
            lines.append(
                f'"{report["result"]}" is written to {values["output"]}; {values["left"] or "none"} left'
            )
            for note in report["baked_curves"]:
                where = f"{note['data_path']}[{note['array_index']}]"
                lines.append(f"note: {where} is baked, as it has {note['reason']}")
        if values["inserted"]:
            lines += _describe_insertion(values)
        return lines


def _describe_insertion(values: dict[str, Any]) -> list[str]:
    """Return lines on where a take was put: the new action with its file, the frames of both joins with the
    take's and the action's own there, and the verdict on the joins. values: of make.
    """
    inserted = values["inserted"]
    way, cuts = inserted["way"], inserted["cuts"]
    (take,), (entry,), (leave,) = way["clips"], way["entries"], way["exits"]
    lines = [
        f'"{inserted["result"]}" is written to {values["output"]}',
        f'  {cuts[0]:g}: "{take}", from its frame {entry:g} on',
        f"  {cuts[-1]:g}: back, at its frame {leave:g}",
    ]
    return [*lines, *verdict_lines(inserted)]
