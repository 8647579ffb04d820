# SPDX-License-Identifier: GPL-3.0-or-later
"""Fewer keys: an action that shows the same as another one within a tolerance, by the fewest keys."""

from __future__ import annotations

from typing import Any

from ..records import record
from ..settings.fewer_keys import FewerKeysSettings
from .task import ClipTask, Done, InSpecs, Work


@record(frozen=True)
class FewerKeysTask(ClipTask):
    """One action that gets fewer keys."""

    KIND = "keys"
    SETTINGS = FewerKeysSettings
    HIDDEN = ("library", "assign")
    COMMAND = "keys"
    HELP = "make a new action that shows the same with fewer keys"
    DESCRIPTION = """Make a new action of another one that shows the same with the fewest keys, and write the
file. No joint is further than the tolerance from where the action has it, on each frame and half-way between
two; planted feet are within a millimetre.

A bone has its keys on common frames, where it turns back and where its feet land and lift first, with
handles. The action itself keeps all of its keys."""
    IN_SPECS = InSpecs(
        "keys",
        "keys",
        "actions to show with fewer keys, each in a new one",
        "an action to show with fewer keys",
    )
    STEM = "{action}_keys"
    SUMMARY = ("settings", "frame_range", "keys", "keys_before", "deviation")

    def make(self, work: Work, *, bakes: bool) -> Done:
        """Bake a new action that shows the same with fewer keys, and say how far from it that is.

        bakes is ignored: an action is always made, and assigned if the settings say so. The Done has the
        bake's report; its label is the new action's name. values: the report as a dict, with "keys",
        "keys_before" and "deviation": joint (the furthest that one is away, metres), bone, frame (which and
        when) and stance (the furthest that a planted foot is, metres, None where none is planted). Raise
        InertiaError if the action can't be used, or has no key to spare.
        """
        from ..blender.fewer_keys import bake

        report = work.run(bake.reduce_keys_steps(work.armature, self.settings), "fitting")
        return Done(report.result, report.as_dict(), report)

    @staticmethod
    def lines(values: dict[str, Any]) -> list[str]:
        """Return the command's text: what was made and how many keys it has of how many; the joint that is
        furthest off, in cm, with its frame; and, where feet are planted, how far these are off at most, in
        mm.

        values: of make.
        """
        away = values["deviation"]
        count = f"{values['keys']:,} of {values['keys_before']:,} keys"
        head = f'"{values["result"]}" is "{values["action"]}" with {count}'
        lines = [head, f"  furthest: {away['bone']}, {100 * away['joint']:.2f} cm at frame {away['frame']:g}"]
        if away["stance"] is not None:
            lines.append(f"  planted feet: within {1000 * away['stance']:.2f} mm")
        return lines
