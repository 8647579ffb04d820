# SPDX-License-Identifier: GPL-3.0-or-later
"""Hops, and tables of them for games."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Self

from ..console import output, progress
from ..errors import InertiaError, UsageError
from ..records import record
from ..settings import fields, hops
from ..settings.fields import setting
from ..settings.hops import UNITS, HopSettings
from ..settings.transition import TransitionSettings
from ..storage import file_kinds
from .task import (
    JOINTS,
    AskedSettings,
    Done,
    OutputOption,
    Task,
    Work,
    headline,
    transition_of,
    verdict_lines,
    verdict_of,
)
from .transition import describe_bake

if TYPE_CHECKING:
    from ..blender.evaluation.joint_motion import Evaluate
    from ..blender.hops.search import FoundHop as Way
    from ..blender.hops.search import PreparedHops
    from ..motion.hops.search import Table

    Solved = list[tuple[str, str, Table]]
    """Tables with the source and the destination that each is for."""


@record(frozen=True)
class HopTask(Task):
    """One hop, baked. rank: which of the trigger's hops it is, 1 for the best."""

    KIND = "hop"
    SETTINGS = HopSettings

    rank: int = 1

    @property
    def label(self) -> str:
        """The hop for a reader."""
        blend = self.settings.transition
        rank = f", rank {self.rank}" if self.rank > 1 else ""
        return f"{blend.source} to {blend.destination} by a hop, trigger {blend.cut:g}{rank}"

    def event(self, values: dict[str, Any]) -> dict[str, Any]:
        """Return the way, and the cost of the direct transition, both by the distance that was searched."""
        return {"way": values["way"], "direct": values["searched"]["direct"], **verdict_of(values)}

    def summary(self, values: dict[str, Any]) -> dict[str, Any]:
        """Return the settings, the way, and what a reader has to know of the search and of the blends."""
        return {
            "settings": self.settings.as_dict(),
            **{name: values[name] for name in ("way", "searched", "cuts")},
            "windows": [step["window"] for step in values["steps"]],
            **verdict_of(values),
            "warnings": list(dict.fromkeys(note for step in values["steps"] for note in step["warnings"])),
        }

    def make(self, work: Work, *, bakes: bool) -> Done:
        """Search the best ways for the trigger, bake the one of the task's rank, and measure it.

        bakes is ignored: an action is always made. values of the Done are the hop's report as a dict
        ("result", "way", "cuts", "steps", "verdict", the worst, and "verdicts"), and "searched": a dict of
        "clips" (names), "distance", "unit" (of costs), "weight" (what a frame of waiting costs),
        "longest_stay" (frames), "blends" (frames), "hops" (how many clips in between at most), "alongside"
        and "direct", the cost of going straight, None if no way leads straight on. The Done's report is that
        of the last blend, which is of the whole result.

        measured: "cost", the sum of the displacements of all blends, metre seconds whatever the distance is;
        "bone", which adds most to it, and its "share", 0 to 1; and "pop" (m/s), "skate" (None where nothing
        can be said of feet), "lift" and "reach" (metres), each of the blend that is worst in it. Raise
        InertiaError, with nothing baked, if the trigger lies outside of the source, there are fewer ways than
        the rank, or clips can't be read or baked.
        """
        from ..blender.hops import bake, hop_gain, search

        armature, settings = work.armature, self.settings
        prepared = prepared_for(work, settings)
        ways, direct = work.run(search.ranked(prepared, self.rank), "searching")
        way = _choose_hop(prepared, ways, self.rank)
        report = bake.bake_hop(armature, settings, way)
        work.count("baking")
        weights = work.weights()
        steps = hop_gain.measure(work.character, settings, report, weights, work.evaluated)
        measured = work.run(steps, "measuring")
        searched = {**_described(prepared), "direct": direct if math.isfinite(direct) else None}
        values = {**report.as_dict(), "searched": searched}
        return Done(report.result, values, report, dataclasses.asdict(measured))


