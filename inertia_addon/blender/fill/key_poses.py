# SPDX-License-Identifier: GPL-3.0-or-later
"""Leads what fills a gap through poses that are to be shown on the way, each exactly on its frame.

What they need is added to what fills the gap as an offset that grows from nothing at the cut, goes through
all of them, and is gone at the arrival.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from ...errors import InertiaError
from ...motion import quaternion
from ...motion.arrays import Array
from ...motion.curves.keys import Keys
from ...motion.curves.representation import whole_frames
from ...motion.decay.offset import onto_rotations, onto_vectors
from ...motion.fill.knots import interpolate_knots
from ...records import record
from ...settings.fill import FillSettings
from ...settings.fill_wishes import KeyPose
from ..data import actions, channels, clip_store, rewriting, roots, unkeyed
from ..data.actions import Address, Clip
from ..data.channels import Channels, ClipChannels
from ..data.rewriting import ChannelStretch
from ..evaluation.character import Character


@record(frozen=True, eq=False)
class PosedChannels:
    """Channels of a filled gap that key poses name.

    frames: (k,) at which, rising. wanted: what they show there, decoded: (k, 4) of a rotation, else (k,
    channels).
    """

    channels: ClipChannels
    frames: Array
    wanted: Array


def read_key_poses(
    character: Character, settings: FillSettings, source: Clip, filled: Clip
) -> dict[tuple[Address, ...], PosedChannels]:
    """Read what the settings' key poses ask of a filled gap, by the channels' addresses; {} without poses.

    source: the clip before the gap, whose own poses may be among them. A pose of another action asks for what
    that keys, but not for the character's root, which has its own way. Channels that can only jump are not
    asked for. Raise InertiaError for a frame that a clip does not have, and where such a channel is another
    one in a pose than in the gap.
    """
    posed = dict[tuple[Address, ...], PosedChannels]()
    for pose in settings.key_poses:
        for each in _list_channels(character, settings, pose, source, filled):
            wanted = each.source.decode(each.source.raw(np.array([pose.own_frame])))
            at, frames = each.destination.addresses, np.array([pose.frame])
            if at in posed:
                before = posed[at]
                frames, wanted = np.append(before.frames, frames), np.concatenate([before.wanted, wanted])
            posed[at] = PosedChannels(each.destination, frames, wanted)
    return posed


def lead_through_poses(
    character: Character, settings: FillSettings, source: Clip, filled: Clip
) -> Mapping[Address, Keys]:
    """Return those curves of a filled gap that show the settings' key poses; none where there are no poses.

    See :func:`read_key_poses`, which raises the same errors.
    """
    posed = read_key_poses(character, settings, source, filled)
    whole = whole_frames(settings.transition.cut, settings.arrival)
    stretches = []
    for each in posed.values():
        frames = np.union1d(whole, each.frames)
        stretches.append(ChannelStretch(each.channels, frames, offset_through(each, frames)))
    return rewriting.rewritten(filled, stretches).curves


def read_pose_clip(character: Character, pose: KeyPose, source: Clip) -> Clip:
    """Return the clip that a pose is of. source: the clip before the gap.

    Raise InertiaError for a frame that it does not have.
    """
    clip = source
    if pose.action:
        read = clip_store.read(character.armature, actions.find(pose.action))
        (clip,) = unkeyed.all_completed(character.armature, (read,))
    if not clip.start - 1e-3 <= pose.own_frame <= clip.end + 1e-3:
        raise InertiaError(
            '"{action}" has no frame {frame:g} to take a pose from; choose a frame that it has.',
            action=clip.action.name,
            frame=pose.own_frame,
        )
    return clip


def _list_channels(
    character: Character, settings: FillSettings, pose: KeyPose, source: Clip, filled: Clip
) -> Iterator[Channels]:
    """Yield the channels of a pose, those that its clip keys, beside those of the filled gap, as source and
    destination; not those that can only jump, which are checked, nor, of another action, the root's and the
    object's.
    """
    clip = read_pose_clip(character, pose, source)
    root = roots.find_root(character.rig, (source,), settings.transition.root)
    matching = channels.match(character.armature, clip, filled, pose.own_frame, pose.frame)
    for each in matching.channels:
        # the source's own poses are whole ones, with what it does not key
        is_named = not pose.action or any(address in clip.curves for address in each.source.addresses)
        is_of_root = each.bone is None if root.is_object else each.bone in (None, root.name)
        if is_named and each.discrete:
            _check_switch(pose, each)
        elif is_named and not (pose.action and is_of_root):
            yield each


def _check_switch(pose: KeyPose, switch: Channels) -> None:
    """Raise InertiaError for a switch that has another value, as a whole number, in a pose than in the gap at
    its frame.
    """
    own = switch.source.raw(np.array([pose.own_frame]))
    on_the_way = switch.destination.raw(np.array([pose.frame]))
    if not np.array_equal(np.round(own), np.round(on_the_way)):
        raise InertiaError(
            "The pose for {frame:g} can't be shown there, as {switch} is switched over; choose one where it "
            "is as at the end of the gap.",
            frame=pose.frame,
            switch=switch.destination.addresses[0][0],
        )


def offset_through(posed: PosedChannels, frames: Array) -> Array:
    """Return what channels show at frames (n,) if they are led through poses: (n, 4) unit quaternions of a
    rotation, else (n, channels).

    frames: from the cut to the arrival, where nothing is added, with those of the poses among them.
    """
    shown, at = posed.channels, np.searchsorted(frames, posed.frames)
    values = shown.decode(shown.raw(frames))
    if shown.mode:
        offsets = quaternion.log(quaternion.multiply(posed.wanted, quaternion.conjugate(values[at])))
    else:
        offsets = posed.wanted - values[at]
    nothing = np.zeros((1, offsets.shape[1]))
    times = np.concatenate([frames[:1], posed.frames, frames[-1:]])
    added = interpolate_knots(times, np.concatenate([nothing, offsets, nothing]), frames)
    return onto_rotations(values, added) if shown.mode else onto_vectors(values, added)
