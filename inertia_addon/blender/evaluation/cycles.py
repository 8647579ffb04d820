# SPDX-License-Identifier: GPL-3.0-or-later
"""Which clips are cycles: those of which Blender or the animator says so, and those whose ends meet."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from ...errors import InertiaError
from ...motion import quaternion
from ...motion.arrays import Array
from ...motion.curves import keys as keylib
from ...motion.curves.keys import SAME_FRAME
from ...motion.cycles import cycle as cycles
from ...motion.cycles.cycle import Cycle
from ...motion.skeleton import character_space, kinematics, posing
from ...motion.skeleton.posing import Rig, Tracks
from ...settings.transition import TransitionSettings
from ..data import roots
from ..data.actions import ActionCurve, Clip
from ..data.rig import split_path
from ..data.roots import Root
from . import joint_motion

SOME = 32
"""At so many curves, about, it is looked whether a clip may be a cycle ..."""
ALIKE = 1e-3
"""... which a curve tells that begins and ends with values no further apart."""
SHORTEST = 2.0
"""What is no longer, in frames, is a pose rather than a cycle."""
TIP = 0.05
"""A bone that carries no others counts as if it were as long as this part of the character."""
ROOTS = 33
"""At so many frames, evenly over a cycle, at most, it is looked at where its root goes."""


def check_named(names: Iterable[str], clips: Collection[str]) -> None:
    """Raise InertiaError unless all that are named as cycles are among the clips, by name."""
    strange = [name for name in names if name not in clips]
    if strange:
        raise InertiaError(
            '"{strange}" is marked as a cycle, but is not one of the clips: {known}.',
            strange=strange[0],
            known=", ".join(sorted(clips)),
        )


FindCycle = Callable[[Rig, Root, Clip, str], Cycle | None]
"""Finds the cycle that a clip is, as :func:`find_cycle` does; for those who keep what was found."""


def with_cycles(
    rig: Rig, root: Root, settings: TransitionSettings, clips: Sequence[Clip], finder: FindCycle | None = None
) -> tuple[Clip, Clip]:
    """Return the source and the destination, as cycles where they are. finder: see :data:`FindCycle`."""
    source, destination = clips
    return (
        with_cycle(rig, root, source, settings.source_cycle, finder),
        with_cycle(rig, root, destination, settings.destination_cycle, finder),
    )


def with_cycle(
    rig: Rig, root: Root, clip: Clip, choice: str = "AUTO", finder: FindCycle | None = None
) -> Clip:
    """Return a clip as a cycle where it is one, see :func:`as_cycle`; unchanged if it is known as one.

    choice: AUTO has it found, ON takes it for one if it is longer than two frames, and OFF does not look for
    one. finder: see :data:`FindCycle`. What constraints do to bones is left out here: their controls meet
    where what they control does.
    """
    if choice == "OFF" or clip.cycle is not None:
        return clip
    return as_cycle(clip, (finder or find_cycle)(rig, root, clip, choice))


def find_cycle(rig: Rig, root: Root, clip: Clip, choice: str) -> Cycle | None:
    """Return the cycle that a clip is; None where it is none.

    A cycle that Blender says it is comes first, whatever `choice` is: by Cycles modifiers (``known_by`` is
    "MODIFIERS"), else by the action's cyclic frame range ("RANGE"). Else the whole clip is one if it is
    longer than two frames and either `choice` is "ON" ("CHOICE"), or its joints and their velocities go on
    from its end into its beginning, seen from the root ("ENDS"). `choice` must not be "OFF", which is treated
    like "AUTO" here.

    The Cycle has its ``start`` and ``end`` in frames, and what each repetition adds to the root: its
    ``heading``, radians about the world's vertical through the origin, and then its ``translation`` (x, y,
    z), world units along the world's axes. The small differences that a root in place shows between both ends
    count as 0, see :func:`cycles.cycle_of_roots`.
    """
    cycle = declared(rig, root, clip)
    long_enough = clip.end - clip.start > SHORTEST
    if cycle is None and long_enough and (choice == "ON" or _meets(rig, root, clip)):
        return _between(rig, root, clip, clip.start, clip.end, "CHOICE" if choice == "ON" else "ENDS")
    return cycle


def as_cycle(clip: Clip, cycle: Cycle | None) -> Clip:
    """Return a clip as the cycle that it is, or itself for none. It ends with the cycle, and begins where it
    did, or with a cycle that begins earlier."""
    if cycle is None:
        return clip
    return dataclasses.replace(clip, cycle=cycle, start=min(clip.start, cycle.start), end=cycle.end)


def declared(rig: Rig, root: Root, clip: Clip) -> Cycle | None:
    """Return the cycle that Blender says a clip is: by modifiers, else by the action's cyclic frame range;
    None where it says nothing."""
    return _by_modifiers(rig, root, clip) or _by_range(rig, root, clip)


def _between(rig: Rig, root: Root, clip: Clip, start: float, end: float, known_by: str) -> Cycle:
    frames = np.linspace(start, end, int(min(max(np.ceil(end - start), 2.0) + 1.0, ROOTS)))
    return cycles.cycle_of_roots(frames, roots.root_matrices(rig, root, clip, frames), known_by)


def _by_range(rig: Rig, root: Root, clip: Clip) -> Cycle | None:
    """Return the cycle that an action's own frame range is, known by "RANGE"; None unless that is switched
    on, marked cyclic and, once it is stretched as the clip is, longer than two frames.

    ``start`` and ``end`` are frames of the clip. What each repetition adds is measured from the root at one
    to that at the other, see :func:`cycles.cycle_of_roots`.
    """
    action = clip.action
    if not (action.use_frame_range and action.use_cyclic):
        return None
    start, end = float(action.frame_start), float(action.frame_end)
    if clip.stretch is not None:
        start, end = clip.stretch.times([start, end]).tolist()
    return _between(rig, root, clip, start, end, "RANGE") if end - start > SHORTEST else None


def _by_modifiers(rig: Rig, root: Root, clip: Clip) -> Cycle | None:
    """Return the cycle that the Cycles modifiers of all curves say that a clip is, known by "MODIFIERS"; else
    None.

    None for a clip without any modifier or samples. All curves must be :func:`repeated`, but for those whose
    keys all have one value and that have no modifier. Those with more than one value must be so over the same
    frames, more than two of them, and there must be one.

    ``start`` and ``end`` are the frames of the first such curve. What each repetition adds is measured from
    the root's world matrix in the middle of the first run to that one period later: ``heading``, radians
    about the world's vertical through the origin, then ``translation`` (x, y, z), world units along the
    world's axes. Numbers of at most 1e-6 are 0.
    """
    if not any(curve.obstacle for curve in clip.curves.values()):
        return None
    spans = [(curve, repeated(curve)) for curve in clip.curves.values()]
    if any(span is None and (curve.obstacle or not keylib.is_flat(curve.keys)) for curve, span in spans):
        return None
    moving = np.array([span for curve, span in spans if span is not None and not keylib.is_flat(curve.keys)])
    if not len(moving) or np.abs(moving - moving[0]).max() > SAME_FRAME or np.ptp(moving[0]) <= SHORTEST:
        return None
    start, end = moving[0].tolist()
    # in the middle of two repetitions, so that no end has to be told from a beginning
    middles = start + (end - start) * np.array([0.5, 1.5])
    first, second = roots.root_matrices(rig, root, clip, middles)
    heading = character_space.turn_between(second, first)
    heading = heading if abs(heading) > cycles.LEAST else 0.0
    turned = character_space.motion_of(heading, np.zeros(3)) @ first
    way = second[:3, 3] - turned[:3, 3]
    way[np.abs(way) <= cycles.LEAST] = 0.0
    x, y, z = map(float, way)
    return Cycle(start, end, heading, (x, y, z), "MODIFIERS")


def repeated(curve: ActionCurve) -> tuple[float, float] | None:
    """Return the first and the last key frame of a curve whose only active modifier repeats it for ever; else
    None.

    It must be an unrestricted Cycles modifier of full influence with endless repetitions behind, with or
    without offset; before, the same or none. Mirrored repetitions give None. Such a curve must have a key
    frame; a single one is both the first and the last.
    """
    acting = _modifiers(curve)
    if len(acting) != 1 or acting[0].type != "CYCLES":
        return None
    (modifier,) = acting
    limited = modifier.use_restricted_range or (modifier.use_influence and modifier.influence < 1.0)
    if (
        limited
        or modifier.cycles_after
        or modifier.cycles_before
        or modifier.mode_after not in ("REPEAT", "REPEAT_OFFSET")
        or modifier.mode_before not in (modifier.mode_after, "NONE")
    ):
        return None
    return float(curve.keys.co[0, 0]), float(curve.keys.co[-1, 0])


def repeats_with_offset(curve: ActionCurve) -> bool:
    """Tell whether a curve that is :func:`repeated` goes on from where it was."""
    return bool(_modifiers(curve)[0].mode_after == "REPEAT_OFFSET")


def _modifiers(curve: ActionCurve) -> list[Any]:
    # what completes a clip, or is planned, is in no action
    held = () if curve.fcurve is None else curve.fcurve.modifiers
    return [modifier for modifier in held if not modifier.mute]


def _meets(rig: Rig, root: Root, clip: Clip) -> bool:
    """Tell whether a clip's end goes on into its beginning, wherever the root has gone."""
    whole = cycles.list_meeting_frames(clip.start, clip.end)
    looks = [whole] if _begins_as_it_ends(clip) else [cycles.fewer_frames(whole), whole]
    return all(
        cycles.ends_meet(
            _locate_joints(rig, root, clip, frames.ravel()).reshape(*frames.shape, -1, 3),
            len(whole) - len(frames),
        )
        for frames in looks
    )


