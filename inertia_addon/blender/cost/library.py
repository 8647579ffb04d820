# SPDX-License-Identifier: GPL-3.0-or-later
"""All clips with all clips: where each meets each other one best, and what that costs.

The clips may be of several files, one after the other open: only where their joints are is kept of them.
"""

from __future__ import annotations

import collections
import dataclasses
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...errors import InertiaError, Sentence
from ...motion.skeleton import character_space, twins
from ...motion.steps import Steps, finish
from ...records import record
from ...settings.cost import Search
from ...settings.transition import TransitionSettings
from ..data import clip_store, rig, roots
from ..data.actions import Clip
from ..evaluation import cycles, joint_motion
from ..evaluation.character import read_character
from ..evaluation.joint_motion import JointMotion
from ..judging import verdict as judgement
from ..judging.verdict import Verdict
from ..transition import preflight
from . import candidates, costing, meetings
from .candidates import Candidate, WantedPairs
from .costing import Compared, Plants, WeighedSkate

TRIED = 5
"""So many of a pair's meetings that features find good are compared by their exact costs."""


@record(frozen=True, eq=False)
class LibraryClip:
    """A clip of a library.

    frames: how many whole ones it has. motion: of the joints that count, and the feet; None where it was
    compared elsewhere. plants: when feet stand; None where their skate counts nothing. moves: whether its
    root travels or turns; place: where it stays. root: what its own file calls that; all else here has the
    names of the first file.
    """

    file: str
    action: str
    frames: int
    motion: JointMotion | None = None
    moves: bool = False
    place: character_space.RootPlace | None = None
    plants: Plants | None = None
    root: str = ""


@record(frozen=True)
class Edge:
    """The best meeting of two clips, by their places among all.

    cut, destination_frame: frames. cost: exact, in metre seconds; bone: which adds most to it, with its
    share of 0 to 1. verdict: None where it was not judged.
    """

    source: int
    destination: int
    cut: float
    destination_frame: float
    cost: float
    bone: str
    share: float
    verdict: Verdict | None = None

    @property
    def measured(self) -> dict[str, float | None]:
        """What gates look at: the cost, and the measures of the verdict, if there is one."""
        verdicts = () if self.verdict is None else (self.verdict,)
        return {"cost": self.cost, **judgement.measures(verdicts)}


@record(frozen=True, eq=False)
class Open:
    """The clips of an armature in the open file, by their actions, to be judged."""

    armature: Any
    clips: Mapping[str, Clip]

    @classmethod
    def of(cls, armature: Any) -> Open:
        """Read the library of an armature."""
        return cls(armature, {clip.action.name: clip for clip in clip_store.library(armature)[0]})


