# SPDX-License-Identifier: GPL-3.0-or-later
"""Hops, and tables of them for games."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

from ..console import output
from ..errors import UsageError
from ..records import record
from ..settings import fields, hops, limits
from ..settings.fields import setting
from ..settings.hops import HopSettings
from ..settings.transition import TransitionSettings
from ..storage import file_kinds
from .task import JOINTS, Asked, Done, Task, Written, transition_of, words
from .transition import said_baked

if TYPE_CHECKING:
    from .work import Work


@record(frozen=True)
class _HopTask(Task):
    """What is searched for hops."""

    SETTINGS = HopSettings

    def found(self, armature: str) -> Self:
        """The task, with the names of its actions as the file has them."""
        from ..blender.data import names

        return dataclasses.replace(self, settings=names.resolve_hops(self.settings, armature))


@record(frozen=True)
class Hop(_HopTask):
    """One hop, baked. rank: which of the trigger's hops it is, 1 for the best."""

    KIND = "hop"

    rank: int = 1

    @property
    def label(self) -> str:
        """The hop for a reader."""
        blend = self.settings.transition
        rank = f", rank {self.rank}" if self.rank > 1 else ""
        return f"{blend.source} to {blend.destination} by a hop, trigger {blend.cut:g}{rank}"

    def told(self, values: dict[str, Any]) -> dict[str, Any]:
        """Which way it is, and what the direct transition costs; both by the distance that was searched."""
        return {"way": values["way"], "direct": values["searched"]["direct"], **words(values)}

    def summary(self, values: dict[str, Any]) -> dict[str, Any]:
        """The settings, the way, and what a reader has to know of the search and of the blends."""
        warnings = [said for step in values["steps"] for said in step["warnings"]]
        return {
            "settings": self.settings.as_dict(),
            **{name: values[name] for name in ("way", "searched", "cuts")},
            "windows": [step["window"] for step in values["steps"]],
            **words(values),
            "warnings": list(dict.fromkeys(warnings)),
        }

    def make(self, work: Work, bakes: bool) -> Done:
        """Find its way and bake it."""
        from ..blender.hops import bake, search, worth
        from . import hop_search

        armature, settings = work.armature, self.settings
        prepared = work.prepared(settings)
        ways, direct = work.run(search.ranked(prepared, self.rank), "searching")
        way = hop_search.chosen(prepared, ways, self.rank)
        report = bake.bake_hop(armature, settings, way)
        work.count("baking")
        weights = work.weights()
        steps = worth.measure(armature, settings, report, weights, work.evaluated)
        measured = work.run(steps, "measuring")
        searched = {**hop_search.described(prepared), "direct": direct if math.isfinite(direct) else None}
        values = {**report.as_dict(), "searched": searched}
        return Done(report.last.result, values, report.last, dataclasses.asdict(measured))


@record(frozen=True)
class Tables(_HopTask):
    """A table of hops. all_pairs: the clips whose pairs it is of, () for the settings' own pair."""

    KIND = "hop table"
    TOLD = ("pairs",)

    all_pairs: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """The table for a reader."""
        blend, count = self.settings.transition, len(self.all_pairs)
        pair = f"{blend.source} to {blend.destination}"
        return f"hops of {count * (count - 1)} pairs" if count else f"hops {pair}"

    def found(self, armature: str) -> Self:
        """The task, with the names of its actions as the file has them."""
        from ..blender.data import names

        return dataclasses.replace(super().found(armature), all_pairs=names.resolve(self.all_pairs, armature))

    def make(self, work: Work, bakes: bool) -> Done:
        """Search for all triggers."""
        from ..blender.hops import table
        from . import hop_search

        prepared = work.prepared(self.settings, self.all_pairs)
        solved = hop_search.tables(prepared, self.all_pairs)
        work.count("searching")
        told = {"pairs": hop_search.told(prepared, solved), "searched": hop_search.described(prepared)}
        save = functools.partial(table.save, held=table.contents(prepared, solved))
        return Done(self.label, told, save=save)


SEARCHING = "searching"


