# SPDX-License-Identifier: GPL-3.0-or-later
"""A transition as it plays, before or after it is baked, and what Blender shows of it where only it can say.

There a few frames of the blend are shown: what lies between them follows from the destination, into which it
leads, see :mod:`between`. Before it the source plays, and behind it the destination, as by themselves.
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import functools
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from ...motion.arrays import Array, Integers
from ...motion.curves.keys import Keys
from ...motion.feet.easing import EasedTogether
from ...motion.feet.legs import Leg
from ...motion.judging.evidence import BESIDE_FRAMES, Track
from ...motion.skeleton import between, posing
from ...motion.skeleton.posing import Rig
from ...motion.steps import Steps, part
from ...records import record
from ...settings.transition import TransitionSettings
from ..data import actions, compat, roots, scene
from ..data.actions import ActionCurve, Address, Clip, with_curves
from ..data.roots import Root
from ..evaluation import cycles, joint_motion, limbs
from ..evaluation.character import Character, CharacterPoser
from ..feet.body import KnownFeet
from ..feet.targets import Leading

NODES = 10
"""So many frames of a blend, at most, are shown, and the one on which it has ended; ..."""
CLOSE = 0.003
"""... where constraints are switched, all that may be off by more than this part of the size, as of a leg
that IK straightens."""
BACK_SECONDS, SOURCE_SECONDS, DESTINATION_SECONDS = 1.0, 1.0, 2.4
"""Of clips that Blender plays so much is looked at at once before the cut, and of each behind it: for other
cuts and longer blends to come, and feet that are still held."""
SPARE_SECONDS = 0.25
"""Where more is looked at, so much beyond that, too."""
CONTACT_SECONDS = 1.4
"""So long behind a blend feet may be held."""
PLANTED_SECONDS = 0.65
"""So long before a cut it is looked at when feet are planted."""
Joints = tuple[tuple[str, ...], tuple[int, ...], int, tuple[int, ...], tuple[int, ...]]
"""Names, parents, the hips, the ends and the feet: see :class:`Evidence`."""
MOST = 2000
"""So many frames of a clip, at most, are kept."""
Looking = Callable[[Array], Steps[Array]]
"""Looks at frames (n,) of a clip."""
DECIMALS = 6
"""Frames that are equal up to here are the same."""
T = TypeVar("T")


class Footage:
    """Where the bones of an armature are in the source and the destination, at the frames asked for so far.

    It holds for the two as they are: who keeps it has to know when they, or the armature, have changed. It
    refers to nothing in the file, which undo would leave dangling.
    period: how many frames the destination's cycle has, inf for none, joints: which bones count, and legs
    and size: those of the armature, this in metres; None before that was looked at. seen: the bones that
    move something to see.
    passing: how fast the ground passes below them, leading: what leads legs where constraints do, and
    feet: what is known of plain ones, as far as that was looked at. repeated: clips with repetitions of their
    cycles, held: frames with what holds their pose where switches go over, and at_cut: what is known of the
    source where it is cut, see :meth:`Joining.once`, of those who hold the clips anyway, see :meth:`of_many`;
    None of others. glance: the rig of the bones that are looked at, and where each is in it by its number in
    the armature; None for all, see :meth:`at_a_glance`; is_part: whether others are seen. track: the last one
    of the source that was judged. together: with which others feet are eased, None for none. is_of_one:
    whether a single plan looks at the clips, so that nothing is looked at for others to come.
    """

    def __init__(self, *, is_of_one: bool = False) -> None:
        self.is_of_one = is_of_one
        self.period: float | None = None
        self.joints: Joints | None = None
        self.legs: tuple[Leg, ...] | None = None
        self.seen: tuple[int, ...] | None = None
        self.size: float | None = None
        self.leading: dict[Hashable, Leading] = {}
        self.feet = KnownFeet()
        self.passing: dict[Hashable, Array | None] = {}
        self.repeated: dict[Hashable, Clip] | None = None
        self.held: dict[Hashable, Any] | None = None
        self.at_cut: dict[Hashable, Any] | None = None
        self.glance: tuple[Rig, dict[int, int]] | None = None
        self.is_part = False
        self.together: EasedTogether | None = None
        self.track: Track | None = None
        self._found: dict[Hashable, Any] = {}
        self._kept: dict[Hashable, dict[float, Array]] = {}
        self._read: dict[tuple[int, str], Clip] = {}

    @contextlib.contextmanager
    def of_many(self) -> Iterator[None]:
        """Look at more of clips than is asked for, and keep their repetitions, as long as many transitions
        between the two are planned, whose clips do not change meanwhile."""
        outer = self.repeated, self.held, self.at_cut
        self.repeated, self.held, self.at_cut = ({} if kept is None else kept for kept in outer)
        try:
            yield
        finally:
            self.repeated, self.held, self.at_cut = outer

    def once(self, key: Hashable, find: Callable[[], T]) -> T:
        """Return what is found of the clips and the armature as they are, which is looked for but once.

        key: what is asked, with all that it depends on besides. find: returns what refers to nothing in the
        file, and may raise InertiaError, of which nothing is kept.
        """
        if key not in self._found:
            self._found[key] = find()
        found: T = self._found[key]
        return found

    def find_poser(self, character: Character, clips: Sequence[Clip]) -> CharacterPoser:
        """Find what poses a character in the source and the destination; whether Blender can play it just
        now may have changed since.
        """
        return self.once("poser", lambda: character.find_poser(clips))

    def plain_rig(self, character: Character, clips: Sequence[Clip]) -> Rig | None:
        """Return the armature as it stands where numpy poses it, see :meth:`find_poser`; else None, as what
        is played may change it."""
        if self.find_poser(character, clips).has_to_play:
            return None
        return self.once("rig", lambda: character.rig)

    def root(self, rig: Rig, clips: Sequence[Clip], wanted: str) -> Root:
        """Return the root of a plain rig in the source and the destination, see :func:`roots.find_root`."""
        key = ("root", wanted, *map(span_of, clips))
        return self.once(key, lambda: roots.find_root(rig, clips, wanted))

    def with_cycle(self, rig: Rig, root: Root, clip: Clip, choice: str) -> Clip:
        """Return a clip as a cycle where it is one, on a plain rig, see :func:`cycles.with_cycle`."""
        if choice == "OFF" or clip.cycle is not None:
            return clip
        key = ("cycle", choice, root, span_of(clip))
        return cycles.as_cycle(clip, self.once(key, lambda: cycles.find_cycle(rig, root, clip, choice)))

    def reading(self, action: Any, slot: compat.Slot) -> Steps[Clip]:
        """Read a clip as :func:`actions.read_clip_steps` does, but do not read keys again."""
        key = (action.session_uid, slot.identifier)
        if key in self._read:
            yield 0.0
            return actions.reattached(self._read[key], action, slot)
        clip = yield from actions.read_clip_steps(action, slot)
        self._read[key] = actions.detached(clip)
        return clip

    def forget_clips(self) -> None:
        """Forget the clips that were read here, whose keys take memory."""
        self._read.clear()

    def keep_teleports(self, clips: Sequence[Clip]) -> None:
        """Keep the teleports of clips that were read here, so that they are not looked for again."""
        for clip in clips:
            kept = self._read.get((clip.action.session_uid, clip.slot.identifier))
            if kept is not None:
                kept.teleports = clip.teleports

    def for_one_work(self) -> Footage:
        """Return this footage for work that goes on in slices while other work looks at the same clips: what
        was looked at is shared, what holds for a while (:meth:`of_many`, ``together``) is each one's own."""
        copied = copy.copy(self)
        copied.repeated = copied.held = copied.at_cut = copied.together = None
        return copied

    def nearby(self, clips: Sequence[Clip], near: Sequence[Clip]) -> Footage:
        """Return this footage for looks at clips around where they meet only.

        near: the parts of the clips, of each the very same clip where that is all of it. Actions that both
        clips play stay whole.
        """
        copied = self.for_one_work()
        copied._read, copied._found = dict(self._read), {}
        keys = [(clip.action.session_uid, clip.slot.identifier) for clip in clips]
        for key, whole, piece in zip(keys, clips, near, strict=True):
            if piece is not whole and keys.count(key) == 1:
                copied._read[key] = actions.detached(piece)
        return copied

    def of_warped(self) -> Footage:
        """Return this footage without what was looked at of the destination, whose way is another one now."""
        copied = Footage(is_of_one=self.is_of_one)
        copied.joints, copied.legs, copied.seen, copied.size = self.joints, self.legs, self.seen, self.size
        copied._found, copied._read = self._found, self._read
        return copied

    def at_a_glance(self, rig: Rig, bones: Collection[int], *, is_whole: bool) -> Footage:
        """Return this footage for looks at some bones of a plain rig, and at those that carry them, of many
        transitions.

        is_whole: whether no other bones are judged. What was found of the whole clips holds, and what is
        found from now on.
        """
        copied = copy.copy(self)
        copied.glance, copied.is_part = posing.part(rig, bones), not is_whole
        copied._kept, copied.passing, copied.track = {}, {}, None
        copied.repeated, copied.held, copied.at_cut = {}, {}, {}
        return copied

    def positions(
        self,
        side: int,
        character: Character,
        clip: Clip,
        frames: Array,
        ahead: Array,
        plain_rig: Rig | None = None,
    ) -> Steps[Array]:
        """Return the positions (n, joints, 3) at frames (n,) of the clip's own time, metres, in the world.

        side: 0 for the source, 1 for the destination. ahead: (m,) the frames to look at as well, for later,
        where any is missing. plain_rig: see :func:`joint_motion.positions`; its bones are the joints.
        """
        look = functools.partial(joint_motion.positions, character, clip, plain_rig=plain_rig)
        # with matched lengths a clip's frames are others for each blend
        return self._looked((side, clip.clock), look, frames, ahead)

    def played(
        self, side: int, character: Character, clip: Clip, frames: Array, ahead: Array
    ) -> Steps[Array]:
        """Return what Blender shows of the clip, see :meth:`positions` and :func:`joint_motion.matrices`.

        ahead: (m,) the frames to look at as well, for later, where any is missing.
        """

        def look(missing: Array) -> Steps[Array]:
            matrices = yield from joint_motion.matrices(character, clip, missing)
            return matrices.astype(np.float32)

        matrices = yield from self._looked((side, clip.clock, "played"), look, frames, ahead)
        return matrices.astype(float)

    def _looked(
        self, key: Hashable, look: Callable[[Array], Steps[Array]], frames: Array, ahead: Array
    ) -> Steps[Array]:
        kept, named = self._kept.setdefault(key, {}), np.round(frames, DECIMALS).tolist()
        if sum(map(len, self._kept.values())) > MOST:
            self._kept = {key: kept}
            kept.clear()
        if any(frame not in kept for frame in named):
            every = {*named, *np.round(ahead, DECIMALS).tolist()}
            missing = np.array(sorted(every.difference(kept)))
            looked = yield from look(missing)
            kept.update(zip(missing.tolist(), looked, strict=True))
        return np.array([kept[frame] for frame in named])


