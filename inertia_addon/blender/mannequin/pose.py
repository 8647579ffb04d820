# SPDX-License-Identifier: GPL-3.0-or-later
"""From how a body is held, and where its feet are, to the rotation of every bone."""

from __future__ import annotations

import numpy as np

from ...records import record
from .feet import SteppingFoot
from .maths import Array, build_frame, orient, rotate, rotate_x, rotate_y, rotate_z
from .skeleton import BONES, SIDES, hang_arm

# A leg that goes quite straight snaps; it is never drawn out further than this part of its length.
REACH = 0.997


@record(frozen=True)
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


@record(frozen=True)
class Posture:
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
    feet: dict[str, SteppingFoot]


@record(frozen=True)
class BoneMotion:
    """What is keyed: every bone's rotation against its parent, in the armature's axes, (frames, 3, 3).

    root and hips: how far they are moved from the rest pose, in metres and in their parent's axes.
    reach: how far each leg had to go, as a part of its length; for whoever designs a clip.
    """

    turns: dict[str, Array]
    root: Array
    hips: Array
    reach: dict[str, Array]


def _pose_trunk(stand: Posture) -> dict[str, Array]:
    heading = rotate_z(stand.heading)
    held = {
        "hips": stand.hips,
        "spine": 0.5 * (stand.hips + stand.chest),
        "chest": stand.chest,
        "neck": 0.5 * (stand.chest + stand.head),
        "head": stand.head,
    }
    return {"root": heading} | {name: heading @ orient(angles) for name, angles in held.items()}


def _pose_arm(side: str, arm: Arm, chest: Array) -> dict[str, Array]:
    s, down = SIDES[side], hang_arm(side)
    shoulder = chest @ rotate_z(-s * arm.ahead) @ rotate_y(-s * arm.lift)
    upper = shoulder @ rotate_x(-arm.swing) @ rotate_y(-s * arm.out) @ rotate_z(-s * arm.twist) @ down
    forearm = upper @ (down.T @ rotate_x(-arm.elbow) @ down)
    hand = forearm @ (down.T @ rotate_y(s * arm.wrist) @ down)
    return {
        f"shoulder.{side}": shoulder,
        f"upper_arm.{side}": upper,
        f"forearm.{side}": forearm,
        f"hand.{side}": hand,
    }


def _pose_leg(
    side: str, foot: SteppingFoot, pelvis: Array, hips_at: Array, knees: Array
) -> tuple[dict[str, Array], Array]:
    """Return (the rotations (frames, 3, 3) of a leg's bones in the world by two-bone IK, by name, how far it
    has to reach as a part of its length (frames,)).

    Where that is above REACH the leg is as long as REACH allows, and its ankle falls short. pelvis: the hips'
    rotation. hips_at: their place, metres. knees: the yaw in degrees that the knee points to, (frames,).
    """
    thigh, shin, ankle = (BONES[f"{name}.{side}"] for name in ("thigh", "shin", "foot"))
    a, b = (np.linalg.norm(bone.tail - bone.head) for bone in (thigh, shin))
    hip = hips_at + rotate(pelvis, thigh.head - BONES["hips"].head)
    reach = np.linalg.norm(foot.ankle - hip, axis=1)
    length = np.minimum(reach, REACH * (a + b))
    basis = build_frame(rotate(rotate_z(knees), [1.0, 0.0, 0.0]), foot.ankle - hip)
    # The triangle hip, knee, ankle, seen along its axis: ``ahead`` is how far the knee stands out.
    along = (a * a - b * b + length**2) / (2 * length)
    ahead = np.sqrt(np.maximum(a * a - along**2, 0.0))
    knee = hip + along[:, None] * basis[..., 1] - ahead[:, None] * basis[..., 2]
    end = hip + length[:, None] * basis[..., 1]
    axis, rest = basis[..., 0], np.array([1.0, 0.0, 0.0])
    turns = {
        thigh.name: build_frame(axis, knee - hip) @ build_frame(rest, thigh.tail - thigh.head).T,
        shin.name: build_frame(axis, end - knee) @ build_frame(rest, shin.tail - shin.head).T,
        ankle.name: rotate_z(foot.yaw) @ rotate_x(-foot.pitch),
    }
    turns[f"toe.{side}"] = turns[ankle.name] @ rotate_x(-foot.toes)
    return turns, reach / (a + b)


def place_hips(sideways: Array, ahead: Array, up: Array) -> Array:
    """Return the hips' place (frames, 3) in the root's frame, by how far they are from rest, in metres.

    sideways: to the left.
    """
    return BONES["hips"].head + np.column_stack([sideways, -ahead, up])


def solve_bones(stand: Posture) -> BoneMotion:
    """Return what is keyed so that a body has a posture in every frame: each bone's rotation relative to its
    parent (frames, 3, 3), along the armature's axes, the root's place and the hips' offset from rest (frames,
    3), metres, and how far legs have to reach, as a part of their length (frames,), by side.

    Knees point half-way between the hips and the foot.
    """
    pose = _pose_trunk(stand)
    at = stand.root + rotate(pose["root"], stand.hips_at)
    reach = {}
    for side in SIDES:
        foot = stand.feet[side]
        pose |= _pose_arm(side, stand.arms[side], pose["chest"])
        knees = 0.5 * (stand.heading + stand.hips[:, 0] + foot.yaw)
        legs, reach[side] = _pose_leg(side, foot, pose["hips"], at, knees)
        pose |= legs
    turns = {
        name: pose[name] if bone.parent is None else np.swapaxes(pose[bone.parent], 1, 2) @ pose[name]
        for name, bone in BONES.items()
    }
    return BoneMotion(turns, stand.root, stand.hips_at - BONES["hips"].head, reach)
