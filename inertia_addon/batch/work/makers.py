# SPDX-License-Identifier: GPL-3.0-or-later
"""How jobs of each kind are done, once their inputs are open: a function for each."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ...blender import files
from ...blender.cost import costing, meetings, quality
from ...blender.cost.costing import Pair
from ...blender.data import named, scene
from ...blender.evaluation import joints
from ...blender.evaluation.joint_motion import Motion
from ...blender.files import importing
from ...blender.hops import bake as hop_bake
from ...blender.hops import quality as hop_quality
from ...blender.hops import search as hops
from ...blender.hops import table as hop_table
from ...blender.transition import bake
from ...blender.transition.report import BakeReport
from ...motion.steps import finish
from ...settings.transition import TransitionSettings
from .. import hop_search
from ..spec.jobs import HopJob, Job, TableJob, TransitionJob
from .opened import Opened

ROOM = 1.5
"""A .blend that would take more than this times what the inputs take is compressed."""


@dataclasses.dataclass(frozen=True)
class Made:
    """What a job has made, as JSON values. quality: what gates judge, {} where there is nothing to judge."""

    report: dict[str, Any]
    quality: dict[str, Any]


def make(opened: Opened, job: Any, output: Path) -> Made:
    """Do a job of any kind, its inputs being open, and write its outputs into a folder.

    Raises InertiaError with no output half written.
    """
    armature = named.find_armature(job.armature)
    return MAKERS[type(job)](opened, job, armature, output)


def _transition(opened: Opened, job: TransitionJob, armature: Any, output: Path) -> Made:
    settings = named.with_found_names(job.settings, armature.name)
    pair = costing.read_pair(armature, settings, opened.reading)
    opened.count("baking")
    source, destination = (opened.evaluated(armature, pair.root, c) for c in (pair.source, pair.destination))
    motions, weights = (source, destination), _weights(job, armature)
    settings, notes = _found(job, settings, pair, motions, weights)
    opened.count("searching")
    plan = bake.plan_clips(armature, settings, pair.source, pair.destination)
    report = bake.write_plan(plan)
    report = dataclasses.replace(report, warnings=(*report.warnings, *notes))
    opened.count("baking")
    measured = quality.measure(plan, report, quality.compare(plan, weights, motions), motions)
    opened.count("measuring")
    _save(opened, job, armature, report, output)
    return Made(report.as_dict(), dataclasses.asdict(measured))


def _hop(opened: Opened, job: HopJob, armature: Any, output: Path) -> Made:
    settings = named.with_found_names_of_hops(job.settings, armature.name)
    weights = _weights(job, armature)
    bridges = opened.bridges(armature, settings, weights)
    ways, direct = finish(hops.ranked(bridges, job.rank))
    way = hop_search.chosen(bridges, ways, job.rank)
    opened.count("searching")
    report = hop_bake.bake_hop(armature, settings, way)
    opened.count("baking")
    measured = finish(hop_quality.measure(armature, settings, report, weights, opened.evaluation_of))
    opened.count("measuring")
    _save(opened, job, armature, report.last, output)
    found = {**hop_search.described(bridges), "direct": direct if np.isfinite(direct) else None}
    return Made({**report.as_dict(), "searched": found}, dataclasses.asdict(measured))


def _table(opened: Opened, job: TableJob, armature: Any, output: Path) -> Made:
    settings = named.with_found_names_of_hops(job.settings, armature.name)
    all_pairs = named.found_names(job.all_pairs, armature.name)
    bridges = opened.bridges(armature, settings, _weights(job, armature), all_pairs)
    found = hop_search.tables(bridges, all_pairs)
    opened.count("searching")
    held = hop_table.contents(bridges, found)
    for name in job.outputs:
        hop_table.save(output / name, held)
    told = {"pairs": hop_search.told(bridges, found), "searched": hop_search.described(bridges)}
    return Made(told, {})


MAKERS: Mapping[type[Job], Callable[[Opened, Any, Any, Path], Made]] = {
    TransitionJob: _transition,
    HopJob: _hop,
    TableJob: _table,
}


def _weights(job: Job, armature: Any) -> dict[str, float]:
    """The joints that count."""
    return dict(job.weights) or joints.named_weights(armature, job.joints)


def _save(opened: Opened, job: Job, armature: Any, report: BakeReport, output: Path) -> None:
    """Write the outputs of what was baked."""
    sources = opened.open(job.inputs)
    if sources.is_imported:
        # the range of a .blend file is the user's own
        importing.cover(*report.frame_range)
    room = None if job.whole_file else ROOM * sources.size
    # a .blend last, as what is open may lose what that does not need
    for name in sorted(job.outputs, key=lambda name: name.endswith(".blend")):
        # what a power cut takes, --resume misses: the journal knows its content
        files.save(output / name, armature, report.result, report.slot, settled=False, room=room)


def _found(
    job: TransitionJob,
    settings: TransitionSettings,
    pair: Pair,
    motions: tuple[Motion, Motion],
    weights: dict[str, float],
) -> tuple[TransitionSettings, list[str]]:
    """Settings with the cut and the destination frame that cost least, as far as these are searched.

    Returned, too, are sentences about clips of which not every frame was looked at.
    """
    searched, names = job.searched, [clip.action.name for clip in (pair.source, pair.destination)]
    if searched is None:
        return settings, meetings.sampled(names, motions)
    compared = costing.compare(settings, pair.alignment, weights, motions, scene.fps())
    search = meetings.Search(searched.first, searched.last, searched.keep_frames)
    both = searched.cut and searched.destination_frame
    if both:
        (best,) = finish(meetings.best_pairs(compared, 1, search))
    elif searched.cut:
        entry = settings.destination_frame
        best = meetings.best_cut(compared, pair.destination.start if entry is None else entry, search)
    else:
        best = meetings.best_destination(compared, settings.cut, search)
    settings = dataclasses.replace(settings, cut=best.cut, destination_frame=best.destination_frame)
    return settings, meetings.sampled(names, motions, search if both else None)