def span_of(clip: Clip) -> Hashable:
    """Return what tells one of the clips of an action's slot from another."""
    return clip.action.session_uid, clip.slot.identifier, clip.start, clip.end, clip.scale, clip.clock


@record(frozen=True, eq=False)
class Played:
    """A transition of an armature, before or after it is baked.

    clips: what it is made of, read. settings: with the cut and the destination's frame, both in the clips'
    own time. motion: (4, 4) of the world, what the alignment moves the destination by. root: which the clips
    have. shown: the transition, as a clip. end: the last frame of its blend; until: the last at which
    anything differs from the destination. footage: what was looked at of the clips so far. verdict: on
    it, where it was judged on the way. late: how many frames later than in the clips' time ``shown`` has
    it, as a result may. is_planned: whether ``shown`` is as it was planned. look: what is known of that.
    warp: the destination as it was before it was warped, which says what is usual, and the last frame of
    the warp; None for none, as of a rig that only Blender can show.
    """

    character: Character
    clips: tuple[Clip, Clip]
    settings: TransitionSettings
    fps: float
    motion: Array
    root: Root
    shown: Clip
    end: float
    until: float
    footage: Footage = dataclasses.field(default_factory=Footage)
    verdict: Any = None
    late: float = 0.0
    is_planned: bool = False
    look: Look | None = None
    warp: tuple[Clip, float] | None = None

    @property
    def armature(self) -> Any:
        """The armature object itself."""
        return self.character.armature

    @property
    def last(self) -> float:
        """The last frame of the transition: where the destination ends, if it does."""
        destination = self.clips[1]
        return np.inf if destination.cycle is not None else destination.end + self.later

    @property
    def ends(self) -> tuple[float, float]:
        """(The last frame of the blend, the last one at which anything differs), both a frame behind the cut
        at least.
        """
        end = max(self.end, self.settings.cut + 1.0)
        return end, max(self.until, end, -np.inf if self.warp is None else self.warp[1])

    @property
    def later(self) -> float:
        """How many frames later the destination plays."""
        assert self.settings.destination_frame is not None
        return self.settings.cut - self.settings.destination_frame

    @functools.cached_property
    def poser(self) -> CharacterPoser:
        """What tells what the clips show."""
        return self.footage.find_poser(self.character, self.clips)

    @property
    def rig(self) -> Rig | None:
        """The armature as it stands where it is plain, see :meth:`Footage.plain_rig`: those of its bones that
        are looked at."""
        glance = self.footage.glance
        return self.footage.plain_rig(self.character, self.clips) if glance is None else glance[0]

    def ahead(self, side: int, first: float, last: float) -> Array:
        """Return the frames of a plain clip to look at, in its own time, if any from `first` to `last` is
        missing.
        """
        clip, later = self.clips[side], side * self.later
        if self.footage.repeated is not None:
            first, last = first - BACK_SECONDS * self.fps, last + DESTINATION_SECONDS * self.fps
        return self.grid(*within(clip, later, first, last)) - later

    @property
    def size(self) -> float:
        """How large the character is, metres."""
        if self.footage.size is None:
            self.footage.size = self.character.size
        return self.footage.size

    def grid(self, first: float, last: float) -> Array:
        """Return the frames (n,) from `first` to `last`, both included, that lie whole frames before or
        behind the cut, half frames too unless Blender has to show them; [first] for none.
        """
        cut, each = self.settings.cut, 1.0 / self.poser.step
        begin, end = np.ceil((first - cut) * each - 1e-4), np.floor((last - cut) * each + 1e-4)
        return np.asarray(cut + np.arange(begin, end + 1.0) / each if end >= begin else np.array([first]))


