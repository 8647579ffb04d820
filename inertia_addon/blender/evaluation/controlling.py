# SPDX-License-Identifier: GPL-3.0-or-later
"""Which control an animator takes to move a bone: found by what moves it, as the rig's switches are now."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ...motion.skeleton import naming
from ...motion.skeleton.naming import words
from ..data import compat, rigs
from ..data.limb_list import listed
from .joints import Joint

LIMB_ENDS = (naming.FOOT, naming.HAND)
NEAR = 0.1
"""A paw's control is no further from its joint, as a part of the rig's size."""
BODY = 0.25
"""Nor is the body's from the hips."""
SAME = 0.01
"""Joints as near to each other are at the same place."""
MECHANISM = words("DEF ORG MCH")
"""What bones are called, after Rigify's habit, that nobody is to take."""
TWEAK = words("tweak")
"""What shifts a single joint is taken by nobody who means the limb."""


def controls_of(armature: Any, bones: Iterable[str], joints: Sequence[Joint]) -> dict[str, str]:
    """Return, by the names of bones, the control that an animator takes for each: the bone itself where
    nothing else moves it. Bones that the armature lacks are left out.

    FK and IK, spaces and other switches count as they are now. joints: see :func:`joints.default_joints`.
    """
    reading = _ControlReading(armature, joints)
    return {bone: reading.control(bone) for bone in bones if bone in reading.bones}


def offered(armature: Any) -> list[str]:
    """Return the bones that an animator may take, in their order: those with a shape, or all if none has
    one.
    """
    return [bone.name for bone in armature.pose.bones if _has_shape(bone)] or list(armature.pose.bones.keys())


def _has_shape(bone: Any) -> bool:
    return bone.custom_shape is not None and not bone.bone.hide_select


class _ControlReading:
    """The controls of an armature; original or evaluated."""

    def __init__(self, armature: Any, joints: Sequence[Joint]) -> None:
        self.bones = armature.pose.bones
        self.hips = next((joint.bone for joint in joints if joint.role == naming.HIPS), "")
        self.links = rigs.Links(armature)
        self.listed = {name for limb in listed(armature) for name in (*limb.fk, *limb.ik)}
        self.is_control = functools.cache(self._is_control)
        self.ends = {joint.bone for joint in joints if joint.role in LIMB_ENDS}

    def control(self, bone: str) -> str:
        """Return the control that an animator takes to move a bone; the bone itself if it is one, or if no
        control carries it.

        Of the controls that carry it the nearest one in space, by their heads at rest, is taken; among those
        that are within 0.01 of the rig's size of that the outermost that is seen, else the outermost. For the
        hips it is the outermost one within a quarter of the size, for feet and hands that do not hang from
        the body's control within a tenth, if there is one so near. Controls named as tweaks count only where
        there are no others, and the topmost control only where it is the only one. KeyError for a bone that
        does not exist.
        """
        if self.is_control(bone):
            return bone
        carriers = [carrier for carrier in self._carriers(bone) if self.is_control(carrier)]
        carriers = [carrier for carrier in carriers if not words(carrier) & TWEAK] or carriers
        if not carriers:
            return bone
        # at the top is what everything follows
        away = {other: math.dist(self.heads[other], self.heads[bone]) for other in carriers[:-1] or carriers}
        widest = [other for other in away if away[other] <= self._reach(bone, carriers)]
        if widest:
            return widest[-1]
        nearest = min(away.values()) + SAME * self.size
        near = [other for other in away if away[other] <= nearest]
        return next((other for other in reversed(near) if compat.in_sight(self.bones[other])), near[-1])

    def _reach(self, bone: str, carriers: Sequence[str]) -> float:
        """Return how far from a joint what holds a whole limb's end or body may be; below 0 for other
        joints.
        """
        if bone == self.hips:
            return BODY * self.size
        return NEAR * self.size if bone in self.ends and self.body not in carriers else -1.0

    @functools.cached_property
    def body(self) -> str:
        """The control of the hips, which limbs follow by FK alone."""
        return self.control(self.hips) if self.hips in self.bones else ""

    @functools.cached_property
    def size(self) -> float:
        """The rest pose's largest extent."""
        return float(np.ptp(list(self.heads.values()), axis=0).max())

    @functools.cached_property
    def heads(self) -> dict[str, tuple[float, ...]]:
        """Where the bones' joints are at rest."""
        return {bone.name: tuple(bone.bone.head_local) for bone in self.bones}

    def _is_control(self, name: str) -> bool:
        """Return whether an animator takes a bone.

        It has a selectable shape; or is a control of a listed limb; or is in sight, not constrained to
        another bone, and not named as part of the rig's mechanism (DEF, ORG, MCH).
        """
        bone = self.bones[name]
        if _has_shape(bone) or name in self.listed:
            return True
        free = not self.links.constrained_to(name) and not words(name) & MECHANISM
        return free and compat.in_sight(bone)

    def _carriers(self, bone: str) -> list[str]:
        """Return the names of the bones that carry a bone, itself left out, the nearest first.

        Each next one is what constraints take the one before to, else its parent. The list ends with one that
        nothing carries, or before one that was met already.
        """
        carriers = [bone]
        while (bone := self.links.carrier(bone)) and bone not in carriers:
            carriers.append(bone)
        return carriers[1:]
