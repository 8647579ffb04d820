# SPDX-License-Identifier: GPL-3.0-or-later
"""Lock Feet: an action whose planted feet stand still, as a new one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..console import output
from ..records import record
from ..settings.feet import LockSettings
from .task import ClipTask, Done, InSpecs

if TYPE_CHECKING:
    from .work import Work


@record(frozen=True)
class Feet(ClipTask):
    """One action whose feet are locked."""

    KIND = "feet"
    SETTINGS = LockSettings
    COMMAND = "feet"
    HELP = "lock an action's planted feet in a new action"
    DESCRIPTION = """Make a new action of another one in which planted feet stand still, and write the file.
Only the legs have other keys, and the hips if they help, and only where a foot would skate; the action itself
stays as it is.

Contacts that an animator has edited count as they are stored with the action, others are found."""
    IN_SPECS = InSpecs(
        "feet",
        "feet",
        "actions whose planted feet are locked, each in a new one",
        "an action whose planted feet are locked",
    )
    STEM = "{action}_locked"
    SUMMARY = ("settings", "frame_range", "before", "after", "pinned")

    def make(self, work: Work, bakes: bool) -> Done:
        """Lock them, and judge the result as a check does."""
        from ..blender.checking import check
        from ..blender.feet import bake

        report = work.run(bake.locking_action(work.armature, self.settings), "baking")
        measured = {}
        if work.is_judged:
            clip = work.clip(report.result, report.slot)
            measured = work.run(check.steps(work.armature, clip), "measuring").measured()
        return Done(report.result, report.as_dict(), report, measured)

    @staticmethod
    def lines(values: dict[str, Any]) -> list[str]:
        """How far, and how fast, each foot skates, before and after."""
        rows = [["foot", "skate", "locked", "speed", "locked"]]
        for before, after in zip(values["before"], values["after"], strict=True):
            figures = [each[name] for name in ("skate_m", "skate_speed") for each in (before, after)]
            units = ("m", "m", "m/s", "m/s")
            said = ["" if f is None else f"{f:.3f} {unit}" for f, unit in zip(figures, units, strict=True)]
            rows.append([before["foot"], *said])
        head = f'"{values["result"]}" is "{values["action"]}" with its feet locked'
        lines = [*output.table(rows), *values["notes"]]
        return [f"{head}, {values['keys']} keys", *("  " + line for line in lines)]

    def told(self, values: dict[str, Any]) -> dict[str, Any]:
        """How far the feet skated, and skate, together."""
        return {
            f"skate_{name}": sum(foot["skate_m"] for foot in values[name]) for name in ("before", "after")
        }
