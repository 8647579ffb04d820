# SPDX-License-Identifier: GPL-3.0-or-later
"""Updates: results of any kind that are made anew in their place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from ..console import output
from ..errors import InertiaError, Sentence
from ..records import record
from ..settings.update import UpdateSettings
from .task import ClipTask, Done, InSpecs, Work, headline, verdict_of

if TYPE_CHECKING:
    from ..blender.data.report import Report
    from ..blender.judging.verdict import Verdict


@record(frozen=True)
class UpdateTask(ClipTask):
    """One result that is made anew, or all of an armature."""

    KIND = "update"
    SETTINGS = UpdateSettings
    COMMAND = "update"
    HELP = "bake results again from their changed actions, in their place"
    DESCRIPTION = """Bake what Inertia has made again, in its place, and write the file: with the settings
it was made with, from its actions, its path, its contacts and its model as they are now. That is one result,
or all of the armature's, each after those that it was made of itself. Who plays a result goes on playing it.

A result whose actions are gone, or that can't be made any more, stays as it is, and a warning says why; if
it is the one that is named, the command fails."""
    IN_SPECS = InSpecs("updates", "update", "results that are baked again", "a result that is baked again")
    STEM = "{action}_updated"
    OF_RESULTS = True
    GATES = ("skate", "lift", "reach", "pop")

    @property
    def label(self) -> str:
        """The result for a reader."""
        return self.settings.action or "all results"

    def resolved(self, armature: str) -> Self:
        """Return the task with the name of its result as the file has it."""
        return super().resolved(armature) if self.settings.action else self

    def make(self, work: Work, *, bakes: bool) -> Done:
        """Make a result anew, or all of the armature's, and judge what was made.

        bakes is ignored: actions are always made. values of the Done: "updated", for each result in order a
        dict: "kind", such as "transition" or "loop", what its report tells, "verdict", the worst (None
        without any), "verdicts" and "notes"; "verdict", the worst of all; and "warnings". The report is that
        of the last one, and measured has the worst pop (m/s), skate, lift and reach (metres) of all verdicts,
        None where nothing can be said of them. Raise InertiaError where nothing can be made anew; the file is
        as it was then.
        """
        from ..blender.checking import check
        from ..blender.data import actions, recipe, result_kinds
        from ..blender.judging import verdict
        from ..blender.results import update

        armature, settings = work.armature, self.settings
        named = [actions.find(settings.action)] if settings.action else update.list_results(armature)
        if not named:
            raise InertiaError(
                'No action of "{armature}" was made by Inertia, so there is nothing to update.',
                armature=armature.name,
            )
        told: list[dict[str, Any]] = []
        verdicts: list[Verdict] = []
        warnings: list[str] = []
        report: Report | None = None
        for name, kind in [(action.name, recipe.kind(action)) for action in named]:
            try:
                report = work.run(update.update_steps(armature, actions.find(name)), "updating")
            except InertiaError as error:
                if len(named) == 1:
                    raise
                sentence = '"{action}" was not updated: {reason}'
                warnings.append(Sentence(sentence, action=name, reason=error.sentence))
                continue
            steps = check.judge_action_steps(work.character, actions.find(report.result), report.slot)
            seen = work.run(steps, "measuring")
            values = {"kind": result_kinds.WORDS.get(kind, kind), **report.as_dict()}
            told.append({**values, **verdict.as_values(seen.verdicts), "notes": [*map(str, seen.notes)]})
            verdicts += seen.verdicts
            warnings += getattr(report, "warnings", ())
        if report is None:
            raise InertiaError(warnings[0])
        values = {"updated": told, **verdict.as_values(verdicts), "warnings": [*dict.fromkeys(warnings)]}
        return Done(self.label, values, report, verdict.measures(verdicts))

    def event(self, values: dict[str, Any]) -> dict[str, Any]:
        """Return "results", the names of what was made anew, and the sentences of the worst verdict."""
        return {"results": [each["result"] for each in values["updated"]], **verdict_of(values)}

    @staticmethod
    def lines(values: dict[str, Any]) -> list[str]:
        """Return the command's text: a table of what was made anew with the first sentence on each, where it
        is written, and the warnings.
        """
        rows = [["result", "kind", "frames", "verdict"]]
        for each in values["updated"]:
            first, last = each["frame_range"]
            rows.append([each["result"], each["kind"], f"{first:g} to {last:g}", headline(each)])
        written = f"It is written to {values['output']}."
        return [*output.table(rows), written, *(f"warning: {text}" for text in values["warnings"])]