@record(frozen=True)
class TablesTask(Task):
    """A table of hops. all_pairs: the clips whose pairs it is of, () for the settings' own pair."""

    KIND = "hop table"
    SETTINGS = HopSettings
    EVENT = ("pairs",)

    all_pairs: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """The table for a reader."""
        blend, count = self.settings.transition, len(self.all_pairs)
        return (
            f"hops of {count * (count - 1)} pairs" if count else f"hops {blend.source} to {blend.destination}"
        )

    def resolved(self, armature: str) -> Self:
        """Return the task with the names of its actions as the file has them."""
        from ..blender.data import names

        all_pairs = names.resolve(self.all_pairs, armature)
        return dataclasses.replace(super().resolved(armature), all_pairs=all_pairs)

    def make(self, work: Work, *, bakes: bool) -> Done:
        """Search the best way from each trigger frame of each pair.

        bakes is ignored: no action is made. values of the Done: "pairs", for each pair a dict of source and
        destination (names), triggers (the number of frames), reached, worth (from how many of these any way
        leads, and a hop is worth it), median_direct, median_best (costs, or None) and wins (a number of
        triggers by the first clip's name or "direct"); and "searched", a dict of clips (names), distance
        (which one is searched by), unit (of costs), weight (what a frame of waiting costs), longest_stay
        (frames in one clip), blends (frames), hops (how many clips in between at most) and alongside. writes:
        "output" saves the tables, as .npz by that ending, else as JSON. Raise InertiaError for clips that
        can't be read or searched.
        """
        from ..blender.hops import table

        prepared = prepared_for(work, self.settings, self.all_pairs)
        solved = _tables(prepared, self.all_pairs)
        work.count("searching")
        values = {"pairs": pair_values(prepared, solved), "searched": _described(prepared)}
        save = functools.partial(table.save, contents=table.contents(prepared, solved))
        return Done(self.label, values, writes={"output": save})


SEARCHING = "searching"


