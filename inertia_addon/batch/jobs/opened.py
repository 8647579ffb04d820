# SPDX-License-Identifier: GPL-3.0-or-later
"""Inputs that are open in the Blender of this process, and what was found of them for the jobs to come."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any, Generic, TypeVar

from ...blender import files
from ...blender.data import actions, compat, scene
from ...blender.data.actions import Clip
from ...blender.data.roots import Root
from ...blender.evaluation import joint_motion, joints, playback
from ...blender.evaluation.character import Character
from ...blender.evaluation.joint_motion import JointMotion
from ...blender.files import OpenSources, importing
from ...console.output import as_json
from ...motion.cycles.cycle import Cycle
from ...motion.skeleton.posing import Rig
from ...motion.steps import Steps, finish
from ...storage import safe_write
from ...tasks.task import LISTED, PAGE, Result, Work
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
        """Return what is kept under a key; if nothing is, call `make`, keep what that returns, and return it.
        It counts as used last then.

        Each call then drops what was used longest ago while the sizes of all that is kept exceed the limit
        together; the two used last always stay. What `make` raises gets through, and nothing is kept under
        the key.
        """
        thing = self._kept.pop(key) if key in self._kept else make()
        self._kept[key] = thing
        while len(self._kept) > AT_LEAST and sum(map(self._size, self._kept.values())) > self._limit:
            del self._kept[next(iter(self._kept))]
        return thing


class Opened:
    """One set of inputs at a time, with what was read, evaluated and prepared of them.

    seconds: what time was spent on, as far as it was counted. found: what was found of each armature, by its
    name, see :meth:`Character.find_once`. cycles: which clips are cycles.
    """

    def __init__(self) -> None:
        self._sources: OpenSources | None = None
        self.seconds: dict[str, float] = {}
        self._since = 0.0
        self._forget()

    def _forget(self) -> None:
        self._inputs: Inputs | None = None
        self.clips: Recent[Clip] = Recent(
            KEPT_BYTES, lambda clip: sum(curve.keys.nbytes for curve in clip.curves.values())
        )
        self.motions: Recent[JointMotion] = Recent(
            KEPT_BYTES, lambda motion: motion.positions.nbytes + motion.velocities.nbytes
        )
        self.searches: Recent[Any] = Recent(SEARCHES, lambda prepared: 1)
        self.found: dict[str, dict[Any, Any]] = {}
        self.cycles: dict[Hashable, Cycle | None] = {}

    def start(self) -> None:
        """Count time from now."""
        self.seconds, self._since = {}, time.perf_counter()

    def count(self, label: str) -> None:
        """Add the time since the last count to what it was spent on."""
        now = time.perf_counter()
        self.seconds[label] = self.seconds.get(label, 0.0) + now - self._since
        self._since = now

    def close(self) -> None:
        """Let go of the inputs, if any are open, and of all that is kept of them. What is open in Blender
        stays.
        """
        if self._sources is not None:
            self._sources.close()
            self._sources = None
        self._forget()

    def open(self, inputs: Inputs) -> OpenSources:
        """Return inputs as opened in Blender. Inputs equal to those that are open already are not opened
        again; any others are closed first, and all that was kept of them is forgotten. A scale of None is 1.

        Raise InertiaError where they can't be read; then none count as open.
        """
        if self._sources is not None and self._inputs == inputs:
            return self._sources
        self.close()
        scale = 1.0 if inputs.scale is None else inputs.scale
        self._sources = OpenSources([Path(path) for path in inputs.files], scale, inputs.fps, inputs.up)
        self._inputs = inputs
        return self._sources


class JobWork(Work):
    """How a job's task works, with what is kept of the inputs for other jobs.

    output: the folder that is written into.
    """

    shares = True

    def __init__(self, opened: Opened, job: Job, armature: Any, output: Path) -> None:
        outputs = tuple(output / name for name in job.outputs)
        pages = [path for path in outputs if path.suffix in PAGE.endings]
        super().__init__(armature, is_judged=True, wanted={PAGE.name: pages[0]} if pages else {})
        self._opened, self._job, self._output, self.outputs = opened, job, output, outputs

    def perform(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Do the job, and write its outputs.

        Returns a report, and what gates judge, {} where there is nothing to judge; both as JSON values.
        Raise InertiaError with no output half written.
        """
        with scene.use_scene_of(self.armature):
            return self._perform()

    def _perform(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Do the job in the scene in use, and write its outputs; return (what was found, what gates judge),
        both as JSON values.

        Animation files hold the result, a .json what was found, and an .html plays it; a task that writes its
        own kind of output writes all of them. Where the inputs were imported, the scene's range first becomes
        the result's. A .blend is written last, as what is open may lose what that does not need. Raise
        InertiaError, with no output half written, where the job fails, the inputs can't be opened, or an
        output can't be written.
        """
        listed = (f".{LISTED}", *PAGE.endings)
        baked = [path for path in self.outputs if path.suffix not in listed]
        with playback.enable(self.armature):
            done = self._job.task.resolved(self.armature.name).perform(self, bakes=bool(baked))
        if done.report is not None:
            sources, report = self._opened.open(self._job.inputs), done.report
            if sources.is_imported:
                # the range of a .blend file is the user's own
                importing.cover(*report.frame_range)
            room = None if self._job.whole_file else ROOM * sources.size
            # a .blend last, as what is open may lose what that does not need
            for path in sorted(baked, key=lambda path: path.suffix == ".blend"):
                # what a power cut takes, --resume misses: the journal knows its content
                files.save(path, self.armature, report.result, report.slot, settled=False, room=room)
        write = done.writes.get("output")
        for path in self.outputs:
            if path in self.wanted.values():
                done.writes[PAGE.name](path)
            elif write is not None:
                write(path)
            elif path not in baked:
                with safe_write.replace_safely(path) as file:
                    file.write_text(as_json(done.values, 1) + "\n", encoding="utf-8")
        return done.values, dict(done.measured)

    def draft(self) -> Path:
        """Return the path of the file for unfinished long work, which the run after a killed one takes up:
        .inertia/learning/{identity}.npz in the output folder, by the identity of the job and of its inputs'
        contents.

        Make its folder, but not the file, which may be there or not. Raise InertiaError where the inputs
        can't be opened, and OSError where the folder can't be made.
        """
        contents = contents_of(self._opened.open(self._job.inputs).contents)
        folder = self._output / FOLDER / LEARNING
        folder.mkdir(parents=True, exist_ok=True)
        return folder / f"{self._job.identity(contents)}.npz"

    @property
    def character(self) -> Character:
        """The armature as it stands now, with what was found of it for other jobs of these inputs."""
        found = self._opened.found.setdefault(self.armature.name, {})
        return dataclasses.replace(super().character, found=found)

    def count(self, label: str) -> None:
        """Take note of the time it took."""
        self._opened.count(label)

    def weights(self) -> dict[str, float]:
        """Return the weights of the joints that count, by bone.

        They are the job's own where it has any; else those that its ``joints`` stands for, see
        :func:`joints.named_weights`. What is found of an armature is kept for other jobs.
        """
        if self._job.weights:
            return dict(self._job.weights)
        character = self.character
        return joints.named_weights(
            self.armature, self._job.joints, lambda _armature: character.find_once(joints.default_joints)
        )

    def reading(self, action: Any, slot: compat.Slot) -> Steps[Clip]:
        """Read a slot of an action, in no steps. Its keys are the same each time the inputs are opened."""
        yield from ()
        clip = self._opened.clips.get(_name(action, slot), lambda: actions.read(action, slot))
        return clip if clip.action is action else actions.reattached(clip, action, slot)

    def evaluated(self, character: Character, clip: Clip, root: Root) -> Steps[JointMotion]:
        """Return the motion of all joints and the root on a clip's whole frames; yield nothing.

        It is evaluated once for all jobs of these inputs, as long as it is kept, by armature, root, action,
        slot, cycle and scale. The clip's teleports become those of the motion where they were not looked for
        yet.
        """
        yield from ()
        key = (character.armature.name, root.name, clip.cycle, clip.scale, *_name(clip.action, clip.slot))
        motion = self._opened.motions.get(key, lambda: finish(joint_motion.whole(character, clip, root)))
        if clip.teleports is None:
            # they were looked for with the motion
            clip.teleports = motion.teleports
        return motion

    def find_cycle(self, rig: Rig, root: Root, clip: Clip, choice: str) -> Cycle | None:
        """Return the cycle that a clip is, None if it is none, as :meth:`Work.find_cycle` does. It is looked
        for once for all jobs of these inputs, by armature, root, choice, action, slot, range and scale.
        """
        span = (clip.start, clip.end, clip.scale, *_name(clip.action, clip.slot))
        key = (self.armature.name, root, choice, *span)
        if key not in self._opened.cycles:
            self._opened.cycles[key] = super().find_cycle(rig, root, clip, choice)
        return self._opened.cycles[key]

    def make_once(self, key: Hashable, make: Callable[[], Result]) -> Result:
        """Return what was made for another job of these inputs, else make it."""
        kept: Result = self._opened.searches.get(key, make)
        return kept


def _name(action: Any, slot: compat.Slot) -> tuple[str, ...]:
    library = "" if action.library is None else action.library.filepath
    return action.name, library, slot.identifier