@record(frozen=True)
class Hops(Tables):
    """Tables of hops, and the hops of one frame. trigger: that frame, None for tables alone. best: so many
    are ranked, and rank: which of them is baked if one is."""

    COMMAND = "hop"
    HELP = "find the best clip to go through between two actions, for every frame"
    DESCRIPTION = """\
Find, for every trigger frame of the source, the best way to the destination by a third clip.

Where two clips are too different to blend, a hop helps: wait in the source, blend into a clip, stay there,
blend into the destination, whose clock has been going since the trigger. The way with the least sum of the
blends' distances and of a weight for each frame of waiting is found exactly, over all clips, frames of entry
and stays; the direct transition is among them.

--table writes what to do at each trigger frame, four whole numbers: clip, offset, stay in the source, stay in
the clip. --all-pairs does so for each of some actions with each other. --trigger ranks the hops of one frame
where they cost 15 % less than going straight and look better; --bake bakes one of them in any case."""
    ASKS = (
        Asked(TransitionSettings, hops.OF_BLENDS, optional=("source", "destination")),
        Asked(HopSettings, title=SEARCHING, extends=False),
        JOINTS,
    )
    WRITES = (
        Written(
            "--table", "FILE", "write the table of all trigger frames, as .npz or .json", hops.TABLE_KINDS
        ),
        Written(
            "--bake",
            "OUT",
            "bake a hop of --trigger and write this file, as bake does",
            file_kinds.WRITABLE,
            is_baked=True,
        ),
    )

    all_pairs: tuple[str, ...] = setting((), help=hops.ALL_PAIRS, metavar="ACTION", group=SEARCHING)
    trigger: int | None = setting(
        None, limits.WHOLE_FRAME, f"{hops.TRIGGER}: rank its hops", metavar="FRAME", group=SEARCHING
    )
    best: int = setting(5, limits.LISTED, "how many hops to rank", metavar="N", group=SEARCHING)
    rank: int = setting(1, limits.LISTED, hops.RANK, metavar="N", group="writing")

    @classmethod
    def of_options(cls, values: Mapping[str, Any]) -> Task:
        """What is asked for. Raises UsageError for what does not go together."""
        own = fields.given(cls, values)
        pairs = own.get("all_pairs", ())
        if "all_pairs" not in own:
            for field in ("source", "destination"):
                if field not in values:
                    raise UsageError(f"Give --{field}, or several actions to --all-pairs.")
        elif "source" in values or "destination" in values or "trigger" in own:
            raise UsageError("--all-pairs stands instead of --source, --destination and --trigger.")
        elif len(pairs) < 2:
            raise UsageError("--all-pairs takes two actions or more.")
        if values["bake"] is not None and "trigger" not in own:
            raise UsageError("--bake needs a --trigger frame.")
        ends = {"source": pairs[0], "destination": pairs[1]} if pairs else {}
        blend = {name: value for name, value in values.items() if name != "blend_frames"}
        cut = {"cut": float(own.get("trigger", 0)), "assign": True}
        return cls(HopSettings.of(transition_of({**blend, **ends}, **cut), values), **own)

    def make(self, work: Work, bakes: bool) -> Done:
        """Search for all triggers, or rank the hops of one and bake one of them."""
        from ..blender.hops import table
        from . import hop_search

        prepared = work.prepared(self.settings, self.all_pairs)
        values, writes, report = hop_search.described(prepared), {}, None
        if self.trigger is None or "table" in work.wanted:
            solved = hop_search.tables(prepared, self.all_pairs)
            values["pairs"] = hop_search.told(prepared, solved)
            writes["table"] = functools.partial(table.save, held=table.contents(prepared, solved))
        if self.trigger is not None:
            values["trigger"], report = self._ranked(work, prepared, bakes)
        return Done(self.label, values, report, writes=writes)

    def _ranked(self, work: Work, prepared: Any, bakes: bool) -> tuple[dict[str, Any], Any]:
        """The hops of the trigger, the best first, and what one of them was baked into."""
        from ..blender.hops import bake, search, worth
        from . import hop_search

        ways, direct = work.run(search.ranked(prepared, max(self.best, self.rank)), "ranking")
        listed = ways[: self.best]
        judged = work.run(worth.judging(work.armature, self.settings, listed, direct), "judging")
        told: dict[str, Any] = {
            "frame": self.trigger,
            "direct": direct if math.isfinite(direct) else None,
            "straight": None if judged.straight is None else judged.straight.as_dict(),
            "straight_is_as_good": not any(judged.is_worth),
            "ranked": [
                dataclasses.asdict(way)
                | {"worth": is_worth, "verdict": None if verdict is None else verdict.as_dict()}
                for way, is_worth, verdict in zip(listed, judged.is_worth, judged.verdicts, strict=True)
            ],
        }
        if not bakes:
            return told, None
        report = bake.bake_hop(work.armature, self.settings, hop_search.chosen(prepared, ways, self.rank))
        told["baked"] = {"output": str(work.wanted["bake"].absolute()), **report.as_dict()}
        return told, report.last

    @staticmethod
    def messages(values: dict[str, Any]) -> list[str]:
        """What was baked."""
        baked = values.get("trigger", {}).get("baked")
        return [] if baked is None else [said_baked(baked["steps"][-1], baked["output"])]

    @staticmethod
    def lines(values: dict[str, Any]) -> list[str]:
        """The tables' pairs, and the hops of the trigger."""
        from ..blender.hops.worth import STRAIGHT

        unit = values["unit"]
        lines = [
            f"{len(values['clips'])} clips, stays of up to {values['longest_stay']} frames, blends of "
            f"{' or '.join(map(str, values['blends']))}; a frame of waiting costs "
            f"{values['weight']:.4g} {unit}"
        ]
        if "pairs" in values:
            rows = [["from", "to", "direct, median", "best, median", "best by way of (triggers)"]]
            rows += [
                [
                    pair["source"],
                    pair["destination"],
                    _number(pair["median_direct"]),
                    _number(pair["median_best"]),
                    _wins(pair),
                ]
                for pair in values["pairs"]
            ]
            lines += ["", *output.table(rows)]
        if "trigger" in values:
            at = values["trigger"]
            lines += [
                "",
                f"trigger {at['frame']}: direct {_number(at['direct'])} {unit}{_told(at['straight'])}",
            ]
        if "trigger" in values and at["straight_is_as_good"]:
            lines.append("  " + STRAIGHT)
        elif "trigger" in values:
            rows = [
                [
                    "clip",
                    "entry",
                    "exit",
                    "stays",
                    "first blend",
                    "second blend",
                    "waiting",
                    "cost",
                    "verdict",
                ]
            ]
            rows += [
                [
                    ", ".join(way["clips"]),
                    ", ".join(f"{frame:g}" for frame in way["entries"]),
                    ", ".join(f"{frame:g}" for frame in way["exits"]),
                    ", ".join(map(str, way["stays"])),
                    f"{way['parts'][0]:.4g}",
                    " + ".join(f"{part:.4g}" for part in way["parts"][1:]),
                    f"{way['waiting']:.4g}",
                    f"{way['cost']:.4g}",
                    _told(way["verdict"], ""),
                ]
                for way in at["ranked"]
                if way["worth"]
            ]
            lines += ["  " + line for line in output.table(rows)]
            if "baked" in at:
                lines += at["baked"]["verdict"]["words"]
        if "table" in values:
            lines.append(f"table: {values['table']}")
        return lines


def _wins(pair: dict[str, Any]) -> str:
    """By which clips the best ways of a pair lead."""
    from ..blender.hops.worth import STRAIGHT

    if pair["reached"] and not pair["worth"]:
        return STRAIGHT.rstrip(".").lower()
    return ", ".join(f"{name} ({count})" for name, count in pair["wins"].items()) or "none"


def _told(verdict: dict[str, Any] | None, before: str = "; ") -> str:
    """The first sentence of a verdict, "" without one."""
    return before + verdict["words"][0] if verdict else ""


def _number(value: float | None) -> str:
    return "none" if value is None else f"{value:.4g}"
