# SPDX-License-Identifier: GPL-3.0-or-later
"""Costs: what transitions between two actions cost, and where the best are."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..console import output
from ..errors import UsageError
from ..records import record
from ..settings import fields
from ..settings.cost import OF_A_COST, Search
from ..settings.fields import setting
from ..settings.hops import DISTANCES
from ..settings.transition import TransitionSettings
from ..storage import safe_write
from .task import (
    JOINTS,
    AskedSettings,
    Done,
    OutputOption,
    Task,
    Work,
    headline,
    transition_of,
    usual_of,
    verdict_lines,
)
from .transition import plan_and_judge

FIELDS = OF_A_COST | {"cut", "destination_frame", "enter_at", "suggest_blend_time"}
"""The settings that a cost depends on."""
SEARCHING = "searching"


@record(frozen=True)
class CostTask(Task):
    """What transitions cost.

    search: for the best of them. has_cut: whether one is named, by the settings' cut. listed: so many of the
    best are listed. within: the range of cuts, () for the whole source. features: whether their approximation
    is searched.
    """

    KIND = "cost"
    SETTINGS = TransitionSettings
    COMMAND = "cost"
    HELP = "report what a transition costs, and where the best transitions are"
    DESCRIPTION = """Compute what transitions between two actions cost, before any is baked.

The cost is how far, and for how long, the transition holds the joints away from where the destination alone
would have them, summed over joints and axes, in metre seconds. The command writes nothing but the pictures
and tables that you ask for.

