# SPDX-License-Identifier: GPL-3.0-or-later
"""Shows a planned transition on the character itself: no action, no keys, nothing that stays.

A plan is sampled once (:func:`take`). On each frame its values are written over what Blender's own animation
has put there (:func:`show`), the bones' in bulk, and Blender evaluates the rig with them. What stood there is
noted in the scene meanwhile (:func:`note`), and :func:`put_back` needs nothing but the note: a state of the
file that was kept while something was shown, for undo or by an autosave, can be put right as well.
"""

from __future__ import annotations

import base64
import contextlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ...motion import quaternion
from ...motion.arrays import Floats
from ...motion.curves import evaluation
from ...motion.curves import keys as keylib
from ...motion.curves.keys import Keys
from ...records import record
from ..data import properties, rig, unkeyed
from ..data.actions import ActionCurve, Address
from ..data.scene import PREVIEW_NOTE as NOTE
from ..evaluation.posed import TRANSFORMS
from .bake import Plan
from .slot_plan import SlotPlan, separate_holders
from .strips import find_visible_slots

Places = NDArray[np.intp]


@record(frozen=True, eq=False)
class ShownSlot:
    """What a slot of a transition shows on what it animates, by value.

    keys: the curves. table: (curves, frames) their values on whole frames from ``first`` on. bones: for each
    property of all bones its numbers where nothing is keyed, flat, the places in it that are keyed, and by
    which curves. others: the other channels, each with its curve.
    """

    keys: tuple[Keys, ...]
    table: Floats
    first: int
    bones: Mapping[str, tuple[Floats, Places, Places]]
    others: tuple[tuple[Address, int], ...]

    def at(self, frame: float) -> Floats:
        """Return the values (curves,) on a frame, from the table where that has it, else evaluated."""
        column = round(frame) - self.first
        if abs(frame - round(frame)) < 1e-4 and 0 <= column < self.table.shape[1]:
            return self.table[:, column]
        return evaluation.evaluate_together(self.keys, [frame])[:, 0]


Take = tuple[ShownSlot, ...]
"""A transition, sampled: nothing in it dies with the file."""


def span(plan: Plan) -> tuple[float, float]:
    """Return the first and the last key frame of a plan, of any slot, as they are moved by settings.shift;
    the cut twice without keys.
    """
    planned = [_keys_of(curve) for slot in plan.slots for curve in slot.curves.values()]
    ends = [float(keys.co[i, 0]) for keys in planned for i in (0, -1)] or [plan.settings.cut]
    return min(ends) + plan.settings.shift, max(ends) + plan.settings.shift


def window(plan: Plan) -> tuple[float, float]:
    """Return the frames from the cut to the last one at which anything differs from the destination."""
    shift = plan.settings.shift
    return plan.settings.cut + shift, plan.until + shift


def take(plan: Plan, first: int, last: int) -> Take:
    """Sample a plan, on whole frames at once; nothing may be shown on the character meanwhile."""
    frames, shift = np.arange(first, last + 1), plan.settings.shift
    return tuple(
        _part(slot, frames, shift) for slot in find_visible_slots(separate_holders(plan.slots), plan.settings)
    )


def _part(slot: SlotPlan, frames: NDArray[np.int64], shift: float) -> ShownSlot:
    # to set a rotation mode converts the rotation, so it comes first
    curves = sorted(slot.curves.items(), key=lambda item: not item[0][0].endswith("rotation_mode"))
    keys = tuple(_sampled(curve, frames, shift) for _, curve in curves)
    rows = {address: row for row, (address, _) in enumerate(curves)}
    bones = _bones(slot.owner, rows) if _is_posed(slot.owner) else {}
    table = evaluation.evaluate_together(keys, frames)
    return ShownSlot(keys, table, int(frames[0]), bones, tuple(rows.items()))


def _is_posed(owner: Any) -> bool:
    return getattr(owner, "pose", None) is not None


def _keys_of(curve: ActionCurve | Keys) -> Keys:
    return curve.keys if isinstance(curve, ActionCurve) else curve


def _sampled(curve: ActionCurve | Keys, frames: NDArray[np.int64], shift: float) -> Keys:
    """Return the keys of a planned curve, so much later; sampled where its own don't tell its shape."""
    if isinstance(curve, ActionCurve) and curve.obstacle:
        return keylib.sampled(frames, [curve.value(frame - shift) for frame in frames.tolist()])
    return keylib.move(_keys_of(curve), shift)


def _bones(armature: Any, rows: dict[Address, int]) -> dict[str, tuple[Floats, Places, Places]]:
    """Return by property how all bones are written at once: the values that stand, flat, and of keyed ones
    their places in these and their rows; remove their channels from ``rows``.
    """
    standing, bones = unkeyed.of_bones(armature), armature.pose.bones
    values = {prop: rig.gathered(bones, prop, count) for prop, count in TRANSFORMS.items()}
    keyed: dict[str, list[tuple[int, int]]] = {prop: [] for prop in TRANSFORMS}
    for i, bone in enumerate(bones):
        used = quaternion.rotation_property(bone.rotation_mode)[0]
        for prop, count in TRANSFORMS.items():
            path = rig.bone_path(bone.name, prop)
            for column in range(count):
                address = path, column
                if prop in (used, "location", "scale"):
                    values[prop][i, column] = standing.get(address, quaternion.default_of(prop, column))
                if address in rows:
                    keyed[prop].append((i * count + column, rows.pop(address)))
    return {
        prop: (values[prop].ravel(), *np.array(keyed[prop], np.intp).reshape(-1, 2).T) for prop in TRANSFORMS
    }


