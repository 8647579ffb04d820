# SPDX-License-Identifier: GPL-3.0-or-later
"""Has bones touch points on the way through a gap: a control is put there, and a limb is turned, as little as
will do, by an offset that grows from nothing at the cut and is gone at the arrival."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from ...errors import InertiaError
from ...motion import quaternion
from ...motion.arrays import Array
from ...motion.curves import keys as keylib
from ...motion.curves.keys import Keys
from ...motion.curves.representation import whole_frames
from ...motion.fill.reaching import find_least_changes
from ...motion.steps import finish
from ...records import record
from ...settings.fill import FillSettings
from ...settings.fill_wishes import Touch
from ..data import channels, rewriting, roots
from ..data.actions import ActionCurve, Address, Clip, Repeated, with_curves
from ..data.channels import ClipChannels
from ..data.rewriting import ChannelStretch
from ..evaluation import joint_motion
from ..evaluation.character import Character
from .key_poses import PosedChannels, offset_through

NEAR = 5e-6
"""A bone is at its point when it is no further off than this part of the character's size."""
TURNED = 0.3
"""To keep how a bone is turned counts so much beside where it is."""
SLACK = 0.05
"""By so much of its way a bone stays behind the furthest point that it comes to."""
AT_ONCE = 1e4
"""A held pose plays for so many frames, on each of which something else is tried."""


class OutOfReach(InertiaError):
    """A bone does not come to its point. nearest: one that it comes to, as near as it goes."""

    nearest: Touch


@record(frozen=True, eq=False)
class Toucher:
    """A bone that touches a point. bone: by index. above: the bones that may turn for it, from the nearest
    up: first those of its limb, `of_limb` of them. is_put: whether it is a control that is put there itself.
    """

    touch: Touch
    bone: int
    above: tuple[int, ...]
    of_limb: int
    is_put: bool


def lead_to_touches(
    character: Character, settings: FillSettings, source: Clip, filled: Clip
) -> Mapping[Address, Keys]:
    """Return those curves of a filled gap by which bones touch the settings' points on their frames; {}
    without any.

    source: the clip before the gap. A control that is free to move is put to its point. Else the limb turns,
    and where that is too short bones above it, too, but not the root; the bone itself keeps how it is turned
    in the world. Poses on the way stay as they are, but on the frame of a touch. Raise InertiaError for a
    bone that does not exist or can't be moved, and OutOfReach for one that does not come to its point.
    """
    touches = settings.listed_touches
    if not touches:
        return {}
    root = roots.find_root(character.rig, (source,), settings.transition.root)
    solved: dict[tuple[Address, ...], tuple[ClipChannels, dict[float, Array]]] = {}
    for frame, some in itertools.groupby(touches, key=lambda touch: touch.frame):
        touchers = [_find_toucher(character, root, filled, touch) for touch in some]
        for each, wanted in _find_touching_values(character, filled, frame, touchers):
            solved.setdefault(each.addresses, (each, {}))[1][frame] = wanted
    still = {pose.frame for pose in settings.key_poses} | {touch.frame for touch in touches}
    frames = np.union1d(whole_frames(settings.transition.cut, settings.arrival), sorted(still))
    stretches = []
    for each, at in solved.values():
        # what is touched on one frame is not to be lost by what leads to another
        knots = np.array(sorted(still))
        wanted = each.decode(each.raw(knots))
        for frame, value in at.items():
            wanted[np.searchsorted(knots, frame)] = value
        stretches.append(
            ChannelStretch(each, frames, offset_through(PosedChannels(each, knots, wanted), frames))
        )
    return rewriting.rewritten(filled, stretches).curves