With --cut the cost of that transition is split by bone. --best lists pairs of a cut and a destination frame
that are not neighbours: the cheapest are judged, and the best-looking of these come first; --by cost leaves
them in the order of their cost. --map draws all pairs as a .png or .svg, --csv writes them as a table: a row
for each cut, a column for each destination frame."""
    ASKS = (
        AskedSettings(TransitionSettings, FIELDS, optional=("cut",)),
        JOINTS,
        AskedSettings(
            Search,
            ("keep_frames", "before_seconds", "behind_seconds", "apart_frames", "skate_weight", "by"),
            title=SEARCHING,
        ),
    )
    WRITES = (
        OutputOption("--map", "PICTURE", "draw the cost of every pair of frames", (".png", ".svg")),
        OutputOption("--csv", "CSV", "write the cost of every pair of frames", (".csv",)),
    )

    search: Search = dataclasses.field(default_factory=Search)
    has_cut: bool = False
    listed: int = setting(
        1, fields.LISTED, "how many of the best pairs to list", key="best", metavar="N", group=SEARCHING
    )
    within: tuple[float, ...] = setting(
        (),
        fields.FRAME,
        "the range of cuts to search (default: the whole source)",
        key="range",
        metavar=("FIRST", "LAST"),
        count=2,
        group=SEARCHING,
    )
    features: bool = setting(
        default=False,
        help="search and draw the features' approximation, which is quicker; listed costs are exact all the "
        "same",
        group=SEARCHING,
    )

    distance: str = setting(
        "DISPLACEMENT",
        DISTANCES,
        "what --map and --csv show: the cost, or how far apart the poses are, in square metres",
        group="writing",
    )

    @classmethod
    def of_options(cls, values: Mapping[str, Any]) -> Task:
        """Return the CostTask that the command's options ask for.

        values: by option name, only those that were given. Without "cut", 0.0 stands for it and has_cut is
        False. "range" becomes the search's first and last cut, None without. What is not given has the
        command's own default where there is one, else the record's. Raise UsageError for --suggest-blend-time
        without --cut, for blend options that do not fit the method, and for transition settings that are out
        of range or don't go together; InertiaError for a search setting out of its range.
        """
        if "suggest_blend_time" in values and "cut" not in values:
            raise UsageError("--suggest-blend-time is for one transition; give its --cut.")
        of_task = fields.parsed(cls, values)
        first, last = of_task.get("within") or (None, None)
        search = Search(first, last, **{**fields.list_requests(Search), **fields.parsed(Search, values)})
        settings = transition_of(values, **usual_of(values), **({} if "cut" in values else {"cut": 0.0}))
        return cls(settings, search, "cut" in values, **of_task)

    @property
    def label(self) -> str:
        """The pair for a reader."""
        return f"{self.settings.source} to {self.settings.destination}"

    def make(self, work: Work, *, bakes: bool) -> Done:
        """Search for the best pairs of cut and destination frame, and cost and judge the named cut if
        has_cut.

        With has_cut, a destination frame that the settings leave to Inertia is looked for first. If
        suggest_blend_time is on, the suggested time is used throughout. bakes is ignored: no action is made,
        and the Done has neither a report nor anything measured.

        values of the Done: "source" and "destination" (dicts of action, slot, start, end and cycle, a bool),
        "unit" ("metre seconds"), "method", "seconds" (of the blend), "velocity", "alignment", "root",
        "weights" (by joint), "skate_weight", "searched" ("features" or "exact"), "by", "notes" (sentences),
        and "best": dicts of cut, destination_frame, cost and verdict (None where not judged), best first, at
        most as many as listed. With has_cut also "meeting": cut, destination_frame, cost, bones and
        best_destination of :func:`_describe_meeting`, verdict and helps (dicts).

        writes: "csv" and "map". Both show one map of all pairs, which is computed when the first of them is
        called: costs in metre seconds, approximated if features is on; or, where distance is "POINT_CLOUD",
        how far apart the poses are, in square metres. Raise InertiaError for clips that can't be read,
        compared or searched.
        """
        from ..blender.cost import candidates, costing, meetings
        from ..blender.data import clip_store
        from ..blender.evaluation import playback
        from ..blender.judging.played import Footage
        from ..blender.transition import bake, entering
        from ..motion.steps import Steps, finish

        armature, search, settings = work.armature, self.search, self.settings
        footage = Footage()
        if self.has_cut:
            settings = work.run(entering.entered(armature, settings, footage), "looking for an entry")
        if settings.suggest_blend_time:
            suggested = work.run(
                bake.plan_transition_steps(armature, settings), "looking for a blend time"
            ).settings
            names = ("blend_frames", "half_life", "suggest_blend_time")
            settings = dataclasses.replace(settings, **{name: getattr(suggested, name) for name in names})
        pair = costing.read_pair(armature, settings, footage.reading)
        weights = work.weights()
        with playback.together():
            motions = work.run(costing.motions(armature, pair), "evaluating")
        skate_weight = search.skate_weight
        plants = work.run(
            costing.plants_of(work.character, pair.destination, skate_weight), "finding contacts"
        )
        skating = costing.WeighedSkate(plants, skate_weight)
        compared = costing.compare_pair(pair, settings, weights, motions, skating)
        clips = [clip.action.name for clip in pair.clips]
        read_clips = finish(clip_store.read_named_steps(armature, settings.ends(), footage.reading))

        def search_pairs(wanted: candidates.WantedPairs) -> Steps[list[candidates.Candidate]]:
            return candidates.best(work.character, settings, read_clips, compared, search, wanted)

        steps = search_pairs(candidates.WantedPairs(self.listed, is_exact=not self.features))
        best = work.run(steps, "searching" if search.by == "COST" else "judging the best")
        values: dict[str, Any] = {
            "source": _clip(pair.source),
            "destination": _clip(pair.destination),
            "unit": "metre seconds",
            "method": settings.curve,
            "seconds": compared.seconds,
            "velocity": settings.velocity,
            "alignment": pair.alignment,
            "root": pair.root.name,
            "weights": dict(zip(compared.names, map(float, compared.weights), strict=True)),
            "skate_weight": skate_weight,
            "searched": "features" if self.features else "exact",
            "by": search.by,
            "notes": [
                *meetings.sampled(clips, motions, search),
                *candidates.notes(best, search.by),
            ],
            "best": [candidate.as_dict() for candidate in best],
        }
        if self.has_cut:
            at = _describe_meeting(
                work,
                compared,
                pair,
                settings,
                lambda cut: search_pairs(candidates.WantedPairs(fixed=(cut, None))),
            )
            meeting = {name: at[name] for name in ("cut", "destination_frame")}
            _, judged = plan_and_judge(work, dataclasses.replace(settings, **meeting), footage=footage)
            values["meeting"] = {**at, **judged}

        @functools.cache
        def whole() -> Any:
            kind = "FEATURE" if self.features else "EXACT"
            is_distance = self.distance == "POINT_CLOUD"
            costs, steps = meetings.start_map(compared, "POINT_CLOUD" if is_distance else kind)
            work.run(steps, "drawing the map")
            return costs

        writes = {
            "csv": lambda path: _write_table(path, whole()),
            "map": lambda path: _write_map(path, whole(), values),
        }
        return Done(self.label, values, writes=writes)

    @staticmethod
    def lines(values: dict[str, Any]) -> list[str]:
        """Return the command's text as lines: a heading, notes, the named transition if there is one, and a
        table of the best pairs.

        values: of make, with the paths of "map" and "csv" where these were written. Each note is a line
        "note: ...". The named transition comes with its cost, the verdict's sentences, what helps, a table of
        each bone's cost and share in whole percent, and the best entry for its cut. The table of pairs has
        columns cut, destination frame and cost, and the first sentence of the verdict only where "by" is
        "JUDGED"; without pairs its header stands alone. The last lines are "map: path" and "csv: path", of
        those that were written.
        """
        lines = [
            f"{values['source']['action']} to {values['destination']['action']}: costs in metre seconds, "
            f"{values['method'].lower().replace('_', ' ')}, {values['seconds']:.3g} s"
        ]
        lines += [f"note: {note}" for note in values["notes"]]
        at = values.get("meeting")
        if at is not None:
            lines += [
                "",
                f"cut {at['cut']:g}, destination frame {at['destination_frame']:g}: {at['cost']:.4g}",
            ]
            lines += ["  " + sentence for sentence in verdict_lines(at)]
            lines += ["  what helps:"] if at["helps"] else []
            lines += ["    " + remedy["words"] for remedy in at["helps"]]
            rows = [[part["bone"], f"{part['cost']:.4g}", f"{part['share']:.0%}"] for part in at["bones"]]
            lines += output.table(rows, "  ")
            entry = at["best_destination"]
            lines.append(
                f"best entry for this cut: destination frame {entry['destination_frame']:g}: "
                f"{entry['cost']:.4g}{headline(entry, '. ')}"
            )
        is_judged = values["by"] == "JUDGED"
        rows = [["cut", "destination frame", "cost", *["verdict"] * is_judged]]
        for pair in values["best"]:
            figures = f"{pair['cut']:g}", f"{pair['destination_frame']:g}", f"{pair['cost']:.4g}"
            rows.append([*figures, *[headline(pair)] * is_judged])
        lines += ["", "best pairs", *output.table(rows, "  ")]
        lines += [f"{name}: {values[name]}" for name in ("map", "csv") if name in values]
        return lines


def _clip(clip: Any) -> dict[str, Any]:
    return {
        **{"action": clip.action.name, "slot": clip.slot.identifier},
        **{"start": clip.start, "end": clip.end, "cycle": clip.cycle is not None},
    }


def _describe_meeting(
    work: Work, compared: Any, pair: Any, settings: Any, search_entry: Any
) -> dict[str, Any]:
    """Return what the named transition costs, by bone, and the best entry for its cut.

    compared: the two clips, ready for costs. pair: source and destination as read; without a destination
    frame in the settings the destination's first frame counts. search_entry: called with the cut, gives steps
    that return a list of one candidate. Keys: "cut", "destination_frame", "cost" (metre seconds), "bones"
    (dicts of bone, cost and share, 0 to 1, the costliest first) and "best_destination", the candidate as a
    dict. A share is 0 where the whole cost is. Raise InertiaError if the cut or the destination frame lies
    outside of its clip, or nothing is found.
    """
    from ..blender.transition import preflight

    settings = preflight.resolved(settings, pair.source, pair.destination)
    parts = compared.by_bone(settings.cut, settings.destination_frame)
    total = sum(parts.values())
    ranked = sorted(parts.items(), key=lambda part: -part[1])
    (entry,) = work.run(search_entry(settings.cut), "judging entries")
    return {
        "cut": settings.cut,
        "destination_frame": settings.destination_frame,
        "cost": total,
        "bones": [
            {"bone": name, "cost": part, "share": part / total if total > 0.0 else 0.0}
            for name, part in ranked
        ],
        "best_destination": entry.as_dict(),
    }


def _write_map(path: Path, costs: Any, values: dict[str, Any]) -> None:
    """Draw a cost map to a picture file: cuts to the right, destination frames upwards, see
    :func:`meetings.map_chart`.

    path: its ending chooses .svg, or else PNG; an old file is replaced once the new one is complete. costs:
    the map of all pairs. values: of CostTask.make. Of these "source" and "destination" give the axes' names,
    by their "action"; "best" is a list of dicts whose "cut" and "destination_frame" are numbered from 1, in
    its order, the best first; and "meeting", if it is there and not None, has both for the cross hairs at the
    named transition. Raise InertiaError if the file can't be written; an old file then stays.
    """
    from ..blender.cost import meetings
    from ..blender.files import picture_files
    from ..plots.chart import sheet

    at = values.get("meeting")
    current = None if at is None else (at["cut"], at["destination_frame"])
    best = [(pair["cut"], pair["destination_frame"]) for pair in values["best"]]
    actions = (values["source"]["action"], values["destination"]["action"])
    picture_files.save(sheet([meetings.map_chart(costs, actions, current, best)]), path)


def _write_table(path: Path, costs: Any) -> None:
    """Write a cost map as a .csv file in UTF-8: a row for each cut, a column for each destination frame.

    The first row is "cut" and the destination frames; each other row begins with its cut. Costs have six
    significant digits; what is not finite stands there as "nan" or "inf". An old file is replaced once the
    new one is complete. Raise InertiaError if it can't be written.
    """
    with safe_write.replace_safely(path) as place, place.open("w", encoding="utf-8", newline="") as file:
        file.write("cut," + ",".join(f"{frame:g}" for frame in costs.destinations) + "\n")
        for cut, row in zip(costs.cuts, costs.costs, strict=True):
            file.write(f"{cut:g}," + ",".join(f"{value:.6g}" for value in row) + "\n")