def show(scene: Any, take: Take, frame: float) -> None:
    """Write what a transition shows on a frame; Blender evaluates the rig with it at its next update.

    What a property refuses, or what is gone, is left out.
    """
    for owner, part in zip(_owners(scene), take, strict=False):
        if owner is None:
            continue
        values = part.at(frame)
        for (path, index), row in part.others:
            # a driven or locked property, or one that is gone, must not keep the others from being shown
            with contextlib.suppress(LookupError, AttributeError, TypeError, ValueError):
                properties.animate(owner, path, index, float(values[row]))
        for prop, (standing, places, rows) in part.bones.items():
            if len(standing) == TRANSFORMS[prop] * len(owner.pose.bones):
                flat = standing.copy()
                flat[places] = values[rows]
                owner.pose.bones.foreach_set(prop, flat)
        owner.update_tag()


def note(scene: Any, plan: Plan, take: Take, more: Mapping[str, Any]) -> None:
    """Note in a scene what stands where a transition is going to be shown.

    more: plain values that :func:`noted` gives back.
    """
    owners = [slot.owner for slot in find_visible_slots(separate_holders(plan.slots), plan.settings)]
    parts = [(tuple(path for (path, _), _ in part.others), tuple(part.bones)) for part in take]
    note_all(scene, list(zip(owners, parts, strict=True)), more)


def note_all(
    scene: Any, owners: Sequence[tuple[Any, tuple[Sequence[str], Sequence[str]]]], more: Mapping[str, Any]
) -> None:
    """Note in a scene, in place of what was noted, the values of data-blocks' properties as they stand.

    owners: data-blocks, each with the paths of its own properties and the properties of its bones, of which
    all bones' are noted. more: plain values that :func:`noted` gives back. Paths that are not there are left
    out.
    """
    kept = []
    for owner, (paths, bones) in owners:
        values = {path: properties.read(owner, path) for path in dict.fromkeys(paths)}
        values = {path: value for path, value in values.items() if value is not None}
        pose = {prop: rig.gathered(owner.pose.bones, prop, TRANSFORMS[prop]).tobytes() for prop in bones}
        texts = {prop: base64.b64encode(numbers).decode() for prop, numbers in pose.items()}
        kept.append({"values": values, "pose": texts})
    scene[NOTE] = {"text": json.dumps({"kept": kept, "more": dict(more)}), "owners": len(owners)}
    for i, (owner, _) in enumerate(owners):
        scene[NOTE][str(i)] = owner
        if _is_posed(owner):
            unkeyed.hold(owner)


def is_noted(scene: Any) -> bool:
    """Tell whether something is shown in a scene, or was when this state of the file was kept."""
    return NOTE in scene


def _read_note(scene: Any, key: str) -> Any:
    """Read a part of a scene's note; return None where it can't be read."""
    try:
        return json.loads(scene[NOTE]["text"])[key]
    except (ValueError, TypeError, LookupError, RecursionError):
        return None


def noted(scene: Any) -> dict[str, Any]:
    """Return what was noted besides, {} where nothing can be read."""
    more = _read_note(scene, "more")
    return more if isinstance(more, dict) else {}


Kept = tuple[tuple[str, str, dict[str, Any]], ...]
"""What stood where something is shown: the kind and the name of each data-block, and its values."""


def read_kept(scene: Any) -> Kept:
    """Return what a note tells to put back; nothing where it can't be read."""
    owners = zip(_owners(scene), _read_note(scene, "kept") or (), strict=False)
    return tuple((owner.id_type, owner.name, values) for owner, values in owners if owner is not None)


def put_back(noted: Kept) -> None:
    """Have all stand where it stood before something was shown."""
    kinds = {"OBJECT": bpy.data.objects, "KEY": bpy.data.shape_keys}
    for kind, name, values in noted:
        owner = kinds[kind].get(name)
        if owner is not None:
            _restore(owner, values)


def drop(scene: Any) -> None:
    """Forget what was noted, as nothing is shown any more."""
    for owner in _owners(scene):
        if owner is not None:
            unkeyed.release(owner)
    if NOTE in scene:
        del scene[NOTE]


def _restore(owner: Any, kept_values: dict[str, Any]) -> None:
    for path in sorted(kept_values["values"], key=lambda path: not path.endswith("rotation_mode")):
        value = kept_values["values"][path]
        # what is gone since must not keep the others from coming back
        with contextlib.suppress(LookupError, AttributeError, TypeError, ValueError):
            properties.write(owner, path, tuple(value) if isinstance(value, list) else value)
    for prop, text in kept_values["pose"].items():
        values = np.frombuffer(base64.b64decode(text), np.float32)
        if _is_posed(owner) and len(values) == TRANSFORMS[prop] * len(owner.pose.bones):
            owner.pose.bones.foreach_set(prop, values)
    owner.update_tag()


def _owners(scene: Any) -> Iterator[Any | None]:
    """Yield the objects that something is shown on, None for one that is gone."""
    held = scene.get(NOTE)
    for i in range(held.get("owners", 0) if hasattr(held, "keys") else 0):
        yield held.get(str(i))


def pose_of(armature: Any) -> bytes:
    """Return all numbers of the bones' transforms, to tell a pose from another one."""
    bones = armature.pose.bones
    return b"".join(rig.gathered(bones, prop, count).tobytes() for prop, count in TRANSFORMS.items())
