# SPDX-License-Identifier: GPL-3.0-or-later
"""What the overlays show now: the active armature's costs and root motion as a :class:`model.Overlay`.

Objects of the model stay the same objects while nothing changes, so that what was drawn of them can be
drawn again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...blender.data import compat
from ...errors import InertiaError, Sentence
from ...motion.cost import costs as cost
from .. import translations
from ..cost import costs, decays, ghosts_of, map_job
from ..cost.costs import Costs
from ..hops import shown as bridge_state
from ..root_motion import shown as root_motion_of
from ..shared import cache, words
from .model import CostCurve, CostMap, Overlay, TintedBone

Array = NDArray[np.float64]

MINIMA = 5
"""How many local minima a curve names."""
NO_HISTOGRAM = "Measure actions in the Root Motion panel to see how often each speed occurs."


def is_on(scene: Any) -> bool:
    """Whether a scene shows any overlay."""
    own = scene.inertia_overlay
    return bool(own.timelines or own.root_timelines) or is_on_in_view3d(scene)


def is_on_in_view3d(scene: Any) -> bool:
    """Whether a scene shows any overlay in its 3D Views."""
    own = scene.inertia_overlay
    return _shows_transition(own) or bool(own.root_motion or own.root_histogram)


def _shows_transition(own: Any) -> bool:
    return bool(own.curves or own.map or own.offsets or own.ghosts or own.tint or own.bridge)


def of_view3d(context: Any) -> Overlay | None:
    """What a 3D View shows; None when nothing is on, or no armature is active that could show it."""
    own = context.scene.inertia_overlay
    if not (is_on_in_view3d(context.scene) and context.space_data.overlay.show_overlays):
        return None
    armature = armature_of(context) if _shows_transition(own) else None
    moving = root_armature_of(context) if own.root_motion or own.root_histogram else None
    if armature is None and moving is None:
        return None
    parts: dict[str, Any] = {}
    notes: list[str] = []
    if armature is not None:
        try:
            _transition(armature, costs.of(armature), own, parts, notes)
        except InertiaError as error:
            notes.append(error.sentence)
    if moving is not None:
        _root_motion(moving, own, parts, notes)
    return _overlay("overlay", armature or moving, parts, notes)


def _overlay(name: str, armature: Any, parts: dict[str, Any], notes: list[str]) -> Overlay:
    """The same parts make the same overlay."""
    parts["note"] = " ".join(translations.sentence(note) for note in notes if note)
    key = tuple((part, _identity(value)) for part, value in parts.items())
    return cache.answer(name, armature, key, lambda: Overlay(**parts))


def frame_played(context: Any, overlay: Overlay) -> float | None:
    """The frame at which the root motion shown is now; None where none is shown, or another action plays."""
    if overlay.root is None:
        return None
    action = compat.assigned(context.object)[0]
    if action is None or action.name != overlay.root.action:
        return None
    return float(context.scene.frame_current_final)


def _transition(armature: Any, found: Costs, own: Any, parts: dict[str, Any], notes: list[str]) -> None:
    """What is on of the coming transition."""
    if own.curves:
        parts["curves"] = tuple(curve(armature, found, over) for over in ("DESTINATION", "CUT"))
    if own.map:
        parts["map"], note = cost_map(armature, found, own.map_kind == "EXACT")
        notes.append(note)
    if own.offsets:
        bone = words.active_bone(armature)
        parts["offsets"] = decays.of_bone(armature, found, bone.name) if bone is not None else None
        if bone is None:
            notes.append("Select a bone to see its offset.")
    if own.ghosts:
        parts["trajectories"], note = ghosts_of.joints(armature, found, own.ghost_frames)
        notes.append(note)
    if own.bridge:
        parts["bridge"], note = bridge_state.curves(armature)
        notes.append(note)


def _root_motion(armature: Any, own: Any, parts: dict[str, Any], notes: list[str]) -> None:
    """What is on of root motion."""
    if own.root_motion:
        try:
            parts["root"] = root_motion_of.of(armature)
        except InertiaError as error:
            notes.append(error.sentence)
    if own.root_histogram:
        parts["histograms"] = root_motion_of.histograms(armature)
        if parts["histograms"] is None:
            notes.append(NO_HISTOGRAM)


def _identity(part: Any) -> Any:
    """What tells a part of the model from one that was made anew."""
    if isinstance(part, tuple):
        return tuple(map(id, part))
    return part if isinstance(part, str) else id(part)


def of_time_editor(context: Any) -> Overlay | None:
    """What a Dope Sheet or Graph Editor shows; None when it shows nothing.

    The cost of each cut lines up with the keys of the source, and of the result up to the cut; where the
    destination is assigned its keys are in sight, and the cost of each of its frames lines up with them.
    """
    own = context.scene.inertia_overlay
    armature = armature_of(context) if own.timelines else None
    moving = root_armature_of(context) if own.root_timelines else None
    if armature is None and moving is None:
        return None
    parts: dict[str, Any] = {}
    notes: list[str] = []
    if armature is not None:
        try:
            parts["curves"] = (_curve_in_sight(armature, costs.of(armature)),)
        except InertiaError as error:
            notes.append(error.sentence)
    if moving is not None:
        try:
            parts["root"] = root_motion_of.of(moving)
        except InertiaError as error:
            notes.append(error.sentence)
    return _overlay("time overlay", armature or moving, parts, notes)


def _curve_in_sight(armature: Any, found: Costs) -> CostCurve:
    """The cost curve whose frames are those of the keys in sight."""
    own, shown = armature.inertia, compat.assigned(armature)[0]
    over = "DESTINATION" if shown == own.destination and shown != own.source else "CUT"
    return curve(armature, found, over)


def armature_of(context: Any) -> Any | None:
    """The active armature if both of its actions are chosen."""
    active = context.object
    if active is None or words.missing_armature(active) is not None:
        return None
    own = active.inertia
    return active if own.source is not None and own.destination is not None else None


def root_armature_of(context: Any) -> Any | None:
    """The active armature, if it can hold settings."""
    active = context.object
    return active if active is not None and words.missing_armature(active) is None else None


def curve(armature: Any, found: Costs, over: str) -> CostCurve:
    """The cost over the frames of the destination, or over the cuts."""
    if over == "DESTINATION":
        values, side, name = (
            costs.over_destination(found, armature),
            found.compared.destination,
            found.evaluated.names[1],
        )
        current = found.destination_frame
    else:
        values, side, name = costs.over_cut(found, armature), found.compared.source, found.evaluated.names[0]
        current = found.cut
    key = (id(values), current)

    def compute() -> CostCurve:
        minima = tuple(int(i) for i in cost.local_minima(values)[:MINIMA])
        now = sum(part for _, part in costs.by_bone(found, armature))
        return CostCurve(over, name, side.frames, values, current, now, minima)

    return cache.answer(f"curve {over}", armature, key, compute)


def cost_map(armature: Any, found: Costs, exact: bool) -> tuple[CostMap, str]:
    """The map as far as it is computed, and a sentence on how far that is."""
    job = map_job.of(armature, found.compared, exact)
    best = tuple((pair.cut, pair.destination_frame) for pair in armature.inertia_search.pairs)
    key = (id(job), job.done, found.cut, found.destination_frame, best)

    def compute() -> tuple[Any, CostMap]:
        made = job.result
        # a copy while it grows: what is drawn is told apart by the array it was drawn from
        values = made.costs if job.done >= 1.0 else made.costs.copy()
        return job, CostMap(
            made.cuts, made.destinations, values, found.cut, found.destination_frame, best, made.exact
        )

    note = "" if job.done >= 1.0 else Sentence("Computing the map: {part:.0%}.", part=job.done)
    return cache.answer("map", armature, key, compute)[1], note


def tinted(context: Any) -> tuple[TintedBone, ...]:
    """The bones as they stand now, with their shares of the cost; none when they are not to be tinted."""
    armature = armature_of(context)
    shown = context.scene.inertia_overlay.tint and context.space_data.overlay.show_overlays
    if armature is None or not shown:
        return ()
    try:
        found = costs.of(armature)
    except InertiaError:
        return ()  # the plots say why
    parts = costs.by_bone(found, armature)
    largest = max((part for _, part in parts), default=0.0) or 1.0
    world = np.array(armature.matrix_world)
    bones = armature.pose.bones
    return tuple(
        TintedBone(_at(world, bones[name].head), _at(world, bones[name].tail), part / largest)
        for name, part in parts
        if name in bones
    )


def _at(world: Array, point: Sequence[float]) -> Array:
    return world[:3, :3] @ np.asarray(point, float) + world[:3, 3]