@record
class ClipLibrary:
    """Clips of one skeleton, to be compared. weights: by bone; the root is the same for all clips.

    skate_weight: see :class:`Search`. skipped: a sentence for each action that was left out. What Blender
    says to be a cycle is taken for one, and what begins anew where it ends.
    """

    settings: TransitionSettings
    weights: dict[str, float] | None = None
    root: str = ""
    skate_weight: float = 0.0
    fps: float = 0.0
    bones: tuple[str, ...] = ()
    clips: list[LibraryClip] = dataclasses.field(default_factory=list)
    skipped: list[str] = dataclasses.field(default_factory=list)

    def add(self, file: str, armature: Any, weights: dict[str, float]) -> Steps[None]:
        """Evaluate the clips of an armature in the open file and append them to ``clips``, in the file's
        order; yield the part that is done, up to 1, after each clip, and nothing if there are none.

        The clips are all fitting actions but results of Inertia's own. file: its name. weights: by bone;
        those of the first call count, later ones are ignored. Each LibraryClip keeps copies of only the
        joints whose weight is above 0 and, where skate counts, of those of the feet, under the first file's
        names and in its order. The first call also sets ``bones`` and ``fps``, and the first one with clips
        sets ``root``, if that is "". ``skipped`` gets a sentence for each clip that can't be read, for bones
        that are renamed or missing, and for each clip of which not every frame was looked at.

        Raise InertiaError for another skeleton or frame rate than the first file's, an armature in Edit Mode
        or at no finite place, a root or an alignment bone that doesn't exist, an armature without legs where
        skate counts, keys that are not finite, and where Blender has to play the rig and would not. Clips and
        sentences added until then stay.
        """
        character = read_character(armature)
        own = self._pair_bones(file, armature)
        self.weights = weights if self.weights is None else self.weights
        clips, skipped = clip_store.library(armature)
        self.skipped += skipped
        if not clips:
            return
        skeleton = character.rig
        asked = self.root or self.settings.root
        root = roots.find_root(skeleton, clips, own.get(asked, asked))
        self.root = self.root or root.name
        reference = preflight.reference(skeleton, self.settings, root)
        counting = [name for name in self.bones if self.weights.get(name, 0.0) > 0.0 and name in own]
        called = {twin: name for name, twin in own.items()}
        for i, single in enumerate(clips):
            clip = cycles.with_cycle(skeleton, root, single)
            motion = finish(joint_motion.whole(character, clip, reference))
            self.skipped += joint_motion.describe_sampling(clip.action.name, motion.frames)
            moves = roots.find_root(skeleton, (single,), root.name).moves
            place = roots.place(skeleton, single, root.name)
            plants = finish(costing.plants_of(read_character(armature), clip, self.skate_weight))
            if plants is not None:
                plants = dataclasses.replace(
                    plants, joints=tuple(called.get(joint, joint) for joint in plants.joints)
                )
            feet = () if plants is None else plants.joints
            # copies, so that the whole of it is not kept
            names = tuple(name for name in self.bones if name in own and name in {*counting, *feet})
            kept = [motion.names.index(own[name]) for name in names]
            positions, velocities = motion.positions[:, kept].copy(), motion.velocities[:, kept].copy()
            motion = dataclasses.replace(motion, names=names, positions=positions, velocities=velocities)
            frames = len(motion.frames)
            self.clips.append(
                LibraryClip(file, clip.action.name, frames, motion, moves, place, plants, root.name)
            )
            yield (i + 1) / len(clips)

    def _pair_bones(self, file: str, armature: Any) -> dict[str, str]:
        """Return what an armature calls the bones of the first file, by their names there; bones that it
        lacks are left out.

        In the first call ``bones`` and ``fps`` are set from the armature and the scene. Bones are paired by
        :func:`twins.find`, so that a prefix, case and separators may differ. ``skipped`` gets a sentence on
        renamed bones and one on missing joints that count. file: named in these and in errors.

        Raise InertiaError for no armature, another object or an armature in Edit Mode, for another skeleton
        than before (fewer bones in common than two thirds of the smaller one's or a third of the larger
        one's), and for a frame rate that differs by more than a thousandth. ``skipped`` has got nothing by
        then.
        """
        rig.check_armature(armature)
        bones, fps = tuple(armature.data.bones.keys()), read_character(armature).fps
        if not self.bones:
            self.bones, self.fps = bones, fps
        found = twins.find(self.bones, bones)
        lacking = [bone for bone in self.bones if bone not in set(found.values())]
        if not twins.are_alike(len(found), len(self.bones), len(bones)):
            strange = [bone for bone in bones if bone not in found] or lacking
            raise InertiaError(
                '"{file}" has another skeleton than the files before it: it differs in "{strange}".',
                file=file,
                strange=strange[0],
            )
        if abs(fps - self.fps) > 1e-3 * self.fps:
            raise InertiaError(
                '"{file}" has {fps:g} frames a second and the files before it have {expected:g}; give files '
                "of one frame rate.",
                file=file,
                fps=fps,
                expected=self.fps,
            )
        own = {name: bone for bone, name in found.items()}
        self.skipped += self._sentences(file, own, lacking)
        return own

    def _sentences(self, file: str, own_names: Mapping[str, str], lacking: Sequence[str]) -> Iterator[str]:
        """Yield a sentence if a file calls bones otherwise than the first one, and one if it lacks joints
        that count.

        own_names: what the file calls bones, by the first file's names. lacking: of the first file's bones.
        """
        renamed = [name for name, bone in own_names.items() if name != bone]
        if renamed:
            yield Sentence(
                '"{file}" has other names for {count} bones than the files before it, such as "{other}" for '
                '"{bone}"; they are treated as the same.',
                file=file,
                count=len(renamed),
                other=own_names[renamed[0]],
                bone=renamed[0],
            )
        unseen = [name for name in lacking if (self.weights or {}).get(name, 0.0) > 0.0]
        if unseen:
            yield Sentence(
                '"{file}" lacks joints that count, so its clips are compared without them: {bones}.',
                file=file,
                bones=preflight.named(unseen),
            )

    def names(self) -> list[str]:
        """Return what each clip is called: its action, with the file where several have one of that name."""
        counts = collections.Counter(clip.action for clip in self.clips)
        return [
            f"{clip.file}: {clip.action}" if counts[clip.action] > 1 else clip.action for clip in self.clips
        ]

    def pairs(self) -> list[tuple[int, int]]:
        """Return all ordered pairs (source, destination) of different clips, by index: both (0, 1) and (1,
        0).
        """
        return list(itertools.permutations(range(len(self.clips)), 2))

    def compared(self, source: int, destination: int) -> Compared:
        """Return two clips of the library, by their indices, in character space, aligned as a bake does it.

        An AUTO alignment becomes POSITION_HEADING if the root moves in either clip or the two roots are apart
        (:func:`character.apart`), else NONE; HEIGHT is added where the settings ask for that. Only joints
        that both clips have count, in the source's order. Skate counts only where both have all joints of the
        destination's feet.

        Clips without a motion or a place, which were compared elsewhere, and a library without weights are an
        AssertionError. Raise InertiaError when no joint counts, for a weight out of range, and where skate
        counts and the method is dead blending.
        """
        a, b = self.clips[source], self.clips[destination]
        assert a.motion is not None
        assert b.motion is not None
        assert a.place is not None
        assert b.place is not None
        assert self.weights is not None
        moves = a.moves or b.moves or character_space.apart((a.place, b.place))
        alignment = preflight.alignment_kind(self.settings, moves=moves)
        shared = tuple(name for name in a.motion.names if name in b.motion.names)
        stands = b.plants is not None and set(b.plants.joints) <= set(shared)
        motions = _of_joints(a.motion, shared), _of_joints(b.motion, shared)
        return costing.compare(
            self.settings,
            alignment,
            self.weights,
            motions,
            self.fps,
            WeighedSkate(b.plants if stands else None, self.skate_weight),
        )

    def edge(
        self, source: int, destination: int, search: Search, *, exact: bool, stage: Open | None = None
    ) -> Edge:
        """Return the best meeting of two clips of the library, by their indices, as an :class:`Edge`: the
        cut, the destination frame, the exact cost in metre seconds, the bone that adds most to it with its
        share of 0 to 1, and the verdict.

        exact: whether all exact costs are searched, or only those of the best few by features. stage: the
        open file with both clips, in which the cheapest meetings are judged, so that the best-looking is
        taken; None, or a search by COST, takes the cheapest, without a verdict. Raise InertiaError when no
        frame is within the search, a clip would meet itself everywhere, no joint counts, or skate counts and
        the method is dead blending; KeyError for a clip that `stage` lacks.
        """
        compared = self.compared(source, destination)
        if stage is None or search.by == "COST":
            cheapest, *_ = finish(meetings.best_pairs(compared, 1 if exact else TRIED, search, exact=exact))
            best = Candidate(**vars(cheapest))
        else:
            a, b = self.clips[source].action, self.clips[destination].action
            settings = dataclasses.replace(
                self.settings, source=a, destination=b, root=self.clips[source].root
            )
            clips = stage.clips[a], stage.clips[b]
            judged = candidates.best(
                read_character(stage.armature), settings, clips, compared, search, WantedPairs(is_exact=exact)
            )
            (best,) = finish(judged)
        cost, bone, share = costing.worst_bone(compared.by_bone(best.cut, best.destination_frame))
        return Edge(source, destination, best.cut, best.destination_frame, cost, bone, share, best.verdict)


def _of_joints(motion: JointMotion, names: tuple[str, ...]) -> JointMotion:
    """Return the motion of some of its joints, in the order of `names`.

    Only ``names``, ``positions`` and ``velocities`` are new; frames, root, cycle and teleports are shared
    with `motion`, which stays as it is. If `names` equals ``motion.names`` the same object is returned. Raise
    ValueError for a joint that the motion lacks.
    """
    if motion.names == names:
        return motion
    columns = [motion.names.index(name) for name in names]
    return dataclasses.replace(
        motion, names=names, positions=motion.positions[:, columns], velocities=motion.velocities[:, columns]
    )
