# SPDX-License-Identifier: GPL-3.0-or-later
"""Does jobs with the Blender of this process, and keeps inputs open from one to the next."""

from __future__ import annotations

import dataclasses
import time
from pathlib import Path
from typing import Any

from ...blender import actions, bake, compat, costing, files, inventory, joints, meetings, quality
from ...blender.actions import Clip
from ...blender.costing import Pair
from ...blender.evaluation import Motion
from ...blender.files import importing
from ...blender.settings import TransitionSettings
from ...blender.sources import OpenSources
from ...motion.errors import InertiaError
from ...motion.steps import finish
from .. import session
from ..spec.jobs import Inputs, Job, digest_of
from .journal import Journal
from .recent import Recent

KEPT_BYTES = 256 * 2**20
"""So much of clips that were read, and of those that were evaluated, is kept for the jobs to come."""


class Maker:
    """A Blender at work. It holds one set of inputs at a time.

    seconds: what the last job spent its time on.
    """

    def __init__(self) -> None:
        self._inputs: Inputs | None = None
        self._sources: OpenSources | None = None
        self._clips: Recent[Clip] = Recent(KEPT_BYTES, _clip_size)
        self._motions: Recent[Motion] = Recent(KEPT_BYTES, _motion_size)
        self.seconds: dict[str, float] = {}
        self._since = 0.0

    def inspect(self, inputs: Inputs) -> dict[str, Any]:
        """What inputs hold, with their digests by path as ``contents``. Raises InertiaError."""
        sources = self._open(inputs)
        sources.renew()
        return {**inventory.outline(), "contents": sources.contents}

    def make(self, job: Job, contents: str, output: Path) -> dict[str, Any]:
        """Do a job: write its outputs into a folder, and record it; returns the record.

        contents: :func:`contents_of` its inputs, as they were inspected. Raises InertiaError with no output
        half written.
        """
        self.seconds, self._since = {}, time.perf_counter()
        sources = self._open(job.inputs)
        if contents_of(sources.contents) != contents:
            raise InertiaError(
                f'"{job.inputs.name}" has changed since it was looked at; run it with --resume.'
            )
        sources.renew()
        self._count("reading")
        armature = session.find_armature(job.armature)
        settings = session.with_found_names(job.settings, armature.name)
        pair = costing.read_pair(armature, settings, self._read)
        self._count("baking")
        motions = (
            self._evaluated(armature, pair, pair.source),
            self._evaluated(armature, pair, pair.destination),
        )
        weights = dict(job.weights) or joints.named_weights(armature, job.joints)
        settings = _found(job, settings, pair, motions, weights)
        self._count("searching")
        plan = bake.plan_clips(armature, settings, pair.source, pair.destination)
        report = bake.write_plan(plan)
        self._count("baking")
        measured = quality.measure(plan, report, quality.compare(plan, weights, motions), motions)
        self._count("measuring")
        if sources.is_imported:
            importing.cover(*report.frame_range)
        for name in job.outputs:
            files.save(output / name, armature, report.result, report.slot)
        identity = job.identity(contents)
        values = {"identity": identity, "job": job.as_dict(), "report": report.as_dict()}
        values["quality"] = dataclasses.asdict(measured)
        record = Journal(output).write_record(identity, job.outputs, values)
        self._count("writing")
        return record

    def _count(self, what: str) -> None:
        """Add the time since the last count to what it was spent on."""
        now = time.perf_counter()
        self.seconds[what] = self.seconds.get(what, 0.0) + now - self._since
        self._since = now

    def close(self) -> None:
        """Let go of the inputs."""
        if self._sources is not None:
            self._sources.close()
        self._inputs, self._sources = None, None
        self._clips.clear()
        self._motions.clear()

    def _open(self, inputs: Inputs) -> OpenSources:
        if self._sources is not None and self._inputs == inputs:
            return self._sources
        self.close()
        scale = 1.0 if inputs.scale is None else inputs.scale
        self._sources = OpenSources([Path(path) for path in inputs.files], scale, inputs.fps)
        self._inputs = inputs
        return self._sources

    def _read(self, action: Any, slot: compat.Slot) -> Clip:
        """A slot of an action. Its keys are the same each time the inputs are opened."""
        read = self._clips.get(_name(action, slot), lambda: actions.read(action, slot))
        return read if read.action is action else actions.again(read, action, slot)

    def _evaluated(self, armature: Any, pair: Pair, clip: Clip) -> Motion:
        """A clip on its whole frames; it is the same in every job of these inputs."""
        key = (armature.name, pair.root.name, *_name(clip.action, clip.slot))
        return self._motions.get(key, lambda: finish(costing.evaluation_of(armature, pair, clip)))


def _name(action: Any, slot: compat.Slot) -> tuple[str, ...]:
    library = "" if action.library is None else action.library.filepath
    return action.name, library, slot.identifier


def _clip_size(clip: Clip) -> int:
    return sum(curve.keys.nbytes for curve in clip.curves.values())


def _motion_size(motion: Motion) -> int:
    return motion.positions.nbytes + motion.velocities.nbytes


def _found(
    job: Job,
    settings: TransitionSettings,
    pair: Pair,
    motions: tuple[Motion, Motion],
    weights: dict[str, float],
) -> TransitionSettings:
    """Settings with the cut and the destination frame that cost least, as far as these are searched."""
    searched = job.searched
    if searched is None:
        return settings
    compared = costing.compare(settings, pair.alignment, weights, motions, bake.scene_fps())
    search = meetings.Search(searched.first, searched.last, searched.keep_frames)
    if searched.cut and searched.destination_frame:
        (best,) = finish(meetings.best_pairs(compared, 1, search))
    elif searched.cut:
        entry = settings.destination_frame
        best = meetings.best_cut(compared, pair.destination.start if entry is None else entry, search)
    else:
        best = meetings.best_destination(compared, settings.cut, search)
    return dataclasses.replace(settings, cut=best.cut, destination_frame=best.destination_frame)


def contents_of(digests: dict[str, str]) -> str:
    """A digest of inputs that does not depend on where they are. digests: by path."""
    return digest_of(sorted((Path(path).name, digest) for path, digest in digests.items()))
