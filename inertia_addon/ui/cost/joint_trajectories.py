# SPDX-License-Identifier: GPL-3.0-or-later
"""What is drawn in the 3D View's world: ways of joints in source, destination and result; tinted bones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...blender.data import scene
from ...blender.evaluation import joint_motion
from ...blender.transition import bake
from ...blender.transition.meeting import PlanOptions
from ...errors import InertiaError
from ...motion import quaternion
from ...motion.decay import dead_blending, decay
from ...motion.skeleton import character_space
from ...plots import heat_map, plot, shapes
from ...plots.shapes import Colour, Lines, Rect, Shape, Text
from ...plots.theme import Theme, mixed
from ...records import record
from ..overlay.layout import PlotSlot
from ..overlay.protocol import OverlayPlot
from ..shared import cache
from ..shared.character import armature_of
from ..translations import translated
from .costs import PairCosts, by_bone, costs_of
from .joint_list import ghosts_from

if TYPE_CHECKING:
    from ...blender.evaluation.joint_motion import JointMotion
    from ...blender.transition.alignment import Alignment
    from ...blender.transition.bake import Plan
    from ...motion.arrays import Array

WIDTHS = {"SOURCE": 1.6, "DESTINATION": 1.6, "RESULT": 3.0}
NAMES = {"SOURCE": "Source", "DESTINATION": "Destination", "RESULT": "Result"}
SWATCH = 24.0
"""What a sample of a line takes in the legend, pixels at a scale of 1."""
FADE_FRAMES = 30.0
"""So many frames from the cut a trajectory has faded to a third."""
TICK = 0.004
"""Half the size of the cross on each frame of a result, as part of the trajectories' extent."""
ARMS = np.kron(np.eye(3), [[1.0], [-1.0]])
"""The ends of a cross's three lines, (6, 3), of half the length 1."""
ESTIMATE = "The result's trajectories are an estimate, as only Blender can play this rig."


@record(frozen=True, eq=False)
class Trajectory:
    """The way of a joint through the world.

    kind: ``SOURCE``, ``DESTINATION`` (aligned as the result's) or ``RESULT``. frames: (n,) scene
    frames of the result's time. points: (n, 3) world. cut: the index of the cut's frame, None when outside.
    """

    bone: str
    kind: str
    frames: Array
    points: Array
    cut: int | None


@record(frozen=True, eq=False)
class TintedBone:
    """A bone as it stands now, with its share of the cost relative to the largest, 0 to 1."""

    head: Array
    tail: Array
    share: float


def ghosts(armature: Any, costs: PairCosts, around: int) -> tuple[tuple[Trajectory, ...], str]:
    """Return the trajectories of an armature's shown joints around the meeting, and a sentence on what to
    know of them, "" for nothing.

    around: how many frames before the cut and after the window they show. Joints that the evaluated clips or
    the rig lack by now are left out. Where the transition can't be planned there are none, and the sentence
    says why. On a rig that only Blender can play the result is an estimate, and the sentence says that. The
    answer is kept until costs, settings, scene, rig or actions change.
    """
    # costs that are shown may lag behind the rig
    existing = {*costs.evaluated.source.names} & {*armature.data.bones.keys()}
    names = tuple(name for name in ghosts_from(armature) if name in existing)
    key = (
        *(costs.evaluated, costs.settings, names, around),
        *(cache.scene_state(), cache.rig_state(armature), cache.action_states(armature)),
    )

    def compute() -> tuple[tuple[Trajectory, ...], str]:
        try:
            plan = bake.plan_transition(armature, costs.settings, PlanOptions(may_play=False))
        except InertiaError as error:
            return (), error.sentence
        note = ESTIMATE if costs.evaluated.poser.has_to_play else ""
        return _trajectories(armature, costs, plan, names, around), note

    return cache.answer("ghosts", armature, key, compute)