def as_clip(clips: tuple[Clip, Clip], curves: Mapping[Address, ActionCurve | Keys], end: float) -> Clip:
    """Return a transition between clips, of curves that need be in no action yet, as a clip up to a frame."""
    clip = with_curves(clips[1], curves)
    # its frames are the scene's, of which the destination's own cycle knows nothing
    return dataclasses.replace(
        clip, start=min(clips[0].start, end), end=end, cycle=None, clock=None, stretch=None, keyed=None
    )


def within(clip: Clip, later: float, first: float, last: float) -> tuple[float, float]:
    """Return the part of a range of frames that a clip has, played so much later; a cycle has all that
    come.
    """
    start, end = clip.start + later, np.inf if clip.cycle is not None else clip.end + later
    return max(start, min(first, end)), min(max(last, start), end)


def clip_shown(played: Played, side: int, wanted: Array) -> Steps[Array]:
    """Return what :func:`joint_motion.matrices` says of one clip by itself, at frames (n,) as late as it
    plays.
    """
    cut, clip, later, fps = played.settings.cut, played.clips[side], side * played.later, played.fps
    first, spare = cut - BACK_SECONDS * fps, SPARE_SECONDS * fps
    last = max(float(wanted.max()) + spare, cut + (DESTINATION_SECONDS if side else SOURCE_SECONDS) * fps)
    if played.footage.is_of_one:
        first = cut - PLANTED_SECONDS * fps
        last = max(float(wanted.max()), cut + spare)
        if side:
            last = max(last, played.end + CONTACT_SECONDS * fps + spare)
    ahead = played.grid(*within(clip, later, first, last))
    return played.footage.played(side, played.character, clip, wanted - later, ahead - later)


