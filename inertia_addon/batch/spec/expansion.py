# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes jobs of what a spec asks for, once it is known what the inputs hold."""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...blender.settings import TransitionSettings
from ...motion.errors import InertiaError
from .. import names
from . import schema, validation
from .jobs import Inputs, Job, Searched
from .reading import Request, merged
from .validation import Path, Problem

Outline = dict[str, Any]
"""What inputs hold, see ``inventory.outline``; or ``error``, the sentence why they can't be read."""

UNREADABLE = "error"


@dataclasses.dataclass(frozen=True)
class Expansion:
    """Jobs in the spec's order, and all faults found on the way."""

    jobs: list[Job]
    problems: list[Problem]


def expand(requests: Iterable[Request], outlines: Mapping[Inputs, Outline]) -> Expansion:
    """Make the jobs of requests.

    outlines: of all inputs. Jobs of inputs that can't be read are made all the same, as far as they can,
    and will fail: they are no faults of the spec.
    """
    jobs: list[Job] = []
    problems: list[Problem] = []
    written: dict[str, Job] = {}
    for request in requests:
        outline = outlines[request.inputs]
        for path, values in _transitions(request, outline, problems):
            try:
                job = _job(request, path, values)
            except InertiaError as error:
                problems.append(Problem(path, str(error).rstrip("."), "settings that go together"))
                continue
            problems += _faults(job, path, outline)
            problems += _doubled(job, path, written)
            jobs.append(job)
    return Expansion(jobs, list(dict.fromkeys(problems)))


def _transitions(
    request: Request, outline: Outline, problems: list[Problem]
) -> Iterator[tuple[Path, dict[str, Any]]]:
    """The transitions of a request: their places in the spec, and their fields."""
    values = {name: value for name, value in request.values.items() if name not in ("clips", "edges")}
    if not request.is_machine:
        if "cut" not in values:
            problems.append(Problem((*request.path, "cut"), "nothing", 'a frame, or "best"'))
            return
        yield request.path, values
        return
    # a default for the cut is for transitions: that of an edge is always searched
    values["cut"] = schema.BEST
    clips = request.values["clips"]
    if clips == "all":
        clips = _all_clips(request, outline, problems)
    edges = request.values.get("edges", "all")
    if edges == "all":
        for source, destination in itertools.permutations(clips, 2):
            yield request.path, {**values, "source": source, "destination": destination}
        return
    for i, edge in enumerate(edges):
        path = (*request.path, "edges", i)
        ends = (edge["source"], edge["destination"]) if isinstance(edge, dict) else tuple(edge)
        strange = [end for end in ends if end not in clips]
        problems += [
            Problem(
                path,
                validation.quoted(end),
                f"the machine's clips, {_list(clips)}",
                validation.close_names(end, clips),
            )
            for end in strange
            if UNREADABLE not in outline
        ]
        own = edge if isinstance(edge, dict) else {"source": edge[0], "destination": edge[1]}
        yield path, merged(values, own)


def _all_clips(request: Request, outline: Outline, problems: list[Problem]) -> list[str]:
    armature = _armature(request.values.get("armature"), outline)
    if armature is None:
        # said of the armature itself, or of the file
        if UNREADABLE not in outline:
            problems += _armature_faults(request.path, request.values.get("armature"), outline)
        return []
    clips = [
        action["name"] for action in armature["actions"] if not action["is_result"] and not action["problem"]
    ]
    if len(clips) < 2:
        problems.append(
            Problem(
                (*request.path, "clips"), f"{len(clips)} clips that fit in {request.inputs.name}", "2 or more"
            )
        )
    return clips


def _job(request: Request, path: Path, values: dict[str, Any]) -> Job:
    """A job of merged fields. Raises InertiaError for settings that don't go together."""
    settings = {name: values[name] for name in schema.SETTINGS if name in values}
    best = {name: settings.get(name) == schema.BEST for name in schema.SEARCHED}
    # of the best cut, the best entry; of a cut that is given, the destination's first frame as always
    if best["cut"] and "destination_frame" not in settings:
        best["destination_frame"] = True
    for name in best:
        if best[name]:
            settings.pop(name, None)
    settings.setdefault("cut", 0.0)
    settings["cut"] = float(settings["cut"])
    searched = None
    if any(best.values()):
        first, last = values.get("range", (None, None))
        searched = Searched(
            **best, first=first, last=last, keep_frames=float(values.get("keep_frames", 12.0))
        )
    made = TransitionSettings.from_dict(_as_floats(settings))
    stem = _stem(request, values, made, searched)
    return Job(
        request.inputs,
        values.get("armature"),
        made,
        searched,
        values.get("joints", schema.JOINTS[0]),
        tuple(sorted((bone, float(weight)) for bone, weight in values.get("weights", {}).items())),
        tuple(f"{stem}.{kind}" for kind in values.get("formats", schema.FORMATS[:1])),
        validation.spoken_path(path),
    )


