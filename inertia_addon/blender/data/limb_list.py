# SPDX-License-Identifier: GPL-3.0-or-later
"""What a limb of a rig is to an animator, and the limbs that one has listed on an armature object."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

import bpy

from . import compat, properties, rig

LISTED = ("inertia_limbs", "items")
"""Where an object stores the list of its animator: the property group, and the list in it."""


@dataclasses.dataclass(frozen=True)
class Switch:
    """A property that says what a control follows. path: its data path on the object."""

    path: str
    control: str


@dataclasses.dataclass(frozen=True)
class Limb:
    """A limb that is posed by FK or by IK.

    switch: the data path, on the armature object, of the property that says by which. fk_value, ik_value:
    its values for either. fk, ik: the bones that an animator poses: from the body outwards, and the end
    before the pole. shown: the bones that are seen, from the body outwards; () where only a list tells of the
    limb. spaces: what the controls follow, as far as properties decide it. name: what a list calls it.
    """

    switch: str
    fk_value: float
    ik_value: float
    fk: tuple[str, ...] = ()
    ik: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    spaces: tuple[Switch, ...] = ()
    name: str = ""

    def side(self, value: float) -> str:
        """Which side a value of the switch shows: ``FK``, ``IK``, or "" for a mixture."""
        sides = {self.fk_value: "FK", self.ik_value: "IK"}
        return next((side for whole, side in sides.items() if math.isclose(value, whole, abs_tol=1e-6)), "")

    def value(self, side: str) -> float:
        """The switch's value for ``FK`` or ``IK``."""
        return self.fk_value if side == "FK" else self.ik_value

    def controls(self, side: str) -> tuple[str, ...]:
        """The controls of ``FK`` or ``IK``."""
        return self.fk if side == "FK" else self.ik


def listed(armature: Any) -> tuple[Limb, ...]:
    """The limbs that an animator has listed on an armature object, whether or not the list's panel is known.

    What is incomplete, or names what the rig has not, is left out.
    """
    bones = armature.pose.bones
    rows = []
    for row in compat.stored(armature, *LISTED) or ():
        values = {name: row.get(name, default) for name, default in ROW.items()}
        path = switch_path(str(values["bone"]), str(values["switch"]))
        fk, ik = (
            tuple(name for name in (str(values[key]) for key in keys) if name in bones)
            for keys in (FK_KEYS, IK_KEYS)
        )
        if isinstance(properties.read(armature, path), bool | int | float) and (fk or ik):
            rows.append(
                Limb(path, float(values["fk_value"]), float(values["ik_value"]), fk, ik, name=values["name"])
            )
    return tuple(rows)


FK_KEYS = ("fk_upper", "fk_lower", "fk_end", "fk_tip")
IK_KEYS = ("ik_end", "ik_pole", "ik_tip")
ROW: Mapping[str, Any] = {
    "name": "",
    "bone": "",
    "switch": "",
    "fk_value": 1.0,
    "ik_value": 0.0,
    **dict.fromkeys((*FK_KEYS, *IK_KEYS), ""),
}
"""What a row of an animator's list holds, and what where it was never set."""


def switch_path(bone: str, switch: str) -> str:
    """The data path of a custom property of a bone, or of the object (""); a path is taken as it is."""
    if "[" in switch or "." in switch:
        return switch
    own = f'["{bpy.utils.escape_identifier(switch)}"]'
    return rig.bone_path(bone, own) if bone else own