@record(frozen=True, eq=False)
class Look:
    """What a transition shows on frames counted from its cut, in the world.

    first: the first of them. matrices: (n, 1 + bones, 4, 4), the object's and then those of all bones.
    """

    first: float
    matrices: Array

    @property
    def frames(self) -> Array:
        """The frames (n,)."""
        return np.asarray(self.first + np.arange(len(self.matrices)))

    def at(self, frames: Array) -> Array:
        """Return the matrices (n, 1 + bones, 4, 4) at some of the frames (n,)."""
        return np.asarray(self.matrices[np.round(frames - self.first).astype(np.int64)])

    def positions(self, frames: Array) -> Array:
        """Return where all bones are (n, bones, 3) at some of the frames, metres."""
        return np.asarray(self.at(frames)[:, 1:, :3, 3] * scene.metres_per_unit())


def look_steps(played: Played, watched: Collection[int], seconds: float = 0.0) -> Steps[Look]:
    """Look at what a planned transition shows, from two frames before its cut to some seconds behind its
    blend, or to the destination's end; yield the part that is done, 0 to 1.

    Few frames within the blend are played, and the others are told by these where bones are led. watched: the
    bones, by index, that tell which frames have to be shown.
    """
    cut, fps = played.settings.cut, played.fps
    count = max(1, int(np.ceil(played.end - cut - 1e-4)))
    most = count + int(np.ceil(BESIDE_FRAMES + seconds * fps))
    if np.isfinite(played.last):
        # where the destination ends a result just stands
        most = max(0, min(most, int(np.floor(played.last - cut + 1e-4))))
    before = yield from part(clip_shown(played, 0, cut + np.arange(-BESIDE_FRAMES, 1.0)), 0.0, 0.2)
    still = yield from part(clip_shown(played, 1, cut + np.arange(most + 1.0)), 0.2, 0.5)
    span = min(count + int(BESIDE_FRAMES), most) + 1
    both, rows = (played.motion @ still, still), [1 + bone for bone in watched]
    around = (both[0][:span], both[1][:span]), before[-1], count, played.size / scene.metres_per_unit()
    blend = between.KnownBlend(_parents(played.armature), rows, *around)
    times = [cut + at for at in (blend.next(),) if at is not None]
    switched = is_switched(played)

    def read(evaluated: Any, i: int) -> None:
        blend.take(round(times[i] - cut), joint_motion.matrices_of(evaluated))
        at = blend.next()
        if at is not None and (i < NODES or (switched and blend.is_off(CLOSE * blend.size))):
            times.append(cut + at)

    yield from part(joint_motion.play_steps(played.character, played.shown, times, read), 0.5, 0.8)
    if blend.is_led:
        goes = np.where(blend.goes[:, None, None], *both)[span:]
        shown = np.concatenate([blend.matrices(), goes])
    else:
        # such as where some bones take no part: all of it is to be shown
        steps = joint_motion.matrices(played.character, played.shown, cut + np.arange(1.0, most + 1.0))
        shown = np.concatenate([before[-1:], (yield from part(steps, 0.8, 1.0))])
    return Look(cut - BESIDE_FRAMES, np.concatenate([before[:-1], shown]))


def is_switched(played: Played) -> bool:
    """Return whether the two clips have other values, where they meet, of what decides over constraints:
    properties of constraints, and custom ones that steer these. Only what both animate counts.
    """
    cut, (source, destination) = played.settings.cut, played.clips
    both = {address for address in source.curves if address in destination.curves}
    steering: set[str] | None = None
    for path, index in both:
        if not path.endswith("]") and "constraints[" not in path:
            continue
        one, other = source.curves[path, index], destination.curves[path, index]
        if one.value(cut) == other.value(cut - played.later):
            continue
        steering = limbs.find_steering_paths(played.armature) if steering is None else steering
        if "constraints[" in path or path in steering:
            return True
    return False


def _parents(armature: Any) -> Integers:
    """Return from which row of matrices each hangs, -1 for none; the first is the object's, from which bones
    without a parent hang, then come the bones.
    """
    bones = armature.pose.bones
    place = {name: 1 + i for i, name in enumerate(bones.keys())}
    return np.array([-1, *(place[bone.parent.name] if bone.parent else 0 for bone in bones)])
