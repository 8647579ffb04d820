# SPDX-License-Identifier: GPL-3.0-or-later
"""The legs of an armature: those that are found, or those that its animator has listed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...errors import InertiaError, Sentence
from ...motion.feet import legs
from ...motion.feet.legs import Leg, RestBones
from ...motion.skeleton import naming
from ..data import compat, played_size, rig, rigs
from ..evaluation import joints

GROUP = "inertia_feet"
"""The property group of an object that holds its list of legs, and when feet count as planted ..."""
LIST = "legs"
"""... and the list in it."""

ROW: Mapping[str, Any] = {"use": True, "hip": "", "foot": "", "contact": ""}
"""What a row of an animator's list holds, and what where it was never set: whether the foot counts, the bone
at its hip, the foot, and the bone by whose head it stands ("" for what is found)."""


def of_armature(armature: Any) -> tuple[Leg, ...]:
    """Return the legs of an armature: as its animator has listed them, if the list has any row; else as
    found. () for none.

    Each :class:`Leg` is named after its foot bone, and has bones by index in Blender's order, lengths and
    offsets in the armature's units. Of listed ones those are left out that are not in use, that have a
    :func:`fault`, and later ones of the same foot; if none remains, () is returned, and none are found
    instead. A leg that was found may be one that can't be bent. Raise InertiaError, where there is no list,
    for an armature in Edit Mode or at no finite place.
    """
    rows = listed(armature)
    if not rows:
        return detected(armature)
    by_name: dict[str, Leg] = {}
    for row in rows:
        if row["use"] and not fault(armature, row):
            leg = leg_of_row(armature, row)
            by_name.setdefault(leg.name, leg)
    return tuple(by_name.values())


def required(armature: Any) -> tuple[Leg, ...]:
    """Return the legs of an armature. Raise InertiaError where there are none."""
    found_legs = of_armature(armature)
    legs.check_found(found_legs, armature.name)
    return found_legs


def none_note(armature: Any) -> Sentence:
    """Say that what feet would tell is left out, as there are no legs."""
    return Sentence(
        'No legs were found on "{armature}", so its feet can\'t be checked; list its legs by hand if it '
        "has any.",
        armature=armature.name,
    )


def detected(armature: Any) -> tuple[Leg, ...]:
    """Return the legs that are found, whatever is listed; () for none.

    Their lengths and offsets are scaled to the size in which the skeleton plays, which may be another one
    than at rest (see :func:`played_size.factor`). Raise InertiaError for an armature that is None, no
    armature, in Edit Mode, or at no finite place.
    """
    rig.check_armature(armature)
    bones = rigs.bones(armature)
    feet = [joint.bone for joint in joints.default_joints(armature) if joint.role == naming.FOOT]
    found = legs.find(
        RestBones(
            bones.names,
            bones.parents,
            bones.rest,
            _tails(armature),
            np.frombuffer(joints.find_moving_bones(armature), bool).tolist(),
        ),
        [bones.names.index(foot) for foot in feet],
        joints.up_axis(armature),
    )
    factor = played_size.factor(armature)
    return tuple(legs.scaled(leg, factor) for leg in found)


def leg_of_row(armature: Any, row: Mapping[str, Any]) -> Leg:
    """Return the leg that a row of the list describes, as in the rest pose, scaled by how large the armature
    plays.

    row: with ``hip``, ``foot`` and ``contact``, names of bones; "" for the contact takes what is found. The
    factor of the scale is that of :func:`played_size.factor`. Raise InertiaError for bones that do not exist
    or do not hang together as a leg, and for a leg that can't be bent.
    """
    bones = rigs.bones(armature)
    named = (row["hip"], row["foot"], row["contact"])
    leg = legs.chosen(
        bones.names, bones.parents, bones.rest, _tails(armature), named, joints.up_axis(armature)
    )
    return legs.scaled(leg, played_size.factor(armature))


def fault(armature: Any, row: Mapping[str, Any]) -> str:
    """Return a sentence that says why a row of the list describes no leg; "" where it does.

    row: with ``hip``, ``foot`` and ``contact``, names of bones; "" for the contact is no fault. Faults are
    bones that do not exist or do not hang together as a leg, and a leg that can't be bent.
    """
    try:
        leg_of_row(armature, row)
    except InertiaError as error:
        return error.sentence
    return ""


def row_of(armature: Any, leg: Leg) -> dict[str, Any]:
    """Return a leg as a row of the list: hip, foot and contact by the names of bones, in use. contact: the
    bone at whose head it stands; "" where the point lies elsewhere.
    """
    names = armature.data.bones.keys()
    at_head = not any(leg.offset)
    return {
        "use": True,
        "hip": names[leg.joints[0]],
        "foot": names[leg.foot],
        "contact": names[leg.point] if at_head else "",
    }


def listed(armature: Any) -> list[dict[str, Any]]:
    """Return the rows of an animator's list, each with all keys of :data:`ROW`, even if its panel is not
    registered; [] for none.

    Rows that are not in use, or have a fault, are among them.
    """
    stored = compat.stored(armature, GROUP, LIST)
    rows = []
    for item in stored if isinstance(stored, list) else ():
        values = {**ROW, **(item.to_dict() if hasattr(item, "to_dict") else {})}
        rows.append({name: type(default)(values[name]) for name, default in ROW.items()})
    return rows


def _tails(armature: Any) -> Any:
    """Return where bones end at rest (n, 3), in the armature's space."""
    tails = np.empty(3 * len(armature.data.bones), np.float32)
    armature.data.bones.foreach_get("tail_local", tails)
    return tails.reshape(-1, 3)
