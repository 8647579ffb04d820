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
from ...motion.steps import Steps, part
from ...records import record
from ...settings.fewer_keys import FewerKeysSettings
from ..data import actions, clip_store, rewriting, scene, unkeyed
from ..data.actions import Address, Clip, with_curves
from ..data.rewriting import Report, RewritingKind
from ..evaluation import influence, joint_motion
from ..feet import contacts
from . import reading
from .reading import Reading, Tolerances

KIND = "keys"
"""What the recipe of an action with fewer keys is called."""
MOST_TRIES = 5
"""So many tolerances are tried, each smaller, where Blender shows what is further away than was asked."""


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
    """Make a new action that shows the same as another one with fewer keys; the file changes after the last
    yield.

    into: an earlier result to make anew in place, None for a new action. Raise InertiaError if there is no
    key to spare, or the tolerance can't be kept.
    """
    named = (settings.action, settings.library, settings.slot)
    (clip,) = yield from part(clip_store.read_named_steps(armature, [named]), 0.0, 0.1)
    rewriting.check_into(into, clip.action)
    clip = unkeyed.completed(armature, clip)
    asked = Tolerances(0.01 * settings.tolerance_cm, 0.001 * settings.stance_mm)
    read, curves, deviation = yield from part(_fit_steps(armature, clip, asked), 0.1, 1.0)
    slot = rewriting.replaced(clip, {**reading.still_curves(read), **curves}, (clip.start, clip.end))
    before = actions.key_count(clip.action)
    written = rewriting.write(armature, RewritingKind(KIND, "fewer keys"), settings, [slot], into)
    return FewerKeysReport(**vars(written), action=clip.action.name, keys_before=before, deviation=deviation)


def _fit_steps(
    armature: Any, clip: Clip, asked: Tolerances
) -> Steps[tuple[Reading, Mapping[Address, Keys], Deviation]]:
    """Return a clip as it was read, the curves of its channels that move, and how far these are from it."""
    share = 1.0
    for i in range(MOST_TRIES):
        first, last = i / MOST_TRIES, (i + 1) / MOST_TRIES
        middle = 0.5 * (first + last)
        read = yield from part(
            reading.read_clip_steps(armature, clip, asked.scaled(share)), first, first + 0.1 / MOST_TRIES
        )
        fitted = yield from part(search.search_keys_steps(read.take), first + 0.1 / MOST_TRIES, middle)
        if fitted is None:
            break
        curves = {
            at: keys
            for link, spline in fitted.items()
            for at, keys in zip(
                read.take.chain.channels[link], splines.make_keys(spline, read.frames), strict=True
            )
        }
        deviation = yield from part(_measure_steps(armature, read, curves), middle, last)
        over = max(deviation.joint / asked.joint, (deviation.stance or 0.0) / asked.stance)
        if over <= 1.0:
            return read, curves, deviation
        share *= 0.9 / over
    raise InertiaError(
        '"{action}" can\'t be kept within {tolerance:.3g} cm by fewer keys; allow more.',
        action=clip.action.name,
        tolerance=100.0 * asked.joint,
    )


def _measure_steps(armature: Any, read: Reading, curves: Mapping[Address, Keys]) -> Steps[Deviation]:
    """Return how far a clip with other curves is from what was read of it."""
    clip, times, metres = read.clip, read.take.times, scene.metres_per_unit()
    if influence.why_not_plain(armature, (clip,)):
        own = yield from part(joint_motion.positions(armature, clip, times), 0.0, 0.5)
        changed = with_curves(clip, curves)
        away = yield from part(joint_motion.positions(armature, changed, times), 0.5, 1.0)
        joints = np.linalg.norm(away - own, axis=2).T
        stance = _measure_stances(armature, read, changed)
        names = armature.data.bones.keys()
    else:
        chain = read.take.chain
        values = {
            link: evaluate_together([curves[at] for at in addresses], times).T.astype(float)
            for link, addresses in chain.channels.items()
        }
        off = np.linalg.norm(chain.points(chain.matrices(values)) - chain.take, axis=2) * metres
        count = 3 * len(chain.rig.bones.names)
        joints, names = off[:count:3], list(chain.rig.bones.names)
        stance = _worst_stance(off[count:], read)
    bone, at = np.unravel_index(int(np.argmax(joints)), joints.shape)
    return Deviation(float(joints[bone, at]), names[int(bone)], float(times[int(at)]), stance)


def _worst_stance(off: Array, read: Reading) -> float | None:
    """Return how far planted feet are at most. off: (legs, n), metres."""
    stands = [flags for _, flags in reading.stances(read.planted, read.take.times)]
    far = [float(row[flags].max()) for row, flags in zip(off, stands, strict=True) if flags.any()]
    return max(far, default=None)


def _measure_stances(armature: Any, read: Reading, changed: Clip) -> float | None:
    """Return how far planted feet are at most in a clip that Blender plays, on whole frames, metres."""
    if read.planted is None:
        return None
    after = contacts.placed_in(armature, read.planted, changed)
    off = np.linalg.norm(after.points - read.planted.points, axis=2).T
    far = [
        float(row[flags].max())
        for row, (_, flags) in zip(off, reading.stances(read.planted, read.planted.frames), strict=True)
        if flags.any()
    ]
    return max(far, default=None)