def _as_floats(settings: dict[str, Any]) -> dict[str, Any]:
    """Numbers that a spec has as integers as the panel has them: a recipe does not tell 12 from 12.0."""
    return {
        name: float(value) if isinstance(value, int) and not isinstance(value, bool) else value
        for name, value in (
            (
                name,
                {bone: float(scale) for bone, scale in value.items()} if isinstance(value, dict) else value,
            )
            for name, value in settings.items()
        )
    }


def _stem(
    request: Request, values: dict[str, Any], settings: TransitionSettings, searched: Searched | None
) -> str:
    """The name of what a job writes, without its ending."""
    usual = ("{file}_" if request.each_file else "") + "{source}_to_{destination}"
    cut = "best" if searched and searched.cut else f"{settings.cut:g}"
    parts = {
        "file": request.inputs.name,
        "source": settings.source,
        "destination": settings.destination,
        "cut": cut,
    }
    name = values.get("name", usual).format(**parts)
    # what some file system does not take; a hidden file's name would look like one that is being written
    return re.sub(r'[/\\:*?"<>|\x00-\x1f]', "_", name).strip(" .") or "_"


def _doubled(job: Job, path: Path, written: dict[str, Job]) -> Iterator[Problem]:
    for output in job.outputs:
        # file systems that don't tell A from a
        before = written.setdefault(output.casefold(), job)
        if before is not job:
            there = f"{before.where} ({before.inputs.name}: {before.label})"
            yield Problem((*path, "name"), f'"{output}", which {there} writes too', "another name")
            return


def _armature(name: str | None, outline: Outline) -> Outline | None:
    """The armature that is meant, None when there is none."""
    known = {armature["name"]: armature for armature in outline.get("armatures", ())}
    try:
        return known[names.choose_armature(name, list(known))]
    except InertiaError:
        return None


def _armature_faults(path: Path, name: str | None, outline: Outline) -> Iterator[Problem]:
    known = [armature["name"] for armature in outline["armatures"]]
    found = "nothing" if name is None else validation.quoted(name)
    allowed = f"the armatures {_list(known)}" if known else "an armature in the file, which has none"
    yield Problem((*path, "armature"), found, allowed, validation.close_names(name, known))


def _faults(job: Job, path: Path, outline: Outline) -> Iterator[Problem]:
    """Names and frames of a job that its inputs do not have."""
    if UNREADABLE in outline:
        return
    armature = _armature(job.armature, outline)
    if armature is None:
        yield from _armature_faults(path, job.armature, outline)
        return
    frames = {"source": "cut", "destination": "destination_frame"}
    for side, field in frames.items():
        name = getattr(job.settings, side)
        if getattr(job.settings, f"{side}_library"):
            continue
        try:
            chosen = names.choose_action(name, outline["actions"], armature["name"])
        except InertiaError:
            known = [action["name"] for action in armature["actions"]] or outline["actions"]
            close = validation.close_names(name, outline["actions"])
            listed = (
                f"the actions {_list(known, close)}" if known else "an action in the file, which has none"
            )
            yield Problem((*path, side), validation.quoted(name), listed, close)
            continue
        action = next((action for action in armature["actions"] if action["name"] == chosen), None)
        slot = getattr(job.settings, f"{side}_slot")
        if action is not None and slot in ("", action["slot"]):
            yield from _frame_faults(job, path, field, action)
    yield from _bone_faults(job, path, armature["bones"])


def _frame_faults(job: Job, path: Path, field: str, action: Outline) -> Iterator[Problem]:
    frame = getattr(job.settings, field)
    start, end = action["start"], action["end"]
    allowed = f'a frame of "{action["name"]}", {start:g} to {end:g}'
    searched = job.searched
    if searched is not None and getattr(searched, field):
        first, last = searched.first, searched.last
        if field == "cut" and first is not None and last is not None and (last < start or first > end):
            yield Problem((*path, "range"), f"{first:g} to {last:g}", allowed)
    elif frame is not None and not job.settings.extrapolate and not start - 1e-3 <= frame <= end + 1e-3:
        yield Problem((*path, field), f"{frame:g}", f"{allowed}, or extrapolate = true")


def _bone_faults(job: Job, path: Path, bones: list[str]) -> Iterator[Problem]:
    settings = job.settings
    named = [("bones", name) for name in settings.bones]
    named += [("blend_scales", name) for name, _ in settings.blend_scales]
    named += [("weights", name) for name, _ in job.weights]
    named += [("root", settings.root)] if settings.root not in ("", "<object>") else []
    for field, name in named:
        if name not in bones:
            close = validation.close_names(name, bones)
            yield Problem((*path, field), validation.quoted(name), f"the bones {_list(bones, close)}", close)


def _list(known: list[str], first: Iterable[str] = (), most: int = 12) -> str:
    ordered = list(dict.fromkeys([*first, *known]))
    shown = ", ".join(map(validation.quoted, ordered[:most]))
    return shown if len(ordered) <= most else f"{shown} and {len(ordered) - most} more"
