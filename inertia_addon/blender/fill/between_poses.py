# SPDX-License-Identifier: GPL-3.0-or-later
"""Fills a gap without clips: channels lead from the pose at one end to that at the other, with the velocities
of both."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from ...errors import InertiaError
from ...motion.arrays import Array
from ...motion.curves.keys import Keys
from ...motion.curves.representation import whole_frames
from ...motion.decay.offset import ChannelMotion
from ...motion.fill import pose_curves
from ...settings.fill import FillSettings
from ..data import channels, rewriting
from ..data.actions import ActionCurve, Address, Clip, with_curves
from ..data.channels import Channels, ClipChannels
from ..data.rewriting import ChannelStretch
from ..evaluation import joint_motion
from ..evaluation.character import Character
from ..feet import legs as armature_legs
from ..transition.bake import Plan
from . import key_poses

NOTHING = 1e-7
"""What no clip keys, and differs from its default by no more than this, gets no key."""
MOVING = ("location", "rotation", "scale")
"""The kinds of channels that lead from pose to pose; what else is keyed goes as in a transition."""


def connect_poses(
    character: Character,
    settings: FillSettings,
    ends: tuple[Clip, Clip],
    curves: Mapping[Address, ActionCurve | Keys],
    whole: Clip,
) -> dict[Address, Keys]:
    """Return those curves, by address, of a gap without clips that lead from its first pose to its last one,
    with the rates of both, through the settings' key poses; all transform channels whose rotation mode stays.

    ends: what plays before and behind it, as the latter is arrived at. curves: of the gap so far, exact
    outside of it. whole: a clip that plays through it. Channels that say nothing there are left out.
    """
    source, destination = ends
    transition, entry = settings.transition, settings.transition.destination_frame
    assert entry is not None
    filled = with_curves(whole, curves)
    matching = channels.match(character.armature, source, destination, transition.cut, entry)
    matched = {each.destination.addresses: each for each in matching.channels}
    # what neither clip keys, as a root that is moved on the way, leads from rest to rest
    for each in channels.match(character.armature, filled, filled, transition.cut, settings.arrival).channels:
        led = dataclasses.replace(
            each,
            source=dataclasses.replace(each.source, clip=source),
            destination=dataclasses.replace(each.destination, clip=destination),
        )
        matched.setdefault(each.destination.addresses, led)
    moving = [each for each in matched.values() if each.kind in MOVING and _has_one_mode(each)]
    frames = whole_frames(transition.cut, settings.arrival)
    times = (frames - transition.cut) / character.fps
    posed = key_poses.read_key_poses(character, settings, source, filled)
    stretches: list[ChannelStretch] = []
    alike: dict[tuple[bool, tuple[float, ...]], list[Channels]] = {}
    for each in moving:
        at = posed.get(each.destination.addresses)
        passed = () if at is None else tuple(at.frames.tolist())
        alike.setdefault((each.kind == "rotation", passed), []).append(each)
    for (is_turned, passed), some in alike.items():
        leaving = _read_motion(character, [each.source for each in some], transition.cut, ahead=False)
        arriving = _read_motion(character, [each.destination for each in some], entry, ahead=True)
        wanted = [posed[each.destination.addresses].wanted for each in some] if passed else []
        knots = [leaving.now[None], *([np.stack(wanted, axis=1)] if passed else []), arriving.now[None]]
        knot_times = (np.array([transition.cut, *passed, settings.arrival]) - transition.cut) / character.fps
        connect, pass_knots = pose_curves.connect_vectors, pose_curves.pass_vectors
        if is_turned:
            swing = _find_swing(character, some)
            connect = functools.partial(pose_curves.connect_rotations, swing=swing)
            pass_knots = pose_curves.pass_rotations
        motions = [leaving, *pass_knots(np.concatenate(knots), knot_times), arriving]
        values = pose_curves.connect_all(connect, motions, knot_times, times)
        for i, each in enumerate(some):
            shown = dataclasses.replace(each.destination, clip=filled)
            if not _says_nothing(shown, values[:, i]):
                stretches.append(ChannelStretch(shown, frames, values[:, i]))
    return dict(rewriting.rewritten(filled, stretches).curves)


def goes_over_switches(plans: Iterable[Plan]) -> bool:
    """Tell whether a switch changes in some joins what channels mean, so that none leads from pose to pose
    by its own numbers."""
    fadings = (fading for plan in plans for fading in plan.slots[0].fadings)
    return any(passage.is_restated for fading in fadings for passage in fading.passages)


def _find_swing(character: Character, rotations: Sequence[Channels]) -> Array:
    """Return how far rotations (n,) swing at most, radians, less for bones of legs than for others, see
    :func:`pose_curves.connect_rotations`.
    """
    of_legs = set[str | None]()
    with contextlib.suppress(InertiaError):  # who has no legs fills gaps, too
        names = character.rig.bones.names
        for leg in armature_legs.of_armature(character.armature):
            of_legs |= {names[joint] for joint in (*leg.joints, leg.foot, leg.ball) if joint is not None}
    is_of_leg = np.array([each.bone in of_legs for each in rotations])
    return np.where(is_of_leg, pose_curves.LEG_SWING, pose_curves.SWING)


def _has_one_mode(matched: Channels) -> bool:
    """Tell whether a rotation has one mode at both ends."""
    return matched.source.mode == matched.destination.mode


def _read_motion(
    character: Character, clip_channels: Sequence[ClipChannels], frame: float, *, ahead: bool
) -> ChannelMotion:
    """Read how channels of one clip go at a frame, (channels, 3 or 4) each, rotations as quaternions.

    ahead: take the rate from the frame behind it, else from the one before, unless a teleport parts them.
    """
    clip = joint_motion.with_teleports(character, clip_channels[0].clip)
    at = np.array([*clip.step_at(frame, ahead=ahead), frame])
    before, after, now = np.stack(
        channels.decode_all(clip_channels, channels.raw_of(clip_channels, at)), axis=1
    )
    return ChannelMotion(before, now, after, 1.0 / character.fps)


def _says_nothing(shown_channels: ClipChannels, values: Array) -> bool:
    """Tell whether channels without a curve stay at their defaults, (n, 3 or 4) values as they decode."""
    if any(address in shown_channels.clip.curves for address in shown_channels.addresses):
        return False
    standing = shown_channels.decode(np.array([shown_channels.defaults]))
    return bool(np.abs(values - standing).max() <= NOTHING)
