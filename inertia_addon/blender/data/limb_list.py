# SPDX-License-Identifier: GPL-3.0-or-later
"""What a limb of a rig is to an animator, and the limbs that one has listed on an armature object."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

import bpy

from ...errors import Sentence
from ...records import record
from ...settings import fields
from . import compat, properties, rig

LISTED = ("inertia_limbs", "items")
"""Where an object stores the list of its animator: the property group, and the list in it."""


@record(frozen=True)
class Switch:
    """A property that says what a control follows. path: its data path on the object."""

    path: str
    control: str


@record(frozen=True)
class SwitchedLimb:
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
        """Return which side a value of the switch shows: ``FK``, ``IK``, or "" for a mixture."""
        sides = {self.fk_value: "FK", self.ik_value: "IK"}
        return next((side for whole, side in sides.items() if math.isclose(value, whole, abs_tol=1e-6)), "")

    def value(self, side: str) -> float:
        """Return the switch's value for ``FK`` or ``IK``."""
        return self.fk_value if side == "FK" else self.ik_value

    def controls(self, side: str) -> tuple[str, ...]:
        """Return the controls of ``FK`` or ``IK``."""
        return self.fk if side == "FK" else self.ik


FK_KEYS = ("fk_upper", "fk_lower", "fk_end", "fk_tip")
IK_KEYS = ("ik_end", "ik_pole", "ik_other", "ik_tip")
ROW: Mapping[str, Any] = {
    **{"name": "", "use": True, "bone": "", "switch": "", "fk_value": 1.0, "ik_value": 0.0},
    **dict.fromkeys((*FK_KEYS, *IK_KEYS), ""),
}
"""What a row of an animator's list holds, and what where it was never set."""


def listed(armature: Any) -> tuple[SwitchedLimb, ...]:
    """Return the limbs that an animator has listed on an armature object, in the list's order; () for no
    list.

    Each :class:`SwitchedLimb` has the data path of the property that switches it (``switch``), the values for
    FK and IK, the row's name, and the names of the FK controls (``fk``: upper, lower, end, tip) and of the IK
    controls (``ik``: end, pole, other, tip), in this order without those that are not named; no ``shown``
    bones and no ``spaces``. It works even if the list's panel is not registered. Rows that are not in use, or
    that have a :func:`fault`, are left out without a word; of rows with the same switch only the first
    counts.
    """
    stored = compat.stored(armature, *LISTED)
    limbs: dict[str, SwitchedLimb] = {}
    for item in stored if isinstance(stored, list) else ():
        row = {**ROW, **(item.to_dict() if hasattr(item, "to_dict") else {})}
        row |= {name: str(row[name]) for name, default in ROW.items() if isinstance(default, str)}
        if row["use"] and not fault(armature, row):
            path = switch_path(armature, row["bone"], row["switch"])
            fk, ik = (tuple(row[key] for key in keys if row[key]) for keys in (FK_KEYS, IK_KEYS))
            limb = SwitchedLimb(
                path, float(row["fk_value"]), float(row["ik_value"]), fk, ik, name=row["name"]
            )
            limbs.setdefault(path, limb)
    return tuple(limbs.values())


def row_of(limb: SwitchedLimb) -> dict[str, Any]:
    """Return a limb as a row of the list: name (its first control if it has none), bone ("" for a property of
    the object) and switch, fk_value, ik_value, and the controls by FK_KEYS and IK_KEYS; more than four are
    left out.
    """
    bone, prop = rig.split_path(limb.switch)
    custom = re.fullmatch(r'\["(.*)"\]', prop)
    return {
        "name": limb.name or next(iter((*limb.ik, *limb.fk)), ""),
        "bone": bone or "",
        "switch": bpy.utils.unescape_identifier(custom[1]) if custom else prop,
        "fk_value": limb.fk_value,
        "ik_value": limb.ik_value,
        **dict(zip(FK_KEYS, limb.fk, strict=False)),
        **dict(zip(IK_KEYS, limb.ik, strict=False)),
    }


def fault(armature: Any, row: Mapping[str, Any]) -> str:
    """Return a sentence that says why a row of the list can't be used; "" where it can.

    row: with all keys of :data:`ROW`. Faults, the first found, in this order: an empty "switch"; an
    "fk_value", then an "ik_value", that is no number from -10000 to 10000; a switch, see :func:`switch_path`,
    that is no number or switch on the armature object or one of its bones; a named FK or IK control that the
    armature lacks, the FK ones first. Equal FK and IK values are none.
    """
    if not row["switch"]:
        return Sentence("Choose the property that switches this limb between FK and IK.")
    for side in ("FK", "IK"):
        value = row[f"{side.lower()}_value"]
        if not fields.SWITCH_VALUE.holds(value):
            return Sentence(
                "The {side} value of this limb is {value}; give {allowed}.",
                side=side,
                value=fields.spoken_value(value),
                allowed=fields.SWITCH_VALUE.words,
            )
    path = switch_path(armature, row["bone"], row["switch"])
    if not isinstance(properties.read(armature, path), bool | int | float):
        return Sentence(
            '"{armature}" has no numeric property "{path}" that could switch a limb; choose another '
            "property.",
            armature=armature.name,
            path=path,
        )
    named = (row[key] for key in (*FK_KEYS, *IK_KEYS))
    gone = [name for name in named if name and name not in armature.pose.bones]
    if gone:
        return Sentence(
            '"{armature}" has no bone "{bone}" that could pose a limb; choose another one.',
            armature=armature.name,
            bone=gone[0],
        )
    return ""


def switches_of(armature: Any, bone: str) -> list[str]:
    """Return the names of the custom properties of a bone, or of the object (""), that are numbers or truth
    values; [] for a bone that is not there.
    """
    holder = armature.pose.bones.get(bone) if bone else armature
    names = () if holder is None else holder.keys()
    return [name for name in names if isinstance(holder[name], bool | int | float)]


def switch_path(armature: Any, bone: str, switch: str) -> str:
    """Return the data path, from the armature object, of the property that switches a limb; it need not
    exist.

    bone: the pose bone that has the property, "" for the object. switch: the name of a custom property there
    that is a number; any other text is taken as the rest of the path, from that bone or object.
    """
    if switch in switches_of(armature, bone):
        custom = f'["{bpy.utils.escape_identifier(switch)}"]'
        return rig.bone_path(bone, "").rstrip(".") + custom if bone else custom
    return rig.bone_path(bone, switch) if bone else switch