def _find_toucher(character: Character, root: roots.Root, filled: Clip, touch: Touch) -> Toucher:
    """Return who touches a point, with the bones above that may turn for it."""
    bones, armature = character.rig.bones, character.armature
    if touch.bone not in bones.names:
        raise InertiaError(
            '"{armature}" has no bone "{bone}" to touch a point; choose one that it has.',
            armature=armature.name,
            bone=touch.bone,
        )
    bone = bones.names.index(touch.bone)
    is_plain = not character.find_poser((filled,)).has_to_play
    posed = [_is_posed(character, filled, i, is_plain=is_plain) for i in range(len(bones.names))]
    rest, pose = armature.data.bones[touch.bone], armature.pose.bones[touch.bone]
    is_free = not rest.use_connect and not any(pose.lock_location) and not rest.use_deform
    if not is_plain and posed[bone] and is_free:
        return Toucher(touch, bone, (), 0, is_put=True)
    above, limb = list[int](), 0
    parents = [*bones.parents]
    children = [[k for k, parent in enumerate(parents) if parent == i] for i in range(len(parents))]
    below, i, is_limb = bone, parents[bone], True
    while i >= 0 and parents[i] >= 0 and bones.names[i] != root.name:
        # where another limb begins, the body does
        is_limb = is_limb and not any(children[k] for k in children[i] if k != below)
        if posed[i]:
            above.append(i)
            limb += is_limb
        below, i = i, parents[i]
    if not above:
        raise InertiaError(
            '"{bone}" can\'t touch a point by itself, as nothing but the root moves it; ask for a waypoint, '
            "or choose another bone.",
            bone=touch.bone,
        )
    return Toucher(touch, bone, tuple(above), max(limb, 1), is_put=False)


def _is_posed(character: Character, filled: Clip, bone: int, *, is_plain: bool) -> bool:
    """Tell whether an animator poses a bone: any of a rig that nothing but keys moves, else one that has a
    shape or is keyed."""
    if is_plain:
        return True
    name, path = character.rig.bones.names[bone], character.rig.paths[bone]
    if character.armature.pose.bones[name].custom_shape is not None:
        return True
    prop, _ = quaternion.rotation_property(character.rig.modes[bone])
    return any((path + each, 0) in filled.curves for each in (prop, "location"))


def _find_touching_values(
    character: Character, filled: Clip, frame: float, touchers: Sequence[Toucher]
) -> Iterator[tuple[ClipChannels, Array]]:
    """Yield the channels that change for all touches of one frame, with what they show there, decoded.

    Bones above a limb turn only where it does not come to its point without them, one more at a time. Raise
    InertiaError where all of them don't.
    """
    held = _hold(filled, frame)
    most = max((len(each.above) - each.of_limb for each in touchers), default=0)
    for more in range(most + 1):
        turning: dict[int, None] = {}
        for each in touchers:
            if not each.is_put:
                turning.update(dict.fromkeys((each.bone, *each.above[: each.of_limb + more])))
        put = [each.bone for each in touchers if each.is_put]
        moving = [_location_of(character, filled, bone) for bone in put]
        moving += [_rotation_of(character, filled, bone) for bone in turning]
        now = [each.decode(each.raw(np.array([frame])))[0] for each in moving]
        miss, read = _make_miss(character, held, touchers, moving, now)
        changes, _ = find_least_changes(miss, 3 * len(moving), NEAR * character.size)
        off = [float(way) for way in np.linalg.norm(read(changes[None])[0], axis=-1)]
        if max(off) <= 10.0 * NEAR * character.size:
            break
    else:
        worst = int(np.argmax(off))
        raise _make_out_of_reach(touchers[worst], read(np.vstack([changes, 0.0 * changes]))[:, worst])
    for moved, value, change in zip(moving, now, changes.reshape(-1, 3), strict=True):
        yield moved, _change(moved, value, change[None])[0]


def _make_out_of_reach(toucher: Toucher, away: Array) -> OutOfReach:
    """Return the error for a bone that does not come to its point. away: (2, 3), metres, how far from it it
    is when it does all it can, and by itself.
    """
    touch = toucher.touch
    error = OutOfReach(
        '"{bone}" stays {distance:.3g} cm short of its point on frame {frame:g}; choose a nearer point.',
        bone=touch.bone,
        distance=100.0 * float(np.linalg.norm(away[0])),
        frame=touch.frame,
    )
    # a limb that is all but straight reaches nothing exactly; a single bone reaches nothing nearer either
    slack = SLACK if len(toucher.above) > 1 else 0.0
    x, y, z = (touch.point + away[0] + slack * (away[1] - away[0])).round(5).tolist()
    error.nearest = dataclasses.replace(touch, point=(x, y, z))
    return error


