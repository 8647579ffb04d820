# SPDX-License-Identifier: GPL-3.0-or-later
"""Legs that constraints move: what leads them, told by constraints, and feet that are pinned by it.

Where IK turns a leg its foot is where its control is, and that is moved; where FK shows it the controls of
thigh, shin and foot are turned. Blender plays what comes of that, and what a foot is off by then is asked of
its control, too, so that spaces, followers and whatever hangs in between need not be known.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import math
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np

from ...errors import InertiaError, Sentence
from ...motion import quaternion
from ...motion.arrays import Array, Flags, Integers
from ...motion.curves.keys import SAME_FRAME
from ...motion.feet import chains
from ...motion.feet.chains import Changed, LedLeg
from ...motion.feet.legs import BENDS, Leg
from ...motion.skeleton import kinematics, naming, posing
from ...motion.skeleton.posing import Mark, Posed, Rig, Tracks
from ...motion.steps import Steps, finish
from ...records import record
from ..data import properties, rig, rigs
from ..data.actions import Clip
from ..data.limb_list import SwitchedLimb
from ..evaluation import controlling, controls, influence, joint_motion, joints, limbs
from ..evaluation.character import Character, read_character
from ..evaluation.controls import Stage, staged
from .body import Body, LegPaths, Shown, check_kept

PINNED = "Pinned: foot control {controls}."
"""What is said of controls that are."""
ROUNDS = 3
"""So often, at most, a control is asked for what its foot is off by."""
NEAR = 2e-3
"""It is near enough to be seen there when it is no further off than this part."""
STANDS = 1e-4
"""A foot is where it should be when it is no further off than this part of its leg."""
SAME = 1e-3
"""Bones begin at the same joint when they are no further apart than this part of the leg."""


def _nearest(times: Array, to: Array) -> Array:
    """Return how far each of times (n,) is from the nearest of others."""
    return np.asarray(np.abs(times[:, None] - to).min(axis=1))


def _in_order(times: Array, posed: Posed, more_times: Array, more: Posed) -> tuple[Array, Posed]:
    """Return the times of both, rising, and the poses at them. times: (n,), of `posed`. more_times: (m,), of
    `more`.
    """
    every = np.concatenate([times, more_times])
    order = np.argsort(every)
    return every[order], posing.at_frames(posing.joined([posed, more]), order)


@record(frozen=True)
class LegControls:
    """What leads a leg, by names of bones; see :class:`Led`.

    sides: which of FK and IK it shows. limb: what switches it, None for nothing. stands: that without keys.
    toes: what turns its toe, and nothing else of it, on each of these sides; () where nothing does.
    """

    leg: Leg
    sides: frozenset[str]
    limb: SwitchedLimb | None = None
    stands: str = ""
    control: str = ""
    turns: bool = True
    falls: bool = False
    fk: tuple[str, ...] = ()
    toes: tuple[tuple[str, str], ...] = ()

    def toe(self, side: str) -> str:
        """Return what turns the toe on a side, FK or IK; "" for nothing."""
        return dict(self.toes).get(side, "")

    def by_ik(self, clip: Clip, frames: Array) -> Flags:
        """Return flags (n,): at which frames of a clip the leg shows IK, or a mixture of both. Without a limb
        that switches the leg, or keys of its switch in the clip, all are as it stands (``stands``).
        """
        limb = self.limb
        curve = None if limb is None else clip.curves.get((limb.switch, 0))
        if limb is None or curve is None:
            return np.full(len(frames), self.stands == "IK")
        return np.array([limb.side(curve.value(frame)) != "FK" for frame in frames.tolist()])

    def why_not(self) -> str:
        """Return a sentence that says why feet can't be locked by what leads the leg; "" where they can.

        They can't where a clip shows IK that no control leads, or FK whose bones constraints turn.
        """
        foot = self.leg.name
        if "IK" in self.sides and not self.control:
            return Sentence(
                'The leg of "{foot}" is not locked: the target of its IK is not a bone of the armature; '
                "choose a bone that you key as the target.",
                foot=foot,
            )
        if "FK" in self.sides and not self.fk:
            return Sentence(
                'The leg of "{foot}" is not locked: constraints turn its bones while FK poses it; switch it '
                "to IK, or bake the leg to its bones.",
                foot=foot,
            )
        return ""


@record(frozen=True)
class Leading:
    """What leads legs. hips: the control that may go down, "" for none. notes: on legs that are left out."""

    ways: tuple[LegControls, ...]
    hips: str
    notes: tuple[str, ...]


@record(frozen=True, eq=False)
class SeenLegs:
    """What Blender has shown of legs that go elsewhere: at (k,), the frames, by index, at which any does.

    matrices: (k, 1 + bones, 4, 4), see :func:`joint_motion.matrices`. reached: (k,) each, whether nearly.
    """

    at: Integers
    matrices: Array
    reached: list[Flags]


class Controlled(Body):
    """The legs of a control rig, which Blender plays."""

    # each frame of which takes Blender its time
    around, beyond, most = 0.65, 0.25, 1.0

    def __init__(self, armature: Any, whole: Rig, leading: Leading, watched: Sequence[Leg]) -> None:
        """Prepare the legs of a control rig to be posed by their controls; nothing is played yet.

        whole: the rig, read. leading: what leads the legs that can be locked, at least one. watched: legs of
        which contacts are asked for, which may be more: only their bones can be located later. ``pinned`` are
        the IK controls, which the first of the notes names if there are any; ``movers`` the bones that have a
        say in where legs and controls are, None where that is not known and all are played.
        """
        ways, hips, notes = leading.ways, leading.hips, list(leading.notes)
        leaders = [name for way in ways for name in (way.control, *way.fk, *dict(way.toes).values()) if name]
        self.pinned = tuple(way.control for way in ways if way.control)
        if self.pinned:
            controls = ", ".join(f'"{name}"' for name in self.pinned)
            notes = [Sentence(PINNED, controls=controls), *notes]
        bones_of_legs = {i for leg in watched for i in (*leg.joints, leg.point)}
        bones_of_legs |= {way.leg.ball for way in ways if way.toes and way.leg.ball is not None}
        joints_of = {whole.bones.names[i] for i in bones_of_legs}
        super().__init__(chains.part(whole, [way.leg for way in ways], hips, {*leaders, *joints_of}), notes)
        self.armature, self.ways = armature, ways
        place = {name: i for i, name in enumerate(self.legs.rig.bones.names)}
        self.leds = tuple(
            LedLeg(
                place.get(way.control, -1),
                way.turns,
                way.falls,
                tuple(place[name] for name in way.fk),
                (place.get(way.toe("FK"), -1), place.get(way.toe("IK"), -1)),
            )
            for way in ways
        )
        self.controls = sorted({place[name] for name in leaders} | {self.legs.hips} - {-1})
        joined = {i for leg in self.legs.legs for i in (*leg.joints, leg.point)}
        self.others = sorted(joined | {place[name] for name in joints_of} - {*self.controls})
        self.places = [place.get(name, -1) for name in whole.bones.names]
        # by the curves of clips, which stay when these become cycles; with them, so that they live on
        self._known: dict[int, tuple[Any, Array, Posed]] = {}
        self._made: tuple[Array, Posed] | None = None
        # to play what has a say in legs alone takes a part of the time
        names, rows = self.legs.rig.bones.names, armature.pose.bones.keys()
        self.movers = influence.movers(armature, [names[k] for k in (*self.others, *self.controls)])
        self.rows = [1 + rows.index(name) for name in names]

    def posed(self, clip: Clip, frames: Array, *, changing: bool = True) -> Posed:
        """Return the legs and their controls in a clip at rising frames (n,), as Blender plays it, bones
        before frames: heads (bones, n, 3), axes (bones, n, 4), in the world.

        The bones are those of the legs' own part of the rig. Each frame is played once and kept, for all
        clips with the same ``curves`` object; cycles are not repeated. changing: whether channels are to
        change there, which fills ``places`` and ``above``; what was played without is played anew then. Raise
        InertiaError where Blender would not play the rig.
        """
        frames = np.asarray(frames, float)
        played = self._known.get(id(clip.curves))
        if played is None or (changing and not played[2].above):
            played = clip.curves, frames, self._play_poses(clip, frames, changing=changing)
        elif len(new := frames[_nearest(frames, played[1]) > SAME_FRAME]):
            more = self._play_poses(clip, new, changing=bool(played[2].above))
            played = clip.curves, *_in_order(played[1], played[2], new, more)
        self._known[id(clip.curves)] = played
        return posing.at_frames(played[2], np.searchsorted(played[1], frames - SAME_FRAME))

    def locate_points(self, clip: Clip, marks: Sequence[Mark], times: Array) -> Array:
        """Return where points of the legs are (n, marks, 3), in world units, in a clip at rising times (n,),
        as Blender plays it.

        marks: (bone index in the whole rig, offset from its head along its axes); the offset is scaled as the
        bone is in that pose. Bones must be of the legs that are watched, for which the controls were made, or
        controls; for any other the place of a wrong bone is returned. A frame that was played already is not
        played again; cycles are not repeated. Raise InertiaError where Blender would not play the rig.
        """
        # feet whose contacts are asked for are locked thereupon
        posed = self.posed(clip, times, changing=id(clip.curves) not in self._known)
        points = np.empty((len(times), len(marks), 3))
        for k, (bone, offset) in enumerate(marks):
            i = self.places[bone]
            way = quaternion.rotate(posed.axes[i], posed.sizes[i][:, None] * np.array(offset))
            points[:, k] = posed.heads[i] + way
        return points

    def note_derived(self, clip: Clip, of: Clip) -> None:
        """Take what Blender has played last in :meth:`change_steps` for the poses of `clip`, so that it need
        not be played again.

        clip: made of the clip `of` by the changes that :meth:`change_steps` returned. Nothing is noted where
        `of` was not played, or where those changes are not what was played last.
        """
        if self._made is None or id(of.curves) not in self._known:
            return
        _, times, poses = self._known[id(of.curves)]
        at, shown = self._made
        if len(at):
            kept = np.flatnonzero(_nearest(times, at) > SAME_FRAME)
            unchanged = posing.at_frames(dataclasses.replace(poses, above={}), kept)
            times, poses = _in_order(times[kept], unchanged, at, shown)
        self._known[id(clip.curves)] = clip.curves, times, poses

    def grid(self, first: float, last: float, cut: float) -> Array:
        """Return the frames to look at, counted from the cut, as those are that are judged."""
        steps = np.arange(math.ceil(first - cut - 1e-4), math.floor(last - cut + 1e-4) + 1.0)
        return np.asarray(cut + steps if len(steps) else [first])

    def know(self, clip: Clip, frames: Array, matrices: Array) -> None:
        """Know what Blender has shown of a clip at frames (n,), rising; see :func:`joint_motion.matrices`."""
        self._known[id(clip.curves)] = clip.curves, frames, self.of_matrices(matrices)

    def of_matrices(self, matrices: Array, clip: Clip | None = None, frames: Array | None = None) -> Posed:
        """Return the legs and their controls in what Blender has shown, world matrices (n, 1 + bones, 4, 4)
        of the object and all bones.

        In the result bones, those of the legs' own part of the rig, come before frames: heads (bones, n, 3),
        axes (bones, n, 4), sizes (bones, n). clip, frames: (n,), of which that is, where channels are to
        change there: then ``places`` (bones, n, 4) and ``above``, (n, 3, 3) by bone, are filled in for the
        controls; None where not: then ``places`` are 0, and ``above`` is empty.
        """
        axes = matrices[:, self.rows][..., :3, :3].transpose(1, 2, 3, 0)
        turned, sizes = kinematics.turns_and_sizes(axes)
        heads, put, above = matrices[:, self.rows][..., :3, 3].swapaxes(0, 1), 0.0 * turned, {}
        if clip is not None and frames is not None:
            values = self.values(clip, frames)
            for k in self.controls:
                above[k], places = self._carried(k, matrices, values)
                put[k] = kinematics.orientations(places.transpose(1, 2, 0))
        return Posed(np.ascontiguousarray(heads), turned, put, sizes, above)

    def _carried(self, k: int, matrices: Array, values: Tracks) -> tuple[Array, Array]:
        """Return (the axes along which a control's location moves it, the axes in which its rotation turns
        it), each (n, 3, 3), in the world.

        k: the control, as an index into the legs' rig. matrices: (n, 1 + bones, 4, 4) in the world; values:
        of channels at the same frames. Constraints of the control's own are taken to carry along what it is
        put to.
        """
        legs, bones = self.legs.rig, self.armature.data.bones
        tracks = posing.channel_matrices(values, legs.paths[k], legs.modes[k], len(matrices))
        bone = bones[legs.bones.names[k]]
        above = np.linalg.inv(matrices[:, 0])
        if bone.parent is not None:
            above = above @ matrices[:, 1 + bones.find(bone.parent.name)]
        ways, places = np.empty((len(matrices), 3, 3)), np.empty((len(matrices), 3, 3))
        for i, hangs in enumerate(above):
            parent = None if bone.parent is None else hangs
            space, keyed = controls.space_of(bone, parent), controls.taken_by(bone, parent, tracks[i])
            # where constraints of its own take a control, they take what it is put to, too
            carried = matrices[i, self.rows[k], :3, :3] @ np.linalg.inv(keyed[:3, :3])
            ways[i], places[i] = carried @ space.place[:3, :3], carried @ space.axes
        return ways, places

    def _play_poses(self, clip: Clip, frames: Array, *, changing: bool) -> Posed:
        matrices = finish(self._show_steps(clip, frames, self.movers))
        return self.of_matrices(matrices, clip if changing else None, frames)

    def _show_steps(self, clip: Clip, frames: Array, movers: Collection[str] | None) -> Steps[Array]:
        """Return what Blender shows of a clip; its frames may be the scene's, which its cycle does not
        know.
        """
        return joint_motion.matrices(
            read_character(self.armature), dataclasses.replace(clip, cycle=None), frames, movers
        )

    def changed(self, going: LegPaths, clip_with: Shown) -> list[Changed]:
        """Return the channels that change, so that Blender shows each foot where it is to be."""
        return finish(self.change_steps(going, clip_with, ROUNDS, self.movers))[0]

    def change_steps(
        self, going: LegPaths, clip_with: Shown, rounds: int, movers: Collection[str] | None = None
    ) -> Steps[tuple[list[Changed], SeenLegs]]:
        """Return (the channels that change so that Blender shows each foot where it is to be, what Blender
        has shown last); yields the part that is done.

        going: how the legs are to go. clip_with: takes channels that change, and returns the clip with them.
        rounds: so often, at least once, controls are asked for what feet are off by; each round plays the
        frames at which any foot goes elsewhere, and it ends earlier if all are within 0.0001 of a leg's
        length. movers: names of the bones to be played, None for all. The nearest try of each foot and frame
        is kept, also where it is off.

        The second part is a :class:`SeenLegs`: ``at`` (k,), the indices of the played frames, ``matrices``
        (k, 1 + bones, 4, 4) as shown in the last round, and ``reached``, for each leg flags (k,) that tell at
        which of them its foot came within 0.002 of a leg's length in any round. If no foot goes elsewhere
        nothing is played, and k is 0. Raise InertiaError where Blender would not play the rig.
        """
        values = self.values(going.clip, going.frames)
        motions = going.motions
        turned = [chains.quiet(*each) for each in zip(motions, going.turned, strict=True)]
        by_ik = [way.by_ik(going.clip, going.frames) for way in self.ways]
        each = zip(self.leds, by_ik, motions, turned, going.stands, going.every_toe, strict=True)
        goals = list(itertools.starmap(chains.FootGoal, each))
        wanted = [goal.point_and_heading for goal in goals]
        tried = more = [np.zeros_like(path) for path in wanted]
        off = [np.where(goal.acts, np.inf, 0.0) for goal in goals]
        at = np.flatnonzero(np.any([goal.acts for goal in goals], axis=0))
        matrices = np.empty((0, len(self.armature.pose.bones) + 1, 4, 4))

        def find_changes(asked: Sequence[Array]) -> list[Changed]:
            again = [goal.ask_more(way) for goal, way in zip(goals, asked, strict=True)]
            changes = chains.controls_changed(self.legs, going.posed, values, going.drop, again)
            return [change for change in changes if change.acts.any()]

        self._made = None if len(at) else (np.empty(0), going.posed)
        for _ in range(rounds if len(at) else 0):
            last = tried
            matrices = yield from self._show_steps(clip_with(find_changes(tried)), going.frames[at], movers)
            played = self.of_matrices(matrices)
            shift = np.broadcast_to(going.shift, (len(going.frames), 3))[at]
            seen = dataclasses.replace(played, heads=played.heads + shift)
            again = []
            for k, (leg, goal) in enumerate(zip(self.legs.legs, goals, strict=True)):
                left = chains.measure_foot_errors(
                    wanted[k][at], chains.find_point_and_heading(leg, seen, goal.motion.foot[0])
                )
                size = np.linalg.norm(left[:, :3], axis=1)
                better = goal.acts[at] & (size < off[k][at])
                which = at[better]
                more[k][which], off[k][which] = tried[k][which], size[better]
                again.append(more[k].copy())
                again[k][which] += left[better] * goal.by_ik[which, None]
            tried = again
            if all(np.all(far <= STANDS * leg.length) for far, leg in zip(off, motions, strict=True)):
                break
        if len(at) and all(np.array_equal(*each) for each in zip(last, more, strict=True)):
            self._made = going.frames[at], played
        reached = [far[at] <= NEAR * leg.length for far, leg in zip(off, motions, strict=True)]
        return find_changes(more), SeenLegs(at, matrices, reached)


def find_leading(
    character: Character,
    whole: Rig,
    clips: Sequence[Clip],
    legs: Sequence[Leg],
    *,
    may_drop: bool,
    taking_part: set[str] | None = None,
) -> Leading:
    """Find what leads legs in clips: controls of IK or FK, on each side that the clips show.

    Return a :class:`Leading`: in ``ways`` the legs that can be led, in the given order, each with its
    controls (:class:`LegControls`), in ``hips`` the control that may go down with the hips ("" for none), and
    in ``notes`` a sentence for each leg that can't be led, which is left out. clips, legs: at least one of
    each; Blender is asked at the first clip's start. may_drop: whether the hips may go down. taking_part: the
    bones that may have other keys, None for all. A leg whose controls don't all take part is left out without
    a note; hips and toes that don't take part are dropped. Afterwards all is as before. Raise InertiaError if
    no leg can be led, if none takes part, or if Blender would not play the rig.
    """
    keyed = {bone for clip in clips for path, _ in clip.curves if (bone := rig.split_path(path)[0])}
    hips = _hips(character, whole) if may_drop else ""
    paths = dict.fromkeys(path for clip in clips for path, _ in clip.curves)
    switching = [path for path in paths if "constraints[" in path]
    with staged(character.armature, clips[0]) as stage:
        stage.show(clips[0].start)
        has_switches = bool(switching) or bool(limbs.find_steering_paths(character.armature))
        listed = limbs.find(stage, keyed, switching) if has_switches else ()
        look = _LegSearch(stage, whole, keyed, hips)
        ways = [look.switched(leg, listed, clips) for leg in legs]
        sides = sorted(set().union(*(way.sides for way in ways if way.limb is not None)))
        switched = [way.limb for way in ways if way.limb is not None]
        for side in sides or [""]:
            values = _read_switches(character.armature, side, switched, clips, switching)
            with stage.switched(values) if values else contextlib.nullcontext():
                ways = look.led(ways, side)
    faults = [way.why_not() for way in ways]
    kept = [way for way, fault in zip(ways, faults, strict=True) if not fault]
    notes = [fault for fault in faults if fault]
    if not kept:
        raise InertiaError(notes[0])
    if taking_part is not None:
        kept = [way for way in kept if {way.control, *way.fk} - {""} <= taking_part]
        kept = [
            dataclasses.replace(way, toes=tuple(each for each in way.toes if each[1] in taking_part))
            for way in kept
        ]
        hips = hips if hips in taking_part else ""
    check_kept(kept)
    return Leading(tuple(kept), hips, tuple(notes))


def _read_switches(
    armature: Any,
    side: str,
    switched: Sequence[SwitchedLimb],
    clips: Sequence[Clip],
    switching: Sequence[str],
) -> dict[str, Any]:
    """Return the values of properties with which all switched legs show a side, by data path, as the
    properties' own type.

    side: "FK" or "IK"; "" for rigs without switches, which gives {} for no limb. switching: the paths of
    properties of constraints that clips key, which get the value that a clip has where it shows that side.
    Properties that don't exist are left out.
    """
    values: dict[str, float] = {}
    for limb in switched:
        for clip in clips:
            curve = clip.curves.get((limb.switch, 0))
            keys = [] if curve is None else curve.keys.co.tolist()
            frame = next((frame for frame, value in keys if limb.side(value) == side), None)
            if frame is not None:
                curves = {path: clip.curves.get((path, 0)) for path in switching}
                values |= {path: each.value(frame) for path, each in curves.items() if each is not None}
                break
    values |= {limb.switch: limb.value(side) for limb in switched}
    kinds: dict[str, Any] = {path: type(properties.read(armature, path)) for path in values}
    return {path: kinds[path](value) for path, value in values.items() if kinds[path] is not type(None)}


def _hips(character: Character, whole: Rig) -> str:
    """Return the control that an animator takes to move the hips; "" where no hips are found, or where it is
    a bone connected to its parent, whose location can't move it.
    """
    roles = joints.default_joints(character.armature)
    hips = [joint.bone for joint in roles if joint.role == naming.HIPS]
    control = controlling.controls_of(character.armature, hips[:1], roles).get(hips[0], "") if hips else ""
    return "" if control in whole.bones.connected else control


class _LegSearch:
    """What leads the legs of an armature as its switches are now."""

    def __init__(self, stage: Stage, whole: Rig, keyed: set[str], hips: str) -> None:
        self.stage, self.keyed, self.hips = stage, keyed, hips
        self.bones = whole.bones
        self.index = {name: i for i, name in enumerate(self.bones.names)}

    def switched(self, leg: Leg, candidates: Iterable[SwitchedLimb], clips: Sequence[Clip]) -> LegControls:
        """Return a leg, as :class:`LegControls`, with the ``limb`` that switches it, which side that shows
        now (``stands``, "FK" or "IK"), and which of the two the clips show of it (``sides``, a frozenset).

        The limb is the first of the candidates that has a shown bone at the leg's second joint. A clip
        without keys of the switch shows what stands now; a mixture of both sides counts as IK. Only values of
        keys are looked at, not what is between them. Without such a limb ``limb`` is None, ``sides`` empty
        and ``stands`` "".
        """
        limb = next(
            (one for one in candidates if any(self._begins(leg, 1, name) for name in one.shown)), None
        )
        if limb is None:
            return LegControls(leg, frozenset())
        now: Any = properties.read(self.stage.armature, limb.switch)
        stands = limb.side(float(now)) or "IK"
        curves = [clip.curves.get((limb.switch, 0)) for clip in clips]
        values = [
            stands if curve is None else limb.side(value) or "IK"
            for curve in curves
            for value in ([0.0] if curve is None else curve.keys.co[:, 1].tolist())
        ]
        return LegControls(leg, frozenset(values), limb, stands)

    def led(self, leadings: Sequence[LegControls], side: str) -> list[LegControls]:
        """Return legs with what leads them where a side is shown, in order.

        A leg that IK turns gets its ``control``, ``turns`` and ``falls``, as :meth:`_pinned` says, but
        neither these nor ``fk`` where the side is FK. One that no IK turns gets its ``fk``, as :meth:`_fk`
        says. Either gets another entry in ``toes``, (side, bone), if a bone turns its toe. A leg without a
        limb gets ``sides`` and ``stands``, too: IK if IK turns it, else FK.

        side: "FK" or "IK"; "" for rigs without switches. Legs with a limb that don't show the side, and those
        without one that are known already, come back as they are. The armature's switches must be set for the
        side.
        """
        reading = limbs.BoneRelations(self.stage.armature, self.stage.evaluated, self.keyed)
        targets_of = [self._target(reading, way) for way in leadings]
        led = []
        for way, target in zip(leadings, targets_of, strict=True):
            if way.stands if way.limb is None else side not in way.sides:
                led.append(way)
                continue
            if way.limb is None:
                shown_side = "FK" if target is None else "IK"
                way = dataclasses.replace(way, sides=frozenset({shown_side}), stands=shown_side)
            toe = self._toe(reading, way.leg)
            if toe:
                way = dataclasses.replace(way, toes=(*way.toes, (side or way.stands, toe)))
            if target is None:
                led.append(dataclasses.replace(way, fk=self._fk(reading, way)))
            elif side != "FK":
                others = {other for other in targets_of if other} - {target}
                led.append(self._pinned(reading, way, target, others))
            else:
                led.append(way)
        return led

    def _target(self, reading: limbs.BoneRelations, leading: LegControls) -> str | None:
        """Return the bone that the IK of a leg reaches for, "" for anything else, None without IK."""
        reached = self._reached(leading.leg, 1)
        return next((reading.chains[name].target for name in reached if name in reading.chains), None)

    def _pinned(
        self, reading: limbs.BoneRelations, leading: LegControls, target: str, taken_bones: set[str]
    ) -> LegControls:
        """Return a leg, led by the control that takes along what its IK reaches for; as it is without such a
        control.

        target: the bone that IK reaches for, "" for none. A control takes along the target or the foot, or is
        listed for the limb as no pole; it must not take along the hip or what other legs reach for
        (taken_bones), nor be turned by IK or hang from what is. Of those that are keyed, else of all, the one
        that carries most is taken; without any the target itself. ``turns`` says whether the foot turns with
        the control, ``falls`` whether the control goes down with the hips. A shoulder that IK does not turn
        is taken out of the leg.
        """
        follows, leg = reading.dependencies.follows, leading.leg
        if len(leg.joints) - 1 > BENDS and not any(n in reading.chains for n in self._reached(leg, 0)):
            # a shoulder that IK leaves alone is none of what reaches
            leg = dataclasses.replace(leg, joints=leg.joints[1:], lengths=leg.lengths[1:])
        hip = self.bones.names[leg.joints[0]]
        poles = {reading.nearest(chain.pole) for chain in reading.chains.values()}
        listed = [name for name in leading.limb.ik if name not in poles] if leading.limb is not None else []
        names = [
            name
            for name in reading.dependencies.names
            if target
            and reading.is_control(name)
            and name not in reading.chains
            and not self._hangs_from_chain(reading, name)
            and (follows(target, name) or follows(leg.name, name) or name in listed)
            and not follows(hip, name)
            and not any(follows(other, name) for other in taken_bones)
        ]
        names = [name for name in names if name in self.keyed] or names or [target] * bool(target)
        control = max(names, key=reading.dependencies.count, default="")
        if not control:
            return leading
        along = reading.dependencies.with_(control)
        turning = (reading.turns_with(name, other) for name in self._reached(leg, -1) for other in along)
        turns = follows(leg.name, control) or control in listed or any(turning)
        falls = bool(self.hips) and follows(control, self.hips)
        return dataclasses.replace(leading, leg=leg, control=control, turns=turns, falls=falls)

    def _hangs_from_chain(self, reading: limbs.BoneRelations, name: str) -> bool:
        """Tell whether a bone is a child of what IK turns, as a foot of its leg, and so can't lead that."""
        parents = self.stage.armature.pose.bones[name].parent_recursive
        return any(parent.name in reading.chains for parent in parents)

    def _fk(self, reading: limbs.BoneRelations, leading: LegControls) -> tuple[str, ...]:
        """Return the controls that turn the thigh, shin and foot of a leg, in this order, each with all that
        is below.

        A control is free (nothing but its own channels and what carries it poses it), carries the foot, and
        begins at the joint; of a switched limb whose FK controls are not its shown bones it is one of these
        controls. Of several it is the last that :meth:`_reached` finds. A leg of fewer than three joints has
        a control for each. Return () unless each bone that the leg turns has such a control.
        """
        turning = []
        for place in (
            range(len(leading.leg.turned_bones)) if len(leading.leg.turned_bones) < 3 else (0, 1, -1)
        ):
            free = [
                name
                for name in self._reached(leading.leg, place)
                if self._is_free(reading, name)
                and (leading.limb is None or leading.limb.fk == leading.limb.shown or name in leading.limb.fk)
                and reading.dependencies.follows(leading.leg.name, name)
            ]
            turning += free[-1:]
        return tuple(turning) if len(turning) == len(leading.leg.turned_bones) else ()

    def _toe(self, reading: limbs.BoneRelations, leg: Leg) -> str:
        """Return the bone that turns the toe of a leg about its joint, and not the foot: the toe itself or a
        control that carries it, of several the one that carries most.

        It must begin at the toe's joint and be free: nothing but its own channels and what carries it poses
        it. "" where the leg has no toe, or no such bone.
        """
        if leg.ball is None or leg.tip is None:
            return ""
        toe, follows = self.bones.names[leg.ball], reading.dependencies.follows
        head = self.bones.rest[leg.ball][:3, 3]
        names = [
            name
            for name in reading.dependencies.carriers_of(toe)
            if (name == toe or reading.is_control(name))
            and not follows(leg.name, name)
            and np.linalg.norm(self.bones.rest[self.index[name]][:3, 3] - head) <= SAME * leg.length
            and self._is_free(reading, name)
        ]
        return max(names, key=reading.dependencies.count, default="")

    def _is_free(self, reading: limbs.BoneRelations, name: str) -> bool:
        """Return whether nothing but its own channels and what carries it poses a bone."""
        bone = self.stage.evaluated.pose.bones[name]
        return name not in reading.chains and not any(
            constraint.influence > 0.0 and not constraint.mute for constraint in bone.constraints
        )

    def _reached(self, leg: Leg, index: int) -> list[str]:
        """Return the names of all bones that begin at a joint of a leg: the leg's own first, then what it
        hangs from or is constrained to.

        Those that these hang from or are constrained to are in it as well. index: of the joint, -1 for the
        last; beyond the last it is the last.
        """
        index = min(index, len(leg.joints) - 1)
        names = [self.bones.names[leg.joints[index]]]
        for name in names:
            bone = self.stage.evaluated.pose.bones[name]
            near = [bone.parent.name] if bone.parent is not None else []
            for constraint in bone.constraints:
                if rigs.acts(constraint):
                    pairs = rigs.targets(constraint)
                    near += [to for target, to in pairs if target.name == self.stage.evaluated.name]
            names += [to for to in dict.fromkeys(near) if to not in names and self._begins(leg, index, to)]
        return names

    def _begins(self, leg: Leg, index: int, name: str) -> bool:
        """Return whether a bone begins, at rest, where a joint of a leg does: within 0.001 of the leg's
        length. index: of the joint; beyond the last it is the last. False for a bone that the rig lacks.
        """
        if name not in self.index:
            return False
        joint = leg.joints[min(index, len(leg.joints) - 1)]
        head, other = (self.bones.rest[i][:3, 3] for i in (joint, self.index[name]))
        return bool(np.linalg.norm(head - other) <= SAME * leg.length)
