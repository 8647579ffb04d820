# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the joints will be in a transition, before it is baked, and what an animator will see of that.

A bake fades each bone's rotation in its own space. Here, where only the joints are known, the direction from
each joint's parent to it fades, along the same curve. Both start from the same pose with the same velocity,
and end in the destination.

Arrays are in metres and seconds, in a frame of reference in which both clips' roots are at one place and face
one way where they meet.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from .. import quaternion
from ..arrays import Array, Flags, Integers
from ..decay import dead_blending, decay
from ..decay.decay import Method

TINY = 1e-6
"""A joint as near to its parent, in metres, has no direction from it."""
ALIKE = 0.01
"""Distances from a parent that differ by no more than this part are the same."""


@dataclasses.dataclass(frozen=True, eq=False)
class Passage:
    """Where two clips meet.

    before: (joints, 3) of the source, a frame before the cut; None where it has no such frame. position,
    velocity: (joints, 3) of the source at the cut. destination: (frames, joints, 3) from the cut on.
    destination_velocity: (joints, 3) at the cut. travel: (3,) how fast the whole character moves there.
    """

    before: Array | None
    position: Array
    velocity: Array
    destination: Array
    destination_velocity: Array
    travel: Array


def offsets(passage: Passage, parents: Sequence[int], method: Method, seconds: float, fps: float) -> Array:
    """What is left of the joints' offsets (frames, joints, 3) on each of the destination's frames.

    Where a joint is always as far from its parent, the way to it turns back, so that limbs keep their
    lengths. parents: (joints,) -1 for none, each before its children. seconds: the blend time, or the
    half-life of SPRING.
    """
    t = _times(passage, fps)
    above = np.array(parents)
    there = _ways(passage.destination, above)
    here, v = _ways(passage.position, above), _ways(passage.velocity, above)
    held = _ways(passage.destination_velocity, above)
    ways = there + _faded(here - there[0], v - held, method, seconds, t)
    turned = (above >= 0) & _is_limb(np.concatenate([here[None], there]))
    if turned.any():
        source = here[turned], v[turned]
        ways[:, turned] = _turned_back(source, there[:, turned], held[turned], method, seconds, t)
    placed = ways.copy()
    for joint in np.flatnonzero(above >= 0).tolist():
        placed[:, joint] += placed[:, above[joint]]
    return np.asarray(placed - passage.destination)


def _ways(places: Array, above: Integers) -> Array:
    """Where joints (..., joints, 3) are as seen from their parents; those without one as they are."""
    return places - np.where((above >= 0)[:, None], places[..., above, :], 0.0)


def _is_limb(ways: Array) -> Flags:
    """Which joints (joints,) are always as far from their parents; ways: (frames, joints, 3)."""
    lengths = np.linalg.norm(ways, axis=-1)
    return np.asarray((np.ptp(lengths, axis=0) < ALIKE * lengths.mean(axis=0)) & (lengths.min(axis=0) > TINY))


def _faded(x: Array, v: Array, method: Method, seconds: float, t: Array) -> Array:
    """Offsets (k, components) with their rates, t (frames, 1) after the cut: (frames, k, components)."""
    made = decay.make(method, x, v, np.full(len(x), seconds))
    return decay.evaluate(made, x, v, t)


def _turned_back(
    source: tuple[Array, Array], there: Array, held: Array, method: Method, seconds: float, t: Array
) -> Array:
    """Ways (frames, k, 3) of the destination, turned by what is left of the difference to the source's.

    source: ways and their velocities (k, 3) at the cut. there: (frames, k, 3), held: (k, 3) their velocities.
    """
    here, v = source
    square = np.sum(here * here, axis=-1, keepdims=True)
    turn = _shortest(there[0] / np.sqrt(square), here / np.sqrt(square))
    omega = np.cross(here, v) - quaternion.rotate(turn, np.cross(there[0], held))
    x = quaternion.log(turn)
    left = _faded(x, quaternion.inverse_left_jacobian(x, omega / square), method, seconds, t)
    return quaternion.rotate(quaternion.exp(left), there)


def _shortest(a: Array, b: Array) -> Array:
    """The shortest rotations (k, 4) that turn unit vectors a into b (k, 3); any one for opposite ones."""
    half = np.concatenate([1.0 + np.sum(a * b, axis=-1, keepdims=True), np.cross(a, b)], axis=-1)
    opposite = half[:, 0] < 1e-9
    half[opposite, 1:] = np.cross(a[opposite], np.eye(3)[np.abs(a[opposite]).argmin(axis=-1)])
    return quaternion.normalise(half)


def dead_offsets(passage: Passage, seconds: float, half_life: float, fps: float) -> Array:
    """The same of dead blending, whose source goes on and slows down; see :mod:`dead_blending`."""
    t = _times(passage, fps)[..., None]
    own = passage.velocity - passage.travel
    source = passage.position + t * passage.travel + dead_blending.reach(t, half_life) * own
    return np.asarray(dead_blending.left(t, seconds) * (source - passage.destination))


def _times(passage: Passage, fps: float) -> Array:
    """Seconds after the cut of the destination's frames (frames, 1)."""
    return np.arange(len(passage.destination))[:, None] / fps


def result(passage: Passage, left: Array) -> Array:
    """Where the joints will be (frames, joints, 3), from the frame before the cut on, if there is one.

    left: of the offsets, as :func:`offsets` has it.
    """
    after = passage.destination + left
    return after if passage.before is None else np.concatenate([passage.before[None], after])


def swings(left: Array) -> tuple[Array, Array]:
    """How far offsets (frames, joints, 3) go past zero, and beyond their size at the cut: (joints,) each.

    Past zero means against the direction in which they are at the cut, on one of these frames.
    """
    size = np.linalg.norm(left[0], axis=-1)
    direction = np.divide(left[0], size[:, None], out=np.zeros_like(left[0]), where=size[:, None] > 0.0)
    along = np.sum(left * direction, axis=-1)
    grown = np.linalg.norm(left, axis=-1).max(axis=0) - size
    return np.maximum(-along.min(axis=0), 0.0), np.maximum(grown, 0.0)
