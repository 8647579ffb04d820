# SPDX-License-Identifier: GPL-3.0-or-later
"""Check: what an action is like: its feet, its pops, and what the judge says of a result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..console import output
from ..records import record
from ..settings.feet import CheckSettings
from .task import ClipTask, Done, InSpecs, words

if TYPE_CHECKING:
    from .work import Work


@record(frozen=True)
class Check(ClipTask):
    """One action that is checked."""

    KIND = "check"
    SETTINGS = CheckSettings
    COMMAND = "check"
    HELP = "measure how well an action's feet stay put and how much it pops, and judge a result"
    DESCRIPTION = """Find when each foot of an action is planted, and measure what it does: how far, and how
fast, it skates while it is low, and how deep it sinks below the ground; and the highest change of the joints'
velocity from one frame to the next.

Of what Inertia has baked, a transition, a hop, a path, a loop or a filled gap, the verdict is said, too, as
it was before the bake: its recipe says which frames and which actions are to be looked at. Gates then judge
what is within these frames, and else all of the action.

Exit codes: 0 done, 1 failed or over a gate, 2 wrong usage.

Contacts that an animator has edited count as they are stored with the action."""
    IN_SPECS = InSpecs(
        "checks",
        "check",
        "actions whose feet and pops are measured, for gates",
        "a check of an action",
    )
    STEM = "{action}_check"
    TOLD = ("pop",)
    GATES = ("skate", "lift", "reach", "skate_speed", "penetration", "pop")
    BAKES = False
    LISTS = True
    REPORTS = True

    def make(self, work: Work, bakes: bool) -> Done:
        """Measure it."""
        from ..blender.checking import check

        clip = work.clip(self.settings.action, self.settings.slot)
        checked = work.run(check.steps(work.armature, clip), "measuring")
        return Done(self.label, checked.as_dict(), None, checked.measured(), tuple(checked.seen.notes))

    @staticmethod
    def lines(values: dict[str, Any]) -> list[str]:
        """What each foot does, the highest pop, and the verdict."""
        lines = [f"{values['action']}: frames {values['start']:g} to {values['end']:g}"]
        if values["cycle"]:
            lines[0] += ", a cycle"
        if values["in_place"]:
            lines[0] += f", in place on ground that passes at {values['ground_speed']:.3g} m/s"
        rows = [["foot", "planted", "skate", "speed", "below ground, 95 %"]]
        for foot in values["feet"]:
            spans = " ".join(f"{start:g}-{end:g}" for start, end in foot["spans"]) or "never"
            figures = (
                _said(foot["skate_m"], "m"),
                _said(foot["skate_speed"], "m/s"),
                _said(foot["penetration_p95_m"], "m"),
            )
            rows.append([foot["foot"], spans, *figures])
        lines += ["  " + line for line in output.table(rows)] if values["feet"] else []
        if values["pop"] is not None:
            lines.append(f"pop: {values['pop']:.3g} m/s at frame {values['pop_frame']:g}")
        return lines + words(values).get("verdict", [])


def _said(value: float | None, unit: str) -> str:
    return "" if value is None else f"{value:.3f} {unit}"
