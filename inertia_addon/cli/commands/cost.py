# SPDX-License-Identifier: GPL-3.0-or-later
"""The command ``cost``: what transitions between two actions cost, and where the best are."""

from __future__ import annotations

import argparse
import dataclasses
import functools
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from ...console import output, progress
from ...console.outputs import Output
from ...errors import UsageError
from ...motion.steps import finish
from ...settings import limits
from ...settings.cost import OF_A_COST, Search
from ...settings.transition import TransitionSettings
from .. import options

HELP = "say what a transition costs, and where the best ones are"
DESCRIPTION = """Compute what transitions between two actions cost, before any is baked.

The cost is how far, and how long, the transition holds the joints away from where the
destination alone would have them, summed over joints and axes, in metre seconds. Nothing is written but
the pictures and tables that are asked for.

With --cut the cost of that transition is split by bone. --best lists pairs of a cut and a destination frame
that are not neighbours: the cheapest are judged, and of these those come first that look best; --by cost
leaves them as they are. --map draws all pairs as a .png or .svg, --csv writes them as a table: a row for each
cut, a column for each destination frame."""

FIELDS = OF_A_COST | {"cut", "destination_frame", "suggest_blend_time"}
"""The settings that a cost depends on."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options to its parser."""
    options.add_input(parser)
    options.add(parser, only=FIELDS, optional=("cut",))
    options.add_joints(parser.add_argument_group("which joints"), "joints", "weights")
    group = parser.add_argument_group("searching")
    said = "how many of the best pairs to list (default: 1)"
    options.add_number(group, "--best", limits.LISTED, "N", said, default=1)
    said = "the range of cuts to search (default: the whole source)"
    options.add_number(group, "--range", limits.FRAME, ("FIRST", "LAST"), said, nargs=2)
    options.add_all(group, Search, "keep_frames", "apart_frames", "skate_weight", "by")
    options.add_switch(
        group,
        "--features",
        "search and draw the features' approximation, which is quicker; listed costs are exact all the same",
    )
    group = parser.add_argument_group("writing")
    options.add_path(group, "--map", "PICTURE", "draw the cost of every pair of frames")
    options.add_path(group, "--csv", "CSV", "write the cost of every pair of frames")


def run(arguments: argparse.Namespace) -> tuple[dict[str, Any], list[str]]:
    """Run the command; returns the costs as JSON values, and as lines."""
    has_cut = "cut" in vars(arguments)
    if "suggest_blend_time" in vars(arguments) and not has_cut:
        raise UsageError("--suggest-blend-time is for one transition; give its --cut.")
    settings = options.settings(arguments, cut=0.0)
    paths = options.input_files(arguments)

    from ...blender.cost import candidates, costing, meetings, prediction
    from ...blender.data import clip_store, named, scene
    from ...blender.evaluation import playback
    from .. import session

    wanted = (Output("--map", arguments.map, (".png", ".svg")), Output("--csv", arguments.csv, (".csv",)))
    read = session.load(arguments, paths, wanted)
    armature = session.armature(arguments)
    settings = named.with_found_names(settings, armature.name)
    settings = _suggested(armature, settings)
    pair = costing.read_pair(armature, settings)
    weights = session.joint_weights(arguments, armature)
    with playback.together():
        motions = progress.finish(costing.motions(armature, pair), "evaluating")
    first, last = arguments.range or (None, None)
    search = Search(first, last, **options.given(Search, arguments))
    skate_weight = search.skate_weight
    plants = progress.finish(prediction.plants(armature, pair.destination, skate_weight), "finding contacts")
    compared = costing.compare(settings, pair.alignment, weights, motions, scene.fps(), plants, skate_weight)
    clips = [clip.action.name for clip in pair.clips]
    read_clips = finish(clip_store.reading_named(armature, settings.ends()))
    searching = functools.partial(candidates.best, armature, settings, read_clips, compared, search)
    steps = searching(arguments.best, exact=not arguments.features)
    best = progress.finish(steps, "searching" if search.by == "COST" else "judging the best")
    values = {
        **read.as_dict(),
        "armature": armature.name,
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
        "searched": "features" if arguments.features else "exact",
        "by": search.by,
        "notes": [
            *meetings.sampled(clips, motions, search),
            *candidates.notes(armature, read_clips, best, search.by),
        ],
        "best": [candidate.as_dict() for candidate in best],
    }
    if has_cut:
        values["meeting"] = _at(compared, pair, settings, searching)
        values["meeting"] |= _judged(armature, settings, values["meeting"])
    values.update(_write(arguments, compared, values))
    return values, _lines(values)


def _clip(clip: Any) -> dict[str, Any]:
    return {
        **{"action": clip.action.name, "slot": clip.slot.identifier},
        **{"start": clip.start, "end": clip.end, "cycle": clip.cycle is not None},
    }


