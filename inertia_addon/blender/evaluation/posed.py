# SPDX-License-Identifier: GPL-3.0-or-later
"""A clip's values written on an armature, over what its own animation has put there.

Blender builds anew all that it evaluates where an armature gets another action, which takes as long as ten
frames of a production rig: for a few frames of a clip that is saved.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...motion import quaternion
from ...motion.arrays import Floats
from ..data import properties, rig, unkeyed
from ..data.actions import ActionCurve, Clip

TRANSFORMS = {
    "location": 3,
    "rotation_quaternion": 4,
    "rotation_euler": 3,
    "rotation_axis_angle": 4,
    "scale": 3,
}
"""How many numbers each property of a bone's transform has."""


def rest(bones: int) -> dict[str, Floats]:
    """Return the rest pose of so many bones: by property, all of TRANSFORMS, the numbers of one bone after
    the other, as :func:`set_all` takes them.
    """
    return {
        prop: np.tile(np.array([quaternion.default_of(prop, i) for i in range(count)], np.float32), bones)
        for prop, count in TRANSFORMS.items()
    }


def set_all(armature: Any, prop: str, values: NDArray[np.float32]) -> None:
    """Set a property of all pose bones, in Blender's order. values: flat, as many numbers for each bone.

    It works on a linked object, too, where Blender's own bulk setting does nothing, in silence.
    """
    bones = armature.pose.bones
    if armature.is_editable:
        bones.foreach_set(prop, values)
        return
    for bone, value in zip(bones, values.reshape(len(bones), -1).tolist(), strict=True):
        setattr(bone, prop, value)


def can_be_written(clip: Clip) -> bool:
    """Tell whether what a clip shows can be written: to set a rotation mode would convert the rotation."""
    return not any(path.endswith("rotation_mode") for path, _ in clip.curves)


class WrittenPose:
    """What is written of a clip: the bones' transforms in bulk, everything else one by one.

    Un-keyed channels of bones and the object are as :mod:`unkeyed` says.
    """

    def __init__(self, armature: Any, clip: Clip) -> None:
        self.armature = armature
        self.standing = unkeyed.of_object(armature)
        places = {name: i for i, name in enumerate(armature.pose.bones.keys())}
        self.pose = rest(len(places))
        self.keyed: list[tuple[Floats, int, ActionCurve]] = []
        self.others = []
        for address, value in (unkeyed.completed(armature, clip).unkeyed or {}).items():
            if (at := self._place(places, *address)) is not None:
                self.pose[at[0]][at[1]] = value
        for address, curve in clip.curves.items():
            if (at := self._place(places, *address)) is not None:
                self.keyed.append((self.pose[at[0]], at[1], curve))
            else:
                self.others.append((address, curve))

    @staticmethod
    def _place(places: dict[str, int], path: str, index: int) -> tuple[str, int] | None:
        """Return (property, index into the flat numbers of all bones) of a channel of a bone's transform;
        None for any other channel.

        places: the bones' rows by name. A bone that is not in it gives None.
        """
        bone, prop = rig.split_path(path)
        if bone not in places or prop not in TRANSFORMS or index >= TRANSFORMS[prop]:
            return None
        return prop, places[bone] * TRANSFORMS[prop] + index

    def show(self, frame: float, stand: Callable[[], object]) -> None:
        """Write all values of a frame of the clip on the armature, in place, and tag it for evaluation.

        stand: called first, to put back what the clip leaves as it stands. Channels that are gone, driven or
        locked are skipped.
        """
        stand()
        for (prop, index), value in self.standing.items():
            getattr(self.armature, prop)[index] = value
        for (path, index), curve in self.others:
            # what is gone, driven or locked must not keep the others from being shown
            with contextlib.suppress(LookupError, AttributeError, TypeError, ValueError):
                properties.animate(self.armature, path, index, curve.value(frame))
        for values, at, curve in self.keyed:
            values[at] = curve.value(frame)
        for prop, values in self.pose.items():
            set_all(self.armature, prop, values)
        self.armature.update_tag()