def _trajectories(
    armature: Any, costs: PairCosts, plan: Plan, names: tuple[str, ...], around: int
) -> tuple[Trajectory, ...]:
    """Return the ways of joints in the world, in scene units: all of the source, then all of the destination,
    then all of the result, each in the order of names.

    The source goes from `around` frames before the cut to the window's end. The destination, aligned as the
    result's, goes from the cut to `around` frames behind the window. The result goes over both, but not
    before the source's first frame, on whole frames and on the cut itself. Repetitions of cycles go on. A way
    of a single frame is left out. Each way has the index of its frame nearest to the cut, None where that is
    half a frame away or more. The result's are posed by its curves, or estimated for a rig that only Blender
    can play.
    """
    cut, evaluated = costs.cut, costs.evaluated
    last = max(slot.last_frame for slot in plan.slots)
    begin, end = cut - around, max(last, cut) + around
    columns = [evaluated.source.names.index(name) for name in names]
    later = cut - costs.destination_frame
    metres = scene.metres_per_unit()
    unit = 1.0 / metres
    # what repeats goes on
    source, destination = (
        evaluated.source.until(last, metres),
        evaluated.destination.until(end - later, metres),
    )
    before, before_points = _between(source, columns, begin, last, 0.0)
    after, after_points = _between(destination, columns, cut, end, later)
    frames = np.arange(math.ceil(begin), math.floor(end) + 1.0)
    frames = np.union1d(frames[frames >= max(source.frames[0], begin) - 1e-6], [cut])
    if evaluated.poser.has_to_play:
        points = _estimated(costs, (source, destination), plan, columns, frames) * unit
    else:
        rig, unkeyed = plan.character.rig, plan.clips[0].unkeyed
        posed = joint_motion.joint_positions(rig, plan.slots[0].curves, frames, unkeyed)
        points = posed[:, [rig.bones.names.index(name) for name in names]]
    ways = (
        ("SOURCE", before, before_points * unit),
        ("DESTINATION", after, _aligned(after_points, plan.alignment, 1.0 / unit) * unit),
        ("RESULT", frames, points),
    )
    trajectories: list[Trajectory] = []
    for kind, frames, points in ways:
        if len(frames) > 1:
            near = int(np.argmin(np.abs(frames - cut)))
            at = near if abs(frames[near] - cut) < 0.5 else None
            trajectories += (Trajectory(name, kind, frames, points[:, i], at) for i, name in enumerate(names))
    return tuple(trajectories)


def _between(
    motion: JointMotion, columns: list[int], begin: float, end: float, later: float
) -> tuple[Array, Array]:
    """Return (the frames of the result (n,) at which a clip's own frames lie within a range, ends included,
    the joints' places there (n, columns, 3), metres). later: frames that the clip plays later.
    """
    frames = motion.frames + later
    inside = (frames >= begin - 1e-6) & (frames <= end + 1e-6)
    return frames[inside], motion.positions[inside][:, columns]


def _aligned(points: Array, alignment: Alignment, metres: float) -> Array:
    """Return points of the destination (..., 3), metres, moved as the alignment does: turned about the
    vertical through the origin, then shifted. metres: how many a unit of the scene has.
    """
    turn = quaternion.exp(alignment.heading * character_space.VERTICAL)
    return quaternion.rotate(turn, points) + alignment.translation * metres