def _begins_as_it_ends(clip: Clip) -> bool:
    """Return whether more than half of some of a clip's curves, evenly chosen, end within 0.001 of where they
    begin.

    They are all of up to 63 curves, else 32 to 48. Such a clip is likely to be a cycle. False without curves.
    """
    some = [*clip.curves.values()][:: max(1, len(clip.curves) // SOME)]
    both = np.array([clip.start, clip.end])
    gone = [float(np.ptp(curve.at(both))) for curve in some]
    return 2 * sum(way <= ALIKE for way in gone) > len(gone)


def _locate_joints(rig: Rig, root: Root, clip: Clip, frames: Array) -> Array:
    """Return where joints that keys move are (n, joints + points, 3), in world units, at frames (n,), seen
    from the root.

    The joints are the heads of keyed bones and of all below them, in Blender's order, relative to the root's
    place on the ground and its heading; those that follow the root by constraints alone stay in the world.
    Behind them come two points for each of these bones that has a parent, no children and a keyed rotation,
    and is not the root: they tell how it turns by its own channels. Posed by keys alone, without constraints.
    """
    values = joint_motion.tracks(rig, clip.curves, frames, clip.unkeyed)
    # so few frames come in one block
    ((_, heads, matrices),) = posing.poses(rig, values, len(frames), root.name)
    rotations = kinematics.orientations(matrices[:3, :3])
    heading = character_space.headings(rotations, character_space.upright([rotations]))
    moved = bones_moved(rig, clip)
    # what hangs from nothing turns with the character's heading
    turned = [i for i in moved if rig.bones.parents[i] >= 0 and rig.bones.names[i] != root.name]
    places = [*_ends(rig, values, turned)]
    seen = np.empty((len(frames), len(moved) + 2 * len(places), 3))
    # few joints at a time, as to go through much memory takes several times as long
    count = max(1, cycles.AT_ONCE // len(frames))
    for first in range(0, len(moved), count):
        some = slice(first, min(first + count, len(moved)))
        joints = heads[:, moved[some]]
        seen[:, some], _ = character_space.to_character_space(
            joints, joints[:, :0], matrices[:3, 3].T, heading
        )
    held = np.isin(moved, _find_held(rig, root))
    seen[:, np.flatnonzero(held)] = heads[:, np.array(moved, np.int64)[held]]
    for first, points in enumerate(places):
        seen[:, len(moved) + 2 * first : len(moved) + 2 * first + 2] = points
    return seen


def _find_held(rig: Rig, root: Root) -> list[int]:
    """Return the indices of the bones that come along with the root by constraints alone; [] where the object
    is the root.
    """
    if root.is_object:
        return []
    led, hung = rig.following.with_(root.name), set[str]()
    for name, parent in zip(rig.bones.names, rig.bones.parents, strict=True):
        if name == root.name or (parent >= 0 and rig.bones.names[parent] in hung):
            hung.add(name)
    return [i for i, name in enumerate(rig.bones.names) if name in led and name not in hung]


def _ends(rig: Rig, values: Tracks, bones: Sequence[int]) -> Iterator[Array]:
    """Yield, for each of some bones that has no children and a keyed rotation, where its own channels turn
    its X and Y axes: two vectors (n, 2, 3) in the bone's own axes at rest, whatever its parents do.

    values: of all keyed channels, (n,) by address. bones: indices. The vectors are 0.05 of the character's
    size long, in world units. Rotation channels without values show their default. Other bones yield nothing.
    """
    carrying = {*rig.bones.parents}
    for i in bones:
        if i in carrying:
            continue
        prop, count = quaternion.rotation_property(rig.modes[i])
        channels = [values.get((rig.paths[i] + prop, k)) for k in range(count)]
        if all(channel is None for channel in channels):
            continue
        length = next(len(channel) for channel in channels if channel is not None)
        raw = np.empty((length, count))
        for k, channel in enumerate(channels):
            raw[:, k] = quaternion.default_of(prop, k) if channel is None else channel
        turn = quaternion.to_quaternion(raw, rig.modes[i])[:, None]
        yield TIP * rig.size * quaternion.rotate(turn, np.eye(3)[None, :2])


def bones_moved(rig: Rig, clip: Clip) -> list[int]:
    """Return the indices, in order, of the bones that a clip keys and of all below them; of all bones where
    any curve of the clip is no bone's, such as the object's.

    Others would be left behind by a root that travels, as what takes them along is not known here.
    """
    keyed = {split_path(path)[0] for path, _ in clip.curves}
    moved: list[bool] = []
    for name, parent in zip(rig.bones.names, rig.bones.parents, strict=True):
        moved.append(None in keyed or name in keyed or (parent >= 0 and moved[parent]))
    return [i for i, is_moved in enumerate(moved) if is_moved]
