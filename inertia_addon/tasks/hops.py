# SPDX-License-Identifier: GPL-3.0-or-later
"""Hops, and tables of them for games."""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import TYPE_CHECKING, Any, Self

from ..settings.hops import HopSettings
from .task import Done, Task, words

if TYPE_CHECKING:
    from .work import Work


@dataclasses.dataclass(frozen=True)
class _HopTask(Task):
    """What is searched for hops."""

    SETTINGS = HopSettings

    def found(self, armature: str) -> Self:
        """The task, with the names of its actions as the file has them."""
        from ..blender.data import named

        return dataclasses.replace(self, settings=named.with_found_names_of_hops(self.settings, armature))


@dataclasses.dataclass(frozen=True)
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
        from ..blender.hops import bake, quality, search
        from . import hop_search

        armature, settings = work.armature, self.settings
        prepared = work.prepared(settings)
        ways, direct = work.run(search.ranked(prepared, self.rank), "searching")
        way = hop_search.chosen(prepared, ways, self.rank)
        report = bake.bake_hop(armature, settings, way)
        work.count("baking")
        weights = work.weights()
        steps = quality.measure(armature, settings, report, weights, work.evaluated)
        measured = work.run(steps, "measuring")
        searched = {**hop_search.described(prepared), "direct": direct if math.isfinite(direct) else None}
        values = {**report.as_dict(), "searched": searched}
        return Done(report.last.result, values, report.last, dataclasses.asdict(measured))


@dataclasses.dataclass(frozen=True)
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
        from ..blender.data import named

        return dataclasses.replace(
            super().found(armature), all_pairs=named.found_names(self.all_pairs, armature)
        )

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