def _estimated(
    costs: PairCosts, motions: tuple[JointMotion, JointMotion], plan: Plan, columns: list[int], frames: Array
) -> Array:
    """Return where the result would take joints (n, joints, 3), metres, in the world, if each decayed by
    itself.

    That is the source's place before the cut, and from the cut on the destination's, aligned, plus what is
    left of the offset at the cut, by the settings' method. motions: source and destination, with what they
    repeat. columns: the joints' indices in them. frames: (n,) of the result's time. Between a clip's frames
    places follow the cubic that has the clip's velocities at both; beyond its ends the nearest frame's place
    stands.
    """
    source, destination = motions
    fps, metres = costs.compared.fps, scene.metres_per_unit()
    later = costs.cut - costs.destination_frame
    turn = quaternion.exp(plan.alignment.heading * character_space.VERTICAL)

    def at(motion: JointMotion, frame: float) -> tuple[Array, Array]:
        within = float(np.clip(frame, motion.frames[0], motion.frames[-1]))
        positions, velocities = motion.positions[:, columns], motion.velocities[:, columns]
        return character_space.interpolated(motion.frames, positions, velocities, within, fps)

    def align(frame: float) -> tuple[Array, Array]:
        position, velocity = at(destination, frame)
        return _aligned(position, plan.alignment, metres), quaternion.rotate(turn, velocity)

    left, entered = at(source, costs.cut), align(costs.destination_frame)
    x, v = left[0] - entered[0], left[1] - entered[1] * (costs.settings.velocity == "RELATIVE")
    method, seconds = costs.compared.method, costs.compared.seconds
    half_life = costs.settings.extrapolation_half_life
    curve = None if method is None else decay.make(method, x, v, np.full(len(x), seconds))

    def fade(t: float, goal: Array) -> Array:
        """Return what is left of the offsets (joints, 3), source less destination, in metres, `t` seconds
        after the cut, to be added to where the destination is.

        goal: where the destination is then (joints, 3). Only dead blending needs it. There the source goes on
        from its place at the cut by its velocity, which halves each extrapolation half-life, and its share
        fades from 1 to 0 over the blend; returned is that share of the vector from the goal to it. All other
        methods ignore goal and give what the decay curve has at `t`.
        """
        if curve is None:
            gone = left[0] + left[1] * dead_blending.reach(t, half_life)
            return np.asarray(dead_blending.source_share(t, seconds) * (gone - goal))
        return decay.evaluate(curve, x, v, np.full(len(x), t))

    rows = []
    for frame in frames:
        if frame < costs.cut:
            rows.append(at(source, frame)[0])
        else:
            goal = align(frame - later)[0]
            rows.append(goal + fade((frame - costs.cut) / fps, goal))
    return np.array(rows)


def tinted_bones(context: Any) -> tuple[TintedBone, ...]:
    """Return the bones that count of the active armature, as they stand now: head and tail in the world, each
    with its cost as a part of the largest, 0 to 1; the largest first.

    Costs are those at the settings' cut and entry; all shares are 0 where all costs are. () without an
    armature that has both actions, and where costs are not known. Bones that are gone are left out.
    """
    armature = armature_of(context)
    if armature is None:
        return ()
    try:
        parts = by_bone(costs_of(armature), armature)
    except InertiaError:
        return ()  # the plots say why
    largest = max((part for _, part in parts), default=0.0) or 1.0
    world = np.array(armature.matrix_world)
    bones = armature.pose.bones

    def at(point: Sequence[float]) -> Array:
        return world[:3, :3] @ np.asarray(point, float) + world[:3, 3]

    return tuple(
        TintedBone(at(bones[name].head), at(bones[name].tail), part / largest)
        for name, part in parts
        if name in bones
    )


def _way(trajectory: Trajectory, theme: Theme) -> list[Shape]:
    rgba = np.tile(np.array(colour_of(trajectory.kind, theme), np.float32), (len(trajectory.frames), 1))
    if trajectory.cut is not None:
        away = np.abs(trajectory.frames - trajectory.frames[trajectory.cut])
        rgba[:, 3] = 1.0 / (1.0 + 2.0 * away / FADE_FRAMES)
    points = np.ascontiguousarray(trajectory.points, np.float32)
    drawn: list[Shape] = [Lines(points, rgba, WIDTHS[trajectory.kind] * theme.scale)]
    if trajectory.kind == "RESULT":
        # a small cross on each point, and a larger one where the cut is
        size = np.float32(TICK * max(float(np.ptp(points, axis=0).max()), 0.05))
        ends = np.ascontiguousarray((points[:, None] + (size * ARMS).astype(np.float32)).reshape(-1, 3))
        drawn.append(Lines(ends, np.repeat(rgba, 6, axis=0), 1.0 * theme.scale, pairs=True))
        if trajectory.cut is not None:
            cross = points[trajectory.cut] + 0.025 * ARMS
            drawn.append(shapes.line(cross, theme.cut, 2.4 * theme.scale, pairs=True))
    return drawn


