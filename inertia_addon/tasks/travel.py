# SPDX-License-Identifier: GPL-3.0-or-later
"""Travel: an action in place as a new one that goes the way its feet tell, or the inverse."""

from __future__ import annotations

from typing import Any

from ..records import record
from ..settings.travel import TravelSettings
from .task import ClipTask, Done, InSpecs, Work


@record(frozen=True)
class TravelTask(ClipTask):
    """One action that is given travel, or from which it is taken."""

    KIND = "travel"
    SETTINGS = TravelSettings
    HIDDEN = ("library", "assign")
    COMMAND = "travel"
    HELP = "give an action in place the travel that its feet show, move it to another bone, or remove it"
    DESCRIPTION = """Make a new action from another one that stays in place, and write the file: the new one
goes over the ground so that planted feet stand still. The command reports the speed that it finds; --speed
sets a better one, or that of what flies or swims.

If the action travels already, its travel moves to what --on says, such as from the hips to the root bone: the
pose in the world stays as it is.

--in-place does the inverse: it removes the action's travel. It removes exactly what Travel has given."""
    IN_SPECS = InSpecs(
        "travels",
        "travel",
        "actions that get the travel that their feet show, or lose it",
        "an action that gets travel, or loses it",
        '"{action}_travel", or "{action}_in_place"',
    )
    STEM = "{action}_travel"
    EVENT = ("speed", "way", "skate_after")
    SUMMARY = (
        *("settings", "frame_range", "root", "told_by", "speed", "turn", "way", "heading"),
        *("moved_from", "skate_before", "skate_after"),
    )

    @property
    def label(self) -> str:
        """The action for a reader."""
        return f"{self.settings.action} in place" if self.settings.in_place else super().label

    @property
    def stem(self) -> str:
        """The usual name of what is written."""
        return "{action}_in_place" if self.settings.in_place else self.STEM

    def make(self, work: Work, *, bakes: bool) -> Done:
        """Make the new action."""
        from ..blender.travel import bake

        report = work.run(bake.make_travel_steps(work.armature, self.settings), "baking")
        return Done(report.result, report.as_dict(), report)

    @staticmethod
    def lines(values: dict[str, Any]) -> list[str]:
        """Return the command's text: what was done, the new action with its file, and how far feet skate
        after and before.

        values: the report, with "output". The first line has the speed in m/s (and the turn, from 1 degree a
        second on), or how many metres were taken out, or from where to where they move. The last line is left
        out where the skate is not known (None).
        """
        how = {"FEET": ", from its feet", "SETTING": ", as given"}.get(values["told_by"], "")
        turn = f", and turns {values['turn']:.0f} degrees a second" if abs(values["turn"]) >= 1.0 else ""
        first = f"{values['action']}: {values['speed']:.2f} m/s{how}{turn}"
        if values["in_place"]:
            first = f"{values['action']}: {values['way']:.2f} m are taken out"
        elif values["moved_from"] is not None:
            before, now = (
                f'"{name}"' if name else "the object" for name in (values["moved_from"], values["root"])
            )
            first = f"{values['action']}: its {values['way']:.2f} m move from {before} to {now}"
        lines = [first, f'"{values["result"]}" is written to {values["output"]}.']
        if values["skate_after"] is not None:
            lines.append(f"feet skate {values['skate_after']:.3f} m, {values['skate_before']:.3f} m before")
        return lines
