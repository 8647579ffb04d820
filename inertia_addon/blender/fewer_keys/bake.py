# SPDX-License-Identifier: GPL-3.0-or-later
"""Fewer Keys: an action in, a new one out that shows the same within a tolerance, by the fewest keys.

All is read, checked and computed before anything is written, so that a failure leaves the file as it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...errors import InertiaError
from ...motion.arrays import Array
from ...motion.curves.evaluation import evaluate_together
from ...motion.curves.keys import Keys
from ...motion.fewer_keys import search, splines
from ...motion.fewer_keys.splines import Spline
from ...motion.steps import Steps, finish, part
from ...records import record
from ...settings.fewer_keys import FewerKeysSettings
from ..data import actions, clip_store, result_kinds, rewriting, unkeyed
from ..data.actions import Address, Clip, with_curves
from ..data.report import Report
from ..data.rewriting import RewritingKind
from ..evaluation import joint_motion
from ..evaluation.character import Character, read_character
from ..feet import contacts
from . import reading
from .reading import DenseClip, Tolerances

KIND = result_kinds.KEYS
"""What the recipe of an action with fewer keys is called."""
MOST_TRIES = 5
"""So many tolerances are tried, each smaller, where Blender shows what is further away than was asked."""

LESS = 0.5
"""The part of a tolerance of joints that is tried where the search found no keys for all of it."""


@record(frozen=True)
class Deviation:
    """How far a result is from the take, on frames and half-way between them, metres.

    joint: the furthest that a joint is, and bone, frame: which and when. stance: the furthest that a planted
    foot is, None where none is planted.
    """

    joint: float
    bone: str
    frame: float
    stance: float | None


@record(frozen=True, kw_only=True)
class FewerKeysReport(Report):
    """What :func:`reduce_keys_steps` made.

    action: what it was made of, and keys_before: how many keys that has. deviation: how far the result is
    from it.
    """

    action: str
    keys_before: int
    deviation: Deviation


def reduce_keys_steps(
    armature: Any, settings: FewerKeysSettings, into: Any | None = None
) -> Steps[FewerKeysReport]:
    """Make a new action that shows the same as another one with fewer keys, and return a report; yield the
    part that is done, 0 to 1.

    The file changes after the last yield.

    The settings say how far joints (centimetres) and planted feet (millimetres) may be from where they were.
    Keys are looked for again with closer tolerances, MOST_TRIES times at most in all, while either is further
    off, or none are found. The action is assigned if the settings say so. into: an earlier result to make
    anew in place, None for a new action. Raise InertiaError, with the file as it was, if there is no key to
    spare, the tolerance can't be kept, the action can't be read or is too long to look at each frame, and for
    an `into` that is linked or the action itself.
    """
    named = (settings.action, settings.library, settings.slot)
    (clip,) = yield from part(clip_store.read_named_steps(armature, [named]), 0.0, 0.1)
    rewriting.check_into(into, clip.action)
    character, clip = read_character(armature), unkeyed.completed(armature, clip)
    asked = tried = Tolerances(0.01 * settings.tolerance_cm, 0.001 * settings.stance_mm)
    for i in range(MOST_TRIES):
        dense = reading.read_dense_clip(character, clip, tried)
        first, last = 1.0 - 0.9 * 0.5**i, 1.0 - 0.9 * 0.5 ** (i + 1)
        fitted = yield from part(search.search_keys_steps(dense.take), first, last)
        if fitted is None:
            # beside feet that have to stand still, joints that are free to be far away may not settle
            tried = Tolerances(LESS * tried.joint, tried.stance)
            continue
        curves = _make_curves(dense, fitted)
        deviation = _measure(character, dense, curves)
        over = max(deviation.joint / asked.joint, (deviation.stance or 0.0) / asked.stance)
        if over <= 1.0:
            return _write_result(armature, settings, dense, (curves, deviation), into)
        tried = tried.scaled(0.9 / over)
    raise InertiaError(
        '"{action}" can\'t be kept within {tolerance:.3g} cm by fewer keys; allow more.',
        action=clip.action.name,
        tolerance=settings.tolerance_cm,
    )


def _make_curves(dense: DenseClip, fitted: Mapping[int, Spline]) -> dict[Address, Keys]:
    """Return the curves of the channels of links that were fitted, by address, in the action's frames.
    fitted: a spline by link, whose keys count the clip's frames.
    """
    channels = dense.take.chain.channels
    curves: dict[Address, Keys] = {}
    for link, spline in fitted.items():
        curves.update(zip(channels[link], splines.make_keys(spline, dense.frames), strict=True))
    return curves


def _write_result(
    armature: Any,
    settings: FewerKeysSettings,
    dense: DenseClip,
    fewer: tuple[Mapping[Address, Keys], Deviation],
    into: Any | None,
) -> FewerKeysReport:
    """Write an action with other curves, assign it if the settings say so, and report how many keys it had
    and how far it now is from the take.

    fewer: the curves by address, and that deviation. Channels that stand still get one key. into: the result
    to make anew in place, None for a new action. Raise InertiaError, with the file as it was, for an `into`
    that is linked or the action itself.
    """
    clip, (curves, deviation) = dense.clip, fewer
    slot = rewriting.replaced(clip, {**reading.reduce_still_curves(dense), **curves}, (clip.start, clip.end))
    name, before = clip.action.name, actions.key_count(clip.action)
    written = rewriting.write(armature, RewritingKind(KIND, "fewer keys"), settings, [slot], into)
    return FewerKeysReport(**vars(written), action=name, keys_before=before, deviation=deviation)


def _measure(character: Character, dense: DenseClip, curves: Mapping[Address, Keys]) -> Deviation:
    """Return how far a clip with other curves is from what was read of it, at most over all sampled times,
    metres: the joint (head of a bone) that is furthest off, with its bone and frame, and planted feet, None
    without any.

    A rig that is not plain is played by Blender. curves: by address, those of all channels that were
    read as changing. Nothing is written.
    """
    clip, times, metres = dense.clip, dense.take.times, character.metres
    if character.find_poser((clip,)).is_played:
        own = finish(joint_motion.positions(character, clip, times))
        changed = with_curves(clip, curves)
        away = finish(joint_motion.positions(character, changed, times))
        joints = np.linalg.norm(away - own, axis=2).T
        stance = _measure_stances(character, dense, changed)
        names = character.armature.data.bones.keys()
    else:
        chain = dense.take.chain
        values = {
            link: evaluate_together([curves[at] for at in addresses], times).T.astype(float)
            for link, addresses in chain.channels.items()
        }
        off = np.linalg.norm(chain.points(chain.matrices(values)) - chain.take, axis=2) * metres
        count = 3 * len(chain.rig.bones.names)
        joints, names = off[:count:3], list(chain.rig.bones.names)
        stance = _worst_stance(off[count:], dense)
    bone, at = np.unravel_index(int(np.argmax(joints)), joints.shape)
    return Deviation(float(joints[bone, at]), names[int(bone)], float(times[int(at)]), stance)


def _worst_stance(off: Array, dense: DenseClip) -> float | None:
    """Return how far planted feet are off at most, metres, None if none stands. off: (legs, n), metres."""
    stands = [flags for _, flags in reading.find_stances(dense.planted, dense.take.times)]
    far = [float(row[flags].max()) for row, flags in zip(off, stands, strict=True) if flags.any()]
    return max(far, default=None)


def _measure_stances(character: Character, dense: DenseClip, result: Clip) -> float | None:
    """Return how far a planted foot is at most, on whole frames, from where it was, in a clip that Blender
    plays, metres; None without legs, or without a foot that is ever planted.

    Raise InertiaError where Blender would not play it.
    """
    if dense.planted is None:
        return None
    after = contacts.placed_in(character, dense.planted, result)
    off = np.linalg.norm(after.points - dense.planted.points, axis=2).T
    far = [
        float(row[flags].max())
        for row, (_, flags) in zip(
            off, reading.find_stances(dense.planted, dense.planted.frames), strict=True
        )
        if flags.any()
    ]
    return max(far, default=None)