def colour_of(kind: str, theme: Theme) -> Colour:
    """Return the colour of a way, as it is in the world; a legend that differs would tell nothing."""
    return {"SOURCE": theme.source, "DESTINATION": theme.destination, "RESULT": theme.way}[kind]


def tinted(bones: tuple[TintedBone, ...], theme: Theme) -> list[Shape]:
    """Return a line in the world along each bone, from head to tail, brighter, wider and more opaque for a
    larger share; in rising order of shares.

    Widths are from 4 to 10 pixels times the scale, for shares of 0 to 1.
    """
    lines: list[Shape] = []
    for bone in sorted(bones, key=lambda bone: bone.share):
        r, g, b = heat_map.sequential(0.15 + 0.85 * bone.share)
        colour = (float(r), float(g), float(b), 0.55 + 0.4 * bone.share)
        lines.append(shapes.line([bone.head, bone.tail], colour, (4.0 + 6.0 * bone.share) * theme.scale))
    return lines


class Ghosts(OverlayPlot):
    """The ways of joints through the world."""

    name = "ghosts"
    slot = PlotSlot.LEGEND

    def model(self, armature: Any, switches: Any) -> tuple[Any, str]:
        return ghosts(armature, costs_of(armature), switches.ghost_frames)

    def panels(self, model: Any) -> Sequence[Any]:
        """Return the panel that says which way is whose."""
        kinds = tuple(kind for kind in NAMES if any(way.kind == kind for way in model))
        return (kinds,) if kinds else ()

    def shapes(self, model: Any, content: tuple[str, ...], rect: Rect, theme: Theme) -> list[Shape]:
        """Return the shapes of the legend: a panel and, for each kind of way in order, a line in its colour,
        with an edge, and its name; from the first that has no room on, all are left out.

        content: the kinds. rect: the most that the panel takes, pixels; it begins at rect's left and ends
        behind the words. model is not used.
        """
        s, font = theme.scale, theme.font
        x, y = rect[0] + plot.PADDING * s, rect[1] + 0.5 * rect[3]
        right = rect[0] + rect[2] - 2.0 * s
        lines: list[Shape] = []
        for kind in content:
            text = translated(NAMES[kind])
            if x + SWATCH * s + plot.width_of(text, font) > right:
                break
            ends = [(x, y), (x + (SWATCH - 6.0) * s, y)]
            # the colours are for the world, and a panel may be as light as one of them
            edge = mixed(theme.text, theme.panel, 0.35)
            lines.append(shapes.line(ends, edge, (1.5 * WIDTHS[kind] + 2.0) * s))
            lines.append(shapes.line(ends, colour_of(kind, theme), 1.5 * WIDTHS[kind] * s))
            lines.append(Text(x + SWATCH * s, y - 0.35 * font, text, font, theme.text))
            x += SWATCH * s + plot.width_of(text, font) + 10.0 * s
        left, bottom, _, height = rect
        return [plot.panel((left, bottom, x - left, height), theme), *lines]

    def world(self, model: Any, theme: Theme) -> list[Shape]:
        # in their order: the result's, with a cross on each frame, comes last, over the others
        return [shape for way in model for shape in _way(way, theme)]


class Tint(OverlayPlot):
    """The bones, tinted by what they cost."""

    name = "tint"

    def model(self, armature: Any, switches: Any) -> tuple[Any, str]:
        # the bones move with each frame: only what can't be shown is said here
        costs_of(armature)
        return None, ""

    def world_now(self, context: Any, theme: Theme) -> list[Shape]:
        return tinted(tinted_bones(context), theme)
