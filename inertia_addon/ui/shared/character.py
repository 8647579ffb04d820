# SPDX-License-Identifier: GPL-3.0-or-later
"""The active character: whether there is one, and what is seen of it.

What is seen is kept until its rig, or what is listed of it, changes, as panels ask for it again and again.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ...blender.evaluation import controlling, joints
from ...blender.feet import legs
from ...motion.skeleton import naming
from . import cache
from .words import PanelLine, line

if TYPE_CHECKING:
    from ...blender.evaluation.joints import Joint
    from ...motion.feet.legs import Leg


def explain_no_armature(active: Any | None) -> PanelLine | None:
    """Return a line for the panel that says why no transition can be made with this active object; None if it
    is an editable armature, whatever is chosen there.

    The line says, for None, to select an armature; for another object that an armature deforms, to select
    that one, by name; for any other object, that it is no armature. For an armature linked from another file
    it says to make a library override, with the icon LIBRARY_DATA_DIRECT; the others have INFO. Its text is
    in English.
    """
    if active is None:
        return PanelLine("Select an armature to make a transition for it.")
    if active.type != "ARMATURE":
        deformer = active.find_armature()
        if deformer is not None:
            names = {"active": active.name, "deformer": deformer.name}
            return line('"{active}" is moved by "{deformer}": select that armature.', **names)
        return line(
            '"{active}" is not an armature; select one to make a transition for it.', active=active.name
        )
    if not active.is_editable:
        return line(
            '"{active}" is linked from another file and can\'t hold settings: make a library override '
            "of it (Object > Library Override > Make).",
            "LIBRARY_DATA_DIRECT",
            active=active.name,
        )
    return None


def meant_by(active: Any | None) -> Any | None:
    """Return the armature that an active object means: that which deforms it, where it is a mesh or the like
    in Object Mode; else the object itself, None for none.
    """
    if active is None or active.type == "ARMATURE" or active.mode != "OBJECT":
        return active
    return active.find_armature() or active


class MeantContext:
    """A context in which the armature is the active object that this one means, as a mesh does that it
    deforms.
    """

    def __init__(self, context: Any, armature: Any) -> None:
        self._context = context
        self.object = self.active_object = armature

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)


def read_meant(context: Any) -> Any:
    """Return a context whose object is the armature that the active object means: the same one, where that is
    the active object.
    """
    armature = meant_by(context.object)
    return context if armature == context.object else MeantContext(context, armature)


def activate_meant(context: Any) -> None:
    """Make the context's armature the active object where a mesh that it deforms is, so that work which goes
    on finds it; nothing otherwise.
    """
    objects, meant = context.view_layer.objects, context.object
    if meant is not None and objects.active != meant and meant_by(objects.active) == meant:
        objects.active = meant


def holder_of(context: Any) -> Any | None:
    """Return the armature that the active object means, if it can hold settings."""
    meant = meant_by(context.object)
    return meant if explain_no_armature(meant) is None else None


def armature_of(context: Any) -> Any | None:
    """Return the armature that the active object means if it is editable (see :func:`explain_no_armature`),
    and its ``inertia.source`` and ``inertia.destination`` are both chosen, else None.
    """
    active = holder_of(context)
    if active is None or None in (active.inertia.source, active.inertia.destination):
        return None
    return active


def active_bone(active: Any | None) -> Any | None:
    """Return the active pose bone if the active object is an armature, else None; Object Mode has one,
    too.
    """
    if active is None or active.type != "ARMATURE" or active.data.bones.active is None:
        return None
    return active.pose.bones.get(active.data.bones.active.name)


def joints_of(armature: Any) -> tuple[Joint, ...]:
    """Return the joints that are found from the rig, which no pose changes; it may take all clips to find
    them.
    """
    up = cache.rig_answer("up", armature, joints.up_axis, at_once=True)
    state = (cache.unposed_state(armature), up, joints.skinned(armature))
    return cache.answer("joints", armature, state, lambda: joints.default_joints(armature), at_once=True)


def controls_of(armature: Any, bones: Iterable[str]) -> dict[str, str]:
    """Return, by the names of bones, what an animator takes to move each of an armature's, as its switches
    are now; bones that it lacks are left out.
    """
    asked, default = tuple(bones), joints_of(armature)
    return cache.rig_answer(
        "controls", armature, lambda rig: controlling.controls_of(rig, asked, default), question=asked
    )


def hips_of(armature: Any) -> list[str]:
    """Return the bone at the hips, if any was found, as a list."""
    return [joint.bone for joint in joints_of(armature) if joint.role == naming.HIPS]


def legs_of(armature: Any) -> tuple[Leg, ...]:
    """Return the legs that are found or listed; () for none."""
    rows = tuple(tuple(row.values()) for row in legs.listed(armature))
    return cache.rig_answer("rig:legs", armature, legs.of_armature, question=rows)


def unsure(armature: Any, role: str = "") -> str:
    """Return a sentence that asks which bones are what, if any role, or `role`, is not sure; else ""."""
    joints_ = joints_of(armature)
    asked = not role or role in joints.unsure_roles(joints_)
    return joints.unsure(armature, joints_) if asked else ""
