# SPDX-License-Identifier: GPL-3.0-or-later
"""What is seen of a character, as panels ask for it: kept until its rig, or what is listed of it, changes."""

from __future__ import annotations

from typing import Any

from ...blender.evaluation import joints
from ...blender.evaluation.joints import Joint
from ...blender.feet import legs
from ...motion.feet.legs import Leg
from ...motion.skeleton import naming
from . import cache


def joints_of(armature: Any) -> tuple[Joint, ...]:
    """The joints that are found."""
    return cache.of_rig("rig:joints", armature, joints.default_joints)


def hips_of(armature: Any) -> list[str]:
    """The bone at the hips, if any was found."""
    return [joint.bone for joint in joints_of(armature) if joint.role == naming.HIPS]


def legs_of(armature: Any) -> tuple[Leg, ...]:
    """The legs that are found or listed; () for none."""
    rows = tuple(tuple(row.values()) for row in legs.listed(armature))
    return cache.of_rig("rig:legs", armature, legs.of, key=rows)


def unsure(armature: Any, role: str = "") -> str:
    """A sentence that asks which bones are what where that, or one role, is not sure; else ""."""
    found = joints_of(armature)
    asked = not role or role in joints.unsure_roles(found)
    return joints.unsure(armature, found) if asked else ""