@record(frozen=True)
class HopsTask(TablesTask):
    """Tables of hops, and the hops of one frame. trigger: that frame, None for tables alone. best: so many
    are ranked, and rank: which of them is baked if one is."""

    COMMAND = "hop"
    HELP = "find the best clip to hop through between two actions, for every frame"
    DESCRIPTION = """Find, for every trigger frame of the source, the best way to the destination through a
third clip.

Where two clips are too different to blend, a hop helps: wait in the source, blend into a clip, stay there,
and blend into the destination, whose clock has been running since the trigger. The search is exact. It finds
the way with the smallest sum of the blends' distances and of a weight for each frame of waiting, over all
clips, frames of entry and stays; the direct transition is among them.

--table writes what to do at each trigger frame, as four whole numbers: clip, offset, stay in the source, stay
in the clip. --all-pairs does so for each of some actions with each other. --trigger ranks the hops of one
frame if they cost 15 % less than the direct transition and look better; --bake bakes one of them in any
case."""
    ASKS = (
        AskedSettings(TransitionSettings, hops.OF_BLENDS, optional=("source", "destination")),
        AskedSettings(HopSettings, title=SEARCHING, extends=False),
        JOINTS,
    )
    WRITES = (
        OutputOption(
            "--table", "FILE", "write the table of all trigger frames, as .npz or .json", hops.TABLE_KINDS
        ),
        OutputOption(
            "--bake",
            "OUT",
            "bake a hop of --trigger and write this file, as bake does",
            file_kinds.WRITABLE,
            is_baked=True,
        ),
    )

    all_pairs: tuple[str, ...] = setting((), help=hops.ALL_PAIRS, metavar="ACTION", group=SEARCHING)
    trigger: int | None = setting(
        None, fields.WHOLE_FRAME, f"{hops.TRIGGER}: rank its hops", metavar="FRAME", group=SEARCHING
    )
    best: int = setting(5, fields.LISTED, "how many hops to rank", metavar="N", group=SEARCHING)
    rank: int = setting(1, fields.LISTED, hops.RANK, metavar="N", group="writing")

    @classmethod
    def of_options(cls, values: Mapping[str, Any]) -> Task:
        """Return the HopsTask that the command's options ask for.

        values: by option name; "bake" is always there, None where not given. With --all-pairs the first two
        actions stand for source and destination. Without --trigger the cut is 0. A blend_frames among the
        values is ignored, as the search chooses among blends of its own; a bake assigns the new action. Raise
        UsageError if --source or --destination is missing without --all-pairs; if --all-pairs goes with
        --source, --destination or --trigger, or has fewer than two actions; if --bake goes without --trigger;
        and for blend options that don't go together. Raise InertiaError for a search setting out of its
        range.
        """
        of_task = fields.parsed(cls, values)
        pairs = of_task.get("all_pairs", ())
        if "all_pairs" not in of_task:
            for field in ("source", "destination"):
                if field not in values:
                    raise UsageError(f"Give --{field}, or several actions to --all-pairs.")
        elif "source" in values or "destination" in values or "trigger" in of_task:
            raise UsageError("--all-pairs stands instead of --source, --destination and --trigger.")
        elif len(pairs) < 2:
            raise UsageError("--all-pairs takes two actions or more.")
        if values["bake"] is not None and "trigger" not in of_task:
            raise UsageError("--bake needs a --trigger frame.")
        ends = {"source": pairs[0], "destination": pairs[1]} if pairs else {}
        blend = {name: value for name, value in values.items() if name != "blend_frames"}
        cut = float(of_task.get("trigger", 0))
        transition = transition_of({**blend, **ends}, cut=cut, assign=True)
        return cls(HopSettings.of(transition, values), **of_task)

    @classmethod
    def makes_action(cls, values: Mapping[str, Any]) -> bool:
        """Return whether there is a trigger whose hop can be baked: tables hold no action."""
        return "trigger" in values

    def make(self, work: Work, *, bakes: bool) -> Done:
        """Search the tables and rank the hops of the trigger, and bake one of these if bakes.

        Without a trigger nothing is ranked or baked, whatever bakes says. values of the Done always have what
        was searched: "clips" (names), "distance" (which one is searched by), "unit" (of costs), "weight"
        (what a frame of waiting costs), "longest_stay" (frames in one clip), "blends" (frames), "hops" (how
        many clips in between at most) and "alongside". Tables are searched if there is no trigger or "table"
        is wanted; "pairs" then lists a dict for each pair, see :func:`pair_values`, and writes has "table",
        which saves them. With a trigger "trigger" is a dict, see :meth:`_ranked`: frame, direct, straight,
        straight_is_as_good, ranked (hops, the best first) and, with bakes, baked; the Done then has the
        report of the last blend, else none. Nothing is measured: measured is {}. Raise InertiaError for clips
        that can't be read, for a trigger outside of the source, or with bakes if there are fewer hops than
        the rank.
        """
        from ..blender.hops import table

        prepared = prepared_for(work, self.settings, self.all_pairs)
        values, writes, report = _described(prepared), {}, None
        if self.trigger is None or "table" in work.wanted:
            solved = _tables(prepared, self.all_pairs)
            values["pairs"] = pair_values(prepared, solved)
            writes["table"] = functools.partial(table.save, contents=table.contents(prepared, solved))
        if self.trigger is not None:
            values["trigger"], report = self._ranked(work, prepared, bakes=bakes)
        return Done(self.label, values, report, writes=writes)

    def _ranked(self, work: Work, prepared: Any, *, bakes: bool) -> tuple[dict[str, Any], Any]:
        """Rank and judge the hops of the trigger frame and, if bakes, bake the one of the task's rank; return
        JSON values and the report of the last blend, None without bakes.

        The values: "frame"; "direct", the cost of going straight, None where it can't; "straight", the
        verdict on that as a dict, or None; "straight_is_as_good", whether no listed hop is worth it, also
        where none is listed; "ranked", the best `best` hops, the best first. Each of these has the fields of
        a :class:`FoundHop` (trigger, clips, entries, exits, stays, blends, parts, waiting, cost), and
        "verdict" and "worth". Only a hop that costs at most 85 % of going straight is judged; "verdict" is
        None for any other, and for one that can't be planned. It is worth it if it looks better than going
        straight, or nothing can go straight. "straight" is None where no hop is judged or nothing can go
        straight.

        The rank may lie beyond those listed. With bakes there is "baked", the bake's report as a dict, with
        the absolute path of the file as "output" if one is to be written. Raise InertiaError if bakes and
        there are fewer hops than the rank; nothing is baked then.
        """
        from ..blender.hops import bake, hop_gain, search

        ways, direct = work.run(search.ranked(prepared, max(self.best, self.rank)), "ranking")
        listed = ways[: self.best]
        judged = work.run(
            hop_gain.judge_worth_steps(work.character, self.settings, listed, direct),
            "judging",
        )
        values: dict[str, Any] = {
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
            return values, None
        report = bake.bake_hop(work.armature, self.settings, _choose_hop(prepared, ways, self.rank))
        # a script has it in the file that is open
        file = {"output": str(work.wanted["bake"].absolute())} if "bake" in work.wanted else {}
        values["baked"] = {**file, **report.as_dict()}
        return values, report.last

    @staticmethod
    def messages(values: dict[str, Any]) -> list[str]:
        """Return a line on what was baked."""
        baked = values.get("trigger", {}).get("baked")
        return [] if baked is None else [describe_bake(baked["steps"][-1], baked["output"])]

    @staticmethod
    def lines(values: dict[str, Any]) -> list[str]:
        """Return the command's text: what was searched, a table of pairs if tables were, the trigger's hops,
        and the table's file if one was written.

        values: of make, with the path as "table". The first line has the number of clips, the longest stay,
        the blends and the weight of waiting. The table of pairs has columns source, destination, both median
        costs, and by which first clips the best ways lead, see :func:`_wins`. The trigger's line has its
        frame, the cost of going straight, and the first sentence of the verdict on that. Only the hops that
        are worth it are listed below, in a table under WAY, with all sentences of the verdict on the baked
        one, if there is one. If no listed hop is worth it, the sentence "Going straight is as good." stands
        instead, and a baked one's verdict is left out. Costs that are None read "none". The last line is
        "table: path", if it was written.
        """
        from ..blender.hops.hop_gain import STRAIGHT

        unit = values["unit"]
        lines = [
            f"{len(values['clips'])} clips, stays of up to {values['longest_stay']} frames, blends of "
            f"{' or '.join(map(str, values['blends']))}; a frame of waiting costs "
            f"{values['weight']:.4g} {unit}"
        ]
        if "pairs" in values:
            rows = [("from", "to", "direct, median", "best, median", "best by way of (triggers)")]
            for pair in values["pairs"]:
                medians = _format_cost(pair["median_direct"]), _format_cost(pair["median_best"])
                rows.append((pair["source"], pair["destination"], *medians, _wins(pair)))
            lines += ["", *output.table(rows)]
        if "trigger" in values:
            at = values["trigger"]
            straight = headline({"verdict": at["straight"]}, "; ")
            lines += ["", f"trigger {at['frame']}: direct {_format_cost(at['direct'])} {unit}{straight}"]
            if at["straight_is_as_good"]:
                lines.append("  " + STRAIGHT)
            else:
                lines += output.table([WAY, *(_hop_cells(hop) for hop in at["ranked"] if hop["worth"])], "  ")
                lines += verdict_lines(at.get("baked", {}))
        if "table" in values:
            lines.append(f"table: {values['table']}")
        return lines


def _wins(pair: dict[str, Any]) -> str:
    """Return by which first clips the best ways of a pair lead, with the number of triggers, such as "direct
    (3), walk (12)".

    Going straight comes first, then the clips in the order of the search. It is the sentence that going
    straight is as good, in lower case without its full stop, where some triggers have a way and no hop is
    worth it, and "none" where no trigger has a way. pair: an entry of :func:`pair_values`.
    """
    from ..blender.hops.hop_gain import STRAIGHT

    if pair["reached"] and not pair["worth"]:
        return STRAIGHT.rstrip(".").lower()
    return ", ".join(f"{name} ({count})" for name, count in pair["wins"].items()) or "none"


WAY = ("clip", "entry", "exit", "stays", "first blend", "second blend", "waiting", "cost", "verdict")
"""What stands above the hops of a trigger."""


def _hop_cells(hop: dict[str, Any]) -> tuple[str, ...]:
    """Return one hop of a trigger as cells of a table: clips, entries, exits, stays, the first part of its
    cost, its other parts, waiting, cost, and what is known of it in words.
    """
    return (
        ", ".join(hop["clips"]),
        ", ".join(f"{frame:g}" for frame in hop["entries"]),
        ", ".join(f"{frame:g}" for frame in hop["exits"]),
        ", ".join(map(str, hop["stays"])),
        f"{hop['parts'][0]:.4g}",
        " + ".join(f"{part:.4g}" for part in hop["parts"][1:]),
        f"{hop['waiting']:.4g}",
        f"{hop['cost']:.4g}",
        headline(hop),
    )


def _format_cost(value: float | None) -> str:
    return "none" if value is None else f"{value:.4g}"


def prepare(
    armature: Any,
    settings: HopSettings,
    weights: Mapping[str, float],
    all_pairs: tuple[str, ...] = (),
    evaluate: Evaluate | None = None,
) -> PreparedHops:
    """Evaluate the clips and find the weight of waiting for a search of hops; return what the search works
    on.

    The clips are the source, the destination, those to hop through (``settings.clips``, all that fit if that
    is empty) and those of `all_pairs`. The weight is that of the settings, if they have one.

    weights: what each joint counts, by bone. all_pairs: the actions from each of which to each other hops are
    searched; () searches from the source to the destination alone, through the same clips. evaluate:
    evaluates a clip in steps, such as one that keeps what it evaluated; None for :func:`joint_motion.whole`
    of those joints alone whose weight is above 0. How far it is is said on standard error now and then. Raise
    InertiaError for clips that can't be used.
    """
    from ..blender.evaluation import playback
    from ..blender.hops import search

    with playback.together(by_one=True):
        steps = search.prepare(armature, settings, weights, all_pairs, evaluate)
        clips = progress.finish(steps, "evaluating")
    return progress.finish(search.weighed(clips, pairs_of(settings, all_pairs)), "weighing")


def prepared_for(work: Work, settings: HopSettings, all_pairs: tuple[str, ...] = ()) -> PreparedHops:
    """Return what a search of hops works on: the clips, evaluated, and the weight of waiting, as a record of
    its own with these settings.

    The clips and the weight are made once for all tasks of one work that differ only in trigger frame,
    assignment or what a bake alone asks; how far it is is said on standard error. all_pairs: the actions
    whose pairs are searched, () for the settings' source and destination. Raise InertiaError for clips that
    can't be read or compared.
    """
    weights = work.weights()
    values = settings.transition.as_dict() | settings.as_dict()
    left_out = {"transition", "cut", "assign", "assign_others", *hops.OF_A_BAKE}
    searched = repr({name: value for name, value in values.items() if name not in left_out})
    evaluate = work.evaluated if work.shares else None
    prepared = work.make_once(
        (work.armature.name, searched, tuple(sorted(weights.items())), all_pairs),
        lambda: prepare(work.armature, settings, weights, all_pairs, evaluate),
    )
    return dataclasses.replace(prepared, settings=settings)


def pairs_of(settings: HopSettings, all_pairs: Iterable[str] = ()) -> list[tuple[str, str]]:
    """Return the pairs of source and destination that are asked for: from each of `all_pairs` to each other,
    repeated names once; without any the settings' own pair.
    """
    blend = settings.transition
    names = dict.fromkeys(all_pairs)
    return [*itertools.permutations(names, 2)] if names else [(blend.source, blend.destination)]


def _described(prepared: PreparedHops) -> dict[str, Any]:
    """Return what was searched, as JSON values: clips, distance with its unit, weight, longest_stay, blends,
    hops and alongside.
    """
    objective, settings = prepared.objective, prepared.settings
    return {
        "clips": list(prepared.names),
        "distance": settings.distance,
        "unit": UNITS[settings.distance],
        "weight": objective.weight,
        "longest_stay": objective.longest_stay,
        "blends": list(objective.blends),
        "hops": objective.hops,
        "alongside": settings.alongside,
    }


def _tables(prepared: PreparedHops, all_pairs: Iterable[str] = ()) -> Solved:
    """Find the table of each pair of :func:`pairs_of`; return (source, destination, table), in that order."""
    from ..motion.hops import search

    return [
        (
            source,
            destination,
            progress.finish(
                search.solve(prepared.problem(source, destination), prepared.objective), "searching"
            ),
        )
        for source, destination in pairs_of(prepared.settings, all_pairs)
    ]


def pair_values(prepared: PreparedHops, solved: Solved) -> list[dict[str, Any]]:
    """Return a dict of JSON values for each solved table, in their order.

    ``source`` and ``destination``: names of actions. ``triggers``: how many frames the table has.
    ``reached``: from how many of these any way leads. ``worth``: at how many the best way goes through a clip
    and costs at most 85 % (CHEAPER) of going straight, or there is no straight way; waiting and going
    straight is no hop. ``median_direct``, ``median_best``: median costs over the triggers at which both are
    finite, None if there are none. ``wins``: by the name of the first clip, or "direct", for how many of the
    reached triggers it is the best way; "direct" comes first, then the clips in the order of the search,
    without those that win nowhere.
    """
    import numpy as np

    from ..blender.hops import hop_gain

    pairs = []
    for source, destination, table in solved:
        both = np.isfinite(table.cost) & np.isfinite(table.direct)
        # the best way may be to wait, and go straight
        is_worth = hop_gain.is_cheaper(table.cost, table.direct) & (table.clips[:, 0] >= 0)
        wins = table.clips[np.isfinite(table.cost), 0]
        pairs.append(
            {
                "source": source,
                "destination": destination,
                "triggers": len(table.cost),
                "reached": int(np.isfinite(table.cost).sum()),
                "worth": int(is_worth.sum()),
                "median_direct": float(np.median(table.direct[both])) if both.any() else None,
                "median_best": float(np.median(table.cost[both])) if both.any() else None,
                "wins": {
                    "direct" if clip < 0 else prepared.names[clip]: int((wins == clip).sum())
                    for clip in sorted(set(wins.tolist()))
                },
            }
        )
    return pairs


def _choose_hop(prepared: PreparedHops, hops: list[Way], rank: int) -> Way:
    """Return the hop of a rank from ways that are sorted, the best first.

    rank: 1 for the best. prepared: only its trigger frame is used, for the message. Raise InertiaError if
    there is no hop at all, or fewer than the rank.
    """
    frame = f"{prepared.settings.transition.cut:g}"
    if not hops:
        raise InertiaError(
            f"No hop leads on from frame {frame}; choose another trigger, longer clips, or more of them."
        )
    if len(hops) < rank:
        raise InertiaError(
            f"Frame {frame} has {len(hops)} hops and no number {rank}; choose another trigger, or a lower "
            "rank."
        )
    return hops[rank - 1]
