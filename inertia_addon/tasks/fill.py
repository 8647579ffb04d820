# SPDX-License-Identifier: GPL-3.0-or-later
"""Gaps between two actions, filled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..records import record
from ..settings import fields, fill
from ..settings.fields import setting
from ..settings.fill import KEYS, FillSettings
from ..settings.transition import TransitionSettings
from . import pages
from .task import (
    JOINTS,
    PAGE,
    REPORT,
    AskedSettings,
    Done,
    Task,
    Work,
    check_strips,
    make_result_option,
    misused,
    transition_of,
    verdict_lines,
)


@record(frozen=True)
class FillTask(Task):
    """One gap."""

    KIND = "fill"
    COMMAND = "fill"
    HELP = "fill the gap between two actions, to arrive on a frame"
    DESCRIPTION = """Fill the gap between two actions, and write the file.

The source plays up to the cut, and the destination from its frame on that is arrived at, so many frames
later: both exactly. It is placed where the source's motion leads, unless --at names a place or --goal says
otherwise. Between them go clips of the armature, found by a search that knows the arrival: of all
frames that can be entered it takes the one with the smoothest joins that leads there, and the root is drawn
over what is left. Where no clips arrive in time it says which time would do, with --json as
"nearest_seconds".

The gap is filled without clips, too, and the judge says which is taken; --choose-by cost takes clips
anyway. With --no-library no clips are used: each bone leads from pose to pose, with the velocities of
both, and feet that stand step over.

Without -o nothing is baked or written, and what is said is what the search has found."""
    ASKS = (
        # two keys say where the gap is as well as these do
        AskedSettings(TransitionSettings, fill.OF_GAPS, optional=fill.STOOD_FOR),
        AskedSettings(FillSettings),
        JOINTS,
    )
    WRITES = (make_result_option(is_needed=False), REPORT, PAGE)
    GATES = ()
    SETTINGS = FillSettings
    EVENT = ("arrival", "cuts")
    SUMMARY = ("settings", "frame_range", "cuts", "arrival", "clips", "joins", "warnings")

    keys: tuple[float, ...] = setting(
        (), fields.FRAME, KEYS, metavar=("FIRST", "LAST"), count=2, group="the gap"
    )

    @classmethod
    def of_options(cls, values: Mapping[str, Any]) -> Task:
        """Return the FillTask that the command's options ask for.

        values: by option name; "output" is always there, None without -o. The new action is assigned by
        default. Raise UsageError for settings that are out of range or don't go together, for --strips with
        an output that is no .blend file, and for --html with --strips or without an output.
        """
        with misused():
            values = FillSettings.between_keys(values)
        blend = {name: values[name] for name in fill.OF_GAPS if name in values}
        transition = transition_of(blend, assign=True)
        with misused():
            settings = FillSettings.of(transition, values)
        check_strips(strips=settings.strips, output=values["output"])
        pages.check_page(values)
        return cls(settings)

    @property
    def label(self) -> str:
        """The gap for a reader."""
        blend = self.settings.transition
        return f"gap from {blend.source} to {blend.destination} at {blend.cut:g}"

    def make(self, work: Work, *, bakes: bool) -> Done:
        """Search for the clips that fill the gap; bake and judge it too if bakes.

        values of the Done always have "settings", "clips", "arrival" (a scene frame) and "goal" (in lower
        case). Each of the clips is a dict: "action", "mirrored", "frame", the clip's own at which it is
        entered, and "from", the scene frame at which it takes over.

        With use_library there are "seconds" (that the gap lasts) and "arrives_at" ([x, y, heading], metres in
        the world and degrees). Unless the fill that is taken has no clips, it adds "costs" (numbers by what
        they are of, such as "join" and "arrival", in the search's own unit), "drawn_m" and "turned_deg" (by
        how much its root is drawn and turned to arrive, both without a sign), and where the settings name
        obstacles "obstacle_m", how near it comes to one. Without use_library, or where the gap is too short
        for clips, nothing is searched and clips is []. With use_library and without bakes, "choices" lists
        such values of at most three unlike fills, the best first, each with its "rating".

        With bakes the values of the bake's report come on top; the Done has the report, its warnings as
        notes, with one more if the gap is too short for clips, a page if it is wanted, and in measured the
        worst pop (m/s), skate, lift and reach (metres) of the joins' verdicts. Without bakes the file stays
        as it is and measured is {}. Raise InertiaError where no clips arrive in time, there are fewer fills
        than the one chosen, the gap is too short or too long, or the ends can't be read or baked.
        """
        from ..blender.fill import bake, choosing, search
        from ..blender.judging import verdict

        armature, weights = work.armature, work.weights()
        candidates: search.Candidates | None = None
        settings = search.resolved(work.character, self.settings)
        values: dict[str, Any] = {"settings": settings.as_dict(), "clips": [], "arrival": settings.arrival}
        values["goal"] = settings.chosen_goal.lower()
        if settings.use_library and not bakes:
            found = work.run(choosing.find_choices_steps(armature, settings, weights), "searching")
            choices = [search.figures(each.fill) | {"rating": each.rating} for each in found]
            if settings.choice > len(choices):
                raise search.no_choice(settings, len(choices))
            values |= choices[settings.choice - 1] | {"choices": choices}
        elif settings.use_library:
            candidates = work.run(search.search_candidates_steps(armature, settings, weights), "searching")
        if not bakes:
            return Done(self.label, values)
        report = work.run(bake.fill_gap_steps(armature, settings, candidates, weights=weights), "baking")
        if candidates is not None:
            values |= search.figures(candidates.taken(has_clips=report.has_clips))
        values |= report.as_dict()
        measured = verdict.measures(report.verdicts)
        writes = pages.write_result_page(work, report.result, report.slot)
        is_short = settings.use_library != self.settings.use_library
        notes = (*report.warnings, *((search.TOO_SHORT,) if is_short else ()))
        return Done(report.result, values, report, measured, notes, writes)

    @staticmethod
    def lines(values: dict[str, Any]) -> list[str]:
        """Return the command's text: for each choice the clips with their frames, and the arrival; then the
        verdict, if any.

        values: of make; without "choices" they are themselves the one choice. "choice N:" stands above each
        choice only if there are several. A clip's line says at which scene frame it takes over, its action,
        whether it is mirrored, and from which of its own frames. The arrival's line says by how many cm the
        root's way was drawn and by how many degrees turned, or that no clips are used.
        """
        lines, choices = [], values.get("choices", [values])
        for i, choice in enumerate(choices, 1):
            lines += [f"choice {i}: {choice['rating'].capitalize()}"] if len(choices) > 1 else []
            for clip in choice["clips"]:
                name = f"{clip['action']}{' mirrored' if clip['mirrored'] else ''}"
                lines.append(f"{clip['from']:g}: {name} from {clip['frame']:g}")
            how = "no clips, each bone leads from pose to pose"
            if "costs" in choice:
                turned = f"turned by {choice['turned_deg']:.1f} degrees"
                how = f"drawn by {100.0 * choice['drawn_m']:.1f} cm, {turned}"
            lines.append(f"{choice['arrival']:g}: the arrival; {how}")
        return [*lines, *verdict_lines(values)]