def _make_miss(
    character: Character,
    held_clip: Clip,
    touchers: Sequence[Toucher],
    moving: Sequence[ClipChannels],
    now: Sequence[Array],
) -> tuple[Callable[[Array], Array], Callable[[Array], Array]]:
    """Return (what tells by how much changes miss all points, what tells how far bones are from them).

    The first takes changes (n, 3 for each of the channels), and returns metres (n, m), how bones are turned
    included; the second returns (n, touches, 3), metres. held_clip: plays the pose on each frame.
    """
    # in the armature's units, as large as a hand
    length = 0.1 * character.rig.size / max(float(np.linalg.norm(character.rig.world[:3, 0])), 1e-9)
    marks = [
        (each.bone, offset)
        for each in touchers
        for offset in ((0.0, 0.0, 0.0), (0.0, length, 0.0), (0.0, 0.0, length))
    ]
    points = np.array([each.touch.point for each in touchers])
    turns = np.array([not each.is_put for each in touchers])

    def show(changes: Array) -> Array:
        """Return where the marks are (n, touches, 3 marks, 3), metres."""
        frames = np.arange(float(len(changes)))
        stretches = [
            ChannelStretch(dataclasses.replace(each, clip=held_clip), frames, _change(each, value, change))
            for each, value, change in zip(
                moving, now, changes.reshape(len(changes), -1, 3).swapaxes(0, 1), strict=True
            )
        ]
        tried = with_curves(held_clip, rewriting.rewritten(held_clip, stretches).curves)
        tried = dataclasses.replace(tried, start=0.0, end=float(len(changes)))
        shown = finish(joint_motion.track_points_steps(character, tried, marks, frames))
        return shown.reshape(len(changes), len(touchers), 3, 3)

    before = show(np.zeros((2, 3 * len(moving))))[:1]

    def read(changes: Array) -> Array:
        return show(np.vstack([changes, changes[-1:]]))[:-1, :, 0] - points

    def miss(changes: Array) -> Array:
        shown = show(changes)
        axes = (shown[:, turns, 1:] - shown[:, turns, :1]) - (before[:, turns, 1:] - before[:, turns, :1])
        away = shown[:, :, 0] - points
        return np.hstack([away.reshape(len(changes), -1), TURNED * axes.reshape(len(changes), -1)])

    return miss, read


def _change(changing: ClipChannels, value: Array, changes: Array) -> Array:
    """Return a value with changes (n, 3): of a rotation (4,) turned by rotation vectors about its own axes,
    else (3,) with them added."""
    if changing.mode:
        return quaternion.multiply(np.broadcast_to(value, (len(changes), 4)), quaternion.exp(changes))
    return value + changes


def _rotation_of(character: Character, clip: Clip, bone: int) -> ClipChannels:
    return channels.transform(clip, character.rig.paths[bone], "", character.rig.modes[bone])


def _location_of(character: Character, clip: Clip, bone: int) -> ClipChannels:
    return channels.transform(clip, character.rig.paths[bone], "location")


def _hold(clip: Clip, frame: float) -> Clip:
    """Return a clip, by value, that plays a frame of another one throughout, from frame 0 on."""
    ends = np.array([0.0, AT_ONCE])
    curves: dict[Address, ActionCurve] = {
        at: Repeated(None, keylib.sampled(ends, [curve.value(frame)] * 2), "", curve.group)
        for at, curve in clip.curves.items()
    }
    return dataclasses.replace(
        clip, curves=curves, start=0.0, end=AT_ONCE, cycle=None, teleports=None, markers=()
    )
