# SPDX-License-Identifier: GPL-3.0-or-later
"""From how a body is held, and where its feet are, to the rotation of every bone."""

from __future__ import annotations

import dataclasses

import numpy as np

from .feet import Foot
from .maths import Array, frame_of, oriented, rx, ry, rz, turned
from .skeleton import BONES, SIDES, hang

# A leg that goes quite straight snaps; it is never drawn out further than this part of its length.
REACH = 0.997


@dataclasses.dataclass(frozen=True)
class Arm:
    """An arm that hangs from the chest, in degrees per frame of the clip, each of shape (frames,).

    swing is ahead, out away from the body, twist inwards, elbow bent, wrist bent to the palm's side;
    lift and ahead move the shoulder.
    """

    swing: Array
    out: Array
    twist: Array
    elbow: Array
    wrist: Array
    lift: Array
    ahead: Array


@dataclasses.dataclass(frozen=True)
class Stand:
    """How the body is held in every frame.

    root: the root's place on the ground in metres, (frames, 3). heading: its yaw, (frames,).
    hips_at: the hips' place in the root's frame, (frames, 3).
    hips, chest, head: (yaw, pitch, roll) in degrees against the heading, (frames, 3).
    """

    root: Array
    heading: Array
    hips_at: Array
    hips: Array
    chest: Array
    head: Array
    arms: dict[str, Arm]
    feet: dict[str, Foot]


@dataclasses.dataclass(frozen=True)
class Motion:
    """What is keyed: every bone's rotation against its parent, in the armature's axes, (frames, 3, 3).

    root and hips: how far they are moved from the rest pose, in metres and in their parent's axes.
    reach: how far each leg had to go, as a part of its length; for whoever designs a clip.
    """

    turns: dict[str, Array]
    root: Array
    hips: Array
    reach: dict[str, Array]


def _trunk(stand: Stand) -> dict[str, Array]:
    heading = rz(stand.heading)
    held = {
        "hips": stand.hips,
        "spine": 0.5 * (stand.hips + stand.chest),
        "chest": stand.chest,
        "neck": 0.5 * (stand.chest + stand.head),
        "head": stand.head,
    }
    return {"root": heading} | {name: heading @ oriented(angles) for name, angles in held.items()}


def _arm(side: str, arm: Arm, chest: Array) -> dict[str, Array]:
    s, down = SIDES[side], hang(side)
    shoulder = chest @ rz(-s * arm.ahead) @ ry(-s * arm.lift)
    upper = shoulder @ rx(-arm.swing) @ ry(-s * arm.out) @ rz(-s * arm.twist) @ down
    forearm = upper @ (down.T @ rx(-arm.elbow) @ down)
    hand = forearm @ (down.T @ ry(s * arm.wrist) @ down)
    return {
        f"shoulder.{side}": shoulder,
        f"upper_arm.{side}": upper,
        f"forearm.{side}": forearm,
        f"hand.{side}": hand,
    }


def _leg(side: str, foot: Foot, hips: Array, hips_at: Array, knees: Array) -> tuple[dict[str, Array], Array]:
    """Two-bone IK. ``knees``: the yaw in degrees that the knee points to."""
    thigh, shin, ankle = (BONES[f"{name}.{side}"] for name in ("thigh", "shin", "foot"))
    a, b = (np.linalg.norm(bone.tail - bone.head) for bone in (thigh, shin))
    hip = hips_at + turned(hips, thigh.head - BONES["hips"].head)
    reach = np.linalg.norm(foot.ankle - hip, axis=1)
    length = np.minimum(reach, REACH * (a + b))
    basis = frame_of(turned(rz(knees), [1.0, 0.0, 0.0]), foot.ankle - hip)
    # The triangle hip, knee, ankle, seen along its axis: ``ahead`` is how far the knee stands out.
    along = (a * a - b * b + length**2) / (2 * length)
    ahead = np.sqrt(np.maximum(a * a - along**2, 0.0))
    knee = hip + along[:, None] * basis[..., 1] - ahead[:, None] * basis[..., 2]
    end = hip + length[:, None] * basis[..., 1]
    axis, rest = basis[..., 0], np.array([1.0, 0.0, 0.0])
    turns = {
        thigh.name: frame_of(axis, knee - hip) @ frame_of(rest, thigh.tail - thigh.head).T,
        shin.name: frame_of(axis, end - knee) @ frame_of(rest, shin.tail - shin.head).T,
        ankle.name: rz(foot.yaw) @ rx(-foot.pitch),
    }
    turns[f"toe.{side}"] = turns[ankle.name] @ rx(-foot.toes)
    return turns, reach / (a + b)


def solve(stand: Stand) -> Motion:
    """The rotations of all bones."""
    pose = _trunk(stand)
    at = stand.root + turned(pose["root"], stand.hips_at)
    reach = {}
    for side in SIDES:
        foot = stand.feet[side]
        pose |= _arm(side, stand.arms[side], pose["chest"])
        knees = 0.5 * (stand.heading + stand.hips[:, 0] + foot.yaw)
        legs, reach[side] = _leg(side, foot, pose["hips"], at, knees)
        pose |= legs
    turns = {
        name: pose[name] if bone.parent is None else np.swapaxes(pose[bone.parent], 1, 2) @ pose[name]
        for name, bone in BONES.items()
    }
    return Motion(turns, stand.root, stand.hips_at - BONES["hips"].head, reach)
