# SPDX-License-Identifier: GPL-3.0-or-later
"""Inputs that are open in the Blender of this process, and what was found of them for the jobs to come."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Generator, Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar

from ...blender import files
from ...blender.data import actions, compat
from ...blender.data.actions import Clip
from ...blender.data.roots import Root
from ...blender.evaluation import joint_motion, joints
from ...blender.evaluation.joint_motion import Motion
from ...blender.files import OpenSources, importing
from ...blender.hops.search import Prepared
from ...blender.transition.report import Made
from ...motion.steps import finish
from ...settings.hops import OF_A_BAKE, HopSettings
from ...tasks import hop_search
from ...tasks.work import Work
from .job import FOLDER, Inputs, Job, contents_of

KEPT_BYTES = 256 * 2**20
"""So much of clips that were read, and of those that were evaluated, is kept for the jobs to come."""

ROOM = 1.5
"""A .blend that would take more than this times what the inputs take is compressed."""

LEARNING = "learning"
"""The folder, within that of what runs remember, of models that are being learned."""

SEARCHES = 4
"""So many sets of clips that are ready to be searched for hops are kept."""


AT_LEAST = 2
"""So many are kept whatever they take: the source and the destination."""

Thing = TypeVar("Thing")


class Recent(Generic[Thing]):
    """The things that were used last. limit: their bytes, together. size: the bytes of one."""

    def __init__(self, limit: int, size: Callable[[Thing], int]) -> None:
        self._limit, self._size = limit, size
        self._kept: dict[Hashable, Thing] = {}

    def get(self, key: Hashable, make: Callable[[], Thing]) -> Thing:
        """What is kept under a key, else what is made."""
        thing = self._kept.pop(key) if key in self._kept else make()
        self._kept[key] = thing
        while len(self._kept) > AT_LEAST and sum(map(self._size, self._kept.values())) > self._limit:
            del self._kept[next(iter(self._kept))]
        return thing

    def clear(self) -> None:
        """Let go of all."""
        self._kept.clear()


class Opened:
    """One set of inputs at a time. seconds: what time was spent on, as far as it was counted."""

    def __init__(self) -> None:
        self._inputs: Inputs | None = None
        self._sources: OpenSources | None = None
        self._clips: Recent[Clip] = Recent(
            KEPT_BYTES, lambda clip: sum(curve.keys.nbytes for curve in clip.curves.values())
        )
        self._motions: Recent[Motion] = Recent(
            KEPT_BYTES, lambda motion: motion.positions.nbytes + motion.velocities.nbytes
        )
        self._prepared: Recent[Prepared] = Recent(SEARCHES, lambda prepared: 1)
        self.seconds: dict[str, float] = {}
        self._since = 0.0

    def start(self) -> None:
        """Count time from now."""
        self.seconds, self._since = {}, time.perf_counter()

    def count(self, what: str) -> None:
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
        self._prepared.clear()

    def open(self, inputs: Inputs) -> OpenSources:
        """Open inputs, unless they are open. Raises InertiaError."""
        if self._sources is not None and self._inputs == inputs:
            return self._sources
        self.close()
        scale = 1.0 if inputs.scale is None else inputs.scale
        self._sources = OpenSources([Path(path) for path in inputs.files], scale, inputs.fps)
        self._inputs = inputs
        return self._sources

    def reading(self, action: Any, slot: compat.Slot) -> Generator[float, None, Clip]:
        """A slot of an action, in no steps. Its keys are the same each time the inputs are opened."""
        yield from ()
        read = self._clips.get(_name(action, slot), lambda: actions.read(action, slot))
        return read if read.action is action else actions.again(read, action, slot)

    def evaluated(self, armature: Any, clip: Clip, root: Root) -> Generator[float, None, Motion]:
        """A clip on its whole frames, in no steps; it is the same in every job of these inputs."""
        yield from ()
        key = (armature.name, root.name, clip.cycle, clip.scale, *_name(clip.action, clip.slot))
        return self._motions.get(key, lambda: finish(joint_motion.whole(armature, clip, root)))

    def prepared(
        self,
        armature: Any,
        settings: HopSettings,
        weights: Mapping[str, float],
        all_pairs: tuple[str, ...] = (),
    ) -> Prepared:
        """Clips ready to be searched for hops: the same for jobs that differ in triggers or bakes alone."""
        key = (armature.name, _searched(settings), tuple(sorted(weights.items())), all_pairs)
        made = self._prepared.get(
            key, lambda: hop_search.prepared(armature, settings, weights, all_pairs, self.evaluated)
        )
        return dataclasses.replace(made, settings=settings)

    def weights(self, job: Job, armature: Any) -> dict[str, float]:
        """The joints that count."""
        return dict(job.weights) or joints.named_weights(armature, job.joints)

    def work(self, job: Job, armature: Any, output: Path) -> Work:
        """What a job's task works with. output: the folder that is written into."""
        return JobWork(self, job, armature, output)

    def save(
        self, job: Job, armature: Any, report: Made, output: Path, names: Sequence[str] | None = None
    ) -> None:
        """Write the outputs of what was baked: those of some names, all by default."""
        sources = self.open(job.inputs)
        if sources.is_imported:
            # the range of a .blend file is the user's own
            importing.cover(*report.frame_range)
        room = None if job.whole_file else ROOM * sources.size
        # a .blend last, as what is open may lose what that does not need
        for name in sorted(job.outputs if names is None else names, key=lambda name: name.endswith(".blend")):
            # what a power cut takes, --resume misses: the journal knows its content
            files.save(output / name, armature, report.result, report.slot, settled=False, room=room)


class JobWork(Work):
    """How a task works in a batch, with what is kept of the inputs for other jobs."""

    def __init__(self, opened: Opened, job: Job, armature: Any, output: Path) -> None:
        super().__init__(armature, is_judged=True)
        self._opened, self._job, self._output = opened, job, output
        self.outputs = tuple(output / name for name in job.outputs)

    def draft(self) -> Path:
        """Where long work is kept, to be taken up by a run that comes behind one that was killed."""
        known = contents_of(self._opened.open(self._job.inputs).contents)
        folder = self._output / FOLDER / LEARNING
        folder.mkdir(parents=True, exist_ok=True)
        return folder / f"{self._job.identity(known)}.npz"

    def count(self, what: str) -> None:
        """Take note of the time it took."""
        self._opened.count(what)

    def weights(self) -> dict[str, float]:
        """The joints that count."""
        return self._opened.weights(self._job, self.armature)

    def reading(self, action: Any, slot: compat.Slot) -> Generator[float, None, Clip]:
        """Read a slot of an action, or know it."""
        return self._opened.reading(action, slot)

    def evaluated(self, armature: Any, clip: Clip, root: Root) -> Generator[float, None, Motion]:
        """Evaluate a clip, or know it."""
        return self._opened.evaluated(armature, clip, root)

    def prepared(self, settings: HopSettings, all_pairs: tuple[str, ...] = ()) -> Prepared:
        """Make clips ready to be searched for hops, or know them."""
        return self._opened.prepared(self.armature, settings, self.weights(), all_pairs)


def _searched(settings: HopSettings) -> str:
    """The settings as far as a search depends on them: the same text for the same."""
    values = settings.transition.as_dict() | settings.as_dict()
    left_out = {"transition", "cut", "assign", "assign_others", *OF_A_BAKE}
    return repr({name: value for name, value in values.items() if name not in left_out})


def _name(action: Any, slot: compat.Slot) -> tuple[str, ...]:
    library = "" if action.library is None else action.library.filepath
    return action.name, library, slot.identifier
