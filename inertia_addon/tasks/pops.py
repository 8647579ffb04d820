# SPDX-License-Identifier: GPL-3.0-or-later
"""Pops: where an action's bones jump beyond what they do elsewhere, and an action without."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Self

from ..console import output
from ..errors import UsageError
from ..records import record
from ..settings.fields import setting
from ..settings.pops import WHOLE_POSE, PopSettings
from .task import ClipTask, Done, InSpecs, Work, verdict_lines


@record(frozen=True)
class PopsTask(ClipTask):
    """One action whose pops are listed, or smoothed. repair: whether there has to be something to smooth."""

    KIND = "pops"
    SETTINGS = PopSettings
    HIDDEN = ("library", "assign")
    COMMAND = "pops"
    HELP = "find where an action's bones jump, and smooth the jumps"
    DESCRIPTION = """Find pops: places where the rotation or the location of a bone, or of the object, jumps
beyond its motion around that place and elsewhere in the action. A step stays, a spike is one frame out of
place, and a stretch leads away and back. Where all bones jump at once, as at a cut between two takes, that is
one pop of the whole pose. The command writes nothing but what you ask for.

With --repair they are smoothed in a new action, which is written to OUT: a spike moves to where its
neighbours lead, a step's offset fades, and a stretch is moved back. Everywhere else each key stays as it
is."""
    IN_SPECS = InSpecs("pops", "pops", "actions whose jumps are listed or smoothed", "the pops of an action")
    STEM = "{action}_pops"
    EVENT = ("pops", "left")
    GATES = ("pops",)
    BAKES = None
    LISTS = True

    repair: bool = setting(default=False, help="smooth the pops, in a new action")

    @classmethod
    def of_values(cls, values: Mapping[str, Any]) -> Self:
        """Return the task that values ask for."""
        return dataclasses.replace(super().of_values(values), repair=values.get("repair", False))

    @classmethod
    def of_options(cls, values: Mapping[str, Any]) -> Self:
        """Return the task that options ask for.

        Raise UsageError where pops are to be smoothed in no file, too.
        """
        if values.get("repair", False) != (values["output"] is not None):
            raise UsageError("Give --repair with -o OUT to write an action without pops, or neither to look.")
        return super().of_options(values)

    @classmethod
    def makes_action(cls, values: Mapping[str, Any]) -> bool:
        """Return whether pops are to be smoothed, not only looked for."""
        return bool(values.get("repair", False))

    def as_dict(self) -> dict[str, Any]:
        """Return what the task is known by; the kinds of its files say whether pops are smoothed."""
        return {"settings": self.settings.as_dict()}

    def make(self, work: Work, *, bakes: bool) -> Done:
        """Find an action's pops, and smooth them in a new action if bakes.

        With bakes, but without pops and without repair, the Done's report is on the action as it is,
        unchanged, so that a pipeline has all of its files. Without bakes there is no report. The label is
        always the name of the action that was searched. values of the Done: "action", "slot", "start", "end",
        "fps", "pops" (by frame, dicts of bone, bones, channel, kind, first, last, size, unit and times),
        "report" (a dict, None unless pops were smoothed), "left", how many pops are left: all of them where
        none were smoothed, and where some were "verdict" (a dict, None where Blender would not play the rig).
        measured is {"pops": left}. Raise InertiaError if the action can't be read, or with bakes and repair
        if there is nothing to smooth.
        """
        from ..blender.pops import bake, search

        clip = work.clip(self.settings.action, self.settings.slot)
        search_result = work.run(search.search_pops_steps(work.character, clip, self.settings), "searching")
        values, report, left = {**search_result.as_dict(), "report": None}, None, len(search_result.pops)
        if bakes and (search_result.pops or self.repair):
            report = bake.smooth_found(work.armature, self.settings, search_result)
            values["report"], left = report.as_dict(), report.left
            values["verdict"] = values["report"].pop("verdict")
        elif bakes:
            report = bake.report_unchanged(search_result)
        return Done(self.settings.action, {**values, "left": left}, report, {"pops": left})

    @staticmethod
    def lines(values: dict[str, Any]) -> list[str]:
        """Return the command's text: how many pops, a table of them, and what became of them.

        values: of make; where pops were smoothed also with "output", the path of the file. The table has
        bone, frames, channel, kind, size with its unit, and how many times the usual size it is; for a pop of
        all bones "the whole pose", the number of bones and "up to" the size. There is no table without pops.
        Where "report" is not None, lines say how many were smoothed and where they are written, how many are
        left, which curves had to be baked, with why, and what the verdict on it is.
        """
        count = len(values["pops"])
        lines = [f"{values['action']}: {count or 'no'} pop{'s' * (count != 1)}"]
        rows = [["bone", "frames", "", "kind", "size", "times the usual"]]
        for pop in values["pops"]:
            first, last = (f"{pop[name]:g}" for name in ("first", "last"))
            size = f"{pop['size']:.3g} {pop['unit']}"
            span = first if first == last else f"{first} to {last}"
            where, what = pop["bone"], pop["channel"]
            if where == WHOLE_POSE:
                where, what, size = "the whole pose", f"{pop['bones']} bones", f"up to {size}"
            rows.append([where, span, what, pop["kind"], size, f"{pop['times']:.1f}"])
        lines += output.table(rows, "  ") if count else []
        if report := values["report"]:
            smoothed = f'"{report["result"]}" has {len(report["pops"])} of them smoothed'
            lines.append(f"{smoothed}; it is written to {values['output']}.")
            lines.append(f"{report['left'] or 'none'} left in it")
            for note in report["baked_curves"]:
                where = f"{note['data_path']}[{note['array_index']}]"
                lines.append(f"note: {where} is baked, as it has {note['reason']}")
        return lines + verdict_lines(values)