def _at(compared: Any, pair: Any, settings: Any, searching: Any) -> dict[str, Any]:
    """The cost of the transition that was named, by bone, and the best entry for its cut.

    searching: finds the best for a cut.
    """
    from ...blender.transition import preflight

    settings = preflight.resolved(settings, pair.source, pair.destination)
    parts = compared.by_bone(settings.cut, settings.destination_frame)
    total = sum(parts.values())
    ranked = sorted(parts.items(), key=lambda part: -part[1])
    (entry,) = progress.finish(searching(given=(settings.cut, None)), "judging entries")
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


def _suggested(armature: Any, settings: TransitionSettings) -> TransitionSettings:
    """Settings with the blend time that looks best, where that is asked for."""
    from ...blender.transition import bake

    if not settings.suggest_blend_time:
        return settings
    found = progress.finish(bake.planning(armature, settings), "looking for a blend time").settings
    names = ("blend_frames", "half_life", "suggest_blend_time")
    return dataclasses.replace(settings, **{name: getattr(found, name) for name in names})


def _judged(armature: Any, settings: TransitionSettings, at: dict[str, Any]) -> dict[str, Any]:
    """What the transition that was named is like, and what helps it."""
    from ...blender.judging import verdict
    from ...blender.transition import bake

    settings = dataclasses.replace(settings, cut=at["cut"], destination_frame=at["destination_frame"])
    plan = progress.finish(bake.planning(armature, settings), "planning")
    told = progress.finish(verdict.of_played(plan.played), "judging")
    helps = progress.finish(bake.helping(plan, told), "looking for what helps")
    return {"verdict": told.as_dict(), "helps": [remedy.as_dict() for remedy in helps]}


def _told(pair: dict[str, Any], before: str = "") -> str:
    """The first sentence of a pair's verdict, "" where it has none."""
    told = pair["verdict"]
    return before + told["words"][0] if told else ""


def _write(arguments: argparse.Namespace, compared: Any, values: dict[str, Any]) -> dict[str, Any]:
    """Write the picture and the table that were asked for; returns where they are."""
    from ...blender.cost import costing, map_picture
    from ...blender.files import picture_files
    from ...plots.chart import sheet
    from ...storage import safe_write

    if arguments.map is None and arguments.csv is None:
        return {}
    made, steps = costing.start_map(compared, exact=not arguments.features)
    progress.finish(steps, "drawing the map")
    written = {}
    with ExitStack() as files:
        if arguments.csv is not None:
            _write_table(files.enter_context(safe_write.replacing(arguments.csv)), made)
            written["csv"] = str(arguments.csv.absolute())
        if arguments.map is not None:
            at = values.get("meeting")
            current = None if at is None else (at["cut"], at["destination_frame"])
            best = [(pair["cut"], pair["destination_frame"]) for pair in values["best"]]
            actions = (values["source"]["action"], values["destination"]["action"])
            drawn = map_picture.chart(made, actions, current, best)
            picture_files.save(sheet([drawn]), arguments.map)
            written["map"] = str(arguments.map.absolute())
    return written


def _write_table(path: Path, made: Any) -> None:
    """The map as comma-separated values: a row for each cut, a column for each destination frame."""
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write("cut," + ",".join(f"{frame:g}" for frame in made.destinations) + "\n")
        for cut, row in zip(made.cuts, made.costs, strict=True):
            file.write(f"{cut:g}," + ",".join(f"{value:.6g}" for value in row) + "\n")


def _lines(values: dict[str, Any]) -> list[str]:
    lines = [
        f"{values['source']['action']} to {values['destination']['action']}: costs in metre seconds, "
        f"{values['method'].lower().replace('_', ' ')}, {values['seconds']:.3g} s"
    ]
    lines += [f"note: {note}" for note in values["notes"]]
    at = values.get("meeting")
    if at is not None:
        lines += ["", f"cut {at['cut']:g}, destination frame {at['destination_frame']:g}: {at['cost']:.4g}"]
        lines += ["  " + words for words in at["verdict"]["words"]]
        lines += ["  what helps:"] if at["helps"] else []
        lines += ["    " + remedy["words"] for remedy in at["helps"]]
        rows = [[part["bone"], f"{part['cost']:.4g}", f"{part['share']:.0%}"] for part in at["bones"]]
        lines += ["  " + line for line in output.table(rows)]
        entry = at["best_destination"]
        lines.append(
            f"best entry for this cut: destination frame {entry['destination_frame']:g}: {entry['cost']:.4g}"
            f"{_told(entry, '. ')}"
        )
    rows = [["cut", "destination frame", "cost", *(["verdict"] if values["by"] == "JUDGED" else [])]]
    rows += [
        [f"{pair['cut']:g}", f"{pair['destination_frame']:g}", f"{pair['cost']:.4g}", _told(pair)][
            : len(rows[0])
        ]
        for pair in values["best"]
    ]
    lines += ["", "best pairs", *("  " + line for line in output.table(rows))]
    lines += [f"{name}: {values[name]}" for name in ("map", "csv") if name in values]
    return lines
